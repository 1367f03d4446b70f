/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames whose directions are not all dense. Structured directions come all at once, row by row;
 * lists of few features, and the dense directions between them, by panels and some blocks at a
 * time.
 */
#ifndef FROCC_WHOLE_ROWS_H
#define FROCC_WHOLE_ROWS_H

#include "frame/frame.h"

/* Whether some directions are not dense, so that rows are projected whole, never chunk by chunk. */
bool frocc__takes_whole_rows(const frocc_frame *frame);

/* That, but not structured. */
bool frocc__has_lists(const frocc_frame *frame);

/* Blocks that are projected together where there are lists: the directions of a dense block lie in
 * so many of them. */
#define FROCC_LIST_BLOCKS 4

/* Floats of scratch that projecting a whole row or panel takes. */
size_t frocc__whole_row_work(const frocc_frame *frame);

/* Dot products of a panel with the directions of at most FROCC_LIST_BLOCKS blocks, from a multiple
 * of that on: out[i * stride + r] for the i-th of them. work is a tile. */
void frocc__project_lists(const frocc_frame *frame, const float *x, size_t first_block,
                          size_t n_blocks, float *work, float *out, size_t stride);

/* Dot products of one row, with the directions of some blocks: out[i]. Structured directions come
 * all with the first block. */
void frocc__project_whole_row(const frocc_frame *frame, const float *row, size_t first_block,
                              size_t n_blocks, float *work, float *out);

/* One prepared row on all directions, before any kernel function; dots has room for whole blocks.
 */
frocc_status frocc__project_dots(const frocc_frame *frame, const float *row, float *dots);

#endif
