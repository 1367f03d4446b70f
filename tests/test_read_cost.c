/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading takes memory for a buffer of rows, not for as many as a text could hold: files of lines
 * that have next to nothing in them, and many columns. Memory is counted by an allocator.
 */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "load_cost.h"
#include "test_read.h"

static char *folder;

/* Text that is made piece by piece. */
typedef struct text {
    char *bytes;
    size_t used, size;
} text;

static void add(text *t, const char *words) {
    const size_t length = strlen(words);
    if (t->used + length + 1 > t->size) {
        const size_t size = 2 * (t->used + length + 1);
        char *grown = NEW(char, size);
        if (t->used > 0)
            memcpy(grown, t->bytes, t->used);
        free(t->bytes);
        t->bytes = grown;
        t->size = size;
    }
    memcpy(t->bytes + t->used, words, length + 1);
    t->used += length;
}

static void add_numbered(text *t, const char *format, size_t number) {
    char words[64];
    snprintf(words, sizeof words, format, (int)number);
    add(t, words);
}

/* Reads all rows, of which there are n, and nothing may take much memory meanwhile. */
static void read_lightly(const char *name, text *t, frocc_missing missing, size_t n,
                         size_t megabytes) {
    char *path = path_in(folder, name);
    const char *const paths[1] = {path};
    file_write(path, t->bytes, t->used);
    for (int threads = 1; threads <= 2; threads++) {
        frocc_reader_options o = default_options();
        frocc_reader *reader = NULL;
        size_t n_rows = 0;
        frocc_block block = {.struct_size = sizeof block};
        o.missing = missing;
        o.threads = threads;
        const cost_mark mark = cost_begin();
        check_ok(frocc_reader_open(paths, 1, &o, NULL, &reader));
        do {
            check_ok(frocc_reader_next(reader, &block));
            n_rows += block.rows.n_rows;
        } while (block.rows.n_rows > 0);
        frocc_reader_free(reader);
        printf("# %s, %zu bytes, %d threads: %.1f MB\n", name, t->used, threads,
               (double)atomic_load(&cost.most) / 1e6);
        cost_end(mark, megabytes * 1000 * 1000, 60, name);
        check(n_rows == n, "%zu rows, not %zu", n_rows, n);
    }
    free(path);
    free(t->bytes);
}

/* 20,000 lines of 20,000 columns would be 3.2 GB of values. */
static void lines_of_one_new_key_each(void) {
    const size_t n = (size_t)check_cases(8000, 4000);
    text t = {0};
    for (size_t i = 0; i < n; i++)
        add_numbered(&t, "{\"k%d\":2}\n", i);
    read_lightly("keys.jsonl", &t, FROCC_MISSING_KEEP, n, 128);
}

static void objects_without_names(void) {
    text t = {0};
    add(&t, "{\"c\":1");
    for (size_t i = 0; i < 999; i++)
        add_numbered(&t, ",\"c%d\":1", i);
    add(&t, "}\n");
    for (size_t i = 0; i < 40000; i++)
        add(&t, "{}\n");
    read_lightly("empty.jsonl", &t, FROCC_MISSING_DROP, 1, 128);
}

static void blank_lines(void) {
    text t = {0};
    for (size_t i = 0; i < 5000; i++)
        add_numbered(&t, i == 0 ? "c%d" : ",c%d", i);
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < 5000; i++)
            add_numbered(&t, i == 0 ? "\n%d" : ",%d", i * r % 7);
    for (size_t i = 0; i < 500000; i++)
        add(&t, i % 3 == 0 ? "\n# \n" : "\n");
    read_lightly("blank.csv", &t, FROCC_MISSING_ERROR, 3, 64);
}

/* A row with a mistake, behind as many as its piece has room for, is not written behind the room.
 */
static void short_rows_behind_long_ones(void) {
    char *path = path_in(folder, "short.csv");
    const char *const paths[1] = {path};
    for (size_t n = 1; n < 40; n++) {
        text t = {0};
        table read;
        add(&t, "a,b,c,d\n");
        for (size_t i = 0; i < n; i++)
            add(&t, "1,2,3,4\n");
        add(&t, "5,6,7\n");
        file_write(path, t.bytes, t.used);
        check_is(read_files(paths, 1, NULL, NULL, &read, NULL), FROCC_ERR_SHAPE);
        free(t.bytes);
    }
    free(path);
}

int main(void) {
    count_memory();
    folder = folder_new();
    RUN(lines_of_one_new_key_each);
    RUN(objects_without_names);
    RUN(blank_lines);
    RUN(short_rows_behind_long_ones);
    folder_free(folder);
    return check_end();
}
