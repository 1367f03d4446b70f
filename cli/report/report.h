/* SPDX-License-Identifier: BSD-3-Clause */
/* What frocc report gathers and what it draws. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "base/page.h"
#include "scoring/blame.h"
#include "scoring/grid.h"
#include "scoring/measure.h"
#include "scoring/scoring.h"

enum {
    REPORT_SAMPLE = 400,
    REPORT_WORST = 10,  /* rows that are explained */
    REPORT_LOWEST = 60, /* rows that are drawn beside the sample, which may have no outlier */
    REPORT_STRIPS = 6,
    REPORT_FEATURES = 12,
    REPORT_LEADING = 3, /* features of a row */
    REPORT_STAMP = 24
};

/* Rows drawn evenly from the data, for pictures of single rows. */
typedef struct report_sample {
    double *values; /* REPORT_SAMPLE x n_features */
    double scores[REPORT_SAMPLE];
    uint8_t classes[REPORT_SAMPLE];
    uint64_t numbers[REPORT_SAMPLE];
    char stamps[REPORT_SAMPLE][REPORT_STAMP]; /* "" where there are none */
    size_t count;
    uint64_t seen;
} report_sample;

/* Why one of the worst rows is rejected. */
typedef struct report_reason {
    size_t rejecting; /* directions */
    size_t direction; /* that rejects most clearly, of those that no row before named */
    bool has_direction;
    size_t n_features;
    double gains[REPORT_LEADING];
    char words[REPORT_LEADING][sizeof((frocc_reason *)0)->sentence]; /* of a feature */
} report_reason;

typedef struct cli_report {
    const char *model_name;
    cli_scoring scoring;
    double threshold;
    cli_tally train; /* empty where no training rows were given */
    bool train_left_out;
    cli_tally test; /* all rows count as normal where there are no labels */
    bool labelled, has_grid, has_times;
    size_t outlier; /* the class of outliers in sample and grid */
    cli_grid grid;
    report_sample sample;
    worst_rows worst; /* the first REPORT_WORST of them are explained */
    report_reason reasons[REPORT_WORST];
    double *feature_gains; /* of these rows together */
} cli_report;

/* How many of the worst rows are explained. */
size_t report_explained(const cli_report *report);
void report_explain(cli_report *report);

/* Whether a row of the sample is drawn as an outlier: by its label, or by its score. */
bool report_is_outlier(const cli_report *report, size_t row);

void report_draw_histogram(const cli_report *report, cli_page *page);
void report_draw_times(const cli_report *report, cli_page *page);
void report_draw_promise(const cli_report *report, cli_page *page);
void report_draw_features(const cli_report *report, cli_page *page);
void report_draw_curves(const cli_report *report, cli_page *page);
void report_draw_grid(const cli_report *report, cli_page *page);
void report_draw_intervals(const cli_report *report, cli_page *page);
void report_draw_region(const cli_report *report, cli_page *page);
void report_draw_worst(const cli_report *report, cli_page *page);

#endif
