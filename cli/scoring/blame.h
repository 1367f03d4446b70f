/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a row is rejected: which directions, by how much, and which features would have to differ. */
#ifndef CLI_BLAME_H
#define CLI_BLAME_H

#include "frocc.h"

typedef struct cli_blame {
    const frocc_model *model;
    const frocc_model *gained_by; /* whose scores rise: the model's, unless another one is set */
    frocc_scorer *scorer;
    size_t n_features, n_directions;
    float *found;      /* the library's answer */
    double *distances; /* of the last row, one a direction: 0 where it accepts */
    double *gains;     /* of the last row, one a feature: what the score would rise by */
    double *better;    /* if the feature alone had this value */
} cli_blame;

/* Model and scorer stay the caller's. */
void blame_begin(const frocc_model *model, frocc_scorer *scorer, cli_blame *blame);
void blame_end(cli_blame *blame);

/* Fills in the answers for a row; returns how many directions reject it. */
size_t blame_row(cli_blame *blame, const double *row);

/* The indices of the largest values, falling; fewer where fewer are above 0. Returns how many. */
size_t largest(const double *values, size_t count, size_t *indices, size_t wanted);

/* The features that gain most, as largest has them, but for those that gain less than a twentieth
 * of the first: to a person these are no reason, as nearly any row would gain that much from
 * another hour. */
size_t leading_features(const cli_blame *blame, size_t *features, size_t wanted);

/* The rows with the lowest scores so far, lowest first. */
typedef struct worst_row {
    uint64_t number; /* from 1 */
    double score;
    char *id; /* NULL where rows have no names */
    double *values;
} worst_row;

typedef struct worst_rows {
    worst_row *rows;
    size_t count, capacity;
    size_t n_features;
} worst_rows;

void worst_begin(worst_rows *worst, size_t capacity, size_t n_features);
void worst_add(worst_rows *worst, const frocc_rows *rows, size_t row, uint64_t number, double score,
               const char *id);
void worst_end(worst_rows *worst);

#endif
