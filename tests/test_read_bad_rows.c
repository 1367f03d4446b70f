/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that are no rows, listed between those that are; files without rows; pipes that pause; and
 * another schema on the way. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "test_read.h"

static char *folder;

static frocc_schema *learn(const char *text) {
    char *path = path_in(folder, "learn.csv");
    const char *const paths[1] = {path};
    frocc_reader *reader = NULL;
    file_write(path, text, strlen(text));
    check_ok(frocc_reader_open(paths, 1, NULL, NULL, &reader));
    frocc_schema *schema = frocc_reader_schema(reader);
    frocc_reader_free(reader);
    free(path);
    return schema;
}

/* Good rows as their number, bad ones as !LINE, all in order. */
static void tell(const frocc_block *block, char *told) {
    size_t bad = 0;
    for (size_t row = 0; row <= block->rows.n_rows; row++) {
        for (; bad < block->n_bad_rows && block->bad_rows[bad].before == row; bad++) {
            check(*block->bad_rows[bad].error != '\0', "a bad row has no reason");
            sprintf(told + strlen(told), "%llu!%llu ",
                    (unsigned long long)block->bad_rows[bad].row_number,
                    (unsigned long long)block->bad_rows[bad].line);
        }
        if (row < block->rows.n_rows)
            sprintf(told + strlen(told), "%llu ", (unsigned long long)block->row_numbers[row]);
    }
    check(bad == block->n_bad_rows, "a bad row is nowhere");
}

static void check_told(const char *name, const char *text, const frocc_schema *schema,
                       size_t block_rows, int threads, const char *wanted) {
    char *path = path_in(folder, name), told[1000] = "";
    const char *const paths[1] = {path};
    frocc_reader_options o = default_options();
    frocc_block block = {.struct_size = sizeof block};
    frocc_reader *reader = NULL;
    file_write(path, text, strlen(text));
    o.list_bad_rows = 1;
    o.block_rows = block_rows;
    o.threads = threads;
    check_ok(frocc_reader_open(paths, 1, &o, schema, &reader));
    do {
        check_ok(frocc_reader_next(reader, &block));
        tell(&block, told);
        for (size_t row = 0; row < block.rows.n_rows; row++) {
            uint64_t line = 0;
            check_ok(frocc_reader_line(reader, row, &line));
            check(line >= block.row_numbers[row], "a line in front of its row");
        }
    } while (block.rows.n_rows + block.n_bad_rows > 0);
    check(strcmp(told, wanted) == 0, "'%s' instead of '%s'", told, wanted);
    frocc_reader_free(reader);
    free(path);
}

static void test_order(void) {
    frocc_schema *schema = learn("a,b\n1,2\n3,4\n");
    for (size_t rows = 0; rows < 4; rows++)
        for (int threads = 1; threads <= 3; threads++) {
            check_told("a.csv", "a,b\n1,2\nx,4\n\n5,6\na,b\n7\n\"8,9\n10,11\n", schema, rows,
                       threads, "1 2!3 3 4!7 5!8 6 ");
            check_told("a.csv", "a,b\nx,2\nx,4\n", schema, rows, threads, "1!2 2!3 ");
            check_told("a.csv", "3\n1,2\na,b\n# c\n3,4\n5\n", schema, rows, threads,
                       "1!1 2 3 4!6 ");
            check_told("a.jsonl", "{\"a\":1,\n{\"a\":1,\"b\":2}\n\n{\"a\":[1],\"b\":2}\n", schema,
                       rows, threads, "1!1 2 3!4 ");
        }
    frocc_schema_free(schema);
}

static void test_only_with_a_schema(void) {
    char *path = path_in(folder, "learn.csv");
    const char *const paths[1] = {path};
    frocc_reader_options o = default_options();
    frocc_reader *reader = NULL;
    o.list_bad_rows = 1;
    check_is(frocc_reader_open(paths, 1, &o, NULL, &reader), FROCC_ERR_ARGUMENT);
    free(path);
}

static void test_turned_header(void) {
    frocc_schema *schema = learn("a,b\n1,2\n3,4\n");
    char *path = path_in(folder, "a.csv");
    const char *const paths[1] = {path}, text[] = "a,b\n1,2\nb,a\n3,4\n";
    frocc_reader_options o = default_options();
    frocc_block block = {.struct_size = sizeof block};
    frocc_reader *reader = NULL;
    file_write(path, text, strlen(text));
    o.list_bad_rows = 1;
    check_ok(frocc_reader_open(paths, 1, &o, schema, &reader));
    check_is(frocc_reader_next(reader, &block), FROCC_ERR_SHAPE);
    frocc_reader_free(reader);
    frocc_schema_free(schema);
    free(path);
}

