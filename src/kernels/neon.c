/* SPDX-License-Identifier: BSD-3-Clause */
/* NEON (every aarch64 has it, with fused multiply-add). 12 rows by 8 directions in registers. */
#if defined(__aarch64__)
#include <arm_neon.h>

#include "kernels/kernels.h"

#define FROCC_TARGET
#define FROCC_LEVEL(name) name##_neon

static void square_roots_neon(float *values, int count) {
    for (int i = 0; i < count; i += 4)
        vst1q_f32(values + i, vsqrtq_f32(vld1q_f32(values + i)));
}

#include "kernels/generic.h"

#define VECTORS 3
#define ROWS (4 * VECTORS)

static inline void project_quarter(const float *x, const float *w, size_t n_features, bool goes_on,
                                   float *tile) {
    float32x4_t sum[FROCC_BLOCK][VECTORS];
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++)
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            sum[c][v] = goes_on ? vld1q_f32(tile + c * FROCC_PANEL + 4 * v) : vdupq_n_f32(0.0f);
    for (size_t j = 0; j < n_features; j++) {
        float32x4_t rows[VECTORS];
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            rows[v] = vld1q_f32(x + j * FROCC_PANEL + 4 * v);
#pragma GCC unroll 8
        for (int c = 0; c < FROCC_BLOCK; c++)
#pragma GCC unroll 3
            for (int v = 0; v < VECTORS; v++)
                sum[c][v] = vfmaq_n_f32(sum[c][v], rows[v], w[j * FROCC_BLOCK + (size_t)c]);
    }
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++)
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            vst1q_f32(tile + c * FROCC_PANEL + 4 * v, sum[c][v]);
}

static void project_panel_neon(const float *x, const float *w, size_t n_features, bool goes_on,
                               float *tile) {
    for (int r = 0; r < FROCC_PANEL; r += ROWS)
        project_quarter(x + r, w, n_features, goes_on, tile + r);
}

static void project_row_neon(const float *values, const int32_t *columns, size_t count,
                             const float *w, size_t n_features, size_t n_blocks, float *out) {
    for (size_t b = 0; b < n_blocks; b++) {
        const float *block = w + b * n_features * FROCC_BLOCK;
        float32x4_t low = vdupq_n_f32(0.0f), high = vdupq_n_f32(0.0f);
        for (size_t i = 0; i < count; i++) {
            size_t j = columns != NULL ? (size_t)columns[i] : i;
            low = vfmaq_n_f32(low, vld1q_f32(block + j * FROCC_BLOCK), values[i]);
            high = vfmaq_n_f32(high, vld1q_f32(block + j * FROCC_BLOCK + 4), values[i]);
        }
        vst1q_f32(out + b * FROCC_BLOCK, low);
        vst1q_f32(out + b * FROCC_BLOCK + 4, high);
    }
}

/* All ones in the lanes whose value is within the bounds. */
static inline uint32x4_t inside_of(const float *value, float lower, float upper) {
    float32x4_t v = vld1q_f32(value);
    return vandq_u32(vcgeq_f32(v, vdupq_n_f32(lower)), vcleq_f32(v, vdupq_n_f32(upper)));
}

static void outside_rows_neon(const float *tile, const float *lower, const float *upper,
                              frocc__row_mask rows[FROCC_BLOCK]) {
    static const uint32_t bit_of_lane[4] = {1, 2, 4, 8};
    const uint32x4_t bits = vld1q_u32(bit_of_lane);
    for (int c = 0; c < FROCC_BLOCK; c++) {
        rows[c] = 0;
        for (int r = 0; r < FROCC_PANEL; r += 4) {
            uint32x4_t inside = inside_of(tile + c * FROCC_PANEL + r, lower[c], upper[c]);
            rows[c] |= (frocc__row_mask)vaddvq_u32(vbicq_u32(bits, inside)) << r;
        }
    }
}

static bool outside_neon(const float *tile, const float *lower, const float *upper) {
    uint32x4_t inside = vdupq_n_u32(UINT32_MAX);
    for (int c = 0; c < FROCC_BLOCK; c++)
        for (int r = 0; r < FROCC_PANEL; r += 4)
            inside = vandq_u32(inside, inside_of(tile + c * FROCC_PANEL + r, lower[c], upper[c]));
    return vminvq_u32(inside) == 0;
}

/* Elements of one vector that are 2 and 1 apart: the other one plus or minus this one, where
 * multiplying by 1 or -1 changes no rounding. */
static inline float32x4_t within(float32x4_t v) {
    static const float upper[4] = {1, 1, -1, -1}, odd[4] = {1, -1, 1, -1};
    v = vfmaq_f32(vextq_f32(v, v, 2), v, vld1q_f32(upper));
    return vfmaq_f32(vrev64q_f32(v), v, vld1q_f32(odd));
}

#define VECTOR float32x4_t
#define VECTOR_WITHIN(v) within(v)
#define VECTOR_SIZE 4
#define VECTOR_LOAD(address) vld1q_f32(address)
#define VECTOR_LOADU(address) vld1q_f32(address)
#define VECTOR_STORE(address, v) vst1q_f32(address, v)
#define VECTOR_ALL(value) vdupq_n_f32(value)
#define VECTOR_ADD(a, b) vaddq_f32(a, b)
#define VECTOR_SUB(a, b) vsubq_f32(a, b)
#define VECTOR_MUL(a, b) vmulq_f32(a, b)
#define VECTOR_FMA(a, b, c) vfmaq_f32(c, a, b)
#include "kernels/vector.h"

const frocc__kernels frocc__kernels_neon = {
    .name = "neon",
    FROCC_ENTRIES_OF(neon),
    .look_up = frocc__look_up_scalar,
    .tally = frocc__tally_scalar,
    .transpose = frocc__transpose_scalar,
};
#else
typedef int frocc__no_arm_neon; /* a translation unit may not be empty */
#endif
