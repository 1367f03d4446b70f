/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of doubles without rounding. A double is an integer times a power of two between 2^-1074 and
 * 2^971; the sum is kept as one integer in units of 2^-1074, in words of 32 bits with signed 64-bit
 * room for carries. So the mean of a column does not depend on the order of the rows, on buffers or
 * on threads. Adding costs three additions to words; 70 words hold 2^140 times the largest double.
 */
#include <math.h>
#include <string.h>

#include "schema/tally.h"

/* Words grow by less than 2^32 an addition, so carries may wait for 2^30 of them. */
#define MAX_PENDING (1u << 30)

static void pass_carries(frocc__sum *sum) {
    int64_t carry = 0;
    for (int i = 0; i < FROCC__SUM_WORDS - 1; i++) {
        int64_t value = sum->word[i] + carry;
        int64_t low = value & 0xffffffff;
        carry = (value - low) / ((int64_t)1 << 32);
        sum->word[i] = low;
    }
    sum->word[FROCC__SUM_WORDS - 1] += carry; /* keeps the sign */
    sum->pending = 0;
}

void frocc__sum_add(frocc__sum *sum, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t significand = bits & 0xfffffffffffff;
    int exponent =
        (int)(bits >> 52 & 0x7ff); /* position of the last bit, plus 1 for normal values */
    if (exponent > 0) {
        significand |= (uint64_t)1 << 52;
        exponent--;
    }
    int word = exponent / 32, shift = exponent % 32;
    int64_t sign = bits >> 63 != 0 ? -1 : 1;
    uint64_t low = significand << shift;
    uint64_t high = shift == 0 ? 0 : significand >> (64 - shift);
    sum->word[word] += sign * (int64_t)(low & 0xffffffff);
    sum->word[word + 1] += sign * (int64_t)(low >> 32);
    sum->word[word + 2] += sign * (int64_t)high;
    sum->count++;
    if (++sum->pending >= MAX_PENDING)
        pass_carries(sum);
}

void frocc__sum_merge(frocc__sum *into, frocc__sum *from) {
    pass_carries(into);
    pass_carries(from);
    for (int i = 0; i < FROCC__SUM_WORDS; i++)
        into->word[i] += from->word[i];
    into->count += from->count;
    pass_carries(into);
}

bool frocc__sum_magnitude(frocc__sum *sum) {
    pass_carries(sum);
    const bool is_negative = sum->word[FROCC__SUM_WORDS - 1] < 0;
    for (int i = 0; is_negative && i < FROCC__SUM_WORDS; i++)
        sum->word[i] = -sum->word[i];
    pass_carries(sum);
    return is_negative;
}

/* The sum's leading 64 bits, the last one sticky, divided by the count. Both roundings depend only
 * on the exact sum, so the result is the same in any order; its error is below one unit. */
double frocc__sum_mean(const frocc__sum *sum) {
    frocc__sum s = *sum;
    const bool negative = frocc__sum_magnitude(&s);
    int top = FROCC__SUM_WORDS - 1;
    while (top > 2 && s.word[top] == 0)
        top--;
    uint64_t leading = (uint64_t)s.word[top] << 32 | (uint64_t)s.word[top - 1];
    uint64_t rest = (uint64_t)s.word[top - 2];
    int shift = leading == 0 ? 0 : __builtin_clzll(leading);
    if (shift > 0 && shift <= 32)
        leading = leading << shift | rest >> (32 - shift);
    else
        shift = 0;
    uint64_t sticky = shift < 32 ? rest << shift & 0xffffffff : 0;
    for (int i = 0; i < top - 2; i++)
        sticky |= (uint64_t)s.word[i];
    leading |= sticky != 0;
    double mean = (double)leading / (double)s.count;
    mean = ldexp(mean, 32 * (top - 1) - shift - 1074);
    return negative ? -mean : mean;
}
