/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calibrated models: the same bytes however they are made; p-values and thresholds against their
 * definition, from a table of calibration scores that is read off the thresholds; that table
 * against models fitted without the rows; p-values of fresh rows against the uniform distribution;
 * what is refused; and every allocation made to fail in turn.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdatomic.h>

#include "files.h"
#include "laws.h"

/* ---- Setups ---------------------------------------------------------------------------------- */

/* Some calibration for any setup; k far below and far above the number of rows. */
static void calibrated(rng *r, setup *s) {
    static const size_t most[] = {1, 2, 8, 50, 1024};
    frocc_params *p = &s->params;

    p->calibration_rows = most[rng_below(r, sizeof most / sizeof *most)];
    p->fpr = rng_chance(r, 3) ? 0 : rng_log_between(r, 0.005, 0.9);
    if (rng_chance(r, 2)) {
        p->score = FROCC_SCORE_CLOSENESS;
        p->threshold = rng_between(r, -1, 1);
        if (p->epsilon >= 1)
            p->epsilon = 0.25f;
    }
}

/* The default, with fewer directions. */
static frocc_params label_free(size_t m, size_t calibration_rows) {
    frocc_params p;

    frocc_params_init_label_free(&p);
    p.n_directions = m;
    p.calibration_rows = calibration_rows;
    p.threads = 1;
    return p;
}

static frocc_params agreement(size_t m, size_t calibration_rows) {
    frocc_params p;

    frocc_params_init(&p);
    p.n_directions = m;
    p.calibration_rows = calibration_rows;
    p.fpr = 0.05;
    p.threads = 1;
    return p;
}

static double *scores_of(const frocc_model *model, const data *x) {
    double *scores = NEW(double, x->n);
    frocc_rows rows = data_rows(x);
    frocc_scorer *scorer = NULL;

    check_ok(frocc_scorer_new(model, 1, &scorer));
    check_ok(frocc_scorer_score(scorer, &rows, scores));
    frocc_scorer_free(scorer);
    return scores;
}

/* Points on and around the lines between training rows. */
static data queries_of(rng *r, const data *x, size_t count) {
    data q = {count, x->d, NEW(double, count * x->d), NEW(float, count * x->d)};

    for (size_t i = 0; i < count; i++) {
        size_t from = rng_below(r, x->n), to = rng_below(r, x->n);
        double step = rng_between(r, -0.5, 1.5);
        for (size_t j = 0; j < x->d; j++) {
            double a = x->f64[from * x->d + j], b = x->f64[to * x->d + j];
            q.f64[i * x->d + j] = a + step * (b - a);
        }
    }
    return q;
}

/* ---- The same bytes however they are made ---------------------------------------------------- */

static void check_order_and_threads(rng *r, const frocc_params *params, const data *x,
                                    const frocc_model *direct) {
    size_t *order = NEW(size_t, x->n);
    frocc_params p = *params;

    for (p.threads = 1; p.threads < 5; p.threads++) {
        rng_shuffle(r, order, x->n);
        data y = data_reordered(x, order);
        frocc_model *other = fit(&p, &y);
        check_same(direct, other, "rows in another order, other threads");
        frocc_model_free(other);
        data_free(&y);
    }
    free(order);
}

static void check_batches(rng *r, const frocc_params *params, const data *x,
                          const frocc_model *direct) {
    frocc_frame *frame = frame_of(params, x);
    frocc_fitter *fitter = fitter_of(frame, params);
    size_t batch = rng_size(r, 1, 200);

    for (size_t done = 0; done < x->n; done += batch) {
        fitter_take(fitter, x, done, batch < x->n - done ? batch : x->n - done);
        if (done == 0) /* looking at it in between changes nothing */
            frocc_model_free(finish(fitter));
    }
    frocc_model *other = finish(fitter);
    check_same(direct, other, "rows in batches");
    frocc_model_free(other);
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
}

#define MOST_PARTS 6

