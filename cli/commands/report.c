/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frocc report: one HTML page about a model and data it meets. The page holds everything itself, so
 * it can be mailed, opened on a phone, and read in ten years.
 */
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "arguments/method.h"
#include "base/message.h"
#include "base/random.h"
#include "data/labels.h"
#include "data/model_io.h"
#include "report/chart.h"
#include "report/report_style.h"

/* ---- Gathering ------------------------------------------------------------------------------- */

/* Reservoir sampling: each row seen so far is in the sample with the same chance. */
static void sample_row(report_sample *sample, const frocc_block *block, size_t row, double score,
                       uint8_t class) {
    const frocc_rows *rows = &block->rows;
    size_t place = sample->count;
    if (place == REPORT_SAMPLE) {
        random_stream random = random_begin(0, sample->seen);
        place = (size_t)(random_uniform(&random) * (double)(sample->seen + 1));
    } else {
        sample->count++;
    }
    sample->seen++;
    if (place < REPORT_SAMPLE) {
        row_copy(rows, row, sample->values + place * rows->n_features);
        sample->scores[place] = score;
        sample->classes[place] = class;
        sample->numbers[place] = block->row_numbers[row];
        snprintf(sample->stamps[place], REPORT_STAMP, "%s",
                 block->n_carried ? block->carried[row * block->n_carried] : "");
    }
}

static void add_block(cli_report *report, cli_labels *labels, uint8_t *classes) {
    cli_scoring *scoring = &report->scoring;
    const frocc_block *block = &scoring->block;
    if (report->labelled) {
        data_need_labels(block);
    }
    for (size_t row = 0; row < block->rows.n_rows; row++) {
        size_t class = report->labelled
                           ? labels_number(labels, block->labels[row], block->label_values[row])
                           : 0;
        classes[row] = (uint8_t) class;
        tally_add(&report->test, scoring->scores[row], class == 0, class == 1);
        sample_row(&report->sample, block, row, scoring->scores[row], (uint8_t) class);
        worst_add(&report->worst, &block->rows, row, block->row_numbers[row], scoring->scores[row],
                  scoring->data.has_ids ? block->ids[row] : NULL);
    }
    if (report->has_grid) {
        grid_add(&report->grid, scoring->scorer, &block->rows, classes);
    }
}

static void gather_test(const cli_arguments *arguments, cli_report *report) {
    cli_labels labels;
    labels_begin(arguments, &labels);
    uint8_t *classes = NULL;
    while (scoring_next(&report->scoring)) {
        classes = must_resize(classes, report->scoring.block.rows.n_rows, 1);
        add_block(report, &labels, classes);
    }
    if (!report->sample.count) {
        die(EXIT_FAILED, "there are no rows to report on");
    }
    tally_settle(&report->test);
    report->outlier = report->labelled ? labels_outlier(&labels) : 1;
    if (report->outlier == 0) {
        tally_swap(&report->test);
    }
    labels_free(&labels);
    free(classes);
}

/* Training rows score as normal by themselves, so each is scored as if it had not been there, where
 * the model knows how, and these are the rows it knows. */
static bool next_train(cli_report *report, cli_scoring *train) {
    if (!data_next(&train->data, &train->block)) {
        return false;
    }
    const frocc_rows *rows = &train->block.rows;
    if (rows->n_rows > train->capacity) {
        train->capacity = rows->n_rows;
        train->scores = must_resize(train->scores, train->capacity, sizeof *train->scores);
    }
    if (report->train_left_out) {
        const frocc_status status = frocc_scorer_score_left_out(train->scorer, rows, train->scores);
        if (status == FROCC_OK) {
            return true;
        }
        if (status == FROCC_ERR_MEMORY) {
            check(status, NULL);
        }
        report->train_left_out = false;
    }
    data_check(&train->data, frocc_scorer_score(train->scorer, rows, train->scores), rows, 0);
    return true;
}

static void gather_train(const cli_arguments *arguments, cli_report *report) {
    const char *path = argument_text(arguments, "train");
    if (!path) {
        return;
    }
    cli_scoring train = report->scoring; /* the same model and scorer, other rows */
    train.scores = NULL;
    train.capacity = 0;
    data_open(arguments, &path, 1, train.data.schema, 1, LABEL_IF_THERE, &train.data);
    report->train_left_out = true;
    while (next_train(report, &train)) {
        for (size_t row = 0; row < train.block.rows.n_rows; row++) {
            tally_add(&report->train, train.scores[row], 1, 0);
        }
    }
    tally_settle(&report->train);
    data_close(&train.data);
    free(train.scores);
}

