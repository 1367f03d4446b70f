/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of leaves: 16 bytes a slot, O(1) a value. */
#include "evidence/leaves.h"

#include "base/memory.h"
#include "base/status.h"

/* A leaf that has no values, and the largest cost. */
#define EMPTY_COST 361 /* 255 times the root of 2 */
#define MOST_COST 65535.0f

frocc_status frocc__leaves_new(size_t n_slots, frocc__leaves *leaves) {
    *leaves = (frocc__leaves){n_slots,
                              frocc__alloc(n_slots / FROCC_LEAF_DIRECTIONS, sizeof(frocc__leaf))};
    return leaves->leaves != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

void frocc__leaves_free(frocc__leaves *leaves) {
    frocc__free(leaves->leaves);
    *leaves = (frocc__leaves){0};
}

/* ---- Costs ---------------------------------------------------------------------------------- */

/* 255 times the root of a width in ranges. */
static uint32_t cost_of_width(float width, float range) {
    const float share = FROCC_MAX(width / range, FROCC_LEAF_SHARE);
    return (uint32_t)FROCC_MIN(255.0f * sqrtf(share) + 0.5f, MOST_COST);
}

static uint32_t cost_beyond(int32_t beyond, int32_t span, float cell, float range) {
    return cost_of_width(
        FROCC_MAX((float)span * cell, range * FROCC_LEAF_SHARE) + (float)beyond * cell, range);
}

static uint32_t cost_within(uint32_t occupied, int32_t number, float cell, float range) {
    const int32_t gap = frocc__gap_around(occupied, number);
    return FROCC_MIN(cost_of_width((float)gap * cell, range), (uint32_t)FROCC_LEAF_MOST);
}

/* ---- Cells that count ----------------------------------------------------------------------- */

typedef struct cells {
    uint32_t occupied;
    int32_t first, last; /* none where first > last */
} cells;

/* The outermost cells of those that are occupied, none of which comes before this one. */
static cells cells_of(uint32_t occupied, int32_t begin) {
    if (occupied == 0)
        return (cells){0, begin, begin - 1};
    const uint32_t from_begin = frocc__rotate_right(occupied, (uint32_t)begin);
    return (cells){occupied, begin + __builtin_ctz(from_begin),
                   begin + 31 - __builtin_clz(from_begin)};
}

/* ---- Tables --------------------------------------------------------------------------------- */

static float range_on(const frocc__grid *direction, int exponent) {
    const float scale = frocc__cell_scale(exponent);
    return (float)(frocc__cell_number(direction->high, scale) -
                   frocc__cell_number(direction->low, scale) + 1) /
           scale;
}

float frocc__direction_range(const frocc__grid *direction) {
    return range_on(direction, frocc__scale_exponent(direction->scale));
}

static frocc__leaf_table empty_table(void) {
    /* Finite, since values are moved to the ends before their cells are found. */
    return (frocc__leaf_table){.low = FLT_MAX, .high = -FLT_MAX};
}

/* Cells of a leaf are no narrower than those of its direction. */
static int shift_to(const frocc__grid *direction, const frocc__grid *grid) {
    return frocc__scale_exponent(direction->scale) - frocc__scale_exponent(grid->scale);
}

frocc__leaf_table frocc__leaf_of_cells(const frocc__grid *direction, const frocc__grid *grid,
                                       uint32_t occupied) {
    const int shift = FROCC_MIN(shift_to(direction, grid), 31);
    if (occupied == 0 || shift <= 0)
        return occupied == 0 ? empty_table()
                             : (frocc__leaf_table){grid->scale, grid->low, grid->high, occupied};
    const int32_t first = frocc__cell_number(grid->low, grid->scale);
    uint32_t wider = 0;
    for (int32_t i = first; i < first + 32; i++)
        if (occupied >> (uint32_t)i % 32 & 1)
            wider |= 1u << (uint32_t)(i >> shift) % 32;
    return (frocc__leaf_table){direction->scale, grid->low, grid->high, wider};
}

/* ---- Values --------------------------------------------------------------------------------- */

/* On the grid that the leaf's values and this one ask for. */
uint32_t frocc__leaf_cost_outside(frocc__leaf_table table, const frocc__grid *direction,
                                  float value) {
    if (table.occupied == 0)
        return EMPTY_COST;
    value = frocc__finite(value);
    const int asked = frocc__cell_exponent(FROCC_MIN(direction->low, value),
                                           FROCC_MAX(direction->high, value), direction->mask + 1);
    const frocc__grid grid = {table.scale, table.low, table.high, FROCC_LEAF_CELLS - 1};
    const int own = frocc__scale_exponent(table.scale);
    const frocc__beyond at = frocc__beyond_of(&grid, value, FROCC_MAX(asked, own));
    if (at.beyond < 0)
        return FROCC_LEAF_LEAST;
    return cost_beyond(at.beyond, at.span, 1.0f / at.scale, range_on(direction, asked));
}

/* The cells of the others, on those of the leaf. */
static cells cells_of_others(const frocc__histograms *h, size_t slot, uint32_t occupied,
                             int32_t own) {
    const frocc__grid *grid = &h->grids[slot];
    if (h->counts[slot * h->n_cells + ((uint32_t)own & grid->mask)] == 1)
        occupied &= ~(1u << (uint32_t)own % 32);
    return cells_of(occupied, frocc__cell_number(grid->low, grid->scale));
}

/* The cells of the others, on those of the direction, which are wider. */
static cells wider_cells_of_others(const frocc__histograms *h, size_t slot, int shift,
                                   int32_t own) {
    frocc__bin bins[FROCC_LEAF_CELLS];
    size_t n_bins = frocc__histogram_list(h, slot, bins);
    n_bins = frocc__bins_widen(bins, n_bins, shift);
    uint32_t occupied = 0;
    int32_t first = own;
    for (size_t i = 0; i < n_bins; i++) {
        if (bins[i].count == 1 && bins[i].number == own)
            continue;
        first = occupied == 0 ? bins[i].number : first;
        occupied |= 1u << (uint32_t)bins[i].number % 32;
    }
    return cells_of(occupied, first);
}

uint32_t frocc__leaf_cost_left_out(const frocc__leaves *leaves, const frocc__histograms *histograms,
                                   size_t slot, float direction_range, int direction_exponent,
                                   float value) {
    const float scale = histograms->grids[slot].scale;
    const int own_exponent = frocc__scale_exponent(scale);
    const int shift = FROCC_MAX(direction_exponent - own_exponent, 0);
    const float cell = 1.0f / frocc__cell_scale(own_exponent + shift);
    const int32_t own = frocc__cell_number(value, frocc__cell_scale(own_exponent + shift));
    const uint32_t occupied =
        leaves->leaves[slot / FROCC_LEAF_DIRECTIONS].occupied[slot % FROCC_LEAF_DIRECTIONS];
    const cells c = shift == 0 ? cells_of_others(histograms, slot, occupied, own)
                               : wider_cells_of_others(histograms, slot, shift, own);
    if (c.first > c.last)
        return EMPTY_COST;
    if (own >= c.first && own <= c.last)
        return cost_within(c.occupied, own, cell, direction_range);
    return cost_beyond(FROCC_MAX(c.first - own, own - c.last) - 1, c.last - c.first + 1, cell,
                       direction_range);
}
