/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Observing: tiles of projections enter a sketch. Nearly every value lies in the widest interval of
 * its direction, where it changes nothing; what does not is collected and merged in.
 */
#ifndef FROCC_OBSERVE_H
#define FROCC_OBSERVE_H

#include "filter.h"
#include "flow.h"
#include "sketch.h"

typedef struct frocc__observer {
    frocc__sketch sketch;
    frocc__filter filter;
    float *pending; /* per slot values not yet merged */
    uint32_t *n_pending;
    size_t scratch_size;      /* intervals per thread */
    frocc__interval *scratch; /* for merging, one part per thread */
    float *bulk;              /* the first values of a block, one part per thread */
    int threads;
} frocc__observer;

frocc_status frocc__observer_new(size_t n_slots, float epsilon, int threads,
                                 frocc__observer *observer);
void frocc__observer_free(frocc__observer *observer);

/* Room for n_rows more rows: the two functions below then cannot fail. */
frocc_status frocc__observer_reserve(frocc__observer *observer, size_t n_rows);

/*
 * How many of the first panels of a block that is still empty go in by frocc__observe_first: sorted
 * at once, which costs far less than one by one while nearly every value is new.
 */
size_t frocc__observe_first_panels(const frocc__observer *observer, size_t block, size_t n_panels);

/* Collects a tile of the first panels, then observes what was collected. False when a value is
 * NaN, which only a custom kernel can give. */
void frocc__collect_first(frocc__observer *observer, const frocc__tile *tile, size_t panel,
                          size_t thread);
bool frocc__observe_first(frocc__observer *observer, const frocc__kernels *kernels, size_t block,
                          size_t n_rows, size_t thread);

/* Takes in the values of a tile. Slots of different blocks may be observed at the same time. False
 * when a value is NaN. */
bool frocc__observe(frocc__observer *observer, const frocc__kernels *kernels,
                    const frocc__tile *tile, size_t thread);

/* Merges what is pending in the slots of a block; with refresh, brings their filters up to date. */
void frocc__observer_flush(frocc__observer *observer, size_t block, bool refresh, size_t thread);

/* To be called after the sketch itself was changed by a merge. */
void frocc__observer_refresh(frocc__observer *observer);

#endif
