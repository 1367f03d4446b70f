/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compact form against a naive one written from its description: bins of width
 * epsilon * range / beta from the smallest value up, interval ends rounded outward to bins,
 * neighbours joined when fewer than beta empty bins lie between them, membership by bin.
 */
#include <float.h>

#include "laws.h"

/* ---- The naive form -------------------------------------------------------------------------- */

typedef struct naive {
    size_t n_bins;
    double min, max, width;
    bool *set;
} naive;

static size_t bin_of(const naive *b, float value) {
    double at = ((double)value - b->min) / b->width;

    if ((double)value < b->min || (b->width == 0 && (double)value != b->min))
        return b->n_bins;
    if (b->width == 0)
        return 0;
    if ((double)value <= b->max && at >= (double)b->n_bins)
        return b->n_bins - 1; /* rounding put the largest value past the last bin */
    return at < (double)b->n_bins ? (size_t)at : b->n_bins;
}

static naive naive_new(const float *lower, const float *upper, size_t count, float epsilon,
                       unsigned beta) {
    naive b = {0};
    size_t last = SIZE_MAX;

    b.n_bins = (size_t)((double)beta / (double)epsilon) + 1;
    b.min = (double)lower[0];
    b.max = (double)upper[count - 1];
    b.width = (double)epsilon * (b.max - b.min) / (double)beta;
    b.set = NEW(bool, b.n_bins + 1);
    for (size_t i = 0; i < count; i++)
        for (size_t k = bin_of(&b, lower[i]); k <= bin_of(&b, upper[i]); k++)
            b.set[k] = true;
    for (size_t k = 0; k < b.n_bins; k++) { /* fill what is too narrow to stay empty */
        if (!b.set[k])
            continue;
        if (last != SIZE_MAX && k - last - 1 < beta)
            for (size_t j = last + 1; j < k; j++)
                b.set[j] = true;
        last = k;
    }
    return b;
}

static bool naive_member(const naive *b, float value) {
    size_t bin = bin_of(b, value);
    return bin < b->n_bins && b->set[bin];
}

/* ---- Laws ------------------------------------------------------------------------------------ */

static data queries_of(rng *r, const data *x, size_t count) {
    data q = {count, x->d, NEW(double, count * x->d), NEW(float, count * x->d)};

    for (size_t i = 0; i < count; i++) {
        size_t from = rng_below(r, x->n), to = rng_below(r, x->n);
        double blend = rng_unit(r) * (i % 3 ? 1 : 0.01), out = i % 5 ? 0 : 2;
        for (size_t j = 0; j < x->d; j++) {
            double a = x->f64[from * x->d + j], b = x->f64[to * x->d + j];
            q.f64[i * x->d + j] = a + (blend + out) * (b - a);
        }
    }
    return q;
}

static uint32_t *counts_of(const frocc_model *model, const data *q, int threads) {
    uint32_t *counts = NEW(uint32_t, q->n);
    frocc_scorer *scorer = NULL;
    frocc_rows rows = data_rows(q);

    check_ok(frocc_scorer_new(model, threads, &scorer));
    check_ok(frocc_scorer_count(scorer, &rows, counts));
    frocc_scorer_free(scorer);
    return counts;
}

/* Only models without calibration have a compact form. */
static frocc_model *fit_plain(setup *s, const data *x) {
    s->params.calibration_rows = 0;
    return fit(&s->params, x);
}

static frocc_model *compact_of(const frocc_model *model, unsigned beta) {
    frocc_model *compact = NULL;
    check_ok(frocc_model_compact(model, beta, &compact));
    check(describe(compact).beta == beta, "beta is not kept");
    check(describe(compact).n_rows == describe(model).n_rows, "n_rows is not kept");
    check(describe(compact).threshold == describe(model).threshold, "threshold is not kept");
    return compact;
}

static naive naive_of(const frocc_model *model, size_t i, unsigned beta) {
    size_t count = 0;
    check_ok(frocc_model_intervals(model, i, NULL, NULL, 0, &count));
    float *lower = NEW(float, count), *upper = NEW(float, count);
    check_ok(frocc_model_intervals(model, i, lower, upper, count, &count));
    naive b = naive_new(lower, upper, count, describe(model).epsilon, beta);
    free(lower);
    free(upper);
    return b;
}

