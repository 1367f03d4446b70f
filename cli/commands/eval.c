/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc eval: how well a model tells labelled outliers from normal rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arguments/commands.h"
#include "base/message.h"
#include "data/labels.h"
#include "data/model_io.h"
#include "scoring/measure.h"
#include "scoring/scoring.h"

typedef struct measure_field {
    const char *name;
    double value, low, high;
    bool whole; /* a count, which has no range */
} measure_field;

enum { N_FIELDS = 9 };

static void list_fields(const measures *value, const measure_range *range,
                        measure_field fields[N_FIELDS]) {
    const measures *low = &range->low, *high = &range->high;
    measure_field list[N_FIELDS] = {
        {"normal_rows", value->n_normal, NAN, NAN, true},
        {"outliers", value->n_outliers, NAN, NAN, true},
        {"roc_auc", value->roc_auc, low->roc_auc, high->roc_auc, false},
        {"average_precision", value->average_precision, low->average_precision,
         high->average_precision, false},
        {"precision_at_n", value->precision_at_n, low->precision_at_n, high->precision_at_n, false},
        {"adjusted_precision_at_n", value->adjusted_precision, low->adjusted_precision,
         high->adjusted_precision, false},
        {"precision", value->precision, low->precision, high->precision, false},
        {"recall", value->recall, low->recall, high->recall, false},
        {"f1", value->f1, low->f1, high->f1, false},
    };
    for (size_t i = 0; i < N_FIELDS; i++) {
        fields[i] = list[i];
    }
}

static void print_number(double value) {
    if (isnan(value)) {
        printf("null");
    } else {
        printf("%.6f", value);
    }
}

static void print_json(const measure_field fields[N_FIELDS], double threshold) {
    char text[FROCC_NUMBER_SIZE] = "null"; /* no row is an outlier */
    size_t length = isinf(threshold) ? strlen(text) : frocc_print_f64(threshold, text);
    printf("{\"threshold\":%.*s", (int)length, text);
    for (size_t i = 0; i < N_FIELDS; i++) {
        printf(",\"%s\":", fields[i].name);
        if (fields[i].whole) {
            printf("%.0f", fields[i].value);
            continue;
        }
        print_number(fields[i].value);
        printf(",\"%s_range\":[", fields[i].name);
        print_number(fields[i].low);
        printf(",");
        print_number(fields[i].high);
        printf("]");
    }
    printf("}\n");
}

/* Six decimals are more than the rows can tell. */
static double six_decimals(double value) {
    return isnan(value) ? value : round(value * 1e6) / 1e6;
}

static void write_table(const cli_arguments *arguments, const measure_field fields[N_FIELDS]) {
    static const frocc_table_column columns[] = {{"measure", FROCC_CELL_TEXT, false},
                                                 {"value", FROCC_CELL_REAL, false},
                                                 {"low", FROCC_CELL_REAL, false},
                                                 {"high", FROCC_CELL_REAL, false}};
    cli_table *table = table_open(arguments, columns, 4, FROCC_NOT_IN_PLACE);
    for (size_t i = 0; i < N_FIELDS; i++) {
        table_text(table, fields[i].name);
        table_real(table, six_decimals(fields[i].value));
        table_real(table, six_decimals(fields[i].low));
        table_real(table, six_decimals(fields[i].high));
    }
    table_finish(table);
}

static int run_eval(const cli_arguments *arguments) {
    table_check_output(arguments);
    size_t replicates = argument_count(arguments, "bootstrap", 1000, 0, 1000000);
    uint64_t seed = argument_count(arguments, "seed", 0, 0, UINT64_MAX);
    cli_scoring scoring;
    scoring_open(arguments, arguments->operands[0], arguments->operands + 1,
                 arguments->n_operands - 1, 1, LABEL_IF_GIVEN, &scoring);
    double threshold = scoring_threshold(arguments, &scoring);
    cli_tally tally = {0};
    scoring_tally(arguments, &scoring, &tally);
    measures value = measure(&tally, threshold);
    measure_range range = measure_bootstrap(&tally, threshold, replicates, seed);
    measure_field fields[N_FIELDS];
    list_fields(&value, &range, fields);
    if (arguments->json) {
        print_json(fields, threshold);
    }
    if (!arguments->json || argument_given(arguments, "output")) {
        write_table(arguments, fields);
    }
    tally_free(&tally);
    scoring_close(&scoring);
    return EXIT_FINE;
}

static const cli_option eval_table[] = {
    DECISION_OPTIONS,
    OUTLIER_OPTION,
    {"bootstrap", 0, "N", "Resampled sets for the ranges; 1000 by default"},
    {"seed", 0, "S", "Of the resampling; 0 by default"},
    {0},
};
static const cli_option_group eval_options = {"Judging", eval_table};

const cli_command command_eval = {
    .name = "eval",
    .operands = "MODEL DATA... --label COLUMN",
    .summary = "Measure how well a model finds labelled outliers",
    .details =
        "Prints ROC AUC, average precision, precision among the n lowest scores (n the number "
        "of outliers; adjusted so that 0 is chance), and precision, recall and F1 at the "
        "threshold. Low and high are the middle 95 % over bootstrap resamples.",
    .example = "frocc eval model.frocc labelled.csv --label label",
    .groups = {&scoring_options, &eval_options, &data_options, &model_options, &common_options},
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .run = run_eval,
};
