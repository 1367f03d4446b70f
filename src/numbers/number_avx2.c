/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cells of a table one by one, with AVX2, which any x86 of the last decade has (and its
 * three-operand forms: mixed with AVX code elsewhere, plain SSE was measured three times slower).
 *
 * All 32 characters up to the end of a cell are read at once, and the point is taken out by
 * blending two loads, one byte apart.
 */
#include "numbers/number_cells.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "numbers/number_round.h"

#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

AVX2 static inline uint64_t matches(const char *p, __m256i separator, __m256i line_end) {
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    a = _mm256_or_si256(_mm256_cmpeq_epi8(a, separator), _mm256_cmpeq_epi8(a, line_end));
    b = _mm256_or_si256(_mm256_cmpeq_epi8(b, separator), _mm256_cmpeq_epi8(b, line_end));
    return (uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
}

AVX2 size_t frocc__find_ends_avx2(const char **place, const char *end, char separator,
                                  uint32_t *ends) {
    const __m256i separators = _mm256_set1_epi8(separator), line_ends = _mm256_set1_epi8('\n');
    const char *begin = *place, *p = begin;
    size_t count = 0;
    for (; end - p >= 64; p += 64) {
        uint64_t mask = matches(p, separators, line_ends);
        size_t found = (size_t)__builtin_popcountll(mask);
        uint32_t offset = (uint32_t)(p - begin);
        /* Eight at a time whether there are as many or not: a loop of known length costs less than
         * one whose end cannot be foretold. */
        for (size_t done = 0; done < found; done += 8)
            for (size_t i = 0; i < 8; i++) {
                ends[count + done + i] = offset + (uint32_t)_tzcnt_u64(mask);
                mask &= mask - 1;
            }
        count += found;
    }
    *place = p;
    return count;
}

AVX2 size_t frocc__count_byte_avx2(const char **place, const char *end, char byte, char other,
                                   bool *has_other) {
    const __m256i wanted = _mm256_set1_epi8(byte), zero = _mm256_setzero_si256();
    const __m256i others = _mm256_set1_epi8(other);
    __m256i total = zero, found = zero;
    const char *p = *place;
    while (end - p >= 32) {
        __m256i marks = zero; /* each byte counts to 255 at most */
        for (int i = 0; i < 255 && end - p >= 32; i++, p += 32) {
            __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p);
            marks = _mm256_sub_epi8(marks, _mm256_cmpeq_epi8(bytes, wanted));
            found = _mm256_or_si256(found, _mm256_cmpeq_epi8(bytes, others));
        }
        total = _mm256_add_epi64(total, _mm256_sad_epu8(marks, zero));
    }
    *place = p;
    *has_other = !_mm256_testz_si256(found, found);
    return (size_t)(_mm256_extract_epi64(total, 0) + _mm256_extract_epi64(total, 1) +
                    _mm256_extract_epi64(total, 2) + _mm256_extract_epi64(total, 3));
}

/* ---- Digits ---------------------------------------------------------------------------------- */

/* The 32 bytes from n on have the last n of them set. */
#define TEN_SET 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
static const unsigned char last_set[64] = {
    [32] = TEN_SET, [42] = TEN_SET, [52] = TEN_SET, [62] = 0xff, [63] = 0xff};

AVX2 static inline __m256i load(const void *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}
AVX2 static inline __m128i load_half(const void *p) {
    return _mm_loadu_si128((const __m128i *)p);
}

/*
 * 32 digits 0..9, the first the most significant, as one number: in pairs, fours, eights; then of
 * each half, its two eights side by side. False when there are more than 19.
 */
AVX2 static inline bool combine_digits(__m256i digits, uint64_t *value) {
    const __m256i tens = _mm256_set1_epi16(1 << 8 | 10);
    const __m256i hundreds = _mm256_set1_epi32(1 << 16 | 100);
    const __m256i thousands = _mm256_set1_epi32(1 << 16 | 10000);
    __m256i fours = _mm256_madd_epi16(_mm256_maddubs_epi16(digits, tens), hundreds);
    __m256i eights = _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), thousands);
    uint64_t front = (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(eights));
    uint64_t back = (uint64_t)_mm_cvtsi128_si64(_mm256_extracti128_si256(eights, 1));
    front = front << 32 | front >> 32;
    *value = front * 10000000000000000u + (back & 0xffffffff) * 100000000 + (back >> 32);
    return front <= 999;
}

