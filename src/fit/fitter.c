/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fitting (the paper's Algorithm 1, without its sort): every row is projected once and enters a
 * sketch. Time O(n d m) for the projections; no n values are ever sorted or kept. Threads have a
 * sketch each, which are merged: that is the one idea, once more.
 */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"
#include "frame/sample.h"
#include "model/calibrate.h"
#include "model/model_file.h"
#include "project/drive.h"
#include "sketch/counts.h"
#include "sketch/observe.h"

/* The sketch that one thread fills: intervals for agreement, or counts for closeness. */
typedef struct part {
    frocc__observer observer;
    frocc__counts counts;
    bool is_broken; /* a custom kernel gave NaN half way through some rows */
} part;

struct frocc_fitter {
    frocc_frame *frame;
    uint64_t seed, n_rows;
    float epsilon;
    frocc__decision decision;
    size_t most_held;
    frocc_sample *held;  /* rows that calibrate; may be NULL */
    frocc__held settled; /* those that came as bytes, or merged from such */
    int threads;
    frocc__worker *workers; /* one per thread, as parts, when there are rows; only the first part
                               has a sketch at once */
    part *parts;
};

/* ---- Parts ---------------------------------------------------------------------------------- */

static bool is_counting(const part *p) {
    return p->counts.frame != NULL;
}

static bool is_made(const part *p) {
    return is_counting(p) || p->observer.wasted != NULL;
}

static frocc_status part_new(const frocc_fitter *fitter, part *made) {
    const frocc_frame *frame = fitter->frame;
    return fitter->decision.score == FROCC_SCORE_CLOSENESS
               ? frocc__counts_new(frame, frocc__cells_for(fitter->epsilon), &made->counts)
               : frocc__observer_new(frame->n_directions, fitter->epsilon, frame->kernels,
                                     &made->observer);
}

static void part_free(part *p) {
    frocc__observer_free(&p->observer);
    frocc__counts_free(&p->counts);
    *p = (part){0};
}

/* Room for what n_rows rows, or another part, bring: then neither can fail. */
static frocc_status part_reserve(part *p, size_t n_rows) {
    return is_counting(p) ? FROCC_OK : frocc__observer_reserve(&p->observer, n_rows);
}

static size_t part_size(const part *p) {
    return is_counting(p) ? 0 : frocc__sketch_largest(&p->observer.sketch);
}

static void part_merge(part *into, const part *from) {
    if (is_counting(into))
        frocc__counts_merge(&into->counts, &from->counts);
    else
        frocc__observer_merge(&into->observer, &from->observer);
    into->is_broken |= from->is_broken;
}

static void take_tile(void *context, const frocc__tile *tile) {
    part *p = context;
    p->is_broken |= !frocc__observe(&p->observer, tile);
}

static void take_projections(void *context, const frocc__projections *projections) {
    part *p = context;
    p->is_broken |= !frocc__counts_take(&p->counts, projections);
}

static frocc__sink sink_of(part *p) {
    if (is_counting(p))
        return (frocc__sink){.context = p, .take_projections = take_projections};
    return (frocc__sink){.context = p, .take = take_tile, .inner = &p->observer.filter.widest};
}

/* ---- The fitter ----------------------------------------------------------------------------- */

/* What there is to know before the first row. */
static frocc_fitter begin_fitter(const frocc_frame *frame, int threads) {
    return (frocc_fitter){.frame =
                              frocc__frame_retain((frocc_frame *)frame), /* its count changes */
                          .seed = frame->seed,
                          .threads = frocc__threads(threads)};
}

static frocc_status take_memory(frocc_fitter *fitter) {
    const frocc_frame *frame = fitter->frame;
    fitter->parts = frocc__alloc((size_t)fitter->threads, sizeof *fitter->parts);
    if (fitter->parts == NULL)
        return FROCC_ERR_MEMORY;
    if (fitter->most_held > 0)
        FROCC_TRY(frocc__sample_make(fitter->most_held, fitter->seed, frame->columns.n_inputs,
                                     &fitter->held));
    return part_new(fitter, &fitter->parts[0]);
}

static frocc_status finish_fitter(const frocc_fitter *begun, frocc_fitter **fitter) {
    frocc_fitter *made = frocc__alloc(1, sizeof *made);
    if (made == NULL) {
        frocc_frame_free(begun->frame);
        return FROCC_ERR_MEMORY;
    }
    *made = *begun;
    frocc_status status = take_memory(made);
    if (status != FROCC_OK) {
        frocc_fitter_free(made);
        return status;
    }
    *fitter = made;
    return FROCC_OK;
}

frocc_status frocc_fitter_new(const frocc_frame *frame, const frocc_params *params,
                              frocc_fitter **fitter) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(frame);
    FROCC_REQUIRE(fitter);
    FROCC_TRY(frocc_params_check(params, frame->columns.n_inputs));
    frocc_fitter begun = begin_fitter(frame, params->threads);
    begun.epsilon = params->epsilon;
    begun.decision =
        (frocc__decision){params->score, params->threshold, params->fpr, params->contamination};
    begun.most_held = frocc__most_held(params, frame);
    return finish_fitter(&begun, fitter);
}

