/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows into models, and models into models. */
#include "calls.h"
#include "glue.h"

#include <math.h>
#include <string.h>

/* ---- Parameters: a vector of numbers with names, NA for what the method says ----------------- */

static double number(SEXP params, const char *name, double usual) {
    SEXP names = Rf_getAttrib(params, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return ISNAN(REAL_RO(params)[i]) ? usual : REAL_RO(params)[i];
    Rf_error("the parameter %s is missing", name);
}

static frocc_params params_of(SEXP given) {
    frocc_params params;
    if (number(given, "paper", 0) != 0)
        frocc_params_init_paper(&params);
    else
        frocc_params_init(&params);
    params.seed = (uint64_t)number(given, "seed", (double)params.seed);
    params.n_directions = (size_t)number(given, "directions", (double)params.n_directions);
    params.epsilon = (float)number(given, "epsilon", (double)params.epsilon);
    params.score = (frocc_score)number(given, "score", params.score);
    params.threshold = number(given, "threshold", params.threshold);
    params.fpr = number(given, "fpr", params.fpr);
    params.contamination = number(given, "contamination", params.contamination);
    params.n_trees = (size_t)number(given, "trees", (double)params.n_trees);
    const double calibration = number(given, "calibration", -1); /* infinite: as many as needed */
    if (calibration >= 0)
        params.calibration_rows = isinf(calibration) ? FROCC_CALIBRATION_AUTO : (size_t)calibration;
    params.kernel = (frocc_kernel)number(given, "kernel", params.kernel);
    params.gamma = number(given, "gamma", params.gamma);
    params.coef0 = number(given, "coef0", params.coef0);
    params.degree = (int)number(given, "degree", params.degree);
    params.scaling = (frocc_scaling)number(given, "scaling", params.scaling);
    params.family = (frocc_family)number(given, "family", params.family);
    params.density = number(given, "density", params.density);
    params.threads = (int)number(given, "threads", params.threads);
    return params;
}

/* ---- Models of rows -------------------------------------------------------------------------- */

SEXP frocc_r_fit(SEXP given_rows, SEXP given_params) {
    frocc_params params = params_of(given_params);
    SEXP holder = PROTECT(hold(HELD_MODEL));
    r_rows rows;
    frocc_model *model = NULL;
    frocc_status status = rows_open(given_rows, NULL, &rows);
    if (status == FROCC_OK) {
        frocc_schema *schema = rows.reader == NULL ? NULL : frocc_reader_schema(rows.reader);
        frocc_source source = rows_source(&rows);
        params.schema = schema;
        status = frocc_fit_source(&params, &source, &model);
        frocc_schema_free(schema);
    }
    R_SetExternalPtrAddr(holder, model);
    SEXP result = status == FROCC_OK ? object_parts(holder) : failure(status, &rows);
    rows_close(&rows);
    UNPROTECT(3);
    return result;
}

static frocc_status add_all(r_rows *rows, frocc_fitter *fitter) {
    for (;;) {
        frocc_rows block;
        frocc_status status = rows_next(rows, &block);
        if (status != FROCC_OK || block.n_rows == 0)
            return status;
        status = frocc_fitter_add(fitter, &block);
        if (status != FROCC_OK)
            return status;
    }
}

/* The model of the rows, in the frame of another one. */
static frocc_status fit_like(const frocc_model *model, r_rows *rows, int threads, SEXP held_fitter,
                             SEXP held_model) {
    frocc_fitter *fitter = NULL;
    frocc_model *found = NULL;
    frocc_status status = frocc_fitter_like(model, threads, &fitter);
    R_SetExternalPtrAddr(held_fitter, fitter);
    if (status == FROCC_OK)
        status = add_all(rows, fitter);
    if (status == FROCC_OK)
        status = frocc_fitter_finish(fitter, &found);
    R_SetExternalPtrAddr(held_model, found);
    release(held_fitter);
    return status;
}

SEXP frocc_r_update(SEXP object, SEXP given_rows, SEXP threads) {
    const frocc_model *model = model_of(object);
    if (model == NULL)
        return failure_without_place(FROCC_ERR_FORMAT);
    SEXP holder = PROTECT(hold(HELD_MODEL)), fresh = PROTECT(hold(HELD_MODEL));
    SEXP fitter = PROTECT(hold(HELD_FITTER));
    r_rows rows;
    frocc_model *merged = NULL;
    frocc_status status = rows_open(given_rows, model, &rows);
    if (status == FROCC_OK)
        status = fit_like(model, &rows, Rf_asInteger(threads), fitter, fresh);
    if (status == FROCC_OK) {
        const frocc_model *both[] = {model, R_ExternalPtrAddr(fresh)};
        status = frocc_model_merge(both, 2, &merged);
    }
    release(fresh);
    R_SetExternalPtrAddr(holder, merged);
    SEXP result = PROTECT(status == FROCC_OK ? object_parts(holder) : failure(status, &rows));
    rows_close(&rows);
    UNPROTECT(6);
    return result;
}

SEXP frocc_r_merge(SEXP objects) {
    const size_t n = (size_t)Rf_xlength(objects);
    const frocc_model **models = (const frocc_model **)R_alloc(n, sizeof *models);
    for (size_t i = 0; i < n; i++)
        if ((models[i] = model_of(VECTOR_ELT(objects, (R_xlen_t)i))) == NULL)
            return failure_without_place(FROCC_ERR_FORMAT);
    SEXP holder = PROTECT(hold(HELD_MODEL));
    frocc_model *merged = NULL;
    frocc_status status = frocc_model_merge(models, n, &merged);
    R_SetExternalPtrAddr(holder, merged);
    SEXP result = status == FROCC_OK ? object_parts(holder) : failure_without_place(status);
    UNPROTECT(1);
    return result;
}

/* ---- Files ----------------------------------------------------------------------------------- */

SEXP frocc_r_read(SEXP path, SEXP max_memory) {
    frocc_load_options options = {.struct_size = sizeof options};
    const double most = Rf_asReal(max_memory);
    options.max_memory = most >= 0x1p63 ? SIZE_MAX : (size_t)most;
    SEXP holder = PROTECT(hold(HELD_MODEL));
    frocc_model *model = NULL;
    frocc_status status = frocc_model_load(Rf_translateChar(STRING_ELT(path, 0)), &options, &model);
    R_SetExternalPtrAddr(holder, model);
    SEXP result = status == FROCC_OK ? object_parts(holder) : failure_without_place(status);
    UNPROTECT(1);
    return result;
}

SEXP frocc_r_write(SEXP object, SEXP path) {
    const frocc_model *model = model_of(object);
    if (model == NULL)
        return failure_without_place(FROCC_ERR_FORMAT);
    frocc_status status = frocc_model_save(model, Rf_translateChar(STRING_ELT(path, 0)));
    return status == FROCC_OK ? R_NilValue : failure_without_place(status);
}
