/* SPDX-License-Identifier: BSD-3-Clause */
/* laws.h - a law is a function of parameters and rows; it is tried with every kernel, scaling and
 * family, each time on fresh rows of another shape and size. */
#ifndef FROCC_TESTS_LAWS_H
#define FROCC_TESTS_LAWS_H

#include "cases.h"

typedef void (*law)(rng *r, setup *s, const data *x);

typedef struct law_sizes {
    size_t max_n, max_d, max_m;
    int repeats;
    shape only;   /* rows of this shape; SHAPE_BLOB stands for all shapes in turn */
    size_t min_n; /* 0 is for 1 */
} law_sizes;

static inline void law_case(law check_law, uint64_t seed, const law_sizes *sizes,
                            frocc_kernel kernel, frocc_scaling scaling, frocc_family family) {
    rng r = rng_seed(seed);
    size_t n = rng_size(&r, sizes->min_n > 0 ? sizes->min_n : 1, sizes->max_n);
    size_t d = rng_size(&r, 1, sizes->max_d);
    size_t m = rng_size(&r, 1, sizes->max_m);
    shape what = sizes->only != SHAPE_BLOB ? sizes->only : (shape)(seed % SHAPE_COUNT);
    data x = data_new(&r, n, d, what, true);
    setup s;

    setup_init(&r, &s, kernel, scaling, family, m, d);
    check_law(&r, &s, &x);
    setup_free(&s);
    data_free(&x);
}

static inline void law_everywhere(law check_law, uint64_t seed, law_sizes sizes) {
    for (int repeat = 0; repeat < sizes.repeats; repeat++)
        for (int kernel = 0; kernel < KERNELS; kernel++)
            for (int scaling = 0; scaling < SCALINGS; scaling++)
                for (int family = 0; family < FAMILIES; family++, seed++)
                    if (is_possible((frocc_scaling)scaling, (frocc_family)family))
                        law_case(check_law, seed, &sizes, (frocc_kernel)kernel,
                                 (frocc_scaling)scaling, (frocc_family)family);
}

/* RUN for a law. */
static struct {
    law check_law;
    law_sizes sizes;
    uint64_t seed;
} law_under_way;

static inline void law_run(void) {
    law_everywhere(law_under_way.check_law, law_under_way.seed, law_under_way.sizes);
}

#define RUN_LAW(name, check_law_, sizes_, seed_)                                                   \
    (law_under_way.check_law = (check_law_), law_under_way.sizes = (sizes_),                       \
     law_under_way.seed = (seed_), check_run(#name, law_run))

/* Sizes for most laws. */
static inline law_sizes law_usual(void) {
    law_sizes full = {600, 40, 40, check_share(4, 2, 1), SHAPE_BLOB, 0};
    law_sizes quick = {60, 12, 12, 1, SHAPE_BLOB, 0};
    return check_quick() ? quick : full;
}

/* For laws that fit many times on the same rows. */
static inline law_sizes law_small(void) {
    law_sizes full = {300, 24, 24, 2, SHAPE_BLOB, 0}, quick = {40, 8, 8, 1, SHAPE_BLOB, 0};
    return check_quick() ? quick : full;
}

/* So many rows that they come in several panels and runs. */
static inline law_sizes law_many(void) {
    law_sizes full = {3000, 40, 40, 2, SHAPE_BLOB, 768}, quick = {800, 12, 12, 1, SHAPE_BLOB, 768};
    return check_quick() ? quick : full;
}

/* The same with more columns, some of them projected chunk by chunk. */
static inline law_sizes law_many_long(void) {
    law_sizes full = {1200, 300, 24, 1, SHAPE_BLOB, 768}, quick = {780, 40, 8, 1, SHAPE_BLOB, 768};
    return check_quick() ? quick : full;
}

/* Mostly zeros in many columns, where skipping them pays. */
static inline law_sizes law_sparse(void) {
    law_sizes full = {300, 150, 30, 1, SHAPE_SPARSE, 0}, quick = {80, 60, 10, 1, SHAPE_SPARSE, 0};
    return check_quick() ? quick : full;
}

/* Points on and around the lines between training rows. */
static inline data rows_between(rng *r, const data *x, size_t count) {
    data q = {count, x->d, NEW(double, count * x->d), NEW(float, count * x->d)};

    for (size_t i = 0; i < count; i++) {
        size_t from = rng_below(r, x->n), to = rng_below(r, x->n);
        double step = rng_between(r, -0.5, 1.5);
        for (size_t j = 0; j < x->d; j++) {
            double a = x->f64[from * x->d + j], b = x->f64[to * x->d + j];
            q.f32[i * x->d + j] = (float)(a + step * (b - a));
            q.f64[i * x->d + j] = (double)q.f32[i * x->d + j];
        }
    }
    return q;
}

static inline frocc_fitter *fitter_of(frocc_frame *frame, const frocc_params *params) {
    frocc_fitter *fitter = NULL;
    check_ok(frocc_fitter_new(frame, params, &fitter));
    return fitter;
}

static inline void fitter_take(frocc_fitter *fitter, const data *x, size_t first, size_t count) {
    frocc_rows rows = data_part(x, first, count);
    check_ok(frocc_fitter_add(fitter, &rows));
}

static inline frocc_model *finish(frocc_fitter *fitter) {
    frocc_model *model = NULL;
    check_ok(frocc_fitter_finish(fitter, &model));
    return model;
}

/* What two fitters have come to must be the same; they can go on. */
static inline void check_same_fitters(frocc_fitter *a, frocc_fitter *b, const char *what) {
    frocc_model *from_a = finish(a), *from_b = finish(b);
    check_same(from_a, from_b, what);
    frocc_model_free(from_a);
    frocc_model_free(from_b);
}

#endif
