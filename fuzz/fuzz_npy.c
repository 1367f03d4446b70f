/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as npy or npz or whatever they look like; the first one chooses the options. */
#define _POSIX_C_SOURCE 200809L
#define N_CHOICES 1
#include "read_input.h"

static void choose_options(const uint8_t *data, frocc_reader_options *o) {
    o->format =
        (frocc_format)(data[0] % 3 == 0 ? FROCC_FORMAT_AUTO : FROCC_FORMAT_NPY + data[0] % 3 - 1);
    o->missing = (frocc_missing)(data[0] / 3 % 3);
    o->label = data[0] / 9 % 2 == 1 ? "1" : NULL;
}
