/* SPDX-License-Identifier: BSD-3-Clause */
#include "drawing/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "drawing/font.h"

_Static_assert(sizeof(color) == 3, "pixels are written as they lie in memory");

image image_new(size_t width, size_t height, color background) {
    image fresh = {width, height, must_allocate(width * height, sizeof(color))};
    for (size_t i = 0; i < width * height; i++) {
        fresh.pixels[i] = background;
    }
    return fresh;
}

void image_free(image *picture) {
    free(picture->pixels);
    picture->pixels = NULL;
}

static uint8_t mix_channel(uint8_t from, uint8_t to, double share) {
    return (uint8_t)(from + ((double)to - from) * share + 0.5);
}

color color_mix(color from, color to, double share) {
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return (color){mix_channel(from.red, to.red, share), mix_channel(from.green, to.green, share),
                   mix_channel(from.blue, to.blue, share)};
}

void image_set(image *picture, size_t x, size_t y, color paint) {
    if (x < picture->width && y < picture->height) {
        picture->pixels[y * picture->width + x] = paint;
    }
}

void image_blend(image *picture, long x, long y, color paint, double share) {
    if (x >= 0 && y >= 0 && (size_t)x < picture->width && (size_t)y < picture->height) {
        color *pixel = &picture->pixels[(size_t)y * picture->width + (size_t)x];
        *pixel = color_mix(*pixel, paint, share);
    }
}

void image_disc(image *picture, double x, double y, double radius, color paint, double opacity) {
    for (long row = (long)floor(y - radius - 1); row <= (long)ceil(y + radius + 1); row++) {
        for (long column = (long)floor(x - radius - 1); column <= (long)ceil(x + radius + 1);
             column++) {
            double away = hypot((double)column - x, (double)row - y);
            double cover = radius + 0.5 - away;
            if (cover > 0) {
                image_blend(picture, column, row, paint, opacity * (cover < 1 ? cover : 1));
            }
        }
    }
}

static void draw_glyph(image *picture, size_t x, size_t y, size_t scale, const unsigned char *glyph,
                       color paint) {
    for (size_t dot = 0; dot < FONT_WIDTH * FONT_HEIGHT; dot++) {
        size_t column = dot / FONT_HEIGHT;
        size_t row = dot % FONT_HEIGHT;
        if (!(glyph[column] >> row & 1)) {
            continue;
        }
        for (size_t i = 0; i < scale * scale; i++) {
            image_set(picture, x + column * scale + i % scale, y + row * scale + i / scale, paint);
        }
    }
}

void image_text(image *picture, size_t x, size_t y, size_t scale, const char *text, color paint) {
    for (; *text; text++, x += FONT_ADVANCE * scale) {
        unsigned char c = (unsigned char)*text;
        draw_glyph(picture, x, y, scale,
                   font[c >= FONT_FIRST && c <= FONT_LAST ? c - FONT_FIRST : '?' - FONT_FIRST],
                   paint);
    }
}

size_t image_text_width(const char *text, size_t scale) {
    return strlen(text) * FONT_ADVANCE * scale;
}
