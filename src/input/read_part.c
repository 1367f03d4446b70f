/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A part of the data, for one of several processes that read the same files: all bytes of all files
 * are shared out evenly, and a row belongs to the part in which its first byte lies. So parts have
 * no row in common and miss none, and nobody has to look at the bytes of another part.
 *
 * Where text is cut, a line begins behind the next line end. Only a quoted cell that spans lines
 * just there would make that wrong; the part in front of it, which knows of the quote, fails then.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/status.h"
#include "input/read_reader.h"

/* ---- Which bytes ----------------------------------------------------------------------------- */

static uint64_t share(uint64_t total, uint64_t part, uint64_t n_parts) {
    uint64_t whole = total / n_parts, rest = total % n_parts;
    return whole * part + rest * part / n_parts;
}

static frocc_status no_parts(const char *path) {
    if (strcmp(path, "-") != 0 && access(path, F_OK) != 0)
        return frocc__fail(FROCC_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    return frocc__fail(FROCC_ERR_UNSUPPORTED, "%s: a part of a pipe cannot be read; name files",
                       path);
}

frocc_status frocc__reader_share_out(frocc_reader *r) {
    uint64_t total = 0, before = 0, size;
    const uint64_t n_parts = FROCC_MAX(r->options.n_parts, (uint64_t)1);
    if (r->table.next != NULL) { /* the bytes of a table are its rows */
        r->ranges[0].end = r->table.n_rows;
        return n_parts == 1 ? FROCC_OK
                            : frocc__fail(FROCC_ERR_UNSUPPORTED,
                                          "%s: a part of a table cannot be read; give a part of it",
                                          r->paths[0]);
    }
    for (size_t i = 0; i < r->n_paths; i++) {
        if (!frocc__path_size(r->paths[i], &size)) {
            memset(r->ranges, 0, r->n_paths * sizeof *r->ranges);
            return n_parts == 1 ? FROCC_OK : no_parts(r->paths[i]);
        }
        r->ranges[i].end = size;
        r->ranges[i].is_empty = size == 0;
        total += size;
    }
    const uint64_t begin = share(total, r->options.part, n_parts);
    const uint64_t end = share(total, r->options.part + 1, n_parts);
    for (size_t i = 0; i < r->n_paths && n_parts > 1; i++) {
        size = r->ranges[i].end;
        r->ranges[i].begin = FROCC_MIN(FROCC_MAX(begin, before) - before, size);
        r->ranges[i].end = FROCC_MIN(FROCC_MAX(end, before) - before, size);
        before += size;
    }
    return FROCC_OK;
}

/* A file without a byte is the first part's, which is to find out that it has no rows. */
bool frocc__reader_has_rows_in(const frocc_reader *r, size_t file) {
    const frocc__range *range = &r->ranges[file];
    return r->options.n_parts <= 1 || range->begin < range->end ||
           (range->is_empty && r->options.part == 0);
}

/* What cannot be entered in the middle belongs as a whole to the part that it begins in. */
frocc_status frocc__reader_cut(frocc_reader *r, frocc__input *input) {
    frocc__range *range = &r->ranges[r->file];
    if (r->options.n_parts <= 1)
        return FROCC_OK;
    if (input->class->cut != NULL && !frocc__stream_is_packed(r->stream))
        return input->class->cut(input, range);
    if (range->begin > 0)
        range->end = range->begin;
    else if (range->end > 0)
        (void)frocc__path_size(r->paths[r->file], &range->end);
    return FROCC_OK;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

#define LOOK ((size_t)1 << 16)

/* Goes on behind the next line end. */
static frocc_status skip_line(frocc__lines *l) {
    const char *bytes, *found = NULL;
    size_t got = 0;
    for (size_t want = LOOK; found == NULL; want *= 2) {
        FROCC_TRY(frocc__stream_peek(l->stream, want, &bytes, &got));
        found = got > 0 ? memchr(bytes, '\n', got) : NULL;
        if (found == NULL && got < want)
            break; /* the file ends first */
    }
    got = found != NULL ? (size_t)(found - bytes) + 1 : got;
    l->taken += got;
    return frocc__stream_skip(l->stream, got);
}

frocc_status frocc__lines_cut(frocc__lines *l, frocc__range *range) {
    l->is_part = true;
    l->until = range->end;
    range->in_lines = range->begin > l->taken;
    if (!range->in_lines)
        return FROCC_OK;
    l->line = 1; /* frocc__reader_lines_before has those in front */
    FROCC_TRY(frocc__stream_skip(l->stream, range->begin - 1 - l->taken));
    l->taken = range->begin - 1;
    return skip_line(l);
}

/* Nothing has been handed out of the buffer: what was read begins with the byte l->taken. */
void frocc__lines_end_part(frocc__lines *l) {
    if (!l->is_part || l->ends_part)
        return;
    const uint64_t inside = l->until > l->taken ? l->until - l->taken : 0;
    if (inside == 0) {
        l->end = l->begin;
    } else if (l->end - l->begin < inside) {
        return;
    } else {
        const char *last = l->buffer + l->begin + inside - 1;
        const char *found = memchr(last, '\n', (size_t)(l->buffer + l->end - last));
        if (found == NULL)
            return;
        l->end = (size_t)(found - l->buffer) + 1;
    }
    l->at_end = l->ends_part = true;
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* They are counted only when something is to be said of a line: all of the file in front of the
 * part is read. The line that the part begins behind is one of them. */
uint64_t frocc__reader_lines_before(const frocc_reader *r, size_t file) {
    const frocc__range *range = &r->ranges[file];
    uint64_t left = range->begin - 1, lines = 1;
    frocc__stream *stream = NULL;
    size_t got = LOOK;
    if (!range->in_lines)
        return 0;
    char *bytes = frocc__alloc(LOOK, 1);
    if (bytes == NULL || frocc__stream_open(r->paths[file], false, &stream) != FROCC_OK)
        left = 0;
    while (left > 0 && got > 0) {
        if (frocc__stream_read(stream, bytes, (size_t)FROCC_MIN(left, LOOK), &got) != FROCC_OK)
            got = 0;
        lines += frocc__count_lines(bytes, bytes + got);
        left -= FROCC_MIN(left, (uint64_t)got);
    }
    frocc__stream_close(stream);
    frocc__free(bytes);
    return lines;
}

frocc_status frocc__reader_next_of_input(frocc_reader *r, const frocc__job *job) {
    FROCC_TRY(frocc__check_cancelled());
    frocc_status status = frocc__reader_in_file(r, r->input->class->next(r->input, job));
    if (status != FROCC_OK && r->ranges[r->file].in_lines) {
        frocc__error failure;
        frocc__error_copy(&failure);
        const uint64_t before = frocc__reader_lines_before(r, r->file);
        frocc__error_restore(&failure);
        frocc__error_move_line(before);
    }
    return status;
}
