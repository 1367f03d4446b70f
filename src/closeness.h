/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Closeness, the score that is free of epsilon: per direction log e / log epsilon, where e is the
 * smallest epsilon at which the direction would accept the value. Inside an interval e is the
 * model's own epsilon and the direction counts 1; in a gap e is the gap's share of the range;
 * outside, e = 1 + distance / range. What a direction takes from 1 is its cost, and nearly all
 * costs are 0.
 *
 * n rows leave gaps of a few n-ths of the range by chance, which say nothing. So a model judges by
 * its intervals joined at an epsilon that falls with its number of rows, down to its own.
 */
#ifndef FROCC_CLOSENESS_H
#define FROCC_CLOSENESS_H

#include "interval.h"
#include "mathf.h"

/* The epsilon that a model of n_rows judges at; its own one is a lower bound. */
static inline float frocc__closeness_epsilon(float epsilon, uint64_t n_rows) {
    const float coarsest = 0.001f, rows_in_a_gap = 6.0f;
    float told_apart = rows_in_a_gap / (float)n_rows;
    told_apart = told_apart < coarsest ? told_apart : coarsest;
    return epsilon > told_apart ? epsilon : told_apart;
}

/* The range values are measured by; where all training values are equal, 1. */
static inline float frocc__closeness_range(const frocc__interval *list, size_t count) {
    float range = list[count - 1].hi - list[0].lo;
    return range > 0.0f ? range : 1.0f;
}

static inline float frocc__cost_of(float e, float epsilon) {
    return 1.0f - frocc__logf(e) / frocc__logf(epsilon);
}

static inline float frocc__gap_cost(float gap, float range, float epsilon) {
    float share = gap / range;
    return frocc__cost_of(share > epsilon ? share : epsilon, epsilon);
}

static inline float frocc__outside_cost(float distance, float range, float epsilon) {
    float e = 1.0f + distance / range;
    return frocc__cost_of(e < FLT_MAX ? e : FLT_MAX, epsilon);
}

/* The score of a row, given what all directions take from it: rejections for agreement. */
static inline double frocc__score_of(frocc_score score, double cost, size_t m) {
    return score == FROCC_SCORE_AGREEMENT ? ((double)m - cost) / (double)m : 1.0 - cost / (double)m;
}

/* What a direction takes from the score of a value. */
static inline float frocc__closeness_cost(const frocc__interval *list, size_t count, float epsilon,
                                          float value) {
    float range = frocc__closeness_range(list, count);
    if (isnan(value))
        return frocc__outside_cost(INFINITY, range, epsilon);
    ptrdiff_t at = frocc__find(list, count, value);
    if (at < 0)
        return frocc__outside_cost(list[0].lo - value, range, epsilon);
    if (value <= list[at].hi)
        return 0.0f;
    if ((size_t)at + 1 == count)
        return frocc__outside_cost(value - list[at].hi, range, epsilon);
    return frocc__gap_cost(list[at + 1].lo - list[at].hi, range, epsilon);
}

#endif
