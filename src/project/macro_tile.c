/* SPDX-License-Identifier: BSD-3-Clause */
/* From panels to tiles: O(d) multiply-adds per row and direction, of which coarse ones, where there
 * are, leave few to be exact. */
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
    size_t at = packed->last_chunk > 0 || macro->is_screened ? panel * macro->n_blocks + block : 0;
    return workspace->tiles + at * FROCC_TILE;
}

/* Macro-tiles that go without coarse projections after one where they decided little. */
#define PAUSE 7

/* What projecting rows of a panel costs: any FROCC_SUBPANEL of them together, or all. */
#define COST_OF_SOME 6
#define COST_OF_ALL 12

/* Less to project than this for a tile is worth the coarse projections. */
#define WORTH_IT 9

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

static frocc__row_mask real_rows(const frocc__packed *packed, size_t panel) {
    return ~(frocc__row_mask)0 >> (64 - frocc__rows_in(packed, panel));
}

/* ---- Rows that coarse projections are not sure of -------------------------------------------- */

/* Which tiles have some, a bit for each: few of them, which lie as they were given, per block; and
 * others, per panel. */
typedef struct unsure {
    uint16_t few[FROCC_MACRO_BLOCKS], others[FROCC_MACRO_PANELS];
    size_t cost; /* of projecting all of them */
} unsure;
_Static_assert(FROCC_MACRO_PANELS <= 16 && FROCC_MACRO_BLOCKS <= 16,
               "a bit for each panel, and for each block");

/* What projecting so many rows of a panel one by one costs: about half as much where the features
 * of each lie together. */
static size_t cost_of_few(size_t n_rows, bool is_given) {
    return is_given ? n_rows / 2 + 1 : n_rows;
}

static void note_unsure(frocc__row_mask rows, size_t panel, size_t block, bool is_given,
                        unsure *noted) {
    if (rows == 0) /* as for most of them: counting takes a call */
        return;
    const size_t n_rows = (size_t)__builtin_popcountll(rows);
    const size_t few = cost_of_few(n_rows, is_given);
    if (is_given && few <= COST_OF_SOME)
        noted->few[block] |= (uint16_t)(1u << panel);
    else
        noted->others[panel] |= (uint16_t)(1u << block);
    noted->cost += n_rows > FROCC_SUBPANEL ? COST_OF_ALL : FROCC_MIN(few, (size_t)COST_OF_SOME);
}

/* Pairs that wait: a list of them takes as long whether it is full or not. */
typedef struct waiting {
    size_t stride, n_features;
    bool goes_on;
    size_t count;
    frocc__pair pairs[FROCC_PAIRS];
} waiting;

static void project_waiting(const frocc_frame *frame, waiting *list) {
    if (list->count > 0)
        frame->kernels->coarse->project_pairs(list->pairs, list->count, list->stride,
                                              list->n_features, list->goes_on);
    list->count = 0;
}

/* Rows of a tile, of which lane 0 is at x, pair by pair. */
static void project_one_by_one(const frocc_frame *frame, frocc__row_mask rows, const float *x,
                               size_t row_stride, const float *w, float *tile, waiting *list) {
    for (; rows != 0; rows &= rows - 1) {
        const size_t r = (size_t)__builtin_ctzll(rows);
        if (list->count == FROCC_PAIRS)
            project_waiting(frame, list);
        list->pairs[list->count++] = (frocc__pair){x + r * row_stride, w, tile + r};
    }
}

/* Few rows of tiles. One block after the other: pairs of one block share the loads of it. */
static void project_few_rows(const frocc_frame *frame, const frocc__packed *packed,
                             const frocc__macro_tile *macro, const unsure *noted,
                             frocc__workspace *workspace) {
    waiting list = {.stride = 1, .n_features = frame->n_features};
    for (size_t b = 0; b < macro->n_blocks; b++)
        for (unsigned left = noted->few[b]; left != 0; left &= left - 1) {
            const size_t p = (size_t)__builtin_ctz(left);
            const size_t first_row = macro->panels[p] * FROCC_PANEL;
            project_one_by_one(frame, macro->rows[p][b],
                               packed->given + first_row * packed->given_stride,
                               packed->given_stride, block_at(frame, macro->first_block + b, 0),
                               tile_at(packed, macro, p, b, workspace), &list);
        }
    project_waiting(frame, &list);
}

