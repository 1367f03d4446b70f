/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of results, written by the library as CSV, JSON lines or .npy, by the ending of the
 * file's name. Here its cells are handed over one by one, and failures end the command.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>

#include "frocc_io.h"

typedef struct cli_table cli_table;

/* A path of NULL or "-" is CSV to standard output. */
cli_table *table_open(const char *path, const frocc_table_column *columns, size_t n_columns,
                      bool no_formulas);

/* For commands that write texts of the data; whoever has it asks argument_given for it. */
#define NO_FORMULAS_OPTION                                                                         \
    { "no-formulas", 0, NULL, "CSV: a ' before texts that a spreadsheet would compute" }

/* The values of a row in the order of the columns. A text must stay until the row is complete. */
void table_real(cli_table *table, double value);
void table_whole(cli_table *table, int64_t value);
void table_text(cli_table *table, const char *text);

/* What standard output is to show now, as the next row may be long in coming. */
void table_flush(cli_table *table);

/* Gives the file its name and frees. */
void table_finish(cli_table *table);

/* Whether a path ends like this; never for NULL. */
bool ends_with(const char *path, const char *ending);

/* Whether a table of this path is written as JSON lines, or as an array. */
bool table_is_json(const char *path);
bool table_is_array(const char *path);

/* Whether this ending is one that table_open knows, and the file can be written; dies when not. */
void table_check_path(const char *path);

#endif
