/* SPDX-License-Identifier: BSD-3-Clause */
/* Row views: their shape, and one value of them at a time. */
#ifndef FROCC_ROWS_H
#define FROCC_ROWS_H

#include "base/base.h"

/* The largest size of a prepared value: n_features products with a direction stay finite. */
#define FROCC_LARGEST_VALUE 0x1p90f

/* With directions of this size no chain of products with such values can overflow. */
#define FROCC_LARGEST_COMPONENT 256.0f

/* The same as bits. Sizes compare as their bits do, and those of infinities and NaN are larger. */
#define FROCC_LARGEST_BITS ((127 + 90) << 23)

/* Whether the view can be read as rows of n_features. Says nothing about the values. */
frocc_status frocc__rows_check(const frocc_rows *rows, size_t n_features);

/* Entry i of the values, in double. */
static inline double frocc__rows_entry(const frocc_rows *rows, size_t i) {
    return rows->dtype == FROCC_F32 ? (double)((const float *)rows->values)[i]
                                    : ((const double *)rows->values)[i];
}

static inline size_t frocc__value_size(const frocc_rows *rows) {
    return rows->dtype == FROCC_F64 ? sizeof(double) : sizeof(float);
}

/* The entries of a row: all features when dense, the named columns when sparse. */
typedef struct frocc__row {
    size_t first;           /* index of its first value */
    size_t count;           /* number of values */
    const int32_t *columns; /* NULL when dense */
} frocc__row;

frocc__row frocc__rows_at(const frocc_rows *rows, size_t r);

/* Rows first .. first + count - 1 of a view. */
frocc_rows frocc__rows_part(const frocc_rows *rows, size_t first, size_t count);

/* Whether the columns of a sparse row rise and stay below n_features. */
bool frocc__row_is_valid(const frocc__row *row, size_t n_features);

/* The error for row r, whose content was found unusable. */
frocc_status frocc__rows_failure(const frocc_rows *rows, size_t r);

#endif
