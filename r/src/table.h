/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of R's as a table of the library's. */
#ifndef FROCC_R_TABLE_H
#define FROCC_R_TABLE_H

#include "glue.h"

typedef struct r_column {
    const double *reals; /* one of these two: the values, as R keeps them */
    const int *whole;
    double per_second;      /* of times */
    const int *ahead;       /* by how many seconds their clock is; NULL: its zone is not known */
    const char *texts;      /* of factors: the levels, */
    const int64_t *offsets; /* where each begins, */
    size_t n_texts;         /* and how many there are */
    void *room;             /* for a batch of converted values */
    unsigned char *missing; /* which of them are */
} r_column;

typedef struct r_table {
    r_rows *rows;
    r_column *columns;
    frocc_field *fields;
    size_t n_fields, n_rows;
    size_t next; /* the first row of the next batch */
} r_table;

/*
 * columns is a matrix, or a list of vectors of n_rows values: numbers, factors, or doubles with an
 * attribute per_second, which are times in seconds, and an attribute ahead where they have a zone.
 * The memory is R's until the call ends.
 */
frocc_table table_open(SEXP columns, SEXP names, size_t n_rows, r_rows *rows);

#endif
