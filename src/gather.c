/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathering: from rows to what is new in them, and then to the slots. */
#include "gather.h"

#include <string.h>

#include "mem.h"
#include "os.h"
#include "wide.h"

/* Values that a thread may find, per slot on average, before it gives up. */
#define ROOM 32

/* Rows that the sketch has before any are gathered, times epsilon: with a smaller one it takes more
 * of them until the intervals have grown together. */
#define FIRST_ROWS 100.0

/* No more rows are gathered at a time than so often those that the sketch has, so that little is
 * new among them; nor than so often those of the last time; and no fewer than these panels for each
 * thread. What even for these is too much is not tried again for some time. */
#define GROWTH 2
#define GROWTH_OF_TRIES 4
#define LEAST_PANELS 4
#define PAUSE 7

/* Whether rows are so long, for the number of directions that look for new values, that it is
 * better to leave them with one core, and all directions so short that each core can have them. */
bool frocc__gathers(const frocc_frame *frame, int threads) {
    const size_t largest = (size_t)1 << 20;
    return threads > 1 && !frocc__is_wide(frame) && 8 * frame->n_features >= frame->n_directions &&
           frame->n_features * frame->n_directions <= largest / sizeof(float);
}

static frocc_status make_findings(frocc__gatherer *gatherer, size_t n_slots) {
    gatherer->findings = frocc__alloc((size_t)gatherer->threads, sizeof(frocc__findings));
    gatherer->found = frocc__alloc(n_slots, sizeof(uint32_t));
    bool made = gatherer->findings != NULL && gatherer->found != NULL;
    for (int t = 0; t < gatherer->threads && made; t++) {
        frocc__findings *findings = &gatherer->findings[t];
        findings->list = frocc__alloc_raw(n_slots, ROOM * sizeof(frocc__finding));
        findings->room = ROOM * n_slots;
        findings->wasted = frocc__alloc_raw(n_slots, sizeof(uint32_t));
        made = findings->list != NULL && findings->wasted != NULL;
    }
    return made ? FROCC_OK : FROCC_ERR_MEMORY;
}

frocc_status frocc__gatherer_new(const frocc_frame *frame, frocc__observer *observer,
                                 frocc__channel *channels, int threads, frocc__gatherer *gatherer) {
    *gatherer = (frocc__gatherer){.frame = frame,
                                  .observer = observer,
                                  .channels = channels,
                                  .threads = threads,
                                  .most_rows = (size_t)threads * frocc__stripe_rows(frame, NULL)};
    if (!frocc__gathers(frame, threads))
        return FROCC_OK;
    frocc_status status = make_findings(gatherer, frame->n_directions);
    if (status != FROCC_OK)
        frocc__gatherer_free(gatherer);
    return status;
}

void frocc__gatherer_free(frocc__gatherer *gatherer) {
    for (int t = 0; gatherer->findings != NULL && t < gatherer->threads; t++) {
        frocc__free(gatherer->findings[t].list);
        frocc__free(gatherer->findings[t].wasted);
    }
    frocc__free(gatherer->findings);
    frocc__free(gatherer->found);
    *gatherer = (frocc__gatherer){0};
}

/* ---- Finding -------------------------------------------------------------------------------- */

static void find_in_tile(void *context, const frocc__tile *tile) {
    frocc__gatherer *gatherer = context;
    if (!frocc__find_new(gatherer->observer, tile, &gatherer->findings[frocc__thread_number()]))
        atomic_store_explicit(&gatherer->gave_up, true, memory_order_relaxed);
}

static bool is_hopeless(void *context, size_t first_row, size_t n_rows, size_t n_directions) {
    const frocc__gatherer *gatherer = context;
    (void)first_row, (void)n_rows, (void)n_directions;
    return atomic_load_explicit(&gatherer->gave_up, memory_order_relaxed);
}

