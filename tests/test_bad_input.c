/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Input that cannot be used: a status and a sentence, nothing written to the results, and every
 * object involved as useful as before, which is shown by going on and comparing bytes with a run
 * that was never disturbed.
 */
#include "base/threads.h"
#include "laws.h"

#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

/* The sentence names row and column, counted from 0. */
static void says(const char *file, int line, const char *word, size_t number) {
    char text[64];
    const char *at;

    snprintf(text, sizeof text, "%s %zu", word, number);
    at = strstr(frocc_last_error(), text);
    if (at == NULL || (at[strlen(text)] >= '0' && at[strlen(text)] <= '9'))
        check_fail(file, line, "\"%s\" does not say \"%s\"", frocc_last_error(), text);
}
#define check_says(word, number) says(__FILE__, __LINE__, word, number)

/* ---- Parameters ------------------------------------------------------------------------------ */

static frocc_params usual(void) {
    frocc_params p;
    frocc_params_init_paper(&p);
    p.n_directions = 8;
    p.threads = 1;
    return p;
}

/* Parameters that every function which takes them must refuse, with the same status. */
static void refused_everywhere(const frocc_params *p, size_t d, frocc_status expected) {
    double *zeros = NEW(double, d + 1);
    frocc_rows rows = frocc_rows_f64(zeros, 1, d);
    frocc_model *model = UNTOUCHED;
    frocc_frame *frame = UNTOUCHED;
    frocc_sample *sample = UNTOUCHED;

    check_is(frocc_params_check(p, d), expected);
    check_is(frocc_fit(p, &rows, &model), expected);
    check_is(frocc_frame_new(p, d, NULL, &frame), expected);
    check_is(frocc_sample_new(p, d, &sample), expected);
    check(model == UNTOUCHED && frame == UNTOUCHED && sample == UNTOUCHED,
          "a failure changed the result");
    free(zeros);
}

#define REFUSED(change)                                                                            \
    do {                                                                                           \
        frocc_params p = usual();                                                                  \
        change;                                                                                    \
        refused_everywhere(&p, 4, FROCC_ERR_ARGUMENT);                                             \
    } while (0)

static void parameters_out_of_range(void) {
    static const double zeros[4] = {0, 0, 0, 0}, nans[4] = {1, NAN, 1, 1}, some[4] = {1, 1, 0, 1};
    static const double ones[4] = {1, 1, 1, 1};
    static const float bad[32] = {[5] = INFINITY};
    frocc_params good = usual();

    check_ok(frocc_params_check(&good, 4));
    REFUSED(p.n_directions = 0);
    REFUSED(p.n_directions = FROCC_MAX_DIRECTIONS + 1);
    REFUSED(p.n_directions = SIZE_MAX);
    REFUSED(p.epsilon = 0);
    REFUSED(p.epsilon = -0.5f);
    REFUSED(p.epsilon = NAN);
    REFUSED(p.epsilon = 1.0000001f);
    REFUSED(p.epsilon = INFINITY);
    REFUSED(p.epsilon = FROCC_MIN_EPSILON / 2);
    REFUSED(p.threshold = NAN);
    REFUSED(p.threshold = -0.1);
    REFUSED(p.threshold = 1.5);
    REFUSED(p.kernel = (frocc_kernel)5);
    REFUSED(p.kernel = (frocc_kernel)-1);
    REFUSED(p.gamma = -1);
    REFUSED(p.gamma = NAN);
    REFUSED(p.gamma = INFINITY);
    REFUSED(p.coef0 = NAN);
    REFUSED(p.coef0 = -INFINITY);
    REFUSED((p.kernel = FROCC_KERNEL_POLY, p.degree = 0));
    REFUSED((p.kernel = FROCC_KERNEL_POLY, p.degree = FROCC_MAX_DEGREE + 1));
    REFUSED(p.kernel = FROCC_KERNEL_CUSTOM);
    REFUSED((p.kernel = FROCC_KERNEL_CUSTOM, p.kernel_fn = city_block,
             p.kernel_name = "a name that is longer than is kept"));
    REFUSED(p.scaling = (frocc_scaling)6);
    REFUSED(p.scaling = FROCC_SCALING_GIVEN);
    REFUSED((p.scaling = FROCC_SCALING_GIVEN, p.shift = zeros));
    REFUSED((p.scaling = FROCC_SCALING_GIVEN, p.shift = zeros, p.scale = some));
    REFUSED((p.scaling = FROCC_SCALING_GIVEN, p.shift = nans, p.scale = ones));
    REFUSED((p.scaling = FROCC_SCALING_GIVEN, p.shift = ones, p.scale = nans));
    REFUSED(p.family = (frocc_family)6);
    REFUSED(p.density = -0.1);
    REFUSED(p.density = 1.1);
    REFUSED(p.density = NAN);
    REFUSED((p.family = FROCC_FAMILY_HADAMARD, p.scaling = FROCC_SCALING_WHITEN));
    REFUSED(p.family = FROCC_FAMILY_GIVEN);
    REFUSED((p.family = FROCC_FAMILY_GIVEN, p.directions = bad));
    REFUSED(p.threads = -1);
    REFUSED(p.struct_size = 0);
    REFUSED(p.sample_rows = SIZE_MAX);
}