/* The runs that the library lists are the naive ones, edge for edge. */
static void same_runs(const frocc_model *compact, size_t i, const naive *b) {
    size_t count = 0, run = 0;
    check_ok(frocc_model_intervals(compact, i, NULL, NULL, 0, &count));
    float *lower = NEW(float, count), *upper = NEW(float, count);
    check_ok(frocc_model_intervals(compact, i, lower, upper, count, &count));

    for (size_t k = 0; k < b->n_bins; k++) {
        size_t first = k;
        if (!b->set[k])
            continue;
        while (k + 1 < b->n_bins && b->set[k + 1])
            k++;
        check(run < count, "direction %zu has only %zu runs", i, count);
        double slack = 1e-6 * (fabs(b->min) + fabs(b->max)) + 1e-44;
        double low = b->min + (double)first * b->width, high = b->min + (double)(k + 1) * b->width;
        check(fabs((double)lower[run] - low) <= slack &&
                  fabs(fmin((double)upper[run], FLT_MAX) - fmin(high, FLT_MAX)) <= slack,
              "direction %zu, run %zu is [%g, %g]", i, run, (double)lower[run], (double)upper[run]);
        run++;
    }
    check(run == count, "direction %zu has %zu runs, not %zu", i, count, run);
    free(lower);
    free(upper);
}

static void law_matches_the_naive_form(rng *r, setup *s, const data *x) {
    unsigned beta = 1u << rng_below(r, 5);
    data q = queries_of(r, x, 60);
    frocc_model *model = fit_plain(s, x), *compact = compact_of(model, beta);
    size_t m = s->params.n_directions;
    frocc_frame *frame = frocc_model_frame(model);
    float *values = NEW(float, q.n *m);
    uint32_t *got = counts_of(compact, &q, 1), *expected = NEW(uint32_t, q.n);
    frocc_rows rows = data_rows(&q);

    check_ok(frocc_frame_project(frame, &rows, values));
    for (size_t i = 0; i < m; i++) {
        naive b = naive_of(model, i, beta);
        for (size_t k = 0; k < q.n; k++)
            expected[k] += naive_member(&b, values[k * m + i]);
        same_runs(compact, i, &b);
        free(b.set);
    }
    for (size_t k = 0; k < q.n; k++)
        check(got[k] == expected[k], "row %zu: %u of %zu accept, naively %u", k, got[k], m,
              expected[k]);
    free(values);
    free(got);
    free(expected);
    frocc_frame_free(frame);
    frocc_model_free(model);
    frocc_model_free(compact);
    data_free(&q);
}

/* Accepts whatever the model accepts, in each direction, and little more: a value it accepts
 * beyond that is within a bin of an interval, or in a gap of fewer than beta + 1 bins. */
static void law_accepts_more_but_little(rng *r, setup *s, const data *x) {
    unsigned beta = 1 + (unsigned)rng_below(r, 8);
    data q = queries_of(r, x, 40);
    frocc_rows rows = data_rows(&q);
    size_t m = s->params.n_directions;
    float *distances = NEW(float, q.n *m);
    frocc_model *all = fit_plain(s, x);
    frocc_scorer *scorer = NULL;

    check_ok(frocc_scorer_new(all, 1, &scorer));
    check_ok(frocc_scorer_distances(scorer, &rows, distances));
    frocc_scorer_free(scorer);
    uint32_t *before = NEW(uint32_t, q.n);
    for (size_t i = 1; i <= m; i++) { /* one direction more at a time tells them apart */
        frocc_model *some = NULL;
        check_ok(frocc_model_truncate(all, i, &some));
        frocc_model *compact = compact_of(some, beta);
        uint32_t *now = counts_of(compact, &q, 1);
        naive b = naive_of(all, i - 1, beta);
        double reach = b.width * fmax(1, ((double)beta + 1) / 2) * (1 + 1e-6);
        double step = 1e-6 * fmax(fabs(b.min), fabs(b.max));
        for (size_t k = 0; k < q.n; k++) {
            double distance = (double)distances[k * m + i - 1];
            bool accepted = now[k] > before[k];
            check(accepted || distance > 0,
                  "row %zu is in an interval of direction %zu and not in "
                  "its bins",
                  k, i - 1);
            check(!accepted || distance <= reach + step,
                  "row %zu is %g away in direction %zu and in a bin of width %g", k, distance,
                  i - 1, b.width);
        }
        memcpy(before, now, q.n * sizeof *now);
        free(now);
        free(b.set);
        frocc_model_free(some);
        frocc_model_free(compact);
    }
    free(before);
    free(distances);
    frocc_model_free(all);
    data_free(&q);
}

static void law_training_rows_score_1(rng *r, setup *s, const data *x) {
    static const unsigned betas[] = {1, 2, 3, 4, 8, 16};
    frocc_model *model = fit_plain(s, x);

    (void)r;
    for (size_t k = 0; k < sizeof betas / sizeof *betas; k++) {
        frocc_model *compact = compact_of(model, betas[k]);
        uint32_t *counts = counts_of(compact, x, 1 + (int)(k % 3));
        for (size_t i = 0; i < x->n; i++)
            check(counts[i] == s->params.n_directions, "beta %u: training row %zu has %u of %zu",
                  betas[k], i, counts[i], s->params.n_directions);
        free(counts);
        frocc_model_free(compact);
    }
    frocc_model_free(model);
}

