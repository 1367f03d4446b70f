/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oracle.h - the paper's Algorithms 1 and 2 as they stand there: project every row, keep every
 * projection, sort, scan. One loop for each "for" of the paper; nothing is clever, so that it can
 * be checked by reading. It takes the directions, the learnt scaling, Philox and the polynomials
 * for exp and tanh from the library, and nothing else.
 */
#ifndef FROCC_TESTS_ORACLE_H
#define FROCC_TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frocc.h"

typedef struct oracle {
    size_t n_features;
    size_t n_directions;
    frocc_params params;
    float gamma, coef0;
    float *directions; /* n_directions x n_features */
    double *shift, *scale;
    float *row;  /* the row at hand, prepared */
    float *dots; /* and its dot products */
} oracle;

/* params must stay valid while the oracle lives. NULL when out of memory. */
oracle *oracle_new(const frocc_params *params, const frocc_frame *frame);
void oracle_free(oracle *o);

/* K(w_i, x) for i = 0 .. n_directions - 1; x has n_features values. */
void oracle_values(oracle *o, const double *x, float *values);

/*
 * Algorithm 2: sorts values in place and writes the intervals; lower and upper have room for n.
 * Returns their number. The differences from the paper are the ones DESIGN lists: equal values
 * join even where the margin is 0, epsilon 1 is one interval, the last single point is kept.
 */
size_t oracle_intervals(float *values, size_t n, float epsilon, float *lower, float *upper);

/* Whether a value lies in one of the intervals, and how far from the nearest one it is. */
bool oracle_member(const float *lower, const float *upper, size_t count, float value);
float oracle_distance(const float *lower, const float *upper, size_t count, float value);

/* ---- Closeness ------------------------------------------------------------------------------- */

/*
 * The definition of closeness as it stands in window.h, costs.h, leaves.h and evidence.h of
 * src/evidence and in src/sketch/extremes.h: every value of a direction is kept, and for every
 * value that is asked about all of them are looked at. It takes the trees and what asinh learnt
 * from the frame, and the polynomials for exp and log from the library. Values are by direction
 * here: value r of direction i is values[i * n_rows + r].
 */
struct frocc_frame;

typedef struct oracle_rows {
    size_t n_rows, n_directions;
    float *values;
    float *sorted; /* the same, rising in every direction */
    float epsilon;
    uint32_t needed; /* values on each side of a wide window; 0 where there are none */
    double wide_slope, wide_shift; /* what wide windows say, in units of all else */

    /* What only closeness needs. */
    const struct frocc_frame *frame;
    uint32_t *leaves; /* of row r in tree t: leaves[t * n_rows + r] */
    float *prepared;  /* rows as prepared; NULL where extremes do not count */
} oracle_rows;

/* A row that is asked about. */
typedef struct oracle_row {
    const float *values;   /* one a direction */
    const float *prepared; /* one a feature; NULL where extremes do not count */
} oracle_row;

/* left_out: no row. */
#define ORACLE_NONE SIZE_MAX

/* Fills in what is sorted. */
void oracle_sort(oracle_rows *rows);

/* The values that windows need for a share of so many rows that may be anomalies. */
uint32_t oracle_needed(double contamination, size_t n_rows);

/* The cells that values from low to high are counted in, of which there are at most n_cells, begin
 * at the multiples of this width. */
double oracle_cell_width(float low, float high, double n_cells);

/* How many cells there are for an epsilon. */
double oracle_cells(float epsilon);

/* The leaf of a row with these values in a tree. */
uint32_t oracle_leaf(const struct frocc_frame *frame, size_t tree, const float *values);

/* What a value costs in a direction. Where the row left_out is one of those that were counted, the
 * value is its own, which is taken away from the cells of all rows. */
uint32_t oracle_cost(const oracle_rows *rows, size_t direction, size_t left_out, float value);

/* Brings what wide windows say to the units of all else, by the rows that calibrate, copies too:
 * their numbers, and what is asked about them. */
void oracle_align(oracle_rows *rows, const oracle_row *asked, const size_t *numbers, size_t count);

/* The closeness of a row, which is left_out where that is one. */
double oracle_closeness(const oracle_rows *rows, size_t left_out, const oracle_row *row);

#endif
