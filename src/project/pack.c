/* SPDX-License-Identifier: BSD-3-Clause */
/* From rows to panels. */
#include "project/pack.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "frame/single_row.h"
#include "frame/whole_rows.h"

/* ---- Memory --------------------------------------------------------------------------------- */

static size_t wide_size(const frocc_frame *frame) {
    return frame->n_blocks * FROCC_TILE;
}

/* Room for a row's projections: whole cache lines, so that no vector lies in two, and an odd number
 * of them, so that the rows of a strip do not compete for the same places in the cache. */
static size_t line_size(const frocc_frame *frame) {
    const size_t cache_line = FROCC_LINE / sizeof(float);
    return ((frame->n_blocks * FROCC_BLOCK + cache_line - 1) / cache_line | 1) * cache_line;
}

/* A panel of this many features leaves room for blocks in a first-level cache. */
#define CHUNK 128

static bool has_chunks(const frocc_frame *frame) {
    return frame->n_features > CHUNK && !frocc__is_wide(frame) && !frocc__keeps_rows(frame);
}

/* As few chunks as possible, of about the same length. */
static size_t chunk_features(const frocc_frame *frame) {
    size_t n_chunks = has_chunks(frame) ? (frame->n_features + CHUNK - 1) / CHUNK : 1;
    return (frame->n_features + n_chunks - 1) / n_chunks;
}

/* As many panels of so many floats as fit in bytes; not very many, since the sketch reserves room
 * for the rows of a stripe. */
static size_t panels_in(size_t bytes, size_t panel) {
    const size_t most = 128;
    return FROCC_MIN(FROCC_MAX(bytes / (panel * sizeof(float)), (size_t)1), most);
}

static size_t wide_panels(const frocc_frame *frame) {
    return panels_in((size_t)1 << 21, wide_size(frame));
}

/* Blocks of long rows come from far away, and are worth the more the more panels they meet; but
 * panels that the second-level cache does not hold come from far away too. So a few panels may be
 * more than it holds, if they are not very long. */
static size_t long_panels(size_t panel) {
    const size_t few = 8, held = panels_in((size_t)1 << 21, panel);
    return FROCC_MAX(held, FROCC_MIN(panels_in((size_t)1 << 23, panel), few));
}

/*
 * As many panels as threads want to have between two waits, and as a second-level cache holds
 * beside other things.
 */
size_t frocc__stripe_rows(const frocc_frame *frame, const frocc_rows *rows) {
    const size_t panel = frame->n_features * FROCC_PANEL;
    if (frame->bundles.size > 0)
        return FROCC_PANEL * wide_panels(frame);
    if (frocc__has_lists(frame)) /* the more rows meet a table or histogram the better */
        return FROCC_PANEL * panels_in((size_t)1 << 20, panel);
    size_t panels = has_chunks(frame) ? long_panels(panel) : panels_in((size_t)1 << 19, panel);
    if (rows != NULL && frocc__can_skip_zeros(frame, rows))
        panels = FROCC_MIN(panels, wide_panels(frame));
    return FROCC_PANEL * panels;
}