static frocc_status new_like(const frocc_model *model, int threads, frocc_fitter **fitter) {
    frocc_fitter begun = begin_fitter(model->frame, threads);
    begun.epsilon = model->epsilon;
    begun.decision = model->decision;
    begun.most_held = model->held.most;
    return finish_fitter(&begun, fitter);
}

frocc_status frocc_fitter_like(const frocc_model *model, int threads, frocc_fitter **fitter) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(fitter);
    if (model->is_sealed)
        return frocc__fail(FROCC_ERR_ARGUMENT, "a sealed model only scores, and nothing merges "
                                               "with it; take the model it was made from");
    return new_like(model, threads, fitter);
}

void frocc_fitter_free(frocc_fitter *fitter) {
    if (fitter == NULL)
        return;
    for (int t = 0; fitter->parts != NULL && t < fitter->threads; t++)
        part_free(&fitter->parts[t]);
    frocc__free(fitter->parts);
    frocc__workers_free(fitter->workers, fitter->threads);
    frocc_sample_free(fitter->held);
    frocc__held_free(&fitter->settled);
    frocc_frame_free(fitter->frame);
    frocc__free(fitter);
}

uint64_t frocc_fitter_rows(const frocc_fitter *fitter) {
    return fitter == NULL ? 0 : fitter->n_rows;
}

frocc_frame *frocc_fitter_frame(const frocc_fitter *fitter) {
    return fitter == NULL ? NULL : frocc__frame_retain(fitter->frame);
}

static frocc_status check_whole(const frocc_fitter *fitter) {
    for (int t = 0; t < fitter->threads; t++)
        if (fitter->parts[t].counts.codes.has_failed)
            return frocc__fail(FROCC_ERR_MEMORY, "the fitter ran out of memory earlier and lacks "
                                                 "part of a row; make a new one");
    for (int t = 0; t < fitter->threads; t++)
        if (fitter->parts[t].is_broken)
            return frocc__fail(FROCC_ERR_CALLBACK,
                               "the custom kernel returned NaN for a row, so that this fitter "
                               "lacks part of it; make a new one with a kernel that returns "
                               "numbers");
    return FROCC_OK;
}

/* ---- Rows that calibrate -------------------------------------------------------------------- */

static bool is_wanted(const frocc_fitter *fitter, uint64_t hash) {
    return frocc__may_calibrate(hash) && frocc__sample_wants(fitter->held, hash);
}

/* Remembers those of some rows that may calibrate or, on failure, none of them. Hashes are of these
 * rows, where they are known. */
static frocc_status hold(frocc_fitter *fitter, const frocc_rows *rows, size_t first, size_t count,
                         const uint64_t *hashes) {
    size_t n_entered = 0;
    frocc_status status = FROCC_OK;
    for (size_t i = 0; i < count && status == FROCC_OK; i++) {
        const uint64_t hash =
            hashes != NULL ? hashes[i] : frocc__row_hash(rows, first + i, fitter->seed);
        if (!is_wanted(fitter, hash))
            continue;
        status = frocc__sample_reserve(fitter->held, 1);
        if (status == FROCC_OK)
            status = frocc__sample_enter(fitter->held, rows, first + i, hash, 1);
        n_entered += status == FROCC_OK;
    }
    if (status != FROCC_OK)
        frocc__sample_leave(fitter->held, n_entered);
    else
        frocc__sample_tidy(fitter->held);
    return status;
}

typedef struct hashing {
    const frocc_fitter *fitter;
    const frocc_rows *rows;
    uint64_t *hashes;
} hashing;

static void hash_row(void *context, size_t r) {
    const hashing *job = context;
    job->hashes[r] = frocc__row_hash(job->rows, r, job->fitter->seed);
}

