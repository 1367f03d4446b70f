/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts as numbers, and some of them for people. A text becomes a code, a hash of 24 bits, whatever
 * other texts there are. So that a code can be said in words, a column keeps the texts whose hashes
 * are smallest: which these are depends neither on the order of the rows nor on how they are split,
 * and how small they are tells how many different texts there are.
 */
#ifndef FROCC_KNOWN_TEXTS_H
#define FROCC_KNOWN_TEXTS_H

#include "base/base.h"

/* 1 is a text without bytes, which stands for a missing cell among numbers; others are above it,
 * and below 2^24, so that float32 has them exactly. A truth is the same however it is spelt. */
uint32_t frocc__text_code(const char *text, size_t length);
#define FROCC__CODE_MISSING 1

#define FROCC__MOST_KNOWN 1000
#define FROCC__TEXT_SHOWN 60 /* bytes that are kept of a longer text, with ... behind */

/* Sorted by their hashes. */
typedef struct frocc__known_texts {
    struct frocc__known_text {
        uint64_t hash;
        char *text;
    } * texts;
    size_t count, room;
} frocc__known_texts;

frocc_status frocc__known_take(frocc__known_texts *texts, const char *text, size_t length);
frocc_status frocc__known_merge(frocc__known_texts *into, const frocc__known_texts *from);
/* One behind the others, as bytes have them; false where its hash is not above theirs. */
frocc_status frocc__known_append(frocc__known_texts *texts, uint64_t hash, const char *text,
                                 size_t length, bool *fits);
/* The first one of this code; NULL where it is not among them. */
const char *frocc__known_of_code(const frocc__known_texts *texts, uint32_t code);
bool frocc__known_have(const frocc__known_texts *texts, const char *text, size_t length);
/* About how many different texts there were: exact as long as all of them are kept. */
double frocc__known_count(const frocc__known_texts *texts);
void frocc__known_clear(frocc__known_texts *texts); /* frees what it holds */

/* How a truth is spelt, by the same number of bytes each, the way of Python first; NULL where the
 * text is none. */
const char *const *frocc__truth_spellings(const char *text, size_t length);

#endif
