/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What values cost in the directions of a frame: in a gap between training values the gap's share
 * of the range, outside 1/8 and the logarithm of 1 + distance / range. Gaps are windows over the
 * counts of a histogram (window.h), so a table with a byte a cell says all of it.
 */
#ifndef FROCC_COSTS_H
#define FROCC_COSTS_H

#include "evidence/window.h"
#include "kernels/interval.h"

/* With a share of the training rows that may be anomalies: half of those on either side. */
frocc__needed frocc__needed_for(double contamination, uint64_t n_rows);

typedef struct frocc__costs {
    size_t n_slots;
    uint32_t n_cells;
    frocc__cost_table *tables;
    uint8_t *roots; /* n_cells for each slot */
} frocc__costs;

frocc_status frocc__costs_new(size_t n_slots, uint32_t n_cells, frocc__costs *costs);
void frocc__costs_free(frocc__costs *costs);

/* Makes the table of a slot from its histogram. */
void frocc__costs_set(frocc__costs *costs, const frocc__kernels *kernels, size_t slot,
                      const frocc__grid *grid, const frocc__bin *bins, size_t n_bins,
                      frocc__needed needed);

/* What values of one slot cost that were counted, had each of them not been: the others alone make
 * the histogram. */
typedef struct frocc__left_out_table {
    frocc__cost_table table;
    uint32_t low, high; /* of the only value of the first, of the last bin; 0: it is not alone */
} frocc__left_out_table;

/* Makes it in n_cells bytes, after the costs of the slot, from the same bins. There are others. */
frocc__left_out_table frocc__costs_left_out(const frocc__costs *costs,
                                            const frocc__kernels *kernels, size_t slot,
                                            const frocc__bin *bins, size_t n_bins,
                                            frocc__needed needed, uint8_t *roots);

/* Adds what values cost. False when one of them lies outside, and so was not counted. */
bool frocc__add_left_out(const frocc__left_out_table *table, const frocc__kernels *kernels,
                         const float *values, size_t count, uint32_t *sums);

/* The cells of a slot. */
static inline int32_t frocc__table_first(const frocc__cost_table *table) {
    return frocc__cell_number(table->grid.low, table->grid.scale);
}

static inline int32_t frocc__table_last(const frocc__cost_table *table) {
    return frocc__cell_number(table->grid.high, table->grid.scale);
}

/* Where values cost next to nothing, or little more than the cheapest, as intervals, rising, of
 * which the first so many go to out; says how many there are. */
size_t frocc__costs_intervals(const frocc__costs *costs, size_t slot, frocc__interval *out,
                              size_t capacity);

/* How far a value is from the nearest of these. */
float frocc__costs_distance(const frocc__costs *costs, size_t slot, float value);

#endif
