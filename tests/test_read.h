/* SPDX-License-Identifier: BSD-3-Clause */
/* test_read.h - files written by a test, read back whole into memory of the test's own. */
#ifndef FROCC_TESTS_TEST_READ_H
#define FROCC_TESTS_TEST_READ_H

#include "files.h"

/* Everything a reader hands out, blocks joined; sparse rows are made dense here, for comparing. */
typedef struct table {
    size_t n_rows, n_features;
    double *values; /* float32 values widen without a change */
    char **labels, **ids;
    double *label_values;
    uint64_t *row_numbers;
    uint64_t dropped;
    frocc_dtype dtype;
    bool sparse;
    size_t n_blocks;
} table;

static char *folder; /* the test's own */

static inline char *put(const char *name, const char *text) {
    char *path = path_in(folder, name);
    file_write(path, text, strlen(text));
    return path;
}

static inline char *text_copy(const char *text) {
    char *copy = NEW(char, strlen(text) + 1);
    strcpy(copy, text);
    return copy;
}

/* Room in powers of two, zeroed beyond what is used. */
static inline size_t table_room(size_t count) {
    size_t room = 1;
    while (room < count)
        room *= 2;
    return room;
}

static inline void *table_grow(void *old, size_t used, size_t count, size_t size) {
    if (old != NULL && table_room(used) == table_room(count))
        return old;
    void *grown = test_memory(table_room(count), size);
    if (old != NULL)
        memcpy(grown, old, used * size);
    free(old);
    return grown;
}

static inline double rows_value(const frocc_rows *rows, size_t i) {
    return rows->dtype == FROCC_F32 ? (double)((const float *)rows->values)[i]
                                    : ((const double *)rows->values)[i];
}

static inline void table_append(table *t, const frocc_block *b) {
    size_t n = t->n_rows + b->rows.n_rows, d = b->rows.n_features;
    t->values = table_grow(t->values, t->n_rows * d, n * d, sizeof(double));
    t->label_values = table_grow(t->label_values, t->n_rows, n, sizeof(double));
    t->labels = table_grow(t->labels, t->n_rows, n, sizeof(char *));
    t->ids = table_grow(t->ids, t->n_rows, n, sizeof(char *));
    t->row_numbers = table_grow(t->row_numbers, t->n_rows, n, sizeof(uint64_t));
    for (size_t r = 0; r < b->rows.n_rows; r++) {
        double *row = t->values + (t->n_rows + r) * d;
        if (b->rows.row_start != NULL)
            for (int64_t k = b->rows.row_start[r]; k < b->rows.row_start[r + 1]; k++)
                row[b->rows.columns[k]] = rows_value(&b->rows, (size_t)k);
        else
            for (size_t c = 0; c < d; c++)
                row[c] = rows_value(&b->rows, r * b->rows.row_stride + c);
        t->labels[t->n_rows + r] = b->labels != NULL ? text_copy(b->labels[r]) : NULL;
        t->ids[t->n_rows + r] = b->ids != NULL ? text_copy(b->ids[r]) : NULL;
        t->label_values[t->n_rows + r] = b->labels != NULL ? b->label_values[r] : 0;
        t->row_numbers[t->n_rows + r] = b->row_numbers[r];
    }
    t->n_rows = n;
    t->n_features = d;
    t->dtype = b->rows.dtype;
    t->sparse = b->rows.row_start != NULL;
    t->n_blocks++;
}

static inline void table_free(table *t) {
    for (size_t i = 0; i < t->n_rows; i++) {
        free(t->labels[i]);
        free(t->ids[i]);
    }
    free(t->labels);
    free(t->ids);
    free(t->values);
    free(t->label_values);
    free(t->row_numbers);
    memset(t, 0, sizeof *t);
}

static inline bool same_values(const table *a, const table *b) {
    return a->n_rows == b->n_rows && a->n_features == b->n_features &&
           (a->values == NULL || b->values == NULL ||
            memcmp(a->values, b->values, a->n_rows * a->n_features * sizeof(double)) == 0);
}

