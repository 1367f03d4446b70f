/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calibrated models: the same bytes however they are made, merged only with their like, and whole
 * when bad rows come between the held ones.
 */
#define _POSIX_C_SOURCE 200809L
#include "calibrated.h"
#include "files.h"

/* ---- The same bytes however they are made ---------------------------------------------------- */

static void check_order_and_threads(rng *r, const frocc_params *params, const data *x,
                                    const frocc_model *direct) {
    size_t *order = NEW(size_t, x->n);
    frocc_params p = *params;

    for (p.threads = 1; p.threads < 5; p.threads++) {
        rng_shuffle(r, order, x->n);
        data y = data_reordered(x, order);
        frocc_model *other = fit(&p, &y);
        check_same(direct, other, "rows in another order, other threads");
        frocc_model_free(other);
        data_free(&y);
    }
    free(order);
}

static void check_batches(rng *r, const frocc_params *params, const data *x,
                          const frocc_model *direct) {
    frocc_frame *frame = frame_of(params, x);
    frocc_fitter *fitter = fitter_of(frame, params);
    size_t batch = rng_size(r, 1, 200);

    for (size_t done = 0; done < x->n; done += batch) {
        fitter_take(fitter, x, done, batch < x->n - done ? batch : x->n - done);
        if (done == 0) /* looking at it in between changes nothing */
            frocc_model_free(finish(fitter));
    }
    frocc_model *other = finish(fitter);
    check_same(direct, other, "rows in batches");
    frocc_model_free(other);
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
}

#define MOST_PARTS 6

/* Every row to a part at random; parts may be empty. */
static size_t split(rng *r, frocc_frame *frame, const frocc_params *params, const data *x,
                    frocc_fitter **parts) {
    size_t n_parts = 2 + rng_below(r, MOST_PARTS - 1);

    for (size_t i = 0; i < n_parts; i++)
        parts[i] = fitter_of(frame, params);
    for (size_t i = 0; i < x->n; i++)
        fitter_take(parts[rng_below(r, n_parts)], x, i, 1);
    return n_parts;
}

static frocc_model *merge_fitters(rng *r, frocc_fitter **parts, size_t n_parts) {
    while (n_parts > 1) {
        size_t into = rng_below(r, n_parts - 1);
        check_ok(frocc_fitter_merge(parts[into], parts[n_parts - 1]));
        frocc_fitter_free(parts[--n_parts]);
    }
    return finish(parts[0]);
}

/* A random tree: two or three models at random become one, until one is left. */
static frocc_model *merge_models(rng *r, frocc_model **models, size_t n) {
    while (n > 1) {
        size_t count = n > 2 && rng_chance(r, 2) ? 3 : 2, order[MOST_PARTS];
        frocc_model *shuffled[MOST_PARTS], *merged = NULL;
        rng_shuffle(r, order, n);
        for (size_t i = 0; i < n; i++)
            shuffled[i] = models[order[i]];
        check_ok(frocc_model_merge((const frocc_model *const *)shuffled, count, &merged));
        for (size_t i = 0; i < count; i++)
            frocc_model_free(shuffled[i]);
        models[0] = merged;
        for (size_t i = count; i < n; i++)
            models[i - count + 1] = shuffled[i];
        n -= count - 1;
    }
    return models[0];
}

static void check_merges(rng *r, const frocc_params *params, const data *x,
                         const frocc_model *direct) {
    frocc_frame *frame = frame_of(params, x);
    frocc_fitter *parts[MOST_PARTS] = {NULL};
    frocc_model *models[MOST_PARTS] = {NULL}, *other;
    size_t n_parts = split(r, frame, params, x, parts), n_models = 0;

    for (size_t i = 0; i < n_parts; i++)
        if (frocc_fitter_rows(parts[i]) > 0)
            models[n_models++] = finish(parts[i]);
    other = merge_models(r, models, n_models);
    check_same(direct, other, "models merged");
    frocc_model_free(other);
    other = merge_fitters(r, parts, n_parts);
    check_same(direct, other, "fitters merged");
    frocc_model_free(other);
    frocc_fitter_free(parts[0]);
    frocc_frame_free(frame);
}

/* Rows learnt in the frame of a model, by a fitter that is made from it: all of them, and a second
 * time, which merges. Sealed models have none. */
static void check_like(const data *x, const frocc_model *direct) {
    frocc_rows rows = data_rows(x);
    frocc_fitter *fitter = NULL;
    frocc_model *again = NULL, *twice = NULL, *merged = NULL, *sealed = NULL;

    check_ok(frocc_fitter_like(direct, 1, &fitter));
    check_ok(frocc_fitter_add(fitter, &rows));
    check_ok(frocc_fitter_finish(fitter, &again));
    check_same(direct, again, "fitted like it");
    check_ok(frocc_fitter_add(fitter, &rows));
    check_ok(frocc_fitter_finish(fitter, &twice));
    const frocc_model *both[2] = {direct, again};
    check_ok(frocc_model_merge(both, 2, &merged));
    check_same(twice, merged, "merged with one that was fitted like it");
    frocc_fitter_free(fitter);
    fitter = NULL;
    check_ok(frocc_model_seal(direct, &sealed));
    check_is(frocc_fitter_like(sealed, 1, &fitter), FROCC_ERR_ARGUMENT);
    check(fitter == NULL, "a failure changed the result");
    frocc_model_free(again);
    frocc_model_free(twice);
    frocc_model_free(merged);
    frocc_model_free(sealed);
}

