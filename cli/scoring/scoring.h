/* SPDX-License-Identifier: BSD-3-Clause */
/* A model met with data: the loop that score, predict, eval and others share. */
#ifndef CLI_SCORING_H
#define CLI_SCORING_H

#include "data/data.h"
#include "data/results.h"
#include "frocc.h"
#include "scoring/measure.h"

/* What becomes of lines that are no rows. */
typedef enum bad_rows { BAD_ROWS_STOP, BAD_ROWS_SKIP, BAD_ROWS_FLAG } bad_rows;

typedef struct cli_scoring {
    const cli_arguments *arguments;
    const char *model_path;
    frocc_model *model;
    frocc_model_info info;
    frocc_scorer *scorer;
    cli_data data;
    frocc_block block;
    double *scores; /* of the block's rows */
    double learnt;  /* how sure it is that these rows were learnt */
    uint64_t *news; /* per feature, rows with a text there that no training row had */
    uint64_t n_counted;
    bool numbers_rows; /* the results are not one for each row: they say which */
    bool places_rows;  /* and in which line of which file */
    size_t capacity;
    struct cli_live *live; /* lines still come; NULL: not from here */
    bad_rows bad_rows;
    uint64_t n_rows, n_bad_rows; /* that were stepped over: answered, and not */
    char **errors;               /* of rows that can be read, but not be scored */
    size_t errors_room, n_errors;
    char *spoken; /* the error of the last line that is no row, in the words of the command */
    size_t next_row, next_bad; /* scoring_step's */
    bool has_begun;            /* the output, before; then a file that is there goes on */
    bool keeps_model;          /* whatever becomes of its file */
    bool needs_p_values;       /* of every model that replaces this one */
    unsigned generation;       /* how often the model has been replaced */
} cli_scoring;

/* A row of the block, or a line that is none. */
typedef struct cli_row {
    size_t row;               /* of the block; not of a line that is none */
    uint64_t number, line;    /* line: only where places_rows */
    const char *file, *error; /* error: NULL for one that has a score */
    bool is_line;
} cli_row;

/* --output, for commands that write a table of results. */
extern const cli_option_group scoring_options;

/* The same, and what scoring_open_rows looks at. */
extern const cli_option_group row_options;

/* --threshold and --fpr, for the tables of commands that decide. */
#define DECISION_OPTIONS                                                                           \
    {"threshold", 0, "T", "Rows that score at least this are normal; the model's by default"}, {   \
        "fpr", 0, "RATE", "The share of normal rows that may be called outliers, instead"          \
    }

/* Reads the model and opens the data; dies where they do not fit together. */
void scoring_open(const cli_arguments *arguments, const char *model_path, const char *const *paths,
                  size_t n_paths, int passes, label_use label, cli_scoring *scoring);
void scoring_close(cli_scoring *scoring);

/* As a member of a JSON object: the columns in which most values were never seen in training. */
void scoring_print_news(const cli_scoring *scoring, FILE *file);

/* The same for commands that answer row by row and have row_options: all operands behind the
 * model are files, lines that are no rows are passed over as --bad-rows says, and a stream is
 * answered while it comes (live.c). columns are carried for the command itself. */
void scoring_open_rows(const cli_arguments *arguments, const char *const *columns, size_t n_columns,
                       cli_scoring *scoring);

/* Where several processes score parts of the same files: the next block of those that are not ours,
 * with their scores but not their values; false at the end. NULL in the command itself. */
extern bool (*scoring_next_elsewhere)(cli_scoring *scoring);

/* The next block and its scores; false at the end. */
bool scoring_next(cli_scoring *scoring);

/* The next block without them, and a question about runs of its rows, which begin at first. A row
 * that cannot be answered has an error from then on, or ends the command. */
typedef frocc_status (*cli_question)(cli_scoring *scoring, const frocc_rows *run, size_t first,
                                     void *context);
bool scoring_next_rows(cli_scoring *scoring);
void scoring_ask(cli_scoring *scoring, cli_question question, void *context);

/* The rows of the block and the lines between them that are none, in order; false behind the last.
 * Those that are to be passed over are, and all are counted. */
bool scoring_step(cli_scoring *scoring, cli_row *row);

/* The exit status at the end: where there were no rows, it tells; dies where all were left out. */
int scoring_end(const cli_scoring *scoring);

/* What there is to say of bad rows at the end. */
void scoring_note_bad_rows(const cli_scoring *scoring);

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
enum { MOST_RESULTS = 5 };
frocc_in_place scoring_place(const cli_scoring *scoring);
cli_table *scoring_table(const cli_arguments *arguments, const cli_scoring *scoring,
                         const frocc_table_column *results, size_t n_results);

/* What stands in front of a row's results, and behind them. */
void scoring_table_row(cli_table *table, const cli_scoring *scoring, const cli_row *row);
void scoring_table_error(cli_table *table, const cli_scoring *scoring, const cli_row *row);

/* In front of a block: the table, or another, where the file was moved away and is begun anew. */
cli_table *scoring_reopen(cli_table *table, cli_scoring *scoring, const frocc_table_column *results,
                          size_t n_results);

#endif
