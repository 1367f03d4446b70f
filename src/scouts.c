/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding scouts: O(rows x features). Nothing but speed depends on how exact this is. */
#include "scouts.h"

#include <string.h>

#include "mem.h"
#include "one_row.h"

/* A panel of scouts is too large a part of fewer panels than this. */
#define LEAST_PANELS 16

/* How far out rows are. */
typedef struct survey {
    float *middle;   /* of the first panel, which tells it well enough */
    float *distance; /* per row from there, squared */
    float *most;     /* per panel, the largest of them */
} survey;

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

static void exchange_rows(const frocc_frame *frame, frocc__stripe *stripe, size_t a, size_t b) {
    const size_t panel_size = FROCC_PANEL * frame->n_features;
    float *x = stripe->x + a / FROCC_PANEL * panel_size + a % FROCC_PANEL;
    float *y = stripe->x + b / FROCC_PANEL * panel_size + b % FROCC_PANEL;
    for (size_t j = 0; j < panel_size; j += FROCC_PANEL) {
        float kept = x[j];
        x[j] = y[j];
        y[j] = kept;
    }
    if (frame->transform.kernel == FROCC_KERNEL_RBF) {
        double kept = stripe->norms[a];
        stripe->norms[a] = stripe->norms[b];
        stripe->norms[b] = kept;
    }
}

/* Scouts come from behind the first panel. */
static void exchange(const frocc_frame *frame, frocc__stripe *stripe, const survey *of,
                     size_t n_panels) {
    for (size_t i = 0; i < FROCC_PANEL; i++) {
        size_t panel = find_largest(of->most, 1, n_panels);
        float *distance = of->distance + panel * FROCC_PANEL;
        size_t lane = find_largest(distance, 0, FROCC_PANEL);
        exchange_rows(frame, stripe, i, panel * FROCC_PANEL + lane);
        distance[lane] = -INFINITY;
        of->most[panel] = distance[find_largest(distance, 0, FROCC_PANEL)];
    }
}

void frocc__send_scouts(const frocc_frame *frame, frocc__stripe *stripe, int team) {
    const size_t d = frame->n_features, n_panels = stripe->n_rows / FROCC_PANEL; /* whole ones */
    (void)team;
    if (n_panels < LEAST_PANELS || stripe->projected || frocc__keeps_rows(frame))
        return;
    float *memory = frocc__alloc_raw(d + n_panels * (FROCC_PANEL + 1), sizeof(float));
    if (memory == NULL)
        return;
    const survey of = {memory, memory + d, memory + d + n_panels * FROCC_PANEL};
    find_middle(stripe->x, d, of.middle);
    FROCC_OMP(parallel for num_threads(team) if (team > 1) schedule(static))
    for (size_t p = 0; p < n_panels; p++) {
        float *distance = of.distance + p * FROCC_PANEL;
        measure_panel(frocc__stripe_panel(frame, stripe, p, 0), of.middle, d, distance);
        of.most[p] = distance[find_largest(distance, 0, FROCC_PANEL)];
    }
    exchange(frame, stripe, &of, n_panels);
    frocc__free(memory);
    if (!stripe->is_coarse)
        return;
    FROCC_OMP(parallel for num_threads(team) if (team > 1) schedule(static))
    for (size_t p = 0; p < n_panels; p++)
        frame->kernels->coarse->take_panel(frocc__stripe_panel(frame, stripe, p, 0), d,
                                           frocc__stripe_coarse(frame, stripe, p));
}
