/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash of a row's content: a sum over its entries that are not zero, so that neither zeros nor
 * the order of entries matter. Which rows are sampled depends on it: it must never change. */
#ifndef FROCC_HASH_H
#define FROCC_HASH_H

#include <string.h>

#include "base.h"

/* A bijection of 64-bit words in which every input bit reaches every output bit. */
static inline uint64_t frocc__mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

static inline uint64_t frocc__entry_hash(double value, uint64_t column) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return value != 0.0 ? frocc__mix(frocc__mix(column + 1) + bits) : 0;
}

#endif
