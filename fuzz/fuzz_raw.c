/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as raw float32; the first one chooses the options. */
#define _POSIX_C_SOURCE 200809L
#define N_CHOICES 1
#include "read_input.h"

static void choose_options(const uint8_t *data, frocc_reader_options *o) {
    o->format = FROCC_FORMAT_RAW;
    o->n_columns = data[0] % 6 == 5 ? FROCC_MAX_FEATURES : data[0] % 6;
    o->missing = (frocc_missing)(data[0] / 6 % 3);
    o->id = data[0] / 18 % 3 == 1 ? "1" : NULL;
    o->label = data[0] / 18 % 3 == 2 ? "-1" : NULL;
}
