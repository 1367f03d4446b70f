/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Under strain: 64 threads score with one model, all the time the same bits, and memory stays flat;
 * and sizes at the limits take no more memory than the formulas here say. What cannot be had is
 * refused before it is made.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <unistd.h>

#include "load_cost.h"

/* ---- 64 threads ------------------------------------------------------------------------------ */

#define THREADS 64

typedef struct strain {
    frocc_model *model;
    data q;
    double *scores; /* by one thread, alone */
    atomic_bool is_over;
    atomic_size_t calls;
    _Atomic(const char *) problem;
} strain;

/* One scorer for some batches, as a server would have it, then another. */
static const char *score_for_a_while(strain *s, uint64_t seed, double *scores) {
    rng r = {seed};
    frocc_scorer *scorer = NULL;
    const char *problem = NULL;
    if (frocc_scorer_new(s->model, 1 + (int)rng_below(&r, 2), &scorer) != FROCC_OK)
        return "no scorer";
    for (int i = 0; i < 50 && problem == NULL && !atomic_load(&s->is_over); i++) {
        const size_t first = rng_below(&r, s->q.n), count = 1 + rng_below(&r, s->q.n - first);
        const frocc_rows rows = data_part(&s->q, first, count);
        if (frocc_scorer_score(scorer, &rows, scores) != FROCC_OK)
            problem = "scoring failed";
        else if (memcmp(scores, s->scores + first, count * sizeof *scores) != 0)
            problem = "other scores";
        atomic_fetch_add(&s->calls, 1);
    }
    frocc_scorer_free(scorer);
    return problem;
}

static void *keep_scoring(void *argument) {
    strain *s = argument;
    double *scores = NEW(double, s->q.n);
    for (uint64_t seed = (uint64_t)(uintptr_t)scores; !atomic_load(&s->is_over); seed++) {
        const char *problem = score_for_a_while(s, seed, scores);
        if (problem != NULL)
            atomic_store(&s->problem, problem);
    }
    free(scores);
    return NULL;
}

/* Pages that the process has, the second number there; 0 where the system does not tell. */
static size_t resident_pages(void) {
    char line[128] = "", *second = line;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return 0;
    if (fgets(line, sizeof line, file) == NULL)
        line[0] = '\0';
    fclose(file);
    (void)strtoul(line, &second, 10);
    return strtoul(second, NULL, 10);
}

/* What one scorer takes at most, alone. */
static size_t peak_of_one(strain *s) {
    double *scores = NEW(double, s->q.n);
    const size_t before = atomic_load(&cost.live);
    atomic_store(&cost.most, before);
    const char *problem = score_for_a_while(s, 1, scores);
    check(problem == NULL, "%s", problem);
    free(scores);
    return atomic_load(&cost.most) - before;
}

static strain *strain_new(void) {
    rng r = rng_seed(1600000);
    strain *s = NEW(strain, 1);
    frocc_params params;
    frocc_scorer *scorer = NULL;
    data x = data_new(&r, 2000, 10, SHAPE_CLUSTERS, true);
    frocc_params_init(&params);
    s->model = fit(&params, &x);
    s->q = rows_between(&r, &x, 300);
    s->scores = NEW(double, s->q.n);
    const frocc_rows rows = data_rows(&s->q);
    check_ok(frocc_scorer_new(s->model, 1, &scorer));
    check_ok(frocc_scorer_score(scorer, &rows, s->scores));
    frocc_scorer_free(scorer);
    data_free(&x);
    return s;
}

static void many_threads_score_in_flat_memory(void) {
    const unsigned seconds = (unsigned)check_share(60, 2, 1);
    strain *s = strain_new();
    pthread_t threads[THREADS];
    const size_t before = atomic_load(&cost.live), one = peak_of_one(s) * 2; /* of two threads */
    atomic_store(&cost.most, before);
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, keep_scoring, s) == 0, "no thread");
    sleep((seconds + 1) / 2);
    const size_t half_way = resident_pages();
    sleep(seconds / 2);
    const size_t at_end = resident_pages();
    atomic_store(&s->is_over, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    check(atomic_load(&s->problem) == NULL, "%s", atomic_load(&s->problem));
    check(atomic_load(&cost.live) == before, "%zu bytes are kept",
          atomic_load(&cost.live) - before);
    check(atomic_load(&cost.most) - before <= THREADS * one, "%zu bytes at once, one takes %zu",
          atomic_load(&cost.most) - before, one);
    /* Only what is long enough tells: arenas of the C library fill up first. */
    check(seconds < 20 || at_end <= half_way + half_way / 10 + 2048, "from %zu to %zu pages",
          half_way, at_end);
    printf("# %d threads, %u s: %zu calls, at most %.1f MB; %zu pages half way, %zu at the end\n",
           THREADS, seconds, atomic_load(&s->calls),
           (double)(atomic_load(&cost.most) - before) / 1e6, half_way, at_end);
    frocc_model_free(s->model);
    free(s->scores);
    data_free(&s->q);
    free(s);
}

