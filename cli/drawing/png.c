/* SPDX-License-Identifier: BSD-3-Clause */
/* A picture as PNG: 8-bit RGB, packed by zlib or, where that is not linked, as it is. */
#include <stdlib.h>
#include <string.h>
#ifdef FROCC_HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/message.h"
#include "base/page.h"
#include "drawing/image.h"

static void big_endian(uint32_t value, uint8_t bytes[4]) {
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

#ifdef FROCC_HAVE_ZLIB
static uint32_t crc_of(uint32_t crc, const uint8_t *bytes, size_t count) {
    return bytes ? (uint32_t)crc32(crc, bytes, (uInt)count) : crc;
}

static uint8_t *pack(const uint8_t *bytes, size_t count, size_t *size) {
    uLongf used = compressBound(count);
    uint8_t *packed = must_allocate(used, 1);
    if (compress2(packed, &used, bytes, count, Z_BEST_COMPRESSION) != Z_OK) {
        die(EXIT_FAILED, "no memory to pack a picture of %zu bytes", count);
    }
    *size = used;
    return packed;
}
#else
static uint32_t crc_of(uint32_t crc, const uint8_t *bytes, size_t count) {
    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        }
    }
    return ~crc;
}

static uint32_t adler_of(const uint8_t *bytes, size_t count) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* RFC 1950 and 1951: blocks of up to 65535 bytes, stored. */
static uint8_t *pack(const uint8_t *bytes, size_t count, size_t *size) {
    const size_t most = 65535;
    uint8_t *packed = must_allocate(count + 5 * (count / most + 1) + 6, 1);
    size_t used = 2;
    memcpy(packed, "\x78\x01", 2);
    for (size_t at = 0, length; at < count; at += length) {
        length = count - at < most ? count - at : most;
        const uint8_t head[5] = {at + length == count, (uint8_t)length, (uint8_t)(length >> 8),
                                 (uint8_t)~length, (uint8_t)(~length >> 8)};
        memcpy(packed + used, head, sizeof head);
        memcpy(packed + used + sizeof head, bytes + at, length);
        used += sizeof head + length;
    }
    big_endian(adler_of(bytes, count), packed + used);
    *size = used + 4;
    return packed;
}
#endif

static void write_chunk(cli_page *page, const char *type, const uint8_t *data, size_t count) {
    uint8_t word[4];
    big_endian((uint32_t)count, word);
    page_write(page, word, 4);
    page_write(page, type, 4);
    page_write(page, data, count);
    big_endian(crc_of(crc_of(0, (const uint8_t *)type, 4), data, count), word);
    page_write(page, word, 4);
}

void image_write_png(const image *picture, const char *path) {
    size_t stride = picture->width * 3 + 1;
    size_t count = stride * picture->height;
    uint8_t *bytes = must_allocate(count, 1);
    for (size_t y = 0; y < picture->height; y++) {
        /* The first byte of a row names its filter: none. */
        memcpy(bytes + y * stride + 1, picture->pixels + y * picture->width, stride - 1);
    }
    size_t size;
    uint8_t *packed = pack(bytes, count, &size);
    uint8_t header[13] = {[8] = 8, [9] = 2};
    big_endian((uint32_t)picture->width, header);
    big_endian((uint32_t)picture->height, header + 4);
    cli_page *page = page_begin();
    page_write(page, "\x89PNG\r\n\x1a\n", 8);
    write_chunk(page, "IHDR", header, sizeof header);
    write_chunk(page, "IDAT", packed, size);
    write_chunk(page, "IEND", NULL, 0);
    page_finish(page, path);
    free(packed);
    free(bytes);
}
