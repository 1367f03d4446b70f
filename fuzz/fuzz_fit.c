/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes drive the parameters, the rows and a split of them. The model of one pass over the rows
 * and the model merged from the parts, last part first, must be the same bytes; rows that cannot
 * be used must be refused by both. Ends the program when something does not hold.
 */
#include <stdlib.h>
#include <string.h>

#include "frocc.h"
#include "holds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_PARTS 4
#define MAX_FEATURES 6
#define MAX_DIRECTIONS 20
#define MAX_ROWS 300

/* Bytes of the input, one after another; zeros when they run out. */
typedef struct input {
    const uint8_t *data;
    size_t left;
} input;

static unsigned take(input *in) {
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->data++;
}

typedef struct job {
    frocc_params params;
    size_t n, d, parts;
    size_t start[MAX_PARTS + 1];
    float rows[MAX_ROWS * MAX_FEATURES];
    float directions[MAX_DIRECTIONS * MAX_FEATURES];
    double shift[MAX_FEATURES], scale[MAX_FEATURES];
} job;

static void read_params(input *in, job *j) {
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

/* A value is a small integer, one far away, or any float there is. */
static float read_value(input *in, unsigned how) {
    uint32_t bits = 0;
    float value;

    if (how < 2)
        return ((float)take(in) - 128) * (how == 0 ? 1.0f : 0.037f);
    if (how == 2)
        return 8388608.0f + (float)take(in);
    for (int i = 0; i < 4; i++)
        bits = bits << 8 | take(in);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void read_rows(input *in, job *j) {
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

/* The frame of all rows, from samples of the parts. */
static frocc_status learn(const job *j, frocc_frame **frame) {
    frocc_sample *all = NULL;
    frocc_status status = frocc_sample_new(&j->params, j->d, &all);

    HOLDS(status == FROCC_OK);
    for (size_t i = j->parts; i-- > 0 && status == FROCC_OK;) {
        frocc_sample *part = NULL;
        frocc_rows rows =
            frocc_rows_f32(j->rows + j->start[i] * j->d, j->start[i + 1] - j->start[i], j->d);
        HOLDS(frocc_sample_new(&j->params, j->d, &part) == FROCC_OK);
        status = frocc_sample_add(part, &rows);
        if (status == FROCC_OK)
            HOLDS(frocc_sample_merge(all, part) == FROCC_OK);
        frocc_sample_free(part);
    }
    if (status == FROCC_OK)
        status = frocc_frame_new(&j->params, j->d, all, frame);
    frocc_sample_free(all);
    return status;
}

static frocc_status fit_parts(const job *j, frocc_model **model) {
    frocc_frame *frame = NULL;
    frocc_fitter *into = NULL;
    frocc_status status = learn(j, &frame);

    if (status != FROCC_OK)
        return status;
    HOLDS(frocc_fitter_new(frame, &j->params, &into) == FROCC_OK);
    for (size_t i = j->parts; i-- > 0 && status == FROCC_OK;) {
        frocc_fitter *part = NULL;
        frocc_rows rows =
            frocc_rows_f32(j->rows + j->start[i] * j->d, j->start[i + 1] - j->start[i], j->d);
        HOLDS(frocc_fitter_new(frame, &j->params, &part) == FROCC_OK);
        status = frocc_fitter_add(part, &rows);
        if (status == FROCC_OK)
            HOLDS(frocc_fitter_merge(into, part) == FROCC_OK);
        frocc_fitter_free(part);
    }
    if (status == FROCC_OK)
        status = frocc_fitter_finish(into, model);
    frocc_fitter_free(into);
    frocc_frame_free(frame);
    return status;
}

static void same_bytes(const frocc_model *a, const frocc_model *b) {
    void *x = NULL, *y = NULL;
    size_t x_size = 0, y_size = 0;

    HOLDS(frocc_model_to_bytes(a, &x, &x_size) == FROCC_OK);
    HOLDS(frocc_model_to_bytes(b, &y, &y_size) == FROCC_OK);
    HOLDS(x_size == y_size && memcmp(x, y, x_size) == 0);
    frocc_bytes_free(x);
    frocc_bytes_free(y);
}

/* Every training row agrees in all directions; none is closer than 1. */
static void training_rows_are_normal(const frocc_model *model, const frocc_rows *rows) {
    frocc_scorer *scorer = NULL;
    double scores[MAX_ROWS];
    frocc_model_info info = {.struct_size = sizeof info};

    HOLDS(frocc_model_describe(model, &info) == FROCC_OK && info.n_rows == rows->n_rows);
    HOLDS(frocc_scorer_new(model, 1, &scorer) == FROCC_OK);
    HOLDS(frocc_scorer_score(scorer, rows, scores) == FROCC_OK);
    for (size_t i = 0; i < rows->n_rows; i++)
        HOLDS(scores[i] == 1 || (scores[i] < 1 && info.score == FROCC_SCORE_CLOSENESS));
    frocc_scorer_free(scorer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static job j;
    input in = {data, size};
    frocc_model *whole = NULL, *merged = NULL;

    memset(&j, 0, sizeof j);
    read_params(&in, &j);
    read_rows(&in, &j);
    frocc_rows rows = frocc_rows_f32(j.rows, j.n, j.d);
    frocc_status status = frocc_fit(&j.params, &rows, &whole);
    HOLDS(status == FROCC_OK || status == FROCC_ERR_DATA || status == FROCC_ERR_EMPTY);
    HOLDS(fit_parts(&j, &merged) == status);
    if (status != FROCC_OK) {
        HOLDS(whole == NULL && merged == NULL);
        return 0;
    }
    same_bytes(whole, merged);
    if (j.params.score == FROCC_SCORE_CLOSENESS) {
        frocc_model *again = NULL;
        HOLDS(frocc_model_decontaminate(whole, j.params.contamination, &again) == FROCC_OK);
        same_bytes(whole, again);
        frocc_model_free(again);
    }
    training_rows_are_normal(whole, &rows);
    frocc_model_free(whole);
    frocc_model_free(merged);
    return 0;
}
