/* SPDX-License-Identifier: BSD-3-Clause */
/* Models: made, shared, described, and remade by merging, coarsening, truncating, binning. */
#include "model/model.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/status.h"
#include "frocc_io.h"

frocc_status frocc__model_new(frocc_frame *frame, frocc__decision decision, frocc_model **model) {
    frocc_model *made = frocc__alloc(1, sizeof *made);
    if (made == NULL)
        return FROCC_ERR_MEMORY;
    made->references = 1;
    made->frame = frocc__frame_retain(frame);
    made->decision = decision;
    *model = made;
    return FROCC_OK;
}

frocc_status frocc__model_index(frocc_model *model) {
    if (frocc__model_counts(model)) {
        const frocc__bytes_in bytes = {model->counts, model->counts_size, false};
        FROCC_TRY(frocc__evidence_new(model->frame, model->decision.contamination, model->n_rows,
                                      &model->evidence));
        return frocc__evidence_of_bytes(&model->evidence, frocc__cells_for(model->epsilon), bytes);
    }
    FROCC_TRY(frocc__filter_new(model->frame->n_directions, model->frame->kernels, &model->filter));
    for (size_t i = 0; i < model->sketch.n_slots; i++)
        frocc__filter_note(&model->filter, i, frocc__slot(&model->sketch, i),
                           model->sketch.count[i], 0.0f);
    return FROCC_OK;
}

frocc_status frocc__model_of_intervals(frocc_frame *frame, frocc__sketch *sketch,
                                       frocc__decision decision, frocc_model **model) {
    frocc_model *made = NULL;
    frocc_status status = frocc__model_new(frame, decision, &made);
    if (status != FROCC_OK) {
        frocc__sketch_free(sketch);
        return status;
    }
    made->sketch = *sketch;
    made->n_rows = sketch->n_rows;
    made->epsilon = sketch->epsilon;
    status = frocc__model_index(made);
    if (status != FROCC_OK) {
        frocc_model_free(made);
        return status;
    }
    *model = made;
    return FROCC_OK;
}

/* What the model judges by, the scores that calibrate it, and the counts as bytes. */
static frocc_status take_counts(frocc_model *model, const frocc__counts *counts) {
    frocc__evidence *evidence = &model->evidence;
    FROCC_TRY(
        frocc__evidence_new(model->frame, model->decision.contamination, model->n_rows, evidence));
    FROCC_TRY(frocc__evidence_begin(evidence, counts));
    FROCC_TRY(frocc__calibrate(counts, &model->held, evidence, &model->calibration));
    if (model->held.most > 0 && model->calibration.scores == NULL) /* by no rows */
        FROCC_TRY(frocc__calibration_copy(&(frocc__calibration){0}, &model->calibration));
    frocc__bytes_out out = {0};
    frocc__counts_write(counts, &out);
    model->counts = out.data;
    model->counts_size = out.size;
    return out.failed ? FROCC_ERR_MEMORY : FROCC_OK;
}

frocc_status frocc__model_of_counts(frocc_frame *frame, const frocc__counts *counts,
                                    uint64_t n_rows, float epsilon, frocc__held *held,
                                    frocc__decision decision, frocc_model **model) {
    frocc_model *made = NULL;
    frocc_status status = frocc__model_new(frame, decision, &made);
    if (status != FROCC_OK) {
        frocc__held_free(held);
        return status;
    }
    made->n_rows = n_rows;
    made->epsilon = epsilon;
    made->held = *held;
    status = frocc__held_finish(&made->held, frame, &counts->extremes);
    if (status == FROCC_OK)
        status = take_counts(made, counts);
    if (status != FROCC_OK) {
        frocc_model_free(made);
        return status;
    }
    *model = made;
    return FROCC_OK;
}

frocc_model *frocc__model_retain(frocc_model *model) {
    atomic_fetch_add_explicit(&model->references, 1, memory_order_relaxed);
    return model;
}

void frocc_model_free(frocc_model *model) {
    if (model == NULL ||
        atomic_fetch_sub_explicit(&model->references, 1, memory_order_acq_rel) != 1)
        return;
    frocc__sketch_free(&model->sketch);
    frocc__filter_free(&model->filter);
    frocc__evidence_free(&model->evidence);
    frocc__calibration_free(&model->calibration);
    frocc__free(model->counts);
    frocc__held_free(&model->held);
    frocc_frame_free(model->frame);
    frocc__free(model);
}

