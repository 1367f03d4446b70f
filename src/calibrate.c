/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration by held rows: O(m k (log k + log 1/eps)) for k of them. */
#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "closeness.h"
#include "kernels.h"
#include "mem.h"
#include "points.h"
#include "sample.h"
#include "status.h"

/* ---- Held rows ------------------------------------------------------------------------------ */

frocc_status frocc__held_new(size_t most, size_t n_rows, size_t n_slots, frocc__held *held) {
    frocc__held made = {.most = most, .n_rows = n_rows, .n_slots = n_slots};
    made.hash = frocc__alloc(n_rows, sizeof(uint64_t));
    made.copies = frocc__alloc(n_rows, sizeof(uint64_t));
    made.values = frocc__alloc(n_rows, n_slots * sizeof(float));
    if (made.hash == NULL || made.copies == NULL || made.values == NULL) {
        frocc__held_free(&made);
        return FROCC_ERR_MEMORY;
    }
    *held = made;
    return FROCC_OK;
}

void frocc__held_free(frocc__held *held) {
    frocc__free(held->hash);
    frocc__free(held->copies);
    frocc__free(held->values);
    *held = (frocc__held){0};
}

static void copy_row(const frocc__held *from, size_t i, frocc__held *to, size_t j) {
    to->hash[j] = from->hash[i];
    to->copies[j] = from->copies[i];
    memcpy(to->values + j * to->n_slots, from->values + i * from->n_slots,
           to->n_slots * sizeof(float));
}

frocc_status frocc__held_copy(const frocc__held *held, size_t n_slots, frocc__held *copy) {
    FROCC_TRY(frocc__held_new(held->most, held->n_rows, n_slots, copy));
    for (size_t i = 0; i < held->n_rows; i++)
        copy_row(held, i, copy, i);
    return FROCC_OK;
}

/* The smaller of the next rows of both; of a row in both, their copies together. */
static void take_next(const frocc__held *a, size_t *i, const frocc__held *b, size_t *j,
                      frocc__held *out, size_t at) {
    bool from_a = *j == b->n_rows || (*i < a->n_rows && a->hash[*i] <= b->hash[*j]);
    bool both = *i < a->n_rows && *j < b->n_rows && a->hash[*i] == b->hash[*j];
    copy_row(from_a ? a : b, from_a ? *i : *j, out, at);
    if (both)
        out->copies[at] += b->copies[*j];
    *i += from_a;
    *j += !from_a || both;
}

frocc_status frocc__held_merge(const frocc__held *a, const frocc__held *b, frocc__sketch *rest,
                               frocc__held *merged) {
    frocc__held all;
    FROCC_TRY(frocc__held_new(a->most, a->n_rows + b->n_rows, a->n_slots, &all));
    size_t i = 0, j = 0, count = 0;
    while (i < a->n_rows || j < b->n_rows)
        take_next(a, &i, b, &j, &all, count++);
    all.n_rows = FROCC_MIN(count, a->most);
    frocc_status status =
        frocc__sketch_observe(rest, all.values + all.n_rows * all.n_slots, count - all.n_rows);
    if (status != FROCC_OK) {
        frocc__held_free(&all);
        return status;
    }
    *merged = all;
    return FROCC_OK;
}

/* ---- Scoring -------------------------------------------------------------------------------- */

void frocc__calibration_free(frocc__calibration *calibration) {
    frocc__free(calibration->scores);
    frocc__free(calibration->rows);
    *calibration = (frocc__calibration){0};
}

bool frocc__held_fits(const frocc__held *held, uint64_t n_rows) {
    uint64_t left = n_rows;
    for (size_t i = 0; i < held->n_rows; i++) {
        if (held->copies[i] > left)
            return false;
        left -= held->copies[i];
    }
    return true;
}

uint64_t frocc__calibration_rows(const frocc__calibration *calibration) {
    return calibration->n_scores == 0 ? 0 : calibration->rows[calibration->n_scores - 1];
}

/* One slot: the sketch of the rows that are not held, the held values, sorted, and the range. */
typedef struct others {
    const frocc__interval *rest;
    size_t n_rest;
    const frocc__interval *held;
    size_t n_held;
    float min, max, epsilon;
    frocc_score score;
} others;

