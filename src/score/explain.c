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
 * stay within them, and are whole numbers where the extremes are and that is as good. An hour is
 * two features, of which the first has the gain.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "base/status.h"
#include "project/drive.h"
#include "schema/schema.h"
#include "schema/time_stamp.h"
#include "score/score.h"
#include "score/subject.h"

/* Features that are worth scoring again; gains of further ones would not be looked at. */
#define MOST_SCORED 1024

/* A feature's value to try, in the units of the data, and what it is hoped to gain; and what goes
 * with it: one that is another. */
typedef struct proposal {
    double hope;
    size_t feature;
    double value;
    size_t with;
    double with_value;
    bool has_with;
    bool is_settled; /* it is the one to try, however many features there are */
} proposal;

static int compare_hopes(const void *left, const void *right) {
    const proposal *a = left, *b = right;
    if (a->hope != b->hope)
        return a->hope < b->hope ? 1 : -1;
    if (a->feature != b->feature)
        return a->feature < b->feature ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static frocc_feature_kind kind_of(const frocc__subject *s, size_t j) {
    frocc_feature_info info = {.struct_size = sizeof info};
    const frocc_schema *schema = s->model->frame->schema;
    if (schema != NULL)
        (void)frocc_schema_feature(schema, j, &info); /* there is such a feature */
    return info.kind;
}

/* Whether there is no value, and its state is what says so. */
static bool is_missing(const frocc__subject *s, size_t j) {
    const frocc_schema *schema = s->model->frame->schema;
    const size_t column = schema != NULL ? frocc__schema_column_of(schema, j) : 0;
    if (schema == NULL || schema->columns == NULL || column >= schema->n_columns)
        return false;
    const struct frocc__column *c = &schema->columns[column];
    return c->tells_state && s->own[c->first_feature + frocc__column_features(c) - 1] != 0.0;
}

/* A number that says something by itself, and is there. */
static bool is_plain_number(const frocc__subject *s, size_t j) {
    const frocc_feature_kind kind = kind_of(s, j);
    return (kind == FROCC_FEATURE_NUMBER || kind == FROCC_FEATURE_TIME ||
            kind == FROCC_FEATURE_DIFFERENCE) &&
           !is_missing(s, j);
}

static void propose_number(const frocc__subject *s, size_t j, size_t n_proposers,
                           proposal *proposals, size_t *count) {
    double value;
    const double gain = frocc__best_value(s, j, n_proposers, &value);
    const bool is_worth_trying = gain > 0.0 || frocc__is_constant(s, j);
    if (is_worth_trying && isfinite(value) && value != s->own[j])
        proposals[(*count)++] = (proposal){.hope = gain, .feature = j, .value = value};
}

/* Another hour: a pair of features that is a point of the unit circle. */
static void propose_hour(const frocc__subject *s, size_t sine, proposal *proposals, size_t *count) {
    const int n_places = 24;
    const frocc_frame *frame = s->model->frame;
    proposal found = {.feature = sine, .with = sine + 1, .has_with = true};
    frocc__subject_weigh(s, 0, sine);
    frocc__subject_weigh(s, 1, sine + 1);
    for (int k = 0; k < n_places; k++) {
        double point[2];
        frocc__on_circle((double)k / n_places, point);
        const frocc__move moves[] = {
            {sine, (float)frocc__prepared(frame, sine, point[0]) - s->row[sine]},
            {sine + 1, (float)frocc__prepared(frame, sine + 1, point[1]) - s->row[sine + 1]}};
        const double gain = frocc__gain_of(s, moves, 2);
        if (gain > found.hope) {
            found.hope = gain;
            found.value = point[0];
            found.with_value = point[1];
        }
    }
    if (found.hope > 0.0)
        proposals[(*count)++] = found;
}

/* ---- Codes ---------------------------------------------------------------------------------- */

/* How many training rows have a code; or, where that was not counted, what is larger for codes that
 * the sample had more often. */
static uint32_t rows_with(const frocc__subject *s, size_t column, uint32_t code) {
    const frocc__code_evidence *e = &s->model->evidence.codes;
    if (e->alone != NULL)
        return frocc__tally_rows(&e->codes.tallies[column], code);
    const uint32_t rank = frocc__rank_of(&s->model->frame->columns.known[column], code);
    return rank == 0 ? 0 : FROCC_MOST_KNOWN + 1 - rank;
}

/* What the codes of the row say against it, as the score has it, with another one in a column. */
static double surprise_with(const frocc__subject *s, size_t column, uint32_t code) {
    float *place = &s->row[s->model->frame->columns.known[column].feature];
    const float own = *place;
    *place = (float)code;
    const frocc__surprise found =
        frocc__surprise_of(&s->model->evidence.codes, s->row, 1, 0, s->ranks);
    *place = own;
    return (1.0 + found.together / 3.0) * (1.0 + found.apart / 10.0);
}

/* Whether the row is odd by the two codes of a pair of which this column is one. */
static bool is_in_pair(const frocc__code_evidence *e, const frocc__surprise *found, size_t column) {
    const frocc__pair *pair = found->pair != SIZE_MAX ? &e->codes.plan.pairs[found->pair] : NULL;
    return pair != NULL && (column == pair->a || column == pair->b);
}

/* The same of those that have, in the other column of a pair, the row's code. */
static uint32_t rows_beside(const frocc__subject *s, size_t pair, size_t column, uint32_t code) {
    const frocc__codes *codes = &s->model->evidence.codes.codes;
    const frocc__pair *columns = &codes->plan.pairs[pair];
    const size_t other = columns->a == column ? columns->b : columns->a;
    const frocc__known *known = codes->columns->known;
    s->ranks[column] = frocc__rank_of(&known[column], code);
    s->ranks[other] = frocc__rank_of(&known[other], frocc__code_of(s->own[known[other].feature]));
    return frocc__rows_together(&s->model->evidence.codes, pair, s->ranks);
}

/* Whether a code is rarer than the row's own. Where found is given, which is odd by two codes,
 * those that are more often beside the other one are not. */
static bool is_rarer(const frocc__subject *s, const frocc__surprise *found, size_t column,
                     uint32_t code) {
    const size_t j = s->model->frame->columns.known[column].feature;
    const uint32_t own = frocc__code_of(s->own[j]);
    if (rows_with(s, column, code) >= rows_with(s, column, own))
        return false;
    return found == NULL || !is_in_pair(&s->model->evidence.codes, found, column) ||
           rows_beside(s, found->pair, column, code) <= rows_beside(s, found->pair, column, own);
}

/* The code that goes best with the rest of the row, of those that are not rarer than its own; of
 * those that go as well the most frequent. */
static uint32_t find_fitting(const frocc__subject *s, const frocc__surprise *found, size_t column) {
    const frocc__known *known = &s->model->frame->columns.known[column];
    uint32_t best = known->codes[0];
    double least = surprise_with(s, column, best);
    for (uint32_t r = 1; r < known->count && least > 1.0; r++) {
        if (is_rarer(s, found, column, known->codes[r]))
            continue;
        const double with = surprise_with(s, column, known->codes[r]);
        if (with < least) {
            least = with;
            best = known->codes[r];
        }
    }
    return best;
}

/* A number that becomes missing is what is read then; a time that is there again has a day. */
static void set_with(const frocc__subject *s, proposal *p) {
    const frocc_frame *frame = s->model->frame;
    const struct frocc__column *c =
        &frame->schema->columns[frocc__schema_column_of(frame->schema, p->feature)];
    if (!c->tells_state || (c->time ? p->value != 0.0 || !c->weekday : p->value == 0.0))
        return;
    p->has_with = true;
    p->with = c->first_feature + (c->time && c->hour ? 2 : 0);
    p->with_value = c->filler;
    for (size_t k = 0; c->time && k < frame->columns.n_codes; k++)
        if (frame->columns.known[k].feature == p->with && frame->columns.known[k].count > 0)
            p->with_value = (double)frame->columns.known[k].codes[0];
}

/* Unless it is rarer than the row's own. */
static void propose_code(const frocc__subject *s, const frocc__surprise *found, size_t column,
                         uint32_t code, proposal *proposals, size_t *count) {
    const size_t j = s->model->frame->columns.known[column].feature;
    if (code == frocc__code_of(s->own[j]) || is_rarer(s, found, column, code))
        return;
    proposal p = {.hope = INFINITY, .feature = j, .value = (double)code, .is_settled = true};
    if (kind_of(s, j) == FROCC_FEATURE_STATE)
        set_with(s, &p);
    proposals[(*count)++] = p;
}

/* Two frequent codes that do not belong together: neither can become a more frequent one. */
static void propose_rarer(const frocc__subject *s, const frocc__surprise *found,
                          proposal *proposals, size_t *count) {
    const frocc__pair *pair = &s->model->evidence.codes.codes.plan.pairs[found->pair];
    propose_code(s, found, pair->a, find_fitting(s, found, pair->a), proposals, count);
    propose_code(s, found, pair->b, find_fitting(s, found, pair->b), proposals, count);
}

static frocc_status propose_codes(const frocc__subject *s, const frocc__surprise *found,
                                  proposal *proposals, size_t *count) {
    const frocc__columns *columns = &s->model->frame->columns;
    bool fits = found->pair == SIZE_MAX;
    for (size_t k = 0; k < columns->n_codes; k++) {
        const frocc__known *known = &columns->known[k];
        const bool is_in = is_in_pair(&s->model->evidence.codes, found, k);
        FROCC_TRY(frocc__check_cancelled());
        if (known->count == 0 ||
            (kind_of(s, known->feature) == FROCC_FEATURE_WEEKDAY && is_missing(s, known->feature)))
            continue;
        propose_code(s, NULL, k, known->codes[0], proposals, count);
        if (k != found->new_column && k != found->group_column && !is_in)
            continue; /* the row is not odd by it */
        const uint32_t fitting = find_fitting(s, NULL, k);
        if (fitting != known->codes[0])
            propose_code(s, NULL, k, fitting, proposals, count);
        fits |= is_in && !is_rarer(s, NULL, k, fitting) &&
                surprise_with(s, k, fitting) <
                    surprise_with(s, k, frocc__code_of(s->own[known->feature]));
    }
    if (!fits)
        propose_rarer(s, found, proposals, count);
    return FROCC_OK;
}

/* The number that is in the emptiest place of its group: where most others are, and the nearest. */
static void propose_of_group(const frocc__subject *s, const frocc__surprise *found,
                             proposal *proposals, size_t *count) {
    const frocc__code_evidence *e = &s->model->evidence.codes;
    if (found->group_column == SIZE_MAX)
        return;
    const size_t j = e->codes.plan.numbers[found->group_number];
    if (!is_plain_number(s, j))
        return;
    const frocc__group_range range = frocc__group_range_of(e, found, s->row);
    const float values[] = {range.nearest, range.mode};
    for (size_t i = 0; i < 2; i++)
        proposals[(*count)++] = (proposal){.hope = INFINITY,
                                           .feature = j,
                                           .value = frocc__given_value(s, j, values[i]),
                                           .is_settled = true};
}

/* ---- All ------------------------------------------------------------------------------------ */

/* A proposal or two for every feature that has one, the most hopeful first. */
static frocc_status propose_all(const frocc__subject *s, size_t n_proposers, proposal *proposals,
                                size_t *n_proposals) {
    size_t count = 0;
    for (size_t j = 0; j < s->model->frame->columns.n_inputs; j++) {
        FROCC_TRY(frocc__check_cancelled());
        if (is_plain_number(s, j))
            propose_number(s, j, n_proposers, proposals, &count);
        else if (kind_of(s, j) == FROCC_FEATURE_HOUR_SINE && !is_missing(s, j))
            propose_hour(s, j, proposals, &count);
    }
    const frocc__surprise found =
        frocc__surprise_of_row(&s->model->evidence.codes, s->row, s->ranks);
    FROCC_TRY(propose_codes(s, &found, proposals, &count));
    propose_of_group(s, &found, proposals, &count);
    qsort(proposals, count, sizeof *proposals, compare_hopes);
    *n_proposals = count;
    return FROCC_OK;
}

/* The proposals worth scoring. Of very many features, one value each says which may be among them,
 * and only these are looked at closely. */
static frocc_status propose(const frocc__subject *s, proposal *proposals, size_t *n_proposals) {
    const bool is_wide = s->model->frame->columns.n_inputs > MOST_SCORED;
    size_t count = 0, kept = 0;
    FROCC_TRY(propose_all(s, is_wide ? 1 : FROCC__PROPOSERS, proposals, &count));
    *n_proposals = count = FROCC_MIN(count, (size_t)MOST_SCORED);
    if (!is_wide)
        return FROCC_OK;
    for (size_t i = 0; i < count; i++)
        if (proposals[i].has_with || proposals[i].is_settled)
            proposals[kept++] = proposals[i];
        else
            propose_number(s, proposals[i].feature, FROCC__PROPOSERS, proposals, &kept);
    qsort(proposals, kept, sizeof *proposals, compare_hopes);
    *n_proposals = kept;
    return FROCC_OK;
}

/* ---- What one really gets -------------------------------------------------------------------- */

/* Scores the row with each of a few proposals instead of its own value; rows is scratch. */
static frocc_status score_moved(frocc_scorer *scorer, const double *row, size_t d,
                                const proposal *proposals, size_t count, double *rows,
                                double *scores) {
    for (size_t i = 0; i < count; i++) {
        memcpy(rows + i * d, row, d * sizeof(double));
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
            if (after[i] - before <= gain[p->feature])
                continue;
            gain[p->feature] = after[i] - before;
            better[p->feature] = p->value;
            if (p->has_with && !p->is_settled) /* an hour */
                better[p->with] = p->with_value;
        }
    }
    return FROCC_OK;
}

