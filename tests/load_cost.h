/* SPDX-License-Identifier: BSD-3-Clause */
/* load_cost.h - what loading a model takes: memory, counted by an allocator, and CPU time. */
#ifndef FROCC_TESTS_LOAD_COST_H
#define FROCC_TESTS_LOAD_COST_H

#include <stdatomic.h>
#include <time.h>

#include "laws.h"
#include "reseal.h"

#define MEMORY_OF_A_LOAD ((size_t)64 * 1000 * 1000)
#define SECONDS_OF_A_LOAD 1.0
#define SECONDS_UNDER_A_TOOL 50 /* valgrind takes that many times as long */

static struct {
    atomic_size_t live, most; /* bytes now, and at most since the last load began */
    size_t worst;             /* bytes, of all loads */
    double worst_seconds;
} cost;

static float weight = 1; /* of the custom kernel */

static inline void *cost_allocate(void *context, size_t bytes) {
    (void)context;
    size_t *block = malloc(bytes + 16);
    if (block == NULL)
        return NULL;
    *block = bytes;
    const size_t now = atomic_fetch_add(&cost.live, bytes) + bytes;
    if (now > atomic_load(&cost.most))
        atomic_store(&cost.most, now);
    return (char *)block + 16;
}

static inline void cost_release(void *context, void *memory) {
    (void)context;
    size_t *block = (size_t *)(void *)((char *)memory - 16);
    atomic_fetch_sub(&cost.live, *block);
    free(block);
}

/* Before anything is allocated. */
static inline void count_memory(void) {
    static const frocc_allocator counting = {cost_allocate, cost_release, NULL};
    frocc_set_allocator(&counting);
}

static inline frocc_status load(const unsigned char *bytes, size_t size, size_t max_memory,
                                frocc_model **model) {
    const frocc_load_options options = {sizeof options, city_block, &weight, max_memory};
    atomic_store(&cost.most, atomic_load(&cost.live));
    return frocc_model_from_bytes(bytes, size, &options, model);
}

/* What is done between the two takes less than so much memory and CPU time; the most goes on
 * record. */
typedef struct cost_mark {
    size_t before;
    clock_t start;
} cost_mark;

static inline cost_mark cost_begin(void) {
    const size_t before = atomic_load(&cost.live);
    atomic_store(&cost.most, before);
    return (cost_mark){before, clock()};
}

static inline void cost_end(cost_mark mark, size_t memory, double limit, const char *what) {
    const double seconds = (double)(clock() - mark.start) / CLOCKS_PER_SEC;
    const size_t most = atomic_load(&cost.most);
    cost.worst = most > cost.worst ? most : cost.worst;
    cost.worst_seconds = seconds > cost.worst_seconds ? seconds : cost.worst_seconds;
    check(most < memory, "%s: took %zu bytes", what, most);
    check(seconds < (check_quick() ? limit * SECONDS_UNDER_A_TOOL : limit), "%s: took %g seconds",
          what, seconds);
}

static inline bool is_loaded(frocc_status status, size_t before, const char *what) {
    check(status == FROCC_OK || status == FROCC_ERR_FORMAT || status == FROCC_ERR_VERSION ||
              status == FROCC_ERR_MEMORY || status == FROCC_ERR_UNSUPPORTED,
          "%s: %s", what, frocc_last_error());
    check(status == FROCC_OK || atomic_load(&cost.live) == before,
          "%s: what was refused has left something", what);
    return status == FROCC_OK;
}

/* Loads, or not, within a moment and 64 MB, and a load that fails keeps nothing. NULL where it was
 * refused. */
static inline frocc_model *load_lightly(const unsigned char *bytes, size_t size, const char *what) {
    const cost_mark mark = cost_begin();
    frocc_model *model = NULL;
    const frocc_status status = load(bytes, size, 0, &model);
    cost_end(mark, MEMORY_OF_A_LOAD, SECONDS_OF_A_LOAD, what);
    check(is_loaded(status, mark.before, what) == (model != NULL), "%s: a half result", what);
    return model;
}

static inline frocc_fitter *load_fitter_lightly(const unsigned char *bytes, size_t size,
                                                const char *what) {
    const frocc_load_options options = {sizeof options, city_block, &weight, 0};
    const cost_mark mark = cost_begin();
    frocc_fitter *fitter = NULL;
    const frocc_status status = frocc_fitter_from_bytes(bytes, size, &options, 1, &fitter);
    cost_end(mark, MEMORY_OF_A_LOAD, SECONDS_OF_A_LOAD, what);
    check(is_loaded(status, mark.before, what) == (fitter != NULL), "%s: a half result", what);
    return fitter;
}

#endif
