/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explanations: a planted feature comes first, a gain is what one gets by setting the feature to
 * the better value, and what cannot be explained is refused.
 */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "frocc_io.h"
#include "laws.h"

typedef struct explanation {
    double *gain, *better;
    size_t d;
} explanation;

static explanation explanation_new(size_t d) {
    explanation e = {NEW(double, d), NEW(double, d), d};
    return e;
}

static void explanation_free(explanation *e) {
    free(e->gain);
    free(e->better);
}

static void explain(const frocc_model *model, const double *row, explanation *e) {
    frocc_rows one = frocc_rows_f64(row, 1, e->d);

    check_ok(frocc_model_explain(model, &one, e->gain, e->better));
    for (size_t j = 0; j < e->d; j++) {
        check(e->gain[j] >= 0, "feature %zu has the gain %g", j, e->gain[j]);
        check(isfinite(e->gain[j]) && isfinite(e->better[j]), "feature %zu: %g at %g", j,
              e->gain[j], e->better[j]);
    }
}

static double score_one(frocc_scorer *scorer, const double *row, size_t d) {
    frocc_rows one = frocc_rows_f64(row, 1, d);
    double score = NAN;

    check_ok(frocc_scorer_score(scorer, &one, &score));
    return score;
}

/* ---- Planted anomalies ----------------------------------------------------------------------- */

/* Few factors, noise, and every column in units of its own. */
typedef struct world {
    size_t d;
    double noise;
    double *loading, *centre, *unit;
} world;

#define FACTORS 3

static world world_new(rng *r, size_t d, double noise) {
    world w = {d, noise, NEW(double, d *FACTORS), NEW(double, d), NEW(double, d)};

    for (size_t j = 0; j < d * FACTORS; j++)
        w.loading[j] = rng_normal(r);
    for (size_t j = 0; j < d; j++) {
        w.centre[j] = 100 * rng_normal(r);
        w.unit[j] = rng_log_between(r, 0.01, 100);
    }
    return w;
}

static void world_free(world *w) {
    free(w->loading);
    free(w->centre);
    free(w->unit);
}

static void draw(rng *r, const world *w, double *row) {
    double z[FACTORS];

    for (size_t f = 0; f < FACTORS; f++)
        z[f] = rng_normal(r);
    for (size_t j = 0; j < w->d; j++) {
        double value = w->noise * rng_normal(r);
        for (size_t f = 0; f < FACTORS; f++)
            value += w->loading[j * FACTORS + f] * z[f];
        row[j] = w->centre[j] + w->unit[j] * value;
    }
}

/* Moves a feature by some of its deviations to either side. */
static void plant(rng *r, const world *w, size_t feature, double deviations, double *row) {
    double square = w->noise * w->noise;

    for (size_t f = 0; f < FACTORS; f++)
        square += w->loading[feature * FACTORS + f] * w->loading[feature * FACTORS + f];
    row[feature] += (rng_chance(r, 2) ? -1 : 1) * deviations * w->unit[feature] * sqrt(square);
}

static uint8_t decide(frocc_scorer *scorer, const double *row, size_t d) {
    frocc_rows one = frocc_rows_f64(row, 1, d);
    uint8_t normal = 2;

    check_ok(frocc_scorer_decide(scorer, &one, FROCC_OWN_THRESHOLD, &normal));
    return normal;
}

static size_t first_of(const explanation *e) {
    size_t first = 0;

    for (size_t j = 1; j < e->d; j++)
        if (e->gain[j] > e->gain[first])
            first = j;
    return first;
}

/* Rows the model accepts, and rejects once one feature is moved: is it named first? */
static void check_planted(uint64_t seed, size_t d, double noise, double deviations) {
    rng r = rng_seed(seed);
    world w = world_new(&r, d, noise);
    size_t n = check_quick() ? 1000 : 4000, tries = 0, rejected = 0, named = 0;
    data x = {n, d, NEW(double, n *d), NULL};
    explanation e = explanation_new(d);
    double *row = NEW(double, d);
    frocc_params p;
    frocc_scorer *scorer = NULL;

    for (size_t i = 0; i < n; i++)
        draw(&r, &w, x.f64 + i * d);
    frocc_params_init(&p);
    p.threads = 1;
    frocc_model *model = fit(&p, &x);
    check_ok(frocc_scorer_new(model, 1, &scorer));
    size_t wanted = (size_t)check_share(200, 100, 40);
    for (; tries < 10000 && rejected < wanted; tries++) {
        size_t planted = rng_below(&r, d);
        draw(&r, &w, row);
        if (!decide(scorer, row, d))
            continue;
        plant(&r, &w, planted, deviations, row);
        if (decide(scorer, row, d))
            continue;
        rejected++;
        explain(model, row, &e);
        named += first_of(&e) == planted;
    }
    double share = (double)named / (double)(rejected ? rejected : 1);
    printf("# %zu features, noise %g, moved by %g deviations: %zu of %zu rejected, planted one "
           "first in %.1f %%\n",
           d, noise, deviations, rejected, tries, 100 * share);
    check(rejected == wanted, "only %zu rows were rejected", rejected);
    check(share >= 0.95, "the planted feature is first in %.1f %% only", 100 * share);
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    explanation_free(&e);
    free(row);
    data_free(&x);
    world_free(&w);
}

