/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cases.h - rows of every shape that ever hurt somebody, parameters for every kernel, scaling and
 * family, and models compared as bytes.
 */
#ifndef FROCC_TESTS_CASES_H
#define FROCC_TESTS_CASES_H

#include "check.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef enum shape {
    SHAPE_BLOB,
    SHAPE_CLUSTERS,
    SHAPE_TIES,       /* small integers: projections repeat */
    SHAPE_DUPLICATES, /* a few distinct rows, many times */
    SHAPE_CONSTANT,   /* most columns hold one value */
    SHAPE_OFFSET,     /* near 1e6, where float32 has steps of 1/16 */
    SHAPE_EQUAL,      /* all rows the same */
    SHAPE_SPARSE,     /* mostly zeros, of both signs */
    SHAPE_TINY,       /* products fall among the subnormals */
    SHAPE_HUGE,
    SHAPE_MAGNITUDES, /* each column on its own scale */
    SHAPE_COUNT
} shape;

/* Each value as a double and, in f32, rounded to float; with exact set the two are equal. */
typedef struct data {
    size_t n, d;
    double *f64;
    float *f32;
} data;

static inline double shaped_value(rng *r, shape s, size_t row, size_t column) {
    switch (s) {
    case SHAPE_CLUSTERS:
        return (double)(row * 7 % 5) * 10 + (double)(row * 3 % 4) * (double)(column % 3) * 8 +
               rng_normal(r);
    case SHAPE_TIES:
        return (double)rng_below(r, 5) - 2;
    case SHAPE_CONSTANT:
        return column % 4 == 3 ? rng_normal(r) : (double)column - 1.5;
    case SHAPE_OFFSET:
        return 1e6 + 100 * rng_normal(r);
    case SHAPE_SPARSE:
        return rng_chance(r, 16) ? rng_normal(r) : rng_chance(r, 4) ? -0.0 : 0.0;
    case SHAPE_TINY:
        return rng_normal(r) * 1e-38;
    case SHAPE_HUGE:
        return rng_normal(r) * 0x1p80;
    case SHAPE_MAGNITUDES:
        return ldexp(rng_normal(r), (int)(column * 11 % 41) - 20);
    default:
        return rng_normal(r);
    }
}

static inline data data_new(rng *r, size_t n, size_t d, shape s, bool exact) {
    size_t distinct = s == SHAPE_EQUAL ? 1 : s == SHAPE_DUPLICATES ? 1 + rng_below(r, 6) : n;
    data x = {n, d, NEW(double, n *d), NEW(float, n *d)};

    for (size_t i = 0; i < n; i++) {
        size_t copied = rng_below(r, distinct);
        for (size_t j = 0; j < d; j++) {
            double value = i < distinct ? shaped_value(r, s, i, j) : x.f64[copied * d + j];
            x.f32[i * d + j] = (float)value;
            x.f64[i * d + j] = exact ? (double)(float)value : value;
        }
    }
    return x;
}

static inline void data_free(data *x) {
    free(x->f64);
    free(x->f32);
}

static inline frocc_rows data_rows(const data *x) {
    return frocc_rows_f64(x->f64, x->n, x->d);
}

static inline frocc_rows data_part(const data *x, size_t first, size_t count) {
    return frocc_rows_f64(x->f64 + first * x->d, count, x->d);
}

/* The rows as floats, stride apart; what lies between them must not matter. */
static inline float *data_apart(const data *x, size_t stride) {
    float *values = NEW(float, x->n *stride);
    for (size_t i = 0; i < x->n * stride; i++)
        values[i] = i % stride < x->d ? x->f32[i / stride * x->d + i % stride] : NAN;
    return values;
}

/* The rows in another order. */
static inline data data_reordered(const data *x, const size_t *order) {
    data y = {x->n, x->d, NEW(double, x->n * x->d), NEW(float, x->n * x->d)};

    for (size_t i = 0; i < x->n; i++) {
        memcpy(y.f64 + i * x->d, x->f64 + order[i] * x->d, x->d * sizeof *y.f64);
        memcpy(y.f32 + i * x->d, x->f32 + order[i] * x->d, x->d * sizeof *y.f32);
    }
    return y;
}

