/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the first rows of a CSV file tell: separator, number of columns, header.
 *
 * Separator: the first of tab ; | , and space that cuts every row of the sample into the same
 * number of cells, at least two; a semicolon comes before the comma because of decimal commas, the
 * space comes last because of texts. Header: the first row has text where the second has a number
 * or a time stamp, or neither at all. Where a model says what the columns are, it is one that has
 * their names, or text where the model has numbers or times; so that of a pipe that is alive the
 * first line is enough.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"
#include "numbers/number.h"
#include "schema/time_stamp.h"

#define SAMPLE_SIZE ((size_t)1 << 16)
#define SAMPLE_ROWS 50

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

/* ---- The sample ------------------------------------------------------------------------------ */

static const char *next_line(const char *p, const char *end) {
    const char *line_end = memchr(p, '\n', (size_t)(end - p));
    return line_end == NULL ? end : line_end + 1;
}

/* Skips blank lines and comments. */
static const char *next_row(const char *p, const char *end) {
    while (p < end) {
        const char *q = p;
        while (*q == ' ')
            q++;
        if (*p != '#' && !frocc__at_line_end(q))
            break;
        p = next_line(p, end);
    }
    return p;
}

/* The row behind the one at p; NULL when it has no end in the sample. */
static const char *skip_row(const char *p, const char *end, char separator, size_t *n_cells) {
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
            return next_line(p, end);
        p += separator != ' ';
    }
}

static bool has_two_rows(const frocc__sample *s) {
    const char *p = next_row(s->text, s->end);
    p = p < s->end ? next_line(p, s->end) : p;
    return next_row(p, s->end) < s->end;
}

/* Whether there is a row; a quote that is open may go on in the next line. */
static bool has_row(const frocc__sample *s) {
    const char *p = next_row(s->text, s->end);
    size_t quotes = 0;
    for (; p < s->end; p++) {
        quotes += *p == '"';
        if (*p == '\n' && quotes % 2 == 0)
            return true;
    }
    return false;
}

/* ---- Separator ------------------------------------------------------------------------------- */

enum kind { NUMBER, MISSING, TIME, TEXT };

/* Numbers with commas count as such where they can be told from two cells. */
static enum kind kind_of(const frocc__cell *cell) {
    char out[FROCC__COMMA_SIZE];
    if (frocc__decimal_comma(cell->text, cell->length, out) > 0)
        return NUMBER;
    double value;
    frocc__time_stamp stamp;
    if (frocc__is_missing(cell->text, cell->length))
        return MISSING;
    if (frocc__parse_f64(cell->text, cell->length, &value))
        return NUMBER;
    return frocc__time_stamp_read(cell->text, cell->length, &stamp) ? TIME : TEXT;
}

/* How many cells each sampled row has; 0 when they differ. *first: in the first row. */
static size_t cells_by(const frocc__sample *s, const char *rows, char separator, size_t *first) {
    size_t same = 0;
    const char *p = rows;
    *first = 0;
    for (int i = 0; i < SAMPLE_ROWS && p != NULL && p < s->end; i++) {
        size_t count;
        p = skip_row(p, s->end, separator, &count);
        if (i == 0)
            *first = same = count;
        if (p == NULL)
            break;
        same = count == same ? same : 0;
        p = next_row(p, s->end);
    }
    return same;
}

/* A space separates only what is mostly numbers: two words are one cell. */
static bool mostly_numbers(const frocc__sample *s, const char *rows) {
    size_t numbers = 0, texts = 0;
    const char *p = rows;
    for (int i = 0; i < SAMPLE_ROWS && p < s->end; i++) {
        numbers = texts = 0;
        for (p = frocc__skip_blanks(p, ' '); !frocc__at_line_end(p);) {
            frocc__cell cell;
            p = frocc__csv_cell(p, s->end, ' ', &cell);
            if (p == NULL)
                return false;
            enum kind kind = kind_of(&cell);
            numbers += kind < TIME;
            texts += kind >= TIME;
            p = frocc__skip_blanks(p, ' ');
        }
        p = next_row(next_line(p, s->end), s->end);
    }
    return numbers > texts;
}

static char find_separator(const frocc__sample *s, const char *rows) {
    static const char candidates[] = "\t;|, ";
    char best = ',';
    size_t best_count = 1;
    for (const char *c = candidates; *c != '\0'; c++) {
        size_t first;
        if (*c == ' ' && !mostly_numbers(s, rows))
            continue;
        if (cells_by(s, rows, *c, &first) > 1)
            return *c;
        if (first > best_count) {
            best = *c;
            best_count = first;
        }
    }
    return best;
}

/* ---- Decimal commas -------------------------------------------------------------------------- */

