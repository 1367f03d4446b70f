/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells that are carried: as texts, or as values of JSON. In front of each text is another, which
 * says whether the cell is one or is bare: a number, a truth, an object, nothing. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read_json.h"
#include "input/read_reader.h"

#define BARE "b"

/* ---- In buffers ------------------------------------------------------------------------------ */

frocc_status frocc__row_buffer_carry(frocc__row_buffer *b, size_t piece, size_t row, size_t slot,
                                     const char *text, size_t length, bool is_bare) {
    size_t *offset = &b->carried_offsets[row * b->n_carried + slot];
    FROCC_TRY(frocc__texts_add(&b->texts[piece], is_bare ? BARE : "t", 1, offset));
    return frocc__texts_add(&b->texts[piece], text, length, offset);
}

void frocc__row_buffer_move_carried(frocc__row_buffer *b, size_t to, size_t from, size_t n_rows) {
    if (b->n_carried > 0)
        memmove(b->carried_offsets + to * b->n_carried, b->carried_offsets + from * b->n_carried,
                n_rows * b->n_carried * sizeof *b->carried_offsets);
}

void frocc__row_buffer_point_carried(frocc__row_buffer *b, size_t piece, size_t first,
                                     size_t n_rows) {
    for (size_t i = first * b->n_carried; i < (first + n_rows) * b->n_carried; i++)
        b->carried[i] = b->texts[piece].bytes + b->carried_offsets[i];
}

/* ---- As JSON --------------------------------------------------------------------------------- */

/* What a bare cell is in JSON, which has no infinities; NULL: a string. */
static const char *json_of_bare(const char *text) {
    static const char *const words[][2] = {
        {"", "null"}, {"True", "true"}, {"False", "false"}, {"true", "true"}, {"false", "false"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i][0]) == 0)
            return words[i][1];
    return strchr("{[0123456789", text[*text == '-']) != NULL ? text : NULL;
}

/* A text in quotes, with its zero, unless out is NULL; returns how many bytes that are. */
static size_t quote(const char *text, char *out) {
    char escaped[FROCC__JSON_ESCAPED];
    size_t used = 0;
    while (*text != '\0') {
        const size_t length = frocc__json_escape(&text, escaped);
        if (out != NULL)
            memcpy(out + 1 + used, escaped, length);
        used += length;
    }
    if (out != NULL) {
        out[0] = out[1 + used] = '"';
        out[2 + used] = '\0';
    }
    return used + 3;
}

frocc_status frocc__reader_carried_json(frocc_reader *r, const char *const *texts, size_t count,
                                        const char *const **json) {
    size_t bytes = 0, used = 0;
    frocc__free(r->json);
    frocc__free(r->json_bytes);
    r->json = frocc__alloc(count, sizeof *r->json);
    for (size_t i = 0; i < count && r->json != NULL; i++) {
        r->json[i] = texts[i][-2] == *BARE ? json_of_bare(texts[i]) : NULL;
        bytes += r->json[i] == NULL ? quote(texts[i], NULL) : 0;
    }
    r->json_bytes = frocc__alloc(bytes, 1);
    if (r->json == NULL || r->json_bytes == NULL)
        return FROCC_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        if (r->json[i] != NULL)
            continue;
        r->json[i] = r->json_bytes + used;
        used += quote(texts[i], r->json_bytes + used);
    }
    *json = r->json;
    return FROCC_OK;
}

frocc_status frocc_reader_carry_json(frocc_reader *reader, int as_json) {
    FROCC_REQUIRE(reader);
    reader->carries_json = as_json != 0;
    return FROCC_OK;
}

const char *frocc_reader_carried_name(const frocc_reader *reader, size_t column) {
    return reader == NULL || column >= reader->n_carry ? NULL : reader->carry[column];
}
