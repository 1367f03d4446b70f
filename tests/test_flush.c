/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A caller may let numbers below FLT_MIN count as zero, as libraries compiled with -ffast-math do
 * for the whole process. Tiny data then gives other intervals, but nothing breaks; and data of an
 * usual size, where nothing is that small, gives the same bytes.
 */
#include "cases.h"
#include "os.h"

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

/* All threads but the caller's, which a fit's are likely to be. */
static void set_others(bool flush) {
    (void)flush;
    FROCC_OMP(parallel num_threads(3))
    if (frocc__thread_number() > 0)
        _mm_setcsr(flush ? _mm_getcsr() | FLUSH_TO_ZERO_AND_INPUTS_ARE_ZERO
                         : _mm_getcsr() & ~FLUSH_TO_ZERO_AND_INPUTS_ARE_ZERO);
}

/* Then a sketch has only the room that the caller needs. */
static void threads_that_flush_break_nothing(void) {
    for (int i = 0; i < check_cases(40, 10); i++) {
        rng r = rng_seed(check_state.seed = 500 + (uint64_t)i);
        const size_t d = rng_size(&r, 20, 80), m = rng_size(&r, 20, 400);
        setup s;
        setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, m, d);
        data x = data_new(&r, rng_size(&r, 2000, 4000), d, SHAPE_BLOB, false);
        for (size_t k = 0; k < x.n * d; k++)
            x.f64[k] *= ldexp(1, -118 - i % 14);
        s.params.threads = 3;
        set_others(true);
        frocc_model *model = fit(&s.params, &x);
        set_others(false);
        check(describe(model).n_rows == x.n, "rows are missing");
        frocc_model_free(model);
        data_free(&x);
        setup_free(&s);
    }
}
#else
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
    return check_end();
}
