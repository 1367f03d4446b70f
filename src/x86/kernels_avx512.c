/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX-512 (F, DQ, BW, VL). A panel is three vectors of rows; a block keeps 24 sums in registers. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "../kernels.h"

#define FROCC_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#define FROCC_LEVEL(name) name##_avx512

FROCC_TARGET static void square_roots_avx512(float *values, int count) {
    for (int i = 0; i < count; i += 16)
        _mm512_storeu_ps(values + i, _mm512_sqrt_ps(_mm512_loadu_ps(values + i)));
}

#include "../kernels_generic.h"

#define VECTORS (FROCC_PANEL / 16)

FROCC_TARGET static void project_panel_avx512(const float *x, const float *w, size_t n_features,
                                              float *tile) {
    __m512 sum[FROCC_BLOCK][VECTORS];
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++)
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            sum[c][v] = _mm512_setzero_ps();
    for (size_t j = 0; j < n_features; j++) {
        __m512 rows[VECTORS];
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            rows[v] = _mm512_load_ps(x + j * FROCC_PANEL + 16 * v);
#pragma GCC unroll 8
        for (int c = 0; c < FROCC_BLOCK; c++) {
            __m512 direction = _mm512_set1_ps(w[j * FROCC_BLOCK + c]);
#pragma GCC unroll 3
            for (int v = 0; v < VECTORS; v++)
                sum[c][v] = _mm512_fmadd_ps(rows[v], direction, sum[c][v]);
        }
    }
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++)
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            _mm512_store_ps(tile + c * FROCC_PANEL + 16 * v, sum[c][v]);
}

FROCC_TARGET static void outside_avx512(const float *tile, const float *lower, const float *upper,
                                        frocc__row_mask rows[FROCC_BLOCK]) {
    for (int c = 0; c < FROCC_BLOCK; c++) {
        __m512 low = _mm512_set1_ps(lower[c]), high = _mm512_set1_ps(upper[c]);
        frocc__row_mask mask = 0;
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++) {
            __m512 value = _mm512_load_ps(tile + c * FROCC_PANEL + 16 * v);
            __mmask16 inside = _mm512_cmp_ps_mask(value, low, _CMP_GE_OQ);
            inside = _mm512_mask_cmp_ps_mask(inside, value, high, _CMP_LE_OQ);
            mask |= (frocc__row_mask)(uint16_t)~inside << (16 * v);
        }
        rows[c] = mask;
    }
}

FROCC_TARGET static void count_inside_avx512(const float *tile, const float *lower,
                                             const float *upper, uint32_t *counts,
                                             frocc__row_mask rows[FROCC_BLOCK]) {
    __m512i total[VECTORS];
    const __m512i one = _mm512_set1_epi32(1);
#pragma GCC unroll 3
    for (int v = 0; v < VECTORS; v++)
        total[v] = _mm512_loadu_si512(counts + 16 * v);
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++) {
        __m512 low = _mm512_set1_ps(lower[c]), high = _mm512_set1_ps(upper[c]);
        frocc__row_mask mask = 0;
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++) {
            __m512 value = _mm512_load_ps(tile + c * FROCC_PANEL + 16 * v);
            __mmask16 inside = _mm512_cmp_ps_mask(value, low, _CMP_GE_OQ);
            inside = _mm512_mask_cmp_ps_mask(inside, value, high, _CMP_LE_OQ);
            total[v] = _mm512_mask_add_epi32(total[v], inside, total[v], one);
            mask |= (frocc__row_mask)(uint16_t)~inside << (16 * v);
        }
        rows[c] = mask;
    }
#pragma GCC unroll 3
    for (int v = 0; v < VECTORS; v++)
        _mm512_storeu_si512(counts + 16 * v, total[v]);
}

#include "project_row.h"

const frocc__kernels frocc__kernels_avx512 = {
    "avx512",       project_panel_avx512, project_row_avx512, transform_avx512,
    outside_avx512, count_inside_avx512,  draw_block_avx512,
};
#else
typedef int frocc__no_x86_avx512; /* a translation unit may not be empty */
#endif
