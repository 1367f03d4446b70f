/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that cannot work: NULL where something is needed, objects of different frames, lists that
 * do not rise, callbacks that fail. A status and a sentence each time, results untouched.
 */
#include "laws.h"

#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

typedef struct objects {
    frocc_params p;
    double values[24];
    frocc_rows rows;
    frocc_model *model;
    frocc_frame *frame;
    frocc_sample *sample;
    frocc_fitter *fitter;
    frocc_scorer *scorer;
} objects;

static objects *objects_new(void) {
    objects *o = NEW(objects, 1);
    rng r = rng_seed(700000);

    frocc_params_init_paper(&o->p);
    o->p.n_directions = 6;
    o->p.threads = 1;
    for (int i = 0; i < 24; i++)
        o->values[i] = rng_normal(&r);
    o->rows = frocc_rows_f64(o->values, 8, 3);
    check_ok(frocc_fit(&o->p, &o->rows, &o->model));
    o->frame = frocc_model_frame(o->model);
    check_ok(frocc_sample_new(&o->p, 3, &o->sample));
    check_ok(frocc_fitter_new(o->frame, &o->p, &o->fitter));
    check_ok(frocc_fitter_add(o->fitter, &o->rows));
    check_ok(frocc_scorer_new(o->model, 1, &o->scorer));
    return o;
}

static void objects_free(objects *o) {
    frocc_scorer_free(o->scorer);
    frocc_fitter_free(o->fitter);
    frocc_sample_free(o->sample);
    frocc_frame_free(o->frame);
    frocc_model_free(o->model);
    free(o);
}

#define REFUSES(call) check_is(call, FROCC_ERR_ARGUMENT)

static void null_to_the_simple_way(void) {
    objects *o = objects_new();
    frocc_model *model = UNTOUCHED;
    frocc_scorer *scorer = UNTOUCHED;
    void *bytes = UNTOUCHED;
    size_t size = 77, count = 77;
    uint64_t met = 0;
    double scores[8];

    REFUSES(frocc_fit(NULL, &o->rows, &model));
    REFUSES(frocc_fit(&o->p, NULL, &model));
    REFUSES(frocc_fit(&o->p, &o->rows, NULL));
    REFUSES(frocc_fit_source(&o->p, NULL, &model));
    REFUSES(frocc_model_save(NULL, "/tmp/x"));
    REFUSES(frocc_model_save(o->model, NULL));
    REFUSES(frocc_model_load(NULL, NULL, &model));
    REFUSES(frocc_model_load("/tmp/x", NULL, NULL));
    REFUSES(frocc_model_to_bytes(NULL, &bytes, &size));
    REFUSES(frocc_model_to_bytes(o->model, NULL, &size));
    REFUSES(frocc_model_to_bytes(o->model, &bytes, NULL));
    REFUSES(frocc_model_from_bytes(NULL, 10, NULL, &model));
    REFUSES(frocc_scorer_new(NULL, 1, &scorer));
    REFUSES(frocc_scorer_new(o->model, 1, NULL));
    REFUSES(frocc_scorer_new(o->model, -1, &scorer));
    REFUSES(frocc_scorer_score(NULL, &o->rows, scores));
    REFUSES(frocc_scorer_score(o->scorer, NULL, scores));
    REFUSES(frocc_scorer_score(o->scorer, &o->rows, NULL));
    REFUSES(frocc_scorer_meet(NULL, &o->rows, scores));
    REFUSES(frocc_scorer_meet(o->scorer, NULL, scores));
    REFUSES(frocc_scorer_meet(o->scorer, &o->rows, NULL));
    REFUSES(frocc_scorer_copy_met(NULL, &met, 1, &count));
    REFUSES(frocc_scorer_copy_met(o->scorer, NULL, 1, &count));
    REFUSES(frocc_scorer_copy_met(o->scorer, &met, 1, NULL));
    REFUSES(frocc_scorer_add_met(NULL, &met, 1, scores));
    REFUSES(frocc_scorer_add_met(o->scorer, NULL, 1, scores));
    REFUSES(frocc_scorer_add_met(o->scorer, &met, 1, NULL));
    REFUSES(frocc_scorer_score_left_out(NULL, &o->rows, scores));
    REFUSES(frocc_scorer_score_left_out(o->scorer, NULL, scores));
    REFUSES(frocc_scorer_score_left_out(o->scorer, &o->rows, NULL));
    REFUSES(frocc_scorer_count(o->scorer, &o->rows, NULL));
    REFUSES(frocc_scorer_decide(o->scorer, &o->rows, 0.5, NULL));
    REFUSES(frocc_scorer_distances(o->scorer, &o->rows, NULL));
    check(model == UNTOUCHED && scorer == UNTOUCHED && bytes == UNTOUCHED && size == 77,
          "a failure changed a result");
    objects_free(o);
}

