/* SPDX-License-Identifier: BSD-3-Clause */
/* Distinct texts: a pool of bytes, and an open hash table of their numbers. */
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/status.h"
#include "schema/vocab.h"

/*
 * Texts are hashed under a number that differs from run to run, so that nobody can make a file
 * whose texts all share a slot, which would take time in the square of their count. Numbers and
 * order of the texts do not depend on it.
 */
static uint64_t seed(void) {
    static atomic_uint_least64_t chosen; /* 0: not yet; of threads that race, the first chooses */
    uint64_t now = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (now != 0)
        return now;
    struct timespec time = {0};
    (void)timespec_get(&time, TIME_UTC);
    const uint64_t place = (uint64_t)(uintptr_t)&chosen ^ (uint64_t)(uintptr_t)&time << 20;
    uint64_t own =
        frocc__mix(frocc__mix(place) ^ (uint64_t)time.tv_sec << 30 ^ (uint64_t)time.tv_nsec) | 1;
    return atomic_compare_exchange_strong(&chosen, &now, own) ? own : now;
}

static uint64_t hash(const char *text, size_t length) {
    uint64_t h = seed() ^ length;
    for (; length >= 8; text += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, text, 8);
        h = frocc__mix(h ^ word);
    }
    uint64_t rest = 0;
    memcpy(&rest, text, length);
    return frocc__mix(h ^ rest);
}

const char *frocc__vocab_text(const frocc__vocab *v, size_t i) {
    return v->text + v->start[i];
}

/* The slot that holds the text, or the empty one where it belongs. */
static size_t find_slot(const frocc__vocab *v, const char *text, size_t length) {
    size_t slot = hash(text, length) & (v->n_slots - 1);
    for (; v->slots[slot] != 0; slot = (slot + 1) & (v->n_slots - 1)) {
        const char *other = frocc__vocab_text(v, v->slots[slot] - 1);
        if (strncmp(other, text, length) == 0 && other[length] == '\0')
            break; /* no text has a zero byte, so neither is read beyond its end */
    }
    return slot;
}

size_t frocc__vocab_find(const frocc__vocab *v, const char *text, size_t length) {
    if (v->n_slots == 0)
        return FROCC__NOT_FOUND;
    uint32_t number = v->slots[find_slot(v, text, length)];
    return number == 0 ? FROCC__NOT_FOUND : number - 1;
}

static void fill_slots(frocc__vocab *v) {
    memset(v->slots, 0, v->n_slots * sizeof *v->slots);
    for (size_t i = 0; i < v->count; i++) {
        const char *text = frocc__vocab_text(v, i);
        v->slots[find_slot(v, text, strlen(text))] = (uint32_t)i + 1;
    }
}

static frocc_status make_room(frocc__vocab *v, size_t length) {
    size_t need = v->text_used + length + 1;
    if (need > v->text_size) {
        char *text = frocc__grow(v->text, v->text_used, 2 * need, 1);
        if (text == NULL)
            return FROCC_ERR_MEMORY;
        v->text = text;
        v->text_size = 2 * need;
    }
    if (v->count == v->capacity) {
        size_t capacity = 2 * v->capacity + 16;
        size_t *start = frocc__grow(v->start, v->count * sizeof *start, capacity, sizeof *start);
        if (start == NULL)
            return FROCC_ERR_MEMORY;
        v->start = start;
        v->capacity = capacity;
    }
    if (2 * (v->count + 1) > v->n_slots) {
        size_t n_slots = v->n_slots == 0 ? 32 : 2 * v->n_slots;
        uint32_t *slots = frocc__alloc(n_slots, sizeof *slots);
        if (slots == NULL)
            return FROCC_ERR_MEMORY;
        frocc__free(v->slots);
        v->slots = slots;
        v->n_slots = n_slots;
        fill_slots(v);
    }
    return FROCC_OK;
}

frocc_status frocc__vocab_add(frocc__vocab *v, const char *text, size_t length) {
    FROCC_TRY(make_room(v, length));
    size_t slot = find_slot(v, text, length);
    if (v->slots[slot] != 0)
        return FROCC_OK;
    if (v->count >= UINT32_MAX - 1)
        return frocc__fail(FROCC_ERR_DATA, "a column has more than 2^32 different texts");
    memcpy(v->text + v->text_used, text, length);
    v->text[v->text_used + length] = '\0';
    v->start[v->count++] = v->text_used;
    v->text_used += length + 1;
    v->slots[slot] = (uint32_t)v->count;
    return FROCC_OK;
}

void frocc__vocab_clear(frocc__vocab *v) {
    frocc__free(v->text);
    frocc__free(v->start);
    frocc__free(v->slots);
    memset(v, 0, sizeof *v);
}
