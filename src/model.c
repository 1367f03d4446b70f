/* SPDX-License-Identifier: BSD-3-Clause */
/* Models: made, shared, described, and remade by merging, coarsening, truncating, binning. */
#include "model.h"

#include <string.h>

#include "mem.h"
#include "os.h"
#include "read.h"
#include "status.h"

/* The filters of fewer slots with cells are made before a team of threads is there. */
#define LEAST_SLOTS 256

static size_t slots_with_cells(const frocc__sketch *sketch) {
    size_t count = 0;
    for (size_t i = 0; i < sketch->n_slots; i++)
        count += sketch->count[i] > 1;
    return count;
}

/* A compact model keeps an empty filter: its values are looked up in the bins. */
static frocc_status make_filter(frocc_model *model, int threads) {
    FROCC_TRY(frocc__filter_new(model->frame->n_directions, model->frame->kernels, &model->filter));
    const size_t n_slots = model->sketch.n_slots;
    const int team = slots_with_cells(&model->sketch) < LEAST_SLOTS ? 1 : frocc__team(threads);
    (void)team;
    FROCC_OMP(parallel for num_threads(team) if (team > 1) schedule(static))
    for (size_t first = 0; first < n_slots; first += FROCC_BLOCK) /* noted by one thread */
        for (size_t i = first; i < FROCC_MIN(first + FROCC_BLOCK, n_slots); i++)
            frocc__filter_note(&model->filter, i, frocc__slot(&model->sketch, i),
                               model->sketch.count[i], 0.0f);
    return FROCC_OK;
}

void frocc__content_free(frocc__content *content) {
    frocc__sketch_free(&content->sketch);
    frocc__held_free(&content->held);
    frocc__bins_free(&content->bins);
}

/* The sketch of all rows that the model judges by, and the scores of the held ones. */
static frocc_status join_content(frocc_model *model) {
    const frocc__content *content = &model->content;
    const frocc__sketch *sketch = &content->sketch;
    float epsilon = sketch->epsilon;
    if (model->decision.score == FROCC_SCORE_CLOSENESS)
        epsilon = frocc__closeness_epsilon(epsilon, sketch->n_rows);
    if (content->held.most > 0)
        return frocc__calibrate(sketch, &content->held, epsilon, model->decision.score,
                                &model->sketch, &model->calibration);
    if (epsilon > sketch->epsilon)
        return frocc__sketch_copy(sketch, sketch->n_slots, epsilon, &model->sketch);
    model->sketch = *sketch; /* the same one */
    return FROCC_OK;
}

frocc_status frocc__model_new(frocc_frame *frame, frocc__content *content, frocc__decision decision,
                              int threads, frocc_model **model) {
    frocc_model *made = frocc__alloc(1, sizeof *made);
    if (made == NULL) {
        frocc__content_free(content);
        return FROCC_ERR_MEMORY;
    }
    made->references = 1;
    made->frame = frocc__frame_share(frame);
    made->decision = decision;
    made->content = *content;
    frocc_status status = join_content(made);
    if (status == FROCC_OK)
        status = make_filter(made, threads);
    if (status == FROCC_OK && decision.score == FROCC_SCORE_CLOSENESS)
        status = frocc__price_book_of(&made->sketch, &made->prices);
    if (status != FROCC_OK) {
        frocc_model_free(made);
        return status;
    }
    *model = made;
    return FROCC_OK;
}

frocc_model *frocc__model_share(frocc_model *model) {
    atomic_fetch_add_explicit(&model->references, 1, memory_order_relaxed);
    return model;
}

void frocc_model_free(frocc_model *model) {
    if (model == NULL ||
        atomic_fetch_sub_explicit(&model->references, 1, memory_order_acq_rel) != 1)
        return;
    if (model->sketch.arena != model->content.sketch.arena)
        frocc__sketch_free(&model->sketch);
    frocc__content_free(&model->content);
    frocc__calibration_free(&model->calibration);
    frocc__filter_free(&model->filter);
    frocc__price_book_free(&model->prices);
    frocc_frame_free(model->frame);
    frocc__free(model);
}