static frocc_status hold_by_team(frocc_fitter *fitter, const frocc_rows *rows, int team) {
    if (fitter->held == NULL)
        return FROCC_OK;
    uint64_t *hashes = frocc__alloc_raw(rows->n_rows, sizeof *hashes);
    if (hashes == NULL)
        return FROCC_ERR_MEMORY;
    frocc__run_each(team, rows->n_rows, hash_row, &(hashing){fitter, rows, hashes});
    frocc_status status = hold(fitter, rows, 0, rows->n_rows, hashes);
    frocc__free(hashes);
    return status;
}

/* ---- Adding --------------------------------------------------------------------------------- */

static frocc_status expect_rows(void *context, const frocc_rows *rows, size_t first, size_t count) {
    frocc_fitter *fitter = context;
    FROCC_TRY(part_reserve(&fitter->parts[0], count));
    if (fitter->held != NULL)
        FROCC_TRY(hold(fitter, rows, first, count, NULL));
    fitter->n_rows += count;
    return FROCC_OK;
}

static void take_tile_first(void *context, const frocc__tile *tile) {
    frocc_fitter *fitter = context;
    take_tile(&fitter->parts[0], tile);
}

static void take_projections_first(void *context, const frocc__projections *projections) {
    frocc_fitter *fitter = context;
    take_projections(&fitter->parts[0], projections);
}

static frocc_status add_alone(frocc_fitter *fitter, const frocc_rows *rows) {
    frocc__sink sink = sink_of(&fitter->parts[0]);
    sink.context = fitter;
    if (is_counting(&fitter->parts[0]))
        sink.take_projections = take_projections_first;
    else
        sink.take = take_tile_first;
    sink.expect = expect_rows;
    return frocc__drive(fitter->frame, rows, fitter->workers, 1, &sink, false);
}

/* Rows that a sketch of its own, which has to be merged at the end, is worth. */
#define ROWS_FOR_A_THREAD 1024

static int team_for(const frocc_fitter *fitter, size_t n_rows) {
    const double m = (double)fitter->frame->n_directions, d = (double)fitter->frame->n_features;
    const int by_work = frocc__team_for(fitter->threads, (double)n_rows * m * (d + 4.0));
    return (int)FROCC_MIN((size_t)by_work, n_rows / ROWS_FOR_A_THREAD + 1);
}

/* Those that only merge need none. */
static frocc_status make_workers(frocc_fitter *fitter) {
    return fitter->workers != NULL
               ? FROCC_OK
               : frocc__workers_new(fitter->frame, fitter->threads, is_counting(&fitter->parts[0]),
                                    &fitter->workers);
}

/* Everything that can fail, before any row is taken. */
static frocc_status prepare_team(frocc_fitter *fitter, const frocc_rows *rows, int team) {
    for (size_t r = 0; r < rows->n_rows; r++)
        if (!frocc__row_is_plain(fitter->frame, rows, r) &&
            !frocc__frame_prepare(fitter->frame, rows, r, fitter->workers[0].workspace.rows))
            return frocc__rows_failure(rows, r);
    for (int t = 0; t < team; t++) {
        if (!is_made(&fitter->parts[t]))
            FROCC_TRY(part_new(fitter, &fitter->parts[t]));
        FROCC_TRY(part_reserve(&fitter->parts[t], rows->n_rows));
    }
    return FROCC_OK;
}

/* Threads fill a sketch each, which are merged when the model is made. All rows or none. */
static frocc_status add_by_team(frocc_fitter *fitter, const frocc_rows *rows, int team) {
    frocc__sink *sinks = frocc__alloc((size_t)team, sizeof *sinks);
    if (sinks == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = prepare_team(fitter, rows, team);
    if (status == FROCC_OK)
        status = hold_by_team(fitter, rows, team);
    if (status == FROCC_OK) {
        for (int t = 0; t < team; t++)
            sinks[t] = sink_of(&fitter->parts[t]);
        status = frocc__drive(fitter->frame, rows, fitter->workers, team, sinks, true);
        fitter->n_rows += rows->n_rows;
    }
    frocc__free(sinks);
    return status;
}

frocc_status frocc_fitter_add(frocc_fitter *fitter, const frocc_rows *rows) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(fitter);
    FROCC_REQUIRE(rows);
    FROCC_TRY(check_whole(fitter));
    FROCC_TRY(frocc__rows_check(rows, fitter->frame->columns.n_inputs));
    if (fitter->n_rows + rows->n_rows < fitter->n_rows)
        return frocc__fail(FROCC_ERR_ARGUMENT, "2^64 rows and more cannot be counted");
    FROCC_TRY(make_workers(fitter));
    const int team = team_for(fitter, rows->n_rows);
    FROCC_TRY(team > 1 ? add_by_team(fitter, rows, team) : add_alone(fitter, rows));
    return check_whole(fitter);
}

