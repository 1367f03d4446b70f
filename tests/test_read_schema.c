/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemas: categories, matching of columns, bytes that trust nothing, several files. */
#define _POSIX_C_SOURCE 200809L

#include "schema/schema.h"
#include "test_schema.h"

static void test_categories(void) {
    table t;
    frocc_schema *s = learn("x,color,y\n1,red,2\n3,blue,4\n5,red,6\n", NULL, &t);
    const double red = code("red"), blue = code("blue"), green = code("green");
    const double v[] = {1, red, 2, 3, blue, 4, 5, red, 6};
    check_table(&t, 3, 3, v);
    table_free(&t);
    check_feature(s, 1, "color", FROCC_FEATURE_CATEGORY);
    check(frocc__schema_is_code(s, 1) && !frocc__schema_is_code(s, 2), "codes are not known");
    check(strcmp(frocc_schema_text(s, 1, red), "red") == 0 &&
              frocc_schema_text(s, 1, green) == NULL && frocc_schema_text(s, 0, red) == NULL,
          "the texts are wrong");
    frocc_column_info info = {.struct_size = sizeof info};
    check_ok(frocc_schema_column(s, 1, &info));
    check(strcmp(info.name, "color") == 0 && info.n_texts == 2 && info.first_feature == 1 &&
              info.kind == FROCC_COLUMN_CATEGORY,
          "the column is wrong");
    const double w[] = {7, green, 8, 9, blue, 0};
    expect(s, "a.csv", "x,color,y\n7,green,8\n9,blue,0\n", NULL, 2, 3, w);
    expect(s, "a.csv", "y,extra,color,x\n8,1,green,7\n0,2,\"blue\",9\n", NULL, 2, 3, w);
    expect(s, "a.csv", "7,green,8\n9,blue,0\n", NULL, 2, 3, w);
    refuse(s, "a.csv", "x,y\n1,2\n", NULL, FROCC_ERR_SHAPE, "'color'");
    refuse(s, "a.csv", "1,2\n3,4\n", NULL, FROCC_ERR_SHAPE, "2 columns");
    refuse(s, "a.csv", "x,color,y\n1,red,z\n", NULL, FROCC_ERR_DATA, "'z' is not a number");
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
    frocc_schema *s = learn("k,x\n2,1\n1,2\n2,3\nother,4\n", NULL, &t);
    const double v[] = {code("2"), 1, code("1"), 2, code("2"), 3, code("other"), 4};
    check_table(&t, 4, 2, v);
    table_free(&t);
    frocc_schema_free(s);
    frocc_reader_options o = default_options();
    const char *const one[] = {"1"};
    o.categorical = one;
    o.n_categorical = 1;
    s = learn("k,x\n2,1\n1,2\n", &o, &t);
    check_table(&t, 2, 2, (const double[]){code("2"), 1, code("1"), 2});
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
    expect(s, "a.csv", "1,9,2\n3,8,4\n", NULL, 2, 2, v); /* the same layout */
    expect(s, "a.csv", "1,2\n3,4\n", NULL, 2, 2, v);     /* only the features */
    o.label = "1";
    expect(s, "a.csv", "9,1,2\n8,3,4\n", &o, 2, 2, v); /* the label elsewhere */
    expect(s, "a.libsvm", "0 1:1 2:2\n1 1:3 2:4\n", NULL, 2, 2, v);
    refuse(s, "a.csv", "1,2,3,4\n", NULL, FROCC_ERR_SHAPE, "4 columns");
    refuse(s, "a.libsvm", "0 1:1 3:2\n", NULL, FROCC_ERR_DATA, "beyond the features");
    o = default_options();
    o.ignore_extra = 1;
    expect(s, "a.csv", "1,9,2,7\n3,8,4,7\n", &o, 2, 2, v);
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
    const double v[] = {3, 6, 0, 100, 6, code("v")};
    expect(copy, "a.csv", "a,b,c\n,,\n100,NA,v\n", NULL, 2, 3, v);
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
    const double p = code("p"), q = code("q");
    const double v[] = {1, p, 2, 3, q, 4, 5, p, 6, 7, code("r"), 8};
    check_ok(read_files(paths, 3, NULL, NULL, &t, NULL));
    check_table(&t, 4, 3, v);
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
    expect(copy, "new.libsvm", "1 1:5 2:6 4:7\n0 3:8 5:9\n", NULL, 2, 3, dropped);
    expect(copy, "new.csv", "5,6,0,7,0\n0,0,8,0,9\n", NULL, 2, 3, dropped);
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
    RUN(test_share);
    folder_free(folder);
    return check_end();
}
