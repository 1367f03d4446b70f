/* SPDX-License-Identifier: BSD-3-Clause */
/* Coarse directions, and the reference of the kernels for them. */
#include "kernels/coarse.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

size_t frocc__coarse_size(size_t n_features) {
    return (n_features + FROCC_COARSE_STEP - 1) / FROCC_COARSE_STEP * FROCC_COARSE_STEP;
}

void frocc__coarse_free(frocc__coarse *coarse) {
    frocc__free(coarse->w);
    frocc__free(coarse->of_lost);
    frocc__free(coarse->of_length);
    *coarse = (frocc__coarse){0};
}

/* The nearest number of 8 significant bits, ties to even; value is finite. */
static uint16_t round_to_8_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float coarse_value(uint16_t rounded) {
    uint32_t bits = (uint32_t)rounded << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Blocks of shorter directions are never coarse: their numbers and products may be too small for
 * float32, and what is lost then is not in proportion to anything. */
#define SHORTEST 0x1p-40

/*
 * How far projections on a block can be off. Products are counted once for the exact sum and twice
 * for the coarse one, where tiles may round each of a pair; the other terms are for what is rounded
 * on the way: lengths of rows, which are sums in float32, and the bound itself.
 */
static void measure_block(const float *w, size_t n_features, float *of_lost, float *of_length) {
    double length[FROCC_BLOCK] = {0}, lost[FROCC_BLOCK] = {0}, longest = 0.0, most_lost = 0.0;
    for (size_t j = 0; j < n_features; j++)
        for (size_t c = 0; c < FROCC_BLOCK; c++) {
            float value = w[j * FROCC_BLOCK + c];
            double gone = (double)value - (double)coarse_value(round_to_8_bits(value));
            length[c] += (double)value * (double)value;
            lost[c] += gone * gone;
        }
    for (size_t c = 0; c < FROCC_BLOCK; c++) {
        longest = fmax(longest, sqrt(length[c]));
        most_lost = fmax(most_lost, sqrt(lost[c]));
    }
    const double terms = (double)n_features;
    const double slack = 1.0 + 0x1p-10 + terms * 0x1p-22;
    *of_lost = (float)(longest * slack);
    *of_length = (float)((most_lost + longest * (3.0 * terms + 128.0) * 0x1p-24) * slack);
    if (longest < SHORTEST)
        *of_length = INFINITY;
}

typedef struct taking {
    const frocc__kernels *kernels;
    const float *w;
    size_t n_blocks;
    frocc__coarse *coarse;
} taking;

static void take_pair(void *context, size_t pair) {
    const taking *job = context;
    frocc__coarse *coarse = job->coarse;
    const size_t d = coarse->n_features, block_size = d * FROCC_BLOCK, b = 2 * pair;
    const float *first = job->w + b * block_size;
    const float *second = b + 1 < job->n_blocks ? first + block_size : NULL;
    job->kernels->coarse->take_pair(first, second, d,
                                    coarse->w + b * FROCC_BLOCK * frocc__coarse_size(d));
    measure_block(first, d, &coarse->of_lost[b], &coarse->of_length[b]);
    if (second != NULL)
        measure_block(second, d, &coarse->of_lost[b + 1], &coarse->of_length[b + 1]);
}

frocc_status frocc__coarse_new(const frocc__kernels *kernels, const float *w, size_t n_features,
                               size_t n_blocks, int threads, frocc__coarse *coarse) {
    const size_t size = frocc__coarse_size(n_features), n_pairs = (n_blocks + 1) / 2;
    *coarse = (frocc__coarse){
        .n_features = n_features,
        .w = frocc__alloc_raw(n_pairs * 2 * FROCC_BLOCK, size * sizeof(uint16_t)),
        .of_lost = frocc__alloc(n_blocks, sizeof(float)),
        .of_length = frocc__alloc(n_blocks, sizeof(float)),
    };
    if (coarse->w == NULL || coarse->of_lost == NULL || coarse->of_length == NULL) {
        frocc__coarse_free(coarse);
        return FROCC_ERR_MEMORY;
    }
    taking job = {kernels, w, n_blocks, coarse};
    frocc__run_each(frocc__team_for(threads, (double)n_blocks * FROCC_BLOCK * (double)n_features),
                    n_pairs, take_pair, &job);
    return FROCC_OK;
}

/* ---- Reference kernels ---------------------------------------------------------------------- */

static bool may_be_used_ref(void) {
    return true;
}

static void take_panel_ref(const float *x, size_t n_features, frocc__coarse_panel coarse) {
    for (size_t r = 0; r < FROCC_PANEL; r++) {
        float kept = 0.0f, gone = 0.0f;
        for (size_t j = 0; j < n_features; j++) {
            float value = x[j * FROCC_PANEL + r];
            coarse.x[j * FROCC_PANEL + r] = round_to_8_bits(value);
            float rounded = coarse_value(coarse.x[j * FROCC_PANEL + r]);
            kept += rounded * rounded;
            gone += (value - rounded) * (value - rounded);
        }
        coarse.length[r] = sqrtf(kept) + frocc__coarse_least(n_features);
        coarse.lost[r] = sqrtf(gone) + frocc__coarse_least(n_features);
    }
}

/* One block after the other. */
static void take_pair_ref(const float *first, const float *second, size_t n_features,
                          uint16_t *coarse) {
    const size_t count = n_features * FROCC_BLOCK;
    for (size_t i = 0; i < count; i++)
        coarse[i] = round_to_8_bits(first[i]);
    for (size_t i = 0; second != NULL && i < count; i++)
        coarse[count + i] = round_to_8_bits(second[i]);
}

static bool is_sure(const frocc__coarse *w, size_t block, size_t c, const frocc__coarse_panel *x,
                    size_t r, float lower, float upper) {
    const size_t size = frocc__coarse_size(w->n_features) * 2 * FROCC_BLOCK;
    const uint16_t *direction =
        w->w + block / 2 * size + block % 2 * w->n_features * FROCC_BLOCK + c;
    float sum = 0.0f;
    for (size_t j = 0; j < w->n_features; j++)
        sum += coarse_value(x->x[j * FROCC_PANEL + r]) * coarse_value(direction[j * FROCC_BLOCK]);
    float off = x->lost[r] * w->of_lost[block] + x->length[r] * w->of_length[block];
    return sum - upper <= -off && lower - sum <= -off; /* false for NaN */
}

static void find_unsure_ref(const frocc__coarse *w, size_t first_block, size_t n_blocks,
                            const float *lower, const float *upper,
                            const frocc__coarse_panel *panels, size_t n_panels,
                            frocc__fetching *next) {
    frocc__fetch(next, n_panels * n_blocks);
    for (size_t p = 0; p < n_panels; p++)
        for (size_t b = 0; b < n_blocks; b++) {
            panels[p].unsure[b] = 0;
            for (size_t i = 0; i < FROCC_TILE; i++) {
                size_t c = i / FROCC_PANEL, r = i % FROCC_PANEL;
                size_t slot = (first_block + b) * FROCC_BLOCK + c;
                bool sure = is_sure(w, first_block + b, c, &panels[p], r, lower[slot], upper[slot]);
                panels[p].unsure[b] |= (frocc__row_mask)!sure << r;
            }
        }
}

static void project_pairs_ref(const frocc__pair *pairs, size_t count, size_t stride,
                              size_t n_features, bool goes_on) {
    for (const frocc__pair *pair = pairs; pair < pairs + count; pair++)
        for (size_t c = 0; c < FROCC_BLOCK; c++) {
            float sum = goes_on ? pair->sums[c * FROCC_PANEL] : 0.0f;
            for (size_t j = 0; j < n_features; j++)
                sum = fmaf(pair->row[j * stride], pair->w[j * FROCC_BLOCK + c], sum);
            pair->sums[c * FROCC_PANEL] = sum;
        }
}

static void project_rows_ref(const float *x, frocc__row_mask rows, const float *w,
                             size_t n_features, bool goes_on, float *tile) {
    for (; rows != 0; rows &= rows - 1) {
        const size_t r = (size_t)__builtin_ctzll(rows);
        project_pairs_ref(&(frocc__pair){x + r, w, tile + r}, 1, FROCC_PANEL, n_features, goes_on);
    }
}

const frocc__coarse_kernels frocc__coarse_kernels_ref = {
    .may_be_used = may_be_used_ref,
    .take_panel = take_panel_ref,
    .take_pair = take_pair_ref,
    .find_unsure = find_unsure_ref,
    .project_pairs = project_pairs_ref,
    .project_rows = project_rows_ref,
};
