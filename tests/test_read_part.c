/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of files: together they have every row once, in order, however many there are. */
#define _POSIX_C_SOURCE 200809L
#include "test_read.h"

static char *text_file(const char *name, const char *text) {
    char *path = path_in(folder, name);
    file_write(path, text, strlen(text));
    return path;
}

/* All parts of the files, read through one schema, joined. */
static void check_parts(const char *const *paths, size_t n_paths, frocc_reader_options o,
                        size_t most) {
    table whole = {0};
    frocc_schema *schema = NULL;
    check_ok(read_files(paths, n_paths, &o, NULL, &whole, &schema));
    for (o.n_parts = 1; o.n_parts <= most; o.n_parts += 1 + o.n_parts / 8) {
        size_t row = 0, d = whole.n_features;
        for (o.part = 0; o.part < o.n_parts; o.part++) {
            table part = {0};
            check_ok(read_files(paths, n_paths, &o, schema, &part, NULL));
            check(row + part.n_rows <= whole.n_rows, "%d parts have too many rows", (int)o.n_parts);
            check(part.values == NULL || whole.values == NULL || part.n_rows == 0 ||
                      memcmp(part.values, whole.values + row * d,
                             part.n_rows * d * sizeof(double)) == 0,
                  "part %d of %d has other rows", (int)o.part, (int)o.n_parts);
            for (size_t i = 0; part.labels != NULL && whole.labels != NULL && i < part.n_rows; i++)
                check(part.labels[i] == NULL || strcmp(part.labels[i], whole.labels[row + i]) == 0,
                      "part %d of %d has other labels", (int)o.part, (int)o.n_parts);
            row += part.n_rows;
            table_free(&part);
        }
        check(row == whole.n_rows, "%d parts have %zu of %zu rows", (int)o.n_parts, row,
              whole.n_rows);
    }
    frocc_schema_free(schema);
    table_free(&whole);
}

static void one_file(const char *name, const char *text, frocc_reader_options o) {
    char *path = text_file(name, text);
    const char *const paths[] = {path};
    check_parts(paths, 1, o, strlen(text) + 3);
    free(path);
}

static void test_text_is_cut_at_every_byte(void) {
    frocc_reader_options o = default_options();
    one_file("plain.csv", "a,b\n1,2\n33,4\n5,66.25\n\n7,8\n", o);
    one_file("no-end.csv", "1,2\n33,4\n5,66.25\n7,8", o);
    one_file("dos.csv", "a,b\r\n1,2\r\n33,4\r\n5,66\r\n", o);
    one_file("comments.csv", "# what this is\na,b\n1,2\n# more\n33,4\n# end", o);
    one_file("quotes.csv", "a,t\n1,\"x,y\"\n2,\"\"\"\"\n3,z\n4,\"x,y\"\n", o);
    one_file("sparse.libsvm", "1 1:2 3:4\n-1 2:5\n1 1:7\n1\n-1 3:1.5", o);
    o.label = "y";
    one_file("labels.csv", "a,y\n1,no\n2,yes\n3,no\n", o);
    o.label = NULL;
    o.missing = FROCC_MISSING_DROP;
    one_file("dropped.csv", "a,b\n1,2\n,4\n5,66.25\n7,\n9,9\n", o);
}

static void test_long_files(void) {
    double *values = NEW(double, 40000 * 3);
    char *csv = path_in(folder, "long.csv"), *npy = path_in(folder, "long.npy"),
         *raw = path_in(folder, "long.f32");
    const char *const paths[] = {csv, npy, raw};
    for (size_t i = 0; i < 40000 * 3; i++)
        values[i] = (double)((i * 2654435761u) % 1000003) / 8;
    for (size_t k = 0; k < 3; k++) {
        frocc_writer *writer;
        frocc_writer_options o;
        frocc_writer_options_init(&o);
        check_ok(frocc_writer_open(paths[k], 3, &o, &writer));
        frocc_block block = {.struct_size = sizeof block, .rows = frocc_rows_f64(values, 40000, 3)};
        check_ok(frocc_writer_add(writer, &block));
        check_ok(frocc_writer_finish(writer));
        frocc_writer_free(writer);
    }
    frocc_reader_options o = default_options();
    check_parts(paths, 2, o, 40);
    o.n_columns = 3;
    for (size_t k = 0; k < 3; k++)
        check_parts(paths + k, 1, o, 40);
    free(values);
    free(csv);
    free(npy);
    free(raw);
}

