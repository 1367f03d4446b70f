/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Closeness against its description, in double: per direction log e / log epsilon, where e is the
 * smallest epsilon at which the direction would accept; 1 + distance / range outside its range.
 * And what every score promises: the same bits for any batch, thread and form, 1 for training rows.
 */
#include "laws.h"

/* What one direction makes of a value. */
static double naive_term(const float *lower, const float *upper, size_t count, float value,
                         double epsilon) {
    double range = (double)upper[count - 1] - (double)lower[0], x = (double)value, e = epsilon;

    if (range == 0)
        range = 1;
    if (x < (double)lower[0]) {
        e = 1 + ((double)lower[0] - x) / range;
    } else if (x > (double)upper[count - 1]) {
        e = 1 + (x - (double)upper[count - 1]) / range;
    } else {
        for (size_t i = 0; i + 1 < count; i++)
            if (x > (double)upper[i] && x < (double)lower[i + 1])
                e = fmax(epsilon, ((double)lower[i + 1] - (double)upper[i]) / range);
    }
    return log(e) / log(epsilon);
}

static double *naive_scores(const frocc_model *model, const data *q) {
    frocc_model_info info = describe(model);
    frocc_frame *frame = frocc_model_frame(model);
    size_t m = info.n_directions, n = q->n;
    double *scores = NEW(double, n);
    float *values = NEW(float, n *m);
    frocc_rows rows = data_rows(q);

    check_ok(frocc_frame_project(frame, &rows, values));
    for (size_t i = 0; i < m; i++) {
        size_t count = 0;
        check_ok(frocc_model_intervals(model, i, NULL, NULL, 0, &count));
        float *lower = NEW(float, count), *upper = NEW(float, count);
        check_ok(frocc_model_intervals(model, i, lower, upper, count, &count));
        for (size_t k = 0; k < n; k++)
            scores[k] +=
                naive_term(lower, upper, count, values[k * m + i], (double)info.judged_epsilon) /
                (double)m;
        free(lower);
        free(upper);
    }
    free(values);
    frocc_frame_free(frame);
    return scores;
}

static void closeness(rng *r, setup *s) {
    s->params.score = FROCC_SCORE_CLOSENESS;
    if (s->params.epsilon >= 1)
        s->params.epsilon = 0.25f;
    s->params.threshold = rng_between(r, -1, 1);
}

static void score_rows(const frocc_model *model, int threads, frocc_rows rows, double *scores) {
    frocc_scorer *scorer = NULL;
    check_ok(frocc_scorer_new(model, threads, &scorer));
    check_ok(frocc_scorer_score(scorer, &rows, scores));
    frocc_scorer_free(scorer);
}

static void law_matches_its_description(rng *r, setup *s, const data *x) {
    data q = rows_between(r, x, 40);
    double *scores = NEW(double, q.n);

    closeness(r, s);
    frocc_model *model = fit(&s->params, x);
    check(describe(model).score == FROCC_SCORE_CLOSENESS, "the score is not kept");
    score_rows(model, 1, data_rows(&q), scores);
    double *expected = naive_scores(model, &q);
    for (size_t i = 0; i < q.n; i++) {
        check(scores[i] <= 1, "row %zu is closer than close: %g", i, scores[i]);
        check(fabs(scores[i] - expected[i]) <= 1e-5 * (1 + fabs(expected[i])),
              "row %zu scores %.9g, by its description %.9g", i, scores[i], expected[i]);
    }
    free(scores);
    free(expected);
    frocc_model_free(model);
    data_free(&q);
}

static void law_training_rows_score_1(rng *r, setup *s, const data *x) {
    double *scores = NEW(double, x->n);

    closeness(r, s);
    frocc_model *model = fit(&s->params, x);
    score_rows(model, 2, data_rows(x), scores);
    for (size_t i = 0; i < x->n; i++)
        check(scores[i] == 1, "training row %zu scores %.17g", i, scores[i]);
    free(scores);
    frocc_model_free(model);
}

