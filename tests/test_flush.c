/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A caller may let numbers below FLT_MIN count as zero, as libraries compiled with -ffast-math do
 * for the whole process. Tiny data then gives other intervals, but nothing breaks; and data of an
 * usual size, where nothing is that small, gives the same bytes.
 */
#include "laws.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

#define FLUSH_TO_ZERO_AND_INPUTS_ARE_ZERO 0x8040u

static frocc_model *fit_flushed(const frocc_params *params, const data *x) {
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | FLUSH_TO_ZERO_AND_INPUTS_ARE_ZERO);
    frocc_model *model = fit(params, x);
    _mm_setcsr(before);
    return model;
}

static void check_flushed(int number, double scale, bool must_be_same) {
    rng r = rng_seed((uint64_t)number);
    const size_t d = rng_size(&r, 1, 80), m = rng_size(&r, 1, 100);
    setup s;
    setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, m, d);
    setup_either(&r, &s);
    data x = data_new(&r, rng_size(&r, 1, 1500), d, SHAPE_BLOB, false);
    for (size_t i = 0; i < x.n * d; i++)
        x.f64[i] *= scale;
    frocc_model *flushed = fit_flushed(&s.params, &x), *usual = fit(&s.params, &x);
    check(describe(flushed).n_rows == x.n, "rows are missing");
    if (must_be_same)
        check_same(flushed, usual, "with and without flushing");
    frocc_model_free(flushed);
    frocc_model_free(usual);
    data_free(&x);
    setup_free(&s);
}

static void tiny_rows_break_nothing(void) {
    for (int i = 0; i < check_cases(200, 30); i++)
        check_flushed(i, ldexp(1, -118 - i % 14), false);
}

static void usual_rows_give_the_same_bytes(void) {
    for (int i = 0; i < check_cases(100, 20); i++)
        check_flushed(i, 1.0, true);
}

/* Threads of a team have the mode of the one that asks for them, or the usual one. */
static void threads_that_flush_break_nothing(void) {
    for (int i = 0; i < check_cases(40, 10); i++) {
        rng r = rng_seed(500 + (uint64_t)i);
        const size_t d = rng_size(&r, 4, 12), m = rng_size(&r, 20, 60);
        setup s;
        setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, m, d);
        setup_either(&r, &s);
        data x = data_new(&r, rng_size(&r, 9000, 16000), d, SHAPE_BLOB, false);
        for (size_t k = 0; k < x.n * d; k++)
            x.f64[k] *= ldexp(1, -118 - i % 14);
        s.params.threads = 3;
        frocc_model *model = fit_flushed(&s.params, &x);
        check(describe(model).n_rows == x.n, "rows are missing");
        frocc_model_free(model);
        data_free(&x);
        setup_free(&s);
    }
}

/* Two crowds of rows that are so close that their gaps are lost when they are flushed, some between
 * the crowds, and the first ones again. */
enum { CROWDS = 2000, BETWEEN = 7, ALL = 140000 };

static float *crowds_new(void) {
    float *rows = NEW(float, ALL);
    for (size_t i = 0; i < ALL; i++) {
        const double at = i % 2 == 0 ? 1.0 : 1.9, step = (double)(i % CROWDS) * 0x1p-18;
        rows[i] = (float)ldexp(at + step, -126);
    }
    for (size_t i = 0; i < BETWEEN; i++)
        rows[CROWDS + i] = (float)ldexp(1.15 + 0.1 * (double)i, -126);
    return rows;
}

static void check_scores(const frocc_model *model, const frocc_rows *rows) {
    double *scores = NEW(double, rows->n_rows);
    frocc_scorer *scorer = NULL;
    check_ok(frocc_scorer_new(model, 1, &scorer));
    check_ok(frocc_scorer_score(scorer, rows, scores));
    for (size_t i = 0; i < rows->n_rows; i++)
        check(scores[i] == 1.0, "row %zu scores %g", i, scores[i]);
    frocc_scorer_free(scorer);
    free(scores);
}

/* A sketch with more intervals than it could have, had nobody flushed, still has room for others.
 */
static void flushing_now_and_then_breaks_nothing(void) {
    for (int threads = 1; threads <= 2; threads++) {
        rng r = rng_seed(600);
        setup s;
        setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 8, 1);
        s.params.epsilon = 0.1f;
        s.params.threads = threads;
        data x = {ALL, 1, NEW(double, ALL), crowds_new()};
        const size_t parts[] = {0, CROWDS, CROWDS + BETWEEN, ALL};
        frocc_frame *frame = frame_of(&s.params, &x);
        frocc_fitter *fitter = fitter_of(frame, &s.params);
        for (size_t i = 0; i < 3; i++) {
            const frocc_rows part = frocc_rows_f32(x.f32 + parts[i], parts[i + 1] - parts[i], 1);
            const unsigned before = _mm_getcsr();
            _mm_setcsr(i == 0 ? before | FLUSH_TO_ZERO_AND_INPUTS_ARE_ZERO : before);
            check_ok(frocc_fitter_add(fitter, &part));
            _mm_setcsr(before);
        }
        const frocc_rows all = frocc_rows_f32(x.f32, ALL, 1);
        frocc_model *model = finish(fitter);
        check_scores(model, &all);
        frocc_model_free(model);
        frocc_fitter_free(fitter);
        frocc_frame_free(frame);
        data_free(&x);
        setup_free(&s);
    }
}
#else
static void flushing_now_and_then_breaks_nothing(void) {
    check_skip("only x86 is told to flush here");
}

static void threads_that_flush_break_nothing(void) {
    check_skip("only x86 is told to flush here");
}

static void tiny_rows_break_nothing(void) {
    check_skip("only x86 is told to flush here");
}

static void usual_rows_give_the_same_bytes(void) {
    check_skip("only x86 is told to flush here");
}
#endif

int main(void) {
    RUN(tiny_rows_break_nothing);
    RUN(usual_rows_give_the_same_bytes);
    RUN(threads_that_flush_break_nothing);
    RUN(flushing_now_and_then_breaks_nothing);
    return check_end();
}
