/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The paper's section on theory, where it can be tested: the model size and its bounds, the
 * monotonicity in epsilon and m under the coupling (for every instance, not only on average), the
 * m needed for an error probability, and the discriminating measure where geometry knows it.
 */
#include "laws.h"

#define PI 3.14159265358979323846

static uint64_t count_intervals(const frocc_model *model, size_t i) {
    size_t count = 0;
    check_ok(frocc_model_intervals(model, i, NULL, NULL, 0, &count));
    return count;
}

/* M = sum of 2 k_i, and 2 m <= M <= 2 m (1/epsilon + 1). */
static void law_model_size(rng *r, setup *s, const data *x) {
    frocc_model *model = fit(&s->params, x);
    frocc_model_info info = describe(model);
    uint64_t at_least = 0, at_most = 0, intervals = 0;

    (void)r;
    for (size_t i = 0; i < info.n_directions; i++) {
        uint64_t k = count_intervals(model, i);
        check(k >= 1 && k <= x->n, "direction %zu has %llu intervals for %zu rows", i,
              (unsigned long long)k, x->n);
        intervals += k;
    }
    check(frocc_model_count_intervals(model) == intervals, "n_intervals is %llu for %llu intervals",
          (unsigned long long)frocc_model_count_intervals(model), (unsigned long long)intervals);
    check_ok(frocc_theory_size_bounds(info.n_directions, info.epsilon, &at_least, &at_most));
    check(at_least == 2 * info.n_directions, "at least %llu", (unsigned long long)at_least);
    check(2 * intervals >= at_least, "the size is below its bound");
    check(2 * intervals <= at_most, "a model of size %llu is over its bound %llu",
          (unsigned long long)(2 * intervals), (unsigned long long)at_most);
    frocc_model_free(model);
}

/* Where rounding makes the gaps smaller than the margin, there can be up to 1.5/epsilon + 1
 * intervals; more room than that and a little would say nothing. */
static void size_bounds(void) {
    static const float epsilons[] = {1.0f, 0.5f, 0.3f, 0.125f, 0.1f, 0.01f, 0.001f, 1e-6f};
    uint64_t low = 0, high = 0;

    for (size_t i = 0; i < sizeof epsilons / sizeof *epsilons; i++)
        for (size_t m = 1; m < 2000; m = m * 3 + 1) {
            double exact = epsilons[i] < 1 ? 1 / (double)epsilons[i] + 1 : 1;
            check_ok(frocc_theory_size_bounds(m, epsilons[i], &low, &high));
            check(low == 2 * m, "at least %llu for m %zu", (unsigned long long)low, m);
            check((double)high >= 2 * (double)m * floor(exact), "epsilon %g, m %zu: at most %llu",
                  (double)epsilons[i], m, (unsigned long long)high);
            check((double)high <= 2 * (double)m * (epsilons[i] < 1 ? 1.51 * exact + 2 : 1),
                  "epsilon %g, m %zu: at most %llu", (double)epsilons[i], m,
                  (unsigned long long)high);
        }
    low = high = 99;
    check_is(frocc_theory_size_bounds(0, 0.1f, &low, &high), FROCC_ERR_ARGUMENT);
    check_is(frocc_theory_size_bounds(5, 0.0f, &low, &high), FROCC_ERR_ARGUMENT);
    check_is(frocc_theory_size_bounds(5, NAN, &low, &high), FROCC_ERR_ARGUMENT);
    check_is(frocc_theory_size_bounds(5, 1.5f, &low, &high), FROCC_ERR_ARGUMENT);
    check_is(frocc_theory_size_bounds(5, 0.5f, NULL, &high), FROCC_ERR_ARGUMENT);
    check_is(frocc_theory_size_bounds(5, 0.5f, &low, NULL), FROCC_ERR_ARGUMENT);
    check(low == 99 && high == 99, "a failure changed the results");
}

/* ---- Monotonicity ---------------------------------------------------------------------------- */

static data random_queries(rng *r, const data *x, size_t n) {
    data q = {n, x->d, NEW(double, n * x->d), NEW(float, n * x->d)};

    for (size_t i = 0; i < n * x->d; i++) {
        double near = x->f64[rng_below(r, x->n) * x->d + i % x->d];
        q.f64[i] = near * (1 + 0.2 * rng_normal(r));
        q.f32[i] = (float)q.f64[i];
    }
    return q;
}

