/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers that are a pure function of (seed, stream, index): Philox4x32-10, the counter-based
 * generator of Salmon, Moraes, Dror and Shaw (2011), and normals made from it by Box and Muller's
 * transform. No state, so that any part of any direction can be drawn anywhere, in any order.
 */
#ifndef FROCC_RANDOM_H
#define FROCC_RANDOM_H

#include "mathf.h"

/* What a counter is used for, so that no two uses ever share random bits. */
enum { FROCC_STREAM_DIRECTIONS = 0 };

static inline void frocc__philox_round(uint32_t c[4], uint32_t key0, uint32_t key1) {
    uint64_t product0 = (uint64_t)c[0] * 0xD2511F53u;
    uint64_t product1 = (uint64_t)c[2] * 0xCD9E8D57u;
    uint32_t high0 = (uint32_t)(product0 >> 32);
    uint32_t high1 = (uint32_t)(product1 >> 32);
    c[0] = high1 ^ c[1] ^ key0;
    c[1] = (uint32_t)product1;
    c[2] = high0 ^ c[3] ^ key1;
    c[3] = (uint32_t)product0;
}

/* Replaces the counter by four random words. */
static inline void frocc__philox(uint32_t c[4], uint64_t seed) {
    uint32_t key0 = (uint32_t)seed;
    uint32_t key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        frocc__philox_round(c, key0, key1);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
}

/* Two independent normals from two random words: radius sqrt(-2 ln u), angle 2 pi v. */
static inline void frocc__normal_pair(uint32_t a, uint32_t b, float *first, float *second) {
    const float unit = 1.0f / 16777216.0f; /* 24 bits are what a float32 holds exactly */
    float u = (float)((int32_t)(a >> 8) + 1) * unit;
    float v = (float)(int32_t)(b >> 8) * unit;
    float radius = sqrtf(-2.0f * frocc__logf(u));
    float sine, cosine;
    frocc__sincos_turn(v, &sine, &cosine);
    *first = radius * cosine;
    *second = radius * sine;
}

/* Components 4 * quad .. 4 * quad + 3 of the direction before it is normalised. */
static inline void frocc__normal_quad(uint64_t seed, uint32_t direction, uint32_t quad,
                                      float normals[4]) {
    uint32_t c[4] = {quad, direction, FROCC_STREAM_DIRECTIONS, 0};
    frocc__philox(c, seed);
    frocc__normal_pair(c[0], c[1], &normals[0], &normals[1]);
    frocc__normal_pair(c[2], c[3], &normals[2], &normals[3]);
}

#endif
