/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemas: categories, matching of columns, bytes that trust nothing, several files. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "test_read.h"

static char *folder;

static char *put(const char *name, const char *text) {
    char *path = path_in(folder, name);
    file_write(path, text, strlen(text));
    return path;
}

static frocc_schema *learn(const char *text, const frocc_reader_options *o, table *t) {
    char *path = put("train.csv", text);
    const char *const paths[1] = {path};
    frocc_schema *schema = NULL;
    check_ok(read_files(paths, 1, o, NULL, t, &schema));
    free(path);
    return schema;
}

/* Reads text through the schema and compares. */
static void expect(const frocc_schema *schema, const char *name, const char *text,
                   const frocc_reader_options *o, size_t n, const double *values) {
    char *path = put(name, text);
    const char *const paths[1] = {path};
    table t;
    check_ok(read_files(paths, 1, o, schema, &t, NULL));
    check_table(&t, n, frocc_schema_features(schema), values);
    table_free(&t);
    free(path);
}

static void refuse(const frocc_schema *schema, const char *name, const char *text,
                   const frocc_reader_options *o, frocc_status status, const char *part) {
    char *path = put(name, text);
    const char *const paths[1] = {path};
    table t;
    check_is(read_files(paths, 1, o, schema, &t, NULL), status);
    check(strstr(frocc_last_error(), part) != NULL, "\"%s\" does not say \"%s\"",
          frocc_last_error(), part);
    free(path);
}

static void test_categories(void) {
    table t;
    frocc_schema *s = learn("x,color,y\n1,red,2\n3,blue,4\n5,red,6\n", NULL, &t);
    const double v[] = {1, 0, 1, 0, 2, 3, 1, 0, 0, 4, 5, 0, 1, 0, 6};
    check_table(&t, 3, 5, v); /* blue, red, unseen */
    table_free(&t);
    static const char *const names[] = {"x", "color=blue", "color=red", "color=?", "y"};
    for (size_t i = 0; i < 5; i++) {
        char name[32];
        size_t length = 0;
        check_ok(frocc_schema_feature_name(s, i, name, sizeof name, &length));
        check(strcmp(name, names[i]) == 0 && length == strlen(name), "feature %zu is '%s'", i,
              name);
    }
    frocc_column_info info = {.struct_size = sizeof info};
    check_ok(frocc_schema_column(s, 1, &info));
    check(strcmp(info.name, "color") == 0 && info.n_categories == 2 && info.first_feature == 1,
          "the column is wrong");
    const double w[] = {7, 0, 0, 1, 8, 9, 1, 0, 0, 0};
    expect(s, "a.csv", "x,color,y\n7,green,8\n9,blue,0\n", NULL, 2, w);
    expect(s, "a.csv", "y,extra,color,x\n8,1,green,7\n0,2,\"blue\",9\n", NULL, 2, w);
    expect(s, "a.csv", "7,green,8\n9,blue,0\n", NULL, 2, w);
    refuse(s, "a.csv", "x,y\n1,2\n", NULL, FROCC_ERR_SHAPE, "'color'");
    refuse(s, "a.csv", "1,2\n3,4\n", NULL, FROCC_ERR_SHAPE, "2 columns");
    refuse(s, "a.csv", "x,color,y\n1,red,z\n", NULL, FROCC_ERR_DATA, "'z' is no number");
    refuse(s, "a.libsvm", "1 1:2\n", NULL, FROCC_ERR_SHAPE, "texts");
    frocc_reader_options o = default_options();
    const char *const one[] = {"x"};
    o.drop = one;
    o.n_drop = 1;
    refuse(s, "a.csv", "x,color,y\n1,red,2\n", &o, FROCC_ERR_ARGUMENT, "settled");
    o = default_options();
    o.label = "x";
    refuse(s, "a.csv", "x,color,y\n1,red,2\n", &o, FROCC_ERR_ARGUMENT, "feature of the model");
    frocc_schema_free(s);
}

