/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scoring against the oracle's intervals: counts, scores, decisions at a threshold, distances, and
 * whole grids of (epsilon, m); one row or many, by any number of threads.
 */
#include "laws.h"
#include "oracle.h"

/* Rows to ask about: some of the training rows, some moved a little, some far away. */
static data queries_of(rng *r, const data *x, size_t count) {
    data q = {count, x->d, NEW(double, count * x->d), NEW(float, count * x->d)};

    for (size_t i = 0; i < count; i++) {
        size_t from = rng_below(r, x->n), other = rng_below(r, x->n);
        double blend = i % 4 == 1 ? rng_unit(r) : 0;
        double away = i % 4 == 2 ? 0.05 : i % 4 == 3 ? 10 : 0;
        for (size_t j = 0; j < x->d; j++) {
            double a = x->f64[from * x->d + j], b = x->f64[other * x->d + j];
            double value = a + blend * (b - a);
            value += away * rng_normal(r) * fmax(fabs(a - b), 1e-3 * fabs(a));
            q.f32[i * x->d + j] = (float)value;
            q.f64[i * x->d + j] = (double)(float)value;
        }
    }
    return q;
}

/* The oracle's answers: per query and direction, whether accepted and how far away. */
typedef struct answers {
    size_t m;
    uint32_t *counts;
    float *distances;
} answers;

static answers answers_of(const setup *s, const frocc_model *model, const data *x, const data *q) {
    frocc_frame *frame = frocc_model_frame(model);
    oracle *o = oracle_new(&s->params, frame);
    size_t m = o->n_directions, n = x->n;
    answers a = {m, NEW(uint32_t, q->n), NEW(float, q->n *m)};
    float *train = NEW(float, n *m), *ask = NEW(float, q->n *m), *values = NEW(float, n);
    float *lower = NEW(float, n), *upper = NEW(float, n);

    for (size_t r = 0; r < n; r++)
        oracle_values(o, x->f64 + r * x->d, train + r * m);
    for (size_t r = 0; r < q->n; r++)
        oracle_values(o, q->f64 + r * x->d, ask + r * m);
    for (size_t i = 0; i < m; i++) {
        for (size_t r = 0; r < n; r++)
            values[r] = train[r * m + i];
        size_t count = oracle_intervals(values, n, s->params.epsilon, lower, upper);
        for (size_t r = 0; r < q->n; r++) {
            a.counts[r] += oracle_member(lower, upper, count, ask[r * m + i]);
            a.distances[r * m + i] = oracle_distance(lower, upper, count, ask[r * m + i]);
        }
    }
    free(train);
    free(ask);
    free(values);
    free(lower);
    free(upper);
    oracle_free(o);
    frocc_frame_free(frame);
    return a;
}

static void answers_free(answers *a) {
    free(a->counts);
    free(a->distances);
}

static frocc_scorer *scorer_of(const frocc_model *model, int threads) {
    frocc_scorer *scorer = NULL;
    check_ok(frocc_scorer_new(model, threads, &scorer));
    return scorer;
}

static void same_counts(frocc_scorer *scorer, const frocc_rows *rows, const answers *a) {
    uint32_t *counts = NEW(uint32_t, rows->n_rows);
    double *scores = NEW(double, rows->n_rows);

    check_ok(frocc_scorer_count(scorer, rows, counts));
    check_ok(frocc_scorer_score(scorer, rows, scores));
    for (size_t r = 0; r < rows->n_rows; r++) {
        check(counts[r] == a->counts[r], "row %zu: %u directions accept, the oracle says %u", r,
              counts[r], a->counts[r]);
        check(scores[r] == (double)counts[r] / (double)a->m, "row %zu: score %a", r, scores[r]);
    }
    free(counts);
    free(scores);
}