static void no_features_or_too_many(void) {
    frocc_params p = usual();

    refused_everywhere(&p, 0, FROCC_ERR_SHAPE);
    check_is(frocc_params_check(&p, FROCC_MAX_FEATURES + 1), FROCC_ERR_SHAPE);
    check_is(frocc_params_check(&p, SIZE_MAX), FROCC_ERR_SHAPE);
    check_is(frocc_params_check(NULL, 4), FROCC_ERR_ARGUMENT);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef struct fixture {
    frocc_params p;
    data x;
    frocc_frame *frame;
    frocc_model *model;
    frocc_scorer *scorer;
    frocc_fitter *fitter;
    frocc_sample *sample;
} fixture;

static fixture fixture_new(uint64_t seed, size_t n, size_t d) {
    rng r = rng_seed(seed);
    fixture f = {.p = usual(), .x = data_new(&r, n, d, SHAPE_BLOB, true)};

    f.frame = frame_of(&f.p, &f.x);
    f.model = fit(&f.p, &f.x);
    f.fitter = fitter_of(f.frame, &f.p);
    check_ok(frocc_scorer_new(f.model, 1, &f.scorer));
    check_ok(frocc_sample_new(&f.p, d, &f.sample));
    return f;
}

static void fixture_free(fixture *f) {
    frocc_fitter_free(f->fitter);
    frocc_scorer_free(f->scorer);
    frocc_sample_free(f->sample);
    frocc_model_free(f->model);
    frocc_frame_free(f->frame);
    data_free(&f->x);
}

/* Every function that reads rows refuses these. What it leaves in an array with a value per row is
 * its own affair; what lies behind the array is not. */
static void rows_refused(fixture *f, const frocc_rows *rows, frocc_status expected) {
    size_t m = f->p.n_directions, n = rows->n_rows < 1000 ? rows->n_rows : 1000;
    size_t room = n * m * 8 + 64;
    unsigned char *out = NEW(unsigned char, room);
    frocc_model *model = UNTOUCHED;
    uint64_t before = frocc_fitter_rows(f->fitter);
    static const float epsilon = 0.5f;
    static const uint32_t all = 8;

    memset(out, 0xa5, room);
    check_is(frocc_fit(&f->p, rows, &model), expected);
    check(model == UNTOUCHED, "a failed fit changed the result");
    check_is(frocc_scorer_score(f->scorer, rows, (double *)out), expected);
    check_is(frocc_scorer_count(f->scorer, rows, (uint32_t *)out), expected);
    check_is(frocc_scorer_decide(f->scorer, rows, 0.5, out), expected);
    check_is(frocc_scorer_distances(f->scorer, rows, (float *)out), expected);
    check_is(frocc_scorer_grid(f->scorer, rows, &epsilon, 1, &all, 1, (uint32_t *)out), expected);
    check_is(frocc_frame_project(f->frame, rows, (float *)out), expected);
    check_is(frocc_fitter_add(f->fitter, rows), expected);
    check(frocc_fitter_rows(f->fitter) >= before, "the fitter lost rows");
    for (size_t i = n * m * sizeof(float); i < room; i++)
        check(out[i] == 0xa5 || m < 2, "a failure wrote byte %zu behind the results", i);
    free(out);
}

static void nan_and_infinity_are_named(void) {
    static const double bad[] = {NAN, INFINITY, -INFINITY, 0x1p91, -0x1p91, 1e300};

    for (size_t k = 0; k < 6; k++)
        for (size_t place = 0; place < 4; place++) {
            fixture f = fixture_new(600000 + k * 4 + place, 61, 11);
            size_t row = place == 0 ? 0 : place == 1 ? 60 : 10 + place * 13, column = place * 3;
            double *values = NEW(double, 61 * 11);
            memcpy(values, f.x.f64, 61 * 11 * sizeof *values);
            values[row * 11 + column] = bad[k];
            values[60 * 11 + 10] = bad[k]; /* the first bad value is the one named */
            frocc_rows rows = frocc_rows_f64(values, 61, 11);
            frocc_model *model = UNTOUCHED;
            check_is(frocc_fit(&f.p, &rows, &model), FROCC_ERR_DATA);
            check_says("row", row);
            rows_refused(&f, &rows, FROCC_ERR_DATA);
            if (k < 3) {
                check_is(frocc_fit(&f.p, &rows, &model), FROCC_ERR_DATA);
                check_says("column", column);
                check_is(frocc_sample_add(f.sample, &rows), FROCC_ERR_DATA);
                check_says("row", row);
                check_says("column", column);
            }
            free(values);
            fixture_free(&f);
        }
}

/* The same in float32, in sparse rows, and by several threads: the first bad row is named. */
static void nan_is_named_in_every_form(void) {
    for (int form = 0; form < 4; form++) {
        rng r = rng_seed(610000 + (uint64_t)form);
        data x = data_new(&r, 4000, 5, SHAPE_BLOB, true);
        frocc_params p = usual();
        frocc_model *model = UNTOUCHED;
        frocc_rows rows;
        csr s;
        static const size_t bad[] = {3999, 3000, 1733};
        for (int i = 0; i < 3; i++) {
            x.f64[bad[i] * 5 + 2] = NAN;
            x.f32[bad[i] * 5 + 2] = NAN;
        }
        s = csr_new(&r, &x);
        p.threads = form == 3 ? 4 : 1;
        rows = form == 0   ? frocc_rows_f32(x.f32, x.n, x.d)
               : form == 1 ? frocc_rows_csr(FROCC_F64, s.f64, s.row_start, s.columns, x.n, x.d)
               : form == 2 ? frocc_rows_csr(FROCC_F32, s.f32, s.row_start, s.columns, x.n, x.d)
                           : data_rows(&x);
        check_is(frocc_fit(&p, &rows, &model), FROCC_ERR_DATA);
        check_says("row", 1733);
        check_says("column", 2);
        check(model == UNTOUCHED, "a failed fit changed the result");
        csr_free(&s);
        data_free(&x);
    }
}

static void values_up_to_2_to_90(void) {
    fixture f = fixture_new(620000, 20, 3);
    frocc_model *model = NULL;
    frocc_rows rows = data_rows(&f.x);

    f.x.f64[17] = 0x1p90;
    check_ok(frocc_fit(&f.p, &rows, &model));
    frocc_model_free(model);
    f.x.f64[17] = 0x1p90 * (1 + 1e-6);
    rows_refused(&f, &rows, FROCC_ERR_DATA);
    check_is(frocc_fit(&f.p, &rows, &model), FROCC_ERR_DATA);
    check_says("row", 5);
    fixture_free(&f);
}

/* A column that hardly varies in the sample: another value there is far out, and no mistake. */
static void values_beyond_all_scales(void) {
    for (int scaling = FROCC_SCALING_STANDARD; scaling <= FROCC_SCALING_WHITEN; scaling++) {
        rng r = rng_seed(625000 + (uint64_t)scaling);
        data x = data_new(&r, 200, 3, SHAPE_BLOB, false);
        setup s;
        frocc_scorer *scorer = NULL;
        double scores[2];

        for (size_t i = 0; i < x.n; i++)
            x.f64[i * 3 + 1] = rng_normal(&r) * 1e-30;
        setup_init(&r, &s, FROCC_KERNEL_LINEAR, (frocc_scaling)scaling, FROCC_FAMILY_GAUSSIAN, 20,
                   3);
        if (scaling == FROCC_SCALING_GIVEN) {
            s.shift[1] = 0;
            s.scale[1] = 1e-30;
        }
        frocc_model *model = fit(&s.params, &x);
        double queries[6] = {x.f64[0], x.f64[1], x.f64[2], x.f64[0], 0x1p90, x.f64[2]};
        frocc_rows rows = frocc_rows_f64(queries, 2, 3);
        check_ok(frocc_scorer_new(model, 1, &scorer));
        check_ok(frocc_scorer_score(scorer, &rows, scores));
        check(scores[0] == 1.0 && scores[1] < 1.0, "scaling %d: scores %g and %g", scaling,
              scores[0], scores[1]);
        queries[4] = 0x1p91;
        check_is(frocc_scorer_score(scorer, &rows, scores), FROCC_ERR_DATA);
        frocc_scorer_free(scorer);
        frocc_model_free(model);
        setup_free(&s);
        data_free(&x);
    }
}

/* ---- Shapes ---------------------------------------------------------------------------------- */

static void wrong_number_of_columns(void) {
    fixture f = fixture_new(630000, 30, 4);
    frocc_rows narrow = frocc_rows_f64(f.x.f64, 30, 3), wide = frocc_rows_f64(f.x.f64, 20, 5);
    frocc_rows bad[2] = {narrow, wide};
    double out[64] = {0};

    for (int i = 0; i < 2; i++) {
        check_is(frocc_scorer_score(f.scorer, &bad[i], out), FROCC_ERR_SHAPE);
        check_is(frocc_fitter_add(f.fitter, &bad[i]), FROCC_ERR_SHAPE);
        check_is(frocc_sample_add(f.sample, &bad[i]), FROCC_ERR_SHAPE);
        check_is(frocc_frame_project(f.frame, &bad[i], (float *)out), FROCC_ERR_SHAPE);
    }
    narrow = frocc_rows_f64(f.x.f64, 30, 4);
    narrow.row_stride = 3;
    rows_refused(&f, &narrow, FROCC_ERR_SHAPE);
    check(frocc_fitter_rows(f.fitter) == 0, "the fitter took rows of another shape");
    fixture_free(&f);
}

static void sparse_rows_out_of_order(void) {
    fixture f = fixture_new(640000, 30, 4);
    double values[] = {1, 2, 3, 4};
    int64_t start[] = {0, 2, 4}, falls[] = {0, 3, 2}, negative[] = {-1, 2, 4};
    static const int32_t good[] = {0, 3, 1, 2};
    static const int32_t bad[][4] = {{3, 0, 1, 2},  {0, 0, 1, 2}, {0, 3, 1, 4},
                                     {-1, 3, 1, 2}, {0, 3, 2, 2}, {0, 3, 2147483647, 2147483647}};
    frocc_rows rows = frocc_rows_csr(FROCC_F64, values, start, good, 2, 4);
    frocc_model *model = NULL;

    check_ok(frocc_fit(&f.p, &rows, &model));
    frocc_model_free(model);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rows = frocc_rows_csr(FROCC_F64, values, start, bad[i], 2, 4);
        rows_refused(&f, &rows, FROCC_ERR_SHAPE);
        check_is(frocc_sample_add(f.sample, &rows), FROCC_ERR_SHAPE);
    }
    rows = frocc_rows_csr(FROCC_F64, values, falls, good, 2, 4);
    rows_refused(&f, &rows, FROCC_ERR_SHAPE);
    rows = frocc_rows_csr(FROCC_F64, values, negative, good, 2, 4);
    rows_refused(&f, &rows, FROCC_ERR_SHAPE);
    rows = frocc_rows_csr(FROCC_F64, values, start, NULL, 2, 4);
    rows_refused(&f, &rows, FROCC_ERR_ARGUMENT);
    fixture_free(&f);
}

