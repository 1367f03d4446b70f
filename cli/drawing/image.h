/* SPDX-License-Identifier: BSD-3-Clause */
/* A picture in memory, what little drawing the command needs, and PNG. */
#ifndef CLI_IMAGE_H
#define CLI_IMAGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct color {
    uint8_t red, green, blue;
} color;

typedef struct image {
    size_t width, height;
    color *pixels; /* row by row */
} image;

image image_new(size_t width, size_t height, color background);
void image_free(image *picture);

/* Between two colours, share 0 to 1 of the second. */
color color_mix(color from, color to, double share);

void image_set(image *picture, size_t x, size_t y, color paint);
void image_blend(image *picture, long x, long y, color paint, double share);

/* A disc with smooth edges; the middle may lie between pixels. */
void image_disc(image *picture, double x, double y, double radius, color paint, double opacity);

/* ASCII text whose upper left corner is at x, y; each dot of the font is scale pixels wide. */
void image_text(image *picture, size_t x, size_t y, size_t scale, const char *text, color paint);
size_t image_text_width(const char *text, size_t scale);

void image_write_png(const image *picture, const char *path);

#endif
