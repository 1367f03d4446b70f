/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small PNG writer: 8-bit RGB, compressed with deflate's fixed codes and only two kinds of
 * match, the pixel to the left and the pixel above. That is enough for charts, which are mostly
 * even areas, and needs no zlib.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "message.h"
#include "output.h"

enum { SHORTEST_MATCH = 3, LONGEST_MATCH = 258 };

typedef struct bit_writer {
    uint8_t *bytes;
    size_t n_bytes;
    uint32_t bits;
    unsigned n_bits;
} bit_writer;

/* Deflate packs from the lowest bit up. */
static void put_bits(bit_writer *writer, uint32_t value, unsigned count) {
    writer->bits |= value << writer->n_bits;
    writer->n_bits += count;
    while (writer->n_bits >= 8) {
        writer->bytes[writer->n_bytes++] = (uint8_t)writer->bits;
        writer->bits >>= 8;
        writer->n_bits -= 8;
    }
}

/* Huffman codes alone go from the highest bit down. */
static void put_code(bit_writer *writer, uint32_t code, unsigned length) {
    uint32_t turned = 0;
    for (unsigned i = 0; i < length; i++) {
        turned |= (code >> i & 1) << (length - 1 - i);
    }
    put_bits(writer, turned, length);
}

/* RFC 1951, 3.2.6: the fixed code of a literal or length symbol. */
static void put_symbol(bit_writer *writer, unsigned symbol) {
    if (symbol < 144) {
        put_code(writer, 0x30 + symbol, 8);
    } else if (symbol < 256) {
        put_code(writer, 0x190 + symbol - 144, 9);
    } else if (symbol < 280) {
        put_code(writer, symbol - 256, 7);
    } else {
        put_code(writer, 0xC0 + symbol - 280, 8);
    }
}

/* Length and distance symbols are followed by the low bits that the symbol leaves open. */
static void put_length(bit_writer *writer, unsigned length) {
    if (length == LONGEST_MATCH) {
        put_symbol(writer, 285);
        return;
    }
    unsigned offset = length - SHORTEST_MATCH;
    unsigned extra = 0;
    while (offset >> extra >= 8) {
        extra++;
    }
    put_symbol(writer, 257 + 4 * extra + (offset >> extra));
    put_bits(writer, offset & ((1u << extra) - 1), extra);
}

static void put_distance(bit_writer *writer, unsigned distance) {
    unsigned offset = distance - 1;
    unsigned extra = 0;
    while (offset >> extra >= 4) {
        extra++;
    }
    put_code(writer, 2 * extra + (offset >> extra), 5);
    put_bits(writer, offset & ((1u << extra) - 1), extra);
}

static unsigned match_length(const uint8_t *bytes, size_t at, size_t count, size_t distance) {
    unsigned length = 0;
    if (distance > at || distance > 32768) {
        return 0;
    }
    while (length < LONGEST_MATCH && at + length < count &&
           bytes[at + length] == bytes[at + length - distance]) {
        length++;
    }
    return length;
}

static void deflate(bit_writer *writer, const uint8_t *bytes, size_t count, size_t stride) {
    put_bits(writer, 3, 3); /* the last block, of fixed codes */
    for (size_t at = 0; at < count;) {
        unsigned left = match_length(bytes, at, count, 3);
        unsigned above = match_length(bytes, at, count, stride);
        unsigned longest = left > above ? left : above;
        if (longest < SHORTEST_MATCH) {
            put_symbol(writer, bytes[at++]);
            continue;
        }
        put_length(writer, longest);
        put_distance(writer, left >= above ? 3 : (unsigned)stride);
        at += longest;
    }
    put_symbol(writer, 256);
    put_bits(writer, 0, 7); /* to the end of a byte */
}

/* ---- Checksums and chunks
 * ------------------------------------------------------------------------ */

static uint32_t adler32(const uint8_t *bytes, size_t count) {
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static uint32_t crc32(const uint8_t *bytes, size_t count, uint32_t crc) {
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        }
    }
    return crc;
}

static void big_endian(uint32_t value, uint8_t bytes[4]) {
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

static void write_chunk(cli_output *output, const char *type, const uint8_t *data, size_t count) {
    uint8_t word[4];
    big_endian((uint32_t)count, word);
    output_write(output, word, 4);
    output_write(output, type, 4);
    output_write(output, data, count);
    uint32_t crc = crc32((const uint8_t *)type, 4, 0xFFFFFFFFu);
    big_endian(~crc32(data, count, crc), word);
    output_write(output, word, 4);
}

void image_write_png(const image *picture, const char *path) {
    size_t stride = picture->width * 3 + 1;
    size_t count = stride * picture->height;
    uint8_t *bytes = must_allocate(count, 1);
    for (size_t y = 0; y < picture->height; y++) {
        /* The first byte of a row names its filter: none. */
        memcpy(bytes + y * stride + 1, picture->pixels + y * picture->width, stride - 1);
    }
    /* A literal takes at most nine bits. */
    bit_writer writer = {.bytes = must_allocate(count + count / 8 + 64, 1)};
    memcpy(writer.bytes, "\x78\x01", 2);
    writer.n_bytes = 2;
    deflate(&writer, bytes, count, stride);
    big_endian(adler32(bytes, count), writer.bytes + writer.n_bytes);

    uint8_t header[13] = {[8] = 8, [9] = 2};
    big_endian((uint32_t)picture->width, header);
    big_endian((uint32_t)picture->height, header + 4);
    cli_output *output = output_open(path);
    output_write(output, "\x89PNG\r\n\x1a\n", 8);
    write_chunk(output, "IHDR", header, sizeof header);
    write_chunk(output, "IDAT", writer.bytes, writer.n_bytes + 4);
    write_chunk(output, "IEND", NULL, 0);
    output_finish(output);
    free(writer.bytes);
    free(bytes);
}
