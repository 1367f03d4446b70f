/* SPDX-License-Identifier: BSD-3-Clause */
/* The panels of frocc demo, as text for a terminal and as a picture. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "drawing/demo.h"
#include "drawing/image.h"

static const color paper = {255, 255, 255};
static const color ink = {33, 37, 41};
static const color faint = {134, 142, 150};
static const color rejected = {247, 245, 240};
static const color nearly = {214, 228, 240};
static const color accepted = {122, 176, 223};
static const color boundary = {208, 66, 88};
static const color point = {18, 53, 91};

/* Few directions reject near the set, many far from it; the fourth power spreads the near ones. */
static double warmth(double score) {
    return score * score * score * score;
}

static color paint_of(double score) {
    return score >= 1 ? accepted : color_mix(rejected, nearly, warmth(score));
}

/* ---- The terminal ---------------------------------------------------------------------------- */

enum { CELLS_WIDE = 19, CELLS_HIGH = 10, LINE_SIZE = 4096 };

/* The mean score of a cell of a panel that is wide x high cells. */
static double cell_score(const demo_panel *panel, size_t x, size_t y, size_t wide, size_t high) {
    double sum = 0;
    size_t count = 0;
    for (size_t row = y * DEMO_GRID / high; row < (y + 1) * DEMO_GRID / high; row++) {
        for (size_t column = x * DEMO_GRID / wide; column < (x + 1) * DEMO_GRID / wide; column++) {
            sum += panel->scores[row * DEMO_GRID + column];
            count++;
        }
    }
    return sum / (double)count;
}

static size_t count_points(const demo_set *set, size_t x, size_t y, size_t wide, size_t high) {
    size_t count = 0;
    for (size_t i = 0; i < DEMO_TRAIN; i++) {
        double across, down;
        demo_pixel(set, set->train + 2 * i, 1, &across, &down);
        count += (size_t)((across + 0.5) * (double)wide) == x &&
                 (size_t)((down + 0.5) * (double)high) == y;
    }
    return count;
}

static void print_plain_line(const demo_set *set, size_t y) {
    static const char ramp[] = " .:-=+*#";
    for (size_t v = 0; v < DEMO_VARIANTS; v++) {
        for (size_t x = 0; x < CELLS_WIDE; x++) {
            double score = cell_score(&set->panels[v], x, y, CELLS_WIDE, CELLS_HIGH);
            size_t shade = score > 0.9995 ? 7 : (size_t)(warmth(score) * 6.999);
            putchar(ramp[shade]);
        }
        putchar(v + 1 < DEMO_VARIANTS ? ' ' : '\n');
    }
}

static void print_color_line(const demo_set *set, size_t y) {
    for (size_t v = 0; v < DEMO_VARIANTS; v++) {
        for (size_t x = 0; x < CELLS_WIDE; x++) {
            color half[2];
            for (size_t h = 0; h < 2; h++) {
                size_t row = 2 * y + h;
                double score = cell_score(&set->panels[v], x, row, CELLS_WIDE, 2 * CELLS_HIGH);
                size_t points = count_points(set, x, row, CELLS_WIDE, 2 * CELLS_HIGH);
                half[h] = paint_of(score > 0.9995 ? 1 : score);
                half[h] = points ? color_mix(half[h], point, 0.5 + 0.1 * (double)points) : half[h];
            }
            printf("\x1b[38;2;%d;%d;%dm\x1b[48;2;%d;%d;%dm\xe2\x96\x80", half[0].red, half[0].green,
                   half[0].blue, half[1].red, half[1].green, half[1].blue);
        }
        printf("\x1b[0m%s", v + 1 < DEMO_VARIANTS ? " " : "\n");
    }
}

void demo_describe(const demo_panel *panel, char text[48]) {
    const char *kernel = panel->kernel == FROCC_KERNEL_RBF ? "rbf" : "linear";
    if (panel->epsilon > 0) {
        snprintf(text, 48, "eps %g, %s", (double)panel->epsilon, kernel);
    } else {
        snprintf(text, 48, "default");
    }
}

