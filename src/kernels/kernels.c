/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of the chosen level, and those that need no vectors. */
#include "kernels/kernels.h"

#include "base/cpu.h"
#include "base/rows.h"

const frocc__kernels *frocc__kernels_best(void) {
    switch (frocc__cpu_level()) {
#if defined(__x86_64__)
    case FROCC__AVX512:
        return &frocc__kernels_avx512;
    case FROCC__AVX2:
        return &frocc__kernels_avx2;
#endif
#if defined(__aarch64__)
    case FROCC__NEON:
        return &frocc__kernels_neon;
#endif
    default:
        return &frocc__kernels_ref;
    }
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
