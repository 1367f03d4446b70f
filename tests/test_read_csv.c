/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV: what is a cell, a row, a header, a separator; and that blocks and threads change nothing. */
#define _POSIX_C_SOURCE 200809L
#include "test_read.h"

/* Four rows: a name, which is not a feature, and the row's number. */
static void expect_ids(const char *text, const char *const want[4]) {
    const double numbers[] = {1, 2, 3, 4};
    frocc_reader_options o = default_options();
    o.id = "1";
    char *path = put("ids.csv", text);
    const char *const paths[1] = {path};
    table t;
    check_ok(read_files(paths, 1, &o, NULL, &t, NULL));
    check_table(&t, 4, 1, numbers);
    for (int i = 0; i < 4; i++)
        check(strcmp(t.ids[i], want[i]) == 0, "id %d is '%s', not '%s'", i, t.ids[i], want[i]);
    table_free(&t);
    free(path);
}

static void test_plain(void) {
    const double v[] = {1, 2, 3, 4, 5, 6};
    expect(NULL, "a.csv", "1,2,3\n4,5,6\n", NULL, 2, 3, v);
    expect(NULL, "a.csv", "1,2,3\n4,5,6", NULL, 2, 3, v);
    expect(NULL, "a.csv", "1,2,3\r\n4,5,6\r\n", NULL, 2, 3, v);
    expect(NULL, "a.csv", "1,2,3\r\n4,5,6", NULL, 2, 3, v);
    expect(NULL, "a.csv", "a,b,c\n1,2,3\n4,5,6\n", NULL, 2, 3, v);
    expect(NULL, "a.csv",
           "\xef\xbb\xbf"
           "a,b,c\n1,2,3\n4,5,6\n",
           NULL, 2, 3, v);
    expect(NULL, "a.csv",
           "\xef\xbb\xbf"
           "1,2,3\n4,5,6\n",
           NULL, 2, 3, v);
    expect(NULL, "a.csv", "# note, with \" and ,\n\na,b,c\n# more\n1,2,3\n\n  \n4,5,6\n# end", NULL,
           2, 3, v);
    expect(NULL, "a.csv", " 1 , 2,3 \n4,\t5 ,6\t\n", NULL, 2, 3, v);
    expect(NULL, "a.csv", "\"1\",\"2\",\"3\"\n4,\"5\" , \"6\"\r\n", NULL, 2, 3, v);
    expect(NULL, "a.csv", "1e0,+2.0,.3e1\n400E-2,5.,0006\n", NULL, 2, 3, v);
}

static void test_separators(void) {
    const double v[] = {1, 2, 3, 4, 5, 6};
    expect(NULL, "a.csv", "1;2;3\n4;5;6\n", NULL, 2, 3, v);
    expect(NULL, "a.csv", "1\t2\t3\n4\t5\t6\n", NULL, 2, 3, v);
    expect(NULL, "a.csv", "1|2|3\n4|5|6\n", NULL, 2, 3, v);
    expect(NULL, "a.csv", "1 2 3\n4 5 6\n", NULL, 2, 3, v);
    expect(NULL, "a.csv", "  1   2  3 \n 4 5\t6\n", NULL, 2, 3, v);
    expect(NULL, "a.csv", "x y z\r\n1 2 3\r\n4 5 6 \r\n", NULL, 2, 3, v);
    expect(NULL, "a.txt", "1, 2, 3\n4, 5, 6\n", NULL, 2, 3, v);
    expect(NULL, "a.tsv", "a b\tc,d\te\n1\t2\t3\n4\t5\t6\n", NULL, 2, 3, v);
    expect(NULL, "a.csv", "\"a;b\",c,d\n1,2,3\n4,5,6\n", NULL, 2, 3, v);
    frocc_reader_options o = default_options();
    o.separator = ':';
    expect(NULL, "a.csv", "1:2:3\n4:5:6\n", &o, 2, 3, v);
}

static void test_header(void) {
    const double one[] = {1, 2}, both[] = {1, 2, 3, 4};
    frocc_reader_options o = default_options();
    o.header = FROCC_HEADER_YES;
    expect(NULL, "a.csv", "3,4\n1,2\n", &o, 1, 2, one);
    o.header = FROCC_HEADER_NO;
    expect(NULL, "a.csv", "1,2\n3,4\n", &o, 2, 2, both);
    expect(NULL, "a.csv", "id,2019\n1,2\n", NULL, 1, 2, one);
    expect(NULL, "a.csv", "\"first\nname\",\"second \"\"name\"\"\"\n1,2\n3,4\n", NULL, 2, 2, both);
    expect(NULL, "a.csv", "a\n1\n2\n3\n4\n", NULL, 4, 1, both);
    expect(NULL, "a.csv", ",b\n1,2\n", NULL, 1, 2, one);
    expect(NULL, "a.csv", "#,#b\n1,2\n", NULL, 1, 2, one);
}

