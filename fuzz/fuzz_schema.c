/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes as a schema, and further bytes as a file that is read through it. What loads must save as
 * it was, name its features, and hand out rows of as many. The first byte chooses the format, the
 * next two say how long the schema is.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bounded.h"
#include "frocc_io.h"

static void describe(const frocc_schema *schema) {
    const size_t columns = frocc_schema_columns(schema), features = frocc_schema_features(schema);
    char name[64];
    for (size_t i = 0; i < columns && i < 300; i++) {
        frocc_column_info info = {.struct_size = sizeof info};
        HOLDS(frocc_schema_column(schema, i, &info) == FROCC_OK);
        HOLDS(!info.is_feature || info.first_feature < features);
    }
    for (size_t j = 0; j < features && j < 300; j++) {
        size_t length = 0;
        HOLDS(frocc_schema_feature_name(schema, j, name, sizeof name, &length) == FROCC_OK);
        HOLDS(strlen(name) == (length < sizeof name ? length : sizeof name - 1));
        frocc_feature_info info = {.struct_size = sizeof info};
        HOLDS(frocc_schema_feature(schema, j, &info) == FROCC_OK && info.column < columns);
    }
}

static void read_through(const frocc_schema *schema, const uint8_t *data, size_t size,
                         unsigned choice) {
    static const frocc_format formats[] = {FROCC_FORMAT_CSV, FROCC_FORMAT_LIBSVM,
                                           FROCC_FORMAT_AUTO};
    char path[32];
    const char *const paths[1] = {path};
    frocc_reader_options options;
    frocc_reader *reader = NULL;
    FILE *file = tmpfile();
    if (file == NULL || fwrite(data, 1, size, file) != size || fflush(file) != 0)
        exit(0);
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(file));
    frocc_reader_options_init(&options);
    options.format = formats[choice % 3];
    options.ignore_extra = (int)(choice / 3 % 2);
    options.own_missing = (int)(choice / 6 % 2);
    options.missing = (frocc_missing)(choice / 12 % 4);
    options.threads = 1;
    frocc_status status = frocc_reader_open(paths, 1, &options, schema, &reader);
    for (bool is_over = false; status == FROCC_OK && !is_over;) {
        frocc_block block = {.struct_size = sizeof block};
        status = frocc_reader_next(reader, &block);
        is_over = status == FROCC_OK && block.rows.n_rows == 0;
        HOLDS(status != FROCC_OK || is_over ||
              block.rows.n_features == frocc_schema_features(schema));
    }
    frocc_reader_free(reader);
    fclose(file);
}

static void try_input(const uint8_t *data, size_t size) {
    if (size < 3)
        return;
    const size_t most = (size_t)data[1] << 8 | data[2];
    const size_t length = most < size - 3 ? most : size - 3;
    frocc_schema *schema = NULL;
    void *bytes = NULL;
    size_t saved = 0;
    const frocc_status status = frocc_schema_from_bytes(data + 3, length, &schema);
    HOLDS(status == FROCC_OK || (schema == NULL && frocc_last_error()[0] != '\0'));
    if (status != FROCC_OK)
        return;
    HOLDS(frocc_schema_to_bytes(schema, &bytes, &saved) == FROCC_OK);
    HOLDS(saved == length && memcmp(bytes, data + 3, length) == 0);
    describe(schema);
    read_through(schema, data + 3 + length, size - 3 - length, data[0]);
    frocc_bytes_free(bytes);
    frocc_schema_free(schema);
}