frocc_schema *frocc_model_schema(const frocc_model *model) {
    return model == NULL ? NULL : frocc_frame_schema(model->frame);
}

frocc_frame *frocc_model_frame(const frocc_model *model) {
    return model == NULL ? NULL : frocc__frame_retain(model->frame);
}

/* ---- Models from models --------------------------------------------------------------------- */

static frocc_status check_open(const frocc_model *model, const char *what) {
    if (!model->is_sealed)
        return FROCC_OK;
    return frocc__fail(FROCC_ERR_UNSUPPORTED,
                       "a sealed model can only score; the model it was made from can be %s", what);
}

static frocc_status check_pair(const frocc_model *first, const frocc_model *other, size_t i) {
    if (!frocc__frames_equal(first->frame, other->frame))
        return frocc__fail(FROCC_ERR_FRAME,
                           "model %zu (from 0) is of another frame than model 0: only models of "
                           "the same columns, directions, seed, kernel and scaling merge",
                           i);
    if (other->decision.score != first->decision.score || other->held.most != first->held.most)
        return frocc__fail(FROCC_ERR_FRAME,
                           "model %zu (from 0) has another score or calibration than model 0", i);
    if (other->epsilon != first->epsilon)
        return frocc__fail(FROCC_ERR_FRAME,
                           "model %zu (from 0) has epsilon %g, model 0 has %g; fit both with "
                           "one epsilon, or coarsen the finer one",
                           i, (double)other->epsilon, (double)first->epsilon);
    return FROCC_OK;
}

static frocc_status check_mergeable(const frocc_model *const *models, size_t n_models) {
    FROCC_REQUIRE(models);
    if (n_models == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "there are no models to merge");
    uint64_t n_rows = 0;
    for (size_t i = 0; i < n_models; i++) {
        FROCC_REQUIRE(models[i]);
        FROCC_TRY(check_open(models[i], "merged"));
        FROCC_TRY(check_pair(models[0], models[i], i));
        if (__builtin_add_overflow(n_rows, models[i]->n_rows, &n_rows))
            return frocc__fail(FROCC_ERR_ARGUMENT, "2^64 rows and more cannot be counted");
    }
    return FROCC_OK;
}

/* The model of the rows of several, in a frame of theirs or of fewer directions, at an epsilon that
 * is theirs or larger. */
static frocc_status remake(const frocc_model *const *models, size_t n_models, frocc_frame *frame,
                           float epsilon, frocc__held *held, frocc__decision decision,
                           frocc_model **made) {
    frocc__counts all = {0};
    frocc_status status = frocc__counts_new(frame, frocc__cells_for(epsilon), &all);
    uint64_t n_rows = 0;
    for (size_t i = 0; i < n_models && status == FROCC_OK; i++) {
        const frocc__bytes_in bytes = {models[i]->counts, models[i]->counts_size, false};
        status = frocc__counts_merge_bytes(&all, models[i]->evidence.costs.n_cells, bytes);
        n_rows += models[i]->n_rows;
    }
    if (status != FROCC_OK) {
        frocc__counts_free(&all);
        frocc__held_free(held);
        return status;
    }
    status = frocc__model_of_counts(frame, &all, n_rows, epsilon, held, decision, made);
    frocc__counts_free(&all);
    return status;
}

static frocc_status merge_held(const frocc_model *const *models, size_t n_models,
                               frocc__held *held) {
    FROCC_TRY(frocc__held_copy(&models[0]->held, models[0]->frame, held));
    for (size_t i = 1; i < n_models; i++) {
        frocc__held merged;
        frocc_status status = frocc__held_merge(held, &models[i]->held, &merged);
        frocc__held_free(held);
        FROCC_TRY(status);
        *held = merged;
    }
    return FROCC_OK;
}

static frocc_status merge_counts(const frocc_model *const *models, size_t n_models,
                                 frocc_model **merged) {
    frocc__held held;
    FROCC_TRY(merge_held(models, n_models, &held));
    return remake(models, n_models, models[0]->frame, models[0]->epsilon, &held,
                  models[0]->decision, merged);
}

