/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_SAMPLE_H
#define FROCC_SAMPLE_H

#include "rows.h"

/* A row of a sample: its non-zero entries, and how often it came. */
typedef struct frocc__member {
    uint64_t hash;
    uint64_t copies;
    size_t count;
    int32_t *columns;
    double *values;
} frocc__member;

/* The sample, settled: by rising hash, at most k. The rows stay the sample's. */
typedef struct frocc__members {
    size_t n_features;
    size_t count;
    frocc__member *rows;
} frocc__members;

frocc_status frocc__sample_settled(const frocc_sample *sample, frocc__members *members);
void frocc__members_free(frocc__members *members);

/* One member as rows. row_start is the caller's, and must live as long. */
frocc_rows frocc__member_row(const frocc__member *member, size_t n_features, int64_t row_start[2]);

#endif
