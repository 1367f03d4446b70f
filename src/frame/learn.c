/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a frame learns from its sample: shift and scale of the columns, and the whitening. All sums
 * are in double and in the order of the sample's hashes, so they do not depend on the order of the
 * rows. O(k d) for the scalings, O(k d^2 + d^3) for the whitening.
 */
#include "frame/learn.h"

#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/status.h"
#include "frame/principal.h"
#include "frame/tails.h"

/* ---- Scalings ------------------------------------------------------------------------------- */

/* What the columns hold, over all copies; rows that do not name a column hold zero there. */
typedef struct columns {
    double total;   /* rows, with their copies */
    double *weight; /* copies of the rows that name the column */
    double *low, *high;
} columns;

static void free_columns(columns *all) {
    frocc__free(all->weight);
    frocc__free(all->low);
    frocc__free(all->high);
}

static frocc_status survey(const frocc__members *sample, columns *all) {
    size_t n = sample->n_features;
    *all = (columns){0.0, frocc__alloc(n, sizeof(double)), frocc__alloc(n, sizeof(double)),
                     frocc__alloc(n, sizeof(double))};
    if (all->weight == NULL || all->low == NULL || all->high == NULL) {
        free_columns(all);
        return FROCC_ERR_MEMORY;
    }
    for (size_t j = 0; j < n; j++)
        all->low[j] = INFINITY, all->high[j] = -INFINITY;
    for (size_t i = 0; i < sample->count; i++) {
        const frocc__member *row = &sample->rows[i];
        all->total += (double)row->copies;
        for (size_t e = 0; e < row->count; e++) {
            size_t j = (size_t)row->columns[e];
            all->weight[j] += (double)row->copies;
            all->low[j] = FROCC_MIN(all->low[j], row->values[e]);
            all->high[j] = FROCC_MAX(all->high[j], row->values[e]);
        }
    }
    for (size_t j = 0; j < n; j++) {
        if (all->weight[j] == all->total)
            continue;
        all->low[j] = FROCC_MIN(all->low[j], 0.0);
        all->high[j] = FROCC_MAX(all->high[j], 0.0);
    }
    return FROCC_OK;
}

static void learn_standard(const frocc__members *sample, const columns *all, double *shift,
                           double *scale) {
    for (size_t i = 0; i < sample->count; i++) {
        const frocc__member *row = &sample->rows[i];
        for (size_t e = 0; e < row->count; e++)
            shift[row->columns[e]] += (double)row->copies * row->values[e];
    }
    for (size_t j = 0; j < sample->n_features; j++) {
        shift[j] /= all->total;
        scale[j] = (all->total - all->weight[j]) * (shift[j] * shift[j]);
    }
    for (size_t i = 0; i < sample->count; i++) {
        const frocc__member *row = &sample->rows[i];
        for (size_t e = 0; e < row->count; e++) {
            double away = row->values[e] - shift[row->columns[e]];
            scale[row->columns[e]] += (double)row->copies * (away * away);
        }
    }
    for (size_t j = 0; j < sample->n_features; j++)
        scale[j] = sqrt(scale[j] / all->total);
}

static void learn_minmax(size_t n_features, const columns *all, double *shift, double *scale) {
    for (size_t j = 0; j < n_features; j++) {
        shift[j] = all->low[j];
        scale[j] = all->high[j] - all->low[j];
    }
}

/* A constant column is only shifted; its mean may have been rounded away from its value. Of values
 * so small that no square is left of them, the range stands for the deviation. */
static frocc_status tidy_scaling(size_t n_features, const columns *all, double *shift,
                                 double *scale) {
    for (size_t j = 0; j < n_features; j++) {
        if (all->low[j] == all->high[j]) {
            shift[j] = all->low[j];
            scale[j] = 1.0;
        } else if (scale[j] == 0.0) {
            scale[j] = all->high[j] - all->low[j];
        }
        shift[j] += 0.0; /* equal frames are equal bytes: no -0 */
        if (!isfinite(scale[j]) || !isfinite(shift[j]) || scale[j] == 0.0)
            return frocc__fail_at(
                FROCC_ERR_DATA, &(frocc__where){.column = j + 1},
                "its values are too large or too small to scale; use other units");
    }
    return FROCC_OK;
}

