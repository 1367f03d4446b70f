/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Models as bytes and files (docs/model-format.md), and what a fitter has learnt, which is a model
 * that is not finished: without what it judges by, and perhaps of no rows. The loader trusts
 * nothing, and equal models are equal bytes.
 */
#include "model/model_file.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/envelope.h"
#include "base/memory.h"
#include "base/replace.h"
#include "base/status.h"
#include "sketch/observe.h"

#define TAG FROCC__TAG
#define TAG_FRAME FROCC__TAG_FRAME
#define TAG_SKETCH TAG('S', 'K', 'E', 'T')
#define TAG_SEALED TAG('S', 'E', 'A', 'L')
#define TAG_CALIBRATION TAG('C', 'A', 'L', 'I')
#define TAG_COUNTS TAG('C', 'O', 'U', 'N')
#define TAG_HELD TAG('H', 'E', 'L', 'D')
#define TAG_DECISION TAG('D', 'E', 'C', 'I')

/* ---- Writing -------------------------------------------------------------------------------- */

static void write_counts(const frocc_model *model, frocc__bytes_out *out) {
    size_t begin = frocc__section_begin(out, model->is_sealed ? TAG_SEALED : TAG_COUNTS);
    frocc__put_bytes(out, model->counts, model->counts_size);
    frocc__section_end(out, begin);
    if (model->calibration.scores == NULL)
        return;
    begin = frocc__section_begin(out, TAG_CALIBRATION);
    frocc__calibration_write(&model->calibration, out);
    frocc__section_end(out, begin);
}

static void write_content(const frocc_model *model, frocc__bytes_out *out) {
    if (frocc__model_counts(model)) {
        write_counts(model, out);
        return;
    }
    const size_t begin = frocc__section_begin(out, TAG_SKETCH);
    frocc__sketch_write(&model->sketch, out);
    frocc__section_end(out, begin);
}

static void write_decision(const frocc_model *model, frocc__bytes_out *out) {
    const size_t begin = frocc__section_begin(out, TAG_DECISION);
    frocc__put_u32(out, (uint32_t)model->decision.score);
    frocc__put_f64(out, model->decision.threshold);
    frocc__put_f64(out, model->decision.fpr);
    frocc__put_f64(out, model->decision.contamination);
    frocc__put_u64(out, model->n_rows);
    frocc__put_f32(out, model->epsilon);
    frocc__section_end(out, begin);
}

frocc_status frocc__model_write(const frocc_model *model, frocc_kind kind, void **bytes,
                                size_t *size) {
    frocc__bytes_out out = {0};
    frocc__envelope_begin(&out, kind);
    size_t begin = frocc__section_begin(&out, TAG_FRAME);
    frocc__frame_write(model->frame, &out);
    frocc__section_end(&out, begin);
    write_decision(model, &out);
    if (model->n_rows > 0)
        write_content(model, &out);
    if (model->held.most > 0) {
        begin = frocc__section_begin(&out, TAG_HELD);
        frocc__held_write(&model->held, &out);
        frocc__section_end(&out, begin);
    }
    return frocc__envelope_end(&out, bytes, size);
}

frocc_status frocc_model_to_bytes(const frocc_model *model, void **bytes, size_t *size) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(size);
    return frocc__model_write(model, FROCC_KIND_MODEL, bytes, size);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* The sections of one file. */
enum { FRAME, DECISION, SKETCH, SEALED, CALIBRATION, COUNTS, HELD, N_SECTIONS };

typedef struct sections {
    frocc_kind kind;
    frocc__section of[N_SECTIONS];
} sections;

static bool has(const sections *all, int which) {
    return all->of[which].in.data != NULL;
}

static frocc_status find_sections(const void *bytes, size_t size, frocc_kind kind, sections *all) {
    *all = (sections){kind,
                      {[FRAME] = {.tag = TAG_FRAME},
                       [DECISION] = {.tag = TAG_DECISION},
                       [SKETCH] = {.tag = TAG_SKETCH},
                       [SEALED] = {.tag = TAG_SEALED},
                       [CALIBRATION] = {.tag = TAG_CALIBRATION},
                       [COUNTS] = {.tag = TAG_COUNTS},
                       [HELD] = {.tag = TAG_HELD}}};
    FROCC_TRY(frocc__envelope_read(bytes, size, kind, all->of, N_SECTIONS));
    if (!has(all, FRAME) || !has(all, DECISION))
        return frocc__damaged("a section is missing");
    return FROCC_OK;
}

