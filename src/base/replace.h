/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are whole or not there: what is written goes to a file without a name in the same
 * folder or, where there is none, to a temporary name, is flushed, and takes the place of an older
 * file by a rename.
 */
#ifndef FROCC_REPLACE_H
#define FROCC_REPLACE_H

#include "base/base.h"

typedef struct frocc__out frocc__out;

/* A path of NULL is the standard output. patched: bytes that were written will be changed later, so
 * a pipe gets them at the end only. */
frocc_status frocc__out_open(const char *path, bool patched, frocc__out **out);
/* Right after opening: what is written is packed as gzip. */
frocc_status frocc__out_pack(frocc__out *out);
/* When all that is written so far is a header: from now on rows stand in the file as soon as they
 * are flushed. One that is there is begun anew or, if it begins with the header, goes on. */
frocc_status frocc__out_in_place(frocc__out *out, bool goes_on);
frocc_status frocc__out_write(frocc__out *out, const void *bytes, size_t size);
/* Room for size bytes (at most 4096) to be written in place; out_used says how many were. */
frocc_status frocc__out_room(frocc__out *out, char **room);
void frocc__out_used(frocc__out *out, size_t size);
#define FROCC__OUT_ROOM 4096
/* Hands on what a pipe or a terminal may have already; a file that is to appear whole waits. */
frocc_status frocc__out_flush(frocc__out *out);
frocc_status frocc__out_patch(frocc__out *out, uint64_t offset, const void *bytes, size_t size);
frocc_status frocc__out_finish(frocc__out *out);
void frocc__out_free(frocc__out *out);                   /* removes what is not finished */
const char *frocc__out_temporary(const frocc__out *out); /* NULL where there is none */

/* All of a file at once; a path of NULL is the standard output. */
frocc_status frocc__file_replace(const char *path, const void *bytes, size_t size);

#endif
