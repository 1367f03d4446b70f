/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Evidence against rows that were counted, as if each had not been: its own values are taken away
 * from the counts and from the extremes, and what is left judges it. Of a row that came twice one
 * copy stays. This is how rows calibrate, and how the odd ones among the training rows are found.
 */
#ifndef FROCC_LEFT_OUT_H
#define FROCC_LEFT_OUT_H

#include "evidence/evidence.h"

/* Adds what the first some of FROCC_DESCENDING rows, on all directions as trees want them, cost in
 * leaves. Says which of them cannot have been counted, or SIZE_MAX. */
size_t frocc__left_out_of_leaves(const frocc__evidence *evidence, const frocc__counts *counts,
                                 const float *descending, size_t some, frocc__against *rows);

/* All that judges rows which come from the driver. */
typedef struct frocc__left_out {
    const frocc__evidence *evidence; /* not its own */
    frocc__counts counts;
    frocc__left_out_table *tables; /* per direction */
    frocc__left_out_table *wide;   /* the same by windows of many values */
    uint8_t *roots;
} frocc__left_out;

/* From the bytes of counts that the evidence is of. FROCC_ERR_EMPTY where they are of one row. */
frocc_status frocc__left_out_new(const frocc__evidence *evidence, frocc__bytes_in bytes,
                                 frocc__left_out *left_out);
void frocc__left_out_free(frocc__left_out *left_out);

/* Adds what speaks against the rows of some projections. Says which, counted from the first of
 * them, cannot have been counted, or SIZE_MAX. */
size_t frocc__left_out_add(const frocc__left_out *left_out, const frocc__projections *projections,
                           frocc__against *rows);

#endif
