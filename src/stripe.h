/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stripe is a run of rows, packed into panels; a panel and a block of directions make a tile.
 */
#ifndef FROCC_STRIPE_H
#define FROCC_STRIPE_H

#include "filter.h"
#include "frame.h"

/* The most panels and blocks that meet. */
#define FROCC_BAND 16
#define FROCC_GROUP 16

/* Values of up to FROCC_BLOCK directions: direction c of row r is values[c * stride + r]. */
typedef struct frocc__tile {
    const float *values;
    size_t stride;    /* FROCC_PANEL, or 1 for a single row */
    size_t first_row; /* of the rows that were given, unless the stripe picks some of them */
    size_t n_rows;    /* 1 to FROCC_PANEL; values of a panel beyond it are padding */
    size_t block;
    size_t n_directions; /* real ones; the last block may be padded */
    bool has_outside;    /* known to have values outside the widest intervals of a filter */
} frocc__tile;

static inline size_t frocc__directions_in(const frocc_frame *frame, size_t block) {
    return FROCC_MIN(frame->n_directions - block * FROCC_BLOCK, (size_t)FROCC_BLOCK);
}

/* What a thread has on its desk while it packs rows and projects them. */
typedef struct frocc__desk {
    float *rows;  /* FROCC_STRIP prepared rows */
    float *panel; /* one packed panel; frames that project panels wide only */
    float *work;  /* scratch of those */
    float *lines; /* FROCC_STRIP rows' projections on all directions */
    float *tiles; /* one of FROCC_TILE values; for long rows one per panel and block that meet */
} frocc__desk;

frocc_status frocc__desk_new(const frocc_frame *frame, frocc__desk *desk);
void frocc__desk_free(frocc__desk *desk);

/* A run of rows, packed. Frames that project wide, and sparse rows, are projected then. */
typedef struct frocc__stripe {
    size_t chunk;      /* features that are met at a time */
    size_t last_chunk; /* the first feature of the last chunk */
    size_t first_row, n_rows;
    const size_t *pick; /* which rows, in place of n_rows from first_row on; may be NULL */
    bool projected;     /* wide holds the projections; x is not used */
    float *x;           /* panels; for custom kernels the rows one after another */
    float *wide;        /* per panel its projections on all directions; see wide.h */
    double *norms;      /* |x|^2 per row, for RBF */
} frocc__stripe;

/* How many rows a stripe takes at most: of any kind, or for NULL of dense rows, which is more. */
size_t frocc__stripe_rows(const frocc_frame *frame, const frocc_rows *rows);
frocc_status frocc__stripe_new(const frocc_frame *frame, frocc__stripe *stripe);
void frocc__stripe_free(frocc__stripe *stripe);

/* Takes the memory that runs of these rows may need: frocc__stripe_begin then cannot fail. */
frocc_status frocc__stripe_expect(const frocc_frame *frame, const frocc_rows *rows,
                                  frocc__stripe *stripe);

/*
 * Says which rows come next: from first on, or those that pick names among them. Takes memory the
 * first time that rows are so sparse that skipping the zeros wins.
 */
frocc_status frocc__stripe_begin(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                                 size_t n_rows, const size_t *pick, frocc__stripe *stripe);

/* Packs one panel of the stripe's rows; returns the first unusable row, or SIZE_MAX. */
size_t frocc__stripe_pack(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                          size_t panel, frocc__desk *desk);

/*
 * Packing row by row, 0, 1, ... to the end of a panel: each is prepared in its slot and then
 * placed, or is padding.
 */
float *frocc__stripe_slot(const frocc_frame *frame, frocc__stripe *stripe, size_t r,
                          frocc__desk *desk);
void frocc__stripe_place(const frocc_frame *frame, frocc__stripe *stripe, size_t r, bool is_row,
                         frocc__desk *desk);

/*
 * Panels and blocks that meet: a panel stays in the first-level cache while the blocks come to it,
 * and the blocks in the second while the panels do. Long rows meet a chunk of their features at a
 * time, and their sums wait in the tiles: see frocc__desk.
 */
typedef struct frocc__meeting {
    size_t n_panels, panels[FROCC_BAND];
    size_t first_block, n_blocks;
} frocc__meeting;

/* Sums up all chunks but the last. */
void frocc__stripe_meet(const frocc_frame *frame, const frocc__stripe *stripe,
                        const frocc__meeting *meeting, frocc__desk *desk);

/*
 * Then the tile of one panel and one block of the meeting; it lasts until the next one. False when
 * it is known that the filter's widest intervals hold all of its values: then there is no tile.
 * filter may be NULL.
 */
bool frocc__stripe_project(const frocc_frame *frame, const frocc__stripe *stripe,
                           const frocc__meeting *meeting, size_t panel, size_t block,
                           const frocc__filter *filter, frocc__desk *desk, frocc__tile *tile);

#endif
