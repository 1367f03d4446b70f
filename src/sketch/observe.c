/* SPDX-License-Identifier: BSD-3-Clause */
/* Observing tiles: a filter in front of merge. O(1) per value inside; of new values O(log(1/eps))
 * each, in any order. */
#include "sketch/observe.h"

#include <string.h>

#include "base/memory.h"

/* Each run is at most half as long as the one before, and the list has less than 2^24 intervals. */
#define MOST_RUNS 24

size_t frocc__memory_of_runs(float epsilon) {
    const size_t a_slot = sizeof(uint8_t) + MOST_RUNS * sizeof(uint32_t);
    return frocc__most_intervals(epsilon) <= FROCC_LONG_LIST ? 0 : a_slot;
}

static frocc_status make_runs(size_t n_slots, float epsilon, frocc__observer *made) {
    if (frocc__memory_of_runs(epsilon) == 0)
        return FROCC_OK;
    made->n_runs = frocc__alloc(n_slots, sizeof(uint8_t));
    made->run_begins = frocc__alloc(n_slots, MOST_RUNS * sizeof(uint32_t));
    return made->n_runs != NULL && made->run_begins != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

frocc_status frocc__observer_new(size_t n_slots, float epsilon, const frocc__kernels *kernels,
                                 frocc__observer *observer) {
    frocc__observer made = {0};
    FROCC_TRY(frocc__sketch_new(n_slots, epsilon, &made.sketch));
    frocc_status status = frocc__filter_new(n_slots, kernels, &made.filter);
    made.wasted = frocc__alloc(n_slots, sizeof(uint32_t));
    if (status == FROCC_OK)
        status = make_runs(n_slots, epsilon, &made);
    if (status != FROCC_OK || made.wasted == NULL) {
        frocc__observer_free(&made);
        return FROCC_ERR_MEMORY;
    }
    *observer = made;
    return FROCC_OK;
}

void frocc__observer_free(frocc__observer *observer) {
    frocc__sketch_free(&observer->sketch);
    frocc__filter_free(&observer->filter);
    frocc__free(observer->scratch);
    frocc__free(observer->wasted);
    frocc__free(observer->n_runs);
    frocc__free(observer->run_begins);
    *observer = (frocc__observer){0};
}

frocc_status frocc__observer_reserve(frocc__observer *observer, size_t n_rows) {
    FROCC_TRY(frocc__sketch_reserve(&observer->sketch, n_rows));
    /* A merge holds the new intervals of a tile, the slot, and the new ones again. */
    const size_t needed = observer->sketch.stride + 2 * (FROCC_PANEL + 1);
    if (needed <= observer->scratch_size)
        return FROCC_OK;
    frocc__interval *scratch = frocc__alloc_raw(needed, sizeof(frocc__interval));
    if (scratch == NULL)
        return FROCC_ERR_MEMORY;
    frocc__free(observer->scratch);
    observer->scratch = scratch;
    observer->scratch_size = needed;
    return FROCC_OK;
}

/* Where run number `run` of a slot begins; the list itself is run 0. */
static size_t run_begin(const frocc__observer *observer, size_t slot, size_t run) {
    return run == 0 ? 0 : observer->run_begins[slot * MOST_RUNS + run - 1];
}

static size_t list_size(const frocc__observer *observer, size_t slot) {
    const bool has_runs = observer->n_runs != NULL && observer->n_runs[slot] > 0;
    return has_runs ? run_begin(observer, slot, 1) : observer->sketch.count[slot];
}

/* More intervals than this leave few cells that are all in one of them. */
#define MOST_FOR_CELLS (FROCC_MAP_CELLS / 4)

/* How much of the range a map keeps free on each side for values that are still to come. */
#define ROOM 0.02f

static void note(frocc__observer *observer, size_t slot) {
    const frocc__interval *list = frocc__slot(&observer->sketch, slot);
    const size_t count = list_size(observer, slot);
    if (count <= MOST_FOR_CELLS)
        frocc__filter_note(&observer->filter, slot, list, count, ROOM);
    else
        frocc__filter_note_widest(&observer->filter, slot, list, count);
    observer->wasted[slot] = 0;
}

/* Searches that find nothing new, because a filter is out of date, until making it anew, which
 * takes the longer the more intervals there are, is worth it. */
static bool is_stale(const frocc__observer *observer, size_t slot) {
    return observer->wasted[slot] > 24 + 2 * list_size(observer, slot);
}

/* ---- Runs ----------------------------------------------------------------------------------- */

/*
 * Taking one value into a long list moves half of it, and merging a tile reads all of it; in a
 * bad order, and with an epsilon so small that nearly all values are intervals, that is done for
 * every value. So what is new waits behind the list, in runs that are lists themselves, and the
 * last run is merged into the one before, or the list, when it is at least half as long: then an
 * interval is merged as often as its run can double. Early or late merging gives the same list.
 */
static bool is_long(const frocc__observer *observer, size_t slot) {
    return observer->n_runs != NULL &&
           (observer->n_runs[slot] > 0 || observer->sketch.count[slot] > FROCC_LONG_LIST);
}

static frocc__interval *room_to_merge(const frocc__observer *observer) {
    return observer->scratch + FROCC_PANEL + 1;
}

static void join_last_run(frocc__observer *observer, size_t slot) {
    frocc__sketch *sketch = &observer->sketch;
    const size_t run = observer->n_runs[slot]--;
    const size_t before = run_begin(observer, slot, run - 1), last = run_begin(observer, slot, run);
    frocc__interval *list = frocc__slot(sketch, slot), *merged = room_to_merge(observer);
    const size_t count = frocc__merge(list + before, last - before, list + last,
                                      sketch->count[slot] - last, sketch->epsilon, merged);
    memcpy(list + before, merged, count * sizeof *list);
    sketch->count[slot] = (uint32_t)(before + count);
}

static void settle(frocc__observer *observer, size_t slot) {
    while (observer->n_runs != NULL && observer->n_runs[slot] > 0)
        join_last_run(observer, slot);
}

void frocc__observer_settle(frocc__observer *observer) {
    for (size_t slot = 0; slot < observer->sketch.n_slots; slot++)
        settle(observer, slot);
}

static bool is_last_run_long(const frocc__observer *observer, size_t slot) {
    const size_t run = observer->n_runs[slot], last = run_begin(observer, slot, run);
    return 2 * (observer->sketch.count[slot] - last) >= last - run_begin(observer, slot, run - 1);
}

static void merge_list(frocc__observer *observer, size_t slot, const frocc__interval *list,
                       size_t count) {
    settle(observer, slot);
    frocc__slot_merge(&observer->sketch, slot, list, count, room_to_merge(observer));
    note(observer, slot);
}

static void add_run(frocc__observer *observer, size_t slot, const frocc__interval *list,
                    size_t count) {
    frocc__sketch *sketch = &observer->sketch;
    const size_t begin = sketch->count[slot];
    if (begin + count > sketch->stride || observer->n_runs[slot] == MOST_RUNS) {
        merge_list(observer, slot, list, count);
        return;
    }
    memcpy(frocc__slot(sketch, slot) + begin, list, count * sizeof *list);
    observer->run_begins[slot * MOST_RUNS + observer->n_runs[slot]++] = (uint32_t)begin;
    sketch->count[slot] += (uint32_t)count;
    while (observer->n_runs[slot] > 0 && is_last_run_long(observer, slot))
        join_last_run(observer, slot);
    if (observer->n_runs[slot] == 0)
        note(observer, slot);
}

/* ---- Many at once --------------------------------------------------------------------------- */

/* -0 becomes +0: the two are equal, and equal models must be equal bytes. */
static float positive_zero(float value) {
    return value + 0.0f;
}

/* Sorting and merging a tile takes less time than searching for half of its values, or for most of
 * one direction's; and in a list without cells, for any of them. */
static bool wants_sorting(const frocc__observer *observer, const frocc__tile *tile,
                          const frocc__row_mask rows[FROCC_BLOCK], unsigned directions) {
    int all = 0;
    for (unsigned left = directions; left != 0; left &= left - 1) {
        const size_t c = (size_t)__builtin_ctz(left);
        const int own = __builtin_popcountll(rows[c]);
        if (own > FROCC_PANEL * 3 / 4 ||
            list_size(observer, tile->block * FROCC_BLOCK + c) > MOST_FOR_CELLS)
            return true;
        all += own;
    }
    return all > FROCC_TILE / 2;
}

/* Merges count sorted values, a block apart, into a slot. */
static void merge_values(frocc__observer *observer, size_t slot, const float *values,
                         size_t count) {
    frocc__interval *new_ones = observer->scratch;
    const size_t n_new =
        frocc__intervals_of(values, FROCC_BLOCK, count, observer->sketch.epsilon, new_ones);
    if (is_long(observer, slot))
        add_run(observer, slot, new_ones, n_new);
    else
        merge_list(observer, slot, new_ones, n_new);
}

/* Only some directions have new values; sorting them alone takes as long as sorting all. */
static bool observe_sorted(frocc__observer *observer, const frocc__tile *tile,
                           unsigned directions) {
    _Alignas(FROCC_LINE) float values[FROCC_PANEL * FROCC_BLOCK] = {0};
    bool usable = true;
    for (size_t r = 0; r < tile->n_rows; r++)
        for (size_t c = 0; c < tile->n_directions; c++) {
            float value = tile->values[c * FROCC_PANEL + r];
            usable &= !isnan(value);
            values[r * FROCC_BLOCK + c] = positive_zero(value);
        }
    if (!usable)
        return false;
    observer->filter.kernels->sort_block(values, tile->n_rows);
    for (; directions != 0; directions &= directions - 1) {
        const size_t c = (size_t)__builtin_ctz(directions);
        merge_values(observer, tile->block * FROCC_BLOCK + c, values + c, tile->n_rows);
    }
    return true;
}

/* ---- One by one ----------------------------------------------------------------------------- */

/* Counts the searches that found nothing new: after many of them the filter is made anew. */
static void note_wasted(frocc__observer *observer, size_t slot, uint32_t n_wasted) {
    observer->wasted[slot] += n_wasted;
    if (is_stale(observer, slot))
        note(observer, slot);
}

static void insert(frocc__observer *observer, size_t slot, ptrdiff_t at, float value) {
    frocc__sketch *sketch = &observer->sketch;
    frocc__interval *list = frocc__slot(sketch, slot);
    if (sketch->count[slot] == 0) {
        list[0] = (frocc__interval){value, value};
        sketch->count[slot] = 1;
        note(observer, slot);
        return;
    }
    frocc__interval holder = frocc__insert(list, &sketch->count[slot], at, value, sketch->epsilon);
    frocc__growth growth = {holder.lo, holder.hi, holder.lo, holder.hi};
    frocc__filter_note_grown(&observer->filter, slot, &growth);
}

/* A value that may be new: inside an interval it changes nothing. */
static bool take_value(frocc__observer *observer, size_t slot, float value) {
    if (isnan(value))
        return false;
    value = positive_zero(value);
    frocc__sketch *sketch = &observer->sketch;
    frocc__interval *list = frocc__slot(sketch, slot);
    const size_t count = list_size(observer, slot);
    const ptrdiff_t at = frocc__find(list, count, value);
    if (count > 0 && (size_t)at < count - 1) { /* -1 is not */
        const bool is_inside = value <= list[at].hi;
        frocc__growth growth;
        if (frocc__extend(list, count, (size_t)at, value, sketch->epsilon, &growth)) {
            frocc__filter_note_grown(&observer->filter, slot, &growth);
            note_wasted(observer, slot, is_inside);
            return true;
        }
    } else if (at >= 0 && value <= list[at].hi) {
        note_wasted(observer, slot, true);
        return true;
    }
    if (is_long(observer, slot))
        add_run(observer, slot, &(frocc__interval){value, value}, 1);
    else
        insert(observer, slot, at, value);
    return true;
}

/* Whether some direction has more than one row left: then a look-up pays. */
static bool has_many(const frocc__row_mask rows[FROCC_BLOCK]) {
    frocc__row_mask many = 0;
    for (int c = 0; c < FROCC_BLOCK; c++)
        many |= rows[c] & (rows[c] - 1);
    return many != 0;
}

/* Per direction of a tile the rows that no filter knows; says which directions have some. */
static unsigned find_unknown(const frocc__observer *observer, const frocc__tile *tile,
                             frocc__row_mask rows[FROCC_BLOCK]) {
    const frocc__filter *filter = &observer->filter;
    frocc__row_mask in[FROCC_BLOCK] = {0};
    if (!frocc__filter_outside(filter, tile->values, tile->block, frocc__tile_rows(tile),
                               tile->has_outside, rows))
        return 0;
    if (has_many(rows))
        filter->kernels->look_up(tile->values, &filter->cells[tile->block * FROCC_BLOCK], rows, in,
                                 NULL);
    unsigned directions = 0;
    for (size_t c = 0; c < tile->n_directions; c++) {
        rows[c] &= ~in[c];
        directions |= (unsigned)(rows[c] != 0) << c;
    }
    return directions;
}

static bool observe_panel(frocc__observer *observer, const frocc__tile *tile) {
    frocc__row_mask rows[FROCC_BLOCK];
    bool usable = true;
    if (observer->sketch.count[tile->block * FROCC_BLOCK] == 0) /* its filter is not made yet */
        return observe_sorted(observer, tile, (1u << tile->n_directions) - 1);
    unsigned left = find_unknown(observer, tile, rows);
    if (wants_sorting(observer, tile, rows, left))
        return observe_sorted(observer, tile, left);
    for (; left != 0; left &= left - 1) {
        const size_t c = (size_t)__builtin_ctz(left), slot = tile->block * FROCC_BLOCK + c;
        const float *values = tile->values + c * FROCC_PANEL;
        for (; rows[c] != 0; rows[c] &= rows[c] - 1)
            usable &= take_value(observer, slot, values[__builtin_ctzll(rows[c])]);
    }
    return usable;
}

bool frocc__observe(frocc__observer *observer, const frocc__tile *tile) {
    if (tile->stride == FROCC_PANEL)
        return observe_panel(observer, tile);
    bool usable = true;
    for (size_t c = 0; c < tile->n_directions; c++)
        usable &= take_value(observer, tile->block * FROCC_BLOCK + c, tile->values[c]);
    return usable;
}

/* The last run first: a slot without values has not even a list. */
static void merge_slot(frocc__observer *into, const frocc__observer *from, size_t slot) {
    const frocc__interval *list = frocc__slot(&from->sketch, slot);
    size_t run = from->n_runs != NULL ? from->n_runs[slot] : 0;
    for (size_t end = from->sketch.count[slot]; end > 0; run--) {
        const size_t begin = run_begin(from, slot, run);
        frocc__slot_merge(&into->sketch, slot, list + begin, end - begin, into->scratch);
        end = begin;
    }
}

void frocc__observer_merge(frocc__observer *into, const frocc__observer *from) {
    for (size_t slot = 0; slot < into->sketch.n_slots; slot++) {
        settle(into, slot);
        merge_slot(into, from, slot);
        note(into, slot);
    }
}

void frocc__observer_take(frocc__observer *observer, frocc__sketch *sketch) {
    frocc__sketch_free(&observer->sketch);
    observer->sketch = *sketch;
    *sketch = (frocc__sketch){0};
    if (observer->n_runs != NULL)
        memset(observer->n_runs, 0, observer->sketch.n_slots);
    for (size_t slot = 0; slot < observer->sketch.n_slots; slot++)
        note(observer, slot);
}
