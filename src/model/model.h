/* SPDX-License-Identifier: BSD-3-Clause */
/* The model: frame, what was learnt, and decision. Immutable, shared by reference count. */
#ifndef FROCC_MODEL_H
#define FROCC_MODEL_H

#include "evidence/evidence.h"
#include "frame/frame.h"
#include "model/calibrate.h"
#include "sketch/filter.h"
#include "sketch/interval_sketch.h"

/* How a model judges. */
typedef struct frocc__decision {
    frocc_score score;
    double threshold;
    double fpr;           /* above 0: by the p-value, in place of the threshold */
    double contamination; /* of the training rows, the share that may be anomalies */
} frocc__decision;

struct frocc_model {
    atomic_size_t references;
    frocc_frame *frame;
    frocc__decision decision;
    uint64_t n_rows;
    float epsilon;

    /* Agreement: the intervals, and what makes comparing with them fast. */
    frocc__sketch sketch;
    frocc__filter filter;

    /* Closeness: what it judges by, and how training rows score that are left out. */
    frocc__evidence evidence;
    frocc__calibration calibration;

    /* Closeness: the counts as bytes. A sealed model has them only as far as it judges by them, and
     * not the rows that calibrate. */
    unsigned char *counts;
    size_t counts_size;
    bool is_sealed;
    frocc__held held;
};

static inline bool frocc__model_counts(const frocc_model *model) {
    return model->decision.score == FROCC_SCORE_CLOSENESS;
}

/* Each takes over the sketch or the held rows, which are freed on failure, and a new reference to
 * the frame. */
frocc_status frocc__model_of_intervals(frocc_frame *frame, frocc__sketch *sketch,
                                       frocc__decision decision, frocc_model **model);
frocc_status frocc__model_of_counts(frocc_frame *frame, const frocc__counts *counts,
                                    uint64_t n_rows, float epsilon, frocc__held *held,
                                    frocc__decision decision, frocc_model **model);

/* A model with the frame and nothing else, to be filled in; freeing it is fine at any time. */
frocc_status frocc__model_new(frocc_frame *frame, frocc__decision decision, frocc_model **model);

/* Makes what agreement is told by fast, from the sketch; and what closeness judges by, from the
 * bytes of its counts. */
frocc_status frocc__model_index(frocc_model *model);

frocc_model *frocc__model_retain(frocc_model *model);

/* The intervals of a direction: its own or, with closeness, the values that cost nothing, which are
 * written to scratch, with room for FROCC_MOST_CELLS. */
const frocc__interval *frocc__model_list(const frocc_model *model, size_t direction,
                                         frocc__interval *scratch, size_t *count);

#endif
