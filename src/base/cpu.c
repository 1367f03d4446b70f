/* SPDX-License-Identifier: BSD-3-Clause */
/* What this CPU has. Compiled for the baseline, so that asking itself is safe. */
#include "base/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [FROCC__REF] = "ref",
    [FROCC__NEON] = "neon",
    [FROCC__AVX2] = "avx2",
    [FROCC__AVX512] = "avx512",
};

/* What there is, by level. */
typedef struct features {
    bool has[FROCC__AVX512 + 1];
} features;

#if defined(__x86_64__)
#include <cpuid.h>

/* The registers that the operating system saves for us: without that, using them is a fault. */
static uint64_t enabled_registers(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static void detect(features *found) {
    enum { OSXSAVE = 1 << 27, AVX = 1 << 28, FMA = 1 << 12 };
    const uint32_t avx2_bits = 1u << 5 | 1u << 3 | 1u << 8;                 /* with BMI 1, 2 */
    const uint32_t avx512_bits = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL */
    const uint64_t ymm_state = 0x6, zmm_state = 0xe6;
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return;
    if ((c & OSXSAVE) == 0 || (c & AVX) == 0 || (c & FMA) == 0)
        return;
    uint64_t enabled = enabled_registers();
    if ((enabled & ymm_state) != ymm_state || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return;
    const bool avx2 = (b & avx2_bits) == avx2_bits;
    const bool avx512 =
        avx2 && (b & avx512_bits) == avx512_bits && (enabled & zmm_state) == zmm_state;
    found->has[FROCC__AVX2] = avx2;
    found->has[FROCC__AVX512] = avx512;
}
#elif defined(__aarch64__)
static void detect(features *found) {
    found->has[FROCC__NEON] = true;
}
#else
static void detect(features *found) {
    (void)found;
}
#endif

static frocc__level choose(const features *found) {
    const char *asked = getenv("FROCC_CPU");
    frocc__level best = FROCC__REF;
    for (frocc__level level = FROCC__REF; level <= FROCC__AVX512; level++) {
        if (!found->has[level])
            continue;
        best = level;
        if (asked != NULL && strcmp(asked, names[level]) == 0)
            break;
    }
    return best;
}

/* Threads that race here all find the same answer. */
frocc__level frocc__cpu_level(void) {
    static atomic_uint chosen; /* a level and 1; 0: not yet */
    uint32_t level = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (level == 0) {
        features found = {.has[FROCC__REF] = true};
        detect(&found);
        level = (uint32_t)choose(&found) + 1;
        atomic_store_explicit(&chosen, level, memory_order_relaxed);
    }
    return (frocc__level)(level - 1);
}

const char *frocc_cpu_level(void) {
    return names[frocc__cpu_level()];
}
