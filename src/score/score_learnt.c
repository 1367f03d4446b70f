/* SPDX-License-Identifier: BSD-3-Clause */
/* Are these the rows that were learnt? The hashes of those that calibrate tell: O(d) a row. */
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/status.h"
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

/* Rows that can be met: none where they are too few to tell. */
static size_t count_meetable(const frocc_scorer *scorer) {
    const size_t n_rows = scorer->model->held.n_rows;
    return n_rows >= ENOUGH ? n_rows : 0;
}

static frocc_status need_met(frocc_scorer *scorer) {
    const size_t n_rows = count_meetable(scorer);
    if (n_rows > 0 && scorer->met == NULL)
        scorer->met = frocc__alloc(n_rows, sizeof *scorer->met);
    return n_rows > 0 && scorer->met == NULL ? FROCC_ERR_MEMORY : FROCC_OK;
}

static double share_met(const frocc_scorer *scorer) {
    const size_t n_rows = count_meetable(scorer);
    size_t as_often = 0;
    for (size_t i = 0; i < n_rows; i++)
        as_often += scorer->met[i] == scorer->model->held.copies[i];
    return n_rows > 0 ? (double)as_often / (double)n_rows : 0.0;
}

frocc_status frocc_scorer_meet(frocc_scorer *scorer, const frocc_rows *rows, double *learnt) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(scorer);
    FROCC_REQUIRE(rows);
    FROCC_REQUIRE(learnt);
    FROCC_TRY(frocc__rows_check(rows, scorer->model->frame->columns.n_inputs));
    FROCC_TRY(need_met(scorer));
    for (size_t r = 0; scorer->met != NULL && r < rows->n_rows; r++)
        meet(scorer, rows, r);
    *learnt = share_met(scorer);
    return FROCC_OK;
}

/* ---- In several processes ------------------------------------------------------------------- */

frocc_status frocc_scorer_copy_met(const frocc_scorer *scorer, uint64_t *met, size_t capacity,
                                   size_t *count) {
    FROCC_REQUIRE(scorer);
    FROCC_REQUIRE(count);
    if (capacity > 0)
        FROCC_REQUIRE(met);
    const size_t n_rows = count_meetable(scorer);
    for (size_t i = 0; i < FROCC_MIN(n_rows, capacity); i++)
        met[i] = scorer->met != NULL ? scorer->met[i] : 0;
    *count = n_rows;
    return FROCC_OK;
}

frocc_status frocc_scorer_add_met(frocc_scorer *scorer, const uint64_t *met, size_t count,
                                  double *learnt) {
    FROCC_REQUIRE(scorer);
    FROCC_REQUIRE(learnt);
    if (count > 0)
        FROCC_REQUIRE(met);
    if (count != count_meetable(scorer))
        return frocc__fail(FROCC_ERR_SHAPE,
                           "%zu rows were met elsewhere, and %zu can be here: the scorers are of "
                           "different models",
                           count, count_meetable(scorer));
    FROCC_TRY(need_met(scorer));
    for (size_t i = 0; i < count; i++)
        scorer->met[i] += met[i];
    *learnt = share_met(scorer);
    return FROCC_OK;
}
