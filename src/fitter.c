/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fitting (the paper's Algorithm 1, without its sort): every row is projected once and observed by
 * the sketch. Time O(n d m) for the projections; no n values are ever sorted or kept.
 *
 * Threads share out the directions: each has its own slots, so nothing is merged at the end and no
 * early rows are observed twice.
 */
#include <stdatomic.h>

#include "flow.h"
#include "mem.h"
#include "model.h"
#include "observe.h"
#include "os.h"
#include "sample.h"
#include "status.h"
#include "wide.h"

struct frocc_fitter {
    frocc_frame *frame;
    uint64_t seed;
    frocc__decision decision;
    int threads;
    bool broken; /* a custom kernel gave NaN half way through some rows */
    frocc__observer observer;
    frocc__stripe stripe;      /* shared by the threads */
    frocc__desk *desks;        /* one per thread */
    atomic_size_t *next_block; /* per thread, of those that it begins with */
    size_t most_held;
    frocc_sample *held; /* rows kept out of the sketch for calibration; may be NULL */
    size_t *picked;     /* rows of a stripe for the sketch, then those to be held */
    uint64_t *hashes;   /* of the rows to be held */
};

static frocc_status fill_in(frocc_fitter *fitter, frocc_frame *frame, const frocc_params *params) {
    fitter->frame = frocc__frame_share(frame);
    fitter->seed = params->seed;
    fitter->decision = (frocc__decision){params->score, params->threshold, params->fpr};
    fitter->threads = frocc__threads(params->threads);
    FROCC_TRY(frocc__observer_new(frame->n_directions, params->epsilon, frame->kernels,
                                  fitter->threads, &fitter->observer));
    fitter->desks = frocc__alloc((size_t)fitter->threads, sizeof(frocc__desk));
    fitter->next_block = frocc__alloc((size_t)fitter->threads, sizeof *fitter->next_block);
    if (fitter->desks == NULL || fitter->next_block == NULL)
        return FROCC_ERR_MEMORY;
    for (int t = 0; t < fitter->threads; t++)
        FROCC_TRY(frocc__desk_new(frame, &fitter->desks[t]));
    FROCC_TRY(frocc__stripe_new(frame, &fitter->stripe));
    fitter->most_held = params->calibration_rows;
    if (fitter->most_held == 0)
        return FROCC_OK;
    fitter->picked = frocc__alloc(frocc__stripe_rows(frame, NULL), sizeof(size_t));
    fitter->hashes = frocc__alloc(frocc__stripe_rows(frame, NULL), sizeof(uint64_t));
    if (fitter->picked == NULL || fitter->hashes == NULL)
        return FROCC_ERR_MEMORY;
    return frocc__sample_new(fitter->most_held, params->seed, frame->n_features, &fitter->held);
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
    for (int t = 0; fitter->desks != NULL && t < fitter->threads; t++)
        frocc__desk_free(&fitter->desks[t]);
    frocc__free(fitter->desks);
    frocc__free(fitter->next_block);
    frocc_sample_free(fitter->held);
    frocc__free(fitter->picked);
    frocc__free(fitter->hashes);
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
        size_t bad = frocc__stripe_pack(fitter->frame, rows, &fitter->stripe, p,
                                        &fitter->desks[frocc__thread_number()]);
        first_bad = FROCC_MIN(first_bad, bad);
    }
    return first_bad;
}

/* Observes n_batch panels of a meeting, from first on, as a batch. */
static bool observe_batch(frocc_fitter *fitter, const frocc__meeting *meeting, size_t first,
                          size_t n_batch, size_t block, size_t thread) {
    size_t n_rows = 0;
    for (size_t p = 0; p < n_batch; p++) {
        frocc__tile tile;
        (void)frocc__meeting_tile(fitter->frame, &fitter->stripe, meeting, first + p, block, NULL,
                                  &fitter->desks[thread], &tile);
        frocc__batch_collect(&fitter->observer, &tile, p, thread);
        n_rows += tile.n_rows;
    }
    return frocc__batch_observe(&fitter->observer, meeting->first_block + block, n_rows, thread);
}

