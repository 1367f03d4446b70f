/* SPDX-License-Identifier: BSD-3-Clause */
/* From panels to tiles: O(d) multiply-adds per row and direction, of which coarse ones, where there
 * are, leave few to be exact. */
#include "meeting.h"

#include "one_row.h"

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

/* What projecting rows of a panel costs: one by one, where that is 1 each, any FROCC_STRIP of them
 * together, or all. */
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

/* Pairs that wait: a list of them takes as long whether it is full or not. */
typedef struct waiting {
    size_t count, stride;
    frocc__pair pairs[FROCC_PAIRS];
} waiting;

static void project_waiting(const frocc_frame *frame, size_t n_features, bool goes_on,
                            waiting *list) {
    if (list->count > 0)
        frame->kernels->coarse->project_pairs(list->pairs, list->count, list->stride, n_features,
                                              goes_on);
    list->count = 0;
}

/* A chunk of a panel's rows that are unsure, or all of them: by whole tiles or pair by pair. */
static void project_unsure(const frocc_frame *frame, const frocc__stripe *stripe,
                           const frocc__meeting *meeting, size_t panel, size_t first, size_t count,
                           waiting *list, frocc__desk *desk) {
    const float *x = frocc__stripe_panel(frame, stripe, meeting->panels[panel], first);
    for (size_t b = 0; b < meeting->n_blocks; b++) {
        frocc__row_mask rows = meeting->rows[panel][b];
        if (rows == 0)
            continue;
        const float *w = block_at(frame, meeting->first_block + b, first);
        float *tile = tile_at(stripe, meeting, panel, b, desk);
        const size_t n_rows = (size_t)__builtin_popcountll(rows);
        if (n_rows > FROCC_STRIP) {
            frame->kernels->project_panel(x, w, count, first > 0, tile);
            continue;
        }
        if (n_rows > COST_OF_SOME) {
            frame->kernels->coarse->project_rows(x, rows, w, count, first > 0, tile);
            continue;
        }
        for (; rows != 0; rows &= rows - 1) {
            const size_t r = (size_t)__builtin_ctzll(rows);
            size_t stride;
            const float *row =
                frocc__stripe_row(frame, stripe, meeting->panels[panel], r, first, &stride);
            if (list->count == FROCC_PAIRS || list->stride != stride)
                project_waiting(frame, count, first > 0, list);
            list->stride = stride;
            list->pairs[list->count++] = (frocc__pair){row, w, tile + r};
        }
    }
}

static void project_all_unsure(const frocc_frame *frame, const frocc__stripe *stripe,
                               const frocc__meeting *meeting, frocc__desk *desk) {
    waiting list = {.count = 0};
    for (size_t j = 0; j < frame->n_features; j += stripe->chunk) {
        const size_t count = FROCC_MIN(stripe->chunk, frame->n_features - j);
        for (size_t p = 0; p < meeting->n_panels; p++)
            project_unsure(frame, stripe, meeting, p, j, count, &list, desk);
        project_waiting(frame, count, j > 0, &list);
    }
}

static frocc__row_mask real_rows(const frocc__stripe *stripe, size_t panel) {
    return ~(frocc__row_mask)0 >> (64 - frocc__rows_in(stripe, panel));
}

/* What projecting these rows costs. */
static size_t work_left(frocc__row_mask rows) {
    if (rows == 0) /* as for most of them: counting takes a call */
        return 0;
    const size_t n_rows = (size_t)__builtin_popcountll(rows);
    return n_rows > FROCC_STRIP ? COST_OF_ALL : FROCC_MIN(n_rows, (size_t)COST_OF_SOME);
}

