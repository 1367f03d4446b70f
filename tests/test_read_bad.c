/* SPDX-License-Identifier: BSD-3-Clause */
/* Bad input: each is refused with the right status and a sentence that names what it should. */
#define _POSIX_C_SOURCE 200809L
#include "test_read.h"

/* The cases: a file of this name and content, options in words, and what the sentence must hold. */
typedef struct bad {
    const char *name, *text, *options;
    frocc_status status;
    const char *parts[4];
    size_t size; /* of text, where it holds zero bytes; 0: up to its end */
} bad;

static const bad cases[] = {
    /* shape */
    {"a.csv", "1,2,3\n4,5\n", "", FROCC_ERR_SHAPE, {"a.csv", "line 2", "2 cells", "expected 3"}, 0},
    {"a.csv", "1,2,3\n4,5,6,7\n", "", FROCC_ERR_SHAPE, {"line 2", "more than 3"}, 0},
    {"a.csv", "a,b\n1,2\n3\n", "", FROCC_ERR_SHAPE, {"line 3", "1 cells", "expected 2"}, 0},
    {"a.csv", "a,b\n1,2,3\n", "", FROCC_ERR_SHAPE, {"line 2", "more than 2"}, 0},
    {"a.csv", "a b c\n1 2 3\n1 2\n", "", FROCC_ERR_SHAPE, {"line 3", "separator: space"}, 0},
    {"a.tsv", "1\t2\n3\n", "", FROCC_ERR_SHAPE, {"line 2", "separator: tab"}, 0},
    {"a.csv", "1;2\n3;4;5\n", "", FROCC_ERR_SHAPE, {"line 2", "separator: ';'"}, 0},
    {"a.csv", "# c\n\n1,2\n\n# d\n3\n", "", FROCC_ERR_SHAPE, {"line 6"}, 0},
    {"a.csv", "k,v\na,1\n# b,2\n", "", FROCC_ERR_DATA, {"line 3", "comment", "quotes"}, 0},
    {"a.csv",
     "k,v\na,1\n#17\n",
     "",
     FROCC_ERR_SHAPE,
     {"line 3", "1 cells", "a comment has a blank"},
     0},
    {"a.csv", "a,\"b\nc\"\n1,\"2\n\"\n3\n", "", FROCC_ERR_SHAPE, {"line 5"}, 0},
    /* empty */
    {"a.csv", "", "", FROCC_ERR_EMPTY, {"a.csv", "empty"}, 0},
    {"a.csv", "\n\n\n", "", FROCC_ERR_EMPTY, {"empty"}, 0},
    {"a.csv", "# only\n# comments\n", "", FROCC_ERR_EMPTY, {"empty"}, 0},
    {"a.csv", "\xef\xbb\xbf", "", FROCC_ERR_EMPTY, {"empty"}, 0},
    {"a.libsvm", "", "", FROCC_ERR_EMPTY, {"empty"}, 0},
    {"a.libsvm", "# none\n", "", FROCC_ERR_EMPTY, {"no entry"}, 0},
    {"a.f32", "", "columns=2", FROCC_ERR_EMPTY, {"empty"}, 0},
    {"a.npy", "", "", FROCC_ERR_DATA, {"a.npy", "ends within the header"}, 0},
    {"a.npz", "", "", FROCC_ERR_DATA, {"npz", "too short"}, 0},
    /* quotes */
    {"a.csv", "a,b\n1,\"2\n3,4\n", "", FROCC_ERR_DATA, {"line 2", "never closed"}, 0},
    {"a.csv", "a,b\n\"x\"y,2\n", "", FROCC_ERR_DATA, {"line 2", "column 1 ('a')", "quote"}, 0},
    {"a.csv", "a,b\n1,\"x\" y\n", "", FROCC_ERR_DATA, {"line 2", "column 2 ('b')", "quote"}, 0},
    {"a.csv", "\"a,b\n1,2\n", "", FROCC_ERR_DATA, {"line 1", "never closed"}, 0},
    /* values */
    {"a.csv", "a,b\n1,2\n3,x\n", "numeric", FROCC_ERR_DATA, {"line 3", "column 2 ('b')", "'x'"}, 0},
    {"a.csv",
     "1,2\n3,1e999\n",
     "",
     FROCC_ERR_DATA,
     {"line 2", "column 2", "1e999", "too large"},
     0},
    {"a.csv", "1,2\n3,-1e999\n", "numeric", FROCC_ERR_DATA, {"-1e999", "too large"}, 0},
    {"a.csv", "1,2\n3,1e39\n", "f32", FROCC_ERR_DATA, {"1e39", "float32"}, 0},
    {"a.csv", "1,2\n3,inf\n", "", FROCC_ERR_DATA, {"line 2", "infinite"}, 0},
    {"a.csv", "1,2\n-Infinity,3\n", "", FROCC_ERR_DATA, {"-Infinity", "infinite"}, 0},
    {"a.csv", "1,2\n3,1.2.3\n", "numeric", FROCC_ERR_DATA, {"1.2.3", "not a number"}, 0},
    {"a.csv", "1,2\n3,0x10\n", "numeric", FROCC_ERR_DATA, {"0x10", "not a number"}, 0},
    {"a.csv", "1;2,345\n3;4,567\n", "numeric", FROCC_ERR_DATA, {"2,345", "with commas"}, 0},
    {"a.csv", "1;2,5\n3;4.5\n", "numeric", FROCC_ERR_DATA, {"2,5", "with commas"}, 0},
    {"a.csv", "1,\"2,5\"\n3,\"4,5\"\n", "numeric", FROCC_ERR_DATA, {"2,5", "with commas"}, 0},
    {"a.csv", "1,2\n3,1e\n", "numeric", FROCC_ERR_DATA, {"1e", "not a number"}, 0},
    {"a.csv", "1,2\n3,-\n", "numeric", FROCC_ERR_DATA, {"'-'", "missing"}, 0},
    {"a.csv", "1,2\n3,\"4 5\"\n", "numeric", FROCC_ERR_DATA, {"4 5", "not a number"}, 0},
    {"a.csv",
     "1,2\n3,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
     "numeric",
     FROCC_ERR_DATA,
     {"aaaaaaaa...'"},
     0},
    /* JSON lines */
    {"a.jsonl", "{\"a\":1}\n{\"a\":x}\n", "", FROCC_ERR_DATA, {"line 2", "no value begins"}, 0},
    {"a.jsonl", "{\"a\":1}\n{\"a\":01}\n", "", FROCC_ERR_DATA, {"line 2", "0 too many"}, 0},
    {"a.jsonl", "{\"a\":1}\n{\"a\":1.}\n", "", FROCC_ERR_DATA, {"line 2", "lacks a digit"}, 0},
    {"a.jsonl", "{\"a\":1}\n{\"a\":+1}\n", "", FROCC_ERR_DATA, {"line 2", "no value begins"}, 0},
    {"a.jsonl",
     "{\"a\":1}\n{\"a\":-Infinity}\n",
     "",
     FROCC_ERR_DATA,
     {"line 2", "column 1 ('a')", "infinite"},
     0},
    {"a.jsonl", "{\"a\":1}\n{\"a\":1e999}\n", "", FROCC_ERR_DATA, {"line 2", "too large"}, 0},
    {"a.jsonl", "{\"a\":1}\n{\"a\":1,}\n", "", FROCC_ERR_DATA, {"line 2", "last comma"}, 0},
    {"a.jsonl", "{\"a\":1}\n{\"a\" 1}\n", "", FROCC_ERR_DATA, {"line 2", "colon"}, 0},
    {"a.jsonl", "{\"a\":1}\n{a:1}\n", "", FROCC_ERR_DATA, {"line 2", "no name begins"}, 0},
    {"a.jsonl", "{\"a\":1}\n{\"a\":1\n", "", FROCC_ERR_DATA, {"line 2", "not closed"}, 0},
    {"a.jsonl",
     "{\"a\":1}\n{\"a\":\"x\n",
     "",
     FROCC_ERR_DATA,
     {"line 2", "string is not closed"},
     0},
    {"a.jsonl",
     "{\"a\":1}\n{\"a\":[1]}\n",
     "",
     FROCC_ERR_DATA,
     {"line 2", "column 1 ('a')", "an object or an array"},
     0},
    {"a.jsonl", "{\"a\":1}\n{\"a\":{\"b\":1}}\n", "", FROCC_ERR_DATA, {"line 2", "drop"}, 0},
    {"a.jsonl",
     "{\"a\":1}\n{\"a\":1} {\"a\":2}\n",
     "",
     FROCC_ERR_DATA,
     {"line 2", "something follows"},
     0},
    {"a.jsonl",
     "{\"a\":1}\n{\"a\":1,\"a\":2}\n",
     "",
     FROCC_ERR_DATA,
     {"line 2", "column 1 ('a')", "twice"},
     0},
    {"a.jsonl", "{\"a\":1}\n17\n", "", FROCC_ERR_DATA, {"line 2", "no object"}, 0},
    {"a.jsonl", "[{\"a\":1}]\n", "", FROCC_ERR_DATA, {"line 1", "an array", "jq"}, 0},
    {"a.jsonl",
     "{\"a\":1,\"b\":2}\n\n{\"a\":1}\n",
     "",
     FROCC_ERR_DATA,
     {"line 3", "column 2 ('b')", "missing = keep"},
     0},
    {"a.jsonl",
     "{\"a\":1}\n{\"a\":null}\n",
     "",
     FROCC_ERR_DATA,
     {"line 2", "column 1 ('a')", "empty"},
     0},
    {"a.jsonl", "{\"a\":\"\\ud800\"}\n", "", FROCC_ERR_DATA, {"line 1", "half of a pair"}, 0},
    {"a.jsonl",
     "{\"a\":\"\\udc00\\ud800\"}\n",
     "",
     FROCC_ERR_DATA,
     {"line 1", "half of a pair"},
     0},
    {"a.jsonl", "{\"a\":\"\\u12g4\"}\n", "", FROCC_ERR_DATA, {"line 1", "four hexadecimal"}, 0},
    {"a.jsonl", "{\"a\":\"\\q\"}\n", "", FROCC_ERR_DATA, {"line 1", "backslash"}, 0},
    {"a.jsonl", "{\"a\":\"\xff\"}\n", "", FROCC_ERR_DATA, {"line 1", "not UTF-8"}, 0},
    {"a.jsonl", "{\"a\":\"\xc0\x80\"}\n", "", FROCC_ERR_DATA, {"line 1", "not UTF-8"}, 0},
    {"a.jsonl", "{\"a\":\"\xed\xa0\x80\"}\n", "", FROCC_ERR_DATA, {"line 1", "not UTF-8"}, 0},
    {"a.jsonl", "{\"a\":\"x\\u0000y\"}\n", "", FROCC_ERR_DATA, {"line 1", "NUL"}, 0},
    {"a.jsonl", "{\"\\u0000\":1}\n", "", FROCC_ERR_DATA, {"line 1", "NUL"}, 0},
    {"a.jsonl", "{\"a\":\"\x01\"}\n", "", FROCC_ERR_DATA, {"line 1", "control character"}, 0},
    {"a.jsonl", "{}\n", "", FROCC_ERR_EMPTY, {"no names"}, 0},
    {"a.jsonl", "", "", FROCC_ERR_EMPTY, {"empty"}, 0},
    {"a.jsonl", "\n\n", "", FROCC_ERR_EMPTY, {"empty"}, 0},
    {"a.jsonl",
     "{\"a\":1}\n{\"a\":\"1\"}\n",
     "numeric",
     FROCC_ERR_DATA,
     {"line 2", "'1'", "not a number"},
     0},
    {"a.txt", "[{\"a\":1}]\n", "", FROCC_ERR_UNSUPPORTED, {"looks like JSON", "jq"}, 0},
    {"a.txt", "{\n\"a\": 1\n}\n", "", FROCC_ERR_UNSUPPORTED, {"looks like JSON"}, 0},
    /* missing */
    {"a.csv", "a,b\n1,2\n3,\n", "", FROCC_ERR_DATA, {"line 3", "column 2 ('b')", "empty"}, 0},
    {"a.csv", "a,b\n1,2\n,3\n", "", FROCC_ERR_DATA, {"line 3", "column 1 ('a')", "empty"}, 0},
    {"a.csv", "a,b\n1,2\n3,NA\n", "", FROCC_ERR_DATA, {"'NA'", "missing", "drop"}, 0},
    {"a.csv", "a,b\n1,2\n3,nan\n", "", FROCC_ERR_DATA, {"'nan'", "missing"}, 0},
    {"a.csv", "a,b\n1,2\n3,?\n", "", FROCC_ERR_DATA, {"'?'", "missing"}, 0},
    {"a.csv", "a,b\n1,x\n3,\n", "", FROCC_ERR_DATA, {"line 3", "empty"}, 0},
    {"a.csv", "a,b\n1,\n3,\n", "mean", FROCC_ERR_DATA, {"column 2 ('b')", "no mean"}, 0},
    {"a.libsvm", "1 1:nan\n", "", FROCC_ERR_DATA, {"line 1", "missing"}, 0},
    {"a.libsvm", "1 1:nan\n", "mean", FROCC_ERR_DATA, {"line 1", "no means"}, 0},
    {"a.libsvm", "1 1:nan\n", "keep", FROCC_ERR_DATA, {"line 1", "missing = drop"}, 0},
    /* bytes */
    {"a.csv", "a,b\n1,2\n3,4\0\n", "", FROCC_ERR_DATA, {"line 3", "NUL byte"}, 12},
    {"a.csv", "a,b\0\n1,2\n", "", FROCC_ERR_DATA, {"header", "NUL byte"}, 9},
    {"a.csv",
     "\xff\xfe"
     "1\0,\0"
     "2\0\n\0",
     "",
     FROCC_ERR_DATA,
     {"UTF-16", "iconv"},
     10},
    {"a.csv", "1,2\r3,4\r5,6\r", "", FROCC_ERR_DATA, {"carriage return", "tr "}, 0},
    {"a.csv", "PAR1xxxx", "", FROCC_ERR_UNSUPPORTED, {"Parquet"}, 0},
    {"a.frocc", "\x89\106ROCC\r\n", "", FROCC_ERR_UNSUPPORTED, {"files of rows"}, 0},
    {"a.dat", "\x89HDF\r\n", "", FROCC_ERR_UNSUPPORTED, {"HDF5"}, 0},
    {"a.csv.xz",
     "\xfd"
     "7zXZ",
     "",
     FROCC_ERR_UNSUPPORTED,
     {"xz", "xzcat"},
     0},
    {"a.csv", "\x1f\x8b\x08\0\0\0\0\0\0\3", "", FROCC_ERR_DATA, {"cut off"}, 10},
    {"a.csv", "\x1f\x8b\x08\0\0\0\0\0\0\3\xff\xff\xff\xff", "", FROCC_ERR_DATA, {"damaged"}, 14},
    /* header and columns */
    {"a.csv", "a,b,a\n1,2,3\n", "", FROCC_ERR_DATA, {"'a' twice", "columns 1 and 3"}, 0},
    {"a.csv", "a,b\n1,2\n", "label=c", FROCC_ERR_ARGUMENT, {"'c'", "label", "a, b"}, 0},
    {"a.csv", "1,2\n3,4\n", "label=c", FROCC_ERR_ARGUMENT, {"'c'", "no header", "1 to 2"}, 0},
    {"a.csv", "a,b\n1,2\n", "label=3", FROCC_ERR_ARGUMENT, {"column 3", "1 to 2"}, 0},
    {"a.csv", "a,b\n1,2\n", "label=0", FROCC_ERR_ARGUMENT, {"column 0", "1 to 2"}, 0},
    {"a.csv", "a,b\n1,2\n", "label=1-2", FROCC_ERR_ARGUMENT, {"label must be one column"}, 0},
    {"a.csv", "a,b\n1,2\n", "drop=1-2", FROCC_ERR_ARGUMENT, {"no column is left"}, 0},
    {"a.csv", "a,b\n1,2\n", "drop=2-1", FROCC_ERR_ARGUMENT, {"2-1", "outside"}, 0},
    {"a.csv", "a,b\n1,2\n", "use=x", FROCC_ERR_ARGUMENT, {"'x'", "use"}, 0},
    {"a.csv", "a,b\n1,2\n", "sep=.", FROCC_ERR_ARGUMENT, {"separator"}, 0},
    /* libsvm */
    {"a.libsvm", "1 1:2 3\n", "", FROCC_ERR_DATA, {"line 1", "'3'", "index:value"}, 0},
    {"a.libsvm", "1 1:2\n1 x:2\n", "", FROCC_ERR_DATA, {"line 2", "'x:2'"}, 0},
    {"a.libsvm", "1 1:2 1:3\n", "", FROCC_ERR_DATA, {"'1:3'", "larger index"}, 0},
    {"a.libsvm", "1 3:2 2:3\n", "", FROCC_ERR_DATA, {"'2:3'", "larger index"}, 0},
    {"a.libsvm", "1 -1:2\n", "", FROCC_ERR_DATA, {"'-1:2'", "index:value"}, 0},
    {"a.libsvm", "1 1:abc\n", "", FROCC_ERR_DATA, {"'1:abc'", "number"}, 0},
    {"a.libsvm", "1 1:1e999\n", "", FROCC_ERR_DATA, {"1e999", "too large"}, 0},
    {"a.libsvm", "1 0:1\n", "base=1", FROCC_ERR_DATA, {"index 0"}, 0},
    {"a.libsvm", "1 0:1\n", "base=1 columns=4", FROCC_ERR_DATA, {"index 0", "line 1"}, 0},
    {"a.libsvm", "1 5:1\n", "columns=4", FROCC_ERR_DATA, {"5:1", "beyond"}, 0},
    {"a.libsvm", "1 99999999999999999999:1\n", "", FROCC_ERR_DATA, {"beyond 2^27"}, 0},
    {"a.libsvm", "1 1:\n", "", FROCC_ERR_DATA, {"'1:'", "missing"}, 0},
    {"a.libsvm", "1 1:2\n", "label=1", FROCC_ERR_UNSUPPORTED, {"LIBSVM", "label"}, 0},
    {"a.libsvm", "1\0 1:2\n", "", FROCC_ERR_DATA, {"NUL byte"}, 8},
    /* binary */
    {"a.f32", "12345678", "", FROCC_ERR_ARGUMENT, {"n_columns"}, 0},
    {"a.f32", "1234567", "columns=1", FROCC_ERR_SHAPE, {"ends within row 2", "4 bytes"}, 0},
    {"a.f32", "\0\0\xc0\x7f", "columns=1", FROCC_ERR_DATA, {"row 1", "column 1", "NaN"}, 4},
    {"a.f32", "\0\0\x80\x7f", "columns=1", FROCC_ERR_DATA, {"row 1", "infinite"}, 4},
    {"a.npy", "not an array at all", "", FROCC_ERR_DATA, {"magic"}, 0},
    {"a.npy", "\x93NUMPY\x09\0\x02\0{}", "", FROCC_ERR_DATA, {"version"}, 12},
    {"a.npy", "\x93NUMPY\x01\0\xff\0{}", "", FROCC_ERR_DATA, {"ends within the header"}, 12},
    {"a.npy", "\x93NUMPY\x01\0\x02\0{}", "", FROCC_ERR_DATA, {"descr"}, 12},
    {"a.npz", "PK\5\6 but nothing more than this text", "", FROCC_ERR_DATA, {"npz"}, 0},
    {"a.npz", "certainly no archive, not even a bit", "", FROCC_ERR_DATA, {"directory"}, 0},
};

