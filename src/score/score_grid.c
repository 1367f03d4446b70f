/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass, every (epsilon, m). */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/status.h"
#include "score/score.h"

/*
 * A gap between two intervals closes at one epsilon and stays closed above it. So the whole grid of
 * epsilons is one look-up: where a value lies says from which epsilon on it is accepted.
 */
typedef struct grid {
    const frocc_model *model;
    const uint32_t *ms;
    size_t n_epsilons, n_ms;
    const uint32_t *closed_at; /* per interval: index of the epsilon that closes the gap after it */
    uint32_t *seen;            /* per row, per epsilon: directions accepting from it on */
    uint32_t *counts;
} grid;

static void close_gaps(const frocc__sketch *sketch, const float *epsilons, size_t n_epsilons,
                       uint32_t *closed_at) {
    for (size_t s = 0; s < sketch->n_slots; s++) {
        const frocc__interval *list = frocc__slot(sketch, s);
        size_t count = sketch->count[s];
        for (size_t i = 0; i < count; i++) {
            size_t e = 0;
            while (e < n_epsilons &&
                   (i + 1 == count ||
                    !frocc__joins(list[i].hi, list[i + 1].lo,
                                  frocc__margin(epsilons[e], list[0].lo, list[count - 1].hi))))
                e++;
            closed_at[sketch->start[s] + i] = (uint32_t)e;
        }
    }
}

static size_t accepted_from(const grid *job, size_t direction, float value) {
    const frocc__sketch *sketch = &job->model->sketch;
    const frocc__interval *list = frocc__slot(sketch, direction);
    ptrdiff_t at = frocc__find(list, sketch->count[direction], value);
    if (at < 0)
        return job->n_epsilons;
    return value <= list[at].hi ? 0 : job->closed_at[sketch->start[direction] + (size_t)at];
}

/* Sums up what one row has seen so far into column k of its counts. */
static void note_counts(const grid *job, size_t row, size_t k) {
    const uint32_t *seen = job->seen + row * job->n_epsilons;
    uint32_t total = 0;
    for (size_t e = 0; e < job->n_epsilons; e++) {
        total += seen[e];
        job->counts[(row * job->n_epsilons + e) * job->n_ms + k] = total;
    }
}

static void take_grid(void *context, const frocc__tile *tile) {
    const grid *job = context;
    for (size_t c = 0; c < tile->n_directions; c++) {
        size_t direction = tile->block * FROCC_BLOCK + c;
        for (size_t r = 0; r < tile->n_rows; r++) {
            size_t row = tile->first_row + r;
            size_t e = accepted_from(job, direction, tile->values[c * tile->stride + r]);
            if (e < job->n_epsilons)
                job->seen[row * job->n_epsilons + e]++;
        }
        for (size_t k = 0; k < job->n_ms; k++)
            for (size_t r = 0; job->ms[k] == direction + 1 && r < tile->n_rows; r++)
                note_counts(job, tile->first_row + r, k);
    }
}

static frocc_status check_grid(const frocc_model *model, const float *epsilons, size_t n_epsilons,
                               const uint32_t *ms, size_t n_ms) {
    FROCC_TRY(frocc__refuse_closeness(model, "answer a grid of epsilons"));
    if (n_epsilons == 0 || n_ms == 0)
        return frocc__fail(FROCC_ERR_ARGUMENT, "a grid needs at least one epsilon and one m");
    for (size_t e = 0; e < n_epsilons; e++) {
        float least = e == 0 ? model->sketch.epsilon : epsilons[e - 1];
        if (!(epsilons[e] >= least && epsilons[e] <= 1.0f))
            return frocc__fail(FROCC_ERR_ARGUMENT,
                               "epsilons[%zu] is %g; the list must rise from the model's %g to at "
                               "most 1",
                               e, (double)epsilons[e], (double)model->sketch.epsilon);
    }
    for (size_t k = 0; k < n_ms; k++)
        if (ms[k] == 0 || ms[k] > model->frame->n_directions || (k > 0 && ms[k] < ms[k - 1]))
            return frocc__fail(FROCC_ERR_ARGUMENT,
                               "ms[%zu] is %u; the list must rise from 1 to at most the model's "
                               "%zu",
                               k, (unsigned)ms[k], model->frame->n_directions);
    return FROCC_OK;
}

frocc_status frocc_scorer_grid(frocc_scorer *scorer, const frocc_rows *rows, const float *epsilons,
                               size_t n_epsilons, const uint32_t *ms, size_t n_ms,
                               uint32_t *counts) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(scorer);
    FROCC_REQUIRE(rows);
    FROCC_REQUIRE(epsilons);
    FROCC_REQUIRE(ms);
    FROCC_REQUIRE(counts);
    const frocc_model *model = scorer->model;
    FROCC_TRY(check_grid(model, epsilons, n_epsilons, ms, n_ms));
    uint32_t *closed_at =
        frocc__alloc((size_t)frocc__sketch_intervals(&model->sketch), sizeof(uint32_t));
    uint32_t *seen = frocc__alloc(rows->n_rows, n_epsilons * sizeof(uint32_t));
    frocc_status status = FROCC_ERR_MEMORY;
    if (closed_at != NULL && seen != NULL) {
        close_gaps(&model->sketch, epsilons, n_epsilons, closed_at);
        grid job = {model, ms, n_epsilons, n_ms, closed_at, seen, counts};
        status =
            frocc__scorer_run(scorer, rows, &(frocc__sink){.context = &job, .take = take_grid});
    }
    frocc__free(closed_at);
    frocc__free(seen);
    return status;
}
