/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of the library's own, whatever the host has set: rounding to nearest, numbers
 * below FLT_MIN as they are (libraries compiled with -ffast-math let a whole process count them as
 * 0), and no traps. What it was before comes back at the end, with the flags of the host's own
 * exceptions. Every public function that computes begins with it; some 10 ns where nothing is to be
 * changed.
 */
#ifndef FROCC_ARITHMETIC_H
#define FROCC_ARITHMETIC_H

#include "base/base.h"

#if defined(__SSE__)
typedef uint32_t frocc__arithmetic; /* MXCSR */

/* All exceptions masked, nearest, nothing flushed; the six lowest bits are flags. */
#define FROCC_USUAL_CONTROL 0x1f80u
#define FROCC_CONTROL_FLAGS 0x3fu

static inline void frocc__arithmetic_set(frocc__arithmetic word) {
    /* "memory": nothing that is loaded or stored may be computed on the other side. */
    __asm__ volatile("ldmxcsr %0" : : "m"(word) : "memory");
}

static inline frocc__arithmetic frocc__arithmetic_begin(void) {
    frocc__arithmetic word;
    __asm__ volatile("stmxcsr %0" : "=m"(word) : : "memory");
    if ((word & ~FROCC_CONTROL_FLAGS) != FROCC_USUAL_CONTROL)
        frocc__arithmetic_set(FROCC_USUAL_CONTROL);
    return word;
}

static inline void frocc__arithmetic_end(const frocc__arithmetic *before) {
    if ((*before & ~FROCC_CONTROL_FLAGS) != FROCC_USUAL_CONTROL)
        frocc__arithmetic_set(*before);
}

#elif defined(__aarch64__)
typedef struct frocc__arithmetic {
    uint64_t control, flags; /* FPCR, FPSR */
} frocc__arithmetic;

static inline frocc__arithmetic frocc__arithmetic_begin(void) {
    frocc__arithmetic before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before.control) : : "memory");
    __asm__ volatile("mrs %0, fpsr" : "=r"(before.flags) : : "memory");
    if (before.control != 0)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
    return before;
}

static inline void frocc__arithmetic_end(const frocc__arithmetic *before) {
    if (before->control == 0)
        return;
    __asm__ volatile("msr fpsr, %0" : : "r"(before->flags) : "memory");
    __asm__ volatile("msr fpcr, %0" : : "r"(before->control) : "memory");
}

#else
#include <fenv.h>

typedef fenv_t frocc__arithmetic;

static inline frocc__arithmetic frocc__arithmetic_begin(void) {
    frocc__arithmetic before;
    (void)feholdexcept(&before);
    (void)fesetround(FE_TONEAREST);
    return before;
}

static inline void frocc__arithmetic_end(const frocc__arithmetic *before) {
    (void)fesetenv(before);
}
#endif

/* The first declaration of a function: from here to wherever it returns. */
#define FROCC_OWN_ARITHMETIC                                                                       \
    __attribute__((cleanup(frocc__arithmetic_end), unused))                                        \
    const frocc__arithmetic own_arithmetic_ = frocc__arithmetic_begin()

#endif
