/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A row to be explained, and what other values of its features would gain: O(m) a value, or O(d m)
 * with the caller's own kernel.
 */
#include "score/subject.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "frame/directions.h"
#include "frame/whole_rows.h"
#include "score/score.h"

frocc_status frocc__subject_new(const frocc_model *model, frocc__subject *s) {
    size_t m = model->frame->n_blocks * FROCC_BLOCK;
    *s = (frocc__subject){
        .model = model,
        .w = frocc__alloc(model->frame->n_directions, model->frame->n_features * sizeof(float)),
        .weight = {frocc__alloc(m, sizeof(float)), frocc__alloc(m, sizeof(float))},
        .row = frocc__alloc(model->frame->n_features, sizeof(float)),
        .dots = frocc__alloc(m, sizeof(float)),
        .costs = frocc__alloc(m, sizeof(uint32_t)),
        .targets = frocc__alloc(m, sizeof(frocc__target_value)),
        .trial = frocc__alloc(m, sizeof(float)),
        .norms = frocc__alloc(m, sizeof(double)),
        .own = frocc__alloc(model->frame->columns.n_inputs, sizeof(double)),
        .ranks = frocc__alloc(model->frame->columns.n_codes, sizeof(uint32_t))};
    if (s->own == NULL || s->w == NULL || s->weight[0] == NULL || s->weight[1] == NULL ||
        s->row == NULL || s->dots == NULL || s->costs == NULL || s->trial == NULL ||
        s->norms == NULL || s->targets == NULL || s->ranks == NULL)
        return FROCC_ERR_MEMORY;
    /* A model that allows for contamination does not judge by them, but has them. */
    frocc__bytes_in bytes = {model->counts, model->counts_size, false};
    if (frocc__model_counts(model) && frocc__has_extremes(model->frame))
        FROCC_TRY(frocc__extremes_read(&bytes, model->frame->columns.n_inputs, &s->extremes));
    return frocc__directions_unpack(model->frame, 0, model->frame->n_directions, s->w);
}

void frocc__subject_free(frocc__subject *s) {
    frocc__free(s->w);
    frocc__free(s->weight[0]);
    frocc__free(s->weight[1]);
    frocc__free(s->row);
    frocc__free(s->dots);
    frocc__free(s->costs);
    frocc__free(s->targets);
    frocc__free(s->trial);
    frocc__free(s->norms);
    frocc__free(s->own);
    frocc__free(s->ranks);
    frocc__extremes_free(&s->extremes);
}

/* Takes feature j out of all directions, which lie far apart: many values of it will be tried. */
void frocc__subject_weigh(const frocc__subject *s, int k, size_t j) {
    const frocc_frame *frame = s->model->frame;
    for (size_t i = 0; i < frame->n_directions; i++)
        s->weight[k][i] = s->w[i * frame->n_features + j];
}

/* Turns dot products in trial into kernel values; norm is that of the row they belong to. */
static void transform(const frocc__subject *s, double norm) {
    const frocc_frame *frame = s->model->frame;
    for (size_t i = 0; frame->w_norms != NULL && i < frame->n_directions; i++)
        s->norms[i] = norm + frame->w_norms[i];
    for (size_t first = 0; first < frame->n_directions; first += FROCC_TILE)
        frame->kernels->transform(&frame->transform, s->norms + first, s->trial + first,
                                  FROCC_MIN(frame->n_directions - first, (size_t)FROCC_TILE));
}