static frocc_status nothing(void *context, frocc_rows *block) {
    *block = frocc_rows_f64(NULL, 0, *(size_t *)context);
    return FROCC_OK;
}

static frocc_status again(void *context) {
    (void)context;
    return FROCC_OK;
}

static void zero_rows(void) {
    fixture f = fixture_new(650000, 10, 3);
    size_t d = 3;
    frocc_rows none = frocc_rows_f64(f.x.f64, 0, 3);
    frocc_source source = {nothing, again, &d};
    frocc_model *model = UNTOUCHED;
    frocc_frame *frame = UNTOUCHED;
    double score = 77;

    for (int scaling = FROCC_SCALING_NONE; scaling <= FROCC_SCALING_MINMAX; scaling++) {
        f.p.scaling = (frocc_scaling)scaling;
        check_is(frocc_fit(&f.p, &none, &model), FROCC_ERR_EMPTY);
        check_is(frocc_fit_source(&f.p, &source, &model), FROCC_ERR_EMPTY);
    }
    f.p.scaling = FROCC_SCALING_STANDARD;
    check_is(frocc_fitter_finish(f.fitter, &model), FROCC_ERR_EMPTY);
    check_is(frocc_frame_new(&f.p, 3, f.sample, &frame), FROCC_ERR_EMPTY);
    check_is(frocc_frame_new(&f.p, 3, NULL, &frame), FROCC_ERR_ARGUMENT);
    check(model == UNTOUCHED && frame == UNTOUCHED, "a failure changed the result");
    check_ok(frocc_fitter_add(f.fitter, &none)); /* adding or asking nothing is no mistake */
    check_ok(frocc_sample_add(f.sample, &none));
    check_ok(frocc_scorer_score(f.scorer, &none, &score));
    check(score == 77, "a score for no row");
    fixture_free(&f);
}

