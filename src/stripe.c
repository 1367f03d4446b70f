/* SPDX-License-Identifier: BSD-3-Clause */
/* From rows to tiles: O(d) multiply-adds per row and direction. */
#include "stripe.h"

#include <math.h>
#include <string.h>

#include "mem.h"
#include "one_row.h"
#include "wide.h"

/* ---- Memory --------------------------------------------------------------------------------- */

static size_t wide_size(const frocc_frame *frame) {
    return frame->n_blocks * FROCC_TILE;
}

size_t frocc__stripe_rows(const frocc_frame *frame) {
    const size_t cache = (size_t)1 << 20, most = 64;
    size_t panel = frocc__is_wide(frame) ? wide_size(frame) : frame->n_features * FROCC_PANEL;
    size_t panels = cache / (panel * sizeof(float));
    return FROCC_PANEL * FROCC_MIN(FROCC_MAX(panels, (size_t)1), most);
}

static frocc_status make_wide(const frocc_frame *frame, frocc__stripe *stripe) {
    if (stripe->wide == NULL)
        stripe->wide =
            frocc__alloc(frocc__stripe_rows(frame) / FROCC_PANEL, wide_size(frame) * sizeof(float));
    return stripe->wide != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

frocc_status frocc__stripe_new(const frocc_frame *frame, frocc__stripe *stripe) {
    size_t rows = frocc__stripe_rows(frame);
    *stripe = (frocc__stripe){.norms = frocc__alloc(rows, sizeof(double))};
    frocc_status status = stripe->norms != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    if (status == FROCC_OK && frocc__is_wide(frame)) {
        status = make_wide(frame, stripe);
    } else if (status == FROCC_OK) {
        stripe->x = frocc__alloc(rows, frame->n_features * sizeof(float));
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
    *stripe = (frocc__stripe){0};
}

frocc_status frocc__desk_new(const frocc_frame *frame, frocc__desk *desk) {
    bool wide = frocc__is_wide(frame);
    *desk = (frocc__desk){
        .rows = frocc__alloc(FROCC_STRIP, frame->n_features * sizeof(float)),
        .panel = frocc__alloc(wide && frame->bundles.size == 0 ? FROCC_PANEL : 0,
                              frame->n_features * sizeof(float)),
        .work = frocc__alloc(wide ? frocc__wide_work(frame) : 0, sizeof(float)),
        .lines = frocc__alloc(FROCC_STRIP, frame->n_blocks * FROCC_BLOCK * sizeof(float)),
        .tile = frocc__alloc(FROCC_TILE, sizeof(float)),
    };
    if (desk->rows != NULL && desk->panel != NULL && desk->work != NULL && desk->lines != NULL &&
        desk->tile != NULL)
        return FROCC_OK;
    frocc__desk_free(desk);
    return FROCC_ERR_MEMORY;
}

void frocc__desk_free(frocc__desk *desk) {
    frocc__free(desk->rows);
    frocc__free(desk->panel);
    frocc__free(desk->work);
    frocc__free(desk->lines);
    frocc__free(desk->tile);
    *desk = (frocc__desk){0};
}

/* ---- Kernel functions ----------------------------------------------------------------------- */

static void custom_tile(const frocc_frame *frame, const float *x, const frocc__tile *shape,
                        float *tile) {
    for (size_t c = 0; c < shape->n_directions; c++)
        for (size_t r = 0; r < shape->n_rows; r++)
            tile[c * FROCC_PANEL + r] = frocc__custom_value(frame, x + r * frame->n_features,
                                                            shape->block * FROCC_BLOCK + c);
}

/* Applies the kernel function to a tile of <w, x>. */
static void transform_tile(const frocc_frame *frame, const double *row_norms, size_t block,
                           float *tile) {
    if (frame->transform.kernel != FROCC_KERNEL_RBF) {
        frame->kernels->transform(&frame->transform, NULL, tile, FROCC_TILE);
        return;
    }
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

frocc_status frocc__stripe_begin(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                                 size_t n_rows, const size_t *pick, frocc__stripe *stripe) {
    stripe->first_row = first;
    stripe->n_rows = n_rows;
    stripe->pick = pick;
    bool sparse = is_sparse_run(frame, rows, first, FROCC_MIN(n_rows, rows->n_rows - first));
    stripe->projected = sparse || frocc__is_wide(frame);
    return stripe->projected ? make_wide(frame, stripe) : FROCC_OK;
}

float *frocc__stripe_slot(const frocc_frame *frame, frocc__stripe *stripe, size_t r,
                          frocc__desk *desk) {
    if (frocc__keeps_rows(frame))
        return stripe->x + r * frame->n_features;
    return desk->rows + r % FROCC_STRIP * frame->n_features;
}

/* Structured directions are projected row by row, like sparse rows. */
static bool projects_rows(const frocc_frame *frame) {
    return frame->bundles.size > 0 || !frocc__is_wide(frame);
}

static void project_panel_wide(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel,
                               frocc__desk *desk) {
    float *wide = stripe->wide + panel * wide_size(frame);
    frocc__project_wide(frame, desk->panel, desk->work, wide);
    for (size_t b = 0; frame->transform.kernel != FROCC_KERNEL_LINEAR && b < frame->n_blocks; b++)
        transform_tile(frame, stripe->norms + panel * FROCC_PANEL, b, wide + b * FROCC_TILE);
}

/* Projects row r of a stripe, or for NULL padding; a strip of them is turned to lanes. */
static void place_projected(const frocc_frame *frame, frocc__stripe *stripe, size_t r,
                            const frocc__prepared *row, frocc__desk *desk) {
    const size_t m = frame->n_blocks * FROCC_BLOCK;
    float *line = desk->lines + r % FROCC_STRIP * m;
    if (row == NULL)
        memset(line, 0, m * sizeof(float));
    else
        frocc__project_one(frame, row, 0, frame->n_blocks, desk->work, line);
    if (r % FROCC_STRIP == FROCC_STRIP - 1)
        frame->kernels->transpose(desk->lines, m, m,
                                  stripe->wide + r / FROCC_PANEL * wide_size(frame) +
                                      r % FROCC_PANEL / FROCC_STRIP * FROCC_STRIP);
}

void frocc__stripe_place(const frocc_frame *frame, frocc__stripe *stripe, size_t r, bool is_row,
                         frocc__desk *desk) {
    const size_t d = frame->n_features, panel = r / FROCC_PANEL, lane = r % FROCC_PANEL;
    float *slot = frocc__stripe_slot(frame, stripe, r, desk);
    bool is_rbf = frame->transform.kernel == FROCC_KERNEL_RBF;
    if (stripe->projected && projects_rows(frame)) {
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
    float *x = stripe->projected ? desk->panel : stripe->x + panel * FROCC_PANEL * d;
    frame->kernels->transpose(desk->rows, d, d, x + lane / FROCC_STRIP * FROCC_STRIP);
    if (stripe->projected && lane == FROCC_PANEL - 1)
        project_panel_wide(frame, stripe, panel, desk);
}

/* Row r of the stripe among the rows that were given. */
static size_t row_number(const frocc__stripe *stripe, size_t r) {
    return stripe->pick != NULL ? stripe->pick[r] : stripe->first_row + r;
}

static size_t pack_projected(const frocc_frame *frame, const frocc_rows *rows,
                             frocc__stripe *stripe, size_t panel, frocc__desk *desk) {
    for (size_t r = panel * FROCC_PANEL; r < (panel + 1) * FROCC_PANEL; r++) {
        frocc__prepared row;
        bool is_row = r < stripe->n_rows;
        if (is_row && !frocc__prepare_one(frame, rows, row_number(stripe, r), desk->rows, &row))
            return row_number(stripe, r);
        place_projected(frame, stripe, r, is_row ? &row : NULL, desk);
    }
    return SIZE_MAX;
}

size_t frocc__stripe_pack(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                          size_t panel, frocc__desk *desk) {
    if (stripe->projected && projects_rows(frame))
        return pack_projected(frame, rows, stripe, panel, desk);
    for (size_t r = panel * FROCC_PANEL; r < (panel + 1) * FROCC_PANEL; r++) {
        bool is_row = r < stripe->n_rows;
        if (is_row && !frocc__frame_prepare(frame, rows, row_number(stripe, r),
                                            frocc__stripe_slot(frame, stripe, r, desk)))
            return row_number(stripe, r);
        frocc__stripe_place(frame, stripe, r, is_row, desk);
    }
    return SIZE_MAX;
}

/* ---- Tiles ---------------------------------------------------------------------------------- */

static frocc__tile tile_of(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel,
                           size_t block, const float *values) {
    size_t first = panel * FROCC_PANEL;
    return (frocc__tile){
        .values = values,
        .stride = FROCC_PANEL,
        .first_row = stripe->first_row + first,
        .n_rows = FROCC_MIN(stripe->n_rows - first, (size_t)FROCC_PANEL),
        .block = block,
        .n_directions = frocc__directions_in(frame, block),
    };
}

bool frocc__stripe_project(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel,
                           size_t block, const frocc__filter *filter, float *tile_values,
                           frocc__tile *tile) {
    if (stripe->projected) {
        const float *wide = stripe->wide + panel * wide_size(frame);
        *tile = tile_of(frame, stripe, panel, block, wide + block * FROCC_TILE);
        return true;
    }
    const float *x = stripe->x + panel * FROCC_PANEL * frame->n_features;
    const float *w = frame->w + block * FROCC_BLOCK * frame->n_features;
    if (filter != NULL && frame->transform.kernel == FROCC_KERNEL_LINEAR &&
        frocc__filter_compares(filter, block)) {
        if (!frame->kernels->project_outside(x, w, frame->n_features,
                                             filter->wide_lo + block * FROCC_BLOCK,
                                             filter->wide_hi + block * FROCC_BLOCK, tile_values))
            return false;
        *tile = tile_of(frame, stripe, panel, block, tile_values);
        tile->has_outside = true;
        return true;
    }
    *tile = tile_of(frame, stripe, panel, block, tile_values);
    if (frocc__keeps_rows(frame)) {
        custom_tile(frame, x, tile, tile_values);
        return true;
    }
    frame->kernels->project_panel(x, w, frame->n_features, tile_values);
    if (frame->transform.kernel != FROCC_KERNEL_LINEAR)
        transform_tile(frame, stripe->norms + panel * FROCC_PANEL, block, tile_values);
    return true;
}
