/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * p-values and thresholds against their definition, from a table of calibration scores that is read
 * off the thresholds; that table against models fitted without the rows; and what is refused.
 */
#include "calibrated.h"

/* ---- p-values and thresholds ----------------------------------------------------------------- */

/*
 * The calibration scores, rising, as the thresholds give them away: at a false-alarm rate between
 * k / (h + 1) and (k + 1) / (h + 1) at most k - 1 scores may be as low, so the threshold is the
 * k-th of the h scores.
 */
static double *table_of(const frocc_model *model, size_t *h) {
    *h = (size_t)describe(model).calibration_rows;
    double *table = NEW(double, *h);

    for (size_t k = 0; k < *h; k++)
        check_ok(frocc_model_threshold(model, ((double)k + 1.5) / ((double)*h + 1), &table[k]));
    for (size_t k = 1; k < *h; k++)
        check(table[k - 1] <= table[k], "thresholds fall with the rate");
    return table;
}

static double naive_p_value(const double *table, size_t h, double score) {
    size_t at_most = 0;

    for (size_t k = 0; k < h; k++)
        at_most += table[k] <= score;
    return (1 + (double)at_most) / (1 + (double)h);
}

static void check_rates(const frocc_model *model, const double *scores, const double *p, size_t n) {
    static const double rates[] = {0, 1e-9, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.999};

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double threshold = NAN;
        check_ok(frocc_model_threshold(model, rates[i], &threshold));
        for (size_t k = 0; k < n; k++)
            check((p[k] <= rates[i]) == (scores[k] < threshold),
                  "at %g, p %.17g, but score %.17g and threshold %.17g", rates[i], p[k], scores[k],
                  threshold);
    }
    /* A rate that is a p-value itself: the comparison is <=. */
    for (size_t k = 0; k < n && k < 20; k++) {
        double threshold = NAN;
        if (p[k] >= 1)
            continue;
        check_ok(frocc_model_threshold(model, p[k], &threshold));
        check(scores[k] < threshold, "a row of p-value %.17g is normal at that rate", p[k]);
    }
}

static void check_decisions(const frocc_model *model, const data *q, const double *scores,
                            const double *p) {
    frocc_model_info info = describe(model);
    uint8_t *normal = NEW(uint8_t, q->n);
    frocc_rows rows = data_rows(q);
    frocc_scorer *scorer = NULL;

    check_ok(frocc_scorer_new(model, 2, &scorer));
    check_ok(frocc_scorer_decide(scorer, &rows, NAN, normal));
    for (size_t i = 0; i < q->n; i++)
        check(normal[i] == (info.fpr > 0 ? p[i] > info.fpr : scores[i] >= info.threshold),
              "row %zu of p-value %g at fpr %g and score %g at %g decides %d", i, p[i], info.fpr,
              scores[i], info.threshold, normal[i]);
    frocc_scorer_free(scorer);
    free(normal);
}

static void law_p_values(rng *r, setup *s, const data *x) {
    calibrated(r, s);
    frocc_model *model = fit(&s->params, x);
    data q = rows_between(r, x, 80);
    double *scores = scores_of(model, &q), *p = NEW(double, q.n);
    size_t h;
    double *table = table_of(model, &h);

    check_ok(frocc_model_p_values(model, scores, q.n, p));
    for (size_t i = 0; i < q.n; i++) {
        check(p[i] == naive_p_value(table, h, scores[i]), "row %zu: p %.17g, counted %.17g", i,
              p[i], naive_p_value(table, h, scores[i]));
        check(p[i] > 0 && p[i] <= 1, "a p-value of %g", p[i]);
        for (size_t k = 0; k < i; k++)
            check((scores[i] >= scores[k] || p[i] <= p[k]) &&
                      (scores[i] <= scores[k] || p[i] >= p[k]),
                  "p-values do not rise with scores");
    }
    check_rates(model, scores, p, q.n);
    check_decisions(model, &q, scores, p);
    free(table);
    free(scores);
    free(p);
    data_free(&q);
    frocc_model_free(model);
}

static void p_values_by_definition(void) {
    law_everywhere(law_p_values, 1240000, law_usual());
}

/* ---- The calibration scores themselves ------------------------------------------------------- */

#define FEW 5

/* score[f][i]: of row i by a model of the rows that are not in the set f. */
static void score_without(const frocc_params *params, const data *x, double score[][FEW]) {
    frocc_frame *frame = frame_of(params, x);

    for (size_t f = 0; f + 1 < (size_t)1 << x->n; f++) {
        frocc_params plain = *params;
        plain.calibration_rows = 0;
        plain.fpr = 0;
        frocc_fitter *fitter = fitter_of(frame, &plain);
        for (size_t i = 0; i < x->n; i++)
            if (!(f >> i & 1))
                fitter_take(fitter, x, i, 1);
        frocc_model *model = finish(fitter);
        double *all = scores_of(model, x);
        memcpy(score[f], all, x->n * sizeof *all);
        free(all);
        frocc_model_free(model);
        frocc_fitter_free(fitter);
    }
    frocc_frame_free(frame);
}

/* Whether the rows of a set, each scored by a model of all but itself, have the scores of the
 * table. */
static bool is_table_of(size_t set, size_t n, double score[][FEW], const double *table, size_t h) {
    double scores[FEW];
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if ((set >> i & 1) != 0)
            scores[count++] = score[(size_t)1 << i][i];
    if (count != h)
        return false;
    qsort(scores, count, sizeof *scores, compare_doubles);
    return h == 0 || memcmp(scores, table, h * sizeof *scores) == 0;
}

