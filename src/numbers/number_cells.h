/* SPDX-License-Identifier: BSD-3-Clause */
/* What AVX2 does for the cells of a table; number_cells.c chooses. */
#ifndef FROCC_NUMBER_CELLS_H
#define FROCC_NUMBER_CELLS_H

#include "numbers/number.h"

#if defined(__x86_64__)

/* As frocc__find_ends, up to a last part shorter than 64 bytes, which *place then begins. */
size_t frocc__find_ends_avx2(const char **place, const char *end, char separator, uint32_t *ends);

/* As frocc__count_byte, up to a last part shorter than 32 bytes. */
size_t frocc__count_byte_avx2(const char **place, const char *end, char byte, char other,
                              bool *has_other);

/* As frocc__parse_cells, but stops before any cell that is not [-] digits [. digits] [e+12], or
 * that it cannot round. */
size_t frocc__parse_cells_avx2(const char *text, uint32_t first, const uint32_t *ends, size_t count,
                               frocc_dtype dtype, void *values);

#endif
#endif
