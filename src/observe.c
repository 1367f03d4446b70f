/* SPDX-License-Identifier: BSD-3-Clause */
/* Observing tiles: a filter in front of merge. O(1) per value inside, O(1/eps) per new value at
 * most. */
#include "observe.h"

#include <string.h>

#include "mem.h"

/* Most panels, and so rows, that are sorted together. */
#define BATCH_PANELS 16
#define BATCH_ROWS (BATCH_PANELS * FROCC_PANEL)

frocc_status frocc__observer_new(size_t n_slots, float epsilon, const frocc__kernels *kernels,
                                 int threads, frocc__observer *observer) {
    frocc__observer made = {.threads = threads};
    FROCC_TRY(frocc__sketch_new(n_slots, epsilon, &made.sketch));
    frocc_status status = frocc__filter_new(n_slots, kernels, &made.filter);
    made.wasted = frocc__alloc(n_slots, sizeof(uint32_t));
    made.batch = frocc__alloc((size_t)threads, BATCH_ROWS * FROCC_BLOCK * sizeof(float));
    if (status != FROCC_OK || made.wasted == NULL || made.batch == NULL) {
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
    frocc__free(observer->batch);
    *observer = (frocc__observer){0};
}

frocc_status frocc__observer_reserve(frocc__observer *observer, size_t n_rows) {
    FROCC_TRY(frocc__sketch_reserve(&observer->sketch, n_rows));
    /* A merge holds new intervals and a result: the slot, and the new ones again; or, of a copy,
     * the result alone. */
    const size_t stride = observer->sketch.stride;
    const size_t needed = stride + FROCC_MAX(stride, (size_t)(2 * BATCH_ROWS + 1));
    if (needed <= observer->scratch_size)
        return FROCC_OK;
    frocc__interval *scratch =
        frocc__alloc_raw((size_t)observer->threads, needed * sizeof(frocc__interval));
    if (scratch == NULL)
        return FROCC_ERR_MEMORY;
    frocc__free(observer->scratch);
    observer->scratch = scratch;
    observer->scratch_size = needed;
    return FROCC_OK;
}

/* More intervals than this leave few cells that are all in one of them. */
#define MOST_FOR_CELLS (FROCC_CELLS / 4)

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

/* As many wasted searches as make any filter stale. */
#define OUT_OF_DATE (UINT32_MAX / 2)

/* Searches that find nothing new, because a filter is out of date, until making it anew, which
 * takes the longer the more intervals there are, is worth it. */
static bool is_stale(const frocc__observer *observer, size_t slot) {
    return observer->wasted[slot] > 24 + 2 * observer->sketch.count[slot];
}

static size_t end_of_block(const frocc__observer *observer, size_t block) {
    return FROCC_MIN((block + 1) * FROCC_BLOCK, observer->sketch.n_slots);
}

void frocc__observer_note(frocc__observer *observer, size_t block) {
    for (size_t slot = block * FROCC_BLOCK; slot < end_of_block(observer, block); slot++)
        note(observer, slot);
}

/* ---- Merging -------------------------------------------------------------------------------- */

/* Merges count sorted values, stride apart, into a slot. */
static void merge_values(frocc__observer *observer, size_t slot, const float *values, size_t stride,
                         size_t count, size_t thread) {
    frocc__sketch *sketch = &observer->sketch;
    frocc__interval *new_ones = observer->scratch + thread * observer->scratch_size;
    frocc__interval *merged = new_ones + BATCH_ROWS + 1;
    size_t n_new = frocc__intervals_of(values, stride, count, sketch->epsilon, new_ones);
    frocc__slot_merge(sketch, slot, new_ones, n_new, merged);
}

/* ---- Many at once --------------------------------------------------------------------------- */

/* With a small epsilon it takes more rows until the intervals have grown together. */
size_t frocc__batch_panels(const frocc__observer *observer, size_t block, size_t n_panels) {
    const float first_rows = 4.0f / observer->sketch.epsilon;
    size_t most = BATCH_PANELS;
    if (observer->sketch.count[block * FROCC_BLOCK] == 0 && first_rows < (float)BATCH_ROWS)
        most = (size_t)first_rows / FROCC_PANEL + 1;
    return FROCC_MIN(most, n_panels);
}

static float *batch_of(frocc__observer *observer, size_t thread) {
    return observer->batch + thread * BATCH_ROWS * FROCC_BLOCK;
}

/* -0 becomes +0: the two are equal, and equal models must be equal bytes. */
static float positive_zero(float value) {
    return value + 0.0f;
}

void frocc__batch_collect(frocc__observer *observer, const frocc__tile *tile, size_t panel,
                          size_t thread) {
    float *batch = batch_of(observer, thread) + panel * FROCC_PANEL * FROCC_BLOCK;
    for (size_t r = 0; r < tile->n_rows; r++)
        for (size_t c = 0; c < tile->n_directions; c++)
            batch[r * FROCC_BLOCK + c] = positive_zero(tile->values[c * FROCC_PANEL + r]);
}

static bool has_nan(const float *values, size_t count) {
    int32_t found = 0; /* not a bool: it becomes vectors */
    FROCC_OMP(simd reduction(| : found))
    for (size_t i = 0; i < count; i++)
        found |= values[i] != values[i];
    return found != 0;
}

bool frocc__batch_observe(frocc__observer *observer, size_t block, size_t n_rows, size_t thread) {
    float *batch = batch_of(observer, thread);
    const size_t first = block * FROCC_BLOCK, end = end_of_block(observer, block);
    if (has_nan(batch, n_rows * FROCC_BLOCK))
        return false;
    observer->filter.kernels->sort_block(batch, n_rows);
    for (size_t slot = first; slot < end; slot++)
        merge_values(observer, slot, batch + slot - first, FROCC_BLOCK, n_rows, thread);
    frocc__observer_note(observer, block);
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
    if ((size_t)at < count - 1) { /* -1 is not */
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
    if (!frocc__filter_outside(filter, tile->values, tile->block, tile->rows, tile->has_outside,
                               rows))
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

bool frocc__observe(frocc__observer *observer, const frocc__tile *tile, size_t *new_values) {
    frocc__row_mask rows[FROCC_BLOCK];
    bool usable = true;
    *new_values = 0;
    for (unsigned left = find_unknown(observer, tile, rows); left != 0; left &= left - 1) {
        const size_t c = (size_t)__builtin_ctz(left), slot = tile->block * FROCC_BLOCK + c;
        const float *values = tile->values + c * FROCC_PANEL;
        for (; rows[c] != 0; rows[c] &= rows[c] - 1, *new_values += 1)
            usable &= take_value(observer, slot, values[__builtin_ctzll(rows[c])]);
    }
    return usable;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

frocc_status frocc__observer_like(const frocc__observer *from, frocc__observer *copy) {
    const size_t n_slots = from->sketch.n_slots;
    FROCC_TRY(frocc__observer_new(n_slots, from->sketch.epsilon, from->filter.kernels, 1, copy));
    frocc_status status = frocc__observer_reserve(copy, frocc__sketch_bound(&from->sketch));
    if (status != FROCC_OK)
        frocc__observer_free(copy);
    return status;
}

void frocc__observer_copy(const frocc__observer *from, frocc__observer *copy) {
    const size_t n_slots = from->sketch.n_slots;
    for (size_t slot = 0; slot < n_slots; slot++)
        memcpy(frocc__slot(&copy->sketch, slot), frocc__slot(&from->sketch, slot),
               from->sketch.count[slot] * sizeof(frocc__interval));
    memcpy(copy->sketch.count, from->sketch.count, n_slots * sizeof *copy->sketch.count);
    memcpy(copy->wasted, from->wasted, n_slots * sizeof *copy->wasted);
    frocc__filter_copy(&from->filter, n_slots, &copy->filter);
}

void frocc__observer_join(frocc__observer *into, const frocc__observer *from, size_t block,
                          size_t thread) {
    frocc__sketch *sketch = &into->sketch;
    for (size_t slot = block * FROCC_BLOCK; slot < end_of_block(into, block); slot++) {
        const frocc__interval *list = frocc__slot(&from->sketch, slot);
        const size_t count = from->sketch.count[slot];
        if (count == sketch->count[slot] &&
            memcmp(list, frocc__slot(sketch, slot), count * sizeof *list) == 0)
            continue;
        frocc__slot_merge(sketch, slot, list, count, into->scratch + thread * into->scratch_size);
        into->wasted[slot] = OUT_OF_DATE;
    }
}

void frocc__observer_refresh(frocc__observer *observer, size_t block) {
    for (size_t slot = block * FROCC_BLOCK; slot < end_of_block(observer, block); slot++)
        if (is_stale(observer, slot))
            note(observer, slot);
}
