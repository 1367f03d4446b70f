/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The binned form of a sketch, after the paper's own implementation (its section on methods
 * compared): per direction the range, a bin width of epsilon * range / beta, and a bit per bin.
 */
#ifndef FROCC_BINS_H
#define FROCC_BINS_H

#include "sketch.h"

typedef struct frocc__bins {
    size_t n_slots;
    float epsilon;
    unsigned beta;
    uint64_t n_rows;
    size_t n_bins;       /* per slot: beta / epsilon and one more for the end of the range */
    float *min, *max;    /* per slot, of the training values */
    unsigned char *bits; /* per slot (n_bins + 7) / 8 bytes */
} frocc__bins;

frocc_status frocc__bins_of(const frocc__sketch *sketch, unsigned beta, frocc__bins *bins);
frocc_status frocc__bins_copy(const frocc__bins *bins, size_t n_slots, frocc__bins *copy);
void frocc__bins_free(frocc__bins *bins);

/* The bin of a value, or n_bins when it lies outside all of them. */
size_t frocc__bin_of(const frocc__bins *bins, size_t slot, float value);
bool frocc__bins_contain(const frocc__bins *bins, size_t slot, float value);

/* Runs of set bins as intervals: calls take for each with its outer edges; returns their number. */
typedef void (*frocc__run_fn)(void *context, size_t index, float lower, float upper);
size_t frocc__bins_runs(const frocc__bins *bins, size_t slot, frocc__run_fn take, void *context);

void frocc__bins_write(const frocc__bins *bins, frocc__writer *out);
frocc_status frocc__bins_read(frocc__reader *in, size_t n_slots, frocc__bins *bins);

#endif
