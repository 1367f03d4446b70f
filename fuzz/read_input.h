/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * read_input.h - what the targets of the readers share: the input as a file, read whole twice, by
 * one thread and by three with small blocks. Both must end the same way and hand out the same
 * values.
 */
#ifndef FROCC_FUZZ_READ_INPUT_H
#define FROCC_FUZZ_READ_INPUT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bounded.h"
#include "frocc_io.h"

/* The target's own: what the first N_CHOICES bytes choose. */
static void choose_options(const uint8_t *data, frocc_reader_options *options);

/* A file without a name that holds the bytes; its path goes to path. */
static inline FILE *input_file(const uint8_t *data, size_t size, char path[32]) {
    FILE *file = tmpfile();
    if (file == NULL || fwrite(data, 1, size, file) != size || fflush(file) != 0)
        exit(0);
    snprintf(path, 32, "/dev/fd/%d", fileno(file));
    return file;
}

static inline uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return hash;
}

/* Every value, label and id of a block, looked at. */
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
        hash = mix(hash, &b->row_numbers[r], sizeof b->row_numbers[r]);
    }
    return hash;
}

/* Reads all; the status, and what was read, as a hash. */
static inline frocc_status read_input(const char *path, const frocc_reader_options *options,
                                      uint64_t *hash) {
    const char *const paths[1] = {path};
    frocc_reader *reader = NULL;
    frocc_status status = frocc_reader_open(paths, 1, options, NULL, &reader);
    uint64_t places = 0; /* apart, as blocks are of different lengths */
    *hash = 0xcbf29ce484222325;
    while (status == FROCC_OK) {
        frocc_block block = {.struct_size = sizeof block};
        status = frocc_reader_next(reader, &block);
        if (status != FROCC_OK || block.rows.n_rows == 0)
            break;
        *hash = mix_block(*hash, &block);
        for (size_t row = 0; row < block.rows.n_rows; row++) {
            char place[256];
            if (frocc_reader_locate(reader, row, place, sizeof place) != FROCC_OK)
                abort();
            places = mix(places, place, strlen(place));
        }
    }
    *hash ^= places;
    if (status == FROCC_OK) { /* the schema survives its own bytes */
        frocc_schema *schema = frocc_reader_schema(reader), *copy = NULL;
        void *bytes = NULL;
        size_t size = 0;
        if (frocc_schema_to_bytes(schema, &bytes, &size) != FROCC_OK ||
            frocc_schema_from_bytes(bytes, size, &copy) != FROCC_OK)
            abort();
        frocc_bytes_free(bytes);
        frocc_schema_free(copy);
        frocc_schema_free(schema);
    }
    frocc_reader_free(reader);
    return status;
}

static inline void read_twice(const uint8_t *data, size_t size, frocc_reader_options *options) {
    char path[32];
    uint64_t hash = 0, other = 0;
    FILE *file = input_file(data, size, path);
    options->threads = 1;
    frocc_status status = read_input(path, options, &hash);
    if (status != FROCC_OK && strlen(frocc_last_error()) < 10)
        abort();
    options->threads = 3;
    options->block_rows = 2;
    frocc_status again = read_input(path, options, &other);
    fclose(file);
    if (status != again || (status == FROCC_OK && hash != other))
        abort();
}

static void try_input(const uint8_t *data, size_t size) {
    frocc_reader_options options;
    if (size < N_CHOICES)
        return;
    frocc_reader_options_init(&options);
    choose_options(data, &options);
    read_twice(data + N_CHOICES, size - N_CHOICES, &options);
}

#endif
