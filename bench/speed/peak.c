/* SPDX-License-Identifier: BSD-3-Clause */
#include "peak.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define CHAINS 24 /* as many sums as a tile of projections has; two operands fit beside them */
#define CHAINS_OF_16_REGISTERS 12

/* The sums end in memory that the caller sees, so that no compiler can leave the loop out. */
static volatile float sink;

/* A factor below 1 keeps the sums finite and normal. */
#define DEFINE_PEAK(level, target, vector, chains, set, multiply_add, first)                       \
    target static uint64_t peak_##level(uint64_t steps) {                                          \
        vector sum[chains];                                                                        \
        const vector factor = set(0.9999f), term = set(1.0f);                                      \
        _Pragma("GCC unroll 32") for (int c = 0; c < (chains); c++) sum[c] = set((float)c);        \
        for (uint64_t i = 0; i < steps; i++)                                                       \
            _Pragma("GCC unroll 32") for (int c = 0; c < (chains); c++) sum[c] =                   \
                multiply_add(sum[c], factor, term);                                                \
        float total = 0.0f;                                                                        \
        for (int c = 0; c < (chains); c++)                                                         \
            total += first(sum[c]);                                                                \
        sink = total;                                                                              \
        return steps * (chains) * (sizeof(vector) / sizeof(float));                                \
    }

#define NO_TARGET
#define SAME(x) (x)
DEFINE_PEAK(ref, NO_TARGET, float, CHAINS_OF_16_REGISTERS, SAME, fmaf, SAME)

#if defined(__x86_64__)
#define FMA_256(sum, factor, term) _mm256_fmadd_ps(sum, factor, term)
#define FMA_512(sum, factor, term) _mm512_fmadd_ps(sum, factor, term)
DEFINE_PEAK(avx2, __attribute__((target("avx2,fma"))), __m256, CHAINS_OF_16_REGISTERS,
            _mm256_set1_ps, FMA_256, _mm256_cvtss_f32)
DEFINE_PEAK(avx512, __attribute__((target("avx512f"))), __m512, CHAINS, _mm512_set1_ps, FMA_512,
            _mm512_cvtss_f32)
#elif defined(__aarch64__)
#define FMA_NEON(sum, factor, term) vfmaq_f32(term, sum, factor)
#define FIRST_NEON(vector) vgetq_lane_f32(vector, 0)
DEFINE_PEAK(neon, NO_TARGET, float32x4_t, CHAINS, vdupq_n_f32, FMA_NEON, FIRST_NEON)
#endif

uint64_t peak_multiply_adds(const char *level, uint64_t steps) {
#if defined(__x86_64__)
    if (strcmp(level, "avx512") == 0)
        return peak_avx512(steps);
    if (strcmp(level, "avx2") == 0)
        return peak_avx2(steps);
#elif defined(__aarch64__)
    if (strcmp(level, "neon") == 0)
        return peak_neon(steps);
#else
    (void)level;
#endif
    return peak_ref(steps);
}
