/* SPDX-License-Identifier: BSD-3-Clause */
/* Extremes of features: a comparison or two a value. */
#include "sketch/extremes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "kernels/mathf.h"

bool frocc__has_extremes(const frocc_frame *frame) {
    return frame->scaling == FROCC_SCALING_ASINH && frame->bundles.size == 0 &&
           frame->transform.kernel != FROCC_KERNEL_CUSTOM;
}

frocc_status frocc__extremes_new(size_t n_features, frocc__extremes *extremes) {
    *extremes = (frocc__extremes){n_features, frocc__alloc(n_features, sizeof(frocc__ends))};
    if (extremes->ends == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t j = 0; j < n_features; j++)
        extremes->ends[j] = (frocc__ends){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    return FROCC_OK;
}

void frocc__extremes_free(frocc__extremes *extremes) {
    frocc__free(extremes->ends);
    *extremes = (frocc__extremes){0};
}

frocc_status frocc__extremes_copy(const frocc__extremes *extremes, frocc__extremes *copy) {
    FROCC_TRY(frocc__extremes_new(extremes->n_features, copy));
    if (extremes->n_features > 0)
        memcpy(copy->ends, extremes->ends, extremes->n_features * sizeof *copy->ends);
    return FROCC_OK;
}

static void add_low(frocc__ends *ends, float value) {
    if (value < ends->low[1]) {
        ends->low[1] = FROCC_MAX(value, ends->low[0]);
        ends->low[0] = FROCC_MIN(value, ends->low[0]);
    }
}

static void add_high(frocc__ends *ends, float value) {
    if (value > ends->high[1]) {
        ends->high[1] = FROCC_MIN(value, ends->high[0]);
        ends->high[0] = FROCC_MAX(value, ends->high[0]);
    }
}

void frocc__extremes_take(frocc__extremes *extremes, const frocc__kernels *kernels, size_t feature,
                          const float *values, size_t n_rows) {
    frocc__ends *ends = &extremes->ends[feature];
    float low, high;
    kernels->find_range(values, n_rows, &low, &high);
    if (low >= ends->low[1] && high <= ends->high[1])
        return;
    for (size_t r = 0; r < n_rows; r++) {
        add_low(ends, values[r] + 0.0f); /* no -0: equal models must be equal bytes */
        add_high(ends, values[r] + 0.0f);
    }
}

void frocc__extremes_merge(frocc__extremes *into, const frocc__extremes *from) {
    for (size_t j = 0; j < into->n_features; j++)
        for (int i = 0; i < 2; i++) {
            add_low(&into->ends[j], from->ends[j].low[i]);
            add_high(&into->ends[j], from->ends[j].high[i]);
        }
}

/* ---- Distances ------------------------------------------------------------------------------ */

/* A prepared value in standard deviations: asinh undone; a logarithm stays as it is. */
static float unfolded(const frocc_frame *frame, size_t feature, float value) {
    if (frame->is_log[feature])
        return value;
    const double unscaled =
        (double)value * frame->asinh_scale[feature] + frame->asinh_shift[feature];
    const float t = (float)unscaled;
    return 0.25f * (frocc__expf(t) - frocc__expf(-t));
}

static bool is_code(const frocc_frame *frame, size_t feature) {
    return frame->columns.n_codes > 0 && frame->columns.is_code[feature];
}

/* Codes are never wild: they have evidence of their own. */
static float distance(const frocc_frame *frame, size_t feature, float low, float high,
                      float value) {
    if ((value >= low && value <= high) || is_code(frame, feature))
        return 0.0f;
    const float end = value < low ? low : high;
    return FROCC_MIN(fabsf(unfolded(frame, feature, value) - unfolded(frame, feature, end)),
                     FLT_MAX);
}

float frocc__extremes_distance(const frocc__extremes *extremes, const frocc_frame *frame,
                               size_t feature, float value) {
    const frocc__ends *ends = &extremes->ends[feature];
    return distance(frame, feature, ends->low[0], ends->high[0], value);
}

float frocc__extremes_left_out(const frocc__extremes *extremes, const frocc_frame *frame,
                               size_t feature, float value) {
    const frocc__ends *ends = &extremes->ends[feature];
    const float low = value == ends->low[0] ? ends->low[1] : ends->low[0];
    const float high = value == ends->high[0] ? ends->high[1] : ends->high[0];
    return distance(frame, feature, low, high, value);
}

bool frocc__extremes_is_far(const frocc__extremes *extremes, const frocc_frame *frame,
                            const float *row) {
    for (size_t j = 0; j < extremes->n_features; j++) {
        const frocc__ends *ends = &extremes->ends[j];
        if (ends->low[0] < ends->high[0] &&
            distance(frame, j, ends->low[0], ends->high[0], row[j]) >
                unfolded(frame, j, ends->high[0]) - unfolded(frame, j, ends->low[0]))
            return true;
    }
    return false;
}

/* ---- As bytes ------------------------------------------------------------------------------- */

void frocc__extremes_write(const frocc__extremes *extremes, frocc__bytes_out *out) {
    for (size_t j = 0; j < extremes->n_features; j++)
        for (int i = 0; i < 2; i++) {
            frocc__put_f32(out, extremes->ends[j].low[i]);
            frocc__put_f32(out, extremes->ends[j].high[i]);
        }
}

static bool is_end(float value) {
    return fabsf(value) <= FLT_MAX && !(value == 0.0f && signbit(value));
}

/* What values can have left: two or more of them, or one. */
static bool are_ends(const frocc__ends *e) {
    if (!is_end(e->low[0]) || !is_end(e->high[0]) || e->low[0] > e->high[0])
        return false;
    if (e->low[1] == INFINITY)
        return e->high[1] == -INFINITY && e->low[0] == e->high[0];
    return is_end(e->low[1]) && is_end(e->high[1]) && e->low[0] <= e->low[1] &&
           e->low[1] <= e->high[0] && e->low[0] <= e->high[1] && e->high[1] <= e->high[0];
}

frocc_status frocc__extremes_read(frocc__bytes_in *in, size_t n_features,
                                  frocc__extremes *extremes) {
    if (in->left / sizeof(frocc__ends) < n_features)
        return frocc__damaged("the extremes of its features are cut short");
    frocc__extremes made;
    FROCC_TRY(frocc__extremes_new(n_features, &made));
    bool usable = true;
    for (size_t j = 0; j < n_features && usable; j++) {
        for (int i = 0; i < 2; i++) {
            made.ends[j].low[i] = frocc__get_f32(in);
            made.ends[j].high[i] = frocc__get_f32(in);
        }
        usable = !in->failed && are_ends(&made.ends[j]);
    }
    if (!usable) {
        frocc__extremes_free(&made);
        return frocc__damaged("the extremes of its features are not what a fit produces");
    }
    *extremes = made;
    return FROCC_OK;
}