static frocc_status learn_tails(const frocc__members *sample, double *shift, double *scale,
                                uint8_t *is_log) {
    frocc__tails tails;
    FROCC_TRY(frocc__tails_new(sample, &tails));
    for (size_t j = 0; j < sample->n_features; j++)
        is_log[j] = frocc__tails_scaling(&tails, j, &shift[j], &scale[j]);
    frocc__tails_free(&tails);
    return FROCC_OK;
}

static frocc_status learn_by(frocc_scaling scaling, const frocc__members *sample,
                             const columns *all, double *shift, double *scale, uint8_t *is_log) {
    memset(shift, 0, sample->n_features * sizeof(double));
    if (scaling == FROCC_SCALING_ASINH)
        return learn_tails(sample, shift, scale, is_log);
    if (scaling == FROCC_SCALING_MINMAX)
        learn_minmax(sample->n_features, all, shift, scale);
    else
        learn_standard(sample, all, shift, scale);
    return FROCC_OK;
}

frocc_status frocc__learn_scaling(frocc_scaling scaling, const frocc__members *sample,
                                  double *shift, double *scale, uint8_t *is_log) {
    columns all;
    FROCC_TRY(survey(sample, &all));
    frocc_status status = frocc__check_cancelled();
    if (status == FROCC_OK)
        status = learn_by(scaling, sample, &all, shift, scale, is_log);
    if (status == FROCC_OK)
        status = tidy_scaling(sample->n_features, &all, shift, scale);
    free_columns(&all);
    return status;
}

/* What is wrong with a row of the sample, which has no number that the caller knows. */
static frocc_status sample_failure(const frocc_rows *row) {
    frocc_error_place place = {.struct_size = sizeof place};
    const frocc_status status = frocc__rows_failure(row, 0);
    frocc_last_error_place(&place);
    const frocc__where where = {.column = (uint64_t)(place.column + 1)};
    return frocc__fail_at(status, &where, "%s", place.what);
}

frocc_status frocc__prepare_sample(const frocc_frame *frame, const frocc__members *sample,
                                   float **prepared) {
    const size_t d = frame->n_features;
    float *rows = frocc__alloc_raw(sample->count, d * sizeof(float));
    frocc_status status = rows != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    for (size_t i = 0; i < sample->count && status == FROCC_OK; i++) {
        int64_t start[2];
        const frocc_rows row = frocc__member_row(&sample->rows[i], sample->n_features, start);
        if (!frocc__frame_prepare(frame, &row, 0, rows + i * d))
            status = sample_failure(&row);
        else
            status = frocc__check_cancelled();
    }
    if (status != FROCC_OK) {
        frocc__free(rows);
        return status;
    }
    *prepared = rows;
    return FROCC_OK;
}

/* The mean of the first d prepared features or, where a mean is given, their variance. */
static void find_moment(const frocc__members *sample, size_t n_rows, const float *prepared,
                        size_t stride, size_t d, const double *mean, double *moment) {
    double total = 0.0;
    memset(moment, 0, d * sizeof(double));
    for (size_t i = 0; i < n_rows; i++) {
        const double copies = (double)sample->rows[i].copies;
        const float *row = prepared + i * stride;
        for (size_t j = 0; j < d; j++) {
            const double away = mean != NULL ? (double)row[j] - mean[j] : (double)row[j];
            moment[j] += copies * (mean != NULL ? away * away : away);
        }
        total += copies;
    }
    for (size_t j = 0; j < d; j++)
        moment[j] /= total;
}

