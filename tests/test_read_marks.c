/* SPDX-License-Identifier: BSD-3-Clause */
/* What a column is, is told by nearly all of its cells; what else stands there are marks. */
#define _POSIX_C_SOURCE 200809L

#include "test_schema.h"

/* "x,y" and n rows: row i has in x the mark of its place, or else i, and in y i. */
static void put_rows(char *text, size_t n, const char *const *marks, size_t n_marks, bool header) {
    text += header ? sprintf(text, "x,y\n") : 0;
    for (size_t i = 0; i < n; i++)
        text +=
            i < n_marks ? sprintf(text, "%s,%zu\n", marks[i], i) : sprintf(text, "%zu,%zu\n", i, i);
}

/* As in files that were put one behind the other. */
static void test_the_header_again(void) {
    static const char *const texts[] = {"x,y\n1,2\nx,y\n3,4\nx,y\r\n", "k,l\na,b\nk,l\nc,d\n",
                                        "\"x\",y\n1,a\n\"x\",y\nx,b\n"};
    static const uint64_t n_headers[] = {2, 1, 1};
    for (size_t i = 0; i < 3; i++) {
        char *path = put("again.csv", texts[i]), where[300];
        const char *const paths[] = {path};
        frocc_reader *reader;
        frocc_block block = {.struct_size = sizeof block};
        frocc_reader_options o = default_options();
        o.header = FROCC_HEADER_YES;
        check_ok(frocc_reader_open(paths, 1, &o, NULL, &reader));
        for (int pass = 0; pass < 2; pass++) {
            check_ok(frocc_reader_next(reader, &block));
            check(block.rows.n_rows == 2 && block.row_numbers[1] == 2, "%zu rows",
                  block.rows.n_rows);
            check_ok(frocc_reader_locate(reader, 1, where, sizeof where));
            check(strstr(where, "line 4") != NULL, "the second row is in '%s'", where);
            check_ok(frocc_reader_next(reader, &block));
            check(frocc_reader_headers(reader) == n_headers[i], "text %zu: %d headers", i,
                  (int)frocc_reader_headers(reader));
            check_ok(frocc_reader_rewind(reader));
        }
        frocc_reader_free(reader);
        free(path);
    }
    table t;
    frocc_reader_options o = default_options();
    o.header = FROCC_HEADER_YES;
    frocc_schema_free(learn("1,2\n3,4\n1,2\n", &o, &t));
    check_table(&t, 2, 2, (const double[]){3, 4, 1, 2}); /* numbers may well be a row */
    table_free(&t);
}

static frocc_column_info column_of(const frocc_schema *schema, size_t i) {
    frocc_column_info info = {.struct_size = sizeof info};
    check_ok(frocc_schema_column(schema, i, &info));
    return info;
}

static void test_a_mark_is_a_state(void) {
    static const char *const marks[] = {"off", "-"};
    char text[4000];
    frocc_reader_options o = default_options();
    table t;
    put_rows(text, 20, marks, 2, true);
    refuse(NULL, "a.csv", text, NULL, FROCC_ERR_DATA,
           "line 2, column 1 ('x'): 'off' is not a number");
    refuse(NULL, "a.csv", text, NULL, FROCC_ERR_DATA, "missing = keep");
    put_rows(text, 20, marks + 1, 1, true);
    refuse(NULL, "a.csv", text, NULL, FROCC_ERR_DATA,
           "line 2, column 1 ('x'): '-' stands for a missing value");
    o.missing = FROCC_MISSING_DROP;
    frocc_schema *s = learn(text, &o, &t);
    check(t.n_rows == 19 && t.n_features == 2, "%zu x %zu", t.n_rows, t.n_features);
    table_free(&t);
    frocc_schema_free(s);
    o.missing = FROCC_MISSING_KEEP;
    put_rows(text, 20, marks, 2, true);
    s = learn(text, &o, &t);
    const double mean = 10.5, first[] = {mean, code("off"), 0, 0, mean, 1, 1, 0, 2, 0, 2, 0};
    check(t.n_features == 4 && memcmp(t.values, first, sizeof first) == 0, "the states are wrong");
    table_free(&t);
    check(strcmp(frocc_schema_text(s, 1, code("off")), "off") == 0, "the mark has no text");
    const double later[] = {mean, code("on"), 1, 0, mean, 1, 2, 0, 3, 0, 3, 0};
    expect(s, "a.csv", "x,y\non,1\nNone,2\n3,3\n", NULL, 3, 4, later);
    frocc_schema_free(s);
}

