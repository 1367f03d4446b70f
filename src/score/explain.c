/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a row scores low: for every feature, how much the score would rise if that feature alone had
 * another value, and which. All directions the feature takes part in have their say, so a value
 * that is unusual only beside the others is found as well as one that is unusual by itself.
 *
 * Which values are tried: with the linear kernel, those that bring the row into the middle of the
 * widest interval, or just into the nearest one, of the directions that cost most; with other
 * kernels, fixed steps towards the centre of the frame. O(d m) per row and value tried, of which
 * there are at most 48. The best value of each feature is then rounded to the units of the data and
 * the row scored with it, O(d m) per feature: gains are what one gets, not what was hoped for.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/status.h"
#include "frame/directions.h"
#include "frame/whole_rows.h"
#include "model/model.h"
#include "project/drive.h"
#include "score/score.h"

/* Directions that propose values, the costliest ones of a feature. */
#define PROPOSERS 24

/* The row to be explained. Arrays of m values, by direction. */
typedef struct subject {
    const frocc_model *model;
    float *w;   /* the directions, one after another */
    float *row; /* prepared */
    double norm;
    float *dots;                /* <w, x> */
    uint32_t *costs;            /* what each direction takes from the score */
    frocc__interval *intervals; /* scratch for those of one direction */
    float *trial;               /* scratch */
    double *norms;
} subject;

static frocc_status subject_new(const frocc_model *model, subject *s) {
    size_t m = model->frame->n_blocks * FROCC_BLOCK;
    *s = (subject){
        .model = model,
        .w = frocc__alloc(model->frame->n_directions, model->frame->n_features * sizeof(float)),
        .row = frocc__alloc(model->frame->n_features, sizeof(float)),
        .dots = frocc__alloc(m, sizeof(float)),
        .costs = frocc__alloc(m, sizeof(uint32_t)),
        .intervals = frocc__alloc(frocc__model_counts(model) ? FROCC_MOST_CELLS : 0,
                                  sizeof(frocc__interval)),
        .trial = frocc__alloc(m, sizeof(float)),
        .norms = frocc__alloc(m, sizeof(double))};
    if (s->w == NULL || s->row == NULL || s->dots == NULL || s->costs == NULL || s->trial == NULL ||
        s->norms == NULL || s->intervals == NULL)
        return FROCC_ERR_MEMORY;
    return frocc__directions_unpack(model->frame, 0, model->frame->n_directions, s->w);
}

static void subject_free(subject *s) {
    frocc__free(s->w);
    frocc__free(s->row);
    frocc__free(s->dots);
    frocc__free(s->costs);
    frocc__free(s->intervals);
    frocc__free(s->trial);
    frocc__free(s->norms);
}

/* Feature j of direction i. */
static float component(const subject *s, size_t i, size_t j) {
    return s->w[i * s->model->frame->n_features + j];
}

/* Turns dot products in trial into kernel values; norm is that of the row they belong to. */
static void transform(const subject *s, double norm) {
    const frocc_frame *frame = s->model->frame;
    for (size_t i = 0; frame->w_norms != NULL && i < frame->n_directions; i++)
        s->norms[i] = norm + frame->w_norms[i];
    for (size_t first = 0; first < frame->n_directions; first += FROCC_TILE)
        frame->kernels->transform(&frame->transform, s->norms + first, s->trial + first,
                                  FROCC_MIN(frame->n_directions - first, (size_t)FROCC_TILE));
}

static void custom_values(const subject *s) {
    const frocc_frame *frame = s->model->frame;
    for (size_t i = 0; i < frame->n_directions; i++)
        s->trial[i] = frame->kernel_fn(frame->kernel_context, s->row,
                                       frame->w_rows + i * frame->n_features, frame->n_features);
}

/* The costs as the row is, and all that they are computed from. */
static frocc_status look_at(subject *s) {
    const frocc_frame *frame = s->model->frame;
    for (size_t j = 0; j < frame->n_features; j++)
        s->norm = fma((double)s->row[j], (double)s->row[j], s->norm);
    FROCC_TRY(frocc__project_dots(frame, s->row, s->dots));
    memcpy(s->trial, s->dots, frame->n_directions * sizeof(float));
    if (frame->transform.kernel == FROCC_KERNEL_CUSTOM)
        custom_values(s);
    else
        transform(s, s->norm);
    for (size_t i = 0; i < frame->n_directions; i++)
        s->costs[i] = frocc__direction_cost(s->model, i, s->trial[i]);
    return FROCC_OK;
}

