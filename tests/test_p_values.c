/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * p-values and thresholds against their definition, from a table of calibration scores that is read
 * off the thresholds; that table against the oracle; and what is refused.
 */
#include "calibrated.h"
#include "closeness.h"
#include "frame/sample.h"
#include "kernels/mathf.h"

/* ---- p-values and thresholds ----------------------------------------------------------------- */

/*
 * The calibration scores, rising, as the thresholds give them away: at a false-alarm rate between
 * k / (h + 1) and (k + 1) / (h + 1) at most k - 1 scores may be as low, so the threshold is the
 * k-th of the h scores.
 */
static double *table_of(const frocc_model *model, size_t *h) {
    *h = (size_t)describe(model).calibration_rows;
    double *table = NEW(double, *h);

    if (describe(model).contamination > 0) { /* then thresholds lie between the scores */
        for (size_t k = 0, i = 0; k < *h; i++)
            for (; k < model->calibration.rows[i]; k++)
                table[k] = model->calibration.scores[i];
        return table;
    }
    for (size_t k = 0; k < *h; k++)
        check_ok(frocc_model_threshold(model, ((double)k + 1.5) / ((double)*h + 1), &table[k]));
    for (size_t k = 1; k < *h; k++)
        check(table[k - 1] <= table[k], "thresholds fall with the rate");
    return table;
}

/* The share of rows, this one among them, that score at most this. */
static double share_at_most(const double *table, size_t h, double score) {
    size_t at_most = 0;

    for (size_t k = 0; k < h; k++)
        at_most += table[k] <= score;
    return (1 + (double)at_most) / (1 + (double)h);
}

/* The lowest score of the table that more than this share are at most. */
static double score_of_share(const double *table, size_t h, double share) {
    size_t k = 0;

    while (k + 1 < h && share_at_most(table, h, table[k]) <= share)
        k++;
    return table[k];
}

/* Where a share may be anomalies: as if all of these scored lower, but below the score of 3 % by an
 * exponential tail through this and that of 10 %; and no more than all rows say. */
static double naive_p_value(const double *table, size_t h, double score, double share) {
    double all = share_at_most(table, h, score), p = (all - share) / (1 - share);

    if (!(share > 0) || h == 0)
        return all;
    double near = score_of_share(table, h, share + 0.03 * (1 - share));
    double fall = (score_of_share(table, h, share + 0.1 * (1 - share)) - near) / 1.2039728043259361;
    if (score < near && fall > 0)
        p = fmax(p, 0.03 * (double)frocc__expf((float)((score - near) / fall)));
    return fmin(fmax(p, 1 / (1 + (double)h)), all);
}

/* Where no p-value can be as low as the rate, what is below the whole table is an outlier. */
static double lowest_of(const double *table, size_t h) {
    return h > 0 ? table[0] : 0;
}

