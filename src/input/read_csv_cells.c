/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a CSV file: cut out of the text, and taken to where their column goes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read_csv.h"
#include "schema/time_stamp.h"

/* ---- Errors ---------------------------------------------------------------------------------- */

unsigned long long frocc__csv_line_at(const struct frocc__csv_parser *s, const char *at) {
    return s->piece->line + frocc__count_lines(s->piece->begin, at);
}

static frocc__where where(const struct frocc__csv_parser *s, const char *at, size_t column) {
    return (frocc__where){.file = s->csv->input.name,
                          .line = frocc__csv_line_at(s, at),
                          .column = column + 1,
                          .column_name = s->plan->names == NULL ? NULL : s->plan->names[column]};
}

static frocc_status cell_error(const struct frocc__csv_parser *s, const char *at, size_t column,
                               const char *text, size_t length, const char *what) {
    char shown[FROCC__SHOWN_SIZE];
    const frocc__where place = where(s, at, column);
    return frocc__fail_at(FROCC_ERR_DATA, &place, "'%s' %s", frocc__show(text, length, shown),
                          what);
}

static frocc_status missing_error(const struct frocc__csv_parser *s, const char *at, size_t column,
                                  const char *text, size_t length) {
    char shown[FROCC__SHOWN_SIZE];
    const char *advice = s->plan->missing_advice;
    const frocc__where place = where(s, at, column);
    if (length > 0)
        return frocc__fail_at(FROCC_ERR_DATA, &place,
                              "'%s' stands for a missing value; expected a value (%s)",
                              frocc__show(text, length, shown), advice);
    return frocc__fail_at(FROCC_ERR_DATA, &place, "the cell is empty; expected a value (%s)",
                          advice);
}

static frocc_status quote_error(const struct frocc__csv_parser *s, const char *at, size_t column) {
    const frocc__where place = where(s, at, column);
    return frocc__fail_at(FROCC_ERR_DATA, &place,
                          s->plan->lists_bad_rows
                              ? "a quote is not closed in its line, or text follows it"
                              : "text follows the closing quote; expected a separator; quotes "
                                "within a quoted cell are written twice");
}

frocc_status frocc__csv_count_error(const struct frocc__csv_parser *s, const char *at, size_t count,
                                    bool more) {
    const char *name = s->csv->separator == '\t'  ? "tab"
                       : s->csv->separator == ' ' ? "space"
                                                  : (char[]){'\'', s->csv->separator, '\'', '\0'};
    return frocc__fail_at(
        FROCC_ERR_SHAPE,
        &(frocc__where){.file = s->csv->input.name, .line = frocc__csv_line_at(s, at)},
        "the row has %s%zu cells; expected %zu, as in the first row (separator: %s%s)",
        more ? "more than " : "", count, s->plan->n_columns, name,
        *at == '#' ? "; a comment has a blank behind the #" : "");
}

