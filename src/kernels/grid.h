/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Grids of cells that are 2^e wide and begin at the multiples of 2^e, and tables with a cost for
 * each cell. Everything here is exact or rounds once, and is the same expression in all kernels.
 */
#ifndef FROCC_GRID_H
#define FROCC_GRID_H

#include <math.h>
#include <string.h>

#include "base/base.h"

/* A grid as a ring of cells: cell i is at i & mask. Values from low to high are counted in it. */
typedef struct frocc__grid {
    float scale; /* 2^-e */
    float low, high;
    uint32_t mask; /* cells - 1 */
} frocc__grid;

static inline bool frocc__grid_is_empty(const frocc__grid *grid) {
    return grid->low > grid->high;
}

/* The number of the cell of a value. The product is exact, or next to nothing and may have become
 * 0: its sign is that of the value. Unlike floorf, this becomes vectors. */
static inline int32_t frocc__cell_number(float value, float scale) {
    const float at = value * scale;
    const int32_t whole = (int32_t)at;
    return whole - (((float)whole > at) | ((whole == 0) & (value < 0.0f)));
}

static inline uint32_t frocc__float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* 2^-e and back: e is at least -126 and at most 127, whose scale is no normal number. */
static inline float frocc__cell_scale(int exponent) {
    const uint32_t bits = exponent < 127 ? (uint32_t)(127 - exponent) << 23 : 1u << 22;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static inline int frocc__scale_exponent(float scale) {
    return 127 - (int)(frocc__float_bits(scale) >> 23);
}

/* x with 2^x <= |value| < 2^(x + 1), and -127 for what is smaller than any such. */
static inline int frocc__binary_exponent(float value) {
    return (int)(frocc__float_bits(value) >> 23 & 0xff) - 127;
}

/*
 * The exponent e of the cells that values from low to high are counted in: the smallest for which
 * they span at most n_cells, a power of two. Cells are never narrower than the spacing of float32
 * at the largest value, so that a cell's number is a float32 without rounding, nor than the
 * smallest normal number. The first guess is too small where it is more than that: each cell is
 * then less than the range over 2 n_cells wide.
 */
static inline int frocc__cell_exponent(float low, float high, uint32_t n_cells) {
    const float range = FROCC_MIN(high - low, FLT_MAX);
    const int largest = frocc__binary_exponent(FROCC_MAX(fabsf(low), fabsf(high)));
    int exponent = frocc__binary_exponent(range) - (31 - __builtin_clz(n_cells)) - 1;
    exponent = FROCC_MAX(exponent, FROCC_MAX(largest - 23, -126));
    while (frocc__cell_number(high, frocc__cell_scale(exponent)) -
               frocc__cell_number(low, frocc__cell_scale(exponent)) >=
           (int32_t)n_cells)
        exponent++;
    return exponent;
}

/* Whether different values share a cell, or cells are as narrow as the steps of float32. */
static inline bool frocc__cells_are_shared(const frocc__grid *grid) {
    const int largest = frocc__binary_exponent(FROCC_MAX(fabsf(grid->low), fabsf(grid->high)));
    return frocc__scale_exponent(grid->scale) > FROCC_MAX(largest - 23, -126);
}

/* ---- Costs ---------------------------------------------------------------------------------- */

/* A cost of 1. Costs are whole numbers: those have no order, so that sums of them are the same
 * however they are made. */
#define FROCC_COST_ONE (255 * 255)

/* What the end of a range costs, 1/8, and a sixteenth of an octave of distance beyond it. */
#define FROCC_COST_END (FROCC_COST_ONE / 8)
#define FROCC_COST_STEP 2817

/* The logarithm of a number of 1 or more in sixteenths of an octave, linear within octaves: the
 * bits of a float32, read as a whole number. */
static inline uint32_t frocc__log_steps(float value) {
    return (frocc__float_bits(value) >> 19) - (127u << 4);
}

/* 255 times the root of a cost, of which the part above 1 does not show. */
static inline int32_t frocc__root_of(float cost) {
    return (int32_t)(255.0f * sqrtf(cost < 1.0f ? cost : 1.0f) + 0.5f);
}

/* The cost of a place by its windows of 1 and of 2 values: what was seen once is not worth as much
 * as what was seen twice. */
static inline float frocc__mixed_cost(float first, float second) {
    return first * (15.0f / 16.0f) + second * (1.0f / 16.0f);
}

/* What values cost in one slot: a byte a cell, the root of the cost. */
typedef struct frocc__cost_table {
    frocc__grid grid;
    const uint8_t *roots;
    uint32_t close; /* a cell with no larger root is as good as within an interval */
} frocc__cost_table;

static inline uint32_t frocc__root_at(const frocc__cost_table *table, int32_t cell) {
    return table->roots[(uint32_t)cell & table->grid.mask];
}

/* Numbers only, and finite ones: NaN counts as the largest. */
static inline float frocc__finite(float value) {
    value = value <= FLT_MAX ? value : FLT_MAX;
    return value >= -FLT_MAX ? value : -FLT_MAX;
}

/* How a value lies to a range, both on the grid that they ask for together: so many empty cells
 * beyond it, negative where it is within, and so many cells the range has. */
typedef struct frocc__beyond {
    float scale;
    int32_t beyond, span;
} frocc__beyond;

static inline frocc__beyond frocc__beyond_of(const frocc__grid *grid, float value,
                                             int least_exponent) {
    const int asked = frocc__cell_exponent(FROCC_MIN(grid->low, value),
                                           FROCC_MAX(grid->high, value), grid->mask + 1);
    const float scale = frocc__cell_scale(FROCC_MAX(asked, least_exponent));
    const int32_t cell = frocc__cell_number(value, scale);
    const int32_t first = frocc__cell_number(grid->low, scale);
    const int32_t last = frocc__cell_number(grid->high, scale);
    return (frocc__beyond){scale, FROCC_MAX(first - cell, cell - last) - 1, last - first + 1};
}

/* The cost of a value that is not from low to high; in the last cell of either it still is within.
 */
static inline uint32_t frocc__cost_beyond(const frocc__cost_table *table, float value) {
    value = frocc__finite(value);
    const frocc__beyond at = frocc__beyond_of(&table->grid, value, -126);
    const float end = value < table->grid.low ? table->grid.low : table->grid.high;
    const uint32_t root = frocc__root_at(table, frocc__cell_number(end, table->grid.scale));
    if (at.beyond < 0)
        return root * root;
    /* No less than the end itself, which may not count: see window.h. */
    const float ranges = 1.0f + (float)at.beyond / (float)at.span;
    return FROCC_MAX(root * root, (uint32_t)FROCC_COST_END) +
           frocc__log_steps(ranges) * FROCC_COST_STEP;
}

static inline uint32_t frocc__cost_of(const frocc__cost_table *table, float value) {
    if (!(value >= table->grid.low && value <= table->grid.high))
        return frocc__cost_beyond(table, value);
    const uint32_t root = frocc__root_at(table, frocc__cell_number(value, table->grid.scale));
    return root * root;
}

/* ---- Leaves --------------------------------------------------------------------------------- */

/* Values in slots of leaves that are looked up at once; see leaves.h. */
#define FROCC_LOOKED_UP 64

/* What is known of one slot of a leaf; empty where low > high. */
typedef struct frocc__leaf_table {
    float scale, low, high;
    uint32_t occupied; /* cell i has values: bit i modulo 32 */
} frocc__leaf_table;

/* Each with a value, and the range of its direction, which costs are in. */
typedef struct frocc__look_ups {
    float scale[FROCC_LOOKED_UP], low[FROCC_LOOKED_UP], high[FROCC_LOOKED_UP];
    uint32_t occupied[FROCC_LOOKED_UP];
    float range[FROCC_LOOKED_UP], value[FROCC_LOOKED_UP];
} frocc__look_ups;

/* No width is less than this share of the direction's range; the cost of that, and the largest one
 * in a gap, times 255. */
#define FROCC_LEAF_SHARE (1.0f / 1024.0f)
#define FROCC_LEAF_LEAST 8
#define FROCC_LEAF_MOST 255

static inline uint32_t frocc__rotate_right(uint32_t word, uint32_t by) {
    return word >> (by & 31) | word << (-by & 31);
}

/* The place of the only bit of a word: a float32 of it says so, and becomes vectors. */
static inline int32_t frocc__place_of_bit(uint32_t word) {
    return (int32_t)(frocc__float_bits((float)(int32_t)word) >> 23 & 0xff) - 127;
}

/* Empty cells around one: none where it has values. The nearest ones with values lie on either side
 * of it, as 32 cells are a ring that holds them all; there is one. */
static inline int32_t frocc__gap_around(uint32_t occupied, int32_t cell) {
    const uint32_t from_here = frocc__rotate_right(occupied, (uint32_t)cell);
    uint32_t filled = from_here;
    filled |= filled >> 1;
    filled |= filled >> 2;
    filled |= filled >> 4;
    filled |= filled >> 8;
    filled |= filled >> 16;
    const int32_t above = frocc__place_of_bit(from_here & -from_here);
    const int32_t below = 31 - frocc__place_of_bit(filled ^ filled >> 1);
    return (above + below) & ((int32_t)(from_here & 1) - 1); /* without a branch */
}

#endif
