/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cancelling: whatever is under way ends soon, with a status of its own and nothing made; what was
 * used for it can be used again, or is freed. How soon: the longest time between two questions is
 * measured for every kind of call.
 */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "files.h"
#include "laws.h"

/* Seconds between two questions: of CPU time, all threads together, so that what else the machine
 * does counts for nothing. */
#define LONGEST 0.2

/* The reference level takes about ten times as long for everything, as nobody does who has a
 * choice. */
static double longest_pause(void) {
    return strcmp(frocc_cpu_level(), "ref") == 0 ? 10 * LONGEST : LONGEST;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* What all calls work on; each is made once for a number of threads. */
typedef struct bench {
    data x, wide;
    frocc_params params;
    frocc_model *model, *widest;
    frocc_scorer *scorer;
    char *path;
    int threads;
} bench;

/* A call, and what it makes as bytes of the test's own to compare; NULL where it failed. */
typedef frocc_status (*call)(bench *b, blob *made);

static frocc_status keep(frocc_status status, frocc_model *model, blob *made) {
    check((status == FROCC_OK) == (model != NULL), "a failed call has made a model");
    if (status == FROCC_OK) {
        blob b = blob_of(model);
        *made = (blob){NEW(char, b.size), b.size};
        memcpy(made->bytes, b.bytes, b.size);
        blob_free(&b);
    }
    frocc_model_free(model);
    return status;
}

static frocc_status keep_doubles(frocc_status status, double *values, size_t count, blob *made) {
    if (status == FROCC_OK)
        *made = (blob){values, count * sizeof(double)};
    else
        free(values);
    return status;
}

static frocc_status fits(bench *b, blob *made) {
    const frocc_rows rows = data_rows(&b->x);
    frocc_model *model = NULL;
    const frocc_status status = frocc_fit(&b->params, &rows, &model);
    return keep(status, model, made);
}

static frocc_status fits_wide(bench *b, blob *made) {
    const frocc_rows rows = data_rows(&b->wide);
    frocc_model *model = NULL;
    const frocc_status status = frocc_fit(&b->params, &rows, &model);
    return keep(status, model, made);
}

static frocc_status fits_paper(bench *b, blob *made) {
    const frocc_rows rows = data_rows(&b->x);
    frocc_params params;
    frocc_model *model = NULL;
    frocc_params_init_paper(&params);
    params.threads = b->threads;
    const frocc_status status = frocc_fit(&params, &rows, &model);
    return keep(status, model, made);
}

static frocc_status scores(bench *b, blob *made) {
    const frocc_rows rows = data_rows(&b->x);
    double *out = NEW(double, b->x.n);
    const frocc_status status = frocc_scorer_score(b->scorer, &rows, out);
    return keep_doubles(status, out, b->x.n, made);
}

static frocc_status scores_left_out(bench *b, blob *made) {
    const frocc_rows rows = data_rows(&b->x);
    double *out = NEW(double, b->x.n);
    const frocc_status status = frocc_scorer_score_left_out(b->scorer, &rows, out);
    return keep_doubles(status, out, b->x.n, made);
}

static frocc_status explains(bench *b, blob *made) {
    double *out = NEW(double, 2 * b->wide.d), *row = NEW(double, b->wide.d);
    for (size_t j = 0; j < b->wide.d; j++)
        row[j] = 50;
    const frocc_rows rows = frocc_rows_f64(row, 1, b->wide.d);
    const frocc_status status = frocc_model_explain(b->widest, &rows, out, out + b->wide.d);
    free(row);
    return keep_doubles(status, out, 2 * b->wide.d, made);
}

static frocc_status merges(bench *b, blob *made) {
    const frocc_model *both[] = {b->model, b->model, b->model, b->model};
    frocc_model *model = NULL;
    const frocc_status status = frocc_model_merge(both, 4, &model);
    return keep(status, model, made);
}

static frocc_status reads(bench *b, blob *made) {
    const char *const paths[1] = {b->path};
    frocc_reader_options options;
    frocc_reader *reader = NULL;
    frocc_reader_options_init(&options);
    options.threads = b->threads;
    frocc_status status = frocc_reader_open(paths, 1, &options, NULL, &reader);
    check((status == FROCC_OK) == (reader != NULL), "a failed call has made a reader");
    double *sum = NEW(double, 1);
    frocc_block block = {.struct_size = sizeof block};
    while (status == FROCC_OK) {
        status = frocc_reader_next(reader, &block);
        if (status == FROCC_OK && block.rows.n_rows == 0)
            break;
        *sum += status == FROCC_OK ? (double)block.rows.n_rows : 0;
    }
    frocc_reader_free(reader);
    return keep_doubles(status, sum, 1, made);
}

static const struct {
    const char *name;
    call run;
} calls[] = {{"fit", fits},
             {"wide fit", fits_wide},
             {"paper", fits_paper},
             {"score", scores},
             {"left out", scores_left_out},
             {"explain", explains},
             {"merge", merges},
             {"read", reads}};
#define CALLS (sizeof calls / sizeof *calls)

/* ---- What is asked --------------------------------------------------------------------------- */

typedef struct asking {
    size_t count, yes_from; /* questions so far; from which on the answer is yes */
    double last, longest;
} asking;

static int ask(void *context) {
    asking *a = context;
    const double at = now();
    a->longest = at - a->last > a->longest ? at - a->last : a->longest;
    a->last = at;
    return a->count++ >= a->yes_from;
}

static bench bench_new(int threads) {
    rng r = rng_seed(890000);
    bench b = {.threads = threads};
    b.x = data_new(&r, (size_t)check_cases(60000, 3000), 20, SHAPE_CLUSTERS, false);
    b.wide = data_new(&r, 400, (size_t)check_cases(1200, 100), SHAPE_BLOB, false);
    frocc_params_init(&b.params);
    b.params.threads = threads;
    b.model = fit(&b.params, &b.x);
    b.widest = fit(&b.params, &b.wide);
    check_ok(frocc_scorer_new(b.model, threads, &b.scorer));
    char *folder = folder_new(), *text = NEW(char, b.x.n * 40);
    size_t used = 0;
    for (size_t i = 0; i < b.x.n; i++)
        used +=
            (size_t)sprintf(text + used, "%zu.5,%zu,%zu\n", i * 7919 % 1000, i * 31 % 17, i % 5);
    b.path = path_in(folder, "rows.csv");
    file_write(b.path, text, used);
    free(text);
    free(folder);
    return b;
}

static void bench_free(bench *b) {
    *strrchr(b->path, '/') = '\0';
    folder_free(b->path);
    frocc_scorer_free(b->scorer);
    frocc_model_free(b->model);
    frocc_model_free(b->widest);
    data_free(&b->x);
    data_free(&b->wide);
}

static void same(blob *a, blob *b, const char *what) {
    check(a->bytes != NULL && b->bytes != NULL && blob_equal(a, b), "%s is another", what);
    free(b->bytes);
    *b = (blob){NULL, 0};
}

/* Cancelled at several places; each time what comes after is what would have been without. */
static void cancel_call(bench *b, size_t i, blob *usual, size_t questions) {
    const char *name = calls[i].name;
    static const double places[] = {0, 0.01, 0.3, 0.7, 0.95};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        asking a = {.yes_from = (size_t)(places[k] * (double)questions), .last = now()};
        blob made = {NULL, 0};
        frocc_set_cancel(ask, &a);
        const frocc_status status = calls[i].run(b, &made);
        frocc_set_cancel(NULL, NULL);
        if (status == FROCC_OK) { /* it was faster this time */
            same(usual, &made, name);
            continue;
        }
        check_is(status, FROCC_ERR_CANCELLED);
        check(made.bytes == NULL, "%s: something was made", name);
        check(now() - a.last < longest_pause(), "%s ends %g s after it was cancelled", name,
              now() - a.last);
        check_ok(calls[i].run(b, &made));
        same(usual, &made, name);
    }
}

