/* SPDX-License-Identifier: BSD-3-Clause */
/* A reason in words: what a feature is, and what it usually is, alone or beside another. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/memory.h"
#include "base/status.h"
#include "frocc_io.h"
#include "schema/schema.h"
#include "score/score.h"
#include "score/subject.h"

/* Rows that would be expected where there are none, from which on their lack is worth a sentence:
 * where the score begins to count them. */
#define ENOUGH_TOGETHER 3.0
#define ENOUGH_APART 10.0

/* A text is rare where so many times as many rows have the one that would be better. */
#define RARE 10

#define NAME_SIZE 160

/* What is known of a row. */
typedef struct told {
    const frocc_model *model;
    const frocc_schema *schema;
    const double *values, *better; /* in the units of the data */
    float *x;                      /* as it is prepared */
    uint32_t *ranks;
    frocc__surprise surprise;
    frocc_reason *reason;
} told;

/* ---- Words ---------------------------------------------------------------------------------- */

/* Adds to the sentence; what is too long is cut where a character begins. */
__attribute__((format(printf, 2, 3))) static void say(const told *t, const char *format, ...) {
    char *text = t->reason->sentence;
    const size_t size = sizeof t->reason->sentence, used = strlen(text);
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(text + used, size - used, format, values);
    va_end(values);
    if (length < 0 || (size_t)length < size - used)
        return;
    size_t end = size - 1;
    while (end > used && ((unsigned char)text[end - 1] & 0xC0) == 0x80)
        end--;
    if (end > used && ((unsigned char)text[end - 1] & 0x80) != 0)
        end--;
    text[end] = '\0';
}

/* What the sentence says so far is what the row has; then comes what is usual. */
static void end_fact(const told *t) {
    t->reason->fact = strlen(t->reason->sentence);
}

/* For people: whole numbers as they are, others in six digits. */
static void show_plain(double value, char text[FROCC_NUMBER_SIZE]) {
    const bool whole = fabs(value) < 1e15 && value == round(value);
    snprintf(text, FROCC_NUMBER_SIZE, whole ? "%.0f" : "%.6g", value);
    char *comma = strchr(text, ',');
    if (comma != NULL)
        *comma = '.';
}

/* "9,000" */
static void show_count(uint64_t count, char text[FROCC_NUMBER_SIZE]) {
    char digits[FROCC_NUMBER_SIZE];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (int i = 0; i <= length; i++) {
        *text++ = digits[i];
        if (i + 1 < length && (length - i - 1) % 3 == 0)
            *text++ = ',';
    }
}

