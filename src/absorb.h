/* SPDX-License-Identifier: BSD-3-Clause */
/* Absorbing: a stripe of rows is packed, and then a sketch has it, by several threads. */
#ifndef FROCC_ABSORB_H
#define FROCC_ABSORB_H

#include <stdatomic.h>

#include "observe.h"

typedef struct frocc__absorber {
    const frocc_frame *frame;
    frocc__observer *observer;
    int threads;
    frocc__stripe stripe;      /* shared by the threads */
    frocc__desk *desks;        /* one per thread */
    atomic_size_t *next_block; /* per thread, of those that it begins with */
    frocc__fetching expected;  /* rows that are likely to come next */
} frocc__absorber;

frocc_status frocc__absorber_new(const frocc_frame *frame, frocc__observer *observer, int threads,
                                 frocc__absorber *absorber);
void frocc__absorber_free(frocc__absorber *absorber);

/* Packs the rows that the stripe is about. Returns the first unusable one, or SIZE_MAX. */
size_t frocc__absorb_pack(frocc__absorber *absorber, const frocc_rows *rows, int team);

/* Says that rows, count of them from first on as far as there are, are likely to come after those
 * of the stripe: the threads fetch them while they absorb. */
void frocc__absorber_expect(frocc__absorber *absorber, const frocc_rows *rows, size_t first,
                            size_t count);

/* Lets the sketch have them. False when a value is NaN, which only a custom kernel can give: then
 * the sketch has part of them. */
bool frocc__absorb(frocc__absorber *absorber, int team);

#endif
