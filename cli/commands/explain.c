/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc explain: why rows were rejected. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "data/model_io.h"
#include "scoring/blame.h"
#include "scoring/live.h"
#include "scoring/scoring.h"
#include "scoring/words.h"

enum { MOST_PARTS = 1000 };

typedef struct cli_explanation {
    const cli_scoring *scoring;
    cli_table *table;
    cli_blame blame;
    size_t n_directions, n_features; /* to be named for a row */
    size_t indices[MOST_PARTS];
} cli_explanation;

static void write_part(cli_explanation *explanation, const worst_row *row, const char *part,
                       const char *name, double weight, double value, double better,
                       const char *reason) {
    cli_table *table = explanation->table;
    table_whole(table, (int64_t)row->number);
    if (explanation->scoring->data.has_ids) {
        table_text(table, row->id);
    }
    table_real(table, row->score);
    table_text(table, part);
    table_text(table, name);
    table_real(table, weight);
    table_real(table, value);
    table_real(table, better);
    table_text(table, reason);
}

/* Four significant digits: an explanation, not a measurement. A whole number stays one. */
static double short_number(double value) {
    char text[32];
    if (value == round(value) && fabs(value) < 1e15) {
        return value;
    }
    snprintf(text, sizeof text, "%.4g", value);
    return strtod(text, NULL);
}

/* Returns how many parts the explanation has. */
static size_t explain_row(cli_explanation *explanation, const worst_row *row) {
    cli_blame *blame = &explanation->blame;
    blame_row(blame, row->values);
    size_t *indices = explanation->indices;
    size_t count = largest(blame->gains, blame->n_features, indices, explanation->n_features);
    for (size_t i = 0; i < count; i++) {
        shown_feature shown = show_feature(explanation->scoring->data.schema, indices[i],
                                           row->values + indices[i], blame->better + indices[i]);
        const frocc_reason reason = say_feature(blame->model, explanation->scoring->data.schema,
                                                NULL, indices[i], row->values, blame->better);
        write_part(explanation, row, "feature", shown.name, short_number(blame->gains[indices[i]]),
                   shown.value, short_number(shown.better), reason.sentence);
        free(shown.name);
    }
    size_t n_parts = count;
    count = largest(blame->distances, blame->n_directions, indices, explanation->n_directions);
    for (size_t i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", indices[i]);
        write_part(explanation, row, "direction", name, short_number(blame->distances[indices[i]]),
                   NAN, NAN, "");
    }
    return n_parts + count;
}

/* The numbers given with --rows, rising; NULL for the most rejected ones. */
static double *wanted_rows(const cli_arguments *arguments, size_t *count) {
    double *numbers = NULL;
    *count = argument_count(arguments, "top", 5, 1, 1000000);
    if (argument_given(arguments, "rows")) {
        *count = argument_numbers(arguments, "rows", "", 1, 9e15, &numbers);
    }
    return numbers;
}

static bool is_wanted(const double *numbers, size_t count, uint64_t number) {
    for (size_t i = 0; i < count; i++) {
        if (numbers[i] == (double)number) {
            return true;
        }
    }
    return false;
}

static cli_table *open_table(const cli_arguments *arguments, const cli_scoring *scoring) {
    static const frocc_table_column columns[] = {
        {"row", FROCC_CELL_WHOLE, false},   {"id", FROCC_CELL_TEXT, false},
        {"score", FROCC_CELL_REAL, false},  {"part", FROCC_CELL_TEXT, false},
        {"name", FROCC_CELL_TEXT, false},   {"weight", FROCC_CELL_REAL, false},
        {"value", FROCC_CELL_REAL, false},  {"better", FROCC_CELL_REAL, false},
        {"reason", FROCC_CELL_TEXT, false},
    };
    enum { N_COLUMNS = sizeof columns / sizeof *columns };
    frocc_table_column shown[N_COLUMNS] = {columns[0]};
    size_t n_shown = 1;
    for (size_t c = scoring->data.has_ids ? 1 : 2; c < N_COLUMNS; c++) {
        shown[n_shown++] = columns[c];
    }
    return table_open(arguments, shown, n_shown,
                      argument_given(arguments, "outliers") ? scoring_place(scoring)
                                                            : FROCC_NOT_IN_PLACE);
}

/* A line that is no row: its error stands where a feature's name would. */
static void write_error(cli_explanation *explanation, const cli_row *row) {
    const worst_row unread = {.number = row->number, .id = "", .score = NAN};
    if (explanation->scoring->bad_rows == BAD_ROWS_FLAG) {
        write_part(explanation, &unread, "error", row->error, NAN, NAN, NAN, "");
    }
}

static worst_row view_row(const cli_scoring *scoring, const cli_row *row, double *values) {
    const frocc_block *block = &scoring->block;
    row_copy(&block->rows, row->row, values);
    return (worst_row){.number = row->number,
                       .score = scoring->scores[row->row],
                       .id = scoring->data.has_ids ? (char *)(uintptr_t)block->ids[row->row] : NULL,
                       .values = values};
}