/* What all directions together would take less if prepared feature j were moved by step. */
static double gain_of(const subject *s, size_t j, float step) {
    const frocc_frame *frame = s->model->frame;
    float moved = s->row[j] + step, before = s->row[j];
    double norm = s->norm - (double)before * before + (double)moved * moved;
    if (frame->transform.kernel == FROCC_KERNEL_CUSTOM) {
        s->row[j] = moved;
        custom_values(s);
        s->row[j] = before;
    } else {
        for (size_t i = 0; i < frame->n_directions; i++)
            s->trial[i] = fmaf(component(s, i, j), step, s->dots[i]);
        transform(s, norm);
    }
    double gain = 0.0;
    for (size_t i = 0; i < frame->n_directions; i++) {
        bool concerned =
            frame->transform.kernel != FROCC_KERNEL_LINEAR || component(s, i, j) != 0.0f;
        if (concerned)
            gain += (double)s->costs[i] - (double)frocc__direction_cost(s->model, i, s->trial[i]);
    }
    return gain;
}

typedef struct best {
    double gain;
    float step;
} best;

/* Whether some value in the units of the data is prepared to this one, and rounding does not make
 * it too large. */
static bool is_reachable(const frocc_frame *frame, size_t j, float value) {
    const double largest_asinh = 42.0; /* asinh(2 z) of the largest z that is told apart */
    if (frame->asinh_shift == NULL)
        return fabsf(value) <= 0.5f * FROCC_LARGEST_VALUE;
    return fabs((double)value * frame->asinh_scale[j] + frame->asinh_shift[j]) <= largest_asinh;
}

static void try_step(const subject *s, size_t j, float step, best *found) {
    if (step == 0.0f || !is_reachable(s->model->frame, j, s->row[j] + step))
        return;
    double gain = gain_of(s, j, step);
    if (gain > found->gain)
        *found = (best){gain, step};
}

/* The costliest directions that feature j takes part in; returns how many. */
static size_t find_proposers(const subject *s, size_t j, size_t proposers[PROPOSERS]) {
    const frocc_frame *frame = s->model->frame;
    size_t count = 0;
    for (size_t i = 0; i < frame->n_directions; i++) {
        if (s->costs[i] == 0 || component(s, i, j) == 0.0f)
            continue;
        size_t at = count < PROPOSERS ? count++ : PROPOSERS;
        for (; at > 0 && s->costs[proposers[at - 1]] < s->costs[i]; at--)
            if (at < PROPOSERS)
                proposers[at] = proposers[at - 1];
        if (at < PROPOSERS)
            proposers[at] = i;
    }
    return count;
}

/* A value a little inside the interval nearest to value, or that interval's only one. */
static float just_inside(const frocc__interval *list, size_t count, float value) {
    ptrdiff_t at = frocc__find(list, count, value);
    if (at < 0)
        return list[0].lo + 0.05f * (list[0].hi - list[0].lo);
    size_t next = (size_t)at + 1;
    if (next < count && list[next].lo - value < value - list[at].hi)
        return list[next].lo + 0.05f * (list[next].hi - list[next].lo);
    return list[at].hi - 0.05f * (list[at].hi - list[at].lo);
}

static best explain_feature(const subject *s, size_t j) {
    best found = {0.0, 0.0f};
    const frocc_model *model = s->model;
    if (model->frame->transform.kernel != FROCC_KERNEL_LINEAR) {
        static const float towards_centre[] = {-0.25f, -0.5f, -0.75f, -1.0f, -1.5f, -2.0f};
        for (size_t k = 0; k < sizeof towards_centre / sizeof *towards_centre; k++)
            try_step(s, j, towards_centre[k] * s->row[j], &found);
        return found;
    }
    size_t proposers[PROPOSERS];
    size_t count = find_proposers(s, j, proposers);
    for (size_t k = 0; k < count; k++) {
        size_t i = proposers[k];
        float weight = component(s, i, j);
        size_t n_intervals;
        const frocc__interval *list = frocc__model_list(model, i, s->intervals, &n_intervals);
        const frocc__interval widest = frocc__widest(list, n_intervals);
        float middle = widest.lo + 0.5f * (widest.hi - widest.lo);
        try_step(s, j, (middle - s->dots[i]) / weight, &found);
        try_step(s, j, (just_inside(list, n_intervals, s->dots[i]) - s->dots[i]) / weight, &found);
    }
    return found;
}

/* A prepared value of feature j in the units it came in. */
static double original(const frocc_frame *frame, size_t j, double value) {
    if (frame->asinh_shift != NULL)
        value = sinh(value * frame->asinh_scale[j] + frame->asinh_shift[j]) / 2.0;
    return frame->shift != NULL ? value * frame->scale[j] + frame->shift[j] : value;
}

/* ---- What one really gets -------------------------------------------------------------------- */

/* Features that are worth scoring again; gains of further ones would not be looked at. */
#define MOST_SCORED 1024

/* A feature's value to try, in the units of the data, and what it is hoped to gain. */
typedef struct proposal {
    double hope;
    size_t feature;
    double value;
} proposal;

