/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows of a piece of a CSV file.
 *
 * Where a piece has no quotes and as many cells in every line as it should, the ends of its cells
 * are found first, and runs of numbers are read through them. Otherwise a number is scanned where
 * it lies, from cell to cell. What does not end right behind the digits is cut out first.
 */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "input/read_csv.h"

/* The way for numbers that lie between separators just so: returns where the number ends, or NULL
 * when this is another kind of cell. */
static inline const char *scan_number(const struct frocc__csv_parser *s,
                                      const frocc__target *target, const char *p) {
    while (*p == ' ')
        p++;
    if (s->plan->dtype == FROCC_F64) {
        double value = 0;
        const char *end = frocc__scan_f64(p, &value);
        ((double *)s->row)[target->feature] = value;
        return end == p || !(value - value == 0) ? NULL : end;
    }
    float value = 0;
    const char *end = frocc__scan_f32(p, &value);
    ((float *)s->row)[target->feature] = value;
    return end == p || !(value - value == 0) ? NULL : end;
}

/* Parses the row at *position, which then stands at its line end. */
static frocc_status parse_row(struct frocc__csv_parser *s, const char **position) {
    const char *start = *position, *p = start;
    const char separator = s->csv->separator;
    const size_t n_columns = s->plan->n_columns;
    const bool scans = s->csv->decimals != FROCC__COMMAS;
    for (size_t column = 0;; column++) {
        if (column == n_columns)
            return frocc__csv_count_error(s, start, n_columns, true);
        const frocc__target *target = &s->plan->targets[column];
        const char *end =
            scans && target->action == FROCC__TO_NUMBER ? scan_number(s, target, p) : NULL;
        if (end == NULL || (*end != separator && !frocc__at_line_end(end))) {
            end = p;
            FROCC_TRY(frocc__csv_cut_cell(s, column, &end));
        }
        if (separator == ' ')
            end = frocc__skip_blanks(end, separator);
        if (frocc__at_line_end(end)) {
            *position = end;
            return column + 1 == n_columns ? FROCC_OK
                                           : frocc__csv_count_error(s, start, column + 1, false);
        }
        p = end + (separator != ' ');
    }
}

static double value_at(const struct frocc__csv_parser *s, size_t feature) {
    return s->plan->dtype == FROCC_F32 ? (double)((float *)s->row)[feature]
                                       : ((double *)s->row)[feature];
}

static void survey_row(struct frocc__csv_parser *s) {
    s->survey->n_rows++;
    if (s->survey->counting.is_open)
        frocc__counting_add(&s->survey->counting, value_at(s, 0), s->plan->dtype);
    for (size_t i = 0; (s->survey->values || s->survey->epochs) && i < s->plan->n_columns; i++) {
        const frocc__target *target = &s->plan->targets[i];
        double value;
        if (target->action != FROCC__TO_NUMBER)
            continue;
        value = value_at(s, target->feature);
        if (s->plan->schema->columns[target->feature].may_be_epochs)
            frocc__tally_epoch(&s->survey->columns[target->feature].tally, value);
        if (s->survey->values && !isnan(value))
            frocc__sum_add(&s->survey->sums[target->feature], value);
    }
}

static void rows_done(struct frocc__csv_parser *s, size_t count) {
    uint64_t *numbers = s->job->buffer->row_numbers + s->first_row + s->n_rows;
    for (size_t i = 0; i < count; i++)
        numbers[i] = s->n_seen + 1 + i;
    s->n_seen += count;
    s->n_rows += count;
    s->row += count * s->row_bytes;
}

void frocc__csv_row_done(struct frocc__csv_parser *s) {
    if (s->survey == NULL && !s->drop) {
        if (s->plan->schema->n_differences > 0)
            frocc__csv_subtract_times(s);
        rows_done(s, 1);
        return;
    }
    s->n_seen++;
    s->drop = false;
    if (s->survey != NULL)
        survey_row(s);
}

frocc_status frocc__csv_row_failed(struct frocc__csv_parser *s, frocc_status status) {
    s->drop = false;
    if (!s->plan->lists_bad_rows)
        return status;
    return frocc__bad_row_add(s->texts, status, ++s->n_seen, s->n_rows);
}

/* Whether a comment could as well be a row. Where blanks separate, a sentence of as many words
 * could. */
