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
static float *tile_at(const frocc__stripe *stripe, const frocc__meeting *meeting, size_t panel,
                      size_t block, frocc__desk *desk) {
    size_t at =
        stripe->last_chunk > 0 || meeting->is_screened ? panel * meeting->n_blocks + block : 0;
    return desk->tiles + at * FROCC_TILE;
}

/* Meetings that go without coarse projections after one where they decided little. */
#define PAUSE 7

/* What projecting rows of a panel costs: any FROCC_STRIP of them together, or all. */
#define COST_OF_SOME 6
#define COST_OF_ALL 12

/* Less to project than this for a tile is worth the coarse projections. */
#define WORTH_IT 9

/* A part of a block, from feature on, that will be met soon: it may come from far away. */
static void fetch_block(const frocc_frame *frame, size_t block, size_t feature, size_t n_features,
                        size_t part, size_t n_parts) {
    const size_t bytes = n_features * FROCC_BLOCK * sizeof(float);
    const size_t lines = bytes / FROCC_LINE / n_parts + 1;
    const uintptr_t start = (uintptr_t)block_at(frame, block, feature);
    frocc__fetch(&(frocc__fetching){start + part * lines * FROCC_LINE, start + bytes, lines}, 1);
}

/* A chunk of a panel, but not the last. Several panels fetch the blocks' next chunk together; for
 * one alone it is not worth it. */
static void project_blocks(const frocc_frame *frame, const frocc__stripe *stripe,
                           const frocc__meeting *meeting, size_t panel, size_t first,
                           frocc__desk *desk) {
    const float *x = frocc__stripe_panel(frame, stripe, meeting->panels[panel], first);
    for (size_t b = 0; b < meeting->n_blocks; b++) {
        const size_t block = meeting->first_block + b;
        if (meeting->n_panels > 1)
            fetch_block(frame, block, first + stripe->chunk, stripe->chunk, panel,
                        meeting->n_panels);
        frame->kernels->project_panel(x, block_at(frame, block, first), stripe->chunk, first > 0,
                                      tile_at(stripe, meeting, panel, b, desk));
    }
}

static frocc__row_mask real_rows(const frocc__stripe *stripe, size_t panel) {
    return ~(frocc__row_mask)0 >> (64 - frocc__rows_in(stripe, panel));
}

/* ---- Rows that coarse projections are not sure of -------------------------------------------- */

/* Which tiles have some, a bit for each: few of them, which lie as they were given, per block; and
 * others, per panel. */
typedef struct unsure {
    uint16_t few[FROCC_GROUP], others[FROCC_BAND];
    size_t cost; /* of projecting all of them */
} unsure;
_Static_assert(FROCC_BAND <= 16 && FROCC_GROUP <= 16, "a bit for each panel, and for each block");

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
    noted->cost += n_rows > FROCC_STRIP ? COST_OF_ALL : FROCC_MIN(few, (size_t)COST_OF_SOME);
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
static void project_few(const frocc_frame *frame, const frocc__stripe *stripe,
                        const frocc__meeting *meeting, const unsure *noted, frocc__desk *desk) {
    waiting list = {.stride = 1, .n_features = frame->n_features};
    for (size_t b = 0; b < meeting->n_blocks; b++)
        for (unsigned left = noted->few[b]; left != 0; left &= left - 1) {
            const size_t p = (size_t)__builtin_ctz(left);
            const size_t first_row = meeting->panels[p] * FROCC_PANEL;
            project_one_by_one(frame, meeting->rows[p][b],
                               stripe->given + first_row * stripe->given_stride,
                               stripe->given_stride, block_at(frame, meeting->first_block + b, 0),
                               tile_at(stripe, meeting, p, b, desk), &list);
        }
    project_waiting(frame, &list);
}

