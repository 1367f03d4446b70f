/* SPDX-License-Identifier: BSD-3-Clause */
/* closeness.h - what the oracle of closeness needs to know of a model and the rows behind it. */
#ifndef FROCC_TESTS_CLOSENESS_H
#define FROCC_TESTS_CLOSENESS_H

#include "frame/frame.h"
#include "frame/sample.h"
#include "laws.h"
#include "model/model.h"
#include "oracle.h"
#include "sketch/extremes.h"

/* Row by row: n x m. */
static inline float *projections_of(const frocc_model *model, const data *x) {
    frocc_frame *frame = frocc_model_frame(model);
    float *values = NEW(float, x->n *frocc_frame_directions(frame));
    frocc_rows rows = data_rows(x);

    check_ok(frocc_frame_project(frame, &rows, values));
    frocc_frame_free(frame);
    return values;
}

/* The same before projecting, where extremes count; otherwise NULL. */
static inline float *prepared_of(const frocc_model *model, const data *x) {
    frocc_frame *frame = frocc_model_frame(model);
    frocc_rows rows = data_rows(x);
    float *values = NULL;

    if (frocc__has_extremes(frame))
        values = NEW(float, x->n * x->d);
    for (size_t r = 0; r < x->n && values != NULL; r++)
        check(frocc__frame_prepare(frame, &rows, r, values + r * x->d), "row %zu is refused", r);
    frocc_frame_free(frame);
    return values;
}

/* Rows that are asked about. */
typedef struct oracle_queries {
    size_t n, n_directions, n_features;
    float *values, *prepared;
} oracle_queries;

static inline oracle_queries oracle_queries_of(const frocc_model *model, const data *x) {
    return (oracle_queries){x->n, describe(model).n_directions, x->d, projections_of(model, x),
                            prepared_of(model, x)};
}

static inline oracle_row oracle_query(const oracle_queries *q, size_t i) {
    return (oracle_row){q->values + i * q->n_directions,
                        q->prepared != NULL ? q->prepared + i * q->n_features : NULL};
}

static inline void oracle_queries_free(oracle_queries *q) {
    free(q->values);
    free(q->prepared);
}

static inline int compare_hashes(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Which rows calibrate: all copies of the k distinct ones whose hashes are the smallest of those
 * that may. Returns how many rows these are, and their numbers. */
static inline size_t calibrating_rows(const frocc_model *model, const data *x, size_t *numbers) {
    frocc_rows rows = data_rows(x);
    uint64_t *hash = NEW(uint64_t, x->n), *sorted = NEW(uint64_t, x->n), last = 0;
    size_t count = 0, distinct = 0;

    for (size_t i = 0; i < x->n; i++)
        sorted[i] = hash[i] = frocc__row_hash(&rows, i, describe(model).seed);
    qsort(sorted, x->n, sizeof *sorted, compare_hashes);
    for (size_t i = 0; i < x->n && distinct < model->held.most; i++)
        if (frocc__may_calibrate(sorted[i]) && sorted[i] != last) {
            last = sorted[i];
            distinct++;
        }
    for (size_t i = 0; i < x->n; i++)
        if (frocc__may_calibrate(hash[i]) && hash[i] <= last)
            numbers[count++] = i;
    free(hash);
    free(sorted);
    return count;
}

/* A row alone is compared with nothing. */
static inline void align(const frocc_model *model, const data *x, oracle_rows *rows) {
    oracle_queries own = oracle_queries_of(model, x);
    size_t *numbers = NEW(size_t, x->n), count = calibrating_rows(model, x, numbers);
    oracle_row *asked = NEW(oracle_row, count + 1);

    for (size_t i = 0; i < count; i++)
        asked[i] = oracle_query(&own, numbers[i]);
    if (x->n > 1)
        oracle_align(rows, asked, numbers, count);
    free(asked);
    free(numbers);
    oracle_queries_free(&own);
}

/* The rows of a model, as it sees them. The model must live as long. */
static inline oracle_rows oracle_rows_of(const frocc_model *model, const data *x) {
    frocc_model_info info = describe(model);
    size_t n = x->n, m = info.n_directions;
    frocc_frame *frame = frocc_model_frame(model);
    float *values = projections_of(model, x);
    oracle_rows rows = {.n_rows = n,
                        .n_directions = m,
                        .values = NEW(float, n *m),
                        .sorted = NEW(float, n *m),
                        .epsilon = info.epsilon,
                        .needed = oracle_needed(info.contamination, n),
                        .frame = frame,
                        .leaves = NEW(uint32_t, info.n_trees * n + 1),
                        .prepared = prepared_of(model, x)};

    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < m; i++)
            rows.values[i * n + r] = values[r * m + i];
    for (size_t t = 0; t < info.n_trees; t++)
        for (size_t r = 0; r < n; r++)
            rows.leaves[t * n + r] = oracle_leaf(frame, t, values + r * m);
    oracle_sort(&rows);
    if (rows.needed > 0)
        align(model, x, &rows);
    frocc_frame_free(frame);
    free(values);
    return rows;
}

static inline void oracle_rows_free(oracle_rows *rows) {
    free(rows->values);
    free(rows->sorted);
    free(rows->leaves);
    free(rows->prepared);
}

#endif
