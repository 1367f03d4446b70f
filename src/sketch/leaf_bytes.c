/* SPDX-License-Identifier: BSD-3-Clause */
#include "sketch/leaf_bytes.h"

#include <math.h>

#include "base/status.h"

/* What follows the heads. */
enum { WITHOUT_COUNTS = 0, WITH_COUNTS = 1 };

static void put_head(const frocc__grid *grid, uint32_t occupied, frocc__bytes_out *out) {
    frocc__put_f32(out, occupied != 0 ? grid->low : INFINITY);
    frocc__put_f32(out, occupied != 0 ? grid->high : -INFINITY);
    frocc__put_u32(out, occupied);
}

static void put_kind(unsigned char kind, frocc__bytes_out *out) {
    frocc__put_bytes(out, &kind, 1);
}

static void put_counts(const frocc__bin *bins, size_t n_bins, frocc__bits_out *bits) {
    if (n_bins == 0)
        return;
    uint64_t values = 0;
    for (size_t i = 0; i < n_bins; i++)
        values += bins[i].count;
    const unsigned order = frocc__order_for(values - n_bins, n_bins);
    frocc__put_bits(bits, order, 4);
    for (size_t i = 0; i < n_bins; i++)
        frocc__put_number(bits, bins[i].count - 1u, order);
}

void frocc__leaf_histograms_write(const frocc__histograms *histograms, frocc__bin *bins,
                                  frocc__bytes_out *out) {
    const size_t n_slots = histograms->n_slots;
    for (size_t slot = 0; slot < n_slots; slot++)
        put_head(&histograms->grids[slot], frocc__histogram_occupied(histograms, slot), out);
    put_kind(WITH_COUNTS, out);
    frocc__bits_out bits = {.out = out};
    for (size_t slot = 0; slot < n_slots; slot++)
        put_counts(bins, frocc__histogram_list(histograms, slot, bins), &bits);
    frocc__put_last_bits(&bits);
}

/* ---- Reading -------------------------------------------------------------------------------- */

frocc_status frocc__leaf_reader_open(frocc__bytes_in in, size_t n_slots,
                                     frocc__leaf_reader *reader) {
    if (in.failed || in.left / FROCC_LEAF_HEAD < n_slots || in.left == n_slots * FROCC_LEAF_HEAD)
        return frocc__damaged("its counts are cut short");
    *reader = (frocc__leaf_reader){.heads = in, .counts = in};
    reader->heads.left = n_slots * FROCC_LEAF_HEAD;
    reader->counts.data += reader->heads.left;
    reader->counts.left -= reader->heads.left;
    const unsigned char kind = *reader->counts.data++;
    reader->counts.left--;
    reader->has_counts = kind == WITH_COUNTS;
    reader->bits.in = &reader->counts;
    if (kind > WITH_COUNTS || (!reader->has_counts && reader->counts.left > 0))
        return frocc__damaged("its counts are longer than they should be");
    return FROCC_OK;
}

/* The first and the last cell have values, and none that is not between them has. */
static bool is_range_of(const frocc__grid *grid, uint32_t occupied) {
    const int32_t first = frocc__cell_number(grid->low, grid->scale);
    const int32_t span = frocc__cell_number(grid->high, grid->scale) - first;
    const uint32_t from_first = frocc__rotate_right(occupied, (uint32_t)first);
    return (from_first & 1) && 31 - __builtin_clz(from_first | 1) == span;
}

frocc_status frocc__leaf_read(frocc__leaf_reader *reader, frocc__grid *grid, uint32_t *occupied) {
    const float low = frocc__get_f32(&reader->heads), high = frocc__get_f32(&reader->heads);
    *occupied = frocc__get_u32(&reader->heads);
    *grid = (frocc__grid){0.0f, low, high, FROCC_LEAF_CELLS - 1};
    if (low == INFINITY && high == -INFINITY && *occupied == 0)
        return FROCC_OK;
    if (!frocc__is_range(low, high))
        return frocc__damaged("the range of a histogram is not what a fit produces");
    grid->scale = frocc__cell_scale(frocc__cell_exponent(low, high, FROCC_LEAF_CELLS));
    if (!is_range_of(grid, *occupied))
        return frocc__damaged("the cells of a histogram do not fit its range");
    return FROCC_OK;
}

frocc_status frocc__leaf_read_bins(frocc__leaf_reader *reader, const frocc__grid *grid,
                                   uint32_t occupied, frocc__bin *bins, size_t *n_bins) {
    *n_bins = 0;
    if (occupied == 0)
        return FROCC_OK;
    const int32_t first = frocc__cell_number(grid->low, grid->scale);
    const unsigned order = reader->has_counts ? frocc__get_bits(&reader->bits, 4) : 0;
    for (int32_t i = first; i < first + FROCC_LEAF_CELLS; i++) {
        if ((occupied >> (uint32_t)i % 32 & 1) == 0)
            continue;
        const uint32_t more = reader->has_counts ? frocc__get_number(&reader->bits, order) : 0;
        if (reader->counts.failed || more >= FROCC_LARGEST_COUNT)
            return frocc__damaged("a histogram is cut short or its counts are out of range");
        bins[(*n_bins)++] = (frocc__bin){i, (uint16_t)(more + 1)};
    }
    return FROCC_OK;
}

frocc_status frocc__leaf_reader_close(frocc__leaf_reader *reader) {
    frocc__give_back_bits(&reader->bits);
    if (reader->counts.failed || reader->counts.left > 0)
        return frocc__damaged("its counts are longer than they should be");
    return FROCC_OK;
}

frocc_status frocc__leaf_histograms_cap(frocc__bytes_in in, size_t n_slots, uint32_t most,
                                        frocc__bytes_out *out) {
    frocc__leaf_reader reader;
    FROCC_TRY(frocc__leaf_reader_open(in, n_slots, &reader));
    frocc__put_bytes(out, in.data, n_slots * FROCC_LEAF_HEAD);
    put_kind(most > 1 ? WITH_COUNTS : WITHOUT_COUNTS, out);
    frocc__bits_out bits = {.out = out};
    for (size_t slot = 0; slot < n_slots && most > 1; slot++) {
        frocc__grid grid;
        frocc__bin bins[FROCC_LEAF_CELLS];
        uint32_t occupied;
        size_t n_bins;
        FROCC_TRY(frocc__leaf_read(&reader, &grid, &occupied));
        FROCC_TRY(frocc__leaf_read_bins(&reader, &grid, occupied, bins, &n_bins));
        for (size_t i = 0; i < n_bins; i++)
            bins[i].count = (uint16_t)FROCC_MIN((uint32_t)bins[i].count, most);
        put_counts(bins, n_bins, &bits);
    }
    frocc__put_last_bits(&bits);
    return FROCC_OK;
}
