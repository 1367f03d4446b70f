/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_SCORE_H
#define FROCC_SCORE_H

#include "evidence/left_out.h"
#include "model/model.h"
#include "project/drive.h"

struct frocc_scorer {
    frocc_model *model;
    int threads;
    frocc__worker *workers; /* one per thread */
    uint32_t *counts;       /* grown to the most rows of a call */
    size_t counts_capacity;
    frocc__left_out left_out; /* made when it is first asked for, */
    uint64_t *met;            /* as this: how often rows that calibrate have been met */
};

/* Drives rows through the scorer's frame to a sink. */
frocc_status frocc__scorer_run(frocc_scorer *scorer, const frocc_rows *rows,
                               const frocc__sink *sink);

/* FROCC_ERR_UNSUPPORTED for what only models of agreement can do. */
frocc_status frocc__refuse_closeness(const frocc_model *model, const char *what);

/* What a direction takes from the model's score of a value; with agreement 1 where it rejects. */
uint32_t frocc__direction_cost(const frocc_model *model, size_t direction, float value);

#endif
