/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Closeness against its definition, bit for bit: the oracle keeps every value and looks at all of
 * them. And what every score promises: the same bits for any batch, thread and form, at most 1, and
 * less for rows outside than for training rows.
 */
#include "closeness.h"

static void score_rows(const frocc_model *model, int threads, frocc_rows rows, double *scores) {
    frocc_scorer *scorer = NULL;
    check_ok(frocc_scorer_new(model, threads, &scorer));
    check_ok(frocc_scorer_score(scorer, &rows, scores));
    frocc_scorer_free(scorer);
}

/* ---- The definition -------------------------------------------------------------------------- */

static void same_as_the_oracle(const frocc_model *model, const data *x, const data *q) {
    oracle_rows learnt = oracle_rows_of(model, x);
    oracle_queries asked = oracle_queries_of(model, q);
    double *scores = NEW(double, q->n);

    score_rows(model, 1, data_rows(q), scores);
    for (size_t i = 0; i < q->n; i++) {
        oracle_row row = oracle_query(&asked, i);
        double expected = oracle_closeness(&learnt, ORACLE_NONE, &row);
        check(scores[i] == expected, "row %zu scores %.17g, by the definition %.17g", i, scores[i],
              expected);
    }
    free(scores);
    oracle_queries_free(&asked);
    oracle_rows_free(&learnt);
}

static void law_matches_its_definition(rng *r, setup *s, const data *x) {
    data q = rows_between(r, x, 40);

    setup_closeness(r, s);
    frocc_model *model = fit(&s->params, x);
    check(describe(model).score == FROCC_SCORE_CLOSENESS, "the score is not kept");
    same_as_the_oracle(model, x, &q);
    same_as_the_oracle(model, x, x);
    frocc_model_free(model);
    data_free(&q);
}

/* The default, from one row to as many as make leaves small; and with a share that may be
 * anomalies. */
static void default_matches_its_definition(void) {
    static const size_t sizes[] = {1, 2, 3, 30, 600, 4000};

    for (size_t i = 0; i < (size_t)check_cases(12, 8); i++) {
        rng r = rng_seed(1170000 + i);
        size_t n = sizes[i % 6];
        data x = data_new(&r, n, 4, i % 2 ? SHAPE_BLOB : SHAPE_CLUSTERS, true);
        data q = rows_between(&r, &x, 40);
        frocc_params p;
        frocc_params_init(&p);
        p.n_directions = 24;
        p.contamination = i < 6 ? 0 : 0.1;
        frocc_model *model = fit(&p, &x);
        check(describe(model).n_trees == 24 && describe(model).contamination == p.contamination,
              "%zu trees, contamination %g", describe(model).n_trees,
              describe(model).contamination);
        same_as_the_oracle(model, &x, &q);
        frocc_model_free(model);
        data_free(&q);
        data_free(&x);
    }
}

/* A kernel may give zeros of both signs, and infinities, which count as the largest float. */
static float steep(void *context, const float *row, const float *direction, size_t d) {
    float at = row[0] + row[d - 1] * direction[0];

    (void)context;
    return at > 1 ? INFINITY : at < -1 ? -INFINITY : at > 0 ? -0.0f : at < -0.5f ? at : 0.0f;
}

static void zeros_and_infinities_of_a_kernel(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(60, 20); i++) {
        rng r = rng_seed(1180000 + i);
        data x = data_new(&r, 1 + rng_below(&r, 60), 3, SHAPE_BLOB, true);
        data q = rows_between(&r, &x, 60);
        setup s;
        setup_init(&r, &s, FROCC_KERNEL_CUSTOM, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 9, 3);
        setup_closeness(&r, &s);
        s.params.kernel_fn = steep;
        frocc_model *model = fit(&s.params, &x);
        same_as_the_oracle(model, &x, &q);
        same_as_the_oracle(model, &x, &x);
        frocc_model_free(model);
        setup_free(&s);
        data_free(&q);
        data_free(&x);
    }
}

/* ---- Intervals and distances ----------------------------------------------------------------- */

typedef struct intervals {
    size_t count;
    float *lower, *upper;
} intervals;

static intervals intervals_of(const frocc_model *model, size_t direction) {
    intervals list = {0, NULL, NULL};

    check_ok(frocc_model_intervals(model, direction, NULL, NULL, 0, &list.count));
    list.lower = NEW(float, list.count);
    list.upper = NEW(float, list.count);
    check_ok(
        frocc_model_intervals(model, direction, list.lower, list.upper, list.count, &list.count));
    return list;
}

/* The root of a cost that is next to nothing. */
#define NEXT_TO_NOTHING 9

/* The cost that intervals may have: next to nothing, or a little more than the cheapest cell, which
 * has a value or lies beside one. */
