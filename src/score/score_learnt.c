/* SPDX-License-Identifier: BSD-3-Clause */
/* Are these the rows that were learnt? The hashes of those that calibrate tell: O(d) a row. */
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "score/score.h"

/* Fewer distinct rows may be met by chance. */
#define ENOUGH 16

static int compare_hashes(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void meet(frocc_scorer *scorer, const frocc_rows *rows, size_t r) {
    const frocc__held *held = &scorer->model->held;
    const frocc__row row = frocc__rows_at(rows, r);
    if (row.columns != NULL && !frocc__row_is_valid(&row, rows->n_features))
        return;
    const uint64_t hash = frocc__row_hash(rows, r, scorer->model->frame->seed);
    if (!frocc__may_calibrate(hash) || hash > held->hash[held->n_rows - 1])
        return;
    const uint64_t *found = bsearch(&hash, held->hash, held->n_rows, sizeof hash, compare_hashes);
    if (found != NULL)
        scorer->met[found - held->hash]++;
}

frocc_status frocc_scorer_meet(frocc_scorer *scorer, const frocc_rows *rows, double *learnt) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(scorer);
    FROCC_REQUIRE(rows);
    FROCC_REQUIRE(learnt);
    const frocc__held *held = &scorer->model->held;
    FROCC_TRY(frocc__rows_check(rows, scorer->model->frame->n_features));
    if (held->n_rows >= ENOUGH && scorer->met == NULL)
        scorer->met = frocc__alloc(held->n_rows, sizeof *scorer->met);
    if (held->n_rows >= ENOUGH && scorer->met == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t r = 0; scorer->met != NULL && r < rows->n_rows; r++)
        meet(scorer, rows, r);
    size_t as_often = 0;
    for (size_t i = 0; scorer->met != NULL && i < held->n_rows; i++)
        as_often += scorer->met[i] == held->copies[i];
    *learnt = scorer->met != NULL ? (double)as_often / (double)held->n_rows : 0.0;
    return FROCC_OK;
}