/* Numbers first, text at the very end: all of it counts as text. */
static void test_late_text(void) {
    table t;
    frocc_schema *s = learn("k,x\n2,1\n1,2\n2,3\nnone,4\n", NULL, &t);
    const double v[] = {0, 1, 0, 0, 1, 1, 0, 0, 0, 2, 0, 1, 0, 0, 3, 0, 0, 1, 0, 4};
    check_table(&t, 4, 5, v);
    table_free(&t);
    frocc_schema_free(s);
    frocc_reader_options o = default_options();
    const char *const one[] = {"1"};
    o.categorical = one;
    o.n_categorical = 1;
    s = learn("k,x\n2,1\n1,2\n", &o, &t);
    const double w[] = {0, 1, 0, 1, 1, 0, 0, 2};
    check_table(&t, 2, 4, w);
    table_free(&t);
    frocc_schema_free(s);
}

static void test_positions(void) {
    table t;
    frocc_reader_options o = default_options();
    o.label = "2";
    frocc_schema *s = learn("1,9,2\n3,8,4\n", &o, &t); /* no header */
    const double v[] = {1, 2, 3, 4};
    check_table(&t, 2, 2, v);
    table_free(&t);
    expect(s, "a.csv", "1,9,2\n3,8,4\n", NULL, 2, v); /* the same layout */
    expect(s, "a.csv", "1,2\n3,4\n", NULL, 2, v);     /* only the features */
    o.label = "1";
    expect(s, "a.csv", "9,1,2\n8,3,4\n", &o, 2, v); /* the label elsewhere */
    expect(s, "a.libsvm", "0 1:1 2:2\n1 1:3 2:4\n", NULL, 2, v);
    refuse(s, "a.csv", "1,2,3,4\n", NULL, FROCC_ERR_SHAPE, "4 columns");
    refuse(s, "a.libsvm", "0 1:1 3:2\n", NULL, FROCC_ERR_DATA, "beyond the features");
    o = default_options();
    o.ignore_extra = 1;
    expect(s, "a.csv", "1,9,2,7\n3,8,4,7\n", &o, 2, v);
    frocc_schema_free(s);
}

static void test_means_are_kept(void) {
    table t;
    frocc_reader_options o = default_options();
    o.missing = FROCC_MISSING_MEAN;
    frocc_schema *s = learn("a,b,c\n1,,u\n2,5,v\n6,7,\n", &o, &t), *copy = NULL;
    table_free(&t);
    void *bytes;
    size_t size;
    check_ok(frocc_schema_to_bytes(s, &bytes, &size));
    check_ok(frocc_schema_from_bytes(bytes, size, &copy));
    const double v[] = {3, 6, 0, 0, 1, 100, 6, 0, 1, 0};
    expect(copy, "a.csv", "a,b,c\n,,\n100,NA,v\n", NULL, 2, v);
    frocc_bytes_free(bytes);
    frocc_schema_free(s);
    frocc_schema_free(copy);
}

static void test_bytes(void) {
    rng r = rng_seed(1);
    table t;
    frocc_reader_options o = default_options();
    o.missing = FROCC_MISSING_KEEP;
    o.label = "y";
    o.id = "id";
    frocc_schema *s = learn(
                     "id,x,color,y,t\na,1,red,0,2026-11-18\nb,,blue,1,2026-11-18 08:00\nc,3,,1,\n",
                     &o, &t),
                 *copy;
    table_free(&t);
    void *bytes, *again;
    size_t size, size_again;
    check_ok(frocc_schema_to_bytes(s, &bytes, &size));
    copy = NULL;
    check_ok(frocc_schema_from_bytes(bytes, size, &copy));
    check_ok(frocc_schema_to_bytes(copy, &again, &size_again));
    check(size == size_again && memcmp(bytes, again, size) == 0, "the bytes changed");
    frocc_schema_free(copy);
    frocc_bytes_free(again);
    for (size_t cut = 0; cut < size; cut++) {
        copy = NULL;
        check(frocc_schema_from_bytes(bytes, cut, &copy) != FROCC_OK && copy == NULL,
              "%zu of %zu bytes were taken", cut, size);
    }
    int taken = 0;
    for (int i = 0; i < check_cases(200000, 20000); i++) { /* any damage: refused or consistent */
        unsigned char *bad = NEW(unsigned char, size);
        memcpy(bad, bytes, size);
        for (size_t k = 1 + rng_below(&r, 3); k > 0; k--)
            bad[rng_below(&r, size)] = (unsigned char)rng_bits(&r);
        copy = NULL;
        if (frocc_schema_from_bytes(bad, size, &copy) == FROCC_OK) {
            check_ok(frocc_schema_to_bytes(copy, &again, &size_again));
            check(size_again == size && memcmp(again, bad, size) == 0, "what was read is not kept");
            frocc_bytes_free(again);
            frocc_schema_free(copy);
            taken++;
        }
        free(bad);
    }
    check(taken > 0, "no damage in a name or a mean was consistent");
    frocc_bytes_free(bytes);
    frocc_schema_free(s);
}

