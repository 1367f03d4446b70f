/* SPDX-License-Identifier: BSD-3-Clause */
/* Cancelling: a function or a flag of the caller's, kept per thread. */
#define _POSIX_C_SOURCE 200809L
#include "base/cancel.h"

#include <time.h>

#include "base/threads.h"

/* Time between two questions: the caller's function may have to wait for a lock. */
#define MILLISECONDS 5

static _Thread_local struct {
    int (*asked)(void *context);
    void *context;
    double last; /* in milliseconds; when it was asked last */
} caller;

void frocc_set_cancel(int (*asked)(void *context), void *context) {
    caller.asked = asked;
    caller.context = context;
    caller.last = -MILLISECONDS;
}

static bool is_time(void) {
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const double ms = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
    if (ms < caller.last + MILLISECONDS)
        return false;
    caller.last = ms;
    return true;
}

bool frocc__may_be_cancelled(void) {
    return caller.asked != NULL || caller.context != NULL;
}

bool frocc__is_cancelled(void) {
    if (caller.asked == NULL)
        return caller.context != NULL && *(const volatile int *)caller.context != 0;
    return is_time() && caller.asked(caller.context) != 0;
}

frocc_status frocc__check_cancelled(void) {
    return frocc__is_cancelled() ? frocc__fail(FROCC_ERR_CANCELLED, "the call was cancelled")
                                 : FROCC_OK;
}

typedef struct some {
    size_t first;
    void (*work)(void *context, size_t i);
    void *context;
} some;

static void run_one(void *context, size_t i) {
    const some *s = context;
    s->work(s->context, s->first + i);
}

frocc_status frocc__run_cancellable(int team, size_t count, size_t at_once,
                                    void (*work)(void *context, size_t i), void *context) {
    for (size_t first = 0; first < count; first += at_once) {
        FROCC_TRY(frocc__check_cancelled());
        frocc__run_each(team, FROCC_MIN(count - first, at_once), run_one,
                        &(some){first, work, context});
    }
    return FROCC_OK;
}