static void custom_values(const frocc__subject *s) {
    const frocc_frame *frame = s->model->frame;
    for (size_t i = 0; i < frame->n_directions; i++)
        s->trial[i] = frame->kernel_fn(frame->kernel_context, s->row,
                                       frame->w_rows + i * frame->n_features, frame->n_features);
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

/* Looks up where each direction that takes anything from the score would take less. */
static frocc_status find_targets(frocc__subject *s) {
    const frocc_model *model = s->model;
    frocc__interval *scratch =
        frocc__alloc(frocc__model_counts(model) ? FROCC_MOST_CELLS : 0, sizeof *scratch);
    if (scratch == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < model->frame->n_directions; i++) {
        if (s->costs[i] == 0)
            continue;
        size_t count;
        const frocc__interval *list = frocc__model_list(model, i, scratch, &count);
        const frocc__interval widest = frocc__widest(list, count);
        s->targets[i] = (frocc__target_value){widest.lo + 0.5f * (widest.hi - widest.lo),
                                              just_inside(list, count, s->dots[i])};
    }
    frocc__free(scratch);
    return FROCC_OK;
}

/* The costs as the row is, and all that they are computed from. */
frocc_status frocc__subject_begin(frocc__subject *s) {
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
    return frame->transform.kernel == FROCC_KERNEL_LINEAR ? find_targets(s) : FROCC_OK;
}

/* The same with the linear kernel, where most directions may not look at what is moved. */
static double linear_gain_of(const frocc__subject *s, const frocc__move *moves, size_t n_moves) {
    double gain = 0.0;
    for (size_t i = 0; i < s->model->frame->n_directions; i++) {
        if (s->weight[0][i] == 0.0f && (n_moves == 1 || s->weight[1][i] == 0.0f))
            continue;
        float value = s->dots[i];
        for (size_t k = 0; k < n_moves; k++)
            value = fmaf(s->weight[k][i], moves[k].step, value);
        gain += (double)s->costs[i] - (double)frocc__direction_cost(s->model, i, value);
    }
    return gain;
}

/* What all directions together would take less if one or two prepared features were moved. */
double frocc__gain_of(const frocc__subject *s, const frocc__move *moves, size_t n_moves) {
    const frocc_frame *frame = s->model->frame;
    if (frame->transform.kernel == FROCC_KERNEL_LINEAR)
        return linear_gain_of(s, moves, n_moves);
    const bool is_custom = frame->transform.kernel == FROCC_KERNEL_CUSTOM;
    double norm = s->norm;
    float before[2] = {0.0f, 0.0f};
    memcpy(s->trial, s->dots, frame->n_directions * sizeof(float));
    for (size_t k = 0; k < n_moves; k++) {
        before[k] = s->row[moves[k].feature];
        const float moved = before[k] + moves[k].step;
        norm += (double)moved * moved - (double)before[k] * before[k];
        for (size_t i = 0; i < frame->n_directions && !is_custom; i++)
            s->trial[i] = fmaf(s->weight[k][i], moves[k].step, s->trial[i]);
        s->row[moves[k].feature] = moved;
    }
    if (is_custom)
        custom_values(s);
    else
        transform(s, norm);
    for (size_t k = 0; k < n_moves; k++)
        s->row[moves[k].feature] = before[k];
    double gain = 0.0;
    for (size_t i = 0; i < frame->n_directions; i++)
        gain += (double)s->costs[i] - (double)frocc__direction_cost(s->model, i, s->trial[i]);
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

/* Within what training rows had or, where that is not known, what the scaling makes of rows as they
 * usually are. */
static float within(const frocc__subject *s, size_t j, float value) {
    const frocc_scaling scaling = s->model->frame->scaling;
    if (s->extremes.n_features > 0) {
        const frocc__ends *ends = &s->extremes.ends[j];
        return FROCC_MIN(FROCC_MAX(value, ends->low[0]), ends->high[0]);
    }
    if (scaling == FROCC_SCALING_NONE || scaling == FROCC_SCALING_GIVEN)
        return value;
    const float low = scaling == FROCC_SCALING_MINMAX ? 0.0f : -8.0f; /* deviations */
    const float high = scaling == FROCC_SCALING_MINMAX ? 1.0f : 8.0f;
    return FROCC_MIN(FROCC_MAX(value, low), high);
}

static void try_step(const frocc__subject *s, size_t j, float wanted, best *found) {
    const float step = within(s, j, s->row[j] + wanted) - s->row[j];
    if (step == 0.0f || !is_reachable(s->model->frame, j, s->row[j] + step))
        return;
    double gain = frocc__gain_of(s, &(frocc__move){j, step}, 1);
    if (gain > found->gain)
        *found = (best){gain, step};
}

/* The costliest directions that the feature takes part in; returns how many. */
static size_t find_proposers(const frocc__subject *s, size_t most,
                             size_t proposers[FROCC__PROPOSERS]) {
    const frocc_frame *frame = s->model->frame;
    size_t count = 0;
    for (size_t i = 0; i < frame->n_directions; i++) {
        if (s->costs[i] == 0 || s->weight[0][i] == 0.0f)
            continue;
        size_t at = count < most ? count++ : most;
        for (; at > 0 && s->costs[proposers[at - 1]] < s->costs[i]; at--)
            if (at < most)
                proposers[at] = proposers[at - 1];
        if (at < most)
            proposers[at] = i;
    }
    return count;
}

static best explain_feature(const frocc__subject *s, size_t j, size_t n_proposers) {
    best found = {0.0, 0.0f};
    frocc__subject_weigh(s, 0, j);
    if (s->model->frame->transform.kernel != FROCC_KERNEL_LINEAR) {
        static const float towards_centre[] = {-0.25f, -0.5f, -0.75f, -1.0f, -1.5f, -2.0f};
        for (size_t k = 0; k < sizeof towards_centre / sizeof *towards_centre; k++)
            try_step(s, j, towards_centre[k] * s->row[j], &found);
        return found;
    }
    size_t proposers[FROCC__PROPOSERS];
    size_t count = find_proposers(s, n_proposers, proposers);
    for (size_t k = 0; k < count; k++) {
        size_t i = proposers[k];
        const float weight = s->weight[0][i];
        try_step(s, j, (s->targets[i].middle - s->dots[i]) / weight, &found);
        try_step(s, j, (s->targets[i].inside - s->dots[i]) / weight, &found);
    }
    return found;
}

/* A prepared value of feature j in the units it came in. */
static double original(const frocc_frame *frame, size_t j, double value) {
    if (frame->asinh_shift != NULL)
        value = sinh(value * frame->asinh_scale[j] + frame->asinh_shift[j]) / 2.0;
    return frame->shift != NULL ? value * frame->scale[j] + frame->shift[j] : value;
}

/* By how much a prepared value may be off: asinh is within 2 ulp of what is then shifted. */
static double inexactness(const frocc_frame *frame, size_t j, float value) {
    const double shifted =
        frame->asinh_shift != NULL ? frame->asinh_shift[j] / frame->asinh_scale[j] : 0.0;
    return 0x1p-21 * (fabs((double)value) + fabs(shifted));
}

/* The ends of what training rows had, certainly inside where there is room. */
static void find_ends(const frocc__subject *s, size_t j, double *low, double *high) {
    const frocc_frame *frame = s->model->frame;
    const frocc__ends *ends = &s->extremes.ends[j];
    const double first = (double)ends->low[0] + inexactness(frame, j, ends->low[0]);
    const double last = (double)ends->high[0] - inexactness(frame, j, ends->high[0]);
    const double a = original(frame, j, first < last ? first : (double)ends->low[0]);
    const double b = original(frame, j, first < last ? last : (double)ends->high[0]);
    *low = FROCC_MIN(a, b); /* a scale may be negative */
    *high = FROCC_MAX(a, b);
}

/* How far a prepared value, in the units it came in, may be from the one that was prepared. */
static double uncertainty(const frocc_frame *frame, size_t j, float value) {
    const double at = original(frame, j, (double)value);
    return fabs(original(frame, j, (double)value + inexactness(frame, j, value)) - at) + 1e-12;
}

/* Whether a prepared value may have been a whole number. */
static bool was_whole(const frocc_frame *frame, size_t j, float value) {
    const double at = original(frame, j, (double)value);
    return fabs(at - round(at)) <= uncertainty(frame, j, value);
}

/* Whether training rows had whole numbers: the values that are left of a feature are its smallest
 * and largest two. */
static bool is_whole(const frocc__subject *s, size_t j) {
    const frocc__ends *ends = &s->extremes.ends[j];
    bool whole = true;
    for (int i = 0; i < 2 && whole; i++)
        whole = (isinf(ends->low[i]) || was_whole(s->model->frame, j, ends->low[i])) &&
                (isinf(ends->high[i]) || was_whole(s->model->frame, j, ends->high[i]));
    return whole;
}

/* Whether the whole number is nearly as good. A column of fractions may end at whole numbers, and
 * then what is usual may lie between two. */
static bool is_as_good(const frocc__subject *s, size_t j, double whole, double gain) {
    const frocc__move move = {j, (float)frocc__prepared(s->model->frame, j, whole) - s->row[j]};
    return s->own[j] == round(s->own[j]) || frocc__gain_of(s, &move, 1) >= 0.9 * gain;
}

bool frocc__is_constant(const frocc__subject *s, size_t j) {
    return s->extremes.n_features > 0 && s->extremes.ends[j].low[0] == s->extremes.ends[j].high[0];
}

double frocc__best_value(const frocc__subject *s, size_t j, size_t n_proposers, double *value) {
    const best found = explain_feature(s, j, n_proposers);
    double low, high, whole, shown = original(s->model->frame, j, (double)(s->row[j] + found.step));
    *value = shown;
    if (s->extremes.n_features == 0)
        return found.gain;
    if (frocc__is_constant(s, j)) {
        *value = frocc__shown_value(s->model->frame, j, s->extremes.ends[j].low[0]);
        return found.gain;
    }
    find_ends(s, j, &low, &high);
    *value = FROCC_MIN(FROCC_MAX(shown, low), high);
    whole = FROCC_MIN(FROCC_MAX(round(shown), round(low)), round(high)) + 0.0; /* no -0 */
    if (found.gain > 0.0 && is_whole(s, j) && is_as_good(s, j, whole, found.gain))
        *value = whole;
    return found.gain;
}

double frocc__given_value(const frocc__subject *s, size_t j, float value) {
    const double shown = frocc__shown_value(s->model->frame, j, value);
    double low, high;
    if (s->extremes.n_features == 0 || frocc__is_constant(s, j))
        return shown;
    find_ends(s, j, &low, &high);
    return is_whole(s, j) ? FROCC_MIN(FROCC_MAX(round(shown), round(low)), round(high)) + 0.0
                          : FROCC_MIN(FROCC_MAX(shown, low), high);
}

double frocc__prepared(const frocc_frame *frame, size_t j, double value) {
    if (frame->shift != NULL)
        value = (value - frame->shift[j]) / frame->scale[j];
    return frame->asinh_shift != NULL
               ? (asinh(2.0 * value) - frame->asinh_shift[j]) / frame->asinh_scale[j]
               : value;
}

double frocc__shown_value(const frocc_frame *frame, size_t j, float value) {
    const double at = original(frame, j, (double)value), unsure = uncertainty(frame, j, value);
    double parts = 1.0; /* of 1 that can be told apart */
    if (fabs(at - round(at)) > unsure)
        while (10.0 * parts * unsure <= 1.0)
            parts *= 10.0;
    return round(at * parts) / parts + 0.0; /* no -0 */
}
