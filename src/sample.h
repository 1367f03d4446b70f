/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_SAMPLE_H
#define FROCC_SAMPLE_H

#include "base.h"

/* Learns shift and scale of n_features features from the sample, for STANDARD and MINMAX. */
frocc_status frocc__sample_scaling(const frocc_sample *sample, frocc_scaling scaling, double *shift,
                                   double *scale);

size_t frocc__sample_features(const frocc_sample *sample);

#endif