/* A column that is constant in the sample has been shifted to 0 before: it stays as it is. */
void frocc__learn_again(const frocc_frame *frame, const frocc__members *sample, float *prepared,
                        double *shift, double *scale) {
    const size_t d = sample->n_features, stride = frame->n_features;
    find_moment(sample, sample->count, prepared, stride, d, NULL, shift);
    find_moment(sample, sample->count, prepared, stride, d, shift, scale);
    for (size_t j = 0; j < d; j++) {
        const bool is_code = frame->columns.n_codes > 0 && frame->columns.is_code[j];
        shift[j] = is_code ? 0.0 : shift[j] + 0.0; /* no -0 */
        scale[j] = scale[j] > 0.0 && !is_code ? sqrt(scale[j]) : 1.0;
    }
    for (size_t i = 0; i < sample->count; i++)
        frame->kernels->scale(prepared + i * stride, FROCC_F32, shift, scale, d,
                              prepared + i * stride);
}

/* ---- Whitening ------------------------------------------------------------------------------ */

#define COLUMNS FROCC_COMBINED

/* The covariance's rows are bounded so that learning takes seconds at most, however long the rows
 * are. */
static size_t rows_for_covariance(size_t count, size_t n_features) {
    const size_t most_products = (size_t)1 << 31;
    size_t rows = most_products / (n_features * n_features);
    return FROCC_MIN(count, FROCC_MAX(rows, (size_t)256));
}

/*
 * Matrices for whitening are cut into groups of COLUMNS columns, each stored row by row, so that
 * kernels->combine runs along contiguous memory: element (i, j) is at
 * (j / COLUMNS * n + i) * COLUMNS + j % COLUMNS.
 */
static size_t index_in_groups(size_t n_rows, size_t i, size_t j) {
    return (j / COLUMNS * n_rows + i) * COLUMNS + j % COLUMNS;
}

static size_t padded(size_t n) {
    return (n + COLUMNS - 1) / COLUMNS * COLUMNS;
}

/* The prepared sample, centred: groups of columns in x, and its transpose with the copies in
 * weighted. */
static frocc_status lay_out(const frocc__members *sample, const float *prepared, size_t n_rows,
                            double *x, double *weighted, double *total) {
    const size_t d = sample->n_features;
    double *mean = frocc__alloc(d, sizeof(double));
    if (mean == NULL)
        return FROCC_ERR_MEMORY;
    find_moment(sample, n_rows, prepared, d, d, NULL, mean);
    for (size_t i = 0; i < n_rows; i++) {
        const double copies = (double)sample->rows[i].copies;
        *total += copies;
        for (size_t j = 0; j < d; j++) {
            const double value = (double)prepared[i * d + j] - mean[j];
            x[index_in_groups(n_rows, i, j)] = value;
            weighted[j * n_rows + i] = copies * value;
        }
    }
    frocc__free(mean);
    return FROCC_OK;
}

/* X'X / n, below and on the diagonal. */
static frocc_status covariance(const frocc__kernels *kernels, const double *x,
                               const double *weighted, size_t n_rows, double total, size_t d,
                               double *matrix) {
    for (size_t first = 0; first < d; first += COLUMNS) {
        FROCC_TRY(frocc__check_cancelled());
        for (size_t i = first; i < d; i += FROCC_COMBINED_ROWS) {
            double sums[FROCC_COMBINED_ROWS][COLUMNS];
            const size_t some = FROCC_MIN(d - i, (size_t)FROCC_COMBINED_ROWS);
            kernels->combine(weighted + i * n_rows, n_rows, some, x + first * n_rows, n_rows,
                             sums[0]);
            for (size_t r = 0; r < some; r++)
                for (size_t c = 0; c < COLUMNS && first + c <= i + r; c++)
                    matrix[index_in_groups(d, i + r, first + c)] = sums[r][c] / total;
        }
    }
    return FROCC_OK;
}

/* Towards the multiple of the identity that has the same trace: positive also when d > n. */
static void shrink(size_t d, double *matrix) {
    const double share = 1.0 / 32.0;
    double trace = 0.0;
    for (size_t i = 0; i < d; i++)
        trace += matrix[index_in_groups(d, i, i)];
    double level = trace > 0.0 ? trace / (double)d : 1.0;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++)
            matrix[index_in_groups(d, i, j)] *= 1.0 - share;
        matrix[index_in_groups(d, i, i)] += share * level;
    }
}

