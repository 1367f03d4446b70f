/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/reasons.h"

#include <string.h>

void reasons_begin(const frocc_model *model, frocc_scorer *scorer, const frocc_schema *schema,
                   const usual_values *usual, cli_reasons *reasons) {
    *reasons = (cli_reasons){.schema = schema, .usual = usual};
    blame_begin(model, scorer, &reasons->blame);
}

void reasons_end(cli_reasons *reasons) {
    blame_end(&reasons->blame);
}

/* Unless it has been said: features of one column may have one reason. */
static void add_feature(cli_reasons *reasons, size_t feature, const double *values) {
    char reason[sizeof reasons->text - 2];
    say_feature(reasons->blame.model, reasons->schema, reasons->usual, feature, values,
                reasons->blame.better, reason, sizeof reason);
    if (!strstr(reasons->text, reason) &&
        strlen(reasons->text) + 2 + strlen(reason) < sizeof reasons->text) {
        strcat(reasons->text, *reasons->text ? "; " : "");
        strcat(reasons->text, reason);
    }
}

const char *reasons_find(cli_reasons *reasons, const double *values) {
    enum { MOST = 3 };
    size_t features[MOST];
    reasons->text[0] = 0;
    blame_row(&reasons->blame, values);
    size_t count = leading_features(&reasons->blame, features, MOST);
    for (size_t i = 0; i < count; i++) {
        add_feature(reasons, features[i], values);
    }
    return reasons->text;
}
