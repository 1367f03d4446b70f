/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers in the cells of a table, in two steps: find where all cells end, then read each.
 *
 * A scanner that walks from number to number waits, at each, for the last one's end. With the ends
 * known beforehand the cells are independent: the processor overlaps them, or reads eight at once.
 * Cells that the fast ways leave are read by the scanners, so every level reads the same numbers.
 */
#include "numbers/number_cells.h"

#include <string.h>

#include "base/cpu.h"

bool frocc__parse_cells_fast(void) {
    return frocc__cpu_level_of_text() != FROCC__REF;
}

/* ---- Ends ------------------------------------------------------------------------------------ */

size_t frocc__find_ends(const char *begin, const char *end, char separator, uint32_t *ends) {
    size_t count = 0;
    const char *p = begin;
#if defined(__x86_64__)
    const frocc__level best = frocc__cpu_level_of_text();
    if (best == FROCC__AVX512)
        count = frocc__find_ends_avx512(&p, end, separator, ends);
    else if (best == FROCC__AVX2)
        count = frocc__find_ends_avx2(&p, end, separator, ends);
#endif
    for (; p < end; p++)
        if (*p == separator || *p == '\n')
            ends[count++] = (uint32_t)(p - begin);
    return count;
}

/* Eight bytes at a time: bit 7 of a byte of t is clear where the text has the byte; the marks are
 * counted in the bytes of a word, which can hold 255 of them. */
static size_t count_words(const char *begin, const char *end, char byte) {
    const uint64_t pattern = 0x0101010101010101 * (unsigned char)byte;
    size_t count = 0;
    const char *p = begin;
    while (end - p >= 8) {
        uint64_t marks = 0;
        for (int i = 0; i < 255 && end - p >= 8; i++, p += 8) {
            uint64_t word;
            memcpy(&word, p, 8);
            word ^= pattern;
            uint64_t t = ((word & 0x7f7f7f7f7f7f7f7f) + 0x7f7f7f7f7f7f7f7f) | word;
            marks += ~t >> 7 & 0x0101010101010101;
        }
        marks = (marks & 0x00ff00ff00ff00ff) + (marks >> 8 & 0x00ff00ff00ff00ff);
        count += marks * 0x0001000100010001 >> 48;
    }
    for (; p < end; p++)
        count += *p == byte;
    return count;
}

size_t frocc__count_byte(const char *begin, const char *end, char byte, char other,
                         bool *has_other) {
    size_t count = 0;
    bool found = false;
#if defined(__x86_64__)
    if (frocc__cpu_level_of_text() != FROCC__REF)
        count = frocc__count_byte_avx2(&begin, end, byte, other, &found);
#endif
    if (has_other != NULL)
        *has_other = found || memchr(begin, other, (size_t)(end - begin)) != NULL;
    return count + count_words(begin, end, byte);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static bool scan_cell(const char *p, const char *end, frocc_dtype dtype, void *values, size_t i) {
    while (*p == ' ')
        p++;
    if (dtype == FROCC_F32) {
        float *value = (float *)values + i;
        return p < end && frocc__scan_f32(p, value) == end && *value - *value == 0;
    }
    double *value = (double *)values + i;
    return p < end && frocc__scan_f64(p, value) == end && *value - *value == 0;
}

#if defined(__x86_64__)
/* Reads cells as fast as the processor can; *scan says how many the scanner should then take. */
static size_t read_fast(frocc__level best, const char *text, uint32_t first, const uint32_t *ends,
                        size_t count, frocc_dtype dtype, char *values, size_t *scan) {
    const size_t size = dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
    size_t done = 0;
    if (best == FROCC__AVX512 && count >= 8) {
        done = frocc__parse_cells_avx512(text, first, ends, count, dtype, values);
        *scan = count - done >= 8 ? 8 : 0;
        return done;
    }
    if (best == FROCC__REF)
        return 0;
    done = frocc__fours_avx2(text, first, ends, count, dtype, values);
    if (done == 0)
        done = frocc__scientific_avx2(text, first, ends, count, dtype, values);
    first = done > 0 ? ends[done - 1] + 1 : first;
    /* What these left; where they take nothing, they are not asked for a while. */
    size_t next = done > 0 ? 4 : 64;
    next = next < count - done ? next : count - done;
    size_t more =
        frocc__parse_cells_avx2(text, first, ends + done, next, dtype, values + done * size);
    *scan = more < next;
    return done + more;
}
#endif

size_t frocc__parse_cells(const char *text, uint32_t first, const uint32_t *ends, size_t count,
                          frocc_dtype dtype, void *values) {
#if defined(__x86_64__)
    const frocc__level best = frocc__cpu_level_of_text();
#endif
    for (size_t i = 0; i < count;) {
        size_t scan = 1; /* how many the scanner takes when the others stop */
#if defined(__x86_64__)
        const size_t size = dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
        size_t done = read_fast(best, text, first, ends + i, count - i, dtype,
                                (char *)values + i * size, &scan);
        i += done;
        first = done > 0 ? ends[i - 1] + 1 : first;
#endif
        for (; scan > 0 && i < count; scan--, i++) {
            if (!scan_cell(text + first, text + ends[i], dtype, values, i))
                return i;
            first = ends[i] + 1;
        }
    }
    return count;
}