static int number_of(const char *text) {
    return text != NULL ? (int)strtol(text, NULL, 10) : 0;
}

/* "key" or "key=value", separated by blanks. */
static void parse_options(const char *words, frocc_reader_options *o, char memory[64]) {
    static const char *list[1];
    *o = default_options();
    o->threads = 2;
    strcpy(memory, words);
    for (char *word = strtok(memory, " "); word != NULL; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        if (value != NULL)
            *value++ = '\0';
        if (strcmp(word, "header") == 0)
            o->header = FROCC_HEADER_YES;
        else if (strcmp(word, "numeric") == 0)
            o->all_numeric = 1;
        else if (strcmp(word, "mean") == 0)
            o->missing = FROCC_MISSING_MEAN;
        else if (strcmp(word, "keep") == 0)
            o->missing = FROCC_MISSING_KEEP;
        else if (strcmp(word, "f32") == 0)
            o->dtype = FROCC_F32;
        else if (strcmp(word, "columns") == 0)
            o->n_columns = (size_t)number_of(value);
        else if (strcmp(word, "base") == 0)
            o->index_base = number_of(value);
        else if (strcmp(word, "sep") == 0)
            o->separator = value != NULL ? *value : 0;
        else if (strcmp(word, "label") == 0)
            o->label = value;
        else if (strcmp(word, "drop") == 0 || strcmp(word, "use") == 0) {
            list[0] = value;
            *(strcmp(word, "drop") == 0 ? &o->drop : &o->use) = list;
            *(strcmp(word, "drop") == 0 ? &o->n_drop : &o->n_use) = 1;
        }
    }
}