static bool is_usable_score(double threshold, frocc_score score) {
    const double least = score == FROCC_SCORE_AGREEMENT ? 0.0 : -DBL_MAX;
    return threshold >= least && threshold <= 1.0;
}

/* What is known of a model before its frame. */
typedef struct decided {
    frocc__decision decision;
    uint64_t n_rows;
    float epsilon;
} decided;

static frocc_status read_decision(frocc__bytes_in *in, decided *model) {
    frocc__decision *decision = &model->decision;
    const uint32_t score = frocc__get_u32(in);
    decision->threshold = frocc__get_f64(in);
    decision->fpr = frocc__get_f64(in);
    decision->contamination = frocc__get_f64(in);
    model->n_rows = frocc__get_u64(in);
    model->epsilon = frocc__get_f32(in);
    if (in->failed || in->left != 0 || score > FROCC_SCORE_CLOSENESS)
        return frocc__damaged("the decision section is not usable");
    decision->score = (frocc_score)score;
    if (!is_usable_score(decision->threshold, decision->score) ||
        !(decision->fpr >= 0.0 && decision->fpr < 1.0) ||
        !(decision->contamination >= 0.0 && decision->contamination <= 0.5))
        return frocc__damaged("its threshold, false-alarm rate or contamination is out of range");
    if (!(model->epsilon >= FROCC_MIN_EPSILON && model->epsilon <= 1.0f))
        return frocc__damaged("its epsilon is out of range");
    if (score == FROCC_SCORE_CLOSENESS && !(model->epsilon >= FROCC_CLOSENESS_MIN_EPSILON &&
                                            model->epsilon <= FROCC_CLOSENESS_MAX_EPSILON))
        return frocc__damaged("its epsilon is not one of closeness");
    return FROCC_OK;
}

/* Whether the sections are those of such a model, or of such a fitter. */
static frocc_status check_sections(const sections *all, const decided *about) {
    const bool is_fitter = all->kind == FROCC_KIND_FITTER;
    const bool is_counting = about->decision.score == FROCC_SCORE_CLOSENESS;
    const int contents = has(all, SKETCH) + has(all, SEALED) + has(all, COUNTS);
    if (contents != (about->n_rows > 0) || (about->n_rows == 0 && !is_fitter))
        return frocc__damaged("a section is missing, or it has no rows");
    if (contents == 1 && is_counting == has(all, SKETCH))
        return frocc__damaged("its score does not go with its sections");
    if ((is_fitter && (has(all, CALIBRATION) || has(all, SEALED))) ||
        (!is_counting && (has(all, CALIBRATION) || has(all, HELD))) ||
        (!is_fitter && has(all, HELD) != (has(all, CALIBRATION) && !has(all, SEALED))))
        return frocc__damaged("its sections do not belong together");
    if (about->decision.fpr > 0.0 && !has(all, is_fitter ? HELD : CALIBRATION))
        return frocc__damaged("it has a false-alarm rate and no calibration");
    return FROCC_OK;
}

/* The bytes of a direction at least: a number and an interval, or a histogram of one value. */
#define LEAST_OF_INTERVALS (sizeof(uint32_t) + sizeof(frocc__interval))
#define LEAST_OF_COUNTS (2 * sizeof(float) + 1)

/* Of how many directions the content can be; that of no rows tells nothing. */
static uint64_t most_directions(const sections *all, const decided *about) {
    if (about->n_rows == 0)
        return UINT64_MAX;
    if (about->decision.score == FROCC_SCORE_AGREEMENT)
        return all->of[SKETCH].in.left / LEAST_OF_INTERVALS;
    return all->of[has(all, SEALED) ? SEALED : COUNTS].in.left / LEAST_OF_COUNTS;
}

/* A model of closeness has tables, a fitter counters, beside the bytes as they are given and a copy
 * of all but the frame's. */