static void test_several_files(void) {
    char *a = put("a.csv", "x,k,y\n1,p,2\n"), *b = put("b.csv", "y;x;k\n4;3;q\n6;5;p\n");
    char *c = put("c.tsv", "7\tr\t8\n");
    const char *const paths[3] = {a, b, c};
    table t;
    const double v[] = {1, 1, 0, 0, 0, 2, 3, 0, 1, 0, 0, 4, 5, 1, 0, 0, 0, 6, 7, 0, 0, 1, 0, 8};
    check_ok(read_files(paths, 3, NULL, NULL, &t, NULL));
    check_table(&t, 4, 6, v);
    for (size_t i = 0; t.row_numbers != NULL && i < 4; i++)
        check(t.row_numbers[i] == i + 1, "row %zu has the number %llu", i,
              (unsigned long long)t.row_numbers[i]);
    table_free(&t);
    frocc_reader_options o = default_options();
    o.label = "3"; /* y in the first file, and so in the second */
    check_ok(read_files(paths, 2, &o, NULL, &t, NULL));
    check(t.label_values != NULL && t.label_values[0] == 2 && t.label_values[1] == 4 &&
              t.label_values[2] == 6,
          "the labels are wrong");
    table_free(&t);
    free(a);
    free(b);
    free(c);
}

/* The columns of a sparse file by number, through bytes and back, for sparse and dense rows. */
static void test_sparse_columns(void) {
    static const char *const drop[] = {"2", "-1"}, *const use[] = {"1-3"};
    frocc_reader_options o = default_options();
    char *path = put("train.libsvm", "1 1:5 2:6 4:7\n0 3:8 5:9\n");
    const char *const paths[1] = {path};
    const double dropped[] = {5, 0, 7, 0, 8, 0}, used[] = {5, 0, 0, 8};
    frocc_schema *schema = NULL, *copy = NULL;
    table t;
    void *bytes;
    size_t size;
    o.drop = drop;
    o.n_drop = 2;
    check_ok(read_files(paths, 1, &o, NULL, &t, &schema));
    check_table(&t, 2, 3, dropped);
    table_free(&t);
    check_ok(frocc_schema_to_bytes(schema, &bytes, &size));
    check_ok(frocc_schema_from_bytes(bytes, size, &copy));
    frocc_bytes_free(bytes);
    expect(copy, "new.libsvm", "1 1:5 2:6 4:7\n0 3:8 5:9\n", NULL, 2, dropped);
    expect(copy, "new.csv", "5,6,0,7,0\n0,0,8,0,9\n", NULL, 2, dropped);
    refuse(copy, "new.libsvm", "1 6:1\n", NULL, FROCC_ERR_DATA, "beyond the features");
    frocc_schema_free(schema);
    frocc_schema_free(copy);
    o.use = use;
    o.n_use = 1;
    o.n_drop = 1;
    check_ok(read_files(paths, 1, &o, NULL, &t, NULL));
    check_table(&t, 2, 2, used);
    table_free(&t);
    static const char *const far[] = {"6"};
    o.use = far;
    refuse(NULL, "train.libsvm", "1 1:5 2:6 4:7\n0 3:8 5:9\n", &o, FROCC_ERR_ARGUMENT, "1 to 5");
    free(path);
}

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
    expect(means, "gaps.csv", text, &o, 2, filled);
    expect(drops, "gaps.csv", text, &o, 1, kept);
    o.own_missing = 1;
    refuse(means, "gaps.csv", text, &o, FROCC_ERR_DATA, "line 2, column 2 ('y')");
    o.missing = FROCC_MISSING_DROP;
    expect(means, "gaps.csv", text, &o, 1, kept);
    o.missing = FROCC_MISSING_MEAN;
    expect(means, "gaps.csv", text, &o, 2, filled);
    refuse(drops, "gaps.csv", text, &o, FROCC_ERR_ARGUMENT, "no means");
    frocc_schema_free(means);
    frocc_schema_free(drops);
}

