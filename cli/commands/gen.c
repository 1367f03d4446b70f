/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc gen: toy sets of any size, the same everywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "base/message.h"
#include "data/table.h"
#include "data/toy.h"
#include "frocc_io.h"

static toy_kind kind_of(const char *name) {
    for (int kind = 0; kind < N_TOY_KINDS; kind++) {
        if (!strcmp(toy_names[kind], name)) {
            return (toy_kind)kind;
        }
    }
    die(EXIT_MISUSE, "there is no toy set '%s'; expected gaussians, moons, ring or uniform", name);
}

static cli_table *open_table(const cli_arguments *arguments, size_t n_features, bool labelled) {
    frocc_table_column *columns = must_allocate(n_features + 1, sizeof *columns);
    char(*names)[24] = must_allocate(n_features + 1, sizeof *names);
    for (size_t j = 0; j < n_features; j++) {
        snprintf(names[j], sizeof names[j], "x%zu", j + 1);
        columns[j] = (frocc_table_column){names[j], FROCC_CELL_REAL, false};
    }
    columns[n_features] = (frocc_table_column){"label", FROCC_CELL_WHOLE, false};
    cli_table *table = table_open(arguments, columns, n_features + labelled, FROCC_NOT_IN_PLACE);
    free(names);
    free(columns);
    return table;
}

static int run_gen(const cli_arguments *arguments) {
    cli_toy toy = {.kind = kind_of(arguments->operands[0])};
    uint64_t n_rows = argument_count(arguments, "rows", 1000, 1, UINT64_MAX);
    toy.n_features = argument_count(arguments, "features", 2, toy_min_features(toy.kind), 1 << 20);
    toy.seed = argument_count(arguments, "seed", 0, 0, UINT64_MAX);
    toy.outliers = argument_number(arguments, "outliers", 0, 0, 1);
    bool labelled = argument_given(arguments, "label");
    double *values = must_allocate(toy.n_features, sizeof *values);
    cli_table *table = open_table(arguments, toy.n_features, labelled);
    for (uint64_t row = 0; row < n_rows; row++) {
        bool outlier = toy_row(&toy, row, values);
        for (size_t j = 0; j < toy.n_features; j++) {
            table_real(table, values[j]);
        }
        if (labelled) {
            table_whole(table, outlier);
        }
    }
    table_finish(table);
    free(values);
    return EXIT_FINE;
}

static const cli_option gen_table[] = {
    {"rows", 'n', "N", "Number of rows; 1000 by default"},
    {"features", 'd', "D", "Number of features; 2 by default"},
    {"seed", 0, "S", "Which rows to draw; 0 by default"},
    {"outliers", 0, "SHARE", "Share of rows that are outliers, 0 to 1; 0 by default"},
    {"label", 0, NULL, "Add a last column, label: 1 for an outlier, 0 for a normal row"},
    {"output", 'o', "FILE", "Write to this file: .csv, .jsonl or .npy by its ending"},
    {0},
};
static const cli_option_group gen_options = {"Options", gen_table};

const cli_command command_gen = {
    .name = "gen",
    .operands = "KIND",
    .summary = "Generate a toy set",
    .details = "KIND is gaussians (three clusters), moons (two half circles), ring (a circle) or "
               "uniform (a cube). Outliers are drawn evenly from a box around the set, away from "
               "where its normal rows live. The same options give the same rows on every machine.",
    .example = "frocc gen moons -n 1000 --seed 7 -o moons.csv\n"
               "frocc gen gaussians -n 500 -d 8 --outliers 0.1 --label -o labelled.csv",
    .groups = {&gen_options, &common_options},
    .min_operands = 1,
    .max_operands = 1,
    .run = run_gen,
};
