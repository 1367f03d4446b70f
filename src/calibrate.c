/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration by k rows: O(m k) look-ups, and their projections. */
#include "calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "one_row.h"
#include "status.h"
#include "wide.h"

/* ---- Held rows ------------------------------------------------------------------------------ */

frocc_status frocc__held_new(size_t most, size_t n_rows, size_t width, frocc__held *held) {
    frocc__held made = {.most = most, .n_rows = n_rows, .width = width};
    made.hash = frocc__alloc(n_rows, sizeof(uint64_t));
    made.copies = frocc__alloc(n_rows, sizeof(uint64_t));
    made.values = frocc__alloc(n_rows, width * sizeof(float));
    if (made.hash == NULL || made.copies == NULL || made.values == NULL) {
        frocc__held_free(&made);
        return FROCC_ERR_MEMORY;
    }
    *held = made;
    return FROCC_OK;
}

void frocc__held_free(frocc__held *held) {
    frocc__free(held->hash);
    frocc__free(held->copies);
    frocc__free(held->values);
    *held = (frocc__held){0};
}

/* Prepared rows, unless projections are no more numbers. */
static bool keeps_projections(const frocc_frame *frame) {
    return frame->n_directions <= frame->n_features;
}

/* Projects prepared rows: from is d numbers apart, to m. */
static frocc_status project_rows(const frocc_frame *frame, const float *from, size_t n_rows,
                                 float *to) {
    const size_t d = frame->n_features, m = frame->n_directions;
    float *work = frocc__alloc(frocc__wide_work(frame), sizeof(float));
    float *line = frocc__alloc(frame->n_blocks * FROCC_BLOCK, sizeof(float));
    const bool made = work != NULL && line != NULL;
    bool usable = true;
    for (size_t i = 0; made && i < n_rows; i++) {
        frocc__prepared row = {from + i * d, NULL, d, 0.0};
        if (frame->transform.kernel == FROCC_KERNEL_RBF)
            row.norm = frocc__square_norm(row.values, d);
        frocc__project_one(frame, &row, 0, frame->n_blocks, work, line);
        for (size_t k = 0; k < m; k++) {
            to[i * m + k] = line[k] + 0.0f; /* no -0: equal models must be equal bytes */
            usable &= !isnan(line[k]);
        }
    }
    frocc__free(work);
    frocc__free(line);
    if (!made)
        return FROCC_ERR_MEMORY;
    return usable ? FROCC_OK : frocc__fail(FROCC_ERR_CALLBACK, "the custom kernel returned NaN");
}

