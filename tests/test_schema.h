/* SPDX-License-Identifier: BSD-3-Clause */
/* test_schema.h - texts as files in a folder of the test's, read through schemas. */
#ifndef FROCC_TESTS_TEST_SCHEMA_H
#define FROCC_TESTS_TEST_SCHEMA_H

#include <math.h>

#include "schema/known_texts.h"
#include "test_read.h"

/* What a text is read as. */
static inline double code(const char *text) {
    return frocc__text_code(text, strlen(text));
}

static inline frocc_schema *learn(const char *text, const frocc_reader_options *o, table *t) {
    char *path = put("train.csv", text);
    const char *const paths[1] = {path};
    frocc_schema *schema = NULL;
    check_ok(read_files(paths, 1, o, NULL, t, &schema));
    free(path);
    return schema;
}

static inline void refuse(const frocc_schema *schema, const char *name, const char *text,
                          const frocc_reader_options *o, frocc_status status, const char *part) {
    char *path = put(name, text);
    const char *const paths[1] = {path};
    table t;
    check_is(read_files(paths, 1, o, schema, &t, NULL), status);
    check(strstr(frocc_last_error(), part) != NULL, "\"%s\" does not say \"%s\"",
          frocc_last_error(), part);
    free(path);
}

static inline void check_feature(const frocc_schema *s, size_t feature, const char *name,
                                 frocc_feature_kind kind) {
    char found[32];
    size_t length = 0;
    frocc_feature_info info = {.struct_size = sizeof info};
    check_ok(frocc_schema_feature_name(s, feature, found, sizeof found, &length));
    check_ok(frocc_schema_feature(s, feature, &info));
    check(strcmp(found, name) == 0 && info.kind == kind, "feature %zu is '%s', of kind %d", feature,
          found, (int)info.kind);
}

#endif
