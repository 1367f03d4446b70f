/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Model files (docs/model-format.md): magic, version, sections with lengths, a checksum over
 * everything. The loader trusts nothing, and equal models are equal bytes.
 */
#include <string.h>

#include "mem.h"
#include "model.h"
#include "os.h"
#include "status.h"

#define FORMAT_VERSION 1

/* The first byte is not text and the last two are a line end, so that a transfer which rewrites
 * text is noticed at once. */
static const unsigned char magic[8] = {0x89, 'F', 'R', 'O', 'C', 'C', '\r', '\n'};

/* Section tags, readable in a hex dump. */
#define TAG(a, b, c, d)                                                                            \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define TAG_FRAME TAG('F', 'R', 'A', 'M')
#define TAG_SKETCH TAG('S', 'K', 'E', 'T')
#define TAG_HELD TAG('H', 'E', 'L', 'D')
#define TAG_BINS TAG('B', 'I', 'N', 'S')
#define TAG_DECISION TAG('D', 'E', 'C', 'I')

/* ---- Writing -------------------------------------------------------------------------------- */

/* A section's head, with a length to be filled in by end_section. */
static size_t begin_section(frocc__writer *out, uint32_t tag) {
    frocc__put_u32(out, tag);
    frocc__put_u64(out, 0);
    return out->size;
}

static void end_section(frocc__writer *out, size_t begin) {
    if (out->failed)
        return;
    frocc__writer length = {out->data + begin - 8, 0, 8, false};
    frocc__put_u64(&length, out->size - begin);
}

static void write_sketch(const frocc_model *model, frocc__writer *out) {
    if (frocc__model_is_compact(model))
        frocc__bins_write(&model->content.bins, out);
    else
        frocc__sketch_write(&model->content.sketch, out);
}

static void write_model(const frocc_model *model, frocc__writer *out) {
    frocc__put_bytes(out, magic, sizeof magic);
    frocc__put_u32(out, FORMAT_VERSION);
    size_t begin = begin_section(out, TAG_FRAME);
    frocc__frame_write(model->frame, out);
    end_section(out, begin);
    begin = begin_section(out, frocc__model_is_compact(model) ? TAG_BINS : TAG_SKETCH);
    write_sketch(model, out);
    end_section(out, begin);
    if (model->content.held.most > 0) {
        begin = begin_section(out, TAG_HELD);
        frocc__held_write(&model->content.held, out);
        end_section(out, begin);
    }
    begin = begin_section(out, TAG_DECISION);
    frocc__put_u32(out, (uint32_t)model->decision.score);
    frocc__put_f64(out, model->decision.threshold);
    frocc__put_f64(out, model->decision.fpr);
    end_section(out, begin);
    if (!out->failed)
        frocc__put_u64(out, frocc__checksum(out->data, out->size));
}

