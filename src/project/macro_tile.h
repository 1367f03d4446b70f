/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles of projections. A panel of rows and a block of directions make a tile, unless it is known
 * that nothing in it matters; several panels and several blocks make a macro-tile, which is as much
 * as the caches hold.
 */
#ifndef FROCC_MACRO_TILE_H
#define FROCC_MACRO_TILE_H

#include "project/pack.h"

/* Values of up to FROCC_BLOCK directions: direction c of row r is values[c * stride + r]. */
typedef struct frocc__tile {
    const float *values;
    size_t stride;    /* FROCC_PANEL, or 1 for a single row */
    size_t first_row; /* of the rows that were given */
    size_t n_rows;    /* 1 to stride; values beyond are padding */
    size_t block;
    size_t n_directions; /* real ones; the last block may be padded */
    bool has_outside;    /* not worth asking: some value is, or may well be, outside */
} frocc__tile;

/* Those that are not padding. */
static inline frocc__row_mask frocc__tile_rows(const frocc__tile *tile) {
    return ~(frocc__row_mask)0 >> (64 - tile->n_rows);
}

static inline size_t frocc__directions_in(const frocc_frame *frame, size_t block) {
    return FROCC_MIN(frame->n_directions - block * FROCC_BLOCK, (size_t)FROCC_BLOCK);
}

/* Per direction, a range whose values nobody needs: tiles that lie in it are not made. Padded to
 * whole blocks; empty ranges hold nothing. */
typedef struct frocc__inner {
    float *low, *high;
    bool *compares; /* per block: it is worth looking */
} frocc__inner;

/*
 * A macro-tile is some panels by some blocks: a panel stays in the first-level cache while it is
 * projected on all of the blocks, and the blocks stay in the second while all of the panels are.
 * Long rows are projected a chunk of their features at a time, and their sums wait in the tiles of
 * the workspace.
 */
typedef struct frocc__macro_tile {
    size_t n_panels, panels[FROCC_MACRO_PANELS];
    size_t first_block, n_blocks;
} frocc__macro_tile;

/* Sums up all chunks but the last. */
void frocc__macro_tile_project(const frocc_frame *frame, const frocc__packed *packed,
                               const frocc__macro_tile *macro, frocc__workspace *workspace);

/*
 * Then the tile of one panel and one block of the macro-tile; it lasts until the next one. False
 * when it is known that the inner ranges hold all of its values: then there is no tile. inner may
 * be NULL.
 */
bool frocc__macro_tile_at(const frocc_frame *frame, const frocc__packed *packed,
                          const frocc__macro_tile *macro, size_t panel, size_t block,
                          const frocc__inner *inner, frocc__workspace *workspace,
                          frocc__tile *tile);

/* Says what a tile of one panel and one block is of. */
void frocc__describe_tile(const frocc_frame *frame, const frocc__packed *packed, size_t panel,
                          size_t block, const float *values, frocc__tile *tile);

/* Where directions are lists of few features: one panel on at most FROCC_LIST_BLOCKS blocks, with
 * the values of direction i at out + i * stride. */
void frocc__list_tiles(const frocc_frame *frame, const frocc__packed *packed, size_t panel,
                       size_t first_block, size_t n_blocks, frocc__workspace *workspace, float *out,
                       size_t stride);

#endif
