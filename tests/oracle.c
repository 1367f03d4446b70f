/* SPDX-License-Identifier: BSD-3-Clause */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

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
    o->dots = malloc(m * sizeof *o->dots);
    if (o->directions == NULL || o->shift == NULL || o->scale == NULL || o->row == NULL ||
        o->dots == NULL || frocc_frame_copy_directions(frame, 0, m, o->directions) != FROCC_OK) {
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
    free(o->dots);
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

/* Sign number i of all: the generator's bits in their order. */
static float sign(const oracle *o, size_t i, float size) {
    uint32_t words[4] = {(uint32_t)(i / 128), 0, FROCC_STREAM_SIGNS, 0};
    frocc__philox(o->params.seed, words);
    return (words[i % 128 / 32] >> i % 32 & 1) != 0 ? -size : size;
}

/* Of the elements of x that are named. */
static void walsh_hadamard(float *x, const size_t *names, size_t count) {
    for (size_t half = count / 2; half > 0; half /= 2)
        for (size_t i = 0; i < count; i++)
            if ((i & half) == 0) {
                float a = x[names[i]], b = x[names[i + half]];
                x[names[i]] = a + b;
                x[names[i + half]] = a - b;
            }
}

/* Three times signs and transforms of blocks: runs of features, runs of 16 features in turn, and
 * runs again. */
static void scramble(const oracle *o, float *x, size_t k, size_t n_blocks, size_t bundle) {
    size_t block = (size_t)1 << k, size = block * n_blocks;
    size_t *names = calloc(block, sizeof *names);
    for (size_t round = 0; round < 3; round++) {
        for (size_t j = 0; j < size; j++)
            x[j] *= sign(o, (bundle * 3 + round) * size + j, 1.0f / (float)(1 << (k + 1) / 2));
        for (size_t b = 0; b < n_blocks; b++) {
            size_t count = 0;
            for (size_t j = 0; j < size; j++)
                if ((round == 1 ? j / 16 % n_blocks : j / block) == b)
                    names[count++] = j;
            walsh_hadamard(x, names, count);
        }
    }
    free(names);
}

static void structured_dots(oracle *o) {
    size_t k = 4;
    while ((size_t)1 << k < o->n_features && (k < 10 || (size_t)1 << (2 * k - 4) < o->n_features))
        k++;
    size_t n_blocks = 1;
    while (n_blocks << k < o->n_features)
        n_blocks++;
    size_t size = n_blocks << k;
    float *x = malloc(size * sizeof *x);
    double share = (double)size / (double)o->n_features;
    float scale = (float)sqrt(k % 2 == 0 ? share : 8.0 * share);
    for (size_t i = 0; i < o->n_directions; i++) {
        if (i % size == 0) {
            for (size_t j = 0; j < size; j++)
                x[j] = j < o->n_features ? o->row[j] : 0.0f;
            scramble(o, x, k, n_blocks, i / size);
        }
        o->dots[i] = x[i % size] * scale;
    }
    free(x);
}

static double square_norm(const float *x, size_t d) {
    double sum = 0.0;
    for (size_t j = 0; j < d; j++)
        sum = fma((double)x[j], (double)x[j], sum);
    return sum;
}

static float rbf(const oracle *o, float product, const float *w, const float *x) {
    double p = (double)product;
    double both = square_norm(x, o->n_features) + square_norm(w, o->n_features);
    double square_distance = both - 2.0 * p;
    if (square_distance < 0.0)
        square_distance = 0.0;
    return frocc__expf((float)(-(double)o->gamma * square_distance));
}

static float poly(const oracle *o, float product) {
    float t = fmaf(o->gamma, product, o->coef0);
    float power = t;
    for (int i = 1; i < o->params.degree; i++)
        power *= t;
    return power;
}

static float kernel(const oracle *o, float product, const float *w, const float *x) {
    switch (o->params.kernel) {
    case FROCC_KERNEL_RBF:
        return rbf(o, product, w, x);
    case FROCC_KERNEL_POLY:
        return poly(o, product);
    case FROCC_KERNEL_SIGMOID:
        return frocc__tanhf(fmaf(o->gamma, product, o->coef0));
    case FROCC_KERNEL_CUSTOM:
        return o->params.kernel_fn(o->params.kernel_context, x, w, o->n_features);
    default:
        return product;
    }
}

void oracle_values(oracle *o, const double *x, float *values) {
    prepare(o, x);
    for (size_t i = 0; i < o->n_directions; i++)
        o->dots[i] = dot(o->directions + i * o->n_features, o->row, o->n_features);
    if (o->params.family == FROCC_FAMILY_HADAMARD)
        structured_dots(o);
    for (size_t i = 0; i < o->n_directions; i++) {
        float value = kernel(o, o->dots[i], o->directions + i * o->n_features, o->row);
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

/* ---- Closeness ------------------------------------------------------------------------------- */

float oracle_judged_epsilon(float epsilon, size_t n_rows) {
    float by_chance = 6.0f / (float)n_rows; /* a share of the range that n rows leave empty */
    float told_apart = by_chance < 0.001f ? by_chance : 0.001f;
    return epsilon > told_apart ? epsilon : told_apart;
}

/* Sixteenths of an octave, linear within an octave: the upper bits of a float32. */
static int64_t log_steps(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 19;
}

static double least_cells(float epsilon) {
    double cells = 1;
    while (cells * (double)epsilon < 1)
        cells *= 2;
    return cells;
}

/* Cells are as narrow as can be: no narrower than the steps of float32 at the larger end or the
 * smallest normal number, and no more of them than there is room for. */
double oracle_cell_width(float low, float high, double n_cells) {
    double larger = fmax(fabs((double)low), fabs((double)high)), width = 0x1p-126;
    while (larger >= width * 0x1p24)
        width *= 2;
    while (floor((double)high / width) - floor((double)low / width) >= n_cells)
        width *= 2;
    return width;
}

static int64_t cost_outside(float value, float end, float low, float high, int64_t at_end) {
    float range = high - low, ranges;
    if (range > FLT_MAX)
        range = FLT_MAX;
    if (range == 0.0f)
        range = 1.0f;
    ranges = 1.0f + fabsf(value - end) / range;
    return at_end + log_steps(ranges <= FLT_MAX ? ranges : FLT_MAX) - log_steps(1.0f);
}

uint32_t oracle_cost(const oracle_rows *rows, size_t direction, size_t left_out, float value) {
    const float *values = rows->values + direction * rows->n_rows;
    float judged = oracle_judged_epsilon(rows->epsilon, rows->n_rows);
    float low = INFINITY, high = -INFINITY;
    for (size_t r = 0; r < rows->n_rows; r++)
        if (r != left_out) {
            low = values[r] < low ? values[r] : low;
            high = values[r] > high ? values[r] : high;
        }
    if (!(value >= low && value <= high))
        return (uint32_t)cost_outside(value, value < low ? low : high, low, high,
                                      log_steps(1.0f) - log_steps(judged));
    double width = oracle_cell_width(low, high, least_cells(rows->epsilon));
    double own = floor((double)value / width), below = -INFINITY, above = INFINITY;
    for (size_t r = 0; r < rows->n_rows; r++)
        if (r != left_out) {
            double cell = floor((double)values[r] / width);
            below = cell <= own && cell > below ? cell : below;
            above = cell >= own && cell < above ? cell : above;
        }
    double empty = above - below - 1,
           all = floor((double)high / width) - floor((double)low / width) + 1;
    if (below == own)
        return 0;
    float share = (float)empty / (float)all;
    return (uint32_t)(log_steps(share > judged ? share : judged) - log_steps(judged));
}

double oracle_closeness(const oracle_rows *rows, size_t left_out, const float *values) {
    float judged = oracle_judged_epsilon(rows->epsilon, rows->n_rows);
    double end_of_range = (double)(log_steps(1.0f) - log_steps(judged)), sum = 0;
    for (size_t i = 0; i < rows->n_directions; i++)
        sum += oracle_cost(rows, i, left_out, values[i]); /* whole numbers: no rounding */
    return 1.0 - sum / ((double)rows->n_directions * end_of_range);
}