/* Other tiles of a panel, the chunk of them from first on that the list is of. */
static void project_others(const frocc_frame *frame, const frocc__stripe *stripe,
                           const frocc__meeting *meeting, size_t panel, unsigned left, size_t first,
                           waiting *list, frocc__desk *desk) {
    const float *x = frocc__stripe_panel(frame, stripe, meeting->panels[panel], first);
    const size_t count = list->n_features;
    for (; left != 0; left &= left - 1) {
        const size_t b = (size_t)__builtin_ctz(left);
        const frocc__row_mask rows = meeting->rows[panel][b];
        const float *w = block_at(frame, meeting->first_block + b, first);
        float *tile = tile_at(stripe, meeting, panel, b, desk);
        const size_t n_rows = (size_t)__builtin_popcountll(rows);
        if (n_rows > FROCC_STRIP)
            frame->kernels->project_panel(x, w, count, list->goes_on, tile);
        else if (n_rows > COST_OF_SOME)
            frame->kernels->coarse->project_rows(x, rows, w, count, list->goes_on, tile);
        else
            project_one_by_one(frame, rows, x, 1, w, tile, list);
    }
}

static void project_unsure(const frocc_frame *frame, const frocc__stripe *stripe,
                           const frocc__meeting *meeting, const unsure *noted, frocc__desk *desk) {
    project_few(frame, stripe, meeting, noted, desk);
    waiting list = {.stride = FROCC_PANEL};
    for (size_t j = 0; j < frame->n_features; j += stripe->chunk) {
        list.n_features = FROCC_MIN(stripe->chunk, frame->n_features - j);
        list.goes_on = j > 0;
        for (size_t p = 0; p < meeting->n_panels; p++)
            project_others(frame, stripe, meeting, p, noted->others[p], j, &list, desk);
        project_waiting(frame, &list);
    }
}

/* Which rows coarse projections are not sure of, and whether to go on with them. */
static void screen(const frocc_frame *frame, const frocc__stripe *stripe, const frocc__inner *inner,
                   frocc__meeting *meeting, unsure *noted, frocc__desk *desk) {
    frocc__coarse_panel panels[FROCC_BAND];
    frocc__desk_clear(frame, desk);
    for (size_t p = 0; p < meeting->n_panels; p++) {
        panels[p] = frocc__stripe_coarse(frame, stripe, meeting->panels[p]);
        panels[p].unsure = meeting->rows[p];
    }
    frame->kernels->coarse->find_unsure(&frame->coarse, meeting->first_block, meeting->n_blocks,
                                        inner->low, inner->high, panels, meeting->n_panels,
                                        &desk->next);
    for (size_t p = 0; p < meeting->n_panels; p++)
        for (size_t b = 0; b < meeting->n_blocks; b++) {
            if (!inner->compares[meeting->first_block + b])
                meeting->rows[p][b] = ~(frocc__row_mask)0;
            meeting->rows[p][b] &= real_rows(stripe, meeting->panels[p]);
            note_unsure(meeting->rows[p][b], p, b, stripe->given != NULL, noted);
        }
    if (noted->cost > WORTH_IT * meeting->n_panels * meeting->n_blocks)
        desk->pause = PAUSE;
}

/* ---- All ------------------------------------------------------------------------------------- */

void frocc__meet(const frocc_frame *frame, const frocc__stripe *stripe, const frocc__inner *inner,
                 frocc__meeting *meeting, frocc__desk *desk) {
    meeting->is_screened = inner != NULL && stripe->is_coarse && desk->pause == 0;
    if (stripe->projected)
        return;
    if (desk->pause > 0)
        desk->pause--;
    if (meeting->is_screened) {
        unsure noted = {.cost = 0};
        screen(frame, stripe, inner, meeting, &noted, desk);
        project_unsure(frame, stripe, meeting, &noted, desk);
        return;
    }
    for (size_t j = 0; j < stripe->last_chunk; j += stripe->chunk)
        for (size_t p = 0; p < meeting->n_panels; p++)
            project_blocks(frame, stripe, meeting, p, j, desk);
}

static void custom_tile(const frocc_frame *frame, const float *x, const frocc__tile *shape,
                        float *tile) {
    for (size_t c = 0; c < shape->n_directions; c++)
        for (size_t r = 0; r < shape->n_rows; r++)
            tile[c * FROCC_PANEL + r] = frocc__custom_value(frame, x + r * frame->n_features,
                                                            shape->block * FROCC_BLOCK + c);
}