static frocc_status merge_intervals(const frocc_model *const *models, size_t n_models,
                                    frocc_model **merged) {
    const frocc_model *first = models[0];
    frocc__sketch all, tight;
    FROCC_TRY(frocc__sketch_copy(&first->sketch, first->sketch.n_slots, first->epsilon, &all));
    frocc_status status = FROCC_OK;
    for (size_t i = 1; i < n_models && status == FROCC_OK; i++)
        status = frocc__sketch_merge(&all, &models[i]->sketch);
    if (status == FROCC_OK)
        status = frocc__sketch_copy(&all, all.n_slots, all.epsilon, &tight);
    frocc__sketch_free(&all);
    FROCC_TRY(status);
    return frocc__model_of_intervals(first->frame, &tight, first->decision, merged);
}

frocc_status frocc_model_merge(const frocc_model *const *models, size_t n_models,
                               frocc_model **merged) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(merged);
    FROCC_TRY(check_mergeable(models, n_models));
    return frocc__model_counts(models[0]) ? merge_counts(models, n_models, merged)
                                          : merge_intervals(models, n_models, merged);
}

/* The model in a frame of the same or fewer directions, at the same or a larger epsilon. */
static frocc_status shrink(const frocc_model *model, frocc_frame *frame, float epsilon,
                           frocc_model **smaller) {
    if (frocc__model_counts(model)) {
        frocc__held held;
        FROCC_TRY(frocc__held_copy(&model->held, frame, &held));
        return remake(&model, 1, frame, epsilon, &held, model->decision, smaller);
    }
    frocc__sketch sketch;
    FROCC_TRY(frocc__sketch_copy(&model->sketch, frame->n_directions, epsilon, &sketch));
    return frocc__model_of_intervals(frame, &sketch, model->decision, smaller);
}

frocc_status frocc_model_coarsen(const frocc_model *model, float epsilon, frocc_model **coarser) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(coarser);
    FROCC_TRY(check_open(model, "coarsened"));
    if (!(epsilon >= model->epsilon && epsilon <= 1.0f))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "epsilon is %g; this model answers %g to 1, finer needs a new fit",
                           (double)epsilon, (double)model->epsilon);
    if (frocc__model_counts(model) && epsilon > FROCC_CLOSENESS_MAX_EPSILON)
        return frocc__fail(FROCC_ERR_ARGUMENT, "closeness needs an epsilon of at most %g",
                           (double)FROCC_CLOSENESS_MAX_EPSILON);
    return shrink(model, model->frame, epsilon, coarser);
}

frocc_status frocc_model_truncate(const frocc_model *model, size_t n_directions,
                                  frocc_model **shorter) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(shorter);
    FROCC_TRY(check_open(model, "truncated"));
    if (model->frame->trees.n_trees > 0)
        return frocc__fail(FROCC_ERR_UNSUPPORTED, "a model with trees cannot be truncated, since "
                                                  "they look at all directions; fit one with "
                                                  "fewer, or with n_trees 0");
    if (n_directions == 0 || n_directions > model->frame->n_directions)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "n_directions is %zu; this model answers 1 to %zu, more need a new fit",
                           n_directions, model->frame->n_directions);
    frocc_frame *frame = NULL;
    FROCC_TRY(frocc__frame_truncate(model->frame, n_directions, &frame));
    frocc_status status = shrink(model, frame, model->epsilon, shorter);
    frocc_frame_free(frame);
    return status;
}

/* The counts of the rows stay; what they are worth changes. */
frocc_status frocc_model_decontaminate(const frocc_model *model, double contamination,
                                       frocc_model **other) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(other);
    FROCC_TRY(check_open(model, "given another contamination"));
    if (!frocc__model_counts(model))
        return frocc__fail(FROCC_ERR_UNSUPPORTED, "only closeness knows how often a value came; "
                                                  "agreement cannot allow for contamination");
    if (!(contamination >= 0.0 && contamination <= 0.5))
        return frocc__fail(FROCC_ERR_ARGUMENT, "contamination is %g; it must be 0 to 0.5",
                           contamination);
    frocc__held held;
    FROCC_TRY(frocc__held_copy(&model->held, model->frame, &held));
    frocc__decision decision = model->decision;
    decision.contamination = contamination;
    return remake(&model, 1, model->frame, model->epsilon, &held, decision, other);
}

