/* SPDX-License-Identifier: BSD-3-Clause */
/* Sketches: storage of the intervals of all slots, and merge slot by slot. */
#include "sketch/interval_sketch.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"

frocc_status frocc__sketch_new(size_t n_slots, float epsilon, frocc__sketch *sketch) {
    frocc__sketch made = {.n_slots = n_slots,
                          .epsilon = epsilon,
                          .start = frocc__alloc(n_slots, sizeof(size_t)),
                          .count = frocc__alloc(n_slots, sizeof(uint32_t))};
    if (made.start == NULL || made.count == NULL) {
        frocc__sketch_free(&made);
        return FROCC_ERR_MEMORY;
    }
    *sketch = made;
    return FROCC_OK;
}

void frocc__sketch_free(frocc__sketch *sketch) {
    frocc__free(sketch->start);
    frocc__free(sketch->count);
    frocc__free(sketch->arena);
    *sketch = (frocc__sketch){0};
}

uint64_t frocc__sketch_intervals(const frocc__sketch *sketch) {
    uint64_t total = 0;
    for (size_t s = 0; s < sketch->n_slots; s++)
        total += sketch->count[s];
    return total;
}

size_t frocc__sketch_largest(const frocc__sketch *sketch) {
    size_t largest = 0;
    for (size_t s = 0; s < sketch->n_slots; s++)
        largest = FROCC_MAX(largest, (size_t)sketch->count[s]);
    return largest;
}

size_t frocc__sketch_bound(const frocc__sketch *sketch) {
    const size_t most = frocc__most_intervals(sketch->epsilon);
    const size_t room = most > FROCC_LONG_LIST ? most + most / 4 : most;
    return frocc__sketch_largest(sketch) > room ? SIZE_MAX : room;
}

frocc_status frocc__sketch_reserve(frocc__sketch *sketch, size_t extra) {
    const size_t most = frocc__sketch_bound(sketch);
    size_t needed = FROCC_MIN(most, frocc__sketch_largest(sketch) + extra);
    if (needed <= sketch->stride)
        return FROCC_OK;
    size_t stride = FROCC_MIN(most, FROCC_MAX(needed, 2 * sketch->stride));
    frocc__interval *arena = frocc__alloc_raw(sketch->n_slots, stride * sizeof(frocc__interval));
    if (arena == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t s = 0; s < sketch->n_slots; s++) {
        if (sketch->count[s] > 0)
            memcpy(arena + s * stride, frocc__slot(sketch, s),
                   sketch->count[s] * sizeof(frocc__interval));
        sketch->start[s] = s * stride;
    }
    frocc__free(sketch->arena);
    sketch->arena = arena;
    sketch->stride = stride;
    return FROCC_OK;
}

void frocc__slot_merge(frocc__sketch *into, size_t slot, const frocc__interval *list, size_t count,
                       frocc__interval *merged) {
    size_t total = frocc__merge(frocc__slot(into, slot), into->count[slot], list, count,
                                into->epsilon, merged);
    if (total > 0)
        memcpy(frocc__slot(into, slot), merged, total * sizeof(frocc__interval));
    into->count[slot] = (uint32_t)total;
}

frocc_status frocc__sketch_merge(frocc__sketch *into, const frocc__sketch *from) {
    size_t largest = frocc__sketch_largest(from);
    FROCC_TRY(frocc__sketch_reserve(into, largest));
    frocc__interval *merged =
        frocc__alloc(frocc__sketch_largest(into) + largest, sizeof(frocc__interval));
    if (merged == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t s = 0; s < into->n_slots; s++)
        frocc__slot_merge(into, s, frocc__slot(from, s), from->count[s], merged);
    into->n_rows += from->n_rows;
    frocc__free(merged);
    return FROCC_OK;
}

static frocc_status copy_slots(const frocc__sketch *sketch, frocc__sketch *made) {
    size_t total = 0;
    for (size_t s = 0; s < made->n_slots; s++)
        total += sketch->count[s];
    made->arena = frocc__alloc(total, sizeof(frocc__interval));
    if (made->arena == NULL)
        return FROCC_ERR_MEMORY;
    size_t start = 0;
    for (size_t s = 0; s < made->n_slots; s++) {
        made->start[s] = start;
        made->count[s] = (uint32_t)frocc__merge(frocc__slot(sketch, s), sketch->count[s], NULL, 0,
                                                made->epsilon, made->arena + start);
        start += made->count[s];
    }
    return FROCC_OK;
}