static float cost_outside(const others *o, float distance, float range) {
    return o->score == FROCC_SCORE_CLOSENESS ? frocc__outside_cost(distance, range, o->epsilon)
                                             : 1.0f;
}

/*
 * What a held value costs by the sketch of all other rows, without making that sketch: next to the
 * value, it has the nearest other values, or the ends that hide them, and nothing in between.
 */
static float cost_by_others(const others *o, float value) {
    ptrdiff_t r = o->n_rest > 0 ? frocc__find(o->rest, o->n_rest, value) : -1;
    ptrdiff_t h = frocc__find(o->held, o->n_held, value); /* the value itself */
    if ((r >= 0 && value <= o->rest[r].hi) || (h > 0 && o->held[h - 1].lo == value))
        return 0.0f;
    float below = r >= 0 ? o->rest[r].hi : -INFINITY, above = INFINITY;
    if (h > 0)
        below = FROCC_MAX(below, o->held[h - 1].lo);
    if ((size_t)(r + 1) < o->n_rest)
        above = o->rest[r + 1].lo;
    if ((size_t)(h + 1) < o->n_held)
        above = FROCC_MIN(above, o->held[h + 1].lo);
    float min = below == -INFINITY ? above : o->min, max = above == INFINITY ? below : o->max;
    float range = max > min ? max - min : 1.0f;
    if (below == -INFINITY)
        return cost_outside(o, above - value, range);
    if (above == INFINITY)
        return cost_outside(o, value - below, range);
    if (frocc__joins(below, above, frocc__margin(o->epsilon, min, max)))
        return 0.0f;
    return o->score == FROCC_SCORE_CLOSENESS ? frocc__gap_cost(above - below, range, o->epsilon)
                                             : 1.0f;
}

/* Adds the costs of one slot; points and sorted have room for all held rows. Of a row with copies
 * the others remain, and hold it. */
static void score_slot(const frocc__sketch *rest, const frocc__held *held, float epsilon,
                       frocc_score score, size_t slot, float *sorted, frocc__interval *points,
                       double *costs) {
    size_t k = held->n_rows;
    frocc__sorted_points(held->values, k, held->n_slots, slot, sorted, points);
    others o = {frocc__slot(rest, slot), rest->count[slot], points, k, points[0].lo,
                points[k - 1].hi,        epsilon,           score};
    if (o.rest == NULL) /* all rows are held */
        o.n_rest = 0;
    if (o.n_rest > 0) {
        o.min = FROCC_MIN(o.min, o.rest[0].lo);
        o.max = FROCC_MAX(o.max, o.rest[o.n_rest - 1].hi);
    }
    for (size_t i = 0; i < k; i++)
        if (held->copies[i] == 1)
            costs[i] += (double)cost_by_others(&o, held->values[i * held->n_slots + slot]);
}

static int compare_doubles(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

typedef struct scored {
    double score; /* first, for comparing */
    uint64_t copies;
} scored;

/* Scores with the copies of their rows, sorted, then as a running count. */
static frocc_status tabulate(const frocc__held *held, frocc_score score, const double *costs,
                             frocc__calibration *calibration) {
    size_t n = held->n_rows;
    scored *pairs = frocc__alloc(n, sizeof *pairs);
    calibration->scores = frocc__alloc(n, sizeof(double));
    calibration->rows = frocc__alloc(n, sizeof(uint64_t));
    if (pairs == NULL || calibration->scores == NULL || calibration->rows == NULL) {
        frocc__free(pairs);
        frocc__calibration_free(calibration);
        return FROCC_ERR_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        pairs[i].score = frocc__score_of(score, costs[i], held->n_slots);
        pairs[i].copies = held->copies[i];
    }
    qsort(pairs, n, sizeof *pairs, compare_doubles);
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        total += pairs[i].copies;
        calibration->scores[i] = pairs[i].score;
        calibration->rows[i] = total;
    }
    calibration->n_scores = n;
    frocc__free(pairs);
    return FROCC_OK;
}