static void same_decisions(frocc_scorer *scorer, const frocc_rows *rows, const answers *a,
                           double own) {
    static const double thresholds[] = {1, 0.9, 0.5, 0, NAN, 1.0 / 3, 0.999999};
    uint8_t *normal = NEW(uint8_t, rows->n_rows);

    for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++) {
        double threshold = isnan(thresholds[t]) ? own : thresholds[t];
        memset(normal, 77, rows->n_rows);
        check_ok(frocc_scorer_decide(scorer, rows, thresholds[t], normal));
        for (size_t r = 0; r < rows->n_rows; r++) {
            uint8_t expected = (double)a->counts[r] / (double)a->m >= threshold;
            check(normal[r] == expected, "row %zu: %u of %zu at threshold %g decides %d", r,
                  a->counts[r], a->m, threshold, normal[r]);
        }
    }
    free(normal);
}

/* Every value a threshold can turn on: k/m itself and its neighbours among the doubles. */
static void decisions_at_the_edge(frocc_scorer *scorer, const frocc_rows *rows, const answers *a) {
    uint8_t *normal = NEW(uint8_t, rows->n_rows);

    for (size_t k = 0; k <= a->m; k += 1 + a->m / 8)
        for (int side = -1; side <= 1; side++) {
            double threshold = nextafter((double)k / (double)a->m, side < 0 ? -1.0 : 2.0);
            threshold = side == 0 ? (double)k / (double)a->m : threshold;
            if (threshold < 0 || threshold > 1)
                continue;
            check_ok(frocc_scorer_decide(scorer, rows, threshold, normal));
            for (size_t r = 0; r < rows->n_rows; r++)
                check(normal[r] == ((double)a->counts[r] / (double)a->m >= threshold),
                      "row %zu: %u of %zu at threshold %a decides %d", r, a->counts[r], a->m,
                      threshold, normal[r]);
        }
    free(normal);
}

static void same_distances(frocc_scorer *scorer, const frocc_rows *rows, const answers *a) {
    size_t size = rows->n_rows * a->m;
    float *distances = NEW(float, size);

    check_ok(frocc_scorer_distances(scorer, rows, distances));
    for (size_t k = 0; k < size; k++)
        check(distances[k] == a->distances[k] ||
                  (isinf(a->distances[k]) && distances[k] >= 3.4e38f),
              "row %zu, direction %zu: distance %a, the oracle says %a", k / a->m, k % a->m,
              (double)distances[k], (double)a->distances[k]);
    free(distances);
}

static void law_against_the_oracle(rng *r, setup *s, const data *x) {
    if (s->params.scaling == FROCC_SCALING_ASINH) /* the oracle has no asinh */
        return;
    data q = queries_of(r, x, 1 + rng_below(r, (size_t)check_cases(150, 20)));
    frocc_model *model = fit(&s->params, x);
    frocc_scorer *scorer = scorer_of(model, 1 + (int)rng_below(r, 3));
    answers a = answers_of(s, model, x, &q);
    frocc_rows rows = data_rows(&q);

    frocc_model_free(model); /* the scorer keeps what it needs */
    same_counts(scorer, &rows, &a);
    same_decisions(scorer, &rows, &a, s->params.threshold);
    decisions_at_the_edge(scorer, &rows, &a);
    same_distances(scorer, &rows, &a);
    frocc_scorer_free(scorer);
    answers_free(&a);
    data_free(&q);
}

/* Everything asked in one batch, as expected from single rows, other threads, other forms. */
typedef struct replies {
    uint32_t *counts;
    double *scores;
    uint8_t *normal;
    float *distances;
} replies;

static replies replies_new(size_t n, size_t m) {
    replies a = {NEW(uint32_t, n), NEW(double, n), NEW(uint8_t, n), NEW(float, n *m)};
    return a;
}

static void replies_free(replies *a) {
    free(a->counts);
    free(a->scores);
    free(a->normal);
    free(a->distances);
}

static void ask(frocc_scorer *scorer, const frocc_rows *rows, size_t at, size_t m, replies *a) {
    check_ok(frocc_scorer_count(scorer, rows, a->counts + at));
    check_ok(frocc_scorer_score(scorer, rows, a->scores + at));
    check_ok(frocc_scorer_decide(scorer, rows, 0.8, a->normal + at));
    check_ok(frocc_scorer_distances(scorer, rows, a->distances + at * m));
}

