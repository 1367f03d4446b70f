/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sketch: per direction (slot), the intervals its projections fill. Slots know nothing of what
 * they stand for, so that a finer coordinate than a direction only means more slots.
 */
#ifndef FROCC_INTERVAL_SKETCH_H
#define FROCC_INTERVAL_SKETCH_H

#include "base/bytes.h"
#include "kernels/interval.h"

typedef struct frocc__sketch {
    size_t n_slots;
    float epsilon;
    uint64_t n_rows;
    size_t stride; /* room per slot in the arena while fitting; 0 when packed tightly */
    size_t *start; /* where a slot begins in the arena */
    uint32_t *count;
    frocc__interval *arena;
} frocc__sketch;

/* An empty sketch. Freeing one that is all zero, or half made, is fine. */
frocc_status frocc__sketch_new(size_t n_slots, float epsilon, frocc__sketch *sketch);
void frocc__sketch_free(frocc__sketch *sketch);

static inline frocc__interval *frocc__slot(const frocc__sketch *sketch, size_t slot) {
    return sketch->arena == NULL ? NULL : sketch->arena + sketch->start[slot];
}

/* A list that has more intervals is long: while rows come, new ones wait behind it (observe.c). */
#define FROCC_LONG_LIST 256

/* The most intervals that a slot will ever have, with room for some that wait; or SIZE_MAX: if a
 * file has more already. */
size_t frocc__sketch_bound(const frocc__sketch *sketch);

/* Room in every slot for extra more intervals, or for as many as there can ever be. */
frocc_status frocc__sketch_reserve(frocc__sketch *sketch, size_t extra);

/* Adds the intervals of from, a sketch of as many slots and the same epsilon. */
frocc_status frocc__sketch_merge(frocc__sketch *into, const frocc__sketch *from);

/* Merges a list into a slot that has room for the result; merged has room for both. */
void frocc__slot_merge(frocc__sketch *into, size_t slot, const frocc__interval *list, size_t count,
                       frocc__interval *merged);

/* A tight copy of the first n_slots slots, joined again at a larger (or the same) epsilon. */
frocc_status frocc__sketch_copy(const frocc__sketch *sketch, size_t n_slots, float epsilon,
                                frocc__sketch *copy);

uint64_t frocc__sketch_intervals(const frocc__sketch *sketch);
size_t frocc__sketch_largest(const frocc__sketch *sketch); /* intervals in the fullest slot */

/* As a section of the model file. The reader accepts only what a fit can produce. */
void frocc__sketch_write(const frocc__sketch *sketch, frocc__bytes_out *out);
frocc_status frocc__sketch_read(frocc__bytes_in *in, size_t n_slots, frocc__sketch *sketch);

#endif
