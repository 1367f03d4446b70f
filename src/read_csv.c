/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CSV and its relatives: rows of cells, as RFC 4180 has them, with any separator.
 *
 * A cell that should be a number is scanned where it lies; only what does not end at a separator
 * or line end right behind the digits is cut out first (quotes, blanks, missing values, texts).
 * Threads take pieces of whole lines. A piece has at most as many rows as lines, so each knows
 * where its rows go before any is parsed; afterwards the gaps are closed. The rows, their order and
 * the first error are those of one thread.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mem.h"
#include "number.h"
#include "read.h"
#include "status.h"

#define VALUES_BUDGET ((size_t)1 << 25) /* bytes of values a thread may fill in a block */

struct csv {
    frocc__input input;
    frocc__lines lines;
    char separator;
    uint64_t n_rows; /* so far, dropped ones included */
    struct parser *parsers;
    size_t n_parsers;
    uint32_t *ends; /* of cells, ends_room for each thread */
    size_t ends_room, ends_size;
    size_t n_vocabularies; /* columns whose texts are collected */
    uint32_t *runs; /* for each column, how many from it on are numbers to neighbouring features */
};

/* One thread's work on one piece. */
struct parser {
    const struct csv *csv;
    const frocc__job *job;
    const frocc__plan *plan;
    frocc__survey *survey; /* NULL when rows are wanted */
    const frocc__piece *piece;
    frocc__texts *texts;
    size_t first_row; /* where the rows go in the block */
    size_t n_rows;    /* kept */
    size_t n_seen;
    char *row; /* of the values: the one being filled */
    size_t row_bytes;
    bool drop;      /* this row has a missing cell and will not be kept */
    uint32_t *ends; /* of the cells of the piece; NULL when they are not looked for */
    char *scratch;  /* for quoted cells, and the row of a survey */
    size_t scratch_size;
    frocc_status status;
    char error[FROCC_ERROR_SIZE];
};

/* ---- Errors ---------------------------------------------------------------------------------- */

static unsigned long long line_of(const struct parser *s, const char *at) {
    return s->piece->line + frocc__count_lines(s->piece->begin, at);
}

static const char *name_of(const frocc__plan *plan, size_t column) {
    return plan->names == NULL ? NULL : plan->names[column];
}

static frocc_status cell_error(const struct parser *s, const char *at, size_t column,
                               const char *text, size_t length, const char *what) {
    char shown[FROCC__SHOWN_SIZE], where[FROCC__COLUMN_SIZE];
    return frocc__fail(FROCC_ERR_DATA, "%s: line %llu, %s: '%s' %s", s->csv->input.name,
                       line_of(s, at), frocc__show_column(name_of(s->plan, column), column, where),
                       frocc__show(text, length, shown), what);
}

static frocc_status missing_error(const struct parser *s, const char *at, size_t column,
                                  const char *text, size_t length) {
    if (length > 0)
        return cell_error(s, at, column, text, length,
                          "stands for a missing value; expected a value (try missing = mean or "
                          "drop)");
    char where[FROCC__COLUMN_SIZE];
    return frocc__fail(FROCC_ERR_DATA,
                       "%s: line %llu, %s: the cell is empty; expected a value (try missing = "
                       "mean or drop)",
                       s->csv->input.name, line_of(s, at),
                       frocc__show_column(name_of(s->plan, column), column, where));
}

static frocc_status quote_error(const struct parser *s, const char *at, size_t column) {
    char where[FROCC__COLUMN_SIZE];
    return frocc__fail(FROCC_ERR_DATA,
                       "%s: line %llu, %s: text follows the closing quote; expected a separator; "
                       "quotes within a quoted cell are written twice",
                       s->csv->input.name, line_of(s, at),
                       frocc__show_column(name_of(s->plan, column), column, where));
}

