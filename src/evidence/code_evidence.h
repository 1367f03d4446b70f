/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What columns of codes say against a row: codes that few rows or none have, codes that were never
 * seen together, and numbers in an empty place of the rows with the same code. The last two are
 * told by one notion: how many training rows would be expected where there are none.
 *
 * - A code that c rows have costs 1 / (1 + c), one that none has 1 + 1/8; times the share of rows
 *   whose code is not theirs alone, so that a column of names, where every code is new, says
 * nothing.
 * - A code that no row has, where one row in k has a code of its own: a tenth of k rows.
 * - Two known codes that n_a and n_b of n rows have, and none has both: n_a n_b / n rows would be
 *   expected. Where one row has both, a quarter of that.
 * - A number among the n rows that have the same code in another column: n times the share of their
 *   range that lies between their nearest numbers, a quarter of that, or the distance beyond all of
 *   them, no more than the whole range. Numbers that are all the same: half of n.
 *
 * Where a share C of the rows may be anomalies, two codes may have C of the rows that would be
 * expected by accident, which count as none.
 *
 * Of pairs and of groups the largest counts: as a mean the same evidence drowns.
 */
#ifndef FROCC_CODE_EVIDENCE_H
#define FROCC_CODE_EVIDENCE_H

#include "sketch/codes.h"

typedef struct frocc__code_evidence {
    frocc__codes codes;
    double contamination;
    uint64_t n_rows;
    uint64_t *alone;    /* per column, rows whose code is theirs alone */
    uint32_t *occupied; /* per histogram of a group, a bit for each cell that has values */
} frocc__code_evidence;

/* What speaks against one row, and what the largest surprises are. */
typedef struct frocc__surprise {
    uint64_t cost;           /* of its codes, in units of FROCC_COST_ONE */
    double together, apart;  /* rows expected: for two codes, for a number in a group */
    size_t new_column, pair; /* what the first is of; SIZE_MAX for none, as the next */
    size_t group_column, group_number;
} frocc__surprise;

/* From what was counted. */
frocc_status frocc__code_evidence_of(const frocc_frame *frame, double contamination,
                                     const frocc__codes *codes, frocc__bin *bins,
                                     frocc__code_evidence *evidence);
/* From the next bytes of a section. Trusts nothing. */
frocc_status frocc__code_evidence_read(const frocc_frame *frame, double contamination,
                                       frocc__bytes_in *in, frocc__code_evidence *evidence);
void frocc__code_evidence_free(frocc__code_evidence *evidence);

/* What speaks against a prepared row, whose features lie stride apart; as if it had not been
 * counted, where left_out is 1. ranks has room for one a column of codes; where there was no memory
 * for it it is NULL, which takes longer. */
frocc__surprise frocc__surprise_of(const frocc__code_evidence *evidence, const float *x,
                                   size_t stride, uint32_t left_out, uint32_t *ranks);

/* The same of one row whose features lie together; of none where codes are not judged. */
frocc__surprise frocc__surprise_of_row(const frocc__code_evidence *evidence, const float *x,
                                       uint32_t *ranks);

/* Where the numbers of a group lie, as they are prepared: all of them, most of them, and those
 * nearest to a value. */
typedef struct frocc__group_range {
    float low, high, mode, nearest;
} frocc__group_range;

/* Of the group of surprise->group_column, which is not SIZE_MAX, for a prepared row. */
frocc__group_range frocc__group_range_of(const frocc__code_evidence *evidence,
                                         const frocc__surprise *surprise, const float *x);

/* Rows that have two codes, by the pair and the ranks of all columns; 0 where these are none that
 * are looked at. */
uint32_t frocc__rows_together(const frocc__code_evidence *evidence, size_t pair,
                              const uint32_t *ranks);

#endif
