/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of time stamps: what they become, and what only looks like one. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "schema/schema.h"
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
    o.time_parts = FROCC_TIME_HOUR | FROCC_TIME_WEEKDAY;
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
    o.time_parts = FROCC_TIME_HOUR | FROCC_TIME_WEEKDAY;
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

/* By themselves only the parts that the rows can tell of: a day of them, two weeks. */
static void test_time_parts(void) {
    static const struct {
        const char *first, *last;
        int parts;
        size_t n_features;
    } cases[] = {{"2026-11-18T07:00", "2026-11-19T06:59", 0, 1},
                 {"2026-11-18T07:00", "2026-11-19T07:00", 0, 3},
                 {"2026-11-18T07:00", "2026-12-02T06:59", 0, 3},
                 {"2026-11-18T07:00", "2026-12-02T07:00", 0, 4},
                 {"2026-11-18", "2026-12-01", 0, 1},
                 {"2026-11-18", "2026-12-02", 0, 2},
                 {"07:00", "09:00", 0, 3},
                 {"07:00", "09:00", FROCC_TIME_WEEKDAY, 1},
                 {"2026-11-18T07:00", "2026-11-18T08:00", FROCC_TIME_HOUR, 3},
                 {"2026-11-18T07:00", "2027-11-18T08:00", FROCC_TIME_WEEKDAY, 2},
                 {"2026-11-18T07:00", "2027-11-18T08:00", FROCC_TIME_ABSOLUTE, 2},
                 {"2026-11-18T07:00", "2027-11-18T08:00", FROCC_TIME_DIFFERENCE, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        table t;
        frocc_reader_options o = default_options();
        o.time_parts = cases[i].parts;
        sprintf(text, "t,x\n%s,1\n%s,2\n", cases[i].last, cases[i].first);
        frocc_schema_free(learn(text, &o, &t));
        check(t.n_features == cases[i].n_features, "case %zu: %zu features", i, t.n_features);
        table_free(&t);
    }
    refuse(NULL, "a.csv", "t\n2026-11-18\n2026-11-19\n", NULL, FROCC_ERR_DATA, "time_parts");
    frocc_reader_options o = default_options();
    o.time_parts = 16;
    refuse(NULL, "a.csv", "t\n2026-11-18\n", &o, FROCC_ERR_ARGUMENT, "time_parts");
}

/* Day or month first, as the rows say; where none does, that is said with the line. */
static void test_day_or_month_first(void) {
    static const struct {
        const char *first, *second;
        double seconds[2];
    } cases[] = {{"03/04/2026", "25/04/2026", {1775174400, 1777075200}},
                 {"03/04/2026", "04/25/2026", {1772582400, 1777075200}},
                 {"3-4-2026 00:00", "25-4-2026 00:00", {1775174400, 1777075200}},
                 {"03.04.2026", "04.05.2026", {1775174400, 1777852800}}};
    frocc_reader_options o = default_options();
    o.time_parts = FROCC_TIME_ABSOLUTE;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        table t;
        sprintf(text, "t,x\n%s,1\n%s,2\n", cases[i].first, cases[i].second);
        frocc_schema *s = learn(text, &o, &t), *copy = NULL;
        void *bytes;
        size_t size;
        check_table(&t, 2, 2, (const double[]){cases[i].seconds[0], 1, cases[i].seconds[1], 2});
        table_free(&t);
        check_ok(frocc_schema_to_bytes(s, &bytes, &size));
        check_ok(frocc_schema_from_bytes(bytes, size, &copy));
        sprintf(text, "t,x\n%s,1\n", cases[i].first);
        expect(copy, "a.csv", text, NULL, 1, 2, (const double[]){cases[i].seconds[0], 1});
        frocc_bytes_free(bytes);
        frocc_schema_free(s);
        frocc_schema_free(copy);
    }
    refuse(NULL, "a.csv", "t,x\n03/04/2026,1\n04/03/2026,2\n", &o, FROCC_ERR_DATA,
           "line 2, column 1 ('t'): '03/04/2026' has day and month in an order that no row tells");
    table t;
    frocc_schema_free(learn("t,x\n03/25/2026,1\n25/03/2026,2\n", NULL, &t));
    check(t.values[0] == code("03/25/2026"), "both orders are times");
    table_free(&t);
}

