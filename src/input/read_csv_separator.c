/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What separates the cells of a CSV file, and what the decimals of its numbers.
 *
 * Separator: the first of tab ; | , and space that cuts every row of the sample into the same
 * number of cells, at least two; a semicolon comes before the comma because of decimal commas, the
 * space comes last because of texts. Where a model says what the columns are, it is the one by
 * which the first row has their names, or the cells go best with them: of a pipe that is alive
 * there may be one row, and user agents and the like have semicolons, too.
 */
#include <string.h>

#include "base/status.h"
#include "input/read_csv_detect.h"
#include "numbers/number.h"

#define SAMPLE_ROWS 50

/* How many cells each sampled row has; 0 when they differ. *first: in the first row. */
static size_t cells_by(const frocc__sample *s, const char *rows, char separator, size_t *first) {
    size_t same = 0;
    const char *p = rows;
    *first = 0;
    for (int i = 0; i < SAMPLE_ROWS && p != NULL && p < s->end; i++) {
        size_t count;
        p = frocc__csv_skip_row(p, s->end, separator, &count);
        if (i == 0)
            *first = same = count;
        if (p == NULL)
            break;
        same = count == same ? same : 0;
        p = frocc__csv_next_row(p, s->end);
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
            enum frocc__cell_kind kind = frocc__csv_kind(&cell);
            numbers += kind < FROCC__TIME_CELL;
            texts += kind >= FROCC__TIME_CELL;
            p = frocc__skip_blanks(p, ' ');
        }
        p = frocc__csv_next_row(frocc__csv_next_line(p, s->end), s->end);
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

/* How well a cell goes with the model's column: a text that it knows, a number, a time. A decimal
 * comma goes better than what is left of it where the comma separates. */
static size_t goes_with(const frocc_schema *schema, size_t i, const frocc__cell *cell) {
    const struct frocc__column *column = schema->columns == NULL ? NULL : &schema->columns[i];
    const enum frocc__cell_kind kind = frocc__csv_kind(cell);
    if (column != NULL && !frocc__is_feature(column))
        return 0;
    if (kind == FROCC__MISSING_CELL)
        return 1;
    if (memchr(cell->text, '\0', cell->length) != NULL) /* which no text has, as others rely on */
        return 0;
    if (column != NULL && column->text)
        return frocc__known_have(&column->known, cell->text, cell->length);
    if (column != NULL && column->time)
        return kind == FROCC__TIME_CELL;
    if (kind != FROCC__NUMBER_CELL)
        return 0;
    return memchr(cell->text, ',', cell->length) != NULL ? 2 : 1;
}

/* Of the sampled rows; 0 where one has another number of cells than the model has columns. */
static size_t rows_go_with(const frocc__sample *s, const char *rows, char separator,
                           const frocc_schema *schema) {
    size_t count, points = 1;
    const char *p = rows;
    for (int i = 0; i < SAMPLE_ROWS && p < s->end; i++) {
        const char *end = frocc__csv_skip_row(p, s->end, separator, &count);
        if (end == NULL || count != schema->n_columns)
            return 0;
        p = separator == ' ' ? frocc__skip_blanks(p, ' ') : p;
        for (size_t j = 0; j < count; j++) {
            frocc__cell cell;
            p = frocc__csv_cell(p, s->end, separator, &cell);
            points += goes_with(schema, j, &cell);
            p = separator == ' ' ? frocc__skip_blanks(p, ' ') : p + 1;
        }
        p = frocc__csv_next_row(end, s->end);
    }
    return points;
}

/* The separator by which the rows go best with the model; '\0' where they do by none. The comma
 * comes before what may well be in a text. */
static frocc_status separator_by_schema(const frocc__sample *s, const char *rows,
                                        const frocc_reader_options *options,
                                        const frocc_schema *schema, char *separator) {
    static const char candidates[] = "\t,;| ";
    size_t most = 0, count;
    *separator = '\0';
    for (const char *c = candidates; *c != '\0'; c++) {
        bool named = false;
        if (*c == ' ' && !mostly_numbers(s, rows))
            continue;
        if (options->header != FROCC_HEADER_NO &&
            frocc__csv_skip_row(rows, s->end, *c, &count) != NULL)
            FROCC_TRY(frocc__csv_has_names(rows, s->end, *c, count, schema, &named));
        const size_t points = named ? SIZE_MAX : rows_go_with(s, rows, *c, schema);
        if (points > most) {
            most = points;
            *separator = *c;
        }
    }
    return FROCC_OK;
}

frocc_status frocc__csv_separator(const frocc__sample *s, const char *rows,
                                  const frocc_reader_options *options, const frocc_schema *schema,
                                  char *separator) {
    if (schema != NULL && schema->n_columns > 1)
        FROCC_TRY(separator_by_schema(s, rows, options, schema, separator));
    if (*separator == '\0')
        *separator = find_separator(s, rows);
    return FROCC_OK;
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
bool frocc__may_be_thousands(const frocc__cell *cell) {
    const char *digits = cell->text + (*cell->text == '-' || *cell->text == '+');
    const size_t before = (size_t)((const char *)memchr(digits, ',', 64) - digits);
    const size_t after = (size_t)(cell->text + cell->length - digits) - before - 1;
    return after == 3 && before <= 3 && *digits != '0';
}

enum frocc__decimals frocc__csv_decimals(const frocc__sample *s, const char *rows, char separator,
                                         bool is_live) {
    enum frocc__decimals found = is_live ? FROCC__POINTS_OR_COMMAS : FROCC__POINTS;
    const char *p = rows;
    if (separator != ';' && separator != '\t')
        return FROCC__POINTS;
    for (int i = 0; i < SAMPLE_ROWS && p < s->end; i++) {
        for (bool more = true; more;) {
            frocc__cell cell;
            char out[FROCC__COMMA_SIZE];
            double value;
            p = frocc__csv_cell(p, s->end, separator, &cell);
            if (p == NULL)
                return found;
            if (frocc__decimal_comma(cell.text, cell.length, out) > 0)
                found = frocc__may_be_thousands(&cell) ? found : FROCC__COMMAS;
            else if (memchr(cell.text, '.', cell.length) != NULL &&
                     frocc__parse_f64(cell.text, cell.length, &value))
                return FROCC__POINTS;
            more = !frocc__at_line_end(p);
            p += more;
        }
        p = frocc__csv_next_row(frocc__csv_next_line(p, s->end), s->end);
    }
    return found;
}
