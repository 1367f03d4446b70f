/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_SCORE_H
#define FROCC_SCORE_H

#include "model.h"

/* What a direction takes from the model's score of a value; with agreement 1 where it rejects. */
float frocc__direction_cost(const frocc_model *model, size_t direction, float value);

#endif
