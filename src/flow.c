/* SPDX-License-Identifier: BSD-3-Clause */
/* From rows to tiles: O(d) multiply-adds per row and direction, by panels or row by row. */
#include "flow.h"

#include <math.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "wide.h"

/* Fewer rows than this are cheaper one by one than as a padded panel. */
#define FEW_ROWS 7

/* Blocks projected between two looks at whether a single row is decided. */
#define BLOCKS_AT_ONCE 16

static bool keeps_rows(const frocc_frame *frame) {
    return frame->transform.kernel == FROCC_KERNEL_CUSTOM;
}

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

void frocc__channels_free(frocc__channel *channels, int threads) {
    for (int t = 0; channels != NULL && t < threads; t++) {
        frocc__stripe_free(&channels[t].stripe);
        frocc__desk_free(&channels[t].desk);
    }
    frocc__free(channels);
}

frocc_status frocc__channels_new(const frocc_frame *frame, int threads, frocc__channel **channels) {
    frocc__channel *made = frocc__alloc((size_t)threads, sizeof *made);
    frocc_status status = made != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    for (int t = 0; t < threads && status == FROCC_OK; t++) {
        status = frocc__stripe_new(frame, &made[t].stripe);
        if (status == FROCC_OK)
            status = frocc__desk_new(frame, &made[t].desk);
    }
    if (status != FROCC_OK) {
        frocc__channels_free(made, threads);
        return status;
    }
    *channels = made;
    return FROCC_OK;
}

/* ---- Kernels -------------------------------------------------------------------------------- */

