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

/* What values cost in one slot of a leaf; empty where low > high. */
typedef struct frocc__leaf_table {
    frocc__grid grid;
    uint8_t roots[FROCC_LEAF_CELLS];
} frocc__leaf_table;

typedef struct frocc__leaves {
    size_t n_slots;
    frocc__leaf_table *tables;
} frocc__leaves;

frocc_status frocc__leaves_new(size_t n_slots, frocc__leaves *leaves);
void frocc__leaves_free(frocc__leaves *leaves);

/* Makes the table of a slot from its histogram; direction is that of all rows. Changes bins. */
void frocc__leaves_set(frocc__leaves *leaves, size_t slot, const frocc__grid *direction,
                       const frocc__grid *grid, frocc__bin *bins, size_t n_bins,
                       frocc__needed needed);

/* What a value costs in a slot, times 255. */
uint32_t frocc__leaf_cost(const frocc__leaf_table *table, const frocc__grid *direction,
                          float value);

/* The same had the value, which is counted in both, not been: histograms are those of the leaf. The
 * direction is that of all others, on the grid of all. Bins is scratch. */
uint32_t frocc__leaf_cost_left_out(const frocc__histograms *histograms, size_t slot,
                                   float direction_range, int direction_exponent,
                                   frocc__needed needed, float value, frocc__bin *bins);

/* The smallest cost there is, times 255. */
#define FROCC_LEAF_LEAST 8

#endif
