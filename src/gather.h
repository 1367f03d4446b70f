/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gathering, the other way to absorb rows: threads share out the rows, each lets a sketch of its
 * own have them, and the sketches are merged. No row goes from core to core, and threads wait for
 * each other only at the end. But each sketch has to learn most of what is new, so this is for
 * later rows, which bring little: the threads' sketches begin as copies.
 */
#ifndef FROCC_GATHER_H
#define FROCC_GATHER_H

#include "absorb.h"

typedef struct frocc__gatherer {
    const frocc_frame *frame;
    frocc__observer *observer;
    int threads;
    frocc__channel *channels;   /* one per thread; not its own */
    struct frocc__fork *forks;  /* one per thread, made for the first rows that are gathered */
    float *known_lo, *known_hi; /* per slot, what widest intervals of forks hold together */
    atomic_flag known_is_taken; /* a thread is at it */
    bool gave_up;               /* a row was unusable: those that are left go the other way */
} frocc__gatherer;

/* Whether rows will ever be gathered in this frame by so many threads. */
bool frocc__gathers(const frocc_frame *frame, int threads);

/* Where they will be, all channels have stripes. */
frocc__gatherer frocc__gatherer_of(const frocc_frame *frame, frocc__observer *observer,
                                   frocc__channel *channels, int threads);
void frocc__gatherer_free(frocc__gatherer *gatherer);

/*
 * Lets the sketch have all rows from first on, and says how many. None when that is not worth it,
 * or when one of them is unusable: then, and on failure, the sketch is what it was.
 */
frocc_status frocc__gather(frocc__gatherer *gatherer, const frocc_rows *rows, size_t first,
                           int team, size_t *count);

#endif
