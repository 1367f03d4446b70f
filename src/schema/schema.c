/* SPDX-License-Identifier: BSD-3-Clause */
/* The schema: what the columns of a file become, its bytes in a model file, and its questions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/rows.h"
#include "base/status.h"
#include "numbers/number.h"
#include "schema/schema.h"
#include "schema/time_stamp.h"

#define SCHEMA_VERSION 2

frocc_status frocc__schema_new(size_t n_columns, bool with_columns, frocc_schema **schema) {
    frocc_schema *s = frocc__alloc(1, sizeof *s);
    if (s == NULL)
        return FROCC_ERR_MEMORY;
    s->references = 1;
    s->index_base = 1;
    s->n_columns = n_columns;
    if (with_columns) {
        s->columns = frocc__alloc(n_columns, sizeof *s->columns);
        if (s->columns == NULL) {
            frocc__free(s);
            return FROCC_ERR_MEMORY;
        }
    }
    *schema = s;
    return FROCC_OK;
}

frocc_schema *frocc__schema_retain(const frocc_schema *schema) {
    frocc_schema *s = (frocc_schema *)schema; /* the count is the only thing that ever changes */
    __atomic_add_fetch(&s->references, 1, __ATOMIC_RELAXED);
    return s;
}

void frocc_schema_free(frocc_schema *s) {
    if (s == NULL || __atomic_sub_fetch(&s->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (size_t i = 0; s->columns != NULL && i < s->n_columns; i++) {
        frocc__free(s->columns[i].name);
        frocc__known_clear(&s->columns[i].known);
        frocc__free(s->columns[i].sum);
    }
    for (size_t i = 0; i < s->n_na; i++)
        frocc__free(s->na[i]);
    frocc__free(s->na);
    frocc__free(s->columns);
    frocc__free(s);
}

size_t frocc__column_features(const struct frocc__column *column) {
    if (!frocc__is_feature(column))
        return 0;
    const size_t of_time = 2 * (size_t)column->hour + column->weekday + column->seconds;
    return (column->time ? of_time : 1u) + column->tells_state;
}

bool frocc__time_read(const struct frocc__column *column, const char *text, size_t length,
                      frocc__time_stamp *stamp) {
    double number;
    if (column->per_second != 0)
        return frocc__parse_f64(text, length, &number) &&
               frocc__epoch_at(number, column->per_second, stamp);
    return frocc__time_stamp_read(text, length, column->month_first, stamp) &&
           column->clock != stamp->has_day &&
           (column->clock || column->yearless != stamp->has_year) &&
           !(column->undecided && stamp->is_slashed);
}

const char *frocc__no_time(const struct frocc__column *column) {
    if (column->undecided)
        return "has day and month in an order that no row tells, as none has a number above 12; "
               "write dates as 2026-11-18, or name the column in categorical, or in drop";
    if (column->per_second != 0)
        return "is no time; expected a number such as 1700000000, as in the other rows of the "
               "column or the data the model was fitted on";
    return column->clock ? "is no time of day; expected one such as 07:01:02, as in the other rows "
                           "of the column or the data the model was fitted on"
                         : "is no time stamp; expected one such as 2026-11-18T07:01:02, as in the "
                           "other rows of the column or the data the model was fitted on";
}

size_t frocc__time_features(const struct frocc__column *column, const frocc__time_stamp *stamp,
                            double features[FROCC__TIME_FEATURES]) {
    size_t count = 0;
    if (column->hour) {
        frocc__on_circle(stamp->hour / 24.0, features);
        count = 2;
    }
    if (column->weekday)
        features[count++] = stamp->day + 1.0;
    if (column->seconds)
        features[count++] = stamp->seconds;
    if (column->tells_state)
        features[count++] = 0.0;
    return count;
}

size_t frocc__missing_time(const struct frocc__column *column, double state,
                           double features[FROCC__TIME_FEATURES]) {
    size_t count = 0;
    while (count < 2 * (size_t)column->hour + column->weekday)
        features[count++] = 0.0;
    if (column->seconds)
        features[count++] = column->filler;
    if (column->tells_state)
        features[count++] = state;
    return count;
}

static bool is_mark(const char *text) {
    const size_t length = strlen(text);
    return !frocc__is_dash(text, length) && !frocc__has_commas(text, length);
}

/* How many different marks the column has, if it is not of texts. */
static size_t count_marks(const struct frocc__column *c) {
    size_t count = 0;
    for (size_t i = 0; i < c->known.count; i++)
        count += is_mark(c->known.texts[i].text);
    return count;
}

#define DAY 86400.0
#define LEAST_DAYS 14.0 /* for the day of the week */

/* Whether a part of times is a feature: as asked for, or where the rows can tell of it. */
static bool has_part(const frocc_schema *s, frocc_time_part part, bool by_itself) {
    return s->time_parts == FROCC_TIME_AUTO ? by_itself : (s->time_parts & (int)part) != 0;
}

static void decide_on(const frocc_schema *s, struct frocc__column *c) {
    const frocc_missing missing = s->missing;
    const frocc__tally *t = &c->tally;
    const size_t n_marks = count_marks(c);
    c->month_first = frocc__tally_month_first(t, &c->undecided);
    const bool is_text = c->asked || c->typed;
    c->per_second = !is_text && frocc__tally_has_numbers(t, n_marks) ? frocc__tally_epochs(t) : 0;
    double first = c->month_first ? t->first_by_month : t->first;
    double span = (c->month_first ? t->last_by_month : t->last) - first;
    if (c->per_second != 0) {
        first = t->first_epoch / (double)c->per_second;
        span = t->last_epoch / (double)c->per_second - first;
    }
    c->time = c->per_second != 0 || (!is_text && frocc__tally_has_times(t, n_marks));
    c->text = is_text || (!c->time && !frocc__tally_has_numbers(t, n_marks));
    c->names = c->text && !c->asked && frocc__tally_has_names(t, frocc__known_count(&c->known));
    c->clock = c->time && t->n_clocks > 0;
    c->yearless = c->time && t->n_yearless > 0;
    c->month_first = c->time && c->month_first;
    c->undecided = c->time && c->undecided;
    c->span = c->time ? span : 0.0;
    const bool has_hour = c->per_second != 0 ? t->epoch_has_hour : t->has_hour;
    c->hour = c->time && has_hour && has_part(s, FROCC_TIME_HOUR, c->clock || span >= DAY);
    c->weekday = c->time && !c->clock && !c->yearless &&
                 has_part(s, FROCC_TIME_WEEKDAY, span >= LEAST_DAYS * DAY);
    c->seconds =
        c->time && !c->clock && (c->asked_seconds || has_part(s, FROCC_TIME_ABSOLUTE, false));
    c->tells_state = !c->text && missing == FROCC_MISSING_KEEP;
    c->filler = 0.0;
    if (c->time && frocc__fills_missing(missing))
        c->filler = first + span / 2;
    else if (!c->text && c->sum != NULL && c->sum->count > 0)
        c->filler = frocc__sum_mean(c->sum);
}

static void find_times(frocc_schema *s) {
    s->n_times = 0;
    for (size_t i = 0; i < s->n_columns && s->n_times < FROCC__MOST_TIMES; i++)
        if (s->columns[i].time && !s->columns[i].clock)
            s->times[s->n_times++] = i;
}

frocc_status frocc__schema_decide(frocc_schema *s) {
    for (size_t i = 0; i < s->n_columns; i++)
        if (s->columns[i].role == FROCC__FEATURE)
            decide_on(s, &s->columns[i]);
    find_times(s);
    if (!has_part(s, FROCC_TIME_DIFFERENCE, true) || s->n_times < 2)
        s->n_times = 0;
    return frocc__schema_finish(s);
}

static int compare_na(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

frocc_status frocc__schema_set_na(frocc_schema *s, const char *const *texts, size_t count) {
    s->na = frocc__alloc(count, sizeof *s->na);
    if (s->na == NULL)
        return FROCC_ERR_MEMORY;
    for (; s->n_na < count; s->n_na++) {
        s->na[s->n_na] = frocc__alloc(strlen(texts[s->n_na]) + 1, 1);
        if (s->na[s->n_na] == NULL)
            return FROCC_ERR_MEMORY;
        strcpy(s->na[s->n_na], texts[s->n_na]);
    }
    if (count > 0)
        qsort(s->na, count, sizeof *s->na, compare_na);
    s->n_na = FROCC_MIN(count, (size_t)1);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(s->na[i], s->na[s->n_na - 1]) != 0)
            s->na[s->n_na++] = s->na[i];
        else
            frocc__free(s->na[i]);
    }
    return FROCC_OK;
}

/* The columns of a difference, from the first of which it is to the second. */
static void times_of(const frocc_schema *s, size_t difference, size_t pair[2]) {
    size_t to = 1;
    for (; difference >= to; to++)
        difference -= to;
    pair[0] = s->times[difference];
    pair[1] = s->times[to];
}

void frocc__schema_differences(const frocc_schema *s, const double *seconds, double *differences) {
    size_t k = 0;
    for (size_t to = 1; to < s->n_times; to++)
        for (size_t from = 0; from < to; from++, k++) {
            const double difference = seconds[to] - seconds[from];
            differences[k] = !isnan(difference) ? difference
                                                : s->columns[s->times[to]].filler -
                                                      s->columns[s->times[from]].filler;
        }
}

frocc_status frocc__schema_finish(frocc_schema *s) {
    size_t features = 0;
    for (size_t i = 0; s->columns != NULL && i < s->n_columns; i++) {
        struct frocc__column *column = &s->columns[i];
        column->first_feature = features;
        features += frocc__column_features(column);
    }
    s->n_differences = s->n_times * (s->n_times - (s->n_times > 0)) / 2;
    s->n_features = s->columns != NULL ? features + s->n_differences : s->n_columns;
    if (s->n_features > FROCC_MAX_FEATURES)
        return frocc__fail(FROCC_ERR_SHAPE,
                           "the columns make %zu features; at most %zu can be used", s->n_features,
                           FROCC_MAX_FEATURES);
    return FROCC_OK;
}

/* ---- Questions ------------------------------------------------------------------------------- */

size_t frocc_schema_columns(const frocc_schema *schema) {
    return schema == NULL ? 0 : schema->n_columns;
}

size_t frocc_schema_features(const frocc_schema *schema) {
    return schema == NULL ? 0 : schema->n_features;
}

frocc_missing frocc_schema_missing(const frocc_schema *schema) {
    return schema == NULL ? FROCC_MISSING_ERROR : schema->missing;
}

static bool are_truths(const frocc__known_texts *known) {
    for (size_t i = 0; i < known->count; i++)
        if (frocc__truth_spellings(known->texts[i].text, strlen(known->texts[i].text)) == NULL)
            return false;
    return known->count > 0;
}

static const char *first_mark(const struct frocc__column *c) {
    size_t i = 0;
    while (i < c->known.count && !is_mark(c->known.texts[i].text))
        i++;
    return i < c->known.count ? c->known.texts[i].text : NULL;
}

static frocc_column_kind kind_of_column(const struct frocc__column *c) {
    return c->names                ? FROCC_COLUMN_NAME
           : c->time               ? FROCC_COLUMN_TIME
           : !c->text              ? FROCC_COLUMN_NUMBER
           : are_truths(&c->known) ? FROCC_COLUMN_TRUTH
                                   : FROCC_COLUMN_CATEGORY;
}

frocc_status frocc_schema_column(const frocc_schema *schema, size_t column,
                                 frocc_column_info *info) {
    FROCC_REQUIRE(schema);
    FROCC_REQUIRE(info);
    FROCC_REQUIRE_SIZE(info, frocc_column_info);
    if (column >= schema->n_columns)
        return frocc__fail(FROCC_ERR_ARGUMENT, "column %zu is outside of 0 to %zu", column,
                           schema->n_columns - 1);
    frocc_column_info result = {.is_feature = 1, .first_feature = column, .n_features = 1};
    if (schema->columns != NULL) {
        const struct frocc__column *c = &schema->columns[column];
        result.name = c->name;
        result.is_feature = frocc__is_feature(c);
        result.is_label = c->role == FROCC__LABEL;
        result.is_id = c->role == FROCC__ID;
        result.kind = kind_of_column(c);
        result.n_texts = c->text ? frocc__known_count(&c->known) : 0;
        result.mark = c->text ? NULL : first_mark(c);
        result.has_hour = c->hour;
        result.has_weekday = c->weekday;
        result.has_seconds = c->seconds;
        result.is_clock = c->clock;
        result.time_span = c->span;
        result.n_features = frocc__column_features(c);
        result.first_feature = c->first_feature;
        result.tells_state = c->tells_state;
        result.filler = c->filler;
        result.counts_rows = c->counts;
        result.may_count_rows = c->may_count;
    }
    result.struct_size = info->struct_size;
    memcpy(info, &result, FROCC_MIN(info->struct_size, sizeof result));
    return FROCC_OK;
}

size_t frocc__schema_column_of(const frocc_schema *s, size_t feature) {
    size_t low = 0, high = s->n_columns;
    if (s->columns == NULL)
        return feature;
    if (feature >= s->n_features - s->n_differences)
        return s->n_columns + feature - (s->n_features - s->n_differences);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->columns[middle].first_feature <= feature)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Of a feature of the column, from 0. */
static frocc_feature_kind kind_of(const struct frocc__column *c, size_t slot) {
    if (c->tells_state && slot + 1 == frocc__column_features(c))
        return FROCC_FEATURE_STATE;
    if (!c->time)
        return c->text ? FROCC_FEATURE_CATEGORY : FROCC_FEATURE_NUMBER;
    if (c->hour && slot < 2)
        return slot == 0 ? FROCC_FEATURE_HOUR_SINE : FROCC_FEATURE_HOUR_COSINE;
    slot -= c->hour ? 2 : 0;
    return c->weekday && slot == 0 ? FROCC_FEATURE_WEEKDAY : FROCC_FEATURE_TIME;
}

static frocc_feature_kind kind_of_feature(const frocc_schema *s, size_t feature) {
    if (s->columns == NULL)
        return FROCC_FEATURE_NUMBER;
    const size_t column = frocc__schema_column_of(s, feature);
    if (column >= s->n_columns)
        return FROCC_FEATURE_DIFFERENCE;
    const struct frocc__column *c = &s->columns[column];
    return kind_of(c, feature - c->first_feature);
}

bool frocc__schema_is_code(const frocc_schema *s, size_t feature) {
    const frocc_feature_kind kind = kind_of_feature(s, feature);
    return kind == FROCC_FEATURE_CATEGORY || kind == FROCC_FEATURE_STATE ||
           kind == FROCC_FEATURE_WEEKDAY;
}

const char *frocc__schema_text_of(const frocc_schema *s, size_t feature, uint32_t code) {
    const size_t column = frocc__schema_column_of(s, feature);
    return s->columns == NULL || column >= s->n_columns
               ? NULL
               : frocc__known_of_code(&s->columns[column].known, code);
}

const char *frocc_schema_text(const frocc_schema *s, size_t feature, double value) {
    const bool is_code = s != NULL && feature < s->n_features && value >= 0 && value < 16777216 &&
                         frocc__schema_is_code(s, feature);
    return is_code ? frocc__schema_text_of(s, feature, (uint32_t)value) : NULL;
}

frocc_status frocc_schema_feature(const frocc_schema *s, size_t feature, frocc_feature_info *info) {
    FROCC_REQUIRE(s);
    FROCC_REQUIRE(info);
    FROCC_REQUIRE_SIZE(info, frocc_feature_info);
    if (feature >= s->n_features)
        return frocc__fail(FROCC_ERR_ARGUMENT, "feature %zu is outside of 0 to %zu", feature,
                           s->n_features - 1);
    frocc_feature_info result = {.column = frocc__schema_column_of(s, feature),
                                 .kind = kind_of_feature(s, feature)};
    if (result.column >= s->n_columns) {
        size_t pair[2];
        times_of(s, result.column - s->n_columns, pair);
        result.column = pair[1];
    }
    result.struct_size = info->struct_size;
    memcpy(info, &result, FROCC_MIN(info->struct_size, sizeof result));
    return FROCC_OK;
}

frocc_status frocc_schema_feature_name(const frocc_schema *s, size_t feature, char *name,
                                       size_t size, size_t *length) {
    char number[FROCC_NUMBER_SIZE], other[FROCC_NUMBER_SIZE];
    FROCC_REQUIRE(s);
    if (feature >= s->n_features || (name == NULL && size > 0))
        return frocc__fail(FROCC_ERR_ARGUMENT, "feature %zu is outside of 0 to %zu", feature,
                           s->n_features - 1);
    static const char *const around[][2] = {[FROCC_FEATURE_NUMBER] = {"", ""},
                                            [FROCC_FEATURE_CATEGORY] = {"", ""},
                                            [FROCC_FEATURE_STATE] = {"state of ", ""},
                                            [FROCC_FEATURE_HOUR_SINE] = {"hour of ", " (sine)"},
                                            [FROCC_FEATURE_HOUR_COSINE] = {"hour of ", " (cosine)"},
                                            [FROCC_FEATURE_WEEKDAY] = {"weekday of ", ""},
                                            [FROCC_FEATURE_TIME] = {"", ""},
                                            [FROCC_FEATURE_DIFFERENCE] = {"", ""}};
    const frocc_feature_kind kind = kind_of_feature(s, feature);
    const size_t column = frocc__schema_column_of(s, feature);
    size_t pair[2] = {column, column};
    if (column >= s->n_columns)
        times_of(s, column - s->n_columns, pair);
    const char *text = s->columns != NULL ? s->columns[pair[1]].name : NULL;
    const char *from = s->columns != NULL ? s->columns[pair[0]].name : NULL;
    frocc__print_u64(pair[1] + 1, number);
    frocc__print_u64(pair[0] + 1, other);
    text = text != NULL ? text : number;
    from = from != NULL ? from : other;
    int written = kind == FROCC_FEATURE_DIFFERENCE
                      ? snprintf(name, size, "%s - %s", text, from)
                      : snprintf(name, size, "%s%s%s", around[kind][0], text, around[kind][1]);
    if (length != NULL)
        *length = (size_t)written;
    return FROCC_OK;
}

/* ---- Bytes -----------------------------------------------------------------------------------
 *
 * Little-endian: u32 version, u8 missing, u8 sparse, u8 index base, u8 flags (1 named, 2 columns
 * follow, 4 tallied, 8 texts that stand for missing cells follow, 16 differences of times), u64
 * columns, u64 features; if tallied u8 the parts of times that were asked for; u32 count and the
 * texts that stand for missing cells as u32 length and bytes, strictly rising. Each column: u8
 * role, u8 kind (1 text, 2 tells the state, 4 time and with that 8 its hours, 16 its seconds, 32
 * its days of the week, 64 of times of day
 * alone, 128 names rows, 2048 to 8192 the unit of times that are numbers), f64 filler; if named u32
 * length and name; u32 count and each text that is known as u64 hash, strictly rising, u32 length
 * and bytes. If tallied: u8 (1 texts were asked for, 2 a stamp has an hour, 4 a sum follows, 8 the
 * time itself was asked for), u64 numbers, missing, dashes, times, clocks, marks, f64 first and
 * last time, and, with 32 of the u8, the first and last of numbers that are times, of which 64 says
 * that one has an hour; of a sum u64 count, u8 sign, u8 first word, u8 words, and these as u32.
 */
#define LEAST_COLUMN 15 /* bytes */
#define ALL_PARTS 15
#define FLAG_NAMED 1
#define FLAG_COLUMNS 2
#define FLAG_TALLIED 4
#define FLAG_NA 8
#define FLAG_DIFFERENCES 16
#define TALLY_ASKED 1
#define TALLY_HOUR 2
#define TALLY_SUM 4
#define TALLY_SECONDS 8
#define TALLY_TYPED 16
#define TALLY_EPOCHS 32
#define TALLY_EPOCH_HOUR 64
#define KIND_TEXT 1
#define KIND_STATE 2
#define KIND_TIME 4
#define KIND_HOUR 8
#define KIND_SECONDS 16
#define KIND_WEEKDAY 32
#define KIND_CLOCK 64
#define KIND_NAMES 128
#define KIND_YEARLESS 256
#define KIND_MONTH_FIRST 512
#define KIND_UNDECIDED 1024
#define KIND_EPOCHS 2048 /* times so many: 1 is of seconds, 4 of nanoseconds */

struct bytes {
    unsigned char *data;
    size_t used, size;
    bool failed;
};

static void put(struct bytes *b, uint64_t value, int size) {
    for (int i = 0; i < size; i++) {
        if (b->used < b->size)
            b->data[b->used] = (unsigned char)(value >> (8 * i));
        b->used++;
    }
}

static void put_text(struct bytes *b, const char *text) {
    size_t length = strlen(text);
    put(b, length, 4);
    if (b->used <= b->size && length <= b->size - b->used)
        memcpy(b->data + b->used, text, length);
    b->used += length;
}

static uint64_t epoch_bits(const struct frocc__column *c) {
    uint64_t bits = 0;
    for (int64_t unit = c->per_second; unit > 0; unit /= 1000)
        bits++;
    return bits;
}

static uint64_t kind_bits(const struct frocc__column *c) {
    return (c->text ? KIND_TEXT : 0) | (c->tells_state ? KIND_STATE : 0) |
           (c->time ? KIND_TIME : 0) | (c->hour ? KIND_HOUR : 0) | (c->seconds ? KIND_SECONDS : 0) |
           (c->weekday ? KIND_WEEKDAY : 0) | (c->clock ? KIND_CLOCK : 0) |
           (c->names ? KIND_NAMES : 0) | (c->yearless ? KIND_YEARLESS : 0) |
           (c->month_first ? KIND_MONTH_FIRST : 0) | (c->undecided ? KIND_UNDECIDED : 0) |
           KIND_EPOCHS * epoch_bits(c);
}

static bool set_kind(struct frocc__column *c, uint64_t kind, bool keeps) {
    c->text = (kind & ~(uint64_t)KIND_NAMES) == KIND_TEXT;
    c->names = c->text && (kind & KIND_NAMES) != 0;
    c->tells_state = (kind & KIND_STATE) != 0;
    c->time = (kind & KIND_TIME) != 0;
    c->clock = c->time && (kind & KIND_CLOCK) != 0;
    c->yearless = c->time && !c->clock && (kind & KIND_YEARLESS) != 0;
    c->month_first = c->time && !c->clock && (kind & KIND_MONTH_FIRST) != 0;
    c->undecided = c->time && !c->clock && (kind & KIND_UNDECIDED) != 0;
    const uint64_t epochs = kind / KIND_EPOCHS;
    const bool is_plain = !c->clock && !c->yearless && !c->month_first && !c->undecided;
    c->per_second = c->time && is_plain && epochs >= 1 && epochs <= 4
                        ? (const int64_t[]){1, 1000, 1000000, 1000000000}[epochs - 1]
                        : 0;
    c->hour = c->time && (kind & KIND_HOUR) != 0;
    c->weekday = c->time && !c->clock && !c->yearless && (kind & KIND_WEEKDAY) != 0;
    c->seconds = c->time && !c->clock && (kind & KIND_SECONDS) != 0;
    return kind_bits(c) == kind && (keeps || !c->tells_state) &&
           (kind == 0 || c->role == FROCC__FEATURE);
}

static void put_real(struct bytes *b, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(b, bits, 8);
}

/* The words of the magnitude from the first that is not 0 to the last. */
static void put_sum(const frocc__sum *sum, struct bytes *b) {
    frocc__sum s = *sum;
    const bool is_negative = frocc__sum_magnitude(&s);
    int first = 0, end = FROCC__SUM_WORDS;
    while (end > 0 && s.word[end - 1] == 0)
        end--;
    while (first < end && s.word[first] == 0)
        first++;
    put(b, s.count, 8);
    put(b, is_negative, 1);
    put(b, (uint64_t)first, 1);
    put(b, (uint64_t)(end - first), 1);
    for (int i = first; i < end; i++)
        put(b, (uint64_t)s.word[i], 4);
}

static void put_tally(const struct frocc__column *c, struct bytes *b) {
    const frocc__tally *t = &c->tally;
    put(b,
        (uint64_t)(c->asked ? TALLY_ASKED : 0) | (t->has_hour ? TALLY_HOUR : 0) |
            (c->sum != NULL ? TALLY_SUM : 0) | (c->asked_seconds ? TALLY_SECONDS : 0) |
            (c->typed ? TALLY_TYPED : 0) | (t->no_epochs ? 0 : TALLY_EPOCHS) |
            (t->epoch_has_hour ? TALLY_EPOCH_HOUR : 0),
        1);
    put(b, t->n_numbers, 8);
    put(b, t->n_missing, 8);
    put(b, t->n_dashes, 8);
    put(b, t->n_times, 8);
    put(b, t->n_clocks, 8);
    put(b, t->n_yearless, 8);
    put(b, t->n_slashed, 8);
    put(b, t->n_day_first, 8);
    put(b, t->n_month_first, 8);
    put(b, t->n_commas, 8);
    put(b, t->n_marks, 8);
    put_real(b, t->first);
    put_real(b, t->last);
    put_real(b, t->first_by_month);
    put_real(b, t->last_by_month);
    if (!t->no_epochs) {
        put_real(b, t->first_epoch);
        put_real(b, t->last_epoch);
    }
    if (c->sum != NULL)
        put_sum(c->sum, b);
}

/* How much is written: what rows become; texts for people; what parts are joined by. */
enum detail { LAYOUT, SETTLED, TALLIED };

static void put_column(const frocc_schema *s, const struct frocc__column *c, enum detail detail,
                       struct bytes *b) {
    const size_t n_known = detail == LAYOUT ? 0 : c->known.count;
    put(b, (uint64_t)c->role, 1);
    put(b, kind_bits(c), 2);
    put_real(b, c->filler);
    if (s->named)
        put_text(b, c->name);
    put(b, n_known, 4);
    for (size_t k = 0; k < n_known; k++) {
        put(b, c->known.texts[k].hash, 8);
        put_text(b, c->known.texts[k].text);
    }
    if (detail == TALLIED)
        put_tally(c, b);
}

/* Called twice: without memory to learn the size, then to write. */
static void put_schema(const frocc_schema *s, enum detail detail, struct bytes *b) {
    put(b, SCHEMA_VERSION, 4);
    put(b, (uint64_t)s->missing, 1);
    put(b, s->sparse, 1);
    put(b, (uint64_t)s->index_base, 1);
    put(b,
        (uint64_t)(s->named ? FLAG_NAMED : 0) | (s->columns != NULL ? FLAG_COLUMNS : 0) |
            (detail == TALLIED ? FLAG_TALLIED : 0) | (s->n_na > 0 ? FLAG_NA : 0) |
            (s->n_times > 0 ? FLAG_DIFFERENCES : 0),
        1);
    put(b, s->n_columns, 8);
    put(b, s->n_features, 8);
    if (detail == TALLIED)
        put(b, (uint64_t)s->time_parts, 1);
    if (s->n_na > 0)
        put(b, s->n_na, 4);
    for (size_t i = 0; i < s->n_na; i++)
        put_text(b, s->na[i]);
    for (size_t i = 0; s->columns != NULL && i < s->n_columns; i++)
        put_column(s, &s->columns[i], detail, b);
}

static frocc_status to_bytes(const frocc_schema *schema, enum detail detail, void **bytes,
                             size_t *size) {
    struct bytes b = {0};
    put_schema(schema, detail, &b);
    b.size = b.used;
    b.used = 0;
    b.data = frocc__alloc(b.size, 1);
    if (b.data == NULL)
        return FROCC_ERR_MEMORY;
    put_schema(schema, detail, &b);
    *bytes = b.data;
    *size = b.size;
    return FROCC_OK;
}

frocc_status frocc_schema_to_bytes(const frocc_schema *schema, void **bytes, size_t *size) {
    FROCC_REQUIRE(schema);
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(size);
    return to_bytes(schema, schema->is_tallied ? TALLIED : SETTLED, bytes, size);
}

frocc_status frocc__schema_to_settled(const frocc_schema *schema, void **bytes, size_t *size) {
    return to_bytes(schema, SETTLED, bytes, size);
}

static uint64_t get(struct bytes *b, int size) {
    uint64_t value = 0;
    if (b->size - b->used < (size_t)size) {
        b->failed = true;
        b->used = b->size;
        return 0;
    }
    for (int i = 0; i < size; i++)
        value |= (uint64_t)b->data[b->used++] << (8 * i);
    return value;
}

/* A text of the section, in place; "" with length 0 when there is none. */
static const char *get_text(struct bytes *b, size_t *length) {
    size_t count = (size_t)get(b, 4);
    const char *text = (const char *)b->data + b->used;
    if (count > b->size - b->used || memchr(text, '\0', count) != NULL) {
        b->failed = true;
        count = 0;
    }
    b->used += count;
    *length = count;
    return text;
}

static frocc_status get_known(struct bytes *b, frocc__known_texts *known) {
    const size_t count = (size_t)get(b, 4);
    for (size_t i = 0; i < count && !b->failed; i++) {
        size_t length = 0;
        bool fits = false;
        const uint64_t hash = get(b, 8);
        const char *text = get_text(b, &length);
        if (!b->failed)
            FROCC_TRY(frocc__known_append(known, hash, text, length, &fits));
        b->failed = !fits;
    }
    return FROCC_OK;
}

static double get_real(struct bytes *b) {
    const uint64_t bits = get(b, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    b->failed = b->failed || !isfinite(value);
    return value;
}

static frocc_status get_sum(struct bytes *b, frocc__sum **sum) {
    *sum = frocc__alloc(1, sizeof **sum);
    if (*sum == NULL)
        return FROCC_ERR_MEMORY;
    frocc__sum *s = *sum;
    s->count = get(b, 8);
    const uint64_t sign = get(b, 1), first = get(b, 1), count = get(b, 1), end = first + count;
    b->failed = b->failed || sign > 1 || end > FROCC__SUM_WORDS ||
                (count == 0 && (sign | first) != 0) || (s->count == 0 && count > 0);
    for (uint64_t i = first; i < end && !b->failed; i++) {
        const int64_t word = (int64_t)get(b, 4);
        s->word[i] = sign != 0 ? -word : word;
    }
    b->failed = b->failed || (count > 0 && (s->word[first] == 0 || s->word[end - 1] == 0));
    return FROCC_OK;
}

static bool epochs_fit(const frocc__tally *t) {
    const int64_t unit = frocc__epoch_unit(t->first_epoch);
    if (t->last_epoch == 0)
        return t->first_epoch == 0 && !t->epoch_has_hour;
    return unit != 0 && unit == frocc__epoch_unit(t->last_epoch) && t->first_epoch <= t->last_epoch;
}

static frocc_status get_tally(struct bytes *b, struct frocc__column *c) {
    frocc__tally *t = &c->tally;
    const uint64_t flags = get(b, 1);
    c->asked = (flags & TALLY_ASKED) != 0;
    c->asked_seconds = (flags & TALLY_SECONDS) != 0;
    c->typed = (flags & TALLY_TYPED) != 0;
    t->has_hour = (flags & TALLY_HOUR) != 0;
    t->n_numbers = get(b, 8);
    t->n_missing = get(b, 8);
    t->n_dashes = get(b, 8);
    t->n_times = get(b, 8);
    t->n_clocks = get(b, 8);
    t->n_yearless = get(b, 8);
    t->n_slashed = get(b, 8);
    t->n_day_first = get(b, 8);
    t->n_month_first = get(b, 8);
    t->n_commas = get(b, 8);
    t->n_marks = get(b, 8);
    t->first = get_real(b);
    t->last = get_real(b);
    t->first_by_month = get_real(b);
    t->last_by_month = get_real(b);
    t->no_epochs = (flags & TALLY_EPOCHS) == 0;
    t->epoch_has_hour = (flags & TALLY_EPOCH_HOUR) != 0;
    t->first_epoch = t->no_epochs ? 0 : get_real(b);
    t->last_epoch = t->no_epochs ? 0 : get_real(b);
    b->failed = b->failed || flags > 127 || !epochs_fit(t);
    return flags & TALLY_SUM ? get_sum(b, &c->sum) : FROCC_OK;
}

static frocc_status get_na(struct bytes *b, frocc_schema *s) {
    const size_t count = (size_t)get(b, 4);
    if (b->failed || count == 0 || count > (b->size - b->used) / 4) {
        b->failed = true;
        return FROCC_OK;
    }
    s->na = frocc__alloc(count, sizeof *s->na);
    if (s->na == NULL)
        return FROCC_ERR_MEMORY;
    while (s->n_na < count && !b->failed) {
        size_t length = 0;
        const char *text = get_text(b, &length);
        char *na = frocc__alloc(length + 1, 1);
        if (na == NULL)
            return FROCC_ERR_MEMORY;
        memcpy(na, text, length);
        s->na[s->n_na++] = na;
        b->failed = b->failed || (s->n_na > 1 && strcmp(s->na[s->n_na - 2], na) >= 0);
    }
    return FROCC_OK;
}

static frocc_status get_column(struct bytes *b, const frocc_schema *s, struct frocc__column *c) {
    const bool keeps = s->missing == FROCC_MISSING_KEEP;
    uint64_t role = get(b, 1), kind = get(b, 2);
    c->filler = get_real(b);
    c->role = (enum frocc__role)(role & 3);
    if (role > 3 || !set_kind(c, kind, keeps))
        b->failed = true;
    if (s->named && !b->failed) {
        size_t length = 0;
        const char *name = get_text(b, &length);
        c->name = frocc__alloc(length + 1, 1);
        if (c->name == NULL)
            return FROCC_ERR_MEMORY;
        memcpy(c->name, name, length);
    }
    FROCC_TRY(get_known(b, &c->known));
    return s->is_tallied ? get_tally(b, c) : FROCC_OK;
}

static bool roles_fit(const frocc_schema *s) {
    size_t labels = 0, ids = 0;
    for (size_t i = 0; s->columns != NULL && i < s->n_columns; i++) {
        labels += s->columns[i].role == FROCC__LABEL;
        ids += s->columns[i].role == FROCC__ID;
    }
    return labels <= 1 && ids <= 1 && s->n_features >= 1;
}

static frocc_status get_schema(struct bytes *b, frocc_schema **schema) {
    uint64_t version = get(b, 4), missing = get(b, 1), sparse = get(b, 1), base = get(b, 1);
    uint64_t flags = get(b, 1), n_columns = get(b, 8), n_features = get(b, 8);
    if (!b->failed && version != SCHEMA_VERSION)
        return frocc__fail(FROCC_ERR_VERSION,
                           "a schema of version %llu; this frocc knows version %d",
                           (unsigned long long)version, SCHEMA_VERSION);
    const size_t least = LEAST_COLUMN + (flags & FLAG_NAMED ? 4 : 0);
    bool counts = flags & FLAG_COLUMNS ? n_columns <= (b->size - b->used) / least
                                       : n_columns <= FROCC_MAX_FEATURES && n_columns == n_features;
    if (b->failed || missing > FROCC_MISSING_KEEP || sparse > 1 || base > 1 || flags > 31 ||
        (!(flags & FLAG_COLUMNS) && flags != 0) || (sparse && flags & FLAG_NAMED) || !counts)
        return frocc__fail(FROCC_ERR_FORMAT, "the schema of the model file is damaged");
    FROCC_TRY(frocc__schema_new((size_t)n_columns, (flags & FLAG_COLUMNS) != 0, schema));
    frocc_schema *s = *schema;
    s->missing = (frocc_missing)missing;
    s->sparse = sparse != 0;
    s->index_base = (int)base;
    s->named = (flags & FLAG_NAMED) != 0;
    s->is_tallied = (flags & FLAG_TALLIED) != 0;
    if (s->is_tallied)
        s->time_parts = (int)get(b, 1);
    b->failed = b->failed || s->time_parts > ALL_PARTS;
    if (flags & FLAG_NA)
        FROCC_TRY(get_na(b, s));
    for (size_t i = 0; s->columns != NULL && i < s->n_columns && !b->failed; i++)
        FROCC_TRY(get_column(b, s, &s->columns[i]));
    if (flags & FLAG_DIFFERENCES)
        find_times(s);
    b->failed = b->failed || ((flags & FLAG_DIFFERENCES) && s->n_times < 2);
    if (!b->failed)
        FROCC_TRY(frocc__schema_finish(s));
    if (b->failed || b->used != b->size || s->n_features != n_features || !roles_fit(s))
        return frocc__fail(FROCC_ERR_FORMAT, "the schema of the model file is damaged");
    return FROCC_OK;
}

/* A column is a structure; a text is a block of its own with its place in a list, which grows by
 * doubling, and has 12 bytes at least. */
uint64_t frocc__schema_memory(const void *bytes, size_t size) {
    const size_t a_column = sizeof(struct frocc__column) + 640, a_byte = 12;
    struct bytes b = {.data = (unsigned char *)bytes, .size = size}; /* only read */
    (void)get(&b, 8); /* all that stands before their number */
    const uint64_t claimed = get(&b, 8), most = size / LEAST_COLUMN;
    return size * a_byte + (claimed < most ? claimed : most) * a_column;
}

frocc_status frocc_schema_from_bytes(const void *bytes, size_t size, frocc_schema **schema) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(bytes);
    FROCC_REQUIRE(schema);
    struct bytes b = {.data = (unsigned char *)bytes, .size = size}; /* only read */
    frocc_schema *result = NULL;
    frocc_status status = get_schema(&b, &result);
    if (status != FROCC_OK)
        frocc_schema_free(result);
    else
        *schema = result;
    return status;
}

frocc_status frocc_schema_settled(const frocc_schema *schema, frocc_schema **settled) {
    FROCC_REQUIRE(schema);
    FROCC_REQUIRE(settled);
    void *bytes = NULL;
    size_t size = 0;
    if (!schema->is_tallied) {
        *settled = frocc__schema_retain(schema);
        return FROCC_OK;
    }
    FROCC_TRY(to_bytes(schema, SETTLED, &bytes, &size));
    const frocc_status status = frocc_schema_from_bytes(bytes, size, settled);
    frocc__free(bytes);
    return status;
}

frocc_status frocc__schemas_alike(const frocc_schema *a, const frocc_schema *b, bool *are_alike) {
    *are_alike = a == b;
    if (a == b || a == NULL || b == NULL)
        return FROCC_OK;
    void *of_a = NULL, *of_b = NULL;
    size_t size_a = 0, size_b = 0;
    frocc_status status = to_bytes(a, LAYOUT, &of_a, &size_a);
    if (status == FROCC_OK)
        status = to_bytes(b, LAYOUT, &of_b, &size_b);
    if (status == FROCC_OK)
        *are_alike = size_a == size_b && memcmp(of_a, of_b, size_a) == 0;
    frocc__free(of_a);
    frocc__free(of_b);
    return status;
}
