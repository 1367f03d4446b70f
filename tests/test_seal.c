/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sealed models: whatever a model says of a row it says sealed, to the bit, before and after a
 * file; and what needs more than that is refused.
 */
#include "calibrated.h"

#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

static frocc_model *seal(const frocc_model *model) {
    frocc_model *sealed = NULL;

    check_ok(frocc_model_seal(model, &sealed));
    return sealed;
}

/* All that a model can be asked about rows, as bytes. */
typedef struct answers {
    double *scores, *p_values, limit;
    float *distances;
    uint8_t *normal, *far;
    frocc_status calibrated;
} answers;

static answers answers_of(const frocc_model *model, const data *q) {
    size_t n = q->n, m = describe(model).n_directions;
    answers a = {scores_of(model, q), NEW(double, n),  0,       NEW(float, n *m),
                 NEW(uint8_t, n),     NEW(uint8_t, n), FROCC_OK};
    frocc_rows rows = data_rows(q);
    frocc_scorer *scorer = NULL;

    check_ok(frocc_scorer_new(model, 2, &scorer));
    check_ok(frocc_scorer_decide(scorer, &rows, FROCC_OWN_THRESHOLD, a.normal));
    check_ok(frocc_scorer_decide(scorer, &rows, a.scores[0], a.far));
    check_ok(frocc_scorer_distances(scorer, &rows, a.distances));
    a.calibrated = frocc_model_p_values(model, a.scores, n, a.p_values);
    check(frocc_model_threshold(model, 0.1, &a.limit) == a.calibrated, "p-values and thresholds");
    frocc_scorer_free(scorer);
    return a;
}

static void answers_free(answers *a) {
    free(a->scores);
    free(a->p_values);
    free(a->distances);
    free(a->normal);
    free(a->far);
}

static void same_answers(const frocc_model *model, const frocc_model *sealed, const data *q) {
    answers a = answers_of(model, q), b = answers_of(sealed, q);
    size_t n = q->n, m = describe(model).n_directions;

    check(memcmp(a.scores, b.scores, n * sizeof *a.scores) == 0, "other scores");
    check(a.calibrated == b.calibrated, "%s and %s", frocc_status_name(a.calibrated),
          frocc_status_name(b.calibrated));
    check(memcmp(a.p_values, b.p_values, n * sizeof *a.p_values) == 0, "other p-values");
    check(a.limit == b.limit, "another threshold");
    check(memcmp(a.normal, b.normal, n) == 0 && memcmp(a.far, b.far, n) == 0, "other decisions");
    check(memcmp(a.distances, b.distances, n * m * sizeof *a.distances) == 0, "other distances");
    answers_free(&a);
    answers_free(&b);
}

static void same_description(const frocc_model *model, const frocc_model *sealed) {
    frocc_model_info a = describe(model), b = describe(sealed);

    check(b.is_sealed == (a.score == FROCC_SCORE_CLOSENESS), "is_sealed is %d", b.is_sealed);
    check(a.is_sealed == 0, "a model that was fitted is sealed");
    check(a.n_features == b.n_features && a.n_directions == b.n_directions && a.seed == b.seed &&
              a.epsilon == b.epsilon && a.contamination == b.contamination &&
              a.n_trees == b.n_trees && a.score == b.score && a.threshold == b.threshold &&
              a.fpr == b.fpr && a.calibration_rows == b.calibration_rows && a.n_rows == b.n_rows &&
              frocc_model_count_intervals(model) == frocc_model_count_intervals(sealed) &&
              a.frame_checksum == b.frame_checksum,
          "a sealed model describes itself otherwise");
}

static void law_sealed(rng *r, setup *s, const data *x) {
    frocc_load_options options = setup_load_options(s);
    data q = rows_between(r, x, 30);

    if (rng_chance(r, 4))
        setup_either(r, s);
    else
        calibrated(r, s);
    frocc_model *model = fit(&s->params, x), *sealed = seal(model), *loaded = NULL;
    blob whole = blob_of(model), b = blob_of(sealed);
    if (describe(model).score == FROCC_SCORE_CLOSENESS)
        check(b.size + (describe(model).calibration_rows > 0) <= whole.size,
              "sealed, %zu bytes have become %zu", whole.size, b.size);
    else
        check_same(model, sealed, "agreement is copied");
    same_description(model, sealed);
    same_answers(model, sealed, &q);
    frocc_model *twice = seal(sealed);
    check_same(sealed, twice, "sealed twice");
    check_ok(frocc_model_from_bytes(b.bytes, b.size, &options, &loaded));
    check_same(sealed, loaded, "a sealed model, to bytes and back");
    same_description(model, loaded);
    same_answers(model, loaded, &q);
    blob_free(&whole);
    blob_free(&b);
    frocc_model_free(model);
    frocc_model_free(sealed);
    frocc_model_free(twice);
    frocc_model_free(loaded);
    data_free(&q);
}

static void sealed_models_say_the_same(void) {
    law_everywhere(law_sealed, 1500000, law_small());
}

/* Explanations are made of scores. */
static void sealed_models_explain(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(20, 5); i++) {
        rng r = rng_seed(1510000 + i);
        data x = data_new(&r, 80, 5, SHAPE_CLUSTERS, true), q = rows_between(&r, &x, 1);
        frocc_params p = label_free(40, 1024);
        frocc_model *model = fit(&p, &x), *sealed = seal(model);
        double a[2][5], b[2][5];
        frocc_rows one = data_rows(&q);

        check_ok(frocc_model_explain(model, &one, a[0], a[1]));
        check_ok(frocc_model_explain(sealed, &one, b[0], b[1]));
        check(memcmp(a, b, sizeof a) == 0, "a sealed model explains otherwise");
        frocc_model_free(model);
        frocc_model_free(sealed);
        data_free(&q);
        data_free(&x);
    }
}

static void what_sealed_models_cannot_do(void) {
    rng r = rng_seed(1520000);
    data x = data_new(&r, 80, 5, SHAPE_CLUSTERS, true);
    frocc_params p = label_free(40, 20);
    frocc_model *model = fit(&p, &x), *sealed = seal(model), *out = UNTOUCHED;
    const frocc_model *both[] = {sealed, sealed}, *first[] = {sealed, model};
    const frocc_model *second[] = {model, sealed};

    check_is(frocc_model_merge(both, 2, &out), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_model_merge(first, 2, &out), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_model_merge(second, 2, &out), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_model_coarsen(sealed, 0.1f, &out), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_model_truncate(sealed, 10, &out), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_model_decontaminate(sealed, 0.1, &out), FROCC_ERR_UNSUPPORTED);
    check(out == UNTOUCHED, "a failure changed the result");
    frocc_model_free(model);
    frocc_model_free(sealed);
    data_free(&x);
}

int main(void) {
    RUN(sealed_models_say_the_same);
    RUN(sealed_models_explain);
    RUN(what_sealed_models_cannot_do);
    return check_end();
}
