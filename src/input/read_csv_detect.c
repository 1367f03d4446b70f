/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the first rows of a CSV file tell: number of columns, header; read_csv_separator.c has the
 * rest.
 *
 * Header: the first row has text where the second has a number
 * or a time stamp, or neither at all. Where a model says what the columns are, it is one that has
 * their names, or text where the model has numbers or times; so that of a pipe that is alive the
 * first line is enough.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read_csv_detect.h"
#include "numbers/number.h"
#include "schema/time_stamp.h"

#define SAMPLE_SIZE ((size_t)1 << 16)

const char *frocc__skip_blanks(const char *p, char separator) {
    while (*p == ' ' || (*p == '\t' && separator != '\t'))
        p++;
    return p;
}

static const char *quoted_cell(const char *p, const char *end, char separator, frocc__cell *cell) {
    const char *q = p + 1;
    *cell = (frocc__cell){.text = q};
    for (;; q += 2) {
        q = memchr(q, '"', (size_t)(end - q));
        if (q == NULL)
            return NULL;
        if (q[1] != '"')
            break;
        cell->doubled = true;
    }
    cell->length = (size_t)(q - cell->text);
    const char *after = frocc__skip_blanks(q + 1, separator);
    if (frocc__at_line_end(after))
        return after;
    if (separator == ' ')
        return after > q + 1 ? q + 1 : NULL;
    return *after == separator ? after : NULL;
}

const char *frocc__csv_cell(const char *p, const char *end, char separator, frocc__cell *cell) {
    p = frocc__skip_blanks(p, separator);
    if (*p == '"')
        return quoted_cell(p, end, separator, cell);
    const char *q = p;
    while (*q != separator && *q != '\n' && !(separator == ' ' && *q == '\t'))
        q++;
    const char *last = q;
    if (last > p && *q == '\n' && last[-1] == '\r')
        q = --last;
    while (last > p && (last[-1] == ' ' || last[-1] == '\t'))
        last--;
    *cell = (frocc__cell){.text = p, .length = (size_t)(last - p)};
    return q;
}

size_t frocc__csv_unquote(const frocc__cell *cell, char *out) {
    size_t length = 0;
    for (size_t i = 0; i < cell->length; i++) {
        out[length++] = cell->text[i];
        if (cell->text[i] == '"' && cell->doubled)
            i++;
    }
    out[length] = '\0';
    return length;
}

/* Numbers with commas count as such where they can be told from two cells. */
enum frocc__cell_kind frocc__csv_kind(const frocc__cell *cell) {
    char out[FROCC__COMMA_SIZE];
    if (frocc__decimal_comma(cell->text, cell->length, out) > 0)
        return FROCC__NUMBER_CELL;
    double value;
    frocc__time_stamp stamp;
    if (frocc__is_missing(cell->text, cell->length))
        return FROCC__MISSING_CELL;
    if (frocc__parse_f64(cell->text, cell->length, &value))
        return FROCC__NUMBER_CELL;
    return frocc__time_stamp_read(cell->text, cell->length, false, &stamp) ||
                   frocc__time_stamp_read(cell->text, cell->length, true, &stamp)
               ? FROCC__TIME_CELL
               : FROCC__TEXT_CELL;
}

/* ---- The sample ------------------------------------------------------------------------------ */

const char *frocc__csv_next_line(const char *p, const char *end) {
    const char *line_end = memchr(p, '\n', (size_t)(end - p));
    return line_end == NULL ? end : line_end + 1;
}

/* Skips blank lines and comments. */
const char *frocc__csv_next_row(const char *p, const char *end) {
    while (p < end) {
        const char *q = p;
        while (*q == ' ')
            q++;
        if (!frocc__is_comment(p) && !frocc__at_line_end(q))
            break;
        p = frocc__csv_next_line(p, end);
    }
    return p;
}

/* The row behind the one at p; NULL when it has no end in the sample. */
const char *frocc__csv_skip_row(const char *p, const char *end, char separator, size_t *n_cells) {
    frocc__cell cell;
    *n_cells = 0;
    if (separator == ' ')
        p = frocc__skip_blanks(p, separator);
    for (;;) {
        p = frocc__csv_cell(p, end, separator, &cell);
        if (p == NULL)
            return NULL;
        *n_cells += 1;
        if (separator == ' ')
            p = frocc__skip_blanks(p, separator);
        if (frocc__at_line_end(p))
            return frocc__csv_next_line(p, end);
        p += separator != ' ';
    }
}