static frocc_status seal_into(const frocc_model *model, frocc_model *sealed) {
    const frocc__bytes_in bytes = {model->counts, model->counts_size, false};
    frocc__bytes_out out = {0};
    sealed->n_rows = model->n_rows;
    sealed->epsilon = model->epsilon;
    sealed->is_sealed = true;
    frocc_status status = frocc__counts_seal(model->frame, model->evidence.costs.n_cells,
                                             model->evidence.needed, bytes, &out);
    sealed->counts = out.data;
    sealed->counts_size = out.size;
    FROCC_TRY(status);
    if (model->calibration.scores != NULL)
        FROCC_TRY(frocc__calibration_copy(&model->calibration, &sealed->calibration));
    return frocc__model_index(sealed);
}

frocc_status frocc_model_seal(const frocc_model *model, frocc_model **sealed) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(sealed);
    if (!frocc__model_counts(model)) /* its intervals are all that it has */
        return shrink(model, model->frame, model->epsilon, sealed);
    frocc_model *made = NULL;
    FROCC_TRY(frocc__model_new(model->frame, model->decision, &made));
    frocc_status status = seal_into(model, made);
    if (status != FROCC_OK) {
        frocc_model_free(made);
        return status;
    }
    *sealed = made;
    return FROCC_OK;
}

/* ---- What callers may see ------------------------------------------------------------------- */

uint64_t frocc_model_count_intervals(const frocc_model *model) {
    FROCC_OWN_ARITHMETIC;
    if (model == NULL || !frocc__model_counts(model))
        return model == NULL ? 0 : frocc__sketch_intervals(&model->sketch);
    const frocc__costs *costs = &model->evidence.costs;
    uint64_t total = 0;
    for (size_t slot = 0; slot < costs->n_slots; slot++)
        total += frocc__costs_intervals(costs, slot, NULL, 0);
    return total;
}

frocc_status frocc_model_describe(const frocc_model *model, frocc_model_info *info) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(info);
    if (info->struct_size != sizeof(frocc_model_info))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "info.struct_size must be set to sizeof(frocc_model_info)");
    const frocc_frame *frame = model->frame;
    *info = (frocc_model_info){
        .struct_size = sizeof(frocc_model_info),
        .n_features = frame->columns.n_inputs,
        .n_directions = frame->n_directions,
        .seed = frame->seed,
        .epsilon = model->epsilon,
        .score = model->decision.score,
        .threshold = model->decision.threshold,
        .fpr = model->decision.fpr,
        .contamination = model->decision.contamination,
        .calibration_rows = frocc__calibration_rows(&model->calibration),
        .kernel = frame->transform.kernel,
        .gamma = (double)frame->transform.gamma,
        .coef0 = (double)frame->transform.coef0,
        .degree = frame->transform.degree,
        .scaling = frame->scaling,
        .family = frame->family,
        .density = (double)frame->direction_features / (double)frame->columns.n_inputs,
        .is_sealed = model->is_sealed,
        .n_rows = model->n_rows,
        .n_trees = frame->trees.n_trees,
        .frame_checksum = frame->checksum,
    };
    return FROCC_OK;
}

const frocc__interval *frocc__model_list(const frocc_model *model, size_t direction,
                                         frocc__interval *scratch, size_t *count) {
    if (!frocc__model_counts(model)) {
        *count = model->sketch.count[direction];
        return frocc__slot(&model->sketch, direction);
    }
    *count = frocc__costs_intervals(&model->evidence.costs, direction, scratch, FROCC_MOST_CELLS);
    return scratch;
}

frocc_status frocc_model_intervals(const frocc_model *model, size_t direction, float *lower,
                                   float *upper, size_t capacity, size_t *count) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(count);
    if (direction >= model->frame->n_directions)
        return frocc__fail(FROCC_ERR_ARGUMENT, "direction %zu (from 0) is asked for; there are %zu",
                           direction, model->frame->n_directions);
    if (capacity > 0 && (lower == NULL || upper == NULL))
        return frocc__fail(FROCC_ERR_ARGUMENT, "lower and upper must not be NULL when capacity is "
                                               "above 0");
    const bool own = !frocc__model_counts(model);
    frocc__interval *scratch = frocc__alloc(own ? 0 : FROCC_MOST_CELLS, sizeof *scratch);
    if (scratch == NULL)
        return FROCC_ERR_MEMORY;
    const frocc__interval *list = frocc__model_list(model, direction, scratch, count);
    for (size_t i = 0; i < FROCC_MIN(*count, capacity); i++) {
        lower[i] = list[i].lo;
        upper[i] = list[i].hi;
    }
    frocc__free(scratch);
    return FROCC_OK;
}
