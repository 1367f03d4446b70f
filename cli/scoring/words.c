/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/words.h"

#include <math.h>
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

/* Whether this value of the feature stands for a missing cell; it may come from single precision.
 */
static bool stands_for_missing(const frocc_feature_info *info, double value) {
    return value == info->missing_value || value == (double)(float)info->missing_value;
}

/* The column's name, as the names of its features begin with it; the caller frees. */
static char *column_name(const frocc_schema *schema, size_t column) {
    frocc_column_info info = {.struct_size = sizeof info};
    check(frocc_schema_column(schema, column, &info), NULL);
    char number[24];
    snprintf(number, sizeof number, "%zu", column + 1);
    return must_copy(info.name ? info.name : number);
}

shown_feature show_feature(const frocc_schema *schema, size_t feature, double value,
                           double better) {
    static const char missing[] = " is missing";
    const frocc_feature_info info = describe(schema, feature);
    if (!stands_for_missing(&info, value)) {
        return (shown_feature){data_feature_name(schema, feature), value, better,
                               info.kind == FROCC_FEATURE_MISSING && value != 0};
    }
    char *name = column_name(schema, info.column);
    size_t length = strlen(name);
    name = must_resize(name, length + sizeof missing, 1);
    memcpy(name + length, missing, sizeof missing);
    return (shown_feature){name, 1, 0, true};
}

/* ---- In words -------------------------------------------------------------------------------- */

/* For people: whole numbers as they are, others in six digits. */
static const char *show(double value, char text[FROCC_NUMBER_SIZE]) {
    bool whole = fabs(value) < 1e15 && value == round(value);
    snprintf(text, FROCC_NUMBER_SIZE, whole ? "%.0f" : "%.6g", value);
    return text;
}

static void say_number(const frocc_model *model, const char *name, size_t feature, double value,
                       double better, char *text, size_t size) {
    char now[FROCC_NUMBER_SIZE], first[FROCC_NUMBER_SIZE], last[FROCC_NUMBER_SIZE];
    double low, high;
    show(value, now);
    if (frocc_model_feature_range(model, feature, &low, &high) == FROCC_OK &&
        (value < low || value > high)) {
        snprintf(text, size, "%s is %s, usually %s to %s", name, now, show(low, first),
                 show(high, last));
    } else {
        snprintf(text, size, "%s is %s, %s would be usual", name, now, show(better, first));
    }
}

/* Whether the row lacks the text of this column. */
static bool lacks_text(const frocc_schema *schema, size_t column, const double *values) {
    frocc_column_info info = {.struct_size = sizeof info};
    check(frocc_schema_column(schema, column, &info), NULL);
    for (size_t i = 0; i <= info.n_categories; i++) {
        const double value = values[info.first_feature + i];
        const frocc_feature_info one = describe(schema, info.first_feature + i);
        if (value != 0 && (one.kind == FROCC_FEATURE_MISSING || stands_for_missing(&one, value))) {
            return true;
        }
    }
    return false;
}

void say_feature(const frocc_model *model, const frocc_schema *schema, size_t feature,
                 const double *values, const double *better, char *text, size_t size) {
    const frocc_feature_info info = describe(schema, feature);
    char *name = data_feature_name(schema, feature), *column = column_name(schema, info.column);
    if (stands_for_missing(&info, values[feature])) {
        snprintf(text, size, "%s is missing, usually present", column);
    } else if (info.kind == FROCC_FEATURE_MISSING) {
        snprintf(text, size, "%s is %s would be usual", column,
                 values[feature] != 0 ? "missing, present" : "present, missing");
    } else if (info.kind == FROCC_FEATURE_CATEGORY && lacks_text(schema, info.column, values)) {
        snprintf(text, size, "%s is missing, %s would be usual", column, name);
    } else if (info.kind == FROCC_FEATURE_CATEGORY) {
        snprintf(text, size, "%s would be usual", name);
    } else {
        say_number(model, name, feature, values[feature], better[feature], text, size);
    }
    free(name);
    free(column);
}
