/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/message.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frocc_io.h"

static void print_sentence(const char *format, va_list values) {
    fflush(stdout);
    fputs("frocc: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
}

void die(int code, const char *format, ...) {
    va_list values;
    va_start(values, format);
    print_sentence(format, values);
    va_end(values);
    exit(code);
}

void note(const char *format, ...) {
    va_list values;
    va_start(values, format);
    print_sentence(format, values);
    va_end(values);
}

void check(frocc_status status, const char *what) {
    if (status == FROCC_OK) {
        return;
    }
    int code = status == FROCC_ERR_ARGUMENT ? EXIT_MISUSE : EXIT_FAILED;
    if (what) {
        die(code, "%s: %s", what, frocc_last_error());
    }
    die(code, "%s", frocc_last_error());
}

void check_writable(const char *path) {
    check(frocc_file_check(path ? path : "-"), NULL);
}

void *must_resize(void *memory, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) {
        die(EXIT_FAILED, "%zu items of %zu bytes do not fit in memory", count, size);
    }
    size_t bytes = count * size;
    void *resized = realloc(memory, bytes ? bytes : 1);
    if (!resized) {
        die(EXIT_FAILED, "no memory for %zu bytes; try fewer directions or a machine with more",
            bytes);
    }
    return resized;
}

void *must_allocate(size_t count, size_t size) {
    void *memory = must_resize(NULL, count, size);
    memset(memory, 0, count * size);
    return memory;
}

char *must_copy(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(must_resize(NULL, bytes, 1), text, bytes);
}
