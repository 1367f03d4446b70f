/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * use_all.h - everything that can be done with a model or a fitter that came from bytes: it scores,
 * explains, decides; merges, coarsens, truncates, decontaminates, seals; goes on and finishes. Each
 * succeeds or says what is wrong, and what comes out of it saves and loads as the same bytes.
 * Tests and fuzz targets say where it does not hold: NULL is good, a sentence is not.
 */
#ifndef FROCC_TESTS_USE_ALL_H
#define FROCC_TESTS_USE_ALL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frocc.h"

#define USED_ROWS 5
#define USED_WORK 65536 /* of columns times directions: what is more takes too long to explain */

#define USE_TRY(expression)                                                                        \
    do {                                                                                           \
        const char *use_wrong = (expression);                                                      \
        if (use_wrong != NULL)                                                                     \
            return use_wrong;                                                                      \
    } while (0)

/* What is only looked at when it is needed can turn out to be damaged, and 2^64 rows and more are
 * refused; memory, files and what the caller does are no reasons. */
static inline bool may_say(frocc_status status) {
    return status == FROCC_OK || status == FROCC_ERR_FORMAT || status == FROCC_ERR_UNSUPPORTED ||
           status == FROCC_ERR_DATA || status == FROCC_ERR_EMPTY || status == FROCC_ERR_ARGUMENT ||
           status == FROCC_ERR_FRAME || status == FROCC_ERR_CALLBACK;
}

/* Sparse, so that wide ones take no memory. */
typedef struct used_rows {
    float values[2 * USED_ROWS];
    int64_t start[USED_ROWS + 1];
    int32_t columns[2 * USED_ROWS];
    frocc_rows rows;
} used_rows;

static inline void use_rows(used_rows *u, size_t d) {
    int64_t at = 0;
    for (int r = 0; r < USED_ROWS; r++) {
        u->start[r] = at;
        u->columns[at] = (int32_t)((size_t)r * 7 % d);
        u->values[at++] = (float)(r * 5 % 7) - 3;
        if ((size_t)u->columns[at - 1] + 1 < d) {
            u->columns[at] = (int32_t)(d - 1);
            u->values[at++] = (float)r;
        }
    }
    u->start[USED_ROWS] = at;
    u->rows = frocc_rows_csr(FROCC_F32, u->values, u->start, u->columns, USED_ROWS, d);
}

/* ---- Scoring --------------------------------------------------------------------------------- */

static inline bool are_scores(const double *scores, bool is_closeness) {
    for (size_t i = 0; i < USED_ROWS; i++)
        if (!(scores[i] <= 1 && (scores[i] >= 0 || is_closeness)))
            return false;
    return true;
}

static inline const char *use_scorer(const frocc_model *model, const frocc_model_info *info,
                                     frocc_scorer *scorer, const frocc_rows *rows) {
    double scores[USED_ROWS] = {0}, p_values[USED_ROWS], learnt;
    uint8_t normal[USED_ROWS];
    frocc_status status = frocc_scorer_score(scorer, rows, scores);
    if (!may_say(status) ||
        (status == FROCC_OK && !are_scores(scores, info->score == FROCC_SCORE_CLOSENESS)))
        return "a score";
    if (!may_say(frocc_scorer_decide(scorer, rows, FROCC_OWN_THRESHOLD, normal)))
        return "a decision";
    if (!may_say(frocc_model_p_values(model, scores, USED_ROWS, p_values)))
        return "a p-value";
    if (!may_say(frocc_scorer_meet(scorer, rows, &learnt)))
        return "rows that were learnt";
    if (!may_say(frocc_scorer_score_left_out(scorer, rows, scores)))
        return "a row left out";
    return NULL;
}

static inline const char *use_row(const frocc_model *model, const frocc_model_info *info) {
    const size_t d = info->n_features, m = info->n_directions;
    if (d * m > USED_WORK)
        return NULL;
    double *row = calloc(3 * d, sizeof *row);
    float *distances = calloc(m, sizeof *distances);
    frocc_scorer *scorer = NULL;
    if (row == NULL || distances == NULL)
        return "memory of the test";
    row[0] = 100;
    const frocc_rows one = frocc_rows_f64(row, 1, d);
    frocc_reason reason = {.struct_size = sizeof reason, .low = NAN, .high = NAN};
    bool holds = frocc_scorer_new(model, 1, &scorer) == FROCC_OK &&
                 may_say(frocc_scorer_distances(scorer, &one, distances)) &&
                 may_say(frocc_model_explain(model, &one, row + d, row + 2 * d)) &&
                 may_say(frocc_model_reason(model, &one, row + 2 * d, &reason)) &&
                 may_say(frocc_model_feature_range(model, 0, row, row + 1));
    frocc_scorer_free(scorer);
    free(row);
    free(distances);
    return holds ? NULL : "an explanation, a distance or a range";
}

static inline const char *use_scores(const frocc_model *model, const frocc_rows *rows) {
    frocc_model_info info = {.struct_size = sizeof info};
    frocc_scorer *scorer = NULL;
    if (frocc_model_describe(model, &info) != FROCC_OK)
        return "a description";
    if (frocc_scorer_new(model, 1, &scorer) != FROCC_OK)
        return "a scorer";
    const char *wrong = use_scorer(model, &info, scorer, rows);
    frocc_scorer_free(scorer);
    return wrong != NULL ? wrong : use_row(model, &info);
}

/* ---- Models of models ------------------------------------------------------------------------ */

