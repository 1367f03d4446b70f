/* SPDX-License-Identifier: BSD-3-Clause */
/* Rounding digits * 10^exponent to a binary type; shared by the scanners and the cells. */
#ifndef FROCC_NUMBER_ROUND_H
#define FROCC_NUMBER_ROUND_H

#include <string.h>

#include "base/base.h"
#include "numbers/number_powers.h"

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

/* ---- Fractions of a few digits --------------------------------------------------------------- */

static const double powers_f64[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/*
 * What round_product does, for 0 < fraction <= 22 and digits above 2^53: no overflow, no subnormal
 * result, and a power that is not exact, so that a remainder of just half means more than half, and
 * rounding is adding the bit below the significand.
 */
FROCC__INLINE bool round_fraction_f64(uint64_t digits, int fraction, uint64_t *bits) {
    int64_t q = -fraction;
    int zeros = __builtin_clzll(digits);
    const uint64_t *power = frocc__powers_of_five[q - FROCC__POWER_FIRST];
    digits <<= zeros;
    frocc__u128 product = (frocc__u128)digits * power[0];
    product += (uint64_t)((frocc__u128)digits * power[1] >> 64);
    uint64_t high = (uint64_t)(product >> 64);
    int drop = 10 + (int)(high >> 63);
    int exponent = (int)((q * 217706) >> 16) + 1 - zeros + drop - format_f64.min_exponent;
    *bits = ((uint64_t)exponent << 52) + (((high >> (drop - 1)) + 1) >> 1);
    return (uint64_t)product < UINT64_MAX - 1;
}

/* digits * 10^-fraction with this sign; false when the rounding is not certain. */
FROCC__INLINE bool to_f64(uint64_t digits, int fraction, bool negative, double *value) {
    uint64_t bits;
    if (digits <= (uint64_t)1 << 53 && fraction >= 0 &&
        fraction <= 22) { /* both are exact: 5^22 < 2^53 */
        double result = (double)(int64_t)digits / powers_f64[fraction];
        memcpy(&bits, &result, sizeof bits);
    } else if (fraction >= 1 && fraction <= 22) {
        if (!round_fraction_f64(digits, fraction, &bits))
            return false;
    } else if (!round_product(digits, -fraction, &format_f64, &bits)) {
        return false;
    }
    bits |= (uint64_t)negative << 63;
    memcpy(value, &bits, sizeof bits);
    return true;
}

/*
 * A float by way of a double that is off by less than two of its units: the nearest float unless
 * the double lies that close to the middle between two floats. No digits become a subnormal float.
 */
FROCC__INLINE bool to_f32(uint64_t digits, int fraction, bool negative, float *value) {
    const uint64_t lost_bits = ((uint64_t)1 << 29) - 1, half = (uint64_t)1 << 28;
    if (fraction < 0 || fraction > 22)
        return false;
    double result = (double)(digits >> 32) * 0x1p32 + (double)(uint32_t)digits; /* rounded once */
    result /= powers_f64[fraction];
    uint64_t bits;
    memcpy(&bits, &result, sizeof bits);
    bool exact = fraction == 0 && digits <= (uint64_t)1 << 53;
    if (((bits + half + 8) & lost_bits) <= 16 && !exact)
        return false;
    bits |= (uint64_t)negative << 63;
    memcpy(&result, &bits, sizeof result);
    *value = (float)result;
    return true;
}

#endif