frocc_schema *frocc_model_schema(const frocc_model *model) {
    return model == NULL || model->frame->schema == NULL
               ? NULL
               : frocc__schema_share(model->frame->schema);
}

frocc_frame *frocc_model_frame(const frocc_model *model) {
    return model == NULL ? NULL : frocc__frame_share(model->frame);
}

/* ---- Models from models --------------------------------------------------------------------- */

static frocc_status refuse_compact(const frocc_model *model, const char *what) {
    if (!frocc__model_is_compact(model))
        return FROCC_OK;
    return frocc__fail(FROCC_ERR_UNSUPPORTED,
                       "a compact model cannot be %s; use the model it was made from", what);
}

static frocc_status check_mergeable(const frocc_model *const *models, size_t n_models) {
    FROCC_REQUIRE(models);
    if (n_models == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "there are no models to merge");
    for (size_t i = 0; i < n_models; i++) {
        FROCC_REQUIRE(models[i]);
        FROCC_TRY(refuse_compact(models[i], "merged"));
        if (!frocc__frames_equal(models[0]->frame, models[i]->frame))
            return frocc__fail(FROCC_ERR_FRAME,
                               "model %zu (from 0) is of another frame than model 0: only models "
                               "of the same columns, directions, seed, kernel and scaling merge",
                               i);
        if (models[i]->decision.score != models[0]->decision.score ||
            models[i]->content.held.most != models[0]->content.held.most)
            return frocc__fail(FROCC_ERR_FRAME,
                               "model %zu (from 0) has another score or calibration than model 0",
                               i);
        if (models[i]->content.sketch.epsilon != models[0]->content.sketch.epsilon)
            return frocc__fail(FROCC_ERR_FRAME,
                               "model %zu (from 0) has epsilon %g, model 0 has %g; coarsen the "
                               "finer one first",
                               i, (double)models[i]->content.sketch.epsilon,
                               (double)models[0]->content.sketch.epsilon);
    }
    return FROCC_OK;
}

/* Adds a model's rows to content, held ones to the held ones. */
static frocc_status add_content(frocc__content *content, const frocc_model *model) {
    FROCC_TRY(frocc__sketch_merge(&content->sketch, &model->content.sketch));
    if (model->content.held.most == 0)
        return FROCC_OK;
    frocc__held merged;
    FROCC_TRY(frocc__held_merge(&content->held, &model->content.held, &content->sketch, &merged));
    frocc__held_free(&content->held);
    content->held = merged;
    return FROCC_OK;
}

/* A tight copy of the first n_directions directions, at a larger or the same epsilon. */
static frocc_status copy_content(const frocc__content *content, size_t n_directions, float epsilon,
                                 frocc__content *copy) {
    frocc__content made = {0};
    frocc_status status = FROCC_OK;
    if (content->bins.n_slots > 0)
        status = frocc__bins_copy(&content->bins, n_directions, &made.bins);
    else
        status = frocc__sketch_copy(&content->sketch, n_directions, epsilon, &made.sketch);
    if (status == FROCC_OK && content->held.most > 0)
        status = frocc__held_copy(&content->held, n_directions, &made.held);
    if (status != FROCC_OK) {
        frocc__content_free(&made);
        return status;
    }
    *copy = made;
    return FROCC_OK;
}

frocc_status frocc_model_merge(const frocc_model *const *models, size_t n_models,
                               frocc_model **merged) {
    FROCC_REQUIRE(merged);
    FROCC_TRY(check_mergeable(models, n_models));
    const frocc_model *first = models[0];
    frocc__content all, tight;
    FROCC_TRY(copy_content(&first->content, first->content.sketch.n_slots,
                           first->content.sketch.epsilon, &all));
    frocc_status status = FROCC_OK;
    for (size_t i = 1; i < n_models && status == FROCC_OK; i++)
        status = add_content(&all, models[i]);
    if (status == FROCC_OK)
        status = copy_content(&all, all.sketch.n_slots, all.sketch.epsilon, &tight);
    frocc__content_free(&all);
    FROCC_TRY(status);
    return frocc__model_new(first->frame, &tight, first->decision, 1, merged);
}

