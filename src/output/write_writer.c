/* SPDX-License-Identifier: BSD-3-Clause */
/* The writer: chooses the format, checks what it is given, and passes the rows on. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"
#include "numbers/number.h"
#include "output/write.h"

void frocc_writer_options_init(frocc_writer_options *options) {
    if (options != NULL)
        *options = (frocc_writer_options){
            .struct_size = sizeof *options, .dtype = FROCC_F64, .index_base = 1};
}

double frocc__value_at(const frocc_rows *rows, size_t i) {
    return rows->dtype == FROCC_F32 ? (double)((const float *)rows->values)[i]
                                    : ((const double *)rows->values)[i];
}

size_t frocc__print_at(const frocc_rows *rows, size_t i, char *text) {
    return rows->dtype == FROCC_F32 ? frocc__print_f32(((const float *)rows->values)[i], text)
                                    : frocc_print_f64(((const double *)rows->values)[i], text);
}

static frocc_status choose_format(frocc_writer *w, const char *path) {
    char separator = ',';
    frocc_format named = frocc__format_of_name(path, &separator);
    frocc_format format = w->options.format != FROCC_FORMAT_AUTO ? w->options.format : named;
    if (w->options.separator == '\0')
        w->options.separator = separator != '\0' ? separator : ',';
    size_t length = strlen(path);
    if (length >= 3 && strcmp(path + length - 3, ".gz") == 0)
        return frocc__fail(FROCC_ERR_UNSUPPORTED,
                           "%s: gzip files cannot be written; write to - and pipe it into gzip",
                           path);
    switch (format) {
    case FROCC_FORMAT_NPY:
        w->format = &frocc__write_npy;
        break;
    case FROCC_FORMAT_LIBSVM:
        w->format = &frocc__write_libsvm;
        break;
    case FROCC_FORMAT_RAW:
        w->format = &frocc__write_raw;
        break;
    case FROCC_FORMAT_JSONL:
        w->format = &frocc__write_jsonl;
        break;
    case FROCC_FORMAT_NPZ:
        return frocc__fail(FROCC_ERR_UNSUPPORTED, "%s: npz files cannot be written; use npy", path);
    default:
        w->format = &frocc__write_csv;
    }
    return FROCC_OK;
}

static frocc_status copy_text(const char *text, char **copy) {
    *copy = text == NULL ? NULL : frocc__alloc(strlen(text) + 1, 1);
    if (text != NULL && *copy == NULL)
        return FROCC_ERR_MEMORY;
    if (text != NULL)
        strcpy(*copy, text);
    return FROCC_OK;
}

static frocc_status copy_options(frocc_writer *w, const frocc_writer_options *options) {
    frocc_writer_options_init(&w->options);
    if (options != NULL)
        memcpy(&w->options, options, FROCC_MIN(options->struct_size, sizeof *options));
    const frocc_writer_options *o = &w->options;
    if ((o->index_base != 0 && o->index_base != 1) ||
        (o->dtype != FROCC_F32 && o->dtype != FROCC_F64))
        return frocc__fail(FROCC_ERR_ARGUMENT, "a writer option has a value that it cannot have; "
                                               "start with frocc_writer_options_init");
    FROCC_TRY(copy_text(o->label_name, &w->label_name));
    FROCC_TRY(copy_text(o->id_name, &w->id_name));
    if (o->names == NULL)
        return FROCC_OK;
    w->names = frocc__alloc(w->n_features, sizeof *w->names);
    if (w->names == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < w->n_features; i++) {
        FROCC_REQUIRE(o->names[i]);
        FROCC_TRY(copy_text(o->names[i], &w->names[i]));
    }
    return FROCC_OK;
}

static frocc_status open_writer(frocc_writer *w, const char *path,
                                const frocc_writer_options *options) {
    FROCC_TRY(copy_text(path, &w->path));
    FROCC_TRY(copy_options(w, options));
    FROCC_TRY(choose_format(w, path));
    FROCC_TRY(frocc__out_open(path, w->format == &frocc__write_npy, &w->out));
    return w->format->begin(w);
}

frocc_status frocc_writer_open(const char *path, size_t n_features,
                               const frocc_writer_options *options, frocc_writer **writer) {
    FROCC_REQUIRE(path);
    FROCC_REQUIRE(writer);
    if (n_features == 0 || n_features > FROCC_MAX_FEATURES)
        return frocc__fail(FROCC_ERR_ARGUMENT, "rows of %zu features cannot be written",
                           n_features);
    frocc_writer *w = frocc__alloc(1, sizeof *w);
    if (w == NULL)
        return FROCC_ERR_MEMORY;
    w->n_features = n_features;
    frocc_status status = open_writer(w, path, options);
    if (status != FROCC_OK)
        frocc_writer_free(w);
    else
        *writer = w;
    return status;
}

frocc_status frocc_writer_add(frocc_writer *w, const frocc_block *block) {
    FROCC_REQUIRE(w);
    FROCC_REQUIRE(block);
    frocc_block b = {0}; /* what an older caller does not know of is absent */
    memcpy(&b, block, FROCC_MIN(block->struct_size, sizeof b));
    if (w->finished)
        return frocc__fail(FROCC_ERR_ARGUMENT, "the writer has been finished");
    if (b.rows.n_features != w->n_features)
        return frocc__fail(FROCC_ERR_SHAPE, "a block of %zu features for a file of %zu",
                           b.rows.n_features, w->n_features);
    for (size_t row = 0; row < b.rows.n_rows; row++) {
        FROCC_TRY(w->format->row(w, &b, row));
        w->n_rows++;
    }
    return FROCC_OK;
}

frocc_status frocc_writer_finish(frocc_writer *w) {
    FROCC_REQUIRE(w);
    if (w->finished)
        return frocc__fail(FROCC_ERR_ARGUMENT, "the writer has been finished");
    w->finished = true;
    FROCC_TRY(w->format->end(w));
    return frocc__out_finish(w->out);
}

const char *frocc_writer_temporary(const frocc_writer *w) {
    return w == NULL ? NULL : frocc__out_temporary(w->out);
}

void frocc_writer_free(frocc_writer *w) {
    if (w == NULL)
        return;
    frocc__out_free(w->out);
    frocc__names_free(w->names, w->n_features);
    frocc__free(w->path);
    frocc__free(w->label_name);
    frocc__free(w->id_name);
    frocc__free(w->row);
    frocc__free(w);
}
