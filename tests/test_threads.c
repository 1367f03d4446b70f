/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the caller's: they share models and frames, fit at the same time, each fit with
 * threads of its own, and read their own last error. Meant for ThreadSanitizer; without it,
 * every result is still compared with the one that a single thread gets.
 */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "laws.h"

#define THREADS 4

static int rounds(void) {
    return check_share(12, 4, 1);
}

/* What all threads share. A thread does not check: it reports, and the test checks. */
typedef struct shared {
    setup s;
    data x;
    frocc_frame *frame;
    frocc_model *model;
    blob expected; /* the model's bytes */
    double *scores;
    uint8_t *normal;
} shared;

typedef struct worker {
    pthread_t thread;
    shared *all;
    int number;
    const char *problem; /* NULL when all went well */
} worker;

static bool same_bytes(const frocc_model *model, const blob *expected) {
    blob b = {NULL, 0};
    bool same =
        frocc_model_to_bytes(model, &b.bytes, &b.size) == FROCC_OK && blob_equal(&b, expected);
    frocc_bytes_free(b.bytes);
    return same;
}

static shared *shared_new(frocc_kernel kernel) {
    rng r = rng_seed(1000000 + (uint64_t)kernel);
    shared *all = NEW(shared, 1);
    frocc_scorer *scorer = NULL;
    frocc_rows rows;

    /* rows and work enough that a fit is worth a team of threads */
    all->x = data_new(&r, 4500, 8, SHAPE_CLUSTERS, true);
    setup_init(&r, &all->s, kernel, FROCC_SCALING_STANDARD, FROCC_FAMILY_GAUSSIAN, 120, 8);
    if (kernel % 2 == 0)
        setup_closeness(&r, &all->s);
    all->s.params.epsilon = 0.05f;
    all->s.params.threads = 2;
    all->frame = frame_of(&all->s.params, &all->x);
    all->model = fit(&all->s.params, &all->x);
    all->expected = blob_of(all->model);
    all->scores = NEW(double, all->x.n);
    all->normal = NEW(uint8_t, all->x.n);
    rows = frocc_rows_f32(all->x.f32, all->x.n, 8);
    for (size_t i = 0; i < all->x.n * 8; i += 3) /* queries that are not all normal */
        all->x.f32[i] *= 1.5f;
    check_ok(frocc_scorer_new(all->model, 1, &scorer));
    check_ok(frocc_scorer_score(scorer, &rows, all->scores));
    check_ok(frocc_scorer_decide(scorer, &rows, 0.9, all->normal));
    frocc_scorer_free(scorer);
    return all;
}

static void shared_free(shared *all) {
    frocc_model_free(all->model);
    frocc_frame_free(all->frame);
    blob_free(&all->expected);
    free(all->scores);
    free(all->normal);
    setup_free(&all->s);
    data_free(&all->x);
    free(all);
}

static void with_workers(frocc_kernel kernel, void *(*work)(void *)) {
    shared *all = shared_new(kernel);
    worker workers[THREADS];

    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.all = all, .number = i};
        check(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "no thread");
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        check(workers[i].problem == NULL, "thread %d: %s", i, workers[i].problem);
    shared_free(all);
}

/* ---- One model, a scorer for each thread ----------------------------------------------------- */

static const char *score_once(shared *all, frocc_scorer *scorer, double *scores, uint8_t *normal) {
    frocc_rows rows = frocc_rows_f32(all->x.f32, all->x.n, all->x.d);

    if (frocc_scorer_score(scorer, &rows, scores) != FROCC_OK)
        return "scoring failed";
    if (memcmp(scores, all->scores, all->x.n * sizeof *scores) != 0)
        return "the scores differ";
    if (frocc_scorer_decide(scorer, &rows, 0.9, normal) != FROCC_OK)
        return "deciding failed";
    if (memcmp(normal, all->normal, all->x.n) != 0)
        return "the decisions differ";
    return NULL;
}

static void *share_a_model(void *argument) {
    worker *w = argument;
    double *scores = NEW(double, w->all->x.n);
    uint8_t *normal = NEW(uint8_t, w->all->x.n);

    for (int i = 0; i < rounds() && w->problem == NULL; i++) {
        frocc_scorer *scorer = NULL;
        if (frocc_scorer_new(w->all->model, 1 + (w->number + i) % 3, &scorer) != FROCC_OK)
            w->problem = "no scorer";
        else
            w->problem = score_once(w->all, scorer, scores, normal);
        frocc_scorer_free(scorer);
        if (w->problem == NULL && !same_bytes(w->all->model, &w->all->expected))
            w->problem = "the model's bytes differ";
    }
    free(scores);
    free(normal);
    return NULL;
}

