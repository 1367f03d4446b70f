/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels that need no intrinsics: one code for all levels, compiled once per instruction set. The
 * including file defines FROCC_LEVEL(name), which names a function for its level; square_roots of
 * its level, since a C compiler must allow for errno in sqrtf; and FROCC_TARGET,
 * the attribute that lets the compiler use the level's instructions. "omp simd" (FROCC_SIMD, empty
 * for the reference) only permits what the loops allow anyway: every lane does the scalar
 * operations in the scalar order. A level with a project_outside or
 * a philox_lanes of its own defines FROCC_OWN_OUTSIDE or FROCC_OWN_PHILOX.
 */
#include "base/hash.h"
#include "base/rows.h"
#include "kernels/grid.h"
#include "kernels/interval.h"
#include "kernels/kernels.h"
#include "kernels/random.h"

#ifndef FROCC_SIMD
#define FROCC_SIMD FROCC_OMP(simd)
#endif

/* Floats handled at once: the directions of a block times QUADS groups of four features. */
#define LANES FROCC_DRAWN
#define QUADS (LANES / FROCC_BLOCK)

#ifndef FROCC_OWN_OUTSIDE
static void FROCC_LEVEL(project_panel)(const float *x, const float *w, size_t n_features,
                                       bool goes_on, float *tile);
static bool FROCC_LEVEL(outside)(const float *tile, const float *lower, const float *upper);

FROCC_TARGET static bool FROCC_LEVEL(project_outside)(const float *x, const float *w,
                                                      size_t n_features, bool goes_on,
                                                      const float *lower, const float *upper,
                                                      float *tile) {
    FROCC_LEVEL(project_panel)(x, w, n_features, goes_on, tile);
    return FROCC_LEVEL(outside)(tile, lower, upper);
}
#endif

/* Lanes inside, powers outside, so that the lanes become vectors whatever the degree. */
FROCC_TARGET static void FROCC_LEVEL(power)(const frocc__transform *how, float *values,
                                            size_t count) {
    const float gamma = how->gamma, coef0 = how->coef0;
    float base[FROCC_TILE];
    FROCC_SIMD
    for (size_t i = 0; i < count; i++)
        values[i] = base[i] = fmaf(gamma, values[i], coef0);
    for (int k = 1; k < how->degree; k++) {
        FROCC_SIMD
        for (size_t i = 0; i < count; i++)
            values[i] *= base[i];
    }
    FROCC_SIMD
    for (size_t i = 0; i < count; i++)
        values[i] = frocc__clampf(values[i], -FLT_MAX, FLT_MAX);
}

FROCC_TARGET static void FROCC_LEVEL(transform)(const frocc__transform *how, const double *norms,
                                                float *values, size_t count) {
    const float gamma = how->gamma, coef0 = how->coef0;
    const double minus_gamma = -(double)gamma;
    switch (how->kernel) {
    case FROCC_KERNEL_POLY:
        FROCC_LEVEL(power)(how, values, count);
        break;
    case FROCC_KERNEL_SIGMOID:
        FROCC_SIMD
        for (size_t i = 0; i < count; i++)
            values[i] = frocc__tanhf(fmaf(gamma, values[i], coef0));
        break;
    case FROCC_KERNEL_RBF:
        FROCC_SIMD
        for (size_t i = 0; i < count; i++) {
            double distance = norms[i] - 2.0 * (double)values[i];
            distance = distance < 0.0 ? 0.0 : distance; /* rounding can leave less than nothing */
            values[i] = frocc__expf((float)(minus_gamma * distance));
        }
        break;
    case FROCC_KERNEL_LINEAR:
    case FROCC_KERNEL_CUSTOM:
        break;
    }
}

FROCC_TARGET static void FROCC_LEVEL(scale)(const void *values, frocc_dtype dtype,
                                            const double *shift, const double *scale, size_t count,
                                            float *out) {
    if (dtype == FROCC_F32) {
        const float *from = values;
        FROCC_SIMD
        for (size_t i = 0; i < count; i++)
            out[i] = (float)(((double)from[i] - shift[i]) / scale[i]);
    } else {
        const double *from = values;
        FROCC_SIMD
        for (size_t i = 0; i < count; i++)
            out[i] = (float)((from[i] - shift[i]) / scale[i]);
    }
}

