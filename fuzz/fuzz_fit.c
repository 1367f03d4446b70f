/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes drive the parameters, the rows and a split of them. The model of one pass over the rows
 * and the model merged from the parts, last part first, must be the same bytes; rows that cannot
 * be used must be refused by both. Ends the program when something does not hold.
 */
#include <stdlib.h>
#include <string.h>

#include "bounded.h"
#include "fit_input.h"

/* The frame of all rows, from samples of the parts. */
static frocc_status learn(const job *j, frocc_frame **frame) {
    frocc_sample *all = NULL;
    frocc_status status = frocc_sample_new(&j->params, j->d, &all);

    HOLDS(status == FROCC_OK);
    for (size_t i = j->parts; i-- > 0 && status == FROCC_OK;) {
        frocc_sample *part = NULL;
        frocc_rows rows =
            frocc_rows_f32(j->rows + j->start[i] * j->d, j->start[i + 1] - j->start[i], j->d);
        HOLDS(frocc_sample_new(&j->params, j->d, &part) == FROCC_OK);
        status = frocc_sample_add(part, &rows);
        if (status == FROCC_OK)
            HOLDS(frocc_sample_merge(all, part) == FROCC_OK);
        frocc_sample_free(part);
    }
    if (status == FROCC_OK)
        status = frocc_frame_new(&j->params, j->d, all, frame);
    frocc_sample_free(all);
    return status;
}

static frocc_status fit_parts(const job *j, frocc_model **model) {
    frocc_frame *frame = NULL;
    frocc_fitter *into = NULL;
    frocc_status status = learn(j, &frame);

    if (status != FROCC_OK)
        return status;
    HOLDS(frocc_fitter_new(frame, &j->params, &into) == FROCC_OK);
    for (size_t i = j->parts; i-- > 0 && status == FROCC_OK;) {
        frocc_fitter *part = NULL;
        frocc_rows rows =
            frocc_rows_f32(j->rows + j->start[i] * j->d, j->start[i + 1] - j->start[i], j->d);
        HOLDS(frocc_fitter_new(frame, &j->params, &part) == FROCC_OK);
        status = frocc_fitter_add(part, &rows);
        if (status == FROCC_OK)
            HOLDS(frocc_fitter_merge(into, part) == FROCC_OK);
        frocc_fitter_free(part);
    }
    if (status == FROCC_OK)
        status = frocc_fitter_finish(into, model);
    frocc_fitter_free(into);
    frocc_frame_free(frame);
    return status;
}

static void same_bytes(const frocc_model *a, const frocc_model *b) {
    void *x = NULL, *y = NULL;
    size_t x_size = 0, y_size = 0;

    HOLDS(frocc_model_to_bytes(a, &x, &x_size) == FROCC_OK);
    HOLDS(frocc_model_to_bytes(b, &y, &y_size) == FROCC_OK);
    HOLDS(x_size == y_size && memcmp(x, y, x_size) == 0);
    frocc_bytes_free(x);
    frocc_bytes_free(y);
}

/* Every training row agrees in all directions; none is closer than 1. */
static void training_rows_are_normal(const frocc_model *model, const frocc_rows *rows) {
    frocc_scorer *scorer = NULL;
    double scores[MAX_ROWS];
    frocc_model_info info = {.struct_size = sizeof info};

    HOLDS(frocc_model_describe(model, &info) == FROCC_OK && info.n_rows == rows->n_rows);
    HOLDS(frocc_scorer_new(model, 1, &scorer) == FROCC_OK);
    HOLDS(frocc_scorer_score(scorer, rows, scores) == FROCC_OK);
    for (size_t i = 0; i < rows->n_rows; i++)
        HOLDS(scores[i] == 1 || (scores[i] < 1 && info.score == FROCC_SCORE_CLOSENESS));
    frocc_scorer_free(scorer);
}

static void try_input(const uint8_t *data, size_t size) {
    static job j;
    input in = {data, size};
    frocc_model *whole = NULL, *merged = NULL;

    memset(&j, 0, sizeof j);
    read_params(&in, &j);
    read_rows(&in, &j);
    frocc_rows rows = frocc_rows_f32(j.rows, j.n, j.d);
    frocc_status status = frocc_fit(&j.params, &rows, &whole);
    HOLDS(status == FROCC_OK || status == FROCC_ERR_DATA || status == FROCC_ERR_EMPTY);
    HOLDS(fit_parts(&j, &merged) == status);
    if (status != FROCC_OK) {
        HOLDS(whole == NULL && merged == NULL);
        return;
    }
    same_bytes(whole, merged);
    if (j.params.score == FROCC_SCORE_CLOSENESS) {
        frocc_model *again = NULL;
        HOLDS(frocc_model_decontaminate(whole, j.params.contamination, &again) == FROCC_OK);
        same_bytes(whole, again);
        frocc_model_free(again);
    }
    training_rows_are_normal(whole, &rows);
    frocc_model_free(whole);
    frocc_model_free(merged);
}
