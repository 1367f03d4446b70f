/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/model_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "data/parts_io.h"

static const cli_option model_table[] = {
    {"max-memory", 0, "MIB",
     "Refuse a model that takes more; by default 512 times its file, 48 at least"},
    {0},
};
const cli_option_group model_options = {"Reading models", model_table};

/* A stream that is no model may never end. */
static bool may_be_model(const char *bytes, size_t size) {
    static const char begin[] = "\x89"
                                "FROCC";
    size_t length = sizeof begin - 1;
    return memcmp(bytes, begin, size < length ? size : length) == 0;
}

static frocc_status read_stdin(const frocc_load_options *options, frocc_model **model) {
    size_t size = 0, capacity = 1 << 16;
    char *bytes = must_allocate(capacity, 1);
    size_t got;
    while ((got = fread(bytes + size, 1, capacity - size, stdin)) > 0) {
        size += got;
        if (!may_be_model(bytes, size) || (options->max_memory && size > options->max_memory)) {
            break;
        }
        if (size == capacity) {
            capacity *= 2;
            bytes = must_resize(bytes, capacity, 1);
        }
    }
    frocc_status status = frocc_model_from_bytes(bytes, size, options, model);
    free(bytes);
    return status;
}

static frocc_load_options load_options(const cli_arguments *arguments) {
    frocc_load_options options = {.struct_size = sizeof options};
    options.max_memory = argument_count(arguments, "max-memory", 0, 1, SIZE_MAX >> 20) << 20;
    return options;
}

frocc_status model_read_again(const cli_arguments *arguments, const char *path,
                              frocc_model **model) {
    const frocc_load_options options = load_options(arguments);
    return frocc_model_load(path, &options, model);
}

frocc_model *model_read(const cli_arguments *arguments, const char *path) {
    const frocc_load_options options = load_options(arguments);
    frocc_model *model = NULL;
    bool standard = !strcmp(path, "-");
    frocc_status status =
        standard ? read_stdin(&options, &model) : frocc_model_load(path, &options, &model);
    if (status == FROCC_ERR_FORMAT && !standard) {
        char *sentence = must_copy(frocc_last_error()); /* the next calls may fail, too */
        refuse_part(arguments, path);
        die(EXIT_FAILED, "%s\nfrocc: '%s' should be a model, as 'frocc fit' writes it", sentence,
            path);
    }
    check(status, standard ? "model on standard input" : NULL);
    return model;
}

void model_write(const frocc_model *model, const char *path) {
    if (strcmp(path, "-") != 0) {
        check(frocc_model_save(model, path), NULL);
        return;
    }
    void *bytes;
    size_t size;
    check(frocc_model_to_bytes(model, &bytes, &size), NULL);
    check(frocc_file_replace("-", bytes, size), NULL);
    frocc_bytes_free(bytes);
}

uint64_t model_bytes(const frocc_model *model) {
    void *bytes = NULL;
    size_t size = 0;
    check(frocc_model_to_bytes(model, &bytes, &size), NULL);
    frocc_bytes_free(bytes);
    return size;
}

frocc_model_info model_describe(const frocc_model *model) {
    frocc_model_info info = {.struct_size = sizeof info};
    check(frocc_model_describe(model, &info), NULL);
    return info;
}

bool model_feature_range(const frocc_model *model, size_t feature, double *low, double *high) {
    const frocc_status status = frocc_model_feature_range(model, feature, low, high);
    if (status != FROCC_ERR_UNSUPPORTED) {
        check(status, NULL);
    }
    return status == FROCC_OK;
}

double model_least_rate(const frocc_model_info *info) {
    double least = 1 / ((double)info->calibration_rows + 1);
    double unit = pow(10, floor(log10(least)) - 1);
    return ceil(least / unit - 1e-9) * unit;
}

void model_note_rate(const frocc_model_info *info, double fpr, const char *remedy) {
    double n_rows = (double)info->calibration_rows;
    if (!(fpr > 0) || 1 / (n_rows + 1) <= fpr) {
        return;
    }
    note("%.0f training rows calibrate the decision, too few for a false-alarm rate of %g: %s; %s",
         n_rows, fpr,
         n_rows > 0 ? "what scores below all of them is an outlier"
                    : "what scores below 0 is an outlier",
         remedy);
}

/* As many calibrate by default, whatever room they take. */
#define USUAL_CALIBRATION 1024

/* About half of the rows may calibrate, of equal ones all or none. */
static void find_remedy(const frocc_model_info *info, double asked, char *remedy, size_t size) {
    const double needed = ceil(1 / info->fpr), rows = ceil(2.5 / info->fpr);
    const bool is_capped = isinf(asked) && info->calibration_rows >= USUAL_CALIBRATION;
    if ((double)info->n_rows < rows) {
        snprintf(remedy, size, "fit about %.0f rows", rows);
    } else if (isnan(asked)) {
        snprintf(remedy, size, "fit more rows that differ, in a frame with --calibration %.0f",
                 needed);
    } else if (asked < needed || is_capped) {
        snprintf(remedy, size, "give --calibration %.0f", needed);
    } else {
        snprintf(remedy, size, "fit more rows that differ");
    }
}

void model_note_few_rows(const cli_arguments *arguments, const frocc_model_info *info,
                         double asked) {
    if (arguments->verbosity < 0 || !(info->fpr > 0)) {
        return;
    }
    char remedy[160];
    find_remedy(info, asked, remedy, sizeof remedy);
    if (info->calibration_rows > 0) {
        const size_t length = strlen(remedy);
        snprintf(remedy + length, sizeof remedy - length, ", or ask for --fpr %g or more",
                 model_least_rate(info));
    }
    model_note_rate(info, info->fpr, remedy);
}

const char *model_output_path(const cli_arguments *arguments) {
    const char *path = argument_text(arguments, "output");
    if (!path) {
        die(EXIT_MISUSE, "where should the model go? Give -o MODEL, such as -o model.frocc");
    }
    if (!strcmp(path, "-") && arguments->json) {
        die(EXIT_MISUSE, "-o - and --json both want standard output; give one of the two");
    }
    check_writable(path);
    return path;
}
