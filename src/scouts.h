/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scouts. The order of rows changes no sketch, but it changes how often intervals have to grow: a
 * row far from the middle tends to be near the end of one, whatever the direction. Where such rows
 * come first, few later ones bring anything new.
 */
#ifndef FROCC_SCOUTS_H
#define FROCC_SCOUTS_H

#include "stripe.h"

/* Lets the rows of a packed stripe that are furthest out change places with those of its first
 * panel. Does nothing where that is not worth it, or where there is no memory to find them. */
void frocc__send_scouts(const frocc_frame *frame, frocc__stripe *stripe, int team);

#endif