/* Rows as prepared become what the frame keeps. */
static frocc_status narrow(const frocc_frame *frame, frocc__held *held) {
    if (!keeps_projections(frame))
        return FROCC_OK;
    float *values = frocc__alloc(held->n_rows, frame->n_directions * sizeof(float));
    if (values == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = project_rows(frame, held->values, held->n_rows, values);
    if (status != FROCC_OK) {
        frocc__free(values);
        return status;
    }
    frocc__free(held->values);
    held->values = values;
    held->width = frame->n_directions;
    held->is_projected = true;
    return FROCC_OK;
}

frocc_status frocc__held_of(const frocc_frame *frame, size_t most, const frocc_sample *sample,
                            frocc__held *held) {
    const size_t d = frame->n_features;
    frocc__members members;
    FROCC_TRY(frocc__sample_settled(sample, &members));
    frocc_status status = frocc__held_new(most, members.count, d, held);
    for (size_t i = 0; i < members.count && status == FROCC_OK; i++) {
        int64_t start[2];
        const frocc_rows row = frocc__member_row(&members.rows[i], d, start);
        held->hash[i] = members.rows[i].hash;
        held->copies[i] = members.rows[i].copies;
        (void)frocc__frame_prepare(frame, &row, 0, held->values + i * d); /* it was usable */
        for (size_t j = 0; j < d; j++)
            held->values[i * d + j] += 0.0f;
    }
    frocc__members_free(&members);
    FROCC_TRY(status);
    status = narrow(frame, held);
    if (status != FROCC_OK)
        frocc__held_free(held);
    return status;
}

static void copy_row(const frocc__held *from, size_t i, frocc__held *to, size_t j) {
    to->hash[j] = from->hash[i];
    to->copies[j] = from->copies[i];
    memcpy(to->values + j * to->width, from->values + i * from->width, to->width * sizeof(float));
}

frocc_status frocc__held_copy(const frocc__held *held, const frocc_frame *frame,
                              frocc__held *copy) {
    frocc__held made;
    FROCC_TRY(frocc__held_new(held->most, held->n_rows,
                              held->is_projected ? frame->n_directions : held->width, &made));
    made.is_projected = held->is_projected;
    for (size_t i = 0; i < held->n_rows; i++)
        copy_row(held, i, &made, i);
    frocc_status status = made.is_projected ? FROCC_OK : narrow(frame, &made);
    if (status != FROCC_OK) {
        frocc__held_free(&made);
        return status;
    }
    *copy = made;
    return FROCC_OK;
}

/* The smaller of the next rows of both; of a row in both, their copies together. */
static void take_next(const frocc__held *a, size_t *i, const frocc__held *b, size_t *j,
                      frocc__held *out, size_t at) {
    bool from_a = *j == b->n_rows || (*i < a->n_rows && a->hash[*i] <= b->hash[*j]);
    bool both = *i < a->n_rows && *j < b->n_rows && a->hash[*i] == b->hash[*j];
    copy_row(from_a ? a : b, from_a ? *i : *j, out, at);
    if (both)
        out->copies[at] += b->copies[*j];
    *i += from_a;
    *j += !from_a || both;
}

frocc_status frocc__held_merge(const frocc__held *a, const frocc__held *b, frocc__held *merged) {
    const size_t room = FROCC_MIN(a->n_rows + b->n_rows, a->most);
    frocc__held all;
    FROCC_TRY(frocc__held_new(a->most, room, a->width, &all));
    all.is_projected = a->is_projected;
    size_t i = 0, j = 0, count = 0;
    while (count < room && (i < a->n_rows || j < b->n_rows))
        take_next(a, &i, b, &j, &all, count++);
    all.n_rows = count;
    *merged = all;
    return FROCC_OK;
}

/* ---- Scores --------------------------------------------------------------------------------- */

static frocc_status calibration_new(size_t n_scores, frocc__calibration *calibration) {
    frocc__calibration made = {.n_scores = n_scores,
                               .scores = frocc__alloc(n_scores, sizeof(double)),
                               .rows = frocc__alloc(n_scores, sizeof(uint64_t))};
    if (made.scores == NULL || made.rows == NULL) {
        frocc__calibration_free(&made);
        return FROCC_ERR_MEMORY;
    }
    *calibration = made;
    return FROCC_OK;
}

void frocc__calibration_free(frocc__calibration *calibration) {
    frocc__free(calibration->scores);
    frocc__free(calibration->rows);
    *calibration = (frocc__calibration){0};
}

frocc_status frocc__calibration_copy(const frocc__calibration *calibration,
                                     frocc__calibration *copy) {
    FROCC_TRY(calibration_new(calibration->n_scores, copy));
    if (calibration->n_scores > 0) {
        memcpy(copy->scores, calibration->scores, copy->n_scores * sizeof *copy->scores);
        memcpy(copy->rows, calibration->rows, copy->n_scores * sizeof *copy->rows);
    }
    return FROCC_OK;
}

uint64_t frocc__calibration_rows(const frocc__calibration *calibration) {
    return calibration->n_scores == 0 ? 0 : calibration->rows[calibration->n_scores - 1];
}

typedef struct scored {
    uint64_t cost; /* first, for comparing */
    uint64_t copies;
} scored;

static int compare_costs(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a < b) - (a > b); /* the costliest scores least */
}

/* Slots whose values are turned at once: so many are in one cache line. */
#define TURNED (FROCC_LINE / sizeof(float))

void frocc__calibrating_free(frocc__calibrating *job) {
    frocc__free(job->projected);
    frocc__free(job->turned);
    frocc__free(job->alone);
    frocc__free(job->sums);
    frocc__free(job->costs_of);
    *job = (frocc__calibrating){0};
}

frocc_status frocc__calibrating_new(const frocc_frame *frame, const frocc__costs *costs,
                                    const frocc__held *held, frocc__calibrating *job) {
    const size_t n = held->n_rows, m = frame->n_directions;
    *job = (frocc__calibrating){
        .frame = frame,
        .costs = costs,
        .held = held,
        .projected = frocc__alloc_raw(held->is_projected ? 0 : n, m * sizeof(float)),
        .turned = frocc__alloc_raw(n, TURNED * sizeof(float)),
        .alone = frocc__alloc(costs->n_cells, 1),
        .sums = frocc__alloc(n, sizeof(uint32_t)),
        .costs_of = frocc__alloc(n, sizeof(uint64_t)),
    };
    job->values = held->is_projected ? held->values : job->projected;
    frocc_status status = job->projected != NULL && job->turned != NULL && job->alone != NULL &&
                                  job->sums != NULL && job->costs_of != NULL
                              ? FROCC_OK
                              : FROCC_ERR_MEMORY;
    if (status == FROCC_OK && !held->is_projected)
        status = project_rows(frame, held->values, n, job->projected);
    if (status != FROCC_OK)
        frocc__calibrating_free(job);
    return status;
}

static void turn(const frocc__calibrating *job, size_t first_slot) {
    const size_t n = job->held->n_rows, m = job->frame->n_directions;
    const size_t count = FROCC_MIN(m - first_slot, TURNED);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < count; k++)
            job->turned[k * n + i] = job->values[i * m + first_slot + k];
}