static frocc__limits limits_of(const sections *all, const decided *about, size_t size,
                               uint64_t most_memory) {
    const uint64_t cells = frocc__cells_for(about->epsilon);
    frocc__limits limits = {.most_directions = most_directions(all, about),
                            .beside = 2 * (uint64_t)size - all->of[FRAME].in.left,
                            .per_direction = sizeof(frocc__cell_map) + 4 * sizeof(float),
                            .most_memory = most_memory};
    if (about->decision.score != FROCC_SCORE_CLOSENESS) {
        if (all->kind == FROCC_KIND_FITTER)
            limits.per_direction += FROCC_MOST_RUNS * sizeof(uint32_t) + sizeof(uint8_t);
        return limits;
    }
    limits.of_codes = frocc__codes_memory;
    limits.content = all->of[has(all, SEALED) ? SEALED : COUNTS].in.left;
    limits.beside += cells * (2 * sizeof(frocc__bin) + sizeof(uint16_t)); /* scratch */
    if (all->kind == FROCC_KIND_FITTER) {
        const uint64_t a_leaf_slot = FROCC_LEAF_CELLS * sizeof(uint16_t) + sizeof(frocc__grid);
        limits.per_direction = cells * sizeof(uint16_t) + sizeof(frocc__grid);
        limits.per_leaf = FROCC_LEAF_DIRECTIONS * a_leaf_slot;
    } else {
        limits.per_direction = cells + sizeof(frocc__cost_table) + sizeof(float) + 1;
        limits.per_leaf = sizeof(frocc__leaf);
    }
    return limits;
}

static frocc_status read_counts(const sections *all, frocc_model *model) {
    model->is_sealed = has(all, SEALED);
    const frocc__bytes_in *in = &all->of[model->is_sealed ? SEALED : COUNTS].in;
    model->counts = frocc__alloc_raw(in->left, 1);
    if (model->counts == NULL)
        return FROCC_ERR_MEMORY;
    model->counts_size = in->left;
    memcpy(model->counts, in->data, in->left);
    return FROCC_OK;
}

static frocc_status read_rows(sections *all, frocc_model *model) {
    if (frocc__model_counts(model))
        return read_counts(all, model);
    return frocc__sketch_read(&all->of[SKETCH].in, model->frame->n_directions, &model->sketch);
}

static frocc_status check_extremes(const frocc_model *model) {
    const size_t d = frocc__has_extremes(model->frame) ? model->frame->columns.n_inputs : 0;
    frocc__bytes_in in = {model->counts, model->counts_size, false};
    frocc__extremes extremes;
    FROCC_TRY(frocc__extremes_read(&in, d, &extremes));
    const bool fits = frocc__held_fits(&model->held, &extremes);
    frocc__extremes_free(&extremes);
    return fits ? FROCC_OK : frocc__damaged("it holds a row beyond the extremes of all rows");
}

/* Each section is what a fit could have written. Here, and only here, they are asked whether they
 * are of one model:
 * - intervals and decision: of as many rows, at one epsilon;
 * - codes and decision: of as many rows, unless these are too many to be counted;
 * - held rows and decision: not more rows than were learnt;
 * - calibration and held rows: by these rows, unless it is one alone; in a sealed model, which
 *   holds none, by not more rows than were learnt;
 * - held rows and counts: no value beyond the extremes, no mark but of an extreme. */
static frocc_status check_agreement(const frocc_model *model) {
    const frocc__held *held = &model->held;
    const frocc__calibration *calibration = &model->calibration;
    const uint64_t n_calibrating = frocc__calibration_rows(calibration);
    uint64_t n_held;
    if (!frocc__model_counts(model) && model->n_rows > 0 &&
        (model->sketch.n_rows != model->n_rows || model->sketch.epsilon != model->epsilon))
        return frocc__damaged("its intervals are of another model");
    const frocc__code_evidence *codes = &model->evidence.codes;
    if (codes->alone != NULL && codes->n_rows != model->n_rows && codes->n_rows < UINT32_MAX)
        return frocc__damaged("its texts are of other rows");
    if (!frocc__held_rows(held, &n_held) || n_held > model->n_rows)
        return frocc__damaged("it holds more rows than it was fitted on");
    if (n_calibrating > model->n_rows)
        return frocc__damaged("it was calibrated by more rows than it was fitted on");
    if (held->most > 0 && calibration->scores != NULL &&
        (n_calibrating != n_held || calibration->n_scores != held->n_rows) &&
        !(n_calibrating == 0 && n_held == 1))
        return frocc__damaged("it was calibrated by other rows than it holds");
    return held->n_rows > 0 ? check_extremes(model) : FROCC_OK;
}