frocc_status frocc_model_to_bytes(const frocc_model *model, void **bytes, size_t *size) {
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(size);
    frocc__writer out = {0};
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

frocc_status frocc__model_measure(const frocc_model *model, uint64_t *file_size,
                                  uint64_t *sketch_checksum) {
    frocc__writer all = {0}, sketch = {0};
    write_model(model, &all);
    write_sketch(model, &sketch);
    bool failed = all.failed || sketch.failed;
    if (!failed) {
        *file_size = all.size;
        *sketch_checksum = frocc__checksum(sketch.data, sketch.size);
    }
    frocc__free(all.data);
    frocc__free(sketch.data);
    return failed ? FROCC_ERR_MEMORY : FROCC_OK;
}

frocc_status frocc_model_save(const frocc_model *model, const char *path) {
    FROCC_REQUIRE(path);
    void *bytes = NULL;
    size_t size = 0;
    FROCC_TRY(frocc_model_to_bytes(model, &bytes, &size));
    frocc_status status = frocc__file_replace(path, bytes, size);
    frocc__free(bytes);
    return status;
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* The sections of one file, each a reader of its own; a missing one has no data. */
typedef struct sections {
    frocc__reader frame, sketch, held, bins, decision;
} sections;

static frocc__reader *section_of(sections *all, uint32_t tag) {
    switch (tag) {
    case TAG_FRAME:
        return &all->frame;
    case TAG_SKETCH:
        return &all->sketch;
    case TAG_HELD:
        return &all->held;
    case TAG_BINS:
        return &all->bins;
    case TAG_DECISION:
        return &all->decision;
    default:
        return NULL;
    }
}

static frocc_status find_sections(frocc__reader *in, sections *all) {
    while (in->left > 0) {
        uint32_t tag = frocc__get_u32(in);
        uint64_t length = frocc__get_u64(in);
        if (in->failed || length > in->left)
            return frocc__damaged("a section is longer than the file");
        frocc__reader *section = section_of(all, tag);
        if (section == NULL || section->data != NULL)
            return frocc__damaged("a section is not known or there twice");
        section->left = (size_t)length;
        section->data = frocc__get_bytes(in, (size_t)length);
    }
    bool has_one_sketch = (all->sketch.data != NULL) != (all->bins.data != NULL);
    if (all->frame.data == NULL || all->decision.data == NULL || !has_one_sketch)
        return frocc__damaged("a section is missing");
    return FROCC_OK;
}

static frocc_status read_decision(frocc__reader *in, frocc__decision *decision) {
    uint32_t score = frocc__get_u32(in);
    decision->threshold = frocc__get_f64(in);
    decision->fpr = frocc__get_f64(in);
    if (in->failed || in->left != 0 || score > FROCC_SCORE_CLOSENESS)
        return frocc__damaged("the decision section is not usable");
    decision->score = (frocc_score)score;
    double least = decision->score == FROCC_SCORE_AGREEMENT ? 0.0 : -DBL_MAX;
    if (!(decision->threshold >= least && decision->threshold <= 1.0))
        return frocc__damaged("its threshold is out of range");
    return FROCC_OK;
}

static frocc_status read_content(sections *all, size_t n_slots, frocc__content *content) {
    bool has_held = all->held.data != NULL;
    if (all->bins.data != NULL)
        return has_held ? frocc__damaged("a compact model has held rows")
                        : frocc__bins_read(&all->bins, n_slots, &content->bins);
    FROCC_TRY(frocc__sketch_read(&all->sketch, n_slots, has_held, &content->sketch));
    if (!has_held)
        return FROCC_OK;
    FROCC_TRY(frocc__held_read(&all->held, n_slots, &content->held));
    if (!frocc__held_fits(&content->held, content->sketch.n_rows))
        return frocc__damaged("it holds more rows than it was fitted on");
    if (content->held.n_rows == 0 && content->sketch.count[0] == 0)
        return frocc__damaged("it has no rows");
    for (size_t s = 1; s < n_slots; s++)
        if ((content->sketch.count[s] == 0) != (content->sketch.count[0] == 0))
            return frocc__damaged("only some of its directions have intervals");
    return FROCC_OK;
}

/* Combinations that no fit produces. */
static frocc_status check_decision(const frocc__content *content, const frocc__decision *decision) {
    if (decision->score == FROCC_SCORE_CLOSENESS &&
        (content->bins.n_slots > 0 || content->sketch.epsilon >= 1.0f))
        return frocc__damaged("closeness needs intervals and an epsilon below 1");
    if (!(decision->fpr >= 0.0 && decision->fpr < 1.0) ||
        (decision->fpr > 0.0 && content->held.most == 0))
        return frocc__damaged("its false-alarm rate is out of range");
    return FROCC_OK;
}

static frocc_status read_with_frame(sections *all, frocc_frame *frame, frocc_model **model) {
    frocc__decision decision = {0};
    FROCC_TRY(read_decision(&all->decision, &decision));
    frocc__content content = {0};
    frocc_status status = read_content(all, frame->n_directions, &content);
    if (status == FROCC_OK)
        status = check_decision(&content, &decision);
    if (status != FROCC_OK) {
        frocc__content_free(&content);
        return status;
    }
    return frocc__model_new(frame, &content, decision, 1, model);
}

/* Magic, version and checksum; leaves the reader on the sections. */
static frocc_status check_envelope(const void *bytes, size_t size, frocc__reader *in) {
    const size_t head = sizeof magic + 4, tail = 8;
    size_t compared = FROCC_MIN(size, sizeof magic);
    if (size == 0 || memcmp(bytes, magic, compared) != 0)
        return frocc__fail(FROCC_ERR_FORMAT, "this is not a frocc model file");
    if (size < head + tail)
        return frocc__damaged("it is cut short");
    in->data = (const unsigned char *)bytes + sizeof magic;
    in->left = size - sizeof magic;
    uint32_t version = frocc__get_u32(in);
    if (version == 0 || version > FORMAT_VERSION)
        return frocc__fail(FROCC_ERR_VERSION,
                           "the model file has format version %u; this library reads up to %d: "
                           "use a newer frocc",
                           (unsigned)version, FORMAT_VERSION);
    frocc__reader end = {(const unsigned char *)bytes + size - tail, tail, false};
    if (frocc__get_u64(&end) != frocc__checksum(bytes, size - tail))
        return frocc__damaged("its checksum does not match; it was cut short or altered");
    in->left -= tail;
    return FROCC_OK;
}

frocc_status frocc_model_from_bytes(const void *bytes, size_t size,
                                    const frocc_load_options *options, frocc_model **model) {
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(model);
    if (options != NULL && options->struct_size != sizeof(frocc_load_options))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "options.struct_size must be set to sizeof(frocc_load_options)");
    frocc__reader in = {0};
    FROCC_TRY(check_envelope(bytes, size, &in));
    sections all = {0};
    FROCC_TRY(find_sections(&in, &all));
    frocc_frame *frame = NULL;
    FROCC_TRY(frocc__frame_read(all.frame, options, &frame));
    frocc_status status = read_with_frame(&all, frame, model);
    frocc_frame_free(frame);
    return status;
}

frocc_status frocc_model_load(const char *path, const frocc_load_options *options,
                              frocc_model **model) {
    FROCC_REQUIRE(path);
    FROCC_REQUIRE(model);
    void *bytes = NULL;
    size_t size = 0;
    FROCC_TRY(frocc__file_read(path, &bytes, &size));
    frocc_status status = frocc_model_from_bytes(bytes, size, options, model);
    frocc__free(bytes);
    if (status != FROCC_OK && status != FROCC_ERR_MEMORY) {
        char reason[FROCC_ERROR_SIZE];
        frocc__error_copy(reason);
        return frocc__fail(status, "%s: %s", path, reason);
    }
    return status;
}
