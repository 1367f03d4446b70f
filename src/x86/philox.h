/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Philox in lanes of 64 bits, for both x86 levels: their multiplication takes the lower half of a
 * lane, so that nothing has to be moved between rounds, and what is left in the upper half does no
 * harm. The including file defines WORDS, how many lanes it holds, and the operations.
 */
#define WORD_VECTORS (FROCC_DRAWN / WORDS_SIZE)

FROCC_TARGET static inline __attribute__((always_inline)) void
FROCC_LEVEL(philox_rounds)(uint64_t seed, WORDS c[4]) {
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < FROCC_PHILOX_ROUNDS; round++) {
        WORDS product0 = WORDS_MULTIPLY(c[0], WORDS_ALL(FROCC_PHILOX_FACTOR0));
        WORDS product1 = WORDS_MULTIPLY(c[2], WORDS_ALL(FROCC_PHILOX_FACTOR1));
        c[0] = WORDS_XOR(WORDS_UPPER(product1), WORDS_XOR(c[1], WORDS_ALL(key0)));
        c[1] = product1;
        c[2] = WORDS_XOR(WORDS_UPPER(product0), WORDS_XOR(c[3], WORDS_ALL(key1)));
        c[3] = product0;
        key0 += FROCC_PHILOX_WEYL0;
        key1 += FROCC_PHILOX_WEYL1;
    }
}

FROCC_TARGET static void FROCC_LEVEL(philox_lanes)(uint64_t seed, uint32_t words[4][FROCC_DRAWN]) {
#pragma GCC unroll 4
    for (int v = 0; v < WORD_VECTORS; v++) {
        WORDS c[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            c[i] = WORDS_LOAD(words[i] + v * WORDS_SIZE);
        FROCC_LEVEL(philox_rounds)(seed, c);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++)
            WORDS_STORE(words[i] + v * WORDS_SIZE, c[i]);
    }
}

#undef WORD_VECTORS
