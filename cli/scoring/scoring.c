/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/scoring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "data/labels.h"
#include "data/model_io.h"

static const cli_option scoring_table_options[] = {
    {"output", 'o', "FILE", "Write to this file: .csv, .jsonl or .npy by its ending"},
    NO_FORMULAS_OPTION,
    {0},
};
const cli_option_group scoring_options = {"Writing results", scoring_table_options};

bool (*scoring_next_elsewhere)(cli_scoring *scoring);

/* Rows are numbered where some are left out, which nobody knows of the parts of other processes. */
static void refuse_numbers(const cli_scoring *scoring) {
    if (scoring->numbers_rows && scoring_next_elsewhere) {
        die(EXIT_FAILED, "rows with missing cells cannot be left out here, as results would need "
                         "the numbers of rows, which parts do not know; where none is missing, "
                         "give --missing error, and where some are, 'frocc score' and 'frocc eval' "
                         "leave them out, in one process");
    }
}

void scoring_open(const cli_arguments *arguments, const char *model_path, const char *const *paths,
                  size_t n_paths, int passes, label_use label, cli_scoring *scoring) {
    *scoring = (cli_scoring){0};
    for (size_t i = 0; i < n_paths && !strcmp(model_path, "-"); i++) {
        if (!strcmp(paths[i], "-")) {
            die(EXIT_MISUSE, "the model and the data cannot both come from standard input");
        }
    }
    refuse_output(arguments, model_path);
    scoring->model = model_read(arguments, model_path);
    scoring->info = model_describe(scoring->model);
    frocc_schema *schema = frocc_model_schema(scoring->model);
    data_open(arguments, paths, n_paths, schema, passes, label, &scoring->data);
    scoring->numbers_rows = scoring->data.drops_rows || argument_given(arguments, "only-outliers");
    refuse_numbers(scoring);
    frocc_schema_free(schema);
    if (scoring->data.n_features != scoring->info.n_features) {
        die(EXIT_FAILED,
            "the number of features differs: %zu in '%s', %zu in the model '%s'; are --label, "
            "--id, --drop and --use as they were for fit?",
            scoring->data.n_features, paths[0], scoring->info.n_features, model_path);
    }
    int threads = (int)argument_count(arguments, "threads", 0, 1, 1024);
    check(frocc_scorer_new(scoring->model, threads, &scoring->scorer), NULL);
}

void scoring_meet(cli_scoring *scoring) {
    if (scoring->block.rows.n_features == 0) {
        return; /* another process has the values */
    }
    check(frocc_scorer_meet(scoring->scorer, &scoring->block.rows, &scoring->learnt), NULL);
}

void scoring_close(cli_scoring *scoring) {
    if (scoring->learnt >= 0.75 && scoring->data.verbosity >= 0) {
        note("the model has learnt these rows, so nearly all look normal to it; 'frocc outliers' "
             "finds the odd rows of a table");
    }
    free(scoring->scores);
    frocc_scorer_free(scoring->scorer);
    frocc_model_free(scoring->model);
    data_close(&scoring->data);
}

bool scoring_next(cli_scoring *scoring) {
    if (!data_next(&scoring->data, &scoring->block)) {
        return scoring_next_elsewhere && scoring_next_elsewhere(scoring);
    }
    if (scoring->block.rows.n_rows > scoring->capacity) {
        scoring->capacity = scoring->block.rows.n_rows;
        scoring->scores = must_resize(scoring->scores, scoring->capacity, sizeof *scoring->scores);
    }
    const frocc_rows *rows = &scoring->block.rows;
    data_check(&scoring->data, frocc_scorer_score(scoring->scorer, rows, scoring->scores), rows, 0);
    return true;
}

void scoring_need_calibration(const cli_scoring *scoring, const char *option) {
    if (!scoring->info.calibration_rows) {
        die(EXIT_FAILED,
            "%s needs a calibrated model, and this one is not: fit it to more rows that differ, "
            "without --paper and --calibration 0",
            option);
    }
}

double *scoring_p_values(const cli_scoring *scoring, double *p_values) {
    size_t n_rows = scoring->block.rows.n_rows;
    p_values = must_resize(p_values, n_rows, sizeof *p_values);
    check(frocc_model_p_values(scoring->model, scoring->scores, n_rows, p_values), NULL);
    return p_values;
}

double scoring_threshold(const cli_arguments *arguments, const cli_scoring *scoring) {
    double threshold = scoring->info.threshold;
    double fpr = argument_number(arguments, "fpr", scoring->info.fpr, 0, 1);
    if (argument_given(arguments, "threshold") && argument_given(arguments, "fpr")) {
        die(EXIT_MISUSE, "--threshold and --fpr both decide; give one of the two");
    }
    if (argument_given(arguments, "fpr")) {
        scoring_need_calibration(scoring, "--fpr");
    }
    if (fpr > 0 && !argument_given(arguments, "threshold")) {
        check(frocc_model_threshold(scoring->model, fpr, &threshold), NULL);
    }
    if (argument_given(arguments, "fpr") && arguments->verbosity >= 0) {
        char remedy[120];
        snprintf(remedy, sizeof remedy, "fit with --fpr %g, or ask for %g or more", fpr,
                 model_least_rate(&scoring->info));
        model_note_rate(&scoring->info, fpr, remedy);
    }
    return argument_number(arguments, "threshold", threshold, -1e300, 1);
}

void scoring_tally(const cli_arguments *arguments, cli_scoring *scoring, cli_tally *tally) {
    cli_labels labels;
    labels_begin(arguments, &labels);
    while (scoring_next(scoring)) {
        const frocc_block *block = &scoring->block;
        data_need_labels(block);
        for (size_t row = 0; row < block->rows.n_rows; row++) {
            size_t number = labels_number(&labels, block->labels[row], block->label_values[row]);
            tally_add(tally, scoring->scores[row], number == 0, number == 1);
        }
    }
    tally_settle(tally);
    if (labels_outlier(&labels) == 0) {
        tally_swap(tally);
    }
    labels_free(&labels);
}

cli_table *scoring_table(const cli_arguments *arguments, const cli_scoring *scoring,
                         const frocc_table_column *results, size_t n_results) {
    static const frocc_table_column number = {"row", FROCC_CELL_WHOLE, false};
    return results_open(arguments, &scoring->data, scoring->numbers_rows ? &number : NULL, results,
                        n_results);
}

void scoring_table_row(cli_table *table, const cli_scoring *scoring, size_t row) {
    const frocc_block *block = &scoring->block;
    if (scoring->numbers_rows) {
        table_whole(table, (int64_t)block->row_numbers[row]);
    }
    results_names(table, &scoring->data, block->ids ? block->ids[row] : NULL,
                  block->n_carried ? block->carried + row * block->n_carried : NULL);
}
