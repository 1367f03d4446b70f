/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The laws of DESIGN that speak of parts: any split merged in any tree, samples of parts, row
 * sources, folds, a window over a stream. All by comparing bytes with one pass over the rows.
 */
#include "laws.h"

/* Cuts 0 .. n into parts, some of them empty: start[0] = 0 <= ... <= start[parts] = n. */
static size_t *random_cuts(rng *r, size_t n, size_t parts) {
    size_t *start = NEW(size_t, parts + 1);

    for (size_t i = 1; i < parts; i++) {
        size_t cut = rng_below(r, n + 1), at = i;
        for (; at > 1 && start[at - 1] > cut; at--)
            start[at] = start[at - 1];
        start[at] = cut;
    }
    start[parts] = n;
    return start;
}

static void law_fitter_trees(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    frocc_model *whole = fit(&s->params, x), *merged;
    frocc_frame *frame = frame_of(&s->params, x);
    size_t parts = 1 + rng_below(r, 9);
    size_t *start = random_cuts(r, x->n, parts);
    frocc_fitter **fitters = NEW(frocc_fitter *, parts);

    for (size_t i = 0; i < parts; i++) {
        s->params.threads = 1 + (int)rng_below(r, 3);
        fitters[i] = fitter_of(frame, &s->params);
        if (start[i + 1] > start[i])
            fitter_take(fitters[i], x, start[i], start[i + 1] - start[i]);
    }
    while (parts > 1) { /* any two become one, until one is left: a tree of random shape */
        size_t a = rng_below(r, parts), b = rng_below(r, parts - 1);
        b += b >= a;
        check_ok(frocc_fitter_merge(fitters[a], fitters[b]));
        frocc_fitter_free(fitters[b]);
        fitters[b] = fitters[--parts];
    }
    check(frocc_fitter_rows(fitters[0]) == x->n, "rows were lost in a merge");
    merged = finish(fitters[0]);
    check_same(whole, merged, "parts merged by a random tree of fitters");
    frocc_fitter_free(fitters[0]);
    frocc_model_free(merged);
    frocc_model_free(whole);
    frocc_frame_free(frame);
    free(fitters);
    free(start);
}

/* Rows that come all at once are taken in another order than those that come a few at a time. */
static void law_few_at_a_time(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    frocc_frame *frame = frame_of(&s->params, x);
    s->params.threads = 1 + (int)rng_below(r, 3);
    frocc_fitter *slow = fitter_of(frame, &s->params), *fast = fitter_of(frame, &s->params);
    frocc_rows rows;

    for (size_t first = 0, count; first < x->n; first += count) {
        count = 1 + rng_below(r, 100);
        count = count < x->n - first ? count : x->n - first;
        fitter_take(slow, x, first, count);
    }
    rows = rng_chance(r, 2) ? frocc_rows_f32(x->f32, x->n, x->d) : data_rows(x);
    check_ok(frocc_fitter_add(fast, &rows));
    check_same_fitters(slow, fast, "all rows at once and a few at a time");
    frocc_fitter_free(slow);
    frocc_fitter_free(fast);
    frocc_frame_free(frame);
}

static frocc_model *merge_some(rng *r, frocc_model **models, size_t *count) {
    size_t k = 1 + rng_below(r, *count < 4 ? *count : 4);
    frocc_model *merged = NULL;

    for (size_t i = 0; i < k; i++) { /* a random k of them to the end */
        size_t j = rng_below(r, *count - i), end = *count - 1 - i;
        frocc_model *t = models[j];
        models[j] = models[end];
        models[end] = t;
    }
    *count -= k;
    check_ok(frocc_model_merge((const frocc_model *const *)models + *count, k, &merged));
    for (size_t i = 0; i < k; i++)
        frocc_model_free(models[*count + i]);
    return merged;
}

