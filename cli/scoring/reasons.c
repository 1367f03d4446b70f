/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/reasons.h"

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

/* Features of one column may have one reason, and so may two that are unusual together. */
static bool is_said(const frocc_reason *reason, const frocc_reason *others, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const frocc_reason *other = &others[i];
        if (!strcmp(reason->sentence, other->sentence) ||
            (reason->kind == other->kind && reason->other == other->feature &&
             other->other == reason->feature)) {
            return true;
        }
    }
    return false;
}

/* What is unusual beside the others alone has to gain more: nearly any row gains a little by
 * another hour or category. */
static bool is_worth_saying(const cli_blame *blame, const frocc_reason *reason,
                            const frocc_reason *first) {
    return reason->kind != FROCC_REASON_UNUSUAL ||
           blame->gains[reason->feature] * 5 >= blame->gains[first->feature];
}

size_t say_why(const cli_blame *blame, const frocc_schema *schema, const usual_values *usual,
               const double *values, frocc_reason *said, size_t most) {
    size_t *features = must_allocate(most, sizeof *features), n_said = 0;
    const size_t count = leading_features(blame, features, most);
    for (size_t i = 0; i < count; i++) {
        said[n_said] = say_feature(blame->model, schema, usual, features[i], values, blame->better);
        n_said += !is_said(&said[n_said], said, n_said) &&
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
