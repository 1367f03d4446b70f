/* SPDX-License-Identifier: BSD-3-Clause */
/* The charts of the report that come from tallies: histogram, curves, and the grid. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "report/chart.h"
#include "report/report.h"

enum { N_BINS = 40 };

/* ---- The histogram --------------------------------------------------------------------------- */

/* Shares in per cent of the rows that fall into each bin of [low, 1]. */
static bool bin_scores(const cli_tally *rows, double low, bool outliers, double shares[N_BINS]) {
    double whole = 0;
    for (size_t i = 0; i < N_BINS; i++) {
        shares[i] = 0;
    }
    for (size_t i = 0; i < rows->count; i++) {
        double count = outliers ? rows->entries[i].outliers : rows->entries[i].normal;
        size_t bin = (size_t)((rows->entries[i].score - low) / (1 - low) * N_BINS);
        shares[bin < N_BINS ? bin : N_BINS - 1] += count;
        whole += count;
    }
    for (size_t i = 0; i < N_BINS && whole > 0; i++) {
        shares[i] *= 100 / whole;
    }
    return whole > 0;
}

static double lowest_score(const cli_report *report) {
    double low = isfinite(report->threshold) ? report->threshold : 1;
    const cli_tally *tallies[] = {&report->train, &report->test};
    for (size_t t = 0; t < 2; t++) {
        if (tallies[t]->count && tallies[t]->entries[0].score < low) {
            low = tallies[t]->entries[0].score;
        }
    }
    low = floor(low * 20) / 20;
    return low < 0.95 ? low : 0.95;
}