static void law_saved_and_truncated(rng *r, setup *s, const data *x) {
    size_t fewer = 1 + rng_below(r, s->params.n_directions);
    frocc_load_options options = setup_load_options(s);
    frocc_model *model = fit_plain(s, x), *compact = compact_of(model, 2);
    frocc_model *loaded = NULL, *a = NULL, *shorter = NULL;
    blob b = blob_of(compact);

    check_ok(frocc_model_from_bytes(b.bytes, b.size, &options, &loaded));
    check_same(compact, loaded, "a compact model, saved and loaded");
    check(describe(compact).file_size == b.size, "file_size");
    check_ok(frocc_model_truncate(compact, fewer, &a));
    check_ok(frocc_model_truncate(model, fewer, &shorter));
    frocc_model *c = compact_of(shorter, 2);
    check_same(a, c, "truncated and compact, either way round");
    blob_free(&b);
    frocc_model_free(model);
    frocc_model_free(compact);
    frocc_model_free(loaded);
    frocc_model_free(a);
    frocc_model_free(shorter);
    frocc_model_free(c);
}

/* Of a fixed size per direction: other rows, the same size. */
static void law_fixed_size(rng *r, setup *s, const data *x) {
    size_t n = 1 + rng_below(r, 200);
    data y = data_new(r, n, x->d, SHAPE_BLOB, true);
    frocc_model *a = fit_plain(s, x), *b = fit_plain(s, &y);
    frocc_model *ca = compact_of(a, 2), *cb = compact_of(b, 2);

    check(describe(ca).file_size == describe(cb).file_size, "compact models of %llu and %llu bytes",
          (unsigned long long)describe(ca).file_size, (unsigned long long)describe(cb).file_size);
    frocc_model_free(a);
    frocc_model_free(b);
    frocc_model_free(ca);
    frocc_model_free(cb);
    data_free(&y);
}

static void what_compact_models_cannot_do(void) {
    rng r = rng_seed(900900);
    data x = data_new(&r, 50, 3, SHAPE_CLUSTERS, true);
    setup s;
    setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 4, 3);
    s.params.epsilon = 0.1f;
    frocc_model *model = fit_plain(&s, &x), *compact = compact_of(model, 2), *out = NULL;
    const frocc_model *both[] = {compact, compact}, *mixed[] = {model, compact};
    frocc_scorer *scorer = NULL;
    frocc_rows rows = data_rows(&x);
    float distances[200], epsilon = 0.5f;
    uint32_t m = 4, counts[50];

    check_is(frocc_model_merge(both, 2, &out), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_model_merge(mixed, 2, &out), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_model_coarsen(compact, 0.5f, &out), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_model_compact(compact, 2, &out), FROCC_ERR_UNSUPPORTED);
    check_ok(frocc_scorer_new(compact, 1, &scorer));
    check_is(frocc_scorer_distances(scorer, &rows, distances), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_scorer_grid(scorer, &rows, &epsilon, 1, &m, 1, counts), FROCC_ERR_UNSUPPORTED);
    check(out == NULL, "a failure changed the result");
    check_ok(frocc_scorer_count(scorer, &rows, counts));
    frocc_scorer_free(scorer);
    check_is(frocc_model_compact(model, 0, &out), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_compact(model, 1u << 30, &out), FROCC_ERR_ARGUMENT);
    frocc_model_free(model);
    frocc_model_free(compact);
    setup_free(&s);
    data_free(&x);
}

#define LAW(name, law, sizes, seed)                                                                \
    static void name(void) {                                                                       \
        law_everywhere(law, seed, sizes);                                                          \
    }

LAW(matches_the_naive_form, law_matches_the_naive_form, law_usual(), 910000)
LAW(accepts_more_but_little, law_accepts_more_but_little, law_small(), 920000)
LAW(training_rows_score_1, law_training_rows_score_1, law_usual(), 930000)
LAW(saved_and_truncated, law_saved_and_truncated, law_usual(), 940000)
LAW(of_fixed_size, law_fixed_size, law_usual(), 950000)

int main(void) {
    RUN(matches_the_naive_form);
    RUN(accepts_more_but_little);
    RUN(training_rows_score_1);
    RUN(saved_and_truncated);
    RUN(of_fixed_size);
    RUN(what_compact_models_cannot_do);
    return check_end();
}