static uint32_t *counts_of(const frocc_model *model, const data *q) {
    uint32_t *counts = NEW(uint32_t, q->n);
    frocc_scorer *scorer = NULL;
    frocc_rows rows = data_rows(q);

    check_ok(frocc_scorer_new(model, 1, &scorer));
    check_ok(frocc_scorer_count(scorer, &rows, counts));
    frocc_scorer_free(scorer);
    return counts;
}

/* A larger epsilon accepts in every direction that accepted before, with fewer intervals. */
static void law_monotone_in_epsilon(rng *r, setup *s, const data *x) {
    data q = random_queries(r, x, 40);
    frocc_model *before = fit(&s->params, x);
    uint32_t *fewer = counts_of(before, &q);

    for (int step = 0; step < 4; step++) {
        s->params.epsilon = (float)rng_between(r, (double)s->params.epsilon, 1);
        frocc_model *after = fit(&s->params, x); /* the same seed: the same directions */
        uint32_t *more = counts_of(after, &q);
        for (size_t i = 0; i < s->params.n_directions; i++)
            check(count_intervals(after, i) <= count_intervals(before, i),
                  "direction %zu has more intervals at a larger epsilon", i);
        for (size_t i = 0; i < q.n; i++)
            check(more[i] >= fewer[i], "row %zu is accepted by fewer at a larger epsilon", i);
        frocc_model_free(before);
        free(fewer);
        before = after;
        fewer = more;
    }
    frocc_model_free(before);
    free(fewer);
    data_free(&q);
}

/* More directions reject whatever fewer rejected, and make the model larger. */
static void law_monotone_in_m(rng *r, setup *s, const data *x) {
    data q = random_queries(r, x, 40);
    size_t m = s->params.n_directions;
    frocc_model *all = fit(&s->params, x);
    uint32_t *with_all = counts_of(all, &q);

    s->params.n_directions = 1 + rng_below(r, m);
    frocc_model *some = fit(&s->params, x);
    uint32_t *with_some = counts_of(some, &q);
    for (size_t i = 0; i < q.n; i++) {
        size_t rejections = m - with_all[i], earlier = s->params.n_directions - with_some[i];
        check(rejections >= earlier, "row %zu: %zu rejections became %zu", i, earlier, rejections);
    }
    check(frocc_model_count_intervals(all) >=
              frocc_model_count_intervals(some) + (m - s->params.n_directions),
          "the model did not grow with m");
    frocc_model_free(all);
    frocc_model_free(some);
    free(with_all);
    free(with_some);
    data_free(&q);
}

/* ---- The m that is needed -------------------------------------------------------------------- */

/* (1 - mu)^m <= delta at m and not at m - 1, in long double, which has the bits to spare; except
 * under valgrind, where it is a double. */
static void is_smallest(double mu, double delta) {
    uint64_t m = 0;
    volatile long double one = 1.0L, more = one + 0x1p-60L;
    long double unit = more > one ? 1e-17L : 1e-14L;
    long double accept = 1.0L - (long double)mu;

    check_ok(frocc_theory_directions_needed(mu, delta, &m));
    check(m >= 1, "mu %g, delta %g: m is 0", mu, delta);
    if (mu == 1) {
        check(m == 1, "mu 1 needs one direction, not %llu", (unsigned long long)m);
        return;
    }
    long double at = powl(accept, (long double)m), before = powl(accept, (long double)(m - 1));
    long double slack = (long double)delta * (long double)m * unit; /* of powl, not of m */
    check(at <= (long double)delta + slack, "mu %g, delta %g: m %llu is too small", mu, delta,
          (unsigned long long)m);
    check(before > (long double)delta - slack, "mu %g, delta %g: m %llu is not the smallest", mu,
          delta, (unsigned long long)m);
}

static void directions_needed_is_exact(void) {
    rng r = rng_seed(500001);
    uint64_t m = 0;

    for (int i = 0; i < check_cases(20000, 500); i++)
        is_smallest(rng_log_between(&r, 1e-9, 1), rng_log_between(&r, 1e-300, 0.999));
    for (int k = 1; k < 60; k++) /* powers of two are exact: m = k, not k + 1 */
        for (int j = 1; j < 5; j++) {
            double mu = 1 - ldexp(1, -j);
            check_ok(frocc_theory_directions_needed(mu, ldexp(1, -k), &m));
            check(m == (uint64_t)((k + j - 1) / j), "mu %g, delta 2^-%d: m is %llu", mu, k,
                  (unsigned long long)m);
        }
    for (int k = 1; k < 19; k++) { /* delta is the double (1 - mu)^k itself */
        check_ok(frocc_theory_directions_needed(0.25, pow(0.75, k), &m));
        check(m == (uint64_t)k, "mu 1/4, delta 0.75^%d: m is %llu", k, (unsigned long long)m);
    }
    is_smallest(1, 0.5);
    is_smallest(1e-15, 0.5);
    is_smallest(0.999999, 1e-300);
}