static void law_model_trees(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    frocc_model *whole = fit(&s->params, x);
    frocc_frame *frame = frame_of(&s->params, x);
    size_t parts = 1 + rng_below(r, 9), count = 0;
    size_t *start = random_cuts(r, x->n, parts);
    frocc_model **models = NEW(frocc_model *, parts);

    for (size_t i = 0; i < parts; i++) {
        frocc_fitter *fitter;
        if (start[i + 1] == start[i])
            continue;
        fitter = fitter_of(frame, &s->params);
        fitter_take(fitter, x, start[i], start[i + 1] - start[i]);
        models[count++] = finish(fitter);
        frocc_fitter_free(fitter);
    }
    do {
        frocc_model *merged = merge_some(r, models, &count);
        models[count++] = merged;
    } while (count > 1);
    check_same(whole, models[0], "parts merged by a random tree of models");
    frocc_model_free(models[0]);
    frocc_model_free(whole);
    frocc_frame_free(frame);
    free(models);
    free(start);
}

/* finish leaves the fitter as it was: the models of all prefixes come from one fitter. */
static void law_fitter_goes_on(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    frocc_frame *frame = frame_of(&s->params, x);
    frocc_fitter *fitter = fitter_of(frame, &s->params);
    size_t first = 0;

    while (first < x->n) {
        size_t count = 1 + rng_below(r, x->n - first);
        frocc_fitter *fresh = fitter_of(frame, &s->params);
        fitter_take(fitter, x, first, count);
        first += count;
        fitter_take(fresh, x, 0, first);
        check_same_fitters(fresh, fitter, "a fitter that goes on after finish");
        frocc_fitter_free(fresh);
    }
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
}

/* ---- Row sources ----------------------------------------------------------------------------- */

typedef struct blocks {
    const data *x;
    size_t at;
    rng r, start;
    int rewinds;
} blocks;

static frocc_status blocks_next(void *context, frocc_rows *block) {
    blocks *b = context;
    size_t left = b->x->n - b->at;
    size_t count = left ? 1 + rng_below(&b->r, left < 100 ? left : 100) : 0;

    *block = rng_chance(&b->r, 2) ? frocc_rows_f32(b->x->f32 + b->at * b->x->d, count, b->x->d)
                                  : frocc_rows_f64(b->x->f64 + b->at * b->x->d, count, b->x->d);
    b->at += count;
    return FROCC_OK;
}

static frocc_status blocks_rewind(void *context) {
    blocks *b = context;

    b->at = 0;
    b->rewinds++;
    return FROCC_OK;
}

