/* SPDX-License-Identifier: BSD-3-Clause */
/* Absorbing: a stripe of rows is packed, and then a sketch has it, by several threads. */
#ifndef FROCC_ABSORB_H
#define FROCC_ABSORB_H

#include <stdatomic.h>

#include "flow.h"
#include "observe.h"

typedef struct frocc__absorber {
    const frocc_frame *frame;
    frocc__observer *observer;
    frocc__channel *channels;  /* one per thread; not its own */
    frocc__stripe *stripe;     /* of the first one, shared by the threads */
    atomic_size_t *next_block; /* per thread, of those that it begins with */
} frocc__absorber;

frocc_status frocc__absorber_new(const frocc_frame *frame, frocc__observer *observer,
                                 frocc__channel *channels, int threads, frocc__absorber *absorber);
void frocc__absorber_free(frocc__absorber *absorber);

/* Packs the rows that the stripe is about. Returns the first unusable one, or SIZE_MAX. */
size_t frocc__absorb_pack(frocc__absorber *absorber, const frocc_rows *rows, int team);

/* Lets the sketch have them; the threads fetch what comes next meanwhile. False when a value is
 * NaN, which only a custom kernel can give: then the sketch has part of them. */
bool frocc__absorb(frocc__absorber *absorber, frocc__fetching next, int team);

#endif
