/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A schema learnt while rows are read and kept: what comes late in the data changes everything, and
 * what is handed out does not tell rows that were kept from those that were read again.
 *
 * The files are several blocks long. Each row has the number of its line as id, a label, and
 * numbers that the test knows.
 */
#define _POSIX_C_SOURCE 200809L
#include "schema/known_texts.h"
#include "test_read.h"

#if defined(FROCC_HAVE_ZLIB)
#include <zlib.h>
#endif

#define D 6
#define ROWS 20000 /* of about 120 bytes */

/* What is special about a file, from this row on or in it. */
enum special { NOTHING, TEXT, MISSING, COMMENT, SHORT_NUMBERS, TOO_LARGE, SHORT_ROW, NO_NUMBER };

struct file {
    char *path;
    char *text;
    size_t used;
    size_t n_rows;
    double *values;
    size_t special_line;
};

static void make_row(struct file *f, size_t row, size_t line, enum special special, bool here) {
    char *p = f->text + f->used;
    p += sprintf(p, "%zu,%zu", line, row % 3);
    for (size_t j = 0; j < D; j++) {
        double value = f->values[row * D + j];
        bool cell = here && j == 2;
        if (here && special == SHORT_ROW && j == D - 1)
            continue;
        if (cell && special == TEXT)
            p += sprintf(p, ",red");
        else if (cell && special == MISSING)
            p += sprintf(p, ",");
        else if (cell && special == TOO_LARGE)
            p += sprintf(p, ",1e999");
        else if (cell && special == NO_NUMBER)
            p += sprintf(p, ",-inf");
        else
            p += sprintf(p, ",%.17g", value);
    }
    *p++ = '\n';
    f->used = (size_t)(p - f->text);
}

/* Writes n rows, the one at place special; its line is noted. */
static struct file make(const char *name, size_t n, enum special special, size_t place) {
    rng r = rng_seed(n + place);
    struct file f = {path_in(folder, name), NEW(char, n * 200 + 1000), 0, n, NEW(double, n *D), 0};
    size_t line = 2;
    f.used = (size_t)sprintf(f.text, "id,y,a,b,c,d,e,f\n");
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < D; j++)
            f.values[i * D + j] = special == SHORT_NUMBERS && i >= place ? (double)rng_below(&r, 10)
                                  : special == TEXT && j == 2
                                      ? (double)rng_below(&r, 5) / 7
                                      : rng_normal(&r) * rng_log_between(&r, 1e-3, 1e3);
        if (special == COMMENT && i == place) {
            f.used += (size_t)sprintf(f.text + f.used, "# a comment\n\n");
            line += 2;
        }
        if (i == place)
            f.special_line = line;
        make_row(&f, i, line++, special, i == place);
    }
    file_write(f.path, f.text, f.used);
    return f;
}

static void drop(struct file *f) {
    free(f->path);
    free(f->text);
    free(f->values);
}

static frocc_reader_options options(int threads, frocc_dtype dtype) {
    frocc_reader_options o = default_options();
    o.id = "id";
    o.label = "y";
    o.threads = threads;
    o.dtype = dtype;
    return o;
}

/* The rows of the file that have no missing cell, bit for bit. */
static void check_rows(const table *t, const struct file *f, size_t first, size_t missing,
                       frocc_dtype dtype) {
    if (t->row_numbers == NULL || t->labels == NULL || t->values == NULL)
        return; /* no rows, as the caller has seen */
    for (size_t i = 0, row = first; i < f->n_rows; i++) {
        if (i == missing)
            continue;
        check(t->row_numbers[row] == first + i + 1, "row %zu has the number %llu", first + i + 1,
              (unsigned long long)t->row_numbers[row]);
        check(t->label_values[row] == (double)(i % 3) && t->labels[row][0] == (char)('0' + i % 3),
              "row %zu has the label %s", i, t->labels[row]);
        for (size_t j = 0; j < D; j++) {
            double want = f->values[i * D + j];
            want = dtype == FROCC_F32 ? (double)(float)want : want;
            check(t->values[row * D + j] == want, "row %zu: %.17g, not %.17g", i,
                  t->values[row * D + j], want);
        }
        row++;
    }
}