/* Gives up when there is an unusable row, or too much that is new. */
static frocc_status find_all(frocc__gatherer *gatherer, const frocc_rows *rows, int team) {
    const frocc__consumer consumer = {gatherer, find_in_tile, is_hopeless,
                                      &gatherer->observer->filter};
    for (int t = 0; t < gatherer->threads; t++) {
        frocc__findings *findings = &gatherer->findings[t];
        findings->count = 0;
        memset(findings->wasted, 0, gatherer->frame->n_directions * sizeof *findings->wasted);
    }
    atomic_store(&gatherer->gave_up, false);
    frocc_status status = frocc__flow(gatherer->frame, rows, gatherer->channels, team, &consumer);
    if (status == FROCC_ERR_MEMORY)
        return status;
    if (status != FROCC_OK)
        atomic_store(&gatherer->gave_up, true);
    return FROCC_OK;
}

/* ---- Taking in ------------------------------------------------------------------------------ */

/* The most values that were found for a slot. */
static size_t most_found(frocc__gatherer *gatherer) {
    uint32_t most = 0, *found = gatherer->found;
    memset(found, 0, gatherer->frame->n_directions * sizeof *found);
    for (int t = 0; t < gatherer->threads; t++)
        for (size_t i = 0; i < gatherer->findings[t].count; i++) {
            const uint32_t count = ++found[gatherer->findings[t].list[i].slot];
            most = FROCC_MAX(most, count);
        }
    return most;
}

static frocc_status take_all(frocc__gatherer *gatherer, int team) {
    FROCC_TRY(frocc__observer_reserve(gatherer->observer, most_found(gatherer)));
    FROCC_OMP(parallel for num_threads(team) schedule(static))
    for (int part = 0; part < team; part++)
        for (int t = 0; t < gatherer->threads; t++)
            frocc__take_new(gatherer->observer, &gatherer->findings[t], (size_t)part, (size_t)team);
    return FROCC_OK;
}

/* ---- Both ----------------------------------------------------------------------------------- */

static size_t least_rows(int team) {
    return LEAST_PANELS * FROCC_PANEL * (size_t)team;
}

/* How many rows to gather, of those that are left. */
static size_t rows_to_gather(const frocc__gatherer *gatherer, size_t n_left, int team) {
    const frocc__sketch *sketch = &gatherer->observer->sketch;
    if (gatherer->findings == NULL || team == 1 || sketch->count[0] == 0 ||
        (double)sketch->n_rows * (double)sketch->epsilon < FIRST_ROWS)
        return 0;
    size_t count = FROCC_MIN(n_left, gatherer->most_rows);
    if (sketch->n_rows < count / GROWTH)
        count = GROWTH * (size_t)sketch->n_rows;
    return count < least_rows(team) ? 0 : count / FROCC_PANEL * FROCC_PANEL;
}

/* Fewer rows the next time, or none for a while. */
static void try_less(frocc__gatherer *gatherer, size_t tried, int team) {
    gatherer->most_rows = FROCC_MAX(tried / 8, least_rows(team));
    if (tried / 8 < least_rows(team))
        gatherer->pause = PAUSE;
}

/* As many rows the next time as should leave half of the room free, but not many more. */
static void try_more(frocc__gatherer *gatherer, size_t tried, int team) {
    size_t most = 1;
    for (int t = 0; t < gatherer->threads; t++)
        most = FROCC_MAX(most, gatherer->findings[t].count);
    const double growth = 0.5 * (double)gatherer->findings[0].room / (double)most;
    const double wanted = (double)tried * FROCC_MIN(growth, (double)GROWTH_OF_TRIES);
    gatherer->most_rows = FROCC_MAX((size_t)wanted, least_rows(team));
}

frocc_status frocc__gather(frocc__gatherer *gatherer, const frocc_rows *rows, size_t first,
                           int team, size_t *count) {
    *count = 0;
    const size_t wanted = rows_to_gather(gatherer, rows->n_rows - first, team);
    if (wanted == 0)
        return FROCC_OK;
    if (gatherer->pause > 0) {
        gatherer->pause--;
        return FROCC_OK;
    }
    const frocc_rows some = frocc__rows_part(rows, first, wanted);
    FROCC_TRY(find_all(gatherer, &some, team));
    if (atomic_load(&gatherer->gave_up)) {
        try_less(gatherer, wanted, team);
        return FROCC_OK;
    }
    FROCC_TRY(take_all(gatherer, team));
    try_more(gatherer, wanted, team);
    *count = wanted;
    return FROCC_OK;
}