frocc_status frocc_model_coarsen(const frocc_model *model, float epsilon, frocc_model **coarser) {
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(coarser);
    FROCC_TRY(refuse_compact(model, "coarsened"));
    if (!(epsilon >= model->content.sketch.epsilon && epsilon <= 1.0f))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "epsilon is %g; this model answers %g to 1, finer needs a new fit",
                           (double)epsilon, (double)model->content.sketch.epsilon);
    if (model->decision.score == FROCC_SCORE_CLOSENESS && epsilon >= 1.0f)
        return frocc__fail(FROCC_ERR_ARGUMENT, "closeness needs an epsilon below 1");
    frocc__content joined;
    FROCC_TRY(copy_content(&model->content, model->sketch.n_slots, epsilon, &joined));
    return frocc__model_new(model->frame, &joined, model->decision, 1, coarser);
}

static frocc_status truncate_into(const frocc_model *model, frocc_frame *frame,
                                  frocc_model **shorter) {
    frocc__content content;
    FROCC_TRY(copy_content(&model->content, frame->n_directions, model->content.sketch.epsilon,
                           &content));
    return frocc__model_new(frame, &content, model->decision, 1, shorter);
}

frocc_status frocc_model_truncate(const frocc_model *model, size_t n_directions,
                                  frocc_model **shorter) {
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(shorter);
    if (n_directions == 0 || n_directions > model->frame->n_directions)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "n_directions is %zu; this model answers 1 to %zu, more need a new fit",
                           n_directions, model->frame->n_directions);
    frocc_frame *frame = NULL;
    FROCC_TRY(frocc__frame_truncate(model->frame, n_directions, &frame));
    frocc_status status = truncate_into(model, frame, shorter);
    frocc_frame_free(frame);
    return status;
}

frocc_status frocc_model_compact(const frocc_model *model, unsigned beta, frocc_model **compact) {
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(compact);
    FROCC_TRY(refuse_compact(model, "made compact again"));
    if (model->decision.score != FROCC_SCORE_AGREEMENT || model->content.held.most > 0)
        return frocc__fail(FROCC_ERR_UNSUPPORTED, "only models of the agreement score, without "
                                                  "calibration, have a compact form");
    frocc__content content = {0};
    FROCC_TRY(frocc__bins_of(&model->sketch, beta, &content.bins));
    return frocc__model_new(model->frame, &content, model->decision, 1, compact);
}

/* ---- Calibration ---------------------------------------------------------------------------- */

static frocc_status check_calibrated(const frocc_model *model) {
    if (model->content.held.most > 0)
        return FROCC_OK;
    return frocc__fail(FROCC_ERR_UNSUPPORTED, "the model has no calibration; fit it with "
                                              "calibration_rows above 0");
}

/* Calibration rows that score at most this; the last score that is not above it tells. */
static uint64_t rows_at_most(const frocc__calibration *calibration, double score) {
    size_t low = 0, high = calibration->n_scores;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (calibration->scores[middle] <= score)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? 0 : calibration->rows[low - 1];
}

frocc_status frocc_model_p_values(const frocc_model *model, const double *scores, size_t n_scores,
                                  double *p_values) {
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(scores);
    FROCC_REQUIRE(p_values);
    FROCC_TRY(check_calibrated(model));
    double total = (double)frocc__calibration_rows(&model->calibration) + 1.0;
    for (size_t i = 0; i < n_scores; i++)
        p_values[i] = ((double)rows_at_most(&model->calibration, scores[i]) + 1.0) / total;
    return FROCC_OK;
}

/* p <= fpr means that at most fpr (n + 1) - 1 calibration rows score as low: below the score at
 * which there are more. */
