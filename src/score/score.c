/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scoring: for closeness, values are looked up in cost tables; for agreement, two compares with the
 * widest interval decide most values, and the rest are looked up in cells, or searched for where
 * that does not tell. Whatever is asked is a sink of the one driver.
 */
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"
#include "model/model.h"
#include "score/score.h"

frocc_status frocc_scorer_new(const frocc_model *model, int threads, frocc_scorer **scorer) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(scorer);
    if (threads < 0)
        return frocc__fail(FROCC_ERR_ARGUMENT, "threads is %d; it must be 0 (all) or more",
                           threads);
    frocc_scorer *made = frocc__alloc(1, sizeof *made);
    if (made == NULL)
        return FROCC_ERR_MEMORY;
    made->threads = frocc__threads(threads);
    if (frocc__workers_new(model->frame, made->threads, frocc__model_counts(model),
                           &made->workers) != FROCC_OK) {
        frocc__free(made);
        return FROCC_ERR_MEMORY;
    }
    made->model = frocc__model_retain((frocc_model *)model);
    *scorer = made;
    return FROCC_OK;
}

void frocc_scorer_free(frocc_scorer *scorer) {
    if (scorer == NULL)
        return;
    frocc__workers_free(scorer->workers, scorer->threads);
    frocc__left_out_free(&scorer->left_out);
    frocc__free(scorer->met);
    frocc_model_free(scorer->model);
    frocc__free(scorer->counts);
    frocc__free(scorer);
}

frocc_status frocc__scorer_run(frocc_scorer *scorer, const frocc_rows *rows,
                               const frocc__sink *sink) {
    FROCC_REQUIRE(rows);
    FROCC_TRY(frocc__rows_check(rows, scorer->model->frame->columns.n_inputs));
    const frocc_frame *frame = scorer->model->frame;
    const double work =
        (double)rows->n_rows * (double)frame->n_directions * ((double)frame->n_features + 4.0);
    return frocc__drive(frame, rows, scorer->workers, frocc__team_for(scorer->threads, work), sink,
                        false);
}

/* ---- Agreement ------------------------------------------------------------------------------ */

static bool accepts(const frocc_model *model, size_t direction, float value) {
    return frocc__contains(frocc__slot(&model->sketch, direction), model->sketch.count[direction],
                           value);
}

/* Nearly all directions accept nearly all rows, so what is counted is who rejects. */
typedef struct counting {
    const frocc_model *model;
    uint32_t *rejected; /* per row, with room for a whole panel at the end */
    uint32_t needed;    /* a row with this many accepting directions is normal */
} counting;

static void count_row(const counting *job, const frocc__tile *tile) {
    const frocc__filter *filter = &job->model->filter;
    size_t first = tile->block * FROCC_BLOCK;
    uint32_t rejected = 0;
    for (size_t c = 0; c < tile->n_directions; c++) {
        float value = tile->values[c];
        bool is_inner =
            value >= filter->widest.low[first + c] && value <= filter->widest.high[first + c];
        rejected += !is_inner && !accepts(job->model, first + c, value);
    }
    job->rejected[tile->first_row] += rejected;
}

/* Of the rows of one direction that no cell decides, those that it rejects. */
static frocc__row_mask search_rows(const frocc_model *model, size_t direction, const float *values,
                                   frocc__row_mask unsure) {
    frocc__row_mask rejected = 0;
    for (; unsure != 0; unsure &= unsure - 1) {
        int r = __builtin_ctzll(unsure);
        rejected |= (frocc__row_mask)!accepts(model, direction, values[r]) << r;
    }
    return rejected;
}

static void count_panel(const counting *job, const frocc__tile *tile) {
    const frocc_model *model = job->model;
    const frocc__kernels *kernels = model->frame->kernels;
    const size_t first = tile->block * FROCC_BLOCK;
    frocc__row_mask rows[FROCC_BLOCK], in[FROCC_BLOCK], unsure[FROCC_BLOCK];
    frocc__row_mask rejected[FROCC_BLOCK] = {0}, any = 0;
    if (!frocc__filter_outside(&model->filter, tile->values, tile->block, frocc__tile_rows(tile),
                               tile->has_outside, rows))
        return;
    kernels->look_up(tile->values, &model->filter.cells[first], rows, in, unsure);
    for (size_t c = 0; c < tile->n_directions; c++) {
        if (rows[c] == 0)
            continue;
        rejected[c] = rows[c] & ~in[c] & ~unsure[c];
        rejected[c] |= search_rows(model, first + c, tile->values + c * FROCC_PANEL, unsure[c]);
        any |= rejected[c];
    }
    if (any != 0)
        kernels->tally(rejected, job->rejected + tile->first_row);
}

