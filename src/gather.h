/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering, the other way to absorb rows: threads share out the rows, and note which of their
 * values are new, while the sketch stays as it is; then they share out the slots, which take these
 * values in. No row goes from core to core, and threads seldom wait for each other. But what is new
 * is searched for twice, so this is for later rows, which bring little.
 */
#ifndef FROCC_GATHER_H
#define FROCC_GATHER_H

#include <stdatomic.h>

#include "flow.h"
#include "observe.h"

typedef struct frocc__gatherer {
    const frocc_frame *frame;
    frocc__observer *observer;
    int threads;
    frocc__channel *channels;  /* one per thread; not its own */
    frocc__findings *findings; /* per thread */
    uint32_t *found;           /* per slot, how many values */
    atomic_bool gave_up;
    size_t most_rows; /* for the next time */
    size_t pause;     /* how often it is not to be tried again */
} frocc__gatherer;

/* Whether rows will ever be gathered in this frame by so many threads. */
bool frocc__gathers(const frocc_frame *frame, int threads);

/* One that does nothing where they will not be. Where they will, all channels have stripes. */
frocc_status frocc__gatherer_new(const frocc_frame *frame, frocc__observer *observer,
                                 frocc__channel *channels, int threads, frocc__gatherer *gatherer);
void frocc__gatherer_free(frocc__gatherer *gatherer);

/*
 * Lets the sketch have some of the rows from first on, whole panels of them, and says how many.
 * None when that is not worth it, when there was too much to gather, or when one of them is
 * unusable: then, and on failure, the sketch is what it was.
 */
frocc_status frocc__gather(frocc__gatherer *gatherer, const frocc_rows *rows, size_t first,
                           int team, size_t *count);

#endif
