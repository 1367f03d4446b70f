/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cells of a table eight at a time, on processors with the AVX-512 of Ice Lake or later.
 *
 * A cell [-] digits [. digits], with e+12 or the like behind it taken off, is loaded so that its
 * last character is the last byte of a lane: 16 bytes where all eight cells are that short,
 * else 32. What is sign, point or digit is then known as one bit a byte, and a few operations on
 * these bits, all cells at once, tell the sign, the fraction's length and what is wrong. Up to the
 * point, the characters one place to the left close its gap; then pairs, fours, eights and sixteens
 * of digits are combined.
 *
 * Rounding needs no wide products here. With D the digits, p = 10^fraction and H = D rounded, the
 * quotient q = H / p, its exact remainder by fused multiply-add and D - H give D / p = q + c with
 * c known to a relative 2^-50; where both ends of c's interval round q + c to the same double, that
 * is the nearest one. For floats q itself, off by less than two units of a double, is enough unless
 * it lies that close to the middle between two floats. What cannot be decided, about one cell in
 * 10^8, is rounded by itself; everything that is no plain number is left to the caller.
 */
#include "numbers/number_cells.h"

#if defined(__x86_64__)
#include <string.h>

#include "numbers/number_round.h"
#include "numbers/number_scientific.h"

/* ---- Ends ------------------------------------------------------------------------------------ */

TARGET size_t frocc__find_ends_avx512(const char **place, const char *end, char separator,
                                      uint32_t *ends) {
    const __m512i separators = _mm512_set1_epi8(separator), line_ends = _mm512_set1_epi8('\n');
    const __m512i ascending = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
        40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
        17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const char *begin = *place, *p = begin;
    __m512i offset = _mm512_setzero_si512();
    size_t count = 0;
    for (; end - p >= 64; p += 64) {
        __m512i bytes = _mm512_loadu_si512(p);
        /* A byte that equals one of the two differs from it by nothing. */
        __m512i least = _mm512_min_epu8(_mm512_xor_si512(bytes, separators),
                                        _mm512_xor_si512(bytes, line_ends));
        __mmask64 mask = _mm512_testn_epi8_mask(least, least);
        __m512i found = _mm512_maskz_compress_epi8(mask, ascending);
        __m512i words = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(found));
        _mm512_storeu_si512(ends + count, _mm512_add_epi32(words, offset));
        size_t n = (size_t)__builtin_popcountll(mask);
        for (size_t done = 16; done < n; done += 16) {
            found = _mm512_alignr_epi64(found, found, 2);
            words = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(found));
            _mm512_storeu_si512(ends + count + done, _mm512_add_epi32(words, offset));
        }
        count += n;
        offset = _mm512_add_epi32(offset, _mm512_set1_epi32(64));
    }
    *place = p;
    return count;
}

/* ---- Digits ---------------------------------------------------------------------------------- */

TARGET INLINE __m512i four_short(const char *text, const uint32_t *ends) {
    __m512i v = _mm512_castsi128_si512(_mm_loadu_si128((const void *)(text + ends[0] - 16)));
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(text + ends[2] - 16)), 1);
    v = _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(text + ends[4] - 16)), 2);
    return _mm512_inserti32x4(v, _mm_loadu_si128((const void *)(text + ends[6] - 16)), 3);
}

TARGET INLINE __m512i pick_digits(__m512i bytes, __m512i left, __mmask64 before_point,
                                  __mmask64 valid, __mmask64 *over) {
    bytes = _mm512_mask_mov_epi8(bytes, before_point, left);
    bytes = _mm512_maskz_sub_epi8(valid, bytes, _mm512_set1_epi8('0'));
    *over |= _mm512_cmpgt_epu8_mask(bytes, _mm512_set1_epi8(9));
    return bytes;
}

/* Cells of 1 to 16 characters. Bits are kept in elements of 16, the even cells' in front of the odd
 * ones', as one vector holds the even cells and another the odd ones. */
