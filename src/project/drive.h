/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows flow one way: prepared, packed into panels, projected block by block, and handed on as
 * tiles. Whoever fits or scores only says what is done with a tile. Nothing of size n x m exists.
 */
#ifndef FROCC_DRIVE_H
#define FROCC_DRIVE_H

#include "base/status.h"
#include "project/macro_tile.h"

/* Some rows and their projections on all directions: direction i of row r is values[i * stride +
 * r]. x holds the rows as prepared, panels of panel rows, feature j of row r within one being x[j *
 * panel + r]; NULL where directions are structured. */
typedef struct frocc__band {
    const float *values;
    size_t stride, first_row, n_rows;
    const float *x;
    size_t panel;
    float *few; /* room for FROCC_DESCENDING rows on all directions, close together */
} frocc__band;

/* Copies rows first .. first + count - 1, at most FROCC_DESCENDING, of a band to band->few. */
void frocc__band_copy(const frocc__band *band, size_t n_directions, size_t first, size_t count);

/* Either tiles or bands are taken. */
typedef struct frocc__consumer {
    void *context;
    /* Tiles of the same rows come in the order of the blocks and from one thread. */
    void (*take)(void *context, const frocc__tile *tile);
    /* Whether these rows, which n_directions have seen, need no more tiles; may be NULL. */
    bool (*done)(void *context, size_t first_row, size_t n_rows, size_t n_directions);
    /* Tiles whose values all lie in these ranges may be left out; may be NULL. */
    const frocc__inner *inner;
    void (*take_band)(void *context, const frocc__band *band);
    /* Rows that can be used and that come next; on failure they do not. May be NULL. */
    frocc_status (*expect)(void *context, const frocc_rows *rows, size_t first, size_t count);
} frocc__consumer;

/* What one thread needs to let rows flow. */
typedef struct frocc__channel {
    frocc__stripe stripe;
    frocc__desk desk;
    size_t band_panels;
    float *band;                  /* projections of so many panels, for consumers of bands; */
    float *few;                   /* of some rows of it */
    frocc_status status;          /* how it ended last, */
    size_t bad_row;               /* at which row, or SIZE_MAX, */
    char error[FROCC_ERROR_SIZE]; /* and what there is to say */
} frocc__channel;

frocc_status frocc__channels_new(const frocc_frame *frame, int threads, bool has_bands,
                                 frocc__channel **channels);
void frocc__channels_free(frocc__channel *channels, int threads);

/*
 * Lets all rows flow, run by run, which threads share out in order. There is one channel per thread
 * and one consumer for all threads or, where has_own is set, one for each. On failure some rows may
 * have been taken: of one thread, leading ones.
 */
frocc_status frocc__flow(const frocc_frame *frame, const frocc_rows *rows, frocc__channel *channels,
                         int team, const frocc__consumer *consumers, bool has_own);

#endif
