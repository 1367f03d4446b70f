/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LIBSVM and svmlight: "label index:value index:value ... # comment", indices rising. Rows stay
 * sparse. A label may be missing, a qid:number behind it is skipped. Threads take pieces of whole
 * lines; a piece has at most as many entries as colons, so each knows where its entries go.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"
#include "numbers/number.h"

struct libsvm {
    frocc__input input;
    frocc__lines lines;
    uint64_t n_rows;
    struct parser *parsers;
    size_t n_parsers;
};

struct parser {
    const struct libsvm *file;
    const frocc__job *job;
    const frocc__plan *plan;
    frocc__survey *survey;
    const frocc__piece *piece;
    frocc__texts *texts;
    size_t first_row, first_entry; /* where they go in the buffer */
    size_t n_rows, n_entries, n_seen;
    size_t room; /* entries */
    bool drop;
};

/* The token at p, and what is wrong with it. */
static frocc_status token_error(const struct parser *s, const char *p, const char *what) {
    char shown[FROCC__SHOWN_SIZE];
    size_t length = 0;
    while (p[length] != ' ' && p[length] != '\t' && p[length] != '\n' && p[length] != '\r')
        length++;
    uint64_t line = s->piece->line + frocc__count_lines(s->piece->begin, p);
    return frocc__fail_at(FROCC_ERR_DATA,
                          &(frocc__where){.file = s->file->input.name, .line = line}, "'%s' %s",
                          frocc__show(p, length, shown), what);
}

static bool at_end(const char *p) {
    return frocc__at_line_end(p) || *p == '#';
}

static bool ends_token(const char *p) {
    return *p == ' ' || *p == '\t' || frocc__at_line_end(p);
}

/* The label in front; a first token with a colon is an entry already, and the label is empty. */
static frocc_status read_label(struct parser *s, const char **position) {
    const char *p = *position;
    while (!ends_token(p) && *p != ':' && *p != '\0')
        p++;
    if (*p == '\0')
        return token_error(s, *position,
                           "holds a NUL byte; this is no text file, or it is damaged");
    size_t length = *p == ':' ? 0 : (size_t)(p - *position);
    if (s->survey == NULL) {
        size_t row = s->first_row + s->n_rows;
        s->job->buffer->label_values[row] = (double)NAN;
        frocc__parse_f64(*position, length, &s->job->buffer->label_values[row]);
        FROCC_TRY(
            frocc__texts_add(s->texts, *position, length, &s->job->buffer->label_offsets[row]));
    }
    *position += length;
    return FROCC_OK;
}

static const char *read_index(const char *p, uint64_t *index) {
    uint64_t value = 0;
    const char *start = p;
    for (; *p >= '0' && *p <= '9'; p++)
        value = value > UINT32_MAX ? value : value * 10 + (uint64_t)(*p - '0');
    *index = value;
    return p > start && *p == ':' ? p + 1 : NULL;
}

static bool is_missing(const char *p, const char **end) {
    while (!ends_token(*end))
        ++*end;
    return frocc__is_missing(p, (size_t)(*end - p));
}

/* The value at p, of the entry that begins at token. */
static frocc_status read_value(struct parser *s, const char *token, const char *p, const char **end,
                               double *value) {
    float single = 0;
    bool f32 = s->plan->dtype == FROCC_F32;
    *end = f32 ? frocc__scan_f32(p, &single) : frocc__scan_f64(p, value);
    *value = f32 ? (double)single : *value;
    if (*end > p && ends_token(*end)) {
        if (!isfinite(*value))
            return token_error(s, token,
                               f32 ? "is too large for float32; expected less than 3.5e38"
                                   : "is too large for float64; expected less than "
                                     "1.8e308");
        return FROCC_OK;
    }
    *end = p;
    if (!is_missing(p, end))
        return token_error(s, token, "is no entry; expected index:value with a number");
    if (s->plan->missing == FROCC_MISSING_ERROR)
        return token_error(s, token,
                           "stands for a missing value; expected a number (try "
                           "missing = drop)");
    if (frocc__fills_missing(s->plan->missing))
        return token_error(s, token,
                           "stands for a missing value; sparse files have no means and keep none "
                           "(try missing = drop)");
    s->drop = true;
    *value = 0;
    return FROCC_OK;
}

static frocc_status check_index(struct parser *s, const char *token, uint64_t index,
                                int64_t previous) {
    uint64_t base = (uint64_t)s->plan->index_base;
    if ((int64_t)index <= previous)
        return token_error(s, token, "does not have a larger index than the entry before it");
    if (index > FROCC_MAX_FEATURES)
        return token_error(s, token, "has an index beyond 2^27");
    if (s->survey != NULL) {
        s->survey->zero_index = s->survey->zero_index || index == 0;
        s->survey->max_index = FROCC_MAX(s->survey->max_index, index);
        return FROCC_OK;
    }
    if (index < base)
        return token_error(s, token,
                           "has the index 0, and indices count from 1 here; fit with "
                           "index_base = 0 where they count from 0");
    if (index - base >= s->plan->n_columns && !s->plan->ignore_extra)
        return token_error(s, token,
                           "has an index beyond the features of the model; fit with a "
                           "larger n_columns, or give ignore_extra");
    return FROCC_OK;
}

