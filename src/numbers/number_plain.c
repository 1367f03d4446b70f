/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a text is rows of plain numbers, without reading any: 64 characters at a time as one bit
 * each. This is what a pass over a file that only has to find texts spends its time on.
 */
#include "numbers/number.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define INLINE __attribute__((always_inline)) static inline

/* What the 64 characters are, a bit each. */
struct kinds {
    uint64_t digit, point, minus, plus, exponent, separator, line_end, carriage_return;
};

TARGET INLINE uint64_t both_halves(__m256i low, __m256i high) {
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

TARGET INLINE uint64_t equal(__m256i low, __m256i high, char byte) {
    __m256i wanted = _mm256_set1_epi8(byte);
    return both_halves(_mm256_cmpeq_epi8(low, wanted), _mm256_cmpeq_epi8(high, wanted));
}

/* Saturating: nothing is left of a character that is at most '9' once '0' is taken off. */
TARGET INLINE __m256i is_digit(__m256i bytes) {
    bytes = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));
    return _mm256_cmpeq_epi8(_mm256_subs_epu8(bytes, _mm256_set1_epi8(9)), _mm256_setzero_si256());
}

TARGET INLINE struct kinds classify(const char *p, char separator) {
    __m256i low = _mm256_loadu_si256((const void *)p);
    __m256i high = _mm256_loadu_si256((const void *)(p + 32));
    return (struct kinds){.digit = both_halves(is_digit(low), is_digit(high)),
                          .point = equal(low, high, '.'),
                          .minus = equal(low, high, '-'),
                          .plus = equal(low, high, '+'),
                          .exponent = equal(low, high, 'e') | equal(low, high, 'E'),
                          .separator = equal(low, high, separator),
                          .line_end = equal(low, high, '\n'),
                          .carriage_return = equal(low, high, '\r')};
}

/* What the characters before these 64 leave to be known: they themselves, and whether the last
 * mark of theirs, an end of a cell aside, was a point or an exponent's letter. */
struct before {
    struct kinds kinds;
    uint64_t open_point, open_exponent;
    size_t n_ends, ends_expected;
};

/* The characters that stand the given number of places in front of each. */
INLINE uint64_t in_front(uint64_t here, uint64_t before, int places) {
    return here << places | before >> (64 - places);
}

/* Of points, letters and ends of cells in their order, a point may follow an end only, and a letter
 * an end or a point. */
TARGET INLINE uint64_t wrong_marks(const struct kinds *k, uint64_t cell_ends, struct before *b) {
    uint64_t marks = k->point | k->exponent | cell_ends;
    uint64_t points = _pext_u64(k->point, marks), letters = _pext_u64(k->exponent, marks);
    uint64_t wrong = points & (points << 1 | b->open_point);
    wrong |= (points | letters) & (letters << 1 | b->open_exponent);
    if (marks != 0) {
        int last = 63 - __builtin_clzll(marks);
        b->open_point = k->point >> last & 1;
        b->open_exponent = k->exponent >> last & 1;
    }
    return wrong;
}

/* Every line has as many ends as there are columns. */
TARGET INLINE uint64_t wrong_lines(const struct kinds *k, uint64_t ends, struct before *b,
                                   size_t n_columns) {
    uint64_t wrong = 0;
    for (uint64_t rest = k->line_end; rest != 0; rest &= rest - 1) {
        size_t here = (size_t)__builtin_popcountll(ends & _blsmsk_u64(rest));
        wrong |= b->n_ends + here != b->ends_expected;
        b->ends_expected += n_columns;
    }
    b->n_ends += (size_t)__builtin_popcountll(ends);
    return wrong;
}

/* A cell, or what stands in front of its exponent, ends behind a digit, or behind a point behind a
 * digit; signs begin cells or exponents. */
TARGET INLINE bool check(const struct kinds *k, struct before *b, size_t n_columns,
                         uint64_t inside) {
    const struct kinds *past = &b->kinds;
    uint64_t ends = k->separator | k->line_end;
    uint64_t behind_end = in_front(ends, past->separator | past->line_end, 1);
    uint64_t behind_letter = in_front(k->exponent, past->exponent, 1);
    uint64_t behind_return = in_front(k->carriage_return, past->carriage_return, 1);
    uint64_t cell_ends = (ends & ~behind_return) | k->carriage_return;
    uint64_t behind_digit = in_front(k->digit, past->digit, 1);
    uint64_t behind_point = in_front(k->point, past->point, 1) & in_front(k->digit, past->digit, 2);
    uint64_t wrong = inside & ~(k->digit | k->point | k->minus | k->plus | k->exponent | ends |
                                k->carriage_return);
    wrong |= (cell_ends | k->exponent) & ~(behind_digit | behind_point);
    wrong |= k->minus & ~(behind_end | behind_letter);
    wrong |= k->plus & ~behind_letter;
    wrong |= behind_return & ~k->line_end;
    wrong |= wrong_marks(k, cell_ends, b);
    wrong |= wrong_lines(k, ends, b, n_columns);
    b->kinds = *k;
    return wrong == 0;
}

TARGET static bool plain_rows(const char *begin, const char *end, char separator,
                              size_t n_columns) {
    /* The text begins as if behind a line end. */
    struct before before = {.kinds = {.line_end = (uint64_t)1 << 63}, .ends_expected = n_columns};
    const char *p = begin;
    for (; end - p >= 64; p += 64) {
        struct kinds kinds = classify(p, separator);
        if (!check(&kinds, &before, n_columns, ~(uint64_t)0))
            return false;
    }
    char rest[64] = {0};
    size_t size = (size_t)(end - p);
    memcpy(rest, p, size);
    struct kinds kinds = classify(rest, separator);
    bool whole = begin == end || end[-1] == '\n';
    return whole && check(&kinds, &before, n_columns, ((uint64_t)1 << size) - 1);
}

bool frocc__plain_rows(const char *begin, const char *end, char separator, size_t n_columns) {
    return frocc__parse_cells_fast() && plain_rows(begin, end, separator, n_columns);
}

#else

bool frocc__plain_rows(const char *begin, const char *end, char separator, size_t n_columns) {
    (void)begin, (void)end, (void)separator, (void)n_columns;
    return false;
}

#endif