/* Every row is where its id says, in the first pass and in the second. */
static void check_lines(const struct file *f, const frocc_reader_options *o) {
    const char *const paths[1] = {f->path};
    frocc_reader *reader = NULL;
    frocc_block block = {.struct_size = sizeof block};
    char place[4096], want[4096];
    check_ok(frocc_reader_open(paths, 1, o, NULL, &reader));
    check(frocc_reader_share(reader) < 0.2, "a share of %g before the start",
          frocc_reader_share(reader));
    for (int pass = 0; pass < 2; pass++) {
        double share = 0;
        for (check_ok(frocc_reader_next(reader, &block)); block.rows.n_rows > 0;
             check_ok(frocc_reader_next(reader, &block))) {
            for (size_t i = 0; i < block.rows.n_rows; i += 1 + i % 50) {
                check_ok(frocc_reader_locate(reader, i, place, sizeof place));
                snprintf(want, sizeof want, "%s: line %s", f->path, block.ids[i]);
                check(strcmp(place, want) == 0, "'%s', expected '%s'", place, want);
            }
            check(frocc_reader_share(reader) >= share, "the share sinks from %g to %g", share,
                  frocc_reader_share(reader));
            share = frocc_reader_share(reader);
        }
        check(frocc_reader_share(reader) == 1, "a share of %g at the end",
              frocc_reader_share(reader));
        check_ok(frocc_reader_rewind(reader));
    }
    frocc_reader_free(reader);
}

static void test_numbers(void) {
    const enum special kinds[] = {NOTHING, COMMENT, SHORT_NUMBERS, MISSING};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int place = 0; place < 3; place++) {
            struct file f = make("n.csv", ROWS, kinds[k], place * (ROWS - 1) / 2);
            for (int i = 0; i < 4; i++) {
                frocc_dtype dtype = i % 2 == 0 ? FROCC_F32 : FROCC_F64;
                frocc_reader_options o = options(1 + i / 2, dtype);
                const char *const paths[1] = {f.path};
                table t;
                o.missing = FROCC_MISSING_DROP;
                o.block_rows = i == 1 ? 333 : 0;
                check_ok(read_files(paths, 1, &o, NULL, &t, NULL));
                size_t dropped = kinds[k] == MISSING;
                check(t.n_rows == ROWS - dropped && t.n_features == D && t.dropped == dropped,
                      "%zu rows, %llu dropped", t.n_rows, (unsigned long long)t.dropped);
                check_rows(&t, &f, 0, dropped ? (size_t)(place * (ROWS - 1) / 2) : SIZE_MAX, dtype);
                check_lines(&f, &o);
                table_free(&t);
            }
            drop(&f);
        }
}

/* A text among numbers is found anywhere: refused, or a state. */
static void test_texts(void) {
    for (int place = 0; place < 3; place++) {
        struct file f = make("t.csv", ROWS, TEXT, place * (ROWS - 1) / 2);
        for (int threads = 1; threads < 3; threads++) {
            frocc_reader_options o = options(threads, FROCC_F32);
            const char *const paths[1] = {f.path};
            frocc_schema *schema = NULL;
            table t;
            size_t special = (size_t)(place * (ROWS - 1) / 2);
            char where[40];
            snprintf(where, sizeof where, "line %zu, column 5 ('c'): 'red'", special + 2);
            check_is(read_files(paths, 1, &o, NULL, &t, NULL), FROCC_ERR_DATA);
            check(strstr(frocc_last_error(), where) != NULL, "%s", frocc_last_error());
            o.missing = FROCC_MISSING_KEEP;
            check_ok(read_files(paths, 1, &o, NULL, &t, &schema));
            check(t.n_rows == ROWS && t.n_features == 2 * D, "%zu rows of %zu", t.n_rows,
                  t.n_features);
            if (t.values == NULL)
                return; /* as check has told */
            const double *row = t.values + special * t.n_features;
            check(row[5] == frocc__text_code("red", 3) &&
                      row[0] == (double)(float)f.values[special * D],
                  "the row with the text");
            table_free(&t);
            frocc_schema_free(schema);
        }
        drop(&f);
    }
}

