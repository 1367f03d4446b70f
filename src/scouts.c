/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding scouts: O(rows x features x centres). Nothing but speed depends on how exact this is. */
#include "scouts.h"

#include <string.h>

#include "mem.h"
#include "one_row.h"
#include "wide.h"

/* A panel of scouts is too large a part of fewer panels than this. */
#define LEAST_PANELS 16

/* Where the first panels are sorted together, some are left to rows that are not scouts. */
#define OTHER_PANELS 2

/* Groups that can be told apart, from rows of so many panels; their middles are found in more. It
 * takes as long as so many directions, and so is for frames with many more. */
#define CENTRES 32
#define PANELS_WITH_ALL_GROUPS 2
#define PANELS_FOR_MIDDLES 10

/* Where there are more groups, all rows of those without a centre are far from any. So no centre
 * has many more scouts than its share; but there is an end to the looking for others. */
#define MOST_OF_SHARE 1.5
#define TRIES 4

frocc_status frocc__scouts_new(const frocc_frame *frame, size_t first_panels,
                               frocc__scouts *scouts) {
    const size_t n_rows = frocc__stripe_rows(frame, NULL), n_panels = n_rows / FROCC_PANEL;
    *scouts = (frocc__scouts){0};
    if (n_panels < LEAST_PANELS || frocc__is_wide(frame) || frocc__keeps_rows(frame))
        return FROCC_OK;
    const bool has_groups = first_panels > OTHER_PANELS && frame->n_directions >= 10 * CENTRES;
    const size_t n_centres = has_groups ? CENTRES : 0;
    *scouts = (frocc__scouts){
        .n_panels =
            has_groups ? FROCC_MIN(first_panels - OTHER_PANELS, n_panels / LEAST_PANELS) : 1,
        .n_centres = n_centres,
        .middle = frocc__alloc(frame->n_features, sizeof(float)),
        .centres = frocc__alloc_raw(n_centres, frame->n_features * sizeof(float)),
        .offsets = frocc__alloc_raw(n_centres, sizeof(float)),
        .sums = frocc__alloc_raw(n_centres, frame->n_features * sizeof(float)),
        .distance = frocc__alloc_raw(n_rows, sizeof(float)),
        .nearest = frocc__alloc_raw(n_rows, sizeof(uint8_t)),
        .most = frocc__alloc_raw(n_panels, sizeof(float)),
    };
    if (scouts->middle != NULL && scouts->centres != NULL && scouts->offsets != NULL &&
        scouts->sums != NULL && scouts->distance != NULL && scouts->nearest != NULL &&
        scouts->most != NULL)
        return FROCC_OK;
    frocc__scouts_free(scouts);
    return FROCC_ERR_MEMORY;
}

void frocc__scouts_free(frocc__scouts *scouts) {
    frocc__free(scouts->middle);
    frocc__free(scouts->centres);
    frocc__free(scouts->offsets);
    frocc__free(scouts->sums);
    frocc__free(scouts->distance);
    frocc__free(scouts->nearest);
    frocc__free(scouts->most);
    *scouts = (frocc__scouts){0};
}

static size_t find_largest(const float *values, size_t first, size_t end) {
    size_t at = first;
    for (size_t i = first + 1; i < end; i++)
        at = values[i] > values[at] ? i : at;
    return at;
}

/* ---- How far rows are out ------------------------------------------------------------------- */

static void find_middle(const float *x, size_t n_features, float *middle) {
    for (size_t j = 0; j < n_features; j++) {
        float sum = 0.0f;
        for (size_t r = 0; r < FROCC_PANEL; r++)
            sum += x[j * FROCC_PANEL + r];
        middle[j] = sum / FROCC_PANEL;
    }
}

/* The squared distance of a panel's rows from a point. */
static void measure_from(const float *x, const float *point, size_t n_features, float *distance) {
    memset(distance, 0, FROCC_PANEL * sizeof *distance);
    for (size_t j = 0; j < n_features; j++) {
        FROCC_OMP(simd)
        for (size_t r = 0; r < FROCC_PANEL; r++) {
            float away = x[j * FROCC_PANEL + r] - point[j];
            distance[r] += away * away;
        }
    }
}

