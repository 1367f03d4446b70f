/* SPDX-License-Identifier: BSD-3-Clause */
/* How a frame prepares a row: shift, scale, and for the asinh scaling asinh and a second scale. */
#include <math.h>
#include <string.h>

#include "frame/frame.h"

static inline float scaled(const frocc_frame *frame, double value, size_t column) {
    if (frame->shift == NULL)
        return (float)value;
    return (float)((value - frame->shift[column]) / frame->scale[column]);
}

static void scale_dense(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                        float *out) {
    const size_t n = frame->columns.n_inputs, size = frocc__value_size(rows);
    const void *values = (const char *)rows->values + first * size;
    if (frame->shift != NULL)
        frame->kernels->scale(values, rows->dtype, frame->shift, frame->scale, n, out);
    else if (rows->dtype == FROCC_F32)
        memcpy(out, values, n * sizeof(float));
    else
        for (size_t j = 0; j < n; j++)
            out[j] = (float)((const double *)values)[j];
}

/* What is not named is zero, and where zero stays zero need not be looked at. */
static void scale_sparse(const frocc_frame *frame, const frocc_rows *rows, const frocc__row *row,
                         float *out) {
    if (frame->zero_stays_zero) {
        memset(out, 0, frame->columns.n_inputs * sizeof(float));
    } else {
        FROCC_OMP(simd)
        for (size_t j = 0; j < frame->columns.n_inputs; j++)
            out[j] = scaled(frame, 0.0, j);
    }
    for (size_t e = 0; e < row->count; e++) {
        size_t j = (size_t)row->columns[e];
        out[j] = scaled(frame, frocc__rows_entry(rows, row->first + e), j);
    }
}

/* Whether the values are numbers of a usable size; one that is rounded to more than that is not. */
static bool values_are_usable(const frocc_rows *rows, const frocc__row *row) {
    bool usable = true;
    for (size_t i = 0; i < row->count; i++)
        usable &= fabsf((float)frocc__rows_entry(rows, row->first + i)) <= FROCC_LARGEST_VALUE;
    return usable;
}

bool frocc__row_is_plain(const frocc_frame *frame, const frocc_rows *rows, size_t r) {
    const frocc__row row = frocc__rows_at(rows, r);
    if (rows->row_start != NULL && !frocc__row_is_valid(&row, frame->columns.n_inputs))
        return false;
    return values_are_usable(rows, &row);
}

/*
 * A column that hardly varies in the sample can scale an ordinary value beyond all bounds. Such a
 * value counts as the largest there is. False where one was not usable before it was scaled.
 */
static bool saturate(const frocc_rows *rows, const frocc__row *row, size_t count, float *out) {
    if (!values_are_usable(rows, row))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(out[i]) <= FROCC_LARGEST_VALUE))
            out[i] = copysignf(FROCC_LARGEST_VALUE, out[i]);
    return true;
}

/* Shortens long tails. While the frame learns the second scaling, it has none yet. */
static void apply_asinh(const frocc_frame *frame, float *values) {
    frame->kernels->asinh_values(values, frame->columns.n_inputs);
    if (frame->asinh_shift != NULL)
        frame->kernels->scale(values, FROCC_F32, frame->asinh_shift, frame->asinh_scale,
                              frame->columns.n_inputs, values);
}

/* Where nothing looks at codes, they are 0. */
static void set_codes(const frocc_frame *frame, const frocc_rows *rows, size_t r, float *out) {
    frocc__columns_prepare(&frame->columns, rows, r, out);
    for (size_t k = 0; k < frame->columns.n_codes && !frocc__judges_codes(frame); k++)
        out[frame->columns.known[k].feature] = 0.0f;
}

bool frocc__frame_prepare(const frocc_frame *frame, const frocc_rows *rows, size_t r, float *out) {
    frocc__row row = frocc__rows_at(rows, r);
    if (rows->row_start == NULL) {
        scale_dense(frame, rows, row.first, out);
    } else {
        if (!frocc__row_is_valid(&row, frame->columns.n_inputs))
            return false;
        scale_sparse(frame, rows, &row, out);
    }
    const size_t n = frame->columns.n_inputs;
    bool usable = frame->kernels->all_usable(out, n);
    if (!usable && frame->shift != NULL)
        usable = saturate(rows, &row, n, out);
    if (usable && frame->scaling == FROCC_SCALING_ASINH)
        apply_asinh(frame, out);
    if (usable && frame->columns.n_codes > 0)
        set_codes(frame, rows, r, out);
    return usable;
}

const float *frocc__frame_row(const frocc_frame *frame, const frocc_rows *rows, size_t r,
                              float *scratch) {
    bool is_ready = rows->dtype == FROCC_F32 && rows->row_start == NULL && frame->shift == NULL &&
                    frame->columns.n_codes == 0;
    if (!is_ready)
        return frocc__frame_prepare(frame, rows, r, scratch) ? scratch : NULL;
    const float *values = (const float *)rows->values + frocc__rows_at(rows, r).first;
    return frame->kernels->all_usable(values, frame->n_features) ? values : NULL;
}

bool frocc__frame_prepare_sparse(const frocc_frame *frame, const frocc_rows *rows,
                                 const frocc__row *row, float *out) {
    if (!frocc__row_is_valid(row, frame->columns.n_inputs))
        return false;
    for (size_t i = 0; i < row->count; i++)
        out[i] = scaled(frame, frocc__rows_entry(rows, row->first + i), (size_t)row->columns[i]);
    if (frame->kernels->all_usable(out, row->count))
        return true;
    return frame->shift != NULL && saturate(rows, row, row->count, out);
}
