/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame: made from parameters, shared, compared; and how it prepares a row. */
#include "frame.h"

#include <math.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "sample.h"
#include "status.h"

frocc_frame *frocc__frame_share(frocc_frame *frame) {
    atomic_fetch_add_explicit(&frame->references, 1, memory_order_relaxed);
    return frame;
}

void frocc_frame_free(frocc_frame *frame) {
    if (frame == NULL ||
        atomic_fetch_sub_explicit(&frame->references, 1, memory_order_acq_rel) != 1)
        return;
    frocc__free(frame->shift);
    frocc__free(frame->scale);
    frocc__free(frame->w);
    frocc__free(frame->w_norms);
    frocc__free(frame->w_rows);
    frocc__free(frame);
}

/* ---- Making one ---------------------------------------------------------------------------- */

static float *block_of(const frocc_frame *frame, size_t block) {
    return frame->w + block * frame->n_features * FROCC_BLOCK;
}

static void copy_direction(const frocc_frame *frame, size_t direction, float *out) {
    for (size_t j = 0; j < frame->n_features; j++)
        out[j] = frocc__frame_component(frame, direction, j);
}

static void draw_directions(frocc_frame *frame, int threads) {
    (void)threads;
    FROCC_OMP(parallel for num_threads(threads) if (threads > 1) schedule(static))
    for (size_t b = 0; b < frame->n_blocks; b++)
        frame->kernels->draw_block(frame->seed, (uint32_t)(b * FROCC_BLOCK), frame->n_features,
                                   block_of(frame, b));
}

static void pack_directions(frocc_frame *frame, const float *directions) {
    for (size_t i = 0; i < frame->n_directions; i++) {
        float *w = block_of(frame, i / FROCC_BLOCK) + i % FROCC_BLOCK;
        for (size_t j = 0; j < frame->n_features; j++)
            w[j * FROCC_BLOCK] = directions[i * frame->n_features + j];
    }
}

static void measure_directions(frocc_frame *frame) {
    for (size_t i = 0; i < frame->n_directions; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < frame->n_features; j++) {
            double component = (double)frocc__frame_component(frame, i, j);
            sum = fma(component, component, sum);
        }
        frame->w_norms[i] = sum;
    }
}

static frocc_status take_checksum(frocc_frame *frame) {
    frocc__writer bytes = {0};
    frocc__frame_write(frame, &bytes);
    bool failed = bytes.failed;
    if (!failed)
        frame->checksum = frocc__checksum(bytes.data, bytes.size);
    frocc__free(bytes.data);
    return failed ? FROCC_ERR_MEMORY : FROCC_OK;
}

/* The directions, given or drawn, and what the kernel needs beside them. */
static frocc_status complete(frocc_frame *frame, const float *directions, int threads) {
    frame->references = 1;
    frame->kernels = frocc__kernels_best();
    frame->n_blocks = (frame->n_directions + FROCC_BLOCK - 1) / FROCC_BLOCK;
    frame->zero_stays_zero = true;
    for (size_t j = 0; frame->shift != NULL && j < frame->n_features; j++)
        frame->zero_stays_zero &= frame->shift[j] == 0.0;
    frame->w = frocc__alloc(frame->n_blocks * FROCC_BLOCK, frame->n_features * sizeof(float));
    if (frame->w == NULL)
        return FROCC_ERR_MEMORY;
    if (directions != NULL)
        pack_directions(frame, directions);
    else
        draw_directions(frame, threads);
    if (frame->transform.kernel == FROCC_KERNEL_RBF) {
        frame->w_norms = frocc__alloc(frame->n_blocks * FROCC_BLOCK, sizeof(double));
        if (frame->w_norms == NULL)
            return FROCC_ERR_MEMORY;
        measure_directions(frame);
    }
    if (frame->transform.kernel == FROCC_KERNEL_CUSTOM) {
        frame->w_rows = frocc__alloc(frame->n_directions, frame->n_features * sizeof(float));
        if (frame->w_rows == NULL)
            return FROCC_ERR_MEMORY;
        for (size_t i = 0; i < frame->n_directions; i++)
            copy_direction(frame, i, frame->w_rows + i * frame->n_features);
    }
    return take_checksum(frame);
}

