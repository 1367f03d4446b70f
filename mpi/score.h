/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frocc-mpi score and eval: each process scores a part of the rows. The first runs the command as
 * it is, and after its own blocks of rows gets those of the others, in the order of the input.
 */
#ifndef MPI_SCORE_H
#define MPI_SCORE_H

#include "scoring/scoring.h"

/* The next block of another process; for scoring_next_elsewhere. */
bool score_next_elsewhere(cli_scoring *scoring);

/* What all processes but the first do, which is told what of the rows was learnt where the command
 * asks for it. Results wait in a temporary file, so that nobody's memory grows with the rows. */
void score_for_the_first(const cli_arguments *arguments, bool asks_if_learnt);

#endif
