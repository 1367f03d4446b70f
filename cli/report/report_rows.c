/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the report that show single rows: intervals, the plane, and the most rejected. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "drawing/contour.h"
#include "report/chart.h"
#include "report/report.h"

static const char *class_of(const cli_report *report, size_t row) {
    return report_is_outlier(report, row) ? "outlier" : "normal";
}

/* ---- Intervals ------------------------------------------------------------------------------- */

enum { STRIP_HIGH = 50, STRIP_WIDE = CHART_WIDTH, STRIP_SIDE = 12 };

/* The directions that reject the worst rows most clearly, then the first ones. */
static size_t choose_directions(const cli_report *report, size_t chosen[REPORT_STRIPS]) {
    size_t count = 0, m = report->scoring.info.n_directions;
    for (size_t i = 0; i < report_explained(report) && count < REPORT_STRIPS; i++) {
        if (report->reasons[i].has_direction) {
            chosen[count++] = report->reasons[i].direction;
        }
    }
    for (size_t i = 0; count < REPORT_STRIPS && count < m && i < m; i++) {
        bool taken = false;
        for (size_t c = 0; c < count; c++) {
            taken = taken || chosen[c] == i;
        }
        if (!taken) {
            chosen[count++] = i;
        }
    }
    return count;
}

/* Every sampled row in the chosen directions: sample.count x count. */
static float *project_sample(const cli_report *report, const size_t *chosen, size_t count) {
    size_t d = report->scoring.info.n_features, m = report->scoring.info.n_directions;
    float *all = must_allocate(m, sizeof *all);
    float *projections = must_allocate(report->sample.count * count, sizeof *projections);
    frocc_frame *frame = frocc_model_frame(report->scoring.model);
    for (size_t row = 0; row < report->sample.count; row++) {
        frocc_rows one = frocc_rows_f64(report->sample.values + row * d, 1, d);
        check(frocc_frame_project(frame, &one, all), NULL);
        for (size_t c = 0; c < count; c++) {
            projections[row * count + c] = all[chosen[c]];
        }
    }
    frocc_frame_free(frame);
    free(all);
    return projections;
}

static double strip_x(double value, double low, double high) {
    double share = high > low ? (value - low) / (high - low) : 0.5;
    return STRIP_SIDE + share * (STRIP_WIDE - 2 * STRIP_SIDE);
}

static void draw_intervals(const cli_report *report, cli_page *page, size_t direction, double low,
                           double high, double top) {
    size_t count;
    check(frocc_model_intervals(report->scoring.model, direction, NULL, NULL, 0, &count), NULL);
    float *lower = must_allocate(count, sizeof *lower);
    float *upper = must_allocate(count, sizeof *upper);
    check(frocc_model_intervals(report->scoring.model, direction, lower, upper, count, &count),
          NULL);
    page_format(page, "<rect class=\"track\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"2\"/>",
                STRIP_SIDE, top + 27, STRIP_WIDE - 2 * STRIP_SIDE);
    for (size_t i = 0; i < count; i++) {
        double left = strip_x((double)lower[i], low, high);
        double width = strip_x((double)upper[i], low, high) - left;
        page_format(page,
                    "<rect class=\"interval\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                    "height=\"12\" rx=\"2\"/>",
                    left - 0.75, top + 22, width + 1.5);
    }
    free(lower);
    free(upper);
}

/* Normal rows sit above the middle of the strip, outliers below. */
static void draw_strip(const cli_report *report, cli_page *page, size_t direction,
                       const float *projections, size_t stride, double top) {
    size_t n_rows = report->sample.count, count;
    float end[2];
    check(frocc_model_intervals(report->scoring.model, direction, &end[0], &end[1], 1, &count),
          NULL);
    double low = (double)end[0], high = (double)end[1];
    for (size_t row = 0; row < n_rows; row++) {
        low = fmin(low, (double)projections[row * stride]);
        high = fmax(high, (double)projections[row * stride]);
    }
    page_format(page, "<text class=\"tick\" x=\"%d\" y=\"%.1f\">direction %zu</text>", STRIP_SIDE,
                top + 11, direction);
    draw_intervals(report, page, direction, low, high, top);
    for (size_t row = 0; row < n_rows; row++) {
        bool outlier = report_is_outlier(report, row);
        page_format(page, "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>",
                    class_of(report, row), strip_x((double)projections[row * stride], low, high),
                    top + (outlier ? 39 : 18));
    }
    page_text(page, "\n");
}

void report_draw_intervals(const cli_report *report, cli_page *page) {
    size_t chosen[REPORT_STRIPS];
    size_t count = choose_directions(report, chosen);
    float *projections = project_sample(report, chosen, count);
    page_format(page,
                "<figure id=\"intervals\"><figcaption>Intervals of the directions that reject "
                "most clearly, and rows on them</figcaption>\n"
                "<svg viewBox=\"0 0 %d %zu\" role=\"img\" aria-label=\"intervals\">\n",
                STRIP_WIDE, count * STRIP_HIGH + 4);
    for (size_t c = 0; c < count; c++) {
        draw_strip(report, page, chosen[c], projections + c, count, (double)(c * STRIP_HIGH));
    }
    page_text(page, "</svg></figure>\n");
    free(projections);
}

/* ---- The plane: the decision region of two features ------------------------------------------ */