static void planted_features_come_first(void) {
    check_planted(1300001, 5, 0.4, 3);
    check_planted(1300002, 8, 0.2, 2);
    check_planted(1300003, 12, 0.4, 3);
    if (check_quick())
        return;
    check_planted(1300004, 12, 0.4, 2);
    check_planted(1300005, 30, 0.4, 3);
    check_planted(1300006, 30, 0.2, 2);
    check_planted(1300007, 80, 0.4, 6);
}

/* ---- Gains ----------------------------------------------------------------------------------- */

static void some_query(rng *r, const data *x, double *row) {
    size_t from = rng_below(r, x->n), to = rng_below(r, x->n);
    double step = rng_between(r, -0.5, 1.5);

    for (size_t j = 0; j < x->d; j++) {
        double a = x->f64[from * x->d + j], b = x->f64[to * x->d + j];
        row[j] = (double)(float)(a + step * (b - a));
    }
    if (rng_chance(r, 2)) {
        size_t j = rng_below(r, x->d);
        row[j] += 3 * (x->f64[to * x->d + j] - x->f64[from * x->d + j]);
    }
}

/* Sets each feature to its better value in turn, in the units of the data: the score rises by the
 * gain, to the last bit. Returns how many gains there were. */
static size_t check_gains(const frocc_model *model, double *row, size_t d) {
    size_t gains = 0;
    explanation e = explanation_new(d);
    frocc_scorer *scorer = NULL;

    check_ok(frocc_scorer_new(model, 1, &scorer));
    double before = score_one(scorer, row, d);
    explain(model, row, &e);
    for (size_t j = 0; j < d; j++) {
        double was = row[j];
        check(e.gain[j] > 0 || e.better[j] == was, "no gain, but %.17g is better than %.17g",
              e.better[j], was);
        row[j] = e.better[j];
        double gained = score_one(scorer, row, d) - before;
        row[j] = was;
        check(gained == e.gain[j], "feature %zu promises %.17g and gives %.17g", j, e.gain[j],
              gained);
        gains += e.gain[j] > 0;
    }
    frocc_scorer_free(scorer);
    explanation_free(&e);
    return gains;
}

static size_t all_gains;

static void law_gains(rng *r, setup *s, const data *x) {
    double *row = NEW(double, x->d);

    if (!rng_chance(r, 3))
        setup_closeness(r, s);
    frocc_model *model = fit(&s->params, x);
    for (int i = 0; i < 6; i++) {
        some_query(r, x, row);
        all_gains += check_gains(model, row, x->d);
    }
    frocc_model_free(model);
    free(row);
}

static void gains_are_what_one_gets(void) {
    law_sizes sizes = law_usual();
    uint64_t seed = 1310000;

    all_gains = 0;
    for (int repeat = 0; repeat < 3 * sizes.repeats; repeat++)
        for (int scaling = 0; scaling < SCALINGS; scaling++)
            for (int family = 0; family < FAMILIES; family++, seed++)
                if (is_possible((frocc_scaling)scaling, (frocc_family)family))
                    law_case(law_gains, seed, &sizes, FROCC_KERNEL_LINEAR, (frocc_scaling)scaling,
                             (frocc_family)family);
    check(all_gains > 100, "only %zu gains", all_gains);
}