TARGET INLINE struct eight read_short(const char *text, const uint32_t *ends, __m256i lengths) {
    const __m128i natural = _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    const __m256i apart = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    const __m512i minus = _mm512_set1_epi8('-'), point = _mm512_set1_epi8('.');
    __m512i even = four_short(text, ends), odd = four_short(text, ends + 1);
    lengths = _mm256_permutevar8x32_epi32(lengths, apart);
    __m256i shifts = _mm256_sub_epi32(_mm256_set1_epi32(16), lengths);
    __m128i cell = _mm256_cvtepi32_epi16(_mm256_sllv_epi32(_mm256_set1_epi32(0xffff), shifts));
    __m128i signs = _mm_set_epi64x((long long)_mm512_cmpeq_epi8_mask(odd, minus),
                                   (long long)_mm512_cmpeq_epi8_mask(even, minus));
    __m128i points = _mm_set_epi64x((long long)_mm512_cmpeq_epi8_mask(odd, point),
                                    (long long)_mm512_cmpeq_epi8_mask(even, point));
    signs = _mm_and_si128(signs, cell);
    points = _mm_and_si128(points, cell);
    __m128i behind_first = _mm_slli_epi16(cell, 1);
    bool bad = !_mm_testz_si128(signs, behind_first);
    cell = _mm_xor_si128(cell, signs);
    __m128i none = _mm_cmpeq_epi16(points, _mm_setzero_si128());
    __m128i before = _mm_xor_si128(points, _mm_add_epi16(points, _mm_set1_epi16(-1)));
    before = _mm_andnot_si128(none, before);
    __m128i valid = _mm_blendv_epi8(_mm_slli_epi16(cell, 1), cell, none);
    bad |= _mm_testn_epi16_mask(valid, valid) != 0;
    __m128i fraction = _mm_sub_epi16(_mm_set1_epi16(16), _mm_popcnt_epi16(before));
    fraction = _mm_shuffle_epi8(_mm_andnot_si128(none, fraction), natural);
    signs = _mm_shuffle_epi8(signs, natural);

    __mmask64 over = 0;
    even = pick_digits(even, _mm512_bslli_epi128(even, 1), (__mmask64)_mm_cvtsi128_si64(before),
                       (__mmask64)_mm_cvtsi128_si64(valid), &over);
    odd = pick_digits(odd, _mm512_bslli_epi128(odd, 1), (__mmask64)_mm_extract_epi64(before, 1),
                      (__mmask64)_mm_extract_epi64(valid, 1), &over);
    return (struct eight){.digits = sixteens(fours(even), fours(odd)),
                          .fraction = _mm512_cvtepu16_epi64(fraction),
                          .negative = _mm_test_epi16_mask(signs, signs),
                          .plain = !bad && over == 0};
}

/* Where the bytes of four vectors equal this one: 32 bits a cell. From register to register, as
 * eight bytes stored and 32 loaded would wait for each other. */
TARGET INLINE __m256i equal_bits(const __m512i bytes[4], char byte) {
    const __m512i wanted = _mm512_set1_epi8(byte);
    return _mm256_setr_epi64x((long long)_mm512_cmpeq_epi8_mask(bytes[0], wanted),
                              (long long)_mm512_cmpeq_epi8_mask(bytes[1], wanted),
                              (long long)_mm512_cmpeq_epi8_mask(bytes[2], wanted),
                              (long long)_mm512_cmpeq_epi8_mask(bytes[3], wanted));
}

TARGET INLINE __m512i two_fours(const char *text, const uint32_t *ends, __m512i bytes,
                                long long before, long long valid, __mmask64 *over) {
    return fours(
        pick_digits(bytes, two_long(text, ends, 33), (__mmask64)before, (__mmask64)valid, over));
}