static void check_feature(const frocc_schema *s, size_t feature, const char *name,
                          frocc_feature_kind kind, double missing_value) {
    char found[32];
    size_t length = 0;
    frocc_feature_info info = {.struct_size = sizeof info};
    check_ok(frocc_schema_feature_name(s, feature, found, sizeof found, &length));
    check_ok(frocc_schema_feature(s, feature, &info));
    check(strcmp(found, name) == 0 && info.kind == kind, "feature %zu is '%s', of kind %d", feature,
          found, (int)info.kind);
    check(info.missing_value == missing_value ||
              (isnan(info.missing_value) && isnan(missing_value)),
          "feature %zu, %s, is %g where it is missing", feature, found, info.missing_value);
}

/* Missing cells as something that columns have: known ones apart, unknown ones far outside. */
static void test_missing_is_kept(void) {
    table t;
    frocc_reader_options o = default_options();
    o.missing = FROCC_MISSING_KEEP;
    frocc_schema *s = learn("a,b,c,k,l\n1,,7,u,x\n2,5,8,,y\n6,7,9,v,x\n", &o, &t), *copy = NULL;
    const double learnt[] = {1, 6, 1, 7, 0, 1, 0, 0, 1, 0, 0, 2, 5, 0, 8, 1, 0,
                             0, 0, 0, 1, 0, 6, 7, 0, 9, 0, 0, 1, 0, 1, 0, 0};
    check_table(&t, 3, 11, learnt);
    table_free(&t);
    static const char *const names[] = {"a",   "b",   "b is missing", "c",   "k is missing", "k=u",
                                        "k=v", "k=?", "l=x",          "l=y", "l=?"};
    for (size_t i = 0; i < 11; i++) {
        const bool about = i == 2 || i == 4, number = i < 4 && !about;
        check_feature(s, i, names[i],
                      about    ? FROCC_FEATURE_MISSING
                      : number ? FROCC_FEATURE_NUMBER
                               : FROCC_FEATURE_CATEGORY,
                      i == 0    ? 6 + 8 * 5
                      : i == 3  ? 9 + 8 * 2
                      : i == 10 ? 64
                                : (double)NAN);
    }
    frocc_column_info info = {.struct_size = sizeof info};
    check_ok(frocc_schema_column(s, 1, &info));
    check(info.tells_missing && info.filler == 6 && info.n_categories == 0, "b is not known so");
    void *bytes;
    size_t size;
    check_ok(frocc_schema_to_bytes(s, &bytes, &size));
    check_ok(frocc_schema_from_bytes(bytes, size, &copy));
    const double later[] = {46, 6, 1, 25, 1, 0, 0, 0, 0, 0, 64, 1, 2, 0, 3, 0, 0, 0, 1, 0, 0, 1};
    expect(copy, "a.csv", "a,b,c,k,l\n,NA,null,?,\n1,2,3,w,w\n", NULL, 2, later);
    refuse(copy, "a.libsvm", "1 1:2\n", NULL, FROCC_ERR_SHAPE, "missing cells");
    o.own_missing = 1;
    o.missing = FROCC_MISSING_ERROR;
    refuse(copy, "a.csv", "1,,3,u,x\n", &o, FROCC_ERR_DATA, "the cell is empty");
    o.missing = FROCC_MISSING_MEAN;
    refuse(copy, "a.csv", "1,,3,u,x\n", &o, FROCC_ERR_ARGUMENT, "no means");
    frocc_schema_free(s);
    s = learn("a,b\n1,2\n3,4\n", NULL, &t);
    table_free(&t);
    o.missing = FROCC_MISSING_KEEP;
    refuse(s, "a.csv", "1,2\n", &o, FROCC_ERR_ARGUMENT, "was not told about missing cells");
    frocc_bytes_free(bytes);
    frocc_schema_free(s);
    frocc_schema_free(copy);
}

