/* SPDX-License-Identifier: BSD-3-Clause */
/* What every file of the library stands on: the compiler, and the promise about rounding. */
#ifndef FROCC_BASE_H
#define FROCC_BASE_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frocc_io.h"

/*
 * The numeric contract: every float32 operation rounds once, to float32, and a product and a sum
 * are fused exactly where the source says fmaf. GCC keeps to that with -std=c11, clang needs the
 * pragma, and x87 arithmetic cannot.
 */
#if FLT_EVAL_METHOD != 0
#error                                                                                             \
    "frocc needs float arithmetic in float precision: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
#if defined(__FAST_MATH__)
#error "frocc must not be compiled with -ffast-math: equal input would no longer give equal bits"
#endif

/* FROCC_OMP(simd ...) permits a compiler with -fopenmp-simd to make vectors of a loop. */
#if defined(FROCC_OPENMP_SIMD)
#define FROCC_OMP(directive) FROCC_PRAGMA(omp directive)
#define FROCC_PRAGMA(text) _Pragma(#text)
#else
#define FROCC_OMP(directive)
#endif

/* Bytes of a cache's line: what lies in two is not fetched together. */
#define FROCC_LINE 64

#define FROCC_MIN(a, b) ((a) < (b) ? (a) : (b))
#define FROCC_MAX(a, b) ((a) > (b) ? (a) : (b))

/* Calls that hand a failure on to the caller. */
#define FROCC_TRY(call)                                                                            \
    do {                                                                                           \
        frocc_status try_status_ = (call);                                                         \
        if (try_status_ != FROCC_OK)                                                               \
            return try_status_;                                                                    \
    } while (0)

#endif