/* ---- Sizes at the limits --------------------------------------------------------------------- */

typedef struct size_case {
    size_t n, d, m;
    float epsilon;
    bool is_default;
    double megabytes; /* at most, while it is fitted, loaded and scored */
} size_case;

static void fits_within(const size_case *c) {
    rng r = rng_seed(1610000 + c->d);
    data x = data_new(&r, c->n, c->d, SHAPE_CLUSTERS, true);
    const frocc_rows rows = frocc_rows_f32(x.f32, x.n, x.d);
    frocc_model *again = NULL;
    frocc_scorer *scorer = NULL;
    frocc_params params;
    double *scores = NEW(double, x.n);
    if (c->is_default)
        frocc_params_init(&params);
    else
        frocc_params_init_paper(&params);
    params.n_directions = c->m;
    params.epsilon = c->epsilon;
    params.threads = 1;
    atomic_store(&cost.most, atomic_load(&cost.live));
    frocc_model *model = fit(&params, &x);
    blob b = blob_of(model);
    check_ok(load(b.bytes, b.size, SIZE_MAX, &again));
    check_ok(frocc_scorer_new(again, 1, &scorer));
    check_ok(frocc_scorer_score(scorer, &rows, scores));
    for (size_t i = 0; i < x.n && !c->is_default; i++)
        check(scores[i] == 1, "training row %zu scores %g", i, scores[i]);
    const double most = (double)atomic_load(&cost.most) / 1e6;
    check(most < c->megabytes, "%zu x %zu, m %zu, epsilon %g took %.1f MB", c->n, c->d, c->m,
          (double)c->epsilon, most);
    printf("# %zu x %zu, m %zu, epsilon %g: at most %.1f MB\n", c->n, c->d, c->m,
           (double)c->epsilon, most);
    frocc_scorer_free(scorer);
    frocc_model_free(again);
    frocc_model_free(model);
    blob_free(&b);
    free(scores);
    data_free(&x);
}

/*
 * Bounds by what there is: directions are m x d x 4 bytes, twice while they are made and again in
 * the model that is loaded; a run of packed rows is 48 x d x 4; an interval takes up to 16 bytes a
 * row and direction, in two models and the fitter.
 */
static double megabytes_of(size_t n, size_t d, size_t m) {
    const double directions = 4.0 * (double)m * (double)d, panel = 4.0 * 48 * (double)d;
    const double intervals = 3 * 16.0 * (double)m * (double)n, slots = 4 * 256.0 * (double)m;
    return (3 * directions + 4 * panel + intervals + slots) / 1e6 + 4;
}

static void sizes_at_the_limits(void) {
    const bool quick = check_quick();
    const size_t d = quick ? 100000 : 1000000, m = quick ? 10000 : 100000;
    const size_case cases[] = {
        {4, d, 16, 0.1f, false, megabytes_of(4, d, 16)},
        {40, 4, m, 0.1f, false, megabytes_of(40, 4, m)},
        {quick ? 2000 : 20000, 2, 8, 1e-6f, false, megabytes_of(quick ? 2000 : 20000, 2, 8)},
        {40, 4, m, 1e-6f, false, megabytes_of(40, 4, m)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        fits_within(&cases[i]);
}

/* Hundreds of gigabytes: nothing is filled before all of it is had. */
static void what_cannot_be_had_is_refused(void) {
    const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const frocc_rows rows = frocc_rows_csr(FROCC_F32, values, (const int64_t[]){0, 2, 4},
                                           (const int32_t[]){0, 7, 1, 9}, 2, FROCC_MAX_FEATURES);
    frocc_params params;
    frocc_model *model = NULL;
    frocc_params_init_paper(&params);
    params.n_directions = FROCC_MAX_DIRECTIONS;
    params.threads = 1;
    const clock_t start = clock();
    check_is(frocc_fit(&params, &rows, &model), FROCC_ERR_MEMORY);
    check(model == NULL, "a failure changed the result");
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    check(seconds < SECONDS_OF_A_LOAD, "it took %g s", seconds);
}

int main(void) {
    count_memory();
    RUN(many_threads_score_in_flat_memory);
    RUN(sizes_at_the_limits);
    RUN(what_cannot_be_had_is_refused);
    return check_end();
}
