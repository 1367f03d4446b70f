/* SPDX-License-Identifier: BSD-3-Clause */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "mathf.h"

oracle *oracle_new(const frocc_params *params, const frocc_frame *frame) {
    size_t d = frocc_frame_features(frame), m = frocc_frame_directions(frame);
    oracle *o = calloc(1, sizeof *o);
    if (o == NULL)
        return NULL;
    o->n_features = d;
    o->n_directions = m;
    o->params = *params;
    o->gamma = (float)(params->gamma == 0 ? 1.0 / (double)d : params->gamma);
    o->coef0 = (float)params->coef0;
    o->directions = malloc(m * d * sizeof *o->directions);
    o->shift = malloc(d * sizeof *o->shift);
    o->scale = malloc(d * sizeof *o->scale);
    o->row = malloc(d * sizeof *o->row);
    if (o->directions == NULL || o->shift == NULL || o->scale == NULL || o->row == NULL ||
        frocc_frame_copy_directions(frame, 0, m, o->directions) != FROCC_OK) {
        oracle_free(o);
        return NULL;
    }
    frocc_frame_copy_scaling(frame, o->shift, o->scale);
    return o;
}

void oracle_free(oracle *o) {
    if (o == NULL)
        return;
    free(o->directions);
    free(o->shift);
    free(o->scale);
    free(o->row);
    free(o);
}

static void prepare(oracle *o, const double *x) {
    for (size_t j = 0; j < o->n_features; j++) {
        if (o->params.scaling == FROCC_SCALING_NONE) {
            o->row[j] = (float)x[j];
        } else {
            double centred = x[j] - o->shift[j];
            o->row[j] = (float)(centred / o->scale[j]);
        }
    }
}

static float dot(const float *w, const float *x, size_t d) {
    float sum = 0.0f;
    for (size_t j = 0; j < d; j++)
        sum = fmaf(w[j], x[j], sum);
    return sum;
}

static double square_norm(const float *x, size_t d) {
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum = fma((double)x[j], (double)x[j], sum);
    return sum;
}

static float rbf(const oracle *o, const float *w, const float *x) {
    double p = (double)dot(w, x, o->n_features);
    double both = square_norm(x, o->n_features) + square_norm(w, o->n_features);
    double square_distance = both - 2.0 * p;
    if (square_distance < 0.0)
        square_distance = 0.0;
    return frocc__expf((float)(-(double)o->gamma * square_distance));
}

static float poly(const oracle *o, const float *w, const float *x) {
    float t = fmaf(o->gamma, dot(w, x, o->n_features), o->coef0);
    float power = t;
    for (int i = 1; i < o->params.degree; i++)
        power *= t;
    return power;
}

static float kernel(const oracle *o, const float *w, const float *x) {
    switch (o->params.kernel) {
    case FROCC_KERNEL_RBF:
        return rbf(o, w, x);
    case FROCC_KERNEL_POLY:
        return poly(o, w, x);
    case FROCC_KERNEL_SIGMOID:
        return frocc__tanhf(fmaf(o->gamma, dot(w, x, o->n_features), o->coef0));
    case FROCC_KERNEL_CUSTOM:
        return o->params.kernel_fn(o->params.kernel_context, x, w, o->n_features);
    default:
        return dot(w, x, o->n_features);
    }
}

void oracle_values(oracle *o, const double *x, float *values) {
    prepare(o, x);
    for (size_t i = 0; i < o->n_directions; i++) {
        float value = kernel(o, o->directions + i * o->n_features, o->row);
        if (value > FLT_MAX)
            value = FLT_MAX;
        if (value < -FLT_MAX)
            value = -FLT_MAX;
        values[i] = value == 0.0f ? 0.0f : value; /* one zero */
    }
}

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

size_t oracle_intervals(float *values, size_t n, float epsilon, float *lower, float *upper) {
    size_t count = 0;
    qsort(values, n, sizeof *values, by_value);
    float start = values[0], end = values[0];
    float range = values[n - 1] - values[0];
    float margin = epsilon * range;
    for (size_t i = 1; i < n; i++) {
        float reach = end + margin;
        if (values[i] <= end || values[i] < reach || epsilon >= 1.0f) {
            end = values[i];
        } else {
            lower[count] = start;
            upper[count++] = end;
            start = end = values[i];
        }
    }
    lower[count] = start;
    upper[count++] = end;
    return count;
}

bool oracle_member(const float *lower, const float *upper, size_t count, float value) {
    for (size_t i = 0; i < count; i++)
        if (lower[i] <= value && value <= upper[i])
            return true;
    return false;
}

float oracle_distance(const float *lower, const float *upper, size_t count, float value) {
    float nearest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (lower[i] <= value && value <= upper[i])
            return 0.0f;
        float away = value < lower[i] ? lower[i] - value : value - upper[i];
        nearest = away < nearest ? away : nearest;
    }
    return nearest;
}
