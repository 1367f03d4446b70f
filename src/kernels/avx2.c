/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX2 and FMA. Sixteen registers hold 24 rows by 4 directions, so a tile takes four passes. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "kernels/kernels.h"
#include "kernels/random.h"

#define FROCC_TARGET __attribute__((target("avx2,fma")))
#define FROCC_LEVEL(name) name##_avx2
#define FROCC_OWN_PHILOX

FROCC_TARGET static void square_roots_avx2(float *values, int count) {
    for (int i = 0; i < count; i += 8)
        _mm256_storeu_ps(values + i, _mm256_sqrt_ps(_mm256_loadu_ps(values + i)));
}

/* The lower halves of eight lanes. */
FROCC_TARGET static inline void store_lower(uint32_t *words, __m256i v0, __m256i v1) {
    __m256 lower = _mm256_shuffle_ps(_mm256_castsi256_ps(v0), _mm256_castsi256_ps(v1), 0x88);
    _mm256_storeu_si256((__m256i *)words,
                        _mm256_permute4x64_epi64(_mm256_castps_si256(lower), 0xd8));
}

#define WORDS __m256i
#define WORDS_SIZE 4
#define WORDS_LOAD(address) _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(address)))
#define WORDS_STORE(address, v0, v1) store_lower(address, v0, v1)
#define WORDS_ALL(value) _mm256_set1_epi64x((long long)(value))
#define WORDS_MULTIPLY(a, b) _mm256_mul_epu32(a, b)
#define WORDS_UPPER(a) _mm256_srli_epi64(a, 32)
#define WORDS_ADD(a, b) _mm256_add_epi64(a, b)
#define WORDS_XOR(a, b) _mm256_xor_si256(a, b)
#include "kernels/philox.h"

#include "kernels/generic.h"

#define VECTORS 3
#define ROWS (8 * VECTORS)
#define DIRECTIONS 4

FROCC_TARGET static inline void project_quarter(const float *x, const float *w, size_t n_features,
                                                bool goes_on, float *tile) {
    __m256 sum[DIRECTIONS][VECTORS];
#pragma GCC unroll 4
    for (int c = 0; c < DIRECTIONS; c++)
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            sum[c][v] =
                goes_on ? _mm256_load_ps(tile + c * FROCC_PANEL + 8 * v) : _mm256_setzero_ps();
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
                                            bool goes_on, float *tile) {
    for (int r = 0; r < FROCC_PANEL; r += ROWS)
        for (int c = 0; c < FROCC_BLOCK; c += DIRECTIONS)
            project_quarter(x + r, w + c, n_features, goes_on, tile + c * FROCC_PANEL + r);
}

FROCC_TARGET static void outside_rows_avx2(const float *tile, const float *lower,
                                           const float *upper, frocc__row_mask rows[FROCC_BLOCK]) {
    for (int c = 0; c < FROCC_BLOCK; c++) {
        __m256 low = _mm256_set1_ps(lower[c]), high = _mm256_set1_ps(upper[c]);
        frocc__row_mask mask = 0;
        for (int r = 0; r < FROCC_PANEL; r += 8) {
            __m256 value = _mm256_load_ps(tile + c * FROCC_PANEL + r);
            __m256 inside = _mm256_and_ps(_mm256_cmp_ps(value, low, _CMP_GE_OQ),
                                          _mm256_cmp_ps(value, high, _CMP_LE_OQ));
            mask |= (frocc__row_mask)((unsigned)_mm256_movemask_ps(inside) ^ 0xffu) << r;
        }
        rows[c] = mask;
    }
}

/* Clamping leaves a value inside its bounds as it is; see the AVX-512 kernel. */
FROCC_TARGET static bool outside_avx2(const float *tile, const float *lower, const float *upper) {
    __m256 differ = _mm256_setzero_ps();
    for (int c = 0; c < FROCC_BLOCK; c++) {
        __m256 low = _mm256_set1_ps(lower[c]), high = _mm256_set1_ps(upper[c]);
#pragma GCC unroll 6
        for (int r = 0; r < FROCC_PANEL; r += 8) {
            __m256 value = _mm256_load_ps(tile + c * FROCC_PANEL + r);
            __m256 clamped = _mm256_max_ps(_mm256_min_ps(value, high), low);
            differ = _mm256_or_ps(differ, _mm256_xor_ps(value, clamped));
        }
    }
    __m256i any = _mm256_castps_si256(differ);
    return !_mm256_testz_si256(any, any);
}

FROCC_TARGET static inline unsigned test_bits(__m256i words, __m256i bits) {
    __m256i missing = _mm256_cmpeq_epi32(_mm256_and_si256(words, bits), _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(missing)) ^ 0xffu;
}