static frocc_status count_error(const struct parser *s, const char *at, size_t count, bool more) {
    const char *name = s->csv->separator == '\t'  ? "tab"
                       : s->csv->separator == ' ' ? "space"
                                                  : (char[]){'\'', s->csv->separator, '\'', '\0'};
    return frocc__fail(FROCC_ERR_SHAPE,
                       "%s: line %llu: the row has %s%zu cells; expected %zu, as in the first row "
                       "(separator: %s)",
                       s->csv->input.name, line_of(s, at), more ? "more than " : "", count,
                       s->plan->n_columns, name);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static inline size_t value_size(const frocc__plan *plan) {
    return plan->dtype == FROCC_F32 ? sizeof(float) : sizeof(double);
}

static inline void store(const struct parser *s, size_t feature, double value) {
    if (s->plan->dtype == FROCC_F32)
        ((float *)s->row)[feature] = (float)value;
    else
        ((double *)s->row)[feature] = value;
}

static void found_text(const struct parser *s, size_t column, const char *at, const char *text,
                       size_t length) {
    struct frocc__finding *finding = &s->survey->columns[s->plan->targets[column].feature];
    if (!finding->text) {
        finding->text = true;
        finding->first_file = s->job->file;
        finding->first_line = line_of(s, at);
        frocc__show(text, length, finding->first_text);
    }
}

static bool is_infinity(const char *text, size_t length) {
    static const char *const words[] = {"inf", "infinity"};
    size_t sign = length > 0 && (*text == '-' || *text == '+');
    for (size_t w = 0; w < 2; w++) {
        size_t i = 0;
        while (i < length - sign && words[w][i] != '\0' && (text[sign + i] | 32) == words[w][i])
            i++;
        if (i == length - sign && words[w][i] == '\0')
            return true;
    }
    return false;
}

/* A missing cell of a feature. */
static frocc_status take_missing(struct parser *s, size_t column, const char *at,
                                 const frocc__cell *cell) {
    const frocc__target *target = &s->plan->targets[column];
    if (s->plan->missing == FROCC_MISSING_ERROR)
        return missing_error(s, at, column, cell->text, cell->length);
    if (s->plan->missing == FROCC_MISSING_DROP)
        s->drop = true;
    if (target->action == FROCC__TO_NUMBER)
        store(s, target->feature, s->survey != NULL ? (double)NAN : target->mean);
    return FROCC_OK;
}

static frocc_status take_number(struct parser *s, size_t column, const char *at,
                                const frocc__cell *cell) {
    size_t feature = s->plan->targets[column].feature;
    double value = 0;
    float single = 0;
    bool f32 = s->plan->dtype == FROCC_F32;
    bool number = f32 ? frocc__parse_f32(cell->text, cell->length, &single)
                      : frocc__parse_f64(cell->text, cell->length, &value);
    if (number) {
        value = f32 ? (double)single : value;
        if (!isfinite(value))
            return cell_error(s, at, column, cell->text, cell->length,
                              f32 ? "is too large for float32; expected less than 3.5e38"
                                  : "is too large for float64; expected less than 1.8e308");
        store(s, feature, value);
        return FROCC_OK;
    }
    if (is_infinity(cell->text, cell->length))
        return cell_error(s, at, column, cell->text, cell->length,
                          "is infinite; expected a finite number");
    if (s->survey != NULL && !s->job->numbers_only) {
        found_text(s, column, at, cell->text, cell->length);
        store(s, feature, (double)NAN);
        return FROCC_OK;
    }
    return cell_error(s, at, column, cell->text, cell->length,
                      "is no number; expected one, as the column is numeric (drop the column, or "
                      "name it as id, label or categorical)");
}

static void take_category(struct parser *s, const frocc__target *target, size_t slot) {
    size_t size = value_size(s->plan);
    memset(s->row + target->feature * size, 0, (target->vocab->count + 1) * size);
    if (slot == FROCC__NOT_FOUND)
        slot = target->vocab->count;
    store(s, target->feature + slot, 1);
}

static frocc_status take_text(struct parser *s, size_t column, const frocc__cell *cell) {
    frocc__block *block = s->job->block;
    size_t row = s->first_row + s->n_rows;
    if (s->survey != NULL)
        return FROCC_OK;
    if (s->plan->targets[column].action == FROCC__TO_ID)
        return frocc__texts_add(s->texts, cell->text, cell->length, &block->id_offsets[row]);
    block->label_values[row] = (double)NAN;
    frocc__parse_f64(cell->text, cell->length, &block->label_values[row]);
    return frocc__texts_add(s->texts, cell->text, cell->length, &block->label_offsets[row]);
}

/* What becomes of a cell that was cut out, without quotes and blanks. */
static frocc_status take_cell(struct parser *s, size_t column, const char *at,
                              const frocc__cell *cell) {
    const frocc__target *target = &s->plan->targets[column];
    if (memchr(cell->text, '\0', cell->length) != NULL)
        return cell_error(s, at, column, cell->text, cell->length,
                          "holds a NUL byte; this is no text file, or it is damaged");
    if (target->action == FROCC__TO_LABEL || target->action == FROCC__TO_ID)
        return take_text(s, column, cell);
    bool missing = frocc__is_missing(cell->text, cell->length);
    if (missing)
        FROCC_TRY(take_missing(s, column, at, cell));
    if (target->action == FROCC__TO_CATEGORY)
        take_category(s, target,
                      missing ? FROCC__NOT_FOUND
                              : frocc__vocab_find(target->vocab, cell->text, cell->length));
    else if (target->action == FROCC__TO_VOCAB && !missing)
        return frocc__vocab_add(&s->survey->columns[target->feature].vocab, cell->text,
                                cell->length);
    else if (target->action == FROCC__TO_NUMBER && !missing)
        return take_number(s, column, at, cell);
    return FROCC_OK;
}

static frocc_status unquote(struct parser *s, frocc__cell *cell) {
    if (cell->length + 1 > s->scratch_size) {
        frocc__free(s->scratch);
        s->scratch_size = 0;
        s->scratch = frocc__alloc(2 * cell->length + 64, 1);
        if (s->scratch == NULL)
            return FROCC_ERR_MEMORY;
        s->scratch_size = 2 * cell->length + 64;
    }
    cell->length = frocc__csv_unquote(cell, s->scratch);
    cell->text = s->scratch;
    cell->doubled = false;
    return FROCC_OK;
}

/* The way for any cell. *place: its start, then its end. */
static frocc_status cut_cell(struct parser *s, size_t column, const char **place) {
    frocc__cell cell;
    const char *start = *place;
    const char *end = frocc__csv_cell(start, s->piece->end, s->csv->separator, &cell);
    if (end == NULL)
        return quote_error(s, start, column);
    *place = end;
    if (s->plan->targets[column].action == FROCC__TO_NOTHING)
        return FROCC_OK;
    if (cell.doubled)
        FROCC_TRY(unquote(s, &cell));
    return take_cell(s, column, start, &cell);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The way for numbers that lie between separators just so: returns where the number ends, or NULL
 * when this is another kind of cell. */
static inline const char *scan_number(const struct parser *s, const frocc__target *target,
                                      const char *p) {
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

/* Parses the row at *place, which then stands at its line end. */
static frocc_status parse_row(struct parser *s, const char **place) {
    const char *start = *place, *p = start;
    const char separator = s->csv->separator;
    const size_t n_columns = s->plan->n_columns;
    for (size_t column = 0;; column++) {
        if (column == n_columns)
            return count_error(s, start, n_columns, true);
        const frocc__target *target = &s->plan->targets[column];
        const char *end = target->action == FROCC__TO_NUMBER ? scan_number(s, target, p) : NULL;
        if (end == NULL || (*end != separator && !frocc__at_line_end(end))) {
            end = p;
            FROCC_TRY(cut_cell(s, column, &end));
        }
        if (separator == ' ')
            end = frocc__skip_blanks(end, separator);
        if (frocc__at_line_end(end)) {
            *place = end;
            return column + 1 == n_columns ? FROCC_OK : count_error(s, start, column + 1, false);
        }
        p = end + (separator != ' ');
    }
}

static void survey_row(struct parser *s) {
    s->survey->n_rows++;
    for (size_t i = 0; s->survey->means && i < s->plan->n_columns; i++) {
        const frocc__target *target = &s->plan->targets[i];
        double value;
        if (target->action != FROCC__TO_NUMBER)
            continue;
        value = s->plan->dtype == FROCC_F32 ? (double)((float *)s->row)[target->feature]
                                            : ((double *)s->row)[target->feature];
        if (!isnan(value))
            frocc__sum_add(&s->survey->sums[target->feature], value);
    }
}

static void rows_done(struct parser *s, size_t count) {
    uint64_t *numbers = s->job->block->row_numbers + s->first_row + s->n_rows;
    for (size_t i = 0; i < count; i++)
        numbers[i] = s->n_seen + 1 + i;
    s->n_seen += count;
    s->n_rows += count;
    s->row += count * s->row_bytes;
}

static void row_done(struct parser *s) {
    if (s->survey == NULL && !s->drop) {
        rows_done(s, 1);
        return;
    }
    s->n_seen++;
    s->drop = false;
    if (s->survey != NULL)
        survey_row(s);
}

/* The line at *place, which then stands behind it: a row, a comment, or nothing. */
static frocc_status parse_line(struct parser *s, const char **place) {
    const char *p = *place, *q = p;
    while (*q == ' ')
        q++;
    if (frocc__at_line_end(q) || *p == '#') {
        *place = (const char *)memchr(q, '\n', (size_t)(s->piece->end - q)) + 1;
        return FROCC_OK;
    }
    p = s->csv->separator == ' ' ? q : p;
    FROCC_TRY(parse_row(s, &p));
    row_done(s);
    *place = p + (*p == '\r' ? 2 : 1);
    return FROCC_OK;
}

/*
 * The row whose cells end at ends, the last one at a line end. *done is false when it needs the
 * way for any row, which then starts it anew: what was stored so far is overwritten.
 */
static frocc_status parse_cells(struct parser *s, uint32_t first, uint32_t *ends, bool *done) {
    const char *text = s->piece->begin;
    const frocc__plan *plan = s->plan;
    size_t n = plan->n_columns, size = value_size(plan);
    ends[n - 1] -= ends[n - 1] > first && text[ends[n - 1] - 1] == '\r';
    for (size_t column = 0; column < n;) {
        size_t count = s->csv->runs[column];
        if (count > 0)
            count = frocc__cells(text, first, ends + column, count, plan->dtype,
                                 s->row + plan->targets[column].feature * size);
        if (count == 0) {
            const char *place = text + first;
            FROCC_TRY(cut_cell(s, column, &place));
            if (place != text + ends[column])
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
static frocc_status parse_mixed_rows(struct parser *s, uint32_t *ends) {
    const char *text = s->piece->begin, *p = text;
    size_t n = s->plan->n_columns;
    for (; p < s->piece->end; ends += n) {
        const char *next = text + ends[n - 1] + 1;
        bool done = false;
        if (*p > '#') /* no comment, quote or blank */
            FROCC_TRY(parse_cells(s, (uint32_t)(p - text), ends, &done));
        if (done)
            row_done(s);
        else
            FROCC_TRY(parse_line(s, &p));
        p = next;
    }
    return FROCC_OK;
}

/* All cells of all rows are numbers, but for a few: one run from the first to the last. */
static frocc_status parse_number_rows(struct parser *s, const uint32_t *ends, size_t count) {
    const char *text = s->piece->begin;
    size_t n = s->plan->n_columns;
    for (size_t at = 0; at < count;) {
        uint32_t first = at == 0 ? 0 : ends[at - 1] + 1;
        size_t n_rows =
            frocc__cells(text, first, ends + at, count - at, s->plan->dtype, s->row) / n;
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
static bool is_regular(const struct parser *s, const uint32_t *ends, size_t count,
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

/* A survey that wants no means has nothing to learn from rows of numbers. */
static bool nothing_to_learn(const struct parser *s) {
    return s->survey != NULL && !s->survey->means && s->csv->n_vocabularies == 0 &&
           s->csv->separator != ' ' &&
           frocc__plain_rows(s->piece->begin, s->piece->end, s->csv->separator, s->plan->n_columns);
}

static frocc_status parse_piece(struct parser *s) {
    const char *p = s->piece->begin;
    size_t size = (size_t)(s->piece->end - p);
    if (nothing_to_learn(s)) {
        s->n_seen += s->piece->lines;
        s->survey->n_rows += s->piece->lines;
        return FROCC_OK;
    }
    if (s->ends != NULL && size + FROCC__ENDS_MARGIN <= s->csv->ends_room &&
        !s->csv->lines.has_quotes) {
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

/* ---- Blocks ---------------------------------------------------------------------------------- */

static frocc_status reserve_parsers(struct csv *csv, size_t count) {
    if (count <= csv->n_parsers)
        return FROCC_OK;
    struct parser *parsers =
        frocc__grow(csv->parsers, csv->n_parsers * sizeof *parsers, count, sizeof *parsers);
    if (parsers == NULL)
        return FROCC_ERR_MEMORY;
    csv->parsers = parsers;
    csv->n_parsers = count;
    return FROCC_OK;
}

static void start_parser(struct csv *csv, const frocc__job *job, size_t i, size_t first_row) {
    struct parser *s = &csv->parsers[i];
    s->csv = csv;
    s->job = job;
    s->plan = job->plan;
    s->survey = NULL;
    s->piece = &csv->lines.pieces[i];
    s->first_row = first_row;
    s->n_rows = s->n_seen = 0;
    s->row_bytes = job->plan->n_features * value_size(job->plan);
    s->drop = false;
    s->status = FROCC_OK;
    if (job->surveys == NULL) {
        s->texts = &job->block->texts[i];
        s->row = (char *)job->block->values + first_row * s->row_bytes;
    }
}

/* For pieces of the usual size; longer ones, of very long rows, go the way for any row. */
#define ENDS_ROOM ((size_t)1 << 19)

static frocc_status reserve_ends(struct csv *csv, int threads) {
    csv->ends_room = ENDS_ROOM;
    if (!frocc__cells_fast() || csv->separator == ' ' || csv->ends_size >= (size_t)threads)
        return FROCC_OK;
    frocc__free(csv->ends);
    csv->ends_size = 0;
    csv->ends = frocc__alloc((size_t)threads * ENDS_ROOM, sizeof *csv->ends);
    if (csv->ends == NULL)
        return FROCC_ERR_MEMORY;
    csv->ends_size = (size_t)threads;
    return FROCC_OK;
}

static void find_runs(struct csv *csv, const frocc__plan *plan) {
    const frocc__target *t = plan->targets;
    csv->n_vocabularies = 0;
    for (size_t i = plan->n_columns; i-- > 0;) {
        csv->n_vocabularies += t[i].action == FROCC__TO_VOCAB;
        bool goes_on = i + 1 < plan->n_columns && t[i + 1].feature == t[i].feature + 1;
        csv->runs[i] = t[i].action != FROCC__TO_NUMBER ? 0 : 1 + (goes_on ? csv->runs[i + 1] : 0);
    }
}

static frocc_status prepare(struct csv *csv, const frocc__job *job) {
    size_t n_pieces = csv->lines.n_pieces, n_rows = 0;
    find_runs(csv, job->plan);
    FROCC_TRY(reserve_parsers(csv, n_pieces));
    FROCC_TRY(reserve_ends(csv, job->threads));
    for (size_t i = 0; i < n_pieces; i++)
        n_rows += csv->lines.pieces[i].lines;
    /* A survey overwrites one row per thread. */
    if (job->surveys != NULL)
        FROCC_TRY(frocc__block_reserve(job->block, job->plan, (size_t)job->threads, 1));
    else
        FROCC_TRY(frocc__block_reserve(job->block, job->plan, n_rows, n_pieces));
    n_rows = 0;
    for (size_t i = 0; i < n_pieces; i++) {
        start_parser(csv, job, i, n_rows);
        n_rows += csv->lines.pieces[i].lines;
    }
    return FROCC_OK;
}

static void run(struct csv *csv, const frocc__job *job) {
    FROCC_OMP(parallel for num_threads(job->threads) schedule(static, 1))
    for (int t = 0; t < job->threads; t++)
        for (size_t i = (size_t)t; i < csv->lines.n_pieces; i += (size_t)job->threads) {
            struct parser *s = &csv->parsers[i];
            s->ends = csv->ends == NULL ? NULL : csv->ends + (size_t)t * csv->ends_room;
            if (job->surveys != NULL) {
                s->survey = &job->surveys[t];
                s->row = (char *)job->block->values + (size_t)t * s->row_bytes;
            }
            s->status = parse_piece(s);
            if (s->status != FROCC_OK)
                frocc__error_copy(s->error);
        }
}

/* Moves a piece's rows to where the ones before it end. */
static void close_gap(frocc__block *block, const struct parser *s) {
    size_t to = block->n_rows, from = s->first_row, n = s->n_rows;
    memmove((char *)block->values + to * s->row_bytes, (char *)block->values + from * s->row_bytes,
            n * s->row_bytes);
    memmove(block->row_numbers + to, block->row_numbers + from, n * sizeof *block->row_numbers);
    memmove(block->label_values + to, block->label_values + from, n * sizeof *block->label_values);
    memmove(block->label_offsets + to, block->label_offsets + from,
            n * sizeof *block->label_offsets);
    memmove(block->id_offsets + to, block->id_offsets + from, n * sizeof *block->id_offsets);
}

static void join(struct csv *csv, const frocc__job *job) {
    frocc__block *block = job->block;
    for (size_t i = 0; i < csv->lines.n_pieces; i++) {
        const struct parser *s = &csv->parsers[i];
        if (s->first_row != block->n_rows)
            close_gap(block, s);
        for (size_t row = block->n_rows; row < block->n_rows + s->n_rows; row++) {
            block->row_numbers[row] += csv->n_rows;
            if (s->plan->has_label)
                block->labels[row] = s->texts->bytes + block->label_offsets[row];
            if (s->plan->has_id)
                block->ids[row] = s->texts->bytes + block->id_offsets[row];
        }
        block->n_rows += s->n_rows;
        block->dropped += s->n_seen - s->n_rows;
        csv->n_rows += s->n_seen;
    }
    block->file_rows = csv->n_rows;
}

static frocc_status csv_next(frocc__input *input, const frocc__job *job) {
    struct csv *csv = (struct csv *)input;
    const frocc__plan *plan = job->plan;
    /* Few columns may become many features; then a block takes fewer rows. */
    csv->lines.chunk = FROCC_MAX((size_t)4096, VALUES_BUDGET / 8 / FROCC_MAX(plan->n_features, 1) *
                                                   plan->n_columns);
    do {
        FROCC_TRY(frocc__lines_next(&csv->lines, job->threads));
        FROCC_TRY(prepare(csv, job));
        run(csv, job);
        for (size_t i = 0; i < csv->lines.n_pieces; i++)
            if (csv->parsers[i].status != FROCC_OK)
                return frocc__fail(csv->parsers[i].status, "%s", csv->parsers[i].error);
        if (job->surveys != NULL) {
            job->block->n_rows = csv->lines.n_pieces; /* not the end yet */
            return FROCC_OK;
        }
        join(csv, job);
    } while (job->block->n_rows == 0 && csv->lines.n_pieces > 0);
    return FROCC_OK;
}

static void csv_close(frocc__input *input) {
    struct csv *csv = (struct csv *)input;
    for (size_t i = 0; i < csv->n_parsers; i++)
        frocc__free(csv->parsers[i].scratch);
    frocc__free(csv->parsers);
    frocc__free(csv->ends);
    frocc__free(csv->runs);
    frocc__lines_clear(&csv->lines);
}

static const frocc__input_class csv_class = {csv_next, csv_close};

static frocc_status skip(frocc__stream *stream, size_t size) {
    char bytes[4096];
    while (size > 0) {
        size_t got;
        FROCC_TRY(frocc__stream_read(stream, bytes, FROCC_MIN(size, sizeof bytes), &got));
        size -= got;
    }
    return FROCC_OK;
}

frocc_status frocc__csv_open(frocc__stream *stream, const frocc_reader_options *options,
                             char separator, frocc__input **input) {
    frocc__csv_shape shape;
    FROCC_TRY(frocc__csv_detect(stream, options, separator, &shape));
    struct csv *csv = frocc__alloc(1, sizeof *csv);
    uint32_t *runs = frocc__alloc(shape.n_columns, sizeof *runs);
    frocc_status status = csv == NULL || runs == NULL ? FROCC_ERR_MEMORY : FROCC_OK;
    if (status == FROCC_OK)
        status = skip(stream, shape.skip_bytes);
    if (status != FROCC_OK) {
        frocc__names_free(shape.names, shape.n_columns);
        frocc__free(csv);
        frocc__free(runs);
        return status;
    }
    csv->runs = runs;
    csv->input = (frocc__input){
        .class = &csv_class, .n_columns = shape.n_columns, .names = shape.names, .text = true};
    csv->separator = shape.separator;
    csv->lines = (frocc__lines){.stream = stream,
                                .quotes = true,
                                .separator = shape.separator,
                                .line = 1 + shape.skip_lines};
    *input = &csv->input;
    return FROCC_OK;
}
