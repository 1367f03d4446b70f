/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc frame: what the parts of a fit must agree on before they begin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "arguments/method.h"
#include "base/message.h"
#include "data/model_io.h"
#include "data/normal_rows.h"
#include "data/parts_io.h"

typedef enum product { FRAME, SAMPLE, COLUMNS } product;

static product product_of(const cli_arguments *arguments) {
    const bool sample = argument_given(arguments, "sample");
    const bool columns = argument_given(arguments, "schema");
    if (sample && columns) {
        die(EXIT_MISUSE, "--sample and --schema write different files; give one of the two");
    }
    return sample ? SAMPLE : columns ? COLUMNS : FRAME;
}

static const char *output_path(const cli_arguments *arguments, product what) {
    const char *path = argument_text(arguments, "output");
    if (!path) {
        die(EXIT_MISUSE, "where should it go? Give -o FILE, such as -o %s",
            what == FRAME    ? "all.frame"
            : what == SAMPLE ? "part-1.sample"
                             : "part-1.columns");
    }
    if (!strcmp(path, "-") && arguments->json) {
        die(EXIT_MISUSE, "-o - and --json both want standard output; give one of the two");
    }
    check_writable(path);
    return path;
}

/* ---- Of data ----------------------------------------------------------------------------------*/

static frocc_sample *sample_of_data(const cli_arguments *arguments, product what,
                                    frocc_params *params) {
    const char *like = argument_text(arguments, "like");
    frocc_schema *schema = like ? columns_read(arguments, like) : NULL;
    if (what != FRAME && argument_given(arguments, "label") &&
        !argument_given(arguments, "outlier")) {
        die(EXIT_MISUSE, "a part of the rows may not tell which label means outlier: give "
                         "--outlier VALUE beside --label");
    }
    normal_rows rows;
    frocc_sample *sample = NULL;
    normal_rows_open(arguments, arguments->operands, arguments->n_operands, schema, 1,
                     LABEL_IF_GIVEN, &rows);
    params->schema = rows.data.schema;
    if (what == COLUMNS || (what == FRAME && !frocc_params_learn(params))) {
        check(frocc_sample_new(params, rows.data.n_features, &sample), NULL);
    } else {
        sample = normal_rows_sample(&rows, params);
    }
    progress_end(&rows.data.progress);
    params->schema = NULL; /* the sample has it */
    frocc_schema_free(schema);
    normal_rows_close(&rows);
    return sample;
}

/* ---- Of samples -------------------------------------------------------------------------------*/

static _Noreturn void die_of_columns(const char *path, const char *other) {
    die(EXIT_FAILED,
        "%s and %s are of other columns, or another --seed: %s. Where only the kinds of columns "
        "differ, join those of all parts, 'frocc frame --schema SAMPLE... -o all.columns', and "
        "sample the parts again with --like all.columns",
        path, other, frocc_last_error());
}

/* The rows of samples were read before; what says how to read them comes too late. */
static void refuse_reading(const cli_arguments *arguments) {
    for (const cli_option *option = data_options.options; option->name; option++) {
        const bool still_asks =
            !strcmp(option->name, "max-columns") || !strcmp(option->name, "threads");
        if (!still_asks && argument_given(arguments, option->name)) {
            die(EXIT_MISUSE, "%s has rows as they were read, so --%s comes too late: sample again",
                arguments->operands[0], option->name);
        }
    }
}

/* As of files of rows: a few bytes can claim columns of which a frame takes gigabytes. */
static void check_columns(const cli_arguments *arguments, const frocc_sample *sample) {
    frocc_reader_options usual;
    frocc_reader_options_init(&usual);
    const uint64_t most =
        argument_count(arguments, "max-columns", usual.max_columns, 1, FROCC_MAX_FEATURES);
    if (frocc_sample_features(sample) > most) {
        die(EXIT_FAILED,
            "%s: has %zu features, where at most %llu are expected; if that is right, allow a "
            "larger --max-columns",
            arguments->operands[0], frocc_sample_features(sample), (unsigned long long)most);
    }
}

/* A sample is of the rows that its seed picks: with another, the frame is not that of all rows. */
static void check_seed(const cli_arguments *arguments, frocc_params *params,
                       const frocc_sample *sample) {
    frocc_schema *schema = frocc_sample_schema(sample);
    frocc_sample *own = NULL;
    params->schema = schema;
    check(frocc_sample_new(params, frocc_sample_features(sample), &own), NULL);
    params->schema = NULL; /* the sample has it */
    if (frocc_sample_merge(own, sample) == FROCC_ERR_FRAME) {
        die(EXIT_MISUSE,
            "%s was taken with another --seed than %llu: give the frame the --seed of its samples",
            arguments->operands[0], (unsigned long long)params->seed);
    }
    frocc_sample_free(own);
    frocc_schema_free(schema);
}

static frocc_sample *sample_of_samples(const cli_arguments *arguments) {
    refuse_reading(arguments);
    frocc_sample *all = sample_read(arguments, arguments->operands[0]);
    check_columns(arguments, all);
    for (size_t i = 1; i < arguments->n_operands; i++) {
        frocc_sample *part = sample_read(arguments, arguments->operands[i]);
        frocc_status status = frocc_sample_merge(all, part);
        if (status == FROCC_ERR_FRAME) {
            die_of_columns(arguments->operands[0], arguments->operands[i]);
        }
        check(status, arguments->operands[i]);
        frocc_sample_free(part);
    }
    return all;
}