static void take_counts(void *context, const frocc__tile *tile) {
    const counting *job = context;
    if (tile->stride == 1)
        count_row(job, tile);
    else
        count_panel(job, tile);
}

/* Zeroed counts for n_rows rows, with room for a panel more. */
static frocc_status borrow_counts(frocc_scorer *scorer, const frocc_rows *rows) {
    FROCC_TRY(frocc__rows_check(rows, scorer->model->frame->columns.n_inputs));
    if (rows->n_rows > SIZE_MAX / 4 - FROCC_PANEL)
        return frocc__fail(FROCC_ERR_SHAPE, "%zu rows are too many at once", rows->n_rows);
    size_t n_counts = rows->n_rows + FROCC_PANEL;
    if (n_counts > scorer->counts_capacity) {
        uint32_t *grown = frocc__alloc(n_counts, sizeof(uint32_t));
        if (grown == NULL)
            return FROCC_ERR_MEMORY;
        frocc__free(scorer->counts);
        scorer->counts = grown;
        scorer->counts_capacity = n_counts;
    }
    memset(scorer->counts, 0, n_counts * sizeof(uint32_t));
    return FROCC_OK;
}

/* Leaves in scorer->counts how many directions reject each row. */
static frocc_status count_rejections(frocc_scorer *scorer, const frocc_rows *rows) {
    FROCC_TRY(borrow_counts(scorer, rows));
    counting job = {.model = scorer->model, .rejected = scorer->counts};
    return frocc__scorer_run(scorer, rows,
                             &(frocc__sink){.context = &job,
                                            .take = take_counts,
                                            .inner = &scorer->model->filter.widest});
}

frocc_status frocc_scorer_count(frocc_scorer *scorer, const frocc_rows *rows, uint32_t *accepted) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(scorer);
    FROCC_REQUIRE(rows);
    FROCC_REQUIRE(accepted);
    FROCC_TRY(frocc__refuse_closeness(scorer->model, "count accepting directions"));
    FROCC_TRY(count_rejections(scorer, rows));
    uint32_t m = (uint32_t)scorer->model->frame->n_directions;
    for (size_t r = 0; r < rows->n_rows; r++)
        accepted[r] = m - scorer->counts[r];
    return FROCC_OK;
}

frocc_status frocc__refuse_closeness(const frocc_model *model, const char *what) {
    if (!frocc__model_counts(model))
        return FROCC_OK;
    return frocc__fail(FROCC_ERR_UNSUPPORTED,
                       "a model of closeness cannot %s; fit one of agreement, as "
                       "frocc_params_init_paper sets it",
                       what);
}

/* ---- Closeness ------------------------------------------------------------------------------ */

typedef struct judging {
    const frocc__evidence *evidence;
    frocc__against *rows;
} judging;

uint32_t frocc__direction_cost(const frocc_model *model, size_t direction, float value) {
    return frocc__model_counts(model)
               ? frocc__cost_of(&model->evidence.costs.tables[direction], value)
               : !accepts(model, direction, value);
}

static void take_evidence(void *context, const frocc__projections *projections) {
    const judging *job = context;
    frocc__evidence_add(job->evidence, projections, job->rows + projections->first_row);
}

static frocc_status score_closeness(frocc_scorer *scorer, const frocc_rows *rows, double *scores) {
    FROCC_TRY(frocc__rows_check(rows, scorer->model->frame->columns.n_inputs));
    judging job = {&scorer->model->evidence, frocc__alloc(rows->n_rows, sizeof *job.rows)};
    if (job.rows == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = frocc__scorer_run(
        scorer, rows, &(frocc__sink){.context = &job, .take_projections = take_evidence});
    for (size_t r = 0; r < rows->n_rows && status == FROCC_OK; r++)
        scores[r] = frocc__closeness(job.evidence, &job.rows[r]);
    frocc__free(job.rows);
    return status;
}

static frocc_status score_agreement(frocc_scorer *scorer, const frocc_rows *rows, double *scores) {
    const double m = (double)scorer->model->frame->n_directions;
    FROCC_TRY(count_rejections(scorer, rows));
    for (size_t r = 0; r < rows->n_rows; r++)
        scores[r] = (m - (double)scorer->counts[r]) / m;
    return FROCC_OK;
}

frocc_status frocc_scorer_score(frocc_scorer *scorer, const frocc_rows *rows, double *scores) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(scorer);
    FROCC_REQUIRE(rows);
    FROCC_REQUIRE(scores);
    return scorer->model->decision.score == FROCC_SCORE_CLOSENESS
               ? score_closeness(scorer, rows, scores)
               : score_agreement(scorer, rows, scores);
}

