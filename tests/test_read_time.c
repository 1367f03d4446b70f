/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of time stamps: what they become, and what only looks like one. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "test_schema.h"

/* Hours and days of stamps against the C library's sine. */
static void check_turn(const table *t, size_t row, size_t feature, double turn) {
    const double *at = t->values + row * t->n_features + feature;
    check(fabs(at[0] - sin(2 * acos(-1) * turn)) < 1e-6 &&
              fabs(at[1] - cos(2 * acos(-1) * turn)) < 1e-6,
          "row %zu, feature %zu is at %g, %g, not %g of a turn", row, feature, at[0], at[1], turn);
}

static void test_time_stamps(void) {
    static const char text[] = "a,b,c,x\n2026-11-18T06:00:00Z,2026-11-18,2026-11-18 12:00,1\n"
                               "2026-11-22T18:00:00+02:00,2026-11-19,never,2\n";
    static const char *const names[] = {"hour of a (sine)", "hour of a (cosine)", "weekday of a",
                                        "a", "weekday of b"};
    static const frocc_feature_kind kinds[] = {FROCC_FEATURE_HOUR_SINE, FROCC_FEATURE_HOUR_COSINE,
                                               FROCC_FEATURE_WEEKDAY, FROCC_FEATURE_TIME,
                                               FROCC_FEATURE_WEEKDAY};
    static const char *const asked[] = {"a"};
    table t;
    frocc_reader_options o = default_options();
    o.time = asked;
    o.n_time = 1;
    frocc_schema *s = learn(text, &o, &t), *copy = NULL;
    check(t.n_features == 7, "%zu features", t.n_features); /* c has texts */
    check_turn(&t, 0, 0, 0.25);
    check_turn(&t, 1, 0, 0.75); /* on the clock as written, and as everywhere: */
    static const double rest[] = {3, 1794981600, 3, 7, 1795363200, 4};
    check(memcmp(t.values + 2, rest, 24) == 0 && memcmp(t.values + 9, rest + 3, 24) == 0,
          "the days are %g, %g, the times %.17g, %.17g", t.values[2], t.values[9], t.values[3],
          t.values[10]);
    table_free(&t);
    for (size_t i = 0; i < 5; i++)
        check_feature(s, i, names[i], kinds[i]);
    frocc_column_info info = {.struct_size = sizeof info};
    check_ok(frocc_schema_column(s, 0, &info));
    check(info.kind == FROCC_COLUMN_TIME && info.has_hour && info.has_seconds &&
              info.n_features == 4,
          "a is no time");
    check_ok(frocc_schema_column(s, 1, &info));
    check(info.kind == FROCC_COLUMN_TIME && !info.has_hour && !info.has_seconds &&
              info.n_features == 1,
          "b has hours");
    check_ok(frocc_schema_column(s, 2, &info));
    check(info.kind == FROCC_COLUMN_CATEGORY && info.n_texts == 1, "c has no texts");
    void *bytes;
    size_t size;
    check_ok(frocc_schema_to_bytes(s, &bytes, &size));
    check_ok(frocc_schema_from_bytes(bytes, size, &copy));
    check(frocc_schema_features(copy) == 7, "the bytes lost features");
    refuse(copy, "a.csv", "a,b,c,x\n2026-11-18,2026-11-18,never,1\n18.11.26,2026-11-18,never,1\n",
           NULL, FROCC_ERR_DATA, "line 3, column 1 ('a'): '18.11.26' is no time stamp");
    refuse(copy, "a.csv", "a,b,c,x\n5,2026-11-18,never,1\n", NULL, FROCC_ERR_DATA,
           "'5' is no time stamp");
    refuse(copy, "a.libsvm", "1 1:2\n", NULL, FROCC_ERR_SHAPE, "time stamps in column 1");
    frocc_bytes_free(bytes);
    frocc_schema_free(s);
    frocc_schema_free(copy);
}

