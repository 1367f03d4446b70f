/* SPDX-License-Identifier: BSD-3-Clause */
/* Distinct texts: the names of columns. */
#ifndef FROCC_VOCAB_H
#define FROCC_VOCAB_H

#include "base/base.h"

/* Distinct texts, numbered as they came. */
typedef struct frocc__vocab {
    char *text; /* each ends with a zero byte */
    size_t text_used, text_size;
    size_t *start; /* of text number i */
    size_t count, capacity;
    uint32_t *slots; /* an open hash table of numbers + 1 */
    size_t n_slots;
} frocc__vocab;

#define FROCC__NOT_FOUND SIZE_MAX
size_t frocc__vocab_find(const frocc__vocab *vocab, const char *text, size_t length);
frocc_status frocc__vocab_add(frocc__vocab *vocab, const char *text, size_t length);
const char *frocc__vocab_text(const frocc__vocab *vocab, size_t i);
void frocc__vocab_clear(frocc__vocab *vocab); /* frees what it holds */

#endif
