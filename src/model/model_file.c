/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Model files (docs/model-format.md): magic, version, sections with lengths, a checksum over
 * everything. The loader trusts nothing, and equal models are equal bytes.
 */
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/replace.h"
#include "base/status.h"
#include "model/model.h"

#define FORMAT_VERSION 2

/* The first byte is not text and the last two are a line end, so that a transfer which rewrites
 * text is noticed at once. */
static const unsigned char magic[8] = {0x89, 'F', 'R', 'O', 'C', 'C', '\r', '\n'};

/* Section tags, readable in a hex dump. */
#define TAG(a, b, c, d)                                                                            \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define TAG_FRAME TAG('F', 'R', 'A', 'M')
#define TAG_SKETCH TAG('S', 'K', 'E', 'T')
#define TAG_SEALED TAG('S', 'E', 'A', 'L')
#define TAG_CALIBRATION TAG('C', 'A', 'L', 'I')
#define TAG_COUNTS TAG('C', 'O', 'U', 'N')
#define TAG_HELD TAG('H', 'E', 'L', 'D')
#define TAG_DECISION TAG('D', 'E', 'C', 'I')

/* ---- Writing -------------------------------------------------------------------------------- */

/* A section's head, with a length to be filled in by end_section. */
static size_t begin_section(frocc__bytes_out *out, uint32_t tag) {
    frocc__put_u32(out, tag);
    frocc__put_u64(out, 0);
    return out->size;
}

static void end_section(frocc__bytes_out *out, size_t begin) {
    if (out->failed)
        return;
    frocc__bytes_out length = {out->data + begin - 8, 0, 8, false};
    frocc__put_u64(&length, out->size - begin);
}

static void write_closeness(const frocc_model *model, frocc__bytes_out *out) {
    size_t begin = begin_section(out, model->is_sealed ? TAG_SEALED : TAG_COUNTS);
    frocc__put_bytes(out, model->counts, model->counts_size);
    end_section(out, begin);
    if (model->calibration.scores != NULL) {
        begin = begin_section(out, TAG_CALIBRATION);
        frocc__calibration_write(&model->calibration, out);
        end_section(out, begin);
    }
    if (model->held.most > 0) {
        begin = begin_section(out, TAG_HELD);
        frocc__held_write(&model->held, out);
        end_section(out, begin);
    }
}

static void write_model(const frocc_model *model, frocc__bytes_out *out) {
    frocc__put_bytes(out, magic, sizeof magic);
    frocc__put_u32(out, FORMAT_VERSION);
    size_t begin = begin_section(out, TAG_FRAME);
    frocc__frame_write(model->frame, out);
    end_section(out, begin);
    begin = begin_section(out, TAG_DECISION);
    frocc__put_u32(out, (uint32_t)model->decision.score);
    frocc__put_f64(out, model->decision.threshold);
    frocc__put_f64(out, model->decision.fpr);
    frocc__put_f64(out, model->decision.contamination);
    frocc__put_u64(out, model->n_rows);
    frocc__put_f32(out, model->epsilon);
    end_section(out, begin);
    if (frocc__model_counts(model)) {
        write_closeness(model, out);
    } else {
        begin = begin_section(out, TAG_SKETCH);
        frocc__sketch_write(&model->sketch, out);
        end_section(out, begin);
    }
    if (!out->failed)
        frocc__put_u64(out, frocc__checksum(out->data, out->size));
}

frocc_status frocc_model_to_bytes(const frocc_model *model, void **bytes, size_t *size) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(size);
    frocc__bytes_out out = {0};
    write_model(model, &out);
    if (out.failed) {
        frocc__free(out.data);
        return FROCC_ERR_MEMORY;
    }
    *bytes = out.data;
    *size = out.size;
    return FROCC_OK;
}

