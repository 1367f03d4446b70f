/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a table's columns: each becomes a number, a category, or a text, as the column of
 * the schema wants it, whatever it is in the table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read_table.h"
#include "numbers/number.h"
#include "schema/time_stamp.h"

typedef struct frocc__strip strip;

#define TEXT_ROOM 64 /* for a number or a time */

/* ---- Errors ---------------------------------------------------------------------------------- */

/* Something is wrong with the cell of a row of the batch. */
static frocc__where where(const strip *s, size_t row) {
    char *const *names = s->job->plan->names;
    return (frocc__where){.file = s->table->source.name,
                          .row = s->table->rows_before + row + 1,
                          .column = s->column + 1,
                          .column_name = names == NULL ? NULL : names[s->column]};
}

static frocc_status cell_error(const strip *s, size_t row, const char *what) {
    const frocc__where place = where(s, row);
    return frocc__fail_at(FROCC_ERR_DATA, &place, "%s", what);
}

static frocc_status missing_error(const strip *s, size_t row) {
    const frocc__where place = where(s, row);
    return frocc__fail_at(FROCC_ERR_DATA, &place, "the cell is missing; expected a value (%s)",
                          s->job->plan->missing_advice);
}

/* And with all cells. */
static frocc_status column_error(const strip *s, const char *what) {
    char *const *names = s->job->plan->names;
    const frocc__where where = {.file = s->table->source.name,
                                .column = s->column + 1,
                                .column_name = names == NULL ? NULL : names[s->column]};
    return frocc__fail_at(FROCC_ERR_DATA, &where, "%s", what);
}

static const frocc__target *target_of(const strip *s) {
    return &s->job->plan->targets[s->column];
}

/* ---- What a cell is -------------------------------------------------------------------------- */

static void print_i64(int64_t value, char out[TEXT_ROOM]) {
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    *out = '-';
    frocc__print_u64(magnitude, out + (value < 0));
}

/* Rounds down. */
static long long floored(long long value, long long unit, long long *rest) {
    *rest = value % unit < 0 ? value % unit + unit : value % unit;
    return value / unit - (value % unit < 0);
}

/* As ISO 8601 has it, on the clock. Years are counted from March, so that a leap day is the last of
 * one, and days from 0000-03-01, in eras of 400 years. */
static void print_time(int64_t value, int64_t per_second, char out[TEXT_ROOM]) {
    long long rest, second, day;
    const long long seconds = floored(value, per_second, &rest);
    const long long days = floored(seconds, 86400, &second);
    const long long era = floored(days + 719468, 146097, &day);
    const long long year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    const long long of_year = day - (365 * year + year / 4 - year / 100);
    const long long month = (5 * of_year + 2) / 153, of_month = of_year - (153 * month + 2) / 5;
    const long long shown_year = year + era * 400 + (month >= 10);
    int used = snprintf(out, TEXT_ROOM, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lld", shown_year,
                        month < 10 ? month + 3 : month - 9, of_month + 1, second / 3600,
                        second / 60 % 60, second % 60);
    if (rest > 0 && used > 0 && used < TEXT_ROOM)
        snprintf(out + used, TEXT_ROOM - (size_t)used, ".%0*lld",
                 per_second == 1000      ? 3
                 : per_second == 1000000 ? 6
                                         : 9,
                 rest);
}

/* By how much the row's clock is ahead of UTC, +09:00; seconds only where there are some. */
static void print_ahead(int32_t ahead, char out[TEXT_ROOM]) {
    const int seconds = ahead < 0 ? -ahead : ahead;
    char *end = out + strlen(out);
    int used = snprintf(end, TEXT_ROOM - (size_t)(end - out), "%c%02d:%02d", ahead < 0 ? '-' : '+',
                        seconds / 3600, seconds / 60 % 60);
    if (seconds % 60 != 0 && used > 0)
        snprintf(end + used, TEXT_ROOM - (size_t)(end + used - out), ":%02d", seconds % 60);
}

/* That of a time; false where nothing is known. */
static bool knows_ahead(const strip *s) {
    return s->field->kind == FROCC_VALUES_TIME && s->cells->ahead_of_utc != NULL;
}

