/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's failures, as lists of which R makes conditions. */
#include "glue.h"

#include <string.h>

SEXP element(SEXP list, const char *name) {
    SEXP names = TYPEOF(list) == VECSXP ? Rf_getAttrib(list, R_NamesSymbol) : R_NilValue;
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return VECTOR_ELT(list, i);
    return R_NilValue;
}

static SEXP text(const char *bytes) {
    return bytes == NULL ? Rf_ScalarString(NA_STRING)
                         : Rf_ScalarString(Rf_mkCharCE(bytes, CE_UTF8));
}

static SEXP count_from_1(double from_0) {
    return Rf_ScalarReal(from_0 < 0 ? NA_REAL : from_0 + 1);
}

/* Which row of all the place is in. A row of a sample has no number. */
static double row_of(const frocc_error_place *place, const r_rows *rows) {
    if (rows == NULL || rows->is_reading || place->row < 0)
        return (double)place->row;
    return (size_t)place->row < rows->block.n_rows ? (double)rows_number(rows, (size_t)place->row)
                                                   : -1;
}

/* Of a feature that the reader has made, the column it was made of, with its name. */
static void find_column(frocc_error_place *place, const r_rows *rows) {
    if (place->column_name != NULL || rows == NULL || rows->reader == NULL || rows->is_reading ||
        place->column < 0)
        return;
    frocc_feature_info feature = {.struct_size = sizeof feature};
    frocc_column_info column = {.struct_size = sizeof column};
    frocc_schema *schema = frocc_reader_schema(rows->reader);
    if (frocc_schema_feature(schema, (size_t)place->column, &feature) == FROCC_OK &&
        frocc_schema_column(schema, feature.column, &column) == FROCC_OK) {
        place->column = (int64_t)feature.column;
        if (column.name != NULL)
            place->column_name = strcpy(R_alloc(strlen(column.name) + 1, 1), column.name);
    }
    frocc_schema_free(schema);
}

SEXP failure(frocc_status status, r_rows *rows) {
    if (rows != NULL && rows->jumps) {
        rows_close(rows);
        R_ContinueUnwind(rows->token);
    }
    frocc_error_place place = {.struct_size = sizeof place};
    frocc_last_error_place(&place);
    find_column(&place, rows);
    const char *names[] = {"status",      "what", "sentence", "row", "column",
                           "column_name", "file", "line",     ""};
    SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(result, 0, text(frocc_status_name(status)));
    SET_VECTOR_ELT(result, 1, text(place.what));
    SET_VECTOR_ELT(result, 2, text(frocc_last_error()));
    SET_VECTOR_ELT(result, 3, count_from_1(row_of(&place, rows)));
    SET_VECTOR_ELT(result, 4, count_from_1((double)place.column));
    SET_VECTOR_ELT(result, 5, text(place.column_name));
    SET_VECTOR_ELT(result, 6, text(place.file));
    SET_VECTOR_ELT(result, 7, count_from_1((double)place.line - 1));
    SEXP class = PROTECT(Rf_mkString("frocc_failure"));
    Rf_classgets(result, class);
    UNPROTECT(2);
    return result;
}

SEXP failure_without_place(frocc_status status) {
    return failure(status, NULL);
}
