/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc predict: a decision for each row and, for those who have to act on it, why. */
#include <stdio.h>
#include <stdlib.h>

#include "arguments/commands.h"
#include "base/message.h"
#include "data/model_io.h"
#include "scoring/reasons.h"
#include "scoring/scoring.h"

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

/* What is written of a row, and what that takes. */
typedef struct alert {
    cli_scoring *scoring;
    cli_table *table;
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

static void write_row(alert *a, size_t row) {
    scoring_table_row(a->table, a->scoring, row);
    table_whole(a->table, !a->normal[row]);
    if (a->scores) {
        table_real(a->table, a->scoring->scores[row]);
    }
    if (a->p_values) {
        table_real(a->table, a->p[row]);
    }
    if (a->reason) {
        table_text(a->table, find_reason(a, row));
    }
}

/* The next block, and all that is asked about it; false at the end. */
static bool next_block(alert *a) {
    cli_scoring *scoring = a->scoring;
    bool scores = a->scores || a->p_values;
    if (scores ? !scoring_next(scoring) : !data_next(&scoring->data, &scoring->block)) {
        return false;
    }
    const frocc_rows *rows = &scoring->block.rows;
    a->normal = must_resize(a->normal, rows->n_rows, 1);
    data_check(&scoring->data, frocc_scorer_decide(scoring->scorer, rows, a->threshold, a->normal),
               rows, 0);
    a->p = a->p_values ? scoring_p_values(scoring, a->p) : NULL;
    return true;
}

static void open_alert(const cli_arguments *arguments, cli_scoring *scoring, alert *a) {
    *a = (alert){.scoring = scoring,
                 .only_outliers = argument_given(arguments, "only-outliers"),
                 .scores = argument_given(arguments, "scores"),
                 .p_values = argument_given(arguments, "p-values"),
                 .reason = argument_given(arguments, "reason")};
    frocc_table_column results[MOST_RESULTS] = {{"outlier", FROCC_CELL_WHOLE, false}};
    size_t n_results = 1;
    if (a->scores) {
        results[n_results++] = (frocc_table_column){"score", FROCC_CELL_REAL, false};
    }
    if (a->p_values) {
        scoring_need_calibration(scoring, "--p-values");
        results[n_results++] = (frocc_table_column){"p_value", FROCC_CELL_REAL, false};
    }
    if (a->reason) {
        results[n_results++] = (frocc_table_column){"reason", FROCC_CELL_TEXT, true};
        a->values = must_allocate(scoring->info.n_features, sizeof *a->values);
        reasons_begin(scoring->model, scoring->scorer, scoring->data.schema, NULL, &a->reasons);
    }
    a->threshold = scoring_threshold(arguments, scoring);
    if (!argument_given(arguments, "threshold") && !argument_given(arguments, "fpr")) {
        a->threshold = FROCC_OWN_THRESHOLD; /* the model's may look at more than the score */
    }
    a->table = scoring_table(arguments, scoring, results, n_results);
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
    table_check_path(argument_text(arguments, "output"));
    cli_scoring scoring;
    scoring_open(arguments, arguments->operands[0], arguments->operands + 1,
                 arguments->n_operands - 1, 1, LABEL_IF_GIVEN, &scoring);
    alert a;
    open_alert(arguments, &scoring, &a);
    uint64_t n_rows = 0, n_outliers = 0;
    while (next_block(&a)) {
        for (size_t row = 0; row < scoring.block.rows.n_rows; row++) {
            if (!a.only_outliers || !a.normal[row]) {
                write_row(&a, row);
            }
            n_outliers += !a.normal[row];
        }
        n_rows += scoring.block.rows.n_rows;
        scoring_meet(&scoring);
        table_flush(a.table);
    }
    table_finish(a.table);
    print_predict_summary(arguments, n_rows, n_outliers);
    close_alert(&a);
    scoring_close(&scoring);
    return n_outliers && argument_given(arguments, "exit-code") ? EXIT_OUTLIERS : EXIT_FINE;
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
    .groups = {&scoring_options, &predict_options, &data_options, &model_options, &common_options},
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .run = run_predict,
};