frocc_status frocc__csv_comment_error(const struct frocc__csv_parser *s, const char *at) {
    return frocc__fail_at(
        FROCC_ERR_DATA,
        &(frocc__where){.file = s->csv->input.name, .line = frocc__csv_line_at(s, at)},
        "the line begins with '#' and a blank, as a comment does, and has %zu cells, as a row "
        "does; "
        "put quotes around the cell, or take the comment out",
        s->plan->n_columns);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

static inline void store(const struct frocc__csv_parser *s, size_t feature, double value) {
    if (s->plan->dtype == FROCC_F32)
        ((float *)s->row)[feature] = (float)value;
    else
        ((double *)s->row)[feature] = value;
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

static void store_all(const struct frocc__csv_parser *s, size_t feature, const double *values,
                      size_t count) {
    for (size_t i = 0; i < count; i++)
        store(s, feature + i, values[i]);
}

static void remember_time(struct frocc__csv_parser *s, const frocc__target *target,
                          double seconds) {
    if (target->time != FROCC__NOT_FOUND)
        s->times[target->time] = seconds;
}

void frocc__csv_subtract_times(const struct frocc__csv_parser *s) {
    const frocc_schema *schema = s->plan->schema;
    double differences[FROCC__MOST_DIFFERENCES];
    frocc__schema_differences(schema, s->times, differences);
    store_all(s, schema->n_features - schema->n_differences, differences, schema->n_differences);
}

/* What is read where the cell has no value, of a number or a time: what stands for that, and the
 * state. */
static void store_none(struct frocc__csv_parser *s, const frocc__target *target, uint32_t state) {
    double features[FROCC__TIME_FEATURES];
    if (target->action == FROCC__TO_TIME) {
        remember_time(s, target, (double)NAN);
        store_all(s, target->feature, features,
                  frocc__missing_time(target->column, state, features));
        return;
    }
    store(s, target->feature, s->survey != NULL ? (double)NAN : target->filler);
    if (target->action == FROCC__TO_NUMBER_TOLD)
        store(s, target->feature + 1, state);
}

/* A missing cell of a feature. */
static frocc_status take_missing(struct frocc__csv_parser *s, size_t column, const char *at,
                                 const frocc__cell *cell) {
    const frocc__target *target = &s->plan->targets[column];
    if (s->plan->missing == FROCC_MISSING_ERROR)
        return missing_error(s, at, column, cell->text, cell->length);
    if (s->plan->missing == FROCC_MISSING_DROP)
        s->drop = true;
    if (s->survey != NULL)
        s->survey->columns[target->feature].tally.n_missing++;
    if (target->action == FROCC__TO_CATEGORY)
        store(s, target->feature, 0);
    else if (target->action != FROCC__TO_TEXTS)
        store_none(s, target, FROCC__CODE_MISSING);
    return FROCC_OK;
}

/* A cell that is none of the column's numbers or times. */
static frocc_status take_mark(struct frocc__csv_parser *s, size_t column, const char *at,
                              const frocc__cell *cell, const char *what) {
    const frocc__target *target = &s->plan->targets[column];
    if (s->survey != NULL && !s->job->numbers_only) {
        store_none(s, target, 0);
        return frocc__survey_text(&s->survey->columns[target->feature], cell->text, cell->length);
    }
    if (frocc__has_commas(cell->text, cell->length))
        return cell_error(s, at, column, cell->text, cell->length, FROCC__WITH_COMMAS);
    if (target->column == NULL || !target->column->tells_state ||
        s->plan->missing != FROCC_MISSING_KEEP)
        return cell_error(s, at, column, cell->text, cell->length, what);
    store_none(s, target, frocc__text_code(cell->text, cell->length));
    return FROCC_OK;
}

static frocc_status take_time(struct frocc__csv_parser *s, size_t column, const char *at,
                              const frocc__cell *cell) {
    const frocc__target *target = &s->plan->targets[column];
    frocc__time_stamp stamp;
    double features[FROCC__TIME_FEATURES];
    if (!frocc__time_read(target->column, cell->text, cell->length, &stamp))
        return take_mark(s, column, at, cell, frocc__no_time(target->column));
    remember_time(s, target, stamp.seconds);
    store_all(s, target->feature, features, frocc__time_features(target->column, &stamp, features));
    return FROCC_OK;
}

static bool is_number(const frocc__cell *cell) {
    double value;
    return frocc__parse_f64(cell->text, cell->length, &value);
}

/* A number with a decimal point, or none. */
static frocc_status take_point(struct frocc__csv_parser *s, size_t column, const char *at,
                               const frocc__cell *cell) {
    size_t feature = s->plan->targets[column].feature;
    double value = 0;
    float single = 0;
    bool f32 = s->plan->dtype == FROCC_F32;
    bool number = cell->is_text ? false
                  : f32         ? frocc__parse_f32(cell->text, cell->length, &single)
                                : frocc__parse_f64(cell->text, cell->length, &value);
    if (number) {
        value = f32 ? (double)single : value;
        /* Where nothing is learnt from values, a survey may not have looked: it never complains. */
        if (!isfinite(value) && (s->survey == NULL || s->survey->values))
            return cell_error(s, at, column, cell->text, cell->length,
                              f32 ? "is too large for float32; expected less than 3.5e38"
                                  : "is too large for float64; expected less than 1.8e308");
        store(s, feature, value);
        if (s->plan->targets[column].action == FROCC__TO_NUMBER_TOLD)
            store(s, feature + 1, 0);
        return FROCC_OK;
    }
    if (!cell->is_text && is_infinity(cell->text, cell->length))
        return cell_error(s, at, column, cell->text, cell->length,
                          "is infinite; expected a finite number");
    return take_mark(s, column, at, cell,
                     s->job->numbers_only ? FROCC__NO_NUMBER_ALLOWED : FROCC__NO_NUMBER);
}

static frocc_status take_number(struct frocc__csv_parser *s, size_t column, const char *at,
                                const frocc__cell *cell) {
    char point[FROCC__COMMA_SIZE];
    const enum frocc__decimals decimals = s->csv->decimals;
    if (decimals != FROCC__POINTS && memchr(cell->text, ',', cell->length) != NULL) {
        const size_t length = frocc__decimal_comma(cell->text, cell->length, point);
        if (length > 0 && decimals == FROCC__POINTS_OR_COMMAS && frocc__may_be_thousands(cell))
            return cell_error(s, at, column, cell->text, cell->length,
                              "has a comma between thousands or in front of decimals, and no row "
                              "so far says which; write it with a point or without the comma");
        return take_point(s, column, at,
                          length > 0 ? &(frocc__cell){.text = point, .length = length} : cell);
    }
    if (decimals == FROCC__COMMAS && memchr(cell->text, '.', cell->length) != NULL &&
        is_number(cell))
        return cell_error(s, at, column, cell->text, cell->length,
                          "has a decimal point, where the numbers of the first rows have decimal "
                          "commas; write all alike");
    return take_point(s, column, at, cell);
}

static frocc_status take_text(struct frocc__csv_parser *s, size_t column, const frocc__cell *cell) {
    frocc__row_buffer *buffer = s->job->buffer;
    size_t row = s->first_row + s->n_rows;
    if (s->survey != NULL)
        return FROCC_OK;
    if (s->plan->targets[column].action == FROCC__TO_ID)
        return frocc__texts_add(s->texts, cell->text, cell->length, &buffer->id_offsets[row]);
    buffer->label_values[row] = (double)NAN;
    frocc__parse_f64(cell->text, cell->length, &buffer->label_values[row]);
    return frocc__texts_add(s->texts, cell->text, cell->length, &buffer->label_offsets[row]);
}

frocc_status frocc__csv_take_cell(struct frocc__csv_parser *s, size_t column, const char *at,
                                  const frocc__cell *cell) {
    const frocc__target *target = &s->plan->targets[column];
    if (memchr(cell->text, '\0', cell->length) != NULL)
        return cell_error(s, at, column, cell->text, cell->length,
                          "holds a NUL byte; this is no text file, or it is damaged");
    if (target->action == FROCC__TO_LABEL || target->action == FROCC__TO_ID)
        return take_text(s, column, cell);
    const bool missing = frocc__target_lacks(s->plan, target, cell->text, cell->length);
    if (missing)
        FROCC_TRY(take_missing(s, column, at, cell));
    switch (target->action) {
    case FROCC__TO_CATEGORY:
        if (!missing)
            store(s, target->feature, frocc__text_code(cell->text, cell->length));
        return FROCC_OK;
    case FROCC__TO_TIME:
        return missing ? FROCC_OK : take_time(s, column, at, cell);
    case FROCC__TO_TEXTS:
        return missing ? FROCC_OK
                       : frocc__known_take(&s->survey->columns[target->feature].known, cell->text,
                                           cell->length);
    default:
        return missing ? FROCC_OK : take_number(s, column, at, cell);
    }
}

static frocc_status unquote(struct frocc__csv_parser *s, frocc__cell *cell) {
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

/* The way for any cell. *position: its start, then its end. */
frocc_status frocc__csv_cut_cell(struct frocc__csv_parser *s, size_t column,
                                 const char **position) {
    frocc__cell cell;
    const char *start = *position;
    const char *end = frocc__csv_cell(start, s->end, s->csv->separator, &cell);
    if (end == NULL)
        return quote_error(s, start, column);
    *position = end;
    if (s->plan->targets[column].action == FROCC__TO_NOTHING)
        return FROCC_OK;
    if (cell.doubled)
        FROCC_TRY(unquote(s, &cell));
    return frocc__csv_take_cell(s, column, start, &cell);
}

frocc_status frocc__csv_carry(struct frocc__csv_parser *s, const char *at) {
    const char separator = s->csv->separator;
    const size_t piece = (size_t)(s->piece - s->csv->lines.pieces), row = s->first_row + s->n_rows;
    for (size_t column = 0; column < s->plan->n_columns; column++) {
        const size_t slot = s->plan->carry_slot[column];
        frocc__cell cell;
        at = frocc__csv_cell(at, s->end, separator, &cell);
        if (slot != FROCC__NOT_FOUND && cell.doubled)
            FROCC_TRY(unquote(s, &cell));
        if (slot != FROCC__NOT_FOUND)
            FROCC_TRY(frocc__row_buffer_carry(s->job->buffer, piece, row, slot, cell.text,
                                              cell.length, false));
        at = separator == ' ' ? frocc__skip_blanks(at, separator) : at + 1;
    }
    return FROCC_OK;
}
