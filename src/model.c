/* SPDX-License-Identifier: BSD-3-Clause */
/* Models: made, shared, described, and remade by merging, coarsening, truncating, binning. */
#include "model.h"

#include <string.h>

#include "closeness.h"
#include "mem.h"
#include "read.h"
#include "status.h"

/* A compact model keeps an empty filter: its values are looked up in the bins. */
static frocc_status make_filter(frocc_model *model) {
    FROCC_TRY(frocc__filter_new(model->frame->n_directions, &model->filter));
    for (size_t i = 0; i < model->sketch.n_slots; i++)
        frocc__filter_note(&model->filter, i, frocc__slot(&model->sketch, i),
                           model->sketch.count[i]);
    return FROCC_OK;
}

/* Gaps are few beside the rows to be scored, so their costs are worked out once. */
static frocc_status price_gaps(frocc_model *model) {
    const frocc__sketch *sketch = &model->sketch;
    if (model->decision.score != FROCC_SCORE_CLOSENESS)
        return FROCC_OK;
    model->gap_cost = frocc__alloc((size_t)frocc__sketch_intervals(sketch), sizeof(float));
    if (model->gap_cost == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t s = 0; s < sketch->n_slots; s++) {
        const frocc__interval *list = frocc__slot(sketch, s);
        size_t count = sketch->count[s];
        float range = frocc__closeness_range(list, count);
        for (size_t i = 0; i + 1 < count; i++)
            model->gap_cost[sketch->start[s] + i] =
                frocc__gap_cost(list[i + 1].lo - list[i].hi, range, sketch->epsilon);
    }
    return FROCC_OK;
}

frocc_status frocc__model_new(frocc_frame *frame, frocc__sketch *sketch, frocc__bins *bins,
                              frocc__decision decision, frocc_model **model) {
    frocc_model *made = frocc__alloc(1, sizeof *made);
    if (made == NULL) {
        if (sketch != NULL)
            frocc__sketch_free(sketch);
        if (bins != NULL)
            frocc__bins_free(bins);
        return FROCC_ERR_MEMORY;
    }
    made->references = 1;
    made->frame = frocc__frame_share(frame);
    made->decision = decision;
    if (sketch != NULL)
        made->sketch = *sketch;
    if (bins != NULL)
        made->bins = *bins;
    frocc_status status = make_filter(made);
    if (status == FROCC_OK)
        status = price_gaps(made);
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
    frocc__sketch_free(&model->sketch);
    frocc__bins_free(&model->bins);
    frocc__filter_free(&model->filter);
    frocc__free(model->gap_cost);
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
        if (models[i]->decision.score != models[0]->decision.score)
            return frocc__fail(FROCC_ERR_FRAME, "model %zu (from 0) has another score than model 0",
                               i);
        if (models[i]->sketch.epsilon != models[0]->sketch.epsilon)
            return frocc__fail(FROCC_ERR_FRAME,
                               "model %zu (from 0) has epsilon %g, model 0 has %g; coarsen the "
                               "finer one first",
                               i, (double)models[i]->sketch.epsilon,
                               (double)models[0]->sketch.epsilon);
    }
    return FROCC_OK;
}

frocc_status frocc_model_merge(const frocc_model *const *models, size_t n_models,
                               frocc_model **merged) {
    FROCC_REQUIRE(merged);
    FROCC_TRY(check_mergeable(models, n_models));
    const frocc_model *first = models[0];
    frocc__sketch all;
    FROCC_TRY(frocc__sketch_new(first->sketch.n_slots, first->sketch.epsilon, &all));
    frocc__sketch tight = {0};
    frocc_status status = FROCC_OK;
    for (size_t i = 0; i < n_models && status == FROCC_OK; i++)
        status = frocc__sketch_merge(&all, &models[i]->sketch);
    if (status == FROCC_OK)
        status = frocc__sketch_copy(&all, all.n_slots, all.epsilon, &tight);
    frocc__sketch_free(&all);
    FROCC_TRY(status);
    return frocc__model_new(first->frame, &tight, NULL, first->decision, merged);
}

frocc_status frocc_model_coarsen(const frocc_model *model, float epsilon, frocc_model **coarser) {
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(coarser);
    FROCC_TRY(refuse_compact(model, "coarsened"));
    if (!(epsilon >= model->sketch.epsilon && epsilon <= 1.0f))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "epsilon is %g; this model answers %g to 1, finer needs a new fit",
                           (double)epsilon, (double)model->sketch.epsilon);
    if (model->decision.score == FROCC_SCORE_CLOSENESS && epsilon >= 1.0f)
        return frocc__fail(FROCC_ERR_ARGUMENT, "closeness needs an epsilon below 1");
    frocc__sketch joined;
    FROCC_TRY(frocc__sketch_copy(&model->sketch, model->sketch.n_slots, epsilon, &joined));
    return frocc__model_new(model->frame, &joined, NULL, model->decision, coarser);
}

static frocc_status truncate_into(const frocc_model *model, frocc_frame *frame,
                                  frocc_model **shorter) {
    if (frocc__model_is_compact(model)) {
        frocc__bins bins;
        FROCC_TRY(frocc__bins_copy(&model->bins, frame->n_directions, &bins));
        return frocc__model_new(frame, NULL, &bins, model->decision, shorter);
    }
    frocc__sketch sketch;
    FROCC_TRY(
        frocc__sketch_copy(&model->sketch, frame->n_directions, model->sketch.epsilon, &sketch));
    return frocc__model_new(frame, &sketch, NULL, model->decision, shorter);
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
    if (model->decision.score != FROCC_SCORE_AGREEMENT)
        return frocc__fail(FROCC_ERR_UNSUPPORTED,
                           "only models of the agreement score have a compact form");
    frocc__bins bins;
    FROCC_TRY(frocc__bins_of(&model->sketch, beta, &bins));
    return frocc__model_new(model->frame, NULL, &bins, model->decision, compact);
}

/* ---- What callers may see ------------------------------------------------------------------- */

static uint64_t count_intervals(const frocc_model *model) {
    if (!frocc__model_is_compact(model))
        return frocc__sketch_intervals(&model->sketch);
    uint64_t total = 0;
    for (size_t s = 0; s < model->bins.n_slots; s++)
        total += frocc__bins_runs(&model->bins, s, NULL, NULL);
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
        .epsilon = compact ? model->bins.epsilon : model->sketch.epsilon,
        .score = model->decision.score,
        .threshold = model->decision.threshold,
        .kernel = frame->transform.kernel,
        .gamma = (double)frame->transform.gamma,
        .coef0 = (double)frame->transform.coef0,
        .degree = frame->transform.degree,
        .scaling = frame->scaling,
        .family = frame->family,
        .beta = model->bins.beta,
        .n_rows = compact ? model->bins.n_rows : model->sketch.n_rows,
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
        *count = frocc__bins_runs(&model->bins, direction, list_run, &list);
        return FROCC_OK;
    }
    const frocc__interval *intervals = frocc__slot(&model->sketch, direction);
    for (size_t i = 0; i < model->sketch.count[direction]; i++)
        list_run(&list, i, intervals[i].lo, intervals[i].hi);
    *count = model->sketch.count[direction];
    return FROCC_OK;
}
