/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The directions of a frame, by family. Whatever the family, direction i is a function of the seed,
 * i and what the sample taught; it never depends on how many directions there are.
 */
#include "directions.h"

#include <string.h>

#include "mem.h"
#include "random.h"

/* The mixed family goes round: whitened over all features, then over 2, 3 and 4 features. */
#define MIXED_PERIOD 4

bool frocc__is_whitened(const frocc_frame *frame, size_t direction) {
    if (frame->n_features > FROCC_MOST_WHITENED)
        return false;
    if (frame->family == FROCC_FAMILY_MIXED)
        return direction % MIXED_PERIOD == 0;
    return frame->family == FROCC_FAMILY_GAUSSIAN && frame->scaling == FROCC_SCALING_WHITEN;
}

bool frocc__has_whitened(const frocc_frame *frame) {
    return frocc__is_whitened(frame, 0);
}

static float *component(const frocc_frame *frame, size_t i, size_t j) {
    return &frame->w[(i / FROCC_BLOCK * frame->n_features + j) * FROCC_BLOCK + i % FROCC_BLOCK];
}

/* ---- Over few features ---------------------------------------------------------------------- */

/*
 * Features are dealt out from random permutations, k at a time until fewer are left, so that all
 * are used about equally often and no direction meets one twice.
 */
typedef struct permutations {
    uint64_t seed;
    uint32_t k; /* each number of features has permutations of its own */
    size_t n_features;
    uint64_t pass; /* which permutation order holds; UINT64_MAX for none yet */
    int32_t *order;
} permutations;

/* Fisher and Yates. The bias of scaling 32 random bits is below d / 2^32. */
static void shuffle(permutations *stream, uint64_t pass) {
    for (size_t i = 0; i < stream->n_features; i++)
        stream->order[i] = (int32_t)i;
    uint32_t words[4];
    for (size_t i = stream->n_features - 1; i > 0; i--) {
        memcpy(words,
               ((uint32_t[4]){(uint32_t)i, (uint32_t)pass, FROCC_STREAM_PERMUTATIONS, stream->k}),
               sizeof words);
        frocc__philox(stream->seed, words);
        size_t j = (size_t)((uint64_t)words[0] * (i + 1) >> 32);
        int32_t swapped = stream->order[i];
        stream->order[i] = stream->order[j];
        stream->order[j] = swapped;
    }
    stream->pass = pass;
}

/* The features of direction number t of those over k features. */
static const int32_t *deal(permutations *stream, uint64_t t) {
    uint64_t hands = FROCC_MAX(stream->n_features / stream->k, (size_t)1);
    if (t / hands != stream->pass)
        shuffle(stream, t / hands);
    return stream->order + t % hands * stream->k;
}

static void draw_weights(uint64_t seed, uint32_t direction, float weights[4]) {
    uint32_t words[4] = {0, direction, FROCC_STREAM_WEIGHTS, 0};
    frocc__philox(seed, words);
    for (int pair = 0; pair < 2; pair++) {
        float square, sine, cosine;
        frocc__normal_parts(words[2 * pair], words[2 * pair + 1], &square, &sine, &cosine);
        float radius = sqrtf(square);
        weights[2 * pair] = radius * cosine;
        weights[2 * pair + 1] = radius * sine;
    }
}

static void draw_few(const frocc_frame *frame, size_t direction, permutations *stream) {
    float weights[4];
    draw_weights(frame->seed, (uint32_t)direction, weights);
    for (size_t j = 0; j < frame->n_features; j++)
        *component(frame, direction, j) = 0.0f;
    const int32_t *features = deal(stream, direction / MIXED_PERIOD);
    for (uint32_t s = 0; s < stream->k; s++)
        *component(frame, direction, (size_t)features[s]) = weights[s];
    double square = 0.0;
    for (size_t j = 0; j < frame->n_features; j++) {
        double value = (double)*component(frame, direction, j);
        square += value * value;
    }
    if (square == 0.0) { /* one chance in 2^24 and less */
        *component(frame, direction, (size_t)features[0]) = 1.0f;
        square = 1.0;
    }
    for (size_t j = 0; j < frame->n_features; j++)
        *component(frame, direction, j) =
            (float)((double)*component(frame, direction, j) / sqrt(square));
}

static frocc_status draw_all_few(const frocc_frame *frame) {
    int32_t *order = frocc__alloc(frame->n_features, sizeof(int32_t));
    if (order == NULL)
        return FROCC_ERR_MEMORY;
    for (uint32_t rest = 1; rest < MIXED_PERIOD; rest++) {
        uint32_t k = FROCC_MAX((uint32_t)FROCC_MIN((size_t)rest + 1, frame->n_features), 1u);
        permutations stream = {frame->seed, k, frame->n_features, UINT64_MAX, order};
        for (size_t i = rest; i < frame->n_directions; i += MIXED_PERIOD)
            draw_few(frame, i, &stream);
    }
    frocc__free(order);
    return FROCC_OK;
}

/* ---- All ------------------------------------------------------------------------------------ */

static void draw_gaussian(const frocc_frame *frame, int threads) {
    (void)threads;
    FROCC_OMP(parallel for num_threads(threads) if (threads > 1) schedule(static))
    for (size_t b = 0; b < frame->n_blocks; b++)
        frame->kernels->draw_block(frame->seed, (uint32_t)(b * FROCC_BLOCK), frame->n_features,
                                   component(frame, b * FROCC_BLOCK, 0));
}

frocc_status frocc__directions_draw(const frocc_frame *frame, const frocc__whitening *whitening,
                                    int threads) {
    draw_gaussian(frame, threads);
    for (size_t b = 0; whitening != NULL && b < frame->n_blocks; b++)
        frocc__whiten_block(frame->kernels, whitening, component(frame, b * FROCC_BLOCK, 0));
    for (size_t i = frame->n_directions; i < frame->n_blocks * FROCC_BLOCK; i++)
        for (size_t j = 0; j < frame->n_features; j++)
            *component(frame, i, j) = 0.0f; /* equal frames have equal padding */
    return frame->family == FROCC_FAMILY_MIXED ? draw_all_few(frame) : FROCC_OK;
}

void frocc__directions_set(const frocc_frame *frame, size_t direction, const float *values) {
    for (size_t j = 0; j < frame->n_features; j++)
        *component(frame, direction, j) = values[j];
}