/* Fewer than nine of ten cells, or too many kinds of marks: texts. */
static void test_what_is_text(void) {
    char names[30][8], text[20000];
    const char *marks[30];
    frocc_reader_options o = default_options();
    table t;
    for (size_t i = 0; i < 30; i++) {
        sprintf(names[i], "m%zu", i);
        marks[i] = names[i];
    }
    static const struct {
        size_t n, n_marks;
        bool is_text;
    } cases[] = {{10, 1, false}, {10, 2, true}, {9, 1, true}, {200, 20, false}, {1000, 21, true}};
    o.missing = FROCC_MISSING_KEEP;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_rows(text, cases[i].n, marks, cases[i].n_marks, true);
        frocc_schema *s = learn(text, &o, &t);
        check((column_of(s, 0).kind == FROCC_COLUMN_CATEGORY) == cases[i].is_text, "case %zu", i);
        if (cases[i].is_text)
            check(t.values[0] == code("m0"), "case %zu: no code", i);
        table_free(&t);
        frocc_schema_free(s);
    }
    frocc_schema *s = learn("k\n-\na\n-\nNone\n", NULL, &t);
    check_table(&t, 4, 1, (const double[]){code("-"), code("a"), code("-"), code("None")});
    table_free(&t);
    frocc_schema_free(s);
}

/* Numbers with commas are neither texts nor marks. */
static void test_commas(void) {
    static const char *const cells[] = {"3,14", "-1,234.5", "1.234,56", "12,345,678", "1.234.567"};
    static const char *const others[] = {"1.2.3",    "3,14,15", "a,b",
                                         "1.234.56", "12,",     "1,2345,678"};
    char text[4000];
    frocc_reader_options o = default_options();
    table t;
    o.missing = FROCC_MISSING_KEEP;
    for (size_t i = 0; i < 5; i++) {
        sprintf(text, "x;y\n1;2\n3.5;4\n%s;5\n", cells[i]);
        o.separator = ';';
        refuse(NULL, "a.csv", text, &o, FROCC_ERR_DATA, "line 4, column 1 ('x')");
        refuse(NULL, "a.csv", text, &o, FROCC_ERR_DATA, "is a number with commas");
        sprintf(text, "x;y\n%s;2\n%s;4\n", cells[i], cells[i]);
        if (i != 0) /* which is recognised */
            refuse(NULL, "a.csv", text, &o, FROCC_ERR_DATA, "line 2, column 1 ('x')");
    }
    for (size_t i = 0; i < 6; i++) {
        sprintf(text, "x;y\n%s;2\n%s;4\n", others[i], others[i]);
        frocc_schema_free(learn(text, &o, &t));
        check(t.values != NULL && t.values[0] == code(others[i]), "%s is no text", others[i]);
        table_free(&t);
    }
}

static void test_texts_for_missing(void) {
    static const char *const na[] = {"?!", ".", "?!"};
    frocc_reader_options o = default_options();
    table t;
    o.missing = FROCC_MISSING_KEEP;
    o.na = na;
    o.n_na = 3;
    frocc_schema *s = learn("x,k\n1,a\n.,?!\n3,.\n", &o, &t), *copy = NULL;
    check_table(&t, 3, 3, (const double[]){1, 0, code("a"), 2, 1, 0, 3, 0, 0});
    table_free(&t);
    void *bytes;
    size_t size;
    check_ok(frocc_schema_to_bytes(s, &bytes, &size));
    check_ok(frocc_schema_from_bytes(bytes, size, &copy));
    expect(copy, "a.csv", "x,k\n?!,.\n", NULL, 1, 3, (const double[]){2, 1, 0});
    refuse(copy, "a.csv", "x,k\n1,a\n", &o, FROCC_ERR_ARGUMENT, "settled");
    frocc_bytes_free(bytes);
    frocc_schema_free(s);
    frocc_schema_free(copy);
}

static void test_marks_among_times(void) {
    char text[2000], *at = text + sprintf(text, "t,y\n");
    frocc_reader_options o = default_options();
    table t;
    for (int i = 0; i < 20; i++)
        at += i == 3   ? sprintf(at, "never,1\n")
              : i == 4 ? sprintf(at, "-,1\n")
                       : sprintf(at, "2026-11-%02d,1\n", i + 1);
    o.missing = FROCC_MISSING_KEEP;
    frocc_schema *s = learn(text, &o, &t);
    check(column_of(s, 0).kind == FROCC_COLUMN_TIME, "no times");
    const double rows[] = {2, 0, 1, 0, 0, code("never"), 1, 0, 0, 1, 1, 0};
    check(t.n_features == 4 && memcmp(t.values + 8, rows, sizeof rows) == 0, "the states");
    table_free(&t);
    frocc_schema_free(s);
}

static void check_joined(frocc_schema *const *parts, size_t n, const frocc_schema *whole) {
    frocc_schema *joined = NULL;
    void *bytes[2];
    size_t sizes[2];
    check_ok(frocc_schema_join((const frocc_schema *const *)parts, n, &joined));
    check_ok(frocc_schema_to_bytes(joined, &bytes[0], &sizes[0]));
    check_ok(frocc_schema_to_bytes(whole, &bytes[1], &sizes[1]));
    check(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0,
          "parts are not the whole");
    frocc_bytes_free(bytes[0]);
    frocc_bytes_free(bytes[1]);
    frocc_schema_free(joined);
}

