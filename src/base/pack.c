/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pack.h"

#include "base/memory.h"
#include "base/status.h"

#if defined(FROCC_HAVE_ZLIB)
#include <zlib.h>

struct frocc__pack {
    z_stream z;
    bool started;
    const char *name;
    frocc_status (*put)(void *context, const void *bytes, size_t size);
    void *context;
    unsigned char output[1 << 16];
};

static void *zlib_allocate(void *context, unsigned count, unsigned size) {
    (void)context;
    return frocc__alloc(count, size);
}
static void zlib_release(void *context, void *memory) {
    (void)context;
    frocc__free(memory);
}

frocc_status frocc__pack_new(const char *name,
                             frocc_status (*put)(void *context, const void *bytes, size_t size),
                             void *context, frocc__pack **pack) {
    frocc__pack *p = frocc__alloc(1, sizeof *p);
    if (p == NULL)
        return FROCC_ERR_MEMORY;
    p->name = name;
    p->put = put;
    p->context = context;
    p->z.zalloc = zlib_allocate;
    p->z.zfree = zlib_release;
    /* 15 bits of window; 16 more ask for gzip's frame. */
    if (deflateInit2(&p->z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        frocc__free(p);
        return frocc__fail(FROCC_ERR_MEMORY, "%s: zlib could not be started", name);
    }
    p->started = true;
    *pack = p;
    return FROCC_OK;
}

static frocc_status run(frocc__pack *p, int mode) {
    do {
        p->z.next_out = p->output;
        p->z.avail_out = sizeof p->output;
        if (deflate(&p->z, mode) == Z_STREAM_ERROR)
            return frocc__fail(FROCC_ERR_IO, "%s: zlib could not pack it", p->name);
        const size_t used = sizeof p->output - p->z.avail_out;
        if (used > 0)
            FROCC_TRY(p->put(p->context, p->output, used));
    } while (p->z.avail_out == 0);
    return FROCC_OK;
}

frocc_status frocc__pack_add(frocc__pack *p, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const size_t part = FROCC_MIN(size - done, (size_t)1 << 30);
        p->z.next_in = (unsigned char *)(uintptr_t)bytes + done;
        p->z.avail_in = (unsigned)part;
        FROCC_TRY(run(p, Z_NO_FLUSH));
        done += part;
    }
    return FROCC_OK;
}

frocc_status frocc__pack_flush(frocc__pack *p) {
    return run(p, Z_SYNC_FLUSH);
}

frocc_status frocc__pack_end(frocc__pack *p) {
    return run(p, Z_FINISH);
}

void frocc__pack_free(frocc__pack *p) {
    if (p != NULL && p->started)
        deflateEnd(&p->z);
    frocc__free(p);
}

#else

frocc_status frocc__pack_new(const char *name,
                             frocc_status (*put)(void *context, const void *bytes, size_t size),
                             void *context, frocc__pack **pack) {
    (void)put, (void)context, (void)pack;
    return frocc__fail(FROCC_ERR_UNSUPPORTED,
                       "%s: gzip cannot be written, as this frocc was built without zlib; write to "
                       "- and pipe it into gzip",
                       name);
}
frocc_status frocc__pack_add(frocc__pack *pack, const void *bytes, size_t size) {
    (void)pack, (void)bytes, (void)size;
    return FROCC_ERR_UNSUPPORTED;
}
frocc_status frocc__pack_flush(frocc__pack *pack) {
    (void)pack;
    return FROCC_ERR_UNSUPPORTED;
}
frocc_status frocc__pack_end(frocc__pack *pack) {
    (void)pack;
    return FROCC_ERR_UNSUPPORTED;
}
void frocc__pack_free(frocc__pack *pack) {
    (void)pack;
}

#endif
