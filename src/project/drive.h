/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one driver. Rows go one way: prepared, packed into panels, projected block by block, and
 * handed on to a sink. Whoever fits or scores is a sink: it says what is done with a tile, or with
 * the projections of some rows. Nothing of size n x m exists.
 */
#ifndef FROCC_DRIVE_H
#define FROCC_DRIVE_H

#include "base/status.h"
#include "project/macro_tile.h"

/* Some rows and their projections on all directions: direction i of row r is values[i * stride +
 * r]. x holds the rows as prepared, panels of panel rows, feature j of row r within one being x[j *
 * panel + r]; NULL where directions are structured. */
typedef struct frocc__projections {
    const float *values;
    size_t stride, first_row, n_rows;
    const float *x;
    size_t panel;
    float *descending; /* room for FROCC_DESCENDING rows on all directions, close together */
} frocc__projections;

/* Copies rows first .. first + count - 1, at most FROCC_DESCENDING, to
 * projections->descending. */
void frocc__projections_copy(const frocc__projections *projections, size_t n_directions,
                             size_t first, size_t count);

/* What takes the values: either as tiles, or as the projections of some rows on all directions. */
typedef struct frocc__sink {
    void *context;
    /* Tiles of the same rows come in the order of the blocks and from one thread. */
    void (*take)(void *context, const frocc__tile *tile);
    /* Whether these rows, which n_directions have seen, need no more tiles; may be NULL. */
    bool (*done)(void *context, size_t first_row, size_t n_rows, size_t n_directions);
    /* Tiles whose values all lie in these ranges may be left out; may be NULL. */
    const frocc__inner *inner;
    void (*take_projections)(void *context, const frocc__projections *projections);
    /* Rows that can be used and that come next; on failure they do not. May be NULL. */
    frocc_status (*expect)(void *context, const frocc_rows *rows, size_t first, size_t count);
} frocc__sink;

/* What one thread needs to drive rows. */
typedef struct frocc__worker {
    frocc__packed packed;
    frocc__workspace workspace;
    size_t projected_panels;
    float *projections;  /* of so many panels, for sinks that take them; */
    float *descending;   /* of some rows of these */
    frocc_status status; /* how it ended last, */
    size_t bad_row;      /* at which row, or SIZE_MAX, */
    frocc__error error;  /* and what there is to say */
} frocc__worker;

frocc_status frocc__workers_new(const frocc_frame *frame, int threads, bool takes_projections,
                                frocc__worker **workers);
void frocc__workers_free(frocc__worker *workers, int threads);

/*
 * Drives all rows to a sink, run by run; threads take the runs in order. There is one worker per
 * thread and one sink for all threads or, where has_own is set, one for each: then the call is not
 * cancelled. On failure some rows may have been taken: of one thread, leading ones.
 */
frocc_status frocc__drive(const frocc_frame *frame, const frocc_rows *rows, frocc__worker *workers,
                          int team, const frocc__sink *sinks, bool has_own);

#endif
