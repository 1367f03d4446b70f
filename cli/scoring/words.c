/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "data/data.h"
#include "data/model_io.h"

static frocc_feature_info describe(const frocc_schema *schema, size_t feature) {
    frocc_feature_info info = {.struct_size = sizeof info};
    check(frocc_schema_feature(schema, feature, &info), NULL);
    return info;
}

/* The column's name, as the names of its features begin with it; the caller frees. */
static char *column_name(const frocc_schema *schema, size_t column) {
    frocc_column_info info = {.struct_size = sizeof info};
    check(frocc_schema_column(schema, column, &info), NULL);
    char number[24];
    snprintf(number, sizeof number, "%zu", column + 1);
    return must_copy(info.name ? info.name : number);
}

/* Three texts as one; the caller frees. */
static char *join(const char *first, const char *middle, const char *last) {
    size_t size = strlen(first) + strlen(middle) + strlen(last) + 1;
    char *all = must_allocate(size, 1);
    snprintf(all, size, "%s%s%s", first, middle, last);
    return all;
}

static bool is_hour(frocc_feature_kind kind) {
    return kind == FROCC_FEATURE_HOUR_SINE;
}

/* The hour that a point of the circle stands for, to the minute. */
static double hour_of(const double point[2]) {
    const double turn = atan2(point[0], point[1]) / 6.283185307179586;
    const double hour = round((turn < 0 ? turn + 1 : turn) * 24 * 60) / 60;
    return hour >= 24 ? 0 : hour;
}

shown_feature show_feature(const frocc_schema *schema, size_t feature, const double *value,
                           const double *better) {
    const frocc_feature_info info = describe(schema, feature);
    char *column = column_name(schema, info.column);
    shown_feature shown = {.value = *value, .better = *better};
    if (is_hour(info.kind)) {
        shown.name = join("hour", " of ", column);
        shown.value = hour_of(value);
        shown.better = hour_of(better);
    } else {
        shown.name = data_feature_name(schema, feature);
        shown.is_missing = info.kind == FROCC_FEATURE_STATE && *value == 1;
    }
    free(column);
    return shown;
}

/* ---- In words -------------------------------------------------------------------------------- */

/* For people: whole numbers as they are, others in six digits. */
static const char *show(double value, char text[FROCC_NUMBER_SIZE]) {
    bool whole = fabs(value) < 1e15 && value == round(value);
    snprintf(text, FROCC_NUMBER_SIZE, whole ? "%.0f" : "%.6g", value);
    return text;
}

