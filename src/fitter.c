/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fitting (the paper's Algorithm 1, without its sort): every row is projected once and observed by
 * the sketch. Time O(n d m) for the projections; no n values are ever sorted or kept.
 */
#include "absorb.h"
#include "gather.h"
#include "mem.h"
#include "model.h"
#include "os.h"
#include "sample.h"
#include "scouts.h"
#include "status.h"
#include "wide.h"

struct frocc_fitter {
    frocc_frame *frame;
    uint64_t seed;
    frocc__decision decision;
    int threads;
    bool broken; /* a custom kernel gave NaN half way through some rows */
    frocc__observer observer;
    frocc__channel *channels; /* one per thread */
    frocc__absorber absorber; /* of the observer */
    frocc__gatherer gatherer; /* too */
    frocc__scouts scouts;
    size_t most_held;
    frocc_sample *held; /* rows kept out of the sketch for calibration; may be NULL */
    size_t *picked;     /* rows of a stripe for the sketch, then those to be held */
    uint64_t *hashes;   /* of a stripe's rows, then of those to be held */
};

static frocc_status fill_in(frocc_fitter *fitter, frocc_frame *frame, const frocc_params *params) {
    fitter->frame = frocc__frame_share(frame);
    fitter->seed = params->seed;
    fitter->decision = (frocc__decision){params->score, params->threshold, params->fpr};
    fitter->threads = frocc__threads(params->threads);
    FROCC_TRY(frocc__observer_new(frame->n_directions, params->epsilon, frame->kernels,
                                  fitter->threads, &fitter->observer));
    FROCC_TRY(frocc__channels_new(frame, fitter->threads,
                                  frocc__gathers(frame, fitter->threads) ? fitter->threads : 1,
                                  &fitter->channels));
    FROCC_TRY(frocc__absorber_new(frame, &fitter->observer, fitter->channels, fitter->threads,
                                  &fitter->absorber));
    fitter->gatherer =
        frocc__gatherer_of(frame, &fitter->observer, fitter->channels, fitter->threads);
    FROCC_TRY(frocc__scouts_new(frame, frocc__batch_panels(&fitter->observer, 0, SIZE_MAX),
                                &fitter->scouts));
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
    frocc__absorber_free(&fitter->absorber);
    frocc__gatherer_free(&fitter->gatherer);
    frocc__channels_free(fitter->channels, fitter->threads);
    frocc__scouts_free(&fitter->scouts);
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

/* A team of threads costs some microseconds: small additions go without. */
static int team_for(const frocc_fitter *fitter, size_t n_rows) {
    double work =
        (double)n_rows * (double)fitter->frame->n_features * (double)fitter->frame->n_directions;
    return work < 1e6 ? 1 : frocc__team(fitter->threads);
}

/* Lets the sketch have what the stripe holds; next is what comes after it. */
static frocc_status observe(frocc_fitter *fitter, size_t n_rows, frocc__fetching next) {
    fitter->absorber.stripe->n_rows = n_rows;
    if (n_rows == 0 || frocc__absorb(&fitter->absorber, next, team_for(fitter, n_rows)))
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
    uint64_t *hashes = fitter->hashes;
    const int team = team_for(fitter, count);
    (void)team;
    FROCC_OMP(parallel for num_threads(team) if (team > 1) schedule(static))
    for (size_t i = 0; i < count; i++)
        hashes[i] = frocc__row_hash(rows, first + i, fitter->seed);
    size_t n_sketch = 0, n_held = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t hash = hashes[i];
        if (frocc__may_calibrate(hash) && frocc__sample_wants(fitter->held, hash)) {
            hashes[n_held] = hash; /* there are no more held ones than rows that were looked at */
            fitter->picked[count - ++n_held] = first + i;
        } else {
            fitter->picked[n_sketch++] = first + i;
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
    frocc__stripe *stripe = fitter->absorber.stripe;
    frocc__desk *desk = &fitter->channels[0].desk;
    stripe->n_rows = count;
    stripe->projected = frocc__is_wide(fitter->frame);
    stripe->is_coarse = false;
    stripe->given = NULL;
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
        status = observe(fitter, count, (frocc__fetching){0});
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
        if (!frocc__frame_prepare(fitter->frame, rows, fitter->picked[i],
                                  fitter->channels[0].desk.rows))
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
                                  fitter->absorber.stripe));
    size_t bad = frocc__absorb_pack(&fitter->absorber, rows, team_for(fitter, count));
    bad = FROCC_MIN(bad, first_unusable(fitter, rows, count - n_held, count));
    if (bad != SIZE_MAX)
        return frocc__rows_failure(rows, bad);
    if (n_held > 0)
        FROCC_TRY(hold(fitter, rows, count, n_held));
    if (fitter->observer.sketch.n_rows == 0)
        frocc__scouts_send(fitter->frame, &fitter->scouts, fitter->absorber.stripe,
                           team_for(fitter, count));
    FROCC_TRY(observe(
        fitter, count - n_held,
        frocc__stripe_fetching(fitter->frame, fitter->absorber.stripe, rows, first + count)));
    fitter->observer.sketch.n_rows += count;
    return waiting > fitter->most_held ? release(fitter) : FROCC_OK;
}

/* As many of the rows from first on as can be gathered; says how many. */
static frocc_status add_gathered(frocc_fitter *fitter, const frocc_rows *rows, size_t first,
                                 size_t *count) {
    *count = 0;
    if (fitter->held != NULL) /* some are not for the sketch */
        return FROCC_OK;
    const int team = team_for(fitter, rows->n_rows - first);
    FROCC_TRY(frocc__gather(&fitter->gatherer, rows, first, team, count));
    fitter->observer.sketch.n_rows += *count;
    return FROCC_OK;
}

frocc_status frocc_fitter_add(frocc_fitter *fitter, const frocc_rows *rows) {
    FROCC_REQUIRE(fitter);
    FROCC_REQUIRE(rows);
    FROCC_TRY(check_whole(fitter));
    FROCC_TRY(frocc__rows_check(rows, fitter->frame->n_features));
    const size_t step = frocc__stripe_rows(fitter->frame, rows);
    fitter->gatherer.gave_up = false;
    for (size_t first = 0, count; first < rows->n_rows; first += count) {
        FROCC_TRY(add_gathered(fitter, rows, first, &count));
        if (count > 0)
            continue;
        count = FROCC_MIN(rows->n_rows - first, step);
        FROCC_TRY(add_stripe(fitter, rows, first, count));
    }
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
        status = frocc__channels_new(fitter->frame, 1, 1, &channel);
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
    return frocc__model_new(fitter->frame, &content, fitter->decision, fitter->threads, model);
}