static frocc_status check_ahead(const strip *s, size_t row) {
    const int32_t day = 86400, ahead = s->cells->ahead_of_utc[row];
    return ahead > -day && ahead < day ? FROCC_OK
                                       : cell_error(s, row,
                                                    "its clock is a day or more away from UTC; "
                                                    "expected less, in seconds");
}

/* Which of the texts a row has; -1 where its cell is missing. */
static frocc_status find_code(const strip *s, size_t row, int64_t *code) {
    *code = s->cells->codes == NULL ? (int64_t)row : s->cells->codes[row];
    if (s->cells->codes != NULL && *code >= 0 && (uint64_t)*code >= s->cells->n_texts)
        return cell_error(s, row, "its code means none of the texts");
    return FROCC_OK;
}

/* The text as it lies there. */
static frocc_status stored_text(const strip *s, size_t row, int64_t code, const char **text,
                                size_t *length) {
    const int64_t begin = s->cells->offsets[code], end = s->cells->offsets[code + 1];
    if (begin < 0 || end < begin)
        return cell_error(s, row, "the offsets of its text are damaged");
    *text = end > begin ? (const char *)s->cells->values + begin : "";
    *length = (size_t)(end - begin);
    if (memchr(*text, '\0', *length) != NULL)
        return cell_error(s, row, "the text holds a NUL byte");
    return FROCC_OK;
}

static bool is_masked(const strip *s, size_t row) {
    return s->cells->missing != NULL && s->cells->missing[row] != 0;
}

/* A cell that is no text; false where it is missing. */
static bool number_at(const strip *s, size_t row, double *value) {
    if (is_masked(s, row))
        return false;
    switch (s->field->kind) {
    case FROCC_VALUES_F64:
        *value = ((const double *)s->cells->values)[row];
        break;
    case FROCC_VALUES_F32:
        *value = (double)((const float *)s->cells->values)[row];
        break;
    case FROCC_VALUES_BOOL:
        *value = ((const unsigned char *)s->cells->values)[row] != 0;
        break;
    default:
        *value = (double)((const int64_t *)s->cells->values)[row];
        break;
    }
    return !isnan(*value);
}

static void print_number(const strip *s, size_t row, char own[TEXT_ROOM]) {
    const void *values = s->cells->values;
    switch (s->field->kind) {
    case FROCC_VALUES_F64:
        frocc_print_f64(((const double *)values)[row], own);
        break;
    case FROCC_VALUES_F32:
        frocc__print_f32(((const float *)values)[row], own);
        break;
    case FROCC_VALUES_BOOL:
        strcpy(own, frocc__truth_text(((const unsigned char *)values)[row] != 0));
        break;
    case FROCC_VALUES_TIME:
        print_time(((const int64_t *)values)[row], s->field->per_second, own);
        if (knows_ahead(s))
            print_ahead(s->cells->ahead_of_utc[row], own);
        break;
    default:
        print_i64(((const int64_t *)values)[row], own);
        break;
    }
}

/* A cell as text, which may lie in own; *text is NULL where it is missing. */
static frocc_status text_at(const strip *s, size_t row, char own[TEXT_ROOM], const char **text,
                            size_t *length) {
    *text = NULL;
    if (is_masked(s, row))
        return FROCC_OK;
    if (frocc__holds_text(s->field)) {
        int64_t code = 0;
        FROCC_TRY(find_code(s, row, &code));
        if (code >= 0)
            FROCC_TRY(stored_text(s, row, code, text, length));
        if (code >= 0 && frocc__target_lacks(s->job->plan, target_of(s), *text, *length))
            *text = NULL;
        return FROCC_OK;
    }
    double value = 0;
    if (!number_at(s, row, &value))
        return FROCC_OK;
    if (knows_ahead(s))
        FROCC_TRY(check_ahead(s, row));
    print_number(s, row, own);
    *text = own;
    *length = strlen(own);
    return FROCC_OK;
}

/* ---- Where cells go -------------------------------------------------------------------------- */

static void store(const strip *s, size_t row, size_t feature, double value) {
    const frocc__row_buffer *buffer = s->job->buffer;
    size_t position = (row - s->first) * buffer->row_stride + feature;
    if (buffer->dtype == FROCC_F32)
        ((float *)buffer->values)[position] = (float)value;
    else
        ((double *)buffer->values)[position] = value;
}

static void store_all(const strip *s, size_t row, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        store(s, row, target_of(s)->feature + i, values[i]);
}

