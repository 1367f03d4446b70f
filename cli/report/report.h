/* SPDX-License-Identifier: BSD-3-Clause */
/* What frocc report gathers and what it draws. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "base/page.h"
#include "scoring/blame.h"
#include "scoring/grid.h"
#include "scoring/measure.h"
#include "scoring/scoring.h"

enum { REPORT_SAMPLE = 400, REPORT_WORST = 10, REPORT_STRIPS = 6 };

/* Rows drawn evenly from the data, for pictures of single rows. */
typedef struct report_sample {
    double *values; /* REPORT_SAMPLE x n_features */
    double scores[REPORT_SAMPLE];
    uint8_t classes[REPORT_SAMPLE];
    size_t count;
    uint64_t seen;
} report_sample;

typedef struct cli_report {
    const char *model_name;
    cli_scoring scoring;
    double threshold;
    cli_tally train; /* empty where no training rows were given */
    cli_tally test;  /* all rows count as normal where there are no labels */
    bool labelled, has_grid;
    size_t outlier; /* the class of outliers in sample and grid */
    cli_grid grid;
    report_sample sample;
    worst_rows worst;
} cli_report;

void report_draw_histogram(const cli_report *report, cli_page *page);
void report_draw_curves(const cli_report *report, cli_page *page);
void report_draw_grid(const cli_report *report, cli_page *page);
void report_draw_intervals(const cli_report *report, cli_page *page);
void report_draw_region(const cli_report *report, cli_page *page);
void report_draw_worst(const cli_report *report, cli_page *page);

#endif