static double square_norm(const float *values, size_t count) {
    double sum = 0.0;
    for (size_t j = 0; j < count; j++)
        sum = fma((double)values[j], (double)values[j], sum);
    return sum;
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

/* ---- One row -------------------------------------------------------------------------------- */

/* One prepared row: all features, or the named ones of a sparse row. */
typedef struct prepared {
    const float *values;
    const int32_t *columns; /* NULL when dense */
    size_t count;
    double norm;
} prepared;

/* Whether the zeros of sparse rows can be skipped. */
static bool can_skip_zeros(const frocc_frame *frame, const frocc_rows *rows) {
    return rows->row_start != NULL && frame->zero_stays_zero && frame->dense_step == 1 &&
           !keeps_rows(frame);
}

static bool prepare_one(const frocc_frame *frame, const frocc_rows *rows, size_t r, float *scratch,
                        prepared *out) {
    frocc__row row = frocc__rows_at(rows, r);
    bool sparse = can_skip_zeros(frame, rows);
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
                        size_t n_blocks, float *work, float *out) {
    size_t first = first_block * FROCC_BLOCK;
    if (keeps_rows(frame)) {
        size_t last = FROCC_MIN(first + n_blocks * FROCC_BLOCK, frame->n_directions);
        for (size_t i = first; i < last; i++)
            out[i] = custom_value(frame, row->values, i);
        return;
    }
    if (frocc__is_wide(frame))
        frocc__project_wide_row(frame, row->values, first_block, n_blocks, work, out);
    else
        frame->kernels->project_row(row->values, row->columns, row->count,
                                    frame->w + first * frame->n_features, frame->n_features,
                                    n_blocks, out + first);
    if (frame->transform.kernel == FROCC_KERNEL_LINEAR)
        return;
    for (size_t b = first_block; b < first_block + n_blocks; b++) {
        double norms[FROCC_BLOCK];
        for (size_t c = 0; c < FROCC_BLOCK && frame->w_norms != NULL; c++)
            norms[c] = row->norm + frame->w_norms[b * FROCC_BLOCK + c];
        frame->kernels->transform(&frame->transform, norms, out + b * FROCC_BLOCK, FROCC_BLOCK);
    }
}

/* ---- Packing -------------------------------------------------------------------------------- */

/* Whether a run of sparse rows names so few entries that skipping the zeros wins: an entry by
 * itself costs as much as some twenty of a panel. */
static bool is_sparse_run(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                          size_t count) {
    if (!can_skip_zeros(frame, rows))
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
    if (keeps_rows(frame))
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
                            const prepared *row, frocc__desk *desk) {
    const size_t m = frame->n_blocks * FROCC_BLOCK;
    float *line = desk->lines + r % FROCC_STRIP * m;
    if (row == NULL)
        memset(line, 0, m * sizeof(float));
    else
        project_one(frame, row, 0, frame->n_blocks, desk->work, line);
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
        prepared row = {slot, NULL, d, is_rbf && is_row ? square_norm(slot, d) : 0.0};
        place_projected(frame, stripe, r, is_row ? &row : NULL, desk);
        return;
    }
    if (!is_row)
        memset(slot, 0, d * sizeof(float));
    if (is_rbf)
        stripe->norms[r] = square_norm(slot, d);
    if (keeps_rows(frame) || r % FROCC_STRIP != FROCC_STRIP - 1)
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

static size_t pack_sparse(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                          size_t panel, frocc__desk *desk) {
    for (size_t r = panel * FROCC_PANEL; r < (panel + 1) * FROCC_PANEL; r++) {
        prepared row;
        bool is_row = r < stripe->n_rows;
        if (is_row && !prepare_one(frame, rows, row_number(stripe, r), desk->rows, &row))
            return row_number(stripe, r);
        place_projected(frame, stripe, r, is_row ? &row : NULL, desk);
    }
    return SIZE_MAX;
}

size_t frocc__stripe_pack(const frocc_frame *frame, const frocc_rows *rows, frocc__stripe *stripe,
                          size_t panel, frocc__desk *desk) {
    if (stripe->projected && !frocc__is_wide(frame))
        return pack_sparse(frame, rows, stripe, panel, desk);
    for (size_t r = panel * FROCC_PANEL; r < (panel + 1) * FROCC_PANEL; r++) {
        bool is_row = r < stripe->n_rows;
        if (is_row && !frocc__frame_prepare(frame, rows, row_number(stripe, r),
                                            frocc__stripe_slot(frame, stripe, r, desk)))
            return row_number(stripe, r);
        frocc__stripe_place(frame, stripe, r, is_row, desk);
    }
    return SIZE_MAX;
}

static size_t directions_in(const frocc_frame *frame, size_t block) {
    return FROCC_MIN(frame->n_directions - block * FROCC_BLOCK, (size_t)FROCC_BLOCK);
}

static frocc__tile tile_of(const frocc_frame *frame, const frocc__stripe *stripe, size_t panel,
                           size_t block, const float *values) {
    size_t first = panel * FROCC_PANEL;
    return (frocc__tile){
        .values = values,
        .stride = FROCC_PANEL,
        .first_row = stripe->first_row + first,
        .n_rows = FROCC_MIN(stripe->n_rows - first, (size_t)FROCC_PANEL),
        .block = block,
        .n_directions = directions_in(frame, block),
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
    if (keeps_rows(frame)) {
        custom_tile(frame, x, tile, tile_values);
        return true;
    }
    frame->kernels->project_panel(x, w, frame->n_features, tile_values);
    if (frame->transform.kernel != FROCC_KERNEL_LINEAR)
        transform_tile(frame, stripe->norms + panel * FROCC_PANEL, block, tile_values);
    return true;
}

/* ---- Row by row ----------------------------------------------------------------------------- */

static bool flow_one_row(const frocc_frame *frame, const frocc_rows *rows, frocc__desk *desk,
                         size_t r, const frocc__consumer *consumer) {
    prepared row;
    if (!prepare_one(frame, rows, r, desk->rows, &row))
        return false;
    for (size_t first = 0; first < frame->n_blocks; first += BLOCKS_AT_ONCE) {
        if (consumer->done != NULL && consumer->done(consumer->context, r, 1))
            break;
        size_t count = FROCC_MIN(frame->n_blocks - first, (size_t)BLOCKS_AT_ONCE);
        project_one(frame, &row, first, count, desk->work, desk->lines);
        for (size_t b = first; b < first + count; b++) {
            frocc__tile tile = {.values = desk->lines + b * FROCC_BLOCK,
                                .stride = 1,
                                .first_row = r,
                                .n_rows = 1,
                                .block = b,
                                .n_directions = directions_in(frame, b)};
            consumer->take(consumer->context, &tile);
        }
    }
    return true;
}

static size_t flow_one_by_one(const frocc_frame *frame, const frocc_rows *rows, frocc__desk *desk,
                              size_t first, size_t end, const frocc__consumer *consumer) {
    for (size_t r = first; r < end; r++)
        if (!flow_one_row(frame, rows, desk, r, consumer))
            return r;
    return SIZE_MAX;
}

/* ---- All rows ------------------------------------------------------------------------------- */

static size_t flow_panels(const frocc_frame *frame, const frocc_rows *rows, frocc__channel *channel,
                          const frocc__consumer *consumer) {
    frocc__stripe *stripe = &channel->stripe;
    size_t n_panels = (stripe->n_rows + FROCC_PANEL - 1) / FROCC_PANEL;
    for (size_t p = 0; p < n_panels; p++) {
        size_t bad = frocc__stripe_pack(frame, rows, stripe, p, &channel->desk);
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
            frocc__tile tile;
            if (frocc__stripe_project(frame, stripe, p, b, consumer->filter, channel->desk.tile,
                                      &tile))
                consumer->take(consumer->context, &tile);
        }
    }
    return SIZE_MAX;
}

/* Rows first .. end - 1, few enough for a stripe. Returns the first unusable row, or SIZE_MAX. */
static size_t flow_stripe(const frocc_frame *frame, const frocc_rows *rows, frocc__channel *channel,
                          size_t first, size_t end, const frocc__consumer *consumer) {
    size_t few = (end - first) % FROCC_PANEL;
    size_t panel_end = few < FEW_ROWS ? end - few : end;
    /* Cannot fail: what it may need was made before. */
    (void)frocc__stripe_begin(frame, rows, first, panel_end - first, NULL, &channel->stripe);
    size_t bad = flow_panels(frame, rows, channel, consumer);
    if (bad != SIZE_MAX)
        return bad;
    return flow_one_by_one(frame, rows, &channel->desk, panel_end, end, consumer);
}

frocc_status frocc__flow(const frocc_frame *frame, const frocc_rows *rows, frocc__channel *channels,
                         int threads, const frocc__consumer *consumer) {
    const size_t per_stripe = frocc__stripe_rows(frame);
    const size_t n_rows = rows->n_rows;
    /* Small inputs are shared out too, in whole panels. */
    size_t share = (n_rows + (size_t)threads - 1) / (size_t)threads;
    share = (share + FROCC_PANEL - 1) / FROCC_PANEL * FROCC_PANEL;
    const size_t step = FROCC_MAX(FROCC_MIN(per_stripe, share), (size_t)FROCC_PANEL);
    const size_t n_steps = (n_rows + step - 1) / step;
    const int team = (int)FROCC_MIN((size_t)frocc__team(threads), n_steps);
    size_t first_bad = SIZE_MAX;
    for (int t = 0; t < team && can_skip_zeros(frame, rows); t++)
        FROCC_TRY(make_wide(frame, &channels[t].stripe));
    FROCC_OMP(parallel for num_threads(team) if (team > 1) schedule(dynamic)
              reduction(min : first_bad))
    for (size_t s = 0; s < n_steps; s++) {
        if (team <= 1 && first_bad != SIZE_MAX)
            continue; /* rows are in order: this is the first */
        size_t bad = flow_stripe(frame, rows, &channels[frocc__thread_number()], s * step,
                                 FROCC_MIN((s + 1) * step, n_rows), consumer);
        first_bad = FROCC_MIN(first_bad, bad);
    }
    return first_bad == SIZE_MAX ? FROCC_OK : frocc__rows_failure(rows, first_bad);
}
