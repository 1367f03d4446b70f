/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX-512 (F, DQ, BW, VL). A panel is three vectors of rows; a block keeps 24 sums in registers. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "kernels/kernels.h"
#include "kernels/random.h"

#define FROCC_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#define FROCC_LEVEL(name) name##_avx512
#define FROCC_OWN_OUTSIDE
#define FROCC_OWN_PHILOX

FROCC_TARGET static void square_roots_avx512(float *values, int count) {
    for (int i = 0; i < count; i += 16)
        _mm512_storeu_ps(values + i, _mm512_sqrt_ps(_mm512_loadu_ps(values + i)));
}

/* The lower halves of sixteen lanes. */
FROCC_TARGET static inline void store_lower(uint32_t *words, __m512i v0, __m512i v1) {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    _mm512_storeu_si512(words, _mm512_permutex2var_epi32(v0, even, v1));
}

#define WORDS __m512i
#define WORDS_SIZE 8
#define WORDS_LOAD(address) _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(address)))
#define WORDS_STORE(address, v0, v1) store_lower(address, v0, v1)
#define WORDS_ALL(value) _mm512_set1_epi64((long long)(value))
#define WORDS_MULTIPLY(a, b) _mm512_mul_epu32(a, b)
#define WORDS_UPPER(a) _mm512_srli_epi64(a, 32)
#define WORDS_ADD(a, b) _mm512_add_epi64(a, b)
#define WORDS_XOR(a, b) _mm512_xor_si512(a, b)
#include "kernels/philox.h"

#include "kernels/generic.h"

#define VECTORS (FROCC_PANEL / 16)

/* sum + rows * *weight. The broadcast is part of the instruction; compilers share one among several
 * instead, which is an instruction more. */
FROCC_TARGET static inline __attribute__((always_inline)) __m512
add_product(__m512 sum, __m512 rows, const float *weight) {
    __asm__("vfmadd231ps %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(rows), "m"(*weight));
    return sum;
}

/* So many directions of a block are broadcast so: with more of them the loads are too many. */
#define EMBEDDED 4

/* Inlined, so that the sums stay in registers. */
FROCC_TARGET static inline __attribute__((always_inline)) void
project(const float *x, const float *w, size_t n_features, bool goes_on, const float *tile,
        __m512 sum[FROCC_BLOCK][VECTORS]) {
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++)
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            sum[c][v] =
                goes_on ? _mm512_load_ps(tile + c * FROCC_PANEL + 16 * v) : _mm512_setzero_ps();
#pragma GCC unroll 4
    for (size_t j = 0; j < n_features; j++) {
        __m512 rows[VECTORS];
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            rows[v] = _mm512_load_ps(x + j * FROCC_PANEL + 16 * v);
#pragma GCC unroll 4
        for (int c = 0; c < EMBEDDED; c++)
#pragma GCC unroll 3
            for (int v = 0; v < VECTORS; v++)
                sum[c][v] = add_product(sum[c][v], rows[v], w + j * FROCC_BLOCK + c);
#pragma GCC unroll 8
        for (int c = EMBEDDED; c < FROCC_BLOCK; c++) {
            __m512 direction = _mm512_set1_ps(w[j * FROCC_BLOCK + c]);
#pragma GCC unroll 3
            for (int v = 0; v < VECTORS; v++)
                sum[c][v] = _mm512_fmadd_ps(rows[v], direction, sum[c][v]);
        }
    }
}

FROCC_TARGET static inline __attribute__((always_inline)) void
store_tile(__m512 sum[FROCC_BLOCK][VECTORS], float *tile) {
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++)
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            _mm512_store_ps(tile + c * FROCC_PANEL + 16 * v, sum[c][v]);
}

FROCC_TARGET static void project_panel_avx512(const float *x, const float *w, size_t n_features,
                                              bool goes_on, float *tile) {
    __m512 sum[FROCC_BLOCK][VECTORS];
    project(x, w, n_features, goes_on, tile, sum);
    store_tile(sum, tile);
}

/* Collects in differ where clamping to its bounds changes a value: a value inside stays as it is,
 * and comparing the bits takes one instruction with the collecting in it. */
