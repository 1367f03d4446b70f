/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc convert: data from any format that can be read to any that can be written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "data/data.h"
#include "data/table.h"

/* What the writer knows by its ending; a pipe or device gets CSV. */
static void check_path(const char *path) {
    static const char *const endings[] = {".csv", ".tsv", ".tab",    ".jsonl", ".npy",
                                          ".svm", ".f32", ".libsvm", ".raw",   ".svmlight"};
    check_writable(path);
    bool known = !strcmp(path, "-") || !strncmp(path, "/dev/", 5);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        known = known || ends_with(path, endings[i]);
    }
    if (!known) {
        die(EXIT_MISUSE,
            "'%s': the ending says the format; expected .csv, .tsv, .jsonl, .npy, .libsvm or .f32",
            path);
    }
}

/* A header of bare numbers would be read as a row of data. */
static char *column_name(const frocc_schema *schema, size_t feature) {
    char *name = data_feature_name(schema, feature);
    size_t length = strlen(name);
    if (strspn(name, "0123456789") == length) {
        name = must_resize(name, length + 2, 1);
        memmove(name + 1, name, length + 1);
        name[0] = 'x';
    }
    return name;
}

/* The names that the columns of labels and ids have, where they have some. */
static void name_the_others(const frocc_schema *schema, frocc_writer_options *options) {
    frocc_column_info info = {.struct_size = sizeof info};
    for (size_t column = 0; column < frocc_schema_columns(schema); column++) {
        check(frocc_schema_column(schema, column, &info), NULL);
        options->label_name = info.is_label ? info.name : options->label_name;
        options->id_name = info.is_id ? info.name : options->id_name;
    }
}

/* Single precision stays what it is. */
static frocc_writer *open_writer(const char *path, const cli_data *data, frocc_dtype dtype,
                                 bool no_formulas) {
    frocc_writer_options options;
    frocc_writer_options_init(&options);
    char **names = must_allocate(data->n_features, sizeof *names);
    for (size_t j = 0; j < data->n_features; j++) {
        names[j] = column_name(data->schema, j);
    }
    options.names = (const char *const *)names;
    options.dtype = dtype;
    options.no_formulas = no_formulas;
    name_the_others(data->schema, &options);
    frocc_writer *writer;
    check(frocc_writer_open(path, data->n_features, &options, &writer), NULL);
    for (size_t j = 0; j < data->n_features; j++) {
        free(names[j]);
    }
    free(names);
    return writer;
}

static int run_convert(const cli_arguments *arguments) {
    const char *path = argument_text(arguments, "output");
    path = path ? path : "-";
    check_path(path);
    cli_data data;
    data_open(arguments, arguments->operands, arguments->n_operands, NULL, 1, LABEL_IF_GIVEN,
              &data);
    frocc_block block;
    bool more = data_next(&data, &block);
    frocc_writer *writer =
        open_writer(path, &data, block.rows.dtype, argument_given(arguments, "no-formulas"));
    size_t guard = guard_file(frocc_writer_temporary(writer));
    uint64_t n_rows = 0;
    for (; more; more = data_next(&data, &block)) {
        check(frocc_writer_add(writer, &block), NULL);
        n_rows += block.rows.n_rows;
    }
    check(frocc_writer_finish(writer), NULL);
    release_file(guard);
    frocc_writer_free(writer);
    if (arguments->json) {
        fprintf(summary_stream(arguments), "{\"rows\":%llu,\"features\":%zu}\n",
                (unsigned long long)n_rows, data.n_features);
    } else if (arguments->verbosity > 0) {
        note("wrote %llu rows of %zu features", (unsigned long long)n_rows, data.n_features);
    }
    data_close(&data);
    return EXIT_FINE;
}

static const cli_option convert_table[] = {
    {"output", 'o', "FILE", "Write to this file: .csv, .tsv, .jsonl, .npy, .libsvm or .f32"},
    NO_FORMULAS_OPTION,
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
