/* SPDX-License-Identifier: BSD-3-Clause */
/* Bins: made from a sketch, looked up, written and read. O(1) per look-up, O(m beta / eps) bits. */
#include "bins.h"

#include <string.h>

#include "mem.h"
#include "status.h"

#define MOST_BETA 64

static size_t bytes_per_slot(const frocc__bins *bins) {
    return (bins->n_bins + 7) / 8;
}

static frocc_status bins_new(size_t n_slots, float epsilon, unsigned beta, uint64_t n_rows,
                             frocc__bins *bins) {
    *bins = (frocc__bins){.n_slots = n_slots, .epsilon = epsilon, .beta = beta, .n_rows = n_rows};
    bins->n_bins = (size_t)((double)beta / (double)epsilon) + 1;
    bins->min = frocc__alloc(n_slots, sizeof(float));
    bins->max = frocc__alloc(n_slots, sizeof(float));
    bins->bits = frocc__alloc(n_slots, bytes_per_slot(bins));
    if (bins->min == NULL || bins->max == NULL || bins->bits == NULL) {
        frocc__bins_free(bins);
        return FROCC_ERR_MEMORY;
    }
    return FROCC_OK;
}

void frocc__bins_free(frocc__bins *bins) {
    frocc__free(bins->min);
    frocc__free(bins->max);
    frocc__free(bins->bits);
    *bins = (frocc__bins){0};
}

/* In double: the width of a bin may be far below the spacing of float32 at the values. */
static double bin_width(const frocc__bins *bins, size_t slot) {
    double range = (double)bins->max[slot] - (double)bins->min[slot];
    return (double)bins->epsilon * range / (double)bins->beta;
}

/* Rises with value, so that an interval's values fall between the bins of its ends. */
size_t frocc__bin_of(const frocc__bins *bins, size_t slot, float value) {
    if (!(value >= bins->min[slot]))
        return bins->n_bins;
    double width = bin_width(bins, slot);
    if (width == 0.0)
        return value == bins->min[slot] ? 0 : bins->n_bins;
    double bin = ((double)value - (double)bins->min[slot]) / width;
    if (bin < (double)bins->n_bins)
        return (size_t)bin;
    return value <= bins->max[slot] ? bins->n_bins - 1 : bins->n_bins;
}

static bool bit_is_set(const frocc__bins *bins, size_t slot, size_t bin) {
    return (bins->bits[slot * bytes_per_slot(bins) + bin / 8] >> (bin % 8) & 1) != 0;
}

static void set_bit(frocc__bins *bins, size_t slot, size_t bin) {
    bins->bits[slot * bytes_per_slot(bins) + bin / 8] |= (unsigned char)(1u << (bin % 8));
}

bool frocc__bins_contain(const frocc__bins *bins, size_t slot, float value) {
    size_t bin = frocc__bin_of(bins, slot, value);
    return bin < bins->n_bins && bit_is_set(bins, slot, bin);
}

/* Sets the bins an interval touches, and those of a gap of fewer than beta bins before it. */
static void fill_slot(frocc__bins *bins, size_t slot, const frocc__interval *list, size_t count) {
    bins->min[slot] = list[0].lo;
    bins->max[slot] = list[count - 1].hi;
    size_t filled = 0; /* one past the last set bin */
    for (size_t i = 0; i < count; i++) {
        size_t first = frocc__bin_of(bins, slot, list[i].lo);
        size_t last = frocc__bin_of(bins, slot, list[i].hi);
        bool join = i > 0 && first < filled + bins->beta;
        for (size_t bin = join ? filled : first; bin <= last; bin++)
            set_bit(bins, slot, bin);
        filled = last + 1;
    }
}

