/* SPDX-License-Identifier: BSD-3-Clause */
/* read_all.h - a reader to its end, with every row, label, id and place looked at. */
#ifndef FROCC_FUZZ_READ_ALL_H
#define FROCC_FUZZ_READ_ALL_H

#include <stdint.h>
#include <string.h>

#include "frocc_io.h"
#include "holds.h"

static inline uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return hash;
}

/* Every value, label, id and text of a block. */
static inline uint64_t mix_block(uint64_t hash, const frocc_block *b) {
    size_t size = b->rows.dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
    for (size_t r = 0; r < b->rows.n_rows; r++) {
        if (b->rows.row_start != NULL) {
            for (int64_t k = b->rows.row_start[r]; k < b->rows.row_start[r + 1]; k++) {
                hash = mix(hash, &b->rows.columns[k], sizeof b->rows.columns[k]);
                hash = mix(hash, (const char *)b->rows.values + (size_t)k * size, size);
            }
        } else {
            hash = mix(hash, (const char *)b->rows.values + r * b->rows.row_stride * size,
                       b->rows.n_features * size);
        }
        if (b->labels != NULL)
            hash = mix(hash, b->labels[r], strlen(b->labels[r]) + 1);
        if (b->ids != NULL)
            hash = mix(hash, b->ids[r], strlen(b->ids[r]) + 1);
        for (size_t i = 0; i < b->n_carried; i++) {
            const char *text = b->carried[r * b->n_carried + i];
            hash = mix(hash, text, strlen(text) + 1);
        }
        hash = mix(hash, &b->row_numbers[r], sizeof b->row_numbers[r]);
    }
    return hash;
}

/* What the reader has learnt survives its own bytes. */
static inline void keeps_schema(const frocc_reader *reader) {
    frocc_schema *schema = frocc_reader_schema(reader), *copy = NULL;
    void *bytes = NULL;
    size_t size = 0;
    HOLDS(frocc_schema_to_bytes(schema, &bytes, &size) == FROCC_OK);
    HOLDS(frocc_schema_from_bytes(bytes, size, &copy) == FROCC_OK);
    frocc_bytes_free(bytes);
    frocc_schema_free(copy);
    frocc_schema_free(schema);
}

/* The status, and what was read, as a hash that does not depend on the blocks. */
static inline frocc_status read_all(frocc_reader *reader, uint64_t *hash) {
    uint64_t places = 0, wrong = 0; /* apart, as blocks are of different lengths */
    *hash = 0xcbf29ce484222325;
    for (;;) {
        frocc_block block = {.struct_size = sizeof block};
        const frocc_status status = frocc_reader_next(reader, &block);
        if (status != FROCC_OK)
            return status;
        if (block.rows.n_rows + block.n_bad_rows == 0)
            break;
        *hash = mix_block(*hash, &block);
        for (size_t i = 0; i < block.n_bad_rows; i++) {
            const frocc_bad_row *bad = &block.bad_rows[i];
            HOLDS(bad->before <= block.rows.n_rows);
            wrong = mix(wrong, &bad->row_number, sizeof bad->row_number);
            wrong = mix(wrong, bad->error, strlen(bad->error));
        }

        for (size_t row = 0; row < block.rows.n_rows; row++) {
            char place[256];
            HOLDS(frocc_reader_locate(reader, row, place, sizeof place) == FROCC_OK);
            places = mix(places, place, strlen(place));
        }
    }
    *hash ^= places ^ (wrong << 1);
    keeps_schema(reader);
    return FROCC_OK;
}

#endif