static bool has_two_rows(const frocc__sample *s) {
    const char *p = frocc__csv_next_row(s->text, s->end);
    p = p < s->end ? frocc__csv_next_line(p, s->end) : p;
    return frocc__csv_next_row(p, s->end) < s->end;
}

/* Whether there is a row; a quote that is open may go on in the next line. */
static bool has_row(const frocc__sample *s) {
    const char *p = frocc__csv_next_row(s->text, s->end);
    size_t quotes = 0;
    for (; p < s->end; p++) {
        quotes += *p == '"';
        if (*p == '\n' && quotes % 2 == 0)
            return true;
    }
    return false;
}

/* ---- Header ---------------------------------------------------------------------------------- */

static frocc_status kinds_of_row(const char *p, const char *end, char separator,
                                 enum frocc__cell_kind *kinds, size_t count) {
    p = separator == ' ' ? frocc__skip_blanks(p, separator) : p;
    for (size_t i = 0; i < count; i++) {
        frocc__cell cell;
        p = frocc__csv_cell(p, end, separator, &cell);
        if (p == NULL)
            return FROCC_ERR_DATA;
        kinds[i] = frocc__csv_kind(&cell);
        p = separator == ' ' ? frocc__skip_blanks(p, separator) : p + 1;
    }
    return FROCC_OK;
}

static bool looks_like_header(const enum frocc__cell_kind *first,
                              const enum frocc__cell_kind *second, size_t count) {
    bool any_text = false, any_number = false;
    for (size_t i = 0; i < count; i++) {
        if (first[i] == FROCC__TEXT_CELL && second != NULL &&
            (second[i] == FROCC__NUMBER_CELL || second[i] == FROCC__TIME_CELL))
            return true;
        if (first[i] == FROCC__TIME_CELL && second != NULL && second[i] == FROCC__NUMBER_CELL)
            return true; /* columns may be called by dates */
        any_text = any_text || first[i] == FROCC__TEXT_CELL;
        any_number = any_number || first[i] == FROCC__NUMBER_CELL || first[i] == FROCC__TIME_CELL;
    }
    return any_text && !any_number;
}

/* A column without a name is called by its number. */
static char *copy_name(const frocc__cell *cell, size_t number) {
    char *name = frocc__alloc(cell->length + 24, 1);
    if (name != NULL && frocc__csv_unquote(cell, name) == 0)
        snprintf(name, 24, "%zu", number);
    return name;
}

/* Whether the row at p has the names of all the features. */
frocc_status frocc__csv_has_names(const char *p, const char *end, char separator, size_t n_cells,
                                  const frocc_schema *schema, bool *result) {
    frocc__vocab names = {0};
    frocc_status status = FROCC_OK;
    *result = false;
    if (schema == NULL || !schema->named)
        return FROCC_OK;
    p = separator == ' ' ? frocc__skip_blanks(p, ' ') : p;
    for (size_t i = 0; i < n_cells && status == FROCC_OK; i++) {
        frocc__cell cell;
        p = frocc__csv_cell(p, end, separator, &cell);
        char *name = copy_name(&cell, i + 1);
        status = name == NULL ? FROCC_ERR_MEMORY : frocc__vocab_add(&names, name, strlen(name));
        frocc__free(name);
        p = separator == ' ' ? frocc__skip_blanks(p, ' ') : p + 1;
    }
    *result = status == FROCC_OK;
    for (size_t i = 0; i < schema->n_columns && *result; i++) {
        const struct frocc__column *column = &schema->columns[i];
        *result = !frocc__is_feature(column) ||
                  frocc__vocab_find(&names, column->name, strlen(column->name)) != FROCC__NOT_FOUND;
    }
    frocc__vocab_clear(&names);
    return status;
}