/* Each part may see something else: what all of them are is what one reading of all rows finds. */
static void test_parts_agree(void) {
    static const char *const cells[] = {"off", "-", "2026-11-18", "b", "2.5", "c", "", "NA"};
    for (int round = 0; round < check_cases(400, 100); round++) {
        char text[6000], part[3][6000], *at = text, *ends[3];
        const char *const header = round % 2 == 0 ? "x_at,y\n" : "x,y\n";
        frocc_schema *schemas[3] = {NULL}, *whole;
        rng r = rng_seed((uint64_t)round);
        frocc_reader_options o = default_options();
        table t;
        const uint64_t rare = 1 + rng_below(&r, 40), kinds = 1 + rng_below(&r, 8);
        o.missing = FROCC_MISSING_KEEP;
        o.header = FROCC_HEADER_YES;
        at += sprintf(at, "%s", header);
        for (int k = 0; k < 3; k++)
            ends[k] = part[k] + sprintf(part[k], "%s", header);
        for (int i = 0; i < 90; i++) {
            char row[60];
            const char *cell = cells[rng_below(&r, kinds)];
            const int k = i < 3 ? i : (int)rng_below(&r, 3);
            if (rng_below(&r, rare) == 0)
                sprintf(row, "%s,%d\n", cell, i);
            else if (round % 4 == 0 && (round % 3 > 0 || rng_below(&r, 90) > 0))
                sprintf(row, "%d,%d\n", 1600000000 + (int)rng_below(&r, 1 << rng_below(&r, 25)), i);
            else
                sprintf(row, "%.3f,%d\n", rng_normal(&r), i);
            at += sprintf(at, "%s", row);
            ends[k] += sprintf(ends[k], "%s", row);
        }
        whole = learn(text, &o, &t);
        table_free(&t);
        for (int k = 0; k < 3; k++) {
            schemas[k] = learn(part[k], &o, &t);
            table_free(&t);
        }
        check_joined(schemas, 3, whole);
        for (int k = 0; k < 3; k++)
            frocc_schema_free(schemas[k]);
        frocc_schema_free(whole);
    }
}

/* Texts are bounded in number and length, however many there are. */
static void test_many_texts(void) {
    enum { N = 30000 };
    static const char *const k[] = {"k"};
    char *text = NEW(char, N * 20 + 200000), *at = text + sprintf(text, "k\n");
    void *bytes;
    size_t size;
    table t;
    for (int i = 0; i < N; i++)
        at += sprintf(at, "text %d\n", i);
    memset(at, 'x', 100000);
    strcpy(at + 100000, "\n");
    frocc_reader_options o = default_options();
    o.categorical = k;
    o.n_categorical = 1;
    frocc_schema *s = learn(text, &o, &t);
    check(t.n_rows == N + 1 && t.n_features == 1, "%zu x %zu", t.n_rows, t.n_features);
    check(fabs(column_of(s, 0).n_texts - N) < 0.15 * N, "about %g texts", column_of(s, 0).n_texts);
    check_ok(frocc_schema_to_bytes(s, &bytes, &size));
    check(size < 1000 * 80, "%zu bytes", size);
    frocc_bytes_free(bytes);
    frocc_schema_free(s);
    table_free(&t);
    free(text);
}

/* Texts that nearly all differ name the rows: no feature, unless asked for. */
static void test_names(void) {
    static const char *const k[] = {"k"};
    char text[4000], *at = text + sprintf(text, "k,x\n");
    frocc_reader_options o = default_options();
    table t;
    for (int i = 0; i < 60; i++)
        at += sprintf(at, "id-%d,%d\n", i * 7919 % 60 / (i % 9 == 0 ? 30 : 1), i);
    frocc_schema *s = learn(text, NULL, &t);
    check(t.n_features == 1 && column_of(s, 0).kind == FROCC_COLUMN_NAME &&
              !column_of(s, 0).is_feature,
          "names are features");
    table_free(&t);
    expect(s, "a.csv", "x\n5\n", NULL, 1, 1, (const double[]){5});
    expect(s, "a.csv", "k,x\nany,5\n,6\n", NULL, 2, 1, (const double[]){5, 6});
    frocc_schema_free(s);
    o.categorical = k;
    o.n_categorical = 1;
    s = learn(text, &o, &t);
    check(t.n_features == 2 && column_of(s, 0).kind == FROCC_COLUMN_CATEGORY, "not asked for");
    table_free(&t);
    frocc_schema_free(s);
}

int main(void) {
    folder = folder_new();
    RUN(test_the_header_again);
    RUN(test_a_mark_is_a_state);
    RUN(test_what_is_text);
    RUN(test_commas);
    RUN(test_texts_for_missing);
    RUN(test_marks_among_times);
    RUN(test_parts_agree);
    RUN(test_many_texts);
    RUN(test_names);
    folder_free(folder);
    return check_end();
}
