/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc merge: the model of all the rows behind some models. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments/commands.h"
#include "base/message.h"
#include "data/data.h"
#include "data/model_io.h"

static int run_merge(const cli_arguments *arguments) {
    const char *path = model_output_path(arguments);
    size_t n_models = arguments->n_operands;
    frocc_model **models = must_allocate(n_models, sizeof *models);
    for (size_t i = 0; i < n_models; i++) {
        refuse_output(arguments, arguments->operands[i]);
        models[i] = model_read(arguments, arguments->operands[i]);
    }
    frocc_model *merged;
    frocc_status status = frocc_model_merge((const frocc_model *const *)models, n_models, &merged);
    if (status == FROCC_ERR_FRAME) {
        die(EXIT_FAILED,
            "these models do not fit together: %s; 'frocc info A B' shows how they differ. Fit "
            "one of them, and the others with --frame and its name",
            in_options(frocc_last_error()));
    }
    check(status, NULL);
    model_write(merged, path);
    frocc_model_info info = model_describe(merged);
    if (arguments->json) {
        printf("{\"models\":%zu,\"rows\":%" PRIu64 ",\"intervals\":%" PRIu64 "}\n", n_models,
               info.n_rows, frocc_model_count_intervals(merged));
    } else if (arguments->verbosity >= 0) {
        note("merged %zu models of %" PRIu64 " rows: %" PRIu64 " intervals in %s", n_models,
             info.n_rows, frocc_model_count_intervals(merged), path);
    }
    for (size_t i = 0; i < n_models; i++) {
        frocc_model_free(models[i]);
    }
    free(models);
    frocc_model_free(merged);
    return EXIT_FINE;
}

static const cli_option merge_table[] = {
    {"output", 'o', "MODEL", "Where the model goes; - is standard output"},
    {0},
};
static const cli_option_group merge_options = {"Options", merge_table};

const cli_command command_merge = {
    .name = "merge",
    .operands = "MODEL... -o MODEL",
    .summary = "Make one model of several",
    .details =
        "The result is the model of all rows behind the models, byte for byte. They must have "
        "one frame, which the first learns from its rows: fit the others with --frame.",
    .example = "frocc fit monday.csv -o monday.frocc\n"
               "frocc fit --frame monday.frocc tuesday.csv -o tuesday.frocc\n"
               "frocc merge monday.frocc tuesday.frocc -o both.frocc",
    .groups = {&merge_options, &model_options, &common_options},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run_merge,
};