/* new_values says how many values of each block's last tile were new. */
static bool observe_meeting(frocc_fitter *fitter, const frocc__meeting *meeting, size_t *new_values,
                            size_t thread) {
    frocc__observer *observer = &fitter->observer;
    size_t next[FROCC_GROUP] = {0}; /* the first panel that each block has not observed yet */
    bool usable = true;
    for (size_t p = 0; p < meeting->n_panels; p++)
        for (size_t b = 0; usable && b < meeting->n_blocks; b++) {
            if (next[b] > p)
                continue;
            const size_t block = meeting->first_block + b;
            bool batch =
                !meeting->is_screened && frocc__wants_batch(observer, block, new_values[b]);
            new_values[b] = 0;
            frocc__tile tile;
            if (batch) {
                size_t n_batch = frocc__batch_panels(observer, block, meeting->n_panels - p);
                usable = observe_batch(fitter, meeting, p, n_batch, b, thread);
                next[b] = p + n_batch;
            } else if (frocc__meeting_tile(fitter->frame, &fitter->stripe, meeting, p, b,
                                           &observer->filter, &fitter->desks[thread], &tile))
                usable = frocc__observe(observer, &tile, &new_values[b]);
        }
    return usable;
}

static bool wants_batches(const frocc_fitter *fitter, const frocc__meeting *meeting,
                          const size_t *new_values) {
    for (size_t b = 0; b < meeting->n_blocks; b++)
        if (frocc__wants_batch(&fitter->observer, meeting->first_block + b, new_values[b]))
            return true;
    return false;
}

/* Observes a group of blocks over all panels of the stripe. */
static bool observe_group(frocc_fitter *fitter, size_t first_block, size_t n_blocks,
                          size_t thread) {
    size_t n_panels = (fitter->stripe.n_rows + FROCC_PANEL - 1) / FROCC_PANEL;
    size_t new_values[FROCC_GROUP] = {0};
    bool usable = true;
    for (size_t first = 0; usable && first < n_panels; first += FROCC_BAND) {
        frocc__meeting meeting = {.first_block = first_block, .n_blocks = n_blocks};
        for (size_t p = first; p < FROCC_MIN(first + FROCC_BAND, n_panels); p++)
            meeting.panels[meeting.n_panels++] = p;
        frocc__meet(fitter->frame, &fitter->stripe,
                    wants_batches(fitter, &meeting, new_values) ? NULL : &fitter->observer.filter,
                    &meeting, &fitter->desks[thread]);
        usable = observe_meeting(fitter, &meeting, new_values, thread);
    }
    return usable;
}

/*
 * Large groups come first and small ones last, so that no thread waits for long at the end. By twos
 * while there are enough, since the widest intervals of two blocks lie in one cache line, or by
 * fours, since coarse projections multiply so many at once.
 */
static size_t next_group(const frocc_frame *frame, size_t n_left, int team) {
    const size_t unit = frame->coarse.w != NULL ? 4 : 2;
    size_t share = n_left / 2 / unit * unit;
    if (share == 0)
        share = unit == 4 ? unit : 1;
    return FROCC_MIN(n_left, FROCC_MIN(team > 1 ? share : n_left, (size_t)FROCC_GROUP));
}

/* The blocks of a thread: the same for every stripe, so that their intervals stay in its caches. */
static size_t first_of_thread(const frocc_frame *frame, size_t thread, int team) {
    const size_t unit = 4;
    return thread == (size_t)team ? frame->n_blocks
                                  : frame->n_blocks * thread / (size_t)team / unit * unit;
}

/* Takes the next group of blocks, whose size it returns: the thread's own, or what others have not
 * come to yet. */
static size_t take_group(frocc_fitter *fitter, size_t thread, int team, size_t *first) {
    const frocc_frame *frame = fitter->frame;
    size_t count = 0;
    for (size_t i = 0; i < (size_t)team && count == 0; i++) {
        const size_t owner = (thread + i) % (size_t)team;
        const size_t end = first_of_thread(frame, owner + 1, team);
        *first = atomic_load(&fitter->next_block[owner]);
        do
            count = next_group(frame, end - *first, team);
        while (!atomic_compare_exchange_weak(&fitter->next_block[owner], first, *first + count));
    }
    return count;
}

