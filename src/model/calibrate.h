/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calibration: what scores do rows get from models that have not seen them? Some training rows, the
 * bottom-k sample of those that may calibrate, are remembered, and each is scored by the histograms
 * of all other rows: the counts tell what is left when its own values are taken away. Which rows
 * these are, and so every score, depends on neither order nor split of the rows; and a model that
 * remembers them can be merged, coarsened and truncated, exactly.
 */
#ifndef FROCC_CALIBRATE_H
#define FROCC_CALIBRATE_H

#include "evidence/left_out.h"
#include "frame/sample.h"

/* The rows by rising hash, each as it was prepared or, where that is less, as its projections. */
typedef struct frocc__held {
    size_t most; /* k; 0 without calibration */
    size_t n_rows, width;
    bool is_projected;
    uint64_t *hash, *copies;
    float *values; /* width of them a row */
    /* Of rows that are projected, what was prepared and is an extreme of its feature: only that can
     * be wild when the row is left out. By row, then feature; mark_start has one entry more. */
    size_t *mark_start;
    uint32_t *mark_feature;
    float *mark_value;
} frocc__held;

/* How many rows a fit with these parameters remembers at most. */
size_t frocc__most_held(const frocc_params *params, const frocc_frame *frame);

frocc_status frocc__held_new(size_t most, size_t n_rows, size_t width, frocc__held *held);
void frocc__held_free(frocc__held *held);

/* The rows of a sample, in a frame, with the extremes of all rows. */
frocc_status frocc__held_of(const frocc_frame *frame, size_t most, const frocc_sample *sample,
                            const frocc__extremes *extremes, frocc__held *held);

/* A copy for a frame of the same or fewer directions. */
frocc_status frocc__held_copy(const frocc__held *held, const frocc_frame *frame, frocc__held *copy);

/* The rows of two parts: the k with the smallest hashes. */
frocc_status frocc__held_merge(const frocc__held *a, const frocc__held *b, frocc__held *merged);

/* The rows as the frame keeps them, which may be of fewer directions than that they come from, with
 * the extremes of all rows. */
frocc_status frocc__held_finish(frocc__held *held, const frocc_frame *frame,
                                const frocc__extremes *extremes);

/* How many rows were learnt as these, copies counted; false where that is too many to be counted.
 */
bool frocc__held_rows(const frocc__held *held, uint64_t *n_rows);

/* Whether rows with these extremes can have been among those that have those. */
bool frocc__held_fits(const frocc__held *held, const frocc__extremes *extremes);

/* Scores of rows, rising, each with the number of rows that score at most this. */
typedef struct frocc__calibration {
    size_t n_scores;
    double *scores;
    uint64_t *rows;
    double wide_slope, wide_shift; /* see evidence.h; 0 where nothing is judged by wide windows */
} frocc__calibration;

void frocc__calibration_free(frocc__calibration *calibration);
frocc_status frocc__calibration_copy(const frocc__calibration *calibration,
                                     frocc__calibration *copy);
uint64_t frocc__calibration_rows(const frocc__calibration *calibration);

/* Scores the held rows as if each had been left out of the counts, which it is part of. The costs
 * of directions are made on the way, slot by slot. */
frocc_status frocc__calibrate(const frocc__counts *counts, const frocc__held *held,
                              frocc__evidence *evidence, frocc__calibration *calibration);

/* As sections of the model file. */
void frocc__held_write(const frocc__held *held, frocc__bytes_out *out);
frocc_status frocc__held_read(frocc__bytes_in *in, const frocc_frame *frame, frocc__held *held);
void frocc__calibration_write(const frocc__calibration *calibration, frocc__bytes_out *out);
frocc_status frocc__calibration_read(frocc__bytes_in *in, frocc__calibration *calibration);

#endif
