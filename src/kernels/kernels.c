/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kernels this CPU runs. Compiled for the baseline, so that choosing itself is safe. */
#include "kernels/kernels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* The registers that the operating system saves for us: without that, using them is a fault. */
static uint64_t enabled_registers(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

#if defined(FROCC_AMX)
/* AMX, for bfloat16. A process has to ask before it uses them; see amx.c. */
static bool detect_amx(void) {
    const uint32_t amx_bits = 1u << 22 | 1u << 24; /* BF16, TILE */
    const uint32_t avx512_bf16 = 1u << 5;
    const uint64_t tile_state = 0x60000;
    uint32_t a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & amx_bits) != amx_bits)
        return false;
    if (!__get_cpuid_count(7, 1, &a, &b, &c, &d) || (a & avx512_bf16) == 0)
        return false;
    return (enabled_registers() & tile_state) == tile_state;
}
#endif

static void detect(bool *avx2, bool *avx512) {
    enum { OSXSAVE = 1 << 27, AVX = 1 << 28, FMA = 1 << 12, AVX2 = 1 << 5 };
    const uint32_t avx512_bits = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F, DQ, BW, VL */
    const uint64_t ymm_state = 0x6, zmm_state = 0xe6;
    uint32_t a, b, c, d;
    *avx2 = *avx512 = false;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return;
    if ((c & OSXSAVE) == 0 || (c & AVX) == 0 || (c & FMA) == 0)
        return;
    uint64_t enabled = enabled_registers();
    if ((enabled & ymm_state) != ymm_state || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return;
    *avx2 = (b & AVX2) != 0;
    *avx512 = *avx2 && (b & avx512_bits) == avx512_bits && (enabled & zmm_state) == zmm_state;
}
#endif

/* Levels this CPU has, best first; the list ends with the reference. */
static size_t available(const frocc__kernels *levels[5]) {
    size_t count = 0;
#if defined(__x86_64__)
    bool avx2, avx512;
    detect(&avx2, &avx512);
#if defined(FROCC_AMX)
    if (avx512 && detect_amx())
        levels[count++] = &frocc__kernels_amx;
#endif
    if (avx512)
        levels[count++] = &frocc__kernels_avx512;
    if (avx2)
        levels[count++] = &frocc__kernels_avx2;
#endif
#if defined(__aarch64__)
    levels[count++] = &frocc__kernels_neon;
#endif
    levels[count++] = &frocc__kernels_ref;
    return count;
}

static const frocc__kernels *choose(void) {
    const frocc__kernels *levels[5];
    size_t count = available(levels);
    const char *asked = getenv("FROCC_CPU");
    for (size_t i = 0; asked != NULL && i < count; i++)
        if (strcmp(asked, levels[i]->name) == 0)
            return levels[i];
    return levels[0];
}

const frocc__kernels *frocc__kernels_best(void) {
    /* Threads that race here all find the same answer. */
    static _Atomic(const frocc__kernels *) chosen;
    const frocc__kernels *table = atomic_load_explicit(&chosen, memory_order_acquire);
    if (table == NULL) {
        table = choose();
        atomic_store_explicit(&chosen, table, memory_order_release);
    }
    return table;
}

bool frocc__transpose_scalar(const float *rows, size_t stride, size_t count, float *out) {
    bool usable = true;
    for (size_t j = 0; j < count; j++)
        for (size_t r = 0; r < FROCC_SUBPANEL; r++) {
            float value = rows[r * stride + j];
            out[j * FROCC_PANEL + r] = value;
            usable &= fabsf(value) <= FROCC_LARGEST_VALUE;
        }
    return usable;
}

void frocc__tally_scalar(const frocc__row_mask rows[FROCC_BLOCK], uint32_t *counts) {
    for (int c = 0; c < FROCC_BLOCK; c++)
        for (frocc__row_mask left = rows[c]; left != 0; left &= left - 1)
            counts[__builtin_ctzll(left)]++;
}

void frocc__look_up_scalar(const float *tile, const frocc__cell_map *cells,
                           const frocc__row_mask rows[FROCC_BLOCK], frocc__row_mask in[FROCC_BLOCK],
                           frocc__row_mask *edge) {
    for (int c = 0; c < FROCC_BLOCK; c++, cells++, tile += FROCC_PANEL) {
        frocc__row_mask is_in = 0, is_edge = 0;
        if (rows[c] == 0)
            continue;
        for (frocc__row_mask left = rows[c]; left != 0; left &= left - 1) {
            int r = __builtin_ctzll(left);
            uint32_t cell = frocc__map_cell(cells, tile[r]);
            is_in |= (frocc__row_mask)(cells->in[cell / 32] >> cell % 32 & 1) << r;
            is_edge |= (frocc__row_mask)(cells->edge[cell / 32] >> cell % 32 & 1) << r;
        }
        in[c] = is_in;
        if (edge != NULL)
            edge[c] = is_edge;
    }
}

const char *frocc_cpu_level(void) {
    return frocc__kernels_best()->name;
}