/* All blocks of a reader from its start on. */
static inline frocc_status reader_all(frocc_reader *reader, table *t) {
    memset(t, 0, sizeof *t);
    for (;;) {
        frocc_block block = {.struct_size = sizeof block};
        frocc_status status = frocc_reader_next(reader, &block);
        if (status != FROCC_OK)
            return status;
        if (block.rows.n_rows == 0)
            break;
        table_append(t, &block);
    }
    t->dropped = frocc_reader_dropped(reader);
    return FROCC_OK;
}

/* Opens, reads twice, compares the passes, and closes. *schema, unless NULL, is the one in use. */
static inline frocc_status read_files(const char *const *paths, size_t n_paths,
                                      const frocc_reader_options *options,
                                      const frocc_schema *given, table *t, frocc_schema **schema) {
    frocc_reader *reader = NULL;
    memset(t, 0, sizeof *t);
    frocc_status status = frocc_reader_open(paths, n_paths, options, given, &reader);
    if (status != FROCC_OK) {
        check(reader == NULL, "an out-parameter was set on failure");
        return status;
    }
    status = reader_all(reader, t);
    if (status == FROCC_OK && (options == NULL || !options->one_pass)) {
        table again;
        check_ok(frocc_reader_rewind(reader));
        check_ok(reader_all(reader, &again));
        check(again.dropped == t->dropped && same_values(&again, t),
              "the second pass differs from the first");
        table_free(&again);
    }
    if (schema != NULL)
        *schema = frocc_reader_schema(reader);
    frocc_reader_free(reader);
    if (status != FROCC_OK)
        table_free(t);
    return status;
}

static inline frocc_reader_options default_options(void) {
    frocc_reader_options o;
    frocc_reader_options_init(&o);
    return o;
}

static inline void check_table(const table *t, size_t n, size_t d, const double *values) {
    check(t->n_rows == n && t->n_features == d, "read %zu x %zu, not %zu x %zu", t->n_rows,
          t->n_features, n, d);
    for (size_t i = 0; t->values != NULL && i < n * d; i++)
        check(memcmp(&t->values[i], &values[i], sizeof(double)) == 0,
              "row %zu, feature %zu is %.17g, not %.17g", i / d, i % d, t->values[i], values[i]);
}

static inline void check_equal(const table *a, const table *b) {
    check(a->n_rows == b->n_rows && a->n_features == b->n_features && a->dropped == b->dropped,
          "%zu x %zu rows and %zu x %zu rows", a->n_rows, a->n_features, b->n_rows, b->n_features);
    check(same_values(a, b), "the values differ");
    if (a->row_numbers == NULL || b->row_numbers == NULL) {
        check(a->n_rows == 0, "no row numbers");
        return;
    }
    for (size_t i = 0; i < a->n_rows; i++) {
        check(a->row_numbers[i] == b->row_numbers[i], "row numbers differ at row %zu", i);
        check((a->labels[i] == NULL) == (b->labels[i] == NULL) &&
                  (a->labels[i] == NULL || strcmp(a->labels[i], b->labels[i]) == 0),
              "labels differ at row %zu", i);
        check((a->ids[i] == NULL) == (b->ids[i] == NULL) &&
                  (a->ids[i] == NULL || strcmp(a->ids[i], b->ids[i]) == 0),
              "ids differ at row %zu", i);
    }
}

/* Reads text as file name, through the schema unless it is NULL, and compares. */
static inline void expect(const frocc_schema *schema, const char *name, const char *text,
                          const frocc_reader_options *o, size_t n, size_t d, const double *values) {
    char *path = put(name, text);
    const char *const paths[1] = {path};
    table t;
    check_ok(read_files(paths, 1, o, schema, &t, NULL));
    check_table(&t, n, d, values);
    table_free(&t);
    free(path);
}

#endif
