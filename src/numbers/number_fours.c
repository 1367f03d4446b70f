/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Short cells of a table four at a time, with AVX2; number_avx512.c has the idea. Here what a
 * character is, is known by a byte of ones or zeros, and a lane of 16 bytes is a cell.
 */
#include "numbers/number_cells.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define INLINE __attribute__((always_inline)) static inline

/* Four cells as numbers: (high * 10^8 + low) / 10^fraction, with sign bits. */
struct four {
    __m256d high, low;
    __m256i fraction, signs;
    bool plain;
};

/* Two cells: fours of digits, and bytes of ones where the sign is and up to the point. */
struct two {
    __m256i fours, minus, before, bad;
};

/* The 16 bytes from n on have the last n of them set. */
#define EIGHT_SET 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
static const unsigned char last_set[32] = {[16] = EIGHT_SET, [24] = EIGHT_SET};

TARGET INLINE __m256i two_loads(const void *a, const void *b) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(a)), _mm_loadu_si128(b),
                                   1);
}

TARGET INLINE struct two read_two(const char *text, uint32_t end_a, uint32_t end_b, size_t length_a,
                                  size_t length_b) {
    const __m256i tens = _mm256_set1_epi16(1 << 8 | 10);
    const __m256i hundreds = _mm256_set1_epi32(1 << 16 | 100);
    __m256i bytes = two_loads(text + end_a - 16, text + end_b - 16);
    __m256i cell = two_loads(last_set + length_a, last_set + length_b);
    __m256i minus = _mm256_and_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('-')), cell);
    __m256i bad = _mm256_and_si256(minus, _mm256_slli_si256(cell, 1));
    cell = _mm256_xor_si256(cell, minus);
    __m256i before = _mm256_and_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('.')), cell);
    before = _mm256_or_si256(before, _mm256_srli_si256(before, 1));
    before = _mm256_or_si256(before, _mm256_srli_si256(before, 2));
    before = _mm256_or_si256(before, _mm256_srli_si256(before, 4));
    before = _mm256_or_si256(before, _mm256_srli_si256(before, 8));
    __m256i pointed = _mm256_shuffle_epi8(before, _mm256_setzero_si256());
    cell = _mm256_blendv_epi8(cell, _mm256_slli_si256(cell, 1), pointed);
    bytes = _mm256_blendv_epi8(bytes, _mm256_slli_si256(bytes, 1), before);
    bytes = _mm256_and_si256(_mm256_sub_epi8(bytes, _mm256_set1_epi8('0')), cell);
    bad = _mm256_or_si256(bad, _mm256_subs_epu8(bytes, _mm256_set1_epi8(9)));
    /* The last byte of a cell that has digits is one. */
    __m256i last =
        _mm256_setr_epi64x(0, (long long)0xff00000000000000, 0, (long long)0xff00000000000000);
    bad = _mm256_or_si256(bad, _mm256_andnot_si256(cell, last));
    return (struct two){
        .fours = _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, tens), hundreds),
        .minus = minus,
        .before = before,
        .bad = bad,
    };
}

/* How many bytes of each lane are set: lanes of a and b in turn. */
TARGET INLINE __m256i count_set(__m256i a, __m256i b) {
    const __m256i ones = _mm256_set1_epi8(1), zero = _mm256_setzero_si256();
    a = _mm256_sad_epu8(_mm256_and_si256(a, ones), zero);
    b = _mm256_sad_epu8(_mm256_and_si256(b, ones), zero);
    return _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}

/* Numbers below 2^52, by the exponent that makes the last bit of a double one. */
TARGET INLINE __m256d to_doubles(__m256i values) {
    const __m256d magic = _mm256_set1_pd(0x1p52);
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(values, _mm256_castpd_si256(magic))),
                         magic);
}