static frocc_status explain_all(const frocc__subject *s, const frocc_rows *row, double *gain,
                                double *better) {
    const size_t d = s->model->frame->columns.n_inputs;
    proposal *proposals = frocc__alloc(2 * d + 4, sizeof *proposals);
    double *scratch = frocc__alloc(d, (FROCC_PANEL + 3) * sizeof(double));
    frocc_scorer *scorer = NULL;
    frocc_status status = FROCC_ERR_MEMORY;
    if (proposals != NULL && scratch != NULL)
        status = frocc_scorer_new(s->model, 1, &scorer);
    if (status == FROCC_OK) {
        /* On failure the caller's arrays stay as they are. */
        double *gains = scratch, *values = scratch + d;
        unpack(row, values);
        size_t count = 0;
        status = propose(s, proposals, &count);
        if (status == FROCC_OK)
            status = keep_gains(scorer, proposals, count, d, scratch + 2 * d, gains, values);
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
    FROCC_TRY(frocc__rows_check(row, model->frame->columns.n_inputs));
    if (row->n_rows != 1)
        return frocc__fail(FROCC_ERR_SHAPE, "one row is explained at a time; there are %zu",
                           row->n_rows);
    frocc__subject s;
    frocc_status status = frocc__subject_new(model, &s);
    if (status == FROCC_OK && !frocc__frame_prepare(model->frame, row, 0, s.row))
        status = frocc__rows_failure(row, 0);
    if (status == FROCC_OK) {
        unpack(row, s.own);
        status = frocc__subject_begin(&s);
    }
    if (status == FROCC_OK)
        status = explain_all(&s, row, gain, better);
    frocc__subject_free(&s);
    return status;
}

/* ---- What there was -------------------------------------------------------------------------- */

frocc_status frocc_model_feature_range(const frocc_model *model, size_t feature, double *low,
                                       double *high) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(low);
    FROCC_REQUIRE(high);
    const frocc_frame *frame = model->frame;
    if (feature >= frame->columns.n_inputs)
        return frocc__fail(FROCC_ERR_ARGUMENT, "feature %zu (from 0) is asked for; there are %zu",
                           feature, frame->columns.n_inputs);
    if (!frocc__model_counts(model) || !frocc__has_extremes(frame))
        return frocc__fail(FROCC_ERR_UNSUPPORTED, "the model does not know the ranges of features; "
                                                  "fit one of closeness with asinh scaling");
    frocc__extremes extremes;
    frocc__bytes_in bytes = {model->counts, model->counts_size, false};
    FROCC_TRY(frocc__extremes_read(&bytes, frame->columns.n_inputs, &extremes));
    const double a = frocc__shown_value(frame, feature, extremes.ends[feature].low[0]);
    const double b = frocc__shown_value(frame, feature, extremes.ends[feature].high[0]);
    frocc__extremes_free(&extremes);
    *low = FROCC_MIN(a, b);
    *high = FROCC_MAX(a, b);
    return FROCC_OK;
}
