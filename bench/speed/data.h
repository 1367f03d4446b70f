/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows to fit and rows to score: from files of raw float32, or made here. */
#ifndef FROCC_BENCH_DATA_H
#define FROCC_BENCH_DATA_H

#include <stdbool.h>

#include "frocc.h"

typedef struct shape {
    size_t n, d;
    const char *kind;    /* gaussian; clusters: twelve far ones, half of the queries between them;
                            sparse: Gaussian values in CSR */
    double density;      /* sparse: the share of features that a row names */
    const char *rows;    /* files of n x d values; NULL: made here */
    const char *queries; /* the same; both or none */
} shape;

typedef struct data {
    frocc_rows rows, queries; /* n each */
} data;

/* False, after a message, when a file or memory cannot be had. */
bool data_make(const shape *what, data *out);
void data_free(data *old);

/* Writes the bytes as a file; false, after a message, when it cannot. */
bool data_save(const void *bytes, size_t size, const char *path);

#endif