static void same_replies(const replies *a, const replies *b, size_t n, size_t m, const char *how) {
    check(memcmp(a->counts, b->counts, n * sizeof *a->counts) == 0, "%s: counts differ", how);
    check(memcmp(a->scores, b->scores, n * sizeof *a->scores) == 0, "%s: scores differ", how);
    check(memcmp(a->normal, b->normal, n) == 0, "%s: decisions differ", how);
    check(memcmp(a->distances, b->distances, n * m * sizeof(float)) == 0, "%s: distances differ",
          how);
}

static void ask_in_batches(frocc_scorer *scorer, const data *q, size_t batch, size_t m,
                           replies *a) {
    for (size_t at = 0; at < q->n; at += batch) {
        frocc_rows rows = data_part(q, at, batch < q->n - at ? batch : q->n - at);
        ask(scorer, &rows, at, m, a);
    }
}

static void law_batches_threads_forms(rng *r, setup *s, const data *x) {
    static const size_t batches[] = {1, 3, 47, 48, 49, 1000};
    data q = queries_of(r, x, 120);
    size_t m = s->params.n_directions;
    frocc_model *model = fit(&s->params, x);
    replies base = replies_new(q.n, m), other = replies_new(q.n, m);
    csr sparse = csr_new(r, &q);
    frocc_rows rows = data_rows(&q);
    frocc_scorer *one = scorer_of(model, 1);

    ask(one, &rows, 0, m, &base);
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        ask_in_batches(one, &q, batches[i], m, &other);
        same_replies(&base, &other, q.n, m, "another batch size");
    }
    for (int threads = 0; threads <= 8; threads++) {
        frocc_scorer *many = scorer_of(model, threads);
        ask(many, &rows, 0, m, &other);
        same_replies(&base, &other, q.n, m, "another number of threads");
        frocc_scorer_free(many);
    }
    rows = frocc_rows_f32(q.f32, q.n, q.d);
    ask(one, &rows, 0, m, &other);
    same_replies(&base, &other, q.n, m, "float32 rows");
    rows = frocc_rows_csr(FROCC_F32, sparse.f32, sparse.row_start, sparse.columns, q.n, q.d);
    ask(one, &rows, 0, m, &other);
    same_replies(&base, &other, q.n, m, "sparse rows");
    replies_free(&base);
    replies_free(&other);
    csr_free(&sparse);
    frocc_scorer_free(one);
    frocc_model_free(model);
    data_free(&q);
}

static void law_training_rows_score_1(rng *r, setup *s, const data *x) {
    frocc_model *model = fit(&s->params, x);
    frocc_scorer *scorer = scorer_of(model, 1 + (int)rng_below(r, 2));
    double *scores = NEW(double, x->n);
    uint8_t *normal = NEW(uint8_t, x->n);
    frocc_rows rows = data_rows(x);

    check_ok(frocc_scorer_score(scorer, &rows, scores));
    check_ok(frocc_scorer_decide(scorer, &rows, 1, normal));
    for (size_t i = 0; i < x->n; i++)
        check(scores[i] == 1 && normal[i] == 1, "training row %zu scores %g", i, scores[i]);
    free(scores);
    free(normal);
    frocc_scorer_free(scorer);
    frocc_model_free(model);
}

/* ---- Grids ----------------------------------------------------------------------------------- */

/* The counts of one cell, by making its model. */
static void count_with(const frocc_model *model, float epsilon, uint32_t m, const frocc_rows *rows,
                       uint32_t *counts) {
    frocc_model *coarser = NULL, *shorter = NULL;
    frocc_scorer *scorer;

    check_ok(frocc_model_coarsen(model, epsilon, &coarser));
    check_ok(frocc_model_truncate(coarser, m, &shorter));
    scorer = scorer_of(shorter, 1);
    check_ok(frocc_scorer_count(scorer, rows, counts));
    frocc_scorer_free(scorer);
    frocc_model_free(shorter);
    frocc_model_free(coarser);
}

