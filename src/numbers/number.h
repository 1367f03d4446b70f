/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decimal text to binary numbers and back, correctly rounded whatever the locale.
 *
 * The grammar is [+-] digits [. digits] [e [+-] digits], with at least one digit on one side of
 * the point. Words (nan, inf) and hexadecimal are no numbers here.
 */
#ifndef FROCC_NUMBER_H
#define FROCC_NUMBER_H

#include "base/base.h"

__extension__ typedef unsigned __int128 frocc__u128;

/* The scanners load eight bytes at a time: that many must be readable behind the text's end, and
 * the byte at its end must be one that cannot continue a number (a line end, a zero). */
#define FROCC__NUMBER_PADDING 8

/*
 * Reads the number at text, rounds it to the nearest value (ties to even) and returns where it
 * ends; returns text, with the value untouched, where no number starts. What is too large for the
 * type becomes an infinity, what is too small a zero, with the number's sign.
 */
const char *frocc__scan_f64(const char *text, double *value);
const char *frocc__scan_f32(const char *text, float *value);

/*
 * The way for many cells of a table (number_cells.c): cell i lies between ends[i - 1] + 1, or
 * first, and ends[i], offsets in text, and is followed by what cannot continue a number. Returns
 * how many cells are finite numbers, blanks in front aside, before one that is not. 64 bytes in
 * front of text + first and behind the last end must be readable.
 */
#define FROCC__NUMBER_MARGIN 64
size_t frocc__parse_cells(const char *text, uint32_t first, const uint32_t *ends, size_t count,
                          frocc_dtype dtype, void *values);

/* Whether this processor has what frocc__parse_cells needs to be faster than the scanners. */
bool frocc__parse_cells_fast(void);

/* Offsets from begin of every separator and line end in [begin, end), rising; at most one per byte.
 * Returns how many. Some entries behind the last one are overwritten. */
#define FROCC__ENDS_MARGIN 64
size_t frocc__find_ends(const char *begin, const char *end, char separator, uint32_t *ends);

/* True only where every line is n_columns numbers, without + or blanks in front; false also for
 * texts that do not end with a line end, and where finding out would be no gain. */
bool frocc__plain_rows(const char *begin, const char *end, char separator, size_t n_columns);

/* How often the byte occurs; *has_other, unless NULL, whether the other one does. */
size_t frocc__count_byte(const char *begin, const char *end, char byte, char other,
                         bool *has_other);

/* The same for text of a known length in any memory; true when all of it is one number. */
bool frocc__parse_f64(const char *text, size_t length, double *value);
bool frocc__parse_f32(const char *text, size_t length, float *value);

/*
 * The shortest decimal that reads back as exactly this value, the closest such one where several
 * are shortest; returns its length. Ends with a zero byte.
 */
size_t frocc__print_f32(float value, char out[FROCC_NUMBER_SIZE]);

size_t frocc__print_u64(uint64_t value, char out[FROCC_NUMBER_SIZE]);

#endif
