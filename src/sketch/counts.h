/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What closeness learns from rows, all of it exact, free of order and mergeable: histograms of
 * every direction, histograms of the directions that each leaf looks at, and the extremes of
 * features.
 */
#ifndef FROCC_COUNTS_H
#define FROCC_COUNTS_H

#include "project/drive.h"
#include "sketch/codes.h"
#include "sketch/extremes.h"
#include "sketch/histogram.h"

typedef struct frocc__counts {
    const frocc_frame *frame; /* not its own */
    frocc__histograms directions, leaves;
    frocc__extremes extremes;
    frocc__codes codes;
    frocc__bin *bins; /* room for those of one slot */
} frocc__counts;

frocc_status frocc__counts_new(const frocc_frame *frame, uint32_t n_cells, frocc__counts *counts);
void frocc__counts_free(frocc__counts *counts);

/* Takes in projections of rows. False when a value is NaN, which only a custom kernel can give. */
bool frocc__counts_take(frocc__counts *counts, const frocc__projections *projections);

/* The one merge, of everything. */
void frocc__counts_merge(frocc__counts *into, const frocc__counts *from);

/* As bytes; and merged in from bytes, of histograms with most cells, perhaps of more directions. */
void frocc__counts_write(const frocc__counts *counts, frocc__bytes_out *out);
frocc_status frocc__counts_merge_bytes(frocc__counts *into, uint32_t most, frocc__bytes_in in);

/* The same bytes with no count above what windows of so many values need: enough to judge by, but
 * not to merge. */
frocc_status frocc__counts_seal(const frocc_frame *frame, uint32_t most, frocc__needed needed,
                                frocc__bytes_in in, frocc__bytes_out *out);

#endif
