/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Philox in lanes of 64 bits, for both x86 levels: their multiplication takes the lower half of a
 * lane, so that nothing has to be moved between rounds, and what is left in the upper half does no
 * harm. The including file defines WORDS, how many lanes it holds, and the operations.
 */
/* Vectors that take their rounds together: each waits for its own products only. They are stored
 * as one, since what is loaded next is as long. */
#define TOGETHER 2

FROCC_TARGET static inline __attribute__((always_inline)) void
FROCC_LEVEL(philox_rounds)(uint64_t seed, WORDS c[TOGETHER][4]) {
    WORDS key0 = WORDS_ALL((uint32_t)seed), key1 = WORDS_ALL((uint32_t)(seed >> 32));
#pragma GCC unroll 10
    for (int round = 0; round < FROCC_PHILOX_ROUNDS; round++) {
#pragma GCC unroll 2
        for (int v = 0; v < TOGETHER; v++) {
            WORDS product0 = WORDS_MULTIPLY(c[v][0], WORDS_ALL(FROCC_PHILOX_FACTOR0));
            WORDS product1 = WORDS_MULTIPLY(c[v][2], WORDS_ALL(FROCC_PHILOX_FACTOR1));
            c[v][0] = WORDS_XOR(WORDS_UPPER(product1), WORDS_XOR(c[v][1], key0));
            c[v][1] = product1;
            c[v][2] = WORDS_XOR(WORDS_UPPER(product0), WORDS_XOR(c[v][3], key1));
            c[v][3] = product0;
        }
        key0 = WORDS_ADD(key0, WORDS_ALL(FROCC_PHILOX_WEYL0));
        key1 = WORDS_ADD(key1, WORDS_ALL(FROCC_PHILOX_WEYL1));
    }
}

FROCC_TARGET static void FROCC_LEVEL(philox_lanes)(uint64_t seed, uint32_t words[4][FROCC_DRAWN]) {
#pragma GCC unroll 2
    for (int first = 0; first < FROCC_DRAWN; first += TOGETHER * WORDS_SIZE) {
        WORDS c[TOGETHER][4];
#pragma GCC unroll 2
        for (int v = 0; v < TOGETHER; v++)
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++)
                c[v][i] = WORDS_LOAD(words[i] + first + v * WORDS_SIZE);
        FROCC_LEVEL(philox_rounds)(seed, c);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            WORDS_STORE(words[i] + first, c[0][i], c[1][i]);
    }
}

#undef TOGETHER