static void directions_needed_refuses(void) {
    static const double bad[][2] = {{0, 0.1},   {-0.1, 0.1},    {1.1, 0.1}, {NAN, 0.1},
                                    {0.5, 0},   {0.5, -1},      {0.5, 1},   {0.5, 1.5},
                                    {0.5, NAN}, {INFINITY, 0.5}};
    uint64_t m = 77;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_is(frocc_theory_directions_needed(bad[i][0], bad[i][1], &m), FROCC_ERR_ARGUMENT);
    check_is(frocc_theory_directions_needed(0.5, 0.5, NULL), FROCC_ERR_ARGUMENT);
    check(m == 77, "a failure changed the result");
}

/* ---- The discriminating measure -------------------------------------------------------------- */

static void measure(uint64_t seed, size_t m, const frocc_rows *rows, const frocc_rows *points,
                    double *mu) {
    frocc_params p;

    frocc_params_init_paper(&p);
    p.seed = seed;
    p.n_directions = m;
    check_ok(frocc_theory_discriminating_measure(&p, rows, points, mu));
}

static void close_to(double got, double expected, size_t m, const char *what) {
    double error = sqrt(expected * (1 - expected) / (double)m);
    check(fabs(got - expected) <= 4 * error + 1e-12, "%s: %g, geometry says %g +- %g", what, got,
          expected, error);
}

/*
 * The unit circle fills [-1, 1] in every direction. A point at distance r > 1 projects to
 * r cos(t), t uniform, and is outside when |cos t| > 1/r: in a share 2 acos(1/r) / pi.
 */
static void measure_outside_a_circle(void) {
    enum { POINTS = 4000 };
    static const double distances[] = {1.01, 1.2, 1.5, 2, 5, 100};
    double *circle = NEW(double, 2 * POINTS), asked[12], mu[6];
    size_t m = (size_t)check_cases(20000, 1000), n_points = check_quick() ? 1000 : POINTS;

    for (size_t i = 0; i < n_points; i++) {
        circle[2 * i] = cos(2 * PI * (double)i / (double)n_points);
        circle[2 * i + 1] = sin(2 * PI * (double)i / (double)n_points);
    }
    for (size_t k = 0; k < 6; k++) {
        asked[2 * k] = distances[k] * cos((double)k);
        asked[2 * k + 1] = distances[k] * sin((double)k);
    }
    frocc_rows rows = frocc_rows_f64(circle, n_points, 2), points = frocc_rows_f64(asked, 6, 2);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        measure(seed, m, &rows, &points, mu);
        for (size_t k = 0; k < 6; k++)
            close_to(mu[k], 2 * acos(1 / distances[k]) / PI, m, "outside a circle");
    }
    free(circle);
}

/*
 * Two points at -e and +e fill |<e, w>| in direction w. The point b across them is outside when
 * b |sin t| > |cos t|: a share 1 - (2/pi) atan(1/b). A point on the segment is never outside, one
 * on the line beyond it always.
 */
static void measure_beside_a_segment(void) {
    double segment[] = {-1, 0, 1, 0};
    double asked[] = {0, 0.5, 0, 1, 0, 3, 0.5, 0, 1.5, 0, 1, 0};
    double mu[6];
    size_t m = (size_t)check_cases(100000, 2000);
    frocc_rows rows = frocc_rows_f64(segment, 2, 2), points = frocc_rows_f64(asked, 6, 2);

    measure(9, m, &rows, &points, mu);
    close_to(mu[0], 1 - 2 / PI * atan(2), m, "half beside a segment");
    close_to(mu[1], 0.5, m, "1 beside a segment");
    close_to(mu[2], 1 - 2 / PI * atan(1.0 / 3), m, "3 beside a segment");
    check(mu[3] == 0, "a point of the segment has measure %g", mu[3]);
    check(mu[4] == 1, "a point beyond the end has measure %g", mu[4]);
    check(mu[5] == 0, "an end of the segment has measure %g", mu[5]);
}