/* asinh(t) = sign(t) log(|t| + sqrt(t^2 + 1)); what is small may lose relative precision. */
FROCC_TARGET static inline void FROCC_LEVEL(asinh_values_lanes)(float *values) {
    float t[LANES], root[LANES];
    FROCC_SIMD
    for (int i = 0; i < LANES; i++) {
        t[i] = frocc__clampf(2.0f * values[i], -0x1p60f, 0x1p60f);
        root[i] = fmaf(t[i], t[i], 1.0f);
    }
    FROCC_LEVEL(square_roots)(root, LANES);
    FROCC_SIMD
    for (int i = 0; i < LANES; i++)
        values[i] = copysignf(frocc__logf(fabsf(t[i]) + root[i]), t[i]);
}

FROCC_TARGET static void FROCC_LEVEL(asinh_values)(float *values, size_t count) {
    size_t first = 0;
    for (; first + LANES <= count; first += LANES)
        FROCC_LEVEL(asinh_values_lanes)(values + first);
    float rest[LANES] = {0};
    memcpy(rest, values + first, (count - first) * sizeof(float));
    FROCC_LEVEL(asinh_values_lanes)(rest);
    memcpy(values + first, rest, (count - first) * sizeof(float));
}

/* By their bits: whole numbers become vectors more willingly than floats. */
FROCC_TARGET static bool FROCC_LEVEL(all_usable)(const float *values, size_t count) {
    int32_t unusable = 0;
    FROCC_OMP(simd reduction(| : unusable))
    for (size_t j = 0; j < count; j++) {
        int32_t bits;
        memcpy(&bits, &values[j], sizeof bits);
        unusable |= (bits & INT32_MAX) > FROCC_LARGEST_BITS;
    }
    return unusable == 0;
}

FROCC_TARGET static uint64_t FROCC_LEVEL(hash_entries)(const uint64_t *bits, size_t first_column,
                                                       size_t count) {
    uint64_t sum = 0;
    FROCC_OMP(simd reduction(+ : sum))
    for (size_t j = 0; j < count; j++)
        sum += frocc__entry_hash(bits[j], first_column + j);
    return sum;
}

/* Several rows at once, so that many chains are under way and each load of b serves all. */
FROCC_TARGET static inline __attribute__((always_inline)) void
FROCC_LEVEL(combine_rows)(const double *a, size_t stride, int n_rows, const double *b, size_t count,
                          double *sums) {
    double total[FROCC_COMBINED_ROWS][FROCC_COMBINED] = {{0}};
    for (size_t k = 0; k < count; k++) {
#pragma GCC unroll 4
        for (int r = 0; r < n_rows; r++) {
            const double factor = a[(size_t)r * stride + k];
            FROCC_SIMD
            for (int c = 0; c < FROCC_COMBINED; c++)
                total[r][c] = fma(factor, b[k * FROCC_COMBINED + (size_t)c], total[r][c]);
        }
    }
    memcpy(sums, total, (size_t)n_rows * sizeof *total);
}

FROCC_TARGET static void FROCC_LEVEL(combine)(const double *a, size_t stride, size_t n_rows,
                                              const double *b, size_t count, double *sums) {
    if (n_rows == FROCC_COMBINED_ROWS) {
        FROCC_LEVEL(combine_rows)(a, stride, FROCC_COMBINED_ROWS, b, count, sums);
        return;
    }
    for (size_t r = 0; r < n_rows; r++, a += stride, sums += FROCC_COMBINED)
        FROCC_LEVEL(combine_rows)(a, stride, 1, b, count, sums);
}

