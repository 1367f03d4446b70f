/* SPDX-License-Identifier: BSD-3-Clause */
/* What a frame learns from its sample. */
#ifndef FROCC_LEARN_H
#define FROCC_LEARN_H

#include "frame/frame.h"
#include "frame/sample.h"

/* Shift and scale of every column: MINMAX by its range, ASINH as tails.h says, where is_log is set
 * for logarithms, otherwise mean and deviation. */
frocc_status frocc__learn_scaling(frocc_scaling scaling, const frocc__members *sample,
                                  double *shift, double *scale, uint8_t *is_log);

/* The rows of the sample as the frame, half made, prepares them so far: frocc__free them. */
frocc_status frocc__prepare_sample(const frocc_frame *frame, const frocc__members *sample,
                                   float **prepared);

/* Mean and deviation of the first columns of the prepared sample, one for each feature that comes,
 * which are then scaled by them; codes are not. */
void frocc__learn_again(const frocc_frame *frame, const frocc__members *sample, float *prepared,
                        double *shift, double *scale);

/*
 * Of prepared features, those that directions look at: numbers and indicators. Whitening: with the
 * shrunk covariance S = L L' of the prepared sample, a Gaussian direction g of the space in which S
 * is the identity is the direction w of the features with L' w = g.
 */
typedef struct frocc__whitening {
    size_t n_features;
    double *upper;      /* L', row by row; only j >= i is read */
    double *vectors;    /* scratch */
    size_t n_principal; /* directions of least variance, one after another */
    float *principal;
} frocc__whitening;

frocc_status frocc__whitening_new(const frocc_frame *frame, const frocc__members *sample,
                                  const float *prepared, frocc__whitening *whitening);
void frocc__whitening_free(frocc__whitening *whitening);

/* Whitens the directions of a block, and makes them unit vectors again. */
void frocc__whiten_block(const frocc__kernels *kernels, const frocc__whitening *whitening,
                         float *block);

#endif
