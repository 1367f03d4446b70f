/* SPDX-License-Identifier: BSD-3-Clause */
/* Structured directions: their signs, and what a bundle makes of rows. */
#include "frame/hadamard.h"

#include <math.h>

#include "base/memory.h"
#include "kernels/random.h"

#define ROUNDS 3

static size_t n_bundles(const frocc__bundles *bundles, size_t n_directions) {
    return (n_directions + bundles->size - 1) / bundles->size;
}

/* Sign number i of all signs of all bundles: a bit of the generator's words. */
static void draw_signs(float *signs, size_t count, uint64_t seed, float magnitude) {
    for (size_t first = 0; first < count; first += 128) {
        uint64_t number = first / 128;
        uint32_t words[4] = {(uint32_t)number, (uint32_t)(number >> 32), FROCC_STREAM_SIGNS, 0};
        frocc__philox(seed, words);
        for (size_t i = 0; i < 128 && first + i < count; i++)
            signs[first + i] = words[i / 32] >> i % 32 & 1 ? -magnitude : magnitude;
    }
}

/*
 * Segments up to this size are first-level cache and few steps; larger ones are made only where
 * there would be more of them than runs in one, when a segment could not take from all others.
 */
#define USUAL_SEGMENT 1024

frocc__scrambling frocc__scrambling_of(size_t n_features) {
    size_t segment = FROCC_RUN;
    while (segment < n_features &&
           (segment < USUAL_SEGMENT || segment / FROCC_RUN * segment < n_features))
        segment *= 2;
    return (frocc__scrambling){.segment = segment,
                               .n_segments = (n_features + segment - 1) / segment};
}

/*
 * A transform of size 2^k makes vectors 2^(k/2) times as long; signs of size 2^-ceil(k/2) take that
 * back, exactly, and leave a square root of 2 per round when k is odd.
 */
frocc_status frocc__bundles_new(size_t n_features, size_t n_directions, uint64_t seed,
                                frocc__bundles *bundles) {
    frocc__scrambling how = frocc__scrambling_of(n_features);
    *bundles = (frocc__bundles){.size = how.segment * how.n_segments,
                                .work = how.segment * (how.n_segments + 1)};
    int k = __builtin_ctzll(how.segment);
    double share = (double)bundles->size / (double)n_features;
    how.scale = (float)sqrt(k % 2 == 0 ? share : 8.0 * share);
    bundles->how = how;
    size_t count = n_bundles(bundles, n_directions) * ROUNDS * bundles->size;
    bundles->signs = frocc__alloc(count, sizeof(float));
    if (bundles->signs == NULL)
        return FROCC_ERR_MEMORY;
    draw_signs(bundles->signs, count, seed, ldexpf(1.0f, -(k + 1) / 2));
    return FROCC_OK;
}

void frocc__bundles_free(frocc__bundles *bundles) {
    frocc__free(bundles->signs);
    *bundles = (frocc__bundles){0};
}

void frocc__bundles_project(const frocc__bundles *bundles, const frocc__kernels *kernels,
                            const float *row, size_t n_features, size_t n_directions, float *work,
                            float *out) {
    const size_t size = bundles->size;
    for (size_t b = 0; b < n_bundles(bundles, n_directions); b++)
        kernels->scramble(row, n_features, &bundles->how, bundles->signs + b * ROUNDS * size,
                          FROCC_MIN(n_directions - b * size, size), work, out + b * size);
}

/* The transform of a segment whose runs are stride apart. */
static void transform_doubles(double *x, size_t stride, size_t segment) {
    for (size_t half = segment / 2; half > 0; half /= 2)
        for (size_t i = 0; i < segment; i++) {
            if ((i & half) != 0)
                continue;
            double *a = &x[i / FROCC_RUN * stride + i % FROCC_RUN];
            double *b = &x[(i + half) / FROCC_RUN * stride + (i + half) % FROCC_RUN];
            double sum = *a + *b, difference = *a - *b;
            *a = sum;
            *b = difference;
        }
}

static void transform_round(const frocc__scrambling *how, int round, double *x) {
    for (size_t b = 0; b < how->n_segments; b++) {
        if (round == 1)
            transform_doubles(x + b * FROCC_RUN, how->n_segments * FROCC_RUN, how->segment);
        else
            transform_doubles(x + b * how->segment, FROCC_RUN, how->segment);
    }
}

/* The transforms are their own transposes, so a direction is the rounds backwards from a unit
 * vector. Sums of so few signs are exact in double. */
void frocc__bundles_unpack(const frocc__bundles *bundles, size_t direction, size_t n_features,
                           double *work, float *out) {
    const size_t size = bundles->size;
    const float *signs = bundles->signs + direction / size * ROUNDS * size;
    for (size_t i = 0; i < size; i++)
        work[i] = i == direction % size ? 1.0 : 0.0;
    for (int round = ROUNDS - 1; round >= 0; round--) {
        transform_round(&bundles->how, round, work);
        for (size_t i = 0; i < size; i++)
            work[i] *= (double)signs[(size_t)round * size + i];
    }
    for (size_t j = 0; j < n_features; j++)
        out[j] = (float)(work[j] * (double)bundles->how.scale);
}
