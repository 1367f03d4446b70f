/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting rows in memory or from a source: sample where the frame learns, then fitter. */
#include "base/arithmetic.h"
#include "base/status.h"
#include "frame/frame.h"

typedef struct memory_source {
    const frocc_rows *rows;
    bool done;
} memory_source;

static frocc_status next_from_memory(void *context, frocc_rows *batch) {
    memory_source *source = context;
    *batch = *source->rows;
    if (source->done)
        batch->n_rows = 0;
    source->done = true;
    return FROCC_OK;
}

static frocc_status rewind_memory(void *context) {
    memory_source *source = context;
    source->done = false;
    return FROCC_OK;
}

frocc_status frocc_fit(const frocc_params *params, const frocc_rows *rows, frocc_model **model) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(params);
    FROCC_REQUIRE(rows);
    FROCC_REQUIRE(model);
    memory_source memory = {rows, false};
    frocc_source source = {next_from_memory, rewind_memory, &memory};
    return frocc_fit_source(params, &source, model);
}

typedef frocc_status (*batch_fn)(void *object, const frocc_rows *batch);

static frocc_status add_to_sample(void *sample, const frocc_rows *batch) {
    return frocc_sample_add(sample, batch);
}

static frocc_status add_to_fitter(void *fitter, const frocc_rows *batch) {
    return frocc_fitter_add(fitter, batch);
}

/* What the source says is the sentence, and an earlier failure's is not, where it says nothing. */
static frocc_status source_failed(frocc_status status, uint64_t errors_before) {
    if (frocc__error_count() == errors_before)
        return frocc__fail(status, "the row source failed");
    return status;
}

static frocc_status next_batch(frocc_source *source, frocc_rows *batch) {
    const uint64_t errors_before = frocc__error_count();
    frocc_status status = source->next(source->context, batch);
    return status == FROCC_OK ? FROCC_OK : source_failed(status, errors_before);
}

static frocc_status first_batch_again(frocc_source *source, frocc_rows *batch) {
    const uint64_t errors_before = frocc__error_count();
    frocc_status status = source->rewind(source->context);
    return status == FROCC_OK ? next_batch(source, batch) : source_failed(status, errors_before);
}

/* Hands a batch, then all further ones, to take. */
static frocc_status take_all(frocc_source *source, frocc_rows batch, batch_fn take, void *object) {
    while (batch.n_rows > 0) {
        FROCC_TRY(take(object, &batch));
        FROCC_TRY(next_batch(source, &batch));
    }
    return FROCC_OK;
}

/* The first pass, where a scaling is learnt; leaves the source on its first batch again. */
static frocc_status learn_frame(const frocc_params *params, frocc_source *source, frocc_rows *batch,
                                frocc_frame **frame) {
    size_t n_features = batch->n_features;
    if (!frocc_params_learn(params))
        return frocc_frame_new(params, n_features, NULL, frame);
    if (source->rewind == NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT, "the frame is learnt in a pass of its own: the "
                                               "row source needs a rewind function");
    frocc_sample *sample = NULL;
    FROCC_TRY(frocc_sample_new(params, n_features, &sample));
    frocc_status status = take_all(source, *batch, add_to_sample, sample);
    if (status == FROCC_OK)
        status = frocc_frame_new(params, n_features, sample, frame);
    frocc_sample_free(sample);
    FROCC_TRY(status);
    status = first_batch_again(source, batch);
    if (status != FROCC_OK) {
        frocc_frame_free(*frame);
        *frame = NULL;
    }
    return status;
}

static frocc_status fit_in_frame(const frocc_params *params, frocc_source *source, frocc_rows batch,
                                 frocc_frame *frame, frocc_model **model) {
    frocc_fitter *fitter = NULL;
    FROCC_TRY(frocc_fitter_new(frame, params, &fitter));
    frocc_status status = take_all(source, batch, add_to_fitter, fitter);
    if (status == FROCC_OK)
        status = frocc_fitter_finish(fitter, model);
    frocc_fitter_free(fitter);
    return status;
}

frocc_status frocc_fit_source(const frocc_params *params, frocc_source *source,
                              frocc_model **model) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(params);
    FROCC_REQUIRE(source);
    FROCC_REQUIRE(source->next);
    FROCC_REQUIRE(model);
    frocc_rows batch = {0};
    FROCC_TRY(next_batch(source, &batch));
    FROCC_TRY(frocc_params_check(params, batch.n_features));
    if (batch.n_rows == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "there are no rows to learn from");
    frocc_frame *frame = NULL;
    FROCC_TRY(learn_frame(params, source, &batch, &frame));
    frocc_status status = fit_in_frame(params, source, batch, frame, model);
    frocc_frame_free(frame);
    return status;
}
