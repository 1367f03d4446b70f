/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reseal.h - model files that lie with a straight face: changed bytes under a correct checksum.
 * Where things stand is written from docs/model-format.md, not from the library, so that the two
 * check each other; the checksum is the library's.
 */
#ifndef FROCC_TESTS_RESEAL_H
#define FROCC_TESTS_RESEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"

#define MODEL_HEAD 12 /* magic and version; then the sections */
#define MODEL_TAIL 8  /* the checksum */

static inline uint64_t model_u64(const unsigned char *at) {
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static inline void model_put(unsigned char *at, uint64_t value, int size) {
    for (int i = 0; i < size; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static inline void model_reseal(unsigned char *bytes, size_t size) {
    if (size >= MODEL_TAIL)
        model_put(bytes + size - MODEL_TAIL, frocc__checksum(bytes, size - MODEL_TAIL), 8);
}

/* The payload of the section with this tag; its length goes to *length. NULL when there is none. */
static inline unsigned char *model_section(unsigned char *bytes, size_t size, const char *tag,
                                           uint64_t *length) {
    size_t at = MODEL_HEAD;
    while (size >= MODEL_TAIL && at + 12 <= size - MODEL_TAIL) {
        uint64_t long_is = model_u64(bytes + at + 4);
        if (long_is > size - MODEL_TAIL - at - 12)
            return NULL;
        if (memcmp(bytes + at, tag, 4) == 0) {
            *length = long_is;
            return bytes + at + 12;
        }
        at += 12 + (size_t)long_is;
    }
    return NULL;
}

/* Where a double stands in a payload, whatever comes before it; length when it is not there. */
static inline size_t model_find_f64(const unsigned char *payload, uint64_t length, double value) {
    unsigned char bytes[8];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    model_put(bytes, bits, 8);
    for (size_t at = 0; at + 8 <= length; at++)
        if (memcmp(payload + at, bytes, 8) == 0)
            return at;
    return (size_t)length;
}

#endif