static frocc_status read_entry(struct parser *s, const char **position, int64_t *previous) {
    uint64_t index = 0;
    double value = 0;
    const char *token = *position, *end = NULL, *p = read_index(token, &index);
    if (p == NULL)
        return token_error(s, token, "is no entry; expected index:value");
    FROCC_TRY(check_index(s, token, index, *previous));
    FROCC_TRY(read_value(s, token, p, &end, &value));
    *previous = (int64_t)index;
    *position = end;
    uint64_t feature = index - (uint64_t)s->plan->index_base;
    if (s->survey != NULL || feature >= s->plan->n_columns || s->n_entries == s->room)
        return FROCC_OK;
    if (s->plan->targets != NULL) {
        const frocc__target *target = &s->plan->targets[feature];
        if (target->action == FROCC__TO_NOTHING)
            return FROCC_OK;
        feature = target->feature;
    }
    size_t entry = s->first_entry + s->n_entries++;
    s->job->buffer->columns[entry] = (int32_t)feature;
    if (s->plan->dtype == FROCC_F32)
        ((float *)s->job->buffer->values)[entry] = (float)value;
    else
        ((double *)s->job->buffer->values)[entry] = value;
    return FROCC_OK;
}

static frocc_status parse_row(struct parser *s, const char **position) {
    size_t entries = s->n_entries;
    int64_t previous = -1;
    const char *p = *position;
    s->drop = false;
    FROCC_TRY(read_label(s, &p));
    p = frocc__skip_blanks(p, ' ');
    if (strncmp(p, "qid:", 4) == 0) {
        while (!ends_token(p))
            p++;
        p = frocc__skip_blanks(p, ' ');
    }
    while (!at_end(p)) {
        FROCC_TRY(read_entry(s, &p, &previous));
        p = frocc__skip_blanks(p, ' ');
    }
    *position = p;
    s->n_seen++;
    if (s->survey != NULL) {
        s->survey->n_rows++;
    } else if (s->drop) {
        s->n_entries = entries;
    } else {
        size_t row = s->first_row + s->n_rows++;
        s->job->buffer->row_numbers[row] = s->n_seen;
        s->job->buffer->row_start[row] = (int64_t)(s->n_entries - entries);
    }
    return FROCC_OK;
}

