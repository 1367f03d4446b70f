/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc seal: a model in, a smaller one that can only score out. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arguments/commands.h"
#include "base/message.h"
#include "data/data.h"
#include "data/model_io.h"

static void print_sizes(const cli_arguments *arguments, const char *path, uint64_t before,
                        uint64_t after) {
    if (arguments->json) {
        printf("{\"bytes_before\":%" PRIu64 ",\"bytes\":%" PRIu64 "}\n", before, after);
    } else if (arguments->verbosity >= 0) {
        note("sealed %" PRIu64 " bytes: %" PRIu64 " bytes in %s", before, after,
             strcmp(path, "-") ? path : "standard output");
    }
}

static int run_seal(const cli_arguments *arguments) {
    const char *path = model_output_path(arguments);
    refuse_output(arguments, arguments->operands[0]);
    frocc_model *model = model_read(arguments, arguments->operands[0]);
    frocc_model *sealed;
    check(frocc_model_seal(model, &sealed), NULL);
    const uint64_t before = model_bytes(model), after = model_bytes(sealed);
    model_write(sealed, path); /* at the end: what fails leaves the old file */
    print_sizes(arguments, path, before, after);
    frocc_model_free(sealed);
    frocc_model_free(model);
    return EXIT_FINE;
}

static const cli_option seal_table[] = {
    {"output", 'o', "MODEL", "Where the smaller model goes; - is standard output"},
    {0},
};
static const cli_option_group seal_options = {"Options", seal_table};

const cli_command command_seal = {
    .name = "seal",
    .operands = "MODEL -o MODEL",
    .summary = "Make a model smaller that will only score",
    .details = "The result gives the same scores, p-values and decisions, to the bit, without what "
               "only merging needs, which is most of a large model of closeness. It cannot be "
               "merged; keep the model it was made from for that. One of agreement stays as it is.",
    .example = "frocc fit normal.csv -o model.frocc\n"
               "frocc seal model.frocc -o small.frocc",
    .groups = {&seal_options, &model_options, &common_options},
    .min_operands = 1,
    .max_operands = 1,
    .run = run_seal,
};