FROCC_TARGET static inline __attribute__((always_inline)) __m512i
note_outside(__m512i differ, __m512 value, __m512 low, __m512 high) {
    enum { or_of_xor = 0xf6 }; /* a | (b ^ c) */
    __m512 clamped = _mm512_max_ps(_mm512_min_ps(value, high), low);
    return _mm512_ternarylogic_epi32(differ, _mm512_castps_si512(value),
                                     _mm512_castps_si512(clamped), or_of_xor);
}

/*
 * Tiles with nothing outside, which nearly all are, never leave the registers. The largest and the
 * smallest of a direction's rows tell; two chains of masks each, since a compare takes its time.
 */
FROCC_TARGET static bool project_outside_avx512(const float *x, const float *w, size_t n_features,
                                                bool goes_on, const float *lower,
                                                const float *upper, float *tile) {
    __m512 sum[FROCC_BLOCK][VECTORS];
    __mmask16 below[2] = {0xffff, 0xffff}, above[2] = {0xffff, 0xffff};
    project(x, w, n_features, goes_on, tile, sum);
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++) {
        __m512 most = _mm512_max_ps(_mm512_max_ps(sum[c][0], sum[c][1]), sum[c][2]);
        __m512 least = _mm512_min_ps(_mm512_min_ps(sum[c][0], sum[c][1]), sum[c][2]);
        below[c % 2] =
            _mm512_mask_cmp_ps_mask(below[c % 2], most, _mm512_set1_ps(upper[c]), _CMP_LE_OQ);
        above[c % 2] =
            _mm512_mask_cmp_ps_mask(above[c % 2], least, _mm512_set1_ps(lower[c]), _CMP_GE_OQ);
    }
    if ((below[0] & below[1] & above[0] & above[1]) == 0xffff)
        return false;
    store_tile(sum, tile);
    return true;
}

FROCC_TARGET static void outside_rows_avx512(const float *tile, const float *lower,
                                             const float *upper,
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

FROCC_TARGET static bool outside_avx512(const float *tile, const float *lower, const float *upper) {
    __m512i differ[VECTORS];
#pragma GCC unroll 3
    for (int v = 0; v < VECTORS; v++)
        differ[v] = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++) {
        __m512 low = _mm512_set1_ps(lower[c]), high = _mm512_set1_ps(upper[c]);
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            differ[v] =
                note_outside(differ[v], _mm512_load_ps(tile + c * FROCC_PANEL + 16 * v), low, high);
    }
    __m512i any = _mm512_or_si512(_mm512_or_si512(differ[0], differ[1]), differ[2]);
    return _mm512_test_epi32_mask(any, any) != 0;
}

/*
 * The cells of 16 values. What is below the first cell is negative, so as an unsigned number it is
 * beyond the last one; that and the first are alike, either out or, where nothing can be told,
 * edge.
 */
FROCC_TARGET static inline __m512i cells_of(const frocc__cell_map *cells, const float *values) {
    __m512 at = _mm512_sub_ps(_mm512_load_ps(values), _mm512_set1_ps(cells->origin));
    at = _mm512_fmadd_ps(at, _mm512_set1_ps(cells->scale), _mm512_set1_ps(1.0f));
    return _mm512_min_epu32(_mm512_cvttps_epi32(at), _mm512_set1_epi32(FROCC_MAP_CELLS - 1));
}

/* 32 words of 32 cells are two registers; a permutation fetches the word of each lane's cell. */
typedef struct words_of_cells {
    __m512i low, high;
} words_of_cells;

FROCC_TARGET static inline words_of_cells load_words(const uint32_t *words) {
    return (words_of_cells){_mm512_loadu_si512(words), _mm512_loadu_si512(words + 16)};
}

FROCC_TARGET static inline __mmask16 test_cells(words_of_cells words, __m512i cell) {
    __m512i word = _mm512_permutex2var_epi32(words.low, _mm512_srli_epi32(cell, 5), words.high);
    return _mm512_test_epi32_mask(word, _mm512_rolv_epi32(_mm512_set1_epi32(1), cell));
}