frocc_status frocc_model_threshold(const frocc_model *model, double fpr, double *threshold) {
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(threshold);
    FROCC_TRY(check_calibrated(model));
    if (!(fpr >= 0.0 && fpr < 1.0))
        return frocc__fail(FROCC_ERR_ARGUMENT, "fpr is %g; it must be 0 to below 1", fpr);
    const frocc__calibration *calibration = &model->calibration;
    double total = (double)frocc__calibration_rows(calibration) + 1.0;
    *threshold = -HUGE_VAL;
    if (!(1.0 / total <= fpr))
        return FROCC_OK;
    for (size_t i = 0; i < calibration->n_scores; i++) {
        *threshold = calibration->scores[i];
        if (((double)calibration->rows[i] + 1.0) / total > fpr)
            break;
    }
    return FROCC_OK;
}

/* ---- What callers may see ------------------------------------------------------------------- */

static uint64_t count_intervals(const frocc_model *model) {
    if (!frocc__model_is_compact(model))
        return frocc__sketch_intervals(&model->sketch);
    uint64_t total = 0;
    for (size_t s = 0; s < model->content.bins.n_slots; s++)
        total += frocc__bins_runs(&model->content.bins, s, NULL, NULL);
    return total;
}

frocc_status frocc_model_describe(const frocc_model *model, frocc_model_info *info) {
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(info);
    if (info->struct_size != sizeof(frocc_model_info))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "info.struct_size must be set to sizeof(frocc_model_info)");
    const frocc_frame *frame = model->frame;
    bool compact = frocc__model_is_compact(model);
    uint64_t file_size, sketch_checksum, intervals = count_intervals(model);
    FROCC_TRY(frocc__model_measure(model, &file_size, &sketch_checksum));
    *info = (frocc_model_info){
        .struct_size = sizeof(frocc_model_info),
        .n_features = frame->n_features,
        .n_directions = frame->n_directions,
        .seed = frame->seed,
        .epsilon = compact ? model->content.bins.epsilon : model->content.sketch.epsilon,
        .judged_epsilon = compact ? model->content.bins.epsilon : model->sketch.epsilon,
        .score = model->decision.score,
        .threshold = model->decision.threshold,
        .fpr = model->decision.fpr,
        .calibration_rows = frocc__calibration_rows(&model->calibration),
        .kernel = frame->transform.kernel,
        .gamma = (double)frame->transform.gamma,
        .coef0 = (double)frame->transform.coef0,
        .degree = frame->transform.degree,
        .scaling = frame->scaling,
        .family = frame->family,
        .density = (double)frame->direction_features / (double)frame->n_features,
        .beta = model->content.bins.beta,
        .n_rows = compact ? model->content.bins.n_rows : model->sketch.n_rows,
        .n_intervals = intervals,
        .model_size = 2 * intervals,
        .file_size = file_size,
        .frame_checksum = frame->checksum,
        .sketch_checksum = sketch_checksum,
    };
    return FROCC_OK;
}

typedef struct listing {
    float *lower, *upper;
    size_t capacity;
} listing;

static void list_run(void *context, size_t index, float lower, float upper) {
    listing *list = context;
    if (index < list->capacity) {
        list->lower[index] = lower;
        list->upper[index] = upper;
    }
}

frocc_status frocc_model_intervals(const frocc_model *model, size_t direction, float *lower,
                                   float *upper, size_t capacity, size_t *count) {
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(count);
    if (direction >= model->frame->n_directions)
        return frocc__fail(FROCC_ERR_ARGUMENT, "direction %zu (from 0) is asked for; there are %zu",
                           direction, model->frame->n_directions);
    if (capacity > 0 && (lower == NULL || upper == NULL))
        return frocc__fail(FROCC_ERR_ARGUMENT, "lower and upper must not be NULL when capacity is "
                                               "above 0");
    listing list = {lower, upper, capacity};
    if (frocc__model_is_compact(model)) {
        *count = frocc__bins_runs(&model->content.bins, direction, list_run, &list);
        return FROCC_OK;
    }
    const frocc__interval *intervals = frocc__slot(&model->sketch, direction);
    for (size_t i = 0; i < model->sketch.count[direction]; i++)
        list_run(&list, i, intervals[i].lo, intervals[i].hi);
    *count = model->sketch.count[direction];
    return FROCC_OK;
}
