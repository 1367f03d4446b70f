/* SPDX-License-Identifier: BSD-3-Clause */
/* The reference kernels: portable C, the definition that every other level must match. */
#include <math.h>

#include "kernels.h"

#define FROCC_TARGET
#define FROCC_SIMD
#define FROCC_LEVEL(name) name##_ref

static void square_roots_ref(float *values, int count) {
    for (int i = 0; i < count; i++)
        values[i] = sqrtf(values[i]);
}

#include "kernels_generic.h"

static void project_panel_ref(const float *x, const float *w, size_t n_features, float *tile) {
    for (int c = 0; c < FROCC_BLOCK; c++) {
        for (int r = 0; r < FROCC_PANEL; r++) {
            float sum = 0.0f;
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

static bool outside_ref(const float *tile, const float *lower, const float *upper,
                        frocc__row_mask rows[FROCC_BLOCK]) {
    frocc__row_mask any = 0;
    for (int c = 0; c < FROCC_BLOCK; c++) {
        frocc__row_mask mask = 0;
        for (int r = 0; r < FROCC_PANEL; r++) {
            float value = tile[c * FROCC_PANEL + r];
            bool inside = value >= lower[c] && value <= upper[c]; /* false for NaN */
            mask |= (frocc__row_mask)!inside << r;
        }
        rows[c] = mask;
        any |= mask;
    }
    return any != 0;
}

const frocc__kernels frocc__kernels_ref = {
    "ref",
    project_panel_ref,
    project_row_ref,
    transform_ref,
    outside_ref,
    frocc__look_up_scalar,
    frocc__tally_scalar,
    frocc__add_costs_scalar,
    sort_block_ref,
    bend_ref,
    combine_ref,
    draw_block_ref,
};
