/* SPDX-License-Identifier: BSD-3-Clause */
/* The model: frame, sketch and decision. Immutable, shared by reference count. */
#ifndef FROCC_MODEL_H
#define FROCC_MODEL_H

#include "bins.h"
#include "filter.h"
#include "frame.h"
#include "sketch.h"

/* How a model judges. */
typedef struct frocc__decision {
    frocc_score score;
    double threshold;
} frocc__decision;

struct frocc_model {
    atomic_size_t references;
    frocc_frame *frame;
    frocc__decision decision;
    frocc__sketch sketch; /* no slots in a compact model */
    frocc__bins bins;     /* only in a compact model */
    frocc__filter filter; /* of the sketch, for fast scoring */
    float *gap_cost; /* closeness only: what the gap after each interval takes from the score */
};

/* Takes over sketch and bins (one of them empty) and a new reference to the frame; on failure they
 * are freed. */
frocc_status frocc__model_new(frocc_frame *frame, frocc__sketch *sketch, frocc__bins *bins,
                              frocc__decision decision, frocc_model **model);

frocc_model *frocc__model_share(frocc_model *model);

static inline bool frocc__model_is_compact(const frocc_model *model) {
    return model->bins.n_slots > 0;
}

/* The size of the model's file, and the checksum of the section with its intervals or bins. */
frocc_status frocc__model_measure(const frocc_model *model, uint64_t *file_size,
                                  uint64_t *sketch_checksum);

#endif