TARGET INLINE struct four read_four(const char *text, const uint32_t *ends, const size_t *lengths) {
    const __m256i thousands = _mm256_set1_epi32(1 << 16 | 10000);
    /* Packing puts the lanes of one vector between those of the other. */
    struct two a = read_two(text, ends[0], ends[2], lengths[0], lengths[2]);
    struct two b = read_two(text, ends[1], ends[3], lengths[1], lengths[3]);
    __m256i eights = _mm256_madd_epi16(_mm256_packus_epi32(a.fours, b.fours), thousands);
    __m256i upto = count_set(a.before, b.before);
    __m256i none = _mm256_cmpeq_epi64(upto, _mm256_setzero_si256());
    __m256i fraction = _mm256_sub_epi64(_mm256_set1_epi64x(16), upto);
    __m256i bad = _mm256_or_si256(a.bad, b.bad);
    return (struct four){
        .high = to_doubles(_mm256_and_si256(eights, _mm256_set1_epi64x(0xffffffff))),
        .low = to_doubles(_mm256_srli_epi64(eights, 32)),
        .fraction = _mm256_andnot_si256(none, fraction),
        .signs = _mm256_slli_epi64(count_set(a.minus, b.minus), 63),
        .plain = _mm256_testz_si256(bad, bad),
    };
}

/* ---- Rounding -------------------------------------------------------------------------------- */

static const double powers[17] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7, 1e8,
                                  1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

TARGET INLINE __m256d power_of(__m256i fraction) {
    uint64_t f[4];
    _mm256_storeu_si256((void *)f, fraction);
    return _mm256_setr_pd(powers[f[0]], powers[f[1]], powers[f[2]], powers[f[3]]);
}

/* What a double holds, divided by what a double holds, is rounded once; as a float, it may be off
 * by two units of a double, unless that is close to the middle between two floats. */
TARGET INLINE bool store(const struct four *e, bool single, void *values) {
    __m256d digits = _mm256_add_pd(_mm256_mul_pd(e->high, _mm256_set1_pd(1e8)), e->low);
    __m256d value = _mm256_div_pd(digits, power_of(e->fraction));
    __m256d large = _mm256_cmp_pd(digits, _mm256_set1_pd(0x1p53), _CMP_GE_OQ);
    __m256d with_sign = _mm256_or_pd(value, _mm256_castsi256_pd(e->signs));
    if (!single) {
        _mm256_storeu_pd(values, with_sign);
        return _mm256_movemask_pd(large) == 0;
    }
    const __m256i lost_bits = _mm256_set1_epi64x(((long long)1 << 29) - 1);
    const __m256i shift = _mm256_set1_epi64x(((long long)1 << 28) + 8);
    __m256i lost = _mm256_and_si256(_mm256_add_epi64(_mm256_castpd_si256(value), shift), lost_bits);
    __m256i far = _mm256_cmpgt_epi64(lost, _mm256_set1_epi64x(16));
    __m256i whole = _mm256_cmpeq_epi64(e->fraction, _mm256_setzero_si256());
    __m256i exact = _mm256_andnot_si256(_mm256_castpd_si256(large), whole);
    _mm_storeu_ps(values, _mm256_cvtpd_ps(with_sign));
    return _mm256_movemask_epi8(_mm256_or_si256(far, exact)) == -1;
}

/* ---- Runs of cells --------------------------------------------------------------------------- */

TARGET INLINE size_t read_cells(const char *text, uint32_t first, const uint32_t *ends,
                                size_t count, bool single, void *values) {
    const size_t size = single ? sizeof(float) : sizeof(double);
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const uint32_t *e = ends + i;
        size_t lengths[4] = {e[0] - first, e[1] - e[0] - 1, e[2] - e[1] - 1, e[3] - e[2] - 1};
        if (lengths[0] > 16 || lengths[1] > 16 || lengths[2] > 16 || lengths[3] > 16)
            break;
        struct four cells = read_four(text, e, lengths);
        if (!cells.plain || !store(&cells, single, (char *)values + i * size))
            break;
        first = e[3] + 1;
    }
    return i;
}

TARGET size_t frocc__fours_avx2(const char *text, uint32_t first, const uint32_t *ends,
                                size_t count, frocc_dtype dtype, void *values) {
    return dtype == FROCC_F32 ? read_cells(text, first, ends, count, true, values)
                              : read_cells(text, first, ends, count, false, values);
}

#endif