FROCC_TARGET static void FROCC_LEVEL(project_row_lists)(const float *row, const size_t *start,
                                                        const int32_t *features,
                                                        const float *weights, size_t n_directions,
                                                        float *out) {
    for (size_t i = 0; i < n_directions; i++) {
        if (start[i] == start[i + 1])
            continue;
        float sum = 0.0f;
        for (size_t e = start[i]; e < start[i + 1]; e++)
            sum = fmaf(row[features[e]], weights[e], sum);
        out[i] = sum;
    }
}

/* Sets cells first .. end - 1, a word at a time. */
FROCC_TARGET static inline void FROCC_LEVEL(set_cells)(uint32_t *words, uint32_t first,
                                                       uint32_t end) {
    while (first < end) {
        uint32_t stop = FROCC_MIN(end, (first / 32 + 1) * 32);
        uint32_t upper = stop % 32 == 0 ? ~0u : (1u << stop % 32) - 1;
        words[first / 32] |= upper & ~0u << first % 32;
        first = stop;
    }
}

FROCC_TARGET static void FROCC_LEVEL(map_intervals)(const frocc__interval *list, size_t count,
                                                    frocc__cell_map *cells) {
    for (size_t i = 0; i < count; i++) {
        uint32_t first = frocc__map_cell(cells, list[i].lo);
        uint32_t last = frocc__map_cell(cells, list[i].hi);
        cells->edge[first / 32] |= 1u << first % 32;
        cells->edge[last / 32] |= 1u << last % 32;
        FROCC_LEVEL(set_cells)(cells->in, first + 1, last);
    }
}

/* Mostly they lie in one word; whether there are any is not asked, since nobody can predict it. */
FROCC_TARGET static void FROCC_LEVEL(map_grown)(float lo, float hi, float from, float to,
                                                frocc__cell_map *cells) {
    const float ends[4] = {lo, hi, from, to};
    uint32_t at[4];
    FROCC_SIMD
    for (int i = 0; i < 4; i++)
        at[i] = frocc__map_cell(cells, ends[i]);
    const uint32_t first = FROCC_MAX(FROCC_MIN(at[2], at[3]), at[0] + 1);
    const uint32_t end = FROCC_MIN(FROCC_MAX(at[2], at[3]) + 1, at[1]);
    const uint32_t word = FROCC_MIN(first, FROCC_MAP_CELLS - 1) / 32;
    if (end > (word + 1) * 32) {
        FROCC_LEVEL(set_cells)(cells->in, first, end);
        return;
    }
    const uint64_t below_end = ((uint64_t)1 << (end - FROCC_MIN(end, word * 32))) - 1;
    const uint64_t below_first = ((uint64_t)1 << (first - word * 32)) - 1;
    cells->in[word] |= (uint32_t)(below_end & ~below_first);
}

/* Puts the values of rows i .. end - 1 and those distance rows further in order. */
FROCC_TARGET static inline void FROCC_LEVEL(exchange)(float *values, size_t i, size_t end,
                                                      size_t distance) {
    for (; i < end; i++) {
        float *a = values + i * FROCC_BLOCK, *b = a + distance * FROCC_BLOCK;
        FROCC_SIMD
        for (int c = 0; c < FROCC_BLOCK; c++) {
            float low = a[c] < b[c] ? a[c] : b[c], high = a[c] < b[c] ? b[c] : a[c];
            a[c] = low;
            b[c] = high;
        }
    }
}

/*
 * Batcher's merge exchange (Knuth, The Art of Computer Programming 3, Algorithm 5.2.2M): which
 * pairs are compared does not depend on the values, so all directions of a block are sorted at
 * once. Of every 2p rows, p begin a pair.
 */
FROCC_TARGET static void FROCC_LEVEL(sort_block)(float *values, size_t count) {
    size_t top = 1;
    while (top < count)
        top *= 2;
    for (size_t p = top / 2; p > 0; p /= 2) {
        size_t q = top / 2, r = 0, d = p;
        for (;;) {
            for (size_t i = r; i + d < count; i += 2 * p)
                FROCC_LEVEL(exchange)(values, i, FROCC_MIN(i + p, count - d), d);
            if (q == p)
                break;
            d = q - p;
            q /= 2;
            r = p;
        }
    }
}

