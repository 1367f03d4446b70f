/* SPDX-License-Identifier: BSD-3-Clause */
/* From panels to tiles: O(d) multiply-adds per row and direction. */
#include "project/macro_tile.h"

#include <string.h>

#include "frame/single_row.h"
#include "frame/whole_rows.h"

static const float *block_at(const frocc_frame *frame, size_t block, size_t feature) {
    return frame->w + (block * frame->n_features + feature) * FROCC_BLOCK;
}

/* Where the sums of a panel and a block wait; those of one chunk need not. */
static float *tile_at(const frocc__packed *packed, const frocc__macro_tile *macro, size_t panel,
                      size_t block, frocc__workspace *workspace) {
    size_t at = packed->last_chunk > 0 ? panel * macro->n_blocks + block : 0;
    return workspace->tiles + at * FROCC_TILE;
}

/* A part of a block, from feature on, that will be used soon: it may come from far away. */
static void fetch_block(const frocc_frame *frame, size_t block, size_t feature, size_t n_features,
                        size_t part, size_t n_parts) {
    const size_t bytes = n_features * FROCC_BLOCK * sizeof(float);
    const size_t lines = bytes / FROCC_LINE / n_parts + 1;
    const uintptr_t start = (uintptr_t)block_at(frame, block, feature);
    frocc__fetch(&(frocc__fetching){start + part * lines * FROCC_LINE, start + bytes, lines}, 1);
}

/* A chunk of a panel, but not the last. Several panels fetch the blocks' next chunk together; for
 * one alone it is not worth it. */
static void project_blocks(const frocc_frame *frame, const frocc__packed *packed,
                           const frocc__macro_tile *macro, size_t panel, size_t first,
                           frocc__workspace *workspace) {
    const float *x = frocc__packed_panel(frame, packed, macro->panels[panel], first);
    for (size_t b = 0; b < macro->n_blocks; b++) {
        const size_t block = macro->first_block + b;
        if (macro->n_panels > 1)
            fetch_block(frame, block, first + packed->chunk, packed->chunk, panel, macro->n_panels);
        frame->kernels->project_panel(x, block_at(frame, block, first), packed->chunk, first > 0,
                                      tile_at(packed, macro, panel, b, workspace));
    }
}

void frocc__macro_tile_project(const frocc_frame *frame, const frocc__packed *packed,
                               const frocc__macro_tile *macro, frocc__workspace *workspace) {
    if (packed->projected)
        return;
    for (size_t j = 0; j < packed->last_chunk; j += packed->chunk)
        for (size_t p = 0; p < macro->n_panels; p++)
            project_blocks(frame, packed, macro, p, j, workspace);
}

static void custom_tile(const frocc_frame *frame, const float *x, const frocc__tile *shape,
                        float *tile) {
    for (size_t c = 0; c < shape->n_directions; c++)
        for (size_t r = 0; r < shape->n_rows; r++)
            tile[c * FROCC_PANEL + r] = frocc__custom_value(frame, x + r * frame->n_features,
                                                            shape->block * FROCC_BLOCK + c);
}

/* Says what a tile is of. Field by field: a copy would wait until all of them are in memory. */
void frocc__describe_tile(const frocc_frame *frame, const frocc__packed *packed, size_t panel,
                          size_t block, const float *values, frocc__tile *tile) {
    size_t first = panel * FROCC_PANEL;
    tile->values = values;
    tile->stride = FROCC_PANEL;
    tile->first_row = packed->first_row + first;
    tile->n_rows = frocc__rows_in(packed, panel);
    tile->block = block;
    tile->n_directions = frocc__directions_in(frame, block);
    tile->has_outside = false;
}

/* The last chunk of a tile, or the only one. False when all values are in the widest intervals. */
static bool finish_tile(const frocc_frame *frame, const frocc__packed *packed, size_t panel,
                        size_t block, const frocc__inner *inner, float *values, frocc__tile *tile) {
    const frocc__kernels *kernels = frame->kernels;
    const size_t first = packed->last_chunk, count = frame->n_features - first;
    const float *x = frocc__packed_panel(frame, packed, panel, first),
                *w = block_at(frame, block, first);
    if (inner != NULL && frame->transform.kernel == FROCC_KERNEL_LINEAR && inner->compares[block]) {
        const size_t slot = block * FROCC_BLOCK;
        if (!kernels->project_outside(x, w, count, first > 0, inner->low + slot, inner->high + slot,
                                      values))
            return false;
        frocc__describe_tile(frame, packed, panel, block, values, tile);
        tile->has_outside = true;
        return true;
    }
    kernels->project_panel(x, w, count, first > 0, values);
    frocc__describe_tile(frame, packed, panel, block, values, tile);
    if (frame->transform.kernel != FROCC_KERNEL_LINEAR)
        frocc__packed_transform(frame, packed, panel, block, values);
    return true;
}

/* Kernel functions take whole tiles. */
static void transform_lists(const frocc_frame *frame, const frocc__packed *packed, size_t panel,
                            size_t block, float *out, size_t stride) {
    _Alignas(FROCC_LINE) float tile[FROCC_TILE];
    for (size_t c = 0; c < FROCC_BLOCK; c++)
        memcpy(tile + c * FROCC_PANEL, out + c * stride, FROCC_PANEL * sizeof(float));
    frocc__packed_transform(frame, packed, panel, block, tile);
    for (size_t c = 0; c < FROCC_BLOCK; c++)
        memcpy(out + c * stride, tile + c * FROCC_PANEL, FROCC_PANEL * sizeof(float));
}

void frocc__list_tiles(const frocc_frame *frame, const frocc__packed *packed, size_t panel,
                       size_t first_block, size_t n_blocks, frocc__workspace *workspace, float *out,
                       size_t stride) {
    frocc__project_lists(frame, frocc__packed_panel(frame, packed, panel, 0), first_block, n_blocks,
                         workspace->scratch, out, stride);
    for (size_t b = 0; frame->transform.kernel != FROCC_KERNEL_LINEAR && b < n_blocks; b++)
        transform_lists(frame, packed, panel, first_block + b, out + b * FROCC_BLOCK * stride,
                        stride);
}

bool frocc__macro_tile_at(const frocc_frame *frame, const frocc__packed *packed,
                          const frocc__macro_tile *macro, size_t panel, size_t block,
                          const frocc__inner *inner, frocc__workspace *workspace,
                          frocc__tile *tile) {
    const size_t p = macro->panels[panel], b = macro->first_block + block;
    if (packed->projected) {
        const float *tiles = frocc__packed_projections(frame, packed, p);
        frocc__describe_tile(frame, packed, p, b, tiles + b * FROCC_TILE, tile);
        return true;
    }
    float *values = tile_at(packed, macro, panel, block, workspace);
    frocc__fetch(&workspace->next, 1);
    if (!frocc__keeps_rows(frame))
        return finish_tile(frame, packed, p, b, inner, values, tile);
    frocc__describe_tile(frame, packed, p, b, values, tile);
    custom_tile(frame, frocc__packed_panel(frame, packed, p, 0), tile, values);
    return true;
}
