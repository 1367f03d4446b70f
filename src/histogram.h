/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms: per direction (slot), how many values fell in each cell of a grid. Cells are 2^e wide
 * and begin at the multiples of 2^e; e is the smallest for which all values span fewer cells than
 * there is room for. So the grid is a function of the smallest and the largest value alone, and
 * when it has to grow, cells merge in pairs: observing and merging are additions of counts, in
 * whatever order and on whatever split of the rows. docs/algorithm.md has the proof.
 *
 * Counts stop at UINT16_MAX, which is as free of order as adding is.
 */
#ifndef FROCC_HISTOGRAM_H
#define FROCC_HISTOGRAM_H

#include "bytes.h"
#include "meeting.h"

/* The two smallest and the two largest values, copies counted: with them it is known what is left
 * of the range when one value is taken away. Infinities where there are not so many. */
typedef struct frocc__ends {
    float low[2], high[2];
} frocc__ends;

#define FROCC_LARGEST_COUNT UINT16_MAX

/* A histogram has at most so many cells: epsilon is at least one over this. */
#define FROCC_MOST_CELLS 65536u

/* A cell with values in it. */
typedef struct frocc__bin {
    int32_t number; /* its values are number * 2^e up to (number + 1) * 2^e */
    uint16_t count;
} frocc__bin;

typedef struct frocc__histograms {
    size_t n_slots;
    uint32_t n_cells; /* a power of two */
    const frocc__kernels *kernels;
    frocc__ends *ends;
    frocc__grid
        *grids;       /* from low[1] to high[1]: what lies between changes neither ends nor grid */
    uint16_t *counts; /* per slot a ring: cell i is at i modulo n_cells */
    uint16_t *spare;  /* one more ring, all zero */
    frocc__bin *list; /* room for the cells of one slot */
} frocc__histograms;

/* How many cells there are for this epsilon: a power of two, no fewer than 1 / epsilon. */
uint32_t frocc__cells_for(float epsilon);

/* The exponent e of the cells that values from low to high are counted in. */
int frocc__cell_exponent(float low, float high, uint32_t n_cells);

/* The number of the cell of a value. */
static inline int32_t frocc__cell_number(float value, float scale) {
    return frocc__floor(value * scale);
}

/* 2^-e: exact, since e is at least -126 and at most 116. */
static inline float frocc__cell_scale(int exponent) {
    return ldexpf(1.0f, -exponent);
}

frocc_status frocc__histograms_new(size_t n_slots, uint32_t n_cells, const frocc__kernels *kernels,
                                   frocc__histograms *histograms);
void frocc__histograms_free(frocc__histograms *histograms);

/* Takes in the values of a tile. False when one is NaN, which only a custom kernel can give. */
bool frocc__count(frocc__histograms *histograms, const frocc__tile *tile);

/* The one merge: adds cells of another histogram, which has these ends and cells 2^exponent wide,
 * to a slot. Its cells may be narrower than those that the ends of both ask for, never wider. */
void frocc__histogram_merge(frocc__histograms *into, size_t slot, const frocc__ends *ends,
                            const frocc__bin *cells, size_t n_cells, int exponent);

/* The same for all slots. */
void frocc__histograms_merge(frocc__histograms *into, const frocc__histograms *from);

/* The cells of a slot that have values, rising, in histograms->list; says how many. */
size_t frocc__histogram_list(const frocc__histograms *histograms, size_t slot);

/* How many values the cell of this value has. */
static inline uint16_t frocc__histogram_at(const frocc__histograms *histograms, size_t slot,
                                           float value) {
    const uint32_t number = (uint32_t)frocc__cell_number(value, histograms->grids[slot].scale);
    return histograms->counts[slot * histograms->n_cells + (number & (histograms->n_cells - 1))];
}

/* ---- As bytes: the occupied cells of a slot, some bits each ------------------------------------
 */

void frocc__histogram_write(const frocc__ends *ends, const frocc__bin *cells, size_t n_cells,
                            frocc__writer *out);

/* Reads a slot of histograms with room for most cells, at most n_cells apart. Trusts nothing. */
frocc_status frocc__histogram_read(frocc__reader *in, uint32_t most, frocc__ends *ends,
                                   frocc__bin *cells, size_t *n_cells);

#endif
