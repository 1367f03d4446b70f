/* SPDX-License-Identifier: BSD-3-Clause */
#include "data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_CLUSTERS 12
#define FAR 100.0 /* spread of the centres, in deviations of a cluster */

/* ---- Random numbers, by splitmix64 ----------------------------------------------------------- */

static uint64_t next_bits(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double uniform(uint64_t *state) {
    return (double)((next_bits(state) >> 11) + 1) * 0x1p-53;
}

static double normal(uint64_t *state) {
    const double turn = 6.283185307179586;
    double radius = sqrt(-2.0 * log(uniform(state)));
    return radius * cos(turn * uniform(state));
}

static size_t below(uint64_t *state, size_t bound) {
    return (size_t)(next_bits(state) % bound);
}

/* ---- Kinds of rows --------------------------------------------------------------------------- */

static void *room(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL)
        fprintf(stderr, "speed: no memory for %zu values\n", count);
    return memory;
}

static void fill_gaussian(float *values, size_t count, uint64_t *state) {
    for (size_t i = 0; i < count; i++)
        values[i] = (float)normal(state);
}

static void fill_clusters(const shape *what, bool between, float *values, uint64_t *state) {
    uint64_t centre_state = 12; /* the same centres for rows and queries */
    double *centres = room(N_CLUSTERS * what->d, sizeof *centres);
    if (centres == NULL)
        exit(1);
    for (size_t i = 0; i < N_CLUSTERS * what->d; i++)
        centres[i] = FAR * normal(&centre_state);
    for (size_t r = 0; r < what->n; r++) {
        size_t a = below(state, N_CLUSTERS), b = a;
        while (between && r % 2 == 1 && b == a)
            b = below(state, N_CLUSTERS);
        for (size_t j = 0; j < what->d; j++)
            values[r * what->d + j] =
                (float)(0.5 * (centres[a * what->d + j] + centres[b * what->d + j]) +
                        normal(state));
    }
    free(centres);
}

/* The rows own their values, which the caller fills. */
static float *dense_rows(const shape *what, frocc_rows *out) {
    float *values = room(what->n * what->d, sizeof *values);
    *out = (frocc_rows){.n_rows = what->n,
                        .n_features = what->d,
                        .dtype = FROCC_F32,
                        .values = values,
                        .row_stride = what->d};
    return values;
}

static bool make_dense(const shape *what, bool is_query, frocc_rows *out) {
    uint64_t state = is_query ? 2 : 1;
    float *values = dense_rows(what, out);
    if (values == NULL)
        return false;
    if (strcmp(what->kind, "clusters") == 0)
        fill_clusters(what, is_query, values, &state);
    else
        fill_gaussian(values, what->n * what->d, &state);
    return true;
}

/* As many entries in every row: one at a random place of each of so many runs of columns. */
static bool make_sparse(const shape *what, bool is_query, frocc_rows *out) {
    uint64_t state = is_query ? 2 : 1;
    size_t each = (size_t)fmin(fmax(what->density * (double)what->d, 1.0), (double)what->d);
    float *values = room(what->n * each, sizeof *values);
    int64_t *start = room(what->n + 1, sizeof *start);
    int32_t *columns = room(what->n * each, sizeof *columns);
    *out = (frocc_rows){.n_rows = what->n,
                        .n_features = what->d,
                        .dtype = FROCC_F32,
                        .values = values,
                        .row_start = start,
                        .columns = columns};
    if (values == NULL || start == NULL || columns == NULL)
        return false;
    fill_gaussian(values, what->n * each, &state);
    for (size_t r = 0; r <= what->n; r++)
        start[r] = (int64_t)(r * each);
    for (size_t r = 0; r < what->n; r++)
        for (size_t i = 0; i < each; i++) {
            size_t first = i * what->d / each, end = (i + 1) * what->d / each;
            columns[r * each + i] = (int32_t)(first + below(&state, end - first));
        }
    return true;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool read_rows(const shape *what, const char *path, frocc_rows *out) {
    size_t count = what->n * what->d;
    float *values = dense_rows(what, out);
    if (values == NULL)
        return false;
    FILE *file = fopen(path, "rb");
    bool good = file != NULL && fread(values, sizeof *values, count, file) == count;
    if (file != NULL)
        fclose(file);
    if (!good)
        fprintf(stderr, "speed: %s does not hold %zu x %zu float32\n", path, what->n, what->d);
    return good;
}

bool data_save(const void *bytes, size_t size, const char *path) {
    FILE *file = fopen(path, "wb");
    bool good = file != NULL && fwrite(bytes, 1, size, file) == size;
    if (file != NULL && fclose(file) != 0)
        good = false;
    if (!good)
        fprintf(stderr, "speed: %s cannot be written\n", path);
    return good;
}

bool data_make(const shape *what, data *out) {
    memset(out, 0, sizeof *out);
    if (what->rows != NULL)
        return read_rows(what, what->rows, &out->rows) &&
               read_rows(what, what->queries, &out->queries);
    bool (*make)(const shape *, bool, frocc_rows *) =
        strcmp(what->kind, "sparse") == 0 ? make_sparse : make_dense;
    return make(what, false, &out->rows) && make(what, true, &out->queries);
}

static void rows_free(frocc_rows *rows) {
    free((void *)rows->values);
    free((void *)rows->row_start);
    free((void *)rows->columns);
}

void data_free(data *old) {
    rows_free(&old->rows);
    rows_free(&old->queries);
}