/* Says what a tile is of. Field by field: a copy would wait until all of them are in memory. */
void frocc__describe_tile(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel,
                          size_t block, const float *values, frocc__tile *tile) {
    size_t first = panel * FROCC_PANEL;
    tile->values = values;
    tile->stride = FROCC_PANEL;
    tile->first_row = stripe->first_row + first;
    tile->n_rows = frocc__rows_in(stripe, panel);
    tile->rows = real_rows(stripe, panel);
    tile->block = block;
    tile->n_directions = frocc__directions_in(frame, block);
    tile->has_outside = false;
}

/* The last chunk of a tile, or the only one. False when all values are in the widest intervals. */
static bool finish_tile(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel,
                        size_t block, const frocc__inner *inner, float *values, frocc__tile *tile) {
    const frocc__kernels *kernels = frame->kernels;
    const size_t first = stripe->last_chunk, count = frame->n_features - first;
    const float *x = frocc__stripe_panel(frame, stripe, panel, first),
                *w = block_at(frame, block, first);
    if (inner != NULL && frame->transform.kernel == FROCC_KERNEL_LINEAR && inner->compares[block]) {
        const size_t slot = block * FROCC_BLOCK;
        if (!kernels->project_outside(x, w, count, first > 0, inner->low + slot, inner->high + slot,
                                      values))
            return false;
        frocc__describe_tile(frame, stripe, panel, block, values, tile);
        tile->has_outside = true;
        return true;
    }
    kernels->project_panel(x, w, count, first > 0, values);
    frocc__describe_tile(frame, stripe, panel, block, values, tile);
    if (frame->transform.kernel != FROCC_KERNEL_LINEAR)
        frocc__stripe_transform(frame, stripe, panel, block, values);
    return true;
}

/* Kernel functions take whole tiles. */
static void transform_lists(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel,
                            size_t block, float *out, size_t stride) {
    _Alignas(FROCC_LINE) float tile[FROCC_TILE];
    for (size_t c = 0; c < FROCC_BLOCK; c++)
        memcpy(tile + c * FROCC_PANEL, out + c * stride, FROCC_PANEL * sizeof(float));
    frocc__stripe_transform(frame, stripe, panel, block, tile);
    for (size_t c = 0; c < FROCC_BLOCK; c++)
        memcpy(out + c * stride, tile + c * FROCC_PANEL, FROCC_PANEL * sizeof(float));
}

void frocc__lists_tiles(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel,
                        size_t first_block, size_t n_blocks, frocc__desk *desk, float *out,
                        size_t stride) {
    frocc__project_lists(frame, frocc__stripe_panel(frame, stripe, panel, 0), first_block, n_blocks,
                         desk->work, out, stride);
    for (size_t b = 0; frame->transform.kernel != FROCC_KERNEL_LINEAR && b < n_blocks; b++)
        transform_lists(frame, stripe, panel, first_block + b, out + b * FROCC_BLOCK * stride,
                        stride);
}

bool frocc__meeting_tile(const frocc_frame *frame, const frocc__stripe *stripe,
                         const frocc__meeting *meeting, size_t panel, size_t block,
                         const frocc__inner *inner, frocc__desk *desk, frocc__tile *tile) {
    const size_t p = meeting->panels[panel], b = meeting->first_block + block;
    if (stripe->projected) {
        const float *wide = frocc__stripe_wide(frame, stripe, p);
        frocc__describe_tile(frame, stripe, p, b, wide + b * FROCC_TILE, tile);
        return true;
    }
    float *values = tile_at(stripe, meeting, panel, block, desk);
    if (meeting->is_screened) {
        frocc__row_mask rows = meeting->rows[panel][block];
        if (rows == 0)
            return false;
        frocc__describe_tile(frame, stripe, p, b, values, tile);
        tile->rows = rows;
        tile->has_outside = true;
        return true;
    }
    frocc__fetch(&desk->next, 1);
    if (!frocc__keeps_rows(frame))
        return finish_tile(frame, stripe, p, b, inner, values, tile);
    frocc__describe_tile(frame, stripe, p, b, values, tile);
    custom_tile(frame, frocc__stripe_panel(frame, stripe, p, 0), tile, values);
    return true;
}