/* About three numbers of directions a decade, and ten epsilons from the model's own up to 1. */
static void begin_grid(cli_report *report) {
    const frocc_model_info *info = &report->scoring.info;
    double ms[32], epsilons[16];
    size_t n_ms = 0, n_epsilons = 0;
    static const size_t steps[] = {1, 2, 5};
    size_t decade = 1;
    for (size_t i = 0; decade * steps[i % 3] < info->n_directions; i++) {
        ms[n_ms++] = (double)(decade * steps[i % 3]);
        decade *= i % 3 == 2 ? 10 : 1;
    }
    ms[n_ms++] = (double)info->n_directions;
    for (int step = 0; step < 10; step++) {
        epsilons[n_epsilons++] = pow((double)info->epsilon, 1 - step / 9.0);
    }
    epsilons[0] = (double)info->epsilon;
    epsilons[n_epsilons - 1] = 1;
    grid_begin(&report->grid, epsilons, n_epsilons, ms, n_ms);
}

/* ---- The page -------------------------------------------------------------------------------- */

static void write_fact(cli_page *page, const char *name, const char *format, double value) {
    if (!isnan(value)) {
        page_text(page, "<div><b>");
        page_format(page, format, value);
        page_format(page, "</b>%s</div>\n", name);
    }
}

static void write_header(const cli_report *report, cli_page *page) {
    const frocc_model_info *info = &report->scoring.info;
    page_format(page,
                "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src 'unsafe-inline'; img-src data:\">\n"
                "<link rel=\"icon\" href=\"data:,\">\n<title>frocc report</title>\n"
                "<style>%s</style></head><body>\n<header><h1>",
                report_style);
    write_escaped(page, report->model_name);
    page_format(page,
                "</h1><p>Learnt from %" PRIu64 " normal rows of %zu features: %zu directions, "
                "epsilon %.4g, kernel %s, scaling %s, %" PRIu64 " intervals. %s ",
                info->n_rows, info->n_features, info->n_directions, (double)info->epsilon,
                kernel_name(info->kernel), scaling_name(info->scaling),
                frocc_model_count_intervals(report->scoring.model),
                info->score == FROCC_SCORE_AGREEMENT
                    ? "A score is the share of directions that accept a row."
                    : "A score says how close a row is to normal ones, over all directions; 1 is "
                      "as close as it gets.");
    if (isfinite(report->threshold)) {
        page_format(page, "Rows below %.4g are outliers.</p></header>\n", report->threshold);
    } else {
        page_text(page, "No row is called an outlier.</p></header>\n");
    }
}

static void write_facts(const cli_report *report, cli_page *page) {
    measures value = measure(&report->test, report->threshold);
    double below = 0;
    for (size_t i = 0; i < report->test.count; i++) {
        const tally_entry *entry = &report->test.entries[i];
        below += entry->score < report->threshold ? entry->normal + entry->outliers : 0;
    }
    page_text(page, "<section class=\"facts\" id=\"facts\">\n");
    write_fact(page, "rows", "%.0f", value.n_normal + value.n_outliers);
    write_fact(page, "called outliers", "%.0f", below);
    if (report->labelled) {
        write_fact(page, "labelled outliers", "%.0f", value.n_outliers);
        write_fact(page, "ROC AUC", "%.3f", value.roc_auc);
        write_fact(page, "average precision", "%.3f", value.average_precision);
        write_fact(page, "adjusted P@n", "%.3f", value.adjusted_precision);
        write_fact(page, "F1", "%.3f", value.f1);
    }
    page_text(page, "</section>\n");
}

static void write_page(const cli_report *report, const char *path) {
    cli_page *page = page_begin();
    write_header(report, page);
    write_facts(report, page);
    page_text(page, "<main>\n");
    report_draw_histogram(report, page);
    if (report->labelled) {
        report_draw_curves(report, page);
    }
    if (report->has_grid) {
        report_draw_grid(report, page);
    }
    if (report->scoring.info.n_features == 2) {
        report_draw_region(report, page);
    }
    if (report->has_times) {
        report_draw_times(report, page);
    }
    if (report->scoring.info.calibration_rows) {
        report_draw_promise(report, page);
    }
    report_draw_features(report, page);
    report_draw_intervals(report, page);
    page_text(page, "</main>\n");
    report_draw_worst(report, page);
    page_format(page, "<footer>frocc %s</footer>\n</body></html>\n", frocc_version());
    page_finish(page, path);
}