static void law_grid(rng *r, setup *s, const data *x) {
    enum { EPSILONS = 4, MS = 3 };
    data q = queries_of(r, x, 60);
    frocc_model *model = fit(&s->params, x);
    frocc_scorer *scorer = scorer_of(model, 1 + (int)rng_below(r, 3));
    frocc_rows rows = data_rows(&q);
    size_t m = s->params.n_directions, n_ms = 0;
    float epsilons[EPSILONS] = {s->params.epsilon};
    uint32_t ms[MS], *grid = NEW(uint32_t, q.n * EPSILONS * MS), *direct = NEW(uint32_t, q.n);

    for (int i = 1; i < EPSILONS; i++)
        epsilons[i] = (float)rng_between(r, (double)epsilons[i - 1], 1);
    for (uint32_t i = 1; i <= MS; i++) /* rising, the last is all of them */
        if (i == MS || m * i / MS > (n_ms ? ms[n_ms - 1] : 0))
            ms[n_ms++] = (uint32_t)(m * i / MS);
    size_t n_epsilons = 1; /* equal neighbours do not rise: leave them out */
    for (int i = 1; i < EPSILONS; i++)
        if (epsilons[i] > epsilons[n_epsilons - 1])
            epsilons[n_epsilons++] = epsilons[i];
    if (n_ms > 1 && ms[n_ms - 1] == ms[n_ms - 2])
        n_ms--;
    check_ok(frocc_scorer_grid(scorer, &rows, epsilons, n_epsilons, ms, n_ms, grid));
    for (size_t e = 0; e < n_epsilons; e++)
        for (size_t k = 0; k < n_ms; k++) {
            count_with(model, epsilons[e], ms[k], &rows, direct);
            for (size_t i = 0; i < q.n; i++)
                check(grid[(i * n_epsilons + e) * n_ms + k] == direct[i],
                      "row %zu, epsilon %g, m %u: the grid says %u, the model %u", i,
                      (double)epsilons[e], ms[k], grid[(i * n_epsilons + e) * n_ms + k], direct[i]);
        }
    free(grid);
    free(direct);
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    data_free(&q);
}

/* ---- A caller's kernel that has no value everywhere ------------------------------------------ */

static float nan_far_away(void *context, const float *row, const float *direction, size_t d) {
    (void)context;
    (void)d;
    return fabsf(row[0]) > 100 ? NAN : row[0] > 50 ? INFINITY : row[0] * direction[0];
}

static void nan_of_a_kernel_is_a_rejection(void) {
    double train[] = {1, 2, 3, 60}, ask_rows[] = {1000, 2, 70, -5};
    frocc_rows rows = frocc_rows_f64(train, 4, 1), queries = frocc_rows_f64(ask_rows, 4, 1);
    frocc_params p;
    frocc_model *model = NULL;
    uint32_t counts[4];

    frocc_params_init_paper(&p);
    p.n_directions = 5;
    p.kernel = FROCC_KERNEL_CUSTOM;
    p.kernel_fn = nan_far_away;
    p.kernel_name = "odd";
    check_ok(frocc_fit(&p, &rows, &model));
    frocc_scorer *scorer = scorer_of(model, 1);
    check_ok(frocc_scorer_count(scorer, &queries, counts));
    check(counts[0] == 0, "a row without a value is accepted by %u directions", counts[0]);
    check(counts[1] == 5, "a training row is accepted by %u of 5 directions", counts[1]);
    check(counts[2] == 5, "infinity counts as the largest float: %u of 5", counts[2]);
    check(counts[3] == 0, "-5 lies outside in both directions of the line: %u", counts[3]);
    frocc_scorer_free(scorer);
    frocc_model_free(model);
}

int main(void) {
    RUN_LAW(counts_decisions_distances_match_the_oracle, law_against_the_oracle, law_usual(),
            300000);
    RUN_LAW(batches_threads_and_forms, law_batches_threads_forms, law_small(), 310000);
    RUN_LAW(sparse_rows_score_like_dense_ones, law_batches_threads_forms, law_sparse(), 315000);
    RUN_LAW(training_rows_score_1, law_training_rows_score_1, law_usual(), 320000);
    RUN_LAW(grids_match_their_models, law_grid, law_usual(), 330000);
    RUN(nan_of_a_kernel_is_a_rejection);
    return check_end();
}