/* Time stamps that are not alone in their column are texts, wherever the others stand. */
static void test_almost_time(void) {
    static const char *const others[] = {"5", "never", "2026-11-18T25:00"};
    for (size_t i = 0; i < 3; i++)
        for (int place = 0; place < 3; place++) {
            char text[200];
            table t;
            sprintf(text, "a,x\n%s,1\n%s,2\n%s,3\n", place == 0 ? others[i] : "2026-11-18",
                    place == 1 ? others[i] : "2026-11-18", place == 2 ? others[i] : "2026-11-18");
            frocc_schema *s = learn(text, NULL, &t);
            check(t.n_features == 2 && t.values[0] > 7, "%zu features of a %s in row %d",
                  t.n_features, others[i], place);
            table_free(&t);
            frocc_schema_free(s);
        }
    static const char *const asked[] = {"a"};
    frocc_reader_options o = default_options();
    o.time = asked;
    o.n_time = 1;
    refuse(NULL, "a.csv", "a,x\n2026-11-18,1\n5,2\n", &o, FROCC_ERR_ARGUMENT, "column 1 ('a')");
    o.all_numeric = 1;
    refuse(NULL, "a.csv", "a,x\n4,1\n5,2\n", &o, FROCC_ERR_ARGUMENT, "column 1 ('a')");
    o = default_options();
    o.categorical = asked;
    o.n_categorical = 1;
    table t;
    frocc_schema *s = learn("a,x\n2026-11-18,1\n2026-11-19,2\n", &o, &t);
    check(t.n_features == 2 && t.values[0] == code("2026-11-18"), "categorical was not heeded");
    table_free(&t);
    frocc_schema_free(s);
}

/* Missing stamps: left out, in the middle of the circle, or told of. */
static void test_missing_time(void) {
    static const char *const asked[] = {"a"};
    static const char whole[] = "a,x\n1970-01-01T00:00:10,1\n1970-01-01T00:00:30,2\n";
    static const char gap[] = "a,x\n1970-01-01T00:00:10,1\n,2\n1970-01-01T00:00:30,2\n";
    table t;
    frocc_reader_options o = default_options();
    o.time = asked;
    o.n_time = 1;
    refuse(NULL, "a.csv", gap, &o, FROCC_ERR_DATA, "line 3, column 1 ('a'): the cell is empty");
    o.missing = FROCC_MISSING_DROP;
    frocc_schema *s = learn(gap, &o, &t);
    check(t.n_rows == 2 && t.n_features == 5, "%zu x %zu", t.n_rows, t.n_features);
    table_free(&t);
    frocc_schema_free(s);
    o.missing = FROCC_MISSING_MEAN;
    s = learn(gap, &o, &t);
    const double mean[] = {0, 0, 0, 20, 2}, told[] = {0, 0, 0, 20, 1, 2, 0};
    check(memcmp(t.values + 5, mean, sizeof mean) == 0, "the mean is not in the middle");
    table_free(&t);
    frocc_schema_free(s);
    o.missing = FROCC_MISSING_KEEP;
    s = learn(gap, &o, &t);
    check(memcmp(t.values + 7, told, sizeof told) == 0 && t.values[4] == 0,
          "a missing time is not told of");
    table_free(&t);
    frocc_schema_free(s);
    s = learn(whole, &o, &t);
    table_free(&t);
    const double later[] = {0, 0, 0, 20, 1, 3, 0};
    expect(s, "a.csv", "a,x\n,3\n", NULL, 1, 7, later);
    frocc_schema_free(s);
}

/* A first row with a time stamp is data, and a header of dates is one. */
static void test_time_and_header(void) {
    static const struct {
        const char *text;
        size_t rows, features;
    } files[] = {{"2026-11-18T07:01:02,GET\n2026-11-18T07:01:03,PUT\n", 2, 3 + 1},
                 {"2026-11-18T07:01:02,5\n2026-11-18T07:01:03,6\n", 2, 3 + 1},
                 {"2026-11-18\n2026-11-19\n", 2, 1},
                 {"when,what\n2026-11-18,GET\n", 1, 1 + 1},
                 {"host,2026-11-18,2026-11-19\na,5,6\nb,6,7\n", 2, 1 + 2},
                 {"2026-11-18,2026-11-19\n5,6\n7,8\n", 2, 2}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        table t;
        frocc_schema *s = learn(files[i].text, NULL, &t);
        check(t.n_rows == files[i].rows && t.n_features == files[i].features, "file %zu: %zu x %zu",
              i, t.n_rows, t.n_features);
        table_free(&t);
        frocc_schema_free(s);
    }
}

int main(void) {
    folder = folder_new();
    RUN(test_time_stamps);
    RUN(test_almost_time);
    RUN(test_missing_time);
    RUN(test_time_and_header);
    folder_free(folder);
    return check_end();
}
