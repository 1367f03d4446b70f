/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

/* JSON lines and whoever reads by name know only one column of a name. */
static void add_carried(const char *name, frocc_cell_kind kind, frocc_table_column *columns,
                        size_t n_columns, const frocc_table_column *results, size_t n_results) {
    columns[n_columns] = (frocc_table_column){name, kind, true};
    for (size_t i = 0; i < n_columns + n_results; i++) {
        const char *other = i < n_columns ? columns[i].name : results[i - n_columns].name;
        if (!strcmp(name, other)) {
            die(EXIT_MISUSE,
                "--columns %s: the output has a column '%s' of its own; rename it in the "
                "data",
                name, name);
        }
    }
}

/* An array has numbers only: says what was asked for and is not in it. */
static void note_left_out(const frocc_table_column *columns, size_t n_columns) {
    for (size_t i = 0; i < n_columns; i++) {
        if (columns[i].is_aside) {
            note("an array holds numbers, and has no column '%s'; .csv and .jsonl files have it",
                 columns[i].name);
        }
    }
}

cli_table *results_open(const cli_arguments *arguments, const cli_data *data,
                        const frocc_table_column *front, size_t n_front,
                        const frocc_table_column *results, size_t n_results,
                        frocc_in_place in_place) {
    size_t n_columns = n_front;
    frocc_table_column *columns =
        must_allocate(n_front + 1 + data->n_carried + n_results, sizeof *columns);
    if (n_front) {
        memcpy(columns, front, n_front * sizeof *front);
    }
    if (data->has_ids) {
        columns[n_columns++] = (frocc_table_column){"id", FROCC_CELL_TEXT, true};
    }
    for (size_t i = 0; i < data->n_carried; i++) {
        add_carried(frocc_reader_carried_name(data->reader, i), data->carried_kind, columns,
                    n_columns++, results, n_results);
    }
    for (size_t i = 0; i < n_results; i++) {
        columns[n_columns++] = results[i];
    }
    cli_table *table = table_open(arguments, columns, n_columns, in_place);
    if (table_format(arguments) == FROCC_FORMAT_NPY && data->verbosity >= 0) {
        note_left_out(columns, n_columns);
    }
    free(columns);
    return table;
}

void results_names(cli_table *table, const cli_data *data, const char *id,
                   const char *const *carried) {
    const char *none = data->carried_kind == FROCC_CELL_JSON ? "null" : "";
    if (data->has_ids) {
        table_text(table, id ? id : "");
    }
    for (size_t i = 0; i < data->n_carried; i++) {
        table_text(table, carried ? carried[i] : none);
    }
}
