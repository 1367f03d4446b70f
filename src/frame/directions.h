/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_DIRECTIONS_H
#define FROCC_DIRECTIONS_H

#include "frame/frame.h"
#include "frame/learn.h"

/* Longer rows are not whitened: the covariance would cost more than it tells. */
#define FROCC_MOST_WHITENED 2048

/* Whether a direction depends on the sample's covariance. */
bool frocc__is_whitened(const frocc_frame *frame, size_t direction);
bool frocc__has_whitened(const frocc_frame *frame);

/* Of so many features each is a direction of the family mixed by itself. */
#define FROCC_MOST_SINGLES 64
bool frocc__is_single(const frocc_frame *frame, size_t direction);

/* The directions that trees split by and leaves look at, in fresh memory: all but single features,
 * of the first 65,536, or all where there are no others. */
frocc_status frocc__directions_for_trees(const frocc_frame *frame, size_t n_directions,
                                         uint32_t **listed, size_t *n_listed);

/* Whether a direction cannot be drawn again from the seed, so that a file must hold it. */
bool frocc__is_stored(const frocc_frame *frame, size_t direction);

/*
 * Makes the directions of a frame that has none yet. known holds those that are stored, one after
 * another, or is NULL; whitening is NULL where nothing is whitened or all of that is known.
 */
frocc_status frocc__directions_make(frocc_frame *frame, const frocc__whitening *whitening,
                                    const float *known, int threads);

/* Directions as rows of n_features floats. */
frocc_status frocc__directions_unpack(const frocc_frame *frame, size_t first, size_t count,
                                      float *out);

/* The rule of FROCC_FAMILY_AUTO: the fewest operations; density is that of sparse directions, or 0
 * where those are not wanted. */
frocc_family frocc__choose_family(size_t n_features, size_t n_directions, double density);

/* How many features a sparse direction is over; a density of 0 stands for 1 / sqrt(n_features). */
uint32_t frocc__features_of_density(size_t n_features, double density);

#endif
