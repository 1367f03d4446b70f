/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as npy or npz or whatever they look like; the first one chooses the options. */
#define _POSIX_C_SOURCE 200809L
#include "read_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    frocc_reader_options o;
    if (size < 1)
        return 0;
    frocc_reader_options_init(&o);
    o.format =
        (frocc_format)(data[0] % 3 == 0 ? FROCC_FORMAT_AUTO : FROCC_FORMAT_NPY + data[0] % 3 - 1);
    o.missing = (frocc_missing)(data[0] / 3 % 3);
    o.label = data[0] / 9 % 2 == 1 ? "1" : NULL;
    read_twice(data + 1, size - 1, &o);
    return 0;
}