static bool has_cells_of_a_row(const struct frocc__csv_parser *s, const char *p) {
    const size_t n = s->plan->n_columns;
    const char separator = s->csv->separator;
    const char *end = (const char *)memchr(p, '\n', (size_t)(s->piece->end - p)) + 1;
    if (separator == ' ' || n == 1)
        return false;
    for (size_t count = 1;; count++, p++) {
        frocc__cell cell;
        p = frocc__csv_cell(p, end, separator, &cell);
        if (p == NULL)
            return false;
        if (count == n || frocc__at_line_end(p))
            return count == n && frocc__at_line_end(p);
    }
}

/* Whether the line is the header's, as where files were put one behind the other. A comparison that
 * ends within the line ends at its end, as the header has no line end. */
static inline bool is_header(const struct frocc__csv_parser *s, const char *line) {
    const size_t length = s->csv->header_length;
    return length > 0 && *line == *s->csv->header && strncmp(line, s->csv->header, length) == 0 &&
           frocc__at_line_end(line + length);
}

/* The line at *position, which then stands behind it: a row, a comment, or nothing. */
static frocc_status parse_line(struct frocc__csv_parser *s, const char **position) {
    const char *p = *position, *q = p;
    while (*q == ' ')
        q++;
    bool is_comment = frocc__is_comment(p);
    if (is_comment && has_cells_of_a_row(s, p))
        return frocc__csv_comment_error(s, p);
    const bool is_again = is_header(s, p);
    s->n_headers += is_again;
    if (frocc__at_line_end(q) || is_comment || is_again) {
        *position = (const char *)memchr(q, '\n', (size_t)(s->piece->end - q)) + 1;
        return FROCC_OK;
    }
    p = s->csv->separator == ' ' ? q : p;
    const char *row = p;
    FROCC_TRY(parse_row(s, &p));
    if (s->plan->n_carried > 0 && s->survey == NULL && !s->drop)
        FROCC_TRY(frocc__csv_carry(s, row));
    frocc__csv_row_done(s);
    *position = p + (*p == '\r' ? 2 : 1);
    return FROCC_OK;
}

/*
 * The row whose cells end at ends, the last one at a line end. *done is false when it needs the
 * way for any row, which then starts it anew: what was stored so far is overwritten.
 */
static frocc_status parse_cells(struct frocc__csv_parser *s, uint32_t first, uint32_t *ends,
                                bool *done) {
    const char *text = s->piece->begin;
    const frocc__plan *plan = s->plan;
    size_t n = plan->n_columns, size = frocc__csv_value_size(plan);
    ends[n - 1] -= ends[n - 1] > first && text[ends[n - 1] - 1] == '\r';
    for (size_t column = 0; column < n;) {
        size_t count = s->csv->runs[column];
        if (count > 0)
            count = frocc__parse_cells(text, first, ends + column, count, plan->dtype,
                                       s->row + plan->targets[column].feature * size);
        if (count == 0) {
            const char *position = text + first;
            FROCC_TRY(frocc__csv_cut_cell(s, column, &position));
            if (position != text + ends[column])
                return FROCC_OK;
            count = 1;
        }
        column += count;
        first = ends[column - 1] + 1;
    }
    *done = true;
    return FROCC_OK;
}

/* Rows that are read through the ends of their cells. */
static frocc_status parse_mixed_rows(struct frocc__csv_parser *s, uint32_t *ends) {
    const char *text = s->piece->begin, *p = text;
    size_t n = s->plan->n_columns;
    for (; p < s->piece->end; ends += n) {
        const char *next = text + ends[n - 1] + 1;
        bool done = false;
        if (*p > '#' && !is_header(s, p)) /* surely no comment, quote or blank */
            FROCC_TRY(parse_cells(s, (uint32_t)(p - text), ends, &done));
        if (done)
            frocc__csv_row_done(s);
        else
            FROCC_TRY(parse_line(s, &p));
        p = next;
    }
    return FROCC_OK;
}

/* All cells of all rows are numbers, but for a few: one run from the first to the last. */
static frocc_status parse_number_rows(struct frocc__csv_parser *s, const uint32_t *ends,
                                      size_t count) {
    const char *text = s->piece->begin;
    size_t n = s->plan->n_columns;
    for (size_t at = 0; at < count;) {
        uint32_t first = at == 0 ? 0 : ends[at - 1] + 1;
        size_t n_rows =
            frocc__parse_cells(text, first, ends + at, count - at, s->plan->dtype, s->row) / n;
        rows_done(s, n_rows);
        at += n_rows * n;
        if (at < count) {
            const char *p = at == 0 ? text : text + ends[at - 1] + 1;
            FROCC_TRY(parse_line(s, &p));
            at += n;
        }
    }
    return FROCC_OK;
}

