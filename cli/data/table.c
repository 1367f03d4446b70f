/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/message.h"

struct cli_table {
    frocc_writer *writer;
    frocc_cell *cells; /* of the row under way */
    size_t next, n_columns;
    size_t guard;
};

bool ends_with(const char *path, const char *ending) {
    size_t length = path ? strlen(path) : 0;
    return length >= strlen(ending) && !strcmp(path + length - strlen(ending), ending);
}

/* A pipe or a device, which has no ending, gets CSV. */
static frocc_format format_of(const char *path) {
    bool special = !path || !strcmp(path, "-") || !strncmp(path, "/dev/", 5);
    frocc_format format = ends_with(path, ".jsonl")            ? FROCC_FORMAT_JSONL
                          : ends_with(path, ".npy")            ? FROCC_FORMAT_NPY
                          : special || ends_with(path, ".csv") ? FROCC_FORMAT_CSV
                                                               : FROCC_FORMAT_AUTO;
    if (format == FROCC_FORMAT_AUTO) {
        die(EXIT_MISUSE, "'%s': the ending says the format; expected .csv, .jsonl or .npy", path);
    }
    return format;
}

bool table_is_array(const char *path) {
    return ends_with(path, ".npy") && format_of(path) == FROCC_FORMAT_NPY;
}

bool table_is_json(const char *path) {
    return ends_with(path, ".jsonl") && format_of(path) == FROCC_FORMAT_JSONL;
}

void table_check_path(const char *path) {
    format_of(path);
    check_writable(path);
}

/* A reader that has seen enough is no failure to talk about. */
static void check_written(frocc_status status) {
    if (status == FROCC_ERR_IO && errno == EPIPE) {
        exit(EXIT_FAILED);
    }
    check(status, NULL);
}

cli_table *table_open(const char *path, const frocc_table_column *columns, size_t n_columns,
                      bool no_formulas) {
    frocc_writer_options options;
    frocc_writer_options_init(&options);
    options.format = format_of(path);
    options.no_formulas = no_formulas;
    cli_table *table = must_allocate(1, sizeof *table);
    frocc_status status =
        frocc_writer_open_table(path ? path : "-", columns, n_columns, &options, &table->writer);
    if (status == FROCC_ERR_UNSUPPORTED) {
        die(EXIT_MISUSE, "%s", frocc_last_error());
    }
    check(status, NULL);
    table->guard = guard_file(frocc_writer_temporary(table->writer));
    table->n_columns = n_columns;
    table->cells = must_allocate(n_columns, sizeof *table->cells);
    return table;
}

static void add(cli_table *table, frocc_cell cell) {
    table->cells[table->next++] = cell;
    if (table->next == table->n_columns) {
        table->next = 0;
        check_written(frocc_writer_add_cells(table->writer, table->cells));
    }
}

void table_real(cli_table *table, double value) {
    add(table, (frocc_cell){.real = value});
}

void table_whole(cli_table *table, int64_t value) {
    add(table, (frocc_cell){.whole = value});
}

void table_text(cli_table *table, const char *text) {
    add(table, (frocc_cell){.text = text});
}

void table_flush(cli_table *table) {
    check_written(frocc_writer_flush(table->writer));
}

void table_finish(cli_table *table) {
    check_written(frocc_writer_finish(table->writer));
    release_file(table->guard);
    frocc_writer_free(table->writer);
    free(table->cells);
    free(table);
}