/* Other tiles of a panel, the chunk of them from first on that the list is of. */
static void project_others(const frocc_frame *frame, const frocc__packed *packed,
                           const frocc__macro_tile *macro, size_t panel, unsigned left,
                           size_t first, waiting *list, frocc__workspace *workspace) {
    const float *x = frocc__packed_panel(frame, packed, macro->panels[panel], first);
    const size_t count = list->n_features;
    for (; left != 0; left &= left - 1) {
        const size_t b = (size_t)__builtin_ctz(left);
        const frocc__row_mask rows = macro->rows[panel][b];
        const float *w = block_at(frame, macro->first_block + b, first);
        float *tile = tile_at(packed, macro, panel, b, workspace);
        const size_t n_rows = (size_t)__builtin_popcountll(rows);
        if (n_rows > FROCC_SUBPANEL)
            frame->kernels->project_panel(x, w, count, list->goes_on, tile);
        else if (n_rows > COST_OF_SOME)
            frame->kernels->coarse->project_rows(x, rows, w, count, list->goes_on, tile);
        else
            project_one_by_one(frame, rows, x, 1, w, tile, list);
    }
}

static void project_unsure(const frocc_frame *frame, const frocc__packed *packed,
                           const frocc__macro_tile *macro, const unsure *noted,
                           frocc__workspace *workspace) {
    project_few_rows(frame, packed, macro, noted, workspace);
    waiting list = {.stride = FROCC_PANEL};
    for (size_t j = 0; j < frame->n_features; j += packed->chunk) {
        list.n_features = FROCC_MIN(packed->chunk, frame->n_features - j);
        list.goes_on = j > 0;
        for (size_t p = 0; p < macro->n_panels; p++)
            project_others(frame, packed, macro, p, noted->others[p], j, &list, workspace);
        project_waiting(frame, &list);
    }
}

/* Which rows coarse projections are not sure of, and whether to go on with them. */
static void screen(const frocc_frame *frame, const frocc__packed *packed, const frocc__inner *inner,
                   frocc__macro_tile *macro, unsure *noted, frocc__workspace *workspace) {
    frocc__coarse_panel panels[FROCC_MACRO_PANELS];
    frocc__workspace_clear(frame, workspace);
    for (size_t p = 0; p < macro->n_panels; p++) {
        panels[p] = frocc__packed_coarse(frame, packed, macro->panels[p]);
        panels[p].unsure = macro->rows[p];
    }
    frame->kernels->coarse->find_unsure(&frame->coarse, macro->first_block, macro->n_blocks,
                                        inner->low, inner->high, panels, macro->n_panels,
                                        &workspace->next);
    for (size_t p = 0; p < macro->n_panels; p++)
        for (size_t b = 0; b < macro->n_blocks; b++) {
            if (!inner->compares[macro->first_block + b])
                macro->rows[p][b] = ~(frocc__row_mask)0;
            macro->rows[p][b] &= real_rows(packed, macro->panels[p]);
            note_unsure(macro->rows[p][b], p, b, packed->given != NULL, noted);
        }
    if (noted->cost > WORTH_IT * macro->n_panels * macro->n_blocks)
        workspace->pause = PAUSE;
}

/* ---- All ------------------------------------------------------------------------------------- */

void frocc__macro_tile_project(const frocc_frame *frame, const frocc__packed *packed,
                               const frocc__inner *inner, frocc__macro_tile *macro,
                               frocc__workspace *workspace) {
    macro->is_screened = inner != NULL && packed->is_coarse && workspace->pause == 0;
    if (packed->projected)
        return;
    if (workspace->pause > 0)
        workspace->pause--;
    if (macro->is_screened) {
        unsure noted = {.cost = 0};
        screen(frame, packed, inner, macro, &noted, workspace);
        project_unsure(frame, packed, macro, &noted, workspace);
        return;
    }
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
    tile->rows = real_rows(packed, panel);
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
    if (macro->is_screened) {
        frocc__row_mask rows = macro->rows[panel][block];
        if (rows == 0)
            return false;
        frocc__describe_tile(frame, packed, p, b, values, tile);
        tile->rows = rows;
        tile->has_outside = true;
        return true;
    }
    frocc__fetch(&workspace->next, 1);
    if (!frocc__keeps_rows(frame))
        return finish_tile(frame, packed, p, b, inner, values, tile);
    frocc__describe_tile(frame, packed, p, b, values, tile);
    custom_tile(frame, frocc__packed_panel(frame, packed, p, 0), tile, values);
    return true;
}
