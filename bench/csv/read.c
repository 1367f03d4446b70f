/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a CSV file of numbers with one thread and prints rows, columns and the CPU seconds it took,
 * from opening the file to closing it. `read FILE f32|f64 given|learnt blocks|array`:
 *   given   all columns are known to be numbers, as when a model's data are read: one pass
 *   learnt  the kinds of the columns are found out first, as for the first file of all
 *   blocks  every block is looked at where it lies, as fitting and scoring do
 *   array   the blocks are copied into one array of all the rows, as a data frame has them
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frocc_io.h"

static void check(frocc_status status) {
    if (status != FROCC_OK) {
        fprintf(stderr, "%s\n", frocc_last_error());
        exit(1);
    }
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct array {
    char *bytes;
    size_t used, size;
};

static void append(struct array *a, const void *bytes, size_t size) {
    if (a->used + size > a->size) {
        a->size = 2 * (a->used + size);
        a->bytes = realloc(a->bytes, a->size);
        if (a->bytes == NULL)
            exit(1);
    }
    memcpy(a->bytes + a->used, bytes, size);
    a->used += size;
}

int main(int argc, char **argv) {
    if (argc != 5)
        return 2;
    const char *path = argv[1];
    frocc_reader_options options;
    frocc_reader_options_init(&options);
    options.dtype = strcmp(argv[2], "f32") == 0 ? FROCC_F32 : FROCC_F64;
    options.all_numeric = strcmp(argv[3], "given") == 0;
    options.threads = 1;
    bool keep = strcmp(argv[4], "array") == 0;
    size_t value_size = options.dtype == FROCC_F32 ? 4 : 8;

    double start = cpu_seconds();
    frocc_reader *reader = NULL;
    frocc_block block = {.struct_size = sizeof block};
    struct array array = {0};
    size_t n_rows = 0, n_features = 0;
    check(frocc_reader_open(&path, 1, &options, NULL, &reader));
    for (;;) {
        check(frocc_reader_next(reader, &block));
        if (block.rows.n_rows == 0)
            break;
        n_rows += block.rows.n_rows;
        n_features = block.rows.n_features;
        if (keep)
            append(&array, block.rows.values, block.rows.n_rows * n_features * value_size);
    }
    frocc_reader_free(reader);
    printf("%zu %zu %.6f\n", n_rows, n_features, cpu_seconds() - start);
    free(array.bytes);
    return 0;
}