static uint32_t largest_within(const oracle_rows *learnt, size_t direction) {
    const float *sorted = learnt->sorted + direction * learnt->n_rows;
    float low = sorted[0], high = sorted[learnt->n_rows - 1];
    float width = (float)oracle_cell_width(low, high, oracle_cells(learnt->epsilon));
    uint32_t least = UINT32_MAX;

    for (size_t i = 0; i < learnt->n_rows; i++)
        for (int side = -1; side <= 1; side++) {
            float value = sorted[i] + (float)side * width;
            if (value < low || value > high)
                continue;
            uint32_t cost = oracle_cost(learnt, direction, ORACLE_NONE, value);
            least = cost < least ? cost : least;
        }
    uint32_t root = (uint32_t)lround(sqrt((double)least));
    root += root / 4;
    return root > NEXT_TO_NOTHING ? root * root : NEXT_TO_NOTHING * NEXT_TO_NOTHING;
}

/* Intervals are the values that cost no more than that; they end where cells do, so that the very
 * end of one may belong to the next cell. Distances are from the nearest, and outside of all values
 * from those. */
static void same_intervals(const frocc_model *model, const oracle_rows *learnt, size_t direction,
                           const float *values, const float *distances, size_t n) {
    intervals list = intervals_of(model, direction);
    size_t m = learnt->n_directions;
    const float *sorted = learnt->sorted + direction * learnt->n_rows;
    float low = sorted[0], high = sorted[learnt->n_rows - 1];
    uint32_t most = largest_within(learnt, direction);

    check(list.count > 0, "direction %zu has no interval", direction);
    for (size_t k = 0; k + 1 < list.count; k++)
        check(list.upper[k] < list.lower[k + 1], "direction %zu: intervals overlap", direction);
    for (size_t i = 0; i < n; i++) {
        float value = values[i * m + direction], away = distances[i * m + direction];
        bool is_inside = value >= low && value <= high, is_end = false;
        bool costs = oracle_cost(learnt, direction, ORACLE_NONE, value) > most;
        float expected = is_inside     ? oracle_distance(list.lower, list.upper, list.count, value)
                         : value < low ? low - value
                                       : value - high;
        for (size_t k = 0; k < list.count; k++)
            is_end |= value == list.upper[k];
        check(away == expected, "%.9g is %.9g away, by the intervals %.9g", (double)value,
              (double)away, (double)expected);
        check(!is_inside || costs == (expected > 0) || (costs && is_end),
              "%.9g %s and is %.9g away", (double)value, costs ? "costs" : "is free",
              (double)expected);
    }
    free(list.lower);
    free(list.upper);
}

static void law_intervals_and_distances(rng *r, setup *s, const data *x) {
    data q = rows_between(r, x, 30);
    frocc_rows rows = data_rows(&q);
    frocc_scorer *scorer = NULL;
    uint64_t n_intervals = 0;

    setup_closeness(r, s);
    frocc_model *model = fit(&s->params, x);
    size_t m = s->params.n_directions;
    oracle_rows learnt = oracle_rows_of(model, x);
    learnt.needed = 0; /* intervals are those of the default's windows */
    float *values = projections_of(model, &q), *distances = NEW(float, q.n *m);
    check_ok(frocc_scorer_new(model, 2, &scorer));
    check_ok(frocc_scorer_distances(scorer, &rows, distances));
    for (size_t i = 0; i < m; i++) {
        size_t count = 0;
        same_intervals(model, &learnt, i, values, distances, q.n);
        check_ok(frocc_model_intervals(model, i, NULL, NULL, 0, &count));
        n_intervals += count;
    }
    check(frocc_model_count_intervals(model) == n_intervals, "n_intervals is %llu, not %llu",
          (unsigned long long)frocc_model_count_intervals(model), (unsigned long long)n_intervals);
    frocc_scorer_free(scorer);
    free(values);
    free(distances);
    oracle_rows_free(&learnt);
    frocc_model_free(model);
    data_free(&q);
}

/* ---- What every score promises --------------------------------------------------------------- */

/* Whether a row is beyond all values in every direction, with an empty cell between. */
static bool is_outside_everywhere(const frocc_model *model, const data *x, const data *row) {
    oracle_rows learnt = oracle_rows_of(model, x);
    float *values = projections_of(model, row);
    bool is_outside = true;

    for (size_t i = 0; i < learnt.n_directions; i++) /* 90 * 90 is the most that an end costs */
        is_outside &= oracle_cost(&learnt, i, ORACLE_NONE, values[i]) > 90 * 90;
    oracle_rows_free(&learnt);
    free(values);
    return is_outside;
}

static size_t far_rows_seen;

/* No row has more than 1, and no training row costs more than the end of a range, where a row that
 * is outside begins: one that is outside in every direction is further than all of them. */
