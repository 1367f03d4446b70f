/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * p-values of fresh rows: uniform, up to chance, and with few rows no smaller than uniform.
 */
#include "calibrated.h"

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
    size_t repetitions, n_train, n_fresh;
    size_t h;  /* calibration rows, the fewest of a repetition */
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
    size_t h = (size_t)describe(model).calibration_rows;
    t->h = t->h == 0 || h < t->h ? h : t->h;
    free(scores);
    free(loading);
    frocc_model_free(model);
    data_free(&x);
    data_free(&fresh);
}

/* Deviation of the share of fresh rows with p <= a, over a (1 - a), as check_uniform has it. */
static double unit_variance(const tally *t) {
    return (1 / ((double)t->h + 2) + 1 / (double)t->n_fresh) / (double)t->repetitions;
}

static double share_at_most(const tally *t, double rate) {
    size_t below = 0;

    while (below < t->count && t->p[below] <= rate)
        below++;
    return (double)below / (double)t->count;
}

/*
 * Given the h calibration scores, a share that varies as Beta(k, h + 1 - k) of all fresh rows has a
 * p-value of at most a = k / (h + 1); of n_fresh rows one then sees a binomial number. So over R
 * repetitions the observed share has the variance a (1 - a) (1 / (h + 2) + 1 / n_fresh) / R,
 * nearly. Four standard errors are allowed.
 */
static void check_uniform(tally *t, const char *name) {
    static const double rates[] = {0.01, 0.05, 0.1, 0.25, 0.5};
    double worst = 0;
    double unit = unit_variance(t);

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double a = floor(rates[i] * ((double)t->h + 1) + 1e-9) / ((double)t->h + 1);
        double error = sqrt(a * (1 - a) * unit);
        double share = share_at_most(t, rates[i]);
        printf("# %s: p <= %g for %.4f of fresh rows, standard error %.4f\n", name, rates[i], share,
               error);
        check(share <= a + 4 * error, "%.4f false alarms at %g", share, rates[i]);
        check(share >= a - 4 * error, "only %.4f false alarms at %g", share, rates[i]);
    }
    /*
     * Kolmogorov and Smirnov's distance; 1.95 is what it exceeds once in a thousand, in units of
     * the standard error. Rows that every direction accepts all score 1, which makes a step at the
     * end: the upper half counts on one side only.
     */
    for (size_t i = 0; i < t->count; i++) {
        double above = ((double)i + 1) / (double)t->count - t->p[i];
        if (i + 1 == t->count || t->p[i + 1] > t->p[i])
            worst = fmax(worst, t->p[i] > 0.5 ? above : fabs(above));
    }
    printf("# %s: largest distance %.4f from uniform\n", name, worst);
    check(worst <= 1.95 * sqrt(unit), "distance %.4f from uniform", worst);
}

static tally tally_of(uint64_t seed, frocc_params params, size_t n_train, size_t repetitions) {
    tally t = {.repetitions = repetitions, .n_train = n_train, .n_fresh = 500};

    t.p = NEW(double, t.repetitions *t.n_fresh);
    /* The streams of neighbouring seeds are the same but for a step; these do not meet. */
    for (size_t i = 0; i < t.repetitions; i++)
        add_fresh(&t, seed + i * 1000003, params);
    qsort(t.p, t.count, sizeof *t.p, compare_doubles);
    return t;
}

static void check_fresh(const char *name, uint64_t seed, frocc_params params) {
    tally t = tally_of(seed, params, 1200, (size_t)check_share(40, 20, 4));

    check(t.h == params.calibration_rows, "%zu rows are held", t.h);
    check_uniform(&t, name);
    free(t.p);
}

static void p_values_uniform_by_default(void) {
    check_fresh("default", 1260000, label_free(64, 200));
}

static void p_values_uniform_with_rbf(void) {
    frocc_params p = label_free(64, 200);

    p.kernel = FROCC_KERNEL_RBF;
    p.scaling = FROCC_SCALING_STANDARD;
    check_fresh("RBF", 1280000, p);
}

/*
 * Few rows: a model that lacks one of them is a little narrower, and p-values a little larger than
 * uniform ones would be. The promise is one-sided, and it is kept at any number of rows: no more
 * than a of fresh rows have a p-value of at most a.
 */
static void p_values_keep_their_promise(void) {
    static const size_t sizes[] = {40, 120, 400, 1200};
    static const double rates[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        frocc_params p = label_free(64, 1024);
        tally t = tally_of(1285000 + i, p, sizes[i], (size_t)check_share(100, 50, 10));
        printf("# %zu rows, at least %zu held:", sizes[i], t.h);
        for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
            double a = rates[k], share = share_at_most(&t, a);
            printf(" %g: %.4f", a, share);
            check(share <= a + 4 * sqrt(a * (1 - a) * unit_variance(&t)),
                  "%zu rows: %.4f false alarms at %g", sizes[i], share, a);
        }
        printf("\n");
        free(t.p);
    }
}

int main(void) {
    RUN(p_values_uniform_by_default);
    RUN(p_values_uniform_with_rbf);
    RUN(p_values_keep_their_promise);
    return check_end();
}
