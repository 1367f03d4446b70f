/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is one value wild? Per feature the smallest and the largest training value, as prepared; how far
 * a row lies outside them is measured in standard deviations, before asinh folds them: a thousand
 * of these are only a few after it, and one direction of many forgives them.
 */
#ifndef FROCC_EXTREMES_H
#define FROCC_EXTREMES_H

#include "frame/frame.h"

/* The two smallest and the two largest values, copies counted: with them it is known what is left
 * when one is taken away. Infinities where there are not so many. */
typedef struct frocc__ends {
    float low[2], high[2];
} frocc__ends;

typedef struct frocc__extremes {
    size_t n_features; /* 0 where the frame has no standard deviations to measure by */
    frocc__ends *ends;
} frocc__extremes;

/* Whether a frame's rows have extremes: those that asinh scales. */
bool frocc__has_extremes(const frocc_frame *frame);

frocc_status frocc__extremes_new(size_t n_features, frocc__extremes *extremes);
void frocc__extremes_free(frocc__extremes *extremes);
frocc_status frocc__extremes_copy(const frocc__extremes *extremes, frocc__extremes *copy);

/* Takes in n_rows rows of one feature. */
void frocc__extremes_take(frocc__extremes *extremes, const frocc__kernels *kernels, size_t feature,
                          const float *values, size_t n_rows);
void frocc__extremes_merge(frocc__extremes *into, const frocc__extremes *from);

/* How far a prepared value of a feature lies outside, in standard deviations; 0 inside. */
float frocc__extremes_distance(const frocc__extremes *extremes, const frocc_frame *frame,
                               size_t feature, float value);

/* The same had the value, which was taken in, not been. */
float frocc__extremes_left_out(const frocc__extremes *extremes, const frocc_frame *frame,
                               size_t feature, float value);

/* Whether a value of a prepared row lies outside by more than the training values span. Features
 * that had one value only do not count: nothing says how much they may vary. */
bool frocc__extremes_is_far(const frocc__extremes *extremes, const frocc_frame *frame,
                            const float *row);

/* As part of a section of the model file. */
void frocc__extremes_write(const frocc__extremes *extremes, frocc__bytes_out *out);
frocc_status frocc__extremes_read(frocc__bytes_in *in, size_t n_features,
                                  frocc__extremes *extremes);

#endif
