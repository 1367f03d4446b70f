/* SPDX-License-Identifier: BSD-3-Clause */
/* What the examples share: rows to learn from, and an end to failures. */
#ifndef TOY_ROWS_H
#define TOY_ROWS_H

#include <frocc.h>
#include <stdio.h>
#include <stdlib.h>

static inline void must(frocc_status status) {
    if (status != FROCC_OK) {
        fprintf(stderr, "%s\n", frocc_last_error());
        exit(1);
    }
}

/* Evenly spread numbers in [0, 1): the fractions of multiples of the golden ratio. */
static inline double spread(size_t i) {
    double x = (double)(i + 1) * 0.61803398874989485;
    return x - (double)(long long)x;
}

/* Points of a square of side 1 whose lower left corner is at (x, y). */
static inline void fill_square(double *values, size_t n_rows, size_t first, double x, double y) {
    for (size_t i = 0; i < n_rows; i++) {
        values[2 * i] = x + spread(first + i);
        values[2 * i + 1] = y + spread((first + i) * 7 + 3);
    }
}

#endif
