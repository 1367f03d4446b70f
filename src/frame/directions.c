/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The directions of a frame, by family. Whatever the family, direction i is a function of the seed,
 * i and what the sample taught; it never depends on how many directions there are.
 */
#include "frame/directions.h"

#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/threads.h"

/* The mixed family goes round: over all features, whitened, then over 2, 3 and 4 features. */
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

/* Which directions are kept as all their components: every step-th, or for 0 none. */
static size_t dense_step(frocc_family family) {
    switch (family) {
    case FROCC_FAMILY_MIXED:
        return MIXED_PERIOD;
    case FROCC_FAMILY_HADAMARD:
    case FROCC_FAMILY_SPARSE:
        return 0;
    default:
        return 1;
    }
}

static float *component(const frocc_frame *frame, size_t dense, size_t j) {
    return &frame->w[(dense / FROCC_BLOCK * frame->n_features + j) * FROCC_BLOCK +
                     dense % FROCC_BLOCK];
}

/* ---- Dense ---------------------------------------------------------------------------------- */

static frocc_status make_dense(frocc_frame *frame) {
    frame->dense_step = dense_step(frame->family);
    if (frame->dense_step == 0)
        return FROCC_OK;
    frame->n_dense = (frame->n_directions + frame->dense_step - 1) / frame->dense_step;
    frame->n_dense_blocks = (frame->n_dense + FROCC_BLOCK - 1) / FROCC_BLOCK;
    frame->w =
        frocc__alloc_raw(frame->n_dense_blocks * FROCC_BLOCK, frame->n_features * sizeof(float));
    return frame->w != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

static void draw_block(void *context, size_t b) {
    const frocc_frame *frame = context;
    frame->kernels->draw_block(frame->seed, (uint32_t)(b * FROCC_BLOCK * frame->dense_step),
                               (uint32_t)frame->dense_step, frame->n_features,
                               component(frame, b * FROCC_BLOCK, 0));
}

/* The components of a block that directions look at, close together. */
static void gather(const frocc__columns *columns, float *block) {
    for (size_t k = 0; k < columns->n_usable; k++)
        memmove(block + k * FROCC_BLOCK, block + columns->usable[k] * (size_t)FROCC_BLOCK,
                FROCC_BLOCK * sizeof(float));
}

static void make_units(size_t d, float *block) {
    for (size_t lane = 0; lane < FROCC_BLOCK; lane++) {
        double square = 0.0;
        for (size_t k = 0; k < d; k++)
            square += (double)block[k * FROCC_BLOCK + lane] * (double)block[k * FROCC_BLOCK + lane];
        for (size_t k = 0; k < d && square > 0.0; k++)
            block[k * FROCC_BLOCK + lane] =
                (float)((double)block[k * FROCC_BLOCK + lane] / sqrt(square));
    }
}

/* And back to where they belong, with 0 for codes. */
static void scatter(const frocc_frame *frame, float *block, bool are_shorter) {
    const frocc__columns *c = &frame->columns;
    if (are_shorter)
        make_units(c->n_usable, block);
    for (size_t j = frame->n_features, k = c->n_usable; j-- > 0;) {
        const bool is_usable = k > 0 && c->usable[k - 1] == j;
        if (is_usable)
            memmove(block + j * FROCC_BLOCK, block + --k * FROCC_BLOCK,
                    FROCC_BLOCK * sizeof(float));
        else
            memset(block + j * FROCC_BLOCK, 0, FROCC_BLOCK * sizeof(float));
    }
}

/* Every other dense direction of the family mixed is a principal one, as long as there are some. */
static void set_principal(const frocc_frame *frame, const frocc__whitening *whitening, size_t i) {
    const size_t dense = 2 * i + 1, d = whitening->n_features;
    if (frame->family != FROCC_FAMILY_MIXED || dense >= frame->n_dense)
        return;
    for (size_t j = 0; j < frame->n_features; j++)
        *component(frame, dense, j) = 0.0f;
    for (size_t k = 0; k < d; k++) {
        const size_t j = frame->columns.n_codes > 0 ? frame->columns.usable[k] : k;
        *component(frame, dense, j) = whitening->principal[i * d + k];
    }
}

static frocc_status draw_dense(frocc_frame *frame, const frocc__whitening *whitening, int threads) {
    /* A component takes about as long as eight steps of a projection. */
    const double work = 8.0 * (double)frame->n_dense * (double)frame->n_features;
    const size_t at_once = ((size_t)1 << 22) / (FROCC_BLOCK * frame->n_features) + 1;
    FROCC_TRY(frocc__run_cancellable(frocc__team_for(threads, work), frame->n_dense_blocks, at_once,
                                     draw_block, frame));
    const bool has_codes = frame->columns.n_codes > 0;
    for (size_t b = 0; b < frame->n_dense_blocks; b++) {
        float *block = component(frame, b * FROCC_BLOCK, 0);
        FROCC_TRY(frocc__check_cancelled());
        if (has_codes)
            gather(&frame->columns, block);
        if (whitening != NULL)
            frocc__whiten_block(frame->kernels, whitening, block);
        if (has_codes)
            scatter(frame, block, whitening == NULL);
    }
    for (size_t i = 0; whitening != NULL && i < whitening->n_principal; i++)
        set_principal(frame, whitening, i);
    return FROCC_OK;
}

/* Equal frames have equal padding. */
static void clear_padding(const frocc_frame *frame) {
    for (size_t i = frame->n_dense; i < frame->n_dense_blocks * FROCC_BLOCK; i++)
        for (size_t j = 0; j < frame->n_features; j++)
            *component(frame, i, j) = 0.0f;
}

static void set_dense(const frocc_frame *frame, size_t direction, const float *values) {
    for (size_t j = 0; j < frame->n_features; j++)
        *component(frame, direction / frame->dense_step, j) = values[j];
}

/* ---- Over few features ---------------------------------------------------------------------- */

/* What a direction of the family mixed is over: 0 for all features, or how many; of every four, one
 * is a single feature as long as there are some that had no turn yet. */
static uint8_t mixed_kind(size_t n_numbers, size_t direction) {
    const size_t turn = direction / MIXED_PERIOD;
    switch (direction % MIXED_PERIOD) {
    case 0:
        return 0;
    case 1:
        return turn < FROCC_MIN(n_numbers, (size_t)FROCC_MOST_SINGLES) ? 1 : 2;
    case 2:
        return 2;
    default:
        return turn % 2 == 0 ? 3 : 4;
    }
}

bool frocc__is_single(const frocc_frame *frame, size_t direction) {
    return frame->family == FROCC_FAMILY_MIXED &&
           mixed_kind(frame->columns.n_numbers, direction) == 1;
}

frocc_status frocc__directions_for_trees(const frocc_frame *frame, size_t n_directions,
                                         uint32_t **listed, size_t *n_listed) {
    const size_t most = FROCC_MIN(n_directions, (size_t)65536);
    uint32_t *made = frocc__alloc(most, sizeof *made);
    if (made == NULL)
        return FROCC_ERR_MEMORY;
    size_t count = 0;
    for (size_t i = 0; i < most; i++)
        if (!frocc__is_single(frame, i))
            made[count++] = (uint32_t)i;
    *listed = made;
    *n_listed = count;
    return FROCC_OK;
}

/* How many features a list of this kind has. */
static uint32_t list_length(const frocc_frame *frame, uint8_t kind) {
    if (frame->family == FROCC_FAMILY_SPARSE)
        return (uint32_t)FROCC_MIN((size_t)frame->direction_features,
                                   frocc__dealt_columns(&frame->columns));
    return (uint32_t)FROCC_MIN((size_t)kind, frocc__dealt_columns(&frame->columns));
}

static frocc_status draw_kinds(frocc_frame *frame, const uint8_t *kinds, uint32_t *lengths) {
    for (size_t i = 0; i < frame->n_directions; i++)
        lengths[i] = kinds[i] > 0 ? list_length(frame, kinds[i]) : 0;
    FROCC_TRY(frocc__lists_new(frame->n_directions, lengths, &frame->lists));
    const frocc__draw from = {&frame->columns, frame->n_directions, kinds, frame->seed};
    const bool has_singles = frame->family == FROCC_FAMILY_MIXED;
    for (uint8_t kind = 1; kind <= MIXED_PERIOD; kind++)
        FROCC_TRY(frocc__lists_draw(&frame->lists, &from, kind, list_length(frame, kind),
                                    kind == 1 && has_singles));
    return FROCC_OK;
}

static frocc_status draw_lists(frocc_frame *frame) {
    uint8_t *kinds = frocc__alloc(frame->n_directions, sizeof(uint8_t));
    uint32_t *lengths = frocc__alloc(frame->n_directions, sizeof(uint32_t));
    frocc_status status = FROCC_ERR_MEMORY;
    if (kinds != NULL && lengths != NULL) {
        for (size_t i = 0; i < frame->n_directions; i++)
            kinds[i] =
                frame->family == FROCC_FAMILY_SPARSE ? 1 : mixed_kind(frame->columns.n_numbers, i);
        status = draw_kinds(frame, kinds, lengths);
    }
    frocc__free(kinds);
    frocc__free(lengths);
    return status;
}

/* ---- All ------------------------------------------------------------------------------------ */

frocc_status frocc__directions_make(frocc_frame *frame, const frocc__whitening *whitening,
                                    const float *known, int threads) {
    FROCC_TRY(make_dense(frame));
    if (frame->family == FROCC_FAMILY_HADAMARD)
        return frocc__bundles_new(frame->n_features, frame->n_directions, frame->seed,
                                  &frame->bundles);
    if (frame->family != FROCC_FAMILY_GIVEN)
        FROCC_TRY(draw_dense(frame, whitening, threads));
    clear_padding(frame);
    for (size_t i = 0; known != NULL && i < frame->n_directions; i++)
        if (frocc__is_stored(frame, i)) {
            set_dense(frame, i, known);
            known += frame->n_features;
        }
    if (frame->family == FROCC_FAMILY_MIXED || frame->family == FROCC_FAMILY_SPARSE)
        return draw_lists(frame);
    return FROCC_OK;
}

bool frocc__is_stored(const frocc_frame *frame, size_t direction) {
    return frame->family == FROCC_FAMILY_GIVEN || frocc__is_whitened(frame, direction);
}

frocc_status frocc__directions_unpack(const frocc_frame *frame, size_t first, size_t count,
                                      float *out) {
    const size_t d = frame->n_features;
    if (frame->family == FROCC_FAMILY_HADAMARD) {
        double *work = frocc__alloc(frame->bundles.size, sizeof(double));
        if (work == NULL)
            return FROCC_ERR_MEMORY;
        for (size_t i = first; i < first + count; i++, out += d)
            frocc__bundles_unpack(&frame->bundles, i, d, work, out);
        frocc__free(work);
        return FROCC_OK;
    }
    for (size_t i = first; i < first + count; i++, out += d) {
        if (frame->dense_step == 0 || i % frame->dense_step != 0) {
            frocc__lists_unpack(&frame->lists, i, d, out);
            continue;
        }
        for (size_t j = 0; j < d; j++)
            out[j] = *component(frame, i / frame->dense_step, j);
    }
    return FROCC_OK;
}

frocc_status frocc_frame_copy_directions(const frocc_frame *frame, size_t first, size_t count,
                                         float *directions) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(frame);
    FROCC_REQUIRE(directions);
    if (first > frame->n_directions || count > frame->n_directions - first)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "directions %zu to %zu (from 0) are asked for; the frame has %zu", first,
                           first + count - 1, frame->n_directions);
    return frocc__directions_unpack(frame, first, count, directions);
}

/* ---- Choosing ------------------------------------------------------------------------------- */

/* Operations per row. A multiply-add of a dense panel is done in registers; an addition of a
 * transform, and an entry of a list, takes about as long as four of them. */
frocc_family frocc__choose_family(size_t n_features, size_t n_directions, double density) {
    const double slower = 4.0;
    double d = (double)n_features, m = (double)n_directions;
    frocc__scrambling how = frocc__scrambling_of(n_features);
    double segment = (double)how.segment, size = segment * (double)how.n_segments;
    double dense = d * m;
    double sparse = density > 0.0 ? slower * density * dense : HUGE_VAL;
    double hadamard = slower * ceil(m / size) * 3.0 * size * log2(segment);
    if (sparse < dense && sparse < hadamard)
        return FROCC_FAMILY_SPARSE;
    return hadamard < dense ? FROCC_FAMILY_HADAMARD : FROCC_FAMILY_GAUSSIAN;
}

uint32_t frocc__features_of_density(size_t n_features, double density) {
    double count = density > 0.0 ? density * (double)n_features : sqrt((double)n_features);
    return (uint32_t)FROCC_MIN(FROCC_MAX(ceil(count), 1.0), (double)n_features);
}
