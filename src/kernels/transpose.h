/* SPDX-License-Identifier: BSD-3-Clause */
/* A subpanel of rows to lanes, eight by eight values at a time. */

/* Pairs, then fours, then halves: the three steps of the transpose of an 8 by 8 matrix. Returns
 * the largest of the sizes, as bits, and of those given. */
FROCC_TARGET static inline __m256i FROCC_LEVEL(transpose_eight)(const float *rows, size_t stride,
                                                                __m256i largest, float *out) {
    const __m256i size_bits = _mm256_set1_epi32(INT32_MAX);
    __m256 v[8], t[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        v[i] = _mm256_loadu_ps(rows + (size_t)i * stride);
        largest = _mm256_max_epi32(largest, _mm256_and_si256(_mm256_castps_si256(v[i]), size_bits));
    }
#pragma GCC unroll 4
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < 8; i += 4) {
        v[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        v[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        v[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        v[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        _mm256_store_ps(out + i * FROCC_PANEL, _mm256_permute2f128_ps(v[i], v[i + 4], 0x20));
        _mm256_store_ps(out + (i + 4) * FROCC_PANEL, _mm256_permute2f128_ps(v[i], v[i + 4], 0x31));
    }
    return largest;
}

FROCC_TARGET static bool FROCC_LEVEL(transpose)(const float *rows, size_t stride, size_t count,
                                                float *out) {
    size_t whole = count / 8 * 8;
    __m256i largest = _mm256_setzero_si256();
    for (size_t j = 0; j < whole; j += 8)
        for (size_t r = 0; r < FROCC_SUBPANEL; r += 8)
            largest = FROCC_LEVEL(transpose_eight)(rows + r * stride + j, stride, largest,
                                                   out + j * FROCC_PANEL + r);
    __m256i too_large = _mm256_cmpgt_epi32(largest, _mm256_set1_epi32(FROCC_LARGEST_BITS));
    bool usable =
        frocc__transpose_scalar(rows + whole, stride, count - whole, out + whole * FROCC_PANEL);
    return usable && _mm256_testz_si256(too_large, too_large);
}
