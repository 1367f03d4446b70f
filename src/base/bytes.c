/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of model files, and their checksum. */
#include "base/bytes.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"

/* Room for size more bytes, or false. Doubling keeps the number of copies small. */
static bool make_room(frocc__bytes_out *out, size_t size) {
    if (out->failed)
        return false;
    if (size <= out->capacity - out->size)
        return true;
    size_t wanted = FROCC_MAX(out->size + size, FROCC_MAX(out->capacity * 2, (size_t)4096));
    unsigned char *grown = frocc__grow(out->data, out->size, wanted, 1);
    if (grown == NULL) {
        out->failed = true;
        return false;
    }
    out->data = grown;
    out->capacity = wanted;
    return true;
}

void frocc__put_reserve(frocc__bytes_out *out, size_t size) {
    (void)make_room(out, size);
}

void frocc__put_bytes(frocc__bytes_out *out, const void *bytes, size_t size) {
    if (size == 0 || !make_room(out, size))
        return;
    memcpy(out->data + out->size, bytes, size);
    out->size += size;
}

/* Written out byte by byte, which compilers know to be one move, or one and a swap. A loop over a
 * size is not known, and costs ten times as much. */
static void store_u32(unsigned char *to, uint32_t value) {
    to[0] = (unsigned char)value;
    to[1] = (unsigned char)(value >> 8);
    to[2] = (unsigned char)(value >> 16);
    to[3] = (unsigned char)(value >> 24);
}

static uint32_t load_u32(const unsigned char *from) {
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
           (uint32_t)from[3] << 24;
}

static uint64_t load_u64(const unsigned char *from) {
    return (uint64_t)load_u32(from) | (uint64_t)load_u32(from + 4) << 32;
}

void frocc__put_u32(frocc__bytes_out *out, uint32_t value) {
    if (!make_room(out, sizeof value))
        return;
    store_u32(out->data + out->size, value);
    out->size += sizeof value;
}

void frocc__put_u64(frocc__bytes_out *out, uint64_t value) {
    if (!make_room(out, sizeof value))
        return;
    store_u32(out->data + out->size, (uint32_t)value);
    store_u32(out->data + out->size + 4, (uint32_t)(value >> 32));
    out->size += sizeof value;
}

void frocc__put_f32(frocc__bytes_out *out, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    frocc__put_u32(out, bits);
}

void frocc__put_f64(frocc__bytes_out *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    frocc__put_u64(out, bits);
}

const unsigned char *frocc__get_bytes(frocc__bytes_in *in, size_t size) {
    if (in->failed || size > in->left) {
        in->failed = true;
        return NULL;
    }
    const unsigned char *bytes = in->data;
    in->data += size;
    in->left -= size;
    return bytes;
}

uint32_t frocc__get_u32(frocc__bytes_in *in) {
    const unsigned char *bytes = frocc__get_bytes(in, sizeof(uint32_t));
    return bytes == NULL ? 0 : load_u32(bytes);
}

uint64_t frocc__get_u64(frocc__bytes_in *in) {
    const unsigned char *bytes = frocc__get_bytes(in, sizeof(uint64_t));
    return bytes == NULL ? 0 : load_u64(bytes);
}

float frocc__get_f32(frocc__bytes_in *in) {
    uint32_t bits = frocc__get_u32(in);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double frocc__get_f64(frocc__bytes_in *in) {
    uint64_t bits = frocc__get_u64(in);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

frocc_status frocc__damaged(const char *what) {
    return frocc__fail(FROCC_ERR_FORMAT, "the file is damaged: %s", what);
}

/* The last bytes, of which there may be fewer than eight. */
static uint64_t load_rest(const unsigned char *from, size_t size) {
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++)
        word |= (uint64_t)from[i] << (8 * i);
    return word;
}

/* The sum of a hash of every word and its place. For any one place the hash is a bijection of the
 * word; and no term waits for another, so that this is about as fast as memory. */
uint64_t frocc__checksum(const void *bytes, size_t size) {
    const uint64_t step = 0x9E3779B97F4A7C15u;
    const unsigned char *at = bytes;
    uint64_t sum = 0, key = 0;
    size_t i = 0;
    for (; i + 8 <= size; i += 8)
        sum += frocc__mix(load_u64(at + i) + (key += step));
    sum += frocc__mix(load_rest(at + i, size - i) + (key + step));
    return frocc__mix(sum ^ frocc__mix(size));
}