static bool observe_stripe(frocc_fitter *fitter, int team) {
    int unusable = 0;
    for (int t = 0; t < team; t++)
        atomic_store(&fitter->next_block[t], first_of_thread(fitter->frame, (size_t)t, team));
    FROCC_OMP(parallel num_threads(team) if (team > 1) reduction(| : unusable)) {
        const size_t thread = frocc__thread_number();
        for (size_t first, count; (count = take_group(fitter, thread, team, &first)) > 0;)
            unusable |= !observe_group(fitter, first, count, thread);
    }
    return !unusable;
}

/* A team of threads costs some microseconds: small additions go without. */
static int team_for(const frocc_fitter *fitter, size_t n_rows) {
    double work =
        (double)n_rows * (double)fitter->frame->n_features * (double)fitter->frame->n_directions;
    return work < 1e6 ? 1 : frocc__team(fitter->threads);
}

/* Lets the sketch have what the stripe holds. */
static frocc_status observe(frocc_fitter *fitter, size_t n_rows) {
    fitter->stripe.n_rows = n_rows;
    if (n_rows == 0 || observe_stripe(fitter, team_for(fitter, n_rows)))
        return FROCC_OK;
    fitter->broken = true;
    return frocc__fail(FROCC_ERR_CALLBACK, "the custom kernel returned NaN for one of the rows; it "
                                           "must return a number");
}

/* ---- Held rows ------------------------------------------------------------------------------ */

/*
 * Splits a stripe's rows: picked begins with those for the sketch and ends with those to be held,
 * whose hashes are noted. Returns how many are to be held.
 */
static size_t pick(frocc_fitter *fitter, const frocc_rows *rows, size_t first, size_t count) {
    size_t n_sketch = 0, n_held = 0;
    for (size_t r = first; r < first + count; r++) {
        uint64_t hash = frocc__row_hash(rows, r, fitter->seed);
        if (frocc__may_calibrate(hash) && frocc__sample_wants(fitter->held, hash)) {
            fitter->hashes[n_held] = hash;
            fitter->picked[count - ++n_held] = r;
        } else {
            fitter->picked[n_sketch++] = r;
        }
    }
    return n_held;
}

/* Holds the last n_held of picked, or on failure none of them. */
static frocc_status hold(frocc_fitter *fitter, const frocc_rows *rows, size_t count,
                         size_t n_held) {
    FROCC_TRY(frocc__sample_reserve(fitter->held, n_held));
    for (size_t i = 0; i < n_held; i++) {
        size_t r = fitter->picked[count - 1 - i];
        if (frocc__sample_enter(fitter->held, rows, r, fitter->hashes[i], 1) != FROCC_OK) {
            frocc__sample_leave(fitter->held, i);
            return FROCC_ERR_MEMORY;
        }
    }
    return FROCC_OK;
}

/* Packs members; their values were looked at when they came. */
static void place_members(frocc_fitter *fitter, const frocc__member *members, size_t count) {
    frocc__stripe *stripe = &fitter->stripe;
    frocc__desk *desk = &fitter->desks[0];
    stripe->n_rows = count;
    stripe->projected = frocc__is_wide(fitter->frame);
    stripe->is_coarse = false;
    for (size_t i = 0; i < (count + FROCC_PANEL - 1) / FROCC_PANEL * FROCC_PANEL; i++) {
        if (i < count) {
            int64_t start[2];
            frocc_rows one = frocc__member_row(&members[i], fitter->frame->n_features, start);
            (void)frocc__frame_prepare(fitter->frame, &one, 0,
                                       frocc__stripe_slot(fitter->frame, stripe, i, desk));
        }
        frocc__stripe_place(fitter->frame, stripe, i, i < count, desk);
    }
}