/*
 * Of five rows, some are held; which ones depends on hashes that a caller does not see. But there
 * must be a choice for which every held row has the score that a model of exactly the other rows
 * gives it, and the scores are numbers that no other choice gives by chance.
 */
static void scores_are_of_models_without_the_rows(void) {
    size_t held = 0;

    for (uint64_t i = 0; i < (uint64_t)check_cases(120, 20); i++) {
        rng r = rng_seed(1250000 + i);
        data x = data_new(&r, FEW, 3, SHAPE_BLOB, true);
        frocc_params p = i % 3 == 0 ? label_free(24, 1024) : agreement(24, 1 + i % 4);
        double score[1 << FEW][FEW];
        size_t h;
        bool found = false;

        p.seed = i;
        if (i % 3 == 1) {
            p.score = FROCC_SCORE_CLOSENESS;
            p.kernel = i % 2 ? FROCC_KERNEL_RBF : FROCC_KERNEL_LINEAR;
        }
        frocc_model *model = fit(&p, &x);
        double *table = table_of(model, &h);
        score_without(&p, &x, score);
        for (size_t set = 0; set < (size_t)1 << FEW && !found; set++)
            found = is_table_of(set, FEW, score, table, h);
        check(found, "no choice of held rows has these %zu calibration scores", h);
        check(h <= p.calibration_rows, "%zu rows are held", h);
        held += h;
        free(table);
        frocc_model_free(model);
        data_free(&x);
    }
    check(held > 0, "no row was ever held");
    printf("# %zu calibration scores explained\n", held);
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void models_without_calibration(void) {
    rng r = rng_seed(1290000);
    data x = data_new(&r, 60, 3, SHAPE_BLOB, true);
    frocc_params p = agreement(10, 0);
    double out[2] = {7, 7}, scores[2] = {0.5, 1};

    p.fpr = 0;
    frocc_model *model = fit(&p, &x);
    check(describe(model).calibration_rows == 0, "rows are held unasked");
    check_is(frocc_model_p_values(model, scores, 2, out), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_model_threshold(model, 0.1, out), FROCC_ERR_UNSUPPORTED);
    check(out[0] == 7 && out[1] == 7, "a failure changed the result");
    frocc_model_free(model);
    data_free(&x);
}

static void rates_out_of_range(void) {
    static const double bad[] = {-0.1, 1, 1.5, -HUGE_VAL, HUGE_VAL, NAN};
    rng r = rng_seed(1291000);
    data x = data_new(&r, 60, 3, SHAPE_BLOB, true);
    frocc_params p = agreement(10, 20);
    frocc_model *model = fit(&p, &x);
    double out = 7, score = NAN, p_value = 7;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_is(frocc_model_threshold(model, bad[i], &out), FROCC_ERR_ARGUMENT);
        check(out == 7, "a failure changed the result");
        p.fpr = bad[i];
        check_is(frocc_params_check(&p, 3), FROCC_ERR_ARGUMENT);
    }
    check_is(frocc_model_threshold(NULL, 0.1, &out), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_threshold(model, 0.1, NULL), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_p_values(NULL, &out, 1, &out), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_p_values(model, NULL, 1, &out), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_p_values(model, &out, 1, NULL), FROCC_ERR_ARGUMENT);
    check_ok(frocc_model_p_values(model, &score, 0, &p_value));
    check(p_value == 7, "no scores, but a p-value");
    p = agreement(10, 0); /* a rate needs rows */
    check_is(frocc_params_check(&p, 3), FROCC_ERR_ARGUMENT);
    p.calibration_rows = ((size_t)1 << 24) + 1;
    check_is(frocc_params_check(&p, 3), FROCC_ERR_ARGUMENT);
    frocc_model_free(model);
    data_free(&x);
}

/* -inf: so few rows that none can be called an outlier; then all are normal. */
static void too_few_rows_for_a_rate(void) {
    rng r = rng_seed(1292000);
    data x = data_new(&r, 30, 3, SHAPE_BLOB, true), q = data_new(&r, 50, 3, SHAPE_HUGE, true);

    for (int closeness = 0; closeness < 2; closeness++) {
        frocc_params p = closeness ? label_free(20, 1024) : agreement(20, 1024);
        p.fpr = 0.01;
        frocc_model *model = fit(&p, &x);
        double threshold = 0;
        uint8_t normal[50];
        frocc_scorer *scorer = NULL;
        frocc_rows rows = data_rows(&q);
        check_ok(frocc_model_threshold(model, 0.01, &threshold));
        check(threshold == -HUGE_VAL, "30 rows give a threshold of %g at 0.01", threshold);
        check_ok(frocc_scorer_new(model, 1, &scorer));
        check_ok(frocc_scorer_decide(scorer, &rows, NAN, normal));
        for (size_t i = 0; i < q.n; i++)
            check(normal[i] == 1, "row %zu is an outlier", i);
        frocc_scorer_free(scorer);
        frocc_model_free(model);
    }
    data_free(&x);
    data_free(&q);
}

int main(void) {
    RUN(p_values_by_definition);
    RUN(scores_are_of_models_without_the_rows);
    RUN(models_without_calibration);
    RUN(rates_out_of_range);
    RUN(too_few_rows_for_a_rate);
    return check_end();
}
