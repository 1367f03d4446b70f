/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kinds.h - small models and fitters of every kind, as bytes: with and without calibration, trees,
 * extremes, rows kept as projections or as they are. They are fitted when they are asked for, so
 * they have the format of the day. All are of 3 columns.
 */
#ifndef FROCC_TESTS_KINDS_H
#define FROCC_TESTS_KINDS_H

#include <stdbool.h>

#include "frocc.h"

#define KINDS 96
#define KIND_FEATURES 3
#define KIND_ROWS 40

static inline float first_difference(void *context, const float *row, const float *direction,
                                     size_t d) {
    (void)context;
    (void)d;
    return row[0] - direction[0];
}

/* A number below n that follows from the kind and a counter. */
static inline unsigned kind_choice(unsigned *state, unsigned n) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % n;
}

static inline void kind_params(unsigned *state, frocc_params *p) {
    static const frocc_scaling scalings[] = {FROCC_SCALING_NONE, FROCC_SCALING_ASINH,
                                             FROCC_SCALING_ASINH, FROCC_SCALING_STANDARD};
    static const size_t directions[] = {2, 3, 6, 6};
    frocc_params_init_paper(p);
    p->seed = kind_choice(state, 2);
    p->n_directions = directions[kind_choice(state, 4)];
    p->scaling = scalings[kind_choice(state, 4)];
    p->kernel = kind_choice(state, 8) == 0 ? FROCC_KERNEL_CUSTOM : FROCC_KERNEL_LINEAR;
    p->kernel_fn = first_difference;
    p->family = kind_choice(state, 2) ? FROCC_FAMILY_GAUSSIAN : FROCC_FAMILY_MIXED;
    p->epsilon = kind_choice(state, 2) ? 0.0625f : 0.125f;
    p->threads = 1;
    if (kind_choice(state, 5) == 0)
        return;
    p->score = FROCC_SCORE_CLOSENESS;
    p->n_trees = 2 * kind_choice(state, 2);
    p->calibration_rows = kind_choice(state, 4) ? 12 : 0;
    p->fpr = p->calibration_rows > 0 && kind_choice(state, 2) ? 0.1 : 0.0;
    p->contamination = kind_choice(state, 3) ? 0.0 : 0.2;
}

static inline void kind_rows(unsigned *state, float *values, size_t n) {
    for (size_t i = 0; i < n * KIND_FEATURES; i++)
        values[i] = (float)kind_choice(state, 64) / 8 - 4;
}

static inline frocc_status kind_save(const frocc_model *model, bool is_sealed, void **bytes,
                                     size_t *size) {
    frocc_model *sealed = NULL;
    if (!is_sealed)
        return frocc_model_to_bytes(model, bytes, size);
    frocc_status status = frocc_model_seal(model, &sealed);
    if (status == FROCC_OK)
        status = frocc_model_to_bytes(sealed, bytes, size);
    frocc_model_free(sealed);
    return status;
}

static inline frocc_status kind_save_fitter(const frocc_model *model, const frocc_rows *rows,
                                            void **bytes, size_t *size) {
    frocc_fitter *fitter = NULL;
    frocc_status status = frocc_fitter_like(model, 1, &fitter);
    if (status == FROCC_OK)
        status = frocc_fitter_add(fitter, rows);
    if (status == FROCC_OK)
        status = frocc_fitter_to_bytes(fitter, bytes, size);
    frocc_fitter_free(fitter);
    return status;
}

/* frocc_bytes_free the bytes. */
static inline frocc_status kind_bytes(unsigned kind, bool is_fitter, void **bytes, size_t *size) {
    float values[KIND_ROWS * KIND_FEATURES];
    frocc_params params;
    frocc_model *model = NULL;
    unsigned state = kind * 7919u + 17u;
    kind_params(&state, &params);
    const bool is_sealed = params.score == FROCC_SCORE_CLOSENESS && kind_choice(&state, 5) == 0;
    const size_t n = 1 + kind_choice(&state, KIND_ROWS);
    kind_rows(&state, values, n);
    const frocc_rows rows = frocc_rows_f32(values, n, KIND_FEATURES);
    frocc_status status = frocc_fit(&params, &rows, &model);
    if (status == FROCC_OK)
        status = is_fitter ? kind_save_fitter(model, &rows, bytes, size)
                           : kind_save(model, is_sealed, bytes, size);
    frocc_model_free(model);
    return status;
}

#endif