static void law_training_rows_are_closest(rng *r, setup *s, const data *x) {
    double *scores = NEW(double, x->n), far_score;
    data far = {1, x->d, NEW(double, x->d), NEW(float, x->d)};

    setup_closeness(r, s);
    s->params.contamination = 0;
    frocc_model *model = fit(&s->params, x);
    score_rows(model, 2, data_rows(x), scores);
    for (size_t i = 0; i < x->n; i++)
        check(scores[i] <= 1, "training row %zu scores %.17g", i, scores[i]);
    for (size_t j = 0; j < x->d; j++) {
        double away = x->f64[j] + rng_normal(r) * (1 + fabs(x->f64[j])) * 0x1p8;
        far.f64[j] = fmax(fmin(away, 0x1p89), -0x1p89); /* above 2^90 values are refused */
    }
    if (is_outside_everywhere(model, x, &far)) {
        score_rows(model, 1, data_rows(&far), &far_score);
        for (size_t i = 0; i < x->n; i++)
            check(far_score < scores[i], "far away %.17g, training row %zu %.17g", far_score, i,
                  scores[i]);
        far_rows_seen++;
    }
    free(scores);
    data_free(&far);
    frocc_model_free(model);
}

/* Any batch, any number of threads, any form of rows: the same bits. */
static void law_same_bits(rng *r, setup *s, const data *x) {
    static const size_t batches[] = {1, 5, 47, 48, 49, 100};
    data q = rows_between(r, x, 130);
    double *base = NEW(double, q.n), *other = NEW(double, q.n);
    csr sparse = csr_new(r, &q);

    setup_closeness(r, s);
    frocc_model *model = fit(&s->params, x);
    score_rows(model, 1, data_rows(&q), base);
    for (int threads = 0; threads < 5; threads++) {
        score_rows(model, threads, data_rows(&q), other);
        check(memcmp(base, other, q.n * sizeof *base) == 0, "%d threads score otherwise", threads);
    }
    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
        for (size_t at = 0; at < q.n; at += batches[b]) {
            size_t count = batches[b] < q.n - at ? batches[b] : q.n - at;
            score_rows(model, 1, data_part(&q, at, count), other + at);
        }
        check(memcmp(base, other, q.n * sizeof *base) == 0, "batches of %zu score otherwise",
              batches[b]);
    }
    score_rows(model, 1, frocc_rows_f32(q.f32, q.n, q.d), other);
    check(memcmp(base, other, q.n * sizeof *base) == 0, "float32 rows score otherwise");
    score_rows(model, 1,
               frocc_rows_csr(FROCC_F64, sparse.f64, sparse.row_start, sparse.columns, q.n, q.d),
               other);
    check(memcmp(base, other, q.n * sizeof *base) == 0, "sparse rows score otherwise");
    free(base);
    free(other);
    csr_free(&sparse);
    frocc_model_free(model);
    data_free(&q);
}

/* A decision is the comparison of the score, at any threshold and at the model's own. */
static void law_decisions(rng *r, setup *s, const data *x) {
    data q = rows_between(r, x, 60);
    double *scores = NEW(double, q.n);
    uint8_t *normal = NEW(uint8_t, q.n);
    frocc_rows rows = data_rows(&q);
    frocc_scorer *scorer = NULL;

    setup_closeness(r, s);
    frocc_model *model = fit(&s->params, x);
    check_ok(frocc_scorer_new(model, 2, &scorer));
    check_ok(frocc_scorer_score(scorer, &rows, scores));
    for (int i = 0; i < 8; i++) {
        double threshold = i == 0 ? NAN : i == 1 ? 1 : scores[rng_below(r, q.n)];
        double limit = i == 0 ? s->params.threshold : threshold;
        check_ok(frocc_scorer_decide(scorer, &rows, threshold, normal));
        for (size_t k = 0; k < q.n; k++)
            check(normal[k] == (scores[k] >= limit), "row %zu: %.17g at %.17g decides %d", k,
                  scores[k], limit, normal[k]);
    }
    frocc_scorer_free(scorer);
    free(scores);
    free(normal);
    frocc_model_free(model);
    data_free(&q);
}

/* Agreement counts directions; closeness does not. */
static void what_closeness_cannot_do(void) {
    rng r = rng_seed(1190000);
    data x = data_new(&r, 60, 3, SHAPE_BLOB, true);
    frocc_params p;
    frocc_scorer *scorer = NULL;
    frocc_rows rows = data_rows(&x);
    uint32_t counts[60] = {7}, m = 20;
    float epsilon = 0.1f;
    frocc_model *coarser = NULL;

    frocc_params_init(&p);
    p.n_directions = m;
    frocc_model *model = fit(&p, &x);
    check_ok(frocc_scorer_new(model, 1, &scorer));
    check_is(frocc_scorer_count(scorer, &rows, counts), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_scorer_grid(scorer, &rows, &epsilon, 1, &m, 1, counts), FROCC_ERR_UNSUPPORTED);
    check(counts[0] == 7, "a failure changed the result");
    check_is(frocc_model_coarsen(model, 0.26f, &coarser), FROCC_ERR_ARGUMENT);
    check(coarser == NULL, "a failure changed the result");
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    data_free(&x);
}