void frocc_bytes_free(void *bytes) {
    frocc__free(bytes);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* The sections of one file, each a reader of its own; a missing one has no data. */
typedef struct sections {
    frocc__bytes_in frame, decision, sketch, sealed, calibration, counts, held;
} sections;

static frocc__bytes_in *section_of(sections *all, uint32_t tag) {
    switch (tag) {
    case TAG_FRAME:
        return &all->frame;
    case TAG_DECISION:
        return &all->decision;
    case TAG_SKETCH:
        return &all->sketch;
    case TAG_SEALED:
        return &all->sealed;
    case TAG_CALIBRATION:
        return &all->calibration;
    case TAG_COUNTS:
        return &all->counts;
    case TAG_HELD:
        return &all->held;
    default:
        return NULL;
    }
}

static frocc_status find_sections(frocc__bytes_in *in, sections *all) {
    while (in->left > 0) {
        uint32_t tag = frocc__get_u32(in);
        uint64_t length = frocc__get_u64(in);
        if (in->failed || length > in->left)
            return frocc__damaged("a section is longer than the file");
        frocc__bytes_in *section = section_of(all, tag);
        if (section == NULL || section->data != NULL)
            return frocc__damaged("a section is not known or there twice");
        section->left = (size_t)length;
        section->data = frocc__get_bytes(in, (size_t)length);
    }
    const int contents =
        (all->sketch.data != NULL) + (all->sealed.data != NULL) + (all->counts.data != NULL);
    if (all->frame.data == NULL || all->decision.data == NULL || contents != 1)
        return frocc__damaged("a section is missing");
    if ((all->sketch.data != NULL && all->calibration.data != NULL) ||
        (all->held.data != NULL && all->counts.data == NULL))
        return frocc__damaged("its sections do not belong together");
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
    if (!(model->epsilon >= FROCC_MIN_EPSILON && model->epsilon <= 1.0f) || model->n_rows == 0)
        return frocc__damaged("epsilon or the number of rows is out of range");
    if (score == FROCC_SCORE_CLOSENESS && !(model->epsilon >= FROCC_CLOSENESS_MIN_EPSILON &&
                                            model->epsilon <= FROCC_CLOSENESS_MAX_EPSILON))
        return frocc__damaged("its epsilon is not one of closeness");
    return FROCC_OK;
}

/* The bytes of a direction at least: a number and an interval, or a histogram of one value. */
#define LEAST_OF_INTERVALS (sizeof(uint32_t) + sizeof(frocc__interval))
#define LEAST_OF_COUNTS (2 * sizeof(float) + 1)

static frocc__limits limits_of(const sections *all, const decided *about, uint64_t most_memory) {
    if (about->decision.score == FROCC_SCORE_CLOSENESS) {
        const size_t bytes = all->sealed.data != NULL ? all->sealed.left : all->counts.left;
        return (frocc__limits){bytes / LEAST_OF_COUNTS,
                               frocc__cells_for(about->epsilon) + sizeof(frocc__cost_table),
                               most_memory};
    }
    return (frocc__limits){all->sketch.left / LEAST_OF_INTERVALS,
                           sizeof(frocc__cell_map) + 4 * sizeof(float), most_memory};
}

static frocc_status read_counts(const frocc__bytes_in *in, frocc_model *model) {
    model->counts = frocc__alloc_raw(in->left, 1);
    if (model->counts == NULL)
        return FROCC_ERR_MEMORY;
    model->counts_size = in->left;
    memcpy(model->counts, in->data, in->left);
    return frocc__model_index(model);
}

static frocc_status read_closeness(sections *all, frocc_model *model) {
    model->is_sealed = all->sealed.data != NULL;
    FROCC_TRY(read_counts(model->is_sealed ? &all->sealed : &all->counts, model));
    if (all->calibration.data != NULL)
        FROCC_TRY(frocc__calibration_read(&all->calibration, &model->calibration));
    if (frocc__calibration_rows(&model->calibration) > model->n_rows)
        return frocc__damaged("it was calibrated by more rows than it was fitted on");
    if (all->held.data == NULL)
        return FROCC_OK;
    return frocc__held_read(&all->held, model->frame, model->n_rows, &model->held);
}

static frocc_status read_content(sections *all, frocc_model *model) {
    if (frocc__model_counts(model))
        return read_closeness(all, model);
    FROCC_TRY(frocc__sketch_read(&all->sketch, model->frame->n_directions, &model->sketch));
    if (model->sketch.n_rows != model->n_rows || model->sketch.epsilon != model->epsilon)
        return frocc__damaged("its sections are of different models");
    return frocc__model_index(model);
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

#define HEAD_SIZE (sizeof magic + sizeof(uint32_t))
_Static_assert(HEAD_SIZE <= FROCC__HEAD_SIZE, "what is read first tells whether it is a model");

/* Magic and version, which the first bytes of a file tell. */
static frocc_status check_head(const void *bytes, size_t length) {
    size_t compared = FROCC_MIN(length, sizeof magic);
    if (length == 0 || memcmp(bytes, magic, compared) != 0)
        return frocc__fail(FROCC_ERR_FORMAT, "this is not a frocc model file");
    if (length < HEAD_SIZE)
        return frocc__damaged("it is cut short");
    frocc__bytes_in in = {(const unsigned char *)bytes + sizeof magic, sizeof(uint32_t), false};
    uint32_t version = frocc__get_u32(&in);
    if (version != FORMAT_VERSION)
        return frocc__fail(FROCC_ERR_VERSION,
                           "the model file has format version %u; this library reads version %d: "
                           "%s",
                           (unsigned)version, FORMAT_VERSION,
                           version > FORMAT_VERSION ? "use a newer frocc" : "fit the model again");
    return FROCC_OK;
}

/* The head and the checksum; leaves the reader on the sections. */
static frocc_status check_envelope(const void *bytes, size_t size, frocc__bytes_in *in) {
    const size_t tail = sizeof(uint64_t);
    FROCC_TRY(check_head(bytes, size));
    if (size < HEAD_SIZE + tail)
        return frocc__damaged("it is cut short");
    frocc__bytes_in end = {(const unsigned char *)bytes + size - tail, tail, false};
    if (frocc__get_u64(&end) != frocc__checksum(bytes, size - tail))
        return frocc__damaged("its checksum does not match; it was cut short or altered");
    in->data = (const unsigned char *)bytes + HEAD_SIZE;
    in->left = size - HEAD_SIZE - tail;
    return FROCC_OK;
}

static frocc_status check_options(const frocc_load_options *options) {
    if (options != NULL && options->struct_size != sizeof(frocc_load_options))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "options.struct_size must be set to sizeof(frocc_load_options)");
    return FROCC_OK;
}

/* What a model from a file of this size may take. */
static uint64_t most_memory(const frocc_load_options *options, size_t size) {
    const uint64_t least = (uint64_t)48 << 20, times = 512;
    if (options != NULL && options->max_memory > 0)
        return options->max_memory;
    return FROCC_MAX(least, size < UINT64_MAX / times ? times * size : UINT64_MAX);
}

static frocc_status read_sections(sections *all, const frocc_load_options *options, uint64_t memory,
                                  frocc_model **model) {
    decided about = {0};
    FROCC_TRY(read_decision(&all->decision, &about));
    if ((about.decision.score == FROCC_SCORE_CLOSENESS) != (all->sketch.data == NULL))
        return frocc__damaged("its score does not go with its sections");
    if (about.decision.fpr > 0.0 && all->calibration.data == NULL)
        return frocc__damaged("it has a false-alarm rate and no calibration");
    const frocc__limits limits = limits_of(all, &about, memory);
    frocc_frame *frame = NULL;
    FROCC_TRY(frocc__frame_read(all->frame, options, &limits, &frame));
    frocc_status status = read_with_frame(all, &about, frame, model);
    frocc_frame_free(frame);
    return status;
}

frocc_status frocc_model_from_bytes(const void *bytes, size_t size,
                                    const frocc_load_options *options, frocc_model **model) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(model);
    FROCC_TRY(check_options(options));
    frocc__bytes_in in = {0};
    FROCC_TRY(check_envelope(bytes, size, &in));
    sections all = {0};
    FROCC_TRY(find_sections(&in, &all));
    return read_sections(&all, options, most_memory(options, size), model);
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* Of a file that cannot be loaded, the rest is not read. */
static frocc_status check_file(void *context, const void *head, size_t length, uint64_t size) {
    const frocc_load_options *options = context;
    FROCC_TRY(check_head(head, length));
    if (options != NULL && options->max_memory > 0 && size > options->max_memory)
        return frocc__fail(FROCC_ERR_MEMORY,
                           "the file has %llu bytes, and a model may take %zu; if you trust it, "
                           "allow more (max_memory; --max-memory)",
                           (unsigned long long)size, options->max_memory);
    return FROCC_OK;
}

frocc_status frocc_model_load(const char *path, const frocc_load_options *options,
                              frocc_model **model) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(path);
    FROCC_REQUIRE(model);
    FROCC_TRY(check_options(options));
    void *bytes = NULL;
    size_t size = 0;
    frocc_status status = frocc__file_read(path, check_file, (void *)options, &bytes, &size);
    if (status == FROCC_OK)
        status = frocc_model_from_bytes(bytes, size, options, model);
    frocc__free(bytes);
    if (status == FROCC_OK || status == FROCC_ERR_IO)
        return status;
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
    frocc__bytes_in in = {0};
    sections all = {0};
    decided about = {0};
    frocc_model *again = NULL;
    FROCC_TRY(check_envelope(bytes, size, &in));
    FROCC_TRY(find_sections(&in, &all));
    FROCC_TRY(read_decision(&all.decision, &about));
    FROCC_TRY(frocc__frame_check_bytes(all.frame, &options));
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
