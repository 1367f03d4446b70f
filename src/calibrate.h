/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calibration: what scores do rows get from models that have not seen them? Some rows, the bottom-k
 * sample of those that may calibrate, are held out of the sketch, and each is scored by the sketch
 * of all other rows, held or not. Which rows are held, and so every score, depends on neither order
 * nor split of the rows; and since only their projections are needed for any of this, a model that
 * keeps those can be merged, coarsened and truncated, exactly.
 */
#ifndef FROCC_CALIBRATE_H
#define FROCC_CALIBRATE_H

#include "bytes.h"
#include "sketch.h"

/* The held rows by rising hash, as their projections: values[row * n_slots + slot]. */
typedef struct frocc__held {
    size_t most; /* k; 0 without calibration */
    size_t n_rows, n_slots;
    uint64_t *hash, *copies;
    float *values;
} frocc__held;

frocc_status frocc__held_new(size_t most, size_t n_rows, size_t n_slots, frocc__held *held);
void frocc__held_free(frocc__held *held);
/* Whether there are no more held rows, copies counted, than rows in all. */
bool frocc__held_fits(const frocc__held *held, uint64_t n_rows);
frocc_status frocc__held_copy(const frocc__held *held, size_t n_slots, frocc__held *copy);

/* The held rows of two parts; what is too many is observed by rest, the sketch of all others. */
frocc_status frocc__held_merge(const frocc__held *a, const frocc__held *b, frocc__sketch *rest,
                               frocc__held *merged);

/* Scores of held rows, rising, each with the number of rows that score at most this. */
typedef struct frocc__calibration {
    size_t n_scores;
    double *scores;
    uint64_t *rows;
} frocc__calibration;

void frocc__calibration_free(frocc__calibration *calibration);
uint64_t frocc__calibration_rows(const frocc__calibration *calibration);

/* Scores the held rows, and gives the sketch of all rows: rest and held, both at this epsilon. */
frocc_status frocc__calibrate(const frocc__sketch *rest, const frocc__held *held, float epsilon,
                              frocc_score score, frocc__sketch *all,
                              frocc__calibration *calibration);

/* As a section of the model file. */
void frocc__held_write(const frocc__held *held, frocc__writer *out);
frocc_status frocc__held_read(frocc__reader *in, size_t n_slots, frocc__held *held);

#endif
