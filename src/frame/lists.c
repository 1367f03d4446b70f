/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawing directions over few features: O(1) random numbers per entry of the lists. */
#include "frame/lists.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/random.h"

frocc_status frocc__lists_new(size_t n_directions, const uint32_t *count, frocc__lists *lists) {
    *lists = (frocc__lists){.start = frocc__alloc(n_directions + 1, sizeof(size_t))};
    if (lists->start == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < n_directions; i++)
        lists->start[i + 1] = lists->start[i] + count[i];
    lists->features = frocc__alloc(lists->start[n_directions], sizeof(int32_t));
    lists->weights = frocc__alloc(lists->start[n_directions], sizeof(float));
    if (lists->features != NULL && lists->weights != NULL)
        return FROCC_OK;
    frocc__lists_free(lists);
    return FROCC_ERR_MEMORY;
}

void frocc__lists_free(frocc__lists *lists) {
    frocc__free(lists->start);
    frocc__free(lists->features);
    frocc__free(lists->weights);
    *lists = (frocc__lists){0};
}

/* ---- Features ------------------------------------------------------------------------------- */

/*
 * Features are dealt out from random permutations, k at a time until fewer are left, so that no
 * direction has one twice.
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
    const uint64_t hands = FROCC_MAX(stream->n_features / FROCC_MAX(stream->k, 1u), (size_t)1);
    if (t / hands != stream->pass)
        shuffle(stream, t / hands);
    return stream->order + t % hands * stream->k;
}

/* ---- Weights -------------------------------------------------------------------------------- */

static void draw_four(uint64_t seed, uint32_t direction, uint32_t quad, float weights[4]) {
    uint32_t words[4] = {quad, direction, FROCC_STREAM_WEIGHTS, 0};
    frocc__philox(seed, words);
    for (int pair = 0; pair < 2; pair++) {
        float sine, cosine, radius = sqrtf(frocc__normal_square(words[2 * pair]));
        frocc__normal_angle(words[2 * pair + 1], &sine, &cosine);
        weights[2 * pair] = radius * cosine;
        weights[2 * pair + 1] = radius * sine;
    }
}

static void draw_weights(uint64_t seed, uint32_t direction, size_t count, float *weights) {
    for (size_t s = 0; s < count; s += 4) {
        float four[4];
        draw_four(seed, direction, (uint32_t)(s / 4), four);
        memcpy(weights + s, four, FROCC_MIN(count - s, (size_t)4) * sizeof(float));
    }
}

/* By Shell, with gaps of 3^k: lists may be long, and no feature comes twice. */
static void sort_by_feature(int32_t *features, float *weights, size_t count) {
    size_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (size_t i = gap; i < count; i++) {
            int32_t feature = features[i];
            float weight = weights[i];
            size_t at = i;
            for (; at >= gap && features[at - gap] > feature; at -= gap) {
                features[at] = features[at - gap];
                weights[at] = weights[at - gap];
            }
            features[at] = feature;
            weights[at] = weight;
        }
}

static void make_unit(float *weights, size_t count) {
    double square = 0.0;
    for (size_t s = 0; s < count; s++)
        square += (double)weights[s] * (double)weights[s];
    if (square == 0.0) { /* one chance in 2^24 and less */
        weights[0] = 1.0f;
        square = 1.0;
    }
    for (size_t s = 0; s < count; s++)
        weights[s] = (float)((double)weights[s] / sqrt(square));
}

/* A feature of a dealt column, or of the numbers alone where each is dealt out by itself. */
static int32_t feature_of(const frocc__draw *from, bool is_single, uint32_t direction,
                          uint32_t entry, int32_t dealt) {
    const frocc__columns *c = from->columns;
    if (c->n_codes == 0)
        return dealt;
    if (is_single) { /* of the inputs, the so manieth that is no code */
        size_t j = 0;
        for (int32_t left = dealt; c->is_code[j] || left-- > 0;)
            j++;
        return (int32_t)j;
    }
    const uint32_t first = c->dealt.start[dealt], count = c->dealt.start[dealt + 1] - first;
    uint32_t words[4] = {entry, direction, FROCC_STREAM_COLUMNS, 0};
    frocc__philox(from->seed, words);
    return (int32_t)c->dealt.features[first + (uint32_t)((uint64_t)words[0] * count >> 32)];
}

frocc_status frocc__lists_draw(frocc__lists *lists, const frocc__draw *from, uint8_t kind,
                               uint32_t k, bool is_single) {
    const size_t n_dealt =
        is_single ? from->columns->n_numbers : frocc__dealt_columns(from->columns);
    int32_t *order = frocc__alloc(n_dealt, sizeof(int32_t));
    if (order == NULL)
        return FROCC_ERR_MEMORY;
    permutations stream = {from->seed, k, n_dealt, UINT64_MAX, order};
    uint64_t turn = 0;
    for (size_t i = 0; i < from->n_directions && k > 0 && n_dealt > 0; i++) {
        if (from->kinds[i] != kind)
            continue;
        int32_t *features = lists->features + lists->start[i];
        float *weights = lists->weights + lists->start[i];
        memcpy(features, deal(&stream, turn++), k * sizeof(int32_t));
        for (uint32_t s = 0; s < k; s++)
            features[s] = feature_of(from, is_single, (uint32_t)i, s, features[s]);
        draw_weights(from->seed, (uint32_t)i, k, weights);
        sort_by_feature(features, weights, k);
        make_unit(weights, k);
        if (k == 1)
            weights[0] = 1.0f;
    }
    frocc__free(order);
    return FROCC_OK;
}

void frocc__lists_unpack(const frocc__lists *lists, size_t direction, size_t n_features,
                         float *out) {
    memset(out, 0, n_features * sizeof(float));
    for (size_t e = lists->start[direction]; e < lists->start[direction + 1]; e++)
        out[lists->features[e]] = lists->weights[e];
}
