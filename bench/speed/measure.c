/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fitting and scoring are what users call, frocc_fitter and frocc_scorer; only drawing directions
 * is kept out of fitting and measured by itself. Projections go through the library's own driver to
 * a sink that does nothing.
 */
#define _DEFAULT_SOURCE /* ru_maxrss */
#include "measure.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/rows.h"
#include "peak.h"
#include "project/drive.h"

/* A measure is called again until it has taken so long, and at least three times if that does not
 * take too long: the first call after others were at work finds the caches cold. */
#define LEAST_SECONDS 0.02
#define LEAST_CALLS 3
#define LONG_SECONDS 0.3
#define MOST_CALLS 101
#define MOST_LATENCIES 2000

struct bench {
    shape what;
    frocc_params params;
    int threads;
    data data;
    frocc_frame *frame;
    frocc_model *model;
    frocc_scorer *scorer, *scorer_threads;
    frocc__worker *workers; /* one per thread */
    double *scores;
    size_t frame_bytes, fit_bytes, score_bytes; /* the library's most at any time */
    uint64_t multiply_adds;                     /* of the last peak */
    double row_median, row_p99;                 /* seconds */
};

/* ---- Memory ---------------------------------------------------------------------------------- */

/* What the library holds, and the most it held. */
static atomic_size_t held_bytes, most_bytes;

typedef union header {
    size_t bytes;
    max_align_t aligned;
} header;

static void *allocate(void *context, size_t bytes) {
    (void)context;
    header *block = malloc(bytes + sizeof *block);
    if (block == NULL)
        return NULL;
    block->bytes = bytes;
    size_t now = atomic_fetch_add(&held_bytes, bytes) + bytes, most = atomic_load(&most_bytes);
    while (now > most && !atomic_compare_exchange_weak(&most_bytes, &most, now))
        continue;
    return block + 1;
}

static void release(void *context, void *memory) {
    (void)context;
    header *block = (header *)memory - 1;
    atomic_fetch_sub(&held_bytes, block->bytes);
    free(block);
}

static size_t most_since_start(void) {
    size_t most = atomic_load(&most_bytes);
    atomic_store(&most_bytes, atomic_load(&held_bytes));
    return most;
}

/* ---- One call of each measure ---------------------------------------------------------------- */

static frocc_status fit(bench *of, int threads, frocc_model **model) {
    frocc_params params = of->params;
    params.threads = threads;
    frocc_fitter *fitter = NULL;
    FROCC_TRY(frocc_fitter_new(of->frame, &params, &fitter));
    frocc_status status = frocc_fitter_add(fitter, &of->data.rows);
    if (status == FROCC_OK)
        status = frocc_fitter_finish(fitter, model);
    frocc_fitter_free(fitter);
    return status;
}

static frocc_status fit_and_drop(bench *of, int threads) {
    frocc_model *model = NULL;
    FROCC_TRY(fit(of, threads, &model));
    frocc_model_free(model);
    return FROCC_OK;
}

static frocc_status measure_fit(bench *of) {
    return fit_and_drop(of, 1);
}

static frocc_status measure_fit_threads(bench *of) {
    return fit_and_drop(of, of->threads);
}

static frocc_status measure_score(bench *of) {
    return frocc_scorer_score(of->scorer, &of->data.queries, of->scores);
}

static frocc_status measure_score_threads(bench *of) {
    return frocc_scorer_score(of->scorer_threads, &of->data.queries, of->scores);
}

/* A compiler must take the tile for read. */
static void ignore(void *context, const frocc__tile *tile) {
    (void)context;
    __asm__ volatile("" : : "r"(tile->values) : "memory");
}

static frocc_status project(bench *of, int threads) {
    frocc__sink sink = {.take = ignore};
    return frocc__drive(of->frame, &of->data.rows, of->workers, threads, &sink, false);
}

static frocc_status measure_project(bench *of) {
    return project(of, 1);
}

static frocc_status measure_project_threads(bench *of) {
    return project(of, of->threads);
}

static frocc_status measure_draw(bench *of) {
    frocc_frame *frame = NULL;
    FROCC_TRY(frocc_frame_new(&of->params, of->what.d, NULL, &frame));
    frocc_frame_free(frame);
    return FROCC_OK;
}

