/* SPDX-License-Identifier: BSD-3-Clause */
/* A number per row and direction: projections, and distances from the intervals. */
#include "base/arithmetic.h"
#include "base/status.h"
#include "base/threads.h"
#include "score/score.h"

typedef struct table {
    const frocc_model *model;
    size_t n_columns;
    float *values; /* a row per row, a column per direction */
} table;

/* The paper's alpha, in the gaps between intervals too: how far the nearest interval is. */
static float distance(const frocc_model *model, size_t direction, float value) {
    if (frocc__model_counts(model))
        return frocc__costs_distance(&model->evidence.costs, direction, value);
    const frocc__interval *list = frocc__slot(&model->sketch, direction);
    size_t count = model->sketch.count[direction];
    if (value != value)
        return INFINITY;
    ptrdiff_t at = frocc__find(list, count, value);
    if (at < 0)
        return list[0].lo - value;
    float after = value - list[at].hi;
    if (after <= 0.0f)
        return 0.0f;
    if ((size_t)at + 1 == count)
        return after;
    return fminf(after, list[at + 1].lo - value);
}

static void take_distances(void *context, const frocc__tile *tile) {
    const table *job = context;
    for (size_t c = 0; c < tile->n_directions; c++)
        for (size_t r = 0; r < tile->n_rows; r++)
            job->values[(tile->first_row + r) * job->n_columns + tile->block * FROCC_BLOCK + c] =
                distance(job->model, tile->block * FROCC_BLOCK + c,
                         tile->values[c * tile->stride + r]);
}

frocc_status frocc_scorer_distances(frocc_scorer *scorer, const frocc_rows *rows,
                                    float *distances) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(scorer);
    FROCC_REQUIRE(distances);
    table job = {scorer->model, scorer->model->frame->n_directions, distances};
    return frocc__scorer_run(scorer, rows, &(frocc__sink){.context = &job, .take = take_distances});
}

static void take_values(void *context, const frocc__tile *tile) {
    const table *job = context;
    for (size_t c = 0; c < tile->n_directions; c++)
        for (size_t r = 0; r < tile->n_rows; r++)
            job->values[(tile->first_row + r) * job->n_columns + tile->block * FROCC_BLOCK + c] =
                tile->values[c * tile->stride + r];
}

frocc_status frocc_frame_project(const frocc_frame *frame, const frocc_rows *rows,
                                 float *projections) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(frame);
    FROCC_REQUIRE(rows);
    FROCC_REQUIRE(projections);
    FROCC_TRY(frocc__rows_check(rows, frame->columns.n_inputs));
    int threads = frocc__threads(0);
    frocc__worker *workers = NULL;
    FROCC_TRY(frocc__workers_new(frame, threads, false, &workers));
    table job = {NULL, frame->n_directions, projections};
    frocc_status status = frocc__drive(frame, rows, workers, threads,
                                       &(frocc__sink){.context = &job, .take = take_values}, false);
    frocc__workers_free(workers, threads);
    return status;
}
