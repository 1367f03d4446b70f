/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A histogram as bytes: its range, and then of every occupied cell how many empty ones lie before
 * it and how many values it has. The exponent follows from the range.
 */
#include <math.h>

#include "base/bits.h"
#include "sketch/histogram.h"

void frocc__histogram_write(const frocc__grid *grid, const frocc__bin *bins, size_t n_bins,
                            frocc__bytes_out *out) {
    frocc__put_f32(out, n_bins > 0 ? grid->low : INFINITY);
    frocc__put_f32(out, n_bins > 0 ? grid->high : -INFINITY);
    if (n_bins == 0)
        return;
    uint64_t values = 0, between = (uint64_t)(bins[n_bins - 1].number - bins[0].number);
    for (size_t i = 0; i < n_bins; i++)
        values += bins[i].count;
    const unsigned count_order = frocc__order_for(values - n_bins, n_bins);
    const unsigned gap_order = frocc__order_for(between - (n_bins - 1), n_bins);
    frocc__bits_out bits = {.out = out};
    frocc__put_bits(&bits, count_order, 4);
    frocc__put_bits(&bits, gap_order, 4);
    for (size_t i = 0; i < n_bins; i++) {
        if (i > 0)
            frocc__put_number(&bits, (uint32_t)(bins[i].number - bins[i - 1].number - 1),
                              gap_order);
        frocc__put_number(&bits, bins[i].count - 1u, count_order);
    }
    frocc__put_last_bits(&bits);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static bool is_end(float value) {
    return fabsf(value) <= FLT_MAX && !(value == 0.0f && signbit(value));
}

bool frocc__is_range(float low, float high) {
    return is_end(low) && is_end(high) && low <= high;
}

static frocc_status read_bins(frocc__bytes_in *in, const frocc__grid *grid, frocc__bin *bins,
                              size_t *n_bins) {
    const int32_t last = frocc__cell_number(grid->high, grid->scale);
    int32_t number = frocc__cell_number(grid->low, grid->scale);
    frocc__bits_in bits = {.in = in};
    const unsigned count_order = frocc__get_bits(&bits, 4), gap_order = frocc__get_bits(&bits, 4);
    size_t count = 0;
    for (;;) {
        const uint32_t values = frocc__get_number(&bits, count_order) + 1;
        if (in->failed || values > FROCC_LARGEST_COUNT)
            return frocc__damaged("a histogram is cut short or its counts are out of range");
        bins[count++] = (frocc__bin){number, (uint16_t)values};
        if (number == last)
            break;
        const uint32_t empty = frocc__get_number(&bits, gap_order);
        if (in->failed || empty >= (uint32_t)(last - number))
            return frocc__damaged("the cells of a histogram do not fit its range");
        number += (int32_t)empty + 1;
    }
    frocc__give_back_bits(&bits);
    *n_bins = count;
    return in->failed ? frocc__damaged("a histogram ends in bits that are not zero") : FROCC_OK;
}

frocc_status frocc__histogram_read(frocc__bytes_in *in, uint32_t most, frocc__grid *grid,
                                   frocc__bin *bins, size_t *n_bins) {
    const float low = frocc__get_f32(in), high = frocc__get_f32(in);
    *n_bins = 0;
    *grid = (frocc__grid){0.0f, low, high, most - 1};
    if (!in->failed && low == INFINITY && high == -INFINITY)
        return FROCC_OK;
    if (in->failed || !frocc__is_range(low, high))
        return frocc__damaged("the range of a histogram is not what a fit produces");
    grid->scale = frocc__cell_scale(frocc__cell_exponent(low, high, most));
    return read_bins(in, grid, bins, n_bins);
}
