/* SPDX-License-Identifier: BSD-3-Clause */
/* The panels of frocc demo, as text for a terminal and as an SVG. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/page.h"
#include "drawing/contour.h"
#include "drawing/demo.h"

typedef struct color {
    int red, green, blue;
} color;

static const color rejected = {247, 245, 240};
static const color nearly = {214, 228, 240};
static const color accepted = {122, 176, 223};
static const color point = {18, 53, 91};

/* Between two colours, share 0 to 1 of the second. */
static color color_mix(color from, color to, double share) {
    return (color){(int)(from.red + (to.red - from.red) * share + 0.5),
                   (int)(from.green + (to.green - from.green) * share + 0.5),
                   (int)(from.blue + (to.blue - from.blue) * share + 0.5)};
}

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
            sum += fmin(panel->scores[row * DEMO_GRID + column], 1);
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
    SIDE = 300,
    FINE = 10, /* coordinates in a panel are tenths */
    GAP = 24,
    MARGIN = 40,
    HEAD = 76,     /* above the first set */
    SET_HEAD = 34, /* a set's title */
    CAPTION = 52,  /* below a panel */
    SET_HIGH = SET_HEAD + SIDE + CAPTION + 20,
    WIDE = 2 * MARGIN + DEMO_VARIANTS * SIDE + (DEMO_VARIANTS - 1) * GAP,
    HIGH = HEAD + DEMO_SETS * SET_HIGH + 20,
    SHADES = 6
};

/* A score a little below 1, so that outlines of what is accepted pass between two values. */
#define ACCEPTED 0.9995

static const char style[] =
    "<style>text{font:17px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
    "fill:#212529}.title{font-size:26px}.soft{fill:#868e96}"
    ".accepted{fill:#7ab0df;stroke:#d04258;stroke-width:11}"
    ".row{fill:none;stroke:#12355b;stroke-width:30;stroke-linecap:round}"
    "</style>\n";

static void write_outline(cli_page *page, const demo_panel *panel, double level) {
    contour_write(page, panel->scores, DEMO_GRID, level, (double)SIDE * FINE);
}

static void write_shades(cli_page *page, const demo_panel *panel) {
    for (int i = 1; i < SHADES; i++) {
        const double share = (double)i / SHADES;
        const color paint = color_mix(rejected, nearly, share);
        page_format(page, "<path fill=\"#%02x%02x%02x\" d=\"", (unsigned)paint.red,
                    (unsigned)paint.green, (unsigned)paint.blue);
        write_outline(page, panel, pow(share, 0.25)); /* the inverse of warmth */
        page_text(page, "\"/>\n");
    }
    page_text(page, "<path class=\"accepted\" d=\"");
    write_outline(page, panel, ACCEPTED);
    page_text(page, "\"/>\n");
}

/* The training rows, which are the same in all panels of a set: dots are lines of no length. */
static void write_rows(cli_page *page, const demo_set *set, size_t s) {
    page_format(page, "<path id=\"rows%zu\" class=\"row\" d=\"", s);
    for (size_t i = 0; i < DEMO_TRAIN; i++) {
        double x, y;
        demo_pixel(set, set->train + 2 * i, (double)SIDE * FINE, &x, &y);
        page_format(page, "M%.0f %.0fh0", x, y);
    }
    page_text(page, "\"/>\n");
}

static void write_panel(cli_page *page, const demo_set *set, size_t s, size_t v, size_t top) {
    const demo_panel *panel = &set->panels[v];
    const size_t left = MARGIN + v * (SIDE + GAP);
    page_format(page,
                "<svg x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#f7f5f0\"/>\n",
                left, top, SIDE, SIDE, SIDE * FINE, SIDE * FINE);
    write_shades(page, panel);
    if (v == 0) {
        write_rows(page, set, s);
    } else {
        page_format(page, "<use href=\"#rows%zu\"/>\n", s);
    }
    char text[48];
    demo_describe(panel, text);
    page_format(page,
                "</svg>\n<text x=\"%zu\" y=\"%zu\">%s</text>\n"
                "<text class=\"soft\" x=\"%zu\" y=\"%zu\">ROC AUC %.3f</text>\n",
                left, top + SIDE + 22, text, left, top + SIDE + 43, panel->auc);
}

static void write_legend(cli_page *page) {
    static const struct {
        const char *text, *paint;
        int wide;
    } entries[] = {{"accepted", "#7ab0df", 110},
                   {"nearly", "#d6e4f0", 90},
                   {"rejected", "#f7f5f0", 105},
                   {"boundary", "#d04258", 110},
                   {"normal row", "#12355b", 115}};
    int x = WIDE - MARGIN - 110 - 90 - 105 - 110 - 115;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        page_format(page,
                    "<rect x=\"%d\" y=\"32\" width=\"14\" height=\"14\" fill=\"%s\"/>"
                    "<text class=\"soft\" x=\"%d\" y=\"45\">%s</text>\n",
                    x, entries[i].paint, x + 20, entries[i].text);
        x += entries[i].wide;
    }
}

void demo_write_picture(const demo_set sets[DEMO_SETS], const char *path) {
    cli_page *page = page_begin();
    page_format(page,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n%s"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
                "<text class=\"title\" x=\"%d\" y=\"48\">FROCC decision regions</text>\n",
                WIDE, HIGH, style, MARGIN);
    write_legend(page);
    for (size_t s = 0; s < DEMO_SETS; s++) {
        const size_t top = HEAD + s * SET_HIGH;
        page_format(page, "<text x=\"%d\" y=\"%zu\">%s</text>\n", MARGIN, top + 20, sets[s].title);
        for (size_t v = 0; v < DEMO_VARIANTS; v++) {
            write_panel(page, &sets[s], s, v, top + SET_HEAD);
        }
    }
    page_text(page, "</svg>\n");
    page_finish(page, path);
}
