/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers that are a pure function of (seed, stream, index): Philox4x32-10, the counter-based
 * generator of Salmon, Moraes, Dror and Shaw (2011), and normals made from it by Box and Muller's
 * transform. No state, so that any part of any direction can be drawn anywhere, in any order.
 */
#ifndef FROCC_RANDOM_H
#define FROCC_RANDOM_H

#include "kernels/mathf.h"

/* What a counter is used for, so that no two uses ever share random bits. */
enum {
    FROCC_STREAM_DIRECTIONS = 0,
    FROCC_STREAM_PERMUTATIONS = 1,
    FROCC_STREAM_WEIGHTS = 2,
    FROCC_STREAM_SIGNS = 3,
    FROCC_STREAM_TREES = 4,
    FROCC_STREAM_COLUMNS = 5
};

#define FROCC_PHILOX_FACTOR0 0xD2511F53u
#define FROCC_PHILOX_FACTOR1 0xCD9E8D57u

/* Counters that kernels draw from at once. */
#define FROCC_DRAWN 16

/* One round on four words; the key moves on between rounds. */
static inline void frocc__philox_round(uint32_t *c0, uint32_t *c1, uint32_t *c2, uint32_t *c3,
                                       uint32_t key0, uint32_t key1) {
    uint64_t product0 = (uint64_t)*c0 * FROCC_PHILOX_FACTOR0;
    uint64_t product1 = (uint64_t)*c2 * FROCC_PHILOX_FACTOR1;
    *c0 = (uint32_t)(product1 >> 32) ^ *c1 ^ key0;
    *c1 = (uint32_t)product1;
    *c2 = (uint32_t)(product0 >> 32) ^ *c3 ^ key1;
    *c3 = (uint32_t)product0;
}

#define FROCC_PHILOX_ROUNDS 10
#define FROCC_PHILOX_WEYL0 0x9E3779B9u
#define FROCC_PHILOX_WEYL1 0xBB67AE85u

/* Replaces a counter by four random words. */
static inline void frocc__philox(uint64_t seed, uint32_t c[4]) {
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < FROCC_PHILOX_ROUNDS; round++) {
        frocc__philox_round(&c[0], &c[1], &c[2], &c[3], key0, key1);
        key0 += FROCC_PHILOX_WEYL0;
        key1 += FROCC_PHILOX_WEYL1;
    }
}

/*
 * Box and Muller: two random words give a squared radius -2 ln u and, by an angle 2 pi v, a sine
 * and a cosine. The normals are sqrt(square) times each. Of the words 24 bits are used: that is
 * what a float32 holds exactly.
 */
static inline float frocc__normal_square(uint32_t a) {
    return -2.0f * frocc__logf((float)((int32_t)(a >> 8) + 1) * (1.0f / 16777216.0f));
}

static inline void frocc__normal_angle(uint32_t b, float *sine, float *cosine) {
    frocc__sincos_turn((float)(int32_t)(b >> 8) * (1.0f / 16777216.0f), sine, cosine);
}

#endif
