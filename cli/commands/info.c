/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc info: what a model says about itself. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "arguments/method.h"
#include "base/message.h"
#include "data/model_io.h"

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
    frocc_model *model = model_read(arguments, arguments->operands[0]);
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
    .groups = {&model_options, &common_options},
    .min_operands = 1,
    .max_operands = 1,
    .run = run_info,
};
