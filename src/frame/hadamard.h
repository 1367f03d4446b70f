/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structured directions: a row, padded with zeros to whole segments of a power of two, goes three
 * times through random signs and the fast Walsh-Hadamard transform of its segments. The segments of
 * the first and the third round are features next to each other; those of the second are made of
 * every n_segments-th run of FROCC_RUN features, so that each of its segments takes from all
 * segments of the first round, and each of the third from all of the second. Each of the results is
 * the projection on one direction, at O(log d) additions instead of d multiply-adds. One such
 * bundle has as many directions as the padded row has features, orthogonal before the padding is
 * cut off; more directions take more bundles.
 */
#ifndef FROCC_HADAMARD_H
#define FROCC_HADAMARD_H

#include "kernels/kernels.h"

typedef struct frocc__bundles {
    size_t size;  /* features with the padding */
    size_t work;  /* floats that projecting a row needs room for */
    float *signs; /* per bundle three times size of them: +-2^-k, so that no sum can grow */
    frocc__scrambling how; /* its scale makes the directions unit vectors, on average exactly */
} frocc__bundles;

/* The segments of a row, without the scale. */
frocc__scrambling frocc__scrambling_of(size_t n_features);

frocc_status frocc__bundles_new(size_t n_features, size_t n_directions, uint64_t seed,
                                frocc__bundles *bundles);
void frocc__bundles_free(frocc__bundles *bundles);

/* A row on all directions. */
void frocc__bundles_project(const frocc__bundles *bundles, const frocc__kernels *kernels,
                            const float *row, size_t n_features, size_t n_directions, float *work,
                            float *out);

/* A direction as floats; work has room for size doubles. */
void frocc__bundles_unpack(const frocc__bundles *bundles, size_t direction, size_t n_features,
                           double *work, float *out);

#endif