/* A # begins a cell, or a comment. */
static void test_number_signs(void) {
    const double both[] = {1, 2, 3, 4};
    expect(NULL, "a.csv", "# made, by hand\n1,2\n#\n##\n# \n# end\n3,4\n", NULL, 2, 2, both);
    expect(NULL, "a.txt", "1 2\n# of words: 5\n# two\n3 4\n", NULL, 2, 2, both);
    expect_ids("k,v\n#N/A,1\n#17,2\n\"# x\",3\n#general,4\n",
               (const char *const[]){"#N/A", "#17", "# x", "#general"});
}

static void test_quotes(void) {
    expect_ids("name,x\n\"a \"\"b\"\", c\nd\",1\nplain 5\" pipe,2\n\"\",3\n  \"in\" ,4\n",
               (const char *const[]){"a \"b\", c\nd", "plain 5\" pipe", "", "in"});
}

static void test_columns(void) {
    const char *text = "id,x,y,label,z\nr1,1,2,yes,3\nr2,4,5,1e1,6\n";
    const double xyz[] = {1, 2, 3, 4, 5, 6}, xz[] = {1, 3, 4, 6}, yz[] = {2, 3, 5, 6};
    frocc_reader_options o = default_options();
    const char *const drop_y[] = {"y"}, *const last[] = {"-1"}, *const range[] = {"2-3", "5-"},
                      *const third[] = {"3", "z"};
    table t;
    o.id = "1";
    o.label = "label";
    char *path = put("c.csv", text);
    const char *const paths[1] = {path};
    check_ok(read_files(paths, 1, &o, NULL, &t, NULL));
    check_table(&t, 2, 3, xyz);
    check(strcmp(t.ids[0], "r1") == 0 && strcmp(t.ids[1], "r2") == 0, "the ids are wrong");
    check(strcmp(t.labels[0], "yes") == 0 && isnan(t.label_values[0]), "the label is wrong");
    check(strcmp(t.labels[1], "1e1") == 0 && t.label_values[1] == 10, "the label is wrong");
    check(t.row_numbers[0] == 1 && t.row_numbers[1] == 2, "the row numbers are wrong");
    table_free(&t);
    o.drop = drop_y;
    o.n_drop = 1;
    expect(NULL, "c.csv", text, &o, 2, 2, xz);
    o.n_drop = 0;
    o.use = third;
    o.n_use = 2;
    expect(NULL, "c.csv", text, &o, 2, 2, yz);
    o.use = range;
    expect(NULL, "c.csv", text, &o, 2, 3, xyz);
    o.n_use = 0;
    o.drop = last;
    o.n_drop = 1;
    const double xy[] = {1, 2, 4, 5};
    expect(NULL, "c.csv", text, &o, 2, 2, xy);
    /* a name wins over a number */
    const double second[] = {2, 4};
    frocc_reader_options p = default_options();
    const char *const one[] = {"1"};
    p.use = one;
    p.n_use = 1;
    p.header = FROCC_HEADER_YES;
    expect(NULL, "c.csv", "2,1\n1,2\n3,4\n", &p, 2, 1, second);
    free(path);
}

static void test_missing(void) {
    const char *text = "a,b\n1,10\n,20\n3,NA\n?,40\n5,null\n";
    frocc_reader_options o = default_options();
    o.missing = FROCC_MISSING_DROP;
    const double kept[] = {1, 10};
    char *path = put("m.csv", text);
    const char *const paths[1] = {path};
    table t;
    check_ok(read_files(paths, 1, &o, NULL, &t, NULL));
    check_table(&t, 1, 2, kept);
    check(t.dropped == 4, "%llu rows were dropped, not 4", (unsigned long long)t.dropped);
    table_free(&t);
    o.missing = FROCC_MISSING_MEAN;
    double b_mean = 70.0 / 3;
    const double filled[] = {1, 10, 3, 20, 3, b_mean, 3, 40, 5, b_mean};
    check_ok(read_files(paths, 1, &o, NULL, &t, NULL));
    check_table(&t, 5, 2, filled);
    table_free(&t);
    free(path);
}

static void test_all_missing(void) {
    frocc_reader_options o = default_options();
    o.missing = FROCC_MISSING_DROP;
    char *path = put("none.csv", "a,b\nNA,1\n2,NA\n");
    const char *const paths[1] = {path};
    table t;
    check_ok(read_files(paths, 1, &o, NULL, &t, NULL));
    check(t.n_rows == 0 && t.dropped == 2, "%zu rows, %llu dropped, not 0 and 2", t.n_rows,
          (unsigned long long)t.dropped);
    table_free(&t);
    free(path);
}