/* With the default and many rows the intervals are wide. */
static void gains_by_default(void) {
    rng r = rng_seed(1315000);
    world w = world_new(&r, 10, 0.4);
    size_t n = check_quick() ? 1000 : 5000;
    data x = {n, w.d, NEW(double, n *w.d), NULL};
    double *row = NEW(double, w.d);
    frocc_params p;

    for (size_t i = 0; i < n; i++)
        draw(&r, &w, x.f64 + i * w.d);
    frocc_params_init(&p);
    p.threads = 1;
    frocc_model *model = fit(&p, &x);
    all_gains = 0;
    for (int i = 0; i < check_cases(100, 10); i++) {
        draw(&r, &w, row);
        plant(&r, &w, rng_below(&r, w.d), rng_between(&r, 0, 4), row);
        all_gains += check_gains(model, row, w.d);
    }
    check(all_gains > 20, "only %zu gains", all_gains);
    frocc_model_free(model);
    free(row);
    data_free(&x);
    world_free(&w);
}

/* Columns in wildly different units and with long tails: better is in those units. */
static void better_is_in_the_units_of_the_data(void) {
    rng r = rng_seed(1320000);
    size_t n = 800, d = 4;
    static const double units[] = {1e-6, 1, 1e5, 3e8}, centres[] = {0, -40, 7e5, 1e10};
    data x = {n, d, NEW(double, n *d), NULL};
    explanation e = explanation_new(d);
    frocc_params p;
    frocc_scorer *scorer = NULL;

    for (size_t i = 0; i < n; i++) {
        double z = rng_normal(&r);
        for (size_t j = 0; j < d; j++) {
            double value = z + 0.3 * rng_normal(&r);
            x.f64[i * d + j] = centres[j] + units[j] * value * value * value; /* long tails */
        }
    }
    frocc_params_init(&p);
    p.threads = 1;
    check(p.scaling == FROCC_SCALING_ASINH, "the default scaling is another one");
    frocc_model *model = fit(&p, &x);
    check_ok(frocc_scorer_new(model, 1, &scorer));
    for (size_t j = 0; j < d; j++) {
        double row[4];
        for (size_t k = 0; k < d; k++)
            row[k] = centres[k] + 0.5 * units[k];
        row[j] = centres[j] - 60 * units[j]; /* low beside the others' slightly above */
        double before = score_one(scorer, row, d);
        explain(model, row, &e);
        check(first_of(&e) == j, "feature %zu was moved, %zu is named", j, first_of(&e));
        check(fabs(e.better[j] - centres[j]) < 15 * units[j], "better is %g, normal is %g",
              e.better[j], centres[j]);
        check(e.gain[j] > 0.05, "setting it right gains %g only", e.gain[j]);
        row[j] = e.better[j];
        check(score_one(scorer, row, d) - before == e.gain[j], "promised %g, gained %g", e.gain[j],
              score_one(scorer, row, d) - before);
    }
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    explanation_free(&e);
    data_free(&x);
}

/* More features than are scored again: the promises that are made still hold. */
static void many_features(void) {
    rng r = rng_seed(1325000);
    data x = data_new(&r, 60, 1500, SHAPE_BLOB, true);
    double *row = NEW(double, x.d);
    frocc_params p;

    frocc_params_init_paper(&p);
    p.n_directions = 64;
    p.epsilon = 0.05f;
    p.score = FROCC_SCORE_CLOSENESS;
    frocc_model *model = fit(&p, &x);
    some_query(&r, &x, row);
    size_t gains = check_gains(model, row, x.d);
    check(gains > 0 && gains <= 1024, "%zu gains", gains);
    frocc_model_free(model);
    free(row);
    data_free(&x);
}

/* Nothing to gain for rows that came twice, or next to nothing where other values share their cells
 * and leave some room. */
static void rows_seen_twice_need_no_reason(void) {
    enum { N = 100, D = 5 };
    size_t none = 0, all = 0;

    for (uint64_t i = 0; i < 10; i++) {
        rng r = rng_seed(1330000 + i);
        data x = data_new(&r, 2 * N, D, (shape)(i % SHAPE_COUNT), true);
        explanation e = explanation_new(D);
        frocc_params p;
        frocc_params_init(&p);
        p.n_directions = 40;
        p.threads = 1;
        memcpy(x.f64 + N * D, x.f64, N * D * sizeof *x.f64);
        frocc_model *model = fit(&p, &x);
        for (size_t k = 0; k < x.n; k += 20) {
            explain(model, x.f64 + k * D, &e);
            for (size_t j = 0; j < D; j++, all++) {
                check(e.gain[j] < 0.002, "training row %zu gains %g by feature %zu", k, e.gain[j],
                      j);
                none += e.gain[j] == 0;
            }
        }
        frocc_model_free(model);
        explanation_free(&e);
        data_free(&x);
    }
    check(100 * none >= 98 * all, "%zu of %zu features gain nothing", none, all);
}

