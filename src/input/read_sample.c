/* SPDX-License-Identifier: BSD-3-Clause */
/* A look at the first lines of a text file, from which its columns are told. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"

/* Offsets within what is read at once have 32 bits. */
#define MAX_LINE_SIZE ((size_t)1 << 31)

size_t frocc__longest_line(const frocc_reader_options *options) {
    return FROCC_MIN(options->max_line, MAX_LINE_SIZE);
}

frocc_status frocc__line_too_long(const char *file, uint64_t line, size_t max_line) {
    return frocc__fail_at(FROCC_ERR_DATA, &(frocc__where){.file = file, .line = line},
                          "the line is longer than %zu bytes; if that is right, allow a "
                          "larger max_line",
                          max_line);
}

/* What was looked at, up to its last line end, or, of a whole file, with a line end behind it. */
static frocc_status copy(const char *bytes, size_t got, frocc__sample *s) {
    while (!s->whole && got > 0 && bytes[got - 1] != '\n')
        got--;
    frocc__free(s->text);
    s->text = frocc__alloc(got + 64, 1);
    if (s->text == NULL)
        return FROCC_ERR_MEMORY;
    memcpy(s->text, bytes, got);
    if (got > 0 && s->text[got - 1] != '\n')
        s->text[got++] = '\n';
    s->end = s->text + got;
    return FROCC_OK;
}

frocc_status frocc__sample_take(frocc__stream *stream, size_t first_look, size_t max_line,
                                bool (*is_enough)(const frocc__sample *sample), frocc__sample *s) {
    const bool live = frocc__stream_is_live(stream);
    size_t taken = 0;
    for (size_t size = first_look;;) {
        const char *bytes;
        const size_t least = live ? taken + 1 : size;
        FROCC_TRY(frocc__stream_peek_ready(stream, least, size, &bytes, &taken));
        s->whole = taken < least;
        if (taken > max_line && memchr(bytes, '\n', taken) == NULL)
            return frocc__line_too_long(frocc__stream_name(stream), 1, max_line);
        FROCC_TRY(copy(bytes, taken, s));
        if (s->whole || is_enough(s))
            return FROCC_OK;
        if (taken > 2 * max_line) /* it would be enough, but for a line too long */
            return frocc__line_too_long(frocc__stream_name(stream),
                                        1 + frocc__count_lines(s->text, s->end), max_line);
        if (taken == size) /* one line too long is seen first */
            size = FROCC_MIN(4 * size, size <= max_line ? max_line + 1 : 2 * max_line + 1);
    }
}
