/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms: per slot (a direction, or one direction of a leaf), how many values fell in each cell
 * of a grid. Cells are 2^e wide and begin at the multiples of 2^e; e is the smallest for which all
 * values span fewer cells than there is room for. So the grid is a function of the smallest and the
 * largest value alone, and when it has to grow, cells merge in pairs: observing and merging are
 * additions of counts, in whatever order and on whatever split of the rows. docs/algorithm.md has
 * the proof.
 *
 * Counts stop at UINT16_MAX, which is as free of order as adding is.
 */
#ifndef FROCC_HISTOGRAM_H
#define FROCC_HISTOGRAM_H

#include "base/bytes.h"
#include "kernels/kernels.h"

#define FROCC_LARGEST_COUNT UINT16_MAX

/* A histogram has at most so many cells: epsilon is at least one over this. */
#define FROCC_MOST_CELLS 65536u

/* Cells of the small histograms of a leaf's directions. */
#define FROCC_LEAF_CELLS 32

/* Values that are needed on each side of a window. 0 stands for what training rows that are clean,
 * or nearly so, want: 15 parts of 1 and 1 part of 2, so that what was seen once is not worth as
 * much as what was seen twice. */
typedef uint32_t frocc__needed;

/* So many values in a cell leave no room between them; see costs.c. */
#define FROCC_CROWD 8

/* A cell with values in it. */
typedef struct frocc__bin {
    int32_t number; /* its values are number * 2^e up to (number + 1) * 2^e */
    uint16_t count;
} frocc__bin;

typedef struct frocc__histograms {
    size_t n_slots;
    uint32_t n_cells; /* a power of two, at least 4 */
    const frocc__kernels *kernels;
    frocc__grid *grids; /* from the smallest to the largest value; empty where low > high */
    uint16_t *counts;   /* per slot a ring: cell i is at i modulo n_cells */
    uint16_t *spare;    /* one more ring, all zero */
} frocc__histograms;

/* How many cells there are for this epsilon: a power of two, no fewer than 1 / epsilon. */
uint32_t frocc__cells_for(float epsilon);

frocc_status frocc__histograms_new(size_t n_slots, uint32_t n_cells, const frocc__kernels *kernels,
                                   frocc__histograms *histograms);
void frocc__histograms_free(frocc__histograms *histograms);

/* Takes in values of one slot, at most FROCC_COUNTED of them. False when one is NaN, which only a
 * custom kernel can give: then none is. */
bool frocc__histogram_add(frocc__histograms *histograms, size_t slot, const float *values,
                          size_t count);

/* Lets the grid of a slot include a value, which is no NaN. */
void frocc__include(frocc__histograms *histograms, size_t slot, float value);

static inline void frocc__add_count(uint16_t *count, uint16_t more) {
    const uint32_t sum = (uint32_t)*count + more;
    *count = (uint16_t)FROCC_MIN(sum, (uint32_t)FROCC_LARGEST_COUNT);
}

/* Takes in a single value, which is no NaN. */
static inline void frocc__histogram_add_one(frocc__histograms *histograms, size_t slot,
                                            float value) {
    const frocc__grid *grid = &histograms->grids[slot];
    if (!(value >= grid->low && value <= grid->high))
        frocc__include(histograms, slot, value);
    const uint32_t cell = (uint32_t)frocc__cell_number(value, grid->scale) & grid->mask;
    frocc__add_count(&histograms->counts[slot * (grid->mask + 1) + cell], 1);
}

/* The one merge: adds the bins of another histogram, with this range and cells 2^exponent wide, to
 * a slot. Its cells may be narrower than those that both ranges ask for, never wider. */
void frocc__histogram_merge(frocc__histograms *into, size_t slot, float low, float high,
                            const frocc__bin *bins, size_t n_bins, int exponent);

/* The same for all slots; list has room for the bins of one. */
void frocc__histograms_merge(frocc__histograms *into, const frocc__histograms *from,
                             frocc__bin *list);

/* The cells of a slot that have values, rising, in list, which has room for all; says how many. */
size_t frocc__histogram_list(const frocc__histograms *histograms, size_t slot, frocc__bin *list);

/* Of histograms of 32 cells: a bit for each that has values, bit i modulo 32. */
uint32_t frocc__histogram_occupied(const frocc__histograms *histograms, size_t slot);

/* Bins as those of wider cells, in place; says how many are left. */
size_t frocc__bins_widen(frocc__bin *bins, size_t n_bins, int shift);

/* ---- As bytes: the range, and of every occupied cell some bits ------------------------------- */

void frocc__histogram_write(const frocc__grid *grid, const frocc__bin *bins, size_t n_bins,
                            frocc__bytes_out *out);

/* Whether a slot can have this range: finite, no -0. */
bool frocc__is_range(float low, float high);

/* Reads a slot of histograms of most cells. Trusts nothing. */
frocc_status frocc__histogram_read(frocc__bytes_in *in, uint32_t most, frocc__grid *grid,
                                   frocc__bin *bins, size_t *n_bins);

#endif
