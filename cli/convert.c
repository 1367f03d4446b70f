/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc convert: data from any format that can be read to any that can be written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "data.h"
#include "message.h"
#include "output.h"
#include "table.h"

/* ---- Tables: CSV, JSON lines, .npy
 * ------------------------------------------------------------------ */

/* A header of bare numbers would be read as a row of data. */
static char *column_name(const frocc_schema *schema, size_t feature) {
    char *name = data_feature_name(schema, feature);
    if (strspn(name, "0123456789") == strlen(name)) {
        size_t length = strlen(name);
        name = must_resize(name, length + 2, 1);
        memmove(name + 1, name, length + 1);
        name[0] = 'x';
    }
    return name;
}

static cli_table *open_table(const char *path, const cli_data *data, const char *label,
                             const char *id) {
    size_t n_columns = 0;
    cli_column *columns = must_allocate(data->n_features + 2, sizeof *columns);
    char **names = must_allocate(data->n_features, sizeof *names);
    if (data->has_ids) {
        columns[n_columns++] = (cli_column){id, COLUMN_TEXT, true};
    }
    for (size_t j = 0; j < data->n_features; j++) {
        names[j] = column_name(data->schema, j);
        columns[n_columns++] = (cli_column){names[j], COLUMN_REAL, false};
    }
    if (data->labelled) {
        columns[n_columns++] = (cli_column){label, COLUMN_TEXT, true};
    }
    cli_table *table = table_open(path, columns, n_columns);
    for (size_t j = 0; j < data->n_features; j++) {
        free(names[j]);
    }
    free(names);
    free(columns);
    return table;
}

static uint64_t convert_to_table(const cli_arguments *arguments, cli_data *data, const char *path) {
    const char *label = argument_text(arguments, "label");
    double *values = must_allocate(data->n_features, sizeof *values);
    frocc_block block;
    bool more = data_next(data, &block);
    cli_table *table =
        open_table(path, data, label ? label : "label", argument_text(arguments, "id"));
    uint64_t n_rows = 0;
    for (; more; more = data_next(data, &block)) {
        for (size_t row = 0; row < block.rows.n_rows; row++) {
            row_copy(&block.rows, row, values);
            if (data->has_ids) {
                table_text(table, block.ids[row], strlen(block.ids[row]));
            }
            for (size_t j = 0; j < data->n_features; j++) {
                table_real(table, values[j]);
            }
            if (data->labelled) {
                table_text(table, block.labels[row], strlen(block.labels[row]));
            }
        }
        n_rows += block.rows.n_rows;
    }
    table_finish(table);
    free(values);
    return n_rows;
}

/* ---- LIBSVM and raw float32
 * --------------------------------------------------------------------------- */

static void write_libsvm_entry(cli_output *output, size_t feature, double value) {
    if (value != 0) {
        char *room = output_room(output, 2 * FROCC_NUMBER_SIZE + 2);
        size_t length = 0;
        room[length++] = ' ';
        length += print_whole((int64_t)feature + 1, room + length);
        room[length++] = ':';
        length += frocc_print_f64(value, room + length);
        output_filled(output, length);
    }
}

/* Sparse rows are written as they come; what they do not name is never touched. */
static void write_libsvm_row(cli_output *output, const char *label, const frocc_rows *rows,
                             size_t row) {
    output_text(output, label);
    size_t first = rows->row_start ? (size_t)rows->row_start[row] : row * rows->row_stride;
    size_t count = rows->row_start ? (size_t)rows->row_start[row + 1] - first : rows->n_features;
    for (size_t i = 0; i < count; i++) {
        size_t feature = rows->row_start ? (size_t)rows->columns[first + i] : i;
        write_libsvm_entry(output, feature, row_value(rows, first + i));
    }
    output_text(output, "\n");
}

static void write_raw_row(cli_output *output, const double *values, size_t n_features) {
    for (size_t j = 0; j < n_features; j++) {
        float value = (float)values[j];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        unsigned char bytes[4] = {(unsigned char)bits, (unsigned char)(bits >> 8),
                                  (unsigned char)(bits >> 16), (unsigned char)(bits >> 24)};
        output_write(output, bytes, 4);
    }
}

static uint64_t convert_to_rows(cli_data *data, const char *path, bool libsvm) {
    cli_output *output = output_open(path);
    double *values = must_allocate(data->n_features, sizeof *values);
    frocc_block block;
    uint64_t n_rows = 0;
    while (data_next(data, &block)) {
        for (size_t row = 0; row < block.rows.n_rows; row++) {
            if (libsvm) {
                write_libsvm_row(output, data->labelled ? block.labels[row] : "0", &block.rows,
                                 row);
            } else {
                row_copy(&block.rows, row, values);
                write_raw_row(output, values, data->n_features);
            }
        }
        n_rows += block.rows.n_rows;
    }
    output_finish(output);
    free(values);
    return n_rows;
}

/* ---- The command
 * ---------------------------------------------------------------------------------------- */

static int run_convert(const cli_arguments *arguments) {
    const char *path = argument_text(arguments, "output");
    bool libsvm = ends_with(path, ".libsvm") || ends_with(path, ".svm");
    bool raw = ends_with(path, ".f32");
    if (!libsvm && !raw) {
        table_check_path(path);
    }
    cli_data data;
    data_open(arguments, arguments->operands, arguments->n_operands, NULL, 1, LABEL_IF_GIVEN,
              &data);
    uint64_t n_rows = libsvm || raw ? convert_to_rows(&data, path, libsvm)
                                    : convert_to_table(arguments, &data, path);
    if (arguments->verbosity > 0) {
        note("wrote %llu rows of %zu features", (unsigned long long)n_rows, data.n_features);
    }
    data_close(&data);
    return EXIT_FINE;
}

static const cli_option convert_table[] = {
    {"output", 'o', "FILE", "Write to this file: .csv, .jsonl, .npy, .libsvm or .f32"},
    {0},
};
static const cli_option_group convert_options = {"Options", convert_table};

const cli_command command_convert = {
    .name = "convert",
    .operands = "DATA...",
    .summary = "Rewrite data in another format",
    .details = "Writes the features as the library sees them: text columns as one column for each "
               "of their values, missing cells treated as asked. Labels and names of rows are kept "
               "where the format has a place for them.",
    .example = "frocc convert normal.csv -o normal.npy\n"
               "frocc convert matrix.npz --array X -o matrix.csv",
    .groups = {&convert_options, &data_options, &common_options},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run_convert,
};