/* The larger one; each knows its centre by the last bits, which nobody misses. */
static inline float larger(float value, uint32_t centre, float other) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits & ~(uint32_t)(CENTRES - 1)) | centre;
    memcpy(&value, &bits, sizeof bits);
    return FROCC_MAX(value, other);
}

static uint8_t centre_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint8_t)(bits & (CENTRES - 1));
}

/*
 * How far a panel's rows are from the nearest centre or the middle. With x and a centre c from the
 * middle on, |x - c|^2 is |x|^2 - 2 (x c - |c|^2 / 2): the products with all centres are those with
 * directions.
 */
static void measure(const frocc_frame *frame, const frocc__scouts *of, const frocc__stripe *stripe,
                    size_t panel) {
    const float *x = frocc__stripe_panel(frame, stripe, panel, 0);
    float *distance = of->distance + panel * FROCC_PANEL, closer[FROCC_PANEL] = {0};
    uint8_t *nearest = of->nearest + panel * FROCC_PANEL;
    _Alignas(FROCC_LINE) float tile[FROCC_TILE];
    measure_from(x, of->middle, frame->n_features, distance);
    memset(nearest, (int)of->n_centres, FROCC_PANEL);
    if (of->n_centres == 0)
        return;
    for (uint32_t c = 0; c < of->n_centres; c++) {
        if (c % FROCC_BLOCK == 0)
            frame->kernels->project_panel(x, of->centres + c * frame->n_features, frame->n_features,
                                          false, tile);
        const float *products = tile + c % FROCC_BLOCK * FROCC_PANEL, offset = of->offsets[c];
        FROCC_OMP(simd)
        for (size_t r = 0; r < FROCC_PANEL; r++)
            closer[r] = larger(products[r] - offset, c, closer[r]);
    }
    for (size_t r = 0; r < FROCC_PANEL; r++) {
        distance[r] -= 2.0f * closer[r];
        if (closer[r] > 0.0f)
            nearest[r] = centre_of(closer[r]);
    }
}

/* ---- Centres -------------------------------------------------------------------------------- */

static void put_centre(const frocc__scouts *of, size_t c, size_t n_features, const float *point) {
    float *centre = of->centres + c / FROCC_BLOCK * FROCC_BLOCK * n_features + c % FROCC_BLOCK;
    float offset = 0.0f;
    for (size_t j = 0; j < n_features; j++) {
        const float away = point[j] - of->middle[j];
        centre[j * FROCC_BLOCK] = away;
        offset += away * (of->middle[j] + 0.5f * away);
    }
    of->offsets[c] = offset;
}

/* Each centre is the row furthest from those before it. */
static void spread_centres(const frocc_frame *frame, const frocc__scouts *of,
                           const frocc__stripe *stripe) {
    float distance[PANELS_WITH_ALL_GROUPS * FROCC_PANEL], nearer[FROCC_PANEL];
    for (size_t r = 0; r < PANELS_WITH_ALL_GROUPS * FROCC_PANEL; r++)
        distance[r] = INFINITY;
    for (size_t c = 0; c < of->n_centres; c++) {
        const size_t row = find_largest(distance, 0, PANELS_WITH_ALL_GROUPS * FROCC_PANEL);
        const float *at = frocc__stripe_panel(frame, stripe, row / FROCC_PANEL, 0);
        float *point = of->sums; /* not needed yet */
        for (size_t j = 0; j < frame->n_features; j++)
            point[j] = at[j * FROCC_PANEL + row % FROCC_PANEL];
        put_centre(of, c, frame->n_features, point);
        for (size_t p = 0; p < PANELS_WITH_ALL_GROUPS; p++) {
            measure_from(frocc__stripe_panel(frame, stripe, p, 0), point, frame->n_features,
                         nearer);
            for (size_t r = 0; r < FROCC_PANEL; r++)
                distance[p * FROCC_PANEL + r] = FROCC_MIN(distance[p * FROCC_PANEL + r], nearer[r]);
        }
    }
}

