/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows given as their values: sorted a block of slots at a time, and merged into a sketch. */
#include "points.h"

#include <string.h>

#include "kernels.h"
#include "mem.h"

void frocc__sorted_points(const float *values, size_t n_rows, size_t n_slots, size_t slot,
                          float *sorted, frocc__interval *points) {
    size_t within = slot % FROCC_BLOCK, first = slot - within;
    if (within == 0) {
        size_t count = FROCC_MIN(n_slots - first, (size_t)FROCC_BLOCK);
        for (size_t i = 0; i < n_rows; i++)
            memcpy(sorted + i * FROCC_BLOCK, values + i * n_slots + first, count * sizeof(float));
        frocc__kernels_best()->sort_block(sorted, n_rows);
    }
    for (size_t i = 0; i < n_rows; i++)
        points[i].lo = points[i].hi = sorted[i * FROCC_BLOCK + within];
}

frocc_status frocc__sketch_observe(frocc__sketch *sketch, const float *values, size_t n_rows) {
    if (n_rows == 0)
        return FROCC_OK;
    FROCC_TRY(frocc__sketch_reserve(sketch, n_rows));
    float *sorted = frocc__alloc(n_rows, FROCC_BLOCK * sizeof(float));
    frocc__interval *points = frocc__alloc(n_rows, sizeof(frocc__interval));
    frocc__interval *merged =
        frocc__alloc(frocc__sketch_largest(sketch) + n_rows, sizeof(frocc__interval));
    bool made = sorted != NULL && points != NULL && merged != NULL;
    for (size_t s = 0; made && s < sketch->n_slots; s++) {
        frocc__sorted_points(values, n_rows, sketch->n_slots, s, sorted, points);
        frocc__slot_merge(sketch, s, points, n_rows, merged);
    }
    frocc__free(sorted);
    frocc__free(points);
    frocc__free(merged);
    return made ? FROCC_OK : FROCC_ERR_MEMORY;
}
