/* SPDX-License-Identifier: BSD-3-Clause */
/* Observing tiles: a filter in front of merge. O(1) per value inside, O(1/eps) per flush. */
#include "observe.h"

#include <string.h>

#include "mem.h"

/* A tile can bring this many at once, and that much again is kept before a merge. */
#define PENDING (2 * FROCC_PANEL)

static size_t padded(size_t n_slots) {
    return (n_slots + FROCC_BLOCK - 1) / FROCC_BLOCK * FROCC_BLOCK;
}

frocc_status frocc__observer_new(size_t n_slots, float epsilon, int threads,
                                 frocc__observer *observer) {
    frocc__observer made = {.threads = threads};
    frocc_status status = frocc__sketch_new(n_slots, epsilon, &made.sketch);
    if (status != FROCC_OK)
        return status;
    made.wide_lo = frocc__alloc(padded(n_slots), sizeof(float));
    made.wide_hi = frocc__alloc(padded(n_slots), sizeof(float));
    made.pending = frocc__alloc(n_slots, PENDING * sizeof(float));
    made.n_pending = frocc__alloc(n_slots, sizeof(uint32_t));
    if (made.wide_lo == NULL || made.wide_hi == NULL || made.pending == NULL ||
        made.n_pending == NULL) {
        frocc__observer_free(&made);
        return FROCC_ERR_MEMORY;
    }
    *observer = made;
    frocc__observer_refresh(observer);
    return FROCC_OK;
}

void frocc__observer_free(frocc__observer *observer) {
    frocc__sketch_free(&observer->sketch);
    frocc__free(observer->wide_lo);
    frocc__free(observer->wide_hi);
    frocc__free(observer->pending);
    frocc__free(observer->n_pending);
    frocc__free(observer->scratch);
    *observer = (frocc__observer){0};
}

frocc_status frocc__observer_reserve(frocc__observer *observer, size_t n_rows) {
    FROCC_TRY(frocc__sketch_reserve(&observer->sketch, n_rows));
    /* A flush holds the slot, the pending values, and the result of merging both. */
    size_t needed = observer->sketch.stride + 2 * PENDING;
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

static void note_widest(frocc__observer *observer, size_t slot) {
    frocc__interval widest =
        frocc__widest(frocc__slot(&observer->sketch, slot), observer->sketch.count[slot]);
    observer->wide_lo[slot] = widest.lo;
    observer->wide_hi[slot] = widest.hi;
}

void frocc__observer_refresh(frocc__observer *observer) {
    for (size_t s = 0; s < observer->sketch.n_slots; s++)
        note_widest(observer, s);
}

/* Few values, nearly all of them in order already or soon settled: insertion. */
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
    size_t n_points = observer->n_pending[slot];
    if (n_points == 0)
        return;
    frocc__sketch *sketch = &observer->sketch;
    float *values = observer->pending + slot * PENDING;
    sort_values(values, n_points);
    frocc__interval *points = observer->scratch + thread * observer->scratch_size;
    frocc__interval *merged = points + PENDING;
    for (size_t i = 0; i < n_points; i++)
        points[i].lo = points[i].hi = values[i];
    size_t count = frocc__merge(frocc__slot(sketch, slot), sketch->count[slot], points, n_points,
                                sketch->epsilon, merged);
    memcpy(frocc__slot(sketch, slot), merged, count * sizeof(frocc__interval));
    sketch->count[slot] = (uint32_t)count;
    observer->n_pending[slot] = 0;
    note_widest(observer, slot);
}

void frocc__observer_flush(frocc__observer *observer, size_t first, size_t end, size_t thread) {
    for (size_t slot = first; slot < end; slot++)
        flush_slot(observer, slot, thread);
}

/* A value outside the widest interval: inside another one it changes nothing either. */
static bool take_value(frocc__observer *observer, size_t slot, float value) {
    if (value != value)
        return false;
    const frocc__sketch *sketch = &observer->sketch;
    if (!frocc__contains(frocc__slot(sketch, slot), sketch->count[slot], value)) {
        /* -0 becomes +0: the two are equal, and equal models must be equal bytes */
        observer->pending[slot * PENDING + observer->n_pending[slot]++] = value + 0.0f;
    }
    return true;
}

bool frocc__observe(frocc__observer *observer, const frocc__kernels *kernels,
                    const frocc__tile *tile, size_t thread) {
    const size_t first = tile->block * FROCC_BLOCK;
    const frocc__row_mask real = ~(frocc__row_mask)0 >> (64 - tile->n_rows);
    frocc__row_mask rows[FROCC_BLOCK];
    if (tile->stride == FROCC_PANEL)
        kernels->outside(tile->values, observer->wide_lo + first, observer->wide_hi + first, rows);
    bool usable = true;
    for (size_t c = 0; c < tile->n_directions; c++) {
        frocc__row_mask left = tile->stride == FROCC_PANEL ? rows[c] & real : real;
        for (; left != 0; left &= left - 1) {
            size_t r = (size_t)__builtin_ctzll(left);
            usable &= take_value(observer, first + c, tile->values[c * tile->stride + r]);
        }
        if (observer->n_pending[first + c] > PENDING - FROCC_PANEL)
            flush_slot(observer, first + c, thread);
        else if (observer->sketch.count[first + c] == 0)
            flush_slot(observer, first + c, thread);
    }
    return usable;
}
