/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Toy sets: rows that are a pure function of (kind, seed, row number), so that any part of a set
 * can be made anywhere, with the same bits on every machine.
 */
#ifndef CLI_TOY_H
#define CLI_TOY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum toy_kind { TOY_GAUSSIANS, TOY_MOONS, TOY_RING, TOY_UNIFORM, N_TOY_KINDS } toy_kind;

extern const char *const toy_names[N_TOY_KINDS];

typedef struct cli_toy {
    toy_kind kind;
    size_t n_features;
    uint64_t seed;
    double outliers; /* share of rows that are not of the set, 0 to 1 */
} cli_toy;

/* Writes one row of values with six decimals; true when it is an outlier. */
bool toy_row(const cli_toy *toy, uint64_t row, double *values);

/* The square (cube, ...) that outliers are drawn from, in this feature. */
void toy_box(const cli_toy *toy, size_t feature, double *low, double *high);

/* The fewest features that the kind makes sense with. */
size_t toy_min_features(toy_kind kind);

#endif
