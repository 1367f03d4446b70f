/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A text file as whole lines, a buffer at a time, cut into pieces that threads can parse on their
 * own.
 *
 * Where a buffer has no quote, any line end is a good cut, so that is tried first; quotes are
 * looked for when lines are counted. Where there are some, one pass hops from quote to quote to
 * know which line ends lie outside of them; a quote opens a cell only where a cell begins, and
 * comment lines have no cells.
 */
#include <string.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/status.h"
#include "base/threads.h"
#include "input/read.h"
#include "numbers/number.h"

#define BYTES_EACH ((size_t)1 << 19) /* for each thread: text and values stay in its cache */
#define PIECES 16                    /* of the buffer, for each thread */
#define MAX_QUOTED_SIZE ((size_t)1 << 26)

size_t frocc__count_lines(const char *begin, const char *end) {
    return frocc__count_byte(begin, end, '\n', 0, NULL);
}

static frocc_status add_piece(frocc__lines *l, const char *begin, const char *end) {
    if (l->n_pieces == l->pieces_size) {
        size_t size = 2 * l->pieces_size + 8;
        frocc__piece *pieces =
            frocc__grow(l->pieces, l->n_pieces * sizeof *pieces, size, sizeof *pieces);
        if (pieces == NULL)
            return FROCC_ERR_MEMORY;
        l->pieces = pieces;
        l->pieces_size = size;
    }
    l->pieces[l->n_pieces++] = (frocc__piece){.begin = begin, .end = end};
    return FROCC_OK;
}

/* What the cutter knows while it walks over the buffer. */
struct cutter {
    size_t piece_size;
    const char *piece; /* where the piece under way begins */
    const char *line;  /* where the last line known begins */
    const char *open;  /* a quote without its partner, or NULL */
};

/* All line ends from p to end are outside quotes: cuts there as soon as a piece is long enough. */
static frocc_status cut_plain(frocc__lines *l, struct cutter *c, const char *p, const char *end) {
    while ((size_t)(end - c->piece) > c->piece_size) {
        const char *from = FROCC_MAX(p, c->piece + c->piece_size);
        const char *line_end = from < end ? memchr(from, '\n', (size_t)(end - from)) : NULL;
        if (line_end == NULL)
            break;
        FROCC_TRY(add_piece(l, c->piece, line_end + 1));
        c->piece = c->line = p = line_end + 1;
    }
    for (const char *q = end; q > p; q--)
        if (q[-1] == '\n') {
            c->line = q;
            break;
        }
    return FROCC_OK;
}

/* Whether the quote begins a cell: only blanks between it and a separator or the line's start. */
static bool opens_cell(const frocc__lines *l, const struct cutter *c, const char *quote) {
    const char *p = quote;
    if (frocc__is_comment(c->line))
        return false;
    while (p > c->line && (p[-1] == ' ' || (p[-1] == '\t' && l->separator != '\t')))
        p--;
    return p == c->line || p[-1] == l->separator || (l->separator == ' ' && p < quote);
}

static const char *closing_quote(const char *open, const char *end) {
    const char *p = open + 1;
    while ((p = memchr(p, '"', (size_t)(end - p))) != NULL) {
        if (p + 1 == end || p[1] != '"')
            return p;
        p += 2;
    }
    return NULL;
}

static frocc_status cut(frocc__lines *l, struct cutter *c, const char *end) {
    const char *p = c->piece, *quote;
    while ((quote = memchr(p, '"', (size_t)(end - p))) != NULL) {
        FROCC_TRY(cut_plain(l, c, p, quote));
        p = quote + 1;
        if (!opens_cell(l, c, quote))
            continue;
        const char *close = closing_quote(quote, end);
        if (close == NULL) {
            c->open = quote;
            return FROCC_OK;
        }
        p = close + 1;
    }
    return cut_plain(l, c, p, end);
}

