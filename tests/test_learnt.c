/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether rows are those that were learnt, told by one scorer or by several that share the rows.
 */
#include "calibrated.h"

static double met_by_one(const frocc_model *model, const data *x) {
    frocc_rows rows = data_rows(x);
    frocc_scorer *scorer = NULL;
    double learnt = NAN;

    check_ok(frocc_scorer_new(model, 1, &scorer));
    check_ok(frocc_scorer_meet(scorer, &rows, &learnt));
    frocc_scorer_free(scorer);
    return learnt;
}

/* What a scorer of these rows tells, in memory that is freed by whoever asked. */
static uint64_t *met_in(const frocc_model *model, const data *x, size_t first, size_t n,
                        size_t *count) {
    frocc_rows part = data_part(x, first, n);
    frocc_scorer *scorer = NULL;
    double learnt = NAN;

    check_ok(frocc_scorer_new(model, 1, &scorer));
    check_ok(frocc_scorer_meet(scorer, &part, &learnt));
    check_ok(frocc_scorer_copy_met(scorer, NULL, 0, count));
    uint64_t *met = NEW(uint64_t, *count);
    check_ok(frocc_scorer_copy_met(scorer, met, *count, count));
    frocc_scorer_free(scorer);
    return met;
}

/* The last one has no rows of its own. */
static double met_by_three(const frocc_model *model, const data *x, size_t cut) {
    frocc_scorer *scorer = NULL;
    double learnt = 0;

    check_ok(frocc_scorer_new(model, 1, &scorer));
    for (int part = 0; part < 2; part++) {
        size_t count = 0;
        uint64_t *met =
            part ? met_in(model, x, cut, x->n - cut, &count) : met_in(model, x, 0, cut, &count);
        check_ok(frocc_scorer_add_met(scorer, met, count, &learnt));
        free(met);
    }
    frocc_scorer_free(scorer);
    return learnt;
}

/* Rows of which some came twice, which no part has met as often as they were learnt. */
static void parts_tell_what_one_tells(void) {
    rng r = rng_seed(1350000);
    data x = data_new(&r, 400, 3, SHAPE_BLOB, true), fresh = data_new(&r, 400, 3, SHAPE_BLOB, true);
    frocc_params p = label_free(8, 64);

    for (size_t k = 0; k < 100; k++)
        memcpy(x.f64 + (399 - k) * x.d, x.f64 + k * x.d, x.d * sizeof(double));
    frocc_model *model = fit(&p, &x);
    check(met_by_one(model, &x) == 1, "rows that were learnt are met by %g", met_by_one(model, &x));
    for (size_t cut = 1; cut < x.n; cut += 57)
        check(met_by_three(model, &x, cut) == 1, "parts cut at %zu: %g", cut,
              met_by_three(model, &x, cut));
    check(met_by_three(model, &fresh, 200) == 0, "new rows are met");
    fresh.n = x.n = 200; /* and half of the rows, of which a quarter was learnt twice */
    double half = met_by_one(model, &x);
    check(half > 0 && half < 0.75 && half == met_by_three(model, &x, 60), "half of them: %g", half);
    frocc_model_free(model);
    data_free(&fresh);
    data_free(&x);
}

static void another_model_is_refused(void) {
    rng r = rng_seed(1351000);
    data x = data_new(&r, 100, 3, SHAPE_BLOB, true);
    frocc_params p = label_free(8, 40);
    frocc_model *model = fit(&p, &x), *sealed = NULL;
    frocc_scorer *scorer = NULL;
    size_t count = 0;
    double learnt = 7;
    uint64_t *met = met_in(model, &x, 0, x.n, &count);

    check_ok(frocc_model_seal(model, &sealed));
    check(met_by_one(sealed, &x) == 0 && met_by_three(sealed, &x, 50) == 0,
          "a sealed model knows rows");
    check_ok(frocc_scorer_new(model, 1, &scorer));
    check_is(frocc_scorer_add_met(scorer, met, count - 1, &learnt), FROCC_ERR_SHAPE);
    check_is(frocc_scorer_add_met(scorer, met, 0, &learnt), FROCC_ERR_SHAPE);
    check(learnt == 7, "a failure changed the result to %g", learnt);
    frocc_scorer_free(scorer);
    free(met);
    frocc_model_free(sealed);
    frocc_model_free(model);
    data_free(&x);
}

int main(void) {
    RUN(parts_tell_what_one_tells);
    RUN(another_model_is_refused);
    return check_end();
}
