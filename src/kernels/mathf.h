/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exp, tanh, log, sine and cosine in float32 from operations that IEEE 754 fixes (+, -, *, /,
 * sqrt, fma), so that every machine gives the same bits. All are free of branches: the compiler
 * turns a loop over them into vector code, and the vector code rounds like the scalar code.
 *
 * The polynomials are plain Taylor series, cut where the next term is below half an ulp on the
 * reduced range; a test compares with libm.
 */
#ifndef FROCC_MATHF_H
#define FROCC_MATHF_H

#include <math.h>
#include <string.h>

#include "base/base.h"

static inline float frocc__float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t frocc__bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float frocc__clampf(float x, float low, float high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

/*
 * Splits x = n ln 2 + r with |r| <= ln(2)/2 and returns exp(r) - 1, with n in *power. ln 2 is
 * taken off in two parts, the first with few enough bits that n times it is exact.
 */
static inline float frocc__expm1_reduced(float x, int32_t *power) {
    const float round_to_int = 12582912.0f; /* 1.5 * 2^23: adding it leaves the integer part */
    float shifted = fmaf(x, 1.44269504f, round_to_int);
    float n = shifted - round_to_int;
    *power = (int32_t)(frocc__bits_of_float(shifted) - frocc__bits_of_float(round_to_int));
    float r = fmaf(n, -0.693359375f, x);
    r = fmaf(n, 2.12194440e-4f, r);
    float series = 1.0f / 40320.0f;
    series = fmaf(series, r, 1.0f / 5040.0f);
    series = fmaf(series, r, 1.0f / 720.0f);
    series = fmaf(series, r, 1.0f / 120.0f);
    series = fmaf(series, r, 1.0f / 24.0f);
    series = fmaf(series, r, 1.0f / 6.0f);
    series = fmaf(series, r, 0.5f);
    return fmaf(series * r, r, r);
}

/* 2^n for -126 <= n <= 127. */
static inline float frocc__exp2_int(int32_t n) {
    return frocc__float_of_bits((uint32_t)(n + 127) << 23);
}

/* exp(x): 0 below the subnormals, the largest float32 where it would overflow. */
static inline float frocc__expf(float x) {
    int32_t n;
    float clamped = frocc__clampf(x, -104.0f, 88.7228f);
    float r = frocc__expm1_reduced(clamped, &n);
    int32_t half = n >> 1; /* in two steps, since 2^n itself may be subnormal or infinite */
    float value = fmaf(r, frocc__exp2_int(half), frocc__exp2_int(half)) * frocc__exp2_int(n - half);
    return value > FLT_MAX ? FLT_MAX : value;
}

/* tanh |x| = E / (E + 2) with E = exp(2 |x|) - 1, without cancellation near 0; what rounding takes
 * from E + 2 is known exactly and given back to first order. */
static inline float frocc__tanhf(float x) {
    int32_t n;
    float twice = 2.0f * frocc__clampf(fabsf(x), 0.0f, 10.0f);
    float r = frocc__expm1_reduced(twice, &n);
    float scale = frocc__exp2_int(n);
    float e = fmaf(scale, r, scale - 1.0f);
    float sum = e + 2.0f;
    float lost = e < 2.0f ? e - (sum - 2.0f) : 2.0f - (sum - e);
    float quotient = e / sum;
    return copysignf(fmaf(-quotient, lost / sum, quotient), x);
}

/* ln(x) for normal x > 0: x = 2^e f, f within sqrt(1/2) .. sqrt(2), ln f = 2 atanh((f-1)/(f+1)). */
static inline float frocc__logf(float x) {
    uint32_t bits = frocc__bits_of_float(x);
    uint32_t above_half_root = bits - 0x3f3504f3u; /* the bits of sqrt(1/2) */
    int32_t exponent = (int32_t)above_half_root >> 23;
    float f = frocc__float_of_bits(bits - ((uint32_t)exponent << 23));
    float s = (f - 1.0f) / (f + 1.0f);
    float s2 = s * s;
    float series = 1.0f / 11.0f;
    series = fmaf(series, s2, 1.0f / 9.0f);
    series = fmaf(series, s2, 1.0f / 7.0f);
    series = fmaf(series, s2, 1.0f / 5.0f);
    series = fmaf(series, s2, 1.0f / 3.0f);
    series = fmaf(series * s2, s, s);
    return fmaf((float)exponent, 0.693147181f, 2.0f * series);
}

/* sin and cos of 2 pi turn, 0 <= turn < 1: the nearest quarter is taken off exactly. */
static inline void frocc__sincos_turn(float turn, float *sine, float *cosine) {
    int32_t quarter = (int32_t)fmaf(turn, 4.0f, 0.5f);
    float a = fmaf((float)quarter, -0.25f, turn) * 6.28318531f;
    float a2 = a * a;
    float s = 1.0f / 362880.0f;
    s = fmaf(s, a2, -1.0f / 5040.0f);
    s = fmaf(s, a2, 1.0f / 120.0f);
    s = fmaf(s, a2, -1.0f / 6.0f);
    s = fmaf(s * a2, a, a);
    float c = -1.0f / 3628800.0f;
    c = fmaf(c, a2, 1.0f / 40320.0f);
    c = fmaf(c, a2, -1.0f / 720.0f);
    c = fmaf(c, a2, 1.0f / 24.0f);
    c = fmaf(c, a2, -0.5f);
    c = fmaf(c, a2, 1.0f);
    /* A turn by quarter * 90 degrees swaps sine and cosine and flips signs. */
    float swapped_sine = (quarter & 1) != 0 ? c : s;
    float swapped_cosine = (quarter & 1) != 0 ? s : c;
    *sine = (quarter & 2) != 0 ? -swapped_sine : swapped_sine;
    *cosine = ((quarter + 1) & 2) != 0 ? -swapped_cosine : swapped_cosine;
}

#endif