/* Holds all that from holds, beside what is held already, or on failure nothing more. */
static frocc_status hold_all(frocc_fitter *into, const frocc_fitter *from) {
    size_t count = into->held != NULL ? frocc__sample_count(from->held) : 0;
    for (size_t i = 0; i < count; i++) {
        const frocc__member *row = frocc__sample_at(from->held, i);
        int64_t start[2];
        frocc_rows rows = frocc__member_row(row, into->frame->columns.n_inputs, start);
        if (frocc__sample_reserve(into->held, 1) != FROCC_OK ||
            frocc__sample_enter(into->held, &rows, 0, row->hash, row->copies) != FROCC_OK) {
            frocc__sample_leave(into->held, i);
            return FROCC_ERR_MEMORY;
        }
    }
    if (into->held != NULL)
        frocc__sample_tidy(into->held);
    return FROCC_OK;
}

/* The rows of two that are settled, where there are some. */
static frocc_status settle_both(const frocc_fitter *a, const frocc_fitter *b, frocc__held *both) {
    const frocc__held *one = a->settled.most > 0 ? &a->settled : &b->settled;
    if (a->settled.most > 0 && b->settled.most > 0)
        return frocc__held_merge(&a->settled, &b->settled, both);
    return one->most > 0 ? frocc__held_copy(one, a->frame, both) : FROCC_OK;
}

static frocc_status check_pair(const frocc_fitter *into, const frocc_fitter *from) {
    FROCC_TRY(check_whole(into));
    FROCC_TRY(check_whole(from));
    if (into == from)
        return frocc__fail(FROCC_ERR_ARGUMENT, "a fitter cannot be merged into itself");
    if (into->most_held != from->most_held || into->seed != from->seed ||
        into->decision.score != from->decision.score)
        return frocc__fail(FROCC_ERR_FRAME, "fitters merge only with the same seed, score and "
                                            "number of calibration rows");
    if (!frocc__frames_equal(into->frame, from->frame) || into->epsilon != from->epsilon)
        return frocc__fail(FROCC_ERR_FRAME, "fitters merge only in the same frame (columns, "
                                            "directions, seed, kernel, scaling) and epsilon");
    if (into->n_rows + from->n_rows < into->n_rows)
        return frocc__fail(FROCC_ERR_ARGUMENT, "2^64 rows and more cannot be counted");
    return FROCC_OK;
}

/* Room in the first part for all parts of a fitter. */
static frocc_status reserve_for(frocc_fitter *into, const frocc_fitter *from, int first_part) {
    size_t size = 0;
    for (int t = first_part; t < from->threads; t++)
        size += part_size(&from->parts[t]);
    return part_reserve(&into->parts[0], size);
}

frocc_status frocc_fitter_merge(frocc_fitter *into, const frocc_fitter *from) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(into);
    FROCC_REQUIRE(from);
    FROCC_TRY(check_pair(into, from));
    FROCC_TRY(reserve_for(into, from, 0));
    frocc__held settled = {0};
    FROCC_TRY(settle_both(into, from, &settled));
    frocc_status status = hold_all(into, from);
    if (status != FROCC_OK) {
        frocc__held_free(&settled);
        return status;
    }
    frocc__held_free(&into->settled);
    into->settled = settled;
    for (int t = 0; t < from->threads; t++)
        if (is_made(&from->parts[t]))
            part_merge(&into->parts[0], &from->parts[t]);
    into->n_rows += from->n_rows;
    return FROCC_OK;
}

/* ---- Finishing ------------------------------------------------------------------------------ */

/* The sketch of all rows, in the first part. */
static frocc_status join_parts(frocc_fitter *fitter) {
    frocc__observer_settle(&fitter->parts[0].observer);
    FROCC_TRY(reserve_for(fitter, fitter, 1));
    for (int t = 1; t < fitter->threads; t++)
        if (is_made(&fitter->parts[t])) {
            part_merge(&fitter->parts[0], &fitter->parts[t]);
            part_free(&fitter->parts[t]);
        }
    return FROCC_OK;
}