/* Those that were asked for, or else the most rejected of all, at the end. */
static void collect_rows(const cli_arguments *arguments, cli_explanation *explanation,
                         cli_scoring *scoring, worst_rows *worst) {
    size_t count;
    double *numbers = wanted_rows(arguments, &count);
    worst_begin(worst, count, scoring->info.n_features);
    while (scoring_next(scoring)) {
        const frocc_block *block = &scoring->block;
        cli_row row;
        while (scoring_step(scoring, &row)) {
            if (row.error) {
                write_error(explanation, &row);
            } else if (!numbers || is_wanted(numbers, count, row.number)) {
                worst_add(worst, &block->rows, row.row, row.number, scoring->scores[row.row],
                          scoring->data.has_ids ? block->ids[row.row] : NULL);
            }
        }
    }
    if (numbers && worst->count < count) {
        note("only %zu of the %zu rows asked for are there", worst->count, count);
    }
    free(numbers);
}

static void explain_worst(const cli_arguments *arguments, cli_explanation *explanation,
                          cli_scoring *scoring) {
    worst_rows worst;
    size_t n_empty = 0;
    collect_rows(arguments, explanation, scoring, &worst);
    blame_begin(scoring->model, scoring->scorer, &explanation->blame);
    for (size_t i = 0; i < worst.count; i++) {
        n_empty += explain_row(explanation, &worst.rows[i]) == 0;
    }
    blame_end(&explanation->blame);
    if (n_empty && arguments->verbosity >= 0) {
        note("%zu of the %zu rows are accepted by all directions: nothing speaks against them",
             n_empty, worst.count);
    }
    worst_end(&worst);
}

static frocc_status decide_run(cli_scoring *scoring, const frocc_rows *run, size_t first,
                               void *normal) {
    return frocc_scorer_decide(scoring->scorer, run, FROCC_OWN_THRESHOLD,
                               (uint8_t *)normal + first);
}

/* Each outlier as it comes, by the model that is there then. */
static void explain_outliers(cli_explanation *explanation, cli_scoring *scoring) {
    uint8_t *normal = NULL;
    double *values = NULL;
    while (scoring_next(scoring)) {
        const size_t n_rows = scoring->block.rows.n_rows;
        cli_row row;
        if (live_reopens(scoring->live)) {
            table_finish(explanation->table);
            scoring->has_begun = true;
            explanation->table = open_table(scoring->arguments, scoring);
        }
        normal = must_resize(normal, n_rows, 1);
        values = must_resize(values, scoring->info.n_features, sizeof *values);
        scoring_ask(scoring, decide_run, normal);
        blame_begin(scoring->model, scoring->scorer, &explanation->blame);
        while (scoring_step(scoring, &row)) {
            if (row.error) {
                write_error(explanation, &row);
            } else if (!normal[row.row]) {
                const worst_row odd = view_row(scoring, &row, values);
                explain_row(explanation, &odd);
            }
        }
        blame_end(&explanation->blame);
        table_flush(explanation->table);
    }
    free(normal);
    free(values);
}

static int run_explain(const cli_arguments *arguments) {
    const bool outliers = argument_given(arguments, "outliers");
    if (outliers && (argument_given(arguments, "top") || argument_given(arguments, "rows"))) {
        die(EXIT_MISUSE, "--outliers, --top and --rows each say which rows; give one of them");
    }
    if (argument_given(arguments, "lines")) {
        die(EXIT_MISUSE, "'frocc explain' names rows by their number; give --id, or --lines to "
                         "'frocc predict'");
    }
    table_check_output(arguments);
    cli_scoring scoring;
    scoring_open_rows(arguments, NULL, 0, &scoring);
    cli_explanation explanation = {
        .scoring = &scoring,
        .table = open_table(arguments, &scoring),
        .n_features = argument_count(arguments, "features", 3, 0, MOST_PARTS),
        .n_directions = argument_count(arguments, "leading", 3, 0, MOST_PARTS),
    };
    if (outliers) {
        explain_outliers(&explanation, &scoring);
    } else {
        scoring.keeps_model = true; /* values of rows are kept until the end */
        explain_worst(arguments, &explanation, &scoring);
    }
    table_finish(explanation.table);
    scoring_note_bad_rows(&scoring);
    const int status = scoring_end(&scoring);
    scoring_close(&scoring);
    end_if_stopped();
    return status;
}

static const cli_option explain_table[] = {
    {"top", 0, "N", "Explain the N rows with the lowest scores; 5 by default"},
    {"rows", 0, "NUMBERS", "Explain these rows instead, numbered from 1"},
    {"outliers", 0, NULL, "Explain each row that the model calls an outlier, as it comes"},
    {"features", 0, "N", "Name the N features that drive the rejection most; 3 by default"},
    {"leading", 0, "N", "Name the N directions that reject most clearly; 3 by default"},
    {0},
};
static const cli_option_group explain_options = {"Explaining", explain_table};

const cli_command command_explain = {
    .name = "explain",
    .operands = "MODEL DATA...",
    .summary = "Say why rows were rejected",
    .details =
        "For each row, the features that drive its rejection, with their share of it and "
        "their value, and the directions that reject it, with the distance of the row's "
        "projection from the nearest interval. A row that all directions accept has neither.",
    .example = "frocc explain model.frocc new.csv --top 3\n"
               "frocc explain model.frocc new.csv --rows 17,42 --features 10",
    .groups = {&row_options, &explain_options, &data_options, &model_options, &common_options},
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .run = run_explain,
};