static void threads_share_a_model(void) {
    for (int kernel = 0; kernel < KERNELS; kernel++)
        with_workers((frocc_kernel)kernel, share_a_model);
}

/* ---- One frame, a fitter for each thread ----------------------------------------------------- */

static const char *fit_once(shared *all, int team) {
    frocc_params p = all->s.params;
    frocc_fitter *fitter = NULL;
    frocc_model *model = NULL;
    frocc_rows rows = data_rows(&all->x);
    const char *problem = NULL;

    p.threads = team;
    if (frocc_fitter_new(all->frame, &p, &fitter) != FROCC_OK)
        return "no fitter";
    if (frocc_fitter_add(fitter, &rows) != FROCC_OK)
        problem = "adding failed";
    else if (frocc_fitter_finish(fitter, &model) != FROCC_OK)
        problem = "finishing failed";
    else if (!same_bytes(model, &all->expected))
        problem = "the models differ";
    frocc_model_free(model);
    frocc_fitter_free(fitter);
    return problem;
}

static void *share_a_frame(void *argument) {
    worker *w = argument;

    for (int i = 0; i < rounds() && w->problem == NULL; i++)
        w->problem = fit_once(w->all, 1 + (w->number + i) % 3);
    return NULL;
}

static void threads_share_a_frame(void) {
    for (int kernel = 0; kernel < KERNELS; kernel++)
        with_workers((frocc_kernel)kernel, share_a_frame);
}

/* ---- Fits at the same time ------------------------------------------------------------------- */

static void *fit_alone(void *argument) {
    worker *w = argument;

    for (int i = 0; i < rounds() && w->problem == NULL; i++) {
        frocc_model *model = NULL;
        frocc_params p = w->all->s.params;
        frocc_rows rows = data_rows(&w->all->x);
        p.threads = 1 + (w->number + i) % 3;
        if (frocc_fit(&p, &rows, &model) != FROCC_OK)
            w->problem = "the fit failed";
        else if (!same_bytes(model, &w->all->expected))
            w->problem = "the models differ";
        frocc_model_free(model);
    }
    return NULL;
}

static void threads_fit_at_the_same_time(void) {
    for (int kernel = 0; kernel < KERNELS; kernel++)
        with_workers((frocc_kernel)kernel, fit_alone);
}

/* ---- References ------------------------------------------------------------------------------ */

/* Scorers and frames keep what they stand on alive; the last one to go frees it. */
static void *take_and_drop(void *argument) {
    worker *w = argument;

    for (int i = 0; i < rounds() * 20 && w->problem == NULL; i++) {
        frocc_frame *frame = frocc_model_frame(w->all->model);
        frocc_scorer *scorer = NULL;
        if (frocc_scorer_new(w->all->model, 1, &scorer) != FROCC_OK)
            w->problem = "no scorer";
        if (frocc_frame_checksum(frame) != frocc_frame_checksum(w->all->frame))
            w->problem = "the frames differ";
        frocc_frame_free(frame);
        frocc_scorer_free(scorer);
    }
    return NULL;
}

static void references_are_counted(void) {
    with_workers(FROCC_KERNEL_LINEAR, take_and_drop);
}

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Each thread fails with a row of its own and must read of that row. */
static void *fail_alone(void *argument) {
    worker *w = argument;
    double values[100 * 8] = {0};
    char expected[32];

    values[(10 + w->number) * 8] = NAN;
    snprintf(expected, sizeof expected, "row %d,", 10 + w->number);
    for (int i = 0; i < rounds() * 5 && w->problem == NULL; i++) {
        frocc_rows rows = frocc_rows_f64(values, 100, 8);
        frocc_model *model = NULL;
        if (frocc_fit(&w->all->s.params, &rows, &model) != FROCC_ERR_DATA)
            w->problem = "NaN was taken";
        else if (strstr(frocc_last_error(), expected) == NULL)
            w->problem = "the sentence is another thread's";
    }
    return NULL;
}

/* Without luck: one thread fails after another, and the first still reads its own sentence. */
static void *fail_second(void *argument) {
    const char **problem = argument;

    if (frocc_last_error()[0] != '\0')
        *problem = "a new thread has an error already";
    if (frocc_params_check(NULL, 1) != FROCC_ERR_ARGUMENT || frocc_last_error()[0] == '\0')
        *problem = "the second failure has no sentence";
    return NULL;
}

