/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing and reading back: every bit in every format; nothing left behind by what is not finished.
 */
#define _POSIX_C_SOURCE 200809L
#include "test_read.h"

static double any_double(rng *r) {
    double value;
    do {
        uint64_t bits = rng_bits(r);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return rng_chance(r, 2) ? value : rng_normal(r);
}

typedef struct rows_of_test {
    size_t n, d;
    double *f64;
    float *f32;
    char **ids, **labels;
    uint64_t *numbers;
} rows_of_test;

static rows_of_test rows_new(rng *r, size_t n, size_t d, bool wide) {
    static const char *const texts[] = {"a", "b,c", "say \"hi\"", "two\nlines", " padded ", "#x"};
    rows_of_test t = {n,
                      d,
                      NEW(double, n *d),
                      NEW(float, n *d),
                      NEW(char *, n),
                      NEW(char *, n),
                      NEW(uint64_t, n)};
    for (size_t i = 0; i < n * d; i++) {
        t.f64[i] = wide ? any_double(r) : rng_chance(r, 3) ? 0.0 : rng_normal(r);
        t.f32[i] = (float)(wide ? rng_normal(r) * 1e-30 : t.f64[i]);
    }
    for (size_t i = 0; i < n; i++) {
        t.ids[i] = text_copy(texts[rng_below(r, 6)]);
        t.labels[i] = text_copy(rng_chance(r, 2) ? "1" : "-1");
    }
    return t;
}

static void rows_free(rows_of_test *t) {
    for (size_t i = 0; i < t->n; i++) {
        free(t->ids[i]);
        free(t->labels[i]);
    }
    free(t->ids);
    free(t->labels);
    free(t->f64);
    free(t->f32);
    free(t->numbers);
}

/* Writes in blocks of seven rows. */
static void write_all(const char *path, const rows_of_test *t, const frocc_writer_options *o,
                      bool f32, bool texts) {
    frocc_writer *writer = NULL;
    check_ok(frocc_writer_open(path, t->d, o, &writer));
    for (size_t first = 0; first < t->n; first += 7) {
        size_t count = t->n - first < 7 ? t->n - first : 7;
        frocc_block b = {.struct_size = sizeof b};
        b.rows = f32 ? frocc_rows_f32(t->f32 + first * t->d, count, t->d)
                     : frocc_rows_f64(t->f64 + first * t->d, count, t->d);
        if (texts) {
            b.ids = (const char *const *)t->ids + first;
            b.labels = (const char *const *)t->labels + first;
        }
        check_ok(frocc_writer_add(writer, &b));
    }
    check(access(path, F_OK) != 0 || strcmp(path, "-") == 0, "the file is there too early");
    check_ok(frocc_writer_finish(writer));
    check_is(frocc_writer_finish(writer), FROCC_ERR_ARGUMENT);
    frocc_writer_free(writer);
}

static void round_trip(const char *name, bool f32, bool wide, bool texts) {
    static const char *const names[] = {"x", "y,z", "a \"b\"", "v4", "v5"};
    rng r = rng_seed(strlen(name) + (size_t)f32 * 2 + (size_t)wide);
    rows_of_test t = rows_new(&r, 300, 5, wide);
    char *path = path_in(folder, name);
    frocc_writer_options w;
    frocc_writer_options_init(&w);
    w.names = names;
    w.dtype = f32 ? FROCC_F32 : FROCC_F64;
    remove(path);
    write_all(path, &t, &w, f32, texts);
    frocc_reader_options o = default_options();
    o.dtype = w.dtype;
    o.n_columns = 5;
    if (texts && strstr(name, "libsvm") == NULL) {
        o.id = "id";
        o.label = "label";
    }
    const char *const paths[1] = {path};
    table back;
    check_ok(read_files(paths, 1, &o, NULL, &back, NULL));
    check(back.n_rows == t.n && back.n_features == t.d, "%zu x %zu", back.n_rows, back.n_features);
    for (size_t i = 0; back.values != NULL && i < t.n * t.d; i++) {
        double want = f32 ? (double)t.f32[i] : t.f64[i];
        check(want == back.values[i], "%s: value %zu is %.17g, not %.17g", name, i, back.values[i],
              want);
    }
    for (size_t i = 0; texts && i < t.n; i++) {
        check(strcmp(back.labels[i], t.labels[i]) == 0, "label '%s'", back.labels[i]);
        check(o.id == NULL || strcmp(back.ids[i], t.ids[i]) == 0, "id '%s', not '%s'", back.ids[i],
              t.ids[i]);
    }
    table_free(&back);
    rows_free(&t);
    free(path);
}

static void test_round_trip(void) {
    for (int i = 0; i < 8; i++) {
        bool f32 = (i & 1) != 0, wide = (i & 2) != 0, texts = (i & 4) != 0;
        round_trip("a.csv", f32, wide, texts);
        round_trip("a.tsv", f32, wide, texts);
        round_trip("a.libsvm", f32, wide, texts);
        if (!texts)
            round_trip("a.npy", f32, wide, texts);
        if (f32 && !texts)
            round_trip("a.f32", f32, wide, texts);
    }
}

static void expect_text(const char *path, const char *want) {
    char text[512] = "";
    FILE *file = fopen(path, "rb");
    check(file != NULL && fread(text, 1, sizeof text - 1, file) > 0, "%s cannot be read", path);
    if (file != NULL)
        fclose(file);
    check(strcmp(text, want) == 0, "%s holds '%s'", path, text);
}

static void test_json_lines(void) {
    const double values[] = {1, -0.5, 1e-7, 2};
    const int64_t row_start[] = {0, 1, 2};
    const int32_t columns[] = {1, 0};
    static const char *const names[] = {"a \"b\"", "c\\"}, *const ids[] = {"x\ny", ""};
    static const char *const labels[] = {"1", "\t"};
    char *path = path_in(folder, "a.jsonl");
    frocc_writer_options o;
    frocc_writer_options_init(&o);
    o.names = names;
    o.id_name = "name";
    frocc_writer *writer = NULL;
    frocc_block b = {.struct_size = sizeof b, .labels = labels, .ids = ids};
    b.rows = frocc_rows_f64(values, 2, 2);
    check_ok(frocc_writer_open(path, 2, &o, &writer));
    check(access(path, F_OK) != 0, "the file is there before it is finished");
    check_ok(frocc_writer_add(writer, &b));
    check_ok(frocc_writer_finish(writer));
    check(frocc_writer_temporary(writer) == NULL, "a finished file has a temporary name");
    frocc_writer_free(writer);
    expect_text(path, "{\"name\":\"x\\u000ay\",\"a \\\"b\\\"\":1,\"c\\\\\":-0.5,\"label\":\"1\"}\n"
                      "{\"name\":\"\",\"a \\\"b\\\"\":1e-7,\"c\\\\\":2,\"label\":\"\\u0009\"}\n");
    b = (frocc_block){.struct_size = sizeof b};
    b.rows = frocc_rows_csr(FROCC_F64, values, row_start, columns, 2, 2);
    check_ok(frocc_writer_open(path, 2, NULL, &writer));
    check_ok(frocc_writer_add(writer, &b));
    check_ok(frocc_writer_finish(writer));
    frocc_writer_free(writer);
    expect_text(path, "{\"x1\":0,\"x2\":1}\n{\"x1\":-0.5,\"x2\":0}\n");
    check_is(frocc_writer_open("a.npy.gz", 2, NULL, &writer), FROCC_ERR_UNSUPPORTED);
    free(path);
}

static void test_sparse(void) {
    const float values[] = {1.5f, -2, 3};
    const int64_t row_start[] = {0, 2, 2, 3};
    const int32_t columns[] = {0, 3, 1};
    const double dense[] = {1.5, 0, 0, -2, 0, 0, 0, 0, 0, 3, 0, 0};
    static const char *const names[] = {"s.csv", "s.npy", "s.libsvm", "s.f32"};
    for (int i = 0; i < 4; i++) {
        char *path = path_in(folder, names[i]);
        const char *const paths[1] = {path};
        frocc_writer *writer = NULL;
        frocc_block b = {.struct_size = sizeof b};
        b.rows = frocc_rows_csr(FROCC_F32, values, row_start, columns, 3, 4);
        check_ok(frocc_writer_open(path, 4, NULL, &writer));
        check_ok(frocc_writer_add(writer, &b));
        check_ok(frocc_writer_finish(writer));
        frocc_writer_free(writer);
        table t;
        frocc_reader_options o = default_options();
        o.n_columns = 4;
        check_ok(read_files(paths, 1, &o, NULL, &t, NULL));
        check_table(&t, 3, 4, dense);
        table_free(&t);
        free(path);
    }
}

/* A writer that fails or is given up leaves the old file and nothing else. */
static void test_unfinished(void) {
    char *path = path_in(folder, "old.csv");
    double values[2] = {1, 2};
    frocc_block b = {.struct_size = sizeof b};
    b.rows = frocc_rows_f64(values, 1, 2);
    folder_walk(folder, true);
    file_write(path, "old\n", 4);
    frocc_writer *writer = NULL;
    check_ok(frocc_writer_open(path, 2, NULL, &writer));
    check_ok(frocc_writer_add(writer, &b));
    b.rows.n_features = 1;
    check_is(frocc_writer_add(writer, &b), FROCC_ERR_SHAPE);
    frocc_writer_free(writer);
    check(folder_entries(folder) == 1, "something was left behind");
    blob content = file_read(path);
    check(content.size == 4 && memcmp(content.bytes, "old\n", 4) == 0, "the old file changed");
    free(content.bytes);
    free(path);
    writer = NULL;
    path = path_in(folder, "missing/x.csv");
    check_is(frocc_writer_open(path, 2, NULL, &writer), FROCC_ERR_IO);
    free(path);
    check_is(frocc_writer_open("x.npz", 2, NULL, &writer), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_writer_open("x.csv", 0, NULL, &writer), FROCC_ERR_ARGUMENT);
    check(writer == NULL, "the writer was set");
}

static void test_full_disk(void) {
    if (access("/dev/full", W_OK) != 0)
        check_skip("no /dev/full here");
    double values[2] = {1, 2};
    frocc_block b = {.struct_size = sizeof b};
    b.rows = frocc_rows_f64(values, 1, 2);
    frocc_writer *writer = NULL;
    check_ok(frocc_writer_open("/dev/full", 2, NULL, &writer));
    check_ok(frocc_writer_add(writer, &b));
    check_is(frocc_writer_finish(writer), FROCC_ERR_IO);
    check(strstr(frocc_last_error(), "/dev/full") != NULL, "%s", frocc_last_error());
    frocc_writer_free(writer);
}

/* ---- Tables, and files at once --------------------------------------------------------------- */

static const frocc_table_column table_columns[] = {{"row", FROCC_CELL_WHOLE, 1},
                                                   {"the id", FROCC_CELL_TEXT, 0},
                                                   {"score", FROCC_CELL_REAL, 0},
                                                   {"count", FROCC_CELL_WHOLE, 0},
                                                   {"more", FROCC_CELL_JSON, 0}};

/* Two rows of the first n columns; what the file then holds. */
static blob table_in(const char *name, size_t n) {
    const frocc_cell rows[2][5] = {
        {{.whole = 1}, {.text = "a \"b\""}, {.real = 0.5}, {.whole = -3}, {.text = "[5]"}},
        {{.whole = 2},
         {.text = ""},
         {.real = (double)NAN},
         {.whole = INT64_MIN},
         {.text = "\"\""}}};
    char *path = path_in(folder, name);
    frocc_writer *writer = NULL;
    check_ok(frocc_writer_open_table(path, table_columns, n, NULL, &writer));
    check_ok(frocc_writer_add_cells(writer, rows[0]));
    check_ok(frocc_writer_add_cells(writer, rows[1]));
    check_is(frocc_writer_add(writer, &(frocc_block){.struct_size = sizeof(frocc_block)}),
             FROCC_ERR_ARGUMENT);
    check_ok(frocc_writer_finish(writer));
    check_is(frocc_writer_add_cells(writer, rows[0]), FROCC_ERR_ARGUMENT);
    frocc_writer_free(writer);
    blob content = file_read(path);
    free(path);
    return content;
}

static void check_text(const char *name, size_t n, const char *expected) {
    blob content = table_in(name, n);
    check(content.size == strlen(expected) && memcmp(content.bytes, expected, content.size) == 0,
          "%s holds %.*s", name, (int)content.size, (const char *)content.bytes);
    free(content.bytes);
}

static void test_tables(void) {
    check_text("t.csv", 4,
               "row,the id,score,count\n1,\"a \"\"b\"\"\",0.5,-3\n2,,,-9223372036854775808\n");
    check_text("more.csv", 5,
               "row,the id,score,count,more\n1,\"a \"\"b\"\"\",0.5,-3,[5]\n"
               "2,,,-9223372036854775808,\"\"\"\"\"\"\n");
    check_text("more.jsonl", 5,
               "{\"row\":1,\"the id\":\"a \\\"b\\\"\",\"score\":0.5,\"count\":-3,\"more\":[5]}\n"
               "{\"row\":2,\"the id\":\"\",\"score\":null,\"count\":-9223372036854775808,"
               "\"more\":\"\"}\n");
    check_text("t.jsonl", 4,
               "{\"row\":1,\"the id\":\"a \\\"b\\\"\",\"score\":0.5,\"count\":-3}\n"
               "{\"row\":2,\"the id\":\"\",\"score\":null,\"count\":-9223372036854775808}\n");
    blob both = table_in("t.npy", 5), one = table_in("t.npy", 3);
    check(both.size == 128 + 32 && strstr(both.bytes + 10, "'<f8'") != NULL &&
              strstr(both.bytes + 10, "(2, 2)") != NULL,
          "two columns of numbers");
    check(one.size == 128 + 16 && strstr(one.bytes + 10, "(2,)") != NULL, "one of them");
    free(both.bytes);
    free(one.bytes);
}

static void test_tables_that_cannot_be(void) {
    frocc_writer *writer = NULL;
    char *npy = path_in(folder, "no.npy"), *svm = path_in(folder, "no.libsvm");
    size_t before = folder_entries(folder);
    check_is(frocc_writer_open_table(npy, table_columns, 2, NULL, &writer), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_writer_open_table(svm, table_columns, 4, NULL, &writer), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_writer_open_table(npy, NULL, 4, NULL, &writer), FROCC_ERR_ARGUMENT);
    check_is(frocc_writer_open_table(npy, &(frocc_table_column){0}, 1, NULL, &writer),
             FROCC_ERR_ARGUMENT);
    check_is(frocc_writer_open_table(npy, table_columns, 0, NULL, &writer), FROCC_ERR_ARGUMENT);
    check(writer == NULL && folder_entries(folder) == before, "something is left");
    check_ok(frocc_writer_open(npy, 2, NULL, &writer));
    check_is(frocc_writer_add_cells(writer, &(frocc_cell){.real = 1}), FROCC_ERR_ARGUMENT);
    frocc_writer_free(writer);
    check_ok(frocc_writer_open_table("-", table_columns + 1, 1, NULL, &writer));
    check_is(frocc_writer_add_cells(writer, &(frocc_cell){.text = NULL}), FROCC_ERR_ARGUMENT);
    frocc_writer_free(writer); /* nothing of it has come to the standard output */
    free(npy);
    free(svm);
}

/* Nothing of a block with such rows is written. */
static void test_rows_that_cannot_be(void) {
    const double values[4] = {1, 2, 3, 4};
    const int64_t starts[3] = {0, 1, 2}, falling[3] = {0, 2, 1};
    const int32_t columns[2] = {0, 1}, beyond[2] = {0, 2};
    const char *const names[] = {"bad.csv", "bad.jsonl", "bad.libsvm", "bad.npy", "bad.f32"};
    frocc_rows dense = frocc_rows_f64(values, 2, 2), none = frocc_rows_f64(NULL, 2, 2);
    frocc_rows other = dense, narrow = dense;
    other.dtype = (frocc_dtype)9;
    narrow.row_stride = 1;
    const frocc_rows bad[] = {none,
                              other,
                              narrow,
                              frocc_rows_csr(FROCC_F64, values, falling, columns, 2, 2),
                              frocc_rows_csr(FROCC_F64, values, starts, beyond, 2, 2),
                              frocc_rows_csr(FROCC_F64, values, starts, NULL, 2, 2)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = path_in(folder, names[i]);
        frocc_writer *writer = NULL;
        frocc_block block = {.struct_size = sizeof block};
        check_ok(frocc_writer_open(path, 2, NULL, &writer));
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            block.rows = bad[k];
            frocc_status status = frocc_writer_add(writer, &block);
            check(status == FROCC_ERR_ARGUMENT || status == FROCC_ERR_SHAPE, "%s: rows %zu: %s",
                  names[i], k, frocc_status_name(status));
        }
        block.rows = dense;
        check_ok(frocc_writer_add(writer, &block));
        check_ok(frocc_writer_finish(writer));
        frocc_writer_free(writer);
        free(path);
    }
    char *path = path_in(folder, "bad.csv");
    blob content = file_read(path);
    check(content.size == 8 && memcmp(content.bytes, "1,2\n3,4\n", 8) == 0, "the good rows");
    free(content.bytes);
    free(path);
}

