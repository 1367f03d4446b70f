/* SPDX-License-Identifier: BSD-3-Clause */
/* What frocc demo computes and what it draws. */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include <stdbool.h>

#include "data/toy.h"
#include "frocc.h"

enum { DEMO_SETS = 2, DEMO_VARIANTS = 4, DEMO_GRID = 300, DEMO_TRAIN = 2000, DEMO_TEST = 4000 };

/* One fit, seen from above: how normal each point of the set's box is. */
typedef struct demo_panel {
    float epsilon; /* 0 for the default, else the paper's method */
    frocc_kernel kernel;
    double auc;
    double *scores; /* DEMO_GRID x DEMO_GRID, row by row from the top; accepted from 1 on */
} demo_panel;

typedef struct demo_set {
    const char *title;
    cli_toy toy;
    double *train; /* DEMO_TRAIN x 2 */
    demo_panel panels[DEMO_VARIANTS];
} demo_set;

/* "default", or the parameters of the paper's method. */
void demo_describe(const demo_panel *panel, char text[48]);

/* A column and row of a picture of the set's box that is side pixels wide and high. */
void demo_pixel(const demo_set *set, const double *point, double side, double *x, double *y);

/* Draws the panels of a set side by side, in at most 80 columns. */
void demo_draw_terminal(const demo_set *set, bool colors);

void demo_write_picture(const demo_set sets[DEMO_SETS], const char *path);

#endif