/* Mistakes are told with their line, wherever they are. */
static void test_mistakes(void) {
    const struct {
        enum special special;
        frocc_status status;
        const char *what;
    } cases[] = {{MISSING, FROCC_ERR_DATA, "the cell is empty"},
                 {TOO_LARGE, FROCC_ERR_DATA, "too large"},
                 {SHORT_ROW, FROCC_ERR_SHAPE, "the row has 7 cells"},
                 {NO_NUMBER, FROCC_ERR_DATA, "is infinite"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int place = 0; place < 3; place++) {
            struct file f = make("m.csv", ROWS, cases[k].special, place * (ROWS - 1) / 2);
            for (int threads = 1; threads < 3; threads++) {
                frocc_reader_options o = options(threads, FROCC_F64);
                const char *const paths[1] = {f.path};
                char line[60];
                table t;
                check_is(read_files(paths, 1, &o, NULL, &t, NULL), cases[k].status);
                snprintf(line, sizeof line, "m.csv: line %zu", f.special_line);
                check(strstr(frocc_last_error(), line) != NULL &&
                          strstr(frocc_last_error(), cases[k].what) != NULL,
                      "'%s', expected %s, %s", frocc_last_error(), line, cases[k].what);
            }
            drop(&f);
        }
}

/* Several files: the kept rows may end in any of them. */
static void test_files(void) {
    const enum special kinds[] = {NOTHING, SHORT_NUMBERS, COMMENT};
    for (int i = 0; i < 9; i++) {
        struct file a = make("a.csv", ROWS, kinds[i % 3], ROWS / 2);
        struct file b = make("b.csv", ROWS / 2, kinds[i / 3], ROWS / 3);
        for (int threads = 1; threads < 3; threads++) {
            frocc_reader_options o = options(threads, FROCC_F32);
            const char *const paths[2] = {a.path, b.path};
            table t;
            check_ok(read_files(paths, 2, &o, NULL, &t, NULL));
            check(t.n_rows == ROWS + ROWS / 2 && t.n_features == D, "%zu rows", t.n_rows);
            check_rows(&t, &a, 0, SIZE_MAX, FROCC_F32);
            check_rows(&t, &b, ROWS, SIZE_MAX, FROCC_F32);
            table_free(&t);
        }
        drop(&a);
        drop(&b);
    }
    struct file a = make("a.csv", ROWS, NOTHING, 0), b = make("b.csv", 100, NO_NUMBER, 70);
    const char *const paths[2] = {a.path, b.path};
    frocc_reader_options o = options(1, FROCC_F32);
    table t;
    check_is(read_files(paths, 2, &o, NULL, &t, NULL), FROCC_ERR_DATA);
    check(strstr(frocc_last_error(), "b.csv: line 72") != NULL, "%s", frocc_last_error());
    drop(&a);
    drop(&b);
}

/* The same through gzip, and through a pipe as the standard input. */
static void test_gzip(void) {
#if defined(FROCC_HAVE_ZLIB)
    struct file f = make("g.csv", ROWS, SHORT_NUMBERS, ROWS / 2);
    gzFile packed = gzopen(f.path, "wb1");
    check(packed != NULL && gzwrite(packed, f.text, (unsigned)f.used) == (int)f.used &&
              gzclose(packed) == Z_OK,
          "zlib");
    for (int threads = 1; threads < 3; threads++) {
        frocc_reader_options o = options(threads, FROCC_F64);
        const char *const paths[1] = {f.path};
        table t;
        check_ok(read_files(paths, 1, &o, NULL, &t, NULL));
        check(t.n_rows == ROWS && t.n_features == D, "%zu rows", t.n_rows);
        check_rows(&t, &f, 0, SIZE_MAX, FROCC_F64);
        table_free(&t);
        check_lines(&f, &o);
    }
    drop(&f);
#else
    check_skip("built without zlib");
#endif
}

static void read_pipe(const struct file *f, const frocc_reader_options *o) {
    const char *const paths[1] = {"-"};
    int ends[2], keep = dup(0);
    table t;
    check(pipe(ends) == 0 && keep >= 0, "no pipe");
    pid_t child = fork();
    check(child >= 0, "no process");
    if (child == 0) {
        FILE *out = fdopen(ends[1], "wb");
        close(ends[0]);
        _exit(out == NULL || fwrite(f->text, 1, f->used, out) != f->used || fclose(out) != 0);
    }
    close(ends[1]);
    dup2(ends[0], 0);
    close(ends[0]);
    check_ok(read_files(paths, 1, o, NULL, &t, NULL));
    check(t.n_rows == ROWS && t.n_features == D, "%zu rows", t.n_rows);
    check_rows(&t, f, 0, SIZE_MAX, o->dtype);
    table_free(&t);
    dup2(keep, 0);
    close(keep);
}

static void test_pipe(void) {
    const enum special kinds[] = {NOTHING, SHORT_NUMBERS, COMMENT};
    for (int k = 0; k < 3; k++) {
        struct file f = make("p.csv", ROWS, kinds[k], ROWS / 2);
        for (int i = 0; i < 4; i++) {
            frocc_reader_options o = options(1 + i / 2, FROCC_F32);
            o.one_pass = i % 2;
            read_pipe(&f, &o);
        }
        drop(&f);
    }
}

int main(void) {
    folder = folder_new();
    RUN(test_numbers);
    RUN(test_texts);
    RUN(test_mistakes);
    RUN(test_files);
    RUN(test_gzip);
    RUN(test_pipe);
    folder_free(folder);
    return check_end();
}
