/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local evidence: how far a row is from those in its leaf of each tree (trees.h). A leaf looks at a
 * few directions, each a slot with a small histogram of the values of its own rows. A value costs
 * the root of a width: of the gap it lies in or, outside, of the leaf's whole range and what lies
 * between; in ranges of the direction over all rows. Places of the same row in many small cells see
 * what no projection of all rows shows.
 */
#ifndef FROCC_LEAVES_H
#define FROCC_LEAVES_H

#include "evidence/costs.h"
#include "frame/trees.h"

/* All slots of a leaf, in one line of a cache. */
typedef struct frocc__leaf {
    float scale[FROCC_LEAF_DIRECTIONS], low[FROCC_LEAF_DIRECTIONS], high[FROCC_LEAF_DIRECTIONS];
    uint32_t occupied[FROCC_LEAF_DIRECTIONS];
} frocc__leaf;

typedef struct frocc__leaves {
    size_t n_slots;
    frocc__leaf *leaves;
} frocc__leaves;

frocc_status frocc__leaves_new(size_t n_slots, frocc__leaves *leaves);
void frocc__leaves_free(frocc__leaves *leaves);

/* The table of a slot from the cells that have values. Direction is the grid of all rows. */
frocc__leaf_table frocc__leaf_of_cells(const frocc__grid *direction, const frocc__grid *grid,
                                       uint32_t occupied);

static inline void frocc__leaves_set(frocc__leaves *leaves, size_t slot, frocc__leaf_table table) {
    frocc__leaf *leaf = &leaves->leaves[slot / FROCC_LEAF_DIRECTIONS];
    const size_t q = slot % FROCC_LEAF_DIRECTIONS;
    leaf->scale[q] = table.scale;
    leaf->low[q] = table.low;
    leaf->high[q] = table.high;
    leaf->occupied[q] = table.occupied;
}

/* The range of a direction in the units of its values, which costs are in. */
float frocc__direction_range(const frocc__grid *direction);

/* What a value that is not within the range of a slot costs there, times 255; what others cost, the
 * kernels know. */
uint32_t frocc__leaf_cost_outside(frocc__leaf_table table, const frocc__grid *direction,
                                  float value);

/* What a value costs in a slot had it, which is counted there, not been: histograms are those that
 * the leaves were made from. The direction is that of all others, on the grid of all. */
uint32_t frocc__leaf_cost_left_out(const frocc__leaves *leaves, const frocc__histograms *histograms,
                                   size_t slot, float direction_range, int direction_exponent,
                                   float value);

#endif