static void other_kernels(void) {
    all_gains = 0;
    law_everywhere(law_gains, 1340000, law_small());
    check(all_gains > 100, "only %zu gains", all_gains);
}

/* ---- The same for every form of the row ------------------------------------------------------ */

static void same_for_sparse_float_and_loaded(void) {
    for (uint64_t i = 0; i < (uint64_t)check_cases(30, 6); i++) {
        rng r = rng_seed(1350000 + i);
        data x = data_new(&r, 150, 12, i % 2 ? SHAPE_SPARSE : SHAPE_BLOB, true);
        data q = data_new(&r, 3, 12, i % 2 ? SHAPE_SPARSE : SHAPE_BLOB, true);
        csr sparse = csr_new(&r, &q);
        explanation a = explanation_new(x.d), b = explanation_new(x.d);
        frocc_params p;
        frocc_params_init(&p);
        p.n_directions = 48;
        p.threads = 1 + (int)(i % 3);
        frocc_model *model = fit(&p, &x), *loaded = NULL;
        blob bytes = blob_of(model);
        check_ok(frocc_model_from_bytes(bytes.bytes, bytes.size, NULL, &loaded));
        explain(model, q.f64, &a);
        frocc_rows forms[] = {
            frocc_rows_f32(q.f32, 1, q.d), frocc_rows_f64(q.f64, 1, q.d),
            frocc_rows_csr(FROCC_F64, sparse.f64, sparse.row_start, sparse.columns, 1, q.d)};
        for (size_t k = 0; k < 3; k++) {
            check_ok(frocc_model_explain(k == 1 ? loaded : model, &forms[k], b.gain, b.better));
            check(memcmp(a.gain, b.gain, x.d * sizeof *a.gain) == 0 &&
                      memcmp(a.better, b.better, x.d * sizeof *a.better) == 0,
                  "form %zu is explained otherwise", k);
        }
        blob_free(&bytes);
        frocc_model_free(model);
        frocc_model_free(loaded);
        explanation_free(&a);
        explanation_free(&b);
        csr_free(&sparse);
        data_free(&q);
        data_free(&x);
    }
}

static void refusals(void) {
    rng r = rng_seed(1360000);
    data x = data_new(&r, 50, 4, SHAPE_BLOB, true);
    double gain[4] = {7, 7, 7, 7}, better[4] = {7, 7, 7, 7}, bad[4] = {0, NAN, 0, 0};
    frocc_rows one = data_part(&x, 0, 1), two = data_part(&x, 0, 2), none = data_part(&x, 0, 0);
    frocc_rows narrow = frocc_rows_f64(x.f64, 1, 3), unusable = frocc_rows_f64(bad, 1, 4);
    frocc_params p;

    frocc_params_init_paper(&p);
    p.n_directions = 20;
    frocc_model *model = fit(&p, &x);
    check_is(frocc_model_explain(NULL, &one, gain, better), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_explain(model, NULL, gain, better), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_explain(model, &one, NULL, better), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_explain(model, &one, gain, NULL), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_explain(model, &two, gain, better), FROCC_ERR_SHAPE);
    check_is(frocc_model_explain(model, &none, gain, better), FROCC_ERR_SHAPE);
    check_is(frocc_model_explain(model, &narrow, gain, better), FROCC_ERR_SHAPE);
    check_is(frocc_model_explain(model, &unusable, gain, better), FROCC_ERR_DATA);
    for (size_t j = 0; j < 4; j++)
        check(gain[j] == 7 && better[j] == 7, "a failure changed the result");
    frocc_model_free(model);
    data_free(&x);
}

/* ---- What is better is what there was -------------------------------------------------------- */

/* Rows of a text, a whole number, and numbers; more numbers than directions can tell apart. */
static double *table_rows(rng *r, size_t n, size_t d, const double codes[2]) {
    double *values = NEW(double, n *d);

    for (size_t i = 0; i < n; i++) {
        double *row = values + i * d;
        row[0] = codes[rng_below(r, 3) == 0];
        row[1] = (double)rng_below(r, 9);
        for (size_t j = 2; j < d; j++)
            row[j] = rng_normal(r);
    }
    return values;
}

