/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of a reader: what it is told (read_options.c), its files (read_files.c), what it learns
 * about their columns (read_learn.c), rows that it keeps from that (read_kept.c), cells that it
 * carries (read_carry.c), and handing out rows (read_reader.c).
 */
#ifndef FROCC_READ_READER_H
#define FROCC_READ_READER_H

#include "input/read.h"

/* Rows to be handed out, and where they come from. */
typedef struct frocc__batch {
    frocc__row_buffer buffer;
    const uint64_t *row_numbers; /* over all files */
    size_t file;
    uint64_t rows_before; /* in the files before this one */
    uint64_t taken;       /* bytes of the file, up to the end of these rows */
    uint64_t line_before; /* of kept rows: row n of the file is in line n + line_before */
    uint64_t dropped;     /* rows left out, up to the end of these rows */
    bool has_label, has_id;
    size_t n_carried;
} frocc__batch;

/* The first rows of the data, and where those behind them begin. */
typedef struct frocc__kept {
    frocc__batch *batches;
    size_t count, room;
    size_t bytes;
    char *slab, *slab_free;       /* memory for values: the last one, and what is left of it */
    size_t slab_left, last_bytes; /* last_bytes: of the last batch */
    size_t file;                  /* the number of files when all rows are kept */
    frocc__counting counting;     /* of the first column in these rows, where that is open */
    frocc__position position;
    uint64_t rows_before, dropped;
} frocc__kept;

struct frocc_reader {
    char **paths;
    size_t n_paths;
    frocc_reader_options options;
    char *label, *id, *array; /* copies; names once the first file has shown them */
    char **carry;             /* the columns to carry, each by itself; found in the first file */
    size_t n_carry;
    bool carries_json;
    const char **json; /* the cells of the last block, and the bytes of those that are strings */
    char *json_bytes;
    frocc_schema *schema;
    bool is_given; /* the schema, by the caller */
    int threads;
    bool keep;
    frocc__stream **pipes; /* what cannot be opened again stays open, one per path */
    frocc__range *ranges;  /* of the files, to be read; all empty where a size is not known */
    bool *has_rows;        /* for each path, whether any of its rows was seen */
    frocc_table table;     /* in place of files: the only path is its name; else all 0 */
    bool table_begun;      /* it has been opened before, so that it must be rewound */

    frocc__kept kept;
    size_t next_kept;

    size_t file; /* the one that is open, or the next */
    frocc__stream *stream;
    frocc__input *input;
    frocc__plan plan;
    frocc__batch fresh;              /* read last */
    const frocc__batch *batch;       /* handed out last: the fresh one, or a kept one */
    size_t handed_bad;               /* of its bad rows */
    size_t handed_first, handed_out; /* rows of it: the last ones handed out, and all */
    uint64_t rows_before;            /* in the files before the open one */
    uint64_t dropped, headers;
};

/* ---- Options --------------------------------------------------------------------------------- */

frocc_status frocc__reader_check(const frocc_reader_options *options, const frocc_schema *schema);
frocc_status frocc__reader_copy(frocc_reader *reader, const char *const *paths, size_t n_paths,
                                const frocc_reader_options *options);

/* ---- Files ----------------------------------------------------------------------------------- */

/* Opens the file whose turn it is, behind the rows that are kept of it. */
frocc_status frocc__reader_open_file(frocc_reader *reader);
/* The same for the next one that is not empty, where there are several and a model says what
 * columns are. */
frocc_status frocc__reader_open_next(frocc_reader *reader);
void frocc__reader_close_file(frocc_reader *reader);

/* Hands the status on; a failure is one of the file that is open, or was to be opened. */
frocc_status frocc__reader_in_file(const frocc_reader *reader, frocc_status status);

/* Bytes of the open file that have been read. */
uint64_t frocc__reader_taken(const frocc_reader *reader);

/* Of the open file. */
frocc_status frocc__reader_plan(frocc_reader *reader, enum frocc__purpose purpose);

/* Label and id told by number in the first file are meant by name in the others. Finds the names.
 */
frocc_status frocc__reader_name_columns(frocc_reader *reader);

/* Back to the first rows, or to those behind the kept ones; nothing is open then. */
void frocc__reader_start_again(frocc_reader *reader);

/* The next rows from whichever file into the fresh batch, none at the end. */
frocc_status frocc__reader_read(frocc_reader *reader);

/* The texts of carried cells as JSON, valid until the next ones. */
frocc_status frocc__reader_carried_json(frocc_reader *reader, const char *const *texts,
                                        size_t count, const char *const **json);

/* ---- Parts of the data ----------------------------------------------------------------------- */

/* Finds the ranges. */
frocc_status frocc__reader_share_out(frocc_reader *reader);
bool frocc__reader_has_rows_in(const frocc_reader *reader, size_t file);

/* Leaves to the file that was just opened only the rows of the part. */
frocc_status frocc__reader_cut(frocc_reader *reader, frocc__input *input);

/* Lines of the file in front of the part. */
uint64_t frocc__reader_lines_before(const frocc_reader *reader, size_t file);

/* The next rows of the open file; a failure is in its line of the file. */
frocc_status frocc__reader_next_of_input(frocc_reader *reader, const frocc__job *job);

/* ---- Learning -------------------------------------------------------------------------------- */

/* Makes the schema, from the data where it must. */
frocc_status frocc__reader_learn(frocc_reader *reader);

/* Reads rows as if all their cells were numbers, and keeps them: until one is not, or there are too
 * many, or anything is wrong. What lies behind them is left to be looked at. */
frocc_status frocc__reader_keep(frocc_reader *reader);
uint64_t frocc__kept_rows(const frocc__kept *kept);
void frocc__kept_clear(frocc__kept *kept);

#endif
