/* SPDX-License-Identifier: BSD-3-Clause */
/* Observing tiles: a filter in front of merge. O(1) per value inside, O(1/eps) per new value at
 * most. */
#include "sketch/observe.h"

#include <string.h>

#include "base/memory.h"

frocc_status frocc__observer_new(size_t n_slots, float epsilon, const frocc__kernels *kernels,
                                 frocc__observer *observer) {
    frocc__observer made = {0};
    FROCC_TRY(frocc__sketch_new(n_slots, epsilon, &made.sketch));
    frocc_status status = frocc__filter_new(n_slots, kernels, &made.filter);
    made.wasted = frocc__alloc(n_slots, sizeof(uint32_t));
    made.unknown = frocc__alloc(n_slots / FROCC_BLOCK + 1, sizeof(uint16_t));
    if (status != FROCC_OK || made.wasted == NULL || made.unknown == NULL) {
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
    frocc__free(observer->unknown);
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

/* More intervals than this leave few cells that are all in one of them. */
#define MOST_FOR_CELLS (FROCC_MAP_CELLS / 4)

/* How much of the range a map keeps free on each side for values that are still to come. */
#define ROOM 0.02f

static void note(frocc__observer *observer, size_t slot) {
    const frocc__interval *list = frocc__slot(&observer->sketch, slot);
    size_t count = observer->sketch.count[slot];
    if (count <= MOST_FOR_CELLS)
        frocc__filter_note(&observer->filter, slot, list, count, ROOM);
    else
        frocc__filter_note_widest(&observer->filter, slot, list, count);
    observer->wasted[slot] = 0;
}

/* Searches that find nothing new, because a filter is out of date, until making it anew, which
 * takes the longer the more intervals there are, is worth it. */
static bool is_stale(const frocc__observer *observer, size_t slot) {
    return observer->wasted[slot] > 24 + 2 * observer->sketch.count[slot];
}

/* ---- Many at once --------------------------------------------------------------------------- */

/* -0 becomes +0: the two are equal, and equal models must be equal bytes. */
static float positive_zero(float value) {
    return value + 0.0f;
}

/* Whether a whole tile is sorted and merged: less work than value by value while most are new. */
static bool wants_sorting(const frocc__observer *observer, const frocc__tile *tile) {
    return tile->stride == FROCC_PANEL && (observer->unknown[tile->block] > FROCC_TILE / 2 ||
                                           observer->sketch.count[tile->block * FROCC_BLOCK] == 0);
}

/* Merges count sorted values, a block apart, into a slot. */
static void merge_values(frocc__observer *observer, size_t slot, const float *values,
                         size_t count) {
    frocc__sketch *sketch = &observer->sketch;
    frocc__interval *new_ones = observer->scratch, *merged = new_ones + FROCC_PANEL + 1;
    size_t n_new = frocc__intervals_of(values, FROCC_BLOCK, count, sketch->epsilon, new_ones);
    frocc__slot_merge(sketch, slot, new_ones, n_new, merged);
    note(observer, slot);
}

static bool observe_sorted(frocc__observer *observer, const frocc__tile *tile) {
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
    for (size_t c = 0; c < tile->n_directions; c++)
        merge_values(observer, tile->block * FROCC_BLOCK + c, values + c, tile->n_rows);
    observer->unknown[tile->block] = 0;
    return true;
}

/* ---- One by one ----------------------------------------------------------------------------- */

/* Counts the searches that found nothing new: after many of them the filter is made anew. */
static void note_wasted(frocc__observer *observer, size_t slot, uint32_t n_wasted) {
    observer->wasted[slot] += n_wasted;
    if (is_stale(observer, slot))
        note(observer, slot);
}

/* A value that may be new: inside an interval it changes nothing. */
static bool take_value(frocc__observer *observer, size_t slot, float value) {
    if (isnan(value))
        return false;
    value = positive_zero(value);
    frocc__sketch *sketch = &observer->sketch;
    frocc__interval *list = frocc__slot(sketch, slot);
    const size_t count = sketch->count[slot];
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
    if (count == 0) {
        list[0] = (frocc__interval){value, value};
        sketch->count[slot] = 1;
        note(observer, slot);
        return true;
    }
    frocc__interval holder = frocc__insert(list, &sketch->count[slot], at, value, sketch->epsilon);
    frocc__growth growth = {holder.lo, holder.hi, holder.lo, holder.hi};
    frocc__filter_note_grown(&observer->filter, slot, &growth);
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
    uint16_t unknown = 0;
    for (unsigned left = find_unknown(observer, tile, rows); left != 0; left &= left - 1) {
        const size_t c = (size_t)__builtin_ctz(left), slot = tile->block * FROCC_BLOCK + c;
        const float *values = tile->values + c * FROCC_PANEL;
        for (; rows[c] != 0; rows[c] &= rows[c] - 1, unknown++)
            usable &= take_value(observer, slot, values[__builtin_ctzll(rows[c])]);
    }
    observer->unknown[tile->block] = unknown;
    return usable;
}

bool frocc__observe(frocc__observer *observer, const frocc__tile *tile) {
    if (wants_sorting(observer, tile))
        return observe_sorted(observer, tile);
    if (tile->stride == FROCC_PANEL)
        return observe_panel(observer, tile);
    bool usable = true;
    for (size_t c = 0; c < tile->n_directions; c++)
        usable &= take_value(observer, tile->block * FROCC_BLOCK + c, tile->values[c]);
    return usable;
}

void frocc__observer_merge(frocc__observer *into, const frocc__observer *from) {
    for (size_t slot = 0; slot < into->sketch.n_slots; slot++) {
        frocc__slot_merge(&into->sketch, slot, frocc__slot(&from->sketch, slot),
                          from->sketch.count[slot], into->scratch);
        note(into, slot);
    }
}

void frocc__observer_take(frocc__observer *observer, frocc__sketch *sketch) {
    frocc__sketch_free(&observer->sketch);
    observer->sketch = *sketch;
    *sketch = (frocc__sketch){0};
    for (size_t slot = 0; slot < observer->sketch.n_slots; slot++)
        note(observer, slot);
}
