/* SPDX-License-Identifier: BSD-3-Clause */
/* Row views: their shape, and what is wrong with a row that cannot be used. */
#include "base/rows.h"

#include <inttypes.h>
#include <math.h>

#include "base/status.h"

static frocc_rows dense(frocc_dtype dtype, const void *values, size_t n_rows, size_t n_features) {
    return (frocc_rows){.n_rows = n_rows,
                        .n_features = n_features,
                        .dtype = dtype,
                        .values = values,
                        .row_stride = n_features};
}

frocc_rows frocc_rows_f32(const float *values, size_t n_rows, size_t n_features) {
    return dense(FROCC_F32, values, n_rows, n_features);
}

frocc_rows frocc_rows_f64(const double *values, size_t n_rows, size_t n_features) {
    return dense(FROCC_F64, values, n_rows, n_features);
}

frocc_rows frocc_rows_csr(frocc_dtype dtype, const void *values, const int64_t *row_start,
                          const int32_t *columns, size_t n_rows, size_t n_features) {
    return (frocc_rows){.n_rows = n_rows,
                        .n_features = n_features,
                        .dtype = dtype,
                        .values = values,
                        .row_start = row_start,
                        .columns = columns};
}

static frocc_status check_sparse(const frocc_rows *rows) {
    if (rows->row_start[0] < 0)
        return frocc__fail(FROCC_ERR_SHAPE, "row_start[0] is %" PRId64 "; it must not be negative",
                           rows->row_start[0]);
    for (size_t r = 0; r < rows->n_rows; r++)
        if (rows->row_start[r + 1] < rows->row_start[r])
            return frocc__fail(FROCC_ERR_SHAPE,
                               "row_start falls after row %zu; it must rise or stay", r);
    bool empty = rows->row_start[rows->n_rows] == rows->row_start[0];
    if (!empty && (rows->values == NULL || rows->columns == NULL))
        return frocc__fail(FROCC_ERR_ARGUMENT, "sparse rows need both values and columns");
    return FROCC_OK;
}

frocc_status frocc__rows_check(const frocc_rows *rows, size_t n_features) {
    if (rows->n_features != n_features)
        return frocc__fail(FROCC_ERR_SHAPE,
                           "the rows have %zu columns where %zu are expected; give rows of the "
                           "columns the model was made for",
                           rows->n_features, n_features);
    if (rows->dtype != FROCC_F32 && rows->dtype != FROCC_F64)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "rows of unknown type %d; use FROCC_F32 or FROCC_F64", (int)rows->dtype);
    if (rows->row_start != NULL)
        return check_sparse(rows);
    if (rows->n_rows > 0 && rows->values == NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT, "the rows have no values: the pointer is NULL");
    if (rows->row_stride < n_features)
        return frocc__fail(FROCC_ERR_SHAPE,
                           "row_stride is %zu, less than the %zu columns; it counts elements",
                           rows->row_stride, n_features);
    size_t last = 0;
    if (rows->n_rows > 0 && (__builtin_mul_overflow(rows->n_rows, rows->row_stride, &last) ||
                             last > SIZE_MAX / sizeof(double)))
        return frocc__fail(FROCC_ERR_SHAPE, "%zu rows %zu elements apart do not fit in memory",
                           rows->n_rows, rows->row_stride);
    return FROCC_OK;
}

frocc_rows frocc__rows_part(const frocc_rows *rows, size_t first, size_t count) {
    const size_t row_bytes = rows->row_stride * frocc__value_size(rows);
    frocc_rows part = *rows;
    part.n_rows = count;
    if (rows->row_start != NULL)
        part.row_start += first;
    else
        part.values = (const char *)rows->values + first * row_bytes;
    return part;
}

frocc__row frocc__rows_at(const frocc_rows *rows, size_t r) {
    if (rows->row_start == NULL)
        return (frocc__row){r * rows->row_stride, rows->n_features, NULL};
    size_t first = (size_t)rows->row_start[r];
    size_t count = (size_t)(rows->row_start[r + 1] - rows->row_start[r]);
    return (frocc__row){first, count, rows->columns == NULL ? NULL : rows->columns + first};
}

bool frocc__row_is_valid(const frocc__row *row, size_t n_features) {
    int64_t before = -1;
    for (size_t i = 0; i < row->count; i++) {
        if (row->columns[i] <= before || (size_t)row->columns[i] >= n_features)
            return false;
        before = row->columns[i];
    }
    return true;
}

frocc_status frocc__rows_failure(const frocc_rows *rows, size_t r) {
    const frocc__row row = frocc__rows_at(rows, r);
    frocc__where where = {.row = r + 1};
    double largest = 0;
    if (row.columns != NULL && !frocc__row_is_valid(&row, rows->n_features))
        return frocc__fail_at(FROCC_ERR_SHAPE, &where,
                              "its column numbers must rise and stay below %zu; sort the entries "
                              "and sum duplicates",
                              rows->n_features);
    for (size_t i = 0; i < row.count; i++) {
        double value = frocc__rows_entry(rows, row.first + i);
        if (isfinite(value) && fabs(value) <= largest)
            continue;
        where.column = (row.columns != NULL ? (size_t)row.columns[i] : i) + 1;
        if (!isfinite(value))
            return frocc__fail_at(FROCC_ERR_DATA, &where,
                                  "the value is %s; remove the row or fill the value in",
                                  isnan(value) ? "NaN" : "infinite");
        largest = fabs(value);
    }
    return frocc__fail_at(FROCC_ERR_DATA, &where,
                          "the value is too large (over 2^90); choose other units");
}