frocc_status frocc__sketch_copy(const frocc__sketch *sketch, size_t n_slots, float epsilon,
                                frocc__sketch *copy) {
    frocc__sketch made;
    FROCC_TRY(frocc__sketch_new(n_slots, epsilon, &made));
    made.n_rows = sketch->n_rows;
    frocc_status status = copy_slots(sketch, &made);
    if (status != FROCC_OK) {
        frocc__sketch_free(&made);
        return status;
    }
    *copy = made;
    return FROCC_OK;
}

/* ---- As bytes ------------------------------------------------------------------------------- */

void frocc__sketch_write(const frocc__sketch *sketch, frocc__bytes_out *out) {
    frocc__put_f32(out, sketch->epsilon);
    frocc__put_u64(out, sketch->n_rows);
    for (size_t s = 0; s < sketch->n_slots; s++)
        frocc__put_u32(out, sketch->count[s]);
    for (size_t s = 0; s < sketch->n_slots; s++) {
        const frocc__interval *list = frocc__slot(sketch, s);
        for (size_t i = 0; i < sketch->count[s]; i++) {
            frocc__put_f32(out, list[i].lo);
            frocc__put_f32(out, list[i].hi);
        }
    }
}

static bool is_negative_zero(float value) {
    return value == 0.0f && signbit(value);
}

/* Whether a fit could have left this list: finite, rising, and apart by the margin. */
static bool is_sketch_of_something(const frocc__interval *list, size_t count, float epsilon) {
    if (count == 0)
        return false;
    float margin = frocc__margin(epsilon, list[0].lo, list[count - 1].hi);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(list[i].lo) || !isfinite(list[i].hi) || !(list[i].lo <= list[i].hi) ||
            is_negative_zero(list[i].lo) || is_negative_zero(list[i].hi))
            return false;
        if (i > 0 && frocc__joins(list[i - 1].hi, list[i].lo, margin))
            return false;
    }
    return true;
}

static frocc_status read_slots(frocc__bytes_in *in, frocc__sketch *made) {
    uint64_t total = 0;
    for (size_t s = 0; s < made->n_slots; s++) {
        made->start[s] = (size_t)total;
        made->count[s] = frocc__get_u32(in);
        total += made->count[s];
    }
    if (in->failed || total != in->left / sizeof(frocc__interval) ||
        in->left % sizeof(frocc__interval) != 0)
        return frocc__damaged("the number of intervals does not fit the sketch section");
    made->arena = frocc__alloc((size_t)total, sizeof(frocc__interval));
    if (made->arena == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < (size_t)total; i++) {
        made->arena[i].lo = frocc__get_f32(in);
        made->arena[i].hi = frocc__get_f32(in);
    }
    for (size_t s = 0; s < made->n_slots; s++)
        if (!is_sketch_of_something(frocc__slot(made, s), made->count[s], made->epsilon))
            return frocc__damaged("the intervals of a direction are not what a fit produces");
    return FROCC_OK;
}

frocc_status frocc__sketch_read(frocc__bytes_in *in, size_t n_slots, frocc__sketch *sketch) {
    float epsilon = frocc__get_f32(in);
    uint64_t n_rows = frocc__get_u64(in);
    if (!(epsilon >= FROCC_MIN_EPSILON && epsilon <= 1.0f) || n_rows == 0)
        return frocc__damaged("epsilon or the number of rows is out of range");
    if (in->left / sizeof(uint32_t) < n_slots)
        return frocc__damaged("the sketch section is shorter than its directions");
    frocc__sketch made;
    FROCC_TRY(frocc__sketch_new(n_slots, epsilon, &made));
    made.n_rows = n_rows;
    frocc_status status = read_slots(in, &made);
    if (status != FROCC_OK) {
        frocc__sketch_free(&made);
        return status;
    }
    *sketch = made;
    return FROCC_OK;
}