static void test_float32(void) {
    frocc_reader_options o = default_options();
    o.dtype = FROCC_F32;
    const double v[] = {(double)0.1f, (double)16777217.0f, (double)3.4028235e38f, 1e-45f};
    expect(NULL, "f.csv", "0.1,16777217\n3.4028235e38,1e-45\n", &o, 2, 2, v);
}

/* ---- Large and random ------------------------------------------------------------------------ */

typedef struct writer {
    char *text;
    size_t used, size;
} writer;

static void add(writer *w, const char *format, ...) {
    va_list arguments;
    if (w->size - w->used < 400) {
        w->text = table_grow(w->text, w->used, 2 * w->size + 4096, 1);
        w->size = 2 * w->size + 4096;
    }
    va_start(arguments, format);
    w->used += (size_t)vsnprintf(w->text + w->used, w->size - w->used, format, arguments);
    va_end(arguments);
}

/* Rows with everything in them: quotes with line ends, texts, missing cells, comments, CRLF. */
static void write_random(writer *w, rng *r, size_t n, bool quotes) {
    static const char *const words[] = {"red", "green", "blue", "dark, \"\"very\"\" dark", "a\nb"};
    w->used = 0;
    add(w, "id,v1,color,v2,y,v3\n");
    for (size_t i = 0; i < n; i++) {
        if (rng_chance(r, 50))
            add(w, "# comment \"%zu\n", i);
        if (rng_chance(r, 50))
            add(w, "\n");
        add(w, "row%zu,", i);
        if (rng_chance(r, 40))
            add(w, ",");
        else
            add(w, "%.*g,", 1 + (int)rng_below(r, 17), rng_normal(r) * 100);
        if (quotes)
            add(w, "\"%s\",", words[rng_below(r, 5)]);
        else
            add(w, "%s,", words[rng_below(r, 3)]);
        add(w, quotes && rng_chance(r, 5) ? "\"%.17g\"," : " %.17g,", rng_normal(r));
        add(w, "%d,%zu", (int)rng_below(r, 2), i);
        add(w, rng_chance(r, 3) ? "\r\n" : "\n");
    }
}

static void test_blocks_and_threads(void) {
    rng r = rng_seed(7);
    writer w = {0};
    for (int round = 0; round < 4; round++) {
        size_t n = check_quick() ? 3000 : 60000;
        write_random(&w, &r, n, round % 2 == 1);
        char *path = path_in(folder, "r.csv");
        file_write(path, w.text, w.used);
        const char *const paths[1] = {path};
        frocc_reader_options o = default_options();
        o.id = "id";
        o.label = "y";
        o.missing = round < 2 ? FROCC_MISSING_MEAN : FROCC_MISSING_DROP;
        o.threads = 1;
        table one, other;
        frocc_schema *schema = NULL, *schema_other = NULL;
        check_ok(read_files(paths, 1, &o, NULL, &one, &schema));
        check(one.n_rows + one.dropped == n, "%zu rows of %zu", one.n_rows, n);
        void *bytes, *bytes_other;
        size_t size, size_other;
        check_ok(frocc_schema_to_bytes(schema, &bytes, &size));
        static const int threads[] = {1, 2, 3, 5, 8};
        static const size_t block_rows[] = {0, 1000, 7, 0, 4096};
        for (int i = 0; i < 5; i++) {
            o.threads = threads[i];
            o.block_rows = block_rows[i];
            check_ok(read_files(paths, 1, &o, NULL, &other, &schema_other));
            check_equal(&one, &other);
            check_ok(frocc_schema_to_bytes(schema_other, &bytes_other, &size_other));
            check(size == size_other && memcmp(bytes, bytes_other, size) == 0,
                  "the schema depends on the threads");
            frocc_bytes_free(bytes_other);
            frocc_schema_free(schema_other);
            table_free(&other);
        }
        frocc_bytes_free(bytes);
        frocc_schema_free(schema);
        table_free(&one);
        free(path);
    }
    free(w.text);
}