/* Whether every line has as many cells as it should: there are as many ends as that makes, and of
 * these the last one of each row is a line end; so all line ends are accounted for. */
static bool is_regular(const struct frocc__csv_parser *s, const uint32_t *ends, size_t count,
                       bool *carriage_returns) {
    const char *text = s->piece->begin;
    size_t n = s->plan->n_columns;
    if (count != s->piece->lines * n)
        return false;
    *carriage_returns = false;
    for (size_t i = n - 1; i < count; i += n) {
        if (text[ends[i]] != '\n')
            return false;
        *carriage_returns |= ends[i] > 0 && text[ends[i] - 1] == '\r';
    }
    return true;
}

/* The first cells of plain rows, for a first column that may only count them. False where they are
 * to be read in another way; then nothing has happened. */
static bool count_plain_rows(struct frocc__csv_parser *s) {
    frocc__counting counting = s->survey->counting;
    if (!counting.is_open)
        return true;
    if (s->plan->targets[0].action != FROCC__TO_NUMBER || s->plan->targets[0].feature != 0)
        return false;
    for (const char *p = s->piece->begin; p < s->piece->end && counting.is_open;) {
        const char *end = scan_number(s, &s->plan->targets[0], p);
        if (end == NULL || (*end != s->csv->separator && !frocc__at_line_end(end)))
            return false;
        frocc__counting_add(&counting, value_at(s, 0), s->plan->dtype);
        p = (const char *)memchr(end, '\n', (size_t)(s->piece->end - end)) + 1;
    }
    s->survey->counting = counting;
    return true;
}

/* A survey that learns no values has nothing to learn from rows of numbers. */
static bool has_plain_rows(const struct frocc__csv_parser *s) {
    return s->survey != NULL && s->csv->decimals != FROCC__COMMAS && !s->survey->values &&
           !s->survey->epochs && s->csv->n_text_columns == 0 && s->csv->separator != ' ' &&
           frocc__plain_rows(s->piece->begin, s->piece->end, s->csv->separator, s->plan->n_columns);
}

/* Whether the line names the columns again, as a log does that was begun anew. One that names them
 * in another order says that rows are not what they were. */
static frocc_status find_header(const struct frocc__csv_parser *s, const char *line,
                                bool *is_header) {
    const frocc__vocab *names = &s->csv->keys;
    const char *p = line;
    size_t count = 0, wanted = 0, found = 0, next = 0;
    bool is_same = true;
    *is_header = false;
    for (size_t i = 0; i < names->count; i++)
        wanted += s->plan->targets[i].action != FROCC__TO_NOTHING;
    while (wanted > 0) {
        frocc__cell cell;
        p = frocc__csv_cell(p, s->end, s->csv->separator, &cell);
        const size_t slot =
            p == NULL ? FROCC__NOT_FOUND : frocc__vocab_find(names, cell.text, cell.length);
        const bool is_known = slot != FROCC__NOT_FOUND;
        if (p == NULL || (count == 0 && !is_known))
            return FROCC_OK;
        found += is_known && s->plan->targets[slot].action != FROCC__TO_NOTHING;
        is_same = is_same && (is_known ? slot >= next : s->plan->names == NULL);
        next = is_known ? slot + 1 : next;
        count++;
        p = s->csv->separator == ' ' ? frocc__skip_blanks(p, ' ') : p;
        if (frocc__at_line_end(p))
            break;
        p += s->csv->separator != ' ';
    }
    *is_header = wanted > 0 && found >= wanted;
    if (!*is_header || (is_same && count == s->plan->n_columns))
        return FROCC_OK;
    return frocc__fail_at(
        FROCC_ERR_SHAPE,
        &(frocc__where){.file = s->csv->input.name, .line = frocc__csv_line_at(s, line)},
        "a header names other columns than the first one, or in another order; read from here on "
        "anew");
}

