/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells in scientific notation, of one format, with AVX2: number_scientific.h has the idea. */
#include "numbers/number_cells.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "numbers/number_round.h"

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

/* The places of the last 32 characters of a cell; digits stay in their half. */
struct layout {
    size_t length; /* without sign */
    unsigned char least[32], above[32], order[32];
    uint64_t power; /* of the last digit of the first half */
};

static void make_layout(size_t length, struct layout *l) {
    size_t point = 33 - length, used[2] = {16, 32};
    *l = (struct layout){.length = length, .power = 1};
    memset(l->least, '0', 32);
    memset(l->above, 0xff, point - 1);
    memset(l->above + point - 1, 9, 33 - point);
    memset(l->order, 0x80, 32); /* zeros */
    l->least[point] = '.';
    l->least[28] = 'e';
    l->least[29] = '+';
    l->above[point] = l->above[28] = 0;
    l->above[29] = '-' - '+';
    for (size_t i = 28; i-- > point - 1;) {
        if (i == point)
            continue;
        l->order[--used[i >= 16]] = (unsigned char)(i % 16);
        l->power *= i >= 16 ? 10 : 1;
    }
}

/* Two cells: the numbers in the first halves, then those in the second ones. */
TARGET FROCC__INLINE __m256i read_two(const char *a, const char *b, const struct layout *l,
                                      __m256i *wrong) {
    const __m256i least = _mm256_loadu_si256((const void *)l->least);
    const __m256i above = _mm256_loadu_si256((const void *)l->above);
    const __m256i order = _mm256_loadu_si256((const void *)l->order);
    const __m256i tens = _mm256_set1_epi16(1 << 8 | 10);
    const __m256i hundreds = _mm256_set1_epi32(1 << 16 | 100);
    const __m256i thousands = _mm256_set1_epi32(1 << 16 | 10000);
    __m256i x = _mm256_sub_epi8(_mm256_loadu_si256((const void *)(a - 32)), least);
    __m256i y = _mm256_sub_epi8(_mm256_loadu_si256((const void *)(b - 32)), least);
    *wrong = _mm256_or_si256(*wrong, _mm256_subs_epu8(x, above));
    *wrong = _mm256_or_si256(*wrong, _mm256_subs_epu8(y, above));
    x = _mm256_maddubs_epi16(_mm256_shuffle_epi8(x, order), tens);
    y = _mm256_maddubs_epi16(_mm256_shuffle_epi8(y, order), tens);
    __m256i fours =
        _mm256_packus_epi32(_mm256_madd_epi16(x, hundreds), _mm256_madd_epi16(y, hundreds));
    __m256i eights = _mm256_madd_epi16(fours, thousands);
    return _mm256_add_epi64(_mm256_mul_epu32(eights, _mm256_set1_epi64x(100000000)),
                            _mm256_srli_epi64(eights, 32));
}

TARGET FROCC__INLINE bool read_four(const char *text, const uint32_t *ends, const struct layout *l,
                                    uint64_t digits[4]) {
    __m256i wrong = _mm256_setzero_si256();
    __m256i a = read_two(text + ends[0], text + ends[1], l, &wrong);
    __m256i b = read_two(text + ends[2], text + ends[3], l, &wrong);
    __m256i front = _mm256_permute2x128_si256(a, b, 0x20);
    __m256i back = _mm256_permute2x128_si256(a, b, 0x31);
    /* The front is below 10^7. */
    __m256i low = _mm256_set1_epi64x((long long)(l->power & 0xffffffff));
    __m256i high = _mm256_set1_epi64x((long long)(l->power >> 32));
    __m256i upper = _mm256_slli_epi64(_mm256_mul_epu32(front, high), 32);
    front = _mm256_add_epi64(_mm256_mul_epu32(front, low), upper);
    _mm256_storeu_si256((void *)digits, _mm256_add_epi64(front, back));
    return _mm256_testz_si256(wrong, wrong);
}

/* The cell's sign and exponent, which are looked at here, and its value. */
TARGET FROCC__INLINE bool store(const char *start, const char *end, const struct layout *l,
                                uint64_t digits, bool single, void *value) {
    bool negative = *start == '-';
    bool signs = end[-3] == '+' || end[-3] == '-';
    int exponent = (end[-2] - '0') * 10 + end[-1] - '0';
    int fraction = (int)l->length - 6 - (end[-3] == '-' ? -exponent : exponent);
    if (!signs || negative != ((size_t)(end - start) > l->length) || fraction < 0)
        return false;
    return single ? to_f32(digits, (unsigned)fraction, negative, value)
                  : to_f64(digits, (unsigned)fraction, negative, value);
}

TARGET FROCC__INLINE size_t read_cells(const char *text, uint32_t first, const uint32_t *ends,
                                       size_t count, bool single, char *values) {
    const size_t size = single ? sizeof(float) : sizeof(double);
    struct layout layout;
    size_t length = ends[0] - first;
    length -= text[first] == '-';
    if (count < 4 || length < MIN_SCIENTIFIC || length > MAX_SCIENTIFIC || text[ends[0] - 4] != 'e')
        return 0;
    make_layout(length, &layout);
    for (size_t i = 0; i < count; i += 4) {
        uint64_t digits[4];
        const uint32_t *e = ends + i;
        const uint32_t starts[4] = {first, e[0] + 1, e[1] + 1, e[2] + 1};
        if (count - i < 4 || e[0] - starts[0] - length > 1 || e[1] - starts[1] - length > 1 ||
            e[2] - starts[2] - length > 1 || e[3] - starts[3] - length > 1 ||
            !read_four(text, e, &layout, digits))
            return i;
        for (size_t k = 0; k < 4; k++)
            if (!store(text + starts[k], text + e[k], &layout, digits[k], single,
                       values + (i + k) * size))
                return i + k;
        first = e[3] + 1;
    }
    return count;
}

TARGET size_t frocc__scientific_avx2(const char *text, uint32_t first, const uint32_t *ends,
                                     size_t count, frocc_dtype dtype, void *values) {
    return dtype == FROCC_F32 ? read_cells(text, first, ends, count, true, values)
                              : read_cells(text, first, ends, count, false, values);
}

#endif
