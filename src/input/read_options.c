/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reader is told: checked, and copied, as the caller's texts may go. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read_reader.h"

void frocc_reader_options_init(frocc_reader_options *options) {
    if (options == NULL)
        return;
    *options = (frocc_reader_options){.struct_size = sizeof *options,
                                      .index_base = -1,
                                      .dtype = FROCC_F64,
                                      .max_columns = (size_t)1 << 20,
                                      .max_line = (size_t)1 << 26};
}

static frocc_status check_list(const char *what, const char *const *names, size_t count) {
    if (count > 0 && names == NULL)
        return frocc__fail(FROCC_ERR_ARGUMENT, "%s is NULL, but has a number of columns", what);
    for (size_t i = 0; i < count; i++)
        if (names[i] == NULL)
            return frocc__fail(FROCC_ERR_ARGUMENT, "%s: column %zu (from 0) is NULL", what, i);
    return FROCC_OK;
}

frocc_status frocc__reader_check(const frocc_reader_options *o, const frocc_schema *schema) {
    char c = o->separator;
    if ((int)o->format < 0 || o->format > FROCC_FORMAT_JSONL || (int)o->header < 0 ||
        o->header > FROCC_HEADER_NO || (int)o->missing < 0 || o->missing > FROCC_MISSING_KEEP ||
        (o->dtype != FROCC_F32 && o->dtype != FROCC_F64) || o->index_base < -1 || o->index_base > 1)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "a reader option has a value that it cannot have; start with "
                           "frocc_reader_options_init");
    if (c == '"' || c == '\n' || c == '\r' || c == '.' || c == '-' || c == '+' || c == '#' ||
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "the separator '%c' cannot be told from the cells; use , ; | a tab or a "
                           "space",
                           c);
    if (o->time_parts < 0 || o->time_parts > 15)
        return frocc__fail(FROCC_ERR_ARGUMENT, "time_parts is no sum of parts of a time");
    FROCC_TRY(check_list("use", o->use, o->n_use));
    FROCC_TRY(check_list("drop", o->drop, o->n_drop));
    FROCC_TRY(check_list("categorical", o->categorical, o->n_categorical));
    FROCC_TRY(check_list("time", o->time, o->n_time));
    FROCC_TRY(check_list("carry", o->carry, o->n_carry));
    FROCC_TRY(check_list("na", o->na, o->n_na));
    if (o->n_parts > 0 && o->part >= o->n_parts)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "part %llu is asked for; the %llu parts are numbered from 0",
                           (unsigned long long)o->part, (unsigned long long)o->n_parts);
    if (o->list_bad_rows != 0 && (schema == NULL || o->n_parts > 0))
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "bad rows are listed of whole files, where a schema says what good ones "
                           "are");
    if (schema != NULL &&
        (o->n_use > 0 || o->n_drop > 0 || o->n_categorical > 0 || o->n_time > 0 || o->n_na > 0))
        return frocc__fail(
            FROCC_ERR_ARGUMENT,
            "use, drop, categorical, time and na are settled when a model is fitted; they "
            "cannot be given together with its schema");
    return FROCC_OK;
}

frocc_status frocc__check_columns(const char *file, size_t n_columns,
                                  const frocc_reader_options *options) {
    if (n_columns <= options->max_columns)
        return FROCC_OK;
    return frocc__fail(FROCC_ERR_DATA,
                       "%s: has %zu columns, where at most %zu are expected; if that is right, "
                       "allow a larger max_columns",
                       file, n_columns, options->max_columns);
}

frocc_status frocc__copy_text(const char *text, char **copy) {
    if (text == NULL)
        return FROCC_OK;
    *copy = frocc__alloc(strlen(text) + 1, 1);
    if (*copy == NULL)
        return FROCC_ERR_MEMORY;
    strcpy(*copy, text);
    return FROCC_OK;
}

frocc_status frocc__reader_copy(frocc_reader *r, const char *const *paths, size_t n_paths,
                                const frocc_reader_options *options) {
    size_t standard = 0;
    frocc_reader_options_init(&r->options);
    if (options != NULL) {
        FROCC_REQUIRE_SIZE(options, frocc_reader_options);
        memcpy(&r->options, options, FROCC_MIN(options->struct_size, sizeof r->options));
    }
    r->paths = frocc__alloc(n_paths, sizeof *r->paths);
    r->pipes = frocc__alloc(n_paths, sizeof *r->pipes);
    r->ranges = frocc__alloc(n_paths, sizeof *r->ranges);
    r->has_rows = frocc__alloc(n_paths, sizeof *r->has_rows);
    if (r->paths == NULL || r->pipes == NULL || r->ranges == NULL || r->has_rows == NULL)
        return FROCC_ERR_MEMORY;
    r->n_paths = n_paths;
    for (size_t i = 0; i < n_paths; i++) {
        FROCC_REQUIRE(paths[i]);
        FROCC_TRY(frocc__copy_text(paths[i], &r->paths[i]));
        standard += strcmp(paths[i], "-") == 0;
    }
    if (standard > 1)
        return frocc__fail(FROCC_ERR_ARGUMENT, "the standard input '-' is named twice");
    FROCC_TRY(frocc__copy_text(r->options.label, &r->label));
    FROCC_TRY(frocc__copy_text(r->options.id, &r->id));
    return frocc__copy_text(r->options.array, &r->array);
}
