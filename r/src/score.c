/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores, decisions and reasons: a value a row, NA for rows that are left out. */
#include "calls.h"
#include "glue.h"

/* What is asked of the rows of a block: a number for each. */
typedef frocc_status (*r_question)(frocc_scorer *scorer, const frocc_rows *rows, double *answers);

static frocc_status ask_scores(frocc_scorer *scorer, const frocc_rows *rows, double *answers) {
    return frocc_scorer_score(scorer, rows, answers);
}

static frocc_status ask_decisions(frocc_scorer *scorer, const frocc_rows *rows, double *answers) {
    uint8_t *normal = (uint8_t *)answers;
    frocc_status status = frocc_scorer_decide(scorer, rows, FROCC_OWN_THRESHOLD, normal);
    for (size_t r = rows->n_rows; r-- > 0;) /* they share the room: from the end */
        answers[r] = normal[r];
    return status;
}

static frocc_status ask_all(r_question ask, frocc_scorer *scorer, r_rows *rows, double *room,
                            SEXP results) {
    for (;;) {
        frocc_rows block;
        frocc_status status = rows_next(rows, &block);
        if (status != FROCC_OK || block.n_rows == 0)
            return status;
        status = ask(scorer, &block, room);
        if (status != FROCC_OK)
            return status;
        for (size_t r = 0; r < block.n_rows; r++)
            REAL(results)[rows_number(rows, r)] = room[r];
    }
}

static SEXP numbers_of_na(SEXP n_rows) {
    SEXP results = Rf_allocVector(REALSXP, (R_xlen_t)Rf_asReal(n_rows));
    for (R_xlen_t r = 0; r < XLENGTH(results); r++)
        REAL(results)[r] = NA_REAL;
    return results;
}

static SEXP answer(r_question ask, SEXP object, SEXP given_rows, SEXP n_rows, SEXP threads) {
    const frocc_model *model = model_of(object);
    if (model == NULL)
        return failure_without_place(FROCC_ERR_FORMAT);
    SEXP results = PROTECT(numbers_of_na(n_rows)), holder = PROTECT(hold(HELD_SCORER));
    double *room = (double *)R_alloc(BLOCK_MOST_ROWS, sizeof *room);
    r_rows rows;
    frocc_scorer *scorer = NULL;
    frocc_status status = rows_open(given_rows, model, &rows);
    if (status == FROCC_OK)
        status = frocc_scorer_new(model, Rf_asInteger(threads), &scorer);
    R_SetExternalPtrAddr(holder, scorer);
    if (status == FROCC_OK)
        status = ask_all(ask, scorer, &rows, room, results);
    release(holder);
    if (status != FROCC_OK)
        results = failure(status, &rows);
    rows_close(&rows);
    UNPROTECT(4);
    return results;
}

SEXP frocc_r_score(SEXP object, SEXP rows, SEXP n_rows, SEXP threads) {
    return answer(ask_scores, object, rows, n_rows, threads);
}

SEXP frocc_r_decide(SEXP object, SEXP rows, SEXP n_rows, SEXP threads) {
    return answer(ask_decisions, object, rows, n_rows, threads);
}

SEXP frocc_r_p_values(SEXP object, SEXP scores) {
    const frocc_model *model = model_of(object);
    if (model == NULL)
        return failure_without_place(FROCC_ERR_FORMAT);
    SEXP results = PROTECT(Rf_allocVector(REALSXP, XLENGTH(scores)));
    frocc_status status =
        frocc_model_p_values(model, REAL_RO(scores), (size_t)XLENGTH(scores), REAL(results));
    if (status != FROCC_OK)
        results = failure_without_place(status);
    UNPROTECT(1);
    return results;
}

/* ---- Reasons --------------------------------------------------------------------------------- */

/* Matrices with a column for each row of R's, as the library fills them. */
typedef struct r_reasons {
    size_t n_features;
    double *values, *gain, *better;
} r_reasons;

static frocc_status explain_all(const frocc_model *model, r_rows *rows, const r_reasons *reasons) {
    const size_t d = reasons->n_features;
    for (;;) {
        frocc_rows block;
        frocc_status status = rows_next(rows, &block);
        if (status != FROCC_OK || block.n_rows == 0)
            return status;
        for (size_t r = 0; r < block.n_rows; r++) {
            const size_t at = d * rows_number(rows, r);
            const double *row = (const double *)block.values + r * block.row_stride;
            const frocc_rows one = frocc_rows_f64(row, 1, block.n_features);
            status =
                wants_to_leave(rows) /* a row may take long */
                    ? FROCC_ERR_CALLBACK
                    : frocc_model_explain(model, &one, reasons->gain + at, reasons->better + at);
            if (status != FROCC_OK)
                return status;
            for (size_t j = 0; j < d; j++)
                reasons->values[at + j] = row[j];
        }
    }
}

static SEXP matrix_of_na(R_xlen_t n_features, R_xlen_t n_rows) {
    SEXP matrix = Rf_allocMatrix(REALSXP, (int)n_features, (int)n_rows);
    for (R_xlen_t i = 0; i < XLENGTH(matrix); i++)
        REAL(matrix)[i] = NA_REAL;
    return matrix;
}

SEXP frocc_r_explain(SEXP object, SEXP given_rows, SEXP n_rows) {
    const frocc_model *model = model_of(object);
    if (model == NULL)
        return failure_without_place(FROCC_ERR_FORMAT);
    frocc_model_info info = {.struct_size = sizeof info};
    (void)frocc_model_describe(model, &info);
    const char *names[] = {"values", "gain", "better", ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    double *parts[3];
    for (int i = 0; i < 3; i++) {
        SET_VECTOR_ELT(result, i,
                       matrix_of_na((R_xlen_t)info.n_features, (R_xlen_t)Rf_asReal(n_rows)));
        parts[i] = REAL(VECTOR_ELT(result, i));
    }
    const r_reasons reasons = {info.n_features, parts[0], parts[1], parts[2]};
    r_rows rows;
    frocc_status status = rows_open(given_rows, model, &rows);
    if (status == FROCC_OK)
        status = explain_all(model, &rows, &reasons);
    if (status != FROCC_OK)
        result = failure(status, &rows);
    rows_close(&rows);
    UNPROTECT(3);
    return result;
}
