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