/* All rows that calibrate, as a model has them. */
static frocc_status settle(const frocc_fitter *fitter, frocc__held *held) {
    if (fitter->held == NULL)
        return FROCC_OK;
    frocc__held fresh;
    FROCC_TRY(frocc__held_of(fitter->frame, fitter->most_held, fitter->held,
                             &fitter->parts[0].counts.extremes, &fresh));
    if (fitter->settled.most == 0) {
        *held = fresh;
        return FROCC_OK;
    }
    frocc_status status = frocc__held_merge(&fitter->settled, &fresh, held);
    frocc__held_free(&fresh);
    return status;
}

static frocc_status finish_closeness(const frocc_fitter *fitter, frocc_model **model) {
    frocc__held held = {0};
    FROCC_TRY(settle(fitter, &held));
    return frocc__model_of_counts(fitter->frame, &fitter->parts[0].counts, fitter->n_rows,
                                  fitter->epsilon, &held, fitter->decision, model);
}

static frocc_status copy_sketch(const frocc_fitter *fitter, frocc__sketch *sketch) {
    const frocc__sketch *observed = &fitter->parts[0].observer.sketch;
    FROCC_TRY(frocc__sketch_copy(observed, observed->n_slots, observed->epsilon, sketch));
    sketch->n_rows = fitter->n_rows;
    return FROCC_OK;
}

frocc_status frocc_fitter_finish(frocc_fitter *fitter, frocc_model **model) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(fitter);
    FROCC_REQUIRE(model);
    FROCC_TRY(check_whole(fitter));
    if (fitter->n_rows == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "there are no rows to learn from; add some first");
    FROCC_TRY(join_parts(fitter));
    if (fitter->decision.score == FROCC_SCORE_CLOSENESS)
        return finish_closeness(fitter, model);
    frocc__sketch sketch;
    FROCC_TRY(copy_sketch(fitter, &sketch));
    return frocc__model_of_intervals(fitter->frame, &sketch, fitter->decision, model);
}

/* ---- As bytes ------------------------------------------------------------------------------- */

/* What has been learnt, as a model that is not finished. */
static frocc_status describe_counts(const frocc_fitter *fitter, frocc_model *state) {
    const frocc__counts *counts = &fitter->parts[0].counts;
    FROCC_TRY(settle(fitter, &state->held));
    FROCC_TRY(frocc__held_finish(&state->held, fitter->frame, &counts->extremes));
    frocc__bytes_out out = {0};
    if (fitter->n_rows > 0)
        frocc__counts_write(counts, &out);
    state->counts = out.data;
    state->counts_size = out.size;
    return out.failed ? FROCC_ERR_MEMORY : FROCC_OK;
}

frocc_status frocc_fitter_to_bytes(frocc_fitter *fitter, void **bytes, size_t *size) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(fitter);
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(size);
    FROCC_TRY(check_whole(fitter));
    FROCC_TRY(join_parts(fitter));
    frocc_model *state = NULL;
    FROCC_TRY(frocc__model_new(fitter->frame, fitter->decision, &state));
    state->n_rows = fitter->n_rows;
    state->epsilon = fitter->epsilon;
    frocc_status status = is_counting(&fitter->parts[0]) ? describe_counts(fitter, state)
                                                         : copy_sketch(fitter, &state->sketch);
    if (status == FROCC_OK)
        status = frocc__model_write(state, FROCC_KIND_FITTER, bytes, size);
    frocc_model_free(state);
    return status;
}

/* Goes on from a state, which is left without what is taken over. */
static frocc_status resume(frocc_fitter *fitter, frocc_model *state) {
    part *first = &fitter->parts[0];
    fitter->settled = state->held;
    state->held = (frocc__held){0};
    fitter->n_rows = state->n_rows;
    if (state->n_rows == 0)
        return FROCC_OK;
    if (is_counting(first))
        return frocc__counts_merge_bytes(
            &first->counts, frocc__cells_for(fitter->epsilon),
            (frocc__bytes_in){state->counts, state->counts_size, false});
    frocc__observer_take(&first->observer, &state->sketch);
    return FROCC_OK;
}

frocc_status frocc_fitter_from_bytes(const void *bytes, size_t size,
                                     const frocc_load_options *options, int threads,
                                     frocc_fitter **fitter) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(fitter);
    frocc_model *state = NULL;
    frocc_fitter *made = NULL;
    FROCC_TRY(frocc__model_read(bytes, size, FROCC_KIND_FITTER, options, &state));
    frocc_status status = new_like(state, threads, &made);
    if (status == FROCC_OK)
        status = resume(made, state);
    frocc_model_free(state);
    if (status != FROCC_OK) {
        frocc_fitter_free(made);
        return status;
    }
    *fitter = made;
    return FROCC_OK;
}
