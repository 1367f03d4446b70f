/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc fit: normal rows in, a model out. One pass, two where a scaling is learnt. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "arguments/method.h"
#include "base/message.h"
#include "data/labels.h"
#include "data/model_io.h"
#include "data/normal_rows.h"
#include "data/parts_io.h"

static void print_summary(const cli_arguments *arguments, const frocc_model *model,
                          const char *path, const cli_data *data, uint64_t left_out) {
    frocc_model_info info = model_describe(model);
    double seconds = progress_seconds(&data->progress);
    if (arguments->json) {
        printf("{\"rows\":%llu,\"features\":%zu,\"directions\":%zu,\"intervals\":%llu,"
               "\"left_out\":%llu,\"missing\":%llu,\"bytes\":%llu,\"seconds\":%.3f}\n",
               (unsigned long long)info.n_rows, info.n_features, info.n_directions,
               (unsigned long long)frocc_model_count_intervals(model),
               (unsigned long long)left_out + data_dropped(data),
               (unsigned long long)data_dropped(data), (unsigned long long)model_bytes(model),
               seconds);
    } else if (arguments->verbosity >= 0) {
        note("learnt %llu rows of %zu features: %zu directions, %llu intervals, %llu bytes in %s",
             (unsigned long long)info.n_rows, info.n_features, info.n_directions,
             (unsigned long long)frocc_model_count_intervals(model),
             (unsigned long long)model_bytes(model), strcmp(path, "-") ? path : "standard output");
        data_note_texts(data->schema);
        if (left_out) {
            note("left out %llu rows labelled as outliers", (unsigned long long)left_out);
        } else if (argument_given(arguments, "outlier") &&
                   (normal_rows_together || !argument_given(arguments, "part"))) {
            note("no row has the label '%s' that --outlier names: all rows are learnt",
                 argument_text(arguments, "outlier"));
        }
        if (arguments->verbosity > 0) {
            note("%.3f s, %s kernels", seconds, frocc_cpu_level());
        }
    }
}

/* How many calibration rows were asked for, as model_note_few_rows wants it. */
static double calibration_asked(const cli_arguments *arguments) {
    if (argument_given(arguments, "frame")) {
        return NAN;
    }
    return argument_given(arguments, "calibration")
               ? (double)argument_count(arguments, "calibration", 0, 0, 1 << 24)
               : INFINITY;
}

static frocc_model *fit_anew(const cli_arguments *arguments, normal_rows *rows) {
    frocc_params params;
    method_params(arguments, &params);
    if (normal_rows_together) {
        return normal_rows_together->fit(arguments, rows, &params);
    }
    int passes = frocc_params_learn(&params) ? 2 : 1;
    normal_rows_open(arguments, arguments->operands, arguments->n_operands, NULL, passes,
                     LABEL_IF_GIVEN, rows);
    params.schema = rows->data.schema;
    return normal_rows_fit(rows, &params);
}

static void refuse_method(const cli_arguments *arguments, const char *path) {
    for (const cli_option *option = method_options.options; option->name; option++) {
        if (argument_given(arguments, option->name)) {
            die(EXIT_MISUSE, "--frame takes all of the method from %s; leave out --%s", path,
                option->name);
        }
    }
}

/* Which begins where all parts begin, or with the frame and parameters of another model. */
static frocc_fitter *fitter_like(const cli_arguments *arguments, const char *path) {
    int threads = (int)argument_count(arguments, "threads", 0, 1, 1024);
    if (file_kind(arguments, path) != FROCC_KIND_MODEL) {
        if (argument_given(arguments, "label") && !argument_given(arguments, "outlier")) {
            die(EXIT_MISUSE, "a part of the rows may not tell which label means outlier: give "
                             "--outlier VALUE beside --label");
        }
        return frame_read(arguments, path, threads);
    }
    frocc_fitter *fitter = NULL;
    frocc_model *model = model_read(arguments, path);
    check(frocc_fitter_like(model, threads, &fitter), NULL);
    frocc_model_free(model);
    return fitter;
}

static frocc_model *fit_like(const cli_arguments *arguments, const char *path, normal_rows *rows) {
    refuse_method(arguments, path);
    refuse_output(arguments, path);
    frocc_fitter *fitter = fitter_like(arguments, path);
    frocc_frame *frame = frocc_fitter_frame(fitter);
    frocc_schema *schema = frocc_frame_schema(frame);
    normal_rows_open(arguments, arguments->operands, arguments->n_operands, schema, 1,
                     LABEL_IF_GIVEN, rows);
    frocc_model *model = normal_rows_fit_by(rows, fitter);
    frocc_schema_free(schema);
    frocc_frame_free(frame);
    frocc_fitter_free(fitter);
    return model;
}

static int run_fit(const cli_arguments *arguments) {
    const char *path = model_output_path(arguments);
    const char *like = argument_text(arguments, "frame");
    normal_rows rows;
    frocc_model *model = like ? fit_like(arguments, like, &rows) : fit_anew(arguments, &rows);
    progress_end(&rows.data.progress);
    model_write(model, path);
    print_summary(arguments, model, path, &rows.data, rows.left_out);
    frocc_model_info info = model_describe(model);
    model_note_few_rows(arguments, &info, calibration_asked(arguments));
    frocc_model_free(model);
    normal_rows_close(&rows);
    return EXIT_FINE;
}

static const cli_option fit_table[] = {
    {"output", 'o', "MODEL", "Where the model goes; - is standard output"},
    {"outlier", 0, "VALUE",
     "Leave out rows with this label; where --label is given, found out if it is not"},
    {"frame", 0, "FRAME",
     "Take columns and method from what 'frocc frame' wrote, or from a model, so that models "
     "merge"},
    {0},
};
static const cli_option_group fit_options = {"Options", fit_table};

const cli_command command_fit = {
    .name = "fit",
    .operands = "DATA... -o MODEL",
    .summary = "Learn what normal rows look like",
    .details =
        "Reads rows that are normal and writes a model. DATA is one or more files (CSV, TSV, "
        ".npy, .npz, LIBSVM, raw float32; plain or gzip), read as one set, or - for standard "
        "input. The rows may be in any order and number; the model is the same.",
    .example = "frocc fit normal.csv -o model.frocc\n"
               "frocc gen moons -n 1000000 | frocc fit - -o moons.frocc\n"
               "frocc fit --frame monday.frocc tuesday.csv -o tuesday.frocc\n"
               "frocc fit --frame all.frame part-17.csv -o part-17.frocc",
    .groups = {&fit_options, &method_options, &data_options, &model_options, &common_options},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run_fit,
};