/* Whether a schema can say which of these columns are numbers; then what the first row says. */
static bool header_by_schema(const frocc_schema *schema, const enum frocc__cell_kind *first,
                             size_t count, bool *header) {
    bool any_text = false, any_number = false;
    if (schema == NULL || schema->n_columns != count)
        return false;
    *header = false;
    for (size_t i = 0; i < count; i++) {
        const struct frocc__column *c = schema->columns == NULL ? NULL : &schema->columns[i];
        bool is_number = c == NULL || (frocc__is_feature(c) && !c->text);
        bool is_time = c != NULL && (c->time || !frocc__is_feature(c));
        any_text = any_text || first[i] == FROCC__TEXT_CELL;
        any_number = any_number || first[i] == FROCC__NUMBER_CELL || first[i] == FROCC__TIME_CELL;
        *header = *header || (first[i] == FROCC__TEXT_CELL && is_number) ||
                  (first[i] == FROCC__TIME_CELL && is_number && !is_time);
    }
    *header = *header || (any_text && !any_number);
    return true;
}

static frocc_status find_header(const frocc__sample *s, const char *rows, const char *second,
                                const frocc__csv_shape *shape, const frocc_schema *schema,
                                bool is_lenient, bool *header) {
    size_t count = shape->n_columns, other = 0;
    FROCC_TRY(frocc__csv_has_names(rows, s->end, shape->separator, count, schema, header));
    if (*header)
        return FROCC_OK;
    enum frocc__cell_kind *kinds = frocc__alloc(2 * count, sizeof *kinds);
    if (kinds == NULL)
        return FROCC_ERR_MEMORY;
    bool two = second < s->end &&
               frocc__csv_skip_row(second, s->end, shape->separator, &other) != NULL &&
               other == count;
    kinds_of_row(rows, s->end, shape->separator, kinds, count);
    if (two)
        kinds_of_row(second, s->end, shape->separator, kinds + count, count);
    /* A half line of a log is none. */
    const bool may_be_half = is_lenient && schema != NULL && schema->n_columns != count;
    if (!header_by_schema(schema, kinds, count, header) && !may_be_half)
        *header = looks_like_header(kinds, two ? kinds + count : NULL, count);
    frocc__free(kinds);
    return FROCC_OK;
}

void frocc__names_free(char **names, size_t count) {
    for (size_t i = 0; names != NULL && i < count; i++)
        frocc__free(names[i]);
    frocc__free(names);
}

frocc_status frocc__names_check(const char *file, char *const *names, size_t count) {
    frocc__vocab seen = {0};
    frocc_status status = FROCC_OK;
    for (size_t i = 0; i < count && status == FROCC_OK; i++) {
        size_t length = strlen(names[i]), before = seen.count;
        char shown[FROCC__SHOWN_SIZE];
        status = frocc__vocab_add(&seen, names[i], length);
        if (status == FROCC_OK && seen.count == before)
            status = frocc__fail(FROCC_ERR_DATA,
                                 "%s: the header has the name '%s' twice, at columns %zu and %zu; "
                                 "rename one",
                                 file, frocc__show(names[i], length, shown),
                                 frocc__vocab_find(&seen, names[i], length) + 1, i + 1);
    }
    frocc__vocab_clear(&seen);
    return status;
}

static frocc_status copy_line(const char *begin, const char *end, char **line) {
    while (end > begin && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    const size_t length = (size_t)(end - begin);
    *line = memchr(begin, '\n', length) != NULL ? NULL : frocc__alloc(length + 1, 1);
    if (*line == NULL)
        return memchr(begin, '\n', length) != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    memcpy(*line, begin, length);
    return FROCC_OK;
}

static frocc_status read_names(const char *file, const frocc__sample *s, const char *row,
                               frocc__csv_shape *shape) {
    const char *p = row;
    bool is_text = false;
    shape->names = frocc__alloc(shape->n_columns, sizeof *shape->names);
    if (shape->names == NULL)
        return FROCC_ERR_MEMORY;
    p = shape->separator == ' ' ? frocc__skip_blanks(p, ' ') : p;
    for (size_t i = 0; i < shape->n_columns; i++) {
        frocc__cell cell;
        p = frocc__csv_cell(p, s->end, shape->separator, &cell);
        if (memchr(cell.text, '\0', cell.length) != NULL)
            return frocc__fail(FROCC_ERR_DATA,
                               "%s: the header has a NUL byte in column %zu; this is no text file",
                               file, i + 1);
        shape->is_unnamed = shape->is_unnamed || (i == 0 && cell.length == 0);
        is_text = is_text || frocc__csv_kind(&cell) == FROCC__TEXT_CELL;
        shape->names[i] = copy_name(&cell, i + 1);
        if (shape->names[i] == NULL)
            return FROCC_ERR_MEMORY;
        p = shape->separator == ' ' ? frocc__skip_blanks(p, ' ') : p + 1;
    }
    FROCC_TRY(frocc__names_check(file, shape->names, shape->n_columns));
    return is_text ? copy_line(row, p, &shape->header) : FROCC_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static frocc_status check_encoding(const char *file, const frocc__sample *s) {
    size_t size = (size_t)(s->end - s->text);
    const unsigned char *b = (const unsigned char *)s->text;
    if (size >= 2 && ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff)))
        return frocc__fail(FROCC_ERR_DATA,
                           "%s: is UTF-16 text; convert it: iconv -f UTF-16 -t UTF-8", file);
    const char *carriage = memchr(s->text, '\r', size);
    if (s->whole && size > 0 && carriage != NULL && memchr(s->text, '\n', size - 1) == NULL &&
        carriage < s->end - 2)
        return frocc__fail(FROCC_ERR_DATA,
                           "%s: its lines end with a carriage return only, as on old Macintoshes; "
                           "convert it: tr '\\r' '\\n'",
                           file);
    return FROCC_OK;
}