/* Rows can be scored by the others only when there are others. */
static bool has_others(const frocc__sketch *rest, const frocc__held *held) {
    return held->n_rows > 0 && (rest->count[0] > 0 || held->n_rows > 1 || held->copies[0] > 1);
}

static frocc_status score_held(const frocc__sketch *rest, const frocc__held *held, float epsilon,
                               frocc_score score, frocc__calibration *calibration) {
    float *sorted = frocc__alloc(held->n_rows, FROCC_BLOCK * sizeof(float));
    frocc__interval *points = frocc__alloc(held->n_rows, sizeof *points);
    double *costs = frocc__alloc(held->n_rows, sizeof(double));
    frocc_status status = FROCC_ERR_MEMORY;
    if (sorted != NULL && points != NULL && costs != NULL) {
        for (size_t s = 0; s < rest->n_slots; s++)
            score_slot(rest, held, epsilon, score, s, sorted, points, costs);
        status = tabulate(held, score, costs, calibration);
    }
    frocc__free(sorted);
    frocc__free(points);
    frocc__free(costs);
    return status;
}

frocc_status frocc__calibrate(const frocc__sketch *rest, const frocc__held *held, float epsilon,
                              frocc_score score, frocc__sketch *all,
                              frocc__calibration *calibration) {
    *calibration = (frocc__calibration){0};
    frocc__sketch joined, tight;
    FROCC_TRY(frocc__sketch_copy(rest, rest->n_slots, epsilon, &joined));
    frocc_status status = frocc__sketch_observe(&joined, held->values, held->n_rows);
    if (status == FROCC_OK)
        status = frocc__sketch_copy(&joined, joined.n_slots, joined.epsilon, &tight);
    frocc__sketch_free(&joined);
    FROCC_TRY(status);
    if (has_others(rest, held))
        status = score_held(rest, held, epsilon, score, calibration);
    if (status != FROCC_OK) {
        frocc__sketch_free(&tight);
        return status;
    }
    *all = tight;
    return FROCC_OK;
}

/* ---- As bytes ------------------------------------------------------------------------------- */

void frocc__held_write(const frocc__held *held, frocc__writer *out) {
    frocc__put_u64(out, held->most);
    frocc__put_u64(out, held->n_rows);
    for (size_t i = 0; i < held->n_rows; i++) {
        frocc__put_u64(out, held->hash[i]);
        frocc__put_u64(out, held->copies[i]);
    }
    for (size_t i = 0; i < held->n_rows * held->n_slots; i++)
        frocc__put_f32(out, held->values[i]);
}

static bool is_held_of_something(const frocc__held *held) {
    for (size_t i = 0; i < held->n_rows; i++)
        if (held->copies[i] == 0 || !frocc__may_calibrate(held->hash[i]) ||
            (i > 0 && held->hash[i] <= held->hash[i - 1]))
            return false;
    for (size_t i = 0; i < held->n_rows * held->n_slots; i++)
        if (!isfinite(held->values[i]) || (held->values[i] == 0.0f && signbit(held->values[i])))
            return false;
    return true;
}

frocc_status frocc__held_read(frocc__reader *in, size_t n_slots, frocc__held *held) {
    uint64_t most = frocc__get_u64(in), n_rows = frocc__get_u64(in);
    uint64_t per_row = 2 * sizeof(uint64_t) + n_slots * sizeof(float);
    if (in->failed || most == 0 || most > (size_t)1 << 24 || n_rows > most ||
        in->left != n_rows * per_row)
        return frocc__damaged("the held rows do not fit their section");
    frocc__held made;
    FROCC_TRY(frocc__held_new((size_t)most, (size_t)n_rows, n_slots, &made));
    for (size_t i = 0; i < made.n_rows; i++) {
        made.hash[i] = frocc__get_u64(in);
        made.copies[i] = frocc__get_u64(in);
    }
    for (size_t i = 0; i < made.n_rows * n_slots; i++)
        made.values[i] = frocc__get_f32(in);
    if (!is_held_of_something(&made)) {
        frocc__held_free(&made);
        return frocc__damaged("the held rows are not what a fit produces");
    }
    *held = made;
    return FROCC_OK;
}
