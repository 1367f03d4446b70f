/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structured directions: a row, padded with zeros to a power of two, goes three times through
 * random signs and the fast Walsh-Hadamard transform. Each of the results is the projection on one
 * direction, at O(log d) additions instead of d multiply-adds. One such bundle has as many
 * directions as the padded row has features, orthogonal before the padding is cut off; more
 * directions take more bundles.
 */
#ifndef FROCC_HADAMARD_H
#define FROCC_HADAMARD_H

#include "kernels.h"

typedef struct frocc__bundles {
    size_t size;  /* features with the padding, a power of two */
    float *signs; /* per bundle three times size of them: +-2^-k, so that no sum can grow */
    float scale;  /* makes the directions unit vectors, on average exactly */
} frocc__bundles;

frocc_status frocc__bundles_new(size_t n_features, size_t n_directions, uint64_t seed,
                                frocc__bundles *bundles);
void frocc__bundles_free(frocc__bundles *bundles);

/* A row on all directions; work has room for size floats. */
void frocc__bundles_project(const frocc__bundles *bundles, const frocc__kernels *kernels,
                            const float *row, size_t n_features, size_t n_directions, float *work,
                            float *out);

/* A direction as floats; work has room for size doubles. */
void frocc__bundles_unpack(const frocc__bundles *bundles, size_t direction, size_t n_features,
                           double *work, float *out);

#endif