/* Rows that are no longer among the held ones go to the sketch, which has room for them. */
static frocc_status release(frocc_fitter *fitter) {
    frocc__members fallen = frocc__sample_settle(fitter->held);
    const size_t most = frocc__stripe_rows(fitter->frame, NULL);
    frocc_status status = FROCC_OK;
    for (size_t done = 0; done < fallen.count && status == FROCC_OK;) {
        size_t count = FROCC_MIN(fallen.count - done, most);
        place_members(fitter, fallen.rows + done, count);
        status = observe(fitter, count);
        done += count;
    }
    frocc__sample_forget_fallen(fitter->held);
    return status;
}

/* The first row from picked[from] on that cannot be used, or SIZE_MAX. */
static size_t first_unusable(frocc_fitter *fitter, const frocc_rows *rows, size_t from,
                             size_t count) {
    size_t first_bad = SIZE_MAX;
    for (size_t i = from; i < count; i++)
        if (!frocc__frame_prepare(fitter->frame, rows, fitter->picked[i], fitter->desks[0].rows))
            first_bad = FROCC_MIN(first_bad, fitter->picked[i]);
    return first_bad;
}

/* ---- Adding --------------------------------------------------------------------------------- */

/* All of these rows or, on failure, none of them. */
static frocc_status add_stripe(frocc_fitter *fitter, const frocc_rows *rows, size_t first,
                               size_t count) {
    size_t n_held = fitter->held != NULL ? pick(fitter, rows, first, count) : 0;
    size_t waiting = fitter->held != NULL ? frocc__sample_waiting(fitter->held) + n_held : 0;
    FROCC_TRY(frocc__observer_reserve(&fitter->observer, count + waiting));
    FROCC_TRY(frocc__stripe_begin(fitter->frame, rows, first, count - n_held, fitter->picked,
                                  &fitter->stripe));
    size_t bad = pack(fitter, rows, team_for(fitter, count));
    bad = FROCC_MIN(bad, first_unusable(fitter, rows, count - n_held, count));
    if (bad != SIZE_MAX)
        return frocc__rows_failure(rows, bad);
    if (n_held > 0)
        FROCC_TRY(hold(fitter, rows, count, n_held));
    FROCC_TRY(observe(fitter, count - n_held));
    fitter->observer.sketch.n_rows += count;
    return waiting > fitter->most_held ? release(fitter) : FROCC_OK;
}

frocc_status frocc_fitter_add(frocc_fitter *fitter, const frocc_rows *rows) {
    FROCC_REQUIRE(fitter);
    FROCC_REQUIRE(rows);
    FROCC_TRY(check_whole(fitter));
    FROCC_TRY(frocc__rows_check(rows, fitter->frame->n_features));
    const size_t step = frocc__stripe_rows(fitter->frame, rows);
    for (size_t first = 0; first < rows->n_rows; first += step)
        FROCC_TRY(add_stripe(fitter, rows, first, FROCC_MIN(rows->n_rows - first, step)));
    return FROCC_OK;
}

/* Holds all that from holds, beside what is held already, or on failure nothing more. */
static frocc_status hold_all(frocc_fitter *into, const frocc_fitter *from) {
    if (into->held == NULL)
        return FROCC_OK;
    size_t count = frocc__sample_count(from->held);
    FROCC_TRY(frocc__observer_reserve(&into->observer,
                                      frocc__sample_waiting(into->held) + count +
                                          frocc__sketch_largest(&from->observer.sketch)));
    FROCC_TRY(frocc__sample_reserve(into->held, count));
    for (size_t i = 0; i < count; i++) {
        const frocc__member *row = frocc__sample_at(from->held, i);
        int64_t start[2];
        frocc_rows rows = frocc__member_row(row, into->frame->n_features, start);
        if (frocc__sample_enter(into->held, &rows, 0, row->hash, row->copies) != FROCC_OK) {
            frocc__sample_leave(into->held, i);
            return FROCC_ERR_MEMORY;
        }
    }
    return FROCC_OK;
}