/* Values that are looked up at once. */
#define LOOKED_UP 48

/* Cells of at most so many values, and whether all of them are within the grid. */
FROCC_TARGET static inline bool FROCC_LEVEL(find_cells)(const float *values, size_t count,
                                                        const frocc__grid *grid,
                                                        uint32_t at[LOOKED_UP]) {
    const float scale = grid->scale, low = grid->low, high = grid->high;
    const uint32_t mask = grid->mask;
    int32_t outside = 0;
    FROCC_OMP(simd reduction(| : outside))
    for (size_t i = 0; i < count; i++) {
        float clamped = values[i] >= low ? values[i] : low;
        clamped = clamped <= high ? clamped : high;
        outside |= clamped != values[i];
        at[i] = (uint32_t)frocc__cell_number(clamped, scale) & mask;
    }
    return outside == 0;
}

FROCC_TARGET static bool FROCC_LEVEL(count_values)(const float *values, size_t count,
                                                   const frocc__grid *grid, uint16_t *counts) {
    uint32_t at[FROCC_COUNTED];
    bool within = true;
    for (size_t i = 0; i < count; i += LOOKED_UP)
        within &=
            FROCC_LEVEL(find_cells)(values + i, FROCC_MIN(count - i, LOOKED_UP), grid, at + i);
    for (size_t i = 0; i < count && within; i++) {
        const uint16_t before = counts[at[i]];
        counts[at[i]] = (uint16_t)(before + (before != UINT16_MAX));
    }
    return within;
}

/* What is outside the table is computed, value by value. */
FROCC_TARGET static void FROCC_LEVEL(add_costs)(const float *values, size_t count,
                                                const frocc__cost_table *table, uint32_t *sums) {
    const uint8_t *roots = table->roots;
    for (size_t first = 0; first < count; first += LOOKED_UP) {
        const size_t some = FROCC_MIN(count - first, LOOKED_UP);
        uint32_t at[LOOKED_UP];
        if (FROCC_LEVEL(find_cells)(values + first, some, &table->grid, at)) {
            for (size_t i = 0; i < some; i++)
                sums[first + i] += (uint32_t)roots[at[i]] * roots[at[i]];
        } else {
            for (size_t i = 0; i < some; i++)
                sums[first + i] += frocc__cost_of(table, values[first + i]);
        }
    }
}

FROCC_TARGET static void FROCC_LEVEL(find_roots)(const float *widths, const float *seconds,
                                                 size_t count, float range, float second_range,
                                                 uint8_t *roots) {
    float costs[LANES] = {0};
    for (size_t first = 0; first < count; first += LANES) {
        const size_t some = FROCC_MIN(count - first, (size_t)LANES);
        FROCC_SIMD
        for (size_t i = 0; i < some; i++) {
            const float cost =
                frocc__mixed_cost(widths[first + i] / range, seconds[first + i] / second_range);
            costs[i] = cost < 1.0f ? cost : 1.0f;
        }
        FROCC_LEVEL(square_roots)(costs, LANES);
        for (size_t i = 0; i < some; i++)
            roots[first + i] = (uint8_t)(int32_t)(255.0f * costs[i] + 0.5f);
    }
}

/* All rows take a step, then all take the next: no step waits for memory alone, and nothing is
 * branched on: clang would, half the speed of a score, if it saw that is_below is 0 or 1. Not as
 * vectors: gathering their parts takes longer than the steps. */
FROCC_TARGET static void FROCC_LEVEL(descend)(const frocc__node *nodes, uint32_t steps,
                                              const float *values, uint32_t *at) {
    for (; steps > 0; steps--)
        for (size_t r = 0; r < FROCC_DESCENDING; r++) {
            const frocc__node *node = &nodes[at[r]];
            const float value = values[(size_t)node->direction * FROCC_DESCENDING + r];
            uint32_t is_below = value < node->threshold;
            __asm__("" : "+r"(is_below));
            at[r] = node->right ^ ((node->right ^ (at[r] + 1)) & -is_below);
        }
}

