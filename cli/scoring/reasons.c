/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/reasons.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

void reasons_begin(const frocc_model *model, frocc_scorer *scorer, const frocc_schema *schema,
                   const usual_values *usual, cli_reasons *reasons) {
    *reasons = (cli_reasons){.schema = schema, .usual = usual};
    blame_begin(model, scorer, &reasons->blame);
}

void reasons_end(cli_reasons *reasons) {
    blame_end(&reasons->blame);
}

static frocc_feature_info describe(const frocc_schema *schema, size_t feature) {
    frocc_feature_info info = {.struct_size = sizeof info};
    check(frocc_schema_feature(schema, feature, &info), NULL);
    return info;
}

/* Whether the one is the value of a cell and the other that it has one. */
static bool are_one_cell(const frocc_schema *schema, size_t a, size_t b) {
    const frocc_feature_info one = describe(schema, a), two = describe(schema, b);
    return one.column == two.column &&
           (one.kind == FROCC_FEATURE_STATE) != (two.kind == FROCC_FEATURE_STATE);
}

/* Two that are unusual together have one reason, and so has a cell. */
static bool is_said(const frocc_schema *schema, const frocc_reason *reason,
                    const frocc_reason *others, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const frocc_reason *other = &others[i];
        if ((reason->kind == other->kind && reason->other == other->feature &&
             other->other == reason->feature) ||
            are_one_cell(schema, reason->feature, other->feature) ||
            are_one_cell(schema, reason->feature, other->other)) {
            return true;
        }
    }
    return false;
}

/* Behind what is plainly odd, what is unusual beside the others alone has to gain half as much:
 * nearly any row gains something by another hour or category. */
static bool is_worth_saying(const cli_blame *blame, const frocc_reason *reason,
                            const frocc_reason *first) {
    return reason->kind != FROCC_REASON_UNUSUAL || first->kind == FROCC_REASON_UNUSUAL ||
           blame->gains[reason->feature] * 2 >= blame->gains[first->feature];
}

size_t say_why(const cli_blame *blame, const frocc_schema *schema, const usual_values *usual,
               const double *values, frocc_reason *said, size_t most) {
    size_t *features = must_allocate(most, sizeof *features), n_said = 0;
    const size_t count = leading_features(blame, features, most);
    for (size_t i = 0; i < count; i++) {
        said[n_said] = say_feature(blame->model, schema, usual, features[i], values, blame->better);
        n_said += !is_said(schema, &said[n_said], said, n_said) &&
                  is_worth_saying(blame, &said[n_said], &said[0]);
    }
    free(features);
    return n_said;
}

const char *reasons_find(cli_reasons *reasons, const double *values) {
    enum { MOST = 3 };
    frocc_reason said[MOST];
    reasons->text[0] = 0;
    blame_row(&reasons->blame, values);
    const size_t count =
        say_why(&reasons->blame, reasons->schema, reasons->usual, values, said, MOST);
    for (size_t i = 0; i < count; i++) {
        strcat(reasons->text, i ? "; " : "");
        strcat(reasons->text, said[i].sentence);
    }
    return reasons->text;
}
