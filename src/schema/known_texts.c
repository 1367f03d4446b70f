/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts as codes, and the ones that are kept for people. */
#include "schema/known_texts.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

const char *const *frocc__truth_spellings(const char *text, size_t length) {
    static const char *const truths[][3] = {{"False", "FALSE", "false"}, {"True", "TRUE", "true"}};
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
        for (size_t k = 0; k < 3; k++)
            if (strlen(truths[i][k]) == length && memcmp(truths[i][k], text, length) == 0)
                return truths[i];
    return NULL;
}

static const char *canonical(const char *text, size_t length) {
    const bool may_be_truth = length == 4 || length == 5;
    const char *const *spellings = may_be_truth ? frocc__truth_spellings(text, length) : NULL;
    return spellings != NULL ? spellings[0] : text;
}

/* Eight bytes, the first one lowest: codes are the same on every machine. */
static uint64_t word_at(const char *text, size_t length) {
    uint64_t word = 0;
    for (size_t i = 0; i < length; i++)
        word |= (uint64_t)(unsigned char)text[i] << (8 * i);
    return word;
}

/* It must never change: models know texts by it. */
static uint64_t hash_of(const char *text, size_t length) {
    uint64_t hash = 0x9E3779B97F4A7C15u ^ length;
    text = canonical(text, length);
    for (; length >= 8; text += 8, length -= 8)
        hash = frocc__mix(hash ^ word_at(text, 8));
    return frocc__mix(hash ^ word_at(text, length));
}

/* The low half: texts that are kept are alike in the other. */
static uint32_t code_of(uint64_t hash) {
    const uint32_t least = FROCC__CODE_MISSING + 1, codes = ((uint32_t)1 << 24) - least;
    return least + (uint32_t)hash % codes;
}

uint32_t frocc__text_code(const char *text, size_t length) {
    return length == 0 ? FROCC__CODE_MISSING : code_of(hash_of(text, length));
}

/* The first whose hash is not below this one. */
static size_t find(const frocc__known_texts *t, uint64_t hash) {
    size_t low = 0, high = t->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t->texts[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static frocc_status copy(const char *text, size_t length, char **made) {
    size_t shown = length;
    if (length > FROCC__TEXT_SHOWN + 3) /* characters of UTF-8 stay whole */
        for (shown = FROCC__TEXT_SHOWN; shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80;)
            shown--;
    *made = frocc__alloc(shown + 4, 1);
    if (*made == NULL)
        return FROCC_ERR_MEMORY;
    memcpy(*made, text, shown);
    if (shown < length)
        memcpy(*made + shown, "...", 3);
    return FROCC_OK;
}

static frocc_status make_room(frocc__known_texts *t) {
    if (t->count < t->room)
        return FROCC_OK;
    const size_t room = FROCC_MIN(2 * t->room + 16, (size_t)FROCC__MOST_KNOWN);
    void *texts = frocc__grow(t->texts, t->count * sizeof *t->texts, room, sizeof *t->texts);
    if (texts == NULL)
        return FROCC_ERR_MEMORY;
    t->texts = texts;
    t->room = room;
    return FROCC_OK;
}

/* Of two texts with the same hash the one that comes first by its bytes stays. */
static frocc_status settle(struct frocc__known_text *there, const char *text, size_t length) {
    char *made = NULL;
    if (strlen(there->text) == length && memcmp(there->text, text, length) == 0)
        return FROCC_OK;
    FROCC_TRY(copy(text, length, &made));
    const bool is_first = strcmp(made, there->text) < 0;
    frocc__free(is_first ? there->text : made);
    there->text = is_first ? made : there->text;
    return FROCC_OK;
}

static frocc_status insert(frocc__known_texts *t, uint64_t hash, const char *text, size_t length) {
    char *made = NULL;
    if (t->count == FROCC__MOST_KNOWN && hash > t->texts[t->count - 1].hash)
        return FROCC_OK;
    const size_t place = find(t, hash);
    if (place < t->count && t->texts[place].hash == hash)
        return settle(&t->texts[place], text, length);
    if (t->count < FROCC__MOST_KNOWN)
        FROCC_TRY(make_room(t));
    FROCC_TRY(copy(text, length, &made));
    if (t->count == FROCC__MOST_KNOWN)
        frocc__free(t->texts[--t->count].text);
    memmove(t->texts + place + 1, t->texts + place, (t->count - place) * sizeof *t->texts);
    t->texts[place] = (struct frocc__known_text){hash, made};
    t->count++;
    return FROCC_OK;
}

frocc_status frocc__known_take(frocc__known_texts *t, const char *text, size_t length) {
    return insert(t, hash_of(text, length), canonical(text, length), length);
}

frocc_status frocc__known_merge(frocc__known_texts *into, const frocc__known_texts *from) {
    for (size_t i = 0; i < from->count; i++)
        FROCC_TRY(
            insert(into, from->texts[i].hash, from->texts[i].text, strlen(from->texts[i].text)));
    return FROCC_OK;
}

frocc_status frocc__known_append(frocc__known_texts *t, uint64_t hash, const char *text,
                                 size_t length, bool *fits) {
    *fits = t->count < FROCC__MOST_KNOWN && length <= FROCC__TEXT_SHOWN + 3 &&
            (t->count == 0 || t->texts[t->count - 1].hash < hash);
    return *fits ? insert(t, hash, text, length) : FROCC_OK;
}

const char *frocc__known_of_code(const frocc__known_texts *t, uint32_t code) {
    for (size_t i = 0; i < t->count; i++)
        if (code_of(t->texts[i].hash) == code)
            return t->texts[i].text;
    return NULL;
}

bool frocc__known_have(const frocc__known_texts *t, const char *text, size_t length) {
    const uint64_t hash = hash_of(text, length);
    const size_t place = find(t, hash);
    return place < t->count && t->texts[place].hash == hash;
}

double frocc__known_count(const frocc__known_texts *t) {
    if (t->count < FROCC__MOST_KNOWN)
        return (double)t->count;
    const double share = (double)t->texts[t->count - 1].hash / 18446744073709551616.0;
    return (double)(t->count - 1) / share;
}

void frocc__known_clear(frocc__known_texts *t) {
    for (size_t i = 0; i < t->count; i++)
        frocc__free(t->texts[i].text);
    frocc__free(t->texts);
    *t = (frocc__known_texts){0};
}
