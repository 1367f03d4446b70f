/* SPDX-License-Identifier: BSD-3-Clause */
/* One row at a time: prepared, and projected on some blocks of directions. */
#ifndef FROCC_SINGLE_ROW_H
#define FROCC_SINGLE_ROW_H

#include "frame/frame.h"

/* One prepared row: all features, or the named ones of a sparse row. */
typedef struct frocc__prepared {
    const float *values;
    const int32_t *columns; /* NULL when dense */
    size_t count;
    double norm; /* |x|^2, for RBF only */
} frocc__prepared;

/* Custom kernels see rows, not panels. */
static inline bool frocc__keeps_rows(const frocc_frame *frame) {
    return frame->transform.kernel == FROCC_KERNEL_CUSTOM;
}

/* Whether the zeros of sparse rows can be skipped. */
bool frocc__can_skip_zeros(const frocc_frame *frame, const frocc_rows *rows);

double frocc__square_norm(const float *values, size_t count);
float frocc__custom_value(const frocc_frame *frame, const float *row, size_t direction);

/* Prepares row r in scratch, n_features floats, which the result points to. False when a value
 * cannot be used. */
bool frocc__prepare_one(const frocc_frame *frame, const frocc_rows *rows, size_t r, float *scratch,
                        frocc__prepared *out);

/* K(w, x) for the directions of some blocks: out[i] is direction i's. work is scratch of
 * frames that take whole rows. */
void frocc__project_one(const frocc_frame *frame, const frocc__prepared *row, size_t first_block,
                        size_t n_blocks, float *work, float *out);

/* The same for prepared rows and all directions: from is n_features numbers a row, to n_directions.
 * No -0 is left: equal models must be equal bytes. */
frocc_status frocc__project_rows(const frocc_frame *frame, const float *from, size_t n_rows,
                                 float *to);

#endif
