/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash of a row's content: a sum over its entries that are not zero, so that neither zeros nor
 * the order of entries matter. Which rows are sampled depends on it: it must never change. */
#ifndef FROCC_HASH_H
#define FROCC_HASH_H

#include "base/base.h"

/* A bijection of 64-bit words in which every input bit reaches every output bit. */
static inline uint64_t frocc__mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

/* Of an entry given as the bits of a double; the upper one is the sign, so zeros have no other. */
static inline uint64_t frocc__entry_hash(uint64_t bits, uint64_t column) {
    const uint64_t hash = frocc__mix((column + 1) * 0x9E3779B97F4A7C15u + bits);
    return bits << 1 != 0 ? hash : 0;
}

#endif
