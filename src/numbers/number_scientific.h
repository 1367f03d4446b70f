/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells such as -1.234567e+05 eight at a time, where all have as many digits: what programs write
 * that print every value by one format. From its end, each character then has its place, so one
 * subtraction and one comparison tell whether all are what they should be, and one permutation
 * brings the digits together. A sign is one character more in front.
 */
#ifndef FROCC_NUMBER_SCIENTIFIC_H
#define FROCC_NUMBER_SCIENTIFIC_H

#include "numbers/number_eight.h"

/* The places of the last 32 characters of two cells. */
struct layout {
    uint32_t length;      /* of a cell without sign */
    __m512i least, above; /* characters are at least this, and this much above at most */
    __m512i order;        /* from where the digits come, and to where */
    __mmask64 places;
};

TARGET INLINE __m512i places_of_lanes(void) {
    const __m256i one =
        _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                         21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    return _mm512_broadcast_i64x4(one);
}

TARGET static struct layout make_layout(uint32_t length) {
    const __m512i place = places_of_lanes();
    const __m512i second_lane = _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi8(32), 1);
    const __m512i point = _mm512_set1_epi8((char)(33 - length));
    const __m512i first = _mm512_set1_epi8((char)(37 - length)); /* digit, once in order */
    __mmask64 at_point = _mm512_cmpeq_epi8_mask(place, point);
    __mmask64 at_letter = _mm512_cmpeq_epi8_mask(place, _mm512_set1_epi8(28));
    __mmask64 at_sign = _mm512_cmpeq_epi8_mask(place, _mm512_set1_epi8(29));
    __mmask64 in_front = _mm512_cmplt_epi8_mask(place, _mm512_set1_epi8((char)(32 - length)));
    __m512i least = _mm512_mask_set1_epi8(_mm512_set1_epi8('0'), at_point, '.');
    least = _mm512_mask_set1_epi8(least, at_letter, 'e');
    least = _mm512_mask_set1_epi8(least, at_sign, '+');
    __m512i above = _mm512_maskz_set1_epi8(~(at_point | at_letter), 9);
    above = _mm512_mask_set1_epi8(above, at_sign, '-' - '+');
    above = _mm512_mask_set1_epi8(above, in_front, -1);
    /* The exponent's four characters are taken off, and the point in front of which one digit is.
     */
    __m512i order = _mm512_sub_epi8(_mm512_add_epi8(place, second_lane), _mm512_set1_epi8(4));
    order = _mm512_mask_sub_epi8(order, _mm512_cmpeq_epi8_mask(place, first), order,
                                 _mm512_set1_epi8(1));
    return (struct layout){.length = length,
                           .least = least,
                           .above = above,
                           .order = order,
                           .places = _mm512_cmpge_epi8_mask(place, first)};
}

/* Fours of the digits of two cells; *wrong has bits where a character is another one. */
TARGET INLINE __m512i two_scientific(const char *text, const uint32_t *ends,
                                     const struct layout *layout, __mmask64 *wrong) {
    __m512i rest = _mm512_sub_epi8(two_long(text, ends, 32), layout->least);
    *wrong |= _mm512_cmpgt_epu8_mask(rest, layout->above);
    return fours(_mm512_maskz_permutexvar_epi8(layout->places, layout->order, rest));
}

/* Exponents, with their signs, from the last four characters; *wrong where a sign is another
 * character: there is one between + and -. */
TARGET INLINE __m256i scientific_exponents(const char *text, __m256i ends, __mmask8 *wrong) {
    const __m256i digits = _mm256_set1_epi32(0x0f0f0000), weights = _mm256_set1_epi32(0x010a0000);
    __m256i tail = _mm256_i32gather_epi32((const void *)(text - 4), ends, 1);
    __m256i value = _mm256_maddubs_epi16(_mm256_and_si256(tail, digits), weights);
    value = _mm256_srli_epi32(value, 16);
    __m256i sign = _mm256_and_si256(tail, _mm256_set1_epi32(0xff00));
    __mmask8 minus = _mm256_cmpeq_epi32_mask(sign, _mm256_set1_epi32('-' << 8));
    *wrong |= (__mmask8) ~(minus | _mm256_cmpeq_epi32_mask(sign, _mm256_set1_epi32('+' << 8)));
    return _mm256_mask_sub_epi32(value, minus, _mm256_setzero_si256(), value);
}

TARGET INLINE struct eight read_layout(const char *text, const uint32_t *ends, __m256i lengths,
                                       const struct layout *layout) {
    const __m256i last = _mm256_loadu_si256((const void *)ends);
    const __m256i length = _mm256_set1_epi32((int)layout->length);
    __mmask64 wrong = 0;
    __mmask8 wrong_cells = 0;
    bool large; /* never: there are at most 19 digits */
    const __m512i parts[4] = {two_scientific(text, ends, layout, &wrong),
                              two_scientific(text, ends + 2, layout, &wrong),
                              two_scientific(text, ends + 4, layout, &wrong),
                              two_scientific(text, ends + 6, layout, &wrong)};
    __m256i exponents = scientific_exponents(text, last, &wrong_cells);
    __mmask8 longer = _mm256_cmpgt_epu32_mask(lengths, length);
    __m256i start = _mm256_i32gather_epi32((const void *)text, _mm256_sub_epi32(last, lengths), 1);
    start = _mm256_and_si256(start, _mm256_set1_epi32(0xff));
    wrong_cells |= longer ^ _mm256_cmpeq_epi32_mask(start, _mm256_set1_epi32('-'));
    __m512i fraction = _mm512_set1_epi64((long long)layout->length - 6);
    return (struct eight){
        .digits = join_fours(parts, &large),
        .fraction = _mm512_sub_epi64(fraction, _mm512_cvtepi32_epi64(exponents)),
        .negative = longer,
        .plain = wrong == 0 && wrong_cells == 0,
    };
}

/* Whether the cells may be of one layout; *layout then is theirs. */
TARGET INLINE bool find_layout(__m256i lengths, uint32_t first_length, struct layout *layout) {
    __m256i excess = _mm256_sub_epi32(lengths, _mm256_set1_epi32((int)layout->length));
    if (_mm256_cmpgt_epu32_mask(excess, _mm256_set1_epi32(1)) == 0)
        return layout->length != 0;
    excess = _mm256_sub_epi32(lengths, _mm256_set1_epi32((int)first_length));
    /* The first cell may be one of those with a sign. */
    first_length -= _mm256_movepi32_mask(excess) != 0;
    excess = _mm256_sub_epi32(lengths, _mm256_set1_epi32((int)first_length));
    if (_mm256_cmpgt_epu32_mask(excess, _mm256_set1_epi32(1)) != 0 ||
        first_length < MIN_SCIENTIFIC || first_length > MAX_SCIENTIFIC)
        return false;
    *layout = make_layout(first_length);
    return true;
}

#endif
