/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * model_mutator.h - mutants of files that are made of sections, as models are: one section is
 * changed, made longer or shorter or taken from another file, its length is put right, and the
 * checksum. Only an engine that mutates asks for it.
 */
#ifndef FROCC_FUZZ_MODEL_MUTATOR_H
#define FROCC_FUZZ_MODEL_MUTATOR_H

#if defined(FROCC_FUZZ_ENGINE)
#include <stdlib.h>
#include <string.h>

#include "kinds.h"
#include "reseal.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed);

#define SECTION_HEAD ((size_t)12) /* tag and length */

/* Where section number `which` of them begins, counted around; 0 where there is none. */
static size_t section_at(const uint8_t *data, size_t size, unsigned which) {
    size_t starts[16], count = 0, at = MODEL_HEAD;
    while (count < 16 && size >= MODEL_TAIL && at + SECTION_HEAD <= size - MODEL_TAIL) {
        const uint64_t length = model_u64(data + at + 4);
        if (length > size - MODEL_TAIL - at - SECTION_HEAD)
            break;
        starts[count++] = at;
        at += SECTION_HEAD + (size_t)length;
    }
    return count > 0 ? starts[which % count] : 0;
}

/* Puts other bytes in place of a section's; the new size, 0 where there is no room. */
static size_t replace_section(uint8_t *data, size_t size, size_t max_size, size_t at,
                              const uint8_t *bytes, size_t length) {
    const size_t old = (size_t)model_u64(data + at + 4), rest = at + SECTION_HEAD + old;
    if (size - old + length > max_size)
        return 0;
    memmove(data + at + SECTION_HEAD + length, data + rest, size - rest);
    memcpy(data + at + SECTION_HEAD, bytes, length);
    model_put(data + at + 4, length, 8);
    model_reseal(data, size - old + length);
    return size - old + length;
}

/* A file as it is written today, whatever the corpus has; 0 where there is no room. */
static size_t fresh_kind(uint8_t *data, size_t max_size, unsigned seed) {
    void *bytes = NULL;
    size_t size = 0;
    if (kind_bytes(seed / 2 % KINDS, seed % 2 != 0, &bytes, &size) != FROCC_OK || size > max_size)
        size = 0;
    if (size > 0)
        memcpy(data, bytes, size);
    frocc_bytes_free(bytes);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    const size_t fresh = seed % 61 == 0 ? fresh_kind(data, max_size, seed / 61) : 0;
    size = fresh > 0 ? fresh : size;
    const size_t at = section_at(data, size, seed / 8);
    size_t made = 0;
    if (at > 0 && seed % 8 != 0) {
        const size_t length = (size_t)model_u64(data + at + 4), room = length + 64;
        uint8_t *section = malloc(room);
        if (section != NULL) {
            memcpy(section, data + at + SECTION_HEAD, length);
            /* Mostly as long as it was, as the numbers in it say. */
            const size_t mutated =
                LLVMFuzzerMutate(section, length, seed % 8 < 5 && length > 0 ? length : room);
            made = replace_section(data, size, max_size, at, section, mutated);
        }
        free(section);
    }
    if (made == 0) {
        made = LLVMFuzzerMutate(data, size, max_size);
        model_reseal(data, made);
    }
    return made;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t max_size, unsigned seed) {
    const size_t from = section_at(b, b_size, seed);
    size_t at = section_at(a, a_size, seed / 16);
    if (from == 0 || at == 0 || a_size > max_size)
        return 0;
    for (unsigned i = 0; i < 16 && seed / 256 % 4 > 0; i++) { /* mostly in place of its like */
        const size_t like = section_at(a, a_size, i);
        at = memcmp(a + like, b + from, 4) == 0 ? like : at;
    }
    memcpy(out, a, a_size);
    memcpy(out + at, b + from, 4);
    return replace_section(out, a_size, max_size, at, b + from + SECTION_HEAD,
                           (size_t)model_u64(b + from + 4));
}
#endif

#endif