/* Which rows coarse projections are not sure of, and whether to go on with them. */
static void screen(const frocc_frame *frame, const frocc__stripe *stripe,
                   const frocc__filter *filter, frocc__meeting *meeting, frocc__desk *desk) {
    frocc__coarse_panel panels[FROCC_BAND];
    size_t left = 0;
    frocc__desk_clear(frame, desk);
    for (size_t p = 0; p < meeting->n_panels; p++) {
        panels[p] = frocc__stripe_coarse(frame, stripe, meeting->panels[p]);
        panels[p].unsure = meeting->rows[p];
    }
    frame->kernels->coarse->find_unsure(&frame->coarse, meeting->first_block, meeting->n_blocks,
                                        filter->wide_lo, filter->wide_hi, panels, meeting->n_panels,
                                        &desk->next);
    for (size_t p = 0; p < meeting->n_panels; p++)
        for (size_t b = 0; b < meeting->n_blocks; b++) {
            if (!filter->compares[meeting->first_block + b])
                meeting->rows[p][b] = ~(frocc__row_mask)0;
            meeting->rows[p][b] &= real_rows(stripe, meeting->panels[p]);
            left += work_left(meeting->rows[p][b]);
        }
    if (left > WORTH_IT * meeting->n_panels * meeting->n_blocks)
        desk->pause = PAUSE;
}

void frocc__meet(const frocc_frame *frame, const frocc__stripe *stripe, const frocc__filter *filter,
                 frocc__meeting *meeting, frocc__desk *desk) {
    meeting->is_screened = filter != NULL && stripe->is_coarse && desk->pause == 0;
    if (stripe->projected)
        return;
    if (desk->pause > 0)
        desk->pause--;
    if (meeting->is_screened) {
        screen(frame, stripe, filter, meeting, desk);
        project_all_unsure(frame, stripe, meeting, desk);
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
static void describe_tile(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel,
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
                        size_t block, const frocc__filter *filter, float *values,
                        frocc__tile *tile) {
    const frocc__kernels *kernels = frame->kernels;
    const size_t first = stripe->last_chunk, count = frame->n_features - first;
    const float *x = frocc__stripe_panel(frame, stripe, panel, first),
                *w = block_at(frame, block, first);
    if (filter != NULL && frame->transform.kernel == FROCC_KERNEL_LINEAR &&
        filter->compares[block]) {
        const size_t slot = block * FROCC_BLOCK;
        if (!kernels->project_outside(x, w, count, first > 0, filter->wide_lo + slot,
                                      filter->wide_hi + slot, values))
            return false;
        describe_tile(frame, stripe, panel, block, values, tile);
        tile->has_outside = true;
        return true;
    }
    kernels->project_panel(x, w, count, first > 0, values);
    describe_tile(frame, stripe, panel, block, values, tile);
    if (frame->transform.kernel != FROCC_KERNEL_LINEAR)
        frocc__stripe_transform(frame, stripe, panel, block, values);
    return true;
}

bool frocc__meeting_tile(const frocc_frame *frame, const frocc__stripe *stripe,
                         const frocc__meeting *meeting, size_t panel, size_t block,
                         const frocc__filter *filter, frocc__desk *desk, frocc__tile *tile) {
    const size_t p = meeting->panels[panel], b = meeting->first_block + block;
    if (stripe->projected) {
        const float *wide = frocc__stripe_wide(frame, stripe, p);
        describe_tile(frame, stripe, p, b, wide + b * FROCC_TILE, tile);
        return true;
    }
    float *values = tile_at(stripe, meeting, panel, block, desk);
    if (meeting->is_screened) {
        frocc__row_mask rows = meeting->rows[panel][block];
        if (rows == 0)
            return false;
        describe_tile(frame, stripe, p, b, values, tile);
        tile->rows = rows;
        tile->has_outside = true;
        return true;
    }
    frocc__fetch(&desk->next, 1);
    if (!frocc__keeps_rows(frame))
        return finish_tile(frame, stripe, p, b, filter, values, tile);
    describe_tile(frame, stripe, p, b, values, tile);
    custom_tile(frame, frocc__stripe_panel(frame, stripe, p, 0), tile, values);
    return true;
}
