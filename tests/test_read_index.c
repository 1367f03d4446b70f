/* SPDX-License-Identifier: BSD-3-Clause */
/* A first column that only counts the rows is no feature. */
#define _POSIX_C_SOURCE 200809L

#include "test_schema.h"

enum filling { LONG_NUMBERS, SHORT_NUMBERS, TEXTS, HOLES, N_FILLINGS };

/* Rows first .. last of n that are numbered from base on, in an order of the step: row i is number
 * i * step modulo n. */
static void put_rows(char **at, enum filling filling, size_t first, size_t last, size_t n,
                     size_t step, size_t base) {
    for (size_t i = first; i < last; i++) {
        const size_t row = i * step % n;
        if (n > 1000 && i + 3 == n) /* rows that are kept end in front of a comment */
            *at += sprintf(*at, "# nearly all\n");
        *at += sprintf(*at, "%zu,", row + base);
        if (filling == LONG_NUMBERS)
            *at += sprintf(*at, "%.12f,%.12f\n", (double)(row * 7 % 11) + 0.123456789012,
                           (double)(row % 13) + 0.5);
        else if (filling == SHORT_NUMBERS)
            *at += sprintf(*at, "%zu,%zu\n", row % 3, row % 7);
        else if (filling == TEXTS)
            *at += sprintf(*at, "%s,%zu\n", row % 3 == 0 ? "red" : "blue", row % 7);
        else
            *at += sprintf(*at, "%s,%.12f\n", row % 9 == 4 ? "" : "2.25", (double)(row % 7) + 0.5);
    }
}

typedef struct counted {
    frocc_column_info first;
    void *bytes; /* of the schema */
    size_t size;
    size_t n_features;
} counted;

static counted learn_counted(const char *const *paths, size_t n_paths,
                             const frocc_reader_options *o) {
    counted result = {.first.struct_size = sizeof result.first};
    frocc_schema *schema = NULL;
    table t;
    check_ok(read_files(paths, n_paths, o, NULL, &t, &schema));
    check_ok(frocc_schema_column(schema, 0, &result.first));
    check_ok(frocc_schema_to_bytes(schema, &result.bytes, &result.size));
    result.n_features = t.n_features;
    result.first.name = NULL; /* ends with the schema */
    table_free(&t);
    frocc_schema_free(schema);
    return result;
}

/* Left out of any order, split and threads: the bytes are those of the schema that drops it. */
static void count_rows(size_t n, enum filling filling, frocc_missing missing) {
    static const size_t steps[] = {1, SIZE_MAX, 7919};
    char *text = NEW(char, n * 60 + 100);
    static const char *const one[] = {"1"};
    for (int i = 0; i < 12; i++) {
        const size_t step = steps[i % 3] == SIZE_MAX ? n - 1 : steps[i % 3];
        const size_t middle = i / 6 == 0 ? n : n / 3, base = (size_t)(i % 3 * 100001 + i % 2);
        char *at = text + sprintf(text, ",a,b\n"), *second;
        frocc_reader_options o = default_options();
        o.threads = 1 + i / 3 % 2;
        o.dtype = i % 4 == 0 ? FROCC_F64 : FROCC_F32;
        o.missing = missing;
        put_rows(&at, filling, 0, middle, n, step, base);
        char *a = put("a.csv", text);
        at = text + sprintf(text, ",a,b\n");
        put_rows(&at, filling, middle, n, n, step, base);
        second = put("b.csv", text);
        const char *const paths[2] = {a, second};
        const size_t n_paths = middle < n ? 2 : 1;
        counted found = learn_counted(paths, n_paths, &o);
        check(found.first.counts_rows && !found.first.is_feature, "filling %d, way %d is not seen",
              (int)filling, i);
        o.drop = one;
        o.n_drop = 1;
        counted dropped = learn_counted(paths, n_paths, &o);
        check(!dropped.first.counts_rows && found.size == dropped.size &&
                  found.n_features == dropped.n_features &&
                  memcmp(found.bytes, dropped.bytes, found.size) == 0,
              "filling %d, way %d: other bytes than those without it", (int)filling, i);
        frocc_bytes_free(found.bytes);
        frocc_bytes_free(dropped.bytes);
        free(a);
        free(second);
    }
    free(text);
}

