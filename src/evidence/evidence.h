/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Closeness: three kinds of evidence that a row is not normal, and how they are weighed. Global
 * directions tell whether it is outside, or in a gap (costs.h); single features are directions,
 * too, and count as much as all others together. Leaves tell whether it is far from what is near it
 * (leaves.h), and extremes whether one value is wild (extremes.h).
 *
 *   value = ln(H + 1e-5) + 2 ln S + 2 ln(1 + M)
 *
 * with H the mean of what mixed directions and what single features cost, S the mean cost in
 * leaves, and M the largest distance outside of any feature, in standard deviations. Closeness is
 * minus that, in units in which a row that nothing speaks against has 1. Where a share of the rows
 * may be anomalies, S counts once, since those that are alike share leaves, and M not at all.
 */
#ifndef FROCC_EVIDENCE_H
#define FROCC_EVIDENCE_H

#include "evidence/leaves.h"
#include "sketch/counts.h"

typedef struct frocc__evidence {
    const frocc_frame *frame; /* not its own */
    frocc__needed needed;
    size_t n_single;
    uint8_t *is_single; /* per direction */
    frocc__costs costs;
    frocc__leaves leaves;
    float *ranges;            /* of directions, which the costs of leaves are in */
    frocc__extremes extremes; /* of no feature where a share of the rows may be wild themselves */
} frocc__evidence;

/* What speaks against one row. */
typedef struct frocc__against {
    uint64_t mixed, single, local;
    float furthest;
} frocc__against;

/* Room for evidence in a frame, to be filled in. */
frocc_status frocc__evidence_new(const frocc_frame *frame, frocc__needed needed,
                                 frocc__evidence *evidence);
void frocc__evidence_free(frocc__evidence *evidence);

/* Makes the tables of leaves and takes the extremes; tables of directions are made slot by slot. */
frocc_status frocc__evidence_begin(frocc__evidence *evidence, const frocc__counts *counts);

/* Adds what speaks against the rows of some projections. */
void frocc__evidence_add(const frocc__evidence *evidence, const frocc__projections *projections,
                         frocc__against *rows);

double frocc__closeness(const frocc__evidence *evidence, const frocc__against *against);

/* All of it from the bytes of counts, whose histograms have n_cells cells. Trusts nothing. */
frocc_status frocc__evidence_of_bytes(frocc__evidence *evidence, uint32_t n_cells,
                                      frocc__bytes_in in);

#endif
