/* SPDX-License-Identifier: BSD-3-Clause */
/* Eight cells of a table as numbers, with AVX-512: what the ways to read them share. */
#ifndef FROCC_NUMBER_EIGHT_H
#define FROCC_NUMBER_EIGHT_H

#include <immintrin.h>

#include "base/base.h"

#define TARGET                                                                                     \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,"             \
                          "avx512bitalg,avx512vpopcntdq,avx2,fma,bmi,bmi2,popcnt")))
#define INLINE __attribute__((always_inline)) static inline

/* value = digits / 10^fraction. */
struct eight {
    __m512i digits, fraction;
    __mmask8 negative;
    bool plain; /* all of them, with digits below 10^19 */
};

/* digits 0..9 in fours: each 32-bit element of the result is below 10^4. */
TARGET INLINE __m512i fours(__m512i digits) {
    const __m512i tens = _mm512_set1_epi16(1 << 8 | 10);
    const __m512i hundreds = _mm512_set1_epi32(1 << 16 | 100);
    return _mm512_madd_epi16(_mm512_maddubs_epi16(digits, tens), hundreds);
}

/* Fours of two vectors to numbers of sixteen digits: of each lane of 16 bytes, the one of a in the
 * lower half, that of b in the upper half. */
TARGET INLINE __m512i sixteens(__m512i a, __m512i b) {
    const __m512i thousands = _mm512_set1_epi32(1 << 16 | 10000);
    __m512i eights = _mm512_madd_epi16(_mm512_packus_epi32(a, b), thousands);
    return _mm512_add_epi64(_mm512_mul_epu32(eights, _mm512_set1_epi64(100000000)),
                            _mm512_srli_epi64(eights, 32));
}

/* Fours of eight cells of 32 digits, two to a vector, to their numbers; *large when one of them has
 * more than 19 digits. */
TARGET INLINE __m512i join_fours(const __m512i parts[4], bool *large) {
    const __m512i fronts = _mm512_setr_epi64(0, 4, 1, 5, 8, 12, 9, 13);
    const __m512i backs = _mm512_setr_epi64(2, 6, 3, 7, 10, 14, 11, 15);
    __m512i low = sixteens(parts[0], parts[1]), high = sixteens(parts[2], parts[3]);
    __m512i front = _mm512_permutex2var_epi64(low, fronts, high);
    __m512i back = _mm512_permutex2var_epi64(low, backs, high);
    *large = _mm512_cmpgt_epu64_mask(front, _mm512_set1_epi64(999)) != 0;
    front = _mm512_mullo_epi64(front, _mm512_set1_epi64(10000000000000000));
    return _mm512_add_epi64(front, back);
}

/* The 32 characters up to the ends of two cells, or those further back. */
TARGET INLINE __m512i two_long(const char *text, const uint32_t *ends, int back) {
    __m512i v = _mm512_castsi256_si512(_mm256_loadu_si256((const void *)(text + ends[0] - back)));
    return _mm512_inserti64x4(v, _mm256_loadu_si256((const void *)(text + ends[1] - back)), 1);
}

#endif
