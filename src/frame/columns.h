/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a frame knows of columns that are no numbers. A category comes as a code, a whole number
 * that stands for a text. Codes that are frequent in the sample are *known*: each has a rank, and
 * the most frequent ones become features of directions, *indicators* of 1 or 0, standardised and
 * scaled by the root of how many a column has, so that it weighs no more than a number does.
 *
 * A prepared row has a place for every feature that came, numbers scaled, codes as they are, and
 * then the indicators. Directions look at numbers and indicators only.
 */
#ifndef FROCC_COLUMNS_H
#define FROCC_COLUMNS_H

#include "base/bytes.h"
#include "frame/sample.h"

/* Ranks that a column of codes has at most; 0 is that of all other codes. */
#define FROCC_MOST_KNOWN 255

/* Indicators of a column; where it has more codes, the last one is for all others together. */
#define FROCC_MOST_INDICATORS 12

/* A code is below this, so that float32 holds it exactly. */
#define FROCC_CODES (1u << 24)

typedef struct frocc__known {
    uint32_t feature;
    uint32_t count;  /* of known codes */
    uint32_t *codes; /* the most frequent first: rank r is of codes[r - 1] */
    uint32_t *slots; /* a hash table of them: code times 256 plus rank, or 0 */
    uint32_t shift;  /* of a hash, to a slot */
} frocc__known;

typedef struct frocc__indicator {
    uint32_t known;        /* which column of codes */
    uint32_t rank;         /* of its code; 0: all that no other indicator is for */
    float present, absent; /* its values */
} frocc__indicator;

/* Features that stand for the same column are dealt out as one: first a column, then one of them.
 */
typedef struct frocc__dealt {
    size_t n_columns;
    uint32_t *start;    /* per column, and one more */
    uint32_t *features; /* that directions look at */
} frocc__dealt;

typedef struct frocc__columns {
    size_t n_inputs;  /* features of a row as it comes */
    size_t n_codes;   /* of them codes; 0 where rows are numbers alone, and then nothing is below */
    size_t n_numbers; /* the others */
    size_t n_texts;   /* codes whose column has no number: its say, in a mean over columns */
    frocc__known *known;
    size_t n_indicators;
    frocc__indicator *indicators;
    uint8_t *is_code; /* per input */
    uint32_t *usable; /* the prepared features that directions look at, rising */
    size_t n_usable;
    frocc__dealt dealt;
} frocc__columns;

/* Whether rows read by this schema hold codes. */
bool frocc__has_codes(const frocc_schema *schema);

/* Learns which codes are frequent. Without codes there is nothing to learn. With
 * always_rest, a column has an indicator for codes that no row has: where codes are no evidence of
 * their own, only directions can tell that a row has one. */
frocc_status frocc__columns_learn(const frocc_schema *schema, const frocc__members *sample,
                                  size_t n_inputs, bool always_rest, frocc__columns *columns);
void frocc__columns_free(frocc__columns *columns);
bool frocc__columns_equal(const frocc__columns *a, const frocc__columns *b);

/* The code that came as a value. What is none is news, and the same news whenever it comes. */
uint32_t frocc__code_of(double value);

/* The code of a feature of a row as it comes. */
uint32_t frocc__code_at(const frocc_rows *rows, size_t r, size_t feature);

/* The code in a prepared row; of a row that was made to do harm it may be anything. */
static inline uint32_t frocc__code_in(float value) {
    return value >= 0.0f && value < (float)FROCC_CODES ? (uint32_t)value : 0;
}

/* The slot of a code, or the empty one where it belongs. */
static inline uint32_t *frocc__known_slot(const frocc__known *known, uint32_t code) {
    const uint32_t mask = (UINT32_MAX >> known->shift);
    uint32_t slot = code * 0x9E3779B1u >> known->shift;
    while (known->slots[slot] != 0 && known->slots[slot] >> 8 != code)
        slot = (slot + 1) & mask;
    return &known->slots[slot];
}

/* The rank of a code, 0 where it is not known. */
static inline uint32_t frocc__rank_of(const frocc__known *known, uint32_t code) {
    return *frocc__known_slot(known, code) & 255;
}

/* Sets the codes and the indicators of a prepared row, from the codes as they came. */
void frocc__columns_prepare(const frocc__columns *columns, const frocc_rows *rows, size_t r,
                            float *prepared);

static inline size_t frocc__columns_features(const frocc__columns *columns) {
    return columns->n_inputs + columns->n_indicators;
}

/* Columns that directions deal out: of rows of numbers alone every feature is one. */
static inline size_t frocc__dealt_columns(const frocc__columns *columns) {
    return columns->n_codes > 0 ? columns->dealt.n_columns : columns->n_inputs;
}

/* As part of the frame's section. */
void frocc__columns_write(const frocc__columns *columns, frocc__bytes_out *out);
/* Memory that reading them from so many bytes takes at most. */
uint64_t frocc__columns_memory(const frocc_schema *schema, size_t n_inputs, uint64_t size);
frocc_status frocc__columns_read(frocc__bytes_in *in, const frocc_schema *schema, size_t n_inputs,
                                 frocc__columns *columns);

#endif