static frocc_status read_content(sections *all, frocc_model *model) {
    if (model->n_rows > 0)
        FROCC_TRY(read_rows(all, model));
    if (all->kind == FROCC_KIND_MODEL)
        FROCC_TRY(frocc__model_index(model));
    if (has(all, CALIBRATION))
        FROCC_TRY(frocc__calibration_read(&all->of[CALIBRATION].in, &model->calibration));
    model->evidence.wide_slope = model->calibration.wide_slope;
    model->evidence.wide_shift = model->calibration.wide_shift;
    if (has(all, HELD))
        FROCC_TRY(frocc__held_read(&all->of[HELD].in, model->frame, &model->held));
    return check_agreement(model);
}

static frocc_status read_with_frame(sections *all, const decided *about, frocc_frame *frame,
                                    frocc_model **model) {
    frocc_model *made = NULL;
    FROCC_TRY(frocc__model_new(frame, about->decision, &made));
    made->n_rows = about->n_rows;
    made->epsilon = about->epsilon;
    frocc_status status = read_content(all, made);
    if (status != FROCC_OK) {
        frocc_model_free(made);
        return status;
    }
    *model = made;
    return FROCC_OK;
}

frocc_status frocc__model_read(const void *bytes, size_t size, frocc_kind kind,
                               const frocc_load_options *options, frocc_model **model) {
    FROCC_TRY(frocc__load_options_check(options));
    sections all;
    decided about = {0};
    FROCC_TRY(find_sections(bytes, size, kind, &all));
    FROCC_TRY(read_decision(&all.of[DECISION].in, &about));
    FROCC_TRY(check_sections(&all, &about));
    const frocc__limits limits = limits_of(&all, &about, size, frocc__load_memory(options, size));
    frocc_frame *frame = NULL;
    FROCC_TRY(frocc__frame_read(all.of[FRAME].in, options, &limits, &frame));
    frocc_status status = read_with_frame(&all, &about, frame, model);
    frocc_frame_free(frame);
    return status;
}

frocc_status frocc_model_from_bytes(const void *bytes, size_t size,
                                    const frocc_load_options *options, frocc_model **model) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(model);
    return frocc__model_read(bytes, size, FROCC_KIND_MODEL, options, model);
}

/* ---- Files ---------------------------------------------------------------------------------- */

frocc_status frocc_model_load(const char *path, const frocc_load_options *options,
                              frocc_model **model) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(path);
    FROCC_REQUIRE(model);
    void *bytes = NULL;
    size_t size = 0;
    FROCC_TRY(frocc_bytes_load(path, options, &bytes, &size));
    frocc_status status = frocc_model_from_bytes(bytes, size, options, model);
    frocc__free(bytes);
    if (status == FROCC_OK)
        return FROCC_OK;
    return frocc__fail_at(status, &(frocc__where){.file = path}, "%s", frocc_last_error());
}

/*
 * What is saved must load: an older file is not replaced by one that does not. All is read again as
 * a loader does; only the frame, which may be large, is not made anew.
 */
static frocc_status load_again(const frocc_model *model, const void *bytes, size_t size) {
    const frocc_load_options options = {.struct_size = sizeof options,
                                        .kernel_fn = model->frame->kernel_fn,
                                        .kernel_context = model->frame->kernel_context};
    sections all;
    decided about = {0};
    frocc_model *again = NULL;
    FROCC_TRY(find_sections(bytes, size, FROCC_KIND_MODEL, &all));
    FROCC_TRY(read_decision(&all.of[DECISION].in, &about));
    FROCC_TRY(check_sections(&all, &about));
    FROCC_TRY(frocc__frame_check_bytes(all.of[FRAME].in, &options));
    FROCC_TRY(read_with_frame(&all, &about, model->frame, &again));
    frocc_model_free(again);
    return FROCC_OK;
}

static frocc_status check_loads(const frocc_model *model, const void *bytes, size_t size) {
    frocc_status status = load_again(model, bytes, size);
    if (status == FROCC_OK || status == FROCC_ERR_MEMORY)
        return status;
    return frocc__fail(status,
                       "the model was not saved, since it could not be loaded again; this should "
                       "not happen, please report it: %s",
                       frocc_last_error());
}

frocc_status frocc_model_save(const frocc_model *model, const char *path) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(path);
    void *bytes = NULL;
    size_t size = 0;
    FROCC_TRY(frocc_model_to_bytes(model, &bytes, &size));
    frocc_status status = check_loads(model, bytes, size);
    if (status == FROCC_OK)
        status = frocc__file_replace(path, bytes, size);
    frocc__free(bytes);
    return status;
}
