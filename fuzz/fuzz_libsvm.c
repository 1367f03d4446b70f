/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as LIBSVM; the first one chooses the options. */
#define _POSIX_C_SOURCE 200809L
#include "read_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    frocc_reader_options o;
    if (size < 1)
        return 0;
    frocc_reader_options_init(&o);
    o.format = FROCC_FORMAT_LIBSVM;
    o.missing = (frocc_missing)(data[0] % 3);
    o.dtype = (frocc_dtype)(data[0] / 3 % 2);
    o.index_base = data[0] / 6 % 3 - 1;
    o.n_columns = data[0] / 18 % 3 * 2;
    o.ignore_extra = data[0] / 54 % 2;
    static const char *const columns[] = {"2-3", "1"};
    o.drop = columns;
    o.n_drop = data[0] / 108 == 1 ? 2 : 0;
    o.use = columns;
    o.n_use = data[0] / 108 == 2 ? 1 : 0;
    read_twice(data + 1, size - 1, &o);
    return 0;
}
