/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why a row scores low: for every feature, how much the score would rise if that feature alone had
 * another value, and which. All directions the feature takes part in have their say, so a value
 * that is unusual only beside the others is found as well as one that is unusual by itself.
 *
 * Which values are tried: with the linear kernel, those that bring the row into the middle of the
 * widest interval, or just into the nearest one, of the directions that cost most; with other
 * kernels, fixed steps towards the centre of the frame. O(d m) per row and value tried, of which
 * there are at most 48; of more than 1,024 features, 2 but for the 1,024 that promise most. The
 * best value of each feature is then rounded to the units of the data and the row scored with it,
 * O(d m) per feature: gains are what one gets, not what was hoped for.
 *
 * A value that no training row had is no advice. Where the extremes of features are known, values
 * stay within them, and are whole numbers where the extremes and the row's own are. Features of a
 * text column change together: the row gets another of its categories. A number that is missing is
 * proposed to be there, and the other way round.
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
#include "schema/schema.h"
#include "score/score.h"

/* Directions that propose values, the costliest ones of a feature. */
#define PROPOSERS 24

/* The middle of a direction's widest interval, and what is just inside of the nearest one. */
typedef struct target {
    float middle, inside;
} target;

/* The row to be explained. Arrays of m values, by direction. */
typedef struct subject {
    const frocc_model *model;
    float *w;         /* the directions, one after another */
    float *weight[2]; /* what they give to one feature, and to another; see look_at_feature */
    float *row;       /* prepared */
    double norm;
    float *dots;     /* <w, x> */
    uint32_t *costs; /* what each direction takes from the score */
    target *targets; /* where each that takes anything would take less */
    float *trial;    /* scratch */
    double *norms;
    double *own;              /* the row in the units of the data */
    frocc__extremes extremes; /* of no features where they are not known */
} subject;

static frocc_status subject_new(const frocc_model *model, subject *s) {
    size_t m = model->frame->n_blocks * FROCC_BLOCK;
    *s = (subject){
        .model = model,
        .w = frocc__alloc(model->frame->n_directions, model->frame->n_features * sizeof(float)),
        .weight = {frocc__alloc(m, sizeof(float)), frocc__alloc(m, sizeof(float))},
        .row = frocc__alloc(model->frame->n_features, sizeof(float)),
        .dots = frocc__alloc(m, sizeof(float)),
        .costs = frocc__alloc(m, sizeof(uint32_t)),
        .targets = frocc__alloc(m, sizeof(target)),
        .trial = frocc__alloc(m, sizeof(float)),
        .norms = frocc__alloc(m, sizeof(double)),
        .own = frocc__alloc(model->frame->n_features, sizeof(double))};
    if (s->own == NULL || s->w == NULL || s->weight[0] == NULL || s->weight[1] == NULL ||
        s->row == NULL || s->dots == NULL || s->costs == NULL || s->trial == NULL ||
        s->norms == NULL || s->targets == NULL)
        return FROCC_ERR_MEMORY;
    /* A model that allows for contamination does not judge by them, but has them. */
    frocc__bytes_in bytes = {model->counts, model->counts_size, false};
    if (frocc__model_counts(model) && frocc__has_extremes(model->frame))
        FROCC_TRY(frocc__extremes_read(&bytes, model->frame->n_features, &s->extremes));
    return frocc__directions_unpack(model->frame, 0, model->frame->n_directions, s->w);
}

static void subject_free(subject *s) {
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
    frocc__extremes_free(&s->extremes);
}

/* Takes feature j out of all directions, which lie far apart: many values of it will be tried. */
static void look_at_feature(const subject *s, int k, size_t j) {
    const frocc_frame *frame = s->model->frame;
    for (size_t i = 0; i < frame->n_directions; i++)
        s->weight[k][i] = s->w[i * frame->n_features + j];
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
static frocc_status find_targets(subject *s) {
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
        s->targets[i] = (target){widest.lo + 0.5f * (widest.hi - widest.lo),
                                 just_inside(list, count, s->dots[i])};
    }
    frocc__free(scratch);
    return FROCC_OK;
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
    return frame->transform.kernel == FROCC_KERNEL_LINEAR ? find_targets(s) : FROCC_OK;
}