/* Cells of 1 to 32 characters, two to a vector. */
TARGET INLINE struct eight read_long(const char *text, const uint32_t *ends, __m256i lengths) {
    const __m512i bytes[4] = {two_long(text, ends, 32), two_long(text, ends + 2, 32),
                              two_long(text, ends + 4, 32), two_long(text, ends + 6, 32)};
    __m256i cell =
        _mm256_sllv_epi32(_mm256_set1_epi32(-1), _mm256_sub_epi32(_mm256_set1_epi32(32), lengths));
    __m256i signs = _mm256_and_si256(equal_bits(bytes, '-'), cell);
    __m256i points = _mm256_and_si256(equal_bits(bytes, '.'), cell);
    bool bad = !_mm256_testz_si256(signs, _mm256_slli_epi32(cell, 1));
    cell = _mm256_xor_si256(cell, signs);
    __m256i none = _mm256_cmpeq_epi32(points, _mm256_setzero_si256());
    __m256i before = _mm256_xor_si256(points, _mm256_add_epi32(points, _mm256_set1_epi32(-1)));
    before = _mm256_andnot_si256(none, before);
    __m256i valid = _mm256_blendv_epi8(_mm256_slli_epi32(cell, 1), cell, none);
    bad |= _mm256_testn_epi32_mask(valid, valid) != 0;
    __m256i fraction = _mm256_sub_epi32(_mm256_set1_epi32(32), _mm256_popcnt_epi32(before));
    fraction = _mm256_andnot_si256(none, fraction);

    __mmask64 over = 0;
    const __m512i parts[4] = {two_fours(text, ends, bytes[0], _mm256_extract_epi64(before, 0),
                                        _mm256_extract_epi64(valid, 0), &over),
                              two_fours(text, ends + 2, bytes[1], _mm256_extract_epi64(before, 1),
                                        _mm256_extract_epi64(valid, 1), &over),
                              two_fours(text, ends + 4, bytes[2], _mm256_extract_epi64(before, 2),
                                        _mm256_extract_epi64(valid, 2), &over),
                              two_fours(text, ends + 6, bytes[3], _mm256_extract_epi64(before, 3),
                                        _mm256_extract_epi64(valid, 3), &over)};
    bool large;
    __m512i digits = join_fours(parts, &large);
    return (struct eight){.digits = digits,
                          .fraction = _mm512_cvtepu32_epi64(fraction),
                          .negative = _mm256_test_epi32_mask(signs, signs),
                          .plain = !bad && !large && over == 0};
}

/* ---- Rounding -------------------------------------------------------------------------------- */

#define MAX_FRACTION 22 /* 10^22 is exact in a double */

/* table[fraction] for fractions below 24. */
TARGET INLINE __m512d look_up(const double *table, __m512i fraction) {
    __m512d low =
        _mm512_permutex2var_pd(_mm512_loadu_pd(table), fraction, _mm512_loadu_pd(table + 8));
    __mmask8 above = _mm512_test_epi64_mask(fraction, _mm512_set1_epi64(16));
    return _mm512_mask_permutexvar_pd(low, above, fraction, _mm512_loadu_pd(table + 16));
}

TARGET INLINE __m512d with_sign(__m512d value, __mmask8 negative) {
    return _mm512_mask_xor_pd(value, negative, value, _mm512_set1_pd(-0.0));
}

static const double powers[24] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23};
static const double inverses[24] = {1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7,
                                    1e-8,  1e-9,  1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15,
                                    1e-16, 1e-17, 1e-18, 1e-19, 1e-20, 1e-21, 1e-22, 1e-23};

TARGET INLINE bool store_f64(const struct eight *e, double *values) {
    __m512d rounded = _mm512_cvtepu64_pd(e->digits);
    __m512d power = look_up(powers, e->fraction);
    __m512d value = _mm512_div_pd(rounded, power);
    bool ok = _mm512_cmpgt_epu64_mask(e->fraction, _mm512_set1_epi64(MAX_FRACTION)) == 0;
    /* Digits that a double holds: one division, rounded once. */
    if (_mm512_cmpgt_epu64_mask(e->digits, _mm512_set1_epi64((long long)1 << 53)) != 0) {
        const __m512d less = _mm512_set1_pd(1 - 0x1p-48), more = _mm512_set1_pd(1 + 0x1p-48);
        __m512i lost = _mm512_sub_epi64(e->digits, _mm512_cvtpd_epu64(rounded));
        __m512d rest = _mm512_fnmadd_pd(value, power, rounded);
        rest = _mm512_add_pd(rest, _mm512_cvtepi64_pd(lost));
        __m512d c = _mm512_mul_pd(rest, look_up(inverses, e->fraction));
        __m512d one = _mm512_add_pd(value, _mm512_mul_pd(c, less));
        __m512d other = _mm512_add_pd(value, _mm512_mul_pd(c, more));
        ok &= _mm512_cmp_pd_mask(one, other, _CMP_NEQ_UQ) == 0;
        value = one;
    }
    _mm512_storeu_pd(values, with_sign(value, e->negative));
    return ok;
}

