/* SPDX-License-Identifier: BSD-3-Clause */
/* A model met with data: the loop that score, predict, eval and others share. */
#ifndef CLI_SCORING_H
#define CLI_SCORING_H

#include "data/data.h"
#include "data/results.h"
#include "frocc.h"
#include "scoring/measure.h"

typedef struct cli_scoring {
    frocc_model *model;
    frocc_model_info info;
    frocc_scorer *scorer;
    cli_data data;
    frocc_block block;
    double *scores;    /* of the block's rows */
    double learnt;     /* how sure it is that these rows were learnt */
    bool numbers_rows; /* the results are not one for each row: they say which */
    size_t capacity;
} cli_scoring;

/* --output, for commands that write a table of results. */
extern const cli_option_group scoring_options;

/* --threshold and --fpr, for the tables of commands that decide. */
#define DECISION_OPTIONS                                                                           \
    {"threshold", 0, "T", "Rows that score at least this are normal; the model's by default"}, {   \
        "fpr", 0, "RATE", "The share of normal rows that may be called outliers, instead"          \
    }

/* Reads the model and opens the data; dies where they do not fit together. */
void scoring_open(const cli_arguments *arguments, const char *model_path, const char *const *paths,
                  size_t n_paths, int passes, label_use label, cli_scoring *scoring);
void scoring_close(cli_scoring *scoring);

/* Where several processes score parts of the same files: the next block of those that are not ours,
 * with their scores but not their values; false at the end. NULL in the command itself. */
extern bool (*scoring_next_elsewhere)(cli_scoring *scoring);

/* The next block and its scores; false at the end. */
bool scoring_next(cli_scoring *scoring);

/* Asks whether the block's rows were learnt; closing then says so where it is convincing. */
void scoring_meet(cli_scoring *scoring);

/* Dies where the model cannot do what the option asks for, as it was not calibrated. */
void scoring_need_calibration(const cli_scoring *scoring, const char *option);

/* The p-values of the block's scores, in memory that is resized. */
double *scoring_p_values(const cli_scoring *scoring, double *p_values);

/* The threshold that was asked for, or the model's own. */
double scoring_threshold(const cli_arguments *arguments, const cli_scoring *scoring);

/* Tallies the scores of all rows by their label, outliers apart. */
void scoring_tally(const cli_arguments *arguments, cli_scoring *scoring, cli_tally *tally);

/* A table of results, up to MOST_RESULTS; each row says which it is where rows are dropped, or not
 * all are written. */
enum { MOST_RESULTS = 4 };
cli_table *scoring_table(const cli_arguments *arguments, const cli_scoring *scoring,
                         const frocc_table_column *results, size_t n_results);
void scoring_table_row(cli_table *table, const cli_scoring *scoring, size_t row);

#endif