/* A structure whose size was forgotten is not taken for one without contents. */
static void test_sizes_not_set(void) {
    char *path = path_in(folder, "sizes.csv");
    const char *const paths[1] = {path};
    const frocc_reader_options reading = {.label = "y"};
    const frocc_writer_options writing = {.separator = ';'};
    frocc_block block = {0};
    frocc_column_info column = {0};
    frocc_feature_info feature = {0};
    frocc_reader *reader = NULL, *other = NULL;
    frocc_writer *writer = NULL;
    file_write(path, "x,y\n1,2\n", 8);
    check_is(frocc_reader_open(paths, 1, &reading, NULL, &other), FROCC_ERR_ARGUMENT);
    check_is(frocc_reader_open_table(&(frocc_table){0}, NULL, NULL, &other), FROCC_ERR_ARGUMENT);
    check_ok(frocc_reader_open(paths, 1, NULL, NULL, &reader));
    check_is(frocc_reader_next(reader, &block), FROCC_ERR_ARGUMENT);
    check(strstr(frocc_last_error(), "sizeof(frocc_block)") != NULL, "%s", frocc_last_error());
    frocc_schema *schema = frocc_reader_schema(reader);
    check_is(frocc_schema_column(schema, 0, &column), FROCC_ERR_ARGUMENT);
    check_is(frocc_schema_feature(schema, 0, &feature), FROCC_ERR_ARGUMENT);
    check_is(frocc_writer_open(path, 1, &writing, &writer), FROCC_ERR_ARGUMENT);
    check_is(frocc_writer_open_table(path, table_columns, 4, &writing, &writer),
             FROCC_ERR_ARGUMENT);
    check_ok(frocc_writer_open(path, 1, NULL, &writer));
    check_is(frocc_writer_add(writer, &block), FROCC_ERR_ARGUMENT);
    check(other == NULL, "a failure changed a result");
    frocc_writer_free(writer);
    frocc_schema_free(schema);
    frocc_reader_free(reader);
    free(path);
}