/* The same rows as CSR; now and then a zero is named, as files in the wild do. */
typedef struct csr {
    int64_t *row_start;
    int32_t *columns;
    double *f64;
    float *f32;
} csr;

static inline csr csr_new(rng *r, const data *x) {
    size_t room = x->n * x->d;
    csr s = {NEW(int64_t, x->n + 1), NEW(int32_t, room), NEW(double, room), NEW(float, room)};
    int64_t at = 0;

    for (size_t i = 0; i < x->n; i++) {
        for (size_t j = 0; j < x->d; j++) {
            double value = x->f64[i * x->d + j];
            if (value == 0 && !rng_chance(r, 40))
                continue;
            s.columns[at] = (int32_t)j;
            s.f64[at] = value;
            s.f32[at++] = (float)value;
        }
        s.row_start[i + 1] = at;
    }
    return s;
}

static inline void csr_free(csr *s) {
    free(s->row_start);
    free(s->columns);
    free(s->f64);
    free(s->f32);
}

/* ---- Parameters ------------------------------------------------------------------------------ */

typedef struct setup {
    frocc_params params;
    double *shift, *scale;
    float *directions;
    float context; /* of the custom kernel */
} setup;

/* A kernel of the caller's: city-block distance. Only +, - and *, so one result everywhere. */
static inline float city_block(void *context, const float *row, const float *direction, size_t d) {
    float sum = 0.0f, weight = *(const float *)context;

    for (size_t j = 0; j < d; j++) {
        float difference = row[j] - direction[j];
        sum += difference < 0 ? -difference : difference;
    }
    return sum * weight;
}

static inline void setup_kernel(rng *r, setup *s, frocc_kernel kernel) {
    frocc_params *p = &s->params;

    p->kernel = kernel;
    if (kernel != FROCC_KERNEL_LINEAR && kernel != FROCC_KERNEL_CUSTOM) {
        p->gamma = rng_chance(r, 3) ? 0 : rng_between(r, 0.01, 2);
        p->coef0 = rng_chance(r, 3) ? 0 : rng_between(r, -2, 2);
        p->degree = 1 + (int)rng_below(r, 5);
    }
    if (kernel == FROCC_KERNEL_CUSTOM) {
        s->context = 0.5f + (float)rng_below(r, 4);
        p->kernel_fn = city_block;
        p->kernel_context = &s->context;
        p->kernel_name = "city block";
    }
}

/* A setup must not be copied: the parameters point into it. */
static inline void setup_init(rng *r, setup *s, frocc_kernel kernel, frocc_scaling scaling,
                              frocc_family family, size_t m, size_t d) {
    frocc_params *p = &s->params;

    memset(s, 0, sizeof *s);
    frocc_params_init_paper(p);
    p->seed = rng_bits(r);
    p->n_directions = m;
    p->epsilon = rng_chance(r, 12) ? 1.0f : (float)rng_log_between(r, 0.001, 1);
    p->threshold = rng_unit(r);
    p->scaling = scaling;
    p->family = family;
    p->density = rng_chance(r, 2) ? 0 : rng_unit(r);
    p->threads = 1;
    setup_kernel(r, s, kernel);
    p->sample_rows = rng_chance(r, 2) ? 0 : rng_size(r, 1, 100);
    if (scaling == FROCC_SCALING_GIVEN) {
        p->shift = s->shift = NEW(double, d);
        p->scale = s->scale = NEW(double, d);
        for (size_t j = 0; j < d; j++) {
            s->shift[j] = rng_normal(r) * 10;
            s->scale[j] = rng_between(r, 0.1, 5);
        }
    }
    if (family == FROCC_FAMILY_GIVEN) {
        p->directions = s->directions = NEW(float, m *d);
        for (size_t k = 0; k < m * d; k++)
            s->directions[k] = rng_chance(r, 5) ? 0.0f : (float)rng_normal(r);
    }
}

/* Closeness in place of agreement. Cells are as fine as they may be now and then, and mostly few,
 * since all of them are looked at. */