/* Fills the buffer behind what is left over, up to size bytes in all. */
static frocc_status fill(frocc__lines *l, size_t size) {
    if (l->begin > 0)
        memmove(l->buffer, l->buffer + l->begin, l->end - l->begin);
    l->end -= l->begin;
    l->begin = 0;
    if (size > l->size) {
        /* Room in front and behind, for loads that reach beyond a cell. */
        char *grown = frocc__grow(l->memory, l->memory == NULL ? 0 : l->end + FROCC__NUMBER_MARGIN,
                                  size + 4 * FROCC__NUMBER_MARGIN, 1);
        if (grown == NULL)
            return FROCC_ERR_MEMORY;
        l->memory = grown;
        l->buffer = grown + FROCC__NUMBER_MARGIN;
        l->size = size;
    }
    size_t got = 0, room = size - l->end;
    if (!l->at_end && room > 0) {
        FROCC_TRY(frocc__stream_read_ready(l->stream, l->buffer + l->end, room, &got));
        l->at_end = frocc__stream_is_live(l->stream) ? got == 0 : got < room;
    }
    l->end += got;
    return FROCC_OK;
}

static frocc_status unclosed(const frocc__lines *l, const char *open) {
    uint64_t line = l->line + frocc__count_lines(l->buffer + l->begin, open);
    return frocc__fail_at(FROCC_ERR_DATA,
                          &(frocc__where){.file = frocc__stream_name(l->stream), .line = line},
                          "a quote is opened and never closed; quotes within a quoted cell are "
                          "written twice");
}

static frocc_status cut_within(const frocc__lines *l, const char *open) {
    uint64_t line = l->line + frocc__count_lines(l->buffer + l->begin, open);
    return frocc__fail_at(FROCC_ERR_UNSUPPORTED,
                          &(frocc__where){.file = frocc__stream_name(l->stream), .line = line},
                          "a quoted cell goes over the line's end just where the parts of the file "
                          "are cut; take another number of parts, or whole files");
}

/* Counts the lines of every piece; whether there are quotes in any. */
static bool count_pieces(frocc__lines *l) {
    for (size_t i = 0; i < l->n_pieces; i++) {
        frocc__piece *piece = &l->pieces[i];
        piece->lines = frocc__count_byte(piece->begin, piece->end, '\n', '"', &piece->has_quotes);
    }
    bool has_quotes = false;
    for (size_t i = 0; i < l->n_pieces; i++)
        has_quotes = has_quotes || l->pieces[i].has_quotes;
    return has_quotes;
}

/* Cuts what is in the buffer, at any line end or only at those outside quotes. */
static frocc_status cut_buffer(frocc__lines *l, size_t piece_size, bool quotes) {
    const char *end = l->buffer + l->end;
    struct cutter c = {piece_size, l->buffer, l->buffer, NULL};
    l->n_pieces = 0;
    FROCC_TRY(quotes ? cut(l, &c, end) : cut_plain(l, &c, l->buffer, end));
    if (c.open != NULL && (l->at_end || (size_t)(end - c.open) > MAX_QUOTED_SIZE))
        return l->ends_part ? cut_within(l, c.open) : unclosed(l, c.open);
    return c.line > c.piece ? add_piece(l, c.piece, c.line) : FROCC_OK;
}

static frocc_status make_pieces(frocc__lines *l, size_t piece_size) {
    FROCC_TRY(cut_buffer(l, piece_size, false));
    bool has_quotes = count_pieces(l);
    if (l->quotes && (has_quotes || l->n_pieces == 0)) {
        FROCC_TRY(cut_buffer(l, piece_size, true));
        (void)count_pieces(l);
    }
    for (size_t i = 0; i < l->n_pieces; i++) {
        l->pieces[i].line = l->line;
        l->line += l->pieces[i].lines;
    }
    return FROCC_OK;
}

