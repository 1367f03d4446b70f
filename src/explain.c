/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a row scores low: for every feature, how much the score would rise if that feature alone had
 * another value, and which. All directions the feature takes part in have their say, so a value
 * that is unusual only beside the others is found as well as one that is unusual by itself.
 *
 * Which values are tried: with the linear kernel, those that bring the row into the middle of the
 * widest interval, or just into the nearest one, of the directions that cost most; with other
 * kernels, fixed steps towards the centre of the frame. O(d m) per row and value tried, of which
 * there are at most 48.
 */
#include <math.h>
#include <string.h>

#include "closeness.h"
#include "flow.h"
#include "mem.h"
#include "model.h"
#include "score.h"
#include "status.h"

/* Directions that propose values, the costliest ones of a feature. */
#define PROPOSERS 24

/* The row to be explained. Arrays of m values, by direction. */
typedef struct subject {
    const frocc_model *model;
    float *row; /* prepared */
    double norm;
    float *dots;  /* <w, x> */
    float *costs; /* what each direction takes from the score */
    float *trial; /* scratch */
    double *norms;
} subject;

static frocc_status subject_new(const frocc_model *model, subject *s) {
    size_t m = model->frame->n_blocks * FROCC_BLOCK;
    *s = (subject){.model = model,
                   .row = frocc__alloc(model->frame->n_features, sizeof(float)),
                   .dots = frocc__alloc(m, sizeof(float)),
                   .costs = frocc__alloc(m, sizeof(float)),
                   .trial = frocc__alloc(m, sizeof(float)),
                   .norms = frocc__alloc(m, sizeof(double))};
    return s->row != NULL && s->dots != NULL && s->costs != NULL && s->trial != NULL &&
                   s->norms != NULL
               ? FROCC_OK
               : FROCC_ERR_MEMORY;
}

static void subject_free(subject *s) {
    frocc__free(s->row);
    frocc__free(s->dots);
    frocc__free(s->costs);
    frocc__free(s->trial);
    frocc__free(s->norms);
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
static void look_at(subject *s) {
    const frocc_frame *frame = s->model->frame;
    for (size_t j = 0; j < frame->n_features; j++)
        s->norm = fma((double)s->row[j], (double)s->row[j], s->norm);
    frame->kernels->project_row(s->row, NULL, frame->n_features, frame->w, frame->n_features,
                                frame->n_blocks, s->dots);
    memcpy(s->trial, s->dots, frame->n_directions * sizeof(float));
    if (frame->transform.kernel == FROCC_KERNEL_CUSTOM)
        custom_values(s);
    else
        transform(s, s->norm);
    for (size_t i = 0; i < frame->n_directions; i++)
        s->costs[i] = frocc__direction_cost(s->model, i, s->trial[i]);
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
            s->trial[i] = fmaf(frocc__frame_component(frame, i, j), step, s->dots[i]);
        transform(s, norm);
    }
    double gain = 0.0;
    for (size_t i = 0; i < frame->n_directions; i++) {
        bool concerned = frame->transform.kernel != FROCC_KERNEL_LINEAR ||
                         frocc__frame_component(frame, i, j) != 0.0f;
        if (concerned)
            gain += (double)s->costs[i] - (double)frocc__direction_cost(s->model, i, s->trial[i]);
    }
    return gain;
}

typedef struct best {
    double gain;
    float step;
} best;

/* Whether some value in the units of the data is prepared to this one. */
static bool is_reachable(const frocc_frame *frame, size_t j, float value) {
    const double largest_bent = 42.0; /* asinh(2 z) of the largest z that is told apart */
    if (frame->bent_shift == NULL)
        return fabsf(value) <= FROCC_LARGEST_VALUE;
    return fabs((double)value * frame->bent_scale[j] + frame->bent_shift[j]) <= largest_bent;
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
        if (s->costs[i] <= 0.0f || frocc__frame_component(frame, i, j) == 0.0f)
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
static float just_inside(const frocc__sketch *sketch, size_t direction, float value) {
    const frocc__interval *list = frocc__slot(sketch, direction);
    size_t count = sketch->count[direction];
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
        float weight = frocc__frame_component(model->frame, i, j);
        frocc__interval widest =
            frocc__widest(frocc__slot(&model->sketch, i), model->sketch.count[i]);
        float middle = widest.lo + 0.5f * (widest.hi - widest.lo);
        try_step(s, j, (middle - s->dots[i]) / weight, &found);
        try_step(s, j, (just_inside(&model->sketch, i, s->dots[i]) - s->dots[i]) / weight, &found);
    }
    return found;
}

/* A prepared value of feature j in the units it came in. */
static double original(const frocc_frame *frame, size_t j, double value) {
    if (frame->bent_shift != NULL)
        value = sinh(value * frame->bent_scale[j] + frame->bent_shift[j]) / 2.0;
    return frame->shift != NULL ? value * frame->scale[j] + frame->shift[j] : value;
}

static void explain_all(const subject *s, double *gain, double *better) {
    const frocc_frame *frame = s->model->frame;
    for (size_t j = 0; j < frame->n_features; j++) {
        best found = explain_feature(s, j);
        gain[j] = found.gain / (double)frame->n_directions;
        better[j] = original(frame, j, (double)s->row[j] + (double)found.step);
    }
}

frocc_status frocc_model_explain(const frocc_model *model, const frocc_rows *row, double *gain,
                                 double *better) {
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(row);
    FROCC_REQUIRE(gain);
    FROCC_REQUIRE(better);
    FROCC_TRY(frocc__rows_check(row, model->frame->n_features));
    if (row->n_rows != 1)
        return frocc__fail(FROCC_ERR_SHAPE, "one row is explained at a time; there are %zu",
                           row->n_rows);
    if (frocc__model_is_compact(model))
        return frocc__fail(FROCC_ERR_UNSUPPORTED, "a compact model cannot explain; use the model "
                                                  "it was made from");
    subject s;
    frocc_status status = subject_new(model, &s);
    if (status == FROCC_OK && !frocc__frame_prepare(model->frame, row, 0, s.row))
        status = frocc__rows_failure(row, 0);
    if (status == FROCC_OK) {
        look_at(&s);
        explain_all(&s, gain, better);
    }
    subject_free(&s);
    return status;
}
