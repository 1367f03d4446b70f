/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathering: the sketch is copied, each thread goes on with its copy, and the copies are merged. */
#include "gather.h"

#include <string.h>

#include "mem.h"
#include "os.h"
#include "wide.h"

/* Rows that the sketch has before any are gathered, times epsilon: with a smaller one it takes more
 * of them until the intervals have grown together. */
#define FIRST_ROWS 200.0

/* Fewer panels for each thread are not worth the copies, nor fewer rows than so often the intervals
 * of a slot. */
#define LEAST_PANELS 16
#define LEAST_PER_INTERVAL 4

/* What each core can have in its second-level cache beside rows: all directions. The intervals of a
 * sketch seldom need the room that they may need. */
#define MOST_OF_DIRECTIONS ((size_t)1 << 20)
#define MOST_OF_SKETCH ((size_t)1 << 22)

/* What a thread goes on with; no two in one line of a cache. */
struct frocc__fork {
    _Alignas(FROCC_LINE) frocc__observer observer;
    frocc__absorber absorber; /* of the observer */
    bool has_news;            /* it is a copy, and has gone on */
};

/* Whether rows are so long, for the number of directions that look for new values, that it is
 * better to leave them with one core, and all directions so short that each core can have them. */
bool frocc__gathers(const frocc_frame *frame, int threads) {
    return threads > 1 && !frocc__is_wide(frame) && 8 * frame->n_features >= frame->n_directions &&
           frame->n_features * frame->n_directions <= MOST_OF_DIRECTIONS / sizeof(float);
}

frocc__gatherer frocc__gatherer_of(const frocc_frame *frame, frocc__observer *observer,
                                   frocc__channel *channels, int threads) {
    return (frocc__gatherer){.frame = frame,
                             .observer = observer,
                             .channels = channels,
                             .threads = threads,
                             .known_is_taken = ATOMIC_FLAG_INIT};
}

void frocc__gatherer_free(frocc__gatherer *gatherer) {
    for (int t = 0; gatherer->forks != NULL && t < gatherer->threads; t++) {
        frocc__absorber_free(&gatherer->forks[t].absorber);
        frocc__observer_free(&gatherer->forks[t].observer);
    }
    frocc__free(gatherer->forks);
    frocc__free(gatherer->known_lo);
    frocc__free(gatherer->known_hi);
    *gatherer = (frocc__gatherer){0};
}

/* ---- Forks ---------------------------------------------------------------------------------- */

/* Those that are still to be made. */
static frocc_status make_forks(frocc__gatherer *gatherer) {
    if (gatherer->forks == NULL)
        gatherer->forks = frocc__alloc((size_t)gatherer->threads, sizeof *gatherer->forks);
    if (gatherer->known_lo == NULL)
        gatherer->known_lo = frocc__alloc_raw(gatherer->observer->sketch.n_slots, sizeof(float));
    if (gatherer->known_hi == NULL)
        gatherer->known_hi = frocc__alloc_raw(gatherer->observer->sketch.n_slots, sizeof(float));
    if (gatherer->forks == NULL || gatherer->known_lo == NULL || gatherer->known_hi == NULL)
        return FROCC_ERR_MEMORY;
    for (int t = 0; t < gatherer->threads; t++) {
        struct frocc__fork *fork = &gatherer->forks[t];
        if (fork->observer.threads == 0)
            FROCC_TRY(frocc__observer_like(gatherer->observer, &fork->observer));
        if (fork->absorber.next_block == NULL)
            FROCC_TRY(frocc__absorber_new(gatherer->frame, &fork->observer, &gatherer->channels[t],
                                          1, &fork->absorber));
    }
    return FROCC_OK;
}

/* Tells the others what this fork knows, and it what they do; unless one of them is at it. */
static void share_known(frocc__gatherer *gatherer, struct frocc__fork *fork) {
    if (atomic_flag_test_and_set(&gatherer->known_is_taken))
        return;
    frocc__filter_share(&fork->observer.filter, gatherer->observer->sketch.n_slots,
                        gatherer->known_lo, gatherer->known_hi);
    atomic_flag_clear(&gatherer->known_is_taken);
}

static void begin_known(frocc__gatherer *gatherer) {
    const frocc__observer *observer = gatherer->observer;
    const size_t bytes = observer->sketch.n_slots * sizeof(float);
    memcpy(gatherer->known_lo, observer->filter.wide_lo, bytes);
    memcpy(gatherer->known_hi, observer->filter.wide_hi, bytes);
}