/* With the codes of its two texts. */
static frocc_schema *table_schema(size_t d, double codes[2]) {
    char *folder = folder_new(), *path = path_in(folder, "schema.csv");
    const char *paths[] = {path};
    FILE *file = fopen(path, "w");
    frocc_reader *reader = NULL;

    check(file != NULL, "%s cannot be written", path);
    fprintf(file, "kind,count");
    for (size_t j = 2; j < d; j++)
        fprintf(file, ",x%zu", j);
    for (int k = 0; k < 2; k++) {
        fprintf(file, "\n%s,%d", k == 0 ? "get" : "put", k);
        for (size_t j = 2; j < d; j++)
            fprintf(file, ",%d", k);
    }
    fclose(file);
    check_ok(frocc_reader_open(paths, 1, NULL, NULL, &reader));
    frocc_schema *schema = frocc_reader_schema(reader);
    check(frocc_schema_features(schema) == d, "%zu features", frocc_schema_features(schema));
    frocc_block block = {.struct_size = sizeof block};
    check_ok(frocc_reader_next(reader, &block));
    check(block.rows.n_rows == 2, "%zu rows", block.rows.n_rows);
    for (size_t k = 0; k < 2; k++)
        codes[k] = block.rows.dtype == FROCC_F32 ? (double)((const float *)block.rows.values)[k * d]
                                                 : ((const double *)block.rows.values)[k * d];
    frocc_reader_free(reader);
    free(path);
    folder_free(folder);
    return schema;
}

static void check_better(const frocc_model *model, const double *x, size_t n, size_t d,
                         const double *row) {
    double *gain = NEW(double, d), *better = NEW(double, d);
    frocc_rows rows = frocc_rows_f64(row, 1, d);
    size_t n_better = 0;

    check_ok(frocc_model_explain(model, &rows, gain, better));
    for (size_t j = 0; j < d; j++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t i = 0; i < n; i++) {
            low = fmin(low, x[i * d + j]);
            high = fmax(high, x[i * d + j]);
        }
        if (gain[j] <= 0)
            continue;
        n_better++;
        check(better[j] >= low && better[j] <= high, "feature %zu: %.17g is outside of %g to %g", j,
              better[j], low, high);
        check(j > 1 || better[j] == round(better[j]), "feature %zu: %.17g is not whole", j,
              better[j]);
    }
    check(n_better > 0, "nothing is better");
    free(gain);
    free(better);
}

static void better_is_what_training_rows_had(void) {
    static const size_t widths[] = {6, 40, 3000};

    for (size_t k = 0; k < 6; k++) {
        const size_t d = widths[k % 3], n = 300;
        rng r = rng_seed(1295000 + k);
        double codes[2];
        frocc_schema *schema = table_schema(d, codes);
        double *x = table_rows(&r, n, d, codes), *row = table_rows(&r, 1, d, codes);
        frocc_rows rows = frocc_rows_f64(x, n, d);
        frocc_params p;
        frocc_model *model = NULL;

        frocc_params_init(&p);
        p.schema = schema;
        p.threads = 1;
        p.contamination = k < 3 ? 0 : 0.1;
        check_ok(frocc_fit(&p, &rows, &model));
        row[0] = 5; /* a text that was never seen */
        row[1] = 40;
        row[2] = 1e6;
        row[d - 1] = -30;
        check_better(model, x, n, d, row);
        for (int whole = 0; whole < 8; whole++) {
            row[1] = whole + 0.5;
            check_better(model, x, n, d, row);
        }
        frocc_model_free(model);
        frocc_schema_free(schema);
        free(x);
        free(row);
    }
}

/* A text that was never seen gets the most frequent one; nothing else is wrong with the row. One
 * that is seen is not told to be rarer. */
static void a_known_category_is_better(void) {
    rng r = rng_seed(1296000);
    const size_t n = 600, d = 3;
    double codes[2], gain[3], better[3];
    frocc_schema *schema = table_schema(d, codes);
    double *x = table_rows(&r, n, d, codes), row[3] = {5, 4, 0};
    frocc_rows rows = frocc_rows_f64(x, n, d), one = frocc_rows_f64(row, 1, d);
    frocc_params p;
    frocc_model *model = NULL;

    frocc_params_init(&p);
    p.schema = schema;
    check_ok(frocc_fit(&p, &rows, &model));
    check_ok(frocc_model_explain(model, &one, gain, better));
    check(gain[0] > 0.1 && better[0] == codes[0], "a gain of %g by the code %g", gain[0],
          better[0]);
    check(check_gains(model, row, d) > 0, "no gains");
    row[0] = codes[0];
    check_ok(frocc_model_explain(model, &one, gain, better));
    check(gain[0] == 0 && better[0] == codes[0], "the rarer one gains %g", gain[0]);
    frocc_model_free(model);
    frocc_schema_free(schema);
    free(x);
}