size_t frocc__decimal_comma(const char *text, size_t length, char out[FROCC__COMMA_SIZE]) {
    const char *comma = memchr(text, ',', length);
    double value;
    if (comma == NULL || comma == text || length >= FROCC__COMMA_SIZE ||
        comma + 1 == text + length || comma[-1] < '0' || comma[-1] > '9' || comma[1] < '0' ||
        comma[1] > '9' || memchr(text, '.', length) != NULL)
        return 0;
    memcpy(out, text, length);
    out[comma - text] = '.';
    return frocc__parse_f64(out, length, &value) ? length : 0;
}

/* 1,234 may have a comma between thousands: there are three digits behind it, and in front up to
 * three that do not begin with 0. */
static bool may_be_thousands(const frocc__cell *cell) {
    const char *digits = cell->text + (*cell->text == '-' || *cell->text == '+');
    const size_t before = (size_t)((const char *)memchr(digits, ',', 64) - digits);
    const size_t after = (size_t)(cell->text + cell->length - digits) - before - 1;
    return after == 3 && before <= 3 && *digits != '0';
}

/* Whether numbers have commas where others have points: where the separator is none, some number of
 * the sample has one that cannot be anything else, and none has a point. */
static bool has_decimal_commas(const frocc__sample *s, const char *rows, char separator) {
    bool found = false;
    const char *p = rows;
    if (separator != ';' && separator != '\t')
        return false;
    for (int i = 0; i < SAMPLE_ROWS && p < s->end; i++) {
        for (bool more = true; more;) {
            frocc__cell cell;
            char out[FROCC__COMMA_SIZE];
            double value;
            p = frocc__csv_cell(p, s->end, separator, &cell);
            if (p == NULL)
                return found;
            if (frocc__decimal_comma(cell.text, cell.length, out) > 0)
                found = found || !may_be_thousands(&cell);
            else if (memchr(cell.text, '.', cell.length) != NULL &&
                     frocc__parse_f64(cell.text, cell.length, &value))
                return false;
            more = !frocc__at_line_end(p);
            p += more;
        }
        p = next_row(next_line(p, s->end), s->end);
    }
    return found;
}

/* ---- Header ---------------------------------------------------------------------------------- */

static frocc_status kinds_of_row(const char *p, const char *end, char separator, enum kind *kinds,
                                 size_t count) {
    p = separator == ' ' ? frocc__skip_blanks(p, separator) : p;
    for (size_t i = 0; i < count; i++) {
        frocc__cell cell;
        p = frocc__csv_cell(p, end, separator, &cell);
        if (p == NULL)
            return FROCC_ERR_DATA;
        kinds[i] = kind_of(&cell);
        p = separator == ' ' ? frocc__skip_blanks(p, separator) : p + 1;
    }
    return FROCC_OK;
}