static void check_rates(const frocc_model *model, const double *table, size_t h,
                        const double *scores, const double *p, size_t n) {
    static const double rates[] = {0, 1e-9, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.999};

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double threshold = NAN;
        check_ok(frocc_model_threshold(model, rates[i], &threshold));
        double rate = fmax(rates[i], rates[i] > 0 ? 1 / ((double)h + 1) : 0);
        if (rates[i] > 0 && rates[i] < rate && (h == 0 || !(describe(model).contamination > 0))) {
            check(threshold == lowest_of(table, h), "at %g, the threshold is %.17g", rates[i],
                  threshold);
            continue;
        }
        for (size_t k = 0; k < n; k++)
            check((p[k] <= rate) == (scores[k] < threshold),
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

/* Of a model with too few rows for its rate, whether a row is outside a column by more than the
 * column is wide; what is nearly so may be either. */
static bool may_be_far(const data *x, const data *q, size_t row) {
    for (size_t j = 0; j < x->d && x->n >= x->d; j++) {
        double low = HUGE_VAL, high = -HUGE_VAL, value = q->f64[row * q->d + j];
        for (size_t i = 0; i < x->n; i++) {
            low = fmin(low, x->f64[i * x->d + j]);
            high = fmax(high, x->f64[i * x->d + j]);
        }
        if (fmax(low - value, value - high) >= 0.9 * (high - low) && low < high)
            return true;
    }
    return false;
}

static void check_decisions(const frocc_model *model, const data *x, const data *q,
                            const double *table, const double *scores, const double *p) {
    frocc_model_info info = describe(model);
    const size_t h = (size_t)info.calibration_rows;
    const bool is_short = info.fpr > 0 && info.fpr < 1 / ((double)h + 1);
    uint8_t *normal = NEW(uint8_t, q->n);
    frocc_rows rows = data_rows(q);
    frocc_scorer *scorer = NULL;
    double lowest = lowest_of(table, h);

    if (info.contamination > 0 && is_short)
        check_ok(frocc_model_threshold(model, info.fpr, &lowest));

    check_ok(frocc_scorer_new(model, 2, &scorer));
    check_ok(frocc_scorer_decide(scorer, &rows, FROCC_OWN_THRESHOLD, normal));
    for (size_t i = 0; i < q->n && is_short; i++)
        check(normal[i] == (scores[i] >= lowest) || (!normal[i] && may_be_far(x, q, i)),
              "row %zu of score %g decides %d beside %g", i, scores[i], normal[i], lowest);
    for (size_t i = 0; i < q->n && !is_short; i++)
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
        double counted = naive_p_value(table, h, scores[i], describe(model).contamination);
        check(p[i] == counted, "row %zu: p %.17g, counted %.17g", i, p[i], counted);
        check(p[i] > 0 && p[i] <= 1, "a p-value of %g", p[i]);
        for (size_t k = 0; k < i; k++)
            check((scores[i] >= scores[k] || p[i] <= p[k]) &&
                      (scores[i] <= scores[k] || p[i] >= p[k]),
                  "p-values do not rise with scores");
    }
    check_rates(model, table, h, scores, p, q.n);
    check_decisions(model, x, &q, table, scores, p);
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

static void check_table(const frocc_model *model, double *expected, size_t count) {
    size_t h;
    double *table = table_of(model, &h);

    check(h == count, "%zu rows calibrate, not %zu", h, count);
    qsort(expected, count, sizeof *expected, compare_doubles);
    for (size_t k = 0; k < h; k++)
        check(table[k] == expected[k], "calibration score %zu of %zu is %.17g, not %.17g", k, h,
              table[k], expected[k]);
    free(table);
}

/* Every row that calibrates has the score that the definition gives it without itself. */
static void law_left_out_by_definition(rng *r, setup *s, const data *x) {
    calibrated(r, s);
    if (x->n < 2)
        return;
    frocc_model *model = fit(&s->params, x);
    oracle_rows learnt = oracle_rows_of(model, x);
    oracle_queries asked = oracle_queries_of(model, x);
    size_t *numbers = NEW(size_t, x->n), count = calibrating_rows(model, x, numbers);
    double *expected = NEW(double, count);

    for (size_t k = 0; k < count; k++) {
        oracle_row row = oracle_query(&asked, numbers[k]);
        expected[k] = oracle_closeness(&learnt, numbers[k], &row);
    }
    check_table(model, expected, count);
    free(numbers);
    free(expected);
    oracle_queries_free(&asked);
    oracle_rows_free(&learnt);
    frocc_model_free(model);
}

static void left_out_by_definition(void) {
    law_sizes full = {150, 12, 16, 2, SHAPE_BLOB, 0}, quick = {30, 6, 6, 1, SHAPE_BLOB, 0};
    law_everywhere(law_left_out_by_definition, 1250000, check_quick() ? quick : full);
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void check_uncalibrated(const frocc_model *model) {
    double out[2] = {7, 7}, scores[2] = {0.5, 1};

    check(describe(model).calibration_rows == 0, "rows are held unasked");
    check_is(frocc_model_p_values(model, scores, 2, out), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_model_threshold(model, 0.1, out), FROCC_ERR_UNSUPPORTED);
    check(out[0] == 7 && out[1] == 7, "a failure changed the result");
}

static void models_without_calibration(void) {
    for (int closeness = 0; closeness < 2; closeness++) {
        rng r = rng_seed(1290000);
        data x = data_new(&r, 60, 3, SHAPE_BLOB, true);
        frocc_params p = label_free(10, 0);
        frocc_model *sealed = NULL;

        p.fpr = 0;
        p.score = closeness ? FROCC_SCORE_CLOSENESS : FROCC_SCORE_AGREEMENT;
        p.n_trees = closeness ? p.n_trees : 0;
        frocc_model *model = fit(&p, &x);
        check_uncalibrated(model);
        check_ok(frocc_model_seal(model, &sealed));
        check_uncalibrated(sealed);
        frocc_model_free(sealed);
        frocc_model_free(model);
        data_free(&x);
    }
}

/* Calibration is by rows that are left out, which intervals cannot do. */
static void agreement_cannot_be_calibrated(void) {
    frocc_params p;

    frocc_params_init_paper(&p);
    check_ok(frocc_params_check(&p, 3));
    p.contamination = 0.1;
    check_is(frocc_params_check(&p, 3), FROCC_ERR_ARGUMENT);
    p.contamination = 0;
    p.n_trees = 1;
    check_is(frocc_params_check(&p, 3), FROCC_ERR_ARGUMENT);
    p.n_trees = 0;
    p.calibration_rows = 1;
    check_is(frocc_params_check(&p, 3), FROCC_ERR_ARGUMENT);
    p.fpr = 0.1;
    check_is(frocc_params_check(&p, 3), FROCC_ERR_ARGUMENT);
    p.calibration_rows = 0;
    check_is(frocc_params_check(&p, 3), FROCC_ERR_ARGUMENT);
}

static void rates_out_of_range(void) {
    static const double bad[] = {-0.1, 1, 1.5, -HUGE_VAL, HUGE_VAL, NAN};
    rng r = rng_seed(1291000);
    data x = data_new(&r, 60, 3, SHAPE_BLOB, true);
    frocc_params p = label_free(10, 20);
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
    p = label_free(10, 0); /* a rate needs rows */
    check_is(frocc_params_check(&p, 3), FROCC_ERR_ARGUMENT);
    p.calibration_rows = ((size_t)1 << 24) + 1;
    check_is(frocc_params_check(&p, 3), FROCC_ERR_ARGUMENT);
    frocc_model_free(model);
    data_free(&x);
}

/* -inf: so few rows that none can be called an outlier; then all are normal. */
/* With few rows, what is far from all of them is an outlier, and what is among them is not. */
static void too_few_rows_for_a_rate(void) {
    static const size_t sizes[] = {1, 2, 5, 30, 100, 150};

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        rng r = rng_seed(1292000);
        data x = data_new(&r, sizes[k], 3, SHAPE_BLOB, true);
        frocc_params p = label_free(20, 1024);
        frocc_model *model = fit(&p, &x);
        double threshold = NAN, wild[9];
        uint8_t normal[150];
        frocc_scorer *scorer = NULL;
        frocc_rows rows = data_rows(&x), far = frocc_rows_f64(wild, 3, 3);
        for (size_t i = 0; i < 9; i++)
            wild[i] = i % 4 == 0 ? 99999999 : x.f64[0 * x.d + i % 3];
        check_ok(frocc_model_threshold(model, 0.01, &threshold));
        check(isfinite(threshold), "%zu rows give a threshold of %g at 0.01", x.n, threshold);
        check_ok(frocc_scorer_new(model, 1, &scorer));
        check_ok(frocc_scorer_decide(scorer, &rows, FROCC_OWN_THRESHOLD, normal));
        for (size_t i = 0; i < x.n; i++)
            check(normal[i] == 1, "of %zu rows, row %zu is an outlier", x.n, i);
        check_ok(frocc_scorer_decide(scorer, &far, FROCC_OWN_THRESHOLD, normal));
        for (size_t i = 0; i < 3; i++)
            check(normal[i] == 0, "with %zu rows, 99999999 in column %zu is normal", x.n, i);
        frocc_scorer_free(scorer);
        frocc_model_free(model);
        data_free(&x);
    }
}

/* However few the rows and many the columns, a fresh row has a p-value of at most .1 no more often
 * than in one case of ten; 600 rows by 12 models tell that to about .03. */
static void few_rows_keep_the_promise(void) {
    static const struct { size_t n, d; } shapes[] = {{20, 20}, {40, 200}, {60, 100}};

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        size_t low = 0, all = 0;
        for (uint64_t i = 0; i < 12; i++) {
            rng r = rng_seed(1291000 + 100 * k + i);
            data x = data_new(&r, shapes[k].n, shapes[k].d, SHAPE_BLOB, false);
            data q = data_new(&r, 50, shapes[k].d, SHAPE_BLOB, false);
            frocc_params p = label_free(64, FROCC_CALIBRATION_AUTO);
            frocc_model *model = fit(&p, &x);
            double *scores = scores_of(model, &q), *values = NEW(double, q.n);
            check_ok(frocc_model_p_values(model, scores, q.n, values));
            for (size_t j = 0; j < q.n; j++)
                low += values[j] <= 0.1;
            all += q.n;
            free(scores);
            free(values);
            frocc_model_free(model);
            data_free(&x);
            data_free(&q);
        }
        check((double)low / (double)all <= 0.13, "%zu x %zu: %zu of %zu rows at .1", shapes[k].n,
              shapes[k].d, low, all);
    }
}

/* One wild row among few sets no standard: what is far in another column is no less so. */
static void a_wild_row_among_few(void) {
    rng r = rng_seed(1293000);
    data x = data_new(&r, 60, 3, SHAPE_BLOB, true);
    frocc_params p = label_free(64, 1024);

    for (size_t row = 0; row < 30; row++) {
        double kept = x.f64[3 * row], one[3] = {x.f64[3 * row], x.f64[3 * row + 1], 1e4};
        frocc_model *model = NULL;
        frocc_scorer *scorer = NULL;
        frocc_rows rows = frocc_rows_f64(x.f64, x.n, x.d), far = frocc_rows_f64(one, 1, 3);
        uint8_t normal = 1;

        x.f64[3 * row] = 1e12;
        check_ok(frocc_fit(&p, &rows, &model));
        check_ok(frocc_scorer_new(model, 1, &scorer));
        check_ok(frocc_scorer_decide(scorer, &far, FROCC_OWN_THRESHOLD, &normal));
        check(normal == 0, "where row %zu is wild, a value of 1e4 in another column is normal",
              row);
        x.f64[3 * row] = kept;
        frocc_scorer_free(scorer);
        frocc_model_free(model);
    }
    data_free(&x);
}

/* A rate asks for the rows that can tell it. */
static void rows_for_a_rate(void) {
    static const struct {
        double fpr;
        uint64_t rows;
    } cases[] = {{0, 1024}, {0.01, 1024}, {0.001, 1024}, {0.0005, 2000}};
    rng r = rng_seed(1294000);
    data x = data_new(&r, 6000, 2, SHAPE_BLOB, true);

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        frocc_params p = label_free(8, FROCC_CALIBRATION_AUTO);
        p.fpr = cases[k].fpr;
        frocc_model *model = fit(&p, &x);
        uint64_t rows = describe(model).calibration_rows;
        check(rows == cases[k].rows, "%llu rows calibrate %g", (unsigned long long)rows, p.fpr);
        frocc_model_free(model);
    }
    data_free(&x);
}

int main(void) {
    RUN(p_values_by_definition);
    RUN(left_out_by_definition);
    RUN(models_without_calibration);
    RUN(agreement_cannot_be_calibrated);
    RUN(rates_out_of_range);
    RUN(too_few_rows_for_a_rate);
    RUN(few_rows_keep_the_promise);
    RUN(a_wild_row_among_few);
    RUN(rows_for_a_rate);
    return check_end();
}
