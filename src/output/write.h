/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing files: the writer, and what its formats agree on. */
#ifndef FROCC_WRITE_H
#define FROCC_WRITE_H

#include "base/replace.h"

/* ---- Formats --------------------------------------------------------------------------------- */

struct frocc_writer {
    frocc__out *out;
    char *path; /* as given */
    frocc_writer_options options;
    size_t n_features; /* or columns, of a table */
    uint64_t n_rows;
    frocc_table_column *columns; /* of a table; NULL for rows */
    const struct frocc__write_format *format;
    bool finished, is_packed;
    bool header_done; /* CSV: it waits for the first frocc_block, which tells whether there are ids
                       */
    char **names;     /* copies */
    char *label_name, *id_name;
    void *row; /* NPY and RAW: one row in the file's type */
    /* NPY: what the array holds. */
    size_t width;
    bool is_flat; /* of one dimension */
    const char *descr;
};

struct frocc__write_format {
    frocc_status (*begin)(frocc_writer *writer);
    frocc_status (*row)(frocc_writer *writer, const frocc_block *block, size_t row);
    frocc_status (*cells)(frocc_writer *writer, const frocc_cell *cells); /* NULL: no tables */
    frocc_status (*end)(frocc_writer *writer);
};

extern const struct frocc__write_format frocc__write_csv, frocc__write_npy, frocc__write_libsvm,
    frocc__write_raw, frocc__write_jsonl;

/* Value number i of the rows as a double, and as decimal text; returns the text's length. */
double frocc__value_at(const frocc_rows *rows, size_t i);
size_t frocc__print_at(const frocc_rows *rows, size_t i, char *text);

static inline bool frocc__is_text(frocc_cell_kind kind) {
    return kind == FROCC_CELL_TEXT || kind == FROCC_CELL_JSON;
}

/* A number of a table as decimal text. */
frocc_status frocc__write_number(frocc_writer *writer, frocc_cell_kind kind, frocc_cell cell);

/* For formats that have nothing to do at the beginning or the end. */
frocc_status frocc__write_nothing(frocc_writer *writer);

#endif
