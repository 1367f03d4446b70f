/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Binary numbers to the shortest decimal that reads back as the same value.
 *
 * The method is Giulietti's ("The Schubfach way to render doubles", 2020): of the decimals in the
 * value's rounding interval, those with the exponent k = floor(log10(2^q)) are at least one and at
 * most ten; take the one with a digit less if exactly one lies inside, else the nearest. All
 * comparisons are made on products with the 128 leading bits of 10^-k, rounded up, kept as four
 * times the value with a sticky last bit, which the paper proves to be enough for double; float
 * has fewer bits to decide.
 */
#include "base/arithmetic.h"
#include "numbers/number.h"

#include <math.h>
#include <string.h>

#include "numbers/number_powers.h"

struct shortest {
    uint64_t digits;
    int exponent;
};

/* floor(x * log10(2)), floor(x * log2(10)), and floor(log10(3/4 * 2^x)), for |x| < 1500. */
static int log10_of_power_of_2(int x) {
    return (x * 1262611) >> 22;
}
static int log2_of_power_of_10(int x) {
    return (x * 1741647) >> 19;
}
static int log10_of_three_quarters(int x) {
    return (x * 1262611 - 524031) >> 22;
}

/* The upper bits of power * factor, the last one set when anything below it is not zero. One unit
 * below is the error of the rounded-up power, so it does not count. */
static uint64_t multiply_sticky(const uint64_t power[2], uint64_t factor) {
    frocc__u128 low = (frocc__u128)power[1] * factor;
    frocc__u128 high = (frocc__u128)power[0] * factor + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* The shortest decimal for c * 2^q; at_edge when the gap to the next smaller float is half of the
 * gap to the next larger one. */
static struct shortest shorten(uint64_t c, int q, bool at_edge) {
    uint64_t open = c & 1; /* an odd value loses ties: the ends of its interval are not inside */
    int k = at_edge ? log10_of_three_quarters(q) : log10_of_power_of_2(q);
    int shift = q + log2_of_power_of_10(-k) + 1;
    const uint64_t *truncated = frocc__powers_of_five[-k - FROCC__POWER_FIRST];
    uint64_t power[2] = {truncated[0], truncated[1]};
    if (-k < 0 || -k > 55) {
        power[1]++;
        power[0] += power[1] == 0;
    }
    uint64_t lower = multiply_sticky(power, (4 * c - 2 + at_edge) << shift) + open;
    uint64_t value = multiply_sticky(power, 4 * c << shift);
    uint64_t upper = multiply_sticky(power, (4 * c + 2) << shift) - open;
    uint64_t s = value / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
        if (down != up)
            return (struct shortest){tens + up, k + 1};
    }
    bool down = lower <= 4 * s, up = 4 * s + 4 <= upper;
    if (down == up)
        up = value > 4 * s + 2 || (value == 4 * s + 2 && (s & 1) != 0);
    return (struct shortest){s + up, k};
}

size_t frocc__print_u64(uint64_t value, char out[FROCC_NUMBER_SIZE]) {
    char reversed[24];
    size_t count = 0;
    do {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    for (size_t i = 0; i < count; i++)
        out[i] = reversed[count - 1 - i];
    out[count] = '\0';
    return count;
}

/* Plain notation from 1e-5 up to 1e17, else one digit, a point, the others, and an exponent. */
static size_t lay_out(struct shortest number, bool negative, char *out) {
    char digits[FROCC_NUMBER_SIZE];
    while (number.digits % 10 == 0) {
        number.digits /= 10;
        number.exponent++;
    }
    int count = (int)frocc__print_u64(number.digits, digits);
    int point = count + number.exponent; /* digits before the point */
    char *p = out;
    if (negative)
        *p++ = '-';
    if (point > 17 || point < -4) {
        *p++ = digits[0];
        if (count > 1)
            *p++ = '.';
        memcpy(p, digits + 1, (size_t)count - 1);
        p += count - 1;
        *p++ = 'e';
        if (point < 1)
            *p++ = '-';
        p += frocc__print_u64((uint64_t)(point < 1 ? 1 - point : point - 1), p);
        return (size_t)(p - out);
    }
    if (point <= 0) {
        *p++ = '0';
        *p++ = '.';
    }
    for (int i = point; i < 0; i++)
        *p++ = '0';
    for (int i = 0; i < FROCC_MAX(count, point); i++) {
        if (i == point && i > 0)
            *p++ = '.';
        *p++ = i < count ? digits[i] : '0';
    }
    *p = '\0';
    return (size_t)(p - out);
}

static size_t print_word(const char *word, char *out) {
    strcpy(out, word);
    return strlen(word);
}

/* The bits of an IEEE number: its fraction's, and behind them its exponent's. */
static size_t print_bits(uint64_t bits, int fraction_bits, int exponent_bits, char *out) {
    const int highest = (1 << exponent_bits) - 1, bias = highest / 2 + fraction_bits;
    const bool negative = bits >> (fraction_bits + exponent_bits) != 0;
    const uint64_t hidden = (uint64_t)1 << fraction_bits, fraction = bits & (hidden - 1);
    const int exponent = (int)(bits >> fraction_bits) & highest;
    if (exponent == highest)
        return print_word(fraction != 0 ? "nan" : negative ? "-inf" : "inf", out);
    if (exponent == 0 && fraction == 0)
        return print_word(negative ? "-0" : "0", out);
    if (exponent == 0)
        return lay_out(shorten(fraction, 1 - bias, false), negative, out);
    return lay_out(shorten(fraction | hidden, exponent - bias, fraction == 0 && exponent > 1),
                   negative, out);
}

size_t frocc_print_f64(double value, char out[FROCC_NUMBER_SIZE]) {
    FROCC_OWN_ARITHMETIC;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return print_bits(bits, 52, 11, out);
}

size_t frocc__print_f32(float value, char out[FROCC_NUMBER_SIZE]) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return print_bits(bits, 23, 8, out);
}
