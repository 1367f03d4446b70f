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
#include "data/parts_io.h"
#include "frocc_io.h"

typedef struct info_field {
    const char *name;
    char text[40];
    bool is_text; /* quoted in JSON */
} info_field;

enum { MAX_FIELDS = 32 };

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

/* The decision, and what the calibration can promise. */
static void list_decision(const frocc_model *model, const frocc_model_info *info, info_list *list) {
    double threshold = info->threshold;
    if (info->fpr > 0) {
        add_real(list, "fpr", info->fpr);
        check(frocc_model_threshold(model, info->fpr, &threshold), NULL);
    }
    add_real(list, "threshold", threshold);
    if (info->calibration_rows > 0) {
        add_real(list, "lowest_fpr", 1 / ((double)info->calibration_rows + 1));
    }
}

static void list_info(const frocc_model *model, const frocc_model_info *info, info_list *list) {
    add_whole(list, "features", info->n_features);
    add_whole(list, "directions", info->n_directions);
    add_real(list, "epsilon", short_epsilon(info->epsilon));
    add_text(list, "score", score_name(info->score));
    list_decision(model, info, list);
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

static info_list read_info(const frocc_model *model) {
    frocc_model_info info = model_describe(model);
    info_list list = {.count = 0};
    list_info(model, &info, &list);
    add_whole(&list, "bytes", model_bytes(model));
    return list;
}

/* ---- Columns --------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 30 };

static const char *kind_of(const frocc_column_info *column) {
    static const char *const kinds[] = {"number", "text", "truth", "time", "name"};
    return column->is_label      ? "label"
           : column->is_id       ? "id"
           : !column->is_feature ? "dropped"
                                 : kinds[column->kind];
}

static void print_quoted(const char *text) {
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            printf("\\%c", c);
        } else if (c < 0x20) {
            printf("\\u%04x", c);
        } else {
            putchar(c);
        }
    }
    putchar('"');
}

static void print_column_json(const frocc_column_info *column, size_t number) {
    printf("%s{\"name\":", number ? "," : "");
    if (column->name) {
        print_quoted(column->name);
    } else {
        printf("null");
    }
    printf(",\"type\":\"%s\"", kind_of(column));
    if (column->n_texts > 0) {
        printf(",\"values\":%.0f", column->n_texts);
    }
    if (column->tells_state) {
        printf(",\"missing\":true");
    }
    putchar('}');
}

static void print_column(const frocc_column_info *column, size_t number) {
    char plain[24];
    snprintf(plain, sizeof plain, "%zu", number + 1);
    char *name = must_copy(column->name ? column->name : plain);
    disarm(name);
    printf("  %-24s %s", name, kind_of(column));
    free(name);
    if (column->n_texts > 0) {
        printf(" of %.0f values", column->n_texts);
    }
    if (column->kind == FROCC_COLUMN_TIME) {
        printf("%s%s%s", column->has_hour ? ", hour of day" : "",
               column->has_weekday ? ", day of week" : "",
               column->has_seconds ? ", the time itself" : "");
    }
    if (column->tells_state) {
        printf(", or missing");
    }
    putchar('\n');
}

/* What the rows are made of, where that is known; frees the schema. */
static void print_columns(frocc_schema *schema, bool json) {
    size_t count = schema ? frocc_schema_columns(schema) : 0;
    printf(json ? ",\"columns\":[" : count ? "columns\n" : "");
    for (size_t i = 0; i < count && (json || i < MOST_COLUMNS); i++) {
        frocc_column_info column = {.struct_size = sizeof column};
        check(frocc_schema_column(schema, i, &column), NULL);
        if (json) {
            print_column_json(&column, i);
        } else {
            print_column(&column, i);
        }
    }
    if (!json && count > MOST_COLUMNS) {
        printf("  and %zu more\n", count - MOST_COLUMNS);
    }
    printf(json ? "]" : "");
    frocc_schema_free(schema);
}

/* ---- One model, or two ----------------------------------------------------------------------- */

static void print_field(const info_field *field, bool json, const char *before) {
    const char *quote = field->is_text ? "\"" : "";
    if (json) {
        printf("%s\"%s\":%s%s%s", before, field->name, quote, field->text, quote);
    } else {
        printf("%-16s %s\n", field->name, field->text);
    }
}

static const info_field *find_field(const info_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++) {
        if (!strcmp(list->fields[i].name, name)) {
            return &list->fields[i];
        }
    }
    return NULL;
}

static size_t print_difference(const char *name, const char *first, const char *second, bool json,
                               size_t before) {
    if (!strcmp(first, second)) {
        return 0;
    }
    if (json) {
        printf("%s\"%s\":[\"%s\",\"%s\"]", before ? "," : "{", name, first, second);
    } else {
        printf("%-16s %-24s %s\n", name, first, second);
    }
    return 1;
}

/* The fields in which two models differ; what one does not have is a dash. */
static void print_differences(const info_list *a, const info_list *b, bool json) {
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) {
        const info_field *other = find_field(b, a->fields[i].name);
        count += print_difference(a->fields[i].name, a->fields[i].text, other ? other->text : "-",
                                  json, count);
    }
    for (size_t i = 0; i < b->count; i++) {
        if (!find_field(a, b->fields[i].name)) {
            count += print_difference(b->fields[i].name, "-", b->fields[i].text, json, count);
        }
    }
    if (json) {
        printf("%s}\n", count ? "" : "{");
    } else if (!count) {
        printf("no difference\n");
    }
}

