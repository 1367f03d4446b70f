/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of model files: little-endian, whatever the machine. Bytes out grow; bytes in know
 * where they end, and nothing is read beyond.
 */
#ifndef FROCC_BYTES_H
#define FROCC_BYTES_H

#include "base/base.h"

/* With data NULL and capacity 0 at first. After running out of memory, failed stays set. */
typedef struct frocc__bytes_out {
    unsigned char *data;
    size_t size, capacity;
    bool failed;
} frocc__bytes_out;

/* Room for as many more bytes, so that what is large is not copied while it grows. */
void frocc__put_reserve(frocc__bytes_out *out, size_t size);
void frocc__put_bytes(frocc__bytes_out *out, const void *bytes, size_t size);
void frocc__put_u32(frocc__bytes_out *out, uint32_t value);
void frocc__put_u64(frocc__bytes_out *out, uint64_t value);
void frocc__put_f32(frocc__bytes_out *out, float value);
void frocc__put_f64(frocc__bytes_out *out, double value);

/* Reading past the end sets failed and gives zeros. */
typedef struct frocc__bytes_in {
    const unsigned char *data;
    size_t left;
    bool failed;
} frocc__bytes_in;

const unsigned char *frocc__get_bytes(frocc__bytes_in *in, size_t size);
uint32_t frocc__get_u32(frocc__bytes_in *in);
uint64_t frocc__get_u64(frocc__bytes_in *in);
float frocc__get_f32(frocc__bytes_in *in);
double frocc__get_f64(frocc__bytes_in *in);

/* FROCC_ERR_FORMAT, with what is wrong with the file. */
frocc_status frocc__damaged(const char *what);

/* Any change within eight bytes that belong together, bytes 8 i to 8 i + 7, shows for certain; any
 * other goes unnoticed once in 2^64 times. */
uint64_t frocc__checksum(const void *bytes, size_t size);

#endif
