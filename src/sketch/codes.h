/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What columns of codes teach, as counts that are exact, free of order and mergeable:
 * - how many rows have a code, for every code (tallies);
 * - how many have two known codes together, for pairs of columns, up to 255;
 * - where the numbers of the rows with a known code lie: small histograms, as those of leaves.
 * Memory grows with columns, not with codes: a tally that has too many codes tells them apart by
 * fewer of their bits.
 */
#ifndef FROCC_SKETCH_CODES_H
#define FROCC_SKETCH_CODES_H

#include "project/drive.h"
#include "sketch/histogram.h"

/* Codes that a tally tells apart at most. */
#define FROCC_MOST_TALLIED 32768

/* Rows by the code of one column: an open hash table. */
typedef struct frocc__code_tally {
    uint32_t bits; /* the upper ones of a code that are told apart */
    uint32_t used, capacity;
    uint32_t *keys; /* those bits, plus 1; 0 for an empty slot */
    uint32_t *rows;
} frocc__code_tally;

/* How many pairs of columns are looked at, how many places all pairs have together, and how many
 * histograms of groups there are, at most. */
#define FROCC_MOST_PAIRS 256
#define FROCC_MOST_PAIR_PLACES ((size_t)1 << 22)
#define FROCC_MOST_GROUP_SLOTS ((size_t)16384)

/* More rows with both codes than this are not told apart. */
#define FROCC_MOST_TOGETHER 255

typedef struct frocc__pair {
    uint32_t a, b; /* columns of codes */
    size_t first;  /* of its places: those of rank 1 with 1, with 2, ... */
} frocc__pair;

/* Which pairs and groups a frame looks at: a function of its columns. */
typedef struct frocc__code_plan {
    uint32_t pair_ranks, group_ranks; /* ranks up to these are looked at */
    size_t n_pairs, n_places;
    frocc__pair *pairs;
    size_t n_numbers;    /* of groups */
    uint32_t *numbers;   /* prepared features */
    size_t n_groups;     /* codes of all columns that make groups */
    size_t *first_group; /* per column of codes; SIZE_MAX where it makes none */
} frocc__code_plan;

typedef struct frocc__codes {
    const frocc__columns *columns; /* not its own */
    frocc__code_plan plan;
    frocc__code_tally *tallies;
    uint32_t *ranked; /* rows by rank, FROCC_MOST_KNOWN + 1 a column */
    uint8_t *together;
    frocc__histograms groups; /* slot: group times n_numbers plus number */
    bool has_failed;          /* there was no memory for the code of a row */
} frocc__codes;

static inline size_t frocc__ranks_within(const frocc__columns *columns, size_t column,
                                         uint32_t most) {
    return FROCC_MIN(columns->known[column].count, most);
}

/* The place of two ranks of a pair, SIZE_MAX where one of them is not looked at. */
static inline size_t frocc__place_of(const frocc__codes *codes, const frocc__pair *pair, uint32_t a,
                                     uint32_t b) {
    const uint32_t most = codes->plan.pair_ranks;
    if (a == 0 || b == 0 || a > most || b > most)
        return SIZE_MAX;
    return pair->first + (a - 1) * frocc__ranks_within(codes->columns, pair->b, most) + (b - 1);
}

/* The group of a rank, SIZE_MAX for none. */
static inline size_t frocc__group_of(const frocc__codes *codes, size_t column, uint32_t rank) {
    const size_t first = codes->plan.first_group[column];
    return rank == 0 || rank > codes->plan.group_ranks || first == SIZE_MAX ? SIZE_MAX
                                                                            : first + rank - 1;
}

/* Rows with this code; or with codes that are not told apart from it. */
uint32_t frocc__tally_rows(const frocc__code_tally *tally, uint32_t code);

/* Memory that codes take which are read from so many bytes, at most. */
uint64_t frocc__codes_memory(const frocc__columns *columns, uint64_t size);

/* Of frames that do not judge codes it is empty. */
frocc_status frocc__codes_new(const frocc_frame *frame, frocc__codes *codes);
void frocc__codes_free(frocc__codes *codes);

void frocc__codes_take(frocc__codes *codes, const frocc_frame *frame,
                       const frocc__projections *projections);
void frocc__codes_merge(frocc__codes *into, const frocc__codes *from, frocc__bin *bins);

/* As part of a section of the model file, with its length in front; merged in from there. */
void frocc__codes_write(const frocc__codes *codes, frocc__bin *bins, frocc__bytes_out *out);
frocc_status frocc__codes_merge_bytes(frocc__codes *into, frocc__bytes_in *in);
frocc_status frocc__codes_copy_bytes(frocc__bytes_in *in, frocc__bytes_out *out);

#endif
