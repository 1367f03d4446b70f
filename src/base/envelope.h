/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What everything that travels is wrapped in (docs/model-format.md): a magic that tells what it is,
 * a version, sections with lengths, a checksum over all of it. The reader trusts nothing.
 */
#ifndef FROCC_ENVELOPE_H
#define FROCC_ENVELOPE_H

#include "base/bytes.h"

/* Section tags, readable in a hex dump. */
#define FROCC__TAG(a, b, c, d)                                                                     \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define FROCC__TAG_FRAME FROCC__TAG('F', 'R', 'A', 'M')

/* ---- Writing -------------------------------------------------------------------------------- */

void frocc__envelope_begin(frocc__bytes_out *out, frocc_kind kind);

/* A section's head, with a length that end fills in. */
size_t frocc__section_begin(frocc__bytes_out *out, uint32_t tag);
void frocc__section_end(frocc__bytes_out *out, size_t begin);

/* Adds the checksum and hands the bytes over; frees them where they are not whole. */
frocc_status frocc__envelope_end(frocc__bytes_out *out, void **bytes, size_t *size);

/* ---- Reading -------------------------------------------------------------------------------- */

/* A section that may be there, and what it holds; no data where it is not. */
typedef struct frocc__section {
    uint32_t tag;
    frocc__bytes_in in;
} frocc__section;

/* Whether the first bytes are those of this kind, in the version that this library reads. */
frocc_status frocc__envelope_check_head(const void *bytes, size_t length, frocc_kind kind);

/* Head and checksum; then the sections, each of which must be known and there once at most. */
frocc_status frocc__envelope_read(const void *bytes, size_t size, frocc_kind kind,
                                  frocc__section *sections, size_t n_sections);

frocc_status frocc__load_options_check(const frocc_load_options *options);

/* What may be taken for what so many bytes claim. */
uint64_t frocc__load_memory(const frocc_load_options *options, size_t size);

#endif
