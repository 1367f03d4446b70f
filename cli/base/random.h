/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random numbers for toy sets and the bootstrap: SplitMix64 (Steele, Lea and Flood, 2014), a
 * stream per (seed, number). Only +, -, x, / and sqrt touch a value, which IEEE 754 fixes, so the
 * numbers are the same on every machine; the C library's log and sin are not.
 */
#ifndef CLI_RANDOM_H
#define CLI_RANDOM_H

#include <math.h>
#include <stdint.h>

typedef struct random_stream {
    uint64_t state;
} random_stream;

static inline uint64_t random_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline random_stream random_begin(uint64_t seed, uint64_t number) {
    uint64_t key = random_mix(seed + 0x9E3779B97F4A7C15u);
    return (random_stream){random_mix(key ^ (number * 0xD1342543DE82EF95u + 1))};
}

static inline uint64_t random_bits(random_stream *stream) {
    stream->state += 0x9E3779B97F4A7C15u;
    return random_mix(stream->state);
}

/* Uniform in [0, 1), of 53 bits. */
static inline double random_uniform(random_stream *stream) {
    return (double)(random_bits(stream) >> 11) * (1.0 / 9007199254740992.0);
}

/* A whole number below n, for n far below 2^32. */
static inline uint64_t random_below(random_stream *stream, uint64_t n) {
    return ((random_bits(stream) >> 32) * n) >> 32;
}

/* ln(x) = e ln 2 + 2 artanh((m - 1) / (m + 1)) for x = m 2^e, m near 1. */
static inline double random_log(double x) {
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }
    double s = (m - 1) / (m + 1);
    double square = s * s;
    double sum = 0;
    for (int power = 21; power >= 1; power -= 2) {
        sum = sum * square + 1.0 / power;
    }
    return exponent * 0.69314718055994531 + 2 * s * sum;
}

/* A standard normal by Marsaglia's polar method. */
static inline double random_normal(random_stream *stream) {
    for (;;) {
        double a = 2 * random_uniform(stream) - 1;
        double b = 2 * random_uniform(stream) - 1;
        double square = a * a + b * b;
        if (square > 0 && square < 1) {
            return a * sqrt(-2 * random_log(square) / square);
        }
    }
}

#endif