/* Every row to a part at random; parts may be empty. */
static size_t split(rng *r, frocc_frame *frame, const frocc_params *params, const data *x,
                    frocc_fitter **parts) {
    size_t n_parts = 2 + rng_below(r, MOST_PARTS - 1);

    for (size_t i = 0; i < n_parts; i++)
        parts[i] = fitter_of(frame, params);
    for (size_t i = 0; i < x->n; i++)
        fitter_take(parts[rng_below(r, n_parts)], x, i, 1);
    return n_parts;
}

static frocc_model *merge_fitters(rng *r, frocc_fitter **parts, size_t n_parts) {
    while (n_parts > 1) {
        size_t into = rng_below(r, n_parts - 1);
        check_ok(frocc_fitter_merge(parts[into], parts[n_parts - 1]));
        frocc_fitter_free(parts[--n_parts]);
    }
    return finish(parts[0]);
}

/* A random tree: two or three models at random become one, until one is left. */
static frocc_model *merge_models(rng *r, frocc_model **models, size_t n) {
    while (n > 1) {
        size_t count = n > 2 && rng_chance(r, 2) ? 3 : 2, order[MOST_PARTS];
        frocc_model *shuffled[MOST_PARTS], *merged = NULL;
        rng_shuffle(r, order, n);
        for (size_t i = 0; i < n; i++)
            shuffled[i] = models[order[i]];
        check_ok(frocc_model_merge((const frocc_model *const *)shuffled, count, &merged));
        for (size_t i = 0; i < count; i++)
            frocc_model_free(shuffled[i]);
        models[0] = merged;
        for (size_t i = count; i < n; i++)
            models[i - count + 1] = shuffled[i];
        n -= count - 1;
    }
    return models[0];
}

static void check_merges(rng *r, const frocc_params *params, const data *x,
                         const frocc_model *direct) {
    frocc_frame *frame = frame_of(params, x);
    frocc_fitter *parts[MOST_PARTS];
    frocc_model *models[MOST_PARTS], *other;
    size_t n_parts = split(r, frame, params, x, parts), n_models = 0;

    for (size_t i = 0; i < n_parts; i++)
        if (frocc_fitter_rows(parts[i]) > 0)
            models[n_models++] = finish(parts[i]);
    other = merge_models(r, models, n_models);
    check_same(direct, other, "models merged");
    frocc_model_free(other);
    other = merge_fitters(r, parts, n_parts);
    check_same(direct, other, "fitters merged");
    frocc_model_free(other);
    frocc_fitter_free(parts[0]);
    frocc_frame_free(frame);
}

static void check_shorter_and_coarser(rng *r, const frocc_params *params, const data *x,
                                      const frocc_model *direct) {
    frocc_params p = *params;
    frocc_model *made = NULL, *fitted;

    p.n_directions = 1 + rng_below(r, params->n_directions);
    check_ok(frocc_model_truncate(direct, p.n_directions, &made));
    fitted = fit(&p, x);
    check_same(fitted, made, "truncated");
    frocc_model_free(fitted);
    frocc_model_free(made);
    if (params->epsilon > 0.9f)
        return;
    p = *params;
    p.epsilon = (float)rng_between(r, (double)params->epsilon, 0.99);
    check_ok(frocc_model_coarsen(direct, p.epsilon, &made));
    fitted = fit(&p, x);
    check_same(fitted, made, "coarsened");
    frocc_model_free(fitted);
    frocc_model_free(made);
}

static void check_file(setup *s, const frocc_model *direct) {
    frocc_load_options options = setup_load_options(s);
    char *folder = folder_new(), *path = path_in(folder, "model.frocc");
    frocc_model *loaded = NULL, *again = NULL;
    blob bytes = blob_of(direct);

    check_ok(frocc_model_save(direct, path));
    check_ok(frocc_model_load(path, &options, &loaded));
    check_same(direct, loaded, "saved and loaded");
    check(describe(loaded).calibration_rows == describe(direct).calibration_rows,
          "loading lost calibration rows");
    check_ok(frocc_model_from_bytes(bytes.bytes, bytes.size, &options, &again));
    check_same(direct, again, "to bytes and back");
    blob_free(&bytes);
    frocc_model_free(loaded);
    frocc_model_free(again);
    free(path);
    folder_free(folder);
}

