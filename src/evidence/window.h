/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much support a place has among the values of a histogram: the width of the window around it
 * that holds k of them on each side, k itself being at most half of all. Windows end at the k-th
 * smallest and the k-th largest value: what lies beyond these does not count. A k of 1 gives the
 * gap between the nearest values; a larger one forgives values that are few.
 */
#ifndef FROCC_WINDOW_H
#define FROCC_WINDOW_H

#include "sketch/histogram.h"

/* The bins of a slot, of which one value may be left out, and where windows of k values end. */
typedef struct frocc__values {
    const frocc__bin *bins;
    size_t n_bins;
    uint64_t total;      /* without the one that is left out */
    size_t left_out;     /* the bin that lacks one value; SIZE_MAX for none */
    uint32_t k;          /* no more than half of all */
    int32_t first, last; /* the cells of the k-th smallest and the k-th largest value */
    size_t low, high;    /* the bins of these two values */
} frocc__values;

/* There are values, also when one is left out. */
frocc__values frocc__values_of(const frocc__bin *bins, size_t n_bins, uint64_t total,
                               size_t left_out, uint32_t k);
/* The same with one of this bin left out, in O(1), from those with one of the first bin and with
 * one of the last bin left out. */
frocc__values frocc__values_without(const frocc__values *no_first, const frocc__values *no_last,
                                    size_t bin);
uint64_t frocc__bins_total(const frocc__bin *bins, size_t n_bins);

/* A window, in cells. */
typedef struct frocc__window {
    bool is_outside; /* beyond the k-th smallest or largest value: width is how far */
    int32_t width;
    int32_t slope; /* of the width, from one empty cell to the next */
} frocc__window;

/* At cell number, which is that of the bin, or lies after it and before the next one. */
frocc__window frocc__window_at(const frocc__values *values, size_t bin, int32_t number);

#endif