/* A link stays a link, and what it leads to is replaced. */
static void test_file_at_once(void) {
    char *path = path_in(folder, "page.html"), *link = path_in(folder, "link.html");
    check_ok(frocc_file_check(path));
    check_ok(frocc_file_replace(path, "old", 3));
    check(symlink("page.html", link) == 0, "symlink");
    check_ok(frocc_file_replace(link, "newer", 5));
    blob content = file_read(path);
    struct stat about;
    check(content.size == 5 && memcmp(content.bytes, "newer", 5) == 0, "what was written last");
    check(lstat(link, &about) == 0 && S_ISLNK(about.st_mode), "the link is gone");
    check_is(frocc_file_check(folder), FROCC_ERR_IO);
    check_is(frocc_file_check(""), FROCC_ERR_IO);
    check_is(frocc_file_check("no-such-folder/page.html"), FROCC_ERR_IO);
    check_is(frocc_file_replace("no-such-folder/page.html", "x", 1), FROCC_ERR_IO);
    check_is(frocc_file_replace(NULL, "x", 1), FROCC_ERR_ARGUMENT);
    check_is(frocc_file_replace(path, NULL, 1), FROCC_ERR_ARGUMENT);
    check_ok(frocc_file_replace(path, NULL, 0));
    free(content.bytes);
    free(link);
    free(path);
}

int main(void) {
    folder = folder_new();
    RUN(test_round_trip);
    RUN(test_sparse);
    RUN(test_json_lines);
    RUN(test_unfinished);
    RUN(test_full_disk);
    RUN(test_tables);
    RUN(test_tables_that_cannot_be);
    RUN(test_rows_that_cannot_be);
    RUN(test_sizes_not_set);
    RUN(test_file_at_once);
    folder_free(folder);
    return check_end();
}