static void errors_belong_to_their_thread(void) {
    char before[512] = "";
    const char *problem = NULL;
    frocc_model *model = NULL;
    char *folder = folder_new(), *missing = path_in(folder, "missing.frocc");
    pthread_t thread;

    check(frocc_model_load(missing, NULL, &model) == FROCC_ERR_IO, "it is not there");
    free(missing);
    folder_free(folder);
    strncpy(before, frocc_last_error(), sizeof before - 1);
    check(pthread_create(&thread, NULL, fail_second, &problem) == 0, "no thread");
    pthread_join(thread, NULL);
    check(problem == NULL, "%s", problem);
    check(strcmp(before, frocc_last_error()) == 0, "\"%s\" became \"%s\"", before,
          frocc_last_error());
    with_workers(FROCC_KERNEL_LINEAR, fail_alone);
}

/* Fits and scores with several threads; the bytes of the model, so that they can be compared. */
static blob fit_with_threads(const data *x, setup *s) {
    frocc_rows rows = data_rows(x);
    frocc_scorer *scorer = NULL;
    double *scores = NEW(double, x->n);

    frocc_model *model = fit(&s->params, x);
    check_ok(frocc_scorer_new(model, s->params.threads, &scorer));
    check_ok(frocc_scorer_score(scorer, &rows, scores));
    blob bytes = blob_of(model);
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    free(scores);
    return bytes;
}

/* A child has only the thread that forked: what waits for the others waits for ever. */
static void forked_children_work_alone(void) {
    rng r = rng_seed(77);
    data x = data_new(&r, 9000, 20, SHAPE_BLOB, true);
    setup s;
    int ended = -1;

    setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 64, 20);
    s.params.threads = 4;
    blob mine = fit_with_threads(&x, &s);
    pid_t child = fork();
    check(child >= 0, "no process");
    if (child == 0) {
        alarm(60);
        blob its = fit_with_threads(&x, &s);
        ended = its.size == mine.size && memcmp(its.bytes, mine.bytes, mine.size) == 0 ? 0 : 1;
        blob_free(&its);
    }
    if (child > 0)
        check(waitpid(child, &ended, 0) == child, "the child is lost");
    blob_free(&mine);
    setup_free(&s);
    data_free(&x);
    if (child == 0)
        _exit(ended);
    check(WIFEXITED(ended) && WEXITSTATUS(ended) == 0, "the child ended with %#x", ended);
}

/* Rows in text, read by so many threads: what comes is summed up. */
static double read_with_threads(char *path, int threads) {
    frocc_reader_options options;
    frocc_reader *reader = NULL;
    frocc_block block = {.struct_size = sizeof block};
    double sum = 0;

    frocc_reader_options_init(&options);
    options.threads = threads;
    check_ok(frocc_reader_open((const char *const *)&path, 1, &options, NULL, &reader));
    check_ok(frocc_reader_next(reader, &block));
    while (block.rows.n_rows > 0) {
        const double *values = block.rows.values;
        for (size_t i = 0; i < block.rows.n_rows * block.rows.n_features; i++)
            sum += values[i];
        check_ok(frocc_reader_next(reader, &block));
    }
    frocc_reader_free(reader);
    return sum;
}

/* Numbers that no machine has threads for are as good as any. */
static void any_number_of_threads(void) {
    static const int numbers[] = {17, 300, 5000, 100000, INT_MAX};
    rng r = rng_seed(78);
    data x = data_new(&r, 9000, 20, SHAPE_BLOB, true);
    setup s;
    char *folder = folder_new(), *path = path_in(folder, "rows.csv");
    FILE *file = fopen(path, "w");

    check(file != NULL, "no file");
    for (int i = 0; i < 20000; i++)
        fprintf(file, "%d,%d\n", i, i % 7);
    fclose(file);
    const double sum = read_with_threads(path, 1);
    setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 64, 20);
    s.params.threads = 1;
    blob alone = fit_with_threads(&x, &s);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        s.params.threads = numbers[i];
        blob many = fit_with_threads(&x, &s);
        check(many.size == alone.size && memcmp(many.bytes, alone.bytes, alone.size) == 0,
              "%d threads fit another model", numbers[i]);
        check(read_with_threads(path, numbers[i]) == sum, "%d threads read others", numbers[i]);
        blob_free(&many);
    }
    blob_free(&alone);
    setup_free(&s);
    data_free(&x);
    free(path);
    folder_free(folder);
}

int main(void) {
    RUN(threads_share_a_model);
    RUN(threads_share_a_frame);
    RUN(threads_fit_at_the_same_time);
    RUN(references_are_counted);
    RUN(errors_belong_to_their_thread);
    RUN(forked_children_work_alone);
    RUN(any_number_of_threads);
    return check_end();
}
