/* SPDX-License-Identifier: BSD-3-Clause */
/* fit_input.h - parameters, rows and a split of them from the bytes of an input. */
#ifndef FROCC_FUZZ_FIT_INPUT_H
#define FROCC_FUZZ_FIT_INPUT_H

#include "frocc.h"
#include "input.h"

#define MAX_PARTS 4
#define MAX_FEATURES 6
#define MAX_DIRECTIONS 20
#define MAX_ROWS 300

typedef struct job {
    frocc_params params;
    size_t n, d, parts;
    size_t start[MAX_PARTS + 1];
    float rows[MAX_ROWS * MAX_FEATURES];
    /* With room for rows that are a column wider than they should be. */
    float directions[MAX_DIRECTIONS * (MAX_FEATURES + 1)];
    double shift[MAX_FEATURES + 1], scale[MAX_FEATURES + 1];
} job;

static inline void read_params(input *in, job *j) {
    static const float epsilons[] = {1.0f, 0.5f, 0.1f, 0.02f, 0.003f, 1e-6f, 0.9999999f, 0.25f};
    frocc_params *p = &j->params;

    frocc_params_init_paper(p);
    p->kernel = (frocc_kernel)(take(in) % 4);
    p->scaling = (frocc_scaling)(take(in) % 6);
    p->family = (frocc_family)(take(in) % 5);
    if (p->scaling == FROCC_SCALING_WHITEN && p->family != FROCC_FAMILY_MIXED)
        p->family = FROCC_FAMILY_GAUSSIAN; /* the others cannot be whitened */
    j->d = 1 + take(in) % MAX_FEATURES;
    p->n_directions = 1 + take(in) % MAX_DIRECTIONS;
    p->epsilon = epsilons[take(in) % 8];
    if (p->epsilon >= FROCC_CLOSENESS_MIN_EPSILON && p->epsilon <= FROCC_CLOSENESS_MAX_EPSILON) {
        p->score = (frocc_score)(take(in) % 2);
        if (p->score == FROCC_SCORE_CLOSENESS) {
            p->calibration_rows = take(in) % 20;
            p->n_trees = take(in) % 5;
            p->contamination = (double)(take(in) % 4) / 8;
        }
    }
    p->seed = take(in);
    p->gamma = (double)(take(in) % 16) / 8;
    p->coef0 = (double)take(in) - 128;
    p->degree = 1 + (int)(take(in) % FROCC_MAX_DEGREE);
    p->sample_rows = take(in) % 70;
    p->threads = 1 + (int)(take(in) % 2);
    for (size_t i = 0; i < j->d; i++) {
        j->shift[i] = (double)take(in) - 128;
        j->scale[i] = (double)(1 + take(in)) / 16;
    }
    for (size_t i = 0; p->family == FROCC_FAMILY_GIVEN && i < p->n_directions * j->d; i++)
        j->directions[i] = (float)((int)take(in) - 128);
    p->shift = j->shift;
    p->scale = j->scale;
    p->directions = j->directions;
}

static inline void read_rows(input *in, job *j) {
    unsigned how = take(in) % 4;

    j->parts = 1 + take(in) % MAX_PARTS;
    for (size_t i = 1; i < j->parts; i++)
        j->start[i] = take(in);
    while (in->left > 0 && j->n < MAX_ROWS) {
        for (size_t k = 0; k < j->d; k++)
            j->rows[j->n * j->d + k] = read_value(in, how);
        j->n++;
    }
    for (size_t i = 1; i < j->parts; i++) { /* cuts that rise and stay within the rows */
        if (j->start[i] > j->n)
            j->start[i] = j->n;
        if (j->start[i] < j->start[i - 1])
            j->start[i] = j->start[i - 1];
    }
    j->start[j->parts] = j->n;
}

#endif
