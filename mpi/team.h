/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes of one frocc-mpi: how they agree, fail and merge together.
 *
 * Between two agreements each works for itself, and one that fails waits for the next of them to
 * say so; then all end with the sentence of the first that failed, and nobody has written a result.
 */
#ifndef MPI_TEAM_H
#define MPI_TEAM_H

#include <stddef.h>
#include <stdint.h>

typedef struct team_bytes {
    void *bytes; /* free() releases */
    size_t size;
} team_bytes;

/* Starts MPI, and makes failures of the command failures of all. */
void team_begin(int *count, char ***words);

/* Ends it, in all processes at the same time; does not return. */
_Noreturn void team_end(int code);

int team_rank(void);
int team_size(void);

/* Goes on when all processes are fine so far. */
void team_agree(void);

/* What the first process has, in all of them. */
void team_share(team_bytes *bytes);

/* The sum over all, in all of them. */
uint64_t team_sum(uint64_t value);

/* What each process has, one behind the other, with where that of each begins: size + 1 places. */
team_bytes team_gather(const team_bytes *own, size_t *places);

/* Makes the first process merge what all have, pair by pair in a tree. pack is called by those that
 * hand over, take by those that get it; both die where they cannot. */
void team_merge(void *context, team_bytes (*pack)(void *context),
                void (*take)(void *context, const team_bytes *bytes));

/* How long team_merge has taken so far, from when all processes were there. */
double team_merge_seconds(void);

/* To the first process, which asks one after the other; size 0 is the end. A failure here ends all
 * at once. */
void team_send(const void *bytes, size_t n_bytes);
size_t team_receive(int from, team_bytes *room);

/* From here on nobody waits for an agreement any more. */
void team_stream(void);

#endif