/* A number that would better be missing: the gain is what one gets when the number is what stands
 * for a missing one, too; and one that is missing keeps that while it is told to be there. */
static void missing_is_better(void) {
    char *folder = folder_new(), *path = path_in(folder, "gaps.csv");
    const char *paths[] = {path};
    FILE *file = fopen(path, "w");
    frocc_reader_options options;
    frocc_reader *reader = NULL;
    frocc_params p;
    frocc_model *model = NULL;
    rng r = rng_seed(1297000);
    check(file != NULL, "%s cannot be written", path);
    fprintf(file, "a,b\n");
    for (int i = 0; i < 600; i++)
        i % 3 != 0 ? fprintf(file, ",%d\n", (int)rng_below(&r, 50))
                   : fprintf(file, "%.6f,%d\n", rng_unit(&r), (int)rng_below(&r, 50));
    fclose(file);
    frocc_reader_options_init(&options);
    options.missing = FROCC_MISSING_KEEP;
    check_ok(frocc_reader_open(paths, 1, &options, NULL, &reader));
    frocc_schema *schema = frocc_reader_schema(reader);
    frocc_column_info column = {.struct_size = sizeof column};
    check_ok(frocc_schema_column(schema, 0, &column));
    check(column.tells_state && frocc_schema_features(schema) == 4, "a has no gaps");
    frocc_params_init(&p);
    p.schema = schema;
    frocc_source source = frocc_reader_source(reader);
    check_ok(frocc_fit_source(&p, &source, &model));
    frocc_scorer *scorer = NULL;
    check_ok(frocc_scorer_new(model, 1, &scorer));
    const double row[] = {30, 0, 25, 0};
    double gain[4], better[4];
    frocc_rows one = frocc_rows_f64(row, 1, 4);
    check_ok(frocc_model_explain(model, &one, gain, better));
    check(gain[1] > 0.1 && better[1] == 1, "a is better missing: a gain of %g", gain[1]);
    const double missing[] = {column.filler, 1, 25, 0};
    check(score_one(scorer, missing, 4) - score_one(scorer, row, 4) == gain[1], "another gain");
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    frocc_schema_free(schema);
    frocc_reader_free(reader);
    free(path);
    folder_free(folder);
}

/* ---- In words -------------------------------------------------------------------------------- */

/* A shop whose currency follows the country, and whose refusals have no bytes. */
static void shop_row(rng *r, FILE *file) {
    static const char *const countries[] = {"DE", "FR", "US", "GB", "GB"};
    static const char *const currencies[] = {"EUR", "EUR", "USD", "GBP", "GBP"};
    const size_t country = rng_below(r, 5);
    const bool is_refused = rng_below(r, 4) == 0;

    fprintf(file, "%s,%s,%s,%d,%.3f\n", countries[country], currencies[country],
            is_refused ? "refused" : "sent", is_refused ? 0 : 400 + (int)rng_below(r, 200),
            rng_unit(r));
}

enum { COUNTRY, CURRENCY, STATE, BYTES, LOAD, SHOP_FEATURES, SHOP_ROWS = 2000 };

typedef struct market {
    char *folder, *path;
    frocc_schema *schema;
    frocc_model *model;
} market;

static frocc_reader *shop_reader(const market *shop, frocc_schema *schema) {
    const char *paths[] = {shop->path};
    frocc_reader *reader = NULL;

    check_ok(frocc_reader_open(paths, 1, NULL, schema, &reader));
    return reader;
}

static FILE *shop_file(const market *shop) {
    FILE *file = fopen(shop->path, "w");

    check(file != NULL, "%s cannot be written", shop->path);
    fprintf(file, "country,currency,state,bytes,load\n");
    return file;
}