static int days_of_year(int year) {
    return 365 + (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* A time as ISO 8601 has it, to the second. */
static const char *show_time(double seconds, char text[FROCC_NUMBER_SIZE]) {
    int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}, year = 1970, month = 0;
    if (!(fabs(seconds) < 6e10)) { /* about the year 1 */
        return show(seconds, text);
    }
    const double whole = round(seconds);
    int days = (int)floor(whole / 86400), clock = (int)(whole - 86400.0 * days);
    for (; days < 0; days += days_of_year(year)) {
        year--;
    }
    for (; days >= days_of_year(year); year++) {
        days -= days_of_year(year);
    }
    lengths[1] += days_of_year(year) - 365;
    for (; days >= lengths[month]; month++) {
        days -= lengths[month];
    }
    char all[100];
    snprintf(all, sizeof all, "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month + 1, days + 1,
             clock / 3600, clock / 60 % 60, clock % 60);
    snprintf(text, FROCC_NUMBER_SIZE, "%.31s", all);
    return text;
}

/* show, or show_time. */
typedef const char *show_fn(double value, char text[FROCC_NUMBER_SIZE]);

/* What is known of the values that the feature usually has; nothing where low > high. */
typedef struct usual_range {
    double low, high;
} usual_range;

static usual_range find_range(const frocc_model *model, const usual_values *usual, size_t feature) {
    usual_range range = {1, 0};
    if (usual) {
        return (usual_range){usual->low[feature], usual->high[feature]};
    }
    return model_feature_range(model, feature, &range.low, &range.high) ? range
                                                                        : (usual_range){1, 0};
}

static bool is_within(usual_range usual, double value) {
    return usual.low > usual.high || (value >= usual.low && value <= usual.high);
}

static void say_number(const char *name, double value, double better, usual_range usual,
                       show_fn *in_words, char *text, size_t size) {
    char now[FROCC_NUMBER_SIZE], first[FROCC_NUMBER_SIZE], last[FROCC_NUMBER_SIZE];
    const bool within = is_within(usual, value);
    in_words(value, now);
    in_words(within ? better : usual.low, first);
    in_words(within ? better : usual.high, last);
    if (in_words == show &&
        (!strcmp(now, first) || !strcmp(now, last))) { /* six digits do not tell them apart */
        frocc_print_f64(value, now);
        frocc_print_f64(within ? better : usual.low, first);
        frocc_print_f64(within ? better : usual.high, last);
    }
    if (within) {
        snprintf(text, size, "%s is %s, %s would be usual", name, now, first);
    } else if (!strcmp(first, last)) {
        snprintf(text, size, "%s is %s, usually %s", name, now, first);
    } else {
        snprintf(text, size, "%s is %s, usually %s to %s", name, now, first, last);
    }
}

static void say_hour(const char *column, const double *value, const double *better, char *text,
                     size_t size) {
    const double now = hour_of(value), usual = hour_of(better);
    snprintf(text, size, "hour of %s is %02d:%02d, %02d:%02d would be usual", column, (int)now,
             (int)round(now * 60) % 60, (int)usual, (int)round(usual * 60) % 60);
}

/* What a code stands for. */
static const char *show_code(const frocc_schema *schema, size_t feature, double code) {
    static const char *const days[] = {"missing",  "Monday", "Tuesday",  "Wednesday",
                                       "Thursday", "Friday", "Saturday", "Sunday"};
    const frocc_feature_kind kind = describe(schema, feature).kind;
    const char *text = frocc_schema_text(schema, feature, code);
    if (kind == FROCC_FEATURE_WEEKDAY) {
        return days[code >= 1 && code <= 7 ? (int)code : 0];
    }
    if (text) {
        return text;
    }
    return kind == FROCC_FEATURE_STATE ? code == 0   ? "present"
                                         : code == 1 ? "missing"
                                                     : "new"
           : code == 0                 ? "missing"
                                       : "new";
}

static void say_code(const frocc_schema *schema, const char *column, size_t feature, double value,
                     double better, char *text, size_t size) {
    snprintf(text, size, "%s is %s, %s would be usual", column, show_code(schema, feature, value),
             show_code(schema, feature, better));
}

void say_feature(const frocc_model *model, const frocc_schema *schema, const usual_values *usual,
                 size_t feature, const double *values, const double *better, char *text,
                 size_t size) {
    const frocc_feature_info info = describe(schema, feature);
    char *name = data_feature_name(schema, feature), *column = column_name(schema, info.column);
    if (is_hour(info.kind)) {
        say_hour(column, values + feature, better + feature, text, size);
    } else if (info.kind == FROCC_FEATURE_CATEGORY || info.kind == FROCC_FEATURE_STATE ||
               info.kind == FROCC_FEATURE_WEEKDAY) {
        say_code(schema, column, feature, values[feature], better[feature], text, size);
    } else {
        say_number(name, values[feature], better[feature], find_range(model, usual, feature),
                   info.kind == FROCC_FEATURE_TIME ? show_time : show, text, size);
    }
    free(name);
    free(column);
}

char *feature_column(const frocc_schema *schema, size_t feature) {
    return column_name(schema, describe(schema, feature).column);
}

void say_group(const frocc_model *model, const frocc_schema *schema, size_t feature,
               const double *values, const double *better, char *text, size_t size) {
    const frocc_feature_info info = describe(schema, feature);
    const usual_range usual = find_range(model, NULL, feature);
    char *name = data_feature_name(schema, feature), *column = column_name(schema, info.column);
    char low[FROCC_NUMBER_SIZE], high[FROCC_NUMBER_SIZE];
    if (is_hour(info.kind)) {
        snprintf(text, size, "hour of %s", column);
    } else if (info.kind == FROCC_FEATURE_CATEGORY || info.kind == FROCC_FEATURE_STATE ||
               info.kind == FROCC_FEATURE_WEEKDAY) {
        say_feature(model, schema, NULL, feature, values, better, text, size);
        char *comma = strstr(text, ", ");
        if (comma) {
            *comma = 0;
        }
    } else if (is_within(usual, values[feature])) {
        snprintf(text, size, "%s, a usual value where another would be", name);
    } else {
        show_fn *in_words = info.kind == FROCC_FEATURE_TIME ? show_time : show;
        in_words(usual.low, low);
        in_words(usual.high, high);
        const bool is_above = values[feature] > usual.high;
        snprintf(text, size, "%s %s %s (usually %s to %s)", name, is_above ? "above" : "below",
                 is_above ? high : low, low, high);
    }
    free(name);
    free(column);
}