frocc_status frocc_fitter_merge(frocc_fitter *into, const frocc_fitter *from) {
    FROCC_REQUIRE(into);
    FROCC_REQUIRE(from);
    FROCC_TRY(check_whole(into));
    FROCC_TRY(check_whole(from));
    if (into == from)
        return frocc__fail(FROCC_ERR_ARGUMENT, "a fitter cannot be merged into itself");
    if (into->most_held != from->most_held || into->seed != from->seed)
        return frocc__fail(FROCC_ERR_FRAME, "fitters merge only with the same seed and number of "
                                            "calibration rows");
    if (!frocc__frames_equal(into->frame, from->frame) ||
        into->observer.sketch.epsilon != from->observer.sketch.epsilon)
        return frocc__fail(FROCC_ERR_FRAME, "fitters merge only in the same frame (columns, "
                                            "directions, seed, kernel, scaling) and epsilon");
    FROCC_TRY(hold_all(into, from));
    if (frocc__sketch_merge(&into->observer.sketch, &from->observer.sketch) != FROCC_OK) {
        if (into->held != NULL)
            frocc__sample_leave(into->held, frocc__sample_count(from->held));
        return FROCC_ERR_MEMORY;
    }
    for (size_t b = 0; b < into->frame->n_blocks; b++)
        frocc__observer_note(&into->observer, b);
    return into->held != NULL ? release(into) : FROCC_OK;
}

/* ---- Finishing ------------------------------------------------------------------------------ */

typedef struct projecting {
    float *values;
} projecting;

/* No -0 is kept: equal models must be equal bytes. */
static void take_values(void *context, const frocc__tile *tile) {
    const projecting *job = context;
    for (size_t c = 0; c < tile->n_directions; c++)
        job->values[tile->block * FROCC_BLOCK + c] = tile->values[c * tile->stride] + 0.0f;
}

/* The held rows as their projections. */
static frocc_status project_held(frocc_fitter *fitter, frocc__held *held) {
    frocc__members members;
    const size_t m = fitter->frame->n_directions;
    FROCC_TRY(frocc__sample_settled(fitter->held, &members));
    frocc__channel *channel = NULL;
    frocc_status status = frocc__held_new(fitter->most_held, members.count, m, held);
    if (status == FROCC_OK)
        status = frocc__channels_new(fitter->frame, 1, &channel);
    for (size_t i = 0; i < members.count && status == FROCC_OK; i++) {
        int64_t start[2];
        frocc_rows row = frocc__member_row(&members.rows[i], members.n_features, start);
        projecting job = {held->values + i * m};
        held->hash[i] = members.rows[i].hash;
        held->copies[i] = members.rows[i].copies;
        status = frocc__flow(fitter->frame, &row, channel, 1,
                             &(frocc__consumer){&job, take_values, NULL, NULL});
        for (size_t c = 0; c < m && status == FROCC_OK; c++)
            if (isnan(job.values[c]))
                status = frocc__fail(FROCC_ERR_CALLBACK, "the custom kernel returned NaN");
    }
    frocc__channels_free(channel, 1);
    frocc__members_free(&members);
    if (status != FROCC_OK)
        frocc__held_free(held);
    return status;
}

frocc_status frocc_fitter_finish(frocc_fitter *fitter, frocc_model **model) {
    FROCC_REQUIRE(fitter);
    FROCC_REQUIRE(model);
    FROCC_TRY(check_whole(fitter));
    const frocc__sketch *sketch = &fitter->observer.sketch;
    if (sketch->n_rows == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "there are no rows to learn from; add some first");
    frocc__content content = {0};
    if (fitter->held != NULL) {
        FROCC_TRY(frocc__observer_reserve(&fitter->observer, frocc__sample_waiting(fitter->held)));
        FROCC_TRY(release(fitter));
        FROCC_TRY(project_held(fitter, &content.held));
    }
    frocc_status status =
        frocc__sketch_copy(sketch, sketch->n_slots, sketch->epsilon, &content.sketch);
    if (status != FROCC_OK) {
        frocc__content_free(&content);
        return status;
    }
    return frocc__model_new(fitter->frame, &content, fitter->decision, model);
}
