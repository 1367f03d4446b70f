/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc merge: the model of all the rows behind some models. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "arguments/commands.h"
#include "base/message.h"
#include "data/data.h"
#include "data/model_io.h"
#include "data/parts_io.h"

/* Models in memory at a time: any tree of merges gives the same bytes. */
#define AT_ONCE 16

static void check_frames(const char *path, const frocc_model *model, const char *first_path,
                         uint64_t first_checksum) {
    if (model_describe(model).frame_checksum == first_checksum) {
        return;
    }
    die(EXIT_FAILED,
        "%s and %s are of different frames, and do not fit together: columns, directions, seed, "
        "kernel or scaling; 'frocc info A B' shows how they differ. Fit one of them, and the "
        "others with "
        "--frame and its name",
        first_path, path);
}

/* What is merged so far, and the next ones; these are freed. */
static frocc_model *merge_some(frocc_model **models, size_t count) {
    frocc_model *merged;
    if (count == 1) {
        return models[0];
    }
    frocc_status status = frocc_model_merge((const frocc_model *const *)models, count, &merged);
    if (status == FROCC_ERR_FRAME) {
        die(EXIT_FAILED,
            "these models do not fit together: %s; 'frocc info A B' shows how they differ. Fit "
            "one of them, and the others with --frame and its name",
            library_error());
    }
    check(status, NULL);
    for (size_t i = 0; i < count; i++) {
        frocc_model_free(models[i]);
    }
    return merged;
}

static frocc_model *merge_files(const cli_arguments *arguments) {
    frocc_model *models[AT_ONCE];
    const char *const *paths = arguments->operands;
    uint64_t checksum = 0;
    size_t count = 0;
    for (size_t i = 0; i < arguments->n_operands; i++) {
        if (count == AT_ONCE) {
            models[0] = merge_some(models, count);
            count = 1;
        }
        models[count++] = model_read(arguments, paths[i]);
        checksum = i > 0 ? checksum : model_describe(models[0]).frame_checksum;
        check_frames(paths[i], models[count - 1], paths[0], checksum);
    }
    return merge_some(models, count);
}

static int run_merge(const cli_arguments *arguments) {
    const char *path = model_output_path(arguments);
    const size_t n_models = arguments->n_operands;
    for (size_t i = 0; i < n_models; i++) {
        refuse_output(arguments, arguments->operands[i]);
    }
    check_parts(arguments);
    frocc_model *merged = merge_files(arguments);
    model_write(merged, path);
    frocc_model_info info = model_describe(merged);
    if (arguments->json) {
        printf("{\"models\":%zu,\"rows\":%" PRIu64 ",\"intervals\":%" PRIu64 "}\n", n_models,
               info.n_rows, frocc_model_count_intervals(merged));
    } else if (arguments->verbosity >= 0) {
        note("merged %zu models of %" PRIu64 " rows: %" PRIu64 " intervals in %s", n_models,
             info.n_rows, frocc_model_count_intervals(merged), path);
    }
    model_note_few_rows(arguments, &info, NAN);
    frocc_model_free(merged);
    return EXIT_FINE;
}

static const cli_option merge_table[] = {
    {"output", 'o', "MODEL", "Where the model goes; - is standard output"},
    PARTS_OPTION,
    {0},
};
static const cli_option_group merge_options = {"Options", merge_table};

const cli_command command_merge = {
    .name = "merge",
    .operands = "MODEL... -o MODEL",
    .summary = "Make one model of several",
    .details =
        "The result is the model of all rows behind the models, byte for byte. They must have "
        "one frame: that of the first, or one that 'frocc frame' made; fit the others with "
        "--frame.",
    .example = "frocc fit monday.csv -o monday.frocc\n"
               "frocc fit --frame monday.frocc tuesday.csv -o tuesday.frocc\n"
               "frocc merge monday.frocc tuesday.frocc -o both.frocc",
    .groups = {&merge_options, &model_options, &common_options},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run_merge,
};
