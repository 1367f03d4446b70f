/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows over the bins of a histogram: O(k) a place. */
#include "evidence/window.h"

uint64_t frocc__bins_total(const frocc__bin *bins, size_t n_bins) {
    uint64_t total = 0;
    for (size_t i = 0; i < n_bins; i++)
        total += bins[i].count;
    return total;
}

static uint32_t count_of(const frocc__values *v, size_t bin) {
    return v->bins[bin].count - (bin == v->left_out);
}

/* The bin that holds the need-th value from this bin on, downward or upward; or SIZE_MAX. */
static size_t find_below(const frocc__values *v, size_t bin, uint32_t need) {
    uint32_t found = 0;
    for (; bin < v->n_bins; bin--) { /* which ends below 0 */
        found += count_of(v, bin);
        if (found >= need)
            break;
    }
    return bin < v->n_bins ? bin : SIZE_MAX;
}

static size_t find_above(const frocc__values *v, size_t bin, uint32_t need) {
    uint32_t found = 0;
    for (; bin < v->n_bins; bin++) {
        found += count_of(v, bin);
        if (found >= need)
            break;
    }
    return bin < v->n_bins ? bin : SIZE_MAX;
}

static frocc__values find_ends(frocc__values v, size_t low, size_t high) {
    v.low = low;
    v.high = high;
    v.first = FROCC_MIN(v.bins[low].number, v.bins[high].number);
    v.last = FROCC_MAX(v.bins[low].number, v.bins[high].number);
    return v;
}

frocc__values frocc__values_of(const frocc__bin *bins, size_t n_bins, uint64_t total,
                               size_t left_out, uint32_t k) {
    frocc__values v = {bins, n_bins, total - (left_out != SIZE_MAX), left_out, 0, 0, 0, 0, 0};
    v.k = (uint32_t)FROCC_MIN((uint64_t)k, (v.total + 1) / 2);
    return find_ends(v, find_above(&v, 0, v.k), find_below(&v, n_bins - 1, v.k));
}

/* The k-th smallest value moves where one is left out that is no larger, to the same place
 * whichever that is; the k-th largest likewise. */
frocc__values frocc__values_without(const frocc__values *no_first, const frocc__values *no_last,
                                    size_t bin) {
    frocc__values v = *no_first;
    v.left_out = bin;
    return find_ends(v, bin <= no_last->low ? no_first->low : no_last->low,
                     bin >= no_first->high ? no_last->high : no_first->high);
}

frocc__window frocc__window_at(const frocc__values *values, size_t bin, int32_t number) {
    const frocc__values *v = values;
    if (number < v->first)
        return (frocc__window){true, v->first - number - 1, -1};
    if (number > v->last)
        return (frocc__window){true, number - v->last - 1, 1};
    const bool on_bin = v->bins[bin].number == number;
    const uint32_t here = on_bin ? count_of(v, bin) : 0;
    if (here >= v->k)
        return (frocc__window){false, 0, 0};
    const size_t a = find_below(v, on_bin ? bin - 1 : bin, v->k - here);
    const size_t b = find_above(v, bin + 1, v->k - here);
    const int32_t below = a != SIZE_MAX ? FROCC_MAX(v->bins[a].number, v->first) : v->first;
    const int32_t above = b != SIZE_MAX ? FROCC_MIN(v->bins[b].number, v->last) : v->last;
    return (frocc__window){false, FROCC_MAX(above - below - 1, 0), 0};
}
