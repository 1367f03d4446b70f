/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing files: a buffered output that appears only when it is complete, and the formats. */
#ifndef FROCC_WRITE_H
#define FROCC_WRITE_H

#include "base/base.h"

/* ---- Output (write_out.c) ---------------------------------------------------------------------
 */

typedef struct frocc__out frocc__out;

/* patched: bytes that were written will be changed later, so a pipe gets them at the end only. */
frocc_status frocc__out_open(const char *path, bool patched, frocc__out **out);
frocc_status frocc__out_write(frocc__out *out, const void *bytes, size_t size);
/* Room for size bytes (at most 4096) to be written in place; out_used says how many were. */
frocc_status frocc__out_room(frocc__out *out, char **room);
void frocc__out_used(frocc__out *out, size_t size);
#define FROCC__OUT_ROOM 4096
frocc_status frocc__out_patch(frocc__out *out, uint64_t offset, const void *bytes, size_t size);
frocc_status frocc__out_finish(frocc__out *out);
void frocc__out_free(frocc__out *out);                   /* removes what is not finished */
const char *frocc__out_temporary(const frocc__out *out); /* NULL where there is none */

/* ---- Formats -----------------------------------------------------------------------------------
 */

struct frocc_writer {
    frocc__out *out;
    char *path; /* as given */
    frocc_writer_options options;
    size_t n_features;
    uint64_t n_rows;
    const struct frocc__write_format *format;
    bool finished;
    bool header_done; /* CSV: it waits for the first frocc_block, which tells whether there are ids
                       */
    char **names;     /* copies */
    char *label_name, *id_name;
    void *row; /* NPY and RAW: one row in the file's type */
};

struct frocc__write_format {
    frocc_status (*begin)(frocc_writer *writer);
    frocc_status (*row)(frocc_writer *writer, const frocc_block *block, size_t row);
    frocc_status (*end)(frocc_writer *writer);
};

extern const struct frocc__write_format frocc__write_csv, frocc__write_npy, frocc__write_libsvm,
    frocc__write_raw, frocc__write_jsonl;

/* Value number i of the rows as a double, and as decimal text; returns the text's length. */
double frocc__value_at(const frocc_rows *rows, size_t i);
size_t frocc__print_at(const frocc_rows *rows, size_t i, char *text);

#endif
