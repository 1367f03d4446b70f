/* SPDX-License-Identifier: BSD-3-Clause */
/* Making a frame: from parameters, a sample where it learns, or what a file has recorded. */
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"
#include "frame/directions.h"
#include "frame/learn.h"
#include "frame/single_row.h"
#include "schema/schema.h"

/* Adding the squares of features that a list does not have would change no bit. */
static double square_of_list(const frocc__lists *lists, size_t direction) {
    double sum = 0.0;
    for (size_t e = lists->start[direction]; e < lists->start[direction + 1]; e++)
        sum = fma((double)lists->weights[e], (double)lists->weights[e], sum);
    return sum;
}

static frocc_status measure_directions(frocc_frame *frame) {
    const bool has_lists =
        frame->family == FROCC_FAMILY_MIXED || frame->family == FROCC_FAMILY_SPARSE;
    float *direction = frocc__alloc(frame->n_features, sizeof(float));
    if (direction == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = FROCC_OK;
    for (size_t i = 0; i < frame->n_directions && status == FROCC_OK; i++) {
        if (has_lists && (frame->dense_step == 0 || i % frame->dense_step != 0)) {
            frame->w_norms[i] = square_of_list(&frame->lists, i);
            continue;
        }
        status = frocc__check_cancelled();
        if (status == FROCC_OK)
            status = frocc__directions_unpack(frame, i, 1, direction);
        double sum = 0.0;
        for (size_t j = 0; j < frame->n_features; j++)
            sum = fma((double)direction[j], (double)direction[j], sum);
        frame->w_norms[i] = sum;
    }
    frocc__free(direction);
    return status;
}

/* What the kernel needs beside the directions. */
static frocc_status equip_kernel(frocc_frame *frame) {
    if (frame->transform.kernel == FROCC_KERNEL_RBF) {
        frame->w_norms = frocc__alloc(frame->n_blocks * FROCC_BLOCK, sizeof(double));
        if (frame->w_norms == NULL)
            return FROCC_ERR_MEMORY;
        FROCC_TRY(measure_directions(frame));
    }
    if (frame->transform.kernel == FROCC_KERNEL_CUSTOM) {
        frame->w_rows = frocc__alloc(frame->n_directions, frame->n_features * sizeof(float));
        if (frame->w_rows == NULL)
            return FROCC_ERR_MEMORY;
        FROCC_TRY(frocc__directions_unpack(frame, 0, frame->n_directions, frame->w_rows));
    }
    return FROCC_OK;
}

static frocc_status take_checksum(frocc_frame *frame) {
    frocc__bytes_out bytes = {0};
    frocc__frame_write(frame, &bytes);
    bool failed = bytes.failed;
    if (!failed)
        frame->checksum = frocc__checksum(bytes.data, bytes.size);
    frocc__free(bytes.data);
    return failed ? FROCC_ERR_MEMORY : FROCC_OK;
}

static frocc_status copy_doubles(const double *from, size_t count, double **to) {
    *to = frocc__alloc(count, sizeof(double));
    if (*to == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t j = 0; j < count; j++)
        (*to)[j] = from[j] + 0.0; /* equal frames are equal bytes: no -0 */
    return FROCC_OK;
}

/* The scaling that was given, by the caller or by a file. */
static frocc_status copy_scaling(frocc_frame *frame, const frocc_params *params,
                                 const frocc__recorded *recorded) {
    if (params->scaling == FROCC_SCALING_NONE)
        return FROCC_OK;
    FROCC_TRY(copy_doubles(params->shift, frame->columns.n_inputs, &frame->shift));
    FROCC_TRY(copy_doubles(params->scale, frame->columns.n_inputs, &frame->scale));
    if (frame->scaling != FROCC_SCALING_ASINH || recorded == NULL)
        return FROCC_OK;
    frame->is_log = frocc__alloc(frame->columns.n_inputs, 1);
    if (frame->is_log == NULL)
        return FROCC_ERR_MEMORY;
    memcpy(frame->is_log, recorded->is_log, frame->columns.n_inputs);
    FROCC_TRY(copy_doubles(recorded->asinh_shift, frame->columns.n_inputs, &frame->asinh_shift));
    return copy_doubles(recorded->asinh_scale, frame->columns.n_inputs, &frame->asinh_scale);
}

/* The scaling after asinh, which the prepared sample then goes through too. */
static frocc_status learn_asinh(frocc_frame *frame, const frocc__members *sample, float *prepared) {
    frame->asinh_shift = frocc__alloc(frame->columns.n_inputs, sizeof(double));
    frame->asinh_scale = frocc__alloc(frame->columns.n_inputs, sizeof(double));
    if (frame->asinh_shift == NULL || frame->asinh_scale == NULL)
        return FROCC_ERR_MEMORY;
    frocc__learn_again(frame, sample, prepared, frame->asinh_shift, frame->asinh_scale);
    return FROCC_OK;
}

static bool is_learnt(frocc_scaling scaling) {
    return scaling != FROCC_SCALING_NONE && scaling != FROCC_SCALING_GIVEN;
}

static frocc_status learn_scaling(frocc_frame *frame, const frocc_params *params,
                                  const frocc__members *sample) {
    if (!is_learnt(frame->scaling))
        return copy_scaling(frame, params, NULL);
    frame->shift = frocc__alloc(frame->columns.n_inputs, sizeof(double));
    frame->scale = frocc__alloc(frame->columns.n_inputs, sizeof(double));
    frame->is_log = frocc__alloc(frame->columns.n_inputs, 1);
    if (frame->shift == NULL || frame->scale == NULL || frame->is_log == NULL)
        return FROCC_ERR_MEMORY;
    FROCC_TRY(
        frocc__learn_scaling(frame->scaling, sample, frame->shift, frame->scale, frame->is_log));
    for (size_t k = 0; k < frame->columns.n_codes; k++) { /* codes stay as they are */
        const size_t j = frame->columns.known[k].feature;
        frame->shift[j] = 0.0;
        frame->scale[j] = 1.0;
        frame->is_log[j] = 0;
    }
    return FROCC_OK;
}

/* The caller's directions, or drawn ones; those that a file holds replace what was drawn. */
static frocc_status set_directions(frocc_frame *frame, const frocc_params *params,
                                   const frocc__whitening *whitening, const float *whitened) {
    const float *known = frame->family == FROCC_FAMILY_GIVEN ? params->directions : whitened;
    return frocc__directions_make(frame, whitening, known, frocc__threads(params->threads));
}

static frocc_status learn_directions(frocc_frame *frame, const frocc_params *params,
                                     const frocc__members *sample, const float *prepared) {
    const bool sees_nothing = frame->columns.n_codes > 0 && frame->columns.n_usable == 0;
    if (!frocc__has_whitened(frame) || sees_nothing)
        return set_directions(frame, params, NULL, NULL);
    frocc__whitening whitening;
    FROCC_TRY(frocc__whitening_new(frame, sample, prepared, &whitening));
    frocc_status status = set_directions(frame, params, &whitening, NULL);
    frocc__whitening_free(&whitening);
    return status;
}

static frocc_status grow_trees(frocc_frame *frame, size_t n_trees, const float *projections,
                               size_t n_rows) {
    uint32_t *listed = NULL;
    size_t n_listed;
    FROCC_TRY(frocc__directions_for_trees(frame, frame->n_directions, &listed, &n_listed));
    frocc_status status = frocc__trees_grow(n_trees, frame->seed, projections, n_rows, listed,
                                            n_listed, &frame->trees);
    frocc__free(listed);
    return status;
}

/* Rows that trees are grown from at most: more make smaller cells, at the cost of time and bytes.
 */
#define MOST_FOR_TREES 2048

/* A row after the other becomes a direction after the other; some rows at a time, so that the lines
 * that are written are whole. */
static void transpose(const float *rows, size_t n_rows, size_t n_directions, float *columns) {
    for (size_t first = 0; first < n_rows; first += FROCC_LINE / sizeof(float)) {
        const size_t end = FROCC_MIN(first + FROCC_LINE / sizeof(float), n_rows);
        for (size_t j = 0; j < n_directions; j++)
            for (size_t r = first; r < end; r++)
                columns[j * n_rows + r] = rows[r * n_directions + j];
    }
}

/* Trees are grown from the projections of the sample's first rows. */
static frocc_status learn_trees(frocc_frame *frame, size_t n_trees, const frocc__members *sample,
                                const float *prepared) {
    const size_t n_rows = FROCC_MIN(sample->count, (size_t)MOST_FOR_TREES);
    const size_t m = frame->n_directions;
    float *rows = frocc__alloc_raw(n_rows, m * sizeof(float));
    float *columns = frocc__alloc_raw(n_rows, m * sizeof(float));
    frocc_status status = rows != NULL && columns != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    if (status == FROCC_OK)
        status = frocc__project_rows(frame, prepared, n_rows, rows);
    if (status == FROCC_OK) {
        transpose(rows, n_rows, m, columns);
        status = grow_trees(frame, n_trees, columns, n_rows);
    }
    frocc__free(rows);
    frocc__free(columns);
    return status;
}

/* What is learnt from the sample as it is prepared so far. */
static frocc_status learn_prepared(frocc_frame *frame, const frocc_params *params,
                                   const frocc__members *sample, float *prepared) {
    if (frame->scaling == FROCC_SCALING_ASINH)
        FROCC_TRY(learn_asinh(frame, sample, prepared));
    FROCC_TRY(learn_directions(frame, params, sample, prepared));
    FROCC_TRY(equip_kernel(frame));
    return params->n_trees > 0 ? learn_trees(frame, params->n_trees, sample, prepared) : FROCC_OK;
}

/* Scaling and directions from a sample. */
static frocc_status learn(frocc_frame *frame, const frocc_params *params,
                          const frocc__members *sample) {
    const bool judged =
        frame->family == FROCC_FAMILY_MIXED && frame->transform.kernel == FROCC_KERNEL_LINEAR;
    FROCC_TRY(frocc__columns_learn(frame->schema, sample, frame->columns.n_inputs, !judged,
                                   &frame->columns));
    frame->n_features = frocc__columns_features(&frame->columns);
    FROCC_TRY(learn_scaling(frame, params, sample));
    float *prepared = NULL;
    FROCC_TRY(frocc__prepare_sample(frame, sample, &prepared));
    frocc_status status = learn_prepared(frame, params, sample, prepared);
    frocc__free(prepared);
    return status;
}

int frocc_params_learn(const frocc_params *params) {
    if (params == NULL)
        return 0;
    return is_learnt(params->scaling) || params->family == FROCC_FAMILY_MIXED ||
           params->n_trees > 0 || frocc__has_codes(params->schema);
}

/*
 * Rows that calibrate must not have taught the frame: whitening, above all, fits its own rows
 * better than new ones. One row that may teach is not enough; then all do, and the p-values of so
 * few rows tell nothing.
 */
static void leave_calibrators(frocc__members *members) {
    const size_t too_few = 1;
    size_t teachers = 0;
    while (teachers < members->count && !frocc__may_calibrate(members->rows[teachers].hash))
        teachers++;
    if (teachers > too_few)
        members->count = teachers;
}

static frocc_status learn_from(frocc_frame *frame, const frocc_params *params,
                               const frocc_sample *sample) {
    if (sample == NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT, "this scaling or family of directions is learnt: a "
                                               "frame for it needs a sample of the rows");
    frocc__members members;
    FROCC_TRY(frocc__sample_members(sample, &members));
    if (params->calibration_rows > 0)
        leave_calibrators(&members);
    frocc_status status = FROCC_OK;
    if (members.n_features != frame->columns.n_inputs)
        status = frocc__fail(FROCC_ERR_SHAPE, "the sample has %zu columns where %zu are expected",
                             members.n_features, frame->columns.n_inputs);
    else if (members.count == 0)
        status = frocc__fail(FROCC_ERR_EMPTY,
                             "nothing can be learnt from no rows; add rows to the sample first");
    else
        status = learn(frame, params, &members);
    frocc__members_free(&members);
    return status;
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

/* Whether a feature that is zero is zero after preparing too. */
static void note_zeros(frocc_frame *frame) {
    frame->zero_stays_zero = frame->scaling != FROCC_SCALING_ASINH;
    for (size_t j = 0; frame->shift != NULL && j < frame->columns.n_inputs; j++)
        frame->zero_stays_zero &= frame->shift[j] == 0.0;
}

/* The family is chosen here; a frame never says that it was chosen. */
static void set_family(frocc_frame *frame, const frocc_params *params) {
    frame->family = params->family;
    if (frame->family == FROCC_FAMILY_AUTO)
        frame->family =
            params->scaling == FROCC_SCALING_WHITEN
                ? FROCC_FAMILY_GAUSSIAN
                : frocc__choose_family(frame->n_features, params->n_directions, params->density);
    if (frame->family == FROCC_FAMILY_SPARSE)
        frame->direction_features = frocc__features_of_density(frame->n_features, params->density);
}

/* The parameters', which must be the sample's where both have one: its rows were read through that,
 * and columns of other texts would be learnt from them. */
static frocc_status set_schema(frocc_frame *frame, const frocc_schema *own,
                               const frocc_sample *sample) {
    const bool fits = sample != NULL && sample->n_features == frame->columns.n_inputs;
    const frocc_schema *other = fits ? sample->schema : NULL;
    bool are_alike = true;
    if (own != NULL && other != NULL)
        FROCC_TRY(frocc__schemas_alike(own, other, &are_alike));
    if (!are_alike)
        return frocc__fail(FROCC_ERR_FRAME,
                           "the columns of the sample, categories included, are not those of the "
                           "parameters; read the rows of both through one schema");
    const frocc_schema *schema = own != NULL ? own : other;
    frame->schema = schema != NULL ? frocc__schema_retain(schema) : NULL;
    return FROCC_OK;
}

static frocc_status fill_in(frocc_frame *frame, const frocc_params *params,
                            const frocc_sample *sample, const frocc__recorded *recorded) {
    frame->kernels = frocc__kernels_best();
    frame->n_directions = params->n_directions;
    frame->n_blocks = (frame->n_directions + FROCC_BLOCK - 1) / FROCC_BLOCK;
    set_family(frame, params);
    frame->seed = params->seed;
    frame->scaling = recorded != NULL ? recorded->scaling : params->scaling;
    FROCC_TRY(set_schema(frame, params->schema, sample));
    set_kernel(frame, params);
    forget_unused(&frame->transform);
    if (recorded == NULL && (frocc_params_learn(params) || frocc__has_codes(frame->schema))) {
        FROCC_TRY(learn_from(frame, params, sample));
    } else {
        const float *whitened = recorded != NULL ? recorded->whitened : NULL;
        if (recorded != NULL) {
            frame->columns = *recorded->columns;
            *recorded->columns = (frocc__columns){0};
            frame->n_features = frocc__columns_features(&frame->columns);
        }
        FROCC_TRY(copy_scaling(frame, params, recorded));
        FROCC_TRY(set_directions(frame, params, NULL, whitened));
        FROCC_TRY(equip_kernel(frame));
        if (recorded != NULL) {
            frame->trees = *recorded->trees;
            *recorded->trees = (frocc__trees){0};
        }
    }
    note_zeros(frame);
    return take_checksum(frame);
}

frocc_status frocc__frame_build(const frocc_params *params, size_t n_features,
                                const frocc_sample *sample, const frocc__recorded *recorded,
                                frocc_frame **frame) {
    FROCC_TRY(frocc_params_check(params, n_features));
    frocc_frame *made = frocc__alloc(1, sizeof *made);
    if (made == NULL)
        return FROCC_ERR_MEMORY;
    made->references = 1;
    made->columns.n_inputs = made->columns.n_numbers = made->n_features = n_features;
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
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(params);
    FROCC_REQUIRE(frame);
    return frocc__frame_build(params, n_features, sample, NULL, frame);
}
