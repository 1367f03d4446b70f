/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames whose directions are not all dense project wide: a panel, or row by row a strip of one, on
 * all directions when it is packed, laid out as the tiles of its blocks one after another,
 * out[i * FROCC_PANEL + r].
 */
#ifndef FROCC_WIDE_H
#define FROCC_WIDE_H

#include "frame.h"

bool frocc__is_wide(const frocc_frame *frame);

/* Floats of scratch that projecting a panel wide takes. */
size_t frocc__wide_work(const frocc_frame *frame);

/* Dot products of a panel, where there are no structured directions. */
void frocc__project_wide(const frocc_frame *frame, const float *x, float *work, float *out);

/* Dot products of one row, with the directions of some blocks: out[i]. Structured directions come
 * all with the first block. */
void frocc__project_wide_row(const frocc_frame *frame, const float *row, size_t first_block,
                             size_t n_blocks, float *work, float *out);

/* One prepared row on all directions, before any kernel function; dots has room for whole blocks.
 */
frocc_status frocc__project_dots(const frocc_frame *frame, const float *row, float *dots);

#endif
