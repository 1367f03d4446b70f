/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Columns of R's as a table of the library's, a batch of rows at a time. Doubles are read where
 * they lie; what R keeps otherwise is converted batch by batch: whole numbers and logicals, of
 * which R marks the missing ones by a number, factors, which count from 1, and times, which are
 * doubles.
 */
#include "table.h"

#include <math.h>
#include <string.h>

/* ---- A column -------------------------------------------------------------------------------- */

/* All texts of a factor, one behind another, in UTF-8. */
static void take_texts(SEXP levels, r_column *column) {
    const R_xlen_t n = Rf_xlength(levels);
    int64_t *offsets = (int64_t *)R_alloc((size_t)n + 1, sizeof *offsets);
    const char **texts = (const char **)R_alloc((size_t)n + 1, sizeof *texts);
    offsets[0] = 0;
    for (R_xlen_t i = 0; i < n; i++) {
        texts[i] = Rf_translateCharUTF8(STRING_ELT(levels, i));
        offsets[i + 1] = offsets[i] + (int64_t)strlen(texts[i]);
    }
    char *bytes = R_alloc((size_t)offsets[n] + 1, 1);
    for (R_xlen_t i = 0; i < n; i++)
        memcpy(bytes + offsets[i], texts[i], (size_t)(offsets[i + 1] - offsets[i]));
    column->texts = bytes;
    column->offsets = offsets;
    column->n_texts = (size_t)n;
}

static frocc_values kind_of(SEXP values) {
    if (Rf_isFactor(values))
        return FROCC_VALUES_TEXT;
    if (Rf_getAttrib(values, Rf_install("per_second")) != R_NilValue)
        return FROCC_VALUES_TIME;
    return FROCC_VALUES_F64;
}

/* first is where the column begins in values, which may be a matrix. */
static void take_column(SEXP values, size_t first, r_column *column, frocc_field *field) {
    *column = (r_column){0};
    field->kind = kind_of(values);
    if (TYPEOF(values) == REALSXP)
        column->reals = REAL_RO(values) + first;
    else if (TYPEOF(values) == INTSXP)
        column->whole = INTEGER_RO(values) + first;
    else if (TYPEOF(values) == LGLSXP)
        column->whole = LOGICAL_RO(values) + first;
    else
        Rf_error("a column has values that are no numbers, texts or times");
    if (field->kind == FROCC_VALUES_TEXT)
        take_texts(Rf_getAttrib(values, R_LevelsSymbol), column);
    if (field->kind == FROCC_VALUES_TIME) {
        field->per_second = (int64_t)Rf_asReal(Rf_getAttrib(values, Rf_install("per_second")));
        column->per_second = (double)field->per_second;
        SEXP ahead = Rf_getAttrib(values, Rf_install("ahead"));
        column->ahead = TYPEOF(ahead) == INTSXP ? INTEGER_RO(ahead) : NULL;
    }
    if (column->reals == NULL || field->kind == FROCC_VALUES_TIME)
        column->room = R_alloc(BLOCK_MOST_ROWS, sizeof(double));
    column->missing = (unsigned char *)R_alloc(BLOCK_MOST_ROWS, 1);
}

/* ---- A batch --------------------------------------------------------------------------------- */

static void numbers_of_whole(const r_column *column, const int *whole, size_t n) {
    double *out = column->room;
    for (size_t r = 0; r < n; r++)
        out[r] = whole[r] == NA_INTEGER ? NA_REAL : whole[r];
}

static void codes_from_0(const r_column *column, const int *whole, size_t n) {
    int32_t *out = column->room;
    for (size_t r = 0; r < n; r++)
        out[r] = whole[r] == NA_INTEGER ? -1 : whole[r] - 1;
}

/* Beyond what the unit can count, about 292,000 years with microseconds, nothing is known. */
static void times(const r_column *column, const double *seconds, size_t n) {
    int64_t *out = column->room;
    for (size_t r = 0; r < n; r++) {
        const double units = seconds[r] * column->per_second;
        column->missing[r] = !(fabs(units) < 0x1p63);
        out[r] = column->missing[r] ? 0 : (int64_t)llround(units);
    }
}

static void fill_cells(const r_column *column, frocc_values kind, size_t first, size_t n,
                       frocc_cells *cells) {
    *cells = (frocc_cells){.values = column->room};
    switch (kind) {
    case FROCC_VALUES_TEXT:
        codes_from_0(column, column->whole + first, n);
        cells->codes = column->room;
        cells->values = column->texts;
        cells->offsets = column->offsets;
        cells->n_texts = column->n_texts;
        break;
    case FROCC_VALUES_TIME:
        times(column, column->reals + first, n);
        cells->missing = column->missing;
        cells->ahead_of_utc = column->ahead == NULL ? NULL : column->ahead + first;
        break;
    default:
        if (column->reals != NULL)
            cells->values = column->reals + first;
        else
            numbers_of_whole(column, column->whole + first, n);
    }
}

static frocc_status next_batch(void *context, frocc_cells *cells, size_t *n_rows,
                               const char **error) {
    r_table *table = context;
    (void)error;
    if (wants_to_leave(table->rows))
        return FROCC_ERR_CALLBACK;
    const size_t left = table->n_rows - table->next;
    const size_t n = left < BLOCK_MOST_ROWS ? left : BLOCK_MOST_ROWS;
    for (size_t i = 0; n > 0 && i < table->n_fields; i++)
        fill_cells(&table->columns[i], table->fields[i].kind, table->next, n, &cells[i]);
    table->next += n;
    *n_rows = n;
    return FROCC_OK;
}

static frocc_status rewind_table(void *context, const char **error) {
    r_table *table = context;
    (void)error;
    table->next = 0;
    return FROCC_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

static void take_names(SEXP names, r_table *table) {
    for (size_t i = 0; i < table->n_fields && names != R_NilValue; i++)
        table->fields[i].name = Rf_translateCharUTF8(STRING_ELT(names, (R_xlen_t)i));
}

frocc_table table_open(SEXP columns, SEXP names, size_t n_rows, r_rows *rows) {
    const bool is_matrix = Rf_isMatrix(columns);
    r_table *table = (r_table *)R_alloc(1, sizeof *table);
    *table = (r_table){.rows = rows, .n_rows = n_rows};
    table->n_fields = is_matrix ? (size_t)Rf_ncols(columns) : (size_t)Rf_xlength(columns);
    table->columns = (r_column *)R_alloc(table->n_fields, sizeof *table->columns);
    table->fields = (frocc_field *)R_alloc(table->n_fields, sizeof *table->fields);
    for (size_t i = 0; i < table->n_fields; i++) {
        table->fields[i] = (frocc_field){0};
        take_column(is_matrix ? columns : VECTOR_ELT(columns, (R_xlen_t)i),
                    is_matrix ? i * n_rows : 0, &table->columns[i], &table->fields[i]);
    }
    take_names(names, table);
    return (frocc_table){.struct_size = sizeof(frocc_table),
                         .fields = table->fields,
                         .n_fields = table->n_fields,
                         .n_rows = n_rows,
                         .next = next_batch,
                         .rewind = rewind_table,
                         .context = table};
}
