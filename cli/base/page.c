/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "frocc_io.h"

struct cli_page {
    char *bytes;
    size_t used, capacity;
};

cli_page *page_begin(void) {
    cli_page *page = must_allocate(1, sizeof *page);
    page->capacity = (size_t)1 << 16;
    page->bytes = must_allocate(page->capacity, 1);
    return page;
}

static char *room_for(cli_page *page, size_t count) {
    if (page->capacity - page->used < count) {
        page->capacity = 2 * page->capacity + count;
        page->bytes = must_resize(page->bytes, page->capacity, 1);
    }
    return page->bytes + page->used;
}

void page_write(cli_page *page, const void *bytes, size_t count) {
    if (count) {
        memcpy(room_for(page, count), bytes, count);
        page->used += count;
    }
}

void page_text(cli_page *page, const char *text) {
    page_write(page, text, strlen(text));
}

void page_format(cli_page *page, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    if (length < 0) {
        die(EXIT_FAILED, "cannot format text: %s", format);
    }
    char *room = room_for(page, (size_t)length + 1);
    va_start(values, format);
    vsnprintf(room, (size_t)length + 1, format, values);
    va_end(values);
    page->used += (size_t)length;
}

void page_finish(cli_page *page, const char *path) {
    check(frocc_file_replace(path ? path : "-", page->bytes, page->used), NULL);
    free(page->bytes);
    free(page);
}
