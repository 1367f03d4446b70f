/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows to learn from: those of the data files, less what is labelled as an outlier. */
#ifndef CLI_NORMAL_ROWS_H
#define CLI_NORMAL_ROWS_H

#include "data/data.h"
#include "frocc.h"

typedef struct normal_rows {
    cli_data data;
    const char *outlier; /* the label of rows to leave out, or NULL */
    const char *part;    /* which of the data, or NULL */
    char *normal;        /* the label of all others, where that was found out, or NULL */
    frocc_block block;
    size_t next;       /* row of the block */
    frocc_rows run;    /* the rows handed out last, a part of the block */
    size_t run_first;  /* from this row on */
    uint64_t left_out; /* in the last pass, because of their label */
} normal_rows;

/* Where there is a label column and no --outlier, a pass over the rows finds out which label means
 * normal; where that cannot be told, no row is left out, and that is said. */
void normal_rows_open(const cli_arguments *arguments, const char *const *paths, size_t n_paths,
                      const frocc_schema *schema, int passes, label_use label, normal_rows *rows);
void normal_rows_close(normal_rows *rows);

/* A fit of the rows, from where they stand; dies with the place of a row that cannot be used. */
frocc_model *normal_rows_fit(normal_rows *rows, const frocc_params *params);

/* The model of all of them by a fitter, in one pass. */
frocc_model *normal_rows_fit_by(normal_rows *rows, frocc_fitter *fitter);

/* All of them in a sample, which is new. */
frocc_sample *normal_rows_sample(normal_rows *rows, const frocc_params *params);

/* The next rows to learn from, without copying; false at the end. */
bool normal_rows_next(normal_rows *rows, frocc_rows *run);

/* Where several processes have read rows, what is said to be left out is what all of them did. */
void normal_rows_count_all(normal_rows *rows);

/* Where no row is left to learn from, dies, and says why. */
void normal_rows_refuse_none(normal_rows *rows, frocc_status status, const char *remedy);

/* Dies where status says so, of a row of the last run. */
void normal_rows_check(normal_rows *rows, frocc_status status);

/*
 * Where several processes learn from parts of the same files: what else there is to be done, in all
 * of them at the same time. NULL in the command itself.
 */
typedef struct normal_rows_team {
    /* Makes the list of texts, of which each process has some, that of all; returns how many. */
    size_t (*share_texts)(char **texts, size_t count, size_t most);
    /* The sum of what each process has, in all of them. */
    uint64_t (*sum)(uint64_t value);
    /* Opens the rows; the model of those of all. */
    frocc_model *(*fit)(const cli_arguments *arguments, normal_rows *rows, frocc_params *params);
    /* Gives the first process's fitter, which has its rows, those of all; the others end here. */
    void (*merge)(normal_rows *rows, frocc_fitter *fitter);
} normal_rows_team;
extern const normal_rows_team *normal_rows_together;

/* Back to the first row, for another fit. */
void normal_rows_rewind(normal_rows *rows);

#endif
