/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorted lists of disjoint intervals, and the one operation on them: merge. See docs/algorithm.md
 * for the proof that merging sketches of parts gives the sketch of the whole, bit for bit.
 */
#ifndef FROCC_INTERVAL_H
#define FROCC_INTERVAL_H

#include <math.h>

#include "base/base.h"

typedef struct frocc__interval {
    float lo, hi;
} frocc__interval;

/* Neighbours closer than this belong together; for epsilon >= 1 all do. */
static inline float frocc__margin(float epsilon, float min, float max) {
    return epsilon < 1.0f ? epsilon * (max - min) : INFINITY;
}

/* The paper's rule (Algorithm 2, line 5), the same expression wherever it is needed. */
static inline bool frocc__joins(float end, float next, float margin) {
    return (next <= end) | (next < end + margin); /* computed, where it cannot be predicted */
}

/*
 * The intervals of count sorted values, stride apart (the paper's Algorithm 2); out has room for
 * one more than count. Returns how many.
 */
size_t frocc__intervals_of(const float *values, size_t stride, size_t count, float epsilon,
                           frocc__interval *out);

/*
 * Merges two sorted lists with the margin of their common range into out, which has room for both
 * and overlaps neither. Either list may be empty; with one empty, this coarsens the other to
 * epsilon. Returns the number of intervals. O(n_a + n_b).
 */
size_t frocc__merge(const frocc__interval *a, size_t n_a, const frocc__interval *b, size_t n_b,
                    float epsilon, frocc__interval *out);

/* What an interval has become that a value was merged into. All of it that may be new lies between
 * from and to: where one of its ends was and is now, or its two ends. */
typedef struct frocc__growth {
    float lo, hi, from, to;
} frocc__growth;

/*
 * A value between two intervals of a list, or in the lower one, where frocc__find found it, is
 * taken in when it joins one of them, as most do: at the end of the lower or the beginning of the
 * upper one. Which of these, nobody can predict, so it is not branched on. False when it joins
 * neither or both: then nothing has changed.
 */
static inline bool frocc__extend(frocc__interval *list, size_t count, size_t at, float value,
                                 float epsilon, frocc__growth *growth) {
    const float margin = frocc__margin(epsilon, list[0].lo, list[count - 1].hi);
    const float hi = list[at].hi;
    const bool joins_below = frocc__joins(hi, value, margin);
    const bool joins_above = frocc__joins(value, list[at + 1].lo, margin);
    if (joins_below == joins_above)
        return false;
    const size_t holder = at + joins_above;
    /* The end of an interval and the beginning of the next one lie side by side. */
    _Static_assert(sizeof *list == 2 * sizeof(float), "there is nothing between them");
    float *moved = (float *)((char *)list + (2 * at + 1 + joins_above) * sizeof(float));
    const float from = *moved, to = FROCC_MAX(hi, value);
    *moved = to;
    *growth = (frocc__growth){list[holder].lo, list[holder].hi, from, to};
    return true;
}

/*
 * Merges one value that no interval holds and that frocc__extend has not taken in, in place, next
 * to where frocc__find found that it belongs; the list, which is not empty, has room for one more
 * interval unless it has the most it can have. Returns the interval that now holds the value. O(1)
 * and moving the rest, unless the range and so the margin grows.
 */
frocc__interval frocc__insert(frocc__interval *list, uint32_t *count, ptrdiff_t at, float value,
                              float epsilon);

/*
 * No direction ever has more intervals than this. Between intervals lie at least margin, rounded:
 * end + margin can come out up to a third smaller when the margin is near 1.5 spacings of float32.
 */
size_t frocc__most_intervals(float epsilon);

/* The widest of a list, the first of several; one that holds nothing when the list is empty. */
frocc__interval frocc__widest(const frocc__interval *list, size_t count);

/* The last interval that does not begin above value, or -1. Binary search; which way it goes is a
 * coin toss, so the steps are written to be computed, not branched on. */
static inline ptrdiff_t frocc__find(const frocc__interval *list, size_t count, float value) {
    if (count == 0 || list[0].lo > value)
        return -1;
    size_t low = 0;
    while (count > 1) {
        size_t half = count / 2;
        low += list[low + half].lo <= value ? half : 0;
        count -= half;
    }
    return (ptrdiff_t)low;
}

static inline bool frocc__contains(const frocc__interval *list, size_t count, float value) {
    ptrdiff_t at = frocc__find(list, count, value);
    return at >= 0 && value <= list[at].hi;
}

#endif