/* A sample of no rows, with the columns of all. */
static frocc_sample *columns_of_samples(const cli_arguments *arguments, frocc_params *params) {
    const size_t count = arguments->n_operands;
    frocc_schema **schemas = must_allocate(count, sizeof *schemas), *joined = NULL;
    frocc_sample *sample = NULL;
    for (size_t i = 0; i < count; i++) {
        schemas[i] = columns_read(arguments, arguments->operands[i]);
        const frocc_schema *pair[] = {schemas[0], schemas[i]};
        frocc_schema *both = NULL;
        frocc_status status = frocc_schema_join(pair, 2, &both);
        if (status == FROCC_ERR_FRAME) {
            die(EXIT_FAILED, "%s and %s: %s", arguments->operands[0], arguments->operands[i],
                library_error());
        }
        check(status, arguments->operands[i]);
        frocc_schema_free(both);
    }
    check(frocc_schema_join((const frocc_schema *const *)schemas, count, &joined), NULL);
    params->schema = joined;
    check(frocc_sample_new(params, frocc_schema_features(joined), &sample), NULL);
    params->schema = NULL;
    for (size_t i = 0; i < count; i++) {
        frocc_schema_free(schemas[i]);
    }
    free(schemas);
    frocc_schema_free(joined);
    return sample;
}

/* Data files or samples, but not both. */
static bool are_samples(const cli_arguments *arguments) {
    const bool first = is_sample_file(arguments->operands[0]);
    for (size_t i = 0; i < arguments->n_operands; i++) {
        refuse_output(arguments, arguments->operands[i]);
        if (is_sample_file(arguments->operands[i]) != first) {
            die(EXIT_MISUSE, "'%s' is a sample, and '%s' is not: give data files or samples of all",
                arguments->operands[first ? 0 : i], arguments->operands[first ? i : 0]);
        }
    }
    return first;
}

/* ---- The command ------------------------------------------------------------------------------*/

static void write_frame(const frocc_params *params, const frocc_sample *sample, const char *path) {
    frocc_frame *frame = NULL;
    frocc_fitter *fitter = NULL;
    check(frocc_frame_new(params, frocc_sample_features(sample), sample, &frame), NULL);
    check(frocc_fitter_new(frame, params, &fitter), NULL);
    frame_write(fitter, path);
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
}

static void print_summary(const cli_arguments *arguments, product what, const frocc_sample *sample,
                          size_t n_rows, const char *path) {
    static const char *const names[] = {"frame", "sample", "columns"};
    if (arguments->json) {
        printf("{\"what\":\"%s\",\"rows\":%zu,\"features\":%zu}\n", names[what], n_rows,
               frocc_sample_features(sample));
    } else if (arguments->verbosity >= 0) {
        note("%s of %zu features, of %zu sampled rows, in %s", names[what],
             frocc_sample_features(sample), n_rows, strcmp(path, "-") ? path : "standard output");
    }
}

static int run_frame(const cli_arguments *arguments) {
    const product what = product_of(arguments);
    const char *path = output_path(arguments, what);
    frocc_params params;
    method_params(arguments, &params);
    const bool of_samples = are_samples(arguments);
    check_parts(arguments);
    frocc_sample *sample = !of_samples       ? sample_of_data(arguments, what, &params)
                           : what == COLUMNS ? columns_of_samples(arguments, &params)
                                             : sample_of_samples(arguments);
    size_t n_rows = 0; /* known before anything is written: what fails leaves the old file */
    check(frocc_sample_size(sample, &n_rows), NULL);
    if (what == FRAME && of_samples) {
        check_seed(arguments, &params, sample);
    }
    if (what == FRAME) {
        write_frame(&params, sample, path);
    } else {
        sample_write(sample, path);
    }
    print_summary(arguments, what, sample, n_rows, path);
    frocc_sample_free(sample);
    return EXIT_FINE;
}

static const cli_option frame_table[] = {
    {"output", 'o', "FILE", "Where it goes; - is standard output"},
    {"sample", 0, NULL, "Write the sample of these rows, from which a frame is made"},
    {"schema", 0, NULL, "Write the columns alone: of DATA, or of all samples with all texts"},
    {"like", 0, "FILE", "Read DATA through the columns of this sample, frame or model"},
    PARTS_OPTION,
    {"outlier", 0, "VALUE",
     "Leave out rows with this label; where --label is given, found out if it is not"},
    {0},
};
static const cli_option_group frame_options = {"Options", frame_table};

const cli_command command_frame = {
    .name = "frame",
    .operands = "DATA... | SAMPLE... -o FILE",
    .summary = "Begin a fit in parts, in any processes and on any machines",
    .details =
        "Writes what all parts must agree on: columns, method, and what is learnt from a sample of "
        "the rows. Each part is fitted with 'fit --frame', and 'merge' makes of their models the "
        "one "
        "that a single fit to all rows would give, byte for byte. Where no process can read all "
        "rows, each part writes a sample of its own, and the frame is made of these.",
    .example = "frocc frame part-*.csv -o all.frame\n"
               "frocc frame --sample part-17.csv -o part-17.sample\n"
               "frocc frame part-*.sample -o all.frame\n"
               "frocc fit --frame all.frame part-17.csv -o part-17.frocc\n"
               "frocc merge part-*.frocc -o all.frocc",
    .groups = {&frame_options, &method_options, &data_options, &model_options, &common_options},
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run_frame,
};
