/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers in the cells of a table, in two steps: find where all cells end, then read each.
 *
 * A scanner that walks from number to number waits, at each, for the last one's end. With the ends
 * known beforehand the cells are independent, and the processor overlaps them. Cells that the fast
 * way leaves are read by the scanners, so every level reads the same numbers.
 */
#include "numbers/number_cells.h"

#include <string.h>

#include "base/cpu.h"

bool frocc__parse_cells_fast(void) {
    return frocc__cpu_level() >= FROCC__AVX2;
}

/* ---- Ends ------------------------------------------------------------------------------------ */

size_t frocc__find_ends(const char *begin, const char *end, char separator, uint32_t *ends) {
    size_t count = 0;
    const char *p = begin;
#if defined(__x86_64__)
    if (frocc__parse_cells_fast())
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
    if (frocc__parse_cells_fast())
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

/* Cells that need no scanner, up to the first that does. */
static size_t read_fast(const char *text, uint32_t first, const uint32_t *ends, size_t count,
                        frocc_dtype dtype, char *values) {
#if defined(__x86_64__)
    if (frocc__parse_cells_fast())
        return frocc__parse_cells_avx2(text, first, ends, count, dtype, values);
#else
    (void)text, (void)first, (void)ends, (void)count, (void)dtype, (void)values;
#endif
    return 0;
}

size_t frocc__parse_cells(const char *text, uint32_t first, const uint32_t *ends, size_t count,
                          frocc_dtype dtype, void *values) {
    const size_t size = dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
    for (size_t i = 0; i < count; i++) {
        const size_t done =
            read_fast(text, first, ends + i, count - i, dtype, (char *)values + i * size);
        first = done > 0 ? ends[i + done - 1] + 1 : first;
        i += done;
        if (i == count || !scan_cell(text + first, text + ends[i], dtype, values, i))
            return i;
        first = ends[i] + 1;
    }
    return count;
}
