/* SPDX-License-Identifier: BSD-3-Clause */
/* Rounding digits * 10^exponent to a binary type; shared by the scanners and the cells. */
#ifndef FROCC_NUMBER_ROUND_H
#define FROCC_NUMBER_ROUND_H

#include "base.h"
#include "number_powers.h"

/* Inlined, so that each caller gets it for its own type and instruction set. */
#define FROCC__INLINE __attribute__((always_inline)) static inline

#define MAX_WORD_DIGITS 19 /* 10^19 < 2^64 */

/* What the rounding needs to know about a binary type. */
struct format {
    int digits;       /* bits of a significand, the hidden one included */
    int min_exponent; /* the value is significand * 2^exponent, significand < 2^digits */
    int max_exponent;
    int exact_power; /* 10^exact_power is exact in the type */
};
static const struct format format_f64 = {53, -1074, 971, 22};
static const struct format format_f32 = {24, -149, 104, 10};

/* Bit patterns of positive floats are integers in the order of the values; infinity is one above
 * the largest. So rounding up is adding 1, and carries from one exponent to the next by itself. */
FROCC__INLINE uint64_t pattern(const struct format *f, uint64_t significand, int exponent) {
    return significand + ((uint64_t)(exponent - f->min_exponent) << (f->digits - 1));
}

FROCC__INLINE uint64_t infinity(const struct format *f) {
    return pattern(f, (uint64_t)1 << (f->digits - 1), f->max_exponent + 1);
}

/*
 * w * 10^q to the nearest float, as a bit pattern; false when the result is only an estimate.
 *
 * With w shifted up to fill 64 bits and T <= 5^q * 2^s < T + 1 from the table, the product P = w*T
 * has 191 or 192 bits, and the true product lies in [P, P + 2^64), at P itself only where T is
 * exact. Of P we keep the upper 128 bits, H = high:low. So the true value lies in [H, H + 2)
 * counted in units of the last bit of H. The bits of H below the significand decide the rounding:
 * above half or at half with an inexact T (then the true value is above half): up. Below half by
 * two units or more: down. In between only an exact T is certain.
 */
FROCC__INLINE bool round_product(uint64_t w, int64_t q, const struct format *f, uint64_t *bits) {
    *bits = 0;
    if (w == 0 || q < FROCC__POWER_FIRST) /* 2^64 * 10^-343 is below half of the smallest */
        return true;
    if (q > 308) {
        *bits = infinity(f);
        return true;
    }
    int zeros = __builtin_clzll(w);
    w <<= zeros;
    const uint64_t *power = frocc__powers_of_five[q - FROCC__POWER_FIRST];
    frocc__u128 upper = (frocc__u128)w * power[0];
    frocc__u128 lower = (frocc__u128)w * power[1];
    upper += (uint64_t)(lower >> 64);
    uint64_t high = (uint64_t)(upper >> 64), low = (uint64_t)upper;
    bool exact_power = q >= 0 && q <= 55;
    bool rest = (uint64_t)lower != 0 || !exact_power; /* something nonzero below H */

    /* high * 2^exponent is the value: 10^q = 5^q * 2^q, and T = 5^q * 2^(127 - floor(log2 5^q)).
     * 217706 / 2^16 approximates log2(10) closely enough for |q| < 500 (checked in the tests). */
    int exponent = (int)((q * 217706) >> 16) + 1 - zeros;
    int drop = 64 - (int)(high >> 63 ? 0 : 1) - f->digits;
    if (exponent + drop < f->min_exponent)
        drop = f->min_exponent - exponent;
    if (drop > 64)
        return true;
    uint64_t significand = drop == 64 ? 0 : high >> drop;
    uint64_t remainder = drop == 64 ? high : high & (((uint64_t)1 << drop) - 1);
    uint64_t half = (uint64_t)1 << (drop - 1);
    *bits = pattern(f, significand, exponent + drop);
    bool certain = true;
    if (remainder > half || (remainder == half && (low != 0 || rest)))
        *bits += 1;
    else if (remainder == half)
        *bits += significand & 1;
    else
        certain = exact_power || remainder != half - 1 || low < UINT64_MAX - 1;
    if (*bits > infinity(f))
        *bits = infinity(f);
    return certain;
}

#endif