void demo_draw_terminal(const demo_set *set, bool colors) {
    for (size_t v = 0; v < DEMO_VARIANTS; v++) {
        char text[48];
        demo_describe(&set->panels[v], text);
        printf("%-*s%s", CELLS_WIDE, text, v + 1 < DEMO_VARIANTS ? " " : "\n");
    }
    for (size_t y = 0; y < CELLS_HIGH; y++) {
        if (colors) {
            print_color_line(set, y);
        } else {
            print_plain_line(set, y);
        }
    }
    for (size_t v = 0; v < DEMO_VARIANTS; v++) {
        printf("ROC AUC %-*.3f%s", CELLS_WIDE - 8, set->panels[v].auc,
               v + 1 < DEMO_VARIANTS ? " " : "\n");
    }
}

/* ---- The picture ----------------------------------------------------------------------------- */

enum {
    SIDE = DEMO_GRID,
    GAP = 24,
    MARGIN = 40,
    HEAD = 76,     /* above the first set */
    SET_HEAD = 34, /* a set's title */
    CAPTION = 52,  /* below a panel */
    SET_HIGH = SET_HEAD + SIDE + CAPTION + 20,
    WIDE = 2 * MARGIN + DEMO_VARIANTS * SIDE + (DEMO_VARIANTS - 1) * GAP,
    HIGH = HEAD + DEMO_SETS * SET_HIGH + 20
};

static bool is_accepted(const demo_panel *panel, size_t x, size_t y) {
    return panel->scores[y * DEMO_GRID + x] >= 1;
}

/* An accepted pixel with a rejected neighbour to the right or below, or the other way round. */
static bool is_boundary(const demo_panel *panel, size_t x, size_t y) {
    bool here = is_accepted(panel, x, y);
    return (x + 1 < DEMO_GRID && is_accepted(panel, x + 1, y) != here) ||
           (y + 1 < DEMO_GRID && is_accepted(panel, x, y + 1) != here);
}

static void draw_panel(image *picture, const demo_set *set, const demo_panel *panel, size_t left,
                       size_t top) {
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        size_t x = i % SIDE, y = i / SIDE;
        image_set(picture, left + x, top + y, paint_of(panel->scores[i]));
    }
    for (size_t i = 0; i < DEMO_TRAIN; i++) {
        double x, y;
        demo_pixel(set, set->train + 2 * i, SIDE, &x, &y);
        image_disc(picture, (double)left + x, (double)top + y, 1.9, point, 0.7);
    }
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        size_t x = left + i % SIDE, y = top + i / SIDE;
        if (is_boundary(panel, i % SIDE, i / SIDE)) {
            image_disc(picture, (double)x + 0.5, (double)y + 0.5, 0.5, boundary, 0.8);
        }
    }
    char text[48];
    demo_describe(panel, text);
    image_text(picture, left, top + SIDE + 10, 2, text, ink);
    snprintf(text, sizeof text, "ROC AUC %.3f", panel->auc);
    image_text(picture, left, top + SIDE + 30, 2, text, faint);
}

static void draw_legend(image *picture, size_t top) {
    static const struct {
        const char *text;
        const color *paint;
    } entries[] = {{"accepted", &accepted},
                   {"nearly", &nearly},
                   {"rejected", &rejected},
                   {"boundary", &boundary},
                   {"normal row", &point}};
    size_t x = WIDE - MARGIN;
    for (size_t i = sizeof entries / sizeof *entries; i-- > 0;) {
        x -= image_text_width(entries[i].text, 2) + 38;
        for (size_t dot = 0; dot < 14 * 14; dot++) {
            image_set(picture, x + dot % 14, top + dot / 14, *entries[i].paint);
        }
        image_text(picture, x + 22, top, 2, entries[i].text, faint);
    }
}

void demo_write_picture(const demo_set sets[DEMO_SETS], const char *path) {
    image picture = image_new(WIDE, HIGH, paper);
    image_text(&picture, MARGIN, 28, 3, "FROCC decision regions", ink);
    draw_legend(&picture, 32);
    for (size_t s = 0; s < DEMO_SETS; s++) {
        size_t top = HEAD + s * SET_HIGH;
        image_text(&picture, MARGIN, top + 6, 2, sets[s].title, ink);
        for (size_t v = 0; v < DEMO_VARIANTS; v++) {
            draw_panel(&picture, &sets[s], &sets[s].panels[v], MARGIN + v * (SIDE + GAP),
                       top + SET_HEAD);
        }
    }
    image_write_png(&picture, path);
    image_free(&picture);
}