/* Elements first .. first + count - 1 of a row; sums are what the groups before take away. */
static void factor_row(size_t d, const double *matrix, size_t i, size_t first, size_t count,
                       const double *sums, double *lower) {
    for (size_t c = 0; c < count; c++) {
        const size_t j = first + c;
        double value = matrix[index_in_groups(d, i, j)] - sums[c];
        for (size_t k = first; k < j; k++)
            value -= lower[i * d + k] * lower[j * d + k];
        lower[i * d + j] = i == j ? sqrt(value) : value / lower[j * d + j];
    }
}

/*
 * Cholesky: the matrix becomes L with L L' = matrix, a group of columns after the other. lower
 * holds L row by row as well, since each form is read along memory by one of the two uses.
 */
static frocc_status factor(const frocc__kernels *kernels, size_t d, double *matrix, double *lower,
                           double *transposed) {
    for (size_t first = 0; first < d; first += COLUMNS) {
        FROCC_TRY(frocc__check_cancelled());
        const size_t n_columns = FROCC_MIN(d - first, (size_t)COLUMNS);
        for (size_t k = 0; k < first; k++)
            for (size_t c = 0; c < COLUMNS; c++)
                transposed[k * COLUMNS + c] = c < n_columns ? lower[(first + c) * d + k] : 0.0;
        for (size_t i = first; i < d; i += FROCC_COMBINED_ROWS) {
            double sums[FROCC_COMBINED_ROWS][COLUMNS];
            const size_t some = FROCC_MIN(d - i, (size_t)FROCC_COMBINED_ROWS);
            kernels->combine(lower + i * d, d, some, transposed, first, sums[0]);
            for (size_t r = 0; r < some; r++)
                factor_row(d, matrix, i + r, first, FROCC_MIN(n_columns, i + r - first + 1),
                           sums[r], lower);
        }
    }
    return FROCC_OK;
}

/* Solves L' w = g for COLUMNS vectors at once, in place: vectors[j * COLUMNS + lane]. */
static void solve(const frocc__kernels *kernels, size_t d, const double *upper, double *vectors) {
    for (size_t j = d; j-- > 0;) {
        double sums[COLUMNS];
        kernels->combine(upper + j * d + j + 1, d, 1, vectors + (j + 1) * COLUMNS, d - j - 1, sums);
        for (size_t lane = 0; lane < COLUMNS; lane++)
            vectors[j * COLUMNS + lane] =
                (vectors[j * COLUMNS + lane] - sums[lane]) / upper[j * d + j];
    }
}

/* Of the covariance; square and work are scratch. */
static void find_principal(size_t d, const double *matrix, double *square, double *work,
                           frocc__whitening *whitening) {
    if (whitening->n_principal == 0)
        return;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            square[i * d + j] = matrix[index_in_groups(d, FROCC_MAX(i, j), FROCC_MIN(i, j))];
    frocc__find_principal(square, d, whitening->n_principal, work, whitening->principal);
}

static frocc_status decompose(const frocc__kernels *kernels, const frocc__members *sample,
                              const float *prepared, double *x, double *weighted, double *matrix,
                              double *transposed, frocc__whitening *whitening) {
    double *lower = whitening->upper;
    const size_t d = sample->n_features, n_rows = rows_for_covariance(sample->count, d);
    double total = 0.0;
    FROCC_TRY(lay_out(sample, prepared, n_rows, x, weighted, &total));
    FROCC_TRY(covariance(kernels, x, weighted, n_rows, total, d, matrix));
    find_principal(d, matrix, x, lower, whitening);
    shrink(d, matrix);
    FROCC_TRY(factor(kernels, d, matrix, lower, transposed));
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++) {
            lower[j * d + i] = lower[i * d + j]; /* from here on the upper half is what is read */
        }
    return FROCC_OK;
}

