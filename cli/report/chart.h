/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts as inline SVG: a plane with axes, and what is drawn on it in the data's own units. */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/page.h"

enum { CHART_WIDTH = 480, CHART_HEIGHT = 300 };

typedef struct cli_axis {
    const char *label;
    double low, high;
    bool log;
    bool bare; /* no ticks */
} cli_axis;

typedef struct cli_chart {
    cli_page *page;
    cli_axis x, y;
    double left, top, right, bottom; /* of the plane, in the picture's units */
} cli_chart;

/* name becomes the id of the figure and is how tests find it; caption may hold HTML. */
void chart_begin(cli_chart *chart, cli_page *page, const char *name, const char *caption,
                 cli_axis x, cli_axis y);
void chart_end(cli_chart *chart);

double chart_x(const cli_chart *chart, double value);
double chart_y(const cli_chart *chart, double value);

/* Colours are the style sheet's: the class of the line, area or dot. */
void chart_line(cli_chart *chart, const char *class, const double *x, const double *y,
                size_t count);
void chart_steps(cli_chart *chart, const char *class, double low, double high,
                 const double *heights, size_t count);
void chart_dots(cli_chart *chart, const char *class, const double *x, const double *y, size_t count,
                double radius);

/* Coloured squares under a chart's title. */
typedef struct chart_key {
    const char *class;
    const char *text;
} chart_key;
void chart_legend(cli_chart *chart, const chart_key *keys, size_t count);

/* Text with &, < and > made harmless. */
void write_escaped(cli_page *page, const char *text);

#endif