/* See the AVX-512 kernel: the minimum is one of unsigned numbers. */
FROCC_TARGET static inline __m256i cells_of(const frocc__cell_map *cells, const float *values) {
    __m256 at = _mm256_sub_ps(_mm256_load_ps(values), _mm256_set1_ps(cells->origin));
    at = _mm256_fmadd_ps(at, _mm256_set1_ps(cells->scale), _mm256_set1_ps(1.0f));
    return _mm256_min_epu32(_mm256_cvttps_epi32(at), _mm256_set1_epi32(FROCC_MAP_CELLS - 1));
}

FROCC_TARGET static inline frocc__row_mask
rows_in_cells(const uint32_t *words, const frocc__cell_map *cells, const float *values) {
    frocc__row_mask all = 0;
    for (int r = 0; r < FROCC_PANEL; r += 8) {
        __m256i cell = cells_of(cells, values + r);
        __m256i bit =
            _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_and_si256(cell, _mm256_set1_epi32(31)));
        __m256i word =
            _mm256_i32gather_epi32((const int *)(const void *)words, _mm256_srli_epi32(cell, 5), 4);
        unsigned mask = test_bits(word, bit);
        all |= (frocc__row_mask)mask << r;
    }
    return all;
}

FROCC_TARGET static void look_up_avx2(const float *tile, const frocc__cell_map *cells,
                                      const frocc__row_mask rows[FROCC_BLOCK],
                                      frocc__row_mask in[FROCC_BLOCK], frocc__row_mask *edge) {
    for (int c = 0; c < FROCC_BLOCK; c++, cells++, tile += FROCC_PANEL) {
        if (rows[c] == 0)
            continue;
        in[c] = rows_in_cells(cells->in, cells, tile) & rows[c];
        if (edge != NULL)
            edge[c] = rows_in_cells(cells->edge, cells, tile) & rows[c];
    }
}

FROCC_TARGET static void tally_avx2(const frocc__row_mask rows[FROCC_BLOCK], uint32_t *counts) {
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (int r = 0; r < FROCC_PANEL; r += 8) {
        __m256i *at = (__m256i *)(void *)(counts + r);
        __m256i count = _mm256_loadu_si256(at);
        for (int c = 0; c < FROCC_BLOCK; c++) {
            __m256i bits = _mm256_srlv_epi32(_mm256_set1_epi32((int)(rows[c] >> r & 0xff)), lanes);
            count = _mm256_add_epi32(count, _mm256_and_si256(bits, _mm256_set1_epi32(1)));
        }
        _mm256_storeu_si256(at, count);
    }
}

#include "kernels/project_row.h"
#include "kernels/transpose.h"

/* Elements of one vector that are 4, 2 and 1 apart: the other one plus or minus this one, where
 * multiplying by 1 or -1 changes no rounding. */
FROCC_TARGET static inline __attribute__((always_inline)) __m256 within(__m256 v) {
    const __m256 one = _mm256_set1_ps(1.0f), minus = _mm256_set1_ps(-1.0f);
    v = _mm256_fmadd_ps(v, _mm256_blend_ps(one, minus, 0xf0), _mm256_permute2f128_ps(v, v, 0x01));
    v = _mm256_fmadd_ps(v, _mm256_blend_ps(one, minus, 0xcc), _mm256_permute_ps(v, 0x4e));
    return _mm256_fmadd_ps(v, _mm256_blend_ps(one, minus, 0xaa), _mm256_permute_ps(v, 0xb1));
}

#define VECTOR __m256
#define VECTOR_WITHIN(v) within(v)
#define VECTOR_SIZE 8
#define VECTOR_LOAD(address) _mm256_load_ps(address)
#define VECTOR_LOADU(address) _mm256_loadu_ps(address)
#define VECTOR_STORE(address, v) _mm256_store_ps(address, v)
#define VECTOR_ALL(value) _mm256_set1_ps(value)
#define VECTOR_ADD(a, b) _mm256_add_ps(a, b)
#define VECTOR_SUB(a, b) _mm256_sub_ps(a, b)
#define VECTOR_MUL(a, b) _mm256_mul_ps(a, b)
#define VECTOR_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#include "kernels/vector.h"

const frocc__kernels frocc__kernels_avx2 = {
    .name = "avx2",
    FROCC_ENTRIES_OF(avx2),
    .look_up = look_up_avx2,
    .tally = tally_avx2,
    .transpose = transpose_avx2,
};
#else
typedef int frocc__no_x86_avx2; /* a translation unit may not be empty */
#endif