static void law_row_source(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    bool learnt = is_learnt(&s->params);
    blocks b = {x, 0, *r, *r, 0};
    frocc_source source = {blocks_next, learnt ? blocks_rewind : NULL, &b};
    frocc_model *whole = fit(&s->params, x), *streamed = NULL;

    s->params.threads = 1 + (int)rng_below(r, 3);
    check_ok(frocc_fit_source(&s->params, &source, &streamed));
    check_same(whole, streamed, "rows from a source");
    check(b.rewinds <= 2, "the source was read %d times", b.rewinds);
    frocc_model_free(whole);
    frocc_model_free(streamed);
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Bottom-k samples of parts, merged in any order, teach the same scaling. */
static void law_samples_merge(rng *r, setup *s, const data *x) {
    size_t parts = 1 + rng_below(r, 6), sampled = 0, expected = 0;
    size_t *start = random_cuts(r, x->n, parts), *order = NEW(size_t, parts);
    frocc_sample *merged = NULL, *whole = NULL;
    frocc_frame *a = NULL, *b = NULL;
    frocc_rows all = data_rows(x);

    check_ok(frocc_sample_new(&s->params, x->d, &merged));
    check_ok(frocc_sample_new(&s->params, x->d, &whole));
    check_ok(frocc_sample_add(whole, &all));
    rng_shuffle(r, order, parts);
    for (size_t i = 0; i < parts; i++) {
        size_t first = start[order[i]], count = start[order[i] + 1] - first;
        frocc_rows rows = data_part(x, first, count);
        frocc_sample *part = NULL;
        check_ok(frocc_sample_new(&s->params, x->d, &part));
        if (count > 0)
            check_ok(frocc_sample_add(part, &rows));
        check_ok(frocc_sample_merge(merged, part));
        frocc_sample_free(part);
    }
    check_ok(frocc_sample_size(merged, &sampled));
    check_ok(frocc_sample_size(whole, &expected));
    check(sampled == expected, "%zu rows in a merged sample, %zu in one pass", sampled, expected);
    check(s->params.sample_rows == 0 || sampled <= s->params.sample_rows, "the sample is too big");
    check_ok(frocc_frame_new(&s->params, x->d, merged, &a));
    check_ok(frocc_frame_new(&s->params, x->d, whole, &b));
    check(frocc_frame_checksum(a) == frocc_frame_checksum(b), "the frames differ");
    frocc_frame_free(a);
    frocc_frame_free(b);
    frocc_sample_free(merged);
    frocc_sample_free(whole);
    free(start);
    free(order);
}

/* ---- Folds and windows ----------------------------------------------------------------------- */

/* The model without a fold is the merge of the other folds. */
static void law_folds(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    enum { FOLDS = 4 };
    frocc_frame *frame = frame_of(&s->params, x);
    frocc_model *folds[FOLDS], *others[FOLDS];
    size_t size = x->n / FOLDS;

    if (size == 0) {
        frocc_frame_free(frame);
        return;
    }
    for (int i = 0; i < FOLDS; i++) {
        frocc_fitter *fitter = fitter_of(frame, &s->params);
        fitter_take(fitter, x, (size_t)i * size, size);
        folds[i] = finish(fitter);
        frocc_fitter_free(fitter);
    }
    for (int out = 0; out < FOLDS; out++) {
        frocc_fitter *fitter = fitter_of(frame, &s->params);
        frocc_model *direct, *merged = NULL;
        for (int i = 0, k = 0; i < FOLDS; i++)
            if (i != out) {
                fitter_take(fitter, x, (size_t)i * size, size);
                others[k++] = folds[i];
            }
        direct = finish(fitter);
        check_ok(frocc_model_merge((const frocc_model *const *)others, FOLDS - 1, &merged));
        check_same(direct, merged, "all folds but one");
        frocc_model_free(direct);
        frocc_model_free(merged);
        frocc_fitter_free(fitter);
    }
    for (int i = 0; i < FOLDS; i++)
        frocc_model_free(folds[i]);
    frocc_frame_free(frame);
}

/* A window over a stream: a ring of fitters, the oldest replaced, merged on demand. */
static void law_window(rng *r, setup *s, const data *x) {
    setup_either(r, s);
    enum { RING = 5 };
    frocc_frame *frame = frame_of(&s->params, x);
    frocc_fitter *ring[RING] = {NULL};
    size_t step = 1 + x->n / 12;

    for (size_t k = 0; (k + 1) * step <= x->n; k++) {
        size_t oldest = k + 1 < RING ? 0 : k + 1 - RING;
        frocc_fitter *window = fitter_of(frame, &s->params), *direct;
        frocc_fitter_free(ring[k % RING]);
        ring[k % RING] = fitter_of(frame, &s->params);
        fitter_take(ring[k % RING], x, k * step, step);
        for (int i = 0; i < RING; i++)
            if (ring[i])
                check_ok(frocc_fitter_merge(window, ring[i]));
        direct = fitter_of(frame, &s->params);
        fitter_take(direct, x, oldest * step, (k + 1 - oldest) * step);
        check_same_fitters(direct, window, "a window as a ring of sketches");
        frocc_fitter_free(window);
        frocc_fitter_free(direct);
    }
    for (int i = 0; i < RING; i++)
        frocc_fitter_free(ring[i]);
    frocc_frame_free(frame);
}

int main(void) {
    RUN_LAW(merge_trees_of_fitters, law_fitter_trees, law_usual(), 200000);
    RUN_LAW(few_rows_at_a_time, law_few_at_a_time, law_many(), 270000);
    RUN_LAW(few_long_rows_at_a_time, law_few_at_a_time, law_many_long(), 280000);
    RUN_LAW(merge_trees_of_models, law_model_trees, law_usual(), 210000);
    RUN_LAW(a_fitter_goes_on_after_finish, law_fitter_goes_on, law_usual(), 220000);
    RUN_LAW(row_sources, law_row_source, law_usual(), 230000);
    RUN_LAW(samples_merge, law_samples_merge, law_usual(), 240000);
    RUN_LAW(leave_one_fold_out, law_folds, law_usual(), 250000);
    RUN_LAW(sliding_window, law_window, law_small(), 260000);
    return check_end();
}
