/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A histogram as bytes: its ends, and then of every occupied cell how many empty ones lie before it
 * and how many values it has. The exponent follows from the ends.
 */
#include <math.h>

#include "bits.h"
#include "histogram.h"

void frocc__histogram_write(const frocc__ends *ends, const frocc__bin *cells, size_t n_cells,
                            frocc__writer *out) {
    uint64_t values = 0, empty = (uint64_t)(cells[n_cells - 1].number - cells[0].number);
    for (size_t i = 0; i < n_cells; i++)
        values += cells[i].count;
    const unsigned count_order = frocc__order_for(values - n_cells, n_cells);
    const unsigned gap_order = frocc__order_for(empty - (n_cells - 1), n_cells);
    for (int i = 0; i < 2; i++) {
        frocc__put_f32(out, ends->low[i]);
        frocc__put_f32(out, ends->high[i]);
    }
    frocc__bit_writer bits = {.out = out};
    frocc__put_bits(&bits, count_order, 4);
    frocc__put_bits(&bits, gap_order, 4);
    for (size_t i = 0; i < n_cells; i++) {
        if (i > 0)
            frocc__put_number(&bits, (uint32_t)(cells[i].number - cells[i - 1].number - 1),
                              gap_order);
        frocc__put_number(&bits, cells[i].count - 1u, count_order);
    }
    frocc__put_last_bits(&bits);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static bool is_end(float value) {
    return fabsf(value) <= FLT_MAX && !(value == 0.0f && signbit(value));
}

/* What values can have left: two or more of them, or one. */
static bool are_ends(const frocc__ends *e) {
    if (!is_end(e->low[0]) || !is_end(e->high[0]) || e->low[0] > e->high[0])
        return false;
    if (e->low[1] == INFINITY)
        return e->high[1] == -INFINITY && e->low[0] == e->high[0];
    return is_end(e->low[1]) && is_end(e->high[1]) && e->low[0] <= e->low[1] &&
           e->low[1] <= e->high[0] && e->low[0] <= e->high[1] && e->high[1] <= e->high[0];
}

frocc_status frocc__histogram_read(frocc__reader *in, uint32_t most, frocc__ends *ends,
                                   frocc__bin *cells, size_t *n_cells) {
    for (int i = 0; i < 2; i++) {
        ends->low[i] = frocc__get_f32(in);
        ends->high[i] = frocc__get_f32(in);
    }
    if (in->failed || !are_ends(ends))
        return frocc__damaged("the ends of a histogram are not what a fit produces");
    const float scale = frocc__cell_scale(frocc__cell_exponent(ends->low[0], ends->high[0], most));
    const int32_t last = frocc__cell_number(ends->high[0], scale);
    int32_t number = frocc__cell_number(ends->low[0], scale);
    frocc__bit_reader bits = {.in = in};
    const unsigned count_order = frocc__get_bits(&bits, 4), gap_order = frocc__get_bits(&bits, 4);
    size_t count = 0;
    for (;;) {
        const uint32_t values = frocc__get_number(&bits, count_order) + 1;
        if (in->failed || values > FROCC_LARGEST_COUNT)
            return frocc__damaged("a histogram is cut short or its counts are out of range");
        cells[count++] = (frocc__bin){number, (uint16_t)values};
        if (number == last)
            break;
        const uint32_t empty = frocc__get_number(&bits, gap_order);
        if (in->failed || empty >= (uint32_t)(last - number))
            return frocc__damaged("the cells of a histogram do not fit its ends");
        number += (int32_t)empty + 1;
    }
    frocc__give_back_bits(&bits);
    if (in->failed)
        return frocc__damaged("a histogram ends in bits that are not zero");
    *n_cells = count;
    return FROCC_OK;
}
