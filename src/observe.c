/* SPDX-License-Identifier: BSD-3-Clause */
/* Observing tiles: a filter in front of merge. O(1) per value inside, O(1/eps) per merge. */
#include "observe.h"

#include <string.h>

#include "mem.h"

/* A tile can bring this many at once, and that much again is kept before a merge. */
#define PENDING (2 * FROCC_PANEL)

/* Most panels, and so rows, that start an empty sketch in bulk. */
#define FIRST_PANELS 8
#define FIRST_ROWS (FIRST_PANELS * FROCC_PANEL)

frocc_status frocc__observer_new(size_t n_slots, float epsilon, int threads,
                                 frocc__observer *observer) {
    frocc__observer made = {.threads = threads};
    FROCC_TRY(frocc__sketch_new(n_slots, epsilon, &made.sketch));
    frocc_status status = frocc__filter_new(n_slots, &made.filter);
    made.pending = frocc__alloc(n_slots, PENDING * sizeof(float));
    made.n_pending = frocc__alloc(n_slots, sizeof(uint32_t));
    made.bulk = frocc__alloc((size_t)threads, FIRST_ROWS * FROCC_BLOCK * sizeof(float));
    if (status != FROCC_OK || made.pending == NULL || made.n_pending == NULL || made.bulk == NULL) {
        frocc__observer_free(&made);
        return FROCC_ERR_MEMORY;
    }
    *observer = made;
    return FROCC_OK;
}

void frocc__observer_free(frocc__observer *observer) {
    frocc__sketch_free(&observer->sketch);
    frocc__filter_free(&observer->filter);
    frocc__free(observer->pending);
    frocc__free(observer->n_pending);
    frocc__free(observer->scratch);
    frocc__free(observer->bulk);
    *observer = (frocc__observer){0};
}

frocc_status frocc__observer_reserve(frocc__observer *observer, size_t n_rows) {
    FROCC_TRY(frocc__sketch_reserve(&observer->sketch, n_rows));
    /* A merge holds new points and a result: the slot, and the points again. */
    size_t needed = observer->sketch.stride + 2 * FIRST_ROWS;
    if (needed <= observer->scratch_size)
        return FROCC_OK;
    frocc__interval *scratch =
        frocc__alloc((size_t)observer->threads, needed * sizeof(frocc__interval));
    if (scratch == NULL)
        return FROCC_ERR_MEMORY;
    frocc__free(observer->scratch);
    observer->scratch = scratch;
    observer->scratch_size = needed;
    return FROCC_OK;
}

void frocc__observer_refresh(frocc__observer *observer) {
    for (size_t s = 0; s < observer->sketch.n_slots; s++)
        frocc__filter_note(&observer->filter, s, frocc__slot(&observer->sketch, s),
                           observer->sketch.count[s]);
}

/* ---- Merging -------------------------------------------------------------------------------- */

/* Merges count sorted values, stride apart, into a slot. */
static void merge_values(frocc__observer *observer, size_t slot, const float *values, size_t stride,
                         size_t count, size_t thread) {
    frocc__sketch *sketch = &observer->sketch;
    frocc__interval *points = observer->scratch + thread * observer->scratch_size;
    frocc__interval *merged = points + FIRST_ROWS;
    for (size_t i = 0; i < count; i++)
        points[i].lo = points[i].hi = values[i * stride];
    size_t total = frocc__merge(frocc__slot(sketch, slot), sketch->count[slot], points, count,
                                sketch->epsilon, merged);
    memcpy(frocc__slot(sketch, slot), merged, total * sizeof(frocc__interval));
    sketch->count[slot] = (uint32_t)total;
}