static void null_to_the_streaming_way(void) {
    objects *o = objects_new();
    frocc_model *model = UNTOUCHED;
    frocc_frame *frame = UNTOUCHED;
    frocc_fitter *fitter = UNTOUCHED;
    frocc_sample *sample = UNTOUCHED;
    float out[64] = {0};
    void *bytes = UNTOUCHED;
    size_t size = 77;
    const frocc_load_options unset = {0};
    frocc_kind kind = FROCC_KIND_MODEL;

    REFUSES(frocc_sample_new(NULL, 3, &sample));
    REFUSES(frocc_sample_new(&o->p, 3, NULL));
    REFUSES(frocc_sample_add(NULL, &o->rows));
    REFUSES(frocc_sample_add(o->sample, NULL));
    REFUSES(frocc_sample_merge(NULL, o->sample));
    REFUSES(frocc_sample_merge(o->sample, NULL));
    REFUSES(frocc_sample_size(NULL, &size));
    REFUSES(frocc_sample_size(o->sample, NULL));
    REFUSES(frocc_frame_new(NULL, 3, NULL, &frame));
    REFUSES(frocc_frame_new(&o->p, 3, NULL, NULL));
    REFUSES(frocc_frame_copy_directions(NULL, 0, 1, out));
    REFUSES(frocc_frame_copy_directions(o->frame, 0, 1, NULL));
    REFUSES(frocc_frame_copy_directions(o->frame, 0, 7, out));
    REFUSES(frocc_frame_copy_directions(o->frame, 7, 0, out));
    REFUSES(frocc_frame_copy_directions(o->frame, 1, SIZE_MAX, out));
    REFUSES(frocc_frame_project(NULL, &o->rows, out));
    REFUSES(frocc_frame_project(o->frame, NULL, out));
    REFUSES(frocc_frame_project(o->frame, &o->rows, NULL));
    REFUSES(frocc_fitter_new(NULL, &o->p, &fitter));
    REFUSES(frocc_fitter_new(o->frame, NULL, &fitter));
    REFUSES(frocc_fitter_new(o->frame, &o->p, NULL));
    REFUSES(frocc_fitter_add(NULL, &o->rows));
    REFUSES(frocc_fitter_add(o->fitter, NULL));
    REFUSES(frocc_fitter_merge(NULL, o->fitter));
    REFUSES(frocc_fitter_merge(o->fitter, NULL));
    REFUSES(frocc_fitter_finish(NULL, &model));
    REFUSES(frocc_fitter_finish(o->fitter, NULL));
    REFUSES(frocc_sample_to_bytes(NULL, &bytes, &size));
    REFUSES(frocc_sample_to_bytes(o->sample, NULL, &size));
    REFUSES(frocc_sample_to_bytes(o->sample, &bytes, NULL));
    REFUSES(frocc_sample_from_bytes(NULL, 10, &sample));
    REFUSES(frocc_sample_from_bytes(out, 10, NULL));
    REFUSES(frocc_frame_to_bytes(NULL, &bytes, &size));
    REFUSES(frocc_frame_to_bytes(o->frame, NULL, &size));
    REFUSES(frocc_frame_to_bytes(o->frame, &bytes, NULL));
    REFUSES(frocc_frame_from_bytes(NULL, 10, NULL, &frame));
    REFUSES(frocc_frame_from_bytes(out, 10, &unset, &frame));
    REFUSES(frocc_frame_from_bytes(out, 10, NULL, NULL));
    REFUSES(frocc_fitter_to_bytes(NULL, &bytes, &size));
    REFUSES(frocc_fitter_to_bytes(o->fitter, NULL, &size));
    REFUSES(frocc_fitter_to_bytes(o->fitter, &bytes, NULL));
    REFUSES(frocc_fitter_from_bytes(NULL, 10, NULL, 1, &fitter));
    REFUSES(frocc_fitter_from_bytes(out, 10, &unset, 1, &fitter));
    REFUSES(frocc_fitter_from_bytes(out, 10, NULL, 1, NULL));
    REFUSES(frocc_bytes_kind(NULL, 10, &kind));
    REFUSES(frocc_bytes_kind(out, 10, NULL));
    check(model == UNTOUCHED && frame == UNTOUCHED && fitter == UNTOUCHED && sample == UNTOUCHED &&
              bytes == UNTOUCHED && size == 77,
          "a failure changed a result");
    objects_free(o);
}

