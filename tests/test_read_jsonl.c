/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON lines: the same rows as CSV, to the bytes of the schema; escapes; what is missing. */
#define _POSIX_C_SOURCE 200809L
#include "schema/known_texts.h"
#include "test_read.h"

static frocc_schema *read_text(const char *name, const char *text, const frocc_reader_options *o,
                               table *t) {
    char *path = put(name, text);
    const char *const paths[1] = {path};
    frocc_schema *schema = NULL;
    check_ok(read_files(paths, 1, o, NULL, t, &schema));
    free(path);
    return schema;
}

/* Both texts, read by these options, are the same rows and learn the same schema. */
static void same_as_csv(const char *jsonl, const char *csv, const frocc_reader_options *o) {
    table a, b;
    void *bytes[2];
    size_t size[2];
    frocc_schema *schema[2] = {read_text("a.jsonl", jsonl, o, &a), read_text("a.csv", csv, o, &b)};
    check_equal(&a, &b);
    for (int i = 0; i < 2; i++) {
        check_ok(frocc_schema_to_bytes(schema[i], &bytes[i], &size[i]));
        frocc_schema_free(schema[i]);
    }
    check(size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0, "the schemas differ");
    for (int i = 0; i < 2; i++)
        frocc_bytes_free(bytes[i]);
    table_free(&a);
    table_free(&b);
}

static void test_like_csv(void) {
    frocc_reader_options o = default_options();
    same_as_csv("{\"a\":1,\"b\":-2.5e3}\n{\"b\":0,\"a\":7}\n", "a,b\n1,-2.5e3\n7,0\n", &o);
    same_as_csv("\xef\xbb\xbf  { \"a\" : 1 , \"b\" : 2 } \r\n\n\t\n{\"a\":3,\"b\":4}",
                "a,b\n1,2\n3,4\n", &o);
    same_as_csv(
        "{\"k\":\"red\",\"ok\":true}\n{\"ok\":false,\"k\":\"\"}\n{\"k\":\"blue\",\"ok\":true}\n",
        "k,ok\nred,True\nNA,False\nblue,True\n", (o.missing = FROCC_MISSING_KEEP, &o));
    same_as_csv(
        "{\"t\":\"2026-11-18T07:00:00\",\"x\":1}\n{\"t\":\"2026-11-19T08:30:00\",\"x\":2}\n",
        "t,x\n2026-11-18T07:00:00,1\n2026-11-19T08:30:00,2\n", &o);
    for (int missing = FROCC_MISSING_MEAN; missing <= FROCC_MISSING_KEEP; missing++) {
        o.missing = (frocc_missing)missing;
        same_as_csv(
            "{\"a\":1,\"b\":4}\n{\"a\":null,\"b\":5}\n{\"b\":6}\n{\"a\":NaN,\"b\":\"NA\"}\n",
            "a,b\n1,4\n,5\n,6\nNA,NA\n", &o);
    }
    o.label = "y";
    o.id = "id";
    same_as_csv("{\"y\":1,\"a\":2,\"id\":\"r,\\\"1\\\"\"}\n{\"a\":3,\"id\":17,\"y\":\"bad\"}\n",
                "y,a,id\n1,2,\"r,\"\"1\"\"\"\nbad,3,17\n", &o);
}

static void test_texts(void) {
    frocc_reader_options o = default_options();
    table t;
    o.id = "i\td";
    frocc_schema_free(
        read_text("a.jsonl",
                  "{\"i\\td\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"x\":1}\n"
                  "{\"i\\u0009d\":\"\\u00e9 \\u20AC \\ud83d\\ude00\",\"x\":2}\n"
                  "{\"\\u0069\\td\":\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\",\"\\u0078\":3}\n"
                  "{\"i\\td\":1.50,\"x\":3}\n{\"i\\td\":true,\"x\":3}\n{\"i\\td\":null,\"x\":3}\n",
                  &o, &t));
    const char *const wanted[] = {"\"\\/\b\f\n\r\t",
                                  "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
                                  "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
                                  "1.50",
                                  "true",
                                  ""};
    check(t.ids != NULL && t.n_rows == 6, "%zu rows", t.n_rows);
    for (size_t i = 0; i < 6; i++)
        check(t.ids[i] != NULL && strcmp(t.ids[i], wanted[i]) == 0, "row %zu is not '%s'", i,
              wanted[i]);
    table_free(&t);
}

/* A string that looks like a number is a text. */
static void test_kinds(void) {
    table t;
    const double values[] = {frocc__text_code("007", 3), 7, frocc__text_code("12", 2), 8};
    frocc_schema_free(
        read_text("a.jsonl", "{\"zip\":\"007\",\"x\":7}\n{\"zip\":\"12\",\"x\":8}\n", NULL, &t));
    check_table(&t, 2, 2, values);
    table_free(&t);
}

/* Known by what is in it, also without a line end, behind a byte order mark or an empty line. */
static void test_content(void) {
    static const char *const texts[] = {"{\"a\":1,\"b\":2}\n", "{\"a\":1,\"b\":2}",
                                        "\xef\xbb\xbf{\"a\":1,\"b\":2}\n",
                                        "\n \r\n{\"a\":1,\"b\":2}\n"};
    const double values[] = {1, 2};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        table t;
        frocc_schema_free(read_text("noext", texts[i], NULL, &t));
        check_table(&t, 1, 2, values);
        table_free(&t);
    }
}