static bool looks_like_header(const enum kind *first, const enum kind *second, size_t count) {
    bool any_text = false, any_number = false;
    for (size_t i = 0; i < count; i++) {
        if (first[i] == TEXT && second != NULL && (second[i] == NUMBER || second[i] == TIME))
            return true;
        if (first[i] == TIME && second != NULL && second[i] == NUMBER)
            return true; /* columns may be called by dates */
        any_text = any_text || first[i] == TEXT;
        any_number = any_number || first[i] == NUMBER || first[i] == TIME;
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
static frocc_status has_names(const frocc__sample *s, const char *p, const frocc__csv_shape *shape,
                              const frocc_schema *schema, bool *result) {
    frocc__vocab names = {0};
    frocc_status status = FROCC_OK;
    *result = false;
    if (schema == NULL || !schema->named)
        return FROCC_OK;
    p = shape->separator == ' ' ? frocc__skip_blanks(p, ' ') : p;
    for (size_t i = 0; i < shape->n_columns && status == FROCC_OK; i++) {
        frocc__cell cell;
        p = frocc__csv_cell(p, s->end, shape->separator, &cell);
        char *name = copy_name(&cell, i + 1);
        status = name == NULL ? FROCC_ERR_MEMORY : frocc__vocab_add(&names, name, strlen(name));
        frocc__free(name);
        p = shape->separator == ' ' ? frocc__skip_blanks(p, ' ') : p + 1;
    }
    *result = status == FROCC_OK;
    for (size_t i = 0; i < schema->n_columns && *result; i++) {
        const struct frocc__column *column = &schema->columns[i];
        *result = column->role != FROCC__FEATURE ||
                  frocc__vocab_find(&names, column->name, strlen(column->name)) != FROCC__NOT_FOUND;
    }
    frocc__vocab_clear(&names);
    return status;
}

/* Whether a schema can say which of these columns are numbers; then what the first row says. */
static bool header_by_schema(const frocc_schema *schema, const enum kind *first, size_t count,
                             bool *header) {
    bool any_text = false, any_number = false;
    if (schema == NULL || schema->n_columns != count)
        return false;
    *header = false;
    for (size_t i = 0; i < count; i++) {
        const struct frocc__column *c = schema->columns == NULL ? NULL : &schema->columns[i];
        bool is_number = c == NULL || (c->role == FROCC__FEATURE && !c->text);
        bool is_time = c != NULL && (c->time || c->role != FROCC__FEATURE);
        any_text = any_text || first[i] == TEXT;
        any_number = any_number || first[i] == NUMBER || first[i] == TIME;
        *header = *header || (first[i] == TEXT && is_number) ||
                  (first[i] == TIME && is_number && !is_time);
    }
    *header = *header || (any_text && !any_number);
    return true;
}

static frocc_status find_header(const frocc__sample *s, const char *rows, const char *second,
                                const frocc__csv_shape *shape, const frocc_schema *schema,
                                bool *header) {
    size_t count = shape->n_columns, other = 0;
    FROCC_TRY(has_names(s, rows, shape, schema, header));
    if (*header)
        return FROCC_OK;
    enum kind *kinds = frocc__alloc(2 * count, sizeof *kinds);
    if (kinds == NULL)
        return FROCC_ERR_MEMORY;
    bool two = second < s->end && skip_row(second, s->end, shape->separator, &other) != NULL &&
               other == count;
    kinds_of_row(rows, s->end, shape->separator, kinds, count);
    if (two)
        kinds_of_row(second, s->end, shape->separator, kinds + count, count);
    if (!header_by_schema(schema, kinds, count, header))
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

static frocc_status read_names(const char *file, const frocc__sample *s, const char *row,
                               frocc__csv_shape *shape) {
    const char *p = row;
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
        shape->names[i] = copy_name(&cell, i + 1);
        if (shape->names[i] == NULL)
            return FROCC_ERR_MEMORY;
        p = shape->separator == ' ' ? frocc__skip_blanks(p, ' ') : p + 1;
    }
    return frocc__names_check(file, shape->names, shape->n_columns);
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

static frocc_status shape_sample(const char *file, const frocc__sample *s,
                                 const frocc_reader_options *options, char separator,
                                 const frocc_schema *schema, frocc__csv_shape *shape) {
    FROCC_TRY(check_encoding(file, s));
    const char *text = s->text;
    if (s->end - text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    const char *rows = next_row(text, s->end);
    if (rows == s->end)
        return frocc__fail(FROCC_ERR_EMPTY, "%s: is empty; expected rows of numbers", file);
    shape->separator = separator != '\0' ? separator : find_separator(s, rows);
    const char *second = skip_row(rows, s->end, shape->separator, &shape->n_columns);
    shape->decimal_commas = has_decimal_commas(s, rows, shape->separator);
    FROCC_TRY(frocc__check_columns(file, shape->n_columns, options));
    bool header = options->header == FROCC_HEADER_YES;
    if (second == NULL) { /* the parser will say what is wrong with the row */
        shape->n_columns = FROCC_MAX(shape->n_columns, 1);
        header = false;
    } else {
        second = next_row(second, s->end);
        if (options->header == FROCC_HEADER_AUTO)
            FROCC_TRY(find_header(s, rows, second, shape, schema, &header));
    }
    if (header && s->whole && second == s->end)
        return frocc__fail(FROCC_ERR_EMPTY,
                           "%s: has a header and no rows; give header = no if its first line is a "
                           "row",
                           file);
    if (header)
        FROCC_TRY(read_names(file, s, rows, shape));
    const char *start = header ? second : text;
    shape->skip_bytes = (size_t)(start - s->text);
    shape->skip_lines = frocc__count_lines(s->text, start);
    return FROCC_OK;
}

frocc_status frocc__csv_detect(frocc__stream *stream, const frocc_reader_options *options,
                               char separator, const frocc_schema *schema,
                               frocc__csv_shape *shape) {
    frocc__sample s = {0};
    memset(shape, 0, sizeof *shape);
    frocc_status status = frocc__sample_take(
        stream, SAMPLE_SIZE, frocc__longest_line(options),
        frocc__stream_is_live(stream) && schema != NULL ? has_row : has_two_rows, &s);
    if (status == FROCC_OK)
        status = shape_sample(frocc__stream_name(stream), &s, options, separator, schema, shape);
    frocc__free(s.text);
    if (status != FROCC_OK) {
        frocc__names_free(shape->names, shape->n_columns);
        memset(shape, 0, sizeof *shape);
    }
    return status;
}
