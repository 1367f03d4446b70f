/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files whose lines are rows of cells: CSV, and JSON lines (read_jsonl.c), which has rows of
 * its own and shares the rest. CSV in three parts: cells (read_csv_cells.c), rows and pieces of
 * text (read_csv_rows.c), and whole buffers by several threads (read_csv.c). */
#ifndef FROCC_READ_CSV_H
#define FROCC_READ_CSV_H

#include "base/status.h"
#include "input/read.h"
#include "numbers/number.h"

struct frocc__csv_parser;

struct frocc__csv {
    frocc__input input;
    frocc__lines lines;
    char separator;
    enum frocc__decimals decimals;
    char *header; /* a line that is passed over where it stands again; NULL: none is */
    size_t header_length;
    uint64_t n_rows; /* so far, dropped ones included */
    struct frocc__csv_parser *parsers;
    size_t n_parsers;
    uint32_t *ends; /* of cells, ends_room for each thread */
    size_t ends_room;
    size_t n_text_columns; /* whose texts are collected */
    /* All rows of a piece, and the line of its n-th row, from 1. */
    frocc_status (*parse)(struct frocc__csv_parser *parser);
    uint64_t (*row_line)(const struct frocc__csv_parser *parser, uint64_t row);
    frocc__vocab
        keys; /* the names of the columns: of JSON lines; of CSV where bad rows are listed */
    bool is_json;
    char *scratch; /* and for those that are escaped in the first lines */
    size_t scratch_size;
    bool takes_any_key; /* others may be there, and are left out */
    uint32_t *runs; /* for each column, how many from it on are numbers to neighbouring features */
};

/* One thread's work on one piece. */
struct frocc__csv_parser {
    const struct frocc__csv *csv;
    const frocc__job *job;
    const frocc__plan *plan;
    frocc__survey *survey; /* NULL when rows are wanted */
    const frocc__piece *piece;
    const char *end; /* where a quote must be closed: the end of the piece, or of the line */
    frocc__texts *texts;
    size_t first_row; /* where the rows go in the buffer */
    size_t n_rows;    /* kept */
    size_t n_seen;
    size_t n_headers;
    char *row; /* of the values: the one being filled */
    size_t row_bytes;
    double times[FROCC__MOST_TIMES]; /* of the row, between which differences are wanted */
    bool drop;                       /* this row has a missing cell and will not be kept */
    uint32_t *ends; /* of the cells of the piece; NULL when they are not looked for. JSON lines: for
                       each column, behind the number of the row, the last row that has it */
    size_t column;  /* JSON lines: the one that is likely to come next */
    char *scratch;  /* for quoted cells, and the row of a survey */
    size_t scratch_size;
};

static inline size_t frocc__csv_value_size(const frocc__plan *plan) {
    return plan->dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
}

/* The number of the line that the text at belongs to. */
unsigned long long frocc__csv_line_at(const struct frocc__csv_parser *s, const char *at);

/* A row, which begins at the text at, has another number of cells than it should. */
frocc_status frocc__csv_count_error(const struct frocc__csv_parser *s, const char *at, size_t count,
                                    bool more);

/* A comment, which begins at the text at, has as many cells as a row. */
frocc_status frocc__csv_comment_error(const struct frocc__csv_parser *s, const char *at);

/* Any cell, to where its column goes. *position: its start, then its end. */
frocc_status frocc__csv_cut_cell(struct frocc__csv_parser *s, size_t column, const char **position);

/* What becomes of a cell that was cut out, without quotes and blanks; the text at tells the line.
 */
frocc_status frocc__csv_take_cell(struct frocc__csv_parser *s, size_t column, const char *at,
                                  const frocc__cell *cell);

/* A row that began and failed: one of the bad rows, or a failure. */
frocc_status frocc__csv_row_failed(struct frocc__csv_parser *s, frocc_status status);

/* The differences between the times of a row. */
void frocc__csv_subtract_times(const struct frocc__csv_parser *s);

/* All cells of a row have been taken. */
void frocc__csv_row_done(struct frocc__csv_parser *s);

/* Remembers the texts of the columns to carry, of the row at the text at, which has no mistakes. */
frocc_status frocc__csv_carry(struct frocc__csv_parser *s, const char *at);

/* All rows of the parser's piece. */
frocc_status frocc__csv_parse_piece(struct frocc__csv_parser *s);

/* The line of the n-th row of the piece, from 1. */
uint64_t frocc__csv_row_line(const struct frocc__csv_parser *s, uint64_t row);

extern const frocc__input_class frocc__jsonl_class;

#endif