static void all_calls(int threads) {
    bench b = bench_new(threads);
    for (size_t i = 0; i < CALLS; i++) {
        asking a = {.yes_from = SIZE_MAX, .last = now()};
        blob usual = {NULL, 0}, made = {NULL, 0};
        frocc_set_cancel(ask, &a);
        check_ok(calls[i].run(&b, &usual));
        frocc_set_cancel(NULL, NULL);
        a.longest = now() - a.last > a.longest ? now() - a.last : a.longest;
        printf("# %d threads, %s: %zu questions, %.0f ms between them at most\n", threads,
               calls[i].name, a.count, 1e3 * a.longest);
        check(a.count > 0, "%s never asks", calls[i].name);
        check(check_quick() || a.longest < longest_pause(), "%s: %g s without a question",
              calls[i].name, a.longest);
        int flag = 1; /* before it has begun */
        frocc_set_cancel(NULL, &flag);
        check_is(calls[i].run(&b, &made), FROCC_ERR_CANCELLED);
        check(made.bytes == NULL, "%s: something was made", calls[i].name);
        flag = 0;
        check_ok(calls[i].run(&b, &made));
        frocc_set_cancel(NULL, NULL);
        same(&usual, &made, calls[i].name);
        cancel_call(&b, i, &usual, a.count);
        free(usual.bytes);
    }
    bench_free(&b);
}

static void calls_of_one_thread(void) {
    all_calls(1);
}

static void calls_of_three_threads(void) {
    all_calls(3);
}

/* A fitter has taken leading rows, and goes on with the others. */
static void fitters_go_on(void) {
    bench b = bench_new(1);
    frocc_frame *frame = frame_of(&b.params, &b.x);
    for (int threads = 1; threads <= 4; threads++)
        for (size_t questions = 1; questions < 8; questions++) {
            frocc_params params = b.params;
            params.threads = threads;
            frocc_fitter *fitter = fitter_of(frame, &params);
            asking a = {.yes_from = questions, .last = now()};
            const frocc_rows rows = data_rows(&b.x);
            frocc_set_cancel(ask, &a);
            const frocc_status status = frocc_fitter_add(fitter, &rows);
            frocc_set_cancel(NULL, NULL);
            const size_t taken = (size_t)frocc_fitter_rows(fitter);
            if (status != FROCC_OK) { /* fast machines need no time to ask */
                check_is(status, FROCC_ERR_CANCELLED);
                check(taken < b.x.n, "all rows were taken");
                fitter_take(fitter, &b.x, taken, b.x.n - taken);
            }
            frocc_model *model = finish(fitter);
            check_same(b.model, model, "a fit that was cancelled and went on");
            frocc_model_free(model);
            frocc_fitter_free(fitter);
        }
    frocc_frame_free(frame);
    bench_free(&b);
}

int main(void) {
    RUN(calls_of_one_thread);
    RUN(calls_of_three_threads);
    RUN(fitters_go_on);
    return check_end();
}