/* A column that has nothing, one that is always the same, and one with no room outside. */
static void test_missing_at_the_ends(void) {
    table t;
    frocc_reader_options o = default_options();
    o.missing = FROCC_MISSING_KEEP;
    frocc_schema *s = learn("1,,-3e27\n1,,2e26\n", &o, &t);
    const double learnt[] = {1, 0, 1, -3e27, 0, 1, 0, 1, 2e26, 0};
    check_table(&t, 2, 5, learnt);
    table_free(&t);
    const double later[] = {65, 7, 0, (-3e27 + 2e26) / 2, 1};
    expect(s, "a.csv", ",7,\n", NULL, 1, later);
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
    static const char *const names[] = {
        "hour of a (sine)", "hour of a (cosine)", "day of a (sine)", "day of a (cosine)", "a",
        "day of b (sine)",  "day of b (cosine)"};
    static const char *const asked[] = {"a"};
    table t;
    frocc_reader_options o = default_options();
    o.time = asked;
    o.n_time = 1;
    frocc_schema *s = learn(text, &o, &t), *copy = NULL;
    check(t.n_features == 11, "%zu features", t.n_features); /* c has texts */
    check_turn(&t, 0, 0, 0.25);
    check_turn(&t, 0, 2, 2.0 / 7);
    check_turn(&t, 0, 5, 2.0 / 7);
    check_turn(&t, 1, 0, 0.75); /* on the clock as written, and as everywhere: */
    check_turn(&t, 1, 2, 6.0 / 7);
    check_turn(&t, 1, 5, 3.0 / 7);
    check(t.values[4] == 1794981600 && t.values[11 + 4] == 1795363200, "the times are %.17g, %.17g",
          t.values[4], t.values[11 + 4]);
    table_free(&t);
    for (size_t i = 0; i < 7; i++)
        check_feature(s, i, names[i],
                      i == 4
                          ? FROCC_FEATURE_TIME
                          : (frocc_feature_kind)(FROCC_FEATURE_HOUR_SINE + i % 5 + (i > 4 ? 2 : 0)),
                      (double)NAN);
    frocc_column_info info = {.struct_size = sizeof info};
    check_ok(frocc_schema_column(s, 0, &info));
    check(info.is_time && info.has_hour && info.has_seconds && info.n_features == 5,
          "a is no time");
    check_ok(frocc_schema_column(s, 1, &info));
    check(info.is_time && !info.has_hour && !info.has_seconds && info.n_features == 2,
          "b has hours");
    check_ok(frocc_schema_column(s, 2, &info));
    check(!info.is_time && info.n_categories == 2, "c has no texts");
    void *bytes;
    size_t size;
    check_ok(frocc_schema_to_bytes(s, &bytes, &size));
    check_ok(frocc_schema_from_bytes(bytes, size, &copy));
    check(frocc_schema_features(copy) == 11, "the bytes lost features");
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
            check(t.n_features == 4, "%zu features of a %s in row %d", t.n_features, others[i],
                  place);
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
    check(t.n_features == 4, "categorical was not heeded");
    table_free(&t);
    frocc_schema_free(s);
}

