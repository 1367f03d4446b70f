/* SPDX-License-Identifier: BSD-3-Clause */
/* Calibration by k rows: O(m k) look-ups, and their projections. */
#include "model/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "frame/single_row.h"
#include "frame/whole_rows.h"

/* ---- Held rows ------------------------------------------------------------------------------ */

frocc_status frocc__held_new(size_t most, size_t n_rows, size_t width, frocc__held *held) {
    frocc__held made = {.most = most, .n_rows = n_rows, .width = width};
    made.hash = frocc__alloc(n_rows, sizeof(uint64_t));
    made.copies = frocc__alloc(n_rows, sizeof(uint64_t));
    made.values = frocc__alloc(n_rows, width * sizeof(float));
    made.mark_start = frocc__alloc(n_rows + 1, sizeof(size_t));
    if (made.hash == NULL || made.copies == NULL || made.values == NULL ||
        made.mark_start == NULL) {
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
    frocc__free(held->mark_start);
    frocc__free(held->mark_feature);
    frocc__free(held->mark_value);
    *held = (frocc__held){0};
}

/* Prepared rows, unless projections are no more numbers. */
static bool keeps_projections(const frocc_frame *frame) {
    return frame->n_directions <= frame->n_features && !frocc__judges_codes(frame);
}

/* A rate of 1 / n needs n - 1 rows to be told from none. Rows are kept as numbers of the frame, and
 * while fitting as they came; neither should outgrow what else there is. */
size_t frocc__most_held(const frocc_params *params, const frocc_frame *frame) {
    const double usual = 1024.0;
    if (params->calibration_rows != FROCC_CALIBRATION_AUTO)
        return params->calibration_rows;
    const double d = (double)frame->n_features, m = (double)frame->n_directions;
    const double kept = FROCC_MIN(d, m) * sizeof(float) + 2.0 * sizeof(uint64_t);
    const double room = FROCC_MIN(0x1p24 / kept, 0x1p27 / (d * sizeof(double)));
    const double needed = params->fpr > 0.0 ? ceil(1.0 / params->fpr) : usual;
    return (size_t)FROCC_MAX(usual, FROCC_MIN(needed, room));
}

/* ---- Marks ---------------------------------------------------------------------------------- */

static bool is_extreme(const frocc__extremes *extremes, size_t feature, float value) {
    const frocc__ends *ends = &extremes->ends[feature];
    return value == ends->low[0] || value == ends->high[0];
}

static frocc_status marks_new(frocc__held *held, size_t count) {
    held->mark_feature = frocc__alloc(count, sizeof(uint32_t));
    held->mark_value = frocc__alloc(count, sizeof(float));
    return held->mark_feature != NULL && held->mark_value != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

/* Marks of rows that are as prepared: counted first, then written. */
static frocc_status mark(frocc__held *held, const frocc__extremes *extremes) {
    const size_t d = extremes->n_features;
    for (int writes = 0; writes < 2; writes++) {
        size_t count = 0;
        for (size_t i = 0; i < held->n_rows; i++) {
            held->mark_start[i] = count;
            for (size_t j = 0; j < d; j++) {
                const float value = held->values[i * held->width + j];
                if (!is_extreme(extremes, j, value))
                    continue;
                if (writes) {
                    held->mark_feature[count] = (uint32_t)j;
                    held->mark_value[count] = value;
                }
                count++;
            }
        }
        held->mark_start[held->n_rows] = count;
        if (!writes)
            FROCC_TRY(marks_new(held, count));
    }
    return FROCC_OK;
}

/* Forgets marks that are not extremes of all rows. */
static void trim(frocc__held *held, const frocc__extremes *extremes) {
    size_t kept = 0, next = 0;
    for (size_t i = 0; i < held->n_rows; i++) {
        const size_t end = held->mark_start[i + 1];
        held->mark_start[i] = kept;
        for (; next < end; next++)
            if (is_extreme(extremes, held->mark_feature[next], held->mark_value[next])) {
                held->mark_feature[kept] = held->mark_feature[next];
                held->mark_value[kept++] = held->mark_value[next];
            }
    }
    held->mark_start[held->n_rows] = kept;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Rows as prepared become what the frame keeps. */
static frocc_status narrow(const frocc_frame *frame, frocc__held *held) {
    float *values = frocc__alloc(held->n_rows, frame->n_directions * sizeof(float));
    if (values == NULL)
        return FROCC_ERR_MEMORY;
    frocc_status status = frocc__project_rows(frame, held->values, held->n_rows, values);
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

static void prepare_members(const frocc_frame *frame, const frocc__members *members,
                            frocc__held *held) {
    const size_t d = frame->n_features;
    for (size_t i = 0; i < members->count; i++) {
        int64_t start[2];
        const frocc_rows row = frocc__member_row(&members->rows[i], frame->columns.n_inputs, start);
        held->hash[i] = members->rows[i].hash;
        held->copies[i] = members->rows[i].copies;
        (void)frocc__frame_prepare(frame, &row, 0, held->values + i * d); /* it was usable */
        for (size_t j = 0; j < d; j++)
            held->values[i * d + j] += 0.0f; /* no -0: equal models must be equal bytes */
    }
}

frocc_status frocc__held_of(const frocc_frame *frame, size_t most, const frocc_sample *sample,
                            const frocc__extremes *extremes, frocc__held *held) {
    frocc__members members;
    FROCC_TRY(frocc__sample_members(sample, &members));
    frocc_status status = frocc__held_new(most, members.count, frame->n_features, held);
    if (status == FROCC_OK)
        prepare_members(frame, &members, held);
    frocc__members_free(&members);
    FROCC_TRY(status);
    if (keeps_projections(frame)) {
        status = mark(held, extremes);
        if (status == FROCC_OK)
            status = narrow(frame, held);
    }
    if (status != FROCC_OK)
        frocc__held_free(held);
    return status;
}

static size_t marks_of(const frocc__held *held, size_t i) {
    return held->mark_start[i + 1] - held->mark_start[i];
}

/* Row i becomes row j, which follows j - 1 rows that are there; marks have room. */
static void copy_row(const frocc__held *from, size_t i, frocc__held *to, size_t j) {
    const size_t count = marks_of(from, i), at = to->mark_start[j];
    to->hash[j] = from->hash[i];
    to->copies[j] = from->copies[i];
    memcpy(to->values + j * to->width, from->values + i * from->width, to->width * sizeof(float));
    for (size_t k = 0; k < count; k++) {
        to->mark_feature[at + k] = from->mark_feature[from->mark_start[i] + k];
        to->mark_value[at + k] = from->mark_value[from->mark_start[i] + k];
    }
    to->mark_start[j + 1] = at + count;
}

static size_t all_marks(const frocc__held *held) {
    return held->mark_start != NULL ? held->mark_start[held->n_rows] : 0;
}

frocc_status frocc__held_copy(const frocc__held *held, const frocc_frame *frame,
                              frocc__held *copy) {
    frocc__held made;
    FROCC_TRY(frocc__held_new(held->most, held->n_rows,
                              held->is_projected ? frame->n_directions : held->width, &made));
    made.is_projected = held->is_projected;
    frocc_status status = marks_new(&made, all_marks(held));
    for (size_t i = 0; i < held->n_rows && status == FROCC_OK; i++)
        copy_row(held, i, &made, i);
    if (status != FROCC_OK) {
        frocc__held_free(&made);
        return status;
    }
    *copy = made;
    return FROCC_OK;
}

frocc_status frocc__held_finish(frocc__held *held, const frocc_frame *frame,
                                const frocc__extremes *extremes) {
    if (held->is_projected)
        trim(held, extremes);
    if (held->most == 0 || held->is_projected || !keeps_projections(frame))
        return FROCC_OK;
    frocc__free(held->mark_feature);
    frocc__free(held->mark_value);
    FROCC_TRY(mark(held, extremes));
    return narrow(frame, held);
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
    if (marks_new(&all, all_marks(a) + all_marks(b)) != FROCC_OK) {
        frocc__held_free(&all);
        return FROCC_ERR_MEMORY;
    }
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
    copy->wide_slope = calibration->wide_slope;
    copy->wide_shift = calibration->wide_shift;
    if (calibration->n_scores > 0) {
        memcpy(copy->scores, calibration->scores, copy->n_scores * sizeof *copy->scores);
        memcpy(copy->rows, calibration->rows, copy->n_scores * sizeof *copy->rows);
    }
    return FROCC_OK;
}

uint64_t frocc__calibration_rows(const frocc__calibration *calibration) {
    return calibration->n_scores == 0 ? 0 : calibration->rows[calibration->n_scores - 1];
}

/* ---- Left out ------------------------------------------------------------------------------- */

typedef struct calibrating {
    const frocc__counts *counts;
    const frocc__held *held;
    frocc__evidence *evidence;
    const float *values;  /* projections, a row after the other */
    float *projected;     /* the same, where the held rows are not projected */
    float *turned;        /* of some slots, a slot after the other */
    float *spread;        /* some rows, as trees want them */
    uint8_t *alone;       /* a table of costs */
    uint32_t *sums;       /* of one slot */
    uint32_t *ranks;      /* of the codes of one row */
    frocc__against *rows; /* what speaks against each */
    bool is_foreign;      /* a held row is not among those that were counted: a forged model */
} calibrating;

/* Slots whose values are turned at once: so many are in one cache line. */
#define TURNED (FROCC_LINE / sizeof(float))

static void calibrating_free(calibrating *job) {
    frocc__free(job->projected);
    frocc__free(job->turned);
    frocc__free(job->spread);
    frocc__free(job->alone);
    frocc__free(job->sums);
    frocc__free(job->ranks);
    frocc__free(job->rows);
}

static frocc_status calibrating_new(const frocc__counts *counts, const frocc__held *held,
                                    frocc__evidence *evidence, calibrating *job) {
    const size_t n = held->n_rows, m = counts->frame->n_directions;
    *job = (calibrating){
        .counts = counts,
        .held = held,
        .evidence = evidence,
        .projected = frocc__alloc_raw(held->is_projected ? 0 : n, m * sizeof(float)),
        .turned = frocc__alloc_raw(n, TURNED * sizeof(float)),
        .spread = frocc__alloc(m, FROCC_DESCENDING * sizeof(float)),
        .alone = frocc__alloc(counts->directions.n_cells, 1),
        .sums = frocc__alloc(n, sizeof(uint32_t)),
        .ranks = frocc__alloc(counts->frame->columns.n_codes, sizeof(uint32_t)),
        .rows = frocc__alloc(n, sizeof(frocc__against)),
    };
    job->values = held->is_projected ? held->values : job->projected;
    if (job->projected == NULL || job->turned == NULL || job->spread == NULL ||
        job->alone == NULL || job->sums == NULL || job->ranks == NULL || job->rows == NULL)
        return FROCC_ERR_MEMORY;
    return held->is_projected ? FROCC_OK
                              : frocc__project_rows(counts->frame, held->values, n, job->projected);
}

static void turn(const calibrating *job, size_t first_slot) {
    const size_t n = job->held->n_rows, m = job->counts->frame->n_directions;
    const size_t count = FROCC_MIN(m - first_slot, TURNED);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < count; k++)
            job->turned[k * n + i] = job->values[i * m + first_slot + k];
}

static void add_slot(calibrating *job, const frocc__costs *costs, frocc__needed needed, size_t slot,
                     const frocc__bin *bins, size_t n_bins) {
    const frocc__kernels *kernels = job->evidence->frame->kernels;
    const frocc__left_out_table table =
        frocc__costs_left_out(costs, kernels, slot, bins, n_bins, needed, job->alone);
    memset(job->sums, 0, job->held->n_rows * sizeof *job->sums);
    job->is_foreign |=
        !frocc__add_left_out(&table, kernels, job->turned + slot % TURNED * job->held->n_rows,
                             job->held->n_rows, job->sums);
}

static void leave_out_of_slot(calibrating *job, size_t slot, const frocc__bin *bins,
                              size_t n_bins) {
    const size_t n = job->held->n_rows;
    const frocc__evidence *e = job->evidence;
    const bool is_single = e->is_single[slot];
    if (slot % TURNED == 0)
        turn(job, slot);
    add_slot(job, &e->costs, 0, slot, bins, n_bins);
    for (size_t i = 0; i < n; i++)
        *(is_single ? &job->rows[i].single : &job->rows[i].mixed) += job->sums[i];
    if (e->needed == 0)
        return;
    add_slot(job, &e->wide, e->needed, slot, bins, n_bins);
    for (size_t i = 0; i < n; i++)
        *(is_single ? &job->rows[i].wide_single : &job->rows[i].wide_mixed) += job->sums[i];
}

static void leave_out_of_leaves(calibrating *job) {
    const frocc_frame *frame = job->counts->frame;
    const size_t n = job->held->n_rows, m = frame->n_directions;
    for (size_t i = 0; frame->trees.n_trees > 0 && i < n; i += FROCC_DESCENDING) {
        const size_t some = FROCC_MIN(n - i, (size_t)FROCC_DESCENDING);
        for (size_t r = 0; r < some; r++)
            for (size_t k = 0; k < m; k++)
                job->spread[k * FROCC_DESCENDING + r] = job->values[(i + r) * m + k];
        job->is_foreign |= frocc__left_out_of_leaves(job->evidence, job->counts, job->spread, some,
                                                     job->rows + i) != SIZE_MAX;
    }
}

static float furthest_without(const calibrating *job, size_t i) {
    const frocc__held *held = job->held;
    const frocc__extremes *extremes = &job->evidence->extremes;
    const frocc_frame *frame = job->counts->frame;
    float furthest = 0.0f;
    if (extremes->n_features == 0) /* which may be so although there are marks */
        return furthest;
    for (size_t k = held->mark_start[i]; held->is_projected && k < held->mark_start[i + 1]; k++)
        furthest =
            FROCC_MAX(furthest, frocc__extremes_left_out(extremes, frame, held->mark_feature[k],
                                                         held->mark_value[k]));
    for (size_t j = 0; !held->is_projected && j < extremes->n_features; j++)
        furthest = FROCC_MAX(furthest, frocc__extremes_left_out(extremes, frame, j,
                                                                held->values[i * held->width + j]));
    return furthest;
}

/* The codes of held rows are there: rows are not kept as projections where codes are judged. */
static void leave_out_of_codes(const calibrating *job) {
    const frocc__code_evidence *codes = &job->evidence->codes;
    for (size_t i = 0; codes->alone != NULL && i < job->held->n_rows; i++) {
        const frocc__surprise s =
            frocc__surprise_of(codes, job->held->values + i * job->held->width, 1, 1, job->ranks);
        frocc__against_codes(&job->rows[i], &s);
    }
}

/* ---- Calibrating ---------------------------------------------------------------------------- */

typedef struct scored {
    double score; /* first, for comparing */
    uint64_t copies;
} scored;

static int compare_scores(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Where half and nine tenths of the rows are no odder. */
typedef struct spread {
    double middle, tail;
} spread;

static spread spread_of(scored *pairs, size_t n) {
    uint64_t total = 0, seen = 0;
    spread found = {0};
    qsort(pairs, n, sizeof *pairs, compare_scores);
    for (size_t i = 0; i < n; i++)
        total += pairs[i].copies;
    for (size_t i = 0; i < n; i++) {
        if ((double)seen < 0.5 * (double)total)
            found.middle = pairs[i].score;
        if ((double)seen < 0.9 * (double)total)
            found.tail = pairs[i].score;
        seen += pairs[i].copies;
    }
    return found;
}

/* Brings what wide windows say to the units of all else: the same middle and the same tail. */
static frocc_status align(const calibrating *job) {
    const size_t n = job->held->n_rows;
    frocc__evidence *e = job->evidence;
    if (e->needed == 0)
        return FROCC_OK;
    scored *pairs = frocc__alloc(n, sizeof *pairs);
    if (pairs == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        pairs[i] = (scored){frocc__oddness(e, &job->rows[i]), job->held->copies[i]};
    const spread own = spread_of(pairs, n);
    for (size_t i = 0; i < n; i++)
        pairs[i] = (scored){frocc__wide_oddness(e, &job->rows[i]), job->held->copies[i]};
    const spread wide = spread_of(pairs, n);
    frocc__free(pairs);
    if (!(own.tail > own.middle && wide.tail > wide.middle))
        return FROCC_OK;
    e->wide_slope = (own.tail - own.middle) / (wide.tail - wide.middle);
    e->wide_shift = own.middle - e->wide_slope * wide.middle;
    return FROCC_OK;
}

/* Scores with the copies of their rows, sorted, then as a running count. */
static frocc_status tabulate(const calibrating *job, frocc__calibration *calibration) {
    const size_t n = job->held->n_rows;
    scored *pairs = frocc__alloc(n, sizeof *pairs);
    frocc_status status = pairs != NULL ? calibration_new(n, calibration) : FROCC_ERR_MEMORY;
    for (size_t i = 0; i < n && status == FROCC_OK; i++)
        pairs[i] = (scored){frocc__closeness(job->evidence, &job->rows[i]), job->held->copies[i]};
    if (status == FROCC_OK && n > 0)
        qsort(pairs, n, sizeof *pairs, compare_scores);
    calibration->wide_slope = job->evidence->wide_slope;
    calibration->wide_shift = job->evidence->wide_shift;
    uint64_t total = 0;
    for (size_t i = 0; i < n && status == FROCC_OK; i++) {
        total += pairs[i].copies;
        calibration->scores[i] = pairs[i].score;
        calibration->rows[i] = total;
    }
    frocc__free(pairs);
    return status;
}

/* A row that is left out needs others. */
static bool has_others(const frocc__counts *counts, const frocc__held *held) {
    return held->n_rows > 1 ||
           (held->n_rows == 1 && (held->copies[0] > 1 ||
                                  frocc__histogram_list(&counts->directions, 0, counts->bins) > 1 ||
                                  counts->bins[0].count > 1));
}

frocc_status frocc__calibrate(const frocc__counts *counts, const frocc__held *held,
                              frocc__evidence *evidence, frocc__calibration *calibration) {
    const bool calibrates = has_others(counts, held);
    calibrating job;
    frocc_status status = calibrating_new(counts, held, evidence, &job);
    for (size_t slot = 0; slot < counts->directions.n_slots && status == FROCC_OK; slot++) {
        const size_t n_bins = frocc__histogram_list(&counts->directions, slot, counts->bins);
        frocc__evidence_set_costs(evidence, slot, &counts->directions.grids[slot], counts->bins,
                                  n_bins);
        if (calibrates)
            leave_out_of_slot(&job, slot, counts->bins, n_bins);
    }
    if (status == FROCC_OK && calibrates && !job.is_foreign)
        leave_out_of_leaves(&job);
    if (status == FROCC_OK && job.is_foreign)
        status = frocc__damaged("a held row is not among those that were counted");
    if (status == FROCC_OK && calibrates) {
        for (size_t i = 0; i < held->n_rows; i++)
            job.rows[i].furthest = furthest_without(&job, i);
        leave_out_of_codes(&job);
        status = align(&job);
        if (status == FROCC_OK)
            status = tabulate(&job, calibration);
    }
    calibrating_free(&job);
    return status;
}

/* ---- As bytes ------------------------------------------------------------------------------- */

void frocc__held_write(const frocc__held *held, frocc__bytes_out *out) {
    frocc__put_u64(out, held->most);
    frocc__put_u64(out, held->n_rows);
    for (size_t i = 0; i < held->n_rows; i++) {
        frocc__put_u64(out, held->hash[i]);
        frocc__put_u64(out, held->copies[i]);
    }
    for (size_t i = 0; i < held->n_rows * held->width; i++)
        frocc__put_f32(out, held->values[i]);
    for (size_t i = 0; held->is_projected && i < held->n_rows; i++) {
        frocc__put_u32(out, (uint32_t)marks_of(held, i));
        for (size_t k = held->mark_start[i]; k < held->mark_start[i + 1]; k++) {
            frocc__put_u32(out, held->mark_feature[k]);
            frocc__put_f32(out, held->mark_value[k]);
        }
    }
}

/* The marks of all rows, which are the rest of the section. */
static frocc_status read_marks(frocc__bytes_in *in, size_t n_features, frocc__held *held) {
    const size_t size = sizeof(uint32_t) + sizeof(float);
    FROCC_TRY(marks_new(held, in->left / size));
    size_t count = 0;
    for (size_t i = 0; i < held->n_rows; i++) {
        const uint32_t own = frocc__get_u32(in);
        if (in->failed || own > in->left / size)
            return frocc__damaged("the held rows are cut short");
        held->mark_start[i] = count;
        for (uint32_t k = 0; k < own; k++, count++) {
            held->mark_feature[count] = frocc__get_u32(in);
            held->mark_value[count] = frocc__get_f32(in);
            if (held->mark_feature[count] >= n_features || !isfinite(held->mark_value[count]) ||
                (k > 0 && held->mark_feature[count] <= held->mark_feature[count - 1]))
                return frocc__damaged("the held rows are not what a fit produces");
        }
    }
    held->mark_start[held->n_rows] = count;
    return FROCC_OK;
}

bool frocc__held_rows(const frocc__held *held, uint64_t *n_rows) {
    *n_rows = 0;
    for (size_t i = 0; i < held->n_rows; i++)
        if (__builtin_add_overflow(*n_rows, held->copies[i], n_rows))
            return false;
    return true;
}

static bool is_within(const frocc__extremes *extremes, size_t feature, float value) {
    const frocc__ends *ends = &extremes->ends[feature];
    return value >= ends->low[0] && value <= ends->high[0];
}

bool frocc__held_fits(const frocc__held *held, const frocc__extremes *extremes) {
    const size_t d = extremes->n_features;
    if (held->is_projected && d == 0)
        return all_marks(held) == 0;
    for (size_t k = 0; held->is_projected && k < all_marks(held); k++)
        if (!is_extreme(extremes, held->mark_feature[k], held->mark_value[k]))
            return false;
    for (size_t i = 0; !held->is_projected && i < held->n_rows; i++)
        for (size_t j = 0; j < d; j++)
            if (!is_within(extremes, j, held->values[i * held->width + j]))
                return false;
    return true;
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

frocc_status frocc__held_read(frocc__bytes_in *in, const frocc_frame *frame, frocc__held *held) {
    uint64_t most = frocc__get_u64(in), n_held = frocc__get_u64(in);
    const bool is_projected = keeps_projections(frame);
    const size_t width = is_projected ? frame->n_directions : frame->n_features;
    uint64_t per_row = 2 * sizeof(uint64_t) + width * sizeof(float);
    if (in->failed || most == 0 || most > (size_t)1 << 24 || n_held > most ||
        in->left / per_row < n_held)
        return frocc__damaged("the held rows do not fit their section");
    frocc__held made;
    FROCC_TRY(frocc__held_new((size_t)most, (size_t)n_held, width, &made));
    made.is_projected = is_projected;
    for (size_t i = 0; i < made.n_rows; i++) {
        made.hash[i] = frocc__get_u64(in);
        made.copies[i] = frocc__get_u64(in);
    }
    for (size_t i = 0; i < made.n_rows * made.width; i++)
        made.values[i] = frocc__get_f32(in);
    frocc_status status = is_projected ? read_marks(in, frame->columns.n_inputs, &made) : FROCC_OK;
    if (status == FROCC_OK && (in->left != 0 || !is_held_of_something(&made)))
        status = frocc__damaged("the held rows are not what a fit produces");
    if (status != FROCC_OK) {
        frocc__held_free(&made);
        return status;
    }
    *held = made;
    return FROCC_OK;
}

void frocc__calibration_write(const frocc__calibration *calibration, frocc__bytes_out *out) {
    frocc__put_f64(out, calibration->wide_slope);
    frocc__put_f64(out, calibration->wide_shift);
    for (size_t i = 0; i < calibration->n_scores; i++) {
        frocc__put_f64(out, calibration->scores[i]);
        frocc__put_u64(out, calibration->rows[i]);
    }
}

frocc_status frocc__calibration_read(frocc__bytes_in *in, frocc__calibration *calibration) {
    const size_t size = sizeof(double) + sizeof(uint64_t);
    const double slope = frocc__get_f64(in), shift = frocc__get_f64(in);
    const double most = 1e6; /* of what logarithms of costs can ask for */
    if (in->failed || in->left % size != 0 || !(slope >= 0.0 && slope <= most) ||
        !(fabs(shift) <= most * most))
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
    made.wide_slope = slope;
    made.wide_shift = shift;
    if (!rises) {
        frocc__calibration_free(&made);
        return frocc__damaged("the calibration is not what a fit produces");
    }
    *calibration = made;
    return FROCC_OK;
}
