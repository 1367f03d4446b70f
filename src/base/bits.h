/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers in few bits: exponential Golomb codes of order k, which take k + 1 bits for a number
 * below 2^k and two more each time it doubles. The highest bits come first.
 */
#ifndef FROCC_BITS_H
#define FROCC_BITS_H

#include "base/bytes.h"

/* The order that suits numbers with this sum. */
static inline unsigned frocc__order_for(uint64_t sum, uint64_t count) {
    unsigned order = 0;
    while (order < 15 && count << (order + 1) <= sum)
        order++;
    return order;
}

typedef struct frocc__bits_out {
    frocc__bytes_out *out;
    uint64_t bits; /* the lowest n_bits are not written yet */
    unsigned n_bits;
} frocc__bits_out;

static inline void frocc__put_bits(frocc__bits_out *to, uint32_t value, unsigned n_bits) {
    to->bits = to->bits << n_bits | value;
    to->n_bits += n_bits;
    if (to->n_bits >= 32) {
        to->n_bits -= 32;
        frocc__put_u32(to->out, __builtin_bswap32((uint32_t)(to->bits >> to->n_bits)));
    }
}

/* value is below 2^24. */
static inline void frocc__put_number(frocc__bits_out *to, uint32_t value, unsigned order) {
    const uint32_t coded = value + (1u << order);
    const unsigned top = 31 - (unsigned)__builtin_clz(coded);
    frocc__put_bits(to, 0, top - order);
    frocc__put_bits(to, coded, top + 1);
}

/* The last bits, and zeros up to a whole byte. */
static inline void frocc__put_last_bits(frocc__bits_out *to) {
    while (to->n_bits % 8 != 0)
        to->bits <<= 1, to->n_bits++;
    for (; to->n_bits > 0; to->n_bits -= 8) {
        const unsigned char byte = (unsigned char)(to->bits >> (to->n_bits - 8));
        frocc__put_bytes(to->out, &byte, 1);
    }
}

/* Reading past the end sets failed and gives zeros. */
typedef struct frocc__bits_in {
    frocc__bytes_in *in;
    uint64_t bits; /* the highest n_bits are the next */
    unsigned n_bits;
} frocc__bits_in;

static inline void frocc__fetch_bits(frocc__bits_in *from) {
    frocc__bytes_in *in = from->in;
    if (in->left >= 4 && from->n_bits <= 32) {
        const unsigned char *d = in->data;
        const uint32_t next =
            (uint32_t)d[0] << 24 | (uint32_t)d[1] << 16 | (uint32_t)d[2] << 8 | (uint32_t)d[3];
        from->bits |= (uint64_t)next << (32 - from->n_bits);
        from->n_bits += 32;
        in->data += 4;
        in->left -= 4;
    }
    while (from->n_bits <= 56 && in->left > 0 && in->left < 4) {
        from->bits |= (uint64_t)*in->data++ << (56 - from->n_bits);
        from->n_bits += 8;
        in->left--;
    }
}

static inline uint32_t frocc__get_bits(frocc__bits_in *from, unsigned n_bits) {
    if (from->n_bits < n_bits)
        frocc__fetch_bits(from);
    if (from->n_bits < n_bits) {
        from->in->failed = true;
        return 0;
    }
    const uint32_t value = n_bits == 0 ? 0 : (uint32_t)(from->bits >> (64 - n_bits));
    from->bits <<= n_bits;
    from->n_bits -= n_bits;
    return value;
}

static inline uint32_t frocc__get_number(frocc__bits_in *from, unsigned order) {
    if (from->n_bits < 32)
        frocc__fetch_bits(from);
    const unsigned zeros = from->bits == 0 ? 64 : (unsigned)__builtin_clzll(from->bits);
    if (zeros >= from->n_bits || zeros > 24 || order > 24 - zeros) {
        from->in->failed = true;
        return 0;
    }
    (void)frocc__get_bits(from, zeros);
    return frocc__get_bits(from, zeros + order + 1) - (1u << order);
}

/* After the last number: what was fetched and not used goes back, but for the rest of a byte, which
 * is zero in what frocc__put_last_bits has written. */
static inline void frocc__give_back_bits(frocc__bits_in *from) {
    if (frocc__get_bits(from, from->n_bits % 8) != 0)
        from->in->failed = true;
    from->in->data -= from->n_bits / 8;
    from->in->left += from->n_bits / 8;
    from->n_bits = 0;
}

#endif