/* ---- Going on after a failure ---------------------------------------------------------------- */

/*
 * A bad row in the middle of a stream. What the fitter took are the leading rows of the call, as
 * many as it says; with the rest added again, the model is the model of the good rows.
 */
static void law_fitter_goes_on(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    size_t bad = rng_below(r, x->n), first = 0;
    frocc_frame *frame = frame_of(&s->params, x);
    frocc_fitter *fitter, *undisturbed = fitter_of(frame, &s->params);
    double *values = NEW(double, x->n * x->d);
    frocc_rows rows;
    frocc_model *a, *b;

    s->params.threads = 1 + (int)rng_below(r, 3);
    fitter = fitter_of(frame, &s->params);
    memcpy(values, x->f64, x->n * x->d * sizeof *values);
    values[bad * x->d + rng_below(r, x->d)] = rng_chance(r, 2) ? NAN : -INFINITY;
    first = bad ? rng_below(r, bad) : 0;
    if (first)
        fitter_take(fitter, x, 0, first);
    rows = frocc_rows_f64(values + first * x->d, x->n - first, x->d);
    check_is(frocc_fitter_add(fitter, &rows), FROCC_ERR_DATA);
    uint64_t held = frocc_fitter_rows(fitter);
    check(held >= first && held <= bad, "row %zu was bad and the fitter holds %llu rows", bad,
          (unsigned long long)held);
    if (held > 0) { /* the state after the failure is that of exactly these rows */
        fitter_take(undisturbed, x, 0, (size_t)held);
        a = finish(fitter);
        b = finish(undisturbed);
        check_same(b, a, "a fitter after a failure");
        frocc_model_free(a);
        frocc_model_free(b);
    }
    fitter_take(fitter, x, (size_t)held, x->n - (size_t)held);
    a = finish(fitter);
    b = fit(&s->params, x);
    check_same(b, a, "a fitter that went on after a failure");
    frocc_model_free(a);
    frocc_model_free(b);
    frocc_fitter_free(fitter);
    frocc_fitter_free(undisturbed);
    frocc_frame_free(frame);
    free(values);
}