static market shop_new(double contamination) {
    market shop = {.folder = folder_new()};
    rng r = rng_seed(1298000);
    frocc_params p;

    shop.path = path_in(shop.folder, "shop.csv");
    FILE *file = shop_file(&shop);
    for (int i = 0; i < SHOP_ROWS; i++)
        shop_row(&r, file);
    fclose(file);
    frocc_reader *reader = shop_reader(&shop, NULL);
    shop.schema = frocc_reader_schema(reader);
    check(frocc_schema_features(shop.schema) == SHOP_FEATURES, "%zu features",
          frocc_schema_features(shop.schema));
    frocc_params_init(&p);
    p.schema = shop.schema;
    p.contamination = contamination;
    frocc_source source = frocc_reader_source(reader);
    check_ok(frocc_fit_source(&p, &source, &shop.model));
    frocc_reader_free(reader);
    return shop;
}

static void shop_free(market *shop) {
    frocc_model_free(shop->model);
    frocc_schema_free(shop->schema);
    free(shop->path);
    folder_free(shop->folder);
}

static void read_row(const market *shop, const char *cells, double row[SHOP_FEATURES]) {
    frocc_block block = {.struct_size = sizeof block};
    FILE *file = shop_file(shop);

    fprintf(file, "%s\n", cells);
    fclose(file);
    frocc_reader *reader = shop_reader(shop, shop->schema);
    check_ok(frocc_reader_next(reader, &block));
    check(block.rows.n_rows == 1, "%zu rows", block.rows.n_rows);
    for (size_t j = 0; j < SHOP_FEATURES; j++)
        row[j] = block.rows.dtype == FROCC_F32 ? (double)((const float *)block.rows.values)[j]
                                               : ((const double *)block.rows.values)[j];
    frocc_reader_free(reader);
}

/* The feature that gains most is one of these two, and its sentence is one of two, of this kind. */
static void check_sentence(const market *shop, const char *cells, frocc_reason_kind kind,
                           size_t one, size_t two, const char *said, const char *or_said) {
    double row[SHOP_FEATURES] = {0};
    explanation e = explanation_new(SHOP_FEATURES);
    frocc_reason reason = {.struct_size = sizeof reason, .low = NAN, .high = NAN};
    frocc_rows one_row = frocc_rows_f64(row, 1, SHOP_FEATURES);

    read_row(shop, cells, row);
    check(check_gains(shop->model, row, SHOP_FEATURES) > 0, "%s: nothing is better", cells);
    explain(shop->model, row, &e);
    reason.feature = first_of(&e);
    check(reason.feature == one || reason.feature == two, "%s: feature %zu is first", cells,
          reason.feature);
    check_ok(frocc_model_reason(shop->model, &one_row, e.better, &reason));
    check(strcmp(reason.sentence, said) == 0 || strcmp(reason.sentence, or_said) == 0, "%s: %s",
          cells, reason.sentence);
    check(reason.kind == kind, "%s: a reason of kind %d", cells, (int)reason.kind);
    check(reason.other == (reason.feature == one ? two : one), "%s: the other is %zu", cells,
          reason.other);
    explanation_free(&e);
}

static void reasons_in_words(void) {
    for (int k = 0; k < 2; k++) {
        market shop = shop_new(k * 0.01);
        const char *both[] = {"country is GB where currency is EUR: never together in 2,000 rows",
                              "currency is EUR where country is GB: never together in 2,000 rows"};
        const char *apart = "bytes is 500 where state is refused, usually 0";

        check_sentence(&shop, "DE,EUR,lost,500,0.5", FROCC_REASON_RARE, STATE, STATE,
                       "state is a text never seen (usual: sent)", "");
        check_sentence(&shop, "GB,EUR,sent,500,0.5", FROCC_REASON_TOGETHER, COUNTRY, CURRENCY,
                       both[0], both[1]);
        check_sentence(&shop, "DE,EUR,refused,500,0.5", FROCC_REASON_APART, BYTES, STATE, apart,
                       "");
        check_sentence(&shop, "DE,EUR,sent,9000000,0.5", FROCC_REASON_OUTSIDE, BYTES, BYTES,
                       "bytes is 9000000, usually 0 to 599", "");
        shop_free(&shop);
    }
}

/* Of rows of any cells: what is better is no rarer than what the row has, or the country and the
 * currency do not belong together. */
