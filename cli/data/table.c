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

static bool is_special(const char *path) {
    return !path || !strcmp(path, "-") || !strncmp(path, "/dev/", 5);
}

/* By --output-format, else by the ending; a pipe or a device, which has none, gets CSV. */
static frocc_format find_format(const cli_arguments *arguments) {
    static const struct {
        const char *ending;
        frocc_format format;
    } endings[] = {{".csv", FROCC_FORMAT_CSV},      {".csv.gz", FROCC_FORMAT_CSV},
                   {".jsonl", FROCC_FORMAT_JSONL},  {".jsonl.gz", FROCC_FORMAT_JSONL},
                   {".ndjson", FROCC_FORMAT_JSONL}, {".ndjson.gz", FROCC_FORMAT_JSONL},
                   {".json", FROCC_FORMAT_JSONL},   {".json.gz", FROCC_FORMAT_JSONL},
                   {".npy", FROCC_FORMAT_NPY}};
    const char *path = argument_text(arguments, "output");
    if (argument_given(arguments, "output-format")) {
        return argument_choice(arguments, "output-format", 0) == 0 ? FROCC_FORMAT_CSV
                                                                   : FROCC_FORMAT_JSONL;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (ends_with(path, endings[i].ending)) {
            return endings[i].format;
        }
    }
    return is_special(path) ? FROCC_FORMAT_CSV : FROCC_FORMAT_AUTO;
}

frocc_format table_format(const cli_arguments *arguments) {
    const frocc_format format = find_format(arguments);
    if (format == FROCC_FORMAT_AUTO) {
        die(EXIT_MISUSE, "'%s': the ending says the format; expected .csv, .jsonl or .npy",
            argument_text(arguments, "output"));
    }
    return format;
}

bool table_is_json(const cli_arguments *arguments) {
    return find_format(arguments) == FROCC_FORMAT_JSONL;
}

void table_check_output(const cli_arguments *arguments) {
    table_format(arguments);
    check_writable(argument_text(arguments, "output"));
}

/* A reader that has seen enough is no failure to talk about. */
static void check_written(frocc_status status) {
    if (status == FROCC_ERR_IO && errno == EPIPE) {
        exit(EXIT_FAILED);
    }
    check(status, NULL);
}

cli_table *table_open(const cli_arguments *arguments, const frocc_table_column *columns,
                      size_t n_columns, frocc_in_place in_place) {
    frocc_writer_options options;
    const char *path = argument_text(arguments, "output");
    frocc_writer_options_init(&options);
    options.format = table_format(arguments);
    options.no_formulas = argument_given(arguments, "no-formulas");
    options.in_place = in_place;
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