static void test_counting(void) {
    for (int filling = 0; filling < N_FILLINGS; filling++)
        count_rows(301, (enum filling)filling,
                   filling == HOLES ? FROCC_MISSING_DROP : FROCC_MISSING_ERROR);
    count_rows(301, HOLES, FROCC_MISSING_MEAN);
    count_rows(301, HOLES, FROCC_MISSING_KEEP);
    /* Some of the rows are kept, and others only looked at. */
    count_rows(30011, LONG_NUMBERS, FROCC_MISSING_ERROR);
    count_rows(30011, SHORT_NUMBERS, FROCC_MISSING_ERROR);
}

/* Reads header and rows 0 .. n - 1 with a number in place of that of one row. */
static counted learn_almost(const char *header, size_t n, size_t base, size_t row, const char *cell,
                            const frocc_reader_options *o) {
    char text[4000], *at = text + sprintf(text, "%s", header);
    for (size_t i = 0; i < n; i++)
        at += i == row ? sprintf(at, "%s,%zu\n", cell, i * i % 17)
                       : sprintf(at, "%zu,%zu\n", i + base, i * i % 17);
    char *path = put("almost.csv", text);
    const char *const paths[1] = {path};
    counted found = learn_counted(paths, 1, o);
    frocc_bytes_free(found.bytes);
    free(path);
    return found;
}

static void test_almost_counting(void) {
    const frocc_reader_options o = default_options();
    static const struct {
        const char *header, *cell;
        size_t n, base, row;
        int counts, is_feature;
    } cases[] = {{",b\n", "", 20, 0, 99, 1, 0},      {",b\n", "", 20, 1, 99, 1, 0},
                 {"\"\",b\n", "", 20, 0, 99, 1, 0},  {"1,b\n", "", 20, 0, 99, 1, 1},
                 {"id,b\n", "", 20, 1, 99, 1, 1},    {"", "", 20, 0, 99, 1, 1},
                 {",b\n", "", 19, 0, 99, 0, 1},      {",b\n", "", 30, 2, 99, 1, 0},
                 {",b\n", "12", 30, 0, 11, 0, 1},    {",b\n", "30", 30, 0, 11, 0, 1},
                 {",b\n", "11.5", 30, 0, 11, 0, 1},  {",b\n", "-1", 30, 0, 0, 0, 1},
                 {",b\n", "31", 30, 0, 29, 0, 1},    {",b\n", "\"12\"", 30, 0, 11, 0, 1},
                 {",b\n", "11.0", 30, 0, 11, 1, 0},  {",b\n", "1.1e1", 30, 0, 11, 1, 0},
                 {",b\n", "\"11\"", 30, 0, 11, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        counted found = learn_almost(cases[i].header, cases[i].n, cases[i].base, cases[i].row,
                                     cases[i].cell, &o);
        check(found.first.counts_rows == cases[i].counts &&
                  found.first.is_feature == cases[i].is_feature,
              "case %zu counts %d, is a feature %d", i, found.first.counts_rows,
              found.first.is_feature);
    }
}

/* What the caller has chosen, and what the caller has not shown whole, stays as it is. */
static void test_counting_is_not_asked(void) {
    static const char *const both[] = {"1", "b"}, *const one[] = {"1"}, *const two[] = {"b"};
    for (int i = 0; i < 7; i++) {
        frocc_reader_options o = default_options();
        o.label = i == 0 ? "1" : NULL;
        o.id = i == 1 ? "1" : NULL;
        o.use = both;
        o.n_use = i == 2 ? 2 : 0;
        o.categorical = one;
        o.n_categorical = i == 3;
        o.all_numeric = i == 4;
        o.n_parts = i == 5 ? 2 : 0;
        o.drop = two; /* it is all that is left */
        o.n_drop = i == 6;
        counted found = learn_almost(",b\n", 40, 0, 99, "", &o);
        check(!found.first.counts_rows && found.first.is_feature == (i > 1), "way %d: %d, %d", i,
              found.first.counts_rows, found.first.is_feature);
    }
}

int main(void) {
    folder = folder_new();
    RUN(test_counting);
    RUN(test_almost_counting);
    RUN(test_counting_is_not_asked);
    folder_free(folder);
    return check_end();
}
