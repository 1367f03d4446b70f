/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fitting (the paper's Algorithm 1, without its sort): every row is projected once and observed by
 * the sketch. Time O(n d m) for the projections; no n values are ever sorted or kept.
 *
 * Threads share out the directions: each has its own slots, so nothing is merged at the end and no
 * early rows are observed twice.
 */
#include <string.h>

#include "flow.h"
#include "mem.h"
#include "model.h"
#include "observe.h"
#include "os.h"
#include "status.h"

struct frocc_fitter {
    frocc_frame *frame;
    frocc__decision decision;
    int threads;
    bool broken; /* a custom kernel gave NaN half way through some rows */
    frocc__observer observer;
    frocc__stripe stripe; /* shared by the threads */
    float *tiles;         /* FROCC_TILE values per thread */
    float *rows;          /* one prepared row per thread */
};

static frocc_status fill_in(frocc_fitter *fitter, frocc_frame *frame, const frocc_params *params) {
    fitter->frame = frocc__frame_share(frame);
    fitter->decision = (frocc__decision){params->score, params->threshold};
    fitter->threads = frocc__threads(params->threads);
    FROCC_TRY(frocc__observer_new(frame->n_directions, params->epsilon, fitter->threads,
                                  &fitter->observer));
    FROCC_TRY(frocc__stripe_new(frame, &fitter->stripe));
    fitter->tiles = frocc__alloc((size_t)fitter->threads, FROCC_TILE * sizeof(float));
    fitter->rows = frocc__alloc((size_t)fitter->threads, frame->n_features * sizeof(float));
    return fitter->tiles != NULL && fitter->rows != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

frocc_status frocc_fitter_new(frocc_frame *frame, const frocc_params *params,
                              frocc_fitter **fitter) {
    FROCC_REQUIRE(frame);
    FROCC_REQUIRE(fitter);
    FROCC_TRY(frocc_params_check(params, frame->n_features));
    frocc_fitter *made = frocc__alloc(1, sizeof *made);
    if (made == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = fill_in(made, frame, params);
    if (status != FROCC_OK) {
        frocc_fitter_free(made);
        return status;
    }
    *fitter = made;
    return FROCC_OK;
}

void frocc_fitter_free(frocc_fitter *fitter) {
    if (fitter == NULL)
        return;
    frocc__observer_free(&fitter->observer);
    frocc__stripe_free(&fitter->stripe);
    frocc__free(fitter->tiles);
    frocc__free(fitter->rows);
    frocc_frame_free(fitter->frame);
    frocc__free(fitter);
}

uint64_t frocc_fitter_rows(const frocc_fitter *fitter) {
    return fitter == NULL ? 0 : fitter->observer.sketch.n_rows;
}

static frocc_status check_whole(const frocc_fitter *fitter) {
    if (!fitter->broken)
        return FROCC_OK;
    return frocc__fail(FROCC_ERR_CALLBACK, "the custom kernel returned NaN earlier, so this fitter "
                                           "lacks part of a row; make a new one");
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Packs the stripe's panels, threads over panels. Returns the first unusable row, or SIZE_MAX. */
static size_t pack(frocc_fitter *fitter, const frocc_rows *rows, int team) {
    size_t n_panels = (fitter->stripe.n_rows + FROCC_PANEL - 1) / FROCC_PANEL;
    size_t first_bad = SIZE_MAX;
    (void)team;
    FROCC_OMP(parallel for num_threads(team) if (team > 1) reduction(min : first_bad))
    for (size_t p = 0; p < n_panels; p++) {
        frocc__stripe mine = fitter->stripe; /* the same panels, a row buffer of its own */
        mine.row = fitter->rows + frocc__thread_number() * fitter->frame->n_features;
        size_t bad = frocc__stripe_pack(fitter->frame, rows, &mine, p);
        first_bad = FROCC_MIN(first_bad, bad);
    }
    return first_bad;
}

/* The first panels of an empty sketch; returns how many they were. */
static size_t observe_first(frocc_fitter *fitter, size_t block, size_t thread, bool *usable) {
    size_t n_panels = (fitter->stripe.n_rows + FROCC_PANEL - 1) / FROCC_PANEL;
    size_t n_first = frocc__observe_first_panels(&fitter->observer, n_panels);
    float *values = fitter->tiles + thread * FROCC_TILE;
    for (size_t p = 0; p < n_first; p++) {
        frocc__tile tile = frocc__stripe_project(fitter->frame, &fitter->stripe, p, block, values);
        frocc__collect_first(&fitter->observer, &tile, p, thread);
    }
    size_t n_rows = FROCC_MIN(n_first * FROCC_PANEL, fitter->stripe.n_rows);
    if (n_first > 0)
        *usable =
            frocc__observe_first(&fitter->observer, fitter->frame->kernels, block, n_rows, thread);
    return n_first;
}

/* Whether the number of rows has doubled since the filters were last brought up to date. */
static bool has_doubled(uint64_t before, uint64_t after) {
    return (before ^ after) > before;
}

/* Observes one block of directions over all panels of the stripe. */
static bool observe_block(frocc_fitter *fitter, size_t block, size_t thread) {
    const frocc_frame *frame = fitter->frame;
    size_t n_panels = (fitter->stripe.n_rows + FROCC_PANEL - 1) / FROCC_PANEL;
    float *values = fitter->tiles + thread * FROCC_TILE;
    bool usable = true;
    for (size_t p = observe_first(fitter, block, thread, &usable); usable && p < n_panels; p++) {
        frocc__tile tile = frocc__stripe_project(frame, &fitter->stripe, p, block, values);
        usable = frocc__observe(&fitter->observer, frame->kernels, &tile, thread);
    }
    uint64_t before = fitter->observer.sketch.n_rows;
    bool refresh = has_doubled(before, before + fitter->stripe.n_rows);
    frocc__observer_flush(&fitter->observer, block, refresh, thread);
    return usable;
}

static bool observe_stripe(frocc_fitter *fitter, int team) {
    int unusable = 0;
    (void)team;
    FROCC_OMP(parallel for num_threads(team) if (team > 1) schedule(dynamic) reduction(| : unusable))
    for (size_t b = 0; b < fitter->frame->n_blocks; b++)
        unusable |= !observe_block(fitter, b, frocc__thread_number());
    return !unusable;
}

/* All of these rows or, on failure, none of them. */
static frocc_status add_stripe(frocc_fitter *fitter, const frocc_rows *rows, size_t first,
                               size_t count) {
    FROCC_TRY(frocc__observer_reserve(&fitter->observer, count));
    /* A team costs some microseconds: small additions go without. */
    bool small =
        (double)count * (double)fitter->frame->n_features * (double)fitter->frame->n_directions <
        1e6;
    int team = small ? 1 : fitter->threads;
    fitter->stripe.first_row = first;
    fitter->stripe.n_rows = count;
    size_t bad = pack(fitter, rows, team);
    if (bad != SIZE_MAX)
        return frocc__rows_failure(rows, bad);
    if (!observe_stripe(fitter, team)) {
        fitter->broken = true;
        return frocc__fail(FROCC_ERR_CALLBACK,
                           "the custom kernel returned NaN for one of the rows %zu to %zu (from "
                           "0); it must return a number",
                           first, first + count - 1);
    }
    fitter->observer.sketch.n_rows += count;
    return FROCC_OK;
}

frocc_status frocc_fitter_add(frocc_fitter *fitter, const frocc_rows *rows) {
    FROCC_REQUIRE(fitter);
    FROCC_REQUIRE(rows);
    FROCC_TRY(check_whole(fitter));
    FROCC_TRY(frocc__rows_check(rows, fitter->frame->n_features));
    const size_t step = frocc__stripe_rows(fitter->frame);
    for (size_t first = 0; first < rows->n_rows; first += step)
        FROCC_TRY(add_stripe(fitter, rows, first, FROCC_MIN(rows->n_rows - first, step)));
    return FROCC_OK;
}

frocc_status frocc_fitter_merge(frocc_fitter *into, const frocc_fitter *from) {
    FROCC_REQUIRE(into);
    FROCC_REQUIRE(from);
    FROCC_TRY(check_whole(into));
    FROCC_TRY(check_whole(from));
    if (!frocc__frames_equal(into->frame, from->frame) ||
        into->observer.sketch.epsilon != from->observer.sketch.epsilon)
        return frocc__fail(FROCC_ERR_FRAME, "fitters merge only in the same frame (columns, "
                                            "directions, seed, kernel, scaling) and epsilon");
    FROCC_TRY(frocc__sketch_merge(&into->observer.sketch, &from->observer.sketch));
    frocc__observer_refresh(&into->observer);
    return FROCC_OK;
}

frocc_status frocc_fitter_finish(frocc_fitter *fitter, frocc_model **model) {
    FROCC_REQUIRE(fitter);
    FROCC_REQUIRE(model);
    FROCC_TRY(check_whole(fitter));
    const frocc__sketch *sketch = &fitter->observer.sketch;
    if (sketch->n_rows == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "there are no rows to learn from; add some first");
    frocc__sketch tight;
    FROCC_TRY(frocc__sketch_copy(sketch, sketch->n_slots, sketch->epsilon, &tight));
    return frocc__model_new(fitter->frame, &tight, NULL, fitter->decision, model);
}

/* ---- The simple way ------------------------------------------------------------------------- */

typedef struct memory_source {
    const frocc_rows *rows;
    bool done;
} memory_source;

static frocc_status next_from_memory(void *context, frocc_rows *block) {
    memory_source *source = context;
    *block = *source->rows;
    if (source->done)
        block->n_rows = 0;
    source->done = true;
    return FROCC_OK;
}

static frocc_status rewind_memory(void *context) {
    memory_source *source = context;
    source->done = false;
    return FROCC_OK;
}

frocc_status frocc_fit(const frocc_params *params, const frocc_rows *rows, frocc_model **model) {
    FROCC_REQUIRE(params);
    FROCC_REQUIRE(rows);
    FROCC_REQUIRE(model);
    memory_source memory = {rows, false};
    frocc_source source = {next_from_memory, rewind_memory, &memory};
    return frocc_fit_source(params, &source, model);
}

typedef frocc_status (*block_fn)(void *object, const frocc_rows *block);

static frocc_status add_to_sample(void *sample, const frocc_rows *block) {
    return frocc_sample_add(sample, block);
}

static frocc_status add_to_fitter(void *fitter, const frocc_rows *block) {
    return frocc_fitter_add(fitter, block);
}

static frocc_status next_block(frocc_source *source, frocc_rows *block) {
    frocc_status status = source->next(source->context, block);
    if (status != FROCC_OK && frocc_last_error()[0] == '\0')
        return frocc__fail(status, "the row source failed");
    return status;
}

/* Hands block, then all further blocks, to take. */
static frocc_status take_all(frocc_source *source, frocc_rows block, block_fn take, void *object) {
    while (block.n_rows > 0) {
        FROCC_TRY(take(object, &block));
        FROCC_TRY(next_block(source, &block));
    }
    return FROCC_OK;
}

/* The first pass, where a scaling is learnt; leaves the source on its first block again. */
static frocc_status learn_frame(const frocc_params *params, frocc_source *source, frocc_rows *block,
                                frocc_frame **frame) {
    size_t n_features = block->n_features;
    if (!frocc__params_learn(params))
        return frocc_frame_new(params, n_features, NULL, frame);
    if (source->rewind == NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT, "the frame is learnt in a pass of its own: the "
                                               "row source needs a rewind function");
    frocc_sample *sample = NULL;
    FROCC_TRY(frocc_sample_new(params, n_features, &sample));
    frocc_status status = take_all(source, *block, add_to_sample, sample);
    if (status == FROCC_OK)
        status = frocc_frame_new(params, n_features, sample, frame);
    frocc_sample_free(sample);
    FROCC_TRY(status);
    status = source->rewind(source->context);
    if (status == FROCC_OK)
        status = next_block(source, block);
    if (status != FROCC_OK) {
        frocc_frame_free(*frame);
        *frame = NULL;
    }
    return status;
}

static frocc_status fit_in_frame(const frocc_params *params, frocc_source *source, frocc_rows block,
                                 frocc_frame *frame, frocc_model **model) {
    frocc_fitter *fitter = NULL;
    FROCC_TRY(frocc_fitter_new(frame, params, &fitter));
    frocc_status status = take_all(source, block, add_to_fitter, fitter);
    if (status == FROCC_OK)
        status = frocc_fitter_finish(fitter, model);
    frocc_fitter_free(fitter);
    return status;
}

frocc_status frocc_fit_source(const frocc_params *params, frocc_source *source,
                              frocc_model **model) {
    FROCC_REQUIRE(params);
    FROCC_REQUIRE(source);
    FROCC_REQUIRE(source->next);
    FROCC_REQUIRE(model);
    frocc_rows block = {0};
    FROCC_TRY(next_block(source, &block));
    FROCC_TRY(frocc_params_check(params, block.n_features));
    if (block.n_rows == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "there are no rows to learn from");
    frocc_frame *frame = NULL;
    FROCC_TRY(learn_frame(params, source, &block, &frame));
    frocc_status status = fit_in_frame(params, source, block, frame, model);
    frocc_frame_free(frame);
    return status;
}
