/* SPDX-License-Identifier: BSD-3-Clause */
/* From rows to tiles: O(d) multiply-adds per row and direction, by panels or row by row. */
#include "flow.h"

#include <math.h>
#include <string.h>

#include "mem.h"
#include "os.h"

/* Fewer rows than this are cheaper one by one than as a padded panel. */
#define FEW_ROWS 7

/* Blocks projected between two looks at whether a single row is decided. */
#define BLOCKS_AT_ONCE 16

size_t frocc__stripe_rows(const frocc_frame *frame) {
    const size_t cache = (size_t)1 << 20, most = 16;
    size_t panels = cache / (frame->n_features * FROCC_PANEL * sizeof(float));
    return FROCC_PANEL * FROCC_MIN(FROCC_MAX(panels, (size_t)1), most);
}

frocc_status frocc__stripe_new(const frocc_frame *frame, frocc__stripe *stripe) {
    size_t rows = frocc__stripe_rows(frame);
    *stripe = (frocc__stripe){
        .x = frocc__alloc(rows, frame->n_features * sizeof(float)),
        .norms = frocc__alloc(rows, sizeof(double)),
        .row = frocc__alloc(frame->n_features, sizeof(float)),
        .tile = frocc__alloc(FROCC_TILE, sizeof(float)),
        .wide = frocc__alloc(frame->n_blocks * FROCC_BLOCK, sizeof(float)),
    };
    if (stripe->x == NULL || stripe->norms == NULL || stripe->row == NULL || stripe->tile == NULL ||
        stripe->wide == NULL) {
        frocc__stripe_free(stripe);
        return FROCC_ERR_MEMORY;
    }
    return FROCC_OK;
}

void frocc__stripe_free(frocc__stripe *stripe) {
    frocc__free(stripe->x);
    frocc__free(stripe->norms);
    frocc__free(stripe->row);
    frocc__free(stripe->tile);
    frocc__free(stripe->wide);
    *stripe = (frocc__stripe){0};
}

static double square_norm(const float *values, size_t count) {
    double sum = 0.0;
    for (size_t j = 0; j < count; j++)
        sum = fma((double)values[j], (double)values[j], sum);
    return sum;
}

/* ---- Panels --------------------------------------------------------------------------------- */

static bool keeps_rows(const frocc_frame *frame) {
    return frame->transform.kernel == FROCC_KERNEL_CUSTOM;
}

void frocc__stripe_place(const frocc_frame *frame, frocc__stripe *stripe, size_t r,
                         const float *row) {
    const size_t d = frame->n_features, panel = r / FROCC_PANEL, lane = r % FROCC_PANEL;
    float *x = stripe->x + panel * FROCC_PANEL * d;
    if (frame->transform.kernel == FROCC_KERNEL_RBF)
        stripe->norms[r] = row != NULL ? square_norm(row, d) : 0.0;
    if (keeps_rows(frame)) {
        if (row != NULL)
            memcpy(x + lane * d, row, d * sizeof(float));
        return;
    }
    for (size_t j = 0; j < d; j++)
        x[j * FROCC_PANEL + lane] = row != NULL ? row[j] : 0.0f;
}

size_t frocc__stripe_pack(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                          size_t panel) {
    for (size_t r = panel * FROCC_PANEL; r < (panel + 1) * FROCC_PANEL; r++) {
        if (r >= stripe->n_rows) {
            frocc__stripe_place(frame, stripe, r, NULL);
            continue;
        }
        size_t row = stripe->pick != NULL ? stripe->pick[r] : stripe->first_row + r;
        if (!frocc__frame_prepare(frame, rows, row, stripe->row))
            return row;
        frocc__stripe_place(frame, stripe, r, stripe->row);
    }
    return SIZE_MAX;
}

static float custom_value(const frocc_frame *frame, const float *row, size_t direction) {
    float value =
        frame->kernel_fn(frame->kernel_context, row, frame->w_rows + direction * frame->n_features,
                         frame->n_features);
    if (value > FLT_MAX)
        return FLT_MAX;
    return value < -FLT_MAX ? -FLT_MAX : value;
}

