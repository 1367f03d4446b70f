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
 * The definition of closeness as it stands in src/costs.h and src/histogram.h: every value of a
 * direction is kept, and for every value that is asked about all of them are looked at. Nothing is
 * taken from the library. Rows are columns here: value r of direction i is values[i * n_rows + r].
 */
typedef struct oracle_rows {
    size_t n_rows, n_directions;
    const float *values;
    float epsilon;
} oracle_rows;

/* left_out: no row. */
#define ORACLE_NONE SIZE_MAX

/* The cells that values from low to high are counted in, of which there are at most n_cells, begin
 * at the multiples of this width. */
double oracle_cell_width(float low, float high, double n_cells);

/* The epsilon that so many rows are judged at. */
float oracle_judged_epsilon(float epsilon, size_t n_rows);

/* What a value costs in a direction, had the row left_out not been there. */
uint32_t oracle_cost(const oracle_rows *rows, size_t direction, size_t left_out, float value);

/* The closeness of a row with these values, one a direction. */
double oracle_closeness(const oracle_rows *rows, size_t left_out, const float *values);

#endif