static void remember_time(const strip *s, size_t row, double seconds) {
    const size_t time = target_of(s)->time;
    if (time != FROCC__NOT_FOUND)
        s->table->times[(row - s->first) * FROCC__MOST_TIMES + time] = seconds;
}

/* Where the cell has no value, of a number or a time: what stands for that, and the state. */
static void store_none(const strip *s, size_t row, uint32_t state) {
    const frocc__target *target = target_of(s);
    double features[FROCC__TIME_FEATURES];
    if (target->action == FROCC__TO_TIME) {
        remember_time(s, row, (double)NAN);
        store_all(s, row, features, frocc__missing_time(target->column, state, features));
        return;
    }
    store(s, row, target->feature, target->filler);
    if (target->action == FROCC__TO_NUMBER_TOLD)
        store(s, row, target->feature + 1, state);
}

/* A missing cell of a feature. */
static frocc_status take_missing(const strip *s, size_t row) {
    const frocc__target *target = target_of(s);
    if (s->job->plan->missing == FROCC_MISSING_ERROR)
        return missing_error(s, row);
    if (s->job->plan->missing == FROCC_MISSING_DROP)
        s->table->drop[row - s->first] = 1;
    if (s->job->surveys != NULL)
        s->job->surveys->columns[target->feature].tally.n_missing++;
    else if (target->action == FROCC__TO_CATEGORY)
        store(s, row, target->feature, 0);
    else
        store_none(s, row, FROCC__CODE_MISSING);
    return FROCC_OK;
}

/* A text that is none of the column's numbers or times. */
static frocc_status take_mark(const strip *s, size_t row, const char *text, size_t length,
                              const char *what) {
    char shown[FROCC__SHOWN_SIZE];
    const frocc__target *target = target_of(s);
    const frocc__where place = where(s, row);
    if (s->job->surveys != NULL && !s->job->numbers_only)
        return frocc__survey_text(&s->job->surveys->columns[target->feature], text, length);
    const bool has_commas = frocc__has_commas(text, length);
    if (has_commas || target->column == NULL || !target->column->tells_state ||
        s->job->plan->missing != FROCC_MISSING_KEEP)
        return frocc__fail_at(FROCC_ERR_DATA, &place, "'%s' %s", frocc__show(text, length, shown),
                              has_commas ? FROCC__WITH_COMMAS : what);
    store_none(s, row, frocc__text_code(text, length));
    return FROCC_OK;
}

static frocc_status take_value(const strip *s, size_t row, double value) {
    frocc__survey *survey = s->job->surveys;
    const size_t feature = target_of(s)->feature;
    if (survey != NULL && survey->epochs && s->job->plan->schema->columns[feature].may_be_epochs)
        frocc__tally_epoch(&survey->columns[feature].tally, value);
    if (survey != NULL && !survey->values)
        return FROCC_OK; /* it never complains, as it need not look at numbers */
    if (!isfinite(value))
        return cell_error(s, row, "the value is infinite; expected a finite number");
    if (survey != NULL) {
        frocc__sum_add(&survey->sums[feature], value);
        return FROCC_OK;
    }
    if (s->job->plan->dtype == FROCC_F32 && !isfinite((float)value))
        return cell_error(s, row, "the value is too large for float32; expected less than 3.5e38");
    store(s, row, feature, value);
    if (target_of(s)->action == FROCC__TO_NUMBER_TOLD)
        store(s, row, feature + 1, 0);
    return FROCC_OK;
}

/* A text where a number is wanted: it may be one, as in CSV. */
static frocc_status take_text_as_number(const strip *s, size_t row, const char *text,
                                        size_t length) {
    double value = 0;
    return frocc__parse_f64(text, length, &value)
               ? take_value(s, row, value)
               : take_mark(s, row, text, length,
                           s->job->numbers_only ? FROCC__NO_NUMBER_ALLOWED : FROCC__NO_NUMBER);
}

static frocc_status take_numbers(const strip *s) {
    const bool text = frocc__holds_text(s->field);
    for (size_t row = s->first; row < s->first + s->count; row++) {
        const char *at = NULL;
        size_t length = 0;
        double value = 0;
        char own[TEXT_ROOM];
        if (text)
            FROCC_TRY(text_at(s, row, own, &at, &length));
        if (text ? at == NULL : !number_at(s, row, &value))
            FROCC_TRY(take_missing(s, row));
        else if (text)
            FROCC_TRY(take_text_as_number(s, row, at, length));
        else
            FROCC_TRY(take_value(s, row, value));
    }
    return FROCC_OK;
}