static inline void setup_closeness(rng *r, setup *s) {
    static const float ends[] = {FROCC_CLOSENESS_MIN_EPSILON, FROCC_CLOSENESS_MAX_EPSILON};
    frocc_params *p = &s->params;

    p->score = FROCC_SCORE_CLOSENESS;
    p->epsilon =
        rng_chance(r, 8) ? ends[rng_below(r, 2)] : (float)rng_log_between(r, 0x1p-12, 0x1p-2);
    p->threshold = rng_between(r, -1, 1);
    p->calibration_rows = rng_chance(r, 2) ? rng_size(r, 1, 60) : 0;
    p->n_trees = rng_chance(r, 3) ? 0 : rng_size(r, 1, 24);
    p->contamination = rng_chance(r, 4) ? rng_log_between(r, 0.001, 0.5) : 0;
}

/* For what holds whatever the score is. */
static inline void setup_either(rng *r, setup *s) {
    if (rng_chance(r, 2))
        setup_closeness(r, s);
}

/* The largest epsilon that goes with the score. */
static inline float largest_epsilon(const frocc_params *p) {
    return p->score == FROCC_SCORE_CLOSENESS ? FROCC_CLOSENESS_MAX_EPSILON : 1.0f;
}

static inline void setup_free(setup *s) {
    free(s->shift);
    free(s->scale);
    free(s->directions);
}

static inline frocc_load_options setup_load_options(setup *s) {
    frocc_load_options options = {.struct_size = sizeof options,
                                  .kernel_fn = s->params.kernel_fn,
                                  .kernel_context = s->params.kernel_context};
    return options;
}

#define KERNELS 5
#define SCALINGS 6
#define FAMILIES 5

/* Whether a frame for these is learnt from a sample of the rows. */
static inline bool is_learnt(const frocc_params *p) {
    return (p->scaling != FROCC_SCALING_NONE && p->scaling != FROCC_SCALING_GIVEN) ||
           p->family == FROCC_FAMILY_MIXED || p->n_trees > 0;
}

static inline bool is_possible(frocc_scaling scaling, frocc_family family) {
    return scaling != FROCC_SCALING_WHITEN || family == FROCC_FAMILY_GAUSSIAN ||
           family == FROCC_FAMILY_MIXED;
}

/* ---- Models as bytes ------------------------------------------------------------------------- */

typedef struct blob {
    void *bytes;
    size_t size;
} blob;

static inline blob blob_of(const frocc_model *model) {
    blob b = {NULL, 0};
    check_ok(frocc_model_to_bytes(model, &b.bytes, &b.size));
    return b;
}

static inline void blob_free(blob *b) {
    frocc_bytes_free(b->bytes);
}

static inline bool blob_equal(const blob *a, const blob *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* What every law of DESIGN says in the end: the same bytes. */
static inline void check_same(const frocc_model *a, const frocc_model *b, const char *what) {
    blob x = blob_of(a), y = blob_of(b);
    size_t at = 0;

    while (at < x.size && at < y.size && ((char *)x.bytes)[at] == ((char *)y.bytes)[at])
        at++;
    check(blob_equal(&x, &y), "%s: models of %zu and %zu bytes differ at byte %zu", what, x.size,
          y.size, at);
    blob_free(&x);
    blob_free(&y);
}

static inline frocc_model *fit(const frocc_params *params, const data *x) {
    frocc_model *model = NULL;
    frocc_rows rows = data_rows(x);

    check_ok(frocc_fit(params, &rows, &model));
    check(model != NULL, "a fit that succeeds gives a model");
    return model;
}

static inline frocc_model_info describe(const frocc_model *model) {
    frocc_model_info info = {.struct_size = sizeof info};
    check_ok(frocc_model_describe(model, &info));
    return info;
}

/* The frame that frocc_fit would make of these rows. */
static inline frocc_frame *frame_of(const frocc_params *params, const data *x) {
    frocc_sample *sample = NULL;
    frocc_frame *frame = NULL;
    frocc_rows rows = data_rows(x);

    if (is_learnt(params)) {
        check_ok(frocc_sample_new(params, x->d, &sample));
        check_ok(frocc_sample_add(sample, &rows));
    }
    check_ok(frocc_frame_new(params, x->d, sample, &frame));
    frocc_sample_free(sample);
    return frame;
}

#endif
