/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_DIRECTIONS_H
#define FROCC_DIRECTIONS_H

#include "frame.h"
#include "learn.h"

/* Wider rows are not whitened: the covariance would cost more than it tells. */
#define FROCC_MOST_WHITENED 2048

/* Whether a direction depends on the sample's covariance, so that a file must hold it. */
bool frocc__is_whitened(const frocc_frame *frame, size_t direction);
bool frocc__has_whitened(const frocc_frame *frame);

/* Fills frame->w. whitening is NULL where nothing is whitened, or where those directions are set
 * afterwards. */
frocc_status frocc__directions_draw(const frocc_frame *frame, const frocc__whitening *whitening,
                                    int threads);
void frocc__directions_set(const frocc_frame *frame, size_t direction, const float *values);

#endif