static void nothing_rarer_is_better(void) {
    static const char *const texts[][5] = {{"DE", "FR", "US", "GB", "XX"},
                                           {"EUR", "EUR", "USD", "GBP", "XXX"},
                                           {"sent", "refused", "lost", "sent", "refused"}};
    /* In fifths, or as good as. */
    static const double often[][5] = {{1, 1, 1, 2, 0}, {2, 2, 1, 2, 0}, {4, 1, 0, 4, 1}};
    market shop = shop_new(0);
    rng r = rng_seed(1299000);
    double codes[3][5], row[SHOP_FEATURES];
    explanation e = explanation_new(SHOP_FEATURES);
    size_t n_better = 0;

    for (size_t t = 0; t < 5; t++) {
        char cells[80];
        snprintf(cells, sizeof cells, "%s,%s,%s,0,0.5", texts[0][t], texts[1][t], texts[2][t]);
        read_row(&shop, cells, row);
        for (size_t j = 0; j < 3; j++)
            codes[j][t] = row[j];
    }
    for (int i = 0; i < 200; i++) {
        size_t t[3];
        for (size_t j = 0; j < 3; j++)
            row[j] = codes[j][t[j] = rng_below(&r, 5)];
        row[BYTES] = rng_below(&r, 2) == 0 ? 0 : 400 + (double)rng_below(&r, 200);
        row[LOAD] = rng_unit(&r);
        const bool fits = strncmp(texts[1][t[COUNTRY]], texts[1][t[CURRENCY]], 4) == 0;
        n_better += check_gains(shop.model, row, SHOP_FEATURES);
        explain(shop.model, row, &e);
        for (size_t j = 0; j < 3; j++) {
            size_t other = 0;
            while (e.gain[j] > 0 && codes[j][other] != e.better[j] && other < 4)
                other++;
            check(e.gain[j] == 0 || codes[j][other] == e.better[j], "no code of feature %zu", j);
            check(e.gain[j] == 0 || often[j][other] >= often[j][t[j]] || (j != STATE && !fits),
                  "feature %zu: %s would be better than %s", j, texts[j][other], texts[j][t[j]]);
        }
    }
    check(n_better > 100, "only %zu values are better", n_better);
    explanation_free(&e);
    shop_free(&shop);
}

static void no_reason_for_what_is_not_there(void) {
    market shop = shop_new(0);
    double row[2 * SHOP_FEATURES], better[SHOP_FEATURES];
    frocc_rows one = frocc_rows_f64(row, 1, SHOP_FEATURES);
    frocc_rows two = frocc_rows_f64(row, 2, SHOP_FEATURES);
    frocc_rows narrow = frocc_rows_f64(row, 1, SHOP_FEATURES - 1);
    const frocc_reason asked = {.struct_size = sizeof asked, .low = NAN, .high = NAN};
    frocc_reason reason = asked, unsized = {0}, beyond = asked;

    read_row(&shop, "DE,EUR,sent,500,0.5", row);
    memcpy(row + SHOP_FEATURES, row, sizeof better);
    memcpy(better, row, sizeof better);
    beyond.feature = SHOP_FEATURES;
    check_is(frocc_model_reason(NULL, &one, better, &reason), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_reason(shop.model, NULL, better, &reason), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_reason(shop.model, &one, NULL, &reason), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_reason(shop.model, &one, better, NULL), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_reason(shop.model, &one, better, &unsized), FROCC_ERR_ARGUMENT);
    check_is(frocc_model_reason(shop.model, &one, better, &beyond), FROCC_ERR_SHAPE);
    check_is(frocc_model_reason(shop.model, &two, better, &reason), FROCC_ERR_SHAPE);
    check_is(frocc_model_reason(shop.model, &narrow, better, &reason), FROCC_ERR_SHAPE);
    better[LOAD] = NAN;
    check_is(frocc_model_reason(shop.model, &one, better, &reason), FROCC_ERR_DATA);
    better[LOAD] = row[LOAD];
    row[LOAD] = NAN;
    check_is(frocc_model_reason(shop.model, &one, better, &reason), FROCC_ERR_DATA);
    check(memcmp(&reason.sentence, &asked.sentence, sizeof reason.sentence) == 0,
          "a failure says: %s", reason.sentence);
    shop_free(&shop);
}

int main(void) {
    RUN(planted_features_come_first);
    RUN(gains_are_what_one_gets);
    RUN(gains_by_default);
    RUN(better_is_in_the_units_of_the_data);
    RUN(many_features);
    RUN(rows_seen_twice_need_no_reason);
    RUN(other_kernels);
    RUN(same_for_sparse_float_and_loaded);
    RUN(better_is_what_training_rows_had);
    RUN(a_known_category_is_better);
    RUN(missing_is_better);
    RUN(refusals);
    RUN(reasons_in_words);
    RUN(nothing_rarer_is_better);
    RUN(no_reason_for_what_is_not_there);
    return check_end();
}
