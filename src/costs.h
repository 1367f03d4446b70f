/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Closeness, the score that is free of epsilon. A value's evidence against its row is e, the
 * smallest epsilon at which the direction would accept it: in a gap between training values the
 * gap's share of the range, outside 1 + distance / range. What it costs is the logarithm of e over
 * the epsilon that the model judges at, and 0 below that: n rows leave gaps of a few n-ths of the
 * range by chance, which say nothing. A row's closeness is 1 minus its mean cost, in units of what
 * the end of a range costs.
 *
 * Gaps are read off histograms: a gap is a run of empty cells. What a value costs is then a table
 * with a byte per cell.
 */
#ifndef FROCC_COSTS_H
#define FROCC_COSTS_H

#include "histogram.h"
#include "interval.h"

/* The epsilon that a model of n_rows judges at; its own one is a lower bound. */
static inline float frocc__judged_epsilon(float epsilon, uint64_t n_rows) {
    const float coarsest = 0.001f, rows_in_a_gap = 6.0f;
    const float told_apart = FROCC_MIN(rows_in_a_gap / (float)n_rows, coarsest);
    return FROCC_MAX(epsilon, told_apart);
}

typedef struct frocc__costs {
    size_t n_slots;
    uint32_t n_cells;
    float judged_epsilon;
    uint32_t at_end; /* what the end of a range costs: a score of 0 */
    frocc__cost_table *tables;
    uint8_t *bytes;       /* n_cells for each slot */
    uint64_t n_intervals; /* runs of cells that cost nothing, over all slots */
} frocc__costs;

frocc_status frocc__costs_new(size_t n_slots, uint32_t n_cells, float judged_epsilon,
                              frocc__costs *costs);
void frocc__costs_free(frocc__costs *costs);

/* Makes the table of a slot from its histogram. */
void frocc__costs_set(frocc__costs *costs, size_t slot, const frocc__ends *ends,
                      const frocc__bin *bins, size_t n_bins);

/*
 * What values that are counted in a histogram would cost had they not been: the other values alone
 * make the histogram. There are some. A value is the only one of its cell, or nothing changes but
 * where it is an end; so this, too, is a table, to be made anew for every slot: alone has room for
 * its n_cells bytes.
 */
void frocc__add_left_out(const frocc__costs *costs, const frocc__kernels *kernels, size_t slot,
                         const frocc__ends *ends, const frocc__bin *bins, size_t n_bins,
                         const float *values, size_t count, uint8_t *alone, uint32_t *sums);

/* The score of a row with this sum of costs over m directions. */
static inline double frocc__closeness(const frocc__costs *costs, uint64_t sum) {
    return 1.0 - (double)sum / ((double)costs->n_slots * (double)costs->at_end);
}

/* The values that cost nothing, as intervals, rising, of which the first so many go to out; says
 * how many there are. */
size_t frocc__costs_intervals(const frocc__costs *costs, size_t slot, frocc__interval *out,
                              size_t capacity);

/* How far a value is from the nearest one that costs nothing. */
float frocc__costs_distance(const frocc__costs *costs, size_t slot, float value);

/* As a section of the model file. */
void frocc__costs_write(const frocc__costs *costs, frocc__writer *out);
frocc_status frocc__costs_read(frocc__reader *in, size_t n_slots, frocc__costs *costs);

#endif