/* The same expressions as for a single value in leaves.c. */
FROCC_TARGET static void FROCC_LEVEL(find_leaf_costs)(const frocc__look_ups *at, uint32_t *costs) {
    for (size_t first = 0; first < FROCC_LOOKED_UP; first += LANES) {
        float shares[LANES];
        int32_t is_within[LANES];
        FROCC_SIMD
        for (size_t l = 0; l < LANES; l++) {
            const size_t i = first + l;
            float value = at->value[i] >= at->low[i] ? at->value[i] : at->low[i];
            value = value <= at->high[i] ? value : at->high[i];
            is_within[l] = value == at->value[i];
            const float scale = at->scale[i];
            const int32_t gap =
                frocc__gap_around(at->occupied[i], frocc__cell_number(value, scale));
            const float share = (float)gap / scale / at->range[i];
            shares[l] = share > FROCC_LEAF_SHARE ? share : FROCC_LEAF_SHARE;
        }
        FROCC_LEVEL(square_roots)(shares, LANES);
        for (size_t l = 0; l < LANES; l++) {
            const float cost = 255.0f * shares[l] + 0.5f;
            const float capped = cost < (float)FROCC_LEAF_MOST ? cost : (float)FROCC_LEAF_MOST;
            costs[first + l] = is_within[l] ? (uint32_t)(int32_t)capped : 0;
        }
    }
}

/* The smallest and the largest of some values. */
FROCC_TARGET static void FROCC_LEVEL(find_range)(const float *values, size_t count, float *low,
                                                 float *high) {
    float lows[LANES], highs[LANES], least = values[0], most = values[0];
    size_t i = 0;
    for (int l = 0; l < LANES; l++)
        lows[l] = highs[l] = values[0];
    for (; i + LANES <= count; i += LANES) {
        FROCC_SIMD
        for (int l = 0; l < LANES; l++) {
            const float value = values[i + (size_t)l];
            lows[l] = value < lows[l] ? value : lows[l];
            highs[l] = value > highs[l] ? value : highs[l];
        }
    }
    for (int l = 0; l < LANES; l++) {
        least = FROCC_MIN(least, lows[l]);
        most = FROCC_MAX(most, highs[l]);
    }
    for (; i < count; i++) {
        least = FROCC_MIN(least, values[i]);
        most = FROCC_MAX(most, values[i]);
    }
    *low = least;
    *high = most;
}
#undef LOOKED_UP

#ifndef FROCC_OWN_PHILOX
FROCC_TARGET static void FROCC_LEVEL(philox_lanes)(uint64_t seed, uint32_t words[4][LANES]) {
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < FROCC_PHILOX_ROUNDS; round++) {
        FROCC_SIMD
        for (int l = 0; l < LANES; l++)
            frocc__philox_round(&words[0][l], &words[1][l], &words[2][l], &words[3][l], key0, key1);
        key0 += FROCC_PHILOX_WEYL0;
        key1 += FROCC_PHILOX_WEYL1;
    }
}
#endif

/* Normals are drawn LANES counters at a time; a counter gives four words, two pairs of normals. */
FROCC_TARGET static void FROCC_LEVEL(draw_words)(uint64_t seed, uint32_t first, uint32_t step,
                                                 uint32_t first_quad, uint32_t words[4][LANES]) {
    for (uint32_t l = 0; l < LANES; l++) {
        words[0][l] = first_quad + l / FROCC_BLOCK;
        words[1][l] = first + l % FROCC_BLOCK * step;
        words[2][l] = FROCC_STREAM_DIRECTIONS;
        words[3][l] = 0;
    }
    FROCC_LEVEL(philox_lanes)(seed, words);
}

