/* SPDX-License-Identifier: BSD-3-Clause */
/* A stripe is a run of rows, packed into panels. */
#ifndef FROCC_PACK_H
#define FROCC_PACK_H

#include "frame/frame.h"

/* What a thread has on its desk while it packs rows and projects them. Desks lie side by side, but
 * no two in one line of a cache. */
typedef struct frocc__desk {
    _Alignas(FROCC_LINE) float *rows; /* FROCC_STRIP prepared rows */
    float *work;                      /* scratch of those */
    float *lines;                     /* FROCC_STRIP rows' projections on all directions */
    float *tiles;  /* one of FROCC_TILE values; one per panel and block that meet for long rows, and
                    * where projections can be coarse */
    bool is_clear; /* the tiles hold numbers */
    size_t pause;  /* meetings until coarse projections are tried again */
    frocc__fetching next; /* rows that will be packed soon */
} frocc__desk;

frocc_status frocc__desk_new(const frocc_frame *frame, frocc__desk *desk);
void frocc__desk_free(frocc__desk *desk);

/* Numbers in all tiles, the first time: where only some rows get values, all are looked at. */
void frocc__desk_clear(const frocc_frame *frame, frocc__desk *desk);

/* A run of rows, packed. Frames that project wide, and sparse rows, are projected then. */
typedef struct frocc__stripe {
    size_t chunk;      /* features that are met at a time */
    size_t last_chunk; /* the first feature of the last chunk */
    size_t first_row, n_rows;
    float *prepared;    /* room for prepared rows; where panels can be coarse */
    const float *given; /* rows as they are in the panels, each by itself: prepared, or those that
                         * were given where the frame does nothing to them; may be NULL */
    size_t given_stride;
    bool packs_given; /* packing only turns them to lanes */
    bool projected;   /* wide holds the projections; x is not used */
    float *x;         /* panels; for custom kernels the rows one after another */
    float *wide;      /* per panel its projections on all directions; see whole_rows.h */
    double *norms;    /* |x|^2 per row, for RBF */
    bool is_coarse;   /* whether the panels are here coarsely too, which frame->coarse is for */
    uint16_t *coarse;
    float *lengths; /* per panel, for its rows: how long, and how long what is lost */
} frocc__stripe;

/* How many rows a stripe takes at most: of any kind, or for NULL of dense rows, which is more. */
size_t frocc__stripe_rows(const frocc_frame *frame, const frocc_rows *rows);
frocc_status frocc__stripe_new(const frocc_frame *frame, frocc__stripe *stripe);
void frocc__stripe_free(frocc__stripe *stripe);

/* Takes the memory that runs of these rows may need: frocc__stripe_begin then cannot fail. */
frocc_status frocc__stripe_expect(const frocc_frame *frame, const frocc_rows *rows,
                                  frocc__stripe *stripe);

/* Says which rows come next. Takes memory the first time that rows are so sparse that skipping the
 * zeros wins. */
frocc_status frocc__stripe_begin(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                                 size_t n_rows, frocc__stripe *stripe);

/* For rows from first on, which will be packed soon: as many as the stripe has, so much of them
 * with each of its tiles. Nothing, where it is not worth it. */
frocc__fetching frocc__stripe_fetching(const frocc_frame *frame, const frocc__stripe *stripe,
                                       const frocc_rows *rows, size_t first);

/* Packs one panel of the stripe's rows; returns the first unusable row, or SIZE_MAX. */
size_t frocc__stripe_pack(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                          size_t panel, frocc__desk *desk);

/* A panel from some feature on; its projections on all directions, where there are; and coarsely.
 */
const float *frocc__stripe_panel(const frocc_frame *frame, const frocc__stripe *stripe,
                                 size_t panel, size_t feature);
const float *frocc__stripe_wide(const frocc_frame *frame, const frocc__stripe *stripe,
                                size_t panel);
frocc__coarse_panel frocc__stripe_coarse(const frocc_frame *frame, const frocc__stripe *stripe,
                                         size_t panel);

static inline size_t frocc__panels_of(const frocc__stripe *stripe) {
    return (stripe->n_rows + FROCC_PANEL - 1) / FROCC_PANEL;
}

/* Rows of a panel that are not padding. */
static inline size_t frocc__rows_in(const frocc__stripe *stripe, size_t panel) {
    return FROCC_MIN(stripe->n_rows - panel * FROCC_PANEL, (size_t)FROCC_PANEL);
}

/* Applies the kernel function to the dot products of a panel and a block. */
void frocc__stripe_transform(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel,
                             size_t block, float *tile);

#endif
