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
#include "read_all.h"

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

/* Reads all; the status, and what was read, as a hash. */
static inline frocc_status read_file(const char *path, const frocc_reader_options *options,
                                     uint64_t *hash) {
    const char *const paths[1] = {path};
    frocc_reader *reader = NULL;
    frocc_status status = frocc_reader_open(paths, 1, options, NULL, &reader);
    /* What is carried, as JSON in half of the cases. */
    if (status == FROCC_OK && options->n_carry > 0)
        status = frocc_reader_carry_json(reader, options->dtype == FROCC_F32);
    if (status == FROCC_OK)
        status = read_all(reader, hash);
    frocc_reader_free(reader);
    return status;
}

/* The schema of a table with a number, a text and a time stamp; for all inputs. */
static inline const frocc_schema *known_schema(void) {
    static const char text[] = "a,b,c\n1,x,2026-11-18\n2.5,y,2026-11-19\n";
    static frocc_schema *schema;
    char path[32];
    if (schema != NULL)
        return schema;
    FILE *file = input_file((const uint8_t *)text, sizeof text - 1, path);
    const char *const paths[1] = {path};
    frocc_reader *reader = NULL;
    if (frocc_reader_open(paths, 1, NULL, NULL, &reader) != FROCC_OK)
        abort();
    schema = frocc_reader_schema(reader);
    frocc_reader_free(reader);
    fclose(file);
    return schema;
}

/* The same by a model's columns, with bad rows listed. Each line has one answer, whoever reads it.
 */
static inline void read_leniently(const char *path, const frocc_reader_options *given) {
    const char *const paths[1] = {path};
    frocc_reader_options options = *given;
    uint64_t hash[2] = {0, 0};
    frocc_status status[2];
    options.list_bad_rows = 1;
    options.n_use = options.n_drop = options.n_categorical = options.n_time = 0;
    options.n_parts = 0;
    for (int i = 0; i < 2; i++) {
        frocc_reader *reader = NULL;
        options.threads = i == 0 ? 1 : 3;
        status[i] = frocc_reader_open(paths, 1, &options, known_schema(), &reader);
        if (status[i] == FROCC_OK)
            status[i] = read_all(reader, &hash[i]);
        frocc_reader_free(reader);
    }
    if (status[0] != status[1] || (status[0] == FROCC_OK && hash[0] != hash[1]))
        abort();
}

static inline void read_twice(const uint8_t *data, size_t size, frocc_reader_options *options) {
    char path[32];
    uint64_t hash = 0, other = 0;
    FILE *file = input_file(data, size, path);
    options->threads = 1;
    frocc_status status = read_file(path, options, &hash);
    if (status != FROCC_OK && strlen(frocc_last_error()) < 10)
        abort();
    options->threads = 3;
    options->block_rows = 2;
    frocc_status again = read_file(path, options, &other);
    read_leniently(path, options);
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
