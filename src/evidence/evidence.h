/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Closeness: the kinds of evidence that a row is not normal, and how they are weighed. Global
 * directions tell whether it is outside, or in a gap (costs.h); single features are directions,
 * too, and with the codes of texts count as much as all others together. Leaves tell whether it is
 * far from what is near it (leaves.h), extremes whether one value is wild (extremes.h), and codes
 * whether something was never seen, alone or together (code_evidence.h).
 *
 *   oddness = ln(H + 1e-5) + 2 w ln S + 2 ln(1 + M) + ln(1 + P / 3) + ln(1 + Q / 10)
 *
 * with H the mean of what mixed directions and what single features and codes cost, S the mean cost
 * in leaves, w the share of numbers among all columns, M the largest distance outside of any
 * feature, in standard deviations, and P and Q the rows that would be expected where there are
 * none: with a code or two, and for a number in a group. Closeness is minus that, in units in which
 * a row that nothing speaks against has 1.
 *
 * Where a share of the rows may be anomalies, some of these are alike. So a second way of judging
 * looks at the directions through windows as wide as that share, and nothing else: its oddness is
 * brought to the middle and the tail of the other's, and the larger of the two counts.
 */
#ifndef FROCC_EVIDENCE_H
#define FROCC_EVIDENCE_H

#include "evidence/code_evidence.h"
#include "evidence/leaves.h"
#include "sketch/counts.h"

typedef struct frocc__evidence {
    const frocc_frame *frame; /* not its own */
    double contamination;
    frocc__needed needed; /* of the windows that are wide; 0 where no row may be an anomaly */
    size_t n_single;
    uint8_t *is_single; /* per direction */
    frocc__costs costs;
    frocc__costs wide; /* by windows of many values, where a share of the rows may be anomalies */
    double wide_slope, wide_shift; /* what they say, in units of what the others do */
    frocc__leaves leaves;
    float *ranges; /* of directions, which the costs of leaves are in */
    frocc__code_evidence codes;
    frocc__extremes extremes; /* of no feature where a share of the rows may be wild themselves */
} frocc__evidence;

/* What speaks against one row. */
typedef struct frocc__against {
    uint64_t mixed, single, local;
    uint64_t wide_mixed, wide_single;
    float furthest;
    float together, apart; /* rows expected where there are none; see code_evidence.h */
} frocc__against;

/* Room for evidence in a frame, to be filled in. */
frocc_status frocc__evidence_new(const frocc_frame *frame, double contamination, uint64_t n_rows,
                                 frocc__evidence *evidence);
void frocc__evidence_free(frocc__evidence *evidence);

/* Makes the tables of leaves and takes the extremes; tables of directions are made slot by slot. */
frocc_status frocc__evidence_begin(frocc__evidence *evidence, const frocc__counts *counts);

/* Adds what speaks against the rows of some projections. */
void frocc__evidence_add(const frocc__evidence *evidence, const frocc__projections *projections,
                         frocc__against *rows);

/* The same of codes alone; left_out is 1 for rows that are to be judged as if they had not been. */
void frocc__evidence_add_codes(const frocc__evidence *evidence,
                               const frocc__projections *projections, uint32_t left_out,
                               frocc__against *rows);

void frocc__against_codes(frocc__against *row, const frocc__surprise *surprise);

/* What both ways of judging say, in logarithms: the larger, the odder. */
double frocc__oddness(const frocc__evidence *evidence, const frocc__against *against);
double frocc__wide_oddness(const frocc__evidence *evidence, const frocc__against *against);

/* Makes the costs of a direction. */
void frocc__evidence_set_costs(frocc__evidence *evidence, size_t slot, const frocc__grid *grid,
                               const frocc__bin *bins, size_t n_bins);

double frocc__closeness(const frocc__evidence *evidence, const frocc__against *against);

/* All of it from the bytes of counts, whose histograms have n_cells cells. Trusts nothing. */
frocc_status frocc__evidence_of_bytes(frocc__evidence *evidence, uint32_t n_cells,
                                      frocc__bytes_in in);

#endif
