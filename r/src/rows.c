/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of R's and of files, block by block, and interrupts between the blocks. R keeps matrices
 * column by column, so the rows of a block are put together here.
 */
#include "calls.h"
#include "glue.h"
#include "table.h"

#include <setjmp.h>

/* Of a block: as much as a second-level cache holds. */
#define BLOCK_VALUES 65536

/* ---- Jumps of R's ---------------------------------------------------------------------------- */

static SEXP look_at_keyboard(void *unused) {
    (void)unused;
    R_CheckUserInterrupt();
    return R_NilValue;
}

static void come_back(void *here, Rboolean jumps) {
    if (jumps)
        longjmp(*(jmp_buf *)here, 1);
}

/* Until R can leave, the token keeps where to. */
bool wants_to_leave(r_rows *rows) {
    jmp_buf here;
    if (setjmp(here) == 0)
        R_UnwindProtect(look_at_keyboard, NULL, come_back, &here, rows->token);
    else
        rows->jumps = true;
    return rows->jumps;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static void copy_column(const r_rows *rows, size_t column, size_t n) {
    const size_t d = rows->n_features, start = column * rows->n_rows + rows->next;
    double *out = rows->room + column;
    if (TYPEOF(rows->values) == REALSXP) {
        const double *values = REAL_RO(rows->values) + start;
        for (size_t r = 0; r < n; r++)
            out[r * d] = values[r];
        return;
    }
    const int *values = TYPEOF(rows->values) == INTSXP ? INTEGER_RO(rows->values) + start
                                                       : LOGICAL_RO(rows->values) + start;
    for (size_t r = 0; r < n; r++)
        out[r * d] = values[r] == NA_INTEGER ? NA_REAL : values[r];
}

static void next_of_matrix(r_rows *rows) {
    const size_t left = rows->n_rows - rows->next;
    const size_t n = left < rows->room_rows ? left : rows->room_rows;
    for (size_t column = 0; column < rows->n_features; column++)
        copy_column(rows, column, n);
    rows->block = frocc_rows_f64(rows->room, n, rows->n_features);
    rows->next += n;
}

static void open_matrix(SEXP matrix, r_rows *rows) {
    SEXP dim = Rf_getAttrib(matrix, R_DimSymbol);
    if (!(Rf_isReal(matrix) || TYPEOF(matrix) == INTSXP || Rf_isLogical(matrix)) ||
        Rf_length(dim) != 2)
        Rf_error("rows are a matrix of numbers or a data frame");
    rows->n_rows = (size_t)Rf_nrows(matrix);
    rows->n_features = (size_t)Rf_ncols(matrix);
    const size_t d = rows->n_features > 0 ? rows->n_features : 1;
    rows->room_rows = BLOCK_VALUES / d < 1 ? 1 : BLOCK_VALUES / d;
    if (rows->room_rows > BLOCK_MOST_ROWS)
        rows->room_rows = BLOCK_MOST_ROWS;
    rows->room = (double *)R_alloc(rows->room_rows * d, sizeof(double));
    rows->values = matrix;
}

/* ---- Tables and files ------------------------------------------------------------------------ */

static const char *const *utf8_texts(SEXP texts) {
    const R_xlen_t n = Rf_xlength(texts);
    const char **found = (const char **)R_alloc((size_t)n, sizeof *found);
    for (R_xlen_t i = 0; i < n; i++)
        found[i] = Rf_translateCharUTF8(STRING_ELT(texts, i));
    return found;
}

static frocc_reader_options options_of(SEXP given, const frocc_model *model) {
    frocc_reader_options options;
    frocc_reader_options_init(&options);
    options.block_rows = BLOCK_MOST_ROWS;
    options.threads = 1;
    if (model == NULL) {
        SEXP time = element(given, "time");
        options.n_time = (size_t)Rf_xlength(time);
        options.time = utf8_texts(time);
        options.missing = (frocc_missing)Rf_asInteger(element(given, "missing"));
    }
    return options;
}

static frocc_status open_table(SEXP given, const frocc_model *model, r_rows *rows) {
    const frocc_reader_options options = options_of(given, model);
    rows->n_rows = (size_t)Rf_asReal(element(given, "n_rows"));
    const frocc_table table =
        table_open(element(given, "columns"), element(given, "names"), rows->n_rows, rows);
    frocc_schema *schema = model == NULL ? NULL : frocc_model_schema(model);
    rows->is_reading = true;
    frocc_status status = frocc_reader_open_table(&table, &options, schema, &rows->reader);
    R_SetExternalPtrAddr(rows->holder, rows->reader);
    frocc_schema_free(schema);
    return status;
}

/* A model of a matrix without names has no schema: its rows are numbers in every format. */
static frocc_status open_file(SEXP given, const frocc_model *model, r_rows *rows) {
    frocc_reader_options options = options_of(given, model);
    SEXP drop = element(given, "drop");
    options.n_drop = (size_t)Rf_xlength(drop);
    options.drop = utf8_texts(drop);
    const char *path = Rf_translateChar(STRING_ELT(element(given, "path"), 0));
    frocc_schema *schema = model == NULL ? NULL : frocc_model_schema(model);
    options.all_numeric = model != NULL && schema == NULL;
    rows->is_reading = rows->is_file = true;
    frocc_status status = frocc_reader_open(&path, 1, &options, schema, &rows->reader);
    R_SetExternalPtrAddr(rows->holder, rows->reader);
    frocc_schema_free(schema);
    return status;
}

static frocc_status next_of_reader(r_rows *rows) {
    frocc_block block = {.struct_size = sizeof block};
    frocc_status status = frocc_reader_next(rows->reader, &block);
    if (status != FROCC_OK)
        return status;
    rows->block = block.rows;
    rows->numbers = block.row_numbers;
    rows->n_features = block.rows.n_features;
    return FROCC_OK;
}

/* ---- All ------------------------------------------------------------------------------------- */

frocc_status rows_open(SEXP given, const frocc_model *model, r_rows *rows) {
    *rows = (r_rows){0};
    rows->token = PROTECT(R_MakeUnwindCont());
    rows->holder = PROTECT(hold(HELD_READER));
    if (Rf_inherits(given, "frocc_table"))
        return open_table(given, model, rows);
    if (Rf_inherits(given, "frocc_file"))
        return open_file(given, model, rows);
    open_matrix(given, rows);
    return FROCC_OK;
}

void rows_close(r_rows *rows) {
    release(rows->holder);
    rows->reader = NULL;
}

frocc_status rows_next(void *context, frocc_rows *block) {
    r_rows *rows = context;
    frocc_status status = FROCC_OK;
    rows->is_reading = rows->reader != NULL;
    if ((!rows->is_reading || rows->is_file) && wants_to_leave(rows)) /* a table's batches look */
        status = FROCC_ERR_CALLBACK;
    else if (rows->is_reading)
        status = next_of_reader(rows);
    else
        next_of_matrix(rows);
    if (status != FROCC_OK)
        return status;
    rows->is_reading = false;
    *block = rows->block;
    return FROCC_OK;
}

static frocc_status rewind_rows(void *context) {
    r_rows *rows = context;
    rows->next = 0;
    return rows->reader == NULL ? FROCC_OK : frocc_reader_rewind(rows->reader);
}

frocc_source rows_source(r_rows *rows) {
    return (frocc_source){rows_next, rewind_rows, rows};
}

SEXP frocc_r_count(SEXP object, SEXP given) {
    const frocc_model *model = model_of(object);
    if (model == NULL)
        return failure_without_place(FROCC_ERR_FORMAT);
    r_rows rows;
    frocc_rows block = {.n_rows = 1};
    uint64_t n = 0;
    frocc_status status = rows_open(given, model, &rows);
    for (; status == FROCC_OK && block.n_rows > 0; n += block.n_rows) {
        status = rows_next(&rows, &block);
        block.n_rows = status == FROCC_OK ? block.n_rows : 0;
    }
    if (status == FROCC_OK)
        n += frocc_reader_dropped(rows.reader);
    SEXP result = status == FROCC_OK ? Rf_ScalarReal((double)n) : failure(status, &rows);
    rows_close(&rows);
    UNPROTECT(2);
    return result;
}

size_t rows_number(const r_rows *rows, size_t row) {
    return rows->numbers != NULL ? (size_t)rows->numbers[row] - 1
                                 : rows->next - rows->block.n_rows + row;
}
