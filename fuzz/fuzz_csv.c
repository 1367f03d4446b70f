/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as CSV; the first two choose the options. */
#define _POSIX_C_SOURCE 200809L
#define N_CHOICES 2
#include "read_input.h"

static void choose_options(const uint8_t *data, frocc_reader_options *o) {
    static const char *const time[] = {"1"}, *const carry[] = {"-1", "1"};
    o->format = FROCC_FORMAT_CSV;
    o->header = (frocc_header)(data[0] % 3);
    o->missing = data[0] / 36 % 2 == 1 ? FROCC_MISSING_KEEP : (frocc_missing)(data[0] / 3 % 3);
    o->all_numeric = data[0] / 9 % 2;
    o->dtype = (frocc_dtype)(data[0] / 18 % 2);
    o->separator = "\0\0\0,;\t| "[data[1] % 8];
    o->label = data[1] / 8 % 4 == 1 ? "1" : NULL;
    o->id = data[1] / 8 % 4 == 2 ? "-1" : NULL;
    o->time = time;
    o->n_time = data[1] / 32 % 2;
    o->carry = carry;
    o->n_carry = data[1] / 64 % 2 * 2;
    o->n_parts = data[1] / 128 * 3;
    o->part = o->n_parts > 0 ? data[0] / 72 % 3 : 0;
}
