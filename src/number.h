/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decimal text to binary numbers and back, correctly rounded whatever the locale.
 *
 * The grammar is [+-] digits [. digits] [e [+-] digits], with at least one digit on one side of
 * the point. Words (nan, inf) and hexadecimal are no numbers here.
 */
#ifndef FROCC_NUMBER_H
#define FROCC_NUMBER_H

#include "base.h"

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

/* The same for text of a known length in any memory; true when all of it is one number. */
bool frocc__parse_f64(const char *text, size_t length, double *value);
bool frocc__parse_f32(const char *text, size_t length, float *value);

/*
 * The shortest decimal that reads back as exactly this value, the closest such one where several
 * are shortest; returns its length. Ends with a zero byte.
 */
#define FROCC__NUMBER_SIZE 32
size_t frocc__print_f64(double value, char out[FROCC__NUMBER_SIZE]);
size_t frocc__print_f32(float value, char out[FROCC__NUMBER_SIZE]);

size_t frocc__print_u64(uint64_t value, char out[FROCC__NUMBER_SIZE]);

#endif
