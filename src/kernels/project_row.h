/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One row against many directions, lanes across the directions of a block, for the AVX2 and the
 * AVX-512 level. Eight blocks at a time keep the multiply-add units busy while each chain waits
 * for its own previous sum.
 */
#define GROUP 8

FROCC_TARGET static inline size_t FROCC_LEVEL(column_of)(const int32_t *columns, size_t i) {
    return columns != NULL ? (size_t)columns[i] : i;
}

FROCC_TARGET static void FROCC_LEVEL(project_row)(const float *values, const int32_t *columns,
                                                  size_t count, const float *w, size_t n_features,
                                                  size_t n_blocks, float *out) {
    const size_t stride = n_features * FROCC_BLOCK;
    size_t b = 0;
    for (; b + GROUP <= n_blocks; b += GROUP) {
        __m256 sum[GROUP];
#pragma GCC unroll 8
        for (int g = 0; g < GROUP; g++)
            sum[g] = _mm256_setzero_ps();
        for (size_t i = 0; i < count; i++) {
            const float *column = w + b * stride + FROCC_LEVEL(column_of)(columns, i) * FROCC_BLOCK;
            __m256 value = _mm256_set1_ps(values[i]);
#pragma GCC unroll 8
            for (int g = 0; g < GROUP; g++)
                sum[g] =
                    _mm256_fmadd_ps(value, _mm256_load_ps(column + (size_t)g * stride), sum[g]);
        }
#pragma GCC unroll 8
        for (int g = 0; g < GROUP; g++)
            _mm256_storeu_ps(out + (b + (size_t)g) * FROCC_BLOCK, sum[g]);
    }
    for (; b < n_blocks; b++) {
        __m256 sum = _mm256_setzero_ps();
        for (size_t i = 0; i < count; i++) {
            const float *column = w + b * stride + FROCC_LEVEL(column_of)(columns, i) * FROCC_BLOCK;
            sum = _mm256_fmadd_ps(_mm256_set1_ps(values[i]), _mm256_load_ps(column), sum);
        }
        _mm256_storeu_ps(out + b * FROCC_BLOCK, sum);
    }
}

#undef GROUP
