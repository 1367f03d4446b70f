/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as JSON lines; the first one chooses the options. */
#define _POSIX_C_SOURCE 200809L
#define N_CHOICES 1
#include "read_input.h"

static void choose_options(const uint8_t *data, frocc_reader_options *o) {
    static const char *const columns[] = {"1"};
    o->format = FROCC_FORMAT_JSONL;
    o->missing = (frocc_missing)(data[0] % 4);
    o->all_numeric = data[0] / 4 % 2;
    o->dtype = (frocc_dtype)(data[0] / 8 % 2);
    o->ignore_extra = data[0] / 16 % 2;
    o->label = data[0] / 32 % 4 == 1 ? "1" : NULL;
    o->id = data[0] / 32 % 4 == 2 ? "-1" : NULL;
    o->carry = columns;
    o->n_carry = data[0] / 128;
}
