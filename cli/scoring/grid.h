/* SPDX-License-Identifier: BSD-3-Clause */
/* Every (epsilon, m) judged on labelled rows, from one fit and one pass over the rows. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "frocc.h"
#include "scoring/measure.h"

typedef struct cli_grid {
    float *epsilons; /* rising */
    size_t n_epsilons;
    uint32_t *ms; /* rising */
    size_t n_ms;
    uint64_t *tallies; /* of each cell, m + 1 scores of two classes */
    size_t *starts;    /* of the cells of an epsilon in tallies */
    uint32_t *counts;  /* of a block of rows */
    size_t capacity;
} cli_grid;

/* The lists are copied, sorted and freed of duplicates. */
void grid_begin(cli_grid *grid, const double *epsilons, size_t n_epsilons, const double *ms,
                size_t n_ms);
void grid_end(cli_grid *grid);

/* classes has a 0 or 1 for each row. */
void grid_add(cli_grid *grid, frocc_scorer *scorer, const frocc_rows *rows, const uint8_t *classes);

/* Takes class outlier for the outliers; the tallies start anew with grid_clear. */
measures grid_measure(const cli_grid *grid, size_t epsilon, size_t m, size_t outlier,
                      double threshold);
void grid_clear(cli_grid *grid);

#endif
