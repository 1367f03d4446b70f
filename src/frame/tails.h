/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a column of numbers with tails is scaled. Before asinh folds them, values are centred and
 * scaled by moments that a few wild cells cannot move: what lies beyond three times the distance
 * from the median to the quantiles of 1 % and 99 % counts as lying there. A column that is positive
 * and skewed gets a logarithm instead, which is asinh without a shift and with a scale below nearly
 * all of its values.
 */
#ifndef FROCC_TAILS_H
#define FROCC_TAILS_H

#include "frame/sample.h"

/* Values of the sample that are not zero, column by column. */
typedef struct frocc__tails {
    size_t n_features, n_rows;
    double total;   /* rows, with their copies */
    double *copies; /* per row */
    size_t *start;  /* per column, and one more */
    struct frocc__cell *cells;
    struct frocc__weighed *some; /* scratch */
} frocc__tails;

frocc_status frocc__tails_new(const frocc__members *sample, frocc__tails *tails);
void frocc__tails_free(frocc__tails *tails);

/* Shift and scale of a column. Returns whether it is a logarithm. */
bool frocc__tails_scaling(const frocc__tails *tails, size_t feature, double *shift, double *scale);

#endif
