/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration by held rows. O(k m log k) for k held rows, and O(m / eps) per fold for the merges.
 */
#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

#include "closeness.h"
#include "mem.h"
#include "sample.h"
#include "status.h"

#define FOLDS 8

static size_t fold_of(uint64_t hash) {
    return (size_t)(hash % FOLDS);
}

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

/* What all slots share: lists of intervals, each with room for what a slot can hold. */
typedef struct workspace {
    size_t room;
    size_t fold_count[FOLDS];
    frocc__interval *folds[FOLDS];
    frocc__interval *merged, *swap, *points;
    float *sorted;
    frocc__interval *memory;
} workspace;

static frocc_status make_workspace(const frocc__sketch *rest, const frocc__held *held,
                                   workspace *w) {
    *w = (workspace){.room = frocc__sketch_largest(rest) + held->n_rows};
    w->memory = frocc__alloc(FOLDS + 3, w->room * sizeof(frocc__interval));
    w->sorted = frocc__alloc(held->n_rows, sizeof(float));
    if (w->memory == NULL || w->sorted == NULL) {
        frocc__free(w->memory);
        frocc__free(w->sorted);
        return FROCC_ERR_MEMORY;
    }
    for (size_t f = 0; f < FOLDS; f++)
        w->folds[f] = w->memory + f * w->room;
    w->merged = w->memory + FOLDS * w->room;
    w->swap = w->merged + w->room;
    w->points = w->swap + w->room;
    return FROCC_OK;
}

/* The sketch of one fold in one slot. */
static void sketch_fold(const frocc__held *held, size_t slot, size_t fold, float epsilon,
                        workspace *w) {
    size_t count = 0;
    for (size_t i = 0; i < held->n_rows; i++)
        if (fold_of(held->hash[i]) == fold)
            w->sorted[count++] = held->values[i * held->n_slots + slot];
    frocc__points_of(w->sorted, count, w->points);
    w->fold_count[fold] = frocc__merge(w->points, count, NULL, 0, epsilon, w->folds[fold]);
}

/* In w->merged the sketch of a slot without one fold, or, for FOLDS, of all rows. */
static size_t merge_without(const frocc__sketch *rest, size_t slot, size_t left_out, workspace *w) {
    size_t count = rest->count[slot];
    if (count > 0)
        memcpy(w->merged, frocc__slot(rest, slot), count * sizeof(frocc__interval));
    for (size_t f = 0; f < FOLDS; f++) {
        if (f == left_out || w->fold_count[f] == 0)
            continue;
        count =
            frocc__merge(w->merged, count, w->folds[f], w->fold_count[f], rest->epsilon, w->swap);
        frocc__interval *swapped = w->merged;
        w->merged = w->swap;
        w->swap = swapped;
    }
    return count;
}

/* What one direction takes from the score of one value: with agreement, all or nothing. */
static float cost_of(frocc_score score, const frocc__interval *list, size_t count, float epsilon,
                     float value) {
    if (score == FROCC_SCORE_CLOSENESS)
        return frocc__closeness_cost(list, count, epsilon, value);
    return frocc__contains(list, count, value) ? 0.0f : 1.0f;
}

/* Adds the costs of one slot, and puts its sketch of all rows where all has its next room. */
static void score_slot(const frocc__sketch *rest, const frocc__held *held, frocc_score score,
                       size_t slot, workspace *w, double *costs) {
    for (size_t f = 0; f < FOLDS; f++)
        sketch_fold(held, slot, f, rest->epsilon, w);
    for (size_t f = 0; f < FOLDS; f++) {
        size_t count = merge_without(rest, slot, f, w);
        for (size_t i = 0; i < held->n_rows && count > 0; i++)
            if (fold_of(held->hash[i]) == f)
                costs[i] += (double)cost_of(score, w->merged, count, rest->epsilon,
                                            held->values[i * held->n_slots + slot]);
    }
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
    if (rest->count[0] > 0)
        return true;
    for (size_t i = 1; i < held->n_rows; i++)
        if (fold_of(held->hash[i]) != fold_of(held->hash[0]))
            return true;
    return false;
}

static frocc_status score_held(const frocc__sketch *rest, const frocc__held *held,
                               frocc_score score, frocc__calibration *calibration) {
    workspace w;
    FROCC_TRY(make_workspace(rest, held, &w));
    double *costs = frocc__alloc(held->n_rows, sizeof(double));
    frocc_status status = costs != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    for (size_t s = 0; status == FROCC_OK && s < rest->n_slots; s++)
        score_slot(rest, held, score, s, &w, costs);
    if (status == FROCC_OK)
        status = tabulate(held, score, costs, calibration);
    frocc__free(costs);
    frocc__free(w.memory);
    frocc__free(w.sorted);
    return status;
}

frocc_status frocc__calibrate(const frocc__sketch *rest, const frocc__held *held, frocc_score score,
                              frocc__sketch *all, frocc__calibration *calibration) {
    *calibration = (frocc__calibration){0};
    frocc__sketch joined, tight;
    FROCC_TRY(frocc__sketch_copy(rest, rest->n_slots, rest->epsilon, &joined));
    frocc_status status = frocc__sketch_observe(&joined, held->values, held->n_rows);
    if (status == FROCC_OK)
        status = frocc__sketch_copy(&joined, joined.n_slots, joined.epsilon, &tight);
    frocc__sketch_free(&joined);
    FROCC_TRY(status);
    if (has_others(rest, held))
        status = score_held(rest, held, score, calibration);
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
