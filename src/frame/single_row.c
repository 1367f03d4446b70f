/* SPDX-License-Identifier: BSD-3-Clause */
/* One row on some blocks of directions, whatever the family and the kernel function. */
#include "frame/single_row.h"

#include <math.h>

#include "base/memory.h"
#include "base/status.h"
#include "frame/whole_rows.h"

double frocc__square_norm(const float *values, size_t count) {
    double sum = 0.0;
    for (size_t j = 0; j < count; j++)
        sum = fma((double)values[j], (double)values[j], sum);
    return sum;
}

float frocc__custom_value(const frocc_frame *frame, const float *row, size_t direction) {
    float value =
        frame->kernel_fn(frame->kernel_context, row, frame->w_rows + direction * frame->n_features,
                         frame->n_features);
    if (value > FLT_MAX)
        return FLT_MAX;
    return value < -FLT_MAX ? -FLT_MAX : value;
}

bool frocc__can_skip_zeros(const frocc_frame *frame, const frocc_rows *rows) {
    return rows->row_start != NULL && frame->zero_stays_zero && frame->dense_step == 1 &&
           !frocc__keeps_rows(frame);
}

bool frocc__prepare_one(const frocc_frame *frame, const frocc_rows *rows, size_t r, float *scratch,
                        frocc__prepared *out) {
    frocc__row row = frocc__rows_at(rows, r);
    bool sparse = frocc__can_skip_zeros(frame, rows);
    const float *values = scratch;
    if (!sparse)
        values = frocc__frame_row(frame, rows, r, scratch);
    else if (!frocc__frame_prepare_sparse(frame, rows, &row, scratch))
        values = NULL;
    if (values == NULL)
        return false;
    *out = (frocc__prepared){values, sparse ? row.columns : NULL,
                             sparse ? row.count : frame->n_features, 0.0};
    if (frame->transform.kernel == FROCC_KERNEL_RBF)
        out->norm = frocc__square_norm(values, out->count);
    return true;
}

void frocc__project_one(const frocc_frame *frame, const frocc__prepared *row, size_t first_block,
                        size_t n_blocks, float *work, float *out) {
    size_t first = first_block * FROCC_BLOCK;
    if (frocc__keeps_rows(frame)) {
        size_t last = FROCC_MIN(first + n_blocks * FROCC_BLOCK, frame->n_directions);
        for (size_t i = first; i < last; i++)
            out[i] = frocc__custom_value(frame, row->values, i);
        return;
    }
    if (frocc__takes_whole_rows(frame))
        frocc__project_whole_row(frame, row->values, first_block, n_blocks, work, out);
    else
        frame->kernels->project_row(row->values, row->columns, row->count,
                                    frame->w + first * frame->n_features, frame->n_features,
                                    n_blocks, out + first);
    if (frame->transform.kernel == FROCC_KERNEL_LINEAR)
        return;
    for (size_t b = first_block; b < first_block + n_blocks; b++) {
        double norms[FROCC_BLOCK];
        for (size_t c = 0; c < FROCC_BLOCK && frame->w_norms != NULL; c++)
            norms[c] = row->norm + frame->w_norms[b * FROCC_BLOCK + c];
        frame->kernels->transform(&frame->transform, norms, out + b * FROCC_BLOCK, FROCC_BLOCK);
    }
}

frocc_status frocc__project_rows(const frocc_frame *frame, const float *from, size_t n_rows,
                                 float *to) {
    const size_t d = frame->n_features, m = frame->n_directions;
    float *work = frocc__alloc(frocc__whole_row_work(frame), sizeof(float));
    float *line = frocc__alloc(frame->n_blocks * FROCC_BLOCK, sizeof(float));
    const bool made = work != NULL && line != NULL;
    bool usable = true;
    for (size_t i = 0; made && i < n_rows; i++) {
        frocc__prepared row = {from + i * d, NULL, d, 0.0};
        if (frame->transform.kernel == FROCC_KERNEL_RBF)
            row.norm = frocc__square_norm(row.values, d);
        frocc__project_one(frame, &row, 0, frame->n_blocks, work, line);
        for (size_t k = 0; k < m; k++) {
            to[i * m + k] = line[k] + 0.0f;
            usable &= !isnan(line[k]);
        }
    }
    frocc__free(work);
    frocc__free(line);
    if (!made)
        return FROCC_ERR_MEMORY;
    return usable ? FROCC_OK : frocc__fail(FROCC_ERR_CALLBACK, "the custom kernel returned NaN");
}