void report_draw_histogram(const cli_report *report, cli_page *page) {
    double low = lowest_score(report), shares[3][N_BINS], highest = 1;
    const chart_key all_keys[3] = {
        {"train", report->train_left_out ? "training rows, each left out" : "training rows"},
        {"normal", report->labelled ? "normal rows" : "rows"},
        {"outlier", "labelled outliers"}};
    bool there[3] = {bin_scores(&report->train, low, false, shares[0]),
                     bin_scores(&report->test, low, false, shares[1]),
                     bin_scores(&report->test, low, true, shares[2])};
    chart_key keys[3];
    size_t n_keys = 0;
    for (size_t k = 0; k < 3; k++) {
        if (there[k]) {
            keys[n_keys++] = all_keys[k];
        }
        for (size_t i = 0; i < N_BINS; i++) {
            highest = fmax(highest, shares[k][i]);
        }
    }
    cli_chart chart;
    chart_begin(&chart, page, "histogram", "How normal the rows are",
                (cli_axis){"score", low, 1, false, false},
                (cli_axis){"share of rows, %", 0, highest * 1.05, false, false});
    for (size_t k = 0; k < 3; k++) {
        if (there[k]) {
            chart_steps(&chart, all_keys[k].class, low, 1, shares[k], N_BINS);
        }
    }
    if (isfinite(report->threshold)) {
        double x = chart_x(&chart, report->threshold);
        page_format(page, "<line class=\"mark\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                    x, chart.top, x, chart.bottom);
    }
    chart_legend(&chart, keys, n_keys);
    chart_end(&chart);
}

/* ---- Over time ------------------------------------------------------------------------------- */

enum { N_STAMPS = 4 };

static int by_number(const void *a, const void *b) {
    uint64_t x = **(const uint64_t *const *)a, y = **(const uint64_t *const *)b;
    return (x > y) - (x < y);
}

/* Rows come in their order, which is that of a log; some are marked with the days of their stamps,
 * or with the hours, where the day is always the same. */
static void mark_times(const cli_report *report, cli_chart *chart) {
    enum { DAY = 10, MINUTES = 5 };
    const report_sample *sample = &report->sample;
    const uint64_t *order[REPORT_SAMPLE];
    bool same_day = true;
    for (size_t i = 1; i < sample->count; i++) {
        same_day = same_day && !strncmp(sample->stamps[0], sample->stamps[i], DAY);
    }
    for (size_t i = 0; i < sample->count; i++) {
        order[i] = &sample->numbers[i];
    }
    qsort(order, sample->count, sizeof *order, by_number);
    for (size_t k = 0; k < N_STAMPS; k++) {
        const size_t i =
            (size_t)(order[(sample->count - 1) * k / (N_STAMPS - 1)] - sample->numbers);
        const char *anchor = k == 0 ? "start" : k == N_STAMPS - 1 ? "end" : "middle";
        page_format(chart->page, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">",
                    chart_x(chart, (double)sample->numbers[i]), chart->bottom + 16, anchor);
        char shown[REPORT_STAMP];
        bool has_hours = same_day && strlen(sample->stamps[i]) > DAY + MINUTES;
        snprintf(shown, sizeof shown, "%.*s", has_hours ? MINUTES : DAY,
                 sample->stamps[i] + (has_hours ? DAY + 1 : 0));
        write_escaped(chart->page, shown);
        page_text(chart->page, "</text>\n");
    }
}

static void draw_row(cli_chart *chart, uint64_t number, double score, bool outlier) {
    chart_dots(chart, outlier ? "outlier" : "normal", (double[]){(double)number}, &score, 1, 2);
}

void report_draw_times(const cli_report *report, cli_page *page) {
    const report_sample *sample = &report->sample;
    double low = lowest_score(report), last = 2;
    for (size_t i = 0; i < sample->count; i++) {
        last = fmax(last, (double)sample->numbers[i]);
    }
    for (size_t i = 0; i < report->worst.count; i++) {
        last = fmax(last, (double)report->worst.rows[i].number);
    }
    cli_chart chart;
    chart_begin(&chart, page, "times", "How normal rows are, over time: some rows, and the lowest",
                (cli_axis){"time", 1, last, false, true},
                (cli_axis){"score", low, 1, false, false});
    mark_times(report, &chart);
    for (size_t i = 0; i < sample->count; i++) {
        draw_row(&chart, sample->numbers[i], sample->scores[i], report_is_outlier(report, i));
    }
    for (size_t i = 0; i < report->worst.count; i++) {
        const worst_row *row = &report->worst.rows[i];
        if (!report->labelled) {
            draw_row(&chart, row->number, row->score, row->score < report->threshold);
        }
    }
    chart_end(&chart);
}

/* ---- False alarms against the promise -------------------------------------------------------- */

enum { N_RATES = 40 };

/* The share of normal rows below a threshold. */
static double share_below(const cli_tally *rows, double threshold) {
    double below = 0, all = 0;
    for (size_t i = 0; i < rows->count; i++) {
        below += rows->entries[i].score < threshold ? rows->entries[i].normal : 0;
        all += rows->entries[i].normal;
    }
    return below / all;
}

/* Rates from the smallest that calibration can tell up to a half. */
void report_draw_promise(const cli_report *report, cli_page *page) {
    double low = 1 / ((double)report->scoring.info.calibration_rows + 1), high = 0.5;
    double x[N_RATES], y[N_RATES], threshold;
    if (low >= high / 2 || !(share_below(&report->test, HUGE_VAL) > 0)) {
        return;
    }
    for (size_t i = 0; i < N_RATES; i++) {
        x[i] = low * pow(high / low, (double)i / (N_RATES - 1));
        check(frocc_model_threshold(report->scoring.model, x[i], &threshold), NULL);
        y[i] = fmin(fmax(share_below(&report->test, threshold), low), 1);
    }
    cli_chart chart;
    chart_begin(
        &chart, page, "promise",
        report->labelled ? "False alarms: what was promised, and what came"
                         : "Share called outliers at each rate of false alarms; outliers "
                           "among the rows lift the line",
        (cli_axis){"rate of false alarms that is allowed", low, high, true, false},
        (cli_axis){report->labelled ? "normal rows called outliers" : "rows called outliers", low,
                   1, true, false});
    chart_line(&chart, "chance", (double[]){low, high}, (double[]){low, high}, 2);
    chart_line(&chart, "normal", x, y, N_RATES);
    chart_end(&chart);
}

/* ---- ROC and precision-recall ---------------------------------------------------------------- */

static void draw_roc(const cli_report *report, cli_page *page, const measures *value) {
    const cli_tally *rows = &report->test;
    double *x = must_allocate(rows->count + 1, sizeof *x);
    double *y = must_allocate(rows->count + 1, sizeof *y);
    for (size_t i = 0; i < rows->count; i++) {
        x[i + 1] = x[i] + rows->entries[i].normal / value->n_normal;
        y[i + 1] = y[i] + rows->entries[i].outliers / value->n_outliers;
    }
    char caption[64];
    snprintf(caption, sizeof caption, "ROC curve, area %.3f", value->roc_auc);
    cli_chart chart;
    chart_begin(&chart, page, "roc", caption,
                (cli_axis){"normal rows called outliers", 0, 1, false, false},
                (cli_axis){"outliers found", 0, 1, false, false});
    chart_line(&chart, "chance", (double[]){0, 1}, (double[]){0, 1}, 2);
    chart_line(&chart, "normal", x, y, rows->count + 1);
    chart_end(&chart);
    free(x);
    free(y);
}

static void draw_precision(const cli_report *report, cli_page *page, const measures *value) {
    const cli_tally *rows = &report->test;
    double *recall = must_allocate(rows->count, sizeof *recall);
    double *precision = must_allocate(rows->count, sizeof *precision);
    double found = 0, seen = 0;
    for (size_t i = 0; i < rows->count; i++) {
        found += rows->entries[i].outliers;
        seen += rows->entries[i].outliers + rows->entries[i].normal;
        recall[i] = found / value->n_outliers;
        precision[i] = found / seen;
    }
    double chance = value->n_outliers / (value->n_outliers + value->n_normal);
    char caption[64];
    snprintf(caption, sizeof caption, "Precision and recall, average %.3f",
             value->average_precision);
    cli_chart chart;
    chart_begin(&chart, page, "precision-recall", caption,
                (cli_axis){"recall: outliers found", 0, 1, false, false},
                (cli_axis){"precision", 0, 1, false, false});
    chart_line(&chart, "chance", (double[]){0, 1}, (double[]){chance, chance}, 2);
    chart_line(&chart, "normal", recall, precision, rows->count);
    chart_end(&chart);
    free(recall);
    free(precision);
}

void report_draw_curves(const cli_report *report, cli_page *page) {
    measures value = measure(&report->test, report->threshold);
    draw_roc(report, page, &value);
    draw_precision(report, page, &value);
}

/* ---- ROC AUC over the grid ------------------------------------------------------------------- */

static void draw_series(cli_page *page, const char *name, const char *caption, cli_axis axis,
                        const double *x, const double *auc, size_t count) {
    double low = 1, high = 0;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, auc[i]);
        high = fmax(high, auc[i]);
    }
    low = fmax(0, floor((low - 0.02) * 20) / 20);
    high = fmin(1, ceil((high + 0.02) * 20) / 20);
    cli_chart chart;
    chart_begin(&chart, page, name, caption, axis,
                (cli_axis){"ROC AUC of agreement", low, high, false, false});
    chart_line(&chart, "normal", x, auc, count);
    chart_dots(&chart, "normal", x, auc, count, 3.5);
    chart_end(&chart);
}

