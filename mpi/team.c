/* SPDX-License-Identifier: BSD-3-Clause */
#include "team.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"

static int rank, size;
static int streams; /* others wait for bytes, not for an agreement */
static double merge_seconds;

enum { TAG = 1 };
static const size_t most_bytes = (size_t)1 << 30; /* MPI counts in int */

int team_rank(void) {
    return rank;
}

int team_size(void) {
    return size;
}

/* ---- Agreeing -------------------------------------------------------------------------------- */

/* The lowest process that failed, or their number; failed says whether this one did. */
static int first_failure(int failed) {
    int own = failed ? rank : size, first = size;
    MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first;
}

_Noreturn static void end_with(int first, int code, const char *sentence) {
    if (rank == first) {
        fprintf(stderr, "frocc-mpi: rank %d of %d: %s\n", rank, size, sentence);
        fflush(stderr);
    }
    MPI_Bcast(&code, 1, MPI_INT, first, MPI_COMM_WORLD);
    exit(code);
}

static void fail(int code, const char *sentence) {
    if (streams) {
        fprintf(stderr, "frocc-mpi: rank %d of %d: %s\n", rank, size, sentence);
        fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    end_with(first_failure(1), code, sentence);
}

void team_agree(void) {
    int first = first_failure(0);
    if (first < size) {
        end_with(first, EXIT_FAILED, "");
    }
}

/* However the program ends. */
static void finalize(void) {
    int is_over = 0;
    MPI_Finalized(&is_over);
    if (!is_over) {
        MPI_Finalize();
    }
}

void team_begin(int *count, char ***words) {
    MPI_Init(count, words);
    atexit(finalize);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    die_together = fail;
}

_Noreturn void team_end(int code) {
    finalize();
    die_together = NULL;
    exit(code);
}

void team_stream(void) {
    streams = 1;
}

/* ---- Exchanging ------------------------------------------------------------------------------ */

void team_share(team_bytes *bytes) {
    uint64_t n = bytes->size;
    team_agree();
    MPI_Bcast(&n, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (rank > 0) {
        bytes->size = (size_t)n;
        bytes->bytes = must_allocate((size_t)n, 1);
    }
    team_agree(); /* all have the room */
    for (size_t at = 0; at < bytes->size; at += most_bytes) {
        size_t some = bytes->size - at < most_bytes ? bytes->size - at : most_bytes;
        MPI_Bcast((char *)bytes->bytes + at, (int)some, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
}

uint64_t team_sum(uint64_t value) {
    uint64_t sum = 0;
    team_agree();
    MPI_Allreduce(&value, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

team_bytes team_gather(const team_bytes *own, size_t *places) {
    if (own->size > most_bytes / (size_t)size) {
        die(EXIT_FAILED, "the columns have too much text to compare it between processes");
    }
    int *counts = must_allocate((size_t)size, sizeof *counts);
    int *starts = must_allocate((size_t)size, sizeof *starts);
    int count = (int)own->size;
    team_agree();
    MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    places[0] = 0;
    for (int r = 0; r < size; r++) {
        starts[r] = (int)places[r];
        places[r + 1] = places[r] + (size_t)counts[r];
    }
    team_bytes all = {must_allocate(places[size], 1), places[size]};
    team_agree();
    MPI_Allgatherv(own->bytes, count, MPI_BYTE, all.bytes, counts, starts, MPI_BYTE,
                   MPI_COMM_WORLD);
    free(counts);
    free(starts);
    return all;
}

/* ---- One to one ------------------------------------------------------------------------------ */

static void send_size(int to, size_t n_bytes) {
    uint64_t n = n_bytes;
    MPI_Send(&n, 1, MPI_UINT64_T, to, TAG, MPI_COMM_WORLD);
}

static void send_bytes(int to, const void *bytes, size_t n_bytes) {
    for (size_t at = 0; at < n_bytes; at += most_bytes) {
        size_t some = n_bytes - at < most_bytes ? n_bytes - at : most_bytes;
        MPI_Send((const char *)bytes + at, (int)some, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
    }
}

static uint64_t size_from(int from) {
    uint64_t n = 0;
    MPI_Recv(&n, 1, MPI_UINT64_T, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return n;
}

static void receive_bytes(int from, void *bytes, size_t n_bytes) {
    for (size_t at = 0; at < n_bytes; at += most_bytes) {
        size_t some = n_bytes - at < most_bytes ? n_bytes - at : most_bytes;
        MPI_Recv((char *)bytes + at, (int)some, MPI_BYTE, from, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

/* In each round half of those that are left hand over and are done; they still agree. */
void team_merge(void *context, team_bytes (*pack)(void *context),
                void (*take)(void *context, const team_bytes *bytes)) {
    team_agree();
    const double begin = MPI_Wtime();
    for (int step = 1; step < size; step *= 2) {
        const int gives = rank % (2 * step) == step;
        const int takes = rank % (2 * step) == 0 && rank + step < size;
        team_bytes given = {NULL, 0};
        if (gives) {
            given = pack(context);
        }
        team_agree();
        if (gives) {
            send_size(rank - step, given.size);
        } else if (takes) {
            given.size = (size_t)size_from(rank + step);
            given.bytes = must_allocate(given.size, 1);
        }
        team_agree(); /* the room is there */
        if (gives) {
            send_bytes(rank - step, given.bytes, given.size);
        } else if (takes) {
            receive_bytes(rank + step, given.bytes, given.size);
            take(context, &given);
        }
        free(given.bytes);
    }
    team_agree();
    merge_seconds += MPI_Wtime() - begin;
}

double team_merge_seconds(void) {
    return merge_seconds;
}

void team_send(const void *bytes, size_t n_bytes) {
    send_size(0, n_bytes);
    send_bytes(0, bytes, n_bytes);
}

size_t team_receive(int from, team_bytes *room) {
    size_t n_bytes = (size_t)size_from(from);
    if (n_bytes > room->size) {
        room->bytes = must_resize(room->bytes, n_bytes, 1);
        room->size = n_bytes;
    }
    receive_bytes(from, room->bytes, n_bytes);
    return n_bytes;
}
