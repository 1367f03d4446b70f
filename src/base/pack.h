/* SPDX-License-Identifier: BSD-3-Clause */
/* gzip on the way to a file: the same bytes for the same content, without a time or a name. */
#ifndef FROCC_PACK_H
#define FROCC_PACK_H

#include "base/base.h"

typedef struct frocc__pack frocc__pack;

/* What is packed goes to put; name is for messages. FROCC_ERR_UNSUPPORTED without zlib. */
frocc_status frocc__pack_new(const char *name,
                             frocc_status (*put)(void *context, const void *bytes, size_t size),
                             void *context, frocc__pack **pack);
frocc_status frocc__pack_add(frocc__pack *pack, const void *bytes, size_t size);
frocc_status frocc__pack_flush(frocc__pack *pack); /* so that all can be unpacked by now */
frocc_status frocc__pack_end(frocc__pack *pack);
void frocc__pack_free(frocc__pack *pack);

#endif
