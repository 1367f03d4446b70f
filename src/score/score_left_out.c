/* SPDX-License-Identifier: BSD-3-Clause */
/* Training rows, each scored as if it had not been there. */
#include "base/arithmetic.h"
#include "base/memory.h"
#include "evidence/left_out.h"
#include "score/score.h"

typedef struct judging {
    const frocc__left_out *left_out;
    frocc__against *rows;
    atomic_size_t foreign; /* the first row that was not learnt */
} judging;

static void note_foreign(judging *job, size_t row) {
    size_t known = atomic_load(&job->foreign);
    while (row < known && !atomic_compare_exchange_weak(&job->foreign, &known, row))
        ;
}

static void take_left_out(void *context, const frocc__projections *projections) {
    judging *job = context;
    const size_t first = projections->first_row;
    const size_t found = frocc__left_out_add(job->left_out, projections, job->rows + first);
    if (found != SIZE_MAX)
        note_foreign(job, first + found);
}

static frocc_status check_left_out(const frocc_model *model) {
    if (!frocc__model_counts(model))
        return frocc__fail(FROCC_ERR_UNSUPPORTED,
                           "agreement does not know how often a value came, so it cannot leave a "
                           "row out; fit a model of closeness, as frocc_params_init sets it");
    if (model->is_sealed)
        return frocc__fail(FROCC_ERR_UNSUPPORTED,
                           "a sealed model has no counts to leave a row out of; the model it was "
                           "made from has");
    return FROCC_OK;
}

/* What rows are scored by, once for all calls. */
static frocc_status need_left_out(frocc_scorer *scorer) {
    const frocc_model *model = scorer->model;
    if (scorer->left_out.tables != NULL)
        return FROCC_OK;
    const frocc__bytes_in bytes = {model->counts, model->counts_size, false};
    return frocc__left_out_new(&model->evidence, bytes, &scorer->left_out);
}

static frocc_status refuse_foreign(const judging *job) {
    const size_t row = atomic_load(&job->foreign);
    if (row == SIZE_MAX)
        return FROCC_OK;
    return frocc__fail_at(FROCC_ERR_DATA, &(frocc__where){.row = row + 1},
                          "the row is not among those that the model has learnt, so it cannot be "
                          "left out; score it with frocc_scorer_score");
}

frocc_status frocc_scorer_score_left_out(frocc_scorer *scorer, const frocc_rows *rows,
                                         double *scores) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(scorer);
    FROCC_REQUIRE(rows);
    FROCC_REQUIRE(scores);
    FROCC_TRY(check_left_out(scorer->model));
    FROCC_TRY(frocc__rows_check(rows, scorer->model->frame->columns.n_inputs));
    FROCC_TRY(need_left_out(scorer));
    judging job = {&scorer->left_out, frocc__alloc(rows->n_rows, sizeof *job.rows), SIZE_MAX};
    if (job.rows == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = frocc__scorer_run(
        scorer, rows, &(frocc__sink){.context = &job, .take_projections = take_left_out});
    if (status == FROCC_OK)
        status = refuse_foreign(&job);
    for (size_t r = 0; r < rows->n_rows && status == FROCC_OK; r++)
        scores[r] = frocc__closeness(&scorer->model->evidence, &job.rows[r]);
    frocc__free(job.rows);
    return status;
}