static void check_sparse(rng *r, const frocc_params *params, const data *x,
                         const frocc_model *direct) {
    csr sparse = csr_new(r, x);
    frocc_rows rows =
        frocc_rows_csr(FROCC_F64, sparse.f64, sparse.row_start, sparse.columns, x->n, x->d);
    frocc_model *other = NULL;

    check_ok(frocc_fit(params, &rows, &other));
    check_same(direct, other, "sparse rows");
    frocc_model_free(other);
    csr_free(&sparse);
}

static void check_bytes(rng *r, setup *s, const data *x) {
    frocc_model *direct = fit(&s->params, x);

    check(describe(direct).n_rows == x->n, "rows were lost");
    check_order_and_threads(r, &s->params, x, direct);
    check_batches(r, &s->params, x, direct);
    check_merges(r, &s->params, x, direct);
    check_shorter_and_coarser(r, &s->params, x, direct);
    check_file(s, direct);
    check_sparse(r, &s->params, x, direct);
    frocc_model_free(direct);
}

static void law_same_bytes(rng *r, setup *s, const data *x) {
    calibrated(r, s);
    check_bytes(r, s, x);
}

static void same_bytes_however_made(void) {
    law_everywhere(law_same_bytes, 1200000, law_small());
}

static void same_bytes_of_sparse_rows(void) {
    law_everywhere(law_same_bytes, 1210000, law_sparse());
}

/* As few rows as there can be, copies of few rows, and the default parameters. */
static void same_bytes_of_few_rows(void) {
    static const size_t sizes[] = {1, 2, 3, 4, 9, 40};

    for (uint64_t i = 0; i < (uint64_t)check_cases(60, 12); i++) {
        rng r = rng_seed(1220000 + i);
        shape what = i % 3 == 0 ? SHAPE_DUPLICATES : i % 3 == 1 ? SHAPE_BLOB : SHAPE_TIES;
        data x = data_new(&r, sizes[i % 6], 1 + rng_below(&r, 6), what, true);
        setup s = {.params = label_free(10, i % 4 == 0 ? 2 : 1024)};
        s.params.seed = i;
        check_bytes(&r, &s, &x);
        data_free(&x);
    }
}

static void same_bytes_of_many_rows(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(6, 2); i++) {
        rng r = rng_seed(1230000 + i);
        size_t n = check_quick() ? 1500 : 5000;
        data x = data_new(&r, n, 5, i % 2 ? SHAPE_DUPLICATES : SHAPE_BLOB, true);
        setup s = {.params = i % 3 == 2 ? agreement(16, 8) : label_free(16, 8)};
        frocc_model *model = fit(&s.params, &x);
        if (i % 2 == 0) /* all rows are different */
            check(describe(model).calibration_rows == 8, "%llu rows are held, not 8",
                  (unsigned long long)describe(model).calibration_rows);
        frocc_model_free(model);
        check_bytes(&r, &s, &x);
        data_free(&x);
    }
}

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
    data q = queries_of(r, x, 80);
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

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Whether some rows, held in some folds, have the scores of the table. group: 0 is not held. */
static bool is_table_of(const size_t *group, size_t n, double score[][FEW], const double *table,
                        size_t h) {
    double scores[FEW];
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        size_t fold = 0;
        if (group[i] == 0)
            continue;
        for (size_t k = 0; k < n; k++)
            fold |= (size_t)(group[k] == group[i]) << k;
        if (fold + 1 == (size_t)1 << n)
            return h == 0; /* nobody is left to score them */
        scores[count++] = score[fold][i];
    }
    if (count != h)
        return false;
    qsort(scores, count, sizeof *scores, compare_doubles);
    return h == 0 || memcmp(scores, table, h * sizeof *scores) == 0;
}