TARGET INLINE bool store_f32(const struct eight *e, float *values) {
    __m512d value = _mm512_div_pd(_mm512_cvtepu64_pd(e->digits), look_up(powers, e->fraction));
    bool ok = _mm512_cmpgt_epu64_mask(e->fraction, _mm512_set1_epi64(MAX_FRACTION)) == 0;
    /* The bits that a float does not have, against one half of its last bit. */
    const __m512i lost_bits = _mm512_set1_epi64(((long long)1 << 29) - 1);
    const __m512i shift = _mm512_set1_epi64(((long long)1 << 28) + 8);
    __m512i lost = _mm512_and_si512(_mm512_add_epi64(_mm512_castpd_si512(value), shift), lost_bits);
    __mmask8 close = _mm512_cmple_epu64_mask(lost, _mm512_set1_epi64(16));
    /* A whole number that a double holds is exact, and rounds right by itself. */
    __mmask8 exact = _mm512_testn_epi64_mask(e->fraction, e->fraction) &
                     _mm512_cmple_epu64_mask(e->digits, _mm512_set1_epi64((long long)1 << 53));
    ok &= (close & (__mmask8)~exact) == 0;
    _mm256_storeu_ps(values, _mm512_cvtpd_ps(with_sign(value, e->negative)));
    return ok;
}

/* One by one, for fractions of any length. By value, so that others can stay in registers. */
TARGET static bool store_each(struct eight e, bool single, void *values) {
    const struct format *f = single ? &format_f32 : &format_f64;
    const size_t size = single ? sizeof(float) : sizeof(double);
    uint64_t digits[8];
    int64_t fraction[8];
    _mm512_storeu_si512(digits, e.digits);
    _mm512_storeu_si512(fraction, e.fraction);
    for (unsigned i = 0; i < 8; i++) {
        uint64_t bits, sign = (uint64_t)e.negative >> i & 1;
        if (!round_product(digits[i], -fraction[i], f, &bits) || bits == infinity(f))
            return false;
        bits |= sign << (single ? 31 : 63);
        memcpy((char *)values + i * size, &bits, size); /* the lower bytes come first */
    }
    return true;
}

TARGET INLINE bool store(const struct eight *e, bool single, void *values) {
    if (!e->plain)
        return false;
    return (single ? store_f32(e, values) : store_f64(e, values)) || store_each(*e, single, values);
}

/* ---- Exponents ------------------------------------------------------------------------------- */

/* Eight cells as they lie: where they end, and their lengths. */
struct span {
    uint32_t ends[8];
    __m256i lengths;
};

TARGET INLINE __m256i in_range(__m256i bytes, char first, char last) {
    bytes = _mm256_sub_epi32(bytes, _mm256_set1_epi32(first));
    return _mm256_cmpeq_epi32(_mm256_min_epu32(bytes, _mm256_set1_epi32(last - first)), bytes);
}

