/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Observing: tiles of projections enter a sketch. Nearly every value lies in the widest interval of
 * its direction, where it changes nothing; what does not is looked up, and merged in if it is new.
 */
#ifndef FROCC_OBSERVE_H
#define FROCC_OBSERVE_H

#include "meeting.h"
#include "sketch.h"

typedef struct frocc__observer {
    frocc__sketch sketch;
    frocc__filter filter;
    size_t scratch_size;      /* intervals per thread */
    frocc__interval *scratch; /* for merging, one part per thread */
    uint32_t *wasted; /* per slot searches since its filter was noted that found nothing new */
    float *batch;     /* values of a block to be sorted, one part per thread; padding is 0 */
    int threads;
} frocc__observer;

frocc_status frocc__observer_new(size_t n_slots, float epsilon, const frocc__kernels *kernels,
                                 int threads, frocc__observer *observer);
void frocc__observer_free(frocc__observer *observer);

/* Room for n_rows more rows: the two functions below then cannot fail. */
frocc_status frocc__observer_reserve(frocc__observer *observer, size_t n_rows);

/*
 * Whether the next panels of a block go in as a batch: sorted at once, which costs less than one by
 * one while most values are new, above all for the first rows. new_values is what frocc__observe
 * said last.
 */
static inline bool frocc__wants_batch(const frocc__observer *observer, size_t block,
                                      size_t new_values) {
    return new_values > FROCC_TILE / 2 || observer->sketch.count[block * FROCC_BLOCK] == 0;
}

/* How many panels, of n_panels that are there. */
size_t frocc__batch_panels(const frocc__observer *observer, size_t block, size_t n_panels);

/* Collects the tile of one of its panels, then observes the batch. False when a value is NaN, which
 * only a custom kernel can give. */
void frocc__batch_collect(frocc__observer *observer, const frocc__tile *tile, size_t panel,
                          size_t thread);
bool frocc__batch_observe(frocc__observer *observer, size_t block, size_t n_rows, size_t thread);

/* Takes in the values of a tile, and says how many no filter knew. Slots of different blocks may be
 * observed at the same time. False when a value is NaN. */
bool frocc__observe(frocc__observer *observer, const frocc__tile *tile, size_t *new_values);

/* An observer for one thread that can be a copy of from, which has a bound: it never needs more
 * room, unless its thread flushes. */
frocc_status frocc__observer_like(const frocc__observer *from, frocc__observer *copy);
void frocc__observer_copy(const frocc__observer *from, frocc__observer *copy);

/* Merges a block of a copy that has gone on, back; there is room for all there can be. Filters are
 * out of date then, which is a loss of time only: refreshing makes those anew. */
void frocc__observer_join(frocc__observer *into, const frocc__observer *from, size_t block,
                          size_t thread);
void frocc__observer_refresh(frocc__observer *observer, size_t block);

/* Brings the filters of a block up to date; needed after its slots were changed by a merge. */
void frocc__observer_note(frocc__observer *observer, size_t block);

#endif
