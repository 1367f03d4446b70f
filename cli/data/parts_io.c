/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "data/parts_io.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/message.h"
#include "data/model_io.h"

typedef struct stored {
    void *bytes;
    size_t size;
    frocc_kind kind;
} stored;

static frocc_load_options load_options(const cli_arguments *arguments) {
    frocc_load_options options = {.struct_size = sizeof options};
    options.max_memory = argument_count(arguments, "max-memory", 0, 1, SIZE_MAX >> 20) << 20;
    return options;
}

static stored stored_read(const cli_arguments *arguments, const char *path) {
    const frocc_load_options options = load_options(arguments);
    stored file = {0};
    frocc_status status = frocc_bytes_load(path, &options, &file.bytes, &file.size);
    if (status == FROCC_ERR_FORMAT) {
        die(EXIT_FAILED, "%s; 'frocc frame' and 'frocc fit' write such files", frocc_last_error());
    }
    check(status, NULL);
    check(frocc_bytes_kind(file.bytes, file.size, &file.kind), path);
    return file;
}

frocc_kind file_kind(const cli_arguments *arguments, const char *path) {
    if (!strcmp(path, "-")) {
        return FROCC_KIND_MODEL;
    }
    stored file = stored_read(arguments, path);
    frocc_bytes_free(file.bytes);
    return file.kind;
}

bool knows_kind(const char *path, frocc_kind *kind) {
    unsigned char head[12];
    struct stat about; /* what is read of a pipe is gone */
    const bool is_whole = strcmp(path, "-") != 0 && !stat(path, &about) && S_ISREG(about.st_mode);
    FILE *file = is_whole ? fopen(path, "rb") : NULL;
    if (!file) {
        return false;
    }
    size_t got = fread(head, 1, sizeof head, file);
    fclose(file);
    return frocc_bytes_kind(head, got, kind) == FROCC_OK;
}

bool is_sample_file(const char *path) {
    frocc_kind kind;
    return knows_kind(path, &kind) && kind == FROCC_KIND_SAMPLE;
}

void refuse_part(const cli_arguments *arguments, const char *path) {
    frocc_kind kind;
    if (!knows_kind(path, &kind) || (kind != FROCC_KIND_SAMPLE && kind != FROCC_KIND_FITTER)) {
        return;
    }
    if (kind == FROCC_KIND_SAMPLE) {
        die(EXIT_FAILED,
            "%s: this is a sample where a model is expected; 'frocc frame' makes of "
            "samples the frame that the parts are fitted in",
            path);
    }
    frocc_fitter *fitter = fitter_read(arguments, path, 1);
    const uint64_t n_rows = frocc_fitter_rows(fitter);
    frocc_fitter_free(fitter);
    if (n_rows > 0) {
        die(EXIT_FAILED,
            "%s: this is a fitter of %llu rows where a model is expected; "
            "frocc.parts of Python, which writes such files, makes models of them",
            path, (unsigned long long)n_rows);
    }
    die(EXIT_FAILED,
        "%s: this is a frame, which has no rows, where a model is expected; "
        "'frocc fit --frame %s DATA -o MODEL' makes one of the rows of DATA",
        path, path);
}

frocc_sample *sample_read(const cli_arguments *arguments, const char *path) {
    stored file = stored_read(arguments, path);
    frocc_sample *sample = NULL;
    check(frocc_sample_from_bytes(file.bytes, file.size, &sample), path);
    frocc_bytes_free(file.bytes);
    return sample;
}

frocc_fitter *fitter_read(const cli_arguments *arguments, const char *path, int threads) {
    const frocc_load_options options = load_options(arguments);
    stored file = stored_read(arguments, path);
    frocc_fitter *fitter = NULL;
    if (file.kind == FROCC_KIND_SAMPLE) {
        die(EXIT_FAILED,
            "%s: this is a sample where a frame is expected; 'frocc frame %s -o "
            "all.frame' makes one of this and other samples",
            path, path);
    }
    check(frocc_fitter_from_bytes(file.bytes, file.size, &options, threads, &fitter), path);
    frocc_bytes_free(file.bytes);
    return fitter;
}

frocc_fitter *frame_read(const cli_arguments *arguments, const char *path, int threads) {
    frocc_fitter *fitter = fitter_read(arguments, path, threads);
    if (frocc_fitter_rows(fitter) > 0) {
        die(EXIT_FAILED, "%s: it has rows already, which all parts would count; give a frame",
            path);
    }
    return fitter;
}

static void write_bytes(void *bytes, size_t size, const char *path) {
    check(frocc_file_replace(path, bytes, size), NULL);
    frocc_bytes_free(bytes);
}

void sample_write(const frocc_sample *sample, const char *path) {
    void *bytes = NULL;
    size_t size = 0;
    check(frocc_sample_to_bytes(sample, &bytes, &size), NULL);
    write_bytes(bytes, size, path);
}

void frame_write(frocc_fitter *fitter, const char *path) {
    void *bytes = NULL;
    size_t size = 0;
    check(frocc_fitter_to_bytes(fitter, &bytes, &size), NULL);
    write_bytes(bytes, size, path);
}

frocc_schema *columns_read(const cli_arguments *arguments, const char *path) {
    frocc_kind kind = file_kind(arguments, path);
    frocc_schema *schema = NULL;
    if (kind == FROCC_KIND_SAMPLE) {
        frocc_sample *sample = sample_read(arguments, path);
        schema = frocc_sample_schema(sample);
        frocc_sample_free(sample);
    } else if (kind == FROCC_KIND_FITTER) {
        frocc_fitter *fitter = frame_read(arguments, path, 1);
        frocc_frame *frame = frocc_fitter_frame(fitter);
        schema = frocc_frame_schema(frame);
        frocc_frame_free(frame);
        frocc_fitter_free(fitter);
    } else {
        frocc_model *model = model_read(arguments, path);
        schema = frocc_model_schema(model);
        frocc_model_free(model);
    }
    return schema;
}

void check_parts(const cli_arguments *arguments) {
    const uint64_t wanted =
        argument_count(arguments, "parts", arguments->n_operands, 1, UINT64_MAX);
    if (wanted != arguments->n_operands) {
        die(EXIT_FAILED, "%zu files were given where --parts says %llu: nothing is written",
            arguments->n_operands, (unsigned long long)wanted);
    }
    for (size_t i = 0; i < arguments->n_operands; i++) {
        for (size_t k = 0; k < i; k++) {
            if (is_same_file(arguments->operands[k], arguments->operands[i])) {
                die(EXIT_MISUSE, "'%s' and '%s' are one file; its rows would count twice",
                    arguments->operands[k], arguments->operands[i]);
            }
        }
    }
}
