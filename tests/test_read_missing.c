/* SPDX-License-Identifier: BSD-3-Clause */
/* Missing cells through a schema: filled, dropped, or kept as something that columns have. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "test_schema.h"

/* What is said about missing cells when a file is read wins over what the model was fitted with. */
static void test_own_missing(void) {
    static const char text[] = "x,y\n1,\n3,4\n";
    frocc_reader_options o = default_options();
    table t;
    o.missing = FROCC_MISSING_MEAN;
    frocc_schema *means = learn("x,y\n1,2\n3,6\n", &o, &t);
    table_free(&t);
    o.missing = FROCC_MISSING_DROP;
    frocc_schema *drops = learn("x,y\n1,2\n3,6\n", &o, &t);
    table_free(&t);
    check(frocc_schema_missing(means) == FROCC_MISSING_MEAN, "the schema forgot");
    const double filled[] = {1, 4, 3, 4}, kept[] = {3, 4};
    o = default_options();
    expect(means, "gaps.csv", text, &o, 2, 2, filled);
    expect(drops, "gaps.csv", text, &o, 1, 2, kept);
    o.own_missing = 1;
    refuse(means, "gaps.csv", text, &o, FROCC_ERR_DATA, "line 2, column 2 ('y')");
    o.missing = FROCC_MISSING_DROP;
    expect(means, "gaps.csv", text, &o, 1, 2, kept);
    o.missing = FROCC_MISSING_MEAN;
    expect(means, "gaps.csv", text, &o, 2, 2, filled);
    refuse(drops, "gaps.csv", text, &o, FROCC_ERR_ARGUMENT, "no means");
    frocc_schema_free(means);
    frocc_schema_free(drops);
}

/* Missing cells as something that columns have: numbers have a state. */
static void test_missing_is_kept(void) {
    table t;
    frocc_reader_options o = default_options();
    o.missing = FROCC_MISSING_KEEP;
    frocc_schema *s = learn("a,b,k,l\n1,,u,x\n2,5,,y\n6,7,v,x\n", &o, &t), *copy = NULL;
    const double u = code("u"), v = code("v"), w = code("w"), x = code("x"), y = code("y");
    const double learnt[] = {1, 0, 6, 1, u, x, 2, 0, 5, 0, 0, y, 6, 0, 7, 0, v, x};
    check_table(&t, 3, 6, learnt);
    table_free(&t);
    static const char *const names[] = {"a", "state of a", "b", "state of b", "k", "l"};
    for (size_t i = 0; i < 6; i++)
        check_feature(s, i, names[i],
                      i > 3        ? FROCC_FEATURE_CATEGORY
                      : i % 2 == 0 ? FROCC_FEATURE_NUMBER
                                   : FROCC_FEATURE_STATE);
    frocc_column_info info = {.struct_size = sizeof info};
    check_ok(frocc_schema_column(s, 1, &info));
    check(info.tells_state && info.filler == 6 && info.kind == FROCC_COLUMN_NUMBER,
          "b is not known so");
    void *bytes;
    size_t size;
    check_ok(frocc_schema_to_bytes(s, &bytes, &size));
    check_ok(frocc_schema_from_bytes(bytes, size, &copy));
    const double later[] = {3, 1, 6, 1, 0, 0, 1, 0, 2, 0, w, w};
    expect(copy, "a.csv", "a,b,k,l\n,NA,?,\n1,2,w,w\n", NULL, 2, 6, later);
    refuse(copy, "a.libsvm", "1 1:2\n", NULL, FROCC_ERR_SHAPE, "missing cells");
    o.own_missing = 1;
    o.missing = FROCC_MISSING_ERROR;
    refuse(copy, "a.csv", "1,,u,x\n", &o, FROCC_ERR_DATA, "the cell is empty");
    o.missing = FROCC_MISSING_MEAN;
    refuse(copy, "a.csv", "1,,u,x\n", &o, FROCC_ERR_ARGUMENT, "no means");
    frocc_schema_free(s);
    s = learn("a,b\n1,2\n3,4\n", NULL, &t);
    table_free(&t);
    o.missing = FROCC_MISSING_KEEP;
    refuse(s, "a.csv", "1,2\n", &o, FROCC_ERR_ARGUMENT, "was not told about missing cells");
    frocc_bytes_free(bytes);
    frocc_schema_free(s);
    frocc_schema_free(copy);
}

/* A column that has nothing, and one whose numbers are large. */
static void test_missing_at_the_ends(void) {
    table t;
    frocc_reader_options o = default_options();
    o.missing = FROCC_MISSING_KEEP;
    frocc_schema *s = learn("1,,-3e27\n1,,2e26\n", &o, &t);
    const double learnt[] = {1, 0, 0, 1, -3e27, 0, 1, 0, 0, 1, 2e26, 0};
    check_table(&t, 2, 6, learnt);
    table_free(&t);
    const double later[] = {1, 1, 7, 0, (-3e27 + 2e26) / 2, 1};
    expect(s, "a.csv", ",7,\n", NULL, 1, 6, later);
    frocc_schema_free(s);
}

/* What is learnt does not depend on the order of rows, on files or threads. */
static void test_missing_has_no_order(void) {
    enum { N = 3000 };
    void *bytes[2];
    size_t sizes[2];
    for (int round = 0; round < 2; round++) {
        char *text[2] = {NEW(char, N * 96), NEW(char, N * 96)}, *end[2] = {text[0], text[1]};
        for (size_t i = 0; i < N; i++) {
            const size_t row = round == 0 ? i : N - 1 - i;
            rng r = rng_seed(row);
            char **at = &end[round == 1 && i % 3 == 0];
            const double a = rng_unit(&r) * exp(40 * rng_unit(&r)), b = rng_unit(&r);
            *at += row % 10 == 3
                       ? sprintf(*at, "%.17g,,%.17g,a\n", a, b)
                       : sprintf(*at, "%.17g,%.17g,%.17g,%s\n", a, b, -a, row % 17 == 0 ? "" : "b");
        }
        char *paths[2] = {put("a.csv", text[0]), put("b.csv", text[1])};
        frocc_reader_options o = default_options();
        o.missing = FROCC_MISSING_KEEP;
        o.header = FROCC_HEADER_NO;
        o.threads = round == 0 ? 1 : 4;
        frocc_schema *s = NULL;
        table t;
        check_ok(read_files((const char *const *)paths, round == 0 ? 1 : 2, &o, NULL, &t, &s));
        check_ok(frocc_schema_to_bytes(s, &bytes[round], &sizes[round]));
        table_free(&t);
        frocc_schema_free(s);
        for (int i = 0; i < 2; i++) {
            free(paths[i]);
            free(text[i]);
        }
    }
    check(sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0,
          "the schema depends on the order");
    frocc_bytes_free(bytes[0]);
    frocc_bytes_free(bytes[1]);
}

int main(void) {
    folder = folder_new();
    RUN(test_own_missing);
    RUN(test_missing_is_kept);
    RUN(test_missing_at_the_ends);
    RUN(test_missing_has_no_order);
    folder_free(folder);
    return check_end();
}
