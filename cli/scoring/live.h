/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream whose lines still come: it is answered line by line, asked to stop by SIGTERM or SIGINT,
 * and its model is read anew when its file is replaced or SIGHUP comes. */
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "scoring/scoring.h"

typedef struct cli_live cli_live;

/* NULL unless one of the files is a pipe, a socket or a terminal. */
cli_live *live_open(const char *const *paths, size_t n_paths, const char *model_path);
void live_close(cli_live *live);

/* When the first line has come: signals ask from now on. Of NULL nothing happens, here and below.
 */
void live_begin(cli_live *live);

/* For the reader: other than 0 where there is something else to do first. */
int live_wait(void *context, int file);

/* Does that: the model that is there now takes the place of the old one, if it can. */
void live_reload(cli_scoring *scoring);

/* Whether the output is to be opened anew, after SIGHUP; forgets it. */
bool live_reopens(cli_live *live);

#endif