static frocc_status parse_piece(struct parser *s) {
    const char *p = s->piece->begin;
    while (p < s->piece->end) {
        p = frocc__skip_blanks(p, ' ');
        if (!at_end(p)) {
            const size_t entries = s->n_entries;
            const frocc_status status = parse_row(s, &p);
            if (status != FROCC_OK && !s->plan->lists_bad_rows)
                return status;
            if (status != FROCC_OK) {
                s->n_entries = entries;
                FROCC_TRY(frocc__bad_row_add(s->texts, status, ++s->n_seen, s->n_rows));
            }
        }
        p = (const char *)memchr(p, '\n', (size_t)(s->piece->end - p)) + 1;
    }
    return FROCC_OK;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static frocc_status prepare(struct libsvm *f, const frocc__job *job) {
    size_t n_pieces = f->lines.n_pieces, n_rows = 0, n_entries = 0;
    if (n_pieces > f->n_parsers) {
        frocc__free(f->parsers);
        f->n_parsers = 0;
        f->parsers = frocc__alloc(n_pieces, sizeof *f->parsers);
        if (f->parsers == NULL)
            return FROCC_ERR_MEMORY;
        f->n_parsers = n_pieces;
    }
    for (size_t i = 0; i < n_pieces; i++) {
        const frocc__piece *piece = &f->lines.pieces[i];
        struct parser *s = &f->parsers[i];
        memset(s, 0, sizeof *s);
        s->file = f;
        s->job = job;
        s->plan = job->plan;
        s->piece = piece;
        s->first_row = n_rows;
        s->first_entry = n_entries;
        s->room = frocc__count_byte(piece->begin, piece->end, ':', 0, NULL);
        n_rows += piece->lines;
        n_entries += s->room;
    }
    frocc__plan narrow = *job->plan; /* no dense values */
    narrow.n_features = 0;
    FROCC_TRY(frocc__row_buffer_reserve(job->buffer, &narrow, n_rows, n_pieces));
    job->buffer->n_features = job->plan->n_features;
    FROCC_TRY(frocc__row_buffer_reserve_sparse(job->buffer, n_rows, n_entries));
    for (size_t i = 0; i < n_pieces; i++)
        f->parsers[i].texts = &job->buffer->texts[i];
    return FROCC_OK;
}

static frocc_status parse_one(frocc__input *input, const frocc__job *job, size_t piece,
                              int thread) {
    struct parser *s = &((struct libsvm *)input)->parsers[piece];
    s->survey = job->surveys != NULL ? &job->surveys[thread] : NULL;
    return parse_piece(s);
}

static void close_gap(frocc__row_buffer *b, const struct parser *s, size_t entries) {
    size_t size = b->dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
    size_t to = b->n_rows, from = s->first_row, n = s->n_rows;
    memmove(b->row_numbers + to, b->row_numbers + from, n * sizeof *b->row_numbers);
    memmove(b->label_values + to, b->label_values + from, n * sizeof *b->label_values);
    memmove(b->label_offsets + to, b->label_offsets + from, n * sizeof *b->label_offsets);
    memmove(b->row_start + to, b->row_start + from, n * sizeof *b->row_start);
    if (s->n_entries == 0)
        return;
    memmove(b->columns + entries, b->columns + s->first_entry, s->n_entries * sizeof *b->columns);
    memmove((char *)b->values + entries * size, (char *)b->values + s->first_entry * size,
            s->n_entries * size);
}

/* row_start holds the rows' lengths until here. */
static frocc_status join(struct libsvm *f, frocc__row_buffer *b) {
    size_t entries = 0;
    for (size_t i = 0; i < f->lines.n_pieces; i++) {
        const struct parser *s = &f->parsers[i];
        FROCC_TRY(frocc__row_buffer_take_bad(b, s->texts, f->n_rows));
        close_gap(b, s, entries);
        for (size_t row = b->n_rows; row < b->n_rows + s->n_rows; row++) {
            b->row_numbers[row] += f->n_rows;
            b->labels[row] = s->texts->bytes + b->label_offsets[row];
        }
        b->n_rows += s->n_rows;
        b->dropped += s->n_seen - s->n_rows - s->texts->n_bad;
        f->n_rows += s->n_seen;
        entries += s->n_entries;
    }
    b->file_rows = f->n_rows;
    int64_t start = 0;
    for (size_t row = 0; row <= b->n_rows; row++) {
        int64_t length = row < b->n_rows ? b->row_start[row] : 0;
        b->row_start[row] = start;
        start += length;
    }
    return FROCC_OK;
}

static frocc_status libsvm_next(frocc__input *input, const frocc__job *job) {
    struct libsvm *f = (struct libsvm *)input;
    do {
        FROCC_TRY(frocc__lines_next(&f->lines, job->threads));
        FROCC_TRY(prepare(f, job));
        FROCC_TRY(frocc__lines_parse(&f->lines, input, job, parse_one));
        if (job->surveys != NULL) {
            job->buffer->n_rows = f->lines.n_pieces; /* not the end yet */
            return FROCC_OK;
        }
        FROCC_TRY(join(f, job->buffer));
    } while (job->buffer->n_rows + job->buffer->n_bad_rows == 0 && f->lines.n_pieces > 0);
    return FROCC_OK;
}

static void libsvm_close(frocc__input *input) {
    struct libsvm *f = (struct libsvm *)input;
    frocc__free(f->parsers);
    frocc__lines_clear(&f->lines);
}

static uint64_t line_in_piece(const struct parser *s, uint64_t row) {
    const char *p = s->piece->begin;
    while (p < s->piece->end) {
        row -= !at_end(frocc__skip_blanks(p, ' '));
        if (row == 0)
            break;
        p = (const char *)memchr(p, '\n', (size_t)(s->piece->end - p)) + 1;
    }
    return s->piece->line + frocc__count_lines(s->piece->begin, p);
}

static uint64_t libsvm_line(const frocc__input *input, uint64_t row) {
    const struct libsvm *f = (const struct libsvm *)input;
    uint64_t before = f->n_rows;
    for (size_t i = f->lines.n_pieces; i-- > 0;) {
        before -= f->parsers[i].n_seen;
        if (row > before)
            return line_in_piece(&f->parsers[i], row - before);
    }
    return 0;
}

static frocc_status libsvm_cut(frocc__input *input, frocc__range *range) {
    return frocc__lines_cut(&((struct libsvm *)input)->lines, range);
}

static const frocc__input_class libsvm_class = {
    .next = libsvm_next, .close = libsvm_close, .line = libsvm_line, .cut = libsvm_cut};

frocc_status frocc__libsvm_open(frocc__stream *stream, const frocc_reader_options *options,
                                frocc__input **input) {
    const char *name = frocc__stream_name(stream);
    if (options->label != NULL || options->id != NULL || options->n_categorical > 0)
        return frocc__fail(FROCC_ERR_UNSUPPORTED,
                           "%s: a LIBSVM file has its label in front and no other columns, so "
                           "label, id and categorical cannot be given",
                           name);
    const char *bytes;
    size_t got;
    FROCC_TRY(frocc__stream_peek(stream, 1, &bytes, &got));
    if (got == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "%s: is empty; expected rows of index:value", name);
    struct libsvm *f = frocc__alloc(1, sizeof *f);
    if (f == NULL)
        return FROCC_ERR_MEMORY;
    f->input = (frocc__input){.class = &libsvm_class, .sparse = true};
    f->lines = (frocc__lines){
        .stream = stream, .separator = ' ', .line = 1, .max_line = frocc__longest_line(options)};
    *input = &f->input;
    return FROCC_OK;
}
