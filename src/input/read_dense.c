/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of numbers as they lie in a binary file: handed out where they lie when every column is a
 * feature and every value finite, else copied through the plan.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"
#include "numbers/number.h"

static inline double value_at(const void *values, frocc_dtype dtype, size_t i) {
    return dtype == FROCC_F32 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

/* x - x is 0 for finite x and NaN for all others; a sum keeps a NaN. */
#define DEFINE_ALL_FINITE(name, type)                                                              \
    static bool name(const type *values, size_t count) {                                           \
        type sum[4] = {0};                                                                         \
        size_t i = 0;                                                                              \
        for (; i + 4 <= count; i += 4)                                                             \
            for (size_t k = 0; k < 4; k++)                                                         \
                sum[k] += values[i + k] - values[i + k];                                           \
        for (; i < count; i++)                                                                     \
            sum[0] += values[i] - values[i];                                                       \
        return sum[0] + sum[1] + sum[2] + sum[3] == 0;                                             \
    }
DEFINE_ALL_FINITE(all_finite_f32, float)
DEFINE_ALL_FINITE(all_finite_f64, double)

static bool all_finite(const void *values, frocc_dtype dtype, size_t count) {
    return dtype == FROCC_F32 ? all_finite_f32(values, count) : all_finite_f64(values, count);
}

static bool is_identity(const frocc__plan *plan) {
    if (plan->n_features != plan->n_columns || plan->n_carried > 0)
        return false;
    for (size_t i = 0; i < plan->n_columns; i++)
        if (plan->targets[i].action != FROCC__TO_NUMBER || plan->targets[i].feature != i)
            return false;
    return true;
}

static frocc_status value_error(const frocc__input *input, const frocc__plan *plan, uint64_t row,
                                size_t column, double value) {
    const frocc__where where = {.file = input->name,
                                .row = row,
                                .column = column + 1,
                                .column_name = plan->names == NULL ? NULL : plan->names[column]};
    if (isnan(value))
        return frocc__fail_at(FROCC_ERR_DATA, &where,
                              "the value is NaN, which stands for a missing value; expected a "
                              "number (%s)",
                              plan->missing_advice);
    return frocc__fail_at(FROCC_ERR_DATA, &where,
                          "the value is infinite; expected a finite number");
}

static void store(frocc__row_buffer *buffer, size_t row, size_t feature, double value) {
    size_t position = row * buffer->row_stride + feature;
    if (buffer->dtype == FROCC_F32)
        ((float *)buffer->values)[position] = (float)value;
    else
        ((double *)buffer->values)[position] = value;
}

/* Labels and ids of binary files are the shortest decimals of their values. */
static frocc_status take_text(frocc__row_buffer *buffer, double value, bool label) {
    char text[FROCC_NUMBER_SIZE];
    bool f32 = buffer->dtype == FROCC_F32 && value == (double)(float)value;
    size_t length = f32 ? frocc__print_f32((float)value, text) : frocc_print_f64(value, text);
    size_t row = buffer->n_rows;
    if (label)
        buffer->label_values[row] = value;
    return frocc__texts_add(&buffer->texts[0], text, length,
                            label ? &buffer->label_offsets[row] : &buffer->id_offsets[row]);
}

static void survey_value(frocc__survey *survey, size_t column, double value) {
    if (isnan(value))
        survey->columns[column].tally.n_missing++;
    else if (survey->values)
        frocc__sum_add(&survey->sums[column], value);
}

/* The texts of a row to carry; a value that is missing is none. */
static frocc_status carry(const frocc__plan *plan, frocc__row_buffer *buffer, const void *values,
                          size_t row) {
    for (size_t i = 0; plan->n_carried > 0 && i < plan->n_columns; i++) {
        const double value = value_at(values, plan->dtype, row * plan->n_columns + i);
        char text[FROCC_NUMBER_SIZE];
        if (plan->carry_slot[i] == FROCC__NOT_FOUND)
            continue;
        size_t length = isnan(value)               ? 0
                        : plan->dtype == FROCC_F32 ? frocc__print_f32((float)value, text)
                                                   : frocc_print_f64(value, text);
        FROCC_TRY(frocc__row_buffer_carry(buffer, 0, buffer->n_rows, plan->carry_slot[i], text,
                                          length, true));
    }
    return FROCC_OK;
}

/* One row through the plan; *drop when it has a missing value and is not to be kept. */
static frocc_status take_row(const frocc__input *input, const frocc__job *job, const void *values,
                             size_t row, uint64_t number, bool *drop) {
    const frocc__plan *plan = job->plan;
    *drop = false;
    for (size_t i = 0; i < plan->n_columns; i++) {
        const frocc__target *target = &plan->targets[i];
        double value = value_at(values, plan->dtype, row * plan->n_columns + i);
        if (target->action == FROCC__TO_NOTHING)
            continue;
        const bool told = target->action == FROCC__TO_NUMBER_TOLD;
        if (target->action != FROCC__TO_NUMBER && !told) {
            if (job->surveys == NULL)
                FROCC_TRY(take_text(job->buffer, value, target->action == FROCC__TO_LABEL));
            continue;
        }
        if (isinf(value) || (isnan(value) && plan->missing == FROCC_MISSING_ERROR))
            return value_error(input, plan, number, i, value);
        const bool missing = isnan(value);
        if (job->surveys != NULL) {
            survey_value(job->surveys, target->feature, value);
            continue;
        }
        *drop = *drop || (missing && plan->missing == FROCC_MISSING_DROP);
        store(job->buffer, job->buffer->n_rows, target->feature, missing ? target->filler : value);
        if (told)
            store(job->buffer, job->buffer->n_rows, target->feature + 1, missing);
    }
    return FROCC_OK;
}

static void point_to_texts(const frocc__plan *plan, frocc__row_buffer *buffer) {
    for (size_t row = 0; row < buffer->n_rows; row++) {
        if (plan->has_label)
            buffer->labels[row] = buffer->texts[0].bytes + buffer->label_offsets[row];
        if (plan->has_id)
            buffer->ids[row] = buffer->texts[0].bytes + buffer->id_offsets[row];
    }
    frocc__row_buffer_point_carried(buffer, 0, 0, buffer->n_rows);
}

frocc_status frocc__dense_deliver(const frocc__input *input, const frocc__job *job,
                                  const void *values, size_t n_rows, uint64_t first_row) {
    const frocc__plan *plan = job->plan;
    frocc__row_buffer *buffer = job->buffer;
    bool as_it_lies = job->surveys == NULL && is_identity(plan) &&
                      all_finite(values, plan->dtype, n_rows * plan->n_columns);
    frocc__plan narrow = *plan; /* no room for values that stay where they are */
    if (as_it_lies || job->surveys != NULL)
        narrow.n_features = 0;
    FROCC_TRY(frocc__row_buffer_reserve(buffer, &narrow, n_rows, 1));
    buffer->n_features = buffer->row_stride = plan->n_features;
    buffer->file_rows = first_row + n_rows;
    for (size_t row = 0; row < n_rows; row++) {
        bool drop = false;
        if (!as_it_lies)
            FROCC_TRY(take_row(input, job, values, row, first_row + row + 1, &drop));
        buffer->dropped += drop;
        if (!drop) {
            buffer->row_numbers[buffer->n_rows] = first_row + row + 1;
            if (job->surveys == NULL && input->labels != NULL)
                FROCC_TRY(take_text(buffer, input->labels[row], true));
            if (job->surveys == NULL)
                FROCC_TRY(carry(plan, buffer, values, row));
            buffer->n_rows++;
        }
    }
    if (job->surveys != NULL) {
        job->surveys->n_rows += n_rows;
        buffer->n_rows = n_rows; /* not the end yet */
        return FROCC_OK;
    }
    if (as_it_lies)
        buffer->rows = values;
    point_to_texts(plan, buffer);
    return FROCC_OK;
}
