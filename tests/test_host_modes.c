/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A host may have set its own arithmetic: numbers below FLT_MIN count as zero, as libraries
 * compiled with -ffast-math ask for, another rounding, traps. Models, scores and texts are the same
 * bits all the same, and the host finds its arithmetic as it was.
 */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>

#include "laws.h"

typedef enum mode { USUAL, FLUSHED, UPWARD, DOWNWARD, TOWARD_ZERO, TRAPPING, MODES } mode;

static const char *const names[] = {"as usual", "flushed",     "upward",
                                    "downward", "toward zero", "trapping"};

#if defined(__x86_64__)
static void flush(void) {
    unsigned word;
    __asm__ volatile("stmxcsr %0" : "=m"(word));
    word |= 0x8040;
    __asm__ volatile("ldmxcsr %0" : : "m"(word));
}

static uint64_t control(void) {
    unsigned word;
    __asm__ volatile("stmxcsr %0" : "=m"(word));
    return word;
}
#elif defined(__aarch64__)
static uint64_t control(void) {
    uint64_t word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}

static void flush(void) {
    __asm__ volatile("msr fpcr, %0" : : "r"(control() | 1u << 24));
}
#else
static void flush(void) {}

static uint64_t control(void) {
    return (uint64_t)fegetround();
}
#endif

static void enter(mode m) {
    static const int roundings[] = {[UPWARD] = FE_UPWARD,
                                    [DOWNWARD] = FE_DOWNWARD,
                                    [TOWARD_ZERO] = FE_TOWARDZERO,
                                    [TRAPPING] = FE_TONEAREST};
    if (m == FLUSHED)
        flush();
    if (m >= UPWARD)
        fesetround(roundings[m]);
#if defined(__GLIBC__)
    if (m == TRAPPING) {
        feclearexcept(FE_ALL_EXCEPT);
        feenableexcept(FE_ALL_EXCEPT);
    }
#endif
}

static void leave(void) {
    fesetenv(FE_DFL_ENV);
}

/* What the library makes of rows. */
typedef struct outcome {
    blob bytes, merged, coarse;
    double *scores, *gain;
    uint8_t *normal;
    char text[32];
    uint64_t before, after;
} outcome;

static void merge_and_coarsen(const frocc_model *model, const frocc_params *params, outcome *o) {
    const frocc_model *both[] = {model, model};
    frocc_model *made = NULL;
    check_ok(frocc_model_merge(both, 2, &made));
    check_ok(frocc_model_to_bytes(made, &o->merged.bytes, &o->merged.size));
    frocc_model_free(made);
    check_ok(frocc_model_coarsen(model, largest_epsilon(params), &made));
    check_ok(frocc_model_to_bytes(made, &o->coarse.bytes, &o->coarse.size));
    frocc_model_free(made);
}

static outcome run(mode m, const frocc_params *params, const data *x) {
    outcome o = {
        .scores = NEW(double, x->n), .gain = NEW(double, 2 * x->d), .normal = NEW(uint8_t, x->n)};
    const frocc_rows rows = frocc_rows_f64(x->f64, x->n, x->d),
                     one = frocc_rows_f64(x->f64, 1, x->d);
    frocc_model *model = NULL, *loaded = NULL;
    frocc_scorer *scorer = NULL;
    const frocc_load_options options = {sizeof options, params->kernel_fn, params->kernel_context,
                                        SIZE_MAX};
    enter(m);
    o.before = control();
    frocc_model_info info = {.struct_size = sizeof info};
    check_ok(frocc_fit(params, &rows, &model));
    check_ok(frocc_model_describe(model, &info));
    check_ok(frocc_model_to_bytes(model, &o.bytes.bytes, &o.bytes.size));
    check_ok(frocc_model_from_bytes(o.bytes.bytes, o.bytes.size, &options, &loaded));
    check_ok(frocc_scorer_new(loaded, 2, &scorer));
    check_ok(frocc_scorer_score(scorer, &rows, o.scores));
    check_ok(frocc_scorer_decide(scorer, &rows, FROCC_OWN_THRESHOLD, o.normal));
    check_ok(frocc_model_explain(model, &one, o.gain, o.gain + x->d));
    merge_and_coarsen(model, params, &o);
    frocc_print_f64(o.scores[0], o.text);
    o.after = control();
    leave();
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    frocc_model_free(loaded);
    return o;
}