void frocc__calibrate_slot(frocc__calibrating *job, size_t slot, const frocc__ends *ends,
                           const frocc__bin *bins, size_t n_bins) {
    const size_t n = job->held->n_rows;
    if (slot % TURNED == 0)
        turn(job, slot);
    frocc__add_left_out(job->costs, job->frame->kernels, slot, ends, bins, n_bins,
                        job->turned + slot % TURNED * n, n, job->alone, job->sums);
    if (slot % TURNED == TURNED - 1 || slot == job->frame->n_directions - 1)
        for (size_t i = 0; i < n; i++) {
            job->costs_of[i] += job->sums[i];
            job->sums[i] = 0;
        }
}

/* Scores with the copies of their rows, sorted, then as a running count. */
frocc_status frocc__calibrate_finish(frocc__calibrating *job, frocc__calibration *calibration) {
    const size_t n = job->held->n_rows;
    scored *pairs = frocc__alloc(n, sizeof *pairs);
    frocc_status status = pairs != NULL ? calibration_new(n, calibration) : FROCC_ERR_MEMORY;
    for (size_t i = 0; i < n && status == FROCC_OK; i++)
        pairs[i] = (scored){job->costs_of[i], job->held->copies[i]};
    if (status == FROCC_OK && n > 0)
        qsort(pairs, n, sizeof *pairs, compare_costs);
    uint64_t total = 0;
    for (size_t i = 0; i < n && status == FROCC_OK; i++) {
        total += pairs[i].copies;
        calibration->scores[i] = frocc__closeness(job->costs, pairs[i].cost);
        calibration->rows[i] = total;
    }
    frocc__free(pairs);
    return status;
}

/* ---- As bytes ------------------------------------------------------------------------------- */

void frocc__held_write(const frocc__held *held, frocc__writer *out) {
    frocc__put_u64(out, held->most);
    frocc__put_u64(out, held->n_rows);
    for (size_t i = 0; i < held->n_rows; i++) {
        frocc__put_u64(out, held->hash[i]);
        frocc__put_u64(out, held->copies[i]);
    }
    for (size_t i = 0; i < held->n_rows * held->width; i++)
        frocc__put_f32(out, held->values[i]);
}

static bool is_held_of_something(const frocc__held *held) {
    for (size_t i = 0; i < held->n_rows; i++)
        if (held->copies[i] == 0 || !frocc__may_calibrate(held->hash[i]) ||
            (i > 0 && held->hash[i] <= held->hash[i - 1]))
            return false;
    for (size_t i = 0; i < held->n_rows * held->width; i++)
        if (!isfinite(held->values[i]) || (held->values[i] == 0.0f && signbit(held->values[i])))
            return false;
    return true;
}

frocc_status frocc__held_read(frocc__reader *in, const frocc_frame *frame, frocc__held *held) {
    uint64_t most = frocc__get_u64(in), n_rows = frocc__get_u64(in);
    const bool is_projected = keeps_projections(frame);
    const size_t width = is_projected ? frame->n_directions : frame->n_features;
    uint64_t per_row = 2 * sizeof(uint64_t) + width * sizeof(float);
    if (in->failed || most == 0 || most > (size_t)1 << 24 || n_rows > most ||
        in->left != n_rows * per_row)
        return frocc__damaged("the held rows do not fit their section");
    frocc__held made;
    FROCC_TRY(frocc__held_new((size_t)most, (size_t)n_rows, width, &made));
    made.is_projected = is_projected;
    for (size_t i = 0; i < made.n_rows; i++) {
        made.hash[i] = frocc__get_u64(in);
        made.copies[i] = frocc__get_u64(in);
    }
    for (size_t i = 0; i < made.n_rows * made.width; i++)
        made.values[i] = frocc__get_f32(in);
    if (!is_held_of_something(&made)) {
        frocc__held_free(&made);
        return frocc__damaged("the held rows are not what a fit produces");
    }
    *held = made;
    return FROCC_OK;
}

void frocc__calibration_write(const frocc__calibration *calibration, frocc__writer *out) {
    for (size_t i = 0; i < calibration->n_scores; i++) {
        frocc__put_f64(out, calibration->scores[i]);
        frocc__put_u64(out, calibration->rows[i]);
    }
}

frocc_status frocc__calibration_read(frocc__reader *in, frocc__calibration *calibration) {
    const size_t size = sizeof(double) + sizeof(uint64_t);
    if (in->left % size != 0)
        return frocc__damaged("the calibration does not fit its section");
    frocc__calibration made;
    FROCC_TRY(calibration_new(in->left / size, &made));
    bool rises = true;
    for (size_t i = 0; i < made.n_scores; i++) {
        made.scores[i] = frocc__get_f64(in);
        made.rows[i] = frocc__get_u64(in);
        rises &= made.scores[i] <= 1.0 && made.rows[i] > (i > 0 ? made.rows[i - 1] : 0) &&
                 (i == 0 || made.scores[i] >= made.scores[i - 1]);
    }
    if (!rises) {
        frocc__calibration_free(&made);
        return frocc__damaged("the calibration is not what a fit produces");
    }
    *calibration = made;
    return FROCC_OK;
}
