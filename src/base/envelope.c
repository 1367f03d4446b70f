/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/envelope.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/status.h"

#define FORMAT_VERSION 2

/* The first byte is not text and the last two are a line end, so that a transfer which rewrites
 * text is noticed at once. The letter before them tells the kind. */
static const unsigned char magic[8] = {0x89, 'F', 'R', 'O', 'C', 'C', '\r', '\n'};
#define KIND_AT 5
#define MAGIC_SIZE sizeof magic
#define HEAD_SIZE (MAGIC_SIZE + sizeof(uint32_t))
#define TAIL_SIZE sizeof(uint64_t)
_Static_assert(HEAD_SIZE <= FROCC__HEAD_SIZE, "what is read first of a file tells what it is");

static const struct {
    unsigned char letter;
    const char *name;
} kinds[] = {[FROCC_KIND_MODEL] = {'C', "model"},
             [FROCC_KIND_SAMPLE] = {'S', "sample"},
             [FROCC_KIND_FRAME] = {'F', "frame"},
             [FROCC_KIND_FITTER] = {'P', "fitter"}};
#define N_KINDS (sizeof kinds / sizeof kinds[0])

/* ---- Writing -------------------------------------------------------------------------------- */

void frocc__envelope_begin(frocc__bytes_out *out, frocc_kind kind) {
    unsigned char own[MAGIC_SIZE];
    memcpy(own, magic, MAGIC_SIZE);
    own[KIND_AT] = kinds[kind].letter;
    frocc__put_bytes(out, own, MAGIC_SIZE);
    frocc__put_u32(out, FORMAT_VERSION);
}

size_t frocc__section_begin(frocc__bytes_out *out, uint32_t tag) {
    frocc__put_u32(out, tag);
    frocc__put_u64(out, 0);
    return out->size;
}

void frocc__section_end(frocc__bytes_out *out, size_t begin) {
    if (out->failed)
        return;
    frocc__bytes_out length = {out->data + begin - 8, 0, 8, false};
    frocc__put_u64(&length, out->size - begin);
}

frocc_status frocc__envelope_end(frocc__bytes_out *out, void **bytes, size_t *size) {
    if (!out->failed)
        frocc__put_u64(out, frocc__checksum(out->data, out->size));
    if (out->failed) {
        frocc__free(out->data);
        return FROCC_ERR_MEMORY;
    }
    *bytes = out->data;
    *size = out->size;
    return FROCC_OK;
}

