/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc score: a number for each row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments/commands.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "data/model_io.h"
#include "scoring/scoring.h"

static int run_score(const cli_arguments *arguments) {
    static const frocc_table_column results[2] = {{"score", FROCC_CELL_REAL, false},
                                                  {"p_value", FROCC_CELL_REAL, false}};
    table_check_output(arguments);
    bool with_p_values = argument_given(arguments, "p-values");
    cli_scoring scoring;
    scoring_open_rows(arguments, NULL, 0, &scoring);
    if (with_p_values) {
        scoring_need_calibration(&scoring, "--p-values");
    }
    scoring.needs_p_values = with_p_values;
    const size_t n_results = with_p_values ? 2 : 1;
    cli_table *table = scoring_table(arguments, &scoring, results, n_results);
    double *p_values = NULL;
    while (scoring_next(&scoring)) {
        cli_row row;
        table = scoring_reopen(table, &scoring, results, n_results);
        p_values = with_p_values ? scoring_p_values(&scoring, p_values) : NULL;
        while (scoring_step(&scoring, &row)) {
            scoring_table_row(table, &scoring, &row);
            table_real(table, row.error ? NAN : scoring.scores[row.row]);
            if (with_p_values) {
                table_real(table, row.error ? NAN : p_values[row.row]);
            }
            scoring_table_error(table, &scoring, &row);
        }
        scoring_meet(&scoring);
        table_flush(table);
    }
    table_finish(table);
    scoring_note_bad_rows(&scoring);
    if (arguments->json) {
        fprintf(summary_stream(arguments), "{\"rows\":%llu,\"left_out\":%llu,\"bad_rows\":%llu}\n",
                (unsigned long long)scoring.n_rows, (unsigned long long)data_dropped(&scoring.data),
                (unsigned long long)scoring.n_bad_rows);
    }
    const int status = scoring_end(&scoring);
    free(p_values);
    scoring_close(&scoring);
    end_if_stopped();
    return status;
}

static const cli_option score_table[] = {
    COLUMNS_OPTION,
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
        "as it gets. An .npy file holds one float64 per row, or a row of numbers each: in front "
        "the "
        "number of the row, where rows with missing cells are left out, behind the p-value.",
    .example = "frocc score model.frocc new.csv -o scores.csv\n"
               "frocc score model.frocc - < new.csv | head",
    .groups = {&row_options, &score_options, &data_options, &model_options, &common_options},
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .run = run_score,
};
