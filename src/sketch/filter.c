/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters: made from the intervals of a slot, O(intervals + cells). */
#include "sketch/filter.h"

#include <string.h>

#include "base/memory.h"

/* Cells that the range is spread over; the others are always out. */
#define INNER_CELLS ((float)(FROCC_MAP_CELLS - 3))

/* An interval with less of the range is narrow, unless there are only a few: then it holds most
 * values all the same, and a few far ones make the range. */
#define WIDE_SHARE 0.5f
#define FEW_INTERVALS 4

static void note_widest(frocc__filter *filter, size_t slot, frocc__interval widest) {
    filter->widest.low[slot] = widest.lo;
    filter->widest.high[slot] = widest.hi;
}

static void note_bit(uint8_t *bits, size_t slot, bool value) {
    uint8_t bit = (uint8_t)(1u << slot % FROCC_BLOCK);
    bits += slot / FROCC_BLOCK;
    *bits = (uint8_t)(value ? *bits | bit : *bits & ~bit);
}

static void note_compares(frocc__filter *filter, size_t block) {
    filter->widest.compares[block] =
        filter->single[block] != 0 || __builtin_popcount(filter->narrow[block]) < FROCC_BLOCK / 2;
}

static void note_narrow(frocc__filter *filter, size_t slot, bool is_narrow) {
    note_bit(filter->narrow, slot, is_narrow);
    note_compares(filter, slot / FROCC_BLOCK);
}

/* As before any values. Cells of a slot are made with its first intervals; those of padding slots
 * are looked at together with the others of their block. */
static void note_empty(frocc__filter *filter, size_t n_slots, size_t padded) {
    for (size_t slot = 0; slot < n_slots; slot++)
        note_widest(filter, slot, frocc__widest(NULL, 0));
    for (size_t slot = n_slots; slot < padded; slot++) /* nothing is outside a padding slot */
        note_widest(filter, slot, (frocc__interval){-INFINITY, INFINITY});
    memset(filter->cells + n_slots, 0, (padded - n_slots) * sizeof *filter->cells);
    for (size_t block = 0; block < padded / FROCC_BLOCK; block++) {
        const size_t real = FROCC_MIN(n_slots - block * FROCC_BLOCK, (size_t)FROCC_BLOCK);
        filter->narrow[block] = (uint8_t)((1u << real) - 1);
        note_compares(filter, block);
    }
}

frocc_status frocc__filter_new(size_t n_slots, const frocc__kernels *kernels,
                               frocc__filter *filter) {
    size_t padded = (n_slots + FROCC_BLOCK - 1) / FROCC_BLOCK * FROCC_BLOCK;
    *filter = (frocc__filter){.kernels = kernels,
                              .widest.low = frocc__alloc(padded, sizeof(float)),
                              .widest.high = frocc__alloc(padded, sizeof(float)),
                              .cells = frocc__alloc_raw(padded, sizeof(frocc__cell_map)),
                              .narrow = frocc__alloc(padded / FROCC_BLOCK, sizeof(uint8_t)),
                              .single = frocc__alloc(padded / FROCC_BLOCK, sizeof(uint8_t)),
                              .widest.compares = frocc__alloc(padded / FROCC_BLOCK, sizeof(bool))};
    if (filter->widest.low == NULL || filter->widest.high == NULL || filter->cells == NULL ||
        filter->narrow == NULL || filter->single == NULL || filter->widest.compares == NULL) {
        frocc__filter_free(filter);
        return FROCC_ERR_MEMORY;
    }
    note_empty(filter, n_slots, padded);
    return FROCC_OK;
}

void frocc__filter_free(frocc__filter *filter) {
    frocc__free(filter->widest.low);
    frocc__free(filter->widest.high);
    frocc__free(filter->cells);
    frocc__free(filter->narrow);
    frocc__free(filter->single);
    frocc__free(filter->widest.compares);
    *filter = (frocc__filter){0};
}

void frocc__filter_note_widest(frocc__filter *filter, size_t slot, const frocc__interval *list,
                               size_t count) {
    note_widest(filter, slot, frocc__widest(list, count));
    memset(&filter->cells[slot], 0, sizeof filter->cells[slot]);
    note_bit(filter->single, slot, count == 1);
    note_narrow(filter, slot, false);
}

/*
 * The range, and room beside it, is spread over the inner cells, so that the first and the last
 * cell are always out. A single interval needs no cells: its block is always compared, and what is
 * outside it is out.
 */
void frocc__filter_note(frocc__filter *filter, size_t slot, const frocc__interval *list,
                        size_t count, float room) {
    note_widest(filter, slot, frocc__widest(list, count));
    frocc__cell_map *cells = &filter->cells[slot];
    memset(cells, 0, sizeof *cells);
    float range = count > 0 ? list[count - 1].hi - list[0].lo : 0.0f;
    note_bit(filter->single, slot, count == 1);
    bool is_wide = filter->widest.high[slot] - filter->widest.low[slot] >= WIDE_SHARE * range;
    note_narrow(filter, slot, count > FEW_INTERVALS && !is_wide);
    if (count < 2)
        return;
    float mapped = range * (1.0f + 2.0f * room), scale = INNER_CELLS / mapped;
    cells->origin = list[0].lo - range * room;
    /* Where no cell can be told, all values are searched for. */
    if (mapped > FLT_MAX || scale > FLT_MAX || cells->origin < -FLT_MAX) {
        memset(cells->edge, 0xff, sizeof cells->edge);
        return;
    }
    cells->scale = scale;
    filter->kernels->map_intervals(list, count, cells);
}

static bool is_narrow(const frocc__filter *filter, size_t slot) {
    return filter->narrow[slot / FROCC_BLOCK] >> slot % FROCC_BLOCK & 1;
}

/* Cells are for what the widest interval does not decide. */
void frocc__filter_note_grown(frocc__filter *filter, size_t slot, const frocc__growth *growth) {
    const frocc__interval grown = {growth->lo, growth->hi},
                          widest = {filter->widest.low[slot], filter->widest.high[slot]};
    frocc__cell_map *cells = &filter->cells[slot];
    const float width = grown.hi - grown.lo;
    const bool is_widest = width > widest.hi - widest.lo;
    if (is_widest) {
        note_widest(filter, slot, grown);
        if (is_narrow(filter, slot) && width * cells->scale >= WIDE_SHARE * INNER_CELLS)
            note_narrow(filter, slot, false);
    }
    if (width > 0.0f && !(is_widest && filter->widest.compares[slot / FROCC_BLOCK]))
        filter->kernels->map_grown(grown.lo, grown.hi, growth->from, growth->to, cells);
}

bool frocc__filter_outside(const frocc__filter *filter, const float *tile, size_t block,
                           frocc__row_mask among, bool has_outside,
                           frocc__row_mask rows[FROCC_BLOCK]) {
    const frocc__kernels *kernels = filter->kernels;
    if (!filter->widest.compares[block]) {
        for (int c = 0; c < FROCC_BLOCK; c++)
            rows[c] = among;
        return true;
    }
    size_t first = block * FROCC_BLOCK;
    if (!has_outside &&
        !kernels->outside(tile, filter->widest.low + first, filter->widest.high + first))
        return false;
    kernels->outside_rows(tile, filter->widest.low + first, filter->widest.high + first, rows);
    for (int c = 0; c < FROCC_BLOCK; c++)
        rows[c] &= among;
    return true;
}