static void check_refused(const char *path, const frocc_reader_options *o, frocc_status status,
                          const char *const *parts, const char *what) {
    const char *const paths[1] = {path};
    table t;
    frocc_status got = read_files(paths, 1, o, NULL, &t, NULL);
    if (got == FROCC_ERR_UNSUPPORTED && strstr(frocc_last_error(), "without zlib") != NULL)
        return;
    check(got == status, "%s: gave %s (\"%s\"), not %s", what, frocc_status_name(got),
          got == FROCC_OK ? "" : frocc_last_error(), frocc_status_name(status));
    for (int i = 0; i < 4 && parts[i] != NULL; i++)
        check(strstr(frocc_last_error(), parts[i]) != NULL, "%s: \"%s\" does not say \"%s\"", what,
              frocc_last_error(), parts[i]);
}

static size_t current;

static void test_case(void) {
    const bad *b = &cases[current];
    frocc_reader_options o;
    char memory[64];
    char *path = path_in(folder, b->name);
    file_write(path, b->text, b->size != 0 ? b->size : strlen(b->text));
    parse_options(b->options, &o, memory);
    check_refused(path, &o, b->status, b->parts, b->text);
    free(path);
}

/* An error far behind good rows is found by any number of threads, and it is the first one. */
static void test_first_error(void) {
    size_t n = 200000, used = 0;
    char *text = NEW(char, n * 16), *path = path_in(folder, "late.csv");
    for (size_t i = 1; i <= n; i++)
        used += (size_t)sprintf(
            text + used, i == 150001 || i == 150007 || i == n ? "%zu,bad\n" : "%zu,1.5\n", i);
    file_write(path, text, used);
    for (int threads = 1; threads <= 8; threads++) {
        frocc_reader_options o = default_options();
        o.threads = threads;
        o.all_numeric = 1;
        const char *const parts[4] = {"late.csv", "line 150001,", "'bad'"};
        check_refused(path, &o, FROCC_ERR_DATA, parts, "late error");
    }
    free(text);
    free(path);
}