/* ---- Decisions ------------------------------------------------------------------------------ */

/* The smallest count whose share of m reaches the threshold, as frocc_scorer_score divides. */
static uint32_t count_needed(double threshold, size_t m) {
    size_t low = 0, high = m + 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)middle / (double)m >= threshold)
            high = middle;
        else
            low = middle + 1;
    }
    return (uint32_t)low;
}

static bool is_normal(const counting *job, size_t row) {
    return job->model->frame->n_directions - job->rejected[row] >= job->needed;
}

/* A row is decided when it has enough accepting directions, or too many reject it. */
static bool is_decided(void *context, size_t first_row, size_t n_rows, size_t n_directions) {
    const counting *job = context;
    for (size_t r = first_row; r < first_row + n_rows; r++)
        if (n_directions - job->rejected[r] < job->needed && is_normal(job, r))
            return false;
    return true;
}

static frocc_status decide_by_count(frocc_scorer *scorer, const frocc_rows *rows, double threshold,
                                    uint8_t *normal) {
    FROCC_TRY(borrow_counts(scorer, rows));
    counting job = {.model = scorer->model,
                    .rejected = scorer->counts,
                    .needed = count_needed(threshold, scorer->model->frame->n_directions)};
    FROCC_TRY(frocc__scorer_run(scorer, rows,
                                &(frocc__sink){.context = &job,
                                               .take = take_counts,
                                               .done = is_decided,
                                               .inner = &scorer->model->filter.widest}));
    for (size_t r = 0; r < rows->n_rows; r++)
        normal[r] = is_normal(&job, r);
    return FROCC_OK;
}

static frocc_status decide_by_score(frocc_scorer *scorer, const frocc_rows *rows, double threshold,
                                    uint8_t *normal) {
    double *scores = frocc__alloc(rows->n_rows, sizeof(double));
    if (scores == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = frocc_scorer_score(scorer, rows, scores);
    for (size_t r = 0; status == FROCC_OK && r < rows->n_rows; r++)
        normal[r] = scores[r] >= threshold;
    frocc__free(scores);
    return status;
}

/*
 * Where the rate that was asked for cannot be told, scores are compared with few others, of which
 * one may be wild itself; so what is plainly outside is looked for apart. Not in rows of more
 * features than there were rows: one of so many is often outside.
 */
static bool looks_for_far_values(const frocc_model *model) {
    const double total = (double)frocc__calibration_rows(&model->calibration) + 1.0;
    return model->decision.fpr > 0.0 && 1.0 / total > model->decision.fpr &&
           model->evidence.extremes.n_features > 0 &&
           model->evidence.extremes.n_features <= model->n_rows;
}

static frocc_status reject_far_values(frocc_scorer *scorer, const frocc_rows *rows,
                                      uint8_t *normal) {
    const frocc_frame *frame = scorer->model->frame;
    float *row = frocc__alloc(frame->n_features, sizeof *row);
    if (row == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t r = 0; r < rows->n_rows; r++)
        if (normal[r] && frocc__frame_prepare(frame, rows, r, row))
            normal[r] = !frocc__extremes_is_far(&scorer->model->evidence.extremes, frame, row);
    frocc__free(row);
    return FROCC_OK;
}

frocc_status frocc_scorer_decide(frocc_scorer *scorer, const frocc_rows *rows, double threshold,
                                 uint8_t *normal) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(scorer);
    FROCC_REQUIRE(rows);
    FROCC_REQUIRE(normal);
    const frocc__decision *own = &scorer->model->decision;
    double limit = isnan(threshold) ? own->threshold : threshold;
    if (isnan(threshold) && own->fpr > 0.0)
        FROCC_TRY(frocc_model_threshold(scorer->model, own->fpr, &limit));
    if (own->score == FROCC_SCORE_AGREEMENT)
        return decide_by_count(scorer, rows, limit, normal);
    FROCC_TRY(decide_by_score(scorer, rows, limit, normal));
    return isnan(threshold) && looks_for_far_values(scorer->model)
               ? reject_far_values(scorer, rows, normal)
               : FROCC_OK;
}
