/* SPDX-License-Identifier: BSD-3-Clause */
/* Projecting on structured directions, on lists of few features, and on dense ones between them. */
#include "frame/whole_rows.h"

#include <string.h>

#include "base/memory.h"

bool frocc__takes_whole_rows(const frocc_frame *frame) {
    return frame->dense_step != 1 && frame->transform.kernel != FROCC_KERNEL_CUSTOM;
}

size_t frocc__whole_row_work(const frocc_frame *frame) {
    return FROCC_MAX(frame->bundles.work,
                     FROCC_MAX((size_t)FROCC_TILE, frame->n_dense_blocks * FROCC_BLOCK));
}

bool frocc__has_lists(const frocc_frame *frame) {
    return frocc__takes_whole_rows(frame) && frame->bundles.size == 0;
}

void frocc__project_lists(const frocc_frame *frame, const float *x, size_t first_block,
                          size_t n_blocks, float *work, float *out, size_t stride) {
    const size_t first = first_block * FROCC_BLOCK;
    const size_t end = FROCC_MIN(first + n_blocks * FROCC_BLOCK, frame->n_directions);
    const size_t step = frame->dense_step;
    if (step > 0) { /* one dense block: its tile goes where the directions belong */
        const size_t block = first / step / FROCC_BLOCK;
        frame->kernels->project_panel(x, frame->w + block * FROCC_BLOCK * frame->n_features,
                                      frame->n_features, false, work);
        for (size_t i = 0; first + i < end; i += step)
            memcpy(out + i * stride, work + i / step * FROCC_PANEL, FROCC_PANEL * sizeof(float));
    }
    const frocc__lists *lists = &frame->lists;
    for (size_t i = first; i < end; i++) {
        const size_t entry = lists->start[i], count = lists->start[i + 1] - entry;
        if (count > 0)
            frame->kernels->project_panel_list(x, lists->features + entry, lists->weights + entry,
                                               count, out + (i - first) * stride);
    }
    for (size_t i = end - first; i < n_blocks * FROCC_BLOCK; i++)
        memset(out + i * stride, 0, FROCC_PANEL * sizeof(float));
}

void frocc__project_whole_row(const frocc_frame *frame, const float *row, size_t first_block,
                              size_t n_blocks, float *work, float *out) {
    if (frame->bundles.size > 0) { /* all at once */
        if (first_block == 0)
            frocc__bundles_project(&frame->bundles, frame->kernels, row, frame->n_features,
                                   frame->n_directions, work, out);
        return;
    }
    const size_t first = first_block * FROCC_BLOCK;
    const size_t end = FROCC_MIN(first + n_blocks * FROCC_BLOCK, frame->n_directions);
    if (frame->dense_step > 0) {
        size_t dense = (first + frame->dense_step - 1) / frame->dense_step / FROCC_BLOCK;
        size_t dense_end = (end + frame->dense_step - 1) / frame->dense_step;
        size_t blocks = (dense_end + FROCC_BLOCK - 1) / FROCC_BLOCK - dense;
        frame->kernels->project_row(row, NULL, frame->n_features,
                                    frame->w + dense * FROCC_BLOCK * frame->n_features,
                                    frame->n_features, blocks, work);
        for (size_t i = dense * FROCC_BLOCK; i < dense_end; i++)
            if (i * frame->dense_step >= first)
                out[i * frame->dense_step] = work[i - dense * FROCC_BLOCK];
    }
    frame->kernels->project_row_lists(row, frame->lists.start + first, frame->lists.features,
                                      frame->lists.weights, end - first, out + first);
}

frocc_status frocc__project_dots(const frocc_frame *frame, const float *row, float *dots) {
    if (frame->dense_step == 1) {
        frame->kernels->project_row(row, NULL, frame->n_features, frame->w, frame->n_features,
                                    frame->n_blocks, dots);
        return FROCC_OK;
    }
    float *work = frocc__alloc(frocc__whole_row_work(frame), sizeof(float));
    if (work == NULL)
        return FROCC_ERR_MEMORY;
    frocc__project_whole_row(frame, row, 0, frame->n_blocks, work, dots);
    frocc__free(work);
    return FROCC_OK;
}
