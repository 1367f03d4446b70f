/* SPDX-License-Identifier: BSD-3-Clause */
/* The one merge: the paper's scan (Algorithm 2) over two sorted lists of intervals at once. */
#include "kernels/interval.h"

#include <string.h>

/*
 * One step of the scan. last is not in out yet; the next interval joins it or comes after it.
 * Which, nobody can predict, so that both are computed and nothing is branched on.
 */
static inline size_t add(frocc__interval next, float margin, frocc__interval *out, size_t count,
                         frocc__interval *last) {
    bool joins = frocc__joins(last->hi, next.lo, margin);
    float hi = FROCC_MAX(last->hi, next.hi);
    out[count] = *last;
    last->lo = joins ? last->lo : next.lo;
    last->hi = joins ? hi : next.hi;
    return count + !joins;
}

size_t frocc__merge(const frocc__interval *a, size_t n_a, const frocc__interval *b, size_t n_b,
                    float epsilon, frocc__interval *out) {
    if (n_a + n_b == 0)
        return 0;
    float min = n_a == 0 ? b[0].lo : n_b == 0 ? a[0].lo : fminf(a[0].lo, b[0].lo);
    float max = n_a == 0   ? b[n_b - 1].hi
                : n_b == 0 ? a[n_a - 1].hi
                           : fmaxf(a[n_a - 1].hi, b[n_b - 1].hi);
    float margin = frocc__margin(epsilon, min, max);
    frocc__interval last = {min, min};
    size_t count = 0, i = 0, j = 0;
    while (i < n_a && j < n_b) {
        bool from_a = a[i].lo <= b[j].lo;
        count = add(from_a ? a[i] : b[j], margin, out, count, &last);
        i += from_a;
        j += !from_a;
    }
    for (; i < n_a; i++)
        count = add(a[i], margin, out, count, &last);
    for (; j < n_b; j++)
        count = add(b[j], margin, out, count, &last);
    out[count] = last;
    return count + 1;
}

/* Every value ends the interval before it and begins another, which the next one takes back unless
 * there is a gap: nothing is branched on, and no step waits for the one before. */
size_t frocc__intervals_of(const float *values, size_t stride, size_t count, float epsilon,
                           frocc__interval *out) {
    if (count == 0)
        return 0;
    const float margin = frocc__margin(epsilon, values[0], values[(count - 1) * stride]);
    size_t last = 0;
    float value = values[0];
    out[0].lo = value;
    for (size_t i = 1; i < count; i++) {
        float next = values[i * stride];
        bool joins = frocc__joins(value, next, margin);
        out[last].hi = value;
        out[last + 1].lo = next;
        last += !joins;
        value = next;
    }
    out[last].hi = value;
    return last + 1;
}

/* Joins what a margin that has grown brings together. */
static size_t coarsen(frocc__interval *list, size_t count, float margin) {
    size_t last = 0;
    for (size_t i = 1; i < count; i++) {
        if (frocc__joins(list[last].hi, list[i].lo, margin))
            list[last].hi = list[i].hi;
        else
            list[++last] = list[i];
    }
    return last + 1;
}

static frocc__interval insert_above(frocc__interval *list, uint32_t *count, float value,
                                    float epsilon) {
    float margin = frocc__margin(epsilon, list[0].lo, value);
    size_t last = coarsen(list, *count, margin) - 1;
    if (frocc__joins(list[last].hi, value, margin))
        list[last].hi = value;
    else
        list[++last] = (frocc__interval){value, value};
    *count = (uint32_t)last + 1;
    return list[last];
}

static frocc__interval insert_below(frocc__interval *list, uint32_t *count, float value,
                                    float epsilon) {
    float margin = frocc__margin(epsilon, value, list[*count - 1].hi);
    size_t left = coarsen(list, *count, margin);
    if (frocc__joins(value, list[0].lo, margin)) {
        list[0].lo = value;
    } else {
        memmove(list + 1, list, left * sizeof *list);
        list[0] = (frocc__interval){value, value};
        left++;
    }
    *count = (uint32_t)left;
    return list[0];
}

frocc__interval frocc__insert(frocc__interval *list, uint32_t *count, ptrdiff_t at, float value,
                              float epsilon) {
    const size_t n = *count, next = (size_t)(at + 1);
    if (next == n)
        return insert_above(list, count, value, epsilon);
    if (next == 0)
        return insert_below(list, count, value, epsilon);
    float margin = frocc__margin(epsilon, list[0].lo, list[n - 1].hi);
    frocc__interval *below = &list[next - 1], *above = &list[next];
    if (frocc__joins(below->hi, value, margin)) { /* and so it does with the one above */
        below->hi = above->hi;
        memmove(above, above + 1, (n - next - 1) * sizeof *list);
        *count -= 1;
        return *below;
    }
    memmove(above + 1, above, (n - next) * sizeof *list);
    *above = (frocc__interval){value, value};
    *count += 1;
    return *above;
}

size_t frocc__most_intervals(float epsilon) {
    return epsilon < 1.0f ? (size_t)(1.5 * (1.0 + 1e-6) / (double)epsilon) + 1 : 1;
}

frocc__interval frocc__widest(const frocc__interval *list, size_t count) {
    frocc__interval widest = {INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++)
        if (i == 0 || list[i].hi - list[i].lo > widest.hi - widest.lo)
            widest = list[i];
    return widest;
}
