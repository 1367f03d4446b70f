/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Observing: tiles of projections enter a sketch of intervals. Nearly every value lies in the
 * widest interval of its direction, where it changes nothing; what does not is looked up, and
 * merged in if it is new.
 */
#ifndef FROCC_OBSERVE_H
#define FROCC_OBSERVE_H

#include "project/macro_tile.h"
#include "sketch/filter.h"
#include "sketch/interval_sketch.h"

typedef struct frocc__observer {
    frocc__sketch sketch;
    frocc__filter filter;
    size_t scratch_size;
    frocc__interval *scratch; /* for merging */
    uint32_t *wasted; /* per slot searches since its filter was noted that found nothing new */
    /* Per slot how many runs wait behind its list, and where in the slot each begins; NULL where
     * no list is ever long. */
    uint8_t *n_runs;
    uint32_t *run_begins;
} frocc__observer;

frocc_status frocc__observer_new(size_t n_slots, float epsilon, const frocc__kernels *kernels,
                                 frocc__observer *observer);
void frocc__observer_free(frocc__observer *observer);

/* Bytes per slot for the runs. */
size_t frocc__memory_of_runs(float epsilon);

/* Room for n_rows more rows, or for the merge of a sketch with so many intervals in a slot: then
 * neither can fail. */
frocc_status frocc__observer_reserve(frocc__observer *observer, size_t n_rows);

/* Takes in the values of a tile. False when one is NaN, which only a custom kernel can give. */
bool frocc__observe(frocc__observer *observer, const frocc__tile *tile);

void frocc__observer_merge(frocc__observer *into, const frocc__observer *from);

/* No runs wait any more: every slot of the sketch is one list, as its readers expect. */
void frocc__observer_settle(frocc__observer *observer);

/* Takes over a sketch of as many slots and the same epsilon, in place of one without values. */
void frocc__observer_take(frocc__observer *observer, frocc__sketch *sketch);

#endif
