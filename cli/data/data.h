/* SPDX-License-Identifier: BSD-3-Clause */
/* Data files: the options that say how to read them, and the loop over their rows. */
#ifndef CLI_DATA_H
#define CLI_DATA_H

#include <stdbool.h>

#include "arguments/options.h"
#include "base/progress.h"
#include "frocc_io.h"

/* How files are read; every command that reads data has these. */
extern const cli_option_group data_options;

/* Opens files in formats that frocc does not know; NULL: nobody does. */
extern const frocc_table_opener *data_opener;

/* Where several processes learn together what columns are, no part of them is told about; one in
 * which nothing is to be learnt from has no reader, no schema and no rows. */
extern bool data_is_learnt_together;

typedef struct cli_data {
    frocc_reader *reader;
    frocc_schema *schema;
    size_t n_files;
    size_t n_features, n_carried; /* n_carried: columns that go to the output, as cells of a kind */
    frocc_cell_kind carried_kind;
    bool labelled; /* known with the first block: LIBSVM files always are */
    bool has_ids, drops_rows;
    int verbosity;
    uint64_t dropped_elsewhere; /* rows with missing cells that other processes left out */
    int pass, passes; /* the pass over the rows under way, from 0, and how many there will be */
    progress progress;
} cli_data;

typedef enum label_use {
    LABEL_NONE,     /* there is no label column */
    LABEL_IF_GIVEN, /* where --label names one */
    LABEL_IF_THERE  /* where --label names one that these files have */
} label_use;

typedef struct text_list {
    char **items;
    size_t count;
} text_list;

/* The texts between commas; none of NULL. */
text_list split_commas(const char *text);
void free_list(text_list *list);

/* Dies where --use, --drop, --categorical or --time ask for other columns than the model has
 * (model_columns.c). */
void refuse_other_columns(const cli_arguments *arguments, const frocc_schema *schema);

/* Whether two names are of one file; never of pipes. */
bool is_same_file(const char *a, const char *b);

/* Dies where a file to be written, by --output, --model or as standard output, is this one, or for
 * "-" the one that is standard input: it is read, and would be lost. */
void refuse_output(const cli_arguments *arguments, const char *input);

/*
 * Opens files, with patterns such as 'part-*.csv' expanded. The schema is what a model was fitted
 * with, or NULL. passes is how often the rows will be read. Dies with the reader's own sentence.
 */
void data_open(const cli_arguments *arguments, const char *const *paths, size_t n_paths,
               const frocc_schema *schema, int passes, label_use label, cli_data *data);

/* What a command that goes on after bad lines, or while lines still come, tells the reader. */
typedef struct cli_stream {
    bool lists_bad_rows;
    int (*wait)(void *context, int file);
    void *context;
    const char *const *columns; /* that come along with the blocks, behind those of --columns */
    size_t n_columns;
} cli_stream;
void data_open_stream(const cli_arguments *arguments, const char *const *paths, size_t n_paths,
                      const frocc_schema *schema, int passes, label_use label,
                      const cli_stream *stream, cli_data *data);
void data_close(cli_data *data);

/* How many rows with missing cells have been left out. */
uint64_t data_dropped(const cli_data *data);

/* The next block, false at the end. Of a stream it may have only bad rows, or be paused. */
bool data_next(cli_data *data, frocc_block *block);

/* Dies of misuse where the block has no labels. */
void data_need_labels(const frocc_block *block);

/* Dies where status says so. Where the library speaks of a row of view, which is part of the last
 * block from its row first on, the file, the line and the column are named instead. */
void data_check(cli_data *data, frocc_status status, const frocc_rows *view, size_t first);

/* The same as a sentence, which the caller frees, to go on after; NULL where it is of no row. */
char *data_row_error(const cli_data *data, const frocc_rows *view, size_t first);

/* Back to the first row, for another pass. */
void data_rewind(cli_data *data);

/* Says which columns were taken for text, for names of rows, or for time. */
void data_note_texts(const frocc_schema *schema);

/* The name of a feature; the caller frees. */
char *data_feature_name(const frocc_schema *schema, size_t feature);

/* The value at an index of a view's values, whatever their type. */
double row_value(const frocc_rows *rows, size_t index);

/* Some rows of a view, without copying. */
frocc_rows rows_part(const frocc_rows *rows, size_t first, size_t count);

/* One row of a view, as doubles: dense or sparse, of either type. */
void row_copy(const frocc_rows *rows, size_t row, double *values);

#endif