/* Moves each centre to the middle of the rows that are nearest to it. */
static void move_centres(const frocc_frame *frame, const frocc__scouts *of,
                         const frocc__stripe *stripe) {
    const size_t d = frame->n_features;
    float counts[CENTRES] = {0};
    memset(of->sums, 0, of->n_centres * d * sizeof *of->sums);
    for (size_t row = 0; row < PANELS_FOR_MIDDLES * FROCC_PANEL; row++) {
        const size_t panel = row / FROCC_PANEL, lane = row % FROCC_PANEL;
        if (lane == 0)
            measure(frame, of, stripe, panel);
        const size_t c = of->nearest[row];
        if (c == of->n_centres)
            continue;
        const float *x = frocc__stripe_panel(frame, stripe, panel, 0) + lane;
        counts[c] += 1.0f;
        for (size_t j = 0; j < d; j++)
            of->sums[c * d + j] += x[j * FROCC_PANEL];
    }
    for (size_t c = 0; c < of->n_centres; c++) {
        if (counts[c] == 0.0f)
            continue;
        for (size_t j = 0; j < d; j++)
            of->sums[c * d + j] /= counts[c];
        put_centre(of, c, d, of->sums + c * d);
    }
}

/* ---- All ------------------------------------------------------------------------------------ */

/* Takes the row that is furthest out from those behind the first panels; returns it. */
static size_t take_furthest(const frocc__scouts *of, size_t n_panels) {
    const size_t panel = find_largest(of->most, of->n_panels, n_panels);
    float *distance = of->distance + panel * FROCC_PANEL;
    const size_t lane = find_largest(distance, 0, FROCC_PANEL);
    distance[lane] = -INFINITY;
    of->most[panel] = distance[find_largest(distance, 0, FROCC_PANEL)];
    return panel * FROCC_PANEL + lane;
}

static void exchange(const frocc_frame *frame, const frocc__scouts *of, size_t n_panels,
                     frocc__stripe *stripe) {
    const size_t wanted = of->n_panels * FROCC_PANEL, share = wanted / (of->n_centres + 1);
    const size_t most = of->n_centres > 0 ? (size_t)(MOST_OF_SHARE * (double)share) : wanted;
    size_t counts[CENTRES + 1] = {0}, n_scouts = 0;
    for (size_t tries = 0; n_scouts < wanted && tries < TRIES * wanted; tries++) {
        const size_t row = take_furthest(of, n_panels), c = of->nearest[row];
        if (counts[c]++ < most)
            frocc__stripe_exchange(frame, stripe, n_scouts++, row);
    }
}

void frocc__scouts_send(const frocc_frame *frame, const frocc__scouts *scouts,
                        frocc__stripe *stripe, int team) {
    const size_t n_panels = stripe->n_rows / FROCC_PANEL; /* whole ones */
    (void)team;
    if (scouts->middle == NULL || n_panels < LEAST_PANELS * scouts->n_panels || stripe->projected)
        return;
    find_middle(stripe->x, frame->n_features, scouts->middle);
    if (scouts->n_centres > 0) {
        spread_centres(frame, scouts, stripe);
        move_centres(frame, scouts, stripe);
    }
    FROCC_OMP(parallel for num_threads(team) if (team > 1) schedule(static))
    for (size_t p = 0; p < n_panels; p++) {
        const float *distance = scouts->distance + p * FROCC_PANEL;
        measure(frame, scouts, stripe, p);
        scouts->most[p] = distance[find_largest(distance, 0, FROCC_PANEL)];
    }
    exchange(frame, scouts, n_panels, stripe);
    FROCC_OMP(parallel for num_threads(team) if (team > 1) schedule(static))
    for (size_t p = 0; p < n_panels; p++)
        frocc__stripe_take_coarse(frame, stripe, p);
}