static bool same_blob(const blob *a, const blob *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void outcome_free(outcome *o) {
    blob_free(&o->bytes);
    blob_free(&o->merged);
    blob_free(&o->coarse);
    free(o->scores);
    free(o->gain);
    free(o->normal);
}

static void check_modes(const frocc_params *params, const data *x, const char *what) {
    outcome usual = run(USUAL, params, x);
    for (mode m = FLUSHED; m < MODES; m++) {
        outcome o = run(m, params, x);
        check(same_blob(&o.bytes, &usual.bytes), "%s: another model %s", what, names[m]);
        check(same_blob(&o.merged, &usual.merged), "%s: merged otherwise %s", what, names[m]);
        check(same_blob(&o.coarse, &usual.coarse), "%s: coarser otherwise %s", what, names[m]);
        check(memcmp(o.scores, usual.scores, x->n * sizeof(double)) == 0, "%s: other scores %s",
              what, names[m]);
        check(memcmp(o.normal, usual.normal, x->n) == 0, "%s: other decisions %s", what, names[m]);
        check(memcmp(o.gain, usual.gain, 2 * x->d * sizeof(double)) == 0, "%s: other reasons %s",
              what, names[m]);
        check(strcmp(o.text, usual.text) == 0, "%s: printed otherwise %s", what, names[m]);
        check(o.after == o.before, "%s: %s: the host's arithmetic is another now", what, names[m]);
        outcome_free(&o);
    }
    outcome_free(&usual);
}

static void any_rows_in_any_mode(void) {
    for (int i = 0; i < check_cases(200, 40); i++) {
        rng r = rng_seed(3000 + (uint64_t)i);
        const size_t d = rng_size(&r, 1, 40), m = rng_size(&r, 1, 60);
        const frocc_scaling scaling = i % 3 == 0 ? FROCC_SCALING_NONE : FROCC_SCALING_ASINH;
        setup s;
        setup_init(&r, &s, (frocc_kernel)(i % 4), scaling, FROCC_FAMILY_GAUSSIAN, m, d);
        setup_either(&r, &s);
        s.params.threads = 1 + i % 2;
        data x = data_new(&r, rng_size(&r, 20, 400), d, SHAPE_BLOB, false);
        if (scaling == FROCC_SCALING_NONE && i % 2 == 0) /* below FLT_MIN, in part */
            for (size_t k = 0; k < x.n * d; k++)
                x.f64[k] = ldexp(x.f64[k], -118 - i % 14);
        check_modes(&s.params, &x, "a case");
        data_free(&x);
        setup_free(&s);
    }
}

/* Features of texts: the rows of a value have a value of their own, which is 0 for most. */
static void texts_in_any_mode(void) {
    frocc_params params;
    data x = {400, 5, NEW(double, 2000), NEW(float, 2000)};
    for (size_t r = 0; r < x.n; r++)
        x.f64[r * x.d + r % x.d] = 1;
    frocc_params_init(&params);
    params.scaling = FROCC_SCALING_NONE;
    check_modes(&params, &x, "texts");
    frocc_params_init_paper(&params);
    check_modes(&params, &x, "texts, as in the paper");
    data_free(&x);
}

/* A thread of its own for much work, which must not have the arithmetic of its host either. */
static void teams_in_any_mode(void) {
    rng r = rng_seed(500);
    setup s;
    setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 60, 12);
    data x = data_new(&r, 12000, 12, SHAPE_BLOB, false);
    for (size_t k = 0; k < x.n * x.d; k++)
        x.f64[k] = ldexp(x.f64[k], -120);
    s.params.threads = 3;
    check_modes(&s.params, &x, "a team");
    data_free(&x);
    setup_free(&s);
}

int main(void) {
    RUN(any_rows_in_any_mode);
    RUN(texts_in_any_mode);
    RUN(teams_in_any_mode);
    return check_end();
}
