/* SPDX-License-Identifier: BSD-3-Clause */
/* closeness.h - what the oracle of closeness needs to know of a model and the rows behind it. */
#ifndef FROCC_TESTS_CLOSENESS_H
#define FROCC_TESTS_CLOSENESS_H

#include "laws.h"
#include "oracle.h"

/* Row by row: n x m. */
static inline float *projections_of(const frocc_model *model, const data *x) {
    frocc_frame *frame = frocc_model_frame(model);
    float *values = NEW(float, x->n *frocc_frame_directions(frame));
    frocc_rows rows = data_rows(x);

    check_ok(frocc_frame_project(frame, &rows, values));
    frocc_frame_free(frame);
    return values;
}

/* The rows of a model, as it sees them. The caller frees the values. */
static inline oracle_rows oracle_rows_of(const frocc_model *model, const data *x) {
    frocc_model_info info = describe(model);
    float *values = projections_of(model, x), *turned = NEW(float, x->n *info.n_directions);

    for (size_t r = 0; r < x->n; r++)
        for (size_t i = 0; i < info.n_directions; i++)
            turned[i * x->n + r] = values[r * info.n_directions + i];
    free(values);
    return (oracle_rows){x->n, info.n_directions, turned, info.epsilon};
}

#endif