/* Lets a fork have a run of rows. False when one is unusable, or a value is NaN. */
static bool take_in(const frocc_frame *frame, struct frocc__fork *fork, const frocc_rows *rows,
                    size_t first, size_t count, size_t next) {
    frocc__absorber *absorber = &fork->absorber;
    /* Cannot fail: what it may need was made before. */
    (void)frocc__stripe_begin(frame, rows, first, count, NULL, absorber->stripe);
    fork->has_news = true;
    return frocc__absorb_pack(absorber, rows, 1) == SIZE_MAX &&
           frocc__absorb(absorber, frocc__stripe_fetching(frame, absorber->stripe, rows, next), 1);
}

/* Lets all forks have rows, each its part. A thread that may need more room than a copy has leaves
 * them to the others; the caller's own does not. */
static bool take_in_all(frocc__gatherer *gatherer, const frocc_rows *rows, int team) {
    frocc__sharing shared = frocc__share_out(gatherer->frame, rows, team);
    int unusable = 0;
    FROCC_OMP(parallel num_threads(team) reduction(| : unusable)) {
        struct frocc__fork *fork = &gatherer->forks[frocc__thread_number()];
        if (!frocc__flushes()) {
            frocc__observer_copy(gatherer->observer, &fork->observer);
            for (size_t first, count; (count = frocc__take_run(&shared, &first)) > 0;) {
                share_known(gatherer, fork);
                if (!take_in(gatherer->frame, fork, rows, first, count,
                             first + (size_t)team * count)) {
                    unusable = 1;
                    frocc__stop_sharing(&shared);
                }
            }
        }
    }
    return !unusable;
}

static void join_forks(frocc__gatherer *gatherer, int team) {
    FROCC_OMP(parallel for num_threads(team) schedule(static))
    for (size_t block = 0; block < gatherer->frame->n_blocks; block++)
        for (int t = 0; t < team; t++)
            if (gatherer->forks[t].has_news)
                frocc__observer_join(gatherer->observer, &gatherer->forks[t].observer, block,
                                     frocc__thread_number());
}

static void refresh(frocc__gatherer *gatherer, int team) {
    (void)team;
    FROCC_OMP(parallel for num_threads(team) schedule(static))
    for (size_t block = 0; block < gatherer->frame->n_blocks; block++)
        frocc__observer_refresh(gatherer->observer, block);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static bool is_worth_it(const frocc__gatherer *gatherer, size_t n_rows, int team) {
    const frocc__sketch *sketch = &gatherer->observer->sketch;
    return !gatherer->gave_up && team > 1 && frocc__gathers(gatherer->frame, gatherer->threads) &&
           sketch->count[0] > 0 && (double)sketch->n_rows * (double)sketch->epsilon >= FIRST_ROWS &&
           n_rows >= LEAST_PANELS * FROCC_PANEL * (size_t)team &&
           n_rows / LEAST_PER_INTERVAL >= frocc__sketch_largest(sketch) &&
           frocc__sketch_bound(sketch) <=
               MOST_OF_SKETCH / sizeof(frocc__interval) / sketch->n_slots;
}

frocc_status frocc__gather(frocc__gatherer *gatherer, const frocc_rows *rows, size_t first,
                           int team, size_t *count) {
    const size_t n_left = rows->n_rows - first;
    *count = 0;
    if (!is_worth_it(gatherer, n_left, team))
        return FROCC_OK;
    const frocc_rows some = frocc__rows_part(rows, first, n_left);
    FROCC_TRY(frocc__observer_reserve(gatherer->observer,
                                      frocc__sketch_bound(&gatherer->observer->sketch)));
    FROCC_TRY(make_forks(gatherer));
    for (int t = 0; t < team; t++) {
        gatherer->forks[t].has_news = false;
        FROCC_TRY(frocc__stripe_expect(gatherer->frame, &some, &gatherer->channels[t].stripe));
    }
    refresh(gatherer, team);
    begin_known(gatherer);
    gatherer->gave_up = !take_in_all(gatherer, &some, team);
    if (gatherer->gave_up)
        return FROCC_OK;
    join_forks(gatherer, team);
    *count = n_left;
    return FROCC_OK;
}