/* Hands out no more lines than are wanted; the others wait in the buffer. */
static void limit_lines(frocc__lines *l) {
    size_t left = l->most_lines, i = 0;
    while (i < l->n_pieces && l->pieces[i].lines <= left)
        left -= l->pieces[i++].lines;
    if (i == l->n_pieces)
        return;
    frocc__piece *piece = &l->pieces[i];
    const size_t kept = i == 0 ? FROCC_MAX(left, (size_t)1) : left;
    const char *end = piece->begin;
    for (size_t line = 0; line < kept; line++)
        end = (const char *)memchr(end, '\n', (size_t)(piece->end - end)) + 1;
    l->n_pieces = i + (kept > 0);
    l->line = piece->line + kept;
    piece->end = end;
    piece->lines = kept;
}

/* Only the last line of a piece can be long, as one ends with the first line that makes it long
 * enough; a line that has no piece yet may be it, too. */
static frocc_status check_lines(const frocc__lines *l) {
    for (size_t i = 0; i < l->n_pieces; i++) {
        const frocc__piece *piece = &l->pieces[i];
        const char *end = piece->end - 1, *begin = end;
        if ((size_t)(piece->end - piece->begin) <= l->max_line)
            continue;
        while (begin > piece->begin && begin[-1] != '\n')
            begin--;
        if ((size_t)(end - begin) > l->max_line)
            return frocc__line_too_long(frocc__stream_name(l->stream),
                                        piece->line + piece->lines - 1, l->max_line);
    }
    return l->n_pieces > 0 || l->end <= l->max_line
               ? FROCC_OK
               : frocc__line_too_long(frocc__stream_name(l->stream), l->line, l->max_line);
}

frocc_status frocc__lines_next(frocc__lines *l, int threads) {
    size_t each = l->bytes_each != 0 ? FROCC_MIN(l->bytes_each, BYTES_EACH) : BYTES_EACH;
    size_t want = each * (size_t)threads;
    l->n_pieces = 0;
    for (; l->n_pieces == 0; want = l->end == l->size ? 2 * want : want) {
        FROCC_TRY(fill(l, FROCC_MAX(want, l->size)));
        frocc__lines_end_part(l);
        if (l->end == 0)
            return FROCC_OK;
        /* The last line may lack its end. */
        if (l->at_end && l->buffer[l->end - 1] != '\n')
            l->buffer[l->end++] = '\n';
        memset(l->buffer + l->end, 0, FROCC__NUMBER_PADDING);
        FROCC_TRY(make_pieces(l, each / PIECES));
        FROCC_TRY(check_lines(l));
        if (l->most_lines > 0)
            limit_lines(l);
    }
    l->begin = (size_t)(l->pieces[l->n_pieces - 1].end - l->buffer);
    l->taken += l->begin;
    return FROCC_OK;
}

typedef struct parsing {
    frocc__lines *lines;
    frocc__input *input;
    const frocc__job *job;
    frocc__piece_fn parse;
} parsing;

static void parse_part(void *context, int t) {
    const parsing *p = context;
    for (size_t i = (size_t)t; i < p->lines->n_pieces; i += (size_t)p->job->threads) {
        frocc__piece *piece = &p->lines->pieces[i];
        piece->status = p->parse(p->input, p->job, i, t);
        if (piece->status != FROCC_OK)
            frocc__error_copy(&piece->error);
    }
}

frocc_status frocc__lines_parse(frocc__lines *l, frocc__input *input, const frocc__job *job,
                                frocc__piece_fn parse) {
    /* Of no more pieces than threads, each thread has one. */
    int team = (int)FROCC_MIN((size_t)job->threads, l->n_pieces);
    frocc__run_team(team, parse_part, &(parsing){l, input, job, parse});
    for (size_t i = 0; i < l->n_pieces; i++)
        if (l->pieces[i].status != FROCC_OK) {
            frocc__error_restore(&l->pieces[i].error);
            return l->pieces[i].status;
        }
    return FROCC_OK;
}

void frocc__lines_clear(frocc__lines *l) {
    frocc__free(l->memory);
    frocc__free(l->pieces);
}