/* A file without a header, of which columns that are no features have names, too. */
static void test_later_header(void) {
    char *path = path_in(folder, "named.csv");
    const char *const paths[1] = {path}, text[] = "id,a,b\nx,1,2\ny,3,4\n";
    frocc_reader_options o = default_options();
    frocc_reader *reader = NULL;
    file_write(path, text, strlen(text));
    o.id = "id";
    check_ok(frocc_reader_open(paths, 1, &o, NULL, &reader));
    frocc_schema *schema = frocc_reader_schema(reader);
    frocc_reader_free(reader);
    check_told("a.csv", "x,1,2\nid,a,b\ny,3,4\nid,a\n", schema, 0, 1, "1 2 3!4 ");
    check_told("a.csv", "1,2\na,b\n3,4\na\n", schema, 0, 1, "1 2 3!4 ");
    frocc_schema_free(schema);
    free(path);
}

static void test_no_rows(void) {
    frocc_schema *schema = learn("a,b\n1,2\n3,4\n");
    char *path = path_in(folder, "header.csv"), *full = path_in(folder, "learn.csv"),
         *nothing = path_in(folder, "nothing.csv");
    const char *const paths[4] = {nothing, path, full, nothing};
    frocc_block block = {.struct_size = sizeof block};
    frocc_reader *reader = NULL;
    size_t n_empty = 9;
    file_write(path, "a,b\n", 4);
    file_write(nothing, "", 0);
    check_ok(frocc_reader_open(paths + 1, 1, NULL, schema, &reader));
    check_ok(frocc_reader_next(reader, &block));
    check(block.rows.n_rows == 0, "a header has a row");
    frocc_reader_free(reader);
    check_is(frocc_reader_open(paths, 1, NULL, schema, &reader), FROCC_ERR_EMPTY);
    check_ok(frocc_reader_open(paths, 4, NULL, schema, &reader));
    for (int pass = 0; pass < 2; pass++) {
        check_ok(frocc_reader_next(reader, &block));
        check(block.rows.n_rows == 2, "the rows are not there");
        check_ok(frocc_reader_next(reader, &block));
        check(block.rows.n_rows == 0, "there are more rows");
        check(frocc_reader_empty_file(reader, &n_empty) != NULL && n_empty == 3,
              "%zu files are empty", n_empty);
        check_ok(frocc_reader_rewind(reader));
    }
    frocc_reader_free(reader);
    frocc_schema_free(schema);
    free(path);
    free(full);
    free(nothing);
}

static int pauses; /* how often wait is still to pause */
static int wait_for(void *context, int file) {
    (void)context, (void)file;
    return pauses-- > 0;
}

static void test_pauses(void) {
    frocc_schema *schema = learn("a,b\n1,2\n3,4\n"), *other = learn("b,a\n0,red\n1,blue\n");
    frocc_schema *stranger = learn("a,c\n1,2\n3,4\n");
    const char *const paths[1] = {"-"};
    frocc_reader_options o = default_options();
    frocc_block block = {.struct_size = sizeof block};
    frocc_reader *reader = NULL;
    int ends[2], before = dup(STDIN_FILENO);
    check(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO, "no pipe");
    check(write(ends[1], "a,b\n1,2\n", 8) == 8, "no room in a pipe");
    o.one_pass = 1;
    o.wait = wait_for;
    check_ok(frocc_reader_open(paths, 1, &o, schema, &reader));
    check_ok(frocc_reader_next(reader, &block));
    check(block.rows.n_rows == 1 && !block.is_paused, "the first row has not come");
    check(write(ends[1], "3,", 2) == 2, "no room in a pipe");
    for (int i = 0; i < 3; i++) {
        pauses = 1;
        check_ok(frocc_reader_next(reader, &block));
        check(block.is_paused && block.rows.n_rows == 0, "it did not pause");
    }
    check_is(frocc_reader_use_schema(reader, stranger), FROCC_ERR_SHAPE);
    check_ok(frocc_reader_use_schema(reader, other));
    check(write(ends[1], "4\n", 2) == 2, "no room in a pipe");
    check_ok(frocc_reader_next(reader, &block));
    check(block.rows.n_rows == 1 && block.rows.n_features == frocc_schema_features(other) &&
              ((const double *)block.rows.values)[0] == 4,
          "not by the other schema");
    close(ends[1]);
    check_ok(frocc_reader_next(reader, &block));
    check(block.rows.n_rows == 0 && !block.is_paused, "the end has not come");
    frocc_reader_free(reader);
    check(dup2(before, STDIN_FILENO) == STDIN_FILENO, "no standard input");
    close(before);
    close(ends[0]);
    frocc_schema_free(schema);
    frocc_schema_free(other);
    frocc_schema_free(stranger);
}

int main(void) {
    folder = folder_new();
    RUN(test_order);
    RUN(test_only_with_a_schema);
    RUN(test_turned_header);
    RUN(test_later_header);
    RUN(test_no_rows);
    RUN(test_pauses);
    folder_free(folder);
    return check_end();
}
