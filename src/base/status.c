/* SPDX-License-Identifier: BSD-3-Clause */
/* Status names, the thread's last error, the version. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local frocc__error last;
static _Thread_local uint64_t n_kept;

/* Appends to a text in a buffer of FROCC_ERROR_SIZE; what has no room is cut. */
__attribute__((format(printf, 3, 0))) static void append(char *text, size_t *used,
                                                         const char *format, va_list args) {
    int length = vsnprintf(text + *used, FROCC_ERROR_SIZE - *used, format, args);
    *used = FROCC_MIN(*used + (size_t)FROCC_MAX(length, 0), (size_t)FROCC_ERROR_SIZE - 1);
}

__attribute__((format(printf, 3, 4))) static void put(char *text, size_t *used, const char *format,
                                                      ...) {
    va_list args;
    va_start(args, format);
    append(text, used, format, args);
    va_end(args);
}

static void put_place(const frocc__where *where, char *text, size_t *used) {
    const bool own = where->file == NULL;
    const bool is_within = where->line > 0 || where->row > 0 || where->column > 0;
    char column[FROCC__COLUMN_SIZE];
    if (!own)
        put(text, used, "%s: ", where->file);
    if (where->line > 0)
        put(text, used, "line %llu", (unsigned long long)where->line);
    else if (where->row > 0)
        put(text, used, "row %llu", (unsigned long long)where->row - own);
    if (where->column > 0)
        put(text, used, "%s%s", where->line > 0 || where->row > 0 ? ", " : "",
            frocc__show_column(where->column_name, (size_t)where->column - 1 - own, column));
    put(text, used, "%s", !is_within ? "" : own ? " (from 0): " : ": ");
}

/* What comes from files, their names among it, must not command a terminal: control characters of
 * one byte, and those that UTF-8 writes as two, become ?, and the length stays. */
static void disarm(char *text) {
    for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++) {
        if ((*c < 32 && *c != '\n') || *c == 127)
            *c = '?';
        else if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
            c[0] = c[1] = '?';
    }
}

static void cut_copy(char *copy, size_t size, const char *text) {
    snprintf(copy, size, "%s", text != NULL ? text : "");
}

static void keep(const frocc__where *where, const char *format, va_list args) {
    frocc__error error = {.line = where->line, .row = where->row, .column = where->column};
    size_t used = 0; /* the arguments may point into the last error, so it is written at the end */
    cut_copy(error.file, sizeof error.file, where->file);
    cut_copy(error.column_name, sizeof error.column_name, where->column_name);
    put_place(where, error.text, &used);
    error.what = used;
    append(error.text, &used, format, args);
    disarm(error.text);
    last = error;
    n_kept++;
}

uint64_t frocc__error_count(void) {
    return n_kept;
}

void frocc__set_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    keep(&(frocc__where){0}, format, args);
    va_end(args);
}

void frocc__set_error_at(const frocc__where *where, const char *format, ...) {
    va_list args;
    va_start(args, format);
    keep(where, format, args);
    va_end(args);
}

void frocc__error_is_at(const frocc__where *where) {
    const size_t length = strlen(where->file);
    if (last.file[0] != '\0')
        return;
    cut_copy(last.file, sizeof last.file, where->file);
    cut_copy(last.column_name, sizeof last.column_name, where->column_name);
    last.line = where->line;
    last.row = where->row;
    last.column = where->column;
    char shown[sizeof last.file];
    cut_copy(shown, sizeof shown, where->file);
    disarm(shown);
    if (strncmp(last.text, shown, length) == 0 && strncmp(last.text + length, ": ", 2) == 0)
        last.what = length + 2;
}

void frocc__error_move_line(uint64_t before) {
    if (last.line == 0)
        return;
    const frocc__error error = last;
    frocc__set_error_at(
        &(frocc__where){.file = error.file[0] != '\0' ? error.file : NULL,
                        .line = error.line + before,
                        .column = error.column,
                        .column_name = error.column_name[0] != '\0' ? error.column_name : NULL},
        "%s", error.text + error.what);
}

void frocc__error_copy(frocc__error *out) {
    *out = last;
}

void frocc__error_restore(const frocc__error *error) {
    last = *error;
}

const char *frocc_last_error(void) {
    return last.text;
}

void frocc_last_error_place(frocc_error_place *place) {
    if (place == NULL)
        return;
    const frocc_error_place found = {
        .struct_size = place->struct_size,
        .row = (int64_t)last.row - 1,
        .column = (int64_t)last.column - 1,
        .line = last.line > 0 ? (int64_t)last.line : -1,
        .file = last.file[0] != '\0' ? last.file : NULL,
        .column_name = last.column_name[0] != '\0' ? last.column_name : NULL,
        .what = last.text + last.what,
    };
    memcpy(place, &found, FROCC_MIN(place->struct_size, sizeof found));
}

const char *frocc__show(const char *text, size_t length, char out[FROCC__SHOWN_SIZE]) {
    size_t shown = FROCC_MIN(length, (size_t)30);
    while (shown < length && shown > 24 && ((unsigned char)text[shown] & 0xc0) == 0x80)
        shown--; /* not within a UTF-8 character */
    for (size_t i = 0; i < shown; i++)
        out[i] = (unsigned char)text[i] < 32 || text[i] == 127 ? '?' : text[i];
    strcpy(out + shown, shown < length ? "..." : "");
    return out;
}

const char *frocc__show_column(const char *name, size_t column, char out[FROCC__COLUMN_SIZE]) {
    char shown[FROCC__SHOWN_SIZE];
    if (name == NULL)
        snprintf(out, FROCC__COLUMN_SIZE, "column %zu", column + 1);
    else
        snprintf(out, FROCC__COLUMN_SIZE, "column %zu ('%s')", column + 1,
                 frocc__show(name, strlen(name), shown));
    return out;
}

const char *frocc_status_name(frocc_status status) {
    static const char *const names[] = {
        "FROCC_OK",           "FROCC_ERR_ARGUMENT", "FROCC_ERR_MEMORY",   "FROCC_ERR_DATA",
        "FROCC_ERR_SHAPE",    "FROCC_ERR_EMPTY",    "FROCC_ERR_FRAME",    "FROCC_ERR_FORMAT",
        "FROCC_ERR_VERSION",  "FROCC_ERR_IO",       "FROCC_ERR_CALLBACK", "FROCC_ERR_UNSUPPORTED",
        "FROCC_ERR_CANCELLED"};
    size_t index = (size_t)status;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown status";
}

#define TEXT_OF(number) #number
#define VERSION_TEXT(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)

const char *frocc_version(void) {
    return VERSION_TEXT(FROCC_VERSION_MAJOR, FROCC_VERSION_MINOR, FROCC_VERSION_PATCH);
}
