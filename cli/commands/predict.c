/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc predict: a decision for each row and, for those who have to act on it, why. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments/commands.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "data/model_io.h"
#include "scoring/reasons.h"
#include "scoring/scoring.h"

static void print_predict_summary(const cli_scoring *scoring, uint64_t outliers) {
    const cli_arguments *arguments = scoring->arguments;
    if (arguments->json) {
        fprintf(summary_stream(arguments),
                "{\"rows\":%llu,\"outliers\":%llu,\"left_out\":%llu,\"bad_rows\":%llu}\n",
                (unsigned long long)scoring->n_rows, (unsigned long long)outliers,
                (unsigned long long)data_dropped(&scoring->data),
                (unsigned long long)scoring->n_bad_rows);
    } else if (arguments->verbosity > 0) {
        note("%llu of %llu rows are outliers", (unsigned long long)outliers,
             (unsigned long long)scoring->n_rows);
    }
}

/* What is written of a row, and what that takes. */
typedef struct alert {
    const cli_arguments *arguments;
    cli_scoring *scoring;
    unsigned generation; /* of the model that the rest is about */
    cli_table *table;
    frocc_table_column results[MOST_RESULTS];
    size_t n_results;
    cli_reasons reasons;
    bool only_outliers, scores, p_values, reason;
    double threshold, *values, *p;
    uint8_t *normal;
} alert;

/* The leading features of an outlier, in words. */
static const char *find_reason(alert *a, size_t row) {
    if (a->normal[row]) {
        return "";
    }
    row_copy(&a->scoring->block.rows, row, a->values);
    return reasons_find(&a->reasons, a->values);
}

static void write_row(alert *a, const cli_row *row) {
    scoring_table_row(a->table, a->scoring, row);
    if (a->scoring->bad_rows == BAD_ROWS_FLAG) {
        table_real(a->table, row->error ? NAN : !a->normal[row->row]);
    } else {
        table_whole(a->table, !a->normal[row->row]);
    }
    if (a->scores) {
        table_real(a->table, row->error ? NAN : a->scoring->scores[row->row]);
    }
    if (a->p_values) {
        table_real(a->table, row->error ? NAN : a->p[row->row]);
    }
    if (a->reason) {
        table_text(a->table, row->error ? "" : find_reason(a, row->row));
    }
    scoring_table_error(a->table, a->scoring, row);
}

/* What is to be known of the model; anew where another has taken its place. */
static void know_model(alert *a) {
    cli_scoring *scoring = a->scoring;
    a->generation = scoring->generation;
    if (a->reason) {
        a->values = must_resize(a->values, scoring->info.n_features, sizeof *a->values);
        reasons_begin(scoring->model, scoring->scorer, scoring->data.schema, NULL, &a->reasons);
    }
    a->threshold = scoring_threshold(a->arguments, scoring);
    if (!argument_given(a->arguments, "threshold") && !argument_given(a->arguments, "fpr")) {
        a->threshold = FROCC_OWN_THRESHOLD; /* the model's may look at more than the score */
    }
}

static frocc_status decide_run(cli_scoring *scoring, const frocc_rows *run, size_t first,
                               void *context) {
    const alert *a = context;
    return frocc_scorer_decide(scoring->scorer, run, a->threshold, a->normal + first);
}

/* The next block, and all that is asked about it; false at the end. */
static bool next_block(alert *a) {
    cli_scoring *scoring = a->scoring;
    bool scores = a->scores || a->p_values;
    if (scores ? !scoring_next(scoring) : !scoring_next_rows(scoring)) {
        return false;
    }
    if (a->generation != scoring->generation) {
        if (a->reason) {
            reasons_end(&a->reasons);
        }
        know_model(a);
    }
    a->normal = must_resize(a->normal, scoring->block.rows.n_rows, 1);
    scoring_ask(scoring, decide_run, a);
    a->p = a->p_values ? scoring_p_values(scoring, a->p) : NULL;
    return true;
}

static void open_alert(const cli_arguments *arguments, cli_scoring *scoring, alert *a) {
    *a = (alert){.arguments = arguments,
                 .scoring = scoring,
                 .only_outliers = argument_given(arguments, "only-outliers"),
                 .scores = argument_given(arguments, "scores"),
                 .p_values = argument_given(arguments, "p-values"),
                 .reason = argument_given(arguments, "reason"),
                 .results = {{"outlier", FROCC_CELL_WHOLE, false}},
                 .n_results = 1};
    if (a->scores) {
        a->results[a->n_results++] = (frocc_table_column){"score", FROCC_CELL_REAL, false};
    }
    if (a->p_values) {
        scoring_need_calibration(scoring, "--p-values");
        a->results[a->n_results++] = (frocc_table_column){"p_value", FROCC_CELL_REAL, false};
    }
    if (a->reason) {
        a->results[a->n_results++] = (frocc_table_column){"reason", FROCC_CELL_TEXT, true};
    }
    scoring->needs_p_values = a->p_values || argument_given(arguments, "fpr");
    know_model(a);
    a->table = scoring_table(arguments, scoring, a->results, a->n_results);
}

static void close_alert(alert *a) {
    if (a->reason) {
        reasons_end(&a->reasons);
    }
    free(a->values);
    free(a->normal);
    free(a->p);
}

static int run_predict(const cli_arguments *arguments) {
    table_check_output(arguments);
    cli_scoring scoring;
    scoring_open_rows(arguments, &scoring);
    alert a;
    open_alert(arguments, &scoring, &a);
    uint64_t n_outliers = 0;
    while (next_block(&a)) {
        cli_row row;
        a.table = scoring_reopen(a.table, &scoring, a.results, a.n_results);
        while (scoring_step(&scoring, &row)) {
            const bool is_outlier = !row.error && !a.normal[row.row];
            if (!a.only_outliers || is_outlier || row.error) {
                write_row(&a, &row);
            }
            n_outliers += is_outlier;
        }
        scoring_meet(&scoring);
        table_flush(a.table);
    }
    table_finish(a.table);
    scoring_note_bad_rows(&scoring);
    print_predict_summary(&scoring, n_outliers);
    const int status = scoring_end(&scoring);
    close_alert(&a);
    scoring_close(&scoring);
    end_if_stopped();
    return n_outliers && argument_given(arguments, "exit-code") ? EXIT_OUTLIERS : status;
}

static const cli_option predict_table[] = {
    DECISION_OPTIONS,
    COLUMNS_OPTION,
    {"only-outliers", 0, NULL, "Write only outliers, with the number of their row"},
    {"scores", 0, NULL, "Add the score"},
    {"p-values", 0, NULL, "Add the share of normal rows that would score as low or lower"},
    {"reason", 0, NULL,
     "Add why a row is an outlier: leading features, their values, what is usual"},
    {"exit-code", 0, NULL, "End with 3 when any row is an outlier"},
    {0},
};
static const cli_option_group predict_options = {"Deciding", predict_table};

const cli_command command_predict = {
    .name = "predict",
    .operands = "MODEL DATA...",
    .summary = "Decide for each row whether it is an outlier",
    .details =
        "Writes 1 for an outlier and 0 for a normal row. --columns carries columns to the output.",
    .example = "frocc predict model.frocc new.csv --threshold 0.95\n"
               "frocc predict model.frocc today.csv --columns time,host --only-outliers --reason\n"
               "frocc predict model.frocc new.csv --exit-code -o flags.csv || echo 'look at this'",
    .groups = {&row_options, &predict_options, &data_options, &model_options, &common_options},
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .run = run_predict,
};
