/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A table of results, written by the library as CSV, JSON lines or .npy, by the ending of the
 * file's name. Here its cells are handed over one by one, and failures end the command.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdbool.h>

#include "arguments/options.h"
#include "frocc_io.h"

typedef struct cli_table cli_table;

/* Where --output says; without, to standard output. */
cli_table *table_open(const cli_arguments *arguments, const frocc_table_column *columns,
                      size_t n_columns, frocc_in_place in_place);

/* For commands that write such a table; the second for those that write texts of the data. */
#define OUTPUT_FORMAT_OPTION                                                                       \
    { "output-format", 0, "csv|jsonl", "Its format, whatever it is called; also of -o -" }
#define NO_FORMULAS_OPTION                                                                         \
    { "no-formulas", 0, NULL, "CSV: a ' before texts that a spreadsheet would compute" }

/* The values of a row in the order of the columns. A text must stay until the row is complete. */
void table_real(cli_table *table, double value);
void table_whole(cli_table *table, int64_t value);
void table_text(cli_table *table, const char *text);

/* What standard output, or a file in place, is to have now: the next row may be long in coming. */
void table_flush(cli_table *table);

/* Gives the file its name and frees. */
void table_finish(cli_table *table);

/* Whether a path ends like this; never for NULL. */
bool ends_with(const char *path, const char *ending);

/* The format that a table will have; dies where the ending of --output is not known, or, for the
 * second, where the file cannot be written. */
frocc_format table_format(const cli_arguments *arguments);
bool table_is_json(const cli_arguments *arguments);
void table_check_output(const cli_arguments *arguments);

#endif
