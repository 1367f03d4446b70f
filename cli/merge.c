/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc merge and frocc info: models in, a model or its description out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "message.h"
#include "method.h"
#include "model_io.h"
#include "table.h"

static int run_merge(const cli_arguments *arguments) {
    const char *path = model_output_path(arguments);
    size_t n_models = arguments->n_operands;
    frocc_model **models = must_allocate(n_models, sizeof *models);
    for (size_t i = 0; i < n_models; i++) {
        models[i] = model_read(arguments->operands[i]);
    }
    frocc_model *merged;
    frocc_status status = frocc_model_merge((const frocc_model *const *)models, n_models, &merged);
    if (status == FROCC_ERR_FRAME) {
        die(EXIT_FAILED, "these models do not fit together: %s; 'frocc info' shows how they differ",
            frocc_last_error());
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
        "been fitted with the same options, and with nothing learnt from their own rows, as a "
        "scaling is: fit parts with --paper.",
    .example = "frocc fit monday.csv --paper -o monday.frocc\n"
               "frocc fit tuesday.csv --paper -o tuesday.frocc\n"
               "frocc merge monday.frocc tuesday.frocc -o both.frocc",
    .groups = {&merge_options, &common_options},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run_merge,
};

/* ---- info ---------------------------------------------------------------------------------------
 */

typedef struct info_field {
    const char *name;
    char text[40];
    bool is_text; /* quoted in JSON */
} info_field;

enum { MAX_FIELDS = 24 };

typedef struct info_list {
    info_field fields[MAX_FIELDS];
    size_t count;
} info_list;

static void add_text(info_list *list, const char *name, const char *text) {
    info_field *field = &list->fields[list->count++];
    field->name = name;
    field->is_text = true;
    snprintf(field->text, sizeof field->text, "%s", text);
}

static void add_whole(info_list *list, const char *name, uint64_t value) {
    add_text(list, name, "");
    info_field *field = &list->fields[list->count - 1];
    field->is_text = false;
    snprintf(field->text, sizeof field->text, "%" PRIu64, value);
}

static void add_real(info_list *list, const char *name, double value) {
    add_text(list, name, "");
    info_field *field = &list->fields[list->count - 1];
    field->is_text = false;
    frocc_print_f64(value, field->text);
}

static void add_checksum(info_list *list, const char *name, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    add_text(list, name, text);
}

/* A float32 as the decimal that its user wrote. */
static double short_epsilon(float epsilon) {
    char text[24];
    snprintf(text, sizeof text, "%.7g", (double)epsilon);
    return strtod(text, NULL);
}

static void list_info(const frocc_model *model, const frocc_model_info *info, info_list *list) {
    add_whole(list, "features", info->n_features);
    add_whole(list, "directions", info->n_directions);
    add_real(list, "epsilon", short_epsilon(info->epsilon));
    add_text(list, "score", score_name(info->score));
    if (info->fpr > 0) {
        add_real(list, "fpr", info->fpr);
    } else {
        add_real(list, "threshold", info->threshold);
    }
    if (info->score == FROCC_SCORE_CLOSENESS) {
        add_real(list, "contamination", info->contamination);
        add_whole(list, "trees", info->n_trees);
    }
    add_whole(list, "calibration_rows", info->calibration_rows);
    add_whole(list, "seed", info->seed);
    add_text(list, "kernel", kernel_name(info->kernel));
    if (info->kernel != FROCC_KERNEL_LINEAR && info->kernel != FROCC_KERNEL_CUSTOM) {
        add_real(list, "gamma", info->gamma);
    }
    if (info->kernel == FROCC_KERNEL_POLY || info->kernel == FROCC_KERNEL_SIGMOID) {
        add_real(list, "coef0", info->coef0);
    }
    if (info->kernel == FROCC_KERNEL_POLY) {
        add_whole(list, "degree", (uint64_t)info->degree);
    }
    add_text(list, "scaling", scaling_name(info->scaling));
    add_text(list, "family", family_name(info->family));
    if (info->family == FROCC_FAMILY_SPARSE) {
        add_real(list, "density", info->density);
    }
    add_whole(list, "rows", info->n_rows);
    add_whole(list, "intervals", frocc_model_count_intervals(model));
    add_text(list, "sealed", info->is_sealed ? "yes" : "no");
    add_checksum(list, "frame_checksum", info->frame_checksum);
    add_text(list, "kernel_level", frocc_cpu_level());
}

static int run_info(const cli_arguments *arguments) {
    frocc_model *model = model_read(arguments->operands[0]);
    frocc_model_info info = model_describe(model);
    info_list list = {.count = 0};
    list_info(model, &info, &list);
    add_whole(&list, "bytes", model_bytes(model));
    for (size_t i = 0; i < list.count; i++) {
        const info_field *field = &list.fields[i];
        const char *quote = field->is_text ? "\"" : "";
        if (arguments->json) {
            printf("%s\"%s\":%s%s%s", i ? "," : "{", field->name, quote, field->text, quote);
        } else {
            printf("%-16s %s\n", field->name, field->text);
        }
    }
    printf("%s", arguments->json ? "}\n" : "");
    frocc_model_free(model);
    return EXIT_FINE;
}

const cli_command command_info = {
    .name = "info",
    .operands = "MODEL",
    .summary = "Describe a model",
    .details = "Prints the parameters, the number of intervals, the size of the file, and the "
               "checksum of the frame: models merge when their frames' are equal.",
    .example = "frocc info model.frocc",
    .groups = {&common_options},
    .min_operands = 1,
    .max_operands = 1,
    .run = run_info,
};