/* Through a schema: true where it has numbers, keys that it does not know, objects inside them. */
static void test_schema(void) {
    table t, u;
    const double values[] = {1, 5, 0, 6};
    frocc_schema *schema = read_text("a.csv", "a,b\n3,4\n", NULL, &t);
    char *path =
        put("b.jsonl", "{\"c\":{\"d\":[1,\"}]\"]},\"b\":5,\"a\":true}\n{\"b\":6,\"a\":false}\n");
    const char *const paths[1] = {path};
    check_ok(read_files(paths, 1, NULL, schema, &u, NULL));
    check_table(&u, 2, 2, values);
    table_free(&t);
    table_free(&u);
    frocc_schema_free(schema);
    free(path);
}

/* Files whose keys stand in other orders, read by any number of threads in blocks of any size. */
static void test_blocks(void) {
    enum { N = 30000 };
    char *text[2] = {NEW(char, N * 40), NEW(char, N * 40)}, *paths[2];
    for (size_t i = 0, used[2] = {0, 0}; i < 2 * N; i++) {
        const size_t half = i / N;
        const char *form = half == 0 ? "{\"a\":%zu,\"b\":%zu}\n" : "{\"b\":%2$zu,\"a\":%1$zu}\n";
        used[half] += (size_t)sprintf(text[half] + used[half], form, i, 3 * i);
        if (i % 1000 == 0)
            used[half] += (size_t)sprintf(text[half] + used[half], "\n");
    }
    paths[0] = put("1.jsonl", text[0]);
    paths[1] = put("2.jsonl", text[1]);
    table one, t;
    frocc_reader_options o = default_options();
    o.threads = 1;
    check_ok(read_files((const char *const *)paths, 2, &o, NULL, &one, NULL));
    check(one.n_rows == 2 * N && one.values[2 * (2 * N - 1) + 1] == 3.0 * (2 * N - 1),
          "wrong rows");
    for (int threads = 2; threads < 5; threads++) {
        o.threads = threads;
        o.block_rows = 700 * (size_t)threads;
        check_ok(read_files((const char *const *)paths, 2, &o, NULL, &t, NULL));
        check_equal(&one, &t);
        table_free(&t);
    }
    table_free(&one);
    for (int i = 0; i < 2; i++) {
        free(paths[i]);
        free(text[i]);
    }
}

/* The cells of columns k and j of all rows, one behind another, each with a ; after it. */
static void check_carried(const char *name, const char *text, int as_json,
                          const frocc_reader_options *options, const char *expected) {
    char *path = put(name, text), found[1000] = "";
    const char *const paths[1] = {path};
    frocc_reader *reader = NULL;
    frocc_reader_options o = *options;
    frocc_block block = {.struct_size = sizeof block};
    o.carry = (const char *const[]){"k", "j"};
    o.n_carry = 2;
    check_ok(frocc_reader_open(paths, 1, &o, NULL, &reader));
    check_ok(frocc_reader_carry_json(reader, as_json));
    check_ok(frocc_reader_next(reader, &block));
    while (block.rows.n_rows > 0) {
        for (size_t i = 0; i < 2 * block.rows.n_rows; i++)
            sprintf(found + strlen(found), "%s;", block.carried[i]);
        check_ok(frocc_reader_next(reader, &block));
    }
    check(strcmp(found, expected) == 0, "%s: %s, not %s", name, found, expected);
    frocc_reader_free(reader);
    free(path);
}

/* What is carried is what it was: as texts, and as values of JSON. */
static void test_carried(void) {
    frocc_reader_options o = default_options();
    const char *const jsonl = "{\"x\":1,\"k\":5,\"j\":\"5\"}\n"
                              "{\"j\":-1.50e+3,\"x\":2,\"k\":true}\n"
                              "{\"x\":null,\"k\":0,\"j\":0}\n"
                              "{\"x\":3,\"k\":null}\n"
                              "{\"x\":4,\"j\":{\"a\":[\"b\", 1]},\"k\":\"\\\"\\u00e9\\\\\\n\"}\n"
                              "{\"x\":5,\"k\":NaN,\"j\":-Infinity}\n"
                              "{\"x\":6,\"k\":false,\"j\":\"true\"}\n"
                              "{\"x\":7,\"k\":\"\",\"j\":[]}\n";
    o.use = (const char *const[]){"x"};
    o.n_use = 1;
    o.missing = FROCC_MISSING_DROP;
    for (o.block_rows = 0; o.block_rows < 3; o.block_rows++) {
        check_carried(
            "a.jsonl", jsonl, 0, &o,
            "5;5;true;-1.50e+3;;;\"\303\251\\\n;{\"a\":[\"b\", 1]};;-Infinity;false;true;;[];");
        check_carried("a.jsonl", jsonl, 1, &o,
                      "5;\"5\";true;-1.50e+3;null;null;\"\\\"\303\251\\\\\\u000a\";"
                      "{\"a\":[\"b\", 1]};null;\"-Infinity\";false;\"true\";\"\";[];");
    }
    check_carried("a.csv", "k,x,j\n5,1,\"a \"\"b\"\"\"\n,2,true\n", 1, &o,
                  "\"5\";\"a \\\"b\\\"\";\"\";\"true\";");
    check_is(frocc_reader_carry_json(NULL, 1), FROCC_ERR_ARGUMENT);
}

int main(void) {
    folder = folder_new();
    RUN(test_like_csv);
    RUN(test_texts);
    RUN(test_kinds);
    RUN(test_content);
    RUN(test_schema);
    RUN(test_blocks);
    RUN(test_carried);
    folder_free(folder);
    return check_end();
}