/* Missing stamps: left out, in the middle of the circle, told of, or far outside. */
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
    check(t.n_rows == 2 && t.n_features == 6, "%zu x %zu", t.n_rows, t.n_features);
    table_free(&t);
    frocc_schema_free(s);
    o.missing = FROCC_MISSING_MEAN;
    s = learn(gap, &o, &t);
    const double mean[] = {0, 0, 0, 0, 20, 2}, told[] = {0, 0, 0, 0, 20, 1, 2};
    check(memcmp(t.values + 6, mean, sizeof mean) == 0, "the mean is not in the middle");
    table_free(&t);
    frocc_schema_free(s);
    o.missing = FROCC_MISSING_KEEP;
    s = learn(gap, &o, &t);
    check(memcmp(t.values + 7, told, sizeof told) == 0 && t.values[5] == 0,
          "a missing time is not told of");
    table_free(&t);
    frocc_schema_free(s);
    s = learn(whole, &o, &t);
    table_free(&t);
    const double far[] = {17, 17, 17, 17, 30 + 8 * 20, 3};
    expect(s, "a.csv", "a,x\n,3\n", NULL, 1, far);
    for (size_t i = 0; i < 5; i++) {
        frocc_feature_info info = {.struct_size = sizeof info};
        check_ok(frocc_schema_feature(s, i, &info));
        check(info.missing_value == far[i], "feature %zu is %g where it is missing", i,
              info.missing_value);
    }
    frocc_schema_free(s);
}

/* A first row with a time stamp is data, and a header of dates is one. */
static void test_time_and_header(void) {
    static const struct {
        const char *text;
        size_t rows, features;
    } files[] = {{"2026-11-18T07:01:02,GET\n2026-11-18T07:01:03,PUT\n", 2, 4 + 3},
                 {"2026-11-18T07:01:02,5\n2026-11-18T07:01:03,6\n", 2, 4 + 1},
                 {"2026-11-18\n2026-11-19\n", 2, 2},
                 {"when,what\n2026-11-18,GET\n", 1, 2 + 2},
                 {"host,2026-11-18,2026-11-19\na,5,6\nb,6,7\n", 2, 3 + 2},
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

/* ---- A first column that only counts ---- */

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
        const size_t middle = i / 6 == 0 ? n : n / 3, base = (size_t)(i % 2);
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
                 {",b\n", "", 19, 0, 99, 0, 1},      {",b\n", "", 30, 2, 99, 0, 1},
                 {",b\n", "12", 30, 0, 11, 0, 1},    {",b\n", "30", 30, 0, 11, 0, 1},
                 {",b\n", "11.5", 30, 0, 11, 0, 1},  {",b\n", "-1", 30, 0, 0, 0, 1},
                 {",b\n", "31", 30, 0, 29, 0, 1},    {",b\n", "eleven", 30, 0, 11, 0, 1},
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

static void test_share(void) {
    char *a = put("a.csv", "1,2\n3,4\n"), *b = put("b.csv", "5,6\n");
    const char *const paths[2] = {a, b};
    frocc_reader *reader = NULL;
    frocc_block block = {.struct_size = sizeof block};
    check_ok(frocc_reader_open(paths, 2, NULL, NULL, &reader));
    double share = -1;
    for (size_t i = 0; i < 3; i++) {
        check_ok(frocc_reader_next(reader, &block));
        double now = frocc_reader_share(reader);
        check(now >= share && now >= 0 && now <= 1, "the share goes from %g to %g", share, now);
        share = now;
        check(i != 0 || now == 8.0 / 12, "the first file is a share of %g", now);
    }
    check(share == 1, "the share at the end is %g", share);
    check_ok(frocc_reader_rewind(reader));
    check(frocc_reader_share(reader) < 1, "the share did not start again");
    frocc_reader_free(reader);
    check(isnan(frocc_reader_share(NULL)), "no reader has no share");
    free(a);
    free(b);
}

int main(void) {
    folder = folder_new();
    RUN(test_categories);
    RUN(test_late_text);
    RUN(test_positions);
    RUN(test_means_are_kept);
    RUN(test_bytes);
    RUN(test_several_files);
    RUN(test_sparse_columns);
    RUN(test_own_missing);
    RUN(test_missing_is_kept);
    RUN(test_missing_at_the_ends);
    RUN(test_missing_has_no_order);
    RUN(test_time_stamps);
    RUN(test_almost_time);
    RUN(test_missing_time);
    RUN(test_time_and_header);
    RUN(test_counting);
    RUN(test_almost_counting);
    RUN(test_counting_is_not_asked);
    RUN(test_share);
    folder_free(folder);
    return check_end();
}