static void custom_tile(const frocc_frame *frame, const float *x, const frocc__tile *shape,
                        float *tile) {
    for (size_t c = 0; c < shape->n_directions; c++)
        for (size_t r = 0; r < shape->n_rows; r++)
            tile[c * FROCC_PANEL + r] =
                custom_value(frame, x + r * frame->n_features, shape->block * FROCC_BLOCK + c);
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

static size_t directions_in(const frocc_frame *frame, size_t block) {
    return FROCC_MIN(frame->n_directions - block * FROCC_BLOCK, (size_t)FROCC_BLOCK);
}

frocc__tile frocc__stripe_project(const frocc_frame *frame, const frocc__stripe *stripe,
                                  size_t panel, size_t block, float *tile_values) {
    size_t first = panel * FROCC_PANEL;
    frocc__tile tile = {
        .values = tile_values,
        .stride = FROCC_PANEL,
        .first_row = stripe->first_row + first,
        .n_rows = FROCC_MIN(stripe->n_rows - first, (size_t)FROCC_PANEL),
        .block = block,
        .n_directions = directions_in(frame, block),
    };
    const float *x = stripe->x + first * frame->n_features;
    if (keeps_rows(frame)) {
        custom_tile(frame, x, &tile, tile_values);
        return tile;
    }
    frame->kernels->project_panel(x, frame->w + block * FROCC_BLOCK * frame->n_features,
                                  frame->n_features, tile_values);
    if (frame->transform.kernel != FROCC_KERNEL_LINEAR)
        transform_tile(frame, stripe->norms + first, block, tile_values);
    return tile;
}

/* ---- Row by row ----------------------------------------------------------------------------- */

/* One prepared row: all features, or the named ones of a sparse row. */
typedef struct prepared {
    const float *values;
    const int32_t *columns; /* NULL when dense */
    size_t count;
    double norm;
} prepared;

static bool prepare_one(const frocc_frame *frame, const frocc_rows *rows, size_t r, float *scratch,
                        prepared *out) {
    frocc__row row = frocc__rows_at(rows, r);
    bool sparse = rows->row_start != NULL && frame->zero_stays_zero && !keeps_rows(frame);
    if (sparse ? !frocc__frame_prepare_sparse(frame, rows, &row, scratch)
               : !frocc__frame_prepare(frame, rows, r, scratch))
        return false;
    *out = (prepared){scratch, sparse ? row.columns : NULL, sparse ? row.count : frame->n_features,
                      0.0};
    if (frame->transform.kernel == FROCC_KERNEL_RBF)
        out->norm = square_norm(scratch, out->count);
    return true;
}

static void project_one(const frocc_frame *frame, const prepared *row, size_t first_block,
                        size_t n_blocks, float *out) {
    size_t first = first_block * FROCC_BLOCK;
    if (keeps_rows(frame)) {
        size_t last = FROCC_MIN(first + n_blocks * FROCC_BLOCK, frame->n_directions);
        for (size_t i = first; i < last; i++)
            out[i] = custom_value(frame, row->values, i);
        return;
    }
    frame->kernels->project_row(row->values, row->columns, row->count,
                                frame->w + first * frame->n_features, frame->n_features, n_blocks,
                                out + first);
    for (size_t b = first_block; b < first_block + n_blocks; b++) {
        double norms[FROCC_BLOCK];
        for (size_t c = 0; c < FROCC_BLOCK && frame->w_norms != NULL; c++)
            norms[c] = row->norm + frame->w_norms[b * FROCC_BLOCK + c];
        frame->kernels->transform(&frame->transform, norms, out + b * FROCC_BLOCK, FROCC_BLOCK);
    }
}

static bool flow_one_row(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                         size_t r, const frocc__consumer *consumer) {
    prepared row;
    if (!prepare_one(frame, rows, r, stripe->row, &row))
        return false;
    for (size_t first = 0; first < frame->n_blocks; first += BLOCKS_AT_ONCE) {
        if (consumer->done != NULL && consumer->done(consumer->context, r, 1))
            break;
        size_t count = FROCC_MIN(frame->n_blocks - first, (size_t)BLOCKS_AT_ONCE);
        project_one(frame, &row, first, count, stripe->wide);
        for (size_t b = first; b < first + count; b++) {
            frocc__tile tile = {stripe->wide + b * FROCC_BLOCK, 1, r, 1, b,
                                directions_in(frame, b)};
            consumer->take(consumer->context, &tile);
        }
    }
    return true;
}

/* ---- All rows ------------------------------------------------------------------------------- */

/* Whether a run of sparse rows names so few entries that skipping the zeros wins. */
static bool is_sparse_run(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                          size_t count) {
    if (rows->row_start == NULL || !frame->zero_stays_zero || keeps_rows(frame))
        return false;
    uint64_t entries = (uint64_t)(rows->row_start[first + count] - rows->row_start[first]);
    return entries < (uint64_t)count * frame->n_features / 6;
}

static size_t flow_one_by_one(const frocc_frame *frame, const frocc_rows *rows,
                              frocc__stripe *stripe, size_t first, size_t end,
                              const frocc__consumer *consumer) {
    for (size_t r = first; r < end; r++)
        if (!flow_one_row(frame, rows, stripe, r, consumer))
            return r;
    return SIZE_MAX;
}

static size_t flow_panels(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                          const frocc__consumer *consumer) {
    size_t n_panels = (stripe->n_rows + FROCC_PANEL - 1) / FROCC_PANEL;
    for (size_t p = 0; p < n_panels; p++) {
        size_t bad = frocc__stripe_pack(frame, rows, stripe, p);
        if (bad != SIZE_MAX)
            return bad;
    }
    for (size_t b = 0; b < frame->n_blocks; b++) {
        for (size_t p = 0; p < n_panels; p++) {
            size_t first = p * FROCC_PANEL;
            size_t count = FROCC_MIN(stripe->n_rows - first, (size_t)FROCC_PANEL);
            if (consumer->done != NULL &&
                consumer->done(consumer->context, stripe->first_row + first, count))
                continue;
            frocc__tile tile = frocc__stripe_project(frame, stripe, p, b, stripe->tile);
            consumer->take(consumer->context, &tile);
        }
    }
    return SIZE_MAX;
}

/* Rows first .. end - 1, few enough for a stripe. Returns the first unusable row, or SIZE_MAX. */
static size_t flow_stripe(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                          size_t first, size_t end, const frocc__consumer *consumer) {
    if (is_sparse_run(frame, rows, first, end - first))
        return flow_one_by_one(frame, rows, stripe, first, end, consumer);
    size_t few = (end - first) % FROCC_PANEL;
    size_t panel_end = few < FEW_ROWS ? end - few : end;
    stripe->first_row = first;
    stripe->n_rows = panel_end - first;
    size_t bad = flow_panels(frame, rows, stripe, consumer);
    if (bad != SIZE_MAX)
        return bad;
    return flow_one_by_one(frame, rows, stripe, panel_end, end, consumer);
}

frocc_status frocc__flow(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripes,
                         int threads, const frocc__consumer *consumer) {
    const size_t per_stripe = frocc__stripe_rows(frame);
    const size_t n_rows = rows->n_rows;
    /* Small inputs are shared out too, in whole panels. */
    size_t share = (n_rows + (size_t)threads - 1) / (size_t)threads;
    share = (share + FROCC_PANEL - 1) / FROCC_PANEL * FROCC_PANEL;
    const size_t step = FROCC_MAX(FROCC_MIN(per_stripe, share), (size_t)FROCC_PANEL);
    const size_t n_steps = (n_rows + step - 1) / step;
    const int team = (int)FROCC_MIN((size_t)threads, n_steps);
    size_t first_bad = SIZE_MAX;
    if (team <= 1) {
        for (size_t s = 0; s < n_steps && first_bad == SIZE_MAX; s++)
            first_bad = flow_stripe(frame, rows, &stripes[0], s * step,
                                    FROCC_MIN((s + 1) * step, n_rows), consumer);
    } else {
        FROCC_OMP(parallel num_threads(team)) {
            size_t mine = frocc__thread_number();
            FROCC_OMP(for schedule(dynamic) reduction(min : first_bad))
            for (size_t s = 0; s < n_steps; s++) {
                size_t bad = flow_stripe(frame, rows, &stripes[mine], s * step,
                                         FROCC_MIN((s + 1) * step, n_rows), consumer);
                first_bad = FROCC_MIN(first_bad, bad);
            }
        }
    }
    return first_bad == SIZE_MAX ? FROCC_OK : frocc__rows_failure(rows, first_bad);
}
