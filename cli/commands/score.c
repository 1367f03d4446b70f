/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc score and frocc predict: a number and a decision for each row. */
#include <stdio.h>
#include <stdlib.h>

#include "arguments/commands.h"
#include "base/message.h"
#include "data/model_io.h"
#include "scoring/scoring.h"

/* The p-values of the block's scores. */
static double *find_p_values(const cli_scoring *scoring, double *p_values) {
    size_t n_rows = scoring->block.rows.n_rows;
    p_values = must_resize(p_values, n_rows, sizeof *p_values);
    check(frocc_model_p_values(scoring->model, scoring->scores, n_rows, p_values), NULL);
    return p_values;
}

static int run_score(const cli_arguments *arguments) {
    static const frocc_table_column results[] = {{"score", FROCC_CELL_REAL, false},
                                                 {"p_value", FROCC_CELL_REAL, true}};
    table_check_path(argument_text(arguments, "output"));
    bool with_p_values = argument_given(arguments, "p-values");
    cli_scoring scoring;
    scoring_open(arguments, arguments->operands[0], arguments->operands + 1,
                 arguments->n_operands - 1, 1, LABEL_IF_GIVEN, &scoring);
    if (with_p_values) {
        scoring_need_calibration(&scoring, "--p-values");
    }
    cli_table *table = scoring_table(arguments, &scoring, results, with_p_values ? 2 : 1);
    double *p_values = NULL;
    uint64_t n_rows = 0;
    while (scoring_next(&scoring)) {
        p_values = with_p_values ? find_p_values(&scoring, p_values) : NULL;
        for (size_t row = 0; row < scoring.block.rows.n_rows; row++) {
            scoring_table_row(table, &scoring, row);
            table_real(table, scoring.scores[row]);
            if (with_p_values) {
                table_real(table, p_values[row]);
            }
        }
        n_rows += scoring.block.rows.n_rows;
    }
    table_finish(table);
    if (arguments->json) {
        fprintf(summary_stream(arguments), "{\"rows\":%llu}\n", (unsigned long long)n_rows);
    }
    free(p_values);
    scoring_close(&scoring);
    return EXIT_FINE;
}

static const cli_option score_table[] = {
    {"p-values", 0, NULL, "Add the share of normal rows that would score as low or lower"},
    {0},
};
static const cli_option_group score_options = {"Scoring", score_table};

const cli_command command_score = {
    .name = "score",
    .operands = "MODEL DATA...",
    .summary = "Say how normal each row is",
    .details =
        "Writes a score for each row of the data, higher for more normal rows; 1 is as normal "
        "as it gets. An .npy file holds one float64 per row.",
    .example = "frocc score model.frocc new.csv -o scores.csv\n"
               "frocc score model.frocc - < new.csv | head",
    .groups = {&scoring_options, &score_options, &data_options, &model_options, &common_options},
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .run = run_score,
};

/* ---- predict ------------------------------------------------------------------------------------
 */

static void print_predict_summary(const cli_arguments *arguments, uint64_t rows,
                                  uint64_t outliers) {
    if (arguments->json) {
        fprintf(summary_stream(arguments), "{\"rows\":%llu,\"outliers\":%llu}\n",
                (unsigned long long)rows, (unsigned long long)outliers);
    } else if (arguments->verbosity > 0) {
        note("%llu of %llu rows are outliers", (unsigned long long)outliers,
             (unsigned long long)rows);
    }
}

static int run_predict(const cli_arguments *arguments) {
    table_check_path(argument_text(arguments, "output"));
    cli_scoring scoring;
    scoring_open(arguments, arguments->operands[0], arguments->operands + 1,
                 arguments->n_operands - 1, 1, LABEL_IF_GIVEN, &scoring);
    double threshold = scoring_threshold(arguments, &scoring);
    if (!argument_given(arguments, "threshold") && !argument_given(arguments, "fpr")) {
        threshold = FROCC_OWN_THRESHOLD; /* the model's may look at more than the score */
    }
    static const frocc_table_column result = {"outlier", FROCC_CELL_WHOLE, false};
    cli_table *table = scoring_table(arguments, &scoring, &result, 1);
    uint64_t n_rows = 0, n_outliers = 0;
    uint8_t *normal = NULL;
    while (data_next(&scoring.data, &scoring.block)) {
        const frocc_rows *rows = &scoring.block.rows;
        normal = must_resize(normal, rows->n_rows, 1);
        data_check(&scoring.data, frocc_scorer_decide(scoring.scorer, rows, threshold, normal),
                   rows, 0);
        for (size_t row = 0; row < rows->n_rows; row++) {
            scoring_table_row(table, &scoring, row);
            table_whole(table, !normal[row]);
            n_outliers += !normal[row];
        }
        n_rows += rows->n_rows;
    }
    table_finish(table);
    print_predict_summary(arguments, n_rows, n_outliers);
    free(normal);
    scoring_close(&scoring);
    return n_outliers && argument_given(arguments, "exit-code") ? EXIT_OUTLIERS : EXIT_FINE;
}

static const cli_option predict_table[] = {
    DECISION_OPTIONS,
    {"exit-code", 0, NULL, "End with 3 when any row is an outlier"},
    {0},
};
static const cli_option_group predict_options = {"Deciding", predict_table};

const cli_command command_predict = {
    .name = "predict",
    .operands = "MODEL DATA...",
    .summary = "Decide for each row whether it is an outlier",
    .details = "Writes 1 for an outlier and 0 for a normal row.",
    .example = "frocc predict model.frocc new.csv --threshold 0.95\n"
               "frocc predict model.frocc new.csv --exit-code -o flags.csv || echo 'look at this'",
    .groups = {&scoring_options, &predict_options, &data_options, &model_options, &common_options},
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .run = run_predict,
};