static void null_to_what_one_fit_answers(void) {
    objects *o = objects_new();
    const frocc_model *holes[2] = {o->model, NULL};
    frocc_model *model = UNTOUCHED;
    frocc_model_info info = {.struct_size = sizeof info}, small = {.struct_size = 8};
    float ends[8];
    size_t count = 77;

    REFUSES(frocc_model_merge(NULL, 2, &model));
    REFUSES(frocc_model_merge(holes, 2, &model));
    check_is(frocc_model_merge(holes, 0, &model), FROCC_ERR_EMPTY);
    REFUSES(frocc_model_merge(holes, 1, NULL));
    REFUSES(frocc_model_coarsen(NULL, 0.5f, &model));
    REFUSES(frocc_model_coarsen(o->model, 0.5f, NULL));
    REFUSES(frocc_model_coarsen(o->model, 0.01f, &model)); /* finer than it is */
    REFUSES(frocc_model_coarsen(o->model, NAN, &model));
    REFUSES(frocc_model_coarsen(o->model, 1.1f, &model));
    REFUSES(frocc_model_truncate(NULL, 3, &model));
    REFUSES(frocc_model_truncate(o->model, 3, NULL));
    REFUSES(frocc_model_truncate(o->model, 0, &model));
    REFUSES(frocc_model_truncate(o->model, 7, &model));
    REFUSES(frocc_model_decontaminate(NULL, 0.1, &model));
    REFUSES(frocc_model_decontaminate(o->model, 0.1, NULL));
    REFUSES(frocc_model_seal(NULL, &model));
    REFUSES(frocc_model_seal(o->model, NULL));
    REFUSES(frocc_model_describe(NULL, &info));
    REFUSES(frocc_model_describe(o->model, NULL));
    REFUSES(frocc_model_describe(o->model, &small));
    REFUSES(frocc_model_intervals(NULL, 0, ends, ends, 8, &count));
    REFUSES(frocc_model_intervals(o->model, 6, ends, ends, 8, &count));
    REFUSES(frocc_model_intervals(o->model, 0, NULL, ends, 8, &count));
    REFUSES(frocc_model_intervals(o->model, 0, ends, ends, 8, NULL));
    check(model == UNTOUCHED && count == 77, "a failure changed a result");
    check(frocc_model_frame(NULL) == NULL, "the frame of no model");
    objects_free(o);
}