/* A model made of another one is what fitting makes with the parameters that are asked for. */
static void check_as_fitted(const frocc_params *p, const data *x, const frocc_model *made,
                            const char *what) {
    frocc_model *fitted = fit(p, x);
    check_same(fitted, made, what);
    frocc_model_free(fitted);
}

/* Trees look at all directions. */
static void check_shorter(rng *r, const frocc_params *params, const data *x,
                          const frocc_model *direct) {
    frocc_params p = *params;
    frocc_model *made = NULL;

    p.n_directions = 1 + rng_below(r, params->n_directions);
    if (params->n_trees > 0) {
        check_is(frocc_model_truncate(direct, p.n_directions, &made), FROCC_ERR_UNSUPPORTED);
        check(made == NULL, "a failure changed the result");
        return;
    }
    check_ok(frocc_model_truncate(direct, p.n_directions, &made));
    check_as_fitted(&p, x, made, "truncated");
    frocc_model_free(made);
}

/* Any contamination, and back. */
static void check_decontaminated(rng *r, const frocc_params *params, const data *x,
                                 const frocc_model *direct) {
    static const double bad[] = {-0.1, 0.51, NAN, HUGE_VAL};
    frocc_params p = *params;
    frocc_model *made = NULL, *back = NULL;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_is(frocc_model_decontaminate(direct, bad[i], &made), FROCC_ERR_ARGUMENT);
    check(made == NULL, "a failure changed the result");
    p.contamination = rng_chance(r, 4) ? 0 : rng_log_between(r, 0.001, 0.5);
    check_ok(frocc_model_decontaminate(direct, p.contamination, &made));
    check_as_fitted(&p, x, made, "decontaminated");
    check_ok(frocc_model_decontaminate(made, params->contamination, &back));
    check_same(direct, back, "decontaminated, and back");
    frocc_model_free(made);
    frocc_model_free(back);
}

static void check_coarser(rng *r, const frocc_params *params, const data *x,
                          const frocc_model *direct) {
    frocc_params p = *params;
    frocc_model *made = NULL;

    p.epsilon = fmaxf(params->epsilon,
                      (float)rng_between(r, (double)params->epsilon, FROCC_CLOSENESS_MAX_EPSILON));
    check_ok(frocc_model_coarsen(direct, p.epsilon, &made));
    check_as_fitted(&p, x, made, "coarsened");
    frocc_model_free(made);
}

static void check_file(setup *s, const frocc_model *direct) {
    frocc_load_options options = setup_load_options(s);
    char *folder = folder_new(), *path = path_in(folder, "model.frocc");
    frocc_model *loaded = NULL, *again = NULL;
    blob bytes = blob_of(direct);

    check_ok(frocc_model_save(direct, path));
    check_ok(frocc_model_load(path, &options, &loaded));
    check_same(direct, loaded, "saved and loaded");
    check(describe(loaded).calibration_rows == describe(direct).calibration_rows,
          "loading lost calibration rows");
    check_ok(frocc_model_from_bytes(bytes.bytes, bytes.size, &options, &again));
    check_same(direct, again, "to bytes and back");
    blob_free(&bytes);
    frocc_model_free(loaded);
    frocc_model_free(again);
    free(path);
    folder_free(folder);
}

static void check_sparse(rng *r, const frocc_params *params, const data *x,
                         const frocc_model *direct) {
    csr sparse = csr_new(r, x);
    frocc_rows rows =
        frocc_rows_csr(FROCC_F64, sparse.f64, sparse.row_start, sparse.columns, x->n, x->d);
    frocc_model *other = NULL;

    check_ok(frocc_fit(params, &rows, &other));
    check_same(direct, other, "sparse rows");
    frocc_model_free(other);
    csr_free(&sparse);
}

static void check_bytes(rng *r, setup *s, const data *x) {
    frocc_model *direct = fit(&s->params, x);

    check(describe(direct).n_rows == x->n, "rows were lost");
    check_order_and_threads(r, &s->params, x, direct);
    check_batches(r, &s->params, x, direct);
    check_merges(r, &s->params, x, direct);
    check_like(x, direct);
    check_shorter(r, &s->params, x, direct);
    check_coarser(r, &s->params, x, direct);
    check_decontaminated(r, &s->params, x, direct);
    check_file(s, direct);
    check_sparse(r, &s->params, x, direct);
    frocc_model_free(direct);
}

static void law_same_bytes(rng *r, setup *s, const data *x) {
    calibrated(r, s);
    check_bytes(r, s, x);
}

static void same_bytes_however_made(void) {
    law_everywhere(law_same_bytes, 1200000, law_small());
}

