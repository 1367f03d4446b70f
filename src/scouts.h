/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scouts. The order of rows changes no sketch, but it changes how often intervals have to grow: a
 * row far from the middle tends to be near the end of one, whatever the direction. Where such rows
 * come first, few later ones bring anything new.
 */
#ifndef FROCC_SCOUTS_H
#define FROCC_SCOUTS_H

#include "stripe.h"

/* Room to find them in; none where they are not worth it. */
typedef struct frocc__scouts {
    float *middle;   /* of the first panel, which tells it well enough */
    float *distance; /* per row of a stripe from there, squared */
    float *most;     /* per panel, the largest of them */
} frocc__scouts;

frocc_status frocc__scouts_new(const frocc_frame *frame, frocc__scouts *scouts);
void frocc__scouts_free(frocc__scouts *scouts);

/* Lets the rows of a packed stripe that are furthest out change places with those of its first
 * panel, unless it is too short for that. */
void frocc__scouts_send(const frocc_frame *frame, const frocc__scouts *scouts,
                        frocc__stripe *stripe, int team);

#endif