void frocc_bytes_free(void *bytes) {
    frocc__free(bytes);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* The number of the kind, or N_KINDS; a head that is cut short counts as far as it goes. */
static size_t kind_of(const unsigned char *bytes, size_t length) {
    size_t kind = 0;
    for (size_t i = 0; i < FROCC_MIN(length, MAGIC_SIZE); i++)
        if (i != KIND_AT && bytes[i] != magic[i])
            return N_KINDS;
    if (length == 0)
        return N_KINDS;
    while (length > KIND_AT && kind < N_KINDS && bytes[KIND_AT] != kinds[kind].letter)
        kind++;
    return kind;
}

frocc_status frocc_bytes_kind(const void *bytes, size_t size, frocc_kind *kind) {
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(kind);
    const size_t found = kind_of(bytes, size);
    if (found == N_KINDS || size < HEAD_SIZE)
        return frocc__fail(FROCC_ERR_FORMAT, "this is not a frocc file");
    *kind = (frocc_kind)found;
    return FROCC_OK;
}

frocc_status frocc__envelope_check_head(const void *bytes, size_t length, frocc_kind kind) {
    const char *name = kinds[kind].name;
    const size_t found = kind_of(bytes, length);
    if (found == N_KINDS)
        return frocc__fail(FROCC_ERR_FORMAT, "this is not a frocc %s file", name);
    if (length < HEAD_SIZE)
        return frocc__damaged("it is cut short");
    if (found != (size_t)kind)
        return frocc__fail(FROCC_ERR_FORMAT, "this is a frocc %s file where a %s is expected",
                           kinds[found].name, name);
    frocc__bytes_in in = {(const unsigned char *)bytes + MAGIC_SIZE, sizeof(uint32_t), false};
    uint32_t version = frocc__get_u32(&in);
    if (version != FORMAT_VERSION)
        return frocc__fail(FROCC_ERR_VERSION,
                           "the %s file has format version %u; frocc %s reads version %d: %s", name,
                           (unsigned)version, frocc_version(), FORMAT_VERSION,
                           version > FORMAT_VERSION   ? "use a newer one"
                           : kind == FROCC_KIND_MODEL ? "fit the model again"
                                                      : "make it again");
    return FROCC_OK;
}

/* The head and the checksum; leaves the reader on the sections. */
static frocc_status open_envelope(const void *bytes, size_t size, frocc_kind kind,
                                  frocc__bytes_in *in) {
    FROCC_TRY(frocc__envelope_check_head(bytes, size, kind));
    if (size < HEAD_SIZE + TAIL_SIZE)
        return frocc__damaged("it is cut short");
    frocc__bytes_in end = {(const unsigned char *)bytes + size - TAIL_SIZE, TAIL_SIZE, false};
    if (frocc__get_u64(&end) != frocc__checksum(bytes, size - TAIL_SIZE))
        return frocc__damaged("its checksum does not match; it was cut short or altered");
    in->data = (const unsigned char *)bytes + HEAD_SIZE;
    in->left = size - HEAD_SIZE - TAIL_SIZE;
    return FROCC_OK;
}

frocc_status frocc__envelope_read(const void *bytes, size_t size, frocc_kind kind,
                                  frocc__section *sections, size_t n_sections) {
    frocc__bytes_in in = {0};
    FROCC_TRY(open_envelope(bytes, size, kind, &in));
    while (in.left > 0) {
        uint32_t tag = frocc__get_u32(&in);
        uint64_t length = frocc__get_u64(&in);
        if (in.failed || length > in.left)
            return frocc__damaged("a section is longer than the file");
        size_t i = 0;
        while (i < n_sections && sections[i].tag != tag)
            i++;
        if (i == n_sections || sections[i].in.data != NULL)
            return frocc__damaged("a section is not known or there twice");
        sections[i].in.left = (size_t)length;
        sections[i].in.data = frocc__get_bytes(&in, (size_t)length);
    }
    return FROCC_OK;
}

frocc_status frocc__load_options_check(const frocc_load_options *options) {
    if (options != NULL && options->struct_size != sizeof(frocc_load_options))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "options.struct_size must be set to sizeof(frocc_load_options)");
    return FROCC_OK;
}

uint64_t frocc__load_memory(const frocc_load_options *options, size_t size) {
    const uint64_t least = (uint64_t)48 << 20, times = 512;
    if (options != NULL && options->max_memory > 0)
        return options->max_memory;
    return FROCC_MAX(least, size < UINT64_MAX / times ? times * size : UINT64_MAX);
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* Of a file that cannot be loaded, the rest is not read. */
static frocc_status check_file(void *context, const void *head, size_t length, uint64_t size) {
    const frocc_load_options *options = context;
    if (kind_of(head, length) == N_KINDS)
        return frocc__fail(FROCC_ERR_FORMAT, "this is not a frocc file");
    if (options != NULL && options->max_memory > 0 && size > options->max_memory)
        return frocc__fail(FROCC_ERR_MEMORY,
                           "the file has %llu bytes, and a model may take %zu; if you trust it, "
                           "allow a larger max_memory",
                           (unsigned long long)size, options->max_memory);
    return FROCC_OK;
}

frocc_status frocc_bytes_load(const char *path, const frocc_load_options *options, void **bytes,
                              size_t *size) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(path);
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(size);
    FROCC_TRY(frocc__load_options_check(options));
    frocc_status status = frocc__file_read(path, check_file, (void *)options, bytes, size);
    if (status == FROCC_OK || status == FROCC_ERR_IO)
        return status;
    return frocc__fail_at(status, &(frocc__where){.file = path}, "%s", frocc_last_error());
}
