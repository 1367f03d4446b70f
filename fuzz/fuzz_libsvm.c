/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as LIBSVM; the first one chooses the options. */
#define _POSIX_C_SOURCE 200809L
#define N_CHOICES 1
#include "read_input.h"

static void choose_options(const uint8_t *data, frocc_reader_options *o) {
    o->format = FROCC_FORMAT_LIBSVM;
    o->missing = (frocc_missing)(data[0] % 3);
    o->dtype = (frocc_dtype)(data[0] / 3 % 2);
    o->index_base = data[0] / 6 % 3 - 1;
    o->n_columns = data[0] / 18 % 3 * 2;
    o->ignore_extra = data[0] / 54 % 2;
    static const char *const columns[] = {"2-3", "1"};
    o->drop = columns;
    o->n_drop = data[0] / 108 == 1 ? 2 : 0;
    o->use = columns;
    o->n_use = data[0] / 108 == 2 ? 1 : 0;
}
