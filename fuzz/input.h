/* SPDX-License-Identifier: BSD-3-Clause */
/* input.h - the bytes of an input, one after another, and values made of them. */
#ifndef FROCC_FUZZ_INPUT_H
#define FROCC_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Zeros when the bytes run out. */
typedef struct input {
    const uint8_t *data;
    size_t left;
} input;

static inline unsigned take(input *in) {
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->data++;
}

/* A value is a small integer, one far away, or any float there is. */
static inline float read_value(input *in, unsigned how) {
    uint32_t bits = 0;
    float value;

    if (how < 2)
        return ((float)take(in) - 128) * (how == 0 ? 1.0f : 0.037f);
    if (how == 2)
        return 8388608.0f + (float)take(in);
    for (int i = 0; i < 4; i++)
        bits = bits << 8 | take(in);
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
