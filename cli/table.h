/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of results, written row by row as CSV, JSON lines or .npy, by the ending of the file's
 * name. Numbers are printed so that they read back as exactly the same value.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frocc_io.h"

typedef struct cli_table cli_table;

typedef enum column_kind { COLUMN_REAL, COLUMN_WHOLE, COLUMN_TEXT } column_kind;

typedef struct cli_column {
    const char *name;
    column_kind kind;
    bool aside; /* left out of an .npy file, which holds numbers of one type; text always is */
} cli_column;

/* The columns and their names are copied. A path of NULL or "-" is CSV to standard output. */
cli_table *table_open(const char *path, const cli_column *columns, size_t n_columns);

/* The values of a row in the order of the columns. A NaN is an empty cell, null in JSON. */
void table_real(cli_table *table, double value);
void table_whole(cli_table *table, int64_t value);
void table_text(cli_table *table, const char *text, size_t length);

/* Flushes, gives the file its name and frees. */
void table_finish(cli_table *table);

/* Whether a path ends like this; never for NULL. */
bool ends_with(const char *path, const char *ending);

/* Whether this ending is one that table_open knows; dies of misuse when not. */
void table_check_path(const char *path);

/* Digits without a final zero byte; returns how many. */
size_t print_whole(int64_t value, char out[FROCC_NUMBER_SIZE]);

#endif
