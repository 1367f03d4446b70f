/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histograms of leaves as bytes: of all slots first the range and which cells have values, which is
 * all that scoring mostly needs, and then how many, in bits; or no counts at all.
 */
#ifndef FROCC_LEAF_BYTES_H
#define FROCC_LEAF_BYTES_H

#include "base/bits.h"
#include "sketch/histogram.h"

/* Bytes of a slot without its counts. */
#define FROCC_LEAF_HEAD (3 * sizeof(uint32_t))

/* bins has room for those of a slot. */
void frocc__leaf_histograms_write(const frocc__histograms *histograms, frocc__bin *bins,
                                  frocc__bytes_out *out);

/* Reads slot after slot. Trusts nothing. Stays where it is, as it points to itself. */
typedef struct frocc__leaf_reader {
    frocc__bytes_in heads, counts;
    frocc__bits_in bits;
    bool has_counts;
} frocc__leaf_reader;

/* What is left of in are the histograms of so many slots. */
frocc_status frocc__leaf_reader_open(frocc__bytes_in in, size_t n_slots,
                                     frocc__leaf_reader *reader);

/* The next slot; occupied is 0 where it has no values. */
frocc_status frocc__leaf_read(frocc__leaf_reader *reader, frocc__grid *grid, uint32_t *occupied);

/* Then its bins, unless it is passed by, as all after it must be; counts that are not there are 1.
 */
frocc_status frocc__leaf_read_bins(frocc__leaf_reader *reader, const frocc__grid *grid,
                                   uint32_t occupied, frocc__bin *bins, size_t *n_bins);

/* After the bins of all slots: whether nothing is left. */
frocc_status frocc__leaf_reader_close(frocc__leaf_reader *reader);

/* The same histograms with no count above this: none at all where one is enough. */
frocc_status frocc__leaf_histograms_cap(frocc__bytes_in in, size_t n_slots, uint32_t most,
                                        frocc__bytes_out *out);

#endif
