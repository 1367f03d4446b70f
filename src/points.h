/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_POINTS_H
#define FROCC_POINTS_H

#include "sketch.h"

/*
 * The values of one slot of rows given as their values, as a sorted list of single points. To be
 * called for slot 0, 1, ...: a whole block of slots is sorted at once, in sorted, which has room
 * for FROCC_BLOCK values a row.
 */
void frocc__sorted_points(const float *values, size_t n_rows, size_t n_slots, size_t slot,
                          float *sorted, frocc__interval *points);

/* Adds rows given as their values, n_slots of them a row. Does not count them in n_rows. */
frocc_status frocc__sketch_observe(frocc__sketch *sketch, const float *values, size_t n_rows);

#endif
