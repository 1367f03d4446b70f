/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of codes and numbers: the laws by bytes, a row left out as if it had not been counted, more
 * codes than a tally tells apart, and what was counted damaged.
 */
#include "calibrated.h"
#include "codes.h"
#include "sketch/codes.h"
#include "use_all.h"

static frocc_params coded_params(const frocc_schema *schema) {
    frocc_params p;
    frocc_params_init(&p);
    p.n_directions = 48;
    p.n_trees = 3;
    p.threads = 1;
    p.schema = schema;
    return p;
}

/* A frame of the rows, whatever order they come in. */
static frocc_frame *coded_frame(const frocc_params *p, const data *x) {
    frocc_sample *sample = NULL;
    frocc_frame *frame = NULL;
    const frocc_rows rows = data_rows(x);
    check_ok(frocc_sample_new(p, x->d, &sample));
    check_ok(frocc_sample_add(sample, &rows));
    check_ok(frocc_frame_new(p, x->d, sample, &frame));
    frocc_sample_free(sample);
    return frame;
}

/* ---- Laws ------------------------------------------------------------------------------------ */

static void other_orders(rng *r, const frocc_params *p, const data *x, const frocc_model *whole) {
    size_t *order = NEW(size_t, x->n);
    for (int i = 0; i < 3; i++) {
        rng_shuffle(r, order, x->n);
        data y = data_reordered(x, order);
        frocc_model *model = fit(p, &y);
        check_same(whole, model, "rows in another order");
        frocc_model_free(model);
        data_free(&y);
    }
    free(order);
}

static void other_threads(const frocc_params *p, const data *x, const frocc_model *whole) {
    frocc_params q = *p;
    for (q.threads = 2; q.threads <= 4; q.threads++) {
        frocc_model *model = fit(&q, x);
        check_same(whole, model, "another number of threads");
        frocc_model_free(model);
    }
}

/* Fitters of parts merge in random order, and so do models of them. */
static void parts_merge(rng *r, const frocc_params *p, const data *x, const frocc_model *whole) {
    enum { PARTS = 5 };
    frocc_frame *frame = coded_frame(p, x);
    frocc_fitter *fitters[PARTS];
    frocc_model *models[PARTS], *merged = NULL;
    size_t at = 0;
    for (size_t i = 0; i < PARTS; i++) {
        const size_t end = i + 1 == PARTS ? x->n : at + 1 + rng_below(r, x->n / PARTS);
        fitters[i] = fitter_of(frame, p);
        fitter_take(fitters[i], x, at, end - at);
        models[i] = finish(fitters[i]);
        at = end;
    }
    const frocc_model *listed[PARTS] = {models[3], models[0], models[4], models[2], models[1]};
    check_ok(frocc_model_merge(listed, PARTS, &merged));
    check_same(whole, merged, "models of parts");
    frocc_model_free(merged);
    for (size_t left = PARTS; left > 1; left--) {
        const size_t into = rng_below(r, left - 1);
        check_ok(frocc_fitter_merge(fitters[into], fitters[left - 1]));
        frocc_fitter_free(fitters[left - 1]);
    }
    merged = finish(fitters[0]);
    check_same(whole, merged, "fitters of parts");
    frocc_model_free(merged);
    frocc_fitter_free(fitters[0]);
    for (size_t i = 0; i < PARTS; i++)
        frocc_model_free(models[i]);
    frocc_frame_free(frame);
}

static void saves_and_loads(const frocc_model *whole, const data *x) {
    blob bytes = blob_of(whole);
    frocc_model *loaded = NULL;
    const frocc_model *twice[] = {whole, whole}, *mixed[] = {NULL, whole};
    frocc_model *a = NULL, *b = NULL;
    check_ok(frocc_model_from_bytes(bytes.bytes, bytes.size, NULL, &loaded));
    check_same(whole, loaded, "saved and loaded");
    mixed[0] = loaded;
    check_ok(frocc_model_merge(twice, 2, &a));
    check_ok(frocc_model_merge(mixed, 2, &b));
    check_same(a, b, "merged with a loaded model");
    double *scores = scores_of(whole, x), *again = scores_of(loaded, x);
    check(memcmp(scores, again, x->n * sizeof *scores) == 0, "a loaded model scores otherwise");
    free(scores);
    free(again);
    frocc_model_free(a);
    frocc_model_free(b);
    frocc_model_free(loaded);
    blob_free(&bytes);
}

static void laws_by_bytes(void) {
    const size_t sizes[] = {20, 300, 2500};
    for (size_t i = 0; i < (check_quick() ? 2 : 3); i++) {
        rng r = rng_seed(1410000 + i);
        frocc_schema *schema = schema_of(CODED);
        data x = coded_rows(&r, sizes[i]);
        frocc_params p = coded_params(schema);
        p.contamination = i == 1 ? 0.1 : 0;
        frocc_model *whole = fit(&p, &x);
        other_orders(&r, &p, &x, whole);
        other_threads(&p, &x, whole);
        parts_merge(&r, &p, &x, whole);
        saves_and_loads(whole, &x);
        frocc_model_free(whole);
        data_free(&x);
        frocc_schema_free(schema);
    }
}

/* ---- Left out -------------------------------------------------------------------------------- */

/* Codes are counted, so that a row that is left out is as if it had never been counted. Without
 * numbers, it scores as in a model of all others in the same frame; to the last bit. */
static void left_out_is_not_there(void) {
    rng r = rng_seed(1420000);
    frocc_schema *schema = schema_of("ttt");
    data x = coded_rows(&r, 120), codes = {120, 3, NEW(double, 360), NEW(float, 360)};
    for (size_t i = 0; i < x.n; i++)
        for (size_t j = 0; j < 3; j++) {
            static const size_t from[] = {1, 3, 4};
            codes.f64[i * 3 + j] = x.f64[i * x.d + from[j]];
            codes.f32[i * 3 + j] = x.f32[i * x.d + from[j]];
        }
    frocc_params p = coded_params(schema);
    p.family = FROCC_FAMILY_MIXED;
    frocc_frame *frame = coded_frame(&p, &codes);
    frocc_fitter *all = fitter_of(frame, &p);
    fitter_take(all, &codes, 0, codes.n);
    frocc_model *model = finish(all);
    frocc_scorer *scorer = NULL;
    const frocc_rows rows = data_rows(&codes);
    double scores[120];
    size_t differing = 0;
    check_ok(frocc_scorer_new(model, 1, &scorer));
    check_ok(frocc_scorer_score_left_out(scorer, &rows, scores));
    for (size_t i = 0; i < codes.n; i++) {
        frocc_fitter *others = fitter_of(frame, &p);
        if (i > 0)
            fitter_take(others, &codes, 0, i);
        if (i + 1 < codes.n)
            fitter_take(others, &codes, i + 1, codes.n - i - 1);
        frocc_model *without = finish(others);
        double *alone = scores_of(without, &codes);
        differing += alone[i] != scores[i];
        free(alone);
        frocc_model_free(without);
        frocc_fitter_free(others);
    }
    check(differing == 0, "%zu of %zu rows left out score otherwise", differing, codes.n);
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    frocc_fitter_free(all);
    frocc_frame_free(frame);
    data_free(&x);
    data_free(&codes);
    frocc_schema_free(schema);
}

int main(void) {
    RUN(laws_by_bytes);
    RUN(left_out_is_not_there);
    return check_end();
}
