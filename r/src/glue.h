/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the glue share. Errors of R and interrupts jump past everything, so one rule
 * holds here: whatever the library gives is in a holder, an external pointer that frees it, before
 * anything of R's may jump; and no jump passes through the library.
 */
#ifndef FROCC_R_GLUE_H
#define FROCC_R_GLUE_H

#include <stdbool.h>

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "frocc_io.h"

/* ---- hold.c: objects of the library that R's garbage collector frees ------------------------- */

typedef enum held_kind {
    HELD_MODEL,
    HELD_SCORER,
    HELD_FITTER,
    HELD_READER,
    HELD_SCHEMA,
    HELD_BYTES
} held_kind;

/* An empty holder, to be protected; its object is put in with R_SetExternalPtrAddr. */
SEXP hold(held_kind kind);

/* Frees what is in it now; allocates nothing of R's, nor does rows_close. */
void release(SEXP holder);

/* The model of an R object of class frocc; made from its bytes where it has been saved or sent
 * since it was last used. NULL where they are damaged: return failure_without_place(). */
const frocc_model *model_of(SEXP object);

/* The parts of an R object of class frocc: the holder, and the bytes of the model in it. What it
 * returns may also be a failure. */
SEXP object_parts(SEXP holder);

/* ---- rows.c: rows of R's, block by block ----------------------------------------------------- */

#define BLOCK_MOST_ROWS 4096

typedef struct r_rows {
    SEXP values;          /* a matrix of numbers, or NULL, and then */
    frocc_reader *reader; /* what reads a table or a file, */
    SEXP holder;          /* in its holder */
    bool is_file;
    size_t n_rows, n_features;
    size_t next;  /* of a matrix: the first row of the next block */
    double *room; /* of a matrix: for the rows of a block */
    size_t room_rows;
    frocc_rows block;        /* the last one */
    const uint64_t *numbers; /* of a table or file: the block's row numbers, from 1 */
    bool is_reading;         /* a failure is the reader's, which knows where it is */
    SEXP token;              /* for a jump of R's that waits until the library has returned */
    bool jumps;
} r_rows;

/* Protects two objects. given is a matrix or a list of class frocc_table or frocc_file, which are
 * read through the model's schema, or learn one where model is NULL. */
frocc_status rows_open(SEXP given, const frocc_model *model, r_rows *rows);
void rows_close(r_rows *rows);

/* Whether R wants to leave: an interrupt, a time limit. It then does so in failure(), when the
 * library has returned. */
bool wants_to_leave(r_rows *rows);

/* The next block, as of a frocc_source; n_rows 0 at the end. Sees interrupts. */
frocc_status rows_next(void *context, frocc_rows *block);
frocc_source rows_source(r_rows *rows);

/* Which row of all, from 0. */
size_t rows_number(const r_rows *rows, size_t row);

/* ---- failure.c ------------------------------------------------------------------------------- */

/* What the calls return when the library has failed, for R to make a condition of. Where R wants to
 * jump, it jumps. */
SEXP failure(frocc_status status, r_rows *rows);
SEXP failure_without_place(frocc_status status);

/* An element of a list, by name; R_NilValue where there is none. */
SEXP element(SEXP list, const char *name);

#endif