static int days_of_year(int year) {
    return 365 + (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* A time as ISO 8601 has it, to the second. */
static void show_time(double seconds, char text[FROCC_NUMBER_SIZE]) {
    int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}, year = 1970, month = 0;
    if (!(fabs(seconds) < 6e10)) { /* about the year 1 */
        show_plain(seconds, text);
        return;
    }
    const double whole = round(seconds);
    int days = (int)floor(whole / 86400), clock = (int)(whole - 86400.0 * days);
    for (; days < 0; days += days_of_year(year))
        year--;
    for (; days >= days_of_year(year); year++)
        days -= days_of_year(year);
    lengths[1] += days_of_year(year) - 365;
    for (; days >= lengths[month]; month++)
        days -= lengths[month];
    char all[100];
    snprintf(all, sizeof all, "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month + 1, days + 1,
             clock / 3600, clock / 60 % 60, clock % 60);
    snprintf(text, FROCC_NUMBER_SIZE, "%.31s", all);
}

/* ---- Features ------------------------------------------------------------------------------- */

static frocc_feature_info info_of(const told *t, size_t feature) {
    frocc_feature_info info = {.struct_size = sizeof info, .column = feature};
    if (t->schema != NULL)
        (void)frocc_schema_feature(t->schema, feature, &info); /* there is such a feature */
    return info;
}

/* As it is said: a state and an hour by the name of their column. */
static void name_of(const told *t, size_t feature, char name[NAME_SIZE]) {
    const frocc_feature_info info = info_of(t, feature);
    frocc_column_info column = {.struct_size = sizeof column};
    size_t length = 0;
    snprintf(name, NAME_SIZE, "%zu", info.column + 1);
    if (t->schema == NULL)
        return;
    const bool is_hour =
        info.kind == FROCC_FEATURE_HOUR_SINE || info.kind == FROCC_FEATURE_HOUR_COSINE;
    if (info.kind == FROCC_FEATURE_STATE || is_hour) {
        if (frocc_schema_column(t->schema, info.column, &column) == FROCC_OK && column.name)
            snprintf(name, NAME_SIZE, "%s%s", is_hour ? "hour of " : "", column.name);
        else
            snprintf(name, NAME_SIZE, "%s%zu", is_hour ? "hour of " : "", info.column + 1);
    } else {
        (void)frocc_schema_feature_name(t->schema, feature, name, NAME_SIZE, &length);
    }
}

/* What a code stands for; a text that is not remembered is what the caller says. */
static const char *word_of(const told *t, size_t feature, double value, const char *otherwise) {
    static const char *const days[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                       "Friday", "Saturday", "Sunday"};
    const frocc_feature_kind kind = info_of(t, feature).kind;
    if (kind == FROCC_FEATURE_WEEKDAY)
        return value >= 1 && value <= 7 ? days[(int)value - 1] : "missing";
    if (kind == FROCC_FEATURE_STATE && (value == 0 || value == FROCC__CODE_MISSING))
        return value == 0 ? "present" : "missing";
    if (value == 0)
        return "missing";
    const char *text = frocc_schema_text(t->schema, feature, value);
    return text != NULL ? text : otherwise;
}

static size_t code_column(const told *t, size_t feature) {
    const frocc__columns *c = &t->model->frame->columns;
    size_t k = 0;
    while (k < c->n_codes && c->known[k].feature != feature)
        k++;
    return k;
}

/* ---- Numbers -------------------------------------------------------------------------------- */

/* What values usually are; nothing where low > high. */
typedef struct usual {
    double low, high;
} usual;

static frocc_status find_usual(const told *t, size_t feature, usual *range) {
    *range = (usual){t->reason->low, t->reason->high};
    if (!isnan(range->low) && !isnan(range->high))
        return FROCC_OK;
    *range = (usual){1, 0};
    const frocc_status status =
        frocc_model_feature_range(t->model, feature, &range->low, &range->high);
    return status == FROCC_ERR_UNSUPPORTED ? FROCC_OK : status;
}

static bool is_within(usual range, double value) {
    return range.low > range.high || (value >= range.low && value <= range.high);
}

static void show_two(const told *t, size_t feature, const double *values, size_t count,
                     char texts[][FROCC_NUMBER_SIZE]) {
    bool differ = true;
    const bool is_time = info_of(t, feature).kind == FROCC_FEATURE_TIME;
    for (size_t i = 0; i < count; i++) {
        if (is_time)
            show_time(values[i], texts[i]);
        else
            show_plain(values[i], texts[i]);
        differ = differ && (i == 0 || strcmp(texts[i], texts[0]) != 0);
    }
    for (size_t i = 0; !differ && !is_time && i < count; i++)
        frocc_print_f64(values[i], texts[i]); /* six digits do not tell them apart */
}

/* where: "" or " where CODE is TEXT". */
static void say_number(const told *t, size_t feature, usual range, const char *where) {
    char name[NAME_SIZE], texts[3][FROCC_NUMBER_SIZE];
    const double value = t->values[feature], better = t->better[feature];
    const bool within = is_within(range, value);
    const double values[] = {value, within ? better : range.low, within ? better : range.high};
    name_of(t, feature, name);
    show_two(t, feature, values, 3, texts);
    say(t, "%s is %s%s", name, texts[0], where);
    end_fact(t);
    if (within)
        say(t, ", %s would be usual", texts[1]);
    else if (strcmp(texts[1], texts[2]) == 0)
        say(t, ", usually %s", texts[1]);
    else
        say(t, ", usually %s to %s", texts[1], texts[2]);
}

/* The hour that a point of the circle stands for, to the minute. */
static double hour_of(const double point[2]) {
    const double turn = atan2(point[0], point[1]) / 6.283185307179586;
    const double hour = round((turn < 0 ? turn + 1 : turn) * 24 * 60) / 60;
    return hour >= 24 ? 0 : hour;
}

static void say_hour(const told *t, size_t sine) {
    char name[NAME_SIZE];
    const double now = hour_of(t->values + sine), better = hour_of(t->better + sine);
    name_of(t, sine, name);
    say(t, "%s is %02d:%02d", name, (int)now, (int)round(now * 60) % 60);
    end_fact(t);
    say(t, ", %02d:%02d would be usual", (int)better, (int)round(better * 60) % 60);
}

/* ---- Numbers beside codes ------------------------------------------------------------------- */

/* The number in an empty place of a group, where it is the surprise. */
static bool is_apart(const told *t, size_t *number) {
    const frocc__code_evidence *e = &t->model->evidence.codes;
    if (e->alone == NULL || t->surprise.group_column == SIZE_MAX ||
        t->surprise.apart < ENOUGH_APART)
        return false;
    *number = e->codes.plan.numbers[t->surprise.group_number];
    const frocc_feature_kind kind = info_of(t, *number).kind;
    return kind != FROCC_FEATURE_HOUR_SINE && kind != FROCC_FEATURE_HOUR_COSINE;
}

static void say_apart(const told *t, size_t number) {
    const frocc__code_evidence *e = &t->model->evidence.codes;
    const frocc_frame *frame = t->model->frame;
    const size_t code = frame->columns.known[t->surprise.group_column].feature;
    const frocc__group_range group = frocc__group_range_of(e, &t->surprise, t->x);
    const double a = frocc__shown_value(frame, number, group.low);
    const double b = frocc__shown_value(frame, number, group.high);
    char name[NAME_SIZE], where[NAME_SIZE + 100];
    name_of(t, code, name);
    snprintf(where, sizeof where, " where %s is %s", name,
             word_of(t, code, t->values[code], "this text"));
    t->reason->kind = FROCC_REASON_APART;
    t->reason->other = t->reason->feature == number ? code : number;
    say_number(t, number, (usual){FROCC_MIN(a, b), FROCC_MAX(a, b)}, where);
}

/* ---- Codes ---------------------------------------------------------------------------------- */

static bool is_not_together(const told *t, size_t column) {
    const frocc__code_evidence *e = &t->model->evidence.codes;
    if (e->alone == NULL || t->surprise.pair == SIZE_MAX || t->surprise.together < ENOUGH_TOGETHER)
        return false;
    const frocc__pair *pair = &e->codes.plan.pairs[t->surprise.pair];
    return pair->a == column || pair->b == column;
}

static void say_together(const told *t, size_t column) {
    const frocc__code_evidence *e = &t->model->evidence.codes;
    const frocc__columns *c = &t->model->frame->columns;
    const frocc__pair *pair = &e->codes.plan.pairs[t->surprise.pair];
    const size_t one = c->known[column].feature;
    const size_t two = c->known[pair->a == column ? pair->b : pair->a].feature;
    const uint32_t seen = frocc__rows_together(e, t->surprise.pair, t->ranks);
    char names[2][NAME_SIZE], all[FROCC_NUMBER_SIZE], count[24] = "never together";
    name_of(t, one, names[0]);
    name_of(t, two, names[1]);
    show_count(e->n_rows, all);
    if (seen > 0)
        snprintf(count, sizeof count, "together in %u", (unsigned)seen);
    t->reason->kind = FROCC_REASON_TOGETHER;
    t->reason->other = two;
    say(t, "%s is %s where %s is %s", names[0], word_of(t, one, t->values[one], "a text"), names[1],
        word_of(t, two, t->values[two], "a text"));
    end_fact(t);
    say(t, ": %s %s %s rows", count, seen > 0 ? "of" : "in", all);
}

/* Training rows with a code; of models that do not know as many as there can be. */
static uint32_t rows_with(const told *t, size_t column, double value) {
    const frocc__code_evidence *e = &t->model->evidence.codes;
    return column < t->model->frame->columns.n_codes && e->alone != NULL
               ? frocc__tally_rows(&e->codes.tallies[column], frocc__code_of(value))
               : UINT32_MAX;
}

static void say_code_alone(const told *t, size_t feature, size_t column) {
    const uint32_t rows = rows_with(t, column, t->values[feature]);
    const char *text = word_of(t, feature, t->values[feature], NULL);
    const char *better = word_of(t, feature, t->better[feature], "another");
    const bool is_state = info_of(t, feature).kind == FROCC_FEATURE_STATE;
    char name[NAME_SIZE], count[FROCC_NUMBER_SIZE], all[FROCC_NUMBER_SIZE];
    name_of(t, feature, name);
    show_count(rows, count);
    show_count(t->model->evidence.codes.n_rows, all);
    if ((uint64_t)rows * RARE <= rows_with(t, column, t->better[feature]))
        t->reason->kind = FROCC_REASON_RARE;
    say(t, "%s is %s", name, text != NULL ? text : rows == 0 ? "a text never seen" : "a text");
    end_fact(t);
    if (is_state && t->reason->kind == FROCC_REASON_RARE)
        say(t, ", usually %s", better);
    else if (t->reason->kind != FROCC_REASON_RARE)
        say(t, ", %s would be usual", better);
    else if (rows > 0)
        say(t, ", in %s of %s rows (usual: %s)", count, all, better);
    else
        say(t, "%s (usual: %s)", text != NULL ? ", never seen" : "", better);
}

static frocc_status say_code(const told *t, size_t feature) {
    const size_t column = code_column(t, feature);
    size_t number = 0;
    if (is_not_together(t, column)) {
        say_together(t, column);
        return FROCC_OK;
    }
    if (t->surprise.group_column == column && is_apart(t, &number)) {
        usual range;
        FROCC_TRY(find_usual(t, number, &range));
        if (is_within(range, t->values[number])) {
            say_apart(t, number);
            return FROCC_OK;
        }
    }
    say_code_alone(t, feature, column);
    return FROCC_OK;
}

/* ---- All ------------------------------------------------------------------------------------ */

static frocc_status say_feature(const told *t, size_t feature) {
    const frocc_feature_kind kind = info_of(t, feature).kind;
    size_t number = 0;
    usual range;
    if (kind == FROCC_FEATURE_HOUR_SINE) {
        say_hour(t, feature);
        return FROCC_OK;
    }
    if (kind == FROCC_FEATURE_CATEGORY || kind == FROCC_FEATURE_STATE ||
        kind == FROCC_FEATURE_WEEKDAY)
        return say_code(t, feature);
    FROCC_TRY(find_usual(t, feature, &range));
    if (!is_within(range, t->values[feature]))
        t->reason->kind = FROCC_REASON_OUTSIDE;
    else if (is_apart(t, &number) && number == feature) {
        say_apart(t, number);
        return FROCC_OK;
    }
    say_number(t, feature, range, "");
    return FROCC_OK;
}

/* The row as doubles, and prepared. */
static frocc_status take_row(const frocc_model *model, const frocc_rows *row, double *values,
                             told *t) {
    const frocc__row own = frocc__rows_at(row, 0);
    if (!frocc__frame_prepare(model->frame, row, 0, t->x))
        return frocc__rows_failure(row, 0);
    for (size_t i = 0; i < own.count; i++)
        values[own.columns != NULL ? (size_t)own.columns[i] : i] =
            frocc__rows_entry(row, own.first + i) + 0.0;
    t->surprise = (frocc__surprise){.pair = SIZE_MAX, .group_column = SIZE_MAX};
    if (model->evidence.codes.alone != NULL)
        t->surprise = frocc__surprise_of(&model->evidence.codes, t->x, 1, 0, t->ranks);
    return FROCC_OK;
}

frocc_status frocc_model_reason(const frocc_model *model, const frocc_rows *row,
                                const double *better, frocc_reason *reason) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(row);
    FROCC_REQUIRE(better);
    FROCC_REQUIRE(reason);
    if (reason->struct_size != sizeof *reason)
        return frocc__fail(FROCC_ERR_ARGUMENT,
                           "reason.struct_size must be set to sizeof(frocc_reason)");
    const frocc_frame *frame = model->frame;
    const size_t n_inputs = frame->columns.n_inputs;
    const frocc_schema *schema = reason->schema != NULL ? reason->schema : frame->schema;
    FROCC_TRY(frocc__rows_check(row, n_inputs));
    if (row->n_rows != 1 || reason->feature >= n_inputs ||
        (schema != NULL && frocc_schema_features(schema) != n_inputs))
        return frocc__fail(FROCC_ERR_SHAPE, "one of %zu features of one row is explained at a time",
                           n_inputs);
    double *values = frocc__alloc(n_inputs, sizeof *values);
    told t = {.model = model,
              .schema = schema,
              .values = values,
              .better = better,
              .x = frocc__alloc(frame->n_features, sizeof *t.x),
              .ranks = frocc__alloc(frame->columns.n_codes, sizeof *t.ranks),
              .reason = reason};
    frocc_status status = FROCC_ERR_MEMORY;
    if (values != NULL && t.x != NULL && t.ranks != NULL)
        status = take_row(model, row, values, &t);
    reason->kind = FROCC_REASON_UNUSUAL;
    reason->sentence[0] = '\0';
    reason->other = reason->feature;
    if (status == FROCC_OK)
        status = say_feature(&t, reason->feature);
    frocc__free(values);
    frocc__free(t.x);
    frocc__free(t.ranks);
    return status;
}