/* A scorer that was asked for nonsense answers the next question as before. */
static void scorers_and_samples_go_on(void) {
    fixture f = fixture_new(660000, 200, 6);
    double before[200], after[200], spoilt[200 * 6];
    frocc_rows rows = data_rows(&f.x), bad = frocc_rows_f64(spoilt, 200, 6);
    frocc_sample *clean = NULL;
    frocc_frame *a = NULL, *b = NULL;

    memcpy(spoilt, f.x.f64, sizeof spoilt);
    spoilt[150 * 6] = NAN;
    check_ok(frocc_scorer_score(f.scorer, &rows, before));
    check_is(frocc_scorer_score(f.scorer, &bad, after), FROCC_ERR_DATA);
    check_ok(frocc_scorer_score(f.scorer, &rows, after));
    check(memcmp(before, after, sizeof before) == 0, "a failure changed a scorer");
    check_is(frocc_sample_add(f.sample, &bad), FROCC_ERR_DATA);
    check_ok(frocc_sample_add(f.sample, &rows));
    check_ok(frocc_sample_new(&f.p, 6, &clean));
    check_ok(frocc_sample_add(clean, &rows));
    f.p.scaling = FROCC_SCALING_STANDARD;
    check_ok(frocc_frame_new(&f.p, 6, f.sample, &a));
    check_ok(frocc_frame_new(&f.p, 6, clean, &b));
    check(frocc_frame_checksum(a) == frocc_frame_checksum(b), "a failure changed a sample");
    frocc_frame_free(a);
    frocc_frame_free(b);
    frocc_sample_free(clean);
    fixture_free(&f);
}