static void grids_that_do_not_rise(void) {
    objects *o = objects_new();
    float epsilons[] = {0.1f, 0.3f}, falls[] = {0.3f, 0.2f}, same[] = {0.2f, 0.2f};
    float fine[] = {0.05f, 0.3f}, wide[] = {0.1f, 1.5f}, nan[] = {0.1f, NAN};
    uint32_t ms[] = {2, 6}, down[] = {6, 2}, none[] = {0, 6}, many[] = {2, 7};
    uint32_t counts[32];

    memset(counts, 0xa5, sizeof counts);
    REFUSES(frocc_scorer_grid(NULL, &o->rows, epsilons, 2, ms, 2, counts));
    REFUSES(frocc_scorer_grid(o->scorer, NULL, epsilons, 2, ms, 2, counts));
    REFUSES(frocc_scorer_grid(o->scorer, &o->rows, NULL, 2, ms, 2, counts));
    REFUSES(frocc_scorer_grid(o->scorer, &o->rows, epsilons, 2, NULL, 2, counts));
    REFUSES(frocc_scorer_grid(o->scorer, &o->rows, epsilons, 2, ms, 2, NULL));
    REFUSES(frocc_scorer_grid(o->scorer, &o->rows, falls, 2, ms, 2, counts));
    REFUSES(frocc_scorer_grid(o->scorer, &o->rows, fine, 2, ms, 2, counts));
    REFUSES(frocc_scorer_grid(o->scorer, &o->rows, wide, 2, ms, 2, counts));
    REFUSES(frocc_scorer_grid(o->scorer, &o->rows, nan, 2, ms, 2, counts));
    REFUSES(frocc_scorer_grid(o->scorer, &o->rows, epsilons, 2, down, 2, counts));
    REFUSES(frocc_scorer_grid(o->scorer, &o->rows, epsilons, 2, none, 2, counts));
    REFUSES(frocc_scorer_grid(o->scorer, &o->rows, epsilons, 2, many, 2, counts));
    (void)same; /* whether equal neighbours rise is the library's to say */
    for (int i = 0; i < 32; i++)
        check(counts[i] == 0xa5a5a5a5u, "a failure wrote a count");
    check_ok(frocc_scorer_grid(o->scorer, &o->rows, epsilons, 2, ms, 2, counts));
    objects_free(o);
}

/* NULL may be freed, and asked for nothing. */
static void freeing_nothing(void) {
    frocc_model_free(NULL);
    frocc_scorer_free(NULL);
    frocc_sample_free(NULL);
    frocc_frame_free(NULL);
    frocc_fitter_free(NULL);
    frocc_bytes_free(NULL);
    frocc_params_init(NULL);
    frocc_params_init_paper(NULL);
    check(frocc_frame_features(NULL) == 0 && frocc_frame_directions(NULL) == 0, "no frame");
    check(frocc_fitter_rows(NULL) == 0 && frocc_fitter_frame(NULL) == NULL, "no fitter");
    check(frocc_sample_features(NULL) == 0, "no sample");
}

/* ---- Objects of different frames ------------------------------------------------------------- */

typedef struct change {
    const char *what;
    void (*apply)(setup *s);
    frocc_status expected;
} change;

static void other_seed(setup *s) {
    s->params.seed ^= 1;
}
static void other_m(setup *s) {
    s->params.n_directions++;
}
static void other_kernel(setup *s) {
    s->params.kernel = FROCC_KERNEL_SIGMOID;
}
static void other_gamma(setup *s) {
    s->params.gamma = 0.123;
}
static void other_coef0(setup *s) {
    s->params.coef0 = 0.456;
}
static void other_degree(setup *s) {
    s->params.degree = 7;
}
static void other_scaling(setup *s) {
    s->params.scaling = FROCC_SCALING_MINMAX;
}
static void other_shift(setup *s) {
    s->shift[1] += 1;
}
static void other_epsilon(setup *s) {
    s->params.epsilon = 0.77f;
}

static const change changes[] = {
    {"seed", other_seed, FROCC_ERR_FRAME},       {"m", other_m, FROCC_ERR_FRAME},
    {"kernel", other_kernel, FROCC_ERR_FRAME},   {"gamma", other_gamma, FROCC_ERR_FRAME},
    {"coef0", other_coef0, FROCC_ERR_FRAME},     {"degree", other_degree, FROCC_ERR_FRAME},
    {"scaling", other_scaling, FROCC_ERR_FRAME}, {"shift", other_shift, FROCC_ERR_FRAME},
    {"epsilon", other_epsilon, FROCC_ERR_FRAME},
};