static frocc_status allocate_scaling(frocc_frame *frame) {
    if (frame->scaling == FROCC_SCALING_NONE)
        return FROCC_OK;
    frame->shift = frocc__alloc(frame->n_features, sizeof(double));
    frame->scale = frocc__alloc(frame->n_features, sizeof(double));
    return frame->shift != NULL && frame->scale != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

static frocc_status set_scaling(frocc_frame *frame, const frocc_params *params,
                                const frocc_sample *sample) {
    FROCC_TRY(allocate_scaling(frame));
    if (frame->scaling == FROCC_SCALING_NONE)
        return FROCC_OK;
    if (frame->scaling == FROCC_SCALING_GIVEN) {
        for (size_t j = 0; j < frame->n_features; j++) {
            frame->shift[j] = params->shift[j] + 0.0; /* equal frames are equal bytes: no -0 */
            frame->scale[j] = params->scale[j];
        }
        return FROCC_OK;
    }
    if (sample == NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT, "this scaling is learnt: a frame for it needs a "
                                               "sample of the rows");
    if (frocc__sample_features(sample) != frame->n_features)
        return frocc__fail(FROCC_ERR_SHAPE, "the sample has %zu columns where %zu are expected",
                           frocc__sample_features(sample), frame->n_features);
    return frocc__sample_scaling(sample, frame->scaling, frame->shift, frame->scale);
}

static void set_kernel(frocc_frame *frame, const frocc_params *params) {
    double gamma = params->gamma > 0.0 ? params->gamma : 1.0 / (double)frame->n_features;
    frame->transform = (frocc__transform){params->kernel, (float)gamma, (float)params->coef0 + 0.0f,
                                          params->degree};
    if (params->kernel != FROCC_KERNEL_CUSTOM)
        return;
    frame->kernel_fn = params->kernel_fn;
    frame->kernel_context = params->kernel_context;
    if (params->kernel_name != NULL)
        memcpy(frame->kernel_name, params->kernel_name, strlen(params->kernel_name));
}

/* Kernels that do not use a parameter must not differ by it. */
static void forget_unused(frocc__transform *transform) {
    bool is_poly = transform->kernel == FROCC_KERNEL_POLY;
    bool is_sigmoid = transform->kernel == FROCC_KERNEL_SIGMOID;
    if (!is_poly)
        transform->degree = 0;
    if (!is_poly && !is_sigmoid)
        transform->coef0 = 0.0f;
    if (!is_poly && !is_sigmoid && transform->kernel != FROCC_KERNEL_RBF)
        transform->gamma = 0.0f;
}

static frocc_status fill_in(frocc_frame *frame, const frocc_params *params,
                            const frocc_sample *sample, frocc_scaling recorded) {
    frame->n_directions = params->n_directions;
    frame->family = params->family;
    frame->seed = params->family == FROCC_FAMILY_GAUSSIAN ? params->seed : 0;
    frame->scaling = params->scaling;
    set_kernel(frame, params);
    forget_unused(&frame->transform);
    FROCC_TRY(set_scaling(frame, params, sample));
    frame->scaling = recorded;
    const float *given = params->family == FROCC_FAMILY_GIVEN ? params->directions : NULL;
    return complete(frame, given, frocc__threads(params->threads));
}

frocc_status frocc__frame_build(const frocc_params *params, size_t n_features,
                                const frocc_sample *sample, frocc_scaling recorded,
                                frocc_frame **frame) {
    FROCC_TRY(frocc_params_check(params, n_features));
    frocc_frame *made = frocc__alloc(1, sizeof *made);
    if (made == NULL)
        return FROCC_ERR_MEMORY;
    made->references = 1;
    made->n_features = n_features;
    frocc_status status = fill_in(made, params, sample, recorded);
    if (status != FROCC_OK) {
        frocc_frame_free(made);
        return status;
    }
    *frame = made;
    return FROCC_OK;
}

frocc_status frocc_frame_new(const frocc_params *params, size_t n_features,
                             const frocc_sample *sample, frocc_frame **frame) {
    FROCC_REQUIRE(params);
    FROCC_REQUIRE(frame);
    return frocc__frame_build(params, n_features, sample, params->scaling, frame);
}

static bool same_doubles(const double *a, const double *b, size_t count) {
    return a == b || (a != NULL && b != NULL && memcmp(a, b, count * sizeof(double)) == 0);
}

/* Field by field: it must not need memory, and a checksum alone could be forged. */
bool frocc__frames_equal(const frocc_frame *a, const frocc_frame *b) {
    if (a == b)
        return true;
    return a->checksum == b->checksum && a->n_features == b->n_features &&
           a->n_directions == b->n_directions && a->seed == b->seed && a->family == b->family &&
           a->scaling == b->scaling && a->kernel_fn == b->kernel_fn &&
           memcmp(&a->transform, &b->transform, sizeof a->transform) == 0 &&
           memcmp(a->kernel_name, b->kernel_name, sizeof a->kernel_name) == 0 &&
           same_doubles(a->shift, b->shift, a->n_features) &&
           same_doubles(a->scale, b->scale, a->n_features) &&
           memcmp(a->w, b->w, a->n_blocks * FROCC_BLOCK * a->n_features * sizeof(float)) == 0;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* False for NaN too. */
static inline bool is_usable(float value) {
    return fabsf(value) <= FROCC_LARGEST_VALUE;
}

static inline float prepare(const frocc_frame *frame, double value, size_t column) {
    if (frame->shift == NULL)
        return (float)value;
    return (float)((value - frame->shift[column]) / frame->scale[column]);
}

static bool prepare_dense(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                          float *out) {
    const size_t n = frame->n_features;
    const float *f32 = rows->dtype == FROCC_F32 ? (const float *)rows->values + first : NULL;
    const double *f64 = rows->dtype == FROCC_F64 ? (const double *)rows->values + first : NULL;
    bool usable = true;
    if (f32 != NULL && frame->shift == NULL)
        memcpy(out, f32, n * sizeof(float));
    else if (f32 != NULL)
        for (size_t j = 0; j < n; j++)
            out[j] = prepare(frame, (double)f32[j], j);
    else
        for (size_t j = 0; j < n; j++)
            out[j] = prepare(frame, f64[j], j);
    for (size_t j = 0; j < n; j++)
        usable &= is_usable(out[j]);
    return usable;
}

bool frocc__frame_prepare_sparse(const frocc_frame *frame, const frocc_rows *rows,
                                 const frocc__row *row, float *out) {
    if (!frocc__row_is_valid(row, frame->n_features))
        return false;
    bool usable = true;
    for (size_t i = 0; i < row->count; i++) {
        out[i] = prepare(frame, frocc__rows_entry(rows, row->first + i), (size_t)row->columns[i]);
        usable &= is_usable(out[i]);
    }
    return usable;
}

bool frocc__frame_prepare(const frocc_frame *frame, const frocc_rows *rows, size_t r, float *out) {
    frocc__row row = frocc__rows_at(rows, r);
    if (rows->row_start == NULL)
        return prepare_dense(frame, rows, row.first, out);
    if (!frocc__row_is_valid(&row, frame->n_features))
        return false;
    bool usable = true;
    for (size_t j = 0, e = 0; j < frame->n_features; j++) {
        bool named = e < row.count && (size_t)row.columns[e] == j;
        out[j] = prepare(frame, named ? frocc__rows_entry(rows, row.first + e) : 0.0, j);
        e += named;
        usable &= is_usable(out[j]);
    }
    return usable;
}

/* ---- What callers may see ------------------------------------------------------------------- */

size_t frocc_frame_features(const frocc_frame *frame) {
    return frame == NULL ? 0 : frame->n_features;
}

size_t frocc_frame_directions(const frocc_frame *frame) {
    return frame == NULL ? 0 : frame->n_directions;
}

uint64_t frocc_frame_checksum(const frocc_frame *frame) {
    return frame == NULL ? 0 : frame->checksum;
}

frocc_status frocc_frame_copy_directions(const frocc_frame *frame, size_t first, size_t count,
                                         float *directions) {
    FROCC_REQUIRE(frame);
    FROCC_REQUIRE(directions);
    if (first > frame->n_directions || count > frame->n_directions - first)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "directions %zu to %zu (from 0) are asked for; the frame has %zu", first,
                           first + count - 1, frame->n_directions);
    for (size_t i = 0; i < count; i++)
        copy_direction(frame, first + i, directions + i * frame->n_features);
    return FROCC_OK;
}

void frocc_frame_copy_scaling(const frocc_frame *frame, double *shift, double *scale) {
    for (size_t j = 0; frame != NULL && j < frame->n_features; j++) {
        if (shift != NULL)
            shift[j] = frame->shift != NULL ? frame->shift[j] : 0.0;
        if (scale != NULL)
            scale[j] = frame->scale != NULL ? frame->scale[j] : 1.0;
    }
}
