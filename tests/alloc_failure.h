/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * alloc_failure.h - an allocator that can be told to fail once, at its n-th call, and counts what
 * is not given back. An operation is a function that arms the fault itself once its inputs are
 * there.
 */
#ifndef FROCC_TESTS_ALLOC_FAILURE_H
#define FROCC_TESTS_ALLOC_FAILURE_H

#include <stdatomic.h>

#include "check.h"

/* What results hold before a call; a call that fails leaves it there. */
#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

static struct {
    atomic_bool armed;
    atomic_long calls, fail_at, live;
} memory;

static inline void *counted_allocate(void *context, size_t bytes) {
    void *block;

    (void)context;
    if (atomic_load(&memory.armed) &&
        atomic_fetch_add(&memory.calls, 1) + 1 == atomic_load(&memory.fail_at))
        return NULL;
    block = malloc(bytes);
    if (block)
        atomic_fetch_add(&memory.live, 1);
    return block;
}

static inline void counted_release(void *context, void *block) {
    (void)context;
    if (block)
        atomic_fetch_sub(&memory.live, 1);
    free(block);
}

/* Before anything is allocated. */
static inline void count_allocations(void) {
    static const frocc_allocator counted = {counted_allocate, counted_release, NULL};

    frocc_set_allocator(&counted);
}

static inline void arm(void) {
    atomic_store(&memory.calls, 0);
    atomic_store(&memory.armed, true);
}

static inline void disarm(void) {
    atomic_store(&memory.armed, false);
}

typedef frocc_status (*operation)(void);

/* Fails the 1st allocation, and each step-th after it, until the operation gets through; returns
 * how many there are, at most a step too many. */
static inline long fail_each(const char *name, operation op, long step) {
    for (long n = 1;; n += step) {
        long before = atomic_load(&memory.live);
        atomic_store(&memory.fail_at, n);
        frocc_status status = op();
        disarm();
        check(atomic_load(&memory.live) == before, "%s: %ld allocations leaked at failure %ld",
              name, atomic_load(&memory.live) - before, n);
        if (atomic_load(&memory.calls) < n) {
            check(status == FROCC_OK, "%s: %s without any failed allocation: %s", name,
                  frocc_status_name(status), frocc_last_error());
            return n - 1;
        }
        check(status == FROCC_ERR_MEMORY, "%s: %s when allocation %ld failed", name,
              frocc_status_name(status), n);
        check(strlen(frocc_last_error()) > 10, "%s: no sentence", name);
    }
}

#endif