static void test_files(void) {
    frocc_reader_options o = default_options();
    const char *const folder_parts[4] = {"is a folder"}, *const none_parts[4] = {"No such file"};
    check_refused(folder, &o, FROCC_ERR_IO, folder_parts, "folder");
    char *path = path_in(folder, "none.csv");
    check_refused(path, &o, FROCC_ERR_IO, none_parts, "no file");
    free(path);
    path = path_in(folder, "secret.csv");
    file_write(path, "1,2\n", 4);
    chmod(path, 0);
    if (access(path, R_OK) != 0) { /* root may read anything */
        const char *const parts[4] = {"secret.csv", "ermission"};
        check_refused(path, &o, FROCC_ERR_IO, parts, "no permission");
    }
    chmod(path, 0600);
    const char *const twice[2] = {"-", "-"};
    frocc_reader *reader = NULL;
    check_is(frocc_reader_open(twice, 2, NULL, NULL, &reader), FROCC_ERR_ARGUMENT);
    check_is(frocc_reader_open(twice, 0, NULL, NULL, &reader), FROCC_ERR_ARGUMENT);
    check_is(frocc_reader_open(NULL, 1, NULL, NULL, &reader), FROCC_ERR_ARGUMENT);
    check(reader == NULL, "the reader was set");
    free(path);
}

