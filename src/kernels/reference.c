/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference kernels: portable C, the definition that every other level must match. */
#include <math.h>

#include "kernels/kernels.h"

#define FROCC_TARGET
#define FROCC_SIMD
#define FROCC_LEVEL(name) name##_ref

static void square_roots_ref(float *values, int count) {
    for (int i = 0; i < count; i++)
        values[i] = sqrtf(values[i]);
}

#include "kernels/generic.h"

static void project_panel_ref(const float *x, const float *w, size_t n_features, bool goes_on,
                              float *tile) {
    for (int c = 0; c < FROCC_BLOCK; c++) {
        for (int r = 0; r < FROCC_PANEL; r++) {
            float sum = goes_on ? tile[c * FROCC_PANEL + r] : 0.0f;
            for (size_t j = 0; j < n_features; j++)
                sum = fmaf(x[j * FROCC_PANEL + (size_t)r], w[j * FROCC_BLOCK + (size_t)c], sum);
            tile[c * FROCC_PANEL + r] = sum;
        }
    }
}

static void project_row_ref(const float *values, const int32_t *columns, size_t count,
                            const float *w, size_t n_features, size_t n_blocks, float *out) {
    for (size_t b = 0; b < n_blocks; b++) {
        const float *block = w + b * n_features * FROCC_BLOCK;
        for (size_t c = 0; c < FROCC_BLOCK; c++) {
            float sum = 0.0f;
            for (size_t i = 0; i < count; i++) {
                size_t j = columns != NULL ? (size_t)columns[i] : i;
                sum = fmaf(values[i], block[j * FROCC_BLOCK + c], sum);
            }
            out[b * FROCC_BLOCK + c] = sum;
        }
    }
}

static void outside_rows_ref(const float *tile, const float *lower, const float *upper,
                             frocc__row_mask rows[FROCC_BLOCK]) {
    for (int c = 0; c < FROCC_BLOCK; c++) {
        rows[c] = 0;
        for (int r = 0; r < FROCC_PANEL; r++) {
            float value = tile[c * FROCC_PANEL + r];
            bool inside = value >= lower[c] && value <= upper[c]; /* false for NaN */
            rows[c] |= (frocc__row_mask)!inside << r;
        }
    }
}

static bool outside_ref(const float *tile, const float *lower, const float *upper) {
    frocc__row_mask rows[FROCC_BLOCK], any = 0;
    outside_rows_ref(tile, lower, upper, rows);
    for (int c = 0; c < FROCC_BLOCK; c++)
        any |= rows[c];
    return any != 0;
}

static void project_panel_list_ref(const float *x, const int32_t *features, const float *weights,
                                   size_t count, float *out) {
    for (size_t r = 0; r < FROCC_PANEL; r++) {
        float sum = 0.0f;
        for (size_t k = 0; k < count; k++)
            sum = fmaf(x[(size_t)features[k] * FROCC_PANEL + r], weights[k], sum);
        out[r] = sum;
    }
}

/* Signs and transform of a segment whose runs are stride apart. Elements far apart are added first.
 */
static void transform_segment(float *x, const float *signs, size_t stride, size_t segment) {
    for (size_t i = 0; i < segment; i++) {
        size_t at = i / FROCC_RUN * stride + i % FROCC_RUN;
        x[at] *= signs[at];
    }
    for (size_t half = segment / 2; half > 0; half /= 2)
        for (size_t i = 0; i < segment; i++) {
            if ((i & half) != 0)
                continue;
            float *a = &x[i / FROCC_RUN * stride + i % FROCC_RUN];
            float *b = &x[(i + half) / FROCC_RUN * stride + (i + half) % FROCC_RUN];
            float sum = *a + *b, difference = *a - *b;
            *a = sum;
            *b = difference;
        }
}

static void scramble_ref(const float *row, size_t n_features, const frocc__scrambling *how,
                         const float *signs, size_t wanted, float *work, float *out) {
    const size_t segment = how->segment, size = segment * how->n_segments;
    for (size_t j = 0; j < size; j++)
        work[j] = j < n_features ? row[j] : 0.0f;
    for (int round = 0; round < 3; round++, signs += size)
        for (size_t b = 0; b < how->n_segments; b++) {
            bool across = round == 1; /* every n_segments-th run */
            size_t first = b * (across ? FROCC_RUN : segment);
            size_t stride = across ? how->n_segments * FROCC_RUN : FROCC_RUN;
            transform_segment(work + first, signs + first, stride, segment);
        }
    for (size_t i = 0; i < wanted; i++)
        out[i] = work[i] * how->scale;
}

const frocc__kernels frocc__kernels_ref = {
    .name = "ref",
    FROCC_ENTRIES_OF(ref),
    .look_up = frocc__look_up_scalar,
    .tally = frocc__tally_scalar,
    .transpose = frocc__transpose_scalar,
};
