/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a failure is, as numbers and texts: in rows in memory, in files of rows, in model files. */
#define _POSIX_C_SOURCE 200809L
#include "files.h"

static frocc_error_place place_now(void) {
    frocc_error_place place = {.struct_size = sizeof place};
    frocc_last_error_place(&place);
    return place;
}

static bool same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The sentence ends with what is wrong, and in front of that it names the place. */
static void check_sentence(const frocc_error_place *place) {
    const char *sentence = frocc_last_error();
    const size_t length = strlen(sentence), rest = strlen(place->what);
    check(rest >= 10 && rest <= length && strcmp(sentence + length - rest, place->what) == 0,
          "\"%s\" is no end of \"%s\"", place->what, sentence);
    check(strstr(place->what, "(from 0)") == NULL, "\"%s\" names the place", place->what);
}

static void check_place(const char *file, int64_t line, int64_t row, int64_t column,
                        const char *column_name) {
    const frocc_error_place found = place_now();
    check(same_text(found.file, file), "file %s, not %s", found.file ? found.file : "none",
          file ? file : "none");
    check(found.line == line, "line %lld, not %lld", (long long)found.line, (long long)line);
    check(found.row == row, "row %lld, not %lld", (long long)found.row, (long long)row);
    check(found.column == column, "column %lld, not %lld", (long long)found.column,
          (long long)column);
    check(same_text(found.column_name, column_name), "column name %s",
          found.column_name ? found.column_name : "none");
    check_sentence(&found);
}

/* ---- Rows in memory -------------------------------------------------------------------------- */

/* With one thread and several, one bad value among many rows. */
static void check_bad_value(int threads, size_t row, size_t column, double value) {
    enum { ROWS = 5000, FEATURES = 6 };
    double *values = NEW(double, ROWS *FEATURES);
    frocc_params params;
    frocc_model *model = NULL;
    rng r = rng_seed(31 + row);
    for (size_t i = 0; i < ROWS * FEATURES; i++)
        values[i] = rng_normal(&r);
    values[row * FEATURES + column] = value;
    frocc_params_init_paper(&params);
    params.n_directions = 200;
    params.threads = threads;
    const frocc_rows rows = frocc_rows_f64(values, ROWS, FEATURES);
    check_is(frocc_fit(&params, &rows, &model), FROCC_ERR_DATA);
    check_place(NULL, -1, (int64_t)row, (int64_t)column, NULL);
    free(values);
}

static void rows_in_memory(void) {
    for (int threads = 1; threads <= 3; threads += 2) {
        check_bad_value(threads, 0, 0, (double)NAN);
        check_bad_value(threads, 4321, 5, (double)INFINITY);
        check_bad_value(threads, 77, 3, 1e30);
    }
}

static void sparse_rows(void) {
    const double values[] = {1, 2, (double)NAN};
    const int64_t start[] = {0, 2, 3};
    const int32_t columns[] = {0, 4, 7}, falling[] = {4, 0, 7};
    frocc_params params;
    frocc_model *model = NULL;
    frocc_params_init_paper(&params);
    frocc_rows rows = frocc_rows_csr(FROCC_F64, values, start, columns, 2, 9);
    check_is(frocc_fit(&params, &rows, &model), FROCC_ERR_DATA);
    check_place(NULL, -1, 1, 7, NULL);
    rows.columns = falling;
    check_is(frocc_fit(&params, &rows, &model), FROCC_ERR_SHAPE);
    check_place(NULL, -1, 0, -1, NULL);
}

static void no_place(void) {
    frocc_params params;
    frocc_params_init(&params);
    params.epsilon = -1;
    check_is(frocc_params_check(&params, 3), FROCC_ERR_ARGUMENT);
    check_place(NULL, -1, -1, -1, NULL);
}