/* A list of columns that is NULL, or has a NULL in it. */
static void test_lists(void) {
    static const char *const names[2] = {"a", NULL};
    char *path = path_in(folder, "lists.csv");
    file_write(path, "a,b\n1,2\n3,4\n", 12);
    for (int list = 0; list < 5; list++)
        for (int is_null = 0; is_null < 2; is_null++) {
            frocc_reader_options o = default_options();
            const char *const *given = is_null ? NULL : names;
            static const char *const words[5] = {"use", "drop", "categorical", "time", "carry"};
            *(const char *const **[]){&o.use, &o.drop, &o.categorical, &o.time, &o.carry}[list] =
                given;
            *(size_t *[]){&o.n_use, &o.n_drop, &o.n_categorical, &o.n_time, &o.n_carry}[list] = 2;
            const char *const parts[4] = {words[list], "NULL", is_null ? "" : "column 1"};
            check_refused(path, &o, FROCC_ERR_ARGUMENT, parts, words[list]);
        }
    free(path);
}

int main(void) {
    folder = folder_new();
    for (current = 0; current < sizeof cases / sizeof *cases; current++) {
        char name[64];
        snprintf(name, sizeof name, "bad input %zu (%s)", current + 1, cases[current].parts[0]);
        check_run(name, test_case);
    }
    RUN(test_first_error);
    RUN(test_files);
    RUN(test_lists);
    folder_free(folder);
    return check_end();
}