/* Two pairs of words to four normals. In short loops, so that a CPU sees many chains at once. */
FROCC_TARGET static inline void FROCC_LEVEL(draw_fours)(uint32_t words[4][LANES],
                                                        float normals[4][LANES]) {
    float radius[2][LANES], sine[2][LANES], cosine[2][LANES];
    for (int pair = 0; pair < 2; pair++) {
        FROCC_SIMD
        for (int l = 0; l < LANES; l++)
            radius[pair][l] = frocc__normal_square(words[2 * pair][l]);
    }
    for (int pair = 0; pair < 2; pair++) {
        FROCC_SIMD
        for (int l = 0; l < LANES; l++)
            frocc__normal_angle(words[2 * pair + 1][l], &sine[pair][l], &cosine[pair][l]);
    }
    FROCC_LEVEL(square_roots)(radius[0], 2 * LANES);
    for (int pair = 0; pair < 2; pair++) {
        FROCC_SIMD
        for (int l = 0; l < LANES; l++) {
            normals[2 * pair][l] = radius[pair][l] * cosine[pair][l];
            normals[2 * pair + 1][l] = radius[pair][l] * sine[pair][l];
        }
    }
}

/* Some features' components join the chains of the squared lengths. In doubles first, for vectors
 * of those. */
FROCC_TARGET static inline void FROCC_LEVEL(add_squares)(float normals[4][LANES], size_t n_features,
                                                         double squares[FROCC_BLOCK]) {
    double doubles[4][LANES];
    for (int i = 0; i < 4; i++) {
        FROCC_SIMD
        for (int l = 0; l < LANES; l++)
            doubles[i][l] = (double)normals[i][l];
    }
    for (size_t k = 0; k < n_features; k++) {
        const double *components = &doubles[k % 4][k / 4 * FROCC_BLOCK];
        FROCC_SIMD
        for (int c = 0; c < FROCC_BLOCK; c++)
            squares[c] = fma(components[c], components[c], squares[c]);
    }
}

FROCC_TARGET static void FROCC_LEVEL(draw_normals)(uint64_t seed, uint32_t first, uint32_t step,
                                                   size_t n_features, float *w,
                                                   double squares[FROCC_BLOCK]) {
    for (size_t j = 0; j < n_features; j += 4 * QUADS) {
        uint32_t words[4][LANES];
        float normals[4][LANES];
        size_t count = FROCC_MIN(n_features - j, (size_t)(4 * QUADS));
        FROCC_LEVEL(draw_words)(seed, first, step, (uint32_t)(j / 4), words);
        FROCC_LEVEL(draw_fours)(words, normals);
        for (size_t k = 0; k < count; k++)
            memcpy(w + (j + k) * FROCC_BLOCK, &normals[k % 4][k / 4 * FROCC_BLOCK],
                   FROCC_BLOCK * sizeof(float));
        FROCC_LEVEL(add_squares)(normals, count, squares);
    }
}

/* Components of as many features as fill the lanes of a float vector are scaled at once. */
FROCC_TARGET static void FROCC_LEVEL(scale_block)(const double factor[FROCC_BLOCK],
                                                  size_t n_features, float *w) {
    double factors[LANES];
    for (int l = 0; l < LANES; l++)
        factors[l] = factor[l % FROCC_BLOCK];
    const size_t count = n_features * FROCC_BLOCK, whole = count / LANES * LANES;
    for (size_t i = 0; i < whole; i += LANES) {
        FROCC_SIMD
        for (int l = 0; l < LANES; l++)
            w[i + (size_t)l] = (float)((double)w[i + (size_t)l] * factors[l]);
    }
    for (size_t i = whole; i < count; i++)
        w[i] = (float)((double)w[i] * factors[i - whole]);
}

FROCC_TARGET static void FROCC_LEVEL(draw_block)(uint64_t seed, uint32_t first, uint32_t step,
                                                 size_t n_features, float *w) {
    double squares[FROCC_BLOCK] = {0};
    FROCC_LEVEL(draw_normals)(seed, first, step, n_features, w, squares);
    double inverse[FROCC_BLOCK];
    for (int c = 0; c < FROCC_BLOCK; c++) {
        if (squares[c] == 0.0) /* all components 0: one chance in 2^24 when there is one feature */
            w[c] = 1.0f, squares[c] = 1.0;
        inverse[c] = 1.0 / sqrt(squares[c]);
    }
    FROCC_LEVEL(scale_block)(inverse, n_features, w);
}

#undef QUADS
#undef LANES