void report_draw_grid(const cli_report *report, cli_page *page) {
    const cli_grid *grid = &report->grid;
    size_t most = grid->n_ms > grid->n_epsilons ? grid->n_ms : grid->n_epsilons;
    double *x = must_allocate(most, sizeof *x);
    double *auc = must_allocate(most, sizeof *auc);
    for (size_t i = 0; i < grid->n_ms; i++) {
        x[i] = grid->ms[i];
        auc[i] = grid_measure(grid, 0, i, report->outlier, 1).roc_auc;
    }
    if (grid->n_ms > 1) {
        draw_series(page, "auc-directions", "ROC AUC against the number of directions",
                    (cli_axis){"directions m", x[0], x[grid->n_ms - 1], true, false}, x, auc,
                    grid->n_ms);
    }
    for (size_t i = 0; i < grid->n_epsilons; i++) {
        x[i] = (double)grid->epsilons[i];
        auc[i] = grid_measure(grid, i, grid->n_ms - 1, report->outlier, 1).roc_auc;
    }
    if (grid->n_epsilons > 1) {
        draw_series(page, "auc-epsilon", "ROC AUC against epsilon",
                    (cli_axis){"epsilon", x[0], x[grid->n_epsilons - 1], true, false}, x, auc,
                    grid->n_epsilons);
    }
    free(x);
    free(auc);
}