static int compare_hopes(const void *left, const void *right) {
    const proposal *a = left, *b = right;
    if (a->hope != b->hope)
        return a->hope < b->hope ? 1 : -1;
    return a->feature < b->feature ? -1 : 1;
}

/* A proposal for every feature that has one, the most hopeful first; returns how many. */
static size_t propose(const subject *s, proposal *proposals) {
    const frocc_frame *frame = s->model->frame;
    size_t count = 0;
    for (size_t j = 0; j < frame->n_features; j++) {
        best found = explain_feature(s, j);
        double value = original(frame, j, (double)s->row[j] + (double)found.step);
        if (found.gain > 0.0 && isfinite(value))
            proposals[count++] = (proposal){found.gain, j, value};
    }
    qsort(proposals, count, sizeof *proposals, compare_hopes);
    return FROCC_MIN(count, (size_t)MOST_SCORED);
}

/* Scores the row with each of a few proposals instead of its own value; rows is scratch. */
static frocc_status score_moved(frocc_scorer *scorer, const double *row, size_t d,
                                const proposal *proposals, size_t count, double *rows,
                                double *scores) {
    for (size_t i = 0; i < count; i++) {
        memcpy(rows + i * d, row, d * sizeof(double));
        rows[i * d + proposals[i].feature] = proposals[i].value;
    }
    frocc_rows moved = frocc_rows_f64(rows, count, d);
    return frocc_scorer_score(scorer, &moved, scores);
}

/* The row's own values, in double and dense; -0, which a sparse row may lack, becomes +0. */
static void unpack(const frocc_rows *rows, double *values) {
    frocc__row row = frocc__rows_at(rows, 0);
    for (size_t i = 0; i < row.count; i++)
        values[row.columns != NULL ? (size_t)row.columns[i] : i] =
            frocc__rows_entry(rows, row.first + i) + 0.0;
}

/* Keeps the proposals that raise the score; other features keep their own value, in better. */
static frocc_status keep_gains(frocc_scorer *scorer, const proposal *proposals, size_t count,
                               size_t d, double *scratch, double *gain, double *better) {
    double before, after[FROCC_PANEL];
    double *row = scratch, *rows = scratch + d;
    memcpy(row, better, d * sizeof(double));
    frocc_rows own = frocc_rows_f64(row, 1, d);
    FROCC_TRY(frocc_scorer_score(scorer, &own, &before));
    for (size_t first = 0; first < count; first += FROCC_PANEL) {
        size_t some = FROCC_MIN(count - first, (size_t)FROCC_PANEL);
        FROCC_TRY(score_moved(scorer, row, d, proposals + first, some, rows, after));
        for (size_t i = 0; i < some; i++) {
            const proposal *p = &proposals[first + i];
            if (after[i] > before) {
                gain[p->feature] = after[i] - before;
                better[p->feature] = p->value;
            }
        }
    }
    return FROCC_OK;
}

static frocc_status explain_all(const subject *s, const frocc_rows *row, double *gain,
                                double *better) {
    const size_t d = s->model->frame->n_features;
    proposal *proposals = frocc__alloc(d, sizeof *proposals);
    double *scratch = frocc__alloc(d, (FROCC_PANEL + 3) * sizeof(double));
    frocc_scorer *scorer = NULL;
    frocc_status status = FROCC_ERR_MEMORY;
    if (proposals != NULL && scratch != NULL)
        status = frocc_scorer_new(s->model, 1, &scorer);
    if (status == FROCC_OK) {
        /* On failure the caller's arrays stay as they are. */
        double *gains = scratch, *values = scratch + d;
        unpack(row, values);
        status =
            keep_gains(scorer, proposals, propose(s, proposals), d, scratch + 2 * d, gains, values);
        if (status == FROCC_OK) {
            memcpy(gain, gains, d * sizeof(double));
            memcpy(better, values, d * sizeof(double));
        }
    }
    frocc_scorer_free(scorer);
    frocc__free(proposals);
    frocc__free(scratch);
    return status;
}

frocc_status frocc_model_explain(const frocc_model *model, const frocc_rows *row, double *gain,
                                 double *better) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(row);
    FROCC_REQUIRE(gain);
    FROCC_REQUIRE(better);
    FROCC_TRY(frocc__rows_check(row, model->frame->n_features));
    if (row->n_rows != 1)
        return frocc__fail(FROCC_ERR_SHAPE, "one row is explained at a time; there are %zu",
                           row->n_rows);
    subject s;
    frocc_status status = subject_new(model, &s);
    if (status == FROCC_OK && !frocc__frame_prepare(model->frame, row, 0, s.row))
        status = frocc__rows_failure(row, 0);
    if (status == FROCC_OK)
        status = look_at(&s);
    if (status == FROCC_OK)
        status = explain_all(&s, row, gain, better);
    subject_free(&s);
    return status;
}