/* The same for a cell of at most 16 characters. */
AVX2 FROCC__INLINE bool short_digits(const char *end, size_t length, uint64_t *digits,
                                     int *fraction) {
    const __m128i tens = _mm_set1_epi16(1 << 8 | 10), hundreds = _mm_set1_epi32(1 << 16 | 100);
    const __m128i thousands = _mm_set1_epi32(1 << 16 | 10000);
    __m128i bytes = load_half(end - 16);
    unsigned dots = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('.')));
    dots &= 0xffffu << (16 - length);
    bool point = dots != 0;
    unsigned behind = 15 - (unsigned)__builtin_ctz(dots | 1u << 15);
    *fraction = (int)(behind & -(unsigned)point);
    __m128i keep = load_half(last_set + 16 + (point ? behind : 16));
    bytes = _mm_blendv_epi8(load_half(end - 17), bytes, keep);
    bytes = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    bytes = _mm_and_si128(bytes, load_half(last_set + 16 + length - point));
    __m128i over = _mm_subs_epu8(bytes, _mm_set1_epi8(9));
    __m128i fours = _mm_madd_epi16(_mm_maddubs_epi16(bytes, tens), hundreds);
    __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), thousands);
    uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    *digits = (both & 0xffffffff) * 100000000 + (both >> 32);
    return _mm_testz_si128(over, over) && length > point;
}

/* The digits of the cell and how many of them stand behind the point; false for other cells. */
AVX2 FROCC__INLINE bool plain_digits(const char *p, const char *end, uint64_t *digits,
                                     int *fraction) {
    size_t length = (size_t)(end - p);
    if (length - 1 < 16)
        return short_digits(end, length, digits, fraction);
    if (length - 1 >= 32)
        return false;
    __m256i bytes = load(end - 32);
    unsigned dots = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('.')));
    dots &= ~0u << (32 - length);
    bool point = dots != 0;
    unsigned behind = 31 - (unsigned)__builtin_ctz(dots | 1u << 31);
    *fraction = (int)(behind & -(unsigned)point);
    /* Up to the point, the characters one place to the left close the gap. */
    __m256i keep = load(last_set + (point ? behind : 32));
    bytes = _mm256_blendv_epi8(load(end - 33), bytes, keep);
    bytes = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
    bytes = _mm256_and_si256(bytes, load(last_set + length - point));
    __m256i over = _mm256_subs_epu8(bytes, _mm256_set1_epi8(9));
    return _mm256_testz_si256(over, over) && combine_digits(bytes, digits);
}

/* Takes an exponent of the form e+12 off the end of a cell, as C and Python print them. */
FROCC__INLINE int take_exponent(const char *p, const char **end) {
    const char *e = *end - 4;
    const unsigned tens = (unsigned char)e[2] - '0', ones = (unsigned char)e[3] - '0';
    if (e[0] != 'e' || e <= p || (e[1] != '+' && e[1] != '-') || tens > 9 || ones > 9)
        return 0;
    *end = e;
    return (int)(10 * tens + ones) * (e[1] == '-' ? -1 : 1);
}

AVX2 FROCC__INLINE size_t read_cells(const char *text, uint32_t first, const uint32_t *ends,
                                     size_t count, bool single, void *values) {
    for (size_t i = 0; i < count; i++) {
        const char *p = text + first, *end = text + ends[i];
        uint64_t digits = 0;
        int fraction = 0;
        p += *p == ' ';
        const bool negative = *p == '-';
        const int exponent = take_exponent(p, &end);
        if (!plain_digits(p + negative, end, &digits, &fraction) ||
            !(single ? to_f32(digits, fraction - exponent, negative, (float *)values + i)
                     : to_f64(digits, fraction - exponent, negative, (double *)values + i)))
            return i;
        first = ends[i] + 1;
    }
    return count;
}

AVX2 size_t frocc__parse_cells_avx2(const char *text, uint32_t first, const uint32_t *ends,
                                    size_t count, frocc_dtype dtype, void *values) {
    return dtype == FROCC_F32 ? read_cells(text, first, ends, count, true, values)
                              : read_cells(text, first, ends, count, false, values);
}

#endif