/* Takes exponents of the form e+12 off the cells that have one, as C and Python print them. */
TARGET INLINE __m256i take_exponents(const char *text, struct span *cells) {
    const __m256i byte = _mm256_set1_epi32(0xff), four = _mm256_set1_epi32(4);
    __m256i ends = _mm256_loadu_si256((const void *)cells->ends);
    __m256i tail = _mm256_i32gather_epi32((const void *)(text - 4), ends, 1);
    __m256i letter = _mm256_or_si256(_mm256_and_si256(tail, byte), _mm256_set1_epi32(0x20));
    __m256i sign = _mm256_and_si256(_mm256_srli_epi32(tail, 8), byte);
    __m256i tens = _mm256_and_si256(_mm256_srli_epi32(tail, 16), byte);
    __m256i ones = _mm256_srli_epi32(tail, 24);
    __m256i minus = _mm256_cmpeq_epi32(sign, _mm256_set1_epi32('-'));
    __m256i there = _mm256_cmpeq_epi32(letter, _mm256_set1_epi32('e'));
    there = _mm256_and_si256(there, _mm256_cmpgt_epi32(cells->lengths, four));
    there = _mm256_and_si256(
        there, _mm256_or_si256(minus, _mm256_cmpeq_epi32(sign, _mm256_set1_epi32('+'))));
    there = _mm256_and_si256(there, in_range(tens, '0', '9'));
    there = _mm256_and_si256(there, in_range(ones, '0', '9'));
    __m256i value = _mm256_mullo_epi32(tens, _mm256_set1_epi32(10));
    value = _mm256_sub_epi32(_mm256_add_epi32(value, ones), _mm256_set1_epi32(11 * '0'));
    value = _mm256_sub_epi32(_mm256_xor_si256(value, minus), minus);
    __m256i off = _mm256_and_si256(there, four);
    _mm256_storeu_si256((void *)cells->ends, _mm256_sub_epi32(ends, off));
    cells->lengths = _mm256_sub_epi32(cells->lengths, off);
    return _mm256_and_si256(there, value);
}

/* ---- Runs of cells --------------------------------------------------------------------------- */

TARGET INLINE __m256i lengths_of(uint32_t first, const uint32_t *ends) {
    const __m256i one_on = _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6);
    __m256i last = _mm256_loadu_si256((const void *)ends);
    __m256i start =
        _mm256_add_epi32(_mm256_permutevar8x32_epi32(last, one_on), _mm256_set1_epi32(1));
    start = _mm256_mask_mov_epi32(start, 1, _mm256_set1_epi32((int)first));
    return _mm256_sub_epi32(last, start);
}

TARGET INLINE struct eight read_eight(const char *text, const uint32_t *ends, __m256i lengths) {
    if (_mm256_cmpgt_epu32_mask(lengths, _mm256_set1_epi32(16)) == 0)
        return read_short(text, ends, lengths);
    struct eight e = read_long(text, ends, lengths);
    e.plain &= _mm256_cmpgt_epu32_mask(lengths, _mm256_set1_epi32(32)) == 0;
    return e;
}

/* With an exponent the fraction may become negative, or very long. */
TARGET INLINE struct eight read_exponents(const char *text, const uint32_t *ends, __m256i lengths) {
    struct span mantissas = {.lengths = lengths};
    memcpy(mantissas.ends, ends, sizeof mantissas.ends);
    __m256i exponents = take_exponents(text, &mantissas);
    struct eight e = read_eight(text, mantissas.ends, mantissas.lengths);
    e.fraction = _mm512_sub_epi64(e.fraction, _mm512_cvtepi32_epi64(exponents));
    return e;
}

/* Exponents are looked for where they were found last, or where the other way has failed. */
TARGET INLINE size_t read_cells(const char *text, uint32_t first, const uint32_t *ends,
                                size_t count, bool single, void *values) {
    const size_t size = single ? sizeof(float) : sizeof(double);
    struct layout layout = {0};
    bool exponents = false, changed = false;
    size_t i = 0;
    while (i + 8 <= count) {
        __m256i lengths = lengths_of(first, ends + i);
        bool done = false;
        if (exponents && find_layout(lengths, ends[i] - first, &layout)) {
            struct eight e = read_layout(text, ends + i, lengths, &layout);
            done = store(&e, single, (char *)values + i * size);
        }
        if (!done) {
            struct eight e = exponents ? read_exponents(text, ends + i, lengths)
                                       : read_eight(text, ends + i, lengths);
            done = store(&e, single, (char *)values + i * size);
        }
        if (done) {
            i += 8;
            first = ends[i - 1] + 1;
            changed = false;
        } else if (!changed) {
            exponents = !exponents;
            changed = true;
        } else {
            break;
        }
    }
    return i;
}

TARGET size_t frocc__parse_cells_avx512(const char *text, uint32_t first, const uint32_t *ends,
                                        size_t count, frocc_dtype dtype, void *values) {
    return dtype == FROCC_F32 ? read_cells(text, first, ends, count, true, values)
                              : read_cells(text, first, ends, count, false, values);
}

#endif
