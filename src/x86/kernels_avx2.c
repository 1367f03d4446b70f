/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX2 and FMA. Sixteen registers hold 24 rows by 4 directions, so a tile takes four passes. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"

#define FROCC_TARGET __attribute__((target("avx2,fma")))
#define FROCC_LEVEL(name) name##_avx2

FROCC_TARGET static void square_roots_avx2(float *values, int count) {
    for (int i = 0; i < count; i += 8)
        _mm256_storeu_ps(values + i, _mm256_sqrt_ps(_mm256_loadu_ps(values + i)));
}

#include "../kernels_generic.h"

#define VECTORS 3
#define ROWS (8 * VECTORS)
#define DIRECTIONS 4

FROCC_TARGET static inline void project_quarter(const float *x, const float *w, size_t n_features,
                                                float *tile) {
    __m256 sum[DIRECTIONS][VECTORS];
#pragma GCC unroll 4
    for (int c = 0; c < DIRECTIONS; c++)
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            sum[c][v] = _mm256_setzero_ps();
    for (size_t j = 0; j < n_features; j++) {
        __m256 rows[VECTORS];
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            rows[v] = _mm256_load_ps(x + j * FROCC_PANEL + 8 * v);
#pragma GCC unroll 4
        for (int c = 0; c < DIRECTIONS; c++) {
            __m256 direction = _mm256_broadcast_ss(w + j * FROCC_BLOCK + c);
#pragma GCC unroll 3
            for (int v = 0; v < VECTORS; v++)
                sum[c][v] = _mm256_fmadd_ps(rows[v], direction, sum[c][v]);
        }
    }
#pragma GCC unroll 4
    for (int c = 0; c < DIRECTIONS; c++)
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            _mm256_store_ps(tile + c * FROCC_PANEL + 8 * v, sum[c][v]);
}

FROCC_TARGET static void project_panel_avx2(const float *x, const float *w, size_t n_features,
                                            float *tile) {
    for (int r = 0; r < FROCC_PANEL; r += ROWS)
        for (int c = 0; c < FROCC_BLOCK; c += DIRECTIONS)
            project_quarter(x + r, w + c, n_features, tile + c * FROCC_PANEL + r);
}

FROCC_TARGET static inline __m256 inside_of(const float *value, __m256 low, __m256 high) {
    __m256 v = _mm256_load_ps(value);
    return _mm256_and_ps(_mm256_cmp_ps(v, low, _CMP_GE_OQ), _mm256_cmp_ps(v, high, _CMP_LE_OQ));
}

FROCC_TARGET static void outside_avx2(const float *tile, const float *lower, const float *upper,
                                      frocc__row_mask rows[FROCC_BLOCK]) {
    for (int c = 0; c < FROCC_BLOCK; c++) {
        __m256 low = _mm256_set1_ps(lower[c]), high = _mm256_set1_ps(upper[c]);
        frocc__row_mask mask = 0;
        for (int r = 0; r < FROCC_PANEL; r += 8) {
            unsigned inside =
                (unsigned)_mm256_movemask_ps(inside_of(tile + c * FROCC_PANEL + r, low, high));
            mask |= (frocc__row_mask)(inside ^ 0xffu) << r;
        }
        rows[c] = mask;
    }
}

FROCC_TARGET static void count_inside_avx2(const float *tile, const float *lower,
                                           const float *upper, uint32_t *counts,
                                           frocc__row_mask rows[FROCC_BLOCK]) {
    for (int c = 0; c < FROCC_BLOCK; c++)
        rows[c] = 0;
    for (int r = 0; r < FROCC_PANEL; r += 8) {
        __m256i total = _mm256_loadu_si256((const __m256i *)(const void *)(counts + r));
#pragma GCC unroll 8
        for (int c = 0; c < FROCC_BLOCK; c++) {
            __m256 low = _mm256_broadcast_ss(lower + c), high = _mm256_broadcast_ss(upper + c);
            __m256 inside = inside_of(tile + c * FROCC_PANEL + r, low, high);
            total = _mm256_sub_epi32(total, _mm256_castps_si256(inside)); /* true is -1 */
            rows[c] |= (frocc__row_mask)((unsigned)_mm256_movemask_ps(inside) ^ 0xffu) << r;
        }
        _mm256_storeu_si256((__m256i *)(void *)(counts + r), total);
    }
}

#include "project_row.h"

const frocc__kernels frocc__kernels_avx2 = {
    "avx2",       project_panel_avx2, project_row_avx2, transform_avx2,
    outside_avx2, count_inside_avx2,  draw_block_avx2,
};
#else
typedef int frocc__no_x86_avx2; /* a translation unit may not be empty */
#endif
