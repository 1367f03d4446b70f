/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scouts. The order of rows changes no sketch, but it changes how often intervals have to grow: a
 * row far from the middle tends to be near the end of one, whatever the direction. Where such rows
 * come first, few later ones bring anything new. With a small epsilon, rows in groups that lie
 * apart fill several intervals: then far is far from the middle of each group.
 */
#ifndef FROCC_SCOUTS_H
#define FROCC_SCOUTS_H

#include "stripe.h"

/* Room to find them in; none where they are not worth it. */
typedef struct frocc__scouts {
    size_t n_panels;  /* that they fill */
    size_t n_centres; /* middles of groups; none where there is one middle */
    float *middle;    /* of the first panel, which tells it well enough */
    float *centres;   /* from the middle on, in blocks like directions */
    float *offsets;   /* per centre, what to take from a row's product with it */
    float *sums;      /* per centre, of its rows */
    float *distance;  /* per row of a stripe, squared */
    uint8_t *nearest; /* and from which centre; n_centres for the middle */
    float *most;      /* per panel, the largest of them */
} frocc__scouts;

/* For a sketch that begins with so many panels at once. */
frocc_status frocc__scouts_new(const frocc_frame *frame, size_t first_panels,
                               frocc__scouts *scouts);
void frocc__scouts_free(frocc__scouts *scouts);

/* Lets the rows of a packed stripe that are furthest out change places with its first ones, unless
 * it is too short for that. */
void frocc__scouts_send(const frocc_frame *frame, const frocc__scouts *scouts,
                        frocc__stripe *stripe, int team);

#endif