frocc_status frocc__bins_of(const frocc__sketch *sketch, unsigned beta, frocc__bins *bins) {
    if (beta < 1 || beta > MOST_BETA)
        return frocc__fail(FROCC_ERR_ARGUMENT, "beta is %u; it must be 1 to %d", beta, MOST_BETA);
    frocc__bins made;
    FROCC_TRY(bins_new(sketch->n_slots, sketch->epsilon, beta, sketch->n_rows, &made));
    for (size_t s = 0; s < made.n_slots; s++)
        fill_slot(&made, s, frocc__slot(sketch, s), sketch->count[s]);
    *bins = made;
    return FROCC_OK;
}

frocc_status frocc__bins_copy(const frocc__bins *bins, size_t n_slots, frocc__bins *copy) {
    frocc__bins made;
    FROCC_TRY(bins_new(n_slots, bins->epsilon, bins->beta, bins->n_rows, &made));
    memcpy(made.min, bins->min, n_slots * sizeof(float));
    memcpy(made.max, bins->max, n_slots * sizeof(float));
    memcpy(made.bits, bins->bits, n_slots * bytes_per_slot(bins));
    *copy = made;
    return FROCC_OK;
}

size_t frocc__bins_runs(const frocc__bins *bins, size_t slot, frocc__run_fn take, void *context) {
    double min = (double)bins->min[slot], width = bin_width(bins, slot);
    size_t runs = 0;
    for (size_t bin = 0; bin < bins->n_bins; bin++) {
        if (!bit_is_set(bins, slot, bin))
            continue;
        size_t first = bin;
        while (bin + 1 < bins->n_bins && bit_is_set(bins, slot, bin + 1))
            bin++;
        if (take != NULL)
            take(context, runs, (float)(min + (double)first * width),
                 (float)(min + (double)(bin + 1) * width));
        runs++;
    }
    return runs;
}

void frocc__bins_write(const frocc__bins *bins, frocc__writer *out) {
    frocc__put_f32(out, bins->epsilon);
    frocc__put_u32(out, bins->beta);
    frocc__put_u64(out, bins->n_rows);
    for (size_t s = 0; s < bins->n_slots; s++) {
        frocc__put_f32(out, bins->min[s]);
        frocc__put_f32(out, bins->max[s]);
    }
    frocc__put_bytes(out, bins->bits, bins->n_slots * bytes_per_slot(bins));
}

static bool is_bins_of_something(const frocc__bins *bins, size_t slot) {
    float min = bins->min[slot], max = bins->max[slot];
    if (!isfinite(min) || !isfinite(max) || !(min <= max))
        return false;
    for (size_t bin = bins->n_bins; bin < 8 * bytes_per_slot(bins); bin++)
        if (bit_is_set(bins, slot, bin))
            return false;
    return frocc__bins_contain(bins, slot, min) && frocc__bins_contain(bins, slot, max);
}

frocc_status frocc__bins_read(frocc__reader *in, size_t n_slots, frocc__bins *bins) {
    float epsilon = frocc__get_f32(in);
    uint32_t beta = frocc__get_u32(in);
    uint64_t n_rows = frocc__get_u64(in);
    if (!(epsilon >= FROCC_MIN_EPSILON && epsilon <= 1.0f) || beta < 1 || beta > MOST_BETA ||
        n_rows == 0)
        return frocc__damaged("epsilon, beta or the number of rows is out of range");
    size_t per_slot = 2 * sizeof(float) + ((size_t)((double)beta / (double)epsilon) + 8) / 8;
    if (in->left / per_slot != n_slots || in->left % per_slot != 0)
        return frocc__damaged("the bins section does not fit its directions");
    frocc__bins made;
    FROCC_TRY(bins_new(n_slots, epsilon, beta, n_rows, &made));
    for (size_t s = 0; s < n_slots; s++) {
        made.min[s] = frocc__get_f32(in);
        made.max[s] = frocc__get_f32(in);
    }
    memcpy(made.bits, frocc__get_bytes(in, in->left), n_slots * bytes_per_slot(&made));
    for (size_t s = 0; s < n_slots; s++) {
        if (!is_bins_of_something(&made, s)) {
            frocc__bins_free(&made);
            return frocc__damaged("the bins of a direction are not what a model has");
        }
    }
    *bins = made;
    return FROCC_OK;
}