static void same_bytes_of_sparse_rows(void) {
    law_everywhere(law_same_bytes, 1210000, law_sparse());
}

/* As few rows as there can be, copies of few rows, and the default parameters. */
static void same_bytes_of_few_rows(void) {
    static const size_t sizes[] = {1, 2, 3, 4, 9, 40};

    for (uint64_t i = 0; i < (uint64_t)check_cases(60, 12); i++) {
        rng r = rng_seed(1220000 + i);
        shape what = i % 3 == 0 ? SHAPE_DUPLICATES : i % 3 == 1 ? SHAPE_BLOB : SHAPE_TIES;
        data x = data_new(&r, sizes[i % 6], 1 + rng_below(&r, 6), what, true);
        setup s = {.params = label_free(10, i % 4 == 0 ? 2 : 1024)};
        s.params.seed = i;
        check_bytes(&r, &s, &x);
        data_free(&x);
    }
}

static void same_bytes_of_many_rows(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(6, 2); i++) {
        rng r = rng_seed(1230000 + i);
        size_t n = check_quick() ? 1500 : 5000;
        data x = data_new(&r, n, 5, i % 2 ? SHAPE_DUPLICATES : SHAPE_BLOB, true);
        setup s = {.params = label_free(16, 8)};
        frocc_model *model = fit(&s.params, &x);
        if (i % 2 == 0) /* all rows are different */
            check(describe(model).calibration_rows == 8, "%llu rows are held, not 8",
                  (unsigned long long)describe(model).calibration_rows);
        frocc_model_free(model);
        check_bytes(&r, &s, &x);
        data_free(&x);
    }
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void merging_other_calibrations(void) {
    rng r = rng_seed(1293000);
    data x = data_new(&r, 60, 3, SHAPE_BLOB, true);
    frocc_params p[3] = {label_free(10, 20), label_free(10, 21), label_free(10, 0)};
    frocc_model *models[3];
    frocc_fitter *fitters[3];
    frocc_frame *frame;

    p[2].fpr = 0;
    for (int i = 0; i < 3; i++) { /* nothing is learnt, so that the frame is the same for all */
        p[i].scaling = FROCC_SCALING_NONE;
        p[i].family = FROCC_FAMILY_GAUSSIAN;
        p[i].n_trees = 0;
    }
    frame = frame_of(&p[0], &x);
    for (int i = 0; i < 3; i++) {
        models[i] = fit(&p[i], &x);
        fitters[i] = fitter_of(frame, &p[i]);
        fitter_take(fitters[i], &x, 0, x.n);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const frocc_model *both[] = {models[i], models[k]};
            frocc_model *merged = NULL, *after;
            if (i == k)
                continue;
            check_is(frocc_model_merge(both, 2, &merged), FROCC_ERR_FRAME);
            check(merged == NULL, "a failure changed the result");
            check_is(frocc_fitter_merge(fitters[i], fitters[k]), FROCC_ERR_FRAME);
            check(frocc_fitter_rows(fitters[i]) == x.n, "a refused merge took rows");
            after = finish(fitters[i]);
            check_same(models[i], after, "after a refused merge");
            frocc_model_free(after);
        }
    for (int i = 0; i < 3; i++) {
        frocc_model_free(models[i]);
        frocc_fitter_free(fitters[i]);
    }
    frocc_frame_free(frame);
    data_free(&x);
}

/* Rows that cannot be used, among rows to be held: the fitter keeps what it counts. */
static void bad_rows_between_held_ones(void) {
    for (uint64_t i = 0; i < 20; i++) {
        rng r = rng_seed(1294000 + i);
        data x = data_new(&r, 120, 4, SHAPE_BLOB, true);
        frocc_params p = label_free(12, 10 + i);
        frocc_frame *frame = frame_of(&p, &x);
        frocc_fitter *fitter = fitter_of(frame, &p);
        size_t at = rng_below(&r, x.n), held;
        double good = x.f64[at * x.d + 1];
        frocc_rows rows = data_rows(&x);

        x.f64[at * x.d + 1] = NAN;
        check_is(frocc_fitter_add(fitter, &rows), FROCC_ERR_DATA);
        x.f64[at * x.d + 1] = good;
        held = (size_t)frocc_fitter_rows(fitter);
        check(held <= at, "the row that cannot be used was counted");
        fitter_take(fitter, &x, held, x.n - held);
        frocc_model *after = finish(fitter), *direct = fit(&p, &x);
        check_same(direct, after, "a fitter that went on after a bad row");
        frocc_model_free(after);
        frocc_model_free(direct);
        frocc_fitter_free(fitter);
        frocc_frame_free(frame);
        data_free(&x);
    }
}

int main(void) {
    RUN(same_bytes_however_made);
    RUN(same_bytes_of_sparse_rows);
    RUN(same_bytes_of_few_rows);
    RUN(same_bytes_of_many_rows);
    RUN(merging_other_calibrations);
    RUN(bad_rows_between_held_ones);
    return check_end();
}