/* A time, to the survey or to what it becomes. */
static void take_stamp(const strip *s, size_t row, const frocc__time_stamp *stamp) {
    frocc__survey *survey = s->job->surveys;
    const frocc__target *target = target_of(s);
    double features[FROCC__TIME_FEATURES];
    if (survey == NULL) {
        remember_time(s, row, stamp->seconds);
        store_all(s, row, features, frocc__time_features(target->column, stamp, features));
        return;
    }
    frocc__tally_time(&survey->columns[target->feature].tally, stamp);
}

static frocc_status take_text_as_time(const strip *s, size_t row, const char *text, size_t length) {
    frocc__time_stamp stamp;
    if (!frocc__time_read(target_of(s)->column, text, length, &stamp))
        return take_mark(s, row, text, length, frocc__no_time(target_of(s)->column));
    take_stamp(s, row, &stamp);
    return FROCC_OK;
}

/* Hours and days are those of the clock, the time itself is that of UTC. */
static frocc_status take_own_time(const strip *s, size_t row) {
    const int64_t units = ((const int64_t *)s->cells->values)[row];
    frocc__time_stamp stamp = frocc__time_stamp_at(units, s->field->per_second);
    if (knows_ahead(s)) {
        FROCC_TRY(check_ahead(s, row));
        stamp.seconds -= s->cells->ahead_of_utc[row];
    }
    take_stamp(s, row, &stamp);
    return FROCC_OK;
}

static frocc_status take_epoch(const strip *s, size_t row, double number) {
    frocc__time_stamp stamp;
    if (!frocc__epoch_at(number, target_of(s)->column->per_second, &stamp))
        return cell_error(s, row, frocc__no_time(target_of(s)->column));
    take_stamp(s, row, &stamp);
    return FROCC_OK;
}

static frocc_status take_times(const strip *s) {
    const bool text = frocc__holds_text(s->field);
    const bool epochs = !text && s->field->kind != FROCC_VALUES_TIME;
    if (epochs && (s->job->surveys != NULL || target_of(s)->column->per_second == 0))
        return column_error(s, "it holds numbers, and the model has time stamps there");
    for (size_t row = s->first; row < s->first + s->count; row++) {
        const char *at = NULL;
        size_t length = 0;
        char own[TEXT_ROOM];
        if (text)
            FROCC_TRY(text_at(s, row, own, &at, &length));
        double number = 0;
        if (text ? at == NULL : !number_at(s, row, &number)) {
            FROCC_TRY(take_missing(s, row));
        } else if (epochs) {
            FROCC_TRY(take_epoch(s, row, number));
        } else if (text) {
            FROCC_TRY(take_text_as_time(s, row, at, length));
        } else {
            FROCC_TRY(take_own_time(s, row));
        }
    }
    return FROCC_OK;
}

static frocc_status forget_codes(const strip *s) {
    struct frocc__table *t = s->table;
    const size_t count = s->cells->codes == NULL ? 0 : s->cells->n_texts;
    if (count > t->known_room) {
        frocc__free(t->known);
        t->known_room = 0;
        t->known = frocc__alloc(count, sizeof *t->known);
        if (t->known == NULL)
            return FROCC_ERR_MEMORY;
        t->known_room = count;
    }
    if (count > 0)
        memset(t->known, 0, count * sizeof *t->known);
    return FROCC_OK;
}

/* Where the code of the row's text is kept, NULL where it is not. */
static uint32_t *known_code(const strip *s, size_t row) {
    const int32_t *codes = s->cells->codes;
    const bool usable = frocc__holds_text(s->field) && codes != NULL && !is_masked(s, row) &&
                        codes[row] >= 0 && (size_t)codes[row] < s->cells->n_texts;
    return usable ? &s->table->known[codes[row]] : NULL;
}

/* The code of a row's text, learning included; 0 where it is missing. Texts that the batch numbers
 * are looked at once each. */
