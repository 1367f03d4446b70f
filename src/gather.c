/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathering: the sketch is copied, each thread goes on with its copy, and the copies are merged. */
#include "gather.h"

#include <string.h>

#include "mem.h"
#include "os.h"
#include "wide.h"

/* Rows that the sketch has before any are gathered, times epsilon: with a smaller one it takes more
 * of them until the intervals have grown together. */
#define FIRST_ROWS 100.0

/* Fewer panels for each thread are not worth the copies. */
#define LEAST_PANELS 16

/* What each core can have in its second-level cache beside rows: all directions. The intervals of a
 * sketch seldom need the room that they may need. */
#define MOST_OF_DIRECTIONS ((size_t)1 << 20)
#define MOST_OF_SKETCH ((size_t)1 << 22)

/* What a thread goes on with. It is read for every tile: no two in one line of a cache. */
struct frocc__fork {
    _Alignas(FROCC_LINE) frocc__observer observer;
    bool is_usable; /* so far all values were numbers */
};

/* Whether rows are so long, for the number of directions that look for new values, that it is
 * better to leave them with one core, and all directions so short that each core can have them. */
bool frocc__gathers(const frocc_frame *frame, int threads) {
    return threads > 1 && !frocc__is_wide(frame) && 8 * frame->n_features >= frame->n_directions &&
           frame->n_features * frame->n_directions <= MOST_OF_DIRECTIONS / sizeof(float);
}

frocc__gatherer frocc__gatherer_of(const frocc_frame *frame, frocc__observer *observer,
                                   frocc__channel *channels, int threads) {
    return (frocc__gatherer){
        .frame = frame, .observer = observer, .channels = channels, .threads = threads};
}

void frocc__gatherer_free(frocc__gatherer *gatherer) {
    for (int t = 0; gatherer->forks != NULL && t < gatherer->threads; t++)
        frocc__observer_free(&gatherer->forks[t].observer);
    frocc__free(gatherer->forks);
    frocc__free(gatherer->consumers);
    *gatherer = (frocc__gatherer){0};
}

/* ---- Forks ---------------------------------------------------------------------------------- */

static void observe_tile(void *context, const frocc__tile *tile) {
    struct frocc__fork *fork = context;
    size_t new_values;
    if (!frocc__observe(&fork->observer, tile, &new_values))
        fork->is_usable = false;
}

/* Those that are still to be made. */
static frocc_status make_forks(frocc__gatherer *gatherer) {
    const size_t threads = (size_t)gatherer->threads;
    if (gatherer->forks == NULL)
        gatherer->forks = frocc__alloc(threads, sizeof *gatherer->forks);
    if (gatherer->consumers == NULL)
        gatherer->consumers = frocc__alloc(threads, sizeof *gatherer->consumers);
    if (gatherer->forks == NULL || gatherer->consumers == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t t = 0; t < threads; t++) {
        struct frocc__fork *fork = &gatherer->forks[t];
        if (fork->observer.threads == 0)
            FROCC_TRY(frocc__observer_like(gatherer->observer, &fork->observer));
        gatherer->consumers[t] =
            (frocc__consumer){fork, observe_tile, NULL, &fork->observer.filter};
    }
    return FROCC_OK;
}

static bool are_usable(const frocc__gatherer *gatherer, int team) {
    bool usable = true;
    for (int t = 0; t < team; t++)
        usable &= gatherer->forks[t].is_usable;
    return usable;
}

/* False when a copy may need more room than it has. */
static bool copy_to_forks(frocc__gatherer *gatherer, int team) {
    FROCC_OMP(parallel for num_threads(team) schedule(static))
    for (int t = 0; t < team; t++) {
        struct frocc__fork *fork = &gatherer->forks[t];
        fork->is_usable = frocc__observer_copy(gatherer->observer, &fork->observer);
    }
    return are_usable(gatherer, team);
}

/* Lets the forks have rows; gives up when there is an unusable one, or a value is NaN. */
static frocc_status let_flow(frocc__gatherer *gatherer, const frocc_rows *rows, int team) {
    frocc_status status =
        frocc__flow_apart(gatherer->frame, rows, gatherer->channels, team, gatherer->consumers);
    gatherer->gave_up = status != FROCC_OK || !are_usable(gatherer, team);
    return status == FROCC_ERR_MEMORY ? status : FROCC_OK;
}

static void join_forks(frocc__gatherer *gatherer, int team) {
    FROCC_OMP(parallel for num_threads(team) schedule(static))
    for (size_t block = 0; block < gatherer->frame->n_blocks; block++)
        for (int t = 0; t < team; t++)
            frocc__observer_join(gatherer->observer, &gatherer->forks[t].observer, block,
                                 frocc__thread_number());
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* How many rows to gather, of those that are left. */
static size_t rows_to_gather(const frocc__gatherer *gatherer, size_t n_left, int team) {
    const frocc__sketch *sketch = &gatherer->observer->sketch;
    if (gatherer->gave_up || team == 1 || !frocc__gathers(gatherer->frame, gatherer->threads) ||
        sketch->count[0] == 0 || (double)sketch->n_rows * (double)sketch->epsilon < FIRST_ROWS ||
        n_left < LEAST_PANELS * FROCC_PANEL * (size_t)team ||
        frocc__sketch_bound(sketch) > MOST_OF_SKETCH / sizeof(frocc__interval) / sketch->n_slots)
        return 0;
    return n_left / FROCC_PANEL * FROCC_PANEL;
}

frocc_status frocc__gather(frocc__gatherer *gatherer, const frocc_rows *rows, size_t first,
                           int team, size_t *count) {
    *count = 0;
    const size_t wanted = rows_to_gather(gatherer, rows->n_rows - first, team);
    if (wanted == 0)
        return FROCC_OK;
    FROCC_TRY(frocc__observer_reserve(gatherer->observer,
                                      frocc__sketch_bound(&gatherer->observer->sketch)));
    FROCC_TRY(make_forks(gatherer));
    gatherer->gave_up = !copy_to_forks(gatherer, team);
    if (!gatherer->gave_up) {
        const frocc_rows some = frocc__rows_part(rows, first, wanted);
        FROCC_TRY(let_flow(gatherer, &some, team));
    }
    if (gatherer->gave_up)
        return FROCC_OK;
    join_forks(gatherer, team);
    *count = wanted;
    return FROCC_OK;
}