static frocc_status measure_peak(bench *of) {
    const uint64_t steps = 400000;
    of->multiply_adds = peak_multiply_adds(frocc_cpu_level(), steps);
    return FROCC_OK;
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Scores one row at a time, as a service would. */
static frocc_status measure_row(bench *of) {
    double took[MOST_LATENCIES];
    size_t count = FROCC_MIN(of->what.n, (size_t)MOST_LATENCIES);
    for (size_t r = 0; r < count; r++) {
        const frocc_rows row = frocc__rows_part(&of->data.queries, r, 1);
        double start = seconds(CLOCK_MONOTONIC);
        FROCC_TRY(frocc_scorer_score(of->scorer, &row, of->scores));
        took[r] = seconds(CLOCK_MONOTONIC) - start;
    }
    qsort(took, count, sizeof *took, by_size);
    of->row_median = took[count / 2];
    of->row_p99 = took[count * 99 / 100];
    return FROCC_OK;
}

static frocc_status measure_nothing(bench *of) {
    (void)of;
    return FROCC_OK;
}

/* ---- The table of measures ------------------------------------------------------------------- */

static const struct measure {
    const char *name;
    frocc_status (*call)(bench *of);
} measures[] = {
    {"peak", measure_peak},
    {"project", measure_project},
    {"fit", measure_fit},
    {"score", measure_score},
    {"project_threads", measure_project_threads},
    {"fit_threads", measure_fit_threads},
    {"score_threads", measure_score_threads},
    {"draw", measure_draw},
    {"row", measure_row},
    {"memory", measure_nothing},
};

static bool failed(void) {
    fprintf(stderr, "speed: %s\n", frocc_last_error());
    return false;
}

static bool is_wanted(int calls, double total) {
    if (calls == 0 || (calls < LEAST_CALLS && total < LONG_SECONDS))
        return true;
    return calls < MOST_CALLS && total < LEAST_SECONDS;
}

/* The median of sorted values. */
static double middle(const double *sorted, int count) {
    return 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
}

bool bench_measure(bench *of, const char *name, sample *out) {
    double wall[MOST_CALLS], cpu[MOST_CALLS], total = 0.0;
    const struct measure *found = NULL;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (strcmp(measures[i].name, name) == 0)
            found = &measures[i];
    if (found == NULL) {
        fprintf(stderr, "speed: there is no measure '%s'\n", name);
        return false;
    }
    int calls = 0;
    while (is_wanted(calls, total)) {
        double wall_start = seconds(CLOCK_MONOTONIC), cpu_start = seconds(CLOCK_THREAD_CPUTIME_ID);
        if (found->call(of) != FROCC_OK)
            return failed();
        cpu[calls] = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_start;
        wall[calls] = seconds(CLOCK_MONOTONIC) - wall_start;
        total += wall[calls++];
    }
    qsort(wall, (size_t)calls, sizeof *wall, by_size);
    qsort(cpu, (size_t)calls, sizeof *cpu, by_size);
    *out = (sample){middle(wall, calls), middle(cpu, calls), calls};
    return true;
}

static size_t file_bytes(const frocc_model *model) {
    void *bytes = NULL;
    size_t size = 0;
    if (frocc_model_to_bytes(model, &bytes, &size) != FROCC_OK)
        return 0;
    frocc_bytes_free(bytes);
    return size;
}

void bench_print_more(const bench *of, const char *name) {
    if (strcmp(name, "peak") == 0)
        printf(", \"level\": \"%s\", \"multiply_adds\": %.0f", frocc_cpu_level(),
               (double)of->multiply_adds);
    if (strcmp(name, "project") == 0)
        printf(", \"multiply_adds\": %.0f",
               (double)of->what.n * (double)of->what.d * (double)of->params.n_directions);
    if (strcmp(name, "draw") == 0)
        printf(", \"numbers\": %.0f", (double)of->what.d * (double)of->params.n_directions);
    if (strcmp(name, "row") == 0)
        printf(", \"row_s\": %.9f, \"row_p99_s\": %.9f", of->row_median, of->row_p99);
    if (strcmp(name, "memory") == 0) {
        struct rusage usage;
        frocc_model_info info = {.struct_size = sizeof info};
        if (getrusage(RUSAGE_SELF, &usage) != 0 || frocc_model_describe(of->model, &info) != 0)
            return;
        printf(", \"frame_bytes\": %zu, \"fit_bytes\": %zu, \"score_bytes\": %zu, "
               "\"process_bytes\": %.0f, \"file_bytes\": %zu, \"intervals\": %.0f",
               of->frame_bytes, of->fit_bytes, of->score_bytes, 1024.0 * (double)usage.ru_maxrss,
               file_bytes(of->model), (double)frocc_model_count_intervals(of->model));
    }
}

/* ---- Setting up ------------------------------------------------------------------------------ */

bool family_named(const char *name, frocc_family *family) {
    static const struct {
        const char *name;
        frocc_family family;
    } families[] = {
        {"gaussian", FROCC_FAMILY_GAUSSIAN},
        {"hadamard", FROCC_FAMILY_HADAMARD},
        {"sparse", FROCC_FAMILY_SPARSE},
        {"auto", FROCC_FAMILY_AUTO},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(families[i].name, name) == 0) {
            *family = families[i].family;
            return true;
        }
    return false;
}

/* Everything once, which also brings code and pages in, and says how much memory it takes. */
static frocc_status set_up(bench *of) {
    most_since_start();
    FROCC_TRY(frocc_frame_new(&of->params, of->what.d, NULL, &of->frame));
    of->frame_bytes = most_since_start();
    FROCC_TRY(fit(of, 1, &of->model));
    of->fit_bytes = most_since_start();
    FROCC_TRY(frocc_scorer_new(of->model, 1, &of->scorer));
    FROCC_TRY(measure_score(of));
    of->score_bytes = most_since_start();
    FROCC_TRY(frocc_scorer_new(of->model, of->threads, &of->scorer_threads));
    return frocc__workers_new(of->frame, of->threads, false, &of->workers);
}

bench *bench_new(const shape *what, const frocc_params *params, int threads) {
    const frocc_allocator counting = {allocate, release, NULL};
    frocc_set_allocator(&counting);
    bench *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->what = *what;
    made->params = *params;
    made->params.threads = 1;
    made->threads = threads;
    made->scores = calloc(what->n, sizeof *made->scores);
    if (made->scores != NULL && data_make(what, &made->data) &&
        (set_up(made) == FROCC_OK || failed()))
        return made;
    bench_free(made);
    return NULL;
}

void bench_free(bench *old) {
    if (old == NULL)
        return;
    frocc__workers_free(old->workers, old->threads);
    frocc_scorer_free(old->scorer);
    frocc_scorer_free(old->scorer_threads);
    frocc_model_free(old->model);
    frocc_frame_free(old->frame);
    data_free(&old->data);
    free(old->scores);
    free(old);
}

static bool save_directions(const bench *of, const char *path) {
    size_t m = of->params.n_directions, d = of->what.d;
    float *w = calloc(m * d, sizeof *w);
    bool good = w != NULL;
    if (good && frocc_frame_copy_directions(of->frame, 0, m, w) != FROCC_OK)
        good = failed();
    good = good && data_save(w, m * d * sizeof *w, path);
    free(w);
    return good;
}

bool bench_save(bench *of, const char *prefix) {
    char path[4096];
    const size_t bytes = of->what.n * of->what.d * sizeof(float);
    if (of->data.rows.row_start != NULL) {
        fprintf(stderr, "speed: sparse rows are not saved\n");
        return false;
    }
    snprintf(path, sizeof path, "%s.rows", prefix);
    if (of->what.rows == NULL && !data_save(of->data.rows.values, bytes, path))
        return false;
    snprintf(path, sizeof path, "%s.queries", prefix);
    if (of->what.queries == NULL && !data_save(of->data.queries.values, bytes, path))
        return false;
    snprintf(path, sizeof path, "%s.directions", prefix);
    if (!save_directions(of, path))
        return false;
    snprintf(path, sizeof path, "%s.scores", prefix);
    if (measure_score(of) != FROCC_OK)
        return failed();
    return data_save(of->scores, of->what.n * sizeof *of->scores, path);
}