/* Three dimensions: the six corners of an octahedron fill max |w_j|. */
static void measure_at_an_octahedron(void) {
    double corners[] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    double asked[] = {0, 0, 0, 1e3, 0, 0, 1.5, 1.5, 0}, mu[3];
    size_t m = (size_t)check_cases(100000, 2000);
    frocc_rows rows = frocc_rows_f64(corners, 6, 3), points = frocc_rows_f64(asked, 3, 3);

    measure(4, m, &rows, &points, mu);
    check(mu[0] == 0, "the centre has measure %g", mu[0]);
    check(mu[1] > 0.99, "a point far away has measure %g", mu[1]);
    check(mu[2] > 0.2 && mu[2] < 0.9, "a point near a face has measure %g", mu[2]);
    /* with only two opposite corners, the other axis is a coin: |w2| > |w1| half the time */
    double pair[] = {1, 0, 0, -1, 0, 0}, other[] = {0, 1, 0};
    frocc_rows two = frocc_rows_f64(pair, 2, 3), one = frocc_rows_f64(other, 1, 3);
    measure(5, m, &two, &one, mu);
    close_to(mu[0], 0.5, m, "one axis against another");
}

/* The measure predicts the share of models of m directions, epsilon 1, that accept the point. */
static void measure_predicts_acceptance(void) {
    double segment[] = {-1, 0, 1, 0}, asked[] = {0, 0.5}, mu = 1 - 2 / PI * atan(2);
    frocc_rows rows = frocc_rows_f64(segment, 2, 2), point = frocc_rows_f64(asked, 1, 2);
    int accepted = 0, models = check_cases(4000, 400), m = 4;

    for (int i = 0; i < models; i++) {
        frocc_params p;
        frocc_model *model = NULL;
        frocc_scorer *scorer = NULL;
        uint8_t normal = 0;
        frocc_params_init_paper(&p);
        p.seed = (uint64_t)i;
        p.n_directions = (size_t)m;
        p.epsilon = 1;
        p.threads = 1;
        check_ok(frocc_fit(&p, &rows, &model));
        check_ok(frocc_scorer_new(model, 1, &scorer));
        check_ok(frocc_scorer_decide(scorer, &point, 1, &normal));
        accepted += normal;
        frocc_scorer_free(scorer);
        frocc_model_free(model);
    }
    close_to((double)accepted / models, pow(1 - mu, m), (size_t)models, "share that accepts");
}

static void measure_refuses(void) {
    double x[] = {0, 1, 2, 3}, bad[] = {0, NAN}, mu = 77;
    frocc_rows rows = frocc_rows_f64(x, 2, 2), point = frocc_rows_f64(x, 1, 2);
    frocc_rows wide = frocc_rows_f64(x, 1, 3), nan = frocc_rows_f64(bad, 1, 2);
    frocc_rows none = frocc_rows_f64(x, 0, 2);
    frocc_params p;

    frocc_params_init_paper(&p);
    p.n_directions = 10;
    check_is(frocc_theory_discriminating_measure(NULL, &rows, &point, &mu), FROCC_ERR_ARGUMENT);
    check_is(frocc_theory_discriminating_measure(&p, NULL, &point, &mu), FROCC_ERR_ARGUMENT);
    check_is(frocc_theory_discriminating_measure(&p, &rows, NULL, &mu), FROCC_ERR_ARGUMENT);
    check_is(frocc_theory_discriminating_measure(&p, &rows, &point, NULL), FROCC_ERR_ARGUMENT);
    check_is(frocc_theory_discriminating_measure(&p, &rows, &wide, &mu), FROCC_ERR_SHAPE);
    check_is(frocc_theory_discriminating_measure(&p, &rows, &nan, &mu), FROCC_ERR_DATA);
    check_is(frocc_theory_discriminating_measure(&p, &none, &point, &mu), FROCC_ERR_EMPTY);
    check(mu == 77, "a failure changed the result");
}

int main(void) {
    RUN_LAW(model_size_is_2_k_within_its_bounds, law_model_size, law_usual(), 510000);
    RUN(size_bounds);
    RUN_LAW(monotone_in_epsilon, law_monotone_in_epsilon, law_usual(), 520000);
    RUN_LAW(monotone_in_m, law_monotone_in_m, law_usual(), 530000);
    RUN(directions_needed_is_exact);
    RUN(directions_needed_refuses);
    RUN(measure_outside_a_circle);
    RUN(measure_beside_a_segment);
    RUN(measure_at_an_octahedron);
    RUN(measure_predicts_acceptance);
    RUN(measure_refuses);
    return check_end();
}
