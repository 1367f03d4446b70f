/* SPDX-License-Identifier: BSD-3-Clause */
/* codes.h - rows of codes and numbers, and their schema, without files. */
#ifndef FROCC_TESTS_CODES_H
#define FROCC_TESTS_CODES_H

#include "frocc_io.h"
#include "laws.h"
#include "reseal.h"

/* A schema of nameless columns: t is of texts, of which it knows the empty one, n of numbers. */
static inline frocc_schema *schema_of(const char *kinds) {
    enum { HEAD = 24, KIND = 1, COLUMN = 15, TEXT = 12 };
    const size_t n = strlen(kinds);
    unsigned char *bytes = NEW(unsigned char, HEAD + n * (COLUMN + TEXT)), *at = bytes + HEAD;
    frocc_schema *schema = NULL;

    memset(bytes, 0, HEAD + n * (COLUMN + TEXT));
    bytes[0] = 2; /* its version */
    bytes[7] = 2; /* columns are told one by one */
    model_put(bytes + 8, n, 8);
    model_put(bytes + 16, n, 8);
    for (size_t i = 0; i < n; i++) {
        at[KIND] = kinds[i] == 't';
        at[COLUMN - 4] = kinds[i] == 't';
        at += COLUMN + (kinds[i] == 't' ? TEXT : 0);
    }
    check_ok(frocc_schema_from_bytes(bytes, (size_t)(at - bytes), &schema));
    free(bytes);
    return schema;
}

#define CODED "ntntt"
#define CODED_COLUMNS 5

/* Rows of two numbers, and of texts of 3, 40 and very many values; the second number goes with the
 * first text. */
static inline data coded_rows(rng *r, size_t n) {
    data x = {n, CODED_COLUMNS, NEW(double, n *CODED_COLUMNS), NEW(float, n *CODED_COLUMNS)};

    for (size_t i = 0; i < n; i++) {
        const size_t kind = rng_below(r, 3);
        double *row = x.f64 + i * CODED_COLUMNS;
        row[0] = (double)(float)rng_normal(r);
        row[1] = (double)(1000 + kind * 77777);
        row[2] = (double)(float)((double)kind * 10 + rng_normal(r));
        row[3] = (double)(rng_below(r, 40) * rng_below(r, 40) % 40 * 1234 + kind);
        row[4] = (double)rng_below(r, 1 << 24);
        for (size_t j = 0; j < CODED_COLUMNS; j++)
            x.f32[i * CODED_COLUMNS + j] = (float)row[j];
    }
    return x;
}

#endif
