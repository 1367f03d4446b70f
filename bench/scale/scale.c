/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What travels when a fit is done in parts, and what that costs: bytes of sample, frame, part and
 * model, and CPU time a row, to send a part, to merge it, to finish. One thread, rows of clusters
 * made here. bench/scale/run compiles and runs it.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frocc.h"

typedef struct method {
    const char *name;
    void (*init)(frocc_params *params);
} method;

typedef struct figures {
    size_t sample, frame, part, model;
    double sample_row, fit_row, make_frame, send, receive, merge, finish;
} figures;

static void must(frocc_status status) {
    if (status != FROCC_OK) {
        fprintf(stderr, "scale: %s\n", frocc_last_error());
        exit(1);
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* xorshift64*, and sums of it that are nearly normal. */
static double draw(uint64_t *state) {
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        sum += (double)((*state * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-53;
    }
    return (sum - 2) * 1.7320508;
}

static float *rows_new(size_t n, size_t d, uint64_t seed) {
    float *values = malloc(n * d * sizeof *values);
    uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
    if (values == NULL)
        exit(1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++)
            values[i * d + j] = (float)(draw(&state) + (double)((i * 7 + j * 3) % 5) * 4);
    return values;
}

/* The bytes of a fitter, and the time to make them. */
static void *sent(frocc_fitter *fitter, size_t *size, double *seconds) {
    void *bytes = NULL;
    const double begin = now();
    must(frocc_fitter_to_bytes(fitter, &bytes, size));
    *seconds = now() - begin;
    return bytes;
}

static frocc_fitter *received(const void *bytes, size_t size, double *seconds) {
    frocc_load_options options = {.struct_size = sizeof options, .max_memory = SIZE_MAX};
    frocc_fitter *fitter = NULL;
    const double begin = now();
    must(frocc_fitter_from_bytes(bytes, size, &options, 1, &fitter));
    *seconds = now() - begin;
    return fitter;
}

static frocc_frame *frame_of(const frocc_params *params, const frocc_rows *rows, figures *f) {
    frocc_sample *sample = NULL;
    frocc_frame *frame = NULL;
    void *bytes = NULL;
    double begin = now();
    must(frocc_sample_new(params, rows->n_features, &sample));
    must(frocc_sample_add(sample, rows));
    f->sample_row = (now() - begin) / (double)rows->n_rows;
    must(frocc_sample_to_bytes(sample, &bytes, &f->sample));
    frocc_bytes_free(bytes);
    begin = now();
    must(frocc_frame_new(params, rows->n_features, sample, &frame));
    f->make_frame = now() - begin;
    frocc_sample_free(sample);
    return frame;
}

static void measure(const frocc_params *params, const frocc_rows *rows, figures *f) {
    frocc_frame *frame = frame_of(params, rows, f);
    frocc_fitter *empty = NULL;
    frocc_model *model = NULL;
    double ignored;
    must(frocc_fitter_new(frame, params, &empty));
    void *begin_bytes = sent(empty, &f->frame, &ignored);
    frocc_fitter *part = received(begin_bytes, f->frame, &ignored);
    double begin = now();
    must(frocc_fitter_add(part, rows));
    f->fit_row = (now() - begin) / (double)rows->n_rows;
    void *bytes = sent(part, &f->part, &f->send);
    frocc_fitter *first = received(bytes, f->part, &ignored);
    frocc_fitter *second = received(bytes, f->part, &f->receive);
    begin = now();
    must(frocc_fitter_merge(first, second));
    f->merge = now() - begin;
    begin = now();
    must(frocc_fitter_finish(first, &model));
    f->finish = now() - begin;
    void *file = NULL;
    must(frocc_model_to_bytes(model, &file, &f->model));
    frocc_bytes_free(file);
    frocc_bytes_free(bytes);
    frocc_bytes_free(begin_bytes);
    frocc_model_free(model);
    frocc_fitter_free(empty);
    frocc_fitter_free(part);
    frocc_fitter_free(first);
    frocc_fitter_free(second);
    frocc_frame_free(frame);
}

static const method methods[] = {{"default", frocc_params_init},
                                 {"paper", frocc_params_init_paper}};

/* bench/scale/scale [N D]...: shapes of a part. */
int main(int count, char **words) {
    printf("| method | rows of a part | columns | sample kB | frame kB | part kB | model kB | "
           "sample µs/row | fit µs/row | frame ms | send ms | receive ms | merge ms | finish ms |\n"
           "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | "
           "---: | ---: |\n");
    for (size_t m = 0; m < 2; m++)
        for (int i = 1; i + 1 < count; i += 2) {
            const size_t n = strtoul(words[i], NULL, 10), d = strtoul(words[i + 1], NULL, 10);
            float *values = rows_new(n, d, (uint64_t)i);
            const frocc_rows rows = frocc_rows_f32(values, n, d);
            frocc_params params;
            figures f = {0};
            methods[m].init(&params);
            params.threads = 1;
            measure(&params, &rows, &f);
            printf("| %s | %zu | %zu | %.1f | %.1f | %.1f | %.1f | %.3f | %.3f | %.1f | %.2f | "
                   "%.2f | %.2f | %.1f |\n",
                   methods[m].name, n, d, 1e-3 * (double)f.sample, 1e-3 * (double)f.frame,
                   1e-3 * (double)f.part, 1e-3 * (double)f.model, 1e6 * f.sample_row,
                   1e6 * f.fit_row, 1e3 * f.make_frame, 1e3 * f.send, 1e3 * f.receive,
                   1e3 * f.merge, 1e3 * f.finish);
            free(values);
        }
    return 0;
}