/* It saves, loads, and saves as the same bytes; and loaded again it scores. */
static inline const char *use_saved(const frocc_model *model, const frocc_load_options *options,
                                    const frocc_rows *rows) {
    void *bytes = NULL, *twice = NULL;
    size_t size = 0, twice_size = 0;
    frocc_model *again = NULL;
    if (frocc_model_to_bytes(model, &bytes, &size) != FROCC_OK)
        return "saving";
    const char *wrong = NULL;
    if (frocc_model_from_bytes(bytes, size, options, &again) != FROCC_OK)
        wrong = "loading what was saved";
    else if (frocc_model_to_bytes(again, &twice, &twice_size) != FROCC_OK || twice_size != size ||
             memcmp(twice, bytes, size) != 0)
        wrong = "saving what was loaded as the same bytes";
    else
        wrong = use_scores(again, rows);
    frocc_bytes_free(bytes);
    frocc_bytes_free(twice);
    frocc_model_free(again);
    return wrong;
}

/* What a function made of a model, or why it did not. */
static inline const char *use_made(frocc_status status, frocc_model *made,
                                   const frocc_load_options *options, const frocc_rows *rows) {
    if (!may_say(status) || (made != NULL) != (status == FROCC_OK))
        return "a model of a model";
    const char *wrong = made != NULL ? use_saved(made, options, rows) : NULL;
    frocc_model_free(made);
    return wrong;
}

static inline const char *use_derived(const frocc_model *model, const frocc_model_info *info,
                                      const frocc_load_options *options, const frocc_rows *rows) {
    const float most = info->score == FROCC_SCORE_CLOSENESS ? FROCC_CLOSENESS_MAX_EPSILON : 1.0f;
    const frocc_model *both[] = {model, model};
    frocc_model *made = NULL;
    frocc_status status = frocc_model_merge(both, 2, &made);
    USE_TRY(use_made(status, made, options, rows));
    made = NULL;
    status = frocc_model_coarsen(model, most, &made);
    USE_TRY(use_made(status, made, options, rows));
    made = NULL;
    status = frocc_model_truncate(model, (info->n_directions + 1) / 2, &made);
    USE_TRY(use_made(status, made, options, rows));
    made = NULL;
    status = frocc_model_decontaminate(model, 0.25, &made);
    USE_TRY(use_made(status, made, options, rows));
    made = NULL;
    status = frocc_model_seal(model, &made);
    return use_made(status, made, options, rows);
}

/* ---- Fitters --------------------------------------------------------------------------------- */

static inline const char *use_finished(frocc_fitter *fitter, const frocc_model *model,
                                       const frocc_load_options *options, const frocc_rows *rows) {
    frocc_model *made = NULL, *merged = NULL;
    frocc_status status = frocc_fitter_finish(fitter, &made);
    if (!may_say(status) || (made != NULL) != (status == FROCC_OK))
        return "a fitter's model";
    const char *wrong = NULL;
    if (made != NULL && model != NULL) {
        const frocc_model *both[] = {model, made};
        status = frocc_model_merge(both, 2, &merged);
        wrong = use_made(status, merged, options, rows);
    }
    return wrong != NULL ? (frocc_model_free(made), wrong)
                         : use_made(made != NULL ? FROCC_OK : status, made, options, rows);
}

/* The fitter goes on with rows, travels, and merges with what travelled. The model, if there is
 * one, is of its kind. */
static inline const char *use_fitter(frocc_fitter *fitter, const frocc_model *model,
                                     const frocc_load_options *options, const frocc_rows *rows) {
    void *bytes = NULL;
    size_t size = 0;
    frocc_fitter *other = NULL;
    if (frocc_fitter_to_bytes(fitter, &bytes, &size) != FROCC_OK)
        return "saving a fitter";
    const frocc_status loaded = frocc_fitter_from_bytes(bytes, size, options, 1, &other);
    frocc_bytes_free(bytes);
    if (loaded != FROCC_OK)
        return "loading a fitter that was saved";
    const char *wrong = NULL;
    if (!may_say(frocc_fitter_add(fitter, rows)) || !may_say(frocc_fitter_merge(fitter, other)))
        wrong = "a fitter that goes on";
    frocc_fitter_free(other);
    return wrong != NULL ? wrong : use_finished(fitter, model, options, rows);
}

static inline const char *use_like(const frocc_model *model, const frocc_load_options *options,
                                   const frocc_rows *rows) {
    frocc_fitter *fitter = NULL;
    const frocc_status status = frocc_fitter_like(model, 1, &fitter);
    if (status == FROCC_ERR_ARGUMENT) /* sealed */
        return NULL;
    const char *wrong =
        status != FROCC_OK ? "a fitter like it" : use_fitter(fitter, model, options, rows);
    frocc_fitter_free(fitter);
    return wrong;
}

/* ---- All ------------------------------------------------------------------------------------- */

/* The options must allow for models that are made of it. */
static inline const char *use_model(const frocc_model *model, const frocc_load_options *options) {
    frocc_model_info info = {.struct_size = sizeof info};
    used_rows u;
    if (frocc_model_describe(model, &info) != FROCC_OK)
        return "a description";
    use_rows(&u, info.n_features);
    USE_TRY(use_scores(model, &u.rows));
    USE_TRY(use_derived(model, &info, options, &u.rows));
    USE_TRY(use_like(model, options, &u.rows));
    return use_saved(model, options, &u.rows);
}

#endif