/* One change makes the merge impossible; both sides stay what they were. */
static void merge_is_refused(const change *c) {
    rng r = rng_seed(710000);
    data x = data_new(&r, 50, 4, SHAPE_BLOB, true);
    setup s;
    setup_init(&r, &s, FROCC_KERNEL_POLY, FROCC_SCALING_GIVEN, FROCC_FAMILY_GAUSSIAN, 9, 4);
    s.params.epsilon = 0.2f;
    frocc_model *a = fit(&s.params, &x), *merged = UNTOUCHED;
    frocc_frame *frame_a = frocc_model_frame(a);
    frocc_fitter *fa = fitter_of(frame_a, &s.params);
    fitter_take(fa, &x, 0, 50);

    c->apply(&s);
    frocc_model *b = fit(&s.params, &x);
    frocc_frame *frame_b = frocc_model_frame(b);
    frocc_fitter *fb = fitter_of(frame_b, &s.params);
    fitter_take(fb, &x, 0, 50);
    const frocc_model *both[] = {a, b};
    check_is(frocc_model_merge(both, 2, &merged), c->expected);
    check(merged == UNTOUCHED, "a failed merge changed the result");
    check_is(frocc_fitter_merge(fa, fb), c->expected);
    check(frocc_fitter_rows(fa) == 50 && frocc_fitter_rows(fb) == 50, "rows moved");
    frocc_model *after = finish(fa);
    check_same(a, after, c->what);
    frocc_model_free(after);
    frocc_fitter_free(fa);
    frocc_fitter_free(fb);
    frocc_frame_free(frame_a);
    frocc_frame_free(frame_b);
    frocc_model_free(a);
    frocc_model_free(b);
    setup_free(&s);
    data_free(&x);
}

static void merging_other_frames(void) {
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        merge_is_refused(&changes[i]);
}

static void merging_other_samples(void) {
    frocc_params p;
    frocc_sample *a = NULL, *b = NULL;

    frocc_params_init_paper(&p);
    check_ok(frocc_sample_new(&p, 3, &a));
    check_ok(frocc_sample_new(&p, 4, &b));
    check_is(frocc_sample_merge(a, b), FROCC_ERR_FRAME);
    frocc_sample_free(b);
    p.seed = 5;
    check_ok(frocc_sample_new(&p, 3, &b));
    check_is(frocc_sample_merge(a, b), FROCC_ERR_FRAME);
    frocc_sample_free(b);
    p.seed = 0;
    p.sample_rows = 17;
    check_ok(frocc_sample_new(&p, 3, &b));
    check_is(frocc_sample_merge(a, b), FROCC_ERR_FRAME);
    REFUSES(frocc_sample_merge(a, a));
    frocc_sample_free(a);
    frocc_sample_free(b);
}

/* A fitter merged into itself is refused or has seen its rows twice; nothing in between. */
static void merging_into_itself(void) {
    objects *o = objects_new();
    frocc_status status = frocc_fitter_merge(o->fitter, o->fitter);
    bool twice = status == FROCC_OK;
    frocc_model *after, *expected = o->model, *doubled = NULL;
    const frocc_model *both[] = {o->model, o->model};

    check(twice || status == FROCC_ERR_ARGUMENT, "it gave %s", frocc_status_name(status));
    check(frocc_fitter_rows(o->fitter) == (twice ? 16u : 8u), "it counts other rows");
    check_ok(frocc_model_merge(both, 2, &doubled));
    after = finish(o->fitter);
    check_same(twice ? doubled : expected, after, "a fitter merged into itself");
    frocc_model_free(after);
    frocc_model_free(doubled);
    objects_free(o);
}

/* ---- Callbacks that fail --------------------------------------------------------------------- */

typedef struct failing {
    objects *o;
    int calls, fail_at;
    frocc_status with;
} failing;

static frocc_status failing_next(void *context, frocc_rows *block) {
    failing *f = context;

    if (f->calls++ == f->fail_at)
        return f->with;
    *block = f->calls % 4 ? f->o->rows : frocc_rows_f64(NULL, 0, 3);
    return FROCC_OK;
}

static frocc_status failing_rewind(void *context) {
    failing *f = context;
    return f->calls++ == f->fail_at ? f->with : FROCC_OK;
}