/* Few values: insertion. */
static void sort_values(float *values, size_t count) {
    for (size_t i = 1; i < count; i++) {
        float value = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

static void flush_slot(frocc__observer *observer, size_t slot, size_t thread) {
    float *values = observer->pending + slot * PENDING;
    sort_values(values, observer->n_pending[slot]);
    merge_values(observer, slot, values, 1, observer->n_pending[slot], thread);
    observer->n_pending[slot] = 0;
    frocc__filter_note_widest(&observer->filter, slot, frocc__slot(&observer->sketch, slot),
                              observer->sketch.count[slot]);
}

void frocc__observer_flush(frocc__observer *observer, size_t block, bool refresh, size_t thread) {
    size_t first = block * FROCC_BLOCK;
    size_t end = FROCC_MIN(first + FROCC_BLOCK, observer->sketch.n_slots);
    for (size_t slot = first; slot < end; slot++) {
        if (observer->n_pending[slot] > 0)
            flush_slot(observer, slot, thread);
        if (refresh)
            frocc__filter_note(&observer->filter, slot, frocc__slot(&observer->sketch, slot),
                               observer->sketch.count[slot]);
    }
}

/* ---- The first rows ------------------------------------------------------------------------- */

/* With a small epsilon it takes more rows until the intervals have grown together. */
size_t frocc__observe_first_panels(const frocc__observer *observer, size_t block, size_t n_panels) {
    if (observer->sketch.count[block * FROCC_BLOCK] > 0)
        return 0;
    size_t rows = (size_t)(4.0f / observer->sketch.epsilon);
    size_t wanted = FROCC_MIN(rows / FROCC_PANEL + 1, (size_t)FIRST_PANELS);
    return FROCC_MIN(wanted, n_panels);
}

static float *bulk_of(frocc__observer *observer, size_t thread) {
    return observer->bulk + thread * FIRST_ROWS * FROCC_BLOCK;
}

/* -0 becomes +0: the two are equal, and equal models must be equal bytes. */
static float positive_zero(float value) {
    return value + 0.0f;
}

void frocc__collect_first(frocc__observer *observer, const frocc__tile *tile, size_t panel,
                          size_t thread) {
    float *bulk = bulk_of(observer, thread) + panel * FROCC_PANEL * FROCC_BLOCK;
    for (size_t r = 0; r < tile->n_rows; r++)
        for (size_t c = 0; c < tile->n_directions; c++)
            bulk[r * FROCC_BLOCK + c] = positive_zero(tile->values[c * FROCC_PANEL + r]);
}

bool frocc__observe_first(frocc__observer *observer, const frocc__kernels *kernels, size_t block,
                          size_t n_rows, size_t thread) {
    float *bulk = bulk_of(observer, thread);
    size_t first = block * FROCC_BLOCK;
    size_t end = FROCC_MIN(first + FROCC_BLOCK, observer->sketch.n_slots);
    for (size_t i = 0; i < n_rows; i++)
        for (size_t slot = first; slot < end; slot++)
            if (isnan(bulk[i * FROCC_BLOCK + slot - first]))
                return false;
    kernels->sort_block(bulk, n_rows);
    for (size_t slot = first; slot < end; slot++)
        merge_values(observer, slot, bulk + slot - first, FROCC_BLOCK, n_rows, thread);
    frocc__observer_flush(observer, block, true, thread);
    return true;
}

/* ---- All others ----------------------------------------------------------------------------- */

/* A value that may be new: inside an interval it changes nothing. */
static bool take_value(frocc__observer *observer, size_t slot, float value) {
    if (isnan(value))
        return false;
    const frocc__sketch *sketch = &observer->sketch;
    if (!frocc__contains(frocc__slot(sketch, slot), sketch->count[slot], value))
        observer->pending[slot * PENDING + observer->n_pending[slot]++] = positive_zero(value);
    return true;
}

/* Merging costs as much as there are intervals, so it waits until there are values to share it. */
static bool is_due(const frocc__observer *observer, size_t slot) {
    size_t n_pending = observer->n_pending[slot];
    return n_pending > PENDING - FROCC_PANEL ||
           (n_pending > 0 && 2 * n_pending >= observer->sketch.count[slot]);
}

bool frocc__observe(frocc__observer *observer, const frocc__kernels *kernels,
                    const frocc__tile *tile, size_t thread) {
    const size_t first = tile->block * FROCC_BLOCK;
    frocc__row_mask rows[FROCC_BLOCK];
    if (!frocc__filter_outside(&observer->filter, kernels, tile->values, tile->block, tile->n_rows,
                               rows))
        return true;
    bool usable = true;
    for (size_t c = 0; c < tile->n_directions; c++) {
        const float *values = tile->values + c * FROCC_PANEL;
        frocc__row_mask left = rows[c];
        if (left == 0)
            continue;
        if ((left & (left - 1)) != 0) { /* more than one: a look-up pays */
            frocc__row_mask in, edge;
            kernels->look_up(values, &observer->filter.cells[first + c], left, &in, &edge);
            left &= ~in;
        }
        for (; left != 0; left &= left - 1)
            usable &= take_value(observer, first + c, values[__builtin_ctzll(left)]);
        if (is_due(observer, first + c))
            flush_slot(observer, first + c, thread);
    }
    return usable;
}
