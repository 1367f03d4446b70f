/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory: overflow-checked, aligned for vector loads, and replaceable by the caller's functions. */
#define _DEFAULT_SOURCE /* for madvise */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/status.h"

static void *libc_allocate(void *context, size_t bytes) {
    (void)context;
    return malloc(bytes);
}

static void libc_release(void *context, void *memory) {
    (void)context;
    free(memory);
}

static frocc_allocator current = {libc_allocate, libc_release, NULL};

void frocc_set_allocator(const frocc_allocator *allocator) {
    static const frocc_allocator libc = {libc_allocate, libc_release, NULL};
    current = allocator != NULL ? *allocator : libc;
}

/* Advice about fresh memory: much of it is had faster, and read with fewer look-ups, in large
 * pages. Where there are none, or bytes are few, nothing happens. */
static void prefer_large_pages(void *memory, size_t bytes) {
#if defined(MADV_HUGEPAGE)
    const size_t page = 4096, least = (size_t)4 << 20; /* two large pages or more */
    if (bytes < least)
        return;
    size_t before = (page - (uintptr_t)memory % page) % page;
    (void)madvise((char *)memory + before, (bytes - before) / page * page, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

void *frocc__alloc_raw(size_t count, size_t size) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) {
        frocc__set_error("%zu items of %zu bytes are more than memory can address", count, size);
        return NULL;
    }
    /* The caller's allocator promises no alignment beyond malloc's, so the address it gave is kept
     * in front of the aligned part. */
    char *given = current.allocate(current.context, bytes + FROCC_LINE + sizeof(void *));
    if (given == NULL) {
        frocc__set_error(
            "out of memory: %zu bytes could not be had; use fewer directions, a larger "
            "epsilon or smaller batches",
            bytes);
        return NULL;
    }
    uintptr_t start = (uintptr_t)(given + sizeof(void *));
    char *memory = given + sizeof(void *) + (FROCC_LINE - start % FROCC_LINE) % FROCC_LINE;
    memcpy(memory - sizeof(void *), &given, sizeof(void *));
    prefer_large_pages(memory, bytes);
    return memory;
}

void *frocc__alloc(size_t count, size_t size) {
    void *memory = frocc__alloc_raw(count, size);
    if (memory != NULL)
        memset(memory, 0, count * size);
    return memory;
}

void *frocc__grow(void *old, size_t used, size_t count, size_t size) {
    void *grown = frocc__alloc(count, size);
    if (grown == NULL)
        return NULL;
    if (used > 0)
        memcpy(grown, old, used);
    frocc__free(old);
    return grown;
}

void frocc__free(void *memory) {
    if (memory == NULL)
        return;
    void *given = NULL;
    memcpy(&given, (char *)memory - sizeof(void *), sizeof(void *));
    current.release(current.context, given);
}
