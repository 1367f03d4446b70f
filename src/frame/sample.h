/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FROCC_SAMPLE_H
#define FROCC_SAMPLE_H

#include "base/rows.h"

/* A row of a sample: its non-zero entries, and how often it came. */
typedef struct frocc__member {
    uint64_t hash;
    uint64_t copies;
    size_t count;
    int32_t *columns;
    double *values;
} frocc__member;

/* Members 0 .. n_sorted - 1 are the sample so far, by rising hash; the others wait. */
struct frocc_sample {
    size_t n_features;
    size_t k;
    uint64_t seed;
    frocc_schema *schema; /* of the rows, for those who read files; may be NULL */
    size_t n_sorted, n_members, capacity;
    frocc__member *members;
    uint64_t n_rows; /* no fewer than all copies together, which so never wrap */
    bool broken;     /* ran out of memory half way through some rows */
};

/* The rows of a sample: distinct, by rising hash, at most k. They stay the sample's. */
typedef struct frocc__members {
    size_t n_features;
    size_t count;
    frocc__member *rows;
} frocc__members;

frocc_status frocc__sample_members(const frocc_sample *sample, frocc__members *members);
void frocc__members_free(frocc__members *members);

/* The order of the rows: by hash and, where that is the same, by content. */
int frocc__member_compare(const void *left, const void *right);

/* The hash of a row's content. Half of all rows, by its first bit, may teach a calibrated frame,
 * and the other half may calibrate it, so that no row does both. */
uint64_t frocc__row_hash(const frocc_rows *rows, size_t r, uint64_t seed);

static inline bool frocc__may_calibrate(uint64_t hash) {
    return hash >> 63 != 0;
}

/*
 * Taking rows with care, for those who must not lose one: whether a row would enter; room for some
 * more; entering, which then fails only for lack of memory for the row itself; and leaving again in
 * the opposite order, unless the sample was tidied since.
 */
frocc_status frocc__sample_make(size_t k, uint64_t seed, size_t n_features, frocc_sample **sample);
void frocc__sample_clear(frocc_sample *sample);
size_t frocc__sample_count(const frocc_sample *sample);
const frocc__member *frocc__sample_at(const frocc_sample *sample, size_t i);
bool frocc__sample_wants(const frocc_sample *sample, uint64_t hash);
frocc_status frocc__sample_reserve(frocc_sample *sample, size_t n_more);
frocc_status frocc__sample_enter(frocc_sample *sample, const frocc_rows *rows, size_t r,
                                 uint64_t hash, uint64_t copies);
void frocc__sample_leave(frocc_sample *sample, size_t n_members);

/* Drops what no longer belongs to the sample, once that is much. */
void frocc__sample_tidy(frocc_sample *sample);

/* One member as rows. row_start is the caller's, and must live as long. */
frocc_rows frocc__member_row(const frocc__member *row, size_t n_features, int64_t row_start[2]);

#endif