/* What several threads were given together, they take together or not at all. */
static void a_team_takes_all_or_nothing(void) {
    if (frocc__threads(3) == 1)
        check_skip("there are no threads here");
    for (uint64_t i = 0; i < (uint64_t)check_cases(12, 4); i++) {
        rng r = rng_seed(680000 + i);
        data x = data_new(&r, 9000, 6, SHAPE_CLUSTERS, true);
        setup s;
        setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 64, 6);
        setup_either(&r, &s);
        s.params.threads = 3;
        frocc_frame *frame = frame_of(&s.params, &x);
        frocc_fitter *fitter = fitter_of(frame, &s.params), *fresh = fitter_of(frame, &s.params);
        frocc_rows rows = data_rows(&x);
        size_t bad = rng_below(&r, x.n);
        double good = x.f64[bad * x.d];
        char named[32];

        fitter_take(fitter, &x, 0, i % 2 == 0 ? 0 : 100);
        x.f64[bad * x.d] = NAN;
        snprintf(named, sizeof named, "row %zu,", bad);
        check_is(frocc_fitter_add(fitter, &rows), FROCC_ERR_DATA);
        check(strstr(frocc_last_error(), named) != NULL, "\"%s\" does not name %s",
              frocc_last_error(), named);
        check(frocc_fitter_rows(fitter) == (i % 2 == 0 ? 0 : 100), "a failed addition took rows");
        x.f64[bad * x.d] = good;
        check_ok(frocc_fitter_add(fitter, &rows));
        fitter_take(fresh, &x, 0, i % 2 == 0 ? 0 : 100);
        check_ok(frocc_fitter_add(fresh, &rows));
        check_same_fitters(fresh, fitter, "a team after a failure");
        frocc_fitter_free(fitter);
        frocc_fitter_free(fresh);
        frocc_frame_free(frame);
        setup_free(&s);
        data_free(&x);
    }
}

static void a_fitter_goes_on(void) {
    law_everywhere(law_fitter_goes_on, 670000, law_usual());
}

int main(void) {
    RUN(parameters_out_of_range);
    RUN(no_features_or_too_many);
    RUN(nan_and_infinity_are_named);
    RUN(nan_is_named_in_every_form);
    RUN(values_up_to_2_to_90);
    RUN(values_beyond_all_scales);
    RUN(wrong_number_of_columns);
    RUN(sparse_rows_out_of_order);
    RUN(zero_rows);
    RUN(a_fitter_goes_on);
    RUN(a_team_takes_all_or_nothing);
    RUN(scorers_and_samples_go_on);
    return check_end();
}