static frocc_status make_wide(const frocc_frame *frame, frocc__stripe *stripe) {
    if (stripe->wide == NULL)
        stripe->wide = frocc__alloc(wide_panels(frame), wide_size(frame) * sizeof(float));
    return stripe->wide != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

static frocc_status make_coarse(const frocc_frame *frame, size_t rows, frocc__stripe *stripe) {
    stripe->coarse =
        frocc__alloc_raw(rows, frocc__coarse_size(frame->n_features) * sizeof(uint16_t));
    stripe->lengths = frocc__alloc_raw(rows, 2 * sizeof(float));
    stripe->prepared = frocc__alloc_raw(rows, frame->n_features * sizeof(float));
    return stripe->coarse != NULL && stripe->lengths != NULL && stripe->prepared != NULL
               ? FROCC_OK
               : FROCC_ERR_MEMORY;
}

frocc_status frocc__stripe_new(const frocc_frame *frame, frocc__stripe *stripe) {
    size_t rows = frocc__stripe_rows(frame, NULL);
    size_t chunk = chunk_features(frame);
    *stripe = (frocc__stripe){
        .chunk = chunk,
        .last_chunk = (frame->n_features - 1) / chunk * chunk,
        .norms =
            frocc__alloc(frame->transform.kernel == FROCC_KERNEL_RBF ? rows : 0, sizeof(double)),
    };
    frocc_status status = stripe->norms != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    if (status == FROCC_OK && frame->coarse.w != NULL)
        status = make_coarse(frame, rows, stripe);
    if (status == FROCC_OK && frame->bundles.size > 0) {
        status = make_wide(frame, stripe);
    } else if (status == FROCC_OK) {
        stripe->x = frocc__alloc_raw(rows, frame->n_features * sizeof(float));
        status = stripe->x != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    }
    if (status != FROCC_OK)
        frocc__stripe_free(stripe);
    return status;
}

frocc_status frocc__stripe_expect(const frocc_frame *frame, const frocc_rows *rows,
                                  frocc__stripe *stripe) {
    return frocc__can_skip_zeros(frame, rows) ? make_wide(frame, stripe) : FROCC_OK;
}

void frocc__stripe_free(frocc__stripe *stripe) {
    frocc__free(stripe->x);
    frocc__free(stripe->wide);
    frocc__free(stripe->norms);
    frocc__free(stripe->coarse);
    frocc__free(stripe->lengths);
    frocc__free(stripe->prepared);
    *stripe = (frocc__stripe){0};
}

/* Sums wait in tiles, chunk by chunk or until all of a meeting are settled; or there is only one.
 */
static size_t n_tiles(const frocc_frame *frame) {
    if (frocc__has_lists(frame))
        return FROCC_LIST_BLOCKS;
    return has_chunks(frame) || frame->coarse.w != NULL ? (size_t)FROCC_BAND * FROCC_GROUP : 1;
}

frocc_status frocc__desk_new(const frocc_frame *frame, frocc__desk *desk) {
    bool wide = frocc__is_wide(frame);
    *desk = (frocc__desk){
        .rows = frocc__alloc(FROCC_STRIP, frame->n_features * sizeof(float)),
        .work = frocc__alloc(wide ? frocc__wide_work(frame) : 0, sizeof(float)),
        /* The padding of a line stays as it is, and it is looked at. */
        .lines = frocc__alloc(FROCC_STRIP, line_size(frame) * sizeof(float)),
        /* Custom kernels leave the padding of the one tile as it is, and it is looked at. */
        .tiles = (n_tiles(frame) > 1 ? frocc__alloc_raw : frocc__alloc)(n_tiles(frame),
                                                                        FROCC_TILE * sizeof(float)),
    };
    if (desk->rows != NULL && desk->work != NULL && desk->lines != NULL && desk->tiles != NULL)
        return FROCC_OK;
    frocc__desk_free(desk);
    return FROCC_ERR_MEMORY;
}

void frocc__desk_clear(const frocc_frame *frame, frocc__desk *desk) {
    if (!desk->is_clear)
        memset(desk->tiles, 0, n_tiles(frame) * FROCC_TILE * sizeof *desk->tiles);
    desk->is_clear = true;
}

void frocc__desk_free(frocc__desk *desk) {
    frocc__free(desk->rows);
    frocc__free(desk->work);
    frocc__free(desk->lines);
    frocc__free(desk->tiles);
    *desk = (frocc__desk){0};
}

/* ---- Kernel functions ----------------------------------------------------------------------- */

void frocc__stripe_transform(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel,
                             size_t block, float *tile) {
    if (frame->transform.kernel != FROCC_KERNEL_RBF) {
        frame->kernels->transform(&frame->transform, NULL, tile, FROCC_TILE);
        return;
    }
    const double *row_norms = stripe->norms + panel * FROCC_PANEL;
    for (size_t c = 0; c < FROCC_BLOCK; c++) {
        double norms[FROCC_PANEL];
        for (size_t r = 0; r < FROCC_PANEL; r++)
            norms[r] = row_norms[r] + frame->w_norms[block * FROCC_BLOCK + c];
        frame->kernels->transform(&frame->transform, norms, tile + c * FROCC_PANEL, FROCC_PANEL);
    }
}

/* ---- Packing -------------------------------------------------------------------------------- */

/* Whether a run of sparse rows names so few entries that skipping the zeros wins: an entry by
 * itself costs as much as some twenty of a panel. */
static bool is_sparse_run(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                          size_t count) {
    if (!frocc__can_skip_zeros(frame, rows))
        return false;
    uint64_t entries = (uint64_t)(rows->row_start[first + count] - rows->row_start[first]);
    return entries < (uint64_t)count * frame->n_features / 20;
}

/* Whether packing turns the rows of a run to lanes, and nothing else. */
static bool is_taken_as_given(const frocc_frame *frame, const frocc_rows *rows,
                              const frocc__stripe *stripe) {
    return !stripe->projected && rows->row_start == NULL && rows->dtype == FROCC_F32 &&
           frame->shift == NULL && frame->transform.kernel != FROCC_KERNEL_RBF &&
           !frocc__keeps_rows(frame);
}

frocc_status frocc__stripe_begin(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                                 size_t n_rows, frocc__stripe *stripe) {
    stripe->first_row = first;
    stripe->n_rows = n_rows;
    bool sparse = is_sparse_run(frame, rows, first, n_rows);
    stripe->projected = sparse || frame->bundles.size > 0;
    stripe->is_coarse = stripe->coarse != NULL && !stripe->projected;
    stripe->packs_given = is_taken_as_given(frame, rows, stripe);
    stripe->given_stride = stripe->packs_given ? rows->row_stride : frame->n_features;
    if (stripe->packs_given)
        stripe->given = (const float *)rows->values + first * rows->row_stride;
    else
        stripe->given = stripe->projected ? NULL : stripe->prepared;
    return stripe->projected ? make_wide(frame, stripe) : FROCC_OK;
}

/* Long rows take so little of the time to pack that it is not worth the room in the caches; rows
 * far apart would bring much else. */
frocc__fetching frocc__stripe_fetching(const frocc_frame *frame, const frocc__stripe *stripe,
                                       const frocc_rows *rows, size_t first) {
    if (first >= rows->n_rows || rows->row_start != NULL || has_chunks(frame) ||
        frocc__is_wide(frame) || rows->row_stride > 2 * rows->n_features)
        return (frocc__fetching){0};
    const size_t row = rows->row_stride * frocc__value_size(rows);
    const size_t bytes = FROCC_MIN(stripe->n_rows, rows->n_rows - first) * row;
    const size_t n_tiles = frocc__panels_of(stripe) * frame->n_blocks;
    const uintptr_t start = (uintptr_t)rows->values + first * row;
    return (frocc__fetching){start, start + bytes, bytes / FROCC_LINE / (n_tiles + 1) + 1};
}

static float *stripe_slot(const frocc_frame *frame, frocc__stripe *stripe, size_t r,
                          frocc__desk *desk) {
    if (frocc__keeps_rows(frame))
        return stripe->x + r * frame->n_features;
    if (stripe->prepared != NULL && !stripe->projected)
        return stripe->prepared + r * frame->n_features;
    return desk->rows + r % FROCC_STRIP * frame->n_features;
}

/* Projects row r of a stripe, or for NULL padding; a strip of them is turned to lanes. */
static void place_projected(const frocc_frame *frame, frocc__stripe *stripe, size_t r,
                            const frocc__prepared *row, frocc__desk *desk) {
    const size_t m = frame->n_blocks * FROCC_BLOCK, stride = line_size(frame);
    float *line = desk->lines + r % FROCC_STRIP * stride;
    if (row == NULL)
        memset(line, 0, m * sizeof(float));
    else
        frocc__project_one(frame, row, 0, frame->n_blocks, desk->work, line);
    if (r % FROCC_STRIP == FROCC_STRIP - 1)
        (void)frame->kernels->transpose(desk->lines, stride, m,
                                        stripe->wide + r / FROCC_PANEL * wide_size(frame) +
                                            r % FROCC_PANEL / FROCC_STRIP * FROCC_STRIP);
}

static void place(const frocc_frame *frame, frocc__stripe *stripe, size_t r, bool is_row,
                  frocc__desk *desk) {
    const size_t d = frame->n_features, panel = r / FROCC_PANEL, lane = r % FROCC_PANEL;
    float *slot = stripe_slot(frame, stripe, r, desk);
    bool is_rbf = frame->transform.kernel == FROCC_KERNEL_RBF;
    if (stripe->projected) {
        frocc__prepared row = {slot, NULL, d, is_rbf && is_row ? frocc__square_norm(slot, d) : 0.0};
        place_projected(frame, stripe, r, is_row ? &row : NULL, desk);
        return;
    }
    if (!is_row)
        memset(slot, 0, d * sizeof(float));
    if (is_rbf)
        stripe->norms[r] = frocc__square_norm(slot, d);
    if (frocc__keeps_rows(frame) || r % FROCC_STRIP != FROCC_STRIP - 1)
        return;
    float *x = stripe->x + panel * FROCC_PANEL * d;
    (void)frame->kernels->transpose(slot - (FROCC_STRIP - 1) * d, d, d,
                                    x + lane / FROCC_STRIP * FROCC_STRIP);
}

static size_t pack_projected(const frocc_frame *frame, const frocc_rows *rows,
                             frocc__stripe *stripe, size_t panel, frocc__desk *desk) {
    for (size_t r = panel * FROCC_PANEL; r < (panel + 1) * FROCC_PANEL; r++) {
        frocc__prepared row;
        bool is_row = r < stripe->n_rows;
        if (is_row && !frocc__prepare_one(frame, rows, stripe->first_row + r, desk->rows, &row))
            return stripe->first_row + r;
        place_projected(frame, stripe, r, is_row ? &row : NULL, desk);
    }
    return SIZE_MAX;
}

/* A whole strip of rows that the frame does nothing to but turning them to lanes. False when it is
 * not one, or when there is an unusable value in it. */
static bool pack_as_given(const frocc_frame *frame, frocc__stripe *stripe, size_t first) {
    const size_t panel = first / FROCC_PANEL, lane = first % FROCC_PANEL;
    return stripe->packs_given && first + FROCC_STRIP <= stripe->n_rows &&
           frame->kernels->transpose(stripe->given + first * stripe->given_stride,
                                     stripe->given_stride, frame->n_features,
                                     stripe->x + panel * FROCC_PANEL * frame->n_features + lane);
}

/* Prepares a strip of rows one by one. Returns the first unusable one, or SIZE_MAX. */
static size_t pack_prepared(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                            size_t first, frocc__desk *desk) {
    for (size_t r = first; r < first + FROCC_STRIP; r++) {
        bool is_row = r < stripe->n_rows;
        if (is_row && !frocc__frame_prepare(frame, rows, stripe->first_row + r,
                                            stripe_slot(frame, stripe, r, desk)))
            return stripe->first_row + r;
        place(frame, stripe, r, is_row, desk);
    }
    return SIZE_MAX;
}

const float *frocc__stripe_panel(const frocc_frame *frame, const frocc__stripe *stripe,
                                 size_t panel, size_t feature) {
    return stripe->x + (panel * frame->n_features + feature) * FROCC_PANEL;
}

const float *frocc__stripe_wide(const frocc_frame *frame, const frocc__stripe *stripe,
                                size_t panel) {
    return stripe->wide + panel * wide_size(frame);
}

frocc__coarse_panel frocc__stripe_coarse(const frocc_frame *frame, const frocc__stripe *stripe,
                                         size_t panel) {
    float *lengths = stripe->lengths + panel * 2 * FROCC_PANEL;
    const size_t size = FROCC_PANEL * frocc__coarse_size(frame->n_features);
    return (frocc__coarse_panel){
        .x = stripe->coarse + panel * size, .length = lengths, .lost = lengths + FROCC_PANEL};
}

static void take_coarse(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel) {
    if (stripe->is_coarse)
        frame->kernels->coarse->take_panel(frocc__stripe_panel(frame, stripe, panel, 0),
                                           frame->n_features,
                                           frocc__stripe_coarse(frame, stripe, panel));
}

size_t frocc__stripe_pack(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                          size_t panel, frocc__desk *desk) {
    if (stripe->projected)
        return pack_projected(frame, rows, stripe, panel, desk);
    size_t bad = SIZE_MAX, end = (panel + 1) * FROCC_PANEL;
    for (size_t r = panel * FROCC_PANEL; r < end && bad == SIZE_MAX; r += FROCC_STRIP)
        if (!pack_as_given(frame, stripe, r))
            bad = pack_prepared(frame, rows, stripe, r, desk);
    if (bad == SIZE_MAX)
        take_coarse(frame, stripe, panel);
    return bad;
}
