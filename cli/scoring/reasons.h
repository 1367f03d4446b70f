/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a row is unusual, in a sentence: its leading features, their values, what is usual. */
#ifndef CLI_REASONS_H
#define CLI_REASONS_H

#include "scoring/blame.h"
#include "scoring/words.h"

typedef struct cli_reasons {
    cli_blame blame;
    const frocc_schema *schema;
    const usual_values *usual; /* NULL: what training rows had */
    char text[3 * sizeof((frocc_reason *)0)->sentence + 8];
} cli_reasons;

/* All of them stay the caller's. */
void reasons_begin(const frocc_model *model, frocc_scorer *scorer, const frocc_schema *schema,
                   const usual_values *usual, cli_reasons *reasons);
void reasons_end(cli_reasons *reasons);

/* The reason, until the next one is asked for; "" where no single feature would help. */
const char *reasons_find(cli_reasons *reasons, const double *values);

/* The reasons that are worth a sentence, at most so many, the one that gains most first; blame has
 * seen the row. Returns how many. */
size_t say_why(const cli_blame *blame, const frocc_schema *schema, const usual_values *usual,
               const double *values, frocc_reason *said, size_t most);

#endif