/* Whether rows of a file without a header may have so many cells. */
static bool may_have(const frocc_schema *schema, size_t count,
                     const frocc_reader_options *options) {
    size_t features = (options->label != NULL) + (options->id != NULL);
    for (size_t i = 0; i < schema->n_columns; i++)
        features += schema->columns == NULL || schema->columns[i].role == FROCC__FEATURE;
    return count == schema->n_columns || count == features ||
           (options->ignore_extra != 0 && count > schema->n_columns);
}

static frocc_status shape_sample(const char *file, const frocc__sample *s,
                                 const frocc_reader_options *options, char separator,
                                 const frocc_schema *schema, bool is_live,
                                 frocc__csv_shape *shape) {
    FROCC_TRY(check_encoding(file, s));
    const char *text = s->text;
    if (s->end - text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    const char *rows = frocc__csv_next_row(text, s->end);
    if (rows == s->end)
        return frocc__fail(FROCC_ERR_EMPTY, "%s: is empty; expected rows of numbers", file);
    shape->separator = separator;
    if (separator == '\0')
        FROCC_TRY(frocc__csv_separator(s, rows, options, schema, &shape->separator));
    const char *second = frocc__csv_skip_row(rows, s->end, shape->separator, &shape->n_columns);
    shape->decimals = frocc__csv_decimals(s, rows, shape->separator, is_live);
    FROCC_TRY(frocc__check_columns(file, shape->n_columns, options));
    bool header = options->header == FROCC_HEADER_YES;
    if (second == NULL) { /* the parser will say what is wrong with the row */
        shape->n_columns = FROCC_MAX(shape->n_columns, 1);
        header = false;
    } else {
        second = frocc__csv_next_row(second, s->end);
        if (options->header == FROCC_HEADER_AUTO)
            FROCC_TRY(
                find_header(s, rows, second, shape, schema, options->list_bad_rows != 0, &header));
    }
    if (header)
        FROCC_TRY(read_names(file, s, rows, shape));
    /* The first line of a log may be half of one. */
    if (!header && options->list_bad_rows != 0 && schema != NULL &&
        !may_have(schema, shape->n_columns, options))
        shape->n_columns = schema->n_columns;
    const char *start = header ? second : rows;
    shape->skip_bytes = (size_t)(start - s->text);
    shape->skip_lines = frocc__count_lines(s->text, start);
    return FROCC_OK;
}

frocc_status frocc__csv_detect(frocc__stream *stream, const frocc_reader_options *options,
                               char separator, const frocc_schema *schema,
                               frocc__csv_shape *shape) {
    frocc__sample s = {0};
    memset(shape, 0, sizeof *shape);
    const bool is_live = frocc__stream_is_live(stream) && schema != NULL;
    frocc_status status = frocc__sample_take(stream, SAMPLE_SIZE, frocc__longest_line(options),
                                             is_live ? has_row : has_two_rows, &s);
    if (status == FROCC_OK)
        status = shape_sample(frocc__stream_name(stream), &s, options, separator, schema, is_live,
                              shape);
    frocc__free(s.text);
    if (status != FROCC_OK) {
        frocc__names_free(shape->names, shape->n_columns);
        frocc__free(shape->header);
        memset(shape, 0, sizeof *shape);
    }
    return status;
}
