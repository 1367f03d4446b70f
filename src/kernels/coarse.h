/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coarse projections. A value well inside the widest interval of its direction changes no sketch
 * and no count, so nobody needs its bits: it is enough to be sure that it is there. Rows and
 * directions rounded to 8 significant bits (bfloat16) tell that for nearly all values, and some
 * CPUs multiply such numbers many times as fast. Only rows for which they do not are projected.
 *
 * Write x~ and w~ for the rounded row and direction. Then
 *
 *     w x = w~ x~  +  w (x - x~)  +  (w - w~) x~
 *
 * so that by Cauchy and Schwarz a coarse projection is off by at most
 *
 *     |w| |x - x~|  +  |w - w~| |x~|  +  the rounding of both sums of products,
 *
 * and n products summed in float32, in any order, are off by at most n 2^-24 |x| |w| and a little.
 * Every length here is the one measured, not the largest that rounding allows, plus what measuring
 * it in float32 may have missed.
 */
#ifndef FROCC_COARSE_H
#define FROCC_COARSE_H

#include "kernels/kernels.h"

/* Directions of a frame; none when w is NULL. */
struct frocc__coarse {
    size_t n_features;
    uint16_t *w; /* blocks, two by two, features padded with zeros */
    /* Per block: a projection is off by at most of_lost * |x - x~| + of_length * |x~|. */
    float *of_lost, *of_length;
};

/* Numbers that n_features values of one row or direction take. */
size_t frocc__coarse_size(size_t n_features);

/* From dense directions, n_blocks of them in blocks. */
frocc_status frocc__coarse_new(const frocc__kernels *kernels, const float *w, size_t n_features,
                               size_t n_blocks, int threads, frocc__coarse *coarse);
void frocc__coarse_free(frocc__coarse *coarse);

#endif