/* Where the model has a column of time stamps, it comes along with the rows, as by --columns. */
static void carry_times(const cli_arguments *arguments, cli_arguments *carrying, char place[24]) {
    static const cli_option columns = {"columns", 0, "COLUMNS", "carried"};
    frocc_column_info info = {.struct_size = sizeof info};
    *carrying = *arguments;
    if (!strcmp(arguments->operands[0], "-")) {
        return;
    }
    frocc_model *model = model_read(arguments, arguments->operands[0]);
    frocc_schema *schema = frocc_model_schema(model);
    bool found = false;
    for (size_t i = 0; i < frocc_schema_columns(schema) && !found; i++) {
        check(frocc_schema_column(schema, i, &info), NULL);
        found = info.is_feature && info.kind == FROCC_COLUMN_TIME && !info.is_clock;
        snprintf(place, 24, "%zu", i + 1);
    }
    if (found) {
        carrying->given = must_allocate(arguments->n_given + 1, sizeof *carrying->given);
        for (size_t i = 0; i < arguments->n_given; i++) {
            carrying->given[i] = arguments->given[i];
        }
        bool by_name = info.name && !strchr(info.name, ',');
        carrying->given[carrying->n_given++] =
            (option_value){&columns, by_name ? must_copy(info.name) : place};
    }
    frocc_schema_free(schema);
    frocc_model_free(model);
}

static int run_report(const cli_arguments *arguments) {
    const char *path = argument_text(arguments, "output");
    check_writable(path);
    cli_report report = {.model_name = arguments->operands[0]};
    const char *slash = strrchr(report.model_name, '/');
    report.model_name = slash ? slash + 1 : report.model_name;
    report.labelled = argument_given(arguments, "label") || argument_given(arguments, "outlier");
    cli_arguments carrying;
    char place[24];
    carry_times(arguments, &carrying, place);
    report.has_times = carrying.n_given > arguments->n_given;
    scoring_open(&carrying, arguments->operands[0], arguments->operands + 1,
                 arguments->n_operands - 1, 1, LABEL_IF_GIVEN, &report.scoring);
    check(frocc_reader_carry_json(report.scoring.data.reader, 0), NULL); /* whatever its name */
    report.threshold = scoring_threshold(arguments, &report.scoring);
    report.has_grid = report.labelled && report.scoring.info.score == FROCC_SCORE_AGREEMENT;
    if (report.has_grid) {
        begin_grid(&report);
    }
    size_t n_features = report.scoring.info.n_features;
    report.sample.values = must_allocate(REPORT_SAMPLE * n_features, sizeof(double));
    worst_begin(&report.worst, REPORT_LOWEST, n_features);
    gather_test(arguments, &report);
    gather_train(arguments, &report);
    report_explain(&report);
    write_page(&report, path);
    if (arguments->json) {
        measures value = measure(&report.test, report.threshold);
        fprintf(summary_stream(arguments), "{\"rows\":%.0f", value.n_normal + value.n_outliers);
        if (report.labelled) {
            fprintf(summary_stream(arguments), ",\"outliers\":%.0f,\"roc_auc\":%.6f",
                    value.n_outliers, value.roc_auc);
        }
        fputs("}\n", summary_stream(arguments));
    } else if (path && arguments->verbosity >= 0) {
        note("wrote %s", path);
    }
    tally_free(&report.train);
    tally_free(&report.test);
    grid_end(&report.grid);
    worst_end(&report.worst);
    free(report.sample.values);
    free(report.feature_gains);
    scoring_close(&report.scoring);
    return EXIT_FINE;
}

static const cli_option report_table[] = {
    {"output", 'o', "FILE", "Write the page to this file; standard output by default"},
    {"train", 0, "FILE", "Rows the model was fitted on, to compare scores with"},
    DECISION_OPTIONS,
    OUTLIER_OPTION,
    {0},
};
static const cli_option_group report_options = {"Options", report_table};

const cli_command command_report = {
    .name = "report",
    .operands = "MODEL DATA...",
    .summary = "Write an HTML page about a model and data",
    .details =
        "One self-contained page: how scores are spread, and over time where rows have a stamp, "
        "ROC and precision-recall curves and "
        "ROC AUC against the number of directions and epsilon where there are labels, false alarms "
        "against what calibration promised, the features that drive the most rejected rows with "
        "the range of normal, the intervals of a few directions, these rows with reasons, and for "
        "two features the decision region.",
    .example =
        "frocc report model.frocc labelled.csv --label label --train normal.csv -o report.html",
    .groups = {&report_options, &data_options, &common_options},
    .min_operands = 2,
    .max_operands = SIZE_MAX,
    .run = run_report,
};
