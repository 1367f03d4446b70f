/* SPDX-License-Identifier: BSD-3-Clause */
/* What the instruction sets do for the cells of a table; number_cells.c chooses. */
#ifndef FROCC_NUMBER_CELLS_H
#define FROCC_NUMBER_CELLS_H

#include "numbers/number.h"

#if defined(__x86_64__)

/* As frocc__find_ends, up to a last part shorter than 64 bytes, which *place then begins. */
size_t frocc__find_ends_avx2(const char **place, const char *end, char separator, uint32_t *ends);
size_t frocc__find_ends_avx512(const char **place, const char *end, char separator, uint32_t *ends);

/* As frocc__count_byte, up to a last part shorter than 32 bytes. */
size_t frocc__count_byte_avx2(const char **place, const char *end, char byte, char other,
                              bool *has_other);

/* As frocc__parse_cells, but they stop before any cell that is not [-] digits [. digits], or that
 * they cannot round: one by one, in whole groups of four short ones, where all are of one format in
 * scientific notation, and in whole groups of eight, which may have exponents. */
size_t frocc__parse_cells_avx2(const char *text, uint32_t first, const uint32_t *ends, size_t count,
                               frocc_dtype dtype, void *values);
size_t frocc__fours_avx2(const char *text, uint32_t first, const uint32_t *ends, size_t count,
                         frocc_dtype dtype, void *values);
size_t frocc__scientific_avx2(const char *text, uint32_t first, const uint32_t *ends, size_t count,
                              frocc_dtype dtype, void *values);
size_t frocc__parse_cells_avx512(const char *text, uint32_t first, const uint32_t *ends,
                                 size_t count, frocc_dtype dtype, void *values);

#endif
#endif