static frocc_status take_category(const strip *s, size_t row, uint32_t *code) {
    const frocc__target *target = target_of(s);
    const char *text = NULL;
    size_t length = 0;
    char own[TEXT_ROOM];
    FROCC_TRY(text_at(s, row, own, &text, &length));
    *code = text == NULL ? 0 : frocc__text_code(text, length);
    if (text == NULL)
        return take_missing(s, row);
    return target->action == FROCC__TO_TEXTS
               ? frocc__known_take(&s->job->surveys->columns[target->feature].known, text, length)
               : FROCC_OK;
}

static frocc_status take_categories(const strip *s) {
    FROCC_TRY(forget_codes(s));
    for (size_t row = s->first; row < s->first + s->count; row++) {
        uint32_t *known = known_code(s, row), code = known == NULL ? 0 : *known;
        if (code == 0)
            FROCC_TRY(take_category(s, row, &code));
        if (known != NULL)
            *known = code;
        if (s->job->surveys == NULL)
            store(s, row, target_of(s)->feature, code);
    }
    return FROCC_OK;
}

/* Labels and ids are texts, and a label is its value, too. */
static frocc_status take_texts(const strip *s, bool label) {
    frocc__row_buffer *buffer = s->job->buffer;
    for (size_t i = 0; s->job->surveys == NULL && i < s->count; i++) {
        const char *text = NULL;
        size_t length = 0;
        char own[TEXT_ROOM];
        FROCC_TRY(text_at(s, s->first + i, own, &text, &length));
        length = text == NULL ? 0 : length;
        FROCC_TRY(frocc__texts_add(&buffer->texts[0], text == NULL ? "" : text, length,
                                   label ? &buffer->label_offsets[i] : &buffer->id_offsets[i]));
        if (!label)
            continue;
        buffer->label_values[i] = (double)NAN;
        if (text != NULL)
            frocc__parse_f64(text, length, &buffer->label_values[i]);
    }
    return FROCC_OK;
}

static frocc_status carry(const strip *s, size_t slot) {
    const bool is_bare = !frocc__holds_text(s->field) && s->field->kind != FROCC_VALUES_TIME;
    for (size_t i = 0; i < s->count; i++) {
        const char *text = NULL;
        size_t length = 0;
        char own[TEXT_ROOM];
        FROCC_TRY(text_at(s, s->first + i, own, &text, &length));
        FROCC_TRY(frocc__row_buffer_carry(s->job->buffer, 0, i, slot, text == NULL ? "" : text,
                                          text == NULL ? 0 : length, is_bare || text == NULL));
    }
    return FROCC_OK;
}

void frocc__strip_subtract_times(const strip *s) {
    const frocc_schema *schema = s->job->plan->schema;
    const size_t first = schema->n_features - schema->n_differences;
    for (size_t i = 0; i < s->count; i++) {
        double differences[FROCC__MOST_DIFFERENCES];
        frocc__schema_differences(schema, s->table->times + i * FROCC__MOST_TIMES, differences);
        for (size_t k = 0; k < schema->n_differences; k++)
            store(s, s->first + i, first + k, differences[k]);
    }
}

frocc_status frocc__strip_take(const strip *s) {
    const frocc__plan *plan = s->job->plan;
    const size_t slot = plan->n_carried == 0 ? FROCC__NOT_FOUND : plan->carry_slot[s->column];
    const bool is_used = slot != FROCC__NOT_FOUND || target_of(s)->action != FROCC__TO_NOTHING;
    if (s->field->kind == FROCC_VALUES_NONE && is_used)
        return column_error(s, "it holds no numbers, texts or times; name it in drop");
    if (s->job->surveys == NULL && slot != FROCC__NOT_FOUND)
        FROCC_TRY(carry(s, slot));
    switch (target_of(s)->action) {
    case FROCC__TO_NUMBER:
    case FROCC__TO_NUMBER_TOLD:
        if (s->field->kind != FROCC_VALUES_TIME)
            return take_numbers(s);
        if (s->job->surveys != NULL && !s->job->numbers_only)
            return take_times(s);
        return column_error(s, "it holds times, which cannot be used as numbers; name it in drop, "
                               "or as id");
    case FROCC__TO_TIME:
        return take_times(s);
    case FROCC__TO_CATEGORY:
    case FROCC__TO_TEXTS:
        return take_categories(s);
    case FROCC__TO_LABEL:
    case FROCC__TO_ID:
        return take_texts(s, target_of(s)->action == FROCC__TO_LABEL);
    default:
        return FROCC_OK;
    }
}
