/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc-mpi fit: each process learns from a part of the rows; the first has the model of all. */
#ifndef MPI_FIT_H
#define MPI_FIT_H

#include "data/normal_rows.h"

extern const normal_rows_team fit_team;

#endif
