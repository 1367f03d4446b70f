/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the call under way is to end early. It is asked where work is handed out: to threads run
 * by run, to a reader buffer by buffer, and in the longer loops. */
#ifndef FROCC_CANCEL_H
#define FROCC_CANCEL_H

#include "base/status.h"

/* Whether anybody may end it. */
bool frocc__may_be_cancelled(void);

/* Of the calling thread only: the threads of a team are stopped by the one that has called. */
bool frocc__is_cancelled(void);

/* The same as a status: FROCC_OK or FROCC_ERR_CANCELLED. */
frocc_status frocc__check_cancelled(void);

/* As frocc__run_each, at_once of them and then the question, until all are done. */
frocc_status frocc__run_cancellable(int team, size_t count, size_t at_once,
                                    void (*work)(void *context, size_t i), void *context);

#endif