/* A caller that knows fewer fields gets those, and no byte more. */
static void short_struct(void) {
    frocc_error_place place = {.struct_size = offsetof(frocc_error_place, line), .line = 99};
    check_bad_value(1, 8, 2, (double)NAN);
    frocc_last_error_place(&place);
    check(place.row == 8 && place.column == 2 && place.line == 99, "fields of a shorter struct");
    frocc_last_error_place(NULL);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static frocc_status read_through(const char *path, const frocc_reader_options *options) {
    frocc_reader *reader = NULL;
    frocc_block block = {.struct_size = sizeof block};
    frocc_status status = frocc_reader_open(&path, 1, options, NULL, &reader);
    for (bool more = true; status == FROCC_OK && more; more = block.rows.n_rows > 0)
        status = frocc_reader_next(reader, &block);
    frocc_reader_free(reader);
    return status;
}

/* Content in a file of this name; where reading it fails. */
static void check_file(const char *name, const char *content, size_t size, frocc_status expected,
                       int64_t line, int64_t row, int64_t column, const char *column_name) {
    frocc_reader_options options;
    frocc_reader_options_init(&options);
    options.all_numeric = 1;
    options.n_columns = strstr(name, ".f32") != NULL ? 2 : 0;
    for (int threads = 1; threads <= 2; threads++) {
        char *folder = folder_new(), *path = path_in(folder, name);
        file_write(path, content, size);
        options.threads = threads;
        check_is(read_through(path, &options), expected);
        check_place(path, line, row, column, column_name);
        free(path);
        folder_free(folder);
    }
}

static void text_files(void) {
    static const char cell[] = "a,b\n1,2\n3,x\n", empty[] = "1,2\n3,\n", count[] = "1,2\n3\n",
                      entry[] = "1 1:2\n1 2:x\n", quote[] = "1,2\n\"3\"4,5\n";
    check_file("a.csv", cell, strlen(cell), FROCC_ERR_DATA, 3, -1, 1, "b");
    check_file("a.csv", empty, strlen(empty), FROCC_ERR_DATA, 2, -1, 1, NULL);
    check_file("a.csv", count, strlen(count), FROCC_ERR_SHAPE, 2, -1, -1, NULL);
    check_file("a.csv", quote, strlen(quote), FROCC_ERR_DATA, 2, -1, 0, NULL);
    check_file("a.libsvm", entry, strlen(entry), FROCC_ERR_DATA, 2, -1, -1, NULL);
}

static void binary_files(void) {
    static const char nan[16] = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xc0\x7f";
    check_file("a.f32", nan, 16, FROCC_ERR_DATA, -1, 1, 1, NULL);
    check_file("a.f32", nan, 12, FROCC_ERR_SHAPE, -1, 1, -1, NULL);
}

static void missing_files(void) {
    frocc_model *model = NULL;
    check_is(read_through("no-such-folder/a.csv", NULL), FROCC_ERR_IO);
    check_place("no-such-folder/a.csv", -1, -1, -1, NULL);
    check_is(frocc_model_load("no-such-folder/a.frocc", NULL, &model), FROCC_ERR_IO);
    check_place("no-such-folder/a.frocc", -1, -1, -1, NULL);
    char *folder = folder_new(), *path = path_in(folder, "damaged.frocc");
    file_write(path, "nothing", 7);
    check_is(frocc_model_load(path, NULL, &model), FROCC_ERR_FORMAT);
    check_place(path, -1, -1, -1, NULL);
    free(path);
    folder_free(folder);
}

/* The reason stands behind the longest path. */
static void long_paths(void) {
    char path[4001];
    frocc_model *model = NULL;
    memset(path, 'a', sizeof path - 1);
    for (size_t i = 200; i < sizeof path - 1; i += 200)
        path[i] = '/';
    path[sizeof path - 1] = '\0';
    check_is(frocc_model_load(path, NULL, &model), FROCC_ERR_IO);
    check(strstr(frocc_last_error(), "No such file") != NULL, "%s", frocc_last_error());
    check_place(path, -1, -1, -1, NULL);
    check_is(read_through(path, NULL), FROCC_ERR_IO);
    check(strstr(frocc_last_error(), "No such file") != NULL, "%s", frocc_last_error());
    check_place(path, -1, -1, -1, NULL);
}

/* Names come from files, and must not command a terminal; programs get them as they are. */
static void names_that_command(void) {
    static const char *const names[] = {"no\033[2J/a.csv", "no\177/a.csv", "no\302\233m/a.csv",
                                        "no\r/a.csv"};
    for (size_t i = 0; i < 4; i++) {
        check_is(read_through(names[i], NULL), FROCC_ERR_IO);
        for (const char *c = frocc_last_error(); *c != '\0'; c++)
            check((unsigned char)*c >= 32 && *c != 127 && (unsigned char)*c != 0x9b, "%#x is said",
                  (unsigned)*c);
        check_place(names[i], -1, -1, -1, NULL);
    }
    char *folder = folder_new(), *path = path_in(folder, "a.csv");
    static const char text[] = "a,b\033]0;x\007\n1,2\n3,x\n";
    file_write(path, text, sizeof text - 1);
    frocc_reader_options options;
    frocc_reader *reader = NULL;
    const char *const paths[] = {path};
    frocc_reader_options_init(&options);
    options.label = "\033[31mc";
    check_is(frocc_reader_open(paths, 1, &options, NULL, &reader), FROCC_ERR_ARGUMENT);
    check(strchr(frocc_last_error(), '\033') == NULL, "an escape is said");
    free(path);
    folder_free(folder);
}

int main(void) {
    RUN(rows_in_memory);
    RUN(sparse_rows);
    RUN(no_place);
    RUN(short_struct);
    RUN(text_files);
    RUN(binary_files);
    RUN(missing_files);
    RUN(long_paths);
    RUN(names_that_command);
    return check_end();
}
