/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/words.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "data/data.h"

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

/* A state is a number where the cell is there or missing; others say nothing. */
static double number_of_code(frocc_feature_kind kind, double code) {
    return kind == FROCC_FEATURE_STATE && code <= 1 ? code : NAN;
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
        if (info.kind == FROCC_FEATURE_CATEGORY || info.kind == FROCC_FEATURE_STATE) {
            shown.value = number_of_code(info.kind, *value);
            shown.better = number_of_code(info.kind, *better);
        }
    }
    free(column);
    return shown;
}

/* ---- In words -------------------------------------------------------------------------------- */

frocc_reason say_feature(const frocc_model *model, const frocc_schema *schema,
                         const usual_values *usual, size_t feature, const double *values,
                         const double *better) {
    frocc_reason reason = {
        .struct_size = sizeof reason,
        .feature = feature,
        .schema = schema,
        .low = usual ? usual->low[feature] : NAN,
        .high = usual ? usual->high[feature] : NAN,
    };
    const frocc_rows row = frocc_rows_f64(values, 1, frocc_schema_features(schema));
    check(frocc_model_reason(model, &row, better, &reason), NULL);
    return reason;
}

char *feature_column(const frocc_schema *schema, size_t feature) {
    return column_name(schema, describe(schema, feature).column);
}

/* "above 16 (usually 0 to 16)", of "bytes is 90, usually 0 to 16". */
static void say_side(const frocc_reason *reason, bool is_above, const char *name, char *text,
                     size_t size) {
    const char *usual = reason->sentence + reason->fact + 2, *low = strchr(usual, ' ') + 1;
    const char *gap = strstr(low, " to "), *high = gap ? gap + 4 : low;
    snprintf(text, size, "%s %s %.*s (%s)", name, is_above ? "above" : "below",
             (int)strcspn(is_above ? high : low, " "), is_above ? high : low, usual);
}

/* "bytes, unusual where service is api", of "bytes is 90 where service is api, usually 0 to 16". */
static void say_apart(const frocc_reason *reason, const char *name, char *text, size_t size) {
    const char *end = reason->sentence + reason->fact, *where = strstr(reason->sentence, " where ");
    where = where && where < end ? where : end;
    snprintf(text, size, "%s, unusual%.*s", name, (int)(end - where), where);
}

static bool is_code(frocc_feature_kind kind) {
    return kind == FROCC_FEATURE_CATEGORY || kind == FROCC_FEATURE_STATE ||
           kind == FROCC_FEATURE_WEEKDAY;
}

void say_group(const frocc_model *model, const frocc_schema *schema, size_t feature,
               const double *values, const double *better, char *text, size_t size) {
    const frocc_feature_info info = describe(schema, feature);
    const frocc_reason reason = say_feature(model, schema, NULL, feature, values, better);
    char *name = data_feature_name(schema, feature), *column = column_name(schema, info.column);
    if (reason.kind == FROCC_REASON_APART) {
        char *number = data_feature_name(schema, is_code(info.kind) ? reason.other : feature);
        say_apart(&reason, number, text, size);
        free(number);
    } else if (is_hour(info.kind)) {
        snprintf(text, size, "hour of %s", column);
    } else if (reason.kind == FROCC_REASON_OUTSIDE) {
        say_side(&reason, values[feature] > better[feature], name, text, size);
    } else if (is_code(info.kind)) {
        snprintf(text, size, "%.*s", (int)reason.fact, reason.sentence);
    } else {
        snprintf(text, size, "%s, a usual value where another would be", name);
    }
    free(name);
    free(column);
}