/* Any batch, any number of threads, any form of rows: the same bits. */
static void law_same_bits(rng *r, setup *s, const data *x) {
    static const size_t batches[] = {1, 5, 47, 48, 49, 100};
    data q = rows_between(r, x, 130);
    double *base = NEW(double, q.n), *other = NEW(double, q.n);
    csr sparse = csr_new(r, &q);

    closeness(r, s);
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

    closeness(r, s);
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

/* The laws of the sketch hold whatever the score is. */
static void law_same_bytes(rng *r, setup *s, const data *x) {
    frocc_load_options options = setup_load_options(s);
    size_t m = s->params.n_directions, half = x->n / 2;
    frocc_model *loaded = NULL, *shorter = NULL, *merged = NULL;

    closeness(r, s);
    frocc_model *model = fit(&s->params, x);
    blob b = blob_of(model);
    check_ok(frocc_model_from_bytes(b.bytes, b.size, &options, &loaded));
    check_same(model, loaded, "to bytes and back");
    frocc_frame *frame = frame_of(&s->params, x);
    if (half > 0) {
        frocc_fitter *one = fitter_of(frame, &s->params), *two = fitter_of(frame, &s->params);
        fitter_take(one, x, half, x->n - half);
        fitter_take(two, x, 0, half);
        frocc_model *parts[] = {finish(one), finish(two)};
        check_ok(frocc_model_merge((const frocc_model *const *)parts, 2, &merged));
        check_same(model, merged, "merged from halves");
        frocc_model_free(parts[0]);
        frocc_model_free(parts[1]);
        frocc_fitter_free(one);
        frocc_fitter_free(two);
    }
    s->params.n_directions = 1 + rng_below(r, m);
    check_ok(frocc_model_truncate(model, s->params.n_directions, &shorter));
    frocc_model *direct = fit(&s->params, x);
    check_same(direct, shorter, "truncated");
    blob_free(&b);
    frocc_frame_free(frame);
    frocc_model_free(model);
    frocc_model_free(loaded);
    frocc_model_free(merged);
    frocc_model_free(shorter);
    frocc_model_free(direct);
}

/* ---- How finely n rows are judged -------------------------------------------------------------
 */

/* A fine model scores and calibrates as one fitted at the epsilon that its rows allow. */
static void judged_as_finely_as_rows_allow(void) {
    static const size_t sizes[] = {50, 5999, 6001, 20000, 40000};

    for (size_t i = 0; i < (size_t)check_cases(5, 3); i++) {
        rng r = rng_seed(1170000 + i);
        data x = data_new(&r, sizes[i], 2, i % 2 ? SHAPE_BLOB : SHAPE_CLUSTERS, true);
        data q = rows_between(&r, &x, 100);
        double *scores = NEW(double, q.n), *expected = NEW(double, q.n), limit = 0, other = 0;
        float judged = fmaxf(0.0002f, fminf(0.001f, 6.0f / (float)sizes[i]));
        frocc_params p;
        frocc_params_init_label_free(&p);
        p.n_directions = 16;
        p.epsilon = 0.0002f;
        frocc_model *fine = fit(&p, &x);
        p.epsilon = judged;
        frocc_model *same = fit(&p, &x);
        check(describe(fine).epsilon == 0.0002f && describe(fine).judged_epsilon == judged,
              "%zu rows are judged at %.9g, not %.9g", x.n, (double)describe(fine).judged_epsilon,
              (double)judged);
        score_rows(fine, 1, data_rows(&q), scores);
        score_rows(same, 1, data_rows(&q), expected);
        check(memcmp(scores, expected, q.n * sizeof *scores) == 0, "%zu rows score otherwise", x.n);
        check_ok(frocc_model_threshold(fine, 0.05, &limit));
        check_ok(frocc_model_threshold(same, 0.05, &other));
        check(limit == other, "thresholds %.17g and %.17g", limit, other);
        free(scores);
        free(expected);
        frocc_model_free(fine);
        frocc_model_free(same);
        data_free(&q);
        data_free(&x);
    }
}

/* ---- Further out is never closer ------------------------------------------------------------- */

/* One direction, given as 1, so that a value is its own projection. */
static frocc_model *line_of(rng *r, float epsilon, size_t n, float *low, float *high) {
    static const float direction = 1;
    data x = data_new(r, n, 1, rng_chance(r, 2) ? SHAPE_BLOB : SHAPE_CLUSTERS, true);
    frocc_params p;

    frocc_params_init(&p);
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

/* Values from an end of the range outward: float by float, then by ever larger steps. */
static void check_outward(const frocc_model *model, float end, float outward) {
    enum { COUNT = 4000 };
    float *values = NEW(float, COUNT);
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
    for (size_t i = 1; i < COUNT; i++)
        check(scores[i] <= scores[i - 1], "%.9g scores %.17g, further out %.9g scores %.17g",
              (double)values[i - 1], scores[i - 1], (double)values[i], scores[i]);
    check(scores[0] == 1 && scores[1] < 0.2 && scores[COUNT - 1] < scores[1],
          "scores from %g over %g to %g", scores[0], scores[1], scores[COUNT - 1]);
    free(values);
    free(scores);
}

static void further_out_is_never_closer(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(60, 8); i++) {
        rng r = rng_seed(1150000 + i);
        float low, high, epsilon = (float)rng_log_between(&r, 1e-5, 0.9);
        frocc_model *model = line_of(&r, epsilon, 2 + rng_below(&r, 300), &low, &high);
        check_outward(model, high, 1);
        check_outward(model, low, -1);
        frocc_model_free(model);
    }
}

/* A row all of whose projections move outward: every direction agrees that it is further away. */
static void law_far_rows(rng *r, setup *s, const data *x) {
    data q = {24, x->d, NEW(double, 24 * x->d), NEW(float, 24 * x->d)};
    double scores[24];
    size_t from = rng_below(r, x->n);

    closeness(r, s);
    frocc_model *model = fit(&s->params, x);
    for (size_t j = 0; j < x->d; j++) {
        double away = rng_normal(r) * (1 + fabs(x->f64[from * x->d + j]));
        for (size_t i = 0; i < q.n; i++) /* at first already far outside */
            q.f64[i * x->d + j] = x->f64[from * x->d + j] + away * ldexp(1, (int)i + 8);
    }
    score_rows(model, 1, data_rows(&q), scores);
    for (size_t i = 1; i < q.n; i++)
        check(scores[i] <= scores[i - 1], "twice as far scores %.17g after %.17g", scores[i],
              scores[i - 1]);
    frocc_model_free(model);
    data_free(&q);
}

static void far_rows(void) {
    static const shape shapes[] = {SHAPE_CLUSTERS, SHAPE_TIES, SHAPE_DUPLICATES, SHAPE_SPARSE};
    uint64_t seed = 1160000;

    for (size_t k = 0; k < 4; k++) {
        law_sizes sizes = law_usual();
        sizes.only = shapes[k];
        for (int repeat = 0; repeat < sizes.repeats; repeat++, seed++) {
            law_case(law_far_rows, seed, &sizes, FROCC_KERNEL_LINEAR, FROCC_SCALING_STANDARD,
                     FROCC_FAMILY_GAUSSIAN);
            law_case(law_far_rows, seed, &sizes, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE,
                     FROCC_FAMILY_MIXED);
        }
    }
}

#define LAW(name, law, sizes, seed)                                                                \
    static void name(void) {                                                                       \
        law_everywhere(law, seed, sizes);                                                          \
    }

LAW(matches_its_description, law_matches_its_description, law_usual(), 1100000)
LAW(training_rows_score_1, law_training_rows_score_1, law_usual(), 1110000)
LAW(same_bits_however_asked, law_same_bits, law_small(), 1120000)
LAW(decisions_compare_the_score, law_decisions, law_usual(), 1130000)
LAW(same_bytes_however_made, law_same_bytes, law_usual(), 1140000)

int main(void) {
    RUN(matches_its_description);
    RUN(training_rows_score_1);
    RUN(same_bits_however_asked);
    RUN(decisions_compare_the_score);
    RUN(same_bytes_however_made);
    RUN(judged_as_finely_as_rows_allow);
    RUN(further_out_is_never_closer);
    RUN(far_rows);
    return check_end();
}
