/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marching squares. The values are corners of cells, with a frame around them that is below every
 * level, so that outlines are closed. An edge between two corners is crossed when one of them is at
 * least the level. An outline, walked with the inside always on the same hand, comes into a cell
 * by one edge and leaves it by another; where opposite corners are inside it does so twice.
 */
#include "drawing/contour.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/message.h"

typedef struct surface {
    const double *values;
    size_t side;
    double level, size;
} surface;

/* Corners are those of a square of side + 2, whose outermost belong to the frame. */
static double value_at(const surface *of, size_t x, size_t y) {
    const bool is_frame = x == 0 || y == 0 || x > of->side || y > of->side;
    return is_frame ? -HUGE_VAL : of->values[(y - 1) * of->side + x - 1];
}

/* Edge 2 i goes from corner i to the right, edge 2 i + 1 down. */
enum { TOP, RIGHT, BOTTOM, LEFT };

static size_t edge_of(const surface *of, size_t x, size_t y, int side) {
    const size_t wide = of->side + 2;
    const size_t corner = (y + (side == BOTTOM)) * wide + x + (side == RIGHT);
    return 2 * corner + (side == LEFT || side == RIGHT);
}

static double place(const surface *of, size_t corner) {
    const double at = ((double)corner - 0.5) / (double)of->side;
    return (at < 0 ? 0 : at > 1 ? 1 : at) * of->size;
}

/* Where the level crosses an edge: at the frame, where that is one of its ends. */
static void crossing(const surface *of, size_t edge, long *across, long *down) {
    const size_t wide = of->side + 2, x = edge / 2 % wide, y = edge / 2 / wide;
    const size_t x_end = x + (edge % 2 == 0), y_end = y + edge % 2;
    const double from = value_at(of, x, y), to = value_at(of, x_end, y_end);
    double share = isinf(from) ? 0 : isinf(to) ? 1 : (of->level - from) / (to - from);
    *across = lround(place(of, x) + share * (place(of, x_end) - place(of, x)));
    *down = lround(place(of, y) + share * (place(of, y_end) - place(of, y)));
}

/* The steps through a cell, whose corners and sides are counted clockwise from the upper left and
 * the top: in where the inside ends, and out by the nearest side before that. */
static void link_cell(const surface *of, size_t x, size_t y, size_t *next) {
    const bool inside[4] = {value_at(of, x, y) >= of->level, value_at(of, x + 1, y) >= of->level,
                            value_at(of, x + 1, y + 1) >= of->level,
                            value_at(of, x, y + 1) >= of->level};
    for (int in = TOP; in <= LEFT; in++) {
        int out = in;
        if (!inside[in] || inside[(in + 1) % 4])
            continue;
        do {
            out = (out + 3) % 4;
        } while (inside[out] == inside[(out + 1) % 4]);
        next[edge_of(of, x, y, in)] = edge_of(of, x, y, out);
    }
}

/* From one edge on until it closes; edge 0 is the frame's and never crossed. */
static void write_loop(cli_page *page, const surface *of, size_t edge, size_t *next) {
    long x, y, was_x, was_y;
    crossing(of, edge, &was_x, &was_y);
    page_format(page, "M%ld %ld", was_x, was_y);
    const char *line = "l"; /* a loop may be too small to have one */
    while (next[edge]) {
        const size_t to = next[edge];
        next[edge] = 0;
        edge = to;
        crossing(of, edge, &x, &y);
        if (x != was_x || y != was_y) {
            page_format(page, "%s% ld% ld", line, x - was_x, y - was_y);
            line = "";
        }
        was_x = x, was_y = y;
    }
    page_text(page, "z");
}

void contour_write(cli_page *page, const double *values, size_t side, double level, double size) {
    const surface of = {values, side, level, size};
    const size_t wide = side + 2;
    size_t *next = must_allocate(2 * wide * wide, sizeof *next);
    for (size_t i = 0; i < (side + 1) * (side + 1); i++)
        link_cell(&of, i % (side + 1), i / (side + 1), next);
    for (size_t edge = 0; edge < 2 * wide * wide; edge++)
        if (next[edge])
            write_loop(page, &of, edge, next);
    free(next);
}
