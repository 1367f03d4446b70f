/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding scouts: O(rows x features). Nothing but speed depends on how exact this is. */
#include "scouts.h"

#include <string.h>

#include "mem.h"
#include "one_row.h"
#include "wide.h"

/* A panel of scouts is too large a part of fewer panels than this. */
#define LEAST_PANELS 16

frocc_status frocc__scouts_new(const frocc_frame *frame, frocc__scouts *scouts) {
    const size_t n_rows = frocc__stripe_rows(frame, NULL);
    *scouts = (frocc__scouts){0};
    if (n_rows < LEAST_PANELS * FROCC_PANEL || frocc__is_wide(frame) || frocc__keeps_rows(frame))
        return FROCC_OK;
    scouts->middle = frocc__alloc(frame->n_features, sizeof(float));
    scouts->distance = frocc__alloc_raw(n_rows, sizeof(float));
    scouts->most = frocc__alloc_raw(n_rows / FROCC_PANEL, sizeof(float));
    if (scouts->middle != NULL && scouts->distance != NULL && scouts->most != NULL)
        return FROCC_OK;
    frocc__scouts_free(scouts);
    return FROCC_ERR_MEMORY;
}

void frocc__scouts_free(frocc__scouts *scouts) {
    frocc__free(scouts->middle);
    frocc__free(scouts->distance);
    frocc__free(scouts->most);
    *scouts = (frocc__scouts){0};
}

static void find_middle(const float *x, size_t n_features, float *middle) {
    for (size_t j = 0; j < n_features; j++) {
        float sum = 0.0f;
        for (size_t r = 0; r < FROCC_PANEL; r++)
            sum += x[j * FROCC_PANEL + r];
        middle[j] = sum / FROCC_PANEL;
    }
}

static void measure_panel(const float *x, const float *middle, size_t n_features, float *distance) {
    memset(distance, 0, FROCC_PANEL * sizeof *distance);
    for (size_t j = 0; j < n_features; j++) {
        FROCC_OMP(simd)
        for (size_t r = 0; r < FROCC_PANEL; r++) {
            float away = x[j * FROCC_PANEL + r] - middle[j];
            distance[r] += away * away;
        }
    }
}

static size_t find_largest(const float *values, size_t first, size_t end) {
    size_t at = first;
    for (size_t i = first + 1; i < end; i++)
        at = values[i] > values[at] ? i : at;
    return at;
}

/* Scouts come from behind the first panel. */
static void exchange(const frocc_frame *frame, const frocc__scouts *of, size_t n_panels,
                     frocc__stripe *stripe) {
    for (size_t i = 0; i < FROCC_PANEL; i++) {
        size_t panel = find_largest(of->most, 1, n_panels);
        float *distance = of->distance + panel * FROCC_PANEL;
        size_t lane = find_largest(distance, 0, FROCC_PANEL);
        frocc__stripe_exchange(frame, stripe, i, panel * FROCC_PANEL + lane);
        distance[lane] = -INFINITY;
        of->most[panel] = distance[find_largest(distance, 0, FROCC_PANEL)];
    }
}

void frocc__scouts_send(const frocc_frame *frame, const frocc__scouts *scouts,
                        frocc__stripe *stripe, int team) {
    const size_t n_panels = stripe->n_rows / FROCC_PANEL; /* whole ones */
    (void)team;
    if (scouts->middle == NULL || n_panels < LEAST_PANELS || stripe->projected)
        return;
    find_middle(stripe->x, frame->n_features, scouts->middle);
    FROCC_OMP(parallel for num_threads(team) if (team > 1) schedule(static))
    for (size_t p = 0; p < n_panels; p++) {
        float *distance = scouts->distance + p * FROCC_PANEL;
        measure_panel(frocc__stripe_panel(frame, stripe, p, 0), scouts->middle, frame->n_features,
                      distance);
        scouts->most[p] = distance[find_largest(distance, 0, FROCC_PANEL)];
    }
    exchange(frame, scouts, n_panels, stripe);
    FROCC_OMP(parallel for num_threads(team) if (team > 1) schedule(static))
    for (size_t p = 0; p < n_panels; p++)
        frocc__stripe_take_coarse(frame, stripe, p);
}