FROCC_TARGET static inline frocc__row_mask join_masks(const __mmask16 masks[VECTORS]) {
    return (frocc__row_mask)masks[0] | (frocc__row_mask)masks[1] << 16 |
           (frocc__row_mask)masks[2] << 32;
}

FROCC_TARGET static void look_up_avx512(const float *tile, const frocc__cell_map *cells,
                                        const frocc__row_mask rows[FROCC_BLOCK],
                                        frocc__row_mask in[FROCC_BLOCK], frocc__row_mask *edge) {
    for (int c = 0; c < FROCC_BLOCK; c++, cells++, tile += FROCC_PANEL) {
        if (rows[c] == 0)
            continue;
        __m512i cell[VECTORS];
        __mmask16 masks[VECTORS];
        const words_of_cells in_words = load_words(cells->in);
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++) {
            cell[v] = cells_of(cells, tile + 16 * v);
            masks[v] = test_cells(in_words, cell[v]);
        }
        in[c] = join_masks(masks) & rows[c];
        if (edge == NULL)
            continue;
        const words_of_cells edge_words = load_words(cells->edge);
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++)
            masks[v] = test_cells(edge_words, cell[v]);
        edge[c] = join_masks(masks) & rows[c];
    }
}

FROCC_TARGET static void tally_avx512(const frocc__row_mask rows[FROCC_BLOCK], uint32_t *counts) {
    const __m512i one = _mm512_set1_epi32(1);
#pragma GCC unroll 3
    for (int v = 0; v < VECTORS; v++) {
        __m512i count = _mm512_loadu_si512(counts + 16 * v);
#pragma GCC unroll 8
        for (int c = 0; c < FROCC_BLOCK; c++)
            count = _mm512_mask_add_epi32(count, (__mmask16)(rows[c] >> 16 * v), count, one);
        _mm512_storeu_si512(counts + 16 * v, count);
    }
}

#include "kernels/project_row.h"
#include "kernels/transpose_avx512.h"

/* Elements of one vector that are 8, 4, 2 and 1 apart: the other one plus or minus this one, where
 * multiplying by 1 or -1 changes no rounding. */
FROCC_TARGET static inline __attribute__((always_inline)) __m512 within(__m512 v) {
    const __m512 one = _mm512_set1_ps(1.0f), minus = _mm512_set1_ps(-1.0f);
    v = _mm512_fmadd_ps(v, _mm512_mask_mov_ps(one, 0xff00, minus),
                        _mm512_shuffle_f32x4(v, v, 0x4e));
    v = _mm512_fmadd_ps(v, _mm512_mask_mov_ps(one, 0xf0f0, minus),
                        _mm512_shuffle_f32x4(v, v, 0xb1));
    v = _mm512_fmadd_ps(v, _mm512_mask_mov_ps(one, 0xcccc, minus), _mm512_permute_ps(v, 0x4e));
    return _mm512_fmadd_ps(v, _mm512_mask_mov_ps(one, 0xaaaa, minus), _mm512_permute_ps(v, 0xb1));
}

#define VECTOR __m512
#define VECTOR_WITHIN(v) within(v)
#define VECTOR_SIZE 16
#define VECTOR_LOAD(address) _mm512_load_ps(address)
#define VECTOR_LOADU(address) _mm512_loadu_ps(address)
#define VECTOR_STORE(address, v) _mm512_store_ps(address, v)
#define VECTOR_ALL(value) _mm512_set1_ps(value)
#define VECTOR_ADD(a, b) _mm512_add_ps(a, b)
#define VECTOR_SUB(a, b) _mm512_sub_ps(a, b)
#define VECTOR_MUL(a, b) _mm512_mul_ps(a, b)
#define VECTOR_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#include "kernels/vector.h"

const frocc__kernels frocc__kernels_avx512 = {
    .name = "avx512",
    FROCC_ENTRIES_OF(avx512),
    .look_up = look_up_avx512,
    .tally = tally_avx512,
    .transpose = transpose_avx512,
};
#else
typedef int frocc__no_x86_avx512; /* a translation unit may not be empty */
#endif
