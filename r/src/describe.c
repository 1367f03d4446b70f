/* SPDX-License-Identifier: BSD-3-Clause */
/* What a model says of itself. */
#include "calls.h"
#include "glue.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct named_number {
    const char *name;
    double value;
} named_number;

SEXP frocc_r_describe(SEXP object) {
    const frocc_model *model = model_of(object);
    frocc_model_info info = {.struct_size = sizeof info};
    frocc_status status = model == NULL ? FROCC_ERR_FORMAT : frocc_model_describe(model, &info);
    if (status != FROCC_OK)
        return failure_without_place(status);
    const named_number numbers[] = {
        {"rows", (double)info.n_rows},
        {"features", (double)info.n_features},
        {"directions", (double)info.n_directions},
        {"epsilon", (double)info.epsilon},
        {"score", info.score},
        {"threshold", info.threshold},
        {"fpr", info.fpr},
        {"trees", (double)info.n_trees},
        {"contamination", info.contamination},
        {"calibration", (double)info.calibration_rows},
        {"kernel", info.kernel},
        {"gamma", info.gamma},
        {"coef0", info.coef0},
        {"degree", info.degree},
        {"scaling", info.scaling},
        {"family", info.family},
        {"density", info.density},
        {"seed", (double)info.seed},
        {"intervals", (double)frocc_model_count_intervals(model)},
        {"sealed", info.is_sealed},
    };
    const int count = (int)(sizeof numbers / sizeof *numbers);
    SEXP list = PROTECT(Rf_allocVector(VECSXP, count + 1));
    SEXP names = PROTECT(Rf_allocVector(STRSXP, count + 1));
    for (int i = 0; i < count; i++) {
        SET_VECTOR_ELT(list, i, Rf_ScalarReal(numbers[i].value));
        SET_STRING_ELT(names, i, Rf_mkChar(numbers[i].name));
    }
    char checksum[24];
    snprintf(checksum, sizeof checksum, "%016" PRIx64, info.frame_checksum);
    SET_VECTOR_ELT(list, count, Rf_mkString(checksum));
    SET_STRING_ELT(names, count, Rf_mkChar("frame"));
    Rf_setAttrib(list, R_NamesSymbol, names);
    UNPROTECT(2);
    return list;
}

SEXP frocc_r_threshold(SEXP object, SEXP fpr) {
    const frocc_model *model = model_of(object);
    if (model == NULL)
        return failure_without_place(FROCC_ERR_FORMAT);
    SEXP result = PROTECT(Rf_allocVector(REALSXP, XLENGTH(fpr)));
    frocc_status status = FROCC_OK;
    for (R_xlen_t i = 0; i < XLENGTH(fpr) && status == FROCC_OK; i++)
        status = frocc_model_threshold(model, REAL_RO(fpr)[i], REAL(result) + i);
    if (status != FROCC_OK)
        result = failure_without_place(status);
    UNPROTECT(1);
    return result;
}

/* Low and high of each feature: a matrix of two rows. */
SEXP frocc_r_ranges(SEXP object) {
    const frocc_model *model = model_of(object);
    frocc_model_info info = {.struct_size = sizeof info};
    frocc_status status = model == NULL ? FROCC_ERR_FORMAT : frocc_model_describe(model, &info);
    if (status != FROCC_OK)
        return failure_without_place(status);
    SEXP result = PROTECT(Rf_allocMatrix(REALSXP, 2, (int)info.n_features));
    for (size_t j = 0; j < info.n_features && status == FROCC_OK; j++)
        status =
            frocc_model_feature_range(model, j, REAL(result) + 2 * j, REAL(result) + 2 * j + 1);
    if (status != FROCC_OK)
        result = failure_without_place(status);
    UNPROTECT(1);
    return result;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static SEXP name_or_na(const char *name) {
    return name == NULL ? NA_STRING : Rf_mkCharCE(name, CE_UTF8);
}

static void put_columns(const frocc_schema *schema, SEXP list, R_xlen_t n) {
    SET_VECTOR_ELT(list, 0, Rf_allocVector(STRSXP, n));
    SET_VECTOR_ELT(list, 1, Rf_allocVector(LGLSXP, n));
    SET_VECTOR_ELT(list, 2, Rf_allocVector(REALSXP, n));
    SET_VECTOR_ELT(list, 3, Rf_allocVector(LGLSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        frocc_column_info info = {.struct_size = sizeof info};
        if (frocc_schema_column(schema, (size_t)i, &info) != FROCC_OK)
            continue;
        SET_STRING_ELT(VECTOR_ELT(list, 0), i, name_or_na(info.name));
        LOGICAL(VECTOR_ELT(list, 1))[i] = info.is_feature;
        LOGICAL(VECTOR_ELT(list, 3))[i] = info.kind == FROCC_COLUMN_TIME;
        REAL(VECTOR_ELT(list, 2))
        [i] = info.kind == FROCC_COLUMN_CATEGORY || info.kind == FROCC_COLUMN_TRUTH
                  ? (info.n_texts > 1 ? info.n_texts : 1)
                  : 0;
    }
}

static SEXP feature_name(const frocc_schema *schema, size_t feature) {
    char small[256], *name = small;
    size_t length = 0;
    if (frocc_schema_feature_name(schema, feature, small, sizeof small, &length) != FROCC_OK)
        return NA_STRING;
    if (length >= sizeof small) {
        name = R_alloc(length + 1, 1);
        (void)frocc_schema_feature_name(schema, feature, name, length + 1, &length);
    }
    return Rf_mkCharCE(name, CE_UTF8);
}

/* NULL where the model has been fitted on rows without columns. */
SEXP frocc_r_columns(SEXP object) {
    const frocc_model *model = model_of(object);
    if (model == NULL)
        return failure_without_place(FROCC_ERR_FORMAT);
    SEXP holder = PROTECT(hold(HELD_SCHEMA));
    frocc_schema *schema = frocc_model_schema(model);
    R_SetExternalPtrAddr(holder, schema);
    if (schema == NULL) {
        UNPROTECT(1);
        return R_NilValue;
    }
    const char *names[] = {"name", "is_feature", "categories", "is_time", "features", ""};
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    put_columns(schema, list, (R_xlen_t)frocc_schema_columns(schema));
    const size_t d = frocc_schema_features(schema);
    SET_VECTOR_ELT(list, 4, Rf_allocVector(STRSXP, (R_xlen_t)d));
    for (size_t j = 0; j < d; j++)
        SET_STRING_ELT(VECTOR_ELT(list, 4), (R_xlen_t)j, feature_name(schema, j));
    release(holder);
    UNPROTECT(2);
    return list;
}
