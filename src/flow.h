/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows flow one way: prepared, packed into panels, projected block by block, and handed on as
 * tiles. Whoever fits or scores only says what is done with a tile. Nothing of size n x m exists.
 */
#ifndef FROCC_FLOW_H
#define FROCC_FLOW_H

#include "frame.h"

/* Values of up to FROCC_BLOCK directions: direction c of row r is values[c * stride + r]. */
typedef struct frocc__tile {
    const float *values;
    size_t stride;    /* FROCC_PANEL, or 1 for a single row */
    size_t first_row; /* of the rows that were given */
    size_t n_rows;    /* 1 to FROCC_PANEL; values of a panel beyond it are padding */
    size_t block;
    size_t n_directions; /* real ones; the last block may be padded */
} frocc__tile;

/*
 * A run of rows, packed. Narrow enough for the second-level cache, so that a block of directions
 * meets all of its panels before the next one is fetched.
 */
typedef struct frocc__stripe {
    size_t first_row, n_rows;
    const size_t *pick; /* which rows, in place of n_rows from first_row on; may be NULL */
    float *x;           /* panels; for custom kernels the rows one after another */
    double *norms;      /* |x|^2 per row, for RBF */
    float *row;         /* one prepared row */
    float *tile;        /* FROCC_TILE values */
    float *wide;        /* one row's projections on all directions */
} frocc__stripe;

size_t frocc__stripe_rows(const frocc_frame *frame);
frocc_status frocc__stripe_new(const frocc_frame *frame, frocc__stripe *stripe);
void frocc__stripe_free(frocc__stripe *stripe);

/* Packs one panel of the stripe's rows; returns the first unusable row, or SIZE_MAX. */
size_t frocc__stripe_pack(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                          size_t panel);

/* Puts a prepared row, or for NULL padding, at place r of the stripe. */
void frocc__stripe_place(const frocc_frame *frame, frocc__stripe *stripe, size_t r,
                         const float *row);

/* The tile of one panel and one block, in tile_values (FROCC_TILE of them). */
frocc__tile frocc__stripe_project(const frocc_frame *frame, const frocc__stripe *stripe,
                                  size_t panel, size_t block, float *tile_values);

typedef struct frocc__consumer {
    void *context;
    /* Tiles of the same rows come in the order of the blocks and from one thread. */
    void (*take)(void *context, const frocc__tile *tile);
    /* Whether these rows need no more tiles; may be NULL. */
    bool (*done)(void *context, size_t first_row, size_t n_rows);
} frocc__consumer;

/* Lets all rows flow to the consumer, threads over rows; stripes holds one stripe per thread. */
frocc_status frocc__flow(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripes,
                         int threads, const frocc__consumer *consumer);

#endif