/* ---- Further out is never closer ------------------------------------------------------------- */

/* One direction, given as 1, so that a value is its own projection. */
static frocc_model *line_of(rng *r, float epsilon, size_t n, float *low, float *high) {
    static const float direction = 1;
    data x = data_new(r, n, 1, rng_chance(r, 2) ? SHAPE_BLOB : SHAPE_CLUSTERS, true);
    frocc_params p;

    frocc_params_init_paper(&p);
    p.family = FROCC_FAMILY_GIVEN;
    p.directions = &direction;
    p.n_directions = 1;
    p.epsilon = epsilon;
    p.score = FROCC_SCORE_CLOSENESS;
    frocc_model *model = fit(&p, &x);
    *low = *high = x.f32[0];
    for (size_t i = 1; i < n; i++) {
        *low = fminf(*low, x.f32[i]);
        *high = fmaxf(*high, x.f32[i]);
    }
    data_free(&x);
    return model;
}

/* The width of the cells that a range and a value beyond it ask for together. */
static double cells_with(float low, float high, float value, double n_cells) {
    return oracle_cell_width(fminf(low, value), fmaxf(high, value), n_cells);
}

/* Values from an end of the range outward: float by float, then by ever larger steps. On the same
 * cells a value further out is never closer; on wider ones, which tell less, it is no closer than
 * the end. */
static void check_outward(const frocc_model *model, float low, float high, float outward) {
    enum { COUNT = 4000 };
    double n_cells = oracle_cells(describe(model).epsilon);
    float *values = NEW(float, COUNT), end = outward > 0 ? high : low;
    size_t n_same = 0;
    double *scores = NEW(double, COUNT);
    float step = 1e-6f;

    values[0] = end;
    for (size_t i = 1; i < COUNT; i++) {
        float next = nextafterf(values[i - 1], outward * INFINITY);
        if (i > COUNT / 2) {
            float far = values[i - 1] + outward * step;
            next = outward * far > outward * next ? far : next;
            step = fminf(step * 1.05f, 1e30f);
            next = fmaxf(fminf(next, 1e26f), -1e26f); /* above 2^90 values are refused */
        }
        values[i] = next;
    }
    score_rows(model, 1, frocc_rows_f32(values, COUNT, 1), scores);
    for (size_t i = 1; i < COUNT; i++) {
        bool same_cells = cells_with(low, high, values[i], n_cells) ==
                          cells_with(low, high, values[i - 1], n_cells);
        check(scores[i] <= (same_cells ? scores[i - 1] : scores[0]),
              "%.9g scores %.17g, further out %.9g scores %.17g", (double)values[i - 1],
              scores[i - 1], (double)values[i], scores[i]);
        n_same += same_cells;
    }
    check(scores[COUNT - 1] < scores[0] && n_same > COUNT / 2,
          "scores from %g over %g to %g, %zu of the same cells", scores[0], scores[1],
          scores[COUNT - 1], n_same);
    free(values);
    free(scores);
}

static void further_out_is_never_closer(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(60, 8); i++) {
        rng r = rng_seed(1150000 + i);
        float low, high, epsilon = (float)rng_log_between(&r, 0x1p-15, 0x1p-2);
        frocc_model *model = line_of(&r, epsilon, 2 + rng_below(&r, 300), &low, &high);
        check_outward(model, low, high, 1);
        check_outward(model, low, high, -1);
        frocc_model_free(model);
    }
}

static void training_rows_are_closest(void) {
    law_sizes usual = law_usual();
    usual.max_m = 12; /* so that a row is outside in all of them now and then */
    far_rows_seen = 0;
    law_everywhere(law_training_rows_are_closest, 1110000, usual);
    check(far_rows_seen > (check_quick() ? 20 : 100), "only %zu rows were outside everywhere",
          far_rows_seen);
}

int main(void) {
    RUN_LAW(matches_its_definition, law_matches_its_definition, law_usual(), 1100000);
    RUN(default_matches_its_definition);
    RUN(zeros_and_infinities_of_a_kernel);
    RUN_LAW(intervals_and_distances, law_intervals_and_distances, law_small(), 1140000);
    RUN(training_rows_are_closest);
    RUN_LAW(same_bits_however_asked, law_same_bits, law_small(), 1120000);
    RUN_LAW(decisions_compare_the_score, law_decisions, law_usual(), 1130000);
    RUN(what_closeness_cannot_do);
    RUN(further_out_is_never_closer);
    return check_end();
}
