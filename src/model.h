/* SPDX-License-Identifier: BSD-3-Clause */
/* The model: frame, sketch and decision. Immutable, shared by reference count. */
#ifndef FROCC_MODEL_H
#define FROCC_MODEL_H

#include "bins.h"
#include "calibrate.h"
#include "filter.h"
#include "frame.h"
#include "prices.h"
#include "sketch.h"

/* How a model judges. */
typedef struct frocc__decision {
    frocc_score score;
    double threshold;
    double fpr; /* above 0: by the p-value, in place of the threshold */
} frocc__decision;

/* What a model is made of: intervals, with the held rows that are not among them, or bins. */
typedef struct frocc__content {
    frocc__sketch sketch;
    frocc__held held;
    frocc__bins bins;
} frocc__content;

void frocc__content_free(frocc__content *content);

struct frocc_model {
    atomic_size_t references;
    frocc_frame *frame;
    frocc__decision decision;
    frocc__content content;
    frocc__sketch sketch; /* what it judges by: of all rows, held ones too, and with closeness at
                             an epsilon of its own; no slots in a compact model */
    frocc__calibration calibration;
    frocc__filter filter;     /* of the sketch, for fast scoring */
    frocc__price_book prices; /* of the sketch, with closeness only */
};

/* Takes over the content, which is freed on failure, and a new reference to the frame. */
frocc_status frocc__model_new(frocc_frame *frame, frocc__content *content, frocc__decision decision,
                              int threads, frocc_model **model);

frocc_model *frocc__model_share(frocc_model *model);

static inline bool frocc__model_is_compact(const frocc_model *model) {
    return model->content.bins.n_slots > 0;
}

/* The size of the model's file, and the checksum of the section with its intervals or bins. */
frocc_status frocc__model_measure(const frocc_model *model, uint64_t *file_size,
                                  uint64_t *sketch_checksum);

#endif
