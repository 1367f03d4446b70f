/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A rising list without duplicates; the caller frees. */
static double *sorted(const double *values, size_t *count) {
    double *list = must_allocate(*count, sizeof *list);
    memcpy(list, values, *count * sizeof *list);
    qsort(list, *count, sizeof *list, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (!kept || list[i] != list[kept - 1]) {
            list[kept++] = list[i];
        }
    }
    *count = kept;
    return list;
}

static size_t cells_of_epsilon(const cli_grid *grid) {
    return grid->starts[grid->n_ms];
}

void grid_begin(cli_grid *grid, const double *epsilons, size_t n_epsilons, const double *ms,
                size_t n_ms) {
    *grid = (cli_grid){0};
    double *rising_epsilons = sorted(epsilons, &n_epsilons);
    double *rising_ms = sorted(ms, &n_ms);
    grid->n_epsilons = n_epsilons;
    grid->n_ms = n_ms;
    grid->epsilons = must_allocate(n_epsilons, sizeof *grid->epsilons);
    grid->ms = must_allocate(n_ms, sizeof *grid->ms);
    grid->starts = must_allocate(n_ms + 1, sizeof *grid->starts);
    for (size_t e = 0; e < n_epsilons; e++) {
        grid->epsilons[e] = (float)rising_epsilons[e];
    }
    for (size_t i = 0; i < n_ms; i++) {
        grid->ms[i] = (uint32_t)rising_ms[i];
        grid->starts[i + 1] = grid->starts[i] + 2 * ((size_t)grid->ms[i] + 1);
    }
    grid->tallies = must_allocate(n_epsilons * cells_of_epsilon(grid), sizeof *grid->tallies);
    free(rising_epsilons);
    free(rising_ms);
}

void grid_end(cli_grid *grid) {
    free(grid->epsilons);
    free(grid->ms);
    free(grid->starts);
    free(grid->tallies);
    free(grid->counts);
}

void grid_clear(cli_grid *grid) {
    memset(grid->tallies, 0, grid->n_epsilons * cells_of_epsilon(grid) * sizeof *grid->tallies);
}

static uint64_t *cell(const cli_grid *grid, size_t epsilon, size_t m) {
    return grid->tallies + epsilon * cells_of_epsilon(grid) + grid->starts[m];
}

void grid_add(cli_grid *grid, frocc_scorer *scorer, const frocc_rows *rows,
              const uint8_t *classes) {
    size_t per_row = grid->n_epsilons * grid->n_ms;
    if (rows->n_rows > grid->capacity) {
        grid->capacity = rows->n_rows;
        grid->counts = must_resize(grid->counts, grid->capacity * per_row, sizeof *grid->counts);
    }
    check(frocc_scorer_grid(scorer, rows, grid->epsilons, grid->n_epsilons, grid->ms, grid->n_ms,
                            grid->counts),
          NULL);
    const uint32_t *count = grid->counts;
    for (size_t row = 0; row < rows->n_rows; row++) {
        for (size_t e = 0; e < grid->n_epsilons; e++) {
            for (size_t i = 0; i < grid->n_ms; i++) {
                cell(grid, e, i)[2 * (size_t)*count++ + classes[row]]++;
            }
        }
    }
}

measures grid_measure(const cli_grid *grid, size_t epsilon, size_t m, size_t outlier,
                      double threshold) {
    const uint64_t *counts = cell(grid, epsilon, m);
    cli_tally tally = {0};
    for (size_t accepted = 0; accepted <= grid->ms[m]; accepted++) {
        tally_add(&tally, (double)accepted / (double)grid->ms[m],
                  (double)counts[2 * accepted + !outlier], (double)counts[2 * accepted + outlier]);
    }
    tally_settle(&tally);
    measures result = measure(&tally, threshold);
    tally_free(&tally);
    return result;
}