/* Each with each, whatever the order of the columns, with what stands for a missing one. */
static void test_differences(void) {
    static const char text[] = "a,x,b,c,d\n"
                               "1970-01-01,1,1970-01-03,1970-01-01T00:00:05,07:00\n"
                               "1970-01-02,2,,1970-01-02T00:00:01,07:00\n"
                               "1970-01-03,3,1970-01-04,1970-01-03T00:00:09,08:00\n";
    static const char *const names[] = {"b - a", "c - a", "c - b"};
    table t;
    frocc_reader_options o = default_options();
    o.missing = FROCC_MISSING_MEAN;
    o.time_parts = FROCC_TIME_DIFFERENCE;
    frocc_schema *s = learn(text, &o, &t), *copy = NULL;
    const double day = 86400, rows[] = {1, 2 * day,           5, 5 - 2 * day, 2, 1.5 * day,
                                        1, 86407 - 2.5 * day, 3, day,         9, 9 - day};
    check(t.n_rows == 3 && t.n_features == 4, "%zu x %zu", t.n_rows, t.n_features);
    for (size_t i = 0; i < 12; i++)
        check(t.values[i] == rows[i], "value %zu is %.17g, not %.17g", i, t.values[i], rows[i]);
    table_free(&t);
    for (size_t i = 0; i < 3; i++) {
        check_feature(s, 1 + i, names[i], FROCC_FEATURE_DIFFERENCE);
        check(frocc__schema_column_of(s, 1 + i) == 5 + i, "difference %zu has no column", i);
    }
    void *bytes;
    size_t size;
    check_ok(frocc_schema_to_bytes(s, &bytes, &size));
    check_ok(frocc_schema_from_bytes(bytes, size, &copy));
    expect(copy, "a.csv", "c,b,a,x,d\n1970-01-01,1970-01-02,1970-01-04,5,01:00\n", NULL, 1, 4,
           (const double[]){5, -2 * day, -3 * day, -day});
    expect(copy, "a.jsonl",
           "{\"b\":\"1970-01-02\",\"x\":5,\"d\":\"01:00\",\"c\":\"1970-01-01\","
           "\"a\":\"1970-01-04\"}\n",
           NULL, 1, 4, (const double[]){5, -2 * day, -3 * day, -day});
    frocc_bytes_free(bytes);
    frocc_schema_free(s);
    frocc_schema_free(copy);
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
        frocc_reader_options o = default_options();
        o.time_parts = FROCC_TIME_HOUR | FROCC_TIME_WEEKDAY;
        frocc_schema *s = learn(files[i].text, &o, &t);
        check(t.n_rows == files[i].rows && t.n_features == files[i].features, "file %zu: %zu x %zu",
              i, t.n_rows, t.n_features);
        table_free(&t);
        frocc_schema_free(s);
    }
}

/* A table of times as stamps, or as numbers of units; the last cell may be another. */
static void print_times(char *text, const char *name, int64_t per_second, const char *last) {
    enum { N = 40 };
    char *at = text + sprintf(text, "%s,x\n", name);
    for (int i = 0; i < N; i++) {
        const int hours = i * 19;
        if (i == N - 1 && last != NULL)
            at += sprintf(at, "%s,1\n", last);
        else if (per_second == 0)
            at += sprintf(at, "2026-%02d-%02dT%02d:00:00,%d\n", 9 + hours / 24 / 30,
                          1 + hours / 24 % 30, hours % 24, i % 7);
        else
            at += sprintf(at, "%lld,%d\n", /* from 2026-09-01 */
                          (1788220800LL + hours * 3600LL) * (long long)per_second, i % 7);
    }
}