/* Rows in another order, or in several files, give the same schema. */
static void test_order_free(void) {
    rng r = rng_seed(11);
    size_t n = 2000, *order = NEW(size_t, n);
    char(*lines)[64] = test_memory(n, 64);
    for (size_t i = 0; i < n; i++)
        snprintf(lines[i], 64, "%s%.17g,%s%zu\n", rng_chance(&r, 9) ? "" : "-", rng_unit(&r) * 1e10,
                 rng_chance(&r, 3) ? "" : "k", rng_below(&r, 40));
    void *first = NULL, *bytes;
    size_t first_size = 0, size;
    frocc_reader_options o = default_options();
    o.missing = FROCC_MISSING_MEAN;
    for (int round = 0; round < 4; round++) {
        writer w[2] = {{0}, {0}};
        rng_shuffle(&r, order, n);
        add(&w[0], "x,k\n");
        add(&w[1], "x,k\n");
        for (size_t i = 0; i < n; i++)
            add(&w[round == 3 && i > n / 3], "%s", lines[order[i]]);
        char *paths[2] = {path_in(folder, "o1.csv"), path_in(folder, "o2.csv")};
        file_write(paths[0], w[0].text, w[0].used);
        file_write(paths[1], w[1].text, w[1].used);
        table t;
        frocc_schema *schema = NULL;
        check_ok(read_files((const char *const *)paths, round == 3 ? 2 : 1, &o, NULL, &t, &schema));
        check(t.n_rows == n, "%zu rows", t.n_rows);
        check_ok(frocc_schema_to_bytes(schema, &bytes, &size));
        if (first == NULL) {
            first = bytes;
            first_size = size;
        } else {
            check(size == first_size && memcmp(first, bytes, size) == 0,
                  "the schema depends on the order of the rows");
            frocc_bytes_free(bytes);
        }
        frocc_schema_free(schema);
        table_free(&t);
        for (int i = 0; i < 2; i++) {
            free(paths[i]);
            free(w[i].text);
        }
    }
    frocc_bytes_free(first);
    free(lines);
    free(order);
}

static void test_long_rows(void) {
    writer w = {0};
    size_t d = check_quick() ? 30000 : 300000;
    double *v = NEW(double, 2 * d);
    for (int row = 0; row < 2; row++)
        for (size_t i = 0; i < d; i++) {
            v[(size_t)row * d + i] = (double)i + row * 0.5;
            add(&w, "%.1f%c", (double)i + row * 0.5, i + 1 < d ? ',' : '\n');
        }
    expect(NULL, "wide.csv", w.text, NULL, 2, d, v);
    free(w.text);
    free(v);
}

/* Each row has the number of its line as its id; the reader must say the same. */
static void locate_all(const char *path, int threads, size_t block_rows) {
    frocc_reader_options o = default_options();
    o.id = "id";
    o.missing = FROCC_MISSING_DROP;
    o.threads = threads;
    o.block_rows = block_rows;
    const char *const paths[2] = {path, path};
    frocc_reader *reader = NULL;
    frocc_block block = {.struct_size = sizeof block};
    char place[4096], want[4096];
    check_ok(frocc_reader_open(paths, 2, &o, NULL, &reader));
    check_is(frocc_reader_locate(reader, 0, place, sizeof place), FROCC_ERR_ARGUMENT);
    for (;;) {
        check_ok(frocc_reader_next(reader, &block));
        if (block.rows.n_rows == 0)
            break;
        for (size_t row = 0; row < block.rows.n_rows; row += row % 7 + 1) {
            check_ok(frocc_reader_locate(reader, row, place, sizeof place));
            snprintf(want, sizeof want, "%s: line %s", path, block.ids[row]);
            check(strcmp(place, want) == 0, "'%s', expected '%s'", place, want);
        }
        check_is(frocc_reader_locate(reader, block.rows.n_rows, place, sizeof place),
                 FROCC_ERR_ARGUMENT);
    }
    frocc_reader_free(reader);
}

static void test_locate(void) {
    rng r = rng_seed(13);
    char *path = path_in(folder, "lines.csv");
    for (int quotes = 0; quotes < 2; quotes++) {
        writer w = {0};
        size_t line = 2;
        add(&w, "id,v,c\n");
        for (size_t i = 0; i < 3000; i++) {
            bool broken = quotes && rng_chance(&r, 9);
            for (; rng_chance(&r, 30); line++)
                add(&w, rng_chance(&r, 2) ? "\n" : "# \"1,2\n");
            add(&w, rng_chance(&r, 20) ? "%zu,,%s\n" : "%zu,1.5,%s\n", line,
                broken ? "\"a\nb\"" : "k");
            line += broken ? 2 : 1;
        }
        file_write(path, w.text, w.used);
        locate_all(path, 1, 0);
        locate_all(path, 3, 100);
        free(w.text);
    }
    free(path);
}

int main(void) {
    folder = folder_new();
    RUN(test_plain);
    RUN(test_separators);
    RUN(test_header);
    RUN(test_number_signs);
    RUN(test_quotes);
    RUN(test_columns);
    RUN(test_missing);
    RUN(test_all_missing);
    RUN(test_float32);
    RUN(test_blocks_and_threads);
    RUN(test_order_free);
    RUN(test_long_rows);
    RUN(test_locate);
    folder_free(folder);
    return check_end();
}