enum { PLANE = 120, FINE = 4000, N_SHADES = 6 };

static void plane_range(const cli_report *report, size_t feature, double *low, double *high) {
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (size_t row = 0; row < report->sample.count; row++) {
        *low = fmin(*low, report->sample.values[2 * row + feature]);
        *high = fmax(*high, report->sample.values[2 * row + feature]);
    }
    double margin = *high > *low ? 0.05 * (*high - *low) : 1;
    *low -= margin;
    *high += margin;
}

static double *score_plane(const cli_report *report, const cli_axis *x, const cli_axis *y) {
    double *points = must_allocate((size_t)PLANE * PLANE * 2, sizeof *points);
    double *scores = must_allocate((size_t)PLANE * PLANE, sizeof *scores);
    for (size_t i = 0; i < (size_t)PLANE * PLANE; i++) {
        size_t column = i % PLANE, row = i / PLANE;
        points[2 * i] = x->low + (x->high - x->low) * ((double)column + 0.5) / PLANE;
        points[2 * i + 1] = y->high - (y->high - y->low) * ((double)row + 0.5) / PLANE;
    }
    frocc_rows rows = frocc_rows_f64(points, (size_t)PLANE * PLANE, 2);
    check(frocc_scorer_score(report->scoring.scorer, &rows, scores), NULL);
    free(points);
    return scores;
}

static void draw_level(cli_page *page, const double *scores, double level, double opacity) {
    page_format(page, "<path class=\"interval\" opacity=\"%g\" d=\"", opacity);
    contour_write(page, scores, PLANE, level, FINE);
    page_text(page, "\"/>\n");
}

/* The darkest where scores are accepted, paler the more directions reject. */
static void draw_plane(cli_chart *chart, const double *scores, double threshold) {
    double highest = 0;
    for (size_t i = 0; i < (size_t)PLANE * PLANE; i++) {
        highest = fmax(highest, scores[i]);
    }
    page_format(chart->page,
                "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\">\n",
                chart->left, chart->top, chart->right - chart->left, chart->bottom - chart->top,
                FINE, FINE);
    for (int shade = 1; shade <= N_SHADES; shade++) {
        double level = highest * cbrt((double)shade / (N_SHADES + 1));
        if (level > 0 && level < threshold) {
            draw_level(chart->page, scores, level, 0.15);
        }
    }
    draw_level(chart->page, scores, threshold, 1);
    page_text(chart->page, "</svg>\n");
}

void report_draw_region(const cli_report *report, cli_page *page) {
    char *names[2] = {data_feature_name(report->scoring.data.schema, 0),
                      data_feature_name(report->scoring.data.schema, 1)};
    cli_axis x = {.label = names[0]}, y = {.label = names[1]};
    plane_range(report, 0, &x.low, &x.high);
    plane_range(report, 1, &y.low, &y.high);
    double *scores = score_plane(report, &x, &y);
    cli_chart chart;
    chart_begin(&chart, page, "region", "What is accepted, and a sample of rows", x, y);
    draw_plane(&chart, scores, report->threshold);
    for (size_t row = 0; row < report->sample.count; row++) {
        chart_dots(&chart, class_of(report, row), report->sample.values + 2 * row,
                   report->sample.values + 2 * row + 1, 1, 2);
    }
    chart_end(&chart);
    free(scores);
    free(names[0]);
    free(names[1]);
}

/* ---- The most rejected rows ------------------------------------------------------------------ */

static void write_worst_row(const cli_report *report, cli_page *page, const worst_row *row,
                            const report_reason *reason) {
    page_format(page, "<tr><td class=\"number\">%" PRIu64 "</td>", row->number);
    if (row->id) {
        page_text(page, "<td>");
        write_escaped(page, row->id);
        page_text(page, "</td>");
    }
    page_format(page, "<td class=\"number\">%.4f</td>", row->score);
    if (report->scoring.info.calibration_rows) {
        double p_value;
        check(frocc_model_p_values(report->scoring.model, &row->score, 1, &p_value), NULL);
        page_format(page, "<td class=\"number\">%.3g</td>", p_value);
    }
    page_format(page, "<td class=\"number\">%zu of %zu</td><td>", reason->rejecting,
                report->scoring.info.n_directions);
    for (size_t i = 0; i < reason->n_features; i++) {
        page_format(page,
                    "<span class=\"feature\"><span class=\"bar\" style=\"width:%.0fpx\"></span>",
                    40 * reason->gains[i] / reason->gains[0]);
        write_escaped(page, reason->words[i]);
        page_format(page, " (+%.3f)</span>", reason->gains[i]);
    }
    page_text(page, "</td></tr>\n");
}

void report_draw_worst(const cli_report *report, cli_page *page) {
    page_format(page,
                "<section class=\"card\" id=\"worst\"><h2>The most rejected rows</h2><table>\n"
                "<tr><th>row</th>%s<th>score</th>%s<th>rejected by</th>"
                "<th>why, and what the score would gain</th></tr>\n",
                report->scoring.data.has_ids ? "<th>id</th>" : "",
                report->scoring.info.calibration_rows ? "<th>p-value</th>" : "");
    for (size_t i = 0; i < report_explained(report); i++) {
        write_worst_row(report, page, &report->worst.rows[i], &report->reasons[i]);
    }
    page_text(page, "</table></section>\n");
}