/* Whole numbers of a column whose name speaks of times are what the same stamps are. */
static void test_epochs(void) {
    char text[3000];
    table stamps, numbers;
    frocc_reader_options o = default_options();
    static const char *const asked[] = {"seen_at"};
    o.time = asked;
    o.n_time = 1;
    print_times(text, "seen_at", 0, NULL);
    frocc_schema *of_stamps = learn(text, &o, &stamps);
    for (int64_t unit = 1; unit <= 1000000000; unit *= 1000)
        for (int threads = 1; threads <= 3; threads += 2)
            for (int drops = 0; drops < 2; drops++) {
                o.threads = threads;
                o.missing = drops ? FROCC_MISSING_DROP : FROCC_MISSING_ERROR;
                print_times(text, "seen_at", unit, NULL);
                frocc_schema *s = learn(text, &o, &numbers), *copy = NULL;
                check(numbers.n_features == 5, "%zu features", numbers.n_features);
                check_equal(&numbers, &stamps);
                table_free(&numbers);
                void *bytes;
                size_t size;
                check_ok(frocc_schema_to_bytes(s, &bytes, &size));
                check_ok(frocc_schema_from_bytes(bytes, size, &copy));
                refuse(copy, "a.csv", "seen_at,x\nnever,1\n", NULL, FROCC_ERR_DATA,
                       "'never' is no time; expected a number such as 1700000000");
                frocc_bytes_free(bytes);
                frocc_schema_free(copy);
                frocc_schema_free(s);
            }
    table_free(&stamps);
    frocc_schema_free(of_stamps);
}

static frocc_column_kind kind_with(const char *name, const char *last, int numeric) {
    char text[3000];
    table t;
    frocc_reader_options o = default_options();
    frocc_column_info info = {.struct_size = sizeof info};
    o.all_numeric = numeric;
    print_times(text, name, 1, last);
    frocc_schema *s = learn(text, &o, &t);
    check_ok(frocc_schema_column(s, 0, &info));
    table_free(&t);
    frocc_schema_free(s);
    return info.kind;
}

/* What is no time: another name, a number outside, of another unit, or with a fraction. */
static void test_no_epochs(void) {
    static const char *const names[] = {"time", "ts", "event_ts", "createdAt", "birthDate", "When"};
    static const char *const others[] = {"amount", "at", "parts", "customer", "flat", "1"};
    static const char *const cells[] = {"999999999",    "2100000001", "1788220800000",
                                        "1788220800.5", "0",          "-1788220800"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check(kind_with(names[i], NULL, 0) == FROCC_COLUMN_TIME, "%s is no time", names[i]);
        check(kind_with(names[i], NULL, 1) == FROCC_COLUMN_NUMBER, "%s is no number", names[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check(kind_with(others[i], NULL, 0) == FROCC_COLUMN_NUMBER, "%s is a time", others[i]);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        check(kind_with("time", cells[i], 0) == FROCC_COLUMN_NUMBER, "%s is a time", cells[i]);
    check(kind_with("time", "1000000000", 0) == FROCC_COLUMN_TIME, "the first is none");
    check(kind_with("time", "2100000000", 0) == FROCC_COLUMN_TIME, "the last is none");
    table t;
    frocc_column_info info = {.struct_size = sizeof info};
    frocc_schema *s = learn("time,x\n1700000000,1\n1700000000,2\n", NULL, &t);
    check_ok(frocc_schema_column(s, 0, &info));
    check(info.kind == FROCC_COLUMN_NUMBER, "one time is a column of times");
    table_free(&t);
    frocc_schema_free(s);
}

int main(void) {
    folder = folder_new();
    RUN(test_time_stamps);
    RUN(test_almost_time);
    RUN(test_missing_time);
    RUN(test_time_parts);
    RUN(test_day_or_month_first);
    RUN(test_differences);
    RUN(test_epochs);
    RUN(test_no_epochs);
    RUN(test_time_and_header);
    folder_free(folder);
    return check_end();
}
