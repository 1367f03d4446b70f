/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of add_costs that gathers nothing: costs outside the range grow with the distance. One
 * code for AVX2 and AVX-512; see kernels_generic.h for how it becomes theirs. */
#include "../prices.h"

#define PRICED 16 /* values at once */

FROCC_TARGET static void FROCC_LEVEL(add_outside)(const float *values, const frocc__prices *prices,
                                                  frocc__row_mask rows, double *sums) {
    for (size_t first = 0; first < FROCC_PANEL; first += PRICED) {
        uint32_t some = (uint32_t)(rows >> first) & ((1u << PRICED) - 1);
        float costs[PRICED];
        if (some == 0)
            continue;
        FROCC_SIMD
        for (size_t i = 0; i < PRICED; i++)
            costs[i] = frocc__price_outside(prices, values[first + i]);
        for (; some != 0; some &= some - 1) {
            size_t i = (size_t)__builtin_ctz(some);
            sums[first + i] += (double)costs[i];
        }
    }
}
