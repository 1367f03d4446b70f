/* SPDX-License-Identifier: BSD-3-Clause */
/* A subpanel of rows to lanes, sixteen by sixteen values at a time. */

/* Pairs, fours, halves of halves, halves: the four steps of the transpose of a 16 by 16 matrix.
 * Only the first count columns are read and written. Returns the largest of the sizes, as bits, and
 * of those given. */
FROCC_TARGET static inline __attribute__((always_inline)) __m512i
transpose_sixteen(const float *rows, size_t stride, int count, __m512i largest, float *out) {
    const __m512i size_bits = _mm512_set1_epi32(INT32_MAX);
    const __mmask16 columns = (__mmask16)((1u << count) - 1);
    __m512 v[16], t[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        v[i] = _mm512_maskz_loadu_ps(columns, rows + (size_t)i * stride);
        largest = _mm512_max_epi32(largest, _mm512_and_si512(_mm512_castps_si512(v[i]), size_bits));
    }
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(v[i], v[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(v[i], v[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4)
#pragma GCC unroll 2
        for (int j = i; j < i + 2; j++) { /* v[i + k] has columns k, k + 4, k + 8, k + 12 */
            v[2 * j - i] = _mm512_shuffle_ps(t[j], t[j + 2], 0x44);
            v[2 * j - i + 1] = _mm512_shuffle_ps(t[j], t[j + 2], 0xee);
        }
#pragma GCC unroll 2
    for (int i = 0; i < 16; i += 8)
#pragma GCC unroll 4
        for (int j = i; j < i + 4; j++) { /* t[i + k] has columns k and k + 8 */
            t[j] = _mm512_shuffle_f32x4(v[j], v[j + 4], 0x88);
            t[j + 4] = _mm512_shuffle_f32x4(v[j], v[j + 4], 0xdd);
        }
#pragma GCC unroll 8
    for (int j = 0; j < 8; j++) {
        v[j] = _mm512_shuffle_f32x4(t[j], t[j + 8], 0x88);
        v[j + 8] = _mm512_shuffle_f32x4(t[j], t[j + 8], 0xdd);
    }
#pragma GCC unroll 16
    for (int j = 0; j < 16; j++)
        if (j < count)
            _mm512_store_ps(out + j * FROCC_PANEL, v[j]);
    return largest;
}

FROCC_TARGET static bool transpose_avx512(const float *rows, size_t stride, size_t count,
                                          float *out) {
    __m512i largest = _mm512_setzero_si512();
    size_t j = 0;
    for (; j + 16 <= count; j += 16)
        largest = transpose_sixteen(rows + j, stride, 16, largest, out + j * FROCC_PANEL);
    if (j < count)
        largest =
            transpose_sixteen(rows + j, stride, (int)(count - j), largest, out + j * FROCC_PANEL);
    return _mm512_cmpgt_epi32_mask(largest, _mm512_set1_epi32(FROCC_LARGEST_BITS)) == 0;
}
