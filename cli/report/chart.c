/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 52, RIGHT = 14, TOP = 30, BOTTOM = 44 };

void write_escaped(cli_page *page, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '&':
            page_text(page, "&amp;");
            break;
        case '<':
            page_text(page, "&lt;");
            break;
        case '>':
            page_text(page, "&gt;");
            break;
        case '"':
            page_text(page, "&quot;");
            break;
        default:
            page_write(page, text, 1);
        }
    }
}

static double position(const cli_axis *axis, double value) {
    if (axis->log) {
        return (log10(value) - log10(axis->low)) / (log10(axis->high) - log10(axis->low));
    }
    return (value - axis->low) / (axis->high - axis->low);
}

double chart_x(const cli_chart *chart, double value) {
    return chart->left + position(&chart->x, value) * (chart->right - chart->left);
}

double chart_y(const cli_chart *chart, double value) {
    return chart->bottom - position(&chart->y, value) * (chart->bottom - chart->top);
}

/* ---- Axes ------------------------------------------------------------------------------------ */

/* 1, 2 or 5 times a power of ten, for about five steps over the range. */
static double nice_step(double range) {
    double power = pow(10, floor(log10(range / 5)));
    double steps = range / 5 / power;
    return power * (steps < 1.5 ? 1 : steps < 3.5 ? 2 : steps < 7.5 ? 5 : 10);
}

static void tick_x(cli_chart *chart, double value) {
    double x = chart_x(chart, value);
    page_format(chart->page,
                "<line class=\"rule\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n",
                x, chart->top, x, chart->bottom, x, chart->bottom + 16, value);
}

static void tick_y(cli_chart *chart, double value) {
    double y = chart_y(chart, value);
    page_format(chart->page,
                "<line class=\"rule\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
                "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                chart->left, y, chart->right, y, chart->left - 6, y + 4, value);
}

static void draw_ticks(cli_chart *chart, const cli_axis *axis,
                       void (*tick)(cli_chart *chart, double value)) {
    if (axis->bare) {
        return;
    }
    if (axis->log) {
        /* Short axes get ticks at 2 and 5 too. */
        size_t n_steps = axis->high / axis->low < 150 ? 3 : 1;
        int first = (int)floor(log10(axis->low)), last = (int)ceil(log10(axis->high));
        for (int power = first; power <= last; power++) {
            for (size_t i = 0; i < n_steps; i++) {
                double value = pow(10, power) * (i == 0 ? 1 : i == 1 ? 2 : 5);
                if (value >= axis->low * (1 - 1e-6) && value <= axis->high * (1 + 1e-6)) {
                    tick(chart, value);
                }
            }
        }
        return;
    }
    double step = nice_step(axis->high - axis->low);
    long long first = (long long)ceil(axis->low / step - 1e-9);
    long long last = (long long)floor(axis->high / step + 1e-9);
    for (long long i = first; i <= last; i++) {
        tick(chart, (double)i * step);
    }
}

void chart_begin(cli_chart *chart, cli_page *page, const char *name, const char *caption,
                 cli_axis x, cli_axis y) {
    *chart = (cli_chart){page, x, y, LEFT, TOP, CHART_WIDTH - RIGHT, CHART_HEIGHT - BOTTOM};
    page_format(page,
                "<figure id=\"%s\"><figcaption>%s</figcaption>\n"
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
                name, caption, CHART_WIDTH, CHART_HEIGHT, name);
    draw_ticks(chart, &chart->x, tick_x);
    draw_ticks(chart, &chart->y, tick_y);
    page_format(page, "<text class=\"axis\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
                (chart->left + chart->right) / 2, CHART_HEIGHT - 8);
    write_escaped(page, x.label);
    page_format(page,
                "</text><text class=\"axis\" text-anchor=\"middle\" "
                "transform=\"translate(13 %.1f) rotate(-90)\">",
                (chart->top + chart->bottom) / 2);
    write_escaped(page, y.label);
    page_text(page, "</text>\n");
}

void chart_end(cli_chart *chart) {
    page_text(chart->page, "</svg></figure>\n");
}

void chart_legend(cli_chart *chart, const chart_key *keys, size_t count) {
    double x = chart->left;
    for (size_t i = 0; i < count; i++) {
        page_format(chart->page,
                    "<rect class=\"%s key\" x=\"%.1f\" y=\"9\" width=\"11\" height=\"11\" "
                    "rx=\"2\"/><text class=\"tick\" x=\"%.1f\" y=\"19\">%s</text>\n",
                    keys[i].class, x, x + 16, keys[i].text);
        x += 34 + 6.4 * (double)strlen(keys[i].text);
    }
}

/* ---- Marks ----------------------------------------------------------------------------------- */

void chart_line(cli_chart *chart, const char *class, const double *x, const double *y,
                size_t count) {
    page_format(chart->page, "<polyline class=\"line %s\" points=\"", class);
    for (size_t i = 0; i < count; i++) {
        page_format(chart->page, "%.1f,%.1f ", chart_x(chart, x[i]), chart_y(chart, y[i]));
    }
    page_text(chart->page, "\"/>\n");
}

void chart_steps(cli_chart *chart, const char *class, double low, double high,
                 const double *heights, size_t count) {
    double floor_y = chart_y(chart, chart->y.low);
    page_format(chart->page, "<path class=\"area %s\" d=\"M%.1f %.1f", class, chart_x(chart, low),
                floor_y);
    for (size_t i = 0; i < count; i++) {
        double right = low + (high - low) * (double)(i + 1) / (double)count;
        page_format(chart->page, "V%.1fH%.1f", chart_y(chart, heights[i]), chart_x(chart, right));
    }
    page_format(chart->page, "V%.1fZ\"/>\n", floor_y);
}

void chart_dots(cli_chart *chart, const char *class, const double *x, const double *y, size_t count,
                double radius) {
    for (size_t i = 0; i < count; i++) {
        page_format(chart->page, "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>",
                    class, chart_x(chart, x[i]), chart_y(chart, y[i]), radius);
    }
    page_text(chart->page, "\n");
}