/* Where bad rows are listed: a line that is a row, good or bad. */
static frocc_status find_row(const struct frocc__csv_parser *s, const char *p, bool *is_row) {
    const char *q = frocc__skip_blanks(p, s->csv->separator);
    bool is_header = false;
    *is_row = !frocc__at_line_end(q) && (!frocc__is_comment(p) || has_cells_of_a_row(s, p));
    if (*is_row)
        FROCC_TRY(find_header(s, p, &is_header));
    *is_row = *is_row && !is_header;
    return FROCC_OK;
}

/* Line by line: one that fails is passed over. */
static frocc_status parse_lines(struct frocc__csv_parser *s) {
    for (const char *p = s->piece->begin; p < s->piece->end; p = s->end) {
        const char *position = p;
        bool is_row = false;
        s->end = (const char *)memchr(p, '\n', (size_t)(s->piece->end - p)) + 1;
        FROCC_TRY(find_row(s, p, &is_row));
        const frocc_status status = is_row ? parse_line(s, &position) : FROCC_OK;
        if (status != FROCC_OK)
            FROCC_TRY(frocc__csv_row_failed(s, status));
    }
    return FROCC_OK;
}

frocc_status frocc__csv_parse_piece(struct frocc__csv_parser *s) {
    const char *p = s->piece->begin;
    if (s->plan->lists_bad_rows)
        return parse_lines(s);
    size_t size = (size_t)(s->piece->end - p);
    if (has_plain_rows(s) && count_plain_rows(s)) {
        s->n_seen += s->piece->lines;
        s->survey->n_rows += s->piece->lines;
        return FROCC_OK;
    }
    if (s->plan->n_carried == 0 && s->csv->decimals != FROCC__COMMAS && s->ends != NULL &&
        size + FROCC__ENDS_MARGIN <= s->csv->ends_room && !s->piece->has_quotes) {
        bool carriage_returns;
        size_t count = frocc__find_ends(p, s->piece->end, s->csv->separator, s->ends);
        if (is_regular(s, s->ends, count, &carriage_returns))
            return s->survey == NULL && !carriage_returns && s->csv->runs[0] == s->plan->n_columns
                       ? parse_number_rows(s, s->ends, count)
                       : parse_mixed_rows(s, s->ends);
    }
    while (p < s->piece->end)
        FROCC_TRY(parse_line(s, &p));
    return FROCC_OK;
}

/* ---- Where rows are -------------------------------------------------------------------------- */

/* Behind the row that begins at p, which has been read before and so has no mistakes. */
static const char *row_end(const struct frocc__csv_parser *s, const char *p) {
    const char separator = s->csv->separator;
    for (;;) {
        frocc__cell cell;
        p = frocc__csv_cell(p, s->piece->end, separator, &cell);
        if (p == NULL)
            return s->piece->end;
        if (separator == ' ')
            p = frocc__skip_blanks(p, separator);
        if (frocc__at_line_end(p))
            return p + (*p == '\r' ? 2 : 1);
        p += separator != ' ';
    }
}

/* The same where every line is a row, a header, a comment or empty. */
static uint64_t find_line(const struct frocc__csv_parser *s, uint64_t row) {
    struct frocc__csv_parser one = *s;
    uint64_t line = s->piece->line;
    for (const char *p = s->piece->begin; p < s->piece->end; p = one.end, line++) {
        bool is_row = false;
        one.end = (const char *)memchr(p, '\n', (size_t)(s->piece->end - p)) + 1;
        (void)find_row(&one, p, &is_row); /* it was asked before, and did not fail */
        row -= is_row;
        if (row == 0)
            break;
    }
    return line;
}

uint64_t frocc__csv_row_line(const struct frocc__csv_parser *s, uint64_t row) {
    const char *p = s->piece->begin;
    if (s->n_seen == s->piece->lines) /* every line is a row */
        return s->piece->line + row - 1;
    if (s->plan->lists_bad_rows)
        return find_line(s, row);
    while (p < s->piece->end) {
        const char *q = p;
        while (*q == ' ')
            q++;
        bool is_row = !frocc__at_line_end(q) && !frocc__is_comment(p) && !is_header(s, p);
        if (is_row && --row == 0)
            break;
        p = is_row ? row_end(s, s->csv->separator == ' ' ? q : p)
                   : (const char *)memchr(q, '\n', (size_t)(s->piece->end - q)) + 1;
    }
    return frocc__csv_line_at(s, p);
}