/* Whether the columns differ is one field: a hash of their bytes would tell nobody more. */
static void add_columns(info_list *list, const frocc_model *model, const frocc_model *other) {
    frocc_schema *schemas[2] = {frocc_model_schema(model), frocc_model_schema(other)};
    void *bytes[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        if (schemas[i]) {
            check(frocc_schema_to_bytes(schemas[i], &bytes[i], &sizes[i]), NULL);
        }
    }
    bool same = sizes[0] == sizes[1] && (!sizes[0] || !memcmp(bytes[0], bytes[1], sizes[0]));
    add_text(list, "columns", same ? "the same" : "others");
    for (int i = 0; i < 2; i++) {
        frocc_bytes_free(bytes[i]);
        frocc_schema_free(schemas[i]);
    }
}

static int compare(const cli_arguments *arguments) {
    frocc_model *models[2];
    info_list lists[2];
    for (int i = 0; i < 2; i++) {
        models[i] = model_read(arguments, arguments->operands[i]);
        lists[i] = read_info(models[i]);
    }
    add_text(&lists[0], "columns", "the same");
    add_columns(&lists[1], models[0], models[1]);
    print_differences(&lists[0], &lists[1], arguments->json);
    frocc_model_free(models[0]);
    frocc_model_free(models[1]);
    return EXIT_FINE;
}

static info_list read_model_info(const cli_arguments *arguments, const char *path,
                                 frocc_schema **schema) {
    frocc_model *model = model_read(arguments, path);
    info_list list = read_info(model);
    *schema = frocc_model_schema(model);
    frocc_model_free(model);
    return list;
}

/* ---- Parts of a fit -------------------------------------------------------------------------- */

static info_list read_sample_info(const cli_arguments *arguments, const char *path,
                                  frocc_schema **schema) {
    frocc_sample *sample = sample_read(arguments, path);
    info_list list = {.count = 0};
    size_t n_rows = 0;
    check(frocc_sample_size(sample, &n_rows), NULL);
    add_text(&list, "kind", "sample");
    add_whole(&list, "features", frocc_sample_features(sample));
    add_whole(&list, "rows", n_rows);
    add_text(&list, "used_by", "frocc frame");
    *schema = frocc_sample_schema(sample);
    frocc_sample_free(sample);
    return list;
}

/* One without rows is what people call a frame. */
static info_list read_fitter_info(const cli_arguments *arguments, const char *path,
                                  frocc_schema **schema) {
    frocc_fitter *fitter = fitter_read(arguments, path, 1);
    frocc_frame *frame = frocc_fitter_frame(fitter);
    const uint64_t n_rows = frocc_fitter_rows(fitter);
    info_list list = {.count = 0};
    add_text(&list, "kind", n_rows > 0 ? "fitter" : "frame");
    add_whole(&list, "features", frocc_frame_features(frame));
    add_whole(&list, "directions", frocc_frame_directions(frame));
    add_whole(&list, "rows", n_rows);
    add_checksum(&list, "frame_checksum", frocc_frame_checksum(frame));
    add_text(&list, "used_by", n_rows > 0 ? "frocc.parts of Python" : "frocc fit --frame");
    *schema = frocc_frame_schema(frame);
    frocc_frame_free(frame);
    frocc_fitter_free(fitter);
    return list;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int run_info(const cli_arguments *arguments) {
    if (arguments->n_operands == 2) {
        return compare(arguments);
    }
    frocc_kind kind = FROCC_KIND_MODEL;
    const char *path = arguments->operands[0];
    frocc_schema *schema = NULL;
    info_list list = knows_kind(path, &kind) && kind == FROCC_KIND_SAMPLE
                         ? read_sample_info(arguments, path, &schema)
                     : kind == FROCC_KIND_FITTER ? read_fitter_info(arguments, path, &schema)
                                                 : read_model_info(arguments, path, &schema);
    for (size_t i = 0; i < list.count; i++) {
        print_field(&list.fields[i], arguments->json, i ? "," : "{");
    }
    print_columns(schema, arguments->json);
    printf("%s", arguments->json ? "}\n" : "");
    return EXIT_FINE;
}

const cli_command command_info = {
    .name = "info",
    .operands = "MODEL [MODEL]",
    .summary = "Describe a model, or how two differ",
    .details = "Prints the parameters, the threshold, the lowest false-alarm rate that the "
               "calibration can tell, the number of intervals, the size of the file, the checksum "
               "of the frame (models merge when their frames' are equal), and the columns with "
               "their types. Of two models, what differs. Of a frame or a sample, what 'frocc "
               "frame' has written, its kind and what it is for.",
    .example = "frocc info model.frocc\n"
               "frocc info monday.frocc tuesday.frocc",
    .groups = {&model_options, &common_options},
    .min_operands = 1,
    .max_operands = 2,
    .run = run_info,
};