/* Many small files, of which a part may have none. */
static void test_lists_of_files(void) {
    static const char *const texts[] = {"a,b\n1,2\n", "a,b\n0,0\n", "b,a\n3,4\n5,6\n",
                                        "a,b\n7,8\n9,9\n"};
    const char *paths[4];
    char *names[4], name[] = "0.csv";
    for (size_t i = 0; i < 4; i++) {
        name[0] = (char)('0' + i);
        paths[i] = names[i] = text_file(name, texts[i]);
    }
    check_parts(paths, 4, default_options(), 60);
    for (size_t i = 0; i < 4; i++)
        free(names[i]);
}

static frocc_status read_part(const char *path, uint64_t part, uint64_t n_parts, table *t) {
    const char *const paths[] = {path};
    frocc_reader_options o = default_options();
    o.part = part;
    o.n_parts = n_parts;
    return read_files(paths, 1, &o, NULL, t, NULL);
}

/* A failure of a part is in its line of the file, and so is a row that something else is wrong
 * with. */
static void test_lines_are_those_of_the_file(void) {
    char *path = text_file("bad.csv", "a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n11,\n13,14\n");
    table t;
    check_is(read_part(path, 1, 2, &t), FROCC_ERR_DATA);
    check(strstr(frocc_last_error(), "bad.csv: line 7, column 2") != NULL, "it says '%s'",
          frocc_last_error());
    frocc_error_place place = {.struct_size = sizeof place};
    frocc_last_error_place(&place);
    check(place.line == 7 && place.column == 1 && strcmp(place.column_name, "b") == 0,
          "the place is line %d, column %d", (int)place.line, (int)place.column);
    check_ok(read_part(path, 0, 2, &t));
    table_free(&t);

    const char *const paths[] = {path};
    frocc_reader_options o = default_options();
    o.part = 1;
    o.n_parts = 2;
    o.missing = FROCC_MISSING_DROP;
    frocc_reader *reader;
    frocc_block block = {.struct_size = sizeof block};
    char where[200];
    check_ok(frocc_reader_open(paths, 1, &o, NULL, &reader));
    check_ok(frocc_reader_next(reader, &block));
    check_ok(frocc_reader_locate(reader, 0, where, sizeof where));
    check(strstr(where, "line 6") != NULL, "the first row of part 1 is in '%s'", where);
    frocc_reader_free(reader);
    free(path);
}

/* Where a quoted cell spans lines, a cut behind its first line is refused by the part in front. */
static void test_quoted_lines_are_not_cut(void) {
    const char *text = "t,a\nx,1\n\"y\nz\",2\nx,3\n";
    char *path = text_file("quoted.csv", text);
    const size_t size = strlen(text);
    size_t refused = 0;
    table t;
    for (uint64_t part = 0; part < size; part++) {
        if (read_part(path, part, size, &t) == FROCC_OK) {
            table_free(&t);
            continue;
        }
        if (strstr(frocc_last_error(), "just where the parts of the file are cut") == NULL)
            continue; /* the part behind it finds something else wrong, or nothing */
        check(part == 8, "part %d is refused", (int)part);
        refused++;
    }
    check(refused == 1, "%zu parts were refused", refused);
    free(path);
}

/* It is no row of any part, and one of them says so, as who reads all does. */
static void test_an_empty_file_is_told(void) {
    char *some = text_file("some.csv", "1,2\n3,4\n5,6\n"), *none = text_file("none.csv", "");
    const char *const paths[] = {some, none};
    frocc_reader_options o = default_options();
    table t;
    check_is(read_files(paths, 2, &o, NULL, &t, NULL), FROCC_ERR_EMPTY);
    o.n_parts = 3;
    for (; o.part < o.n_parts; o.part++) {
        const frocc_status expected = o.part == 0 ? FROCC_ERR_EMPTY : FROCC_OK;
        check_is(read_files(paths, 2, &o, NULL, &t, NULL), expected);
        if (expected == FROCC_OK)
            table_free(&t);
    }
    free(some);
    free(none);
}

static void test_what_cannot_be_cut(void) {
    char *path = text_file("few.csv", "1,2\n3,4\n");
    int pipe_ends[2];
    char pipe_name[40];
    table t;
    check_is(read_part(path, 2, 2, &t), FROCC_ERR_ARGUMENT);
    check(pipe(pipe_ends) == 0, "no pipe");
    snprintf(pipe_name, sizeof pipe_name, "/dev/fd/%d", pipe_ends[0]);
    check_is(read_part(pipe_name, 0, 2, &t), FROCC_ERR_UNSUPPORTED);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    free(path);
}

int main(void) {
    folder = folder_new();
    RUN(test_text_is_cut_at_every_byte);
    RUN(test_long_files);
    RUN(test_lists_of_files);
    RUN(test_lines_are_those_of_the_file);
    RUN(test_quoted_lines_are_not_cut);
    RUN(test_an_empty_file_is_told);
    RUN(test_what_cannot_be_cut);
    folder_free(folder);
    return check_end();
}