static frocc_status whiten(const frocc__kernels *kernels, const frocc__members *sample,
                           const float *prepared, frocc__whitening *whitening) {
    const size_t d = sample->n_features, n_rows = rows_for_covariance(sample->count, d);
    double *x = frocc__alloc(padded(d) * FROCC_MAX(n_rows, d), sizeof(double));
    double *weighted = frocc__alloc(d * n_rows, sizeof(double));
    double *matrix = frocc__alloc(padded(d) * d, sizeof(double));
    double *transposed = frocc__alloc(d * COLUMNS, sizeof(double));
    frocc_status status = FROCC_ERR_MEMORY;
    if (x != NULL && weighted != NULL && matrix != NULL && transposed != NULL)
        status = decompose(kernels, sample, prepared, x, weighted, matrix, transposed, whitening);
    frocc__free(x);
    frocc__free(weighted);
    frocc__free(matrix);
    frocc__free(transposed);
    return status;
}

/* What directions look at of the prepared sample: itself, or a copy without the codes. */
static const float *without_codes(const frocc_frame *frame, size_t n_rows, const float *prepared,
                                  float *copy) {
    const frocc__columns *c = &frame->columns;
    for (size_t i = 0; copy != NULL && i < n_rows; i++)
        for (size_t k = 0; k < c->n_usable; k++)
            copy[i * c->n_usable + k] = prepared[i * frame->n_features + c->usable[k]];
    return copy != NULL ? copy : prepared;
}

frocc_status frocc__whitening_new(const frocc_frame *frame, const frocc__members *sample,
                                  const float *prepared, frocc__whitening *whitening) {
    const bool has_codes = frame->columns.n_codes > 0;
    frocc__members seen = *sample;
    seen.n_features = has_codes ? frame->columns.n_usable : frame->n_features;
    const size_t d = seen.n_features;
    *whitening = (frocc__whitening){
        .n_features = d,
        .n_principal = d <= FROCC_MOST_FOR_PRINCIPAL ? FROCC_MIN(d, (size_t)FROCC_PRINCIPAL) : 0,
        .upper = frocc__alloc(d * d, sizeof(double)),
        .vectors = frocc__alloc(d * COLUMNS, sizeof(double)),
        .principal = frocc__alloc(d * FROCC_PRINCIPAL, sizeof(float))};
    float *copy = has_codes ? frocc__alloc(sample->count, d * sizeof(float)) : NULL;
    frocc_status status = FROCC_ERR_MEMORY;
    if (whitening->upper != NULL && whitening->vectors != NULL && whitening->principal != NULL &&
        (!has_codes || copy != NULL))
        status = d == 0 ? FROCC_OK
                        : whiten(frame->kernels, &seen,
                                 without_codes(frame, sample->count, prepared, copy), whitening);
    frocc__free(copy);
    if (status != FROCC_OK)
        frocc__whitening_free(whitening);
    return status;
}

void frocc__whitening_free(frocc__whitening *whitening) {
    frocc__free(whitening->upper);
    frocc__free(whitening->vectors);
    frocc__free(whitening->principal);
    *whitening = (frocc__whitening){0};
}

void frocc__whiten_block(const frocc__kernels *kernels, const frocc__whitening *whitening,
                         float *block) {
    const size_t d = whitening->n_features;
    double *v = whitening->vectors;
    for (size_t j = 0; j < d; j++)
        for (size_t lane = 0; lane < COLUMNS; lane++)
            v[j * COLUMNS + lane] =
                lane < FROCC_BLOCK ? (double)block[j * FROCC_BLOCK + lane] : 0.0;
    solve(kernels, d, whitening->upper, v);
    double squares[COLUMNS] = {0};
    for (size_t j = 0; j < d; j++)
        for (size_t lane = 0; lane < FROCC_BLOCK; lane++)
            squares[lane] += v[j * COLUMNS + lane] * v[j * COLUMNS + lane];
    for (size_t j = 0; j < d; j++)
        for (size_t lane = 0; lane < FROCC_BLOCK; lane++)
            block[j * FROCC_BLOCK + lane] = (float)(v[j * COLUMNS + lane] / sqrt(squares[lane]));
}
