/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packing: a run of rows becomes panels, which lie feature by feature, so that the lanes of a
 * vector are rows.
 */
#ifndef FROCC_PACK_H
#define FROCC_PACK_H

#include "frame/frame.h"

/* The memory that a thread needs while it packs rows and projects them. Workspaces lie side by
 * side, but no two in one line of a cache. */
typedef struct frocc__workspace {
    _Alignas(FROCC_LINE) float *rows; /* FROCC_SUBPANEL prepared rows */
    float *scratch;                   /* of those */
    float *lines;                     /* FROCC_SUBPANEL rows' projections on all directions */
    float *tiles;         /* one of FROCC_TILE values; for long rows one per panel and block of a
                           * macro-tile */
    frocc__fetching next; /* rows that will be packed soon */
} frocc__workspace;

frocc_status frocc__workspace_new(const frocc_frame *frame, frocc__workspace *workspace);
void frocc__workspace_free(frocc__workspace *workspace);

/* A run of rows, packed. Structured directions, and rows so sparse that their zeros are skipped,
 * are projected right away, row by row. */
typedef struct frocc__packed {
    size_t chunk;      /* features that are projected at a time */
    size_t last_chunk; /* the first feature of the last chunk */
    size_t first_row, n_rows;
    const float *given; /* the rows, where packing only turns them to lanes; or NULL */
    size_t given_stride;
    bool projected;     /* there are projections; x is not used */
    float *x;           /* panels; for custom kernels the rows one after another */
    float *projections; /* per panel its tiles, one for each block */
    double *norms;      /* |x|^2 per row, for RBF */
} frocc__packed;

/* How many rows are packed at most: of these, or for NULL of dense rows, which is more. */
size_t frocc__packed_most(const frocc_frame *frame, const frocc_rows *rows);
frocc_status frocc__packed_new(const frocc_frame *frame, frocc__packed *packed);
void frocc__packed_free(frocc__packed *packed);

/* Takes the memory that runs of these rows may need: frocc__packed_begin then cannot fail. */
frocc_status frocc__packed_expect(const frocc_frame *frame, const frocc_rows *rows,
                                  frocc__packed *packed);

/* Says which rows come next. Takes memory the first time that rows are so sparse that skipping the
 * zeros wins. */
frocc_status frocc__packed_begin(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                                 size_t n_rows, frocc__packed *packed);

/* For rows from first on, which will be packed soon: as many as are packed now, so much of them
 * with each tile of these. Nothing, where it is not worth it. */
frocc__fetching frocc__packed_fetching(const frocc_frame *frame, const frocc__packed *packed,
                                       const frocc_rows *rows, size_t first);

/* Packs one panel of the rows; returns the first unusable row, or SIZE_MAX. */
size_t frocc__pack_panel(const frocc_frame *frame, const frocc_rows *rows, frocc__packed *packed,
                         size_t panel, frocc__workspace *workspace);

/* A panel from some feature on; its projections on all directions, where there are. */
const float *frocc__packed_panel(const frocc_frame *frame, const frocc__packed *packed,
                                 size_t panel, size_t feature);
const float *frocc__packed_projections(const frocc_frame *frame, const frocc__packed *packed,
                                       size_t panel);

static inline size_t frocc__panels_of(const frocc__packed *packed) {
    return (packed->n_rows + FROCC_PANEL - 1) / FROCC_PANEL;
}

/* Rows of a panel that are not padding. */
static inline size_t frocc__rows_in(const frocc__packed *packed, size_t panel) {
    return FROCC_MIN(packed->n_rows - panel * FROCC_PANEL, (size_t)FROCC_PANEL);
}

/* Applies the kernel function to the dot products of a panel and a block. */
void frocc__packed_transform(const frocc_frame *frame, const frocc__packed *packed, size_t panel,
                             size_t block, float *tile);

#endif