/*
 * Of five rows, some are held in some folds; which ones depends on hashes that a caller does not
 * see. But there must be a choice for which every held row is scored by a model of exactly the rows
 * outside its fold, and the scores are numbers that no other choice gives by chance.
 */
static void scores_are_of_models_without_the_rows(void) {
    size_t held = 0;

    for (uint64_t i = 0; i < (uint64_t)check_cases(120, 20); i++) {
        rng r = rng_seed(1250000 + i);
        data x = data_new(&r, FEW, 3, SHAPE_BLOB, true);
        frocc_params p = i % 3 == 0 ? label_free(24, 1024) : agreement(24, 1 + i % 4);
        double score[1 << FEW][FEW];
        size_t group[FEW] = {0}, h;
        bool found = false;

        p.seed = i;
        if (i % 3 == 1) {
            p.score = FROCC_SCORE_CLOSENESS;
            p.kernel = i % 2 ? FROCC_KERNEL_RBF : FROCC_KERNEL_LINEAR;
        }
        frocc_model *model = fit(&p, &x);
        double *table = table_of(model, &h);
        score_without(&p, &x, score);
        for (size_t choice = 0; choice < 7776 && !found; choice++) { /* 6^5 */
            for (size_t k = 0, rest = choice; k < FEW; k++, rest /= 6)
                group[k] = rest % 6;
            found = is_table_of(group, FEW, score, table, h);
        }
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

/* ---- Fresh rows ------------------------------------------------------------------------------ */

/* Three factors and noise. */
static data correlated(rng *r, size_t n, size_t d, const double *loading) {
    data x = {n, d, NEW(double, n *d), NEW(float, n *d)};

    for (size_t i = 0; i < n; i++) {
        double z[3] = {rng_normal(r), rng_normal(r), rng_normal(r)};
        for (size_t j = 0; j < d; j++)
            x.f64[i * d + j] = loading[3 * j] * z[0] + loading[3 * j + 1] * z[1] +
                               loading[3 * j + 2] * z[2] + 0.5 * rng_normal(r);
    }
    return x;
}

typedef struct tally {
    size_t repetitions, n_train, n_fresh, h;
    bool ties; /* scores repeat, and equal scores make for large p-values */
    double *p; /* of all fresh rows of all repetitions, sorted at the end */
    size_t count;
} tally;

static void add_fresh(tally *t, uint64_t seed, frocc_params params) {
    rng r = rng_seed(seed);
    size_t d = 6;
    double *loading = NEW(double, 3 * d);

    for (size_t j = 0; j < 3 * d; j++)
        loading[j] = rng_normal(&r);
    data x = correlated(&r, t->n_train, d, loading), fresh = correlated(&r, t->n_fresh, d, loading);
    params.seed = seed;
    frocc_model *model = fit(&params, &x);
    double *scores = scores_of(model, &fresh);
    check_ok(frocc_model_p_values(model, scores, fresh.n, t->p + t->count));
    t->count += fresh.n;
    t->h = (size_t)describe(model).calibration_rows;
    check(t->h == params.calibration_rows, "%zu rows are held", t->h);
    free(scores);
    free(loading);
    frocc_model_free(model);
    data_free(&x);
    data_free(&fresh);
}

/*
 * Given the h calibration scores, a share that varies as Beta(k, h + 1 - k) of all fresh rows has a
 * p-value of at most a = k / (h + 1); of n_fresh rows one then sees a binomial number. So over R
 * repetitions the observed share has the variance a (1 - a) (1 / (h + 2) + 1 / n_fresh) / R,
 * nearly. Four standard errors are allowed above. The rows of a fold are scored by a model that
 * lacks a few rows more than the final one, so they score a little lower than fresh rows will and
 * p-values err on the large side: below, a twentieth of the rate is allowed besides.
 */
static void check_uniform(tally *t, const char *name) {
    static const double rates[] = {0.01, 0.05, 0.1, 0.25, 0.5};
    double worst = 0;
    double unit = (1 / ((double)t->h + 2) + 1 / (double)t->n_fresh) / (double)t->repetitions;

    qsort(t->p, t->count, sizeof *t->p, compare_doubles);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double a = floor(rates[i] * ((double)t->h + 1) + 1e-9) / ((double)t->h + 1);
        double error = sqrt(a * (1 - a) * unit);
        size_t below = 0;
        while (below < t->count && t->p[below] <= rates[i])
            below++;
        double share = (double)below / (double)t->count;
        printf("# %s: p <= %g for %.4f of fresh rows, standard error %.4f\n", name, rates[i], share,
               error);
        check(share <= a + 4 * error, "%.4f false alarms at %g", share, rates[i]);
        check(t->ties || share >= a * 0.95 - 4 * error, "only %.4f false alarms at %g", share,
              rates[i]);
    }
    /*
     * Kolmogorov and Smirnov's distance; 1.95 is what it exceeds once in a thousand, in units of
     * the standard error; besides the bias above. Rows that every direction accepts all score 1,
     * which makes a step at the end: the upper half counts on one side only.
     */
    for (size_t i = 0; i < t->count; i++) {
        double above = ((double)i + 1) / (double)t->count - t->p[i];
        if (i + 1 == t->count || t->p[i + 1] > t->p[i])
            worst = fmax(worst, t->ties || t->p[i] > 0.5 ? above : fabs(above));
    }
    printf("# %s: largest distance %.4f from uniform\n", name, worst);
    check(worst <= 1.95 * sqrt(unit) + 0.0125, "distance %.4f from uniform", worst);
}

static void check_fresh(const char *name, uint64_t seed, frocc_params params) {
    tally t = {.repetitions = (size_t)check_cases(40, 4),
               .n_train = 4000,
               .n_fresh = 500,
               .ties = params.score == FROCC_SCORE_AGREEMENT};

    t.p = NEW(double, t.repetitions *t.n_fresh);
    /* The streams of neighbouring seeds are the same but for a step; these do not meet. */
    for (size_t i = 0; i < t.repetitions; i++)
        add_fresh(&t, seed + i * 1000003, params);
    check_uniform(&t, name);
    free(t.p);
}

static void p_values_uniform_by_default(void) {
    check_fresh("default", 1260000, label_free(64, 200));
}

static void p_values_uniform_with_agreement(void) {
    frocc_params p = agreement(200, 200);

    p.epsilon = 0.001f; /* with many narrow directions few scores are equal */
    check_fresh("agreement", 1270000, p);
}

static void p_values_uniform_with_rbf(void) {
    frocc_params p = label_free(64, 200);

    p.kernel = FROCC_KERNEL_RBF;
    p.scaling = FROCC_SCALING_STANDARD;
    check_fresh("RBF", 1280000, p);
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

static void merging_other_calibrations(void) {
    rng r = rng_seed(1293000);
    data x = data_new(&r, 60, 3, SHAPE_BLOB, true);
    frocc_params p[3] = {agreement(10, 20), agreement(10, 21), agreement(10, 0)};
    frocc_model *models[3];
    frocc_fitter *fitters[3];
    frocc_frame *frame;

    p[2].fpr = 0;
    frame = frame_of(&p[0], &x);
    for (int i = 0; i < 3; i++) {
        models[i] = fit(&p[i], &x);
        fitters[i] = fitter_of(frame, &p[i]);
        fitter_take(fitters[i], &x, 0, x.n);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const frocc_model *both[] = {models[i], models[k]};
            frocc_model *merged = NULL, *after;
            if (i == k)
                continue;
            check_is(frocc_model_merge(both, 2, &merged), FROCC_ERR_FRAME);
            check(merged == NULL, "a failure changed the result");
            check_is(frocc_fitter_merge(fitters[i], fitters[k]), FROCC_ERR_FRAME);
            check(frocc_fitter_rows(fitters[i]) == x.n, "a refused merge took rows");
            after = finish(fitters[i]);
            check_same(models[i], after, "after a refused merge");
            frocc_model_free(after);
        }
    for (int i = 0; i < 3; i++) {
        frocc_model_free(models[i]);
        frocc_fitter_free(fitters[i]);
    }
    frocc_frame_free(frame);
    data_free(&x);
}

/* Rows that cannot be used, among rows to be held: the fitter keeps what it counts. */
static void bad_rows_between_held_ones(void) {
    for (uint64_t i = 0; i < 20; i++) {
        rng r = rng_seed(1294000 + i);
        data x = data_new(&r, 120, 4, SHAPE_BLOB, true);
        frocc_params p = agreement(12, 10 + i);
        frocc_frame *frame = frame_of(&p, &x);
        frocc_fitter *fitter = fitter_of(frame, &p);
        size_t at = rng_below(&r, x.n), held;
        double good = x.f64[at * x.d + 1];
        frocc_rows rows = data_rows(&x);

        x.f64[at * x.d + 1] = NAN;
        check_is(frocc_fitter_add(fitter, &rows), FROCC_ERR_DATA);
        x.f64[at * x.d + 1] = good;
        held = (size_t)frocc_fitter_rows(fitter);
        check(held <= at, "the row that cannot be used was counted");
        fitter_take(fitter, &x, held, x.n - held);
        frocc_model *after = finish(fitter), *direct = fit(&p, &x);
        check_same(direct, after, "a fitter that went on after a bad row");
        frocc_model_free(after);
        frocc_model_free(direct);
        frocc_fitter_free(fitter);
        frocc_frame_free(frame);
        data_free(&x);
    }
}

/* ---- Running out of memory ------------------------------------------------------------------- */

#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

static struct {
    atomic_bool armed;
    atomic_long calls, fail_at, live;
} memory;

static void *counted_allocate(void *context, size_t bytes) {
    void *block;

    (void)context;
    if (atomic_load(&memory.armed) &&
        atomic_fetch_add(&memory.calls, 1) + 1 == atomic_load(&memory.fail_at))
        return NULL;
    block = malloc(bytes);
    if (block)
        atomic_fetch_add(&memory.live, 1);
    return block;
}

static void counted_release(void *context, void *block) {
    (void)context;
    if (block)
        atomic_fetch_sub(&memory.live, 1);
    free(block);
}

static void arm(void) {
    atomic_store(&memory.calls, 0);
    atomic_store(&memory.armed, true);
}

static void disarm(void) {
    atomic_store(&memory.armed, false);
}

static struct {
    setup s;
    data x;
    frocc_model *base; /* of all rows */
} at;

typedef frocc_status (*operation)(void);

/* Fails the 1st, 2nd, ... allocation until the operation gets through; returns how many. */
static long fail_each(const char *name, operation op) {
    for (long n = 1;; n++) {
        long before = atomic_load(&memory.live);
        atomic_store(&memory.fail_at, n);
        frocc_status status = op();
        disarm();
        check(atomic_load(&memory.live) == before, "%s: %ld allocations leaked at failure %ld",
              name, atomic_load(&memory.live) - before, n);
        if (atomic_load(&memory.calls) < n) {
            check(status == FROCC_OK, "%s: %s without any failed allocation: %s", name,
                  frocc_status_name(status), frocc_last_error());
            return n - 1;
        }
        check(status == FROCC_ERR_MEMORY, "%s: %s when allocation %ld failed", name,
              frocc_status_name(status), n);
        check(strlen(frocc_last_error()) > 10, "%s: no sentence", name);
    }
}

/* Compares a model that was made, and insists that one that was not is untouched. */
static frocc_status made(frocc_status status, frocc_model *const *model, bool is_base) {
    disarm();
    if (status != FROCC_OK) {
        check(*model == UNTOUCHED, "a failure changed the result");
        return status;
    }
    if (is_base)
        check_same(at.base, *model, "made under a failing allocator");
    frocc_model_free(*model);
    return status;
}

static frocc_status op_fit(void) {
    frocc_model *model = UNTOUCHED;
    frocc_rows rows = data_rows(&at.x);

    arm();
    return made(frocc_fit(&at.s.params, &rows, &model), &model, true);
}

/* A fitter whose add failed holds what it counts, and with the rest added the model is right. */
static frocc_status op_stream(void) {
    frocc_frame *frame = frame_of(&at.s.params, &at.x);
    frocc_fitter *fitter = UNTOUCHED;
    frocc_model *model = UNTOUCHED;
    frocc_status status;

    arm();
    status = frocc_fitter_new(frame, &at.s.params, &fitter);
    if (status != FROCC_OK) {
        check(fitter == UNTOUCHED, "a failure changed the result");
        frocc_frame_free(frame);
        return status;
    }
    for (size_t done = 0; done < at.x.n && status == FROCC_OK; done += 60) {
        frocc_rows part = data_part(&at.x, done, at.x.n - done < 60 ? at.x.n - done : 60);
        status = frocc_fitter_add(fitter, &part);
    }
    if (status == FROCC_OK)
        status = frocc_fitter_finish(fitter, &model);
    status = made(status, &model, true);
    size_t held = (size_t)frocc_fitter_rows(fitter);
    check(held <= at.x.n, "the fitter counts more rows than it was given");
    if (held < at.x.n)
        fitter_take(fitter, &at.x, held, at.x.n - held);
    model = finish(fitter);
    check_same(at.base, model, "a fitter that went on after running out of memory");
    frocc_model_free(model);
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
    return status;
}

/* A merge that fails leaves the fitter as it was: the same merge then works. */
static frocc_status op_fitter_merge(void) {
    frocc_frame *frame = frame_of(&at.s.params, &at.x);
    frocc_fitter *a = fitter_of(frame, &at.s.params), *b = fitter_of(frame, &at.s.params);
    size_t half = at.x.n / 2;
    frocc_status status;

    fitter_take(a, &at.x, 0, half);
    fitter_take(b, &at.x, half, at.x.n - half);
    arm();
    status = frocc_fitter_merge(a, b);
    disarm();
    if (status != FROCC_OK) {
        check(frocc_fitter_rows(a) == half, "a failed merge took rows");
        check_ok(frocc_fitter_merge(a, b));
    }
    frocc_model *after = finish(a);
    check_same(at.base, after, "a merge that failed and was tried again");
    frocc_model_free(after);
    frocc_fitter_free(a);
    frocc_fitter_free(b);
    frocc_frame_free(frame);
    return status;
}

static frocc_status op_model_merge(void) {
    frocc_frame *frame = frame_of(&at.s.params, &at.x);
    frocc_fitter *a = fitter_of(frame, &at.s.params), *b = fitter_of(frame, &at.s.params);
    frocc_model *model = UNTOUCHED;

    fitter_take(a, &at.x, 0, at.x.n / 3);
    fitter_take(b, &at.x, at.x.n / 3, at.x.n - at.x.n / 3);
    frocc_model *one = finish(a), *two = finish(b);
    const frocc_model *models[] = {one, two};
    arm();
    frocc_status status = made(frocc_model_merge(models, 2, &model), &model, true);
    frocc_model_free(one);
    frocc_model_free(two);
    frocc_fitter_free(a);
    frocc_fitter_free(b);
    frocc_frame_free(frame);
    return status;
}

static frocc_status op_coarsen(void) {
    frocc_model *model = UNTOUCHED;
    arm();
    return made(frocc_model_coarsen(at.base, 0.7f, &model), &model, false);
}

static frocc_status op_truncate(void) {
    frocc_model *model = UNTOUCHED;
    arm();
    return made(frocc_model_truncate(at.base, 5, &model), &model, false);
}

static frocc_status op_load(void) {
    frocc_load_options options = setup_load_options(&at.s);
    void *bytes = UNTOUCHED;
    size_t size = 77;
    frocc_model *model = UNTOUCHED;
    frocc_status status;

    arm();
    status = frocc_model_to_bytes(at.base, &bytes, &size);
    if (status != FROCC_OK) {
        disarm();
        check(bytes == UNTOUCHED && size == 77, "a failure changed the result");
        return status;
    }
    status = frocc_model_from_bytes(bytes, size, &options, &model);
    disarm();
    frocc_bytes_free(bytes);
    return made(status, &model, true);
}

static frocc_status op_p_values(void) {
    double scores[3] = {0.2, 0.7, 1}, p[3], threshold;

    arm();
    frocc_status status = frocc_model_p_values(at.base, scores, 3, p);
    if (status == FROCC_OK)
        status = frocc_model_threshold(at.base, 0.2, &threshold);
    disarm();
    return status;
}

static void with_setups(const char *name, operation op) {
    static const size_t most[] = {6, 25, 1024};
    long worst = 0;

    for (int i = 0; i < check_cases(12, 4); i++) {
        rng r = rng_seed(1295000 + (uint64_t)i);
        at.x = data_new(&r, 180, 5, i % 4 == 3 ? SHAPE_DUPLICATES : SHAPE_CLUSTERS, true);
        setup_init(&r, &at.s, (frocc_kernel)(i % KERNELS), (frocc_scaling)(i % SCALINGS),
                   i % 2 ? FROCC_FAMILY_MIXED : FROCC_FAMILY_GAUSSIAN, 20, 5);
        at.s.params.epsilon = 0.02f;
        at.s.params.sample_rows = 40;
        at.s.params.calibration_rows = most[i % 3];
        at.s.params.score = i % 2 ? FROCC_SCORE_CLOSENESS : FROCC_SCORE_AGREEMENT;
        at.s.params.threads = 1 + i % 3;
        at.base = fit(&at.s.params, &at.x);
        long count = fail_each(name, op);
        worst = count > worst ? count : worst;
        frocc_model_free(at.base);
        setup_free(&at.s);
        data_free(&at.x);
    }
    printf("# %s: up to %ld allocations failed in turn\n", name, worst);
}

#define OPERATION(name)                                                                            \
    static void name##_out_of_memory(void) {                                                       \
        with_setups(#name, op_##name);                                                             \
    }

OPERATION(fit)
OPERATION(stream)
OPERATION(fitter_merge)
OPERATION(model_merge)
OPERATION(coarsen)
OPERATION(truncate)
OPERATION(load)
OPERATION(p_values)

int main(void) {
    frocc_allocator counted = {counted_allocate, counted_release, NULL};

    frocc_set_allocator(&counted);
    RUN(same_bytes_however_made);
    RUN(same_bytes_of_sparse_rows);
    RUN(same_bytes_of_few_rows);
    RUN(same_bytes_of_many_rows);
    RUN(p_values_by_definition);
    RUN(scores_are_of_models_without_the_rows);
    RUN(p_values_uniform_by_default);
    RUN(p_values_uniform_with_agreement);
    RUN(p_values_uniform_with_rbf);
    RUN(models_without_calibration);
    RUN(rates_out_of_range);
    RUN(too_few_rows_for_a_rate);
    RUN(merging_other_calibrations);
    RUN(bad_rows_between_held_ones);
    RUN(fit_out_of_memory);
    RUN(stream_out_of_memory);
    RUN(fitter_merge_out_of_memory);
    RUN(model_merge_out_of_memory);
    RUN(coarsen_out_of_memory);
    RUN(truncate_out_of_memory);
    RUN(load_out_of_memory);
    RUN(p_values_out_of_memory);
    return check_end();
}