/* A prepared feature that was looked at, as number 0 or 1, and by how much it is moved. */
typedef struct move {
    size_t feature;
    float step;
} move;

/* The same with the linear kernel, where most directions may not look at what is moved. */
static double linear_gain_of(const subject *s, const move *moves, size_t n_moves) {
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
static double gain_of(const subject *s, const move *moves, size_t n_moves) {
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
static float within(const subject *s, size_t j, float value) {
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

static void try_step(const subject *s, size_t j, float wanted, best *found) {
    const float step = within(s, j, s->row[j] + wanted) - s->row[j];
    if (step == 0.0f || !is_reachable(s->model->frame, j, s->row[j] + step))
        return;
    double gain = gain_of(s, &(move){j, step}, 1);
    if (gain > found->gain)
        *found = (best){gain, step};
}

/* The costliest directions that the feature takes part in; returns how many. */
static size_t find_proposers(const subject *s, size_t most, size_t proposers[PROPOSERS]) {
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

static best explain_feature(const subject *s, size_t j, size_t n_proposers) {
    best found = {0.0, 0.0f};
    look_at_feature(s, 0, j);
    if (s->model->frame->transform.kernel != FROCC_KERNEL_LINEAR) {
        static const float towards_centre[] = {-0.25f, -0.5f, -0.75f, -1.0f, -1.5f, -2.0f};
        for (size_t k = 0; k < sizeof towards_centre / sizeof *towards_centre; k++)
            try_step(s, j, towards_centre[k] * s->row[j], &found);
        return found;
    }
    size_t proposers[PROPOSERS];
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
static void find_ends(const subject *s, size_t j, double *low, double *high) {
    const frocc_frame *frame = s->model->frame;
    const frocc__ends *ends = &s->extremes.ends[j];
    const double first = (double)ends->low[0] + inexactness(frame, j, ends->low[0]);
    const double last = (double)ends->high[0] - inexactness(frame, j, ends->high[0]);
    const double a = original(frame, j, first < last ? first : (double)ends->low[0]);
    const double b = original(frame, j, first < last ? last : (double)ends->high[0]);
    *low = FROCC_MIN(a, b); /* a scale may be negative */
    *high = FROCC_MAX(a, b);
}

/* Whether a prepared value was a whole number, as far as float32 can tell. */
static bool was_whole(const frocc_frame *frame, size_t j, float value) {
    const double at = original(frame, j, (double)value);
    const double next = original(frame, j, (double)value + inexactness(frame, j, value));
    const double unsure = fabs(next - at) + 1e-12;
    return unsure < 0.01 && fabs(at - round(at)) <= unsure;
}

/* The values that are left of a feature are its smallest and largest two. */
static bool is_whole(const subject *s, size_t j) {
    const frocc__ends *ends = &s->extremes.ends[j];
    bool whole = s->own[j] == round(s->own[j]);
    for (int i = 0; i < 2 && whole; i++)
        whole = (isinf(ends->low[i]) || was_whole(s->model->frame, j, ends->low[i])) &&
                (isinf(ends->high[i]) || was_whole(s->model->frame, j, ends->high[i]));
    return whole;
}

/* A value to propose, in the units of the data. */
static double presentable(const subject *s, size_t j, float value) {
    double low, high, shown = original(s->model->frame, j, (double)value);
    if (s->extremes.n_features == 0)
        return shown;
    find_ends(s, j, &low, &high);
    if (is_whole(s, j))
        return FROCC_MIN(FROCC_MAX(round(shown), round(low)), round(high));
    return FROCC_MIN(FROCC_MAX(shown, low), high);
}

/* ---- What one really gets -------------------------------------------------------------------- */

/* Features that are worth scoring again; gains of further ones would not be looked at. */
#define MOST_SCORED 1024

/* A feature's value to try, in the units of the data, and what it is hoped to gain; and what goes
 * with it: features that are 0 then, such as the other categories, and one that is another. */
typedef struct proposal {
    double hope;
    size_t feature;
    double value;
    size_t first, count;
    size_t with;
    double with_value;
    bool has_with;
} proposal;

static int compare_hopes(const void *left, const void *right) {
    const proposal *a = left, *b = right;
    if (a->hope != b->hope)
        return a->hope < b->hope ? 1 : -1;
    return a->feature < b->feature ? -1 : 1;
}

static void propose_number(const subject *s, size_t j, size_t n_proposers, proposal *proposals,
                           size_t *count) {
    best found = explain_feature(s, j, n_proposers);
    double value = presentable(s, j, s->row[j] + found.step);
    if (found.gain > 0.0 && isfinite(value) && value != s->own[j])
        proposals[(*count)++] = (proposal){.hope = found.gain, .feature = j, .value = value};
}

/* A value as it is prepared, nearly. */
static double prepared(const frocc_frame *frame, size_t j, double value) {
    if (frame->shift != NULL)
        value = (value - frame->shift[j]) / frame->scale[j];
    return frame->asinh_shift != NULL
               ? (asinh(2.0 * value) - frame->asinh_shift[j]) / frame->asinh_scale[j]
               : value;
}

/* Another category of a text column, of those that training rows had; the last feature is for texts
 * that none of them had. */
static void propose_category(const subject *s, size_t first, size_t n_features, proposal *proposals,
                             size_t *count) {
    const frocc_frame *frame = s->model->frame;
    size_t own = first;
    while (own + 1 < first + n_features && s->own[own] == 0.0)
        own++;
    proposal found = {.value = 1.0, .first = first, .count = n_features};
    look_at_feature(s, 0, own);
    for (size_t j = first; j + 1 < first + n_features; j++) {
        look_at_feature(s, 1, j);
        const move moves[] = {{own, (float)prepared(frame, own, 0.0) - s->row[own]},
                              {j, (float)prepared(frame, j, 1.0) - s->row[j]}};
        const double gain = j == own ? 0.0 : gain_of(s, moves, 2);
        if (gain > found.hope) {
            found.hope = gain;
            found.feature = j;
        }
    }
    if (found.hope > 0.0)
        proposals[(*count)++] = found;
}

/* A number, and whether it is missing: with another value it is not missing, and is missing only
 * where its value is what stands for that. */
static void propose_told(const subject *s, size_t j, double filler, size_t n_proposers,
                         proposal *proposals, size_t *count) {
    const frocc_frame *frame = s->model->frame;
    const bool missing = s->own[j + 1] != 0.0;
    const double told = missing ? 0.0 : 1.0, value = missing ? s->own[j] : filler;
    const move moves[] = {{j, (float)prepared(frame, j, value) - s->row[j]},
                          {j + 1, (float)prepared(frame, j + 1, told) - s->row[j + 1]}};
    look_at_feature(s, 0, j);
    look_at_feature(s, 1, j + 1);
    const double gain = gain_of(s, moves, 2);
    if (gain > 0.0)
        proposals[(*count)++] = (proposal){.hope = gain,
                                           .feature = j + 1,
                                           .value = told,
                                           .with = j,
                                           .with_value = value,
                                           .has_with = true};
    if (!missing)
        propose_number(s, j, n_proposers, proposals, count);
}

/* A proposal for every feature or text column that has one, the most hopeful first; returns how
 * many. */
static size_t propose_all(const subject *s, size_t n_proposers, proposal *proposals) {
    const frocc_frame *frame = s->model->frame;
    const frocc_schema *schema = frame->schema;
    size_t count = 0, next = 0;
    for (size_t i = 0; schema != NULL && schema->columns != NULL && i < schema->n_columns; i++) {
        const struct frocc__column *column = &schema->columns[i];
        const size_t n_features = frocc__column_features(column);
        if (n_features < 2)
            continue;
        for (; next < column->first_feature; next++)
            propose_number(s, next, n_proposers, proposals, &count);
        if (column->text)
            propose_category(s, next, n_features, proposals, &count);
        else
            propose_told(s, next, column->filler, n_proposers, proposals, &count);
        next += n_features;
    }
    for (; next < frame->n_features; next++)
        propose_number(s, next, n_proposers, proposals, &count);
    qsort(proposals, count, sizeof *proposals, compare_hopes);
    return count;
}

/* The proposals worth scoring. Of very many features, one value each says which may be among them,
 * and only these are looked at closely. */
static size_t propose(const subject *s, proposal *proposals) {
    const bool is_wide = s->model->frame->n_features > MOST_SCORED;
    size_t count = propose_all(s, is_wide ? 1 : PROPOSERS, proposals), kept = 0;
    count = FROCC_MIN(count, (size_t)MOST_SCORED);
    if (!is_wide)
        return count;
    for (size_t i = 0; i < count; i++)
        if (proposals[i].count > 0 || proposals[i].has_with) /* of more than one feature */
            proposals[kept++] = proposals[i];
        else
            propose_number(s, proposals[i].feature, PROPOSERS, proposals, &kept);
    qsort(proposals, kept, sizeof *proposals, compare_hopes);
    return kept;
}

/* Scores the row with each of a few proposals instead of its own value; rows is scratch. */
static frocc_status score_moved(frocc_scorer *scorer, const double *row, size_t d,
                                const proposal *proposals, size_t count, double *rows,
                                double *scores) {
    for (size_t i = 0; i < count; i++) {
        memcpy(rows + i * d, row, d * sizeof(double));
        for (size_t j = 0; j < proposals[i].count; j++)
            rows[i * d + proposals[i].first + j] = 0.0;
        if (proposals[i].has_with)
            rows[i * d + proposals[i].with] = proposals[i].with_value;
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
    if (status == FROCC_OK) {
        unpack(row, s.own);
        status = look_at(&s);
    }
    if (status == FROCC_OK)
        status = explain_all(&s, row, gain, better);
    subject_free(&s);
    return status;
}

/* ---- What there was -------------------------------------------------------------------------- */

static double shown(const frocc_frame *frame, size_t j, float value) {
    const double at = original(frame, j, (double)value);
    return was_whole(frame, j, value) ? round(at) : at;
}

frocc_status frocc_model_feature_range(const frocc_model *model, size_t feature, double *low,
                                       double *high) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(low);
    FROCC_REQUIRE(high);
    const frocc_frame *frame = model->frame;
    if (feature >= frame->n_features)
        return frocc__fail(FROCC_ERR_ARGUMENT, "feature %zu (from 0) is asked for; there are %zu",
                           feature, frame->n_features);
    if (!frocc__model_counts(model) || !frocc__has_extremes(frame))
        return frocc__fail(FROCC_ERR_UNSUPPORTED, "the model does not know the ranges of features; "
                                                  "fit one of closeness with asinh scaling");
    frocc__extremes extremes;
    frocc__bytes_in bytes = {model->counts, model->counts_size, false};
    FROCC_TRY(frocc__extremes_read(&bytes, frame->n_features, &extremes));
    const double a = shown(frame, feature, extremes.ends[feature].low[0]);
    const double b = shown(frame, feature, extremes.ends[feature].high[0]);
    frocc__extremes_free(&extremes);
    *low = FROCC_MIN(a, b);
    *high = FROCC_MAX(a, b);
    return FROCC_OK;
}