static void sources_that_fail(void) {
    objects *o = objects_new();
    frocc_model *model = UNTOUCHED;

    o->p.scaling = FROCC_SCALING_STANDARD;
    for (int at = 0; at < 8; at++) {
        failing f = {o, 0, at, FROCC_ERR_CALLBACK};
        frocc_source source = {failing_next, failing_rewind, &f};
        frocc_status status = frocc_fit_source(&o->p, &source, &model);
        check(status == FROCC_ERR_CALLBACK, "a failure at call %d gave %s", at,
              frocc_status_name(status));
        f = (failing){o, 0, at, FROCC_ERR_IO}; /* the source's own status is handed on */
        (void)frocc_params_check(NULL, 3);     /* an earlier failure */
        status = frocc_fit_source(&o->p, &source, &model);
        check(status == FROCC_ERR_IO, "a failure at call %d gave %s", at,
              frocc_status_name(status));
        check(strcmp(frocc_last_error(), "the row source failed") == 0,
              "a failure at call %d says: %s", at, frocc_last_error());
    }
    failing fine = {o, 0, -1, FROCC_OK};
    frocc_source no_rewind = {failing_next, NULL, &fine}, no_next = {NULL, failing_rewind, &fine};
    check_is(frocc_fit_source(&o->p, &no_rewind, &model), FROCC_ERR_ARGUMENT);
    check_is(frocc_fit_source(&o->p, &no_next, &model), FROCC_ERR_ARGUMENT);
    check(model == UNTOUCHED, "a failed fit changed the result");
    objects_free(o);
}

/* A source whose second block has another number of columns, or a bad value. */
static frocc_status uneven_next(void *context, frocc_rows *block) {
    failing *f = context;

    *block = f->calls++ ? frocc_rows_f64(f->o->values, 6, 4) : f->o->rows;
    return FROCC_OK;
}

static void sources_that_change_shape(void) {
    objects *o = objects_new();
    failing f = {o, 0, -1, FROCC_OK};
    frocc_source source = {uneven_next, failing_rewind, &f};
    frocc_model *model = UNTOUCHED;

    check_is(frocc_fit_source(&o->p, &source, &model), FROCC_ERR_SHAPE);
    f.calls = 0;
    o->p.scaling = FROCC_SCALING_MINMAX;
    check_is(frocc_fit_source(&o->p, &source, &model), FROCC_ERR_SHAPE);
    check(model == UNTOUCHED, "a failed fit changed the result");
    objects_free(o);
}

static float gives_nan(void *context, const float *row, const float *direction, size_t d) {
    (void)context;
    (void)direction;
    (void)d;
    return row[0] > 0.5f ? NAN : row[0];
}

static void kernels_that_give_nan(void) {
    objects *o = objects_new();
    frocc_model *model = UNTOUCHED;

    o->p.kernel = FROCC_KERNEL_CUSTOM;
    o->p.kernel_fn = gives_nan;
    o->p.kernel_name = "nan";
    o->values[9] = 0.75;
    check_is(frocc_fit(&o->p, &o->rows, &model), FROCC_ERR_CALLBACK);
    check(model == UNTOUCHED, "a failed fit changed the result");
    objects_free(o);
}

/* ---- Small things ---------------------------------------------------------------------------- */

static void names_and_versions(void) {
    char version[32];

    check(strcmp(frocc_status_name(FROCC_OK), "FROCC_OK") == 0, "the name of 0");
    check(strcmp(frocc_status_name(FROCC_ERR_DATA), "FROCC_ERR_DATA") == 0, "the name of 3");
    check(strcmp(frocc_status_name(FROCC_ERR_UNSUPPORTED), "FROCC_ERR_UNSUPPORTED") == 0, "of 11");
    check(frocc_status_name((frocc_status)1000) != NULL, "the name of an unknown status");
    check(frocc_status_name((frocc_status)-1) != NULL, "the name of a negative status");
    snprintf(version, sizeof version, "%d.%d.%d", FROCC_VERSION_MAJOR, FROCC_VERSION_MINOR,
             FROCC_VERSION_PATCH);
    check(strcmp(frocc_version(), version) == 0, "the version is %s, not %s", frocc_version(),
          version);
    check(strstr("ref avx2 avx512 neon", frocc_cpu_level()) != NULL, "level %s", frocc_cpu_level());
}

int main(void) {
    RUN(null_to_the_simple_way);
    RUN(null_to_the_streaming_way);
    RUN(null_to_what_one_fit_answers);
    RUN(grids_that_do_not_rise);
    RUN(freeing_nothing);
    RUN(merging_other_frames);
    RUN(merging_other_samples);
    RUN(merging_into_itself);
    RUN(sources_that_fail);
    RUN(sources_that_change_shape);
    RUN(kernels_that_give_nan);
    RUN(names_and_versions);
    return check_end();
}
