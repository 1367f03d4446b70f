/* SPDX-License-Identifier: BSD-3-Clause */
/* zlib behind three functions; built without it (no FROCC_HAVE_ZLIB), they say what is missing. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"

#if defined(FROCC_HAVE_ZLIB)
#include <zlib.h>

#define INPUT_SIZE ((size_t)1 << 16)

struct frocc__inflate {
    z_stream z;
    const char *name;
    bool gzip;
    frocc__pull pull;
    void *context;
    bool started, between, finished; /* between: one member has ended, none has begun */
    bool padded;                     /* and zeros have come: there is no other */
    unsigned char input[INPUT_SIZE];
};

static void *zlib_allocate(void *context, unsigned count, unsigned size) {
    (void)context;
    return frocc__alloc(count, size);
}
static void zlib_release(void *context, void *memory) {
    (void)context;
    frocc__free(memory);
}

frocc_status frocc__inflate_new(const char *name, bool gzip, frocc__pull pull, void *context,
                                frocc__inflate **inflate) {
    frocc__inflate *i = frocc__alloc(1, sizeof *i);
    if (i == NULL)
        return FROCC_ERR_MEMORY;
    i->name = name;
    i->gzip = gzip;
    i->pull = pull;
    i->context = context;
    i->z.zalloc = zlib_allocate;
    i->z.zfree = zlib_release;
    /* 15 bits of window; 16 more ask for gzip's frame, a minus for none. */
    if (inflateInit2(&i->z, gzip ? 15 + 16 : -15) != Z_OK) {
        frocc__free(i);
        return frocc__fail(FROCC_ERR_MEMORY, "%s: zlib could not be started", name);
    }
    i->started = true;
    *inflate = i;
    return FROCC_OK;
}

void frocc__inflate_free(frocc__inflate *i) {
    if (i != NULL && i->started)
        inflateEnd(&i->z);
    frocc__free(i);
}

frocc_status frocc__inflate_restart(frocc__inflate *i) {
    i->z.avail_in = 0;
    i->between = i->padded = i->finished = false;
    inflateReset(&i->z);
    return FROCC_OK;
}

static frocc_status refill(frocc__inflate *i) {
    size_t got = 0;
    FROCC_TRY(i->pull(i->context, i->input, INPUT_SIZE, &got));
    i->z.next_in = i->input;
    i->z.avail_in = (unsigned)got;
    if (got == 0 && !i->between)
        return frocc__fail(FROCC_ERR_DATA, "%s: the compressed data ends too soon; it is cut off",
                           i->name);
    i->finished = got == 0;
    return FROCC_OK;
}

/* A member of gzip may be followed by another or, as on tapes, by zeros. gzip only warns of
 * anything else; but where that was a member, half of the rows are missing. */
static frocc_status begin_member(frocc__inflate *i) {
    while (i->z.avail_in > 0 && i->z.next_in[0] == 0) {
        i->padded = true;
        i->z.next_in++;
        i->z.avail_in--;
    }
    if (i->z.avail_in == 0)
        return FROCC_OK;
    if (i->padded || i->z.next_in[0] != 0x1f)
        return frocc__fail(FROCC_ERR_DATA,
                           "%s: behind the compressed data there is something that is not gzip; "
                           "the file is damaged, or something was appended to it",
                           i->name);
    inflateReset(&i->z);
    i->between = false;
    return FROCC_OK;
}

static frocc_status step(frocc__inflate *i) {
    if (i->z.avail_in == 0)
        FROCC_TRY(refill(i));
    if (i->finished)
        return FROCC_OK;
    if (i->between)
        return begin_member(i);
    int result = inflate(&i->z, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
        i->between = i->gzip;
        i->finished = !i->gzip;
        return FROCC_OK;
    }
    if (result == Z_OK || result == Z_BUF_ERROR)
        return FROCC_OK;
    if (result == Z_MEM_ERROR)
        return FROCC_ERR_MEMORY;
    return frocc__fail(FROCC_ERR_DATA, "%s: the compressed data is damaged (%s)", i->name,
                       i->z.msg != NULL ? i->z.msg : "zlib gives no reason");
}

/* ready: what was pulled is enough, as soon as it gives any bytes. */
static frocc_status unpack(frocc__inflate *i, bool ready, void *bytes, size_t size, size_t *got) {
    size_t done = 0;
    while (done < size && !i->finished && !(ready && done > 0 && i->z.avail_in == 0)) {
        size_t room = FROCC_MIN(size - done, (size_t)1 << 30);
        i->z.next_out = (unsigned char *)bytes + done;
        i->z.avail_out = (unsigned)room;
        FROCC_TRY(step(i));
        done += room - i->z.avail_out;
    }
    *got = done;
    return FROCC_OK;
}

frocc_status frocc__inflate_read(frocc__inflate *i, void *bytes, size_t size, size_t *got) {
    return unpack(i, false, bytes, size, got);
}

frocc_status frocc__inflate_ready(frocc__inflate *i, void *bytes, size_t size, size_t *got) {
    return unpack(i, true, bytes, size, got);
}

uint32_t frocc__crc32(uint32_t crc, const void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        unsigned part = (unsigned)FROCC_MIN(size - done, (size_t)1 << 30);
        crc = (uint32_t)crc32(crc, (const unsigned char *)bytes + done, part);
        done += part;
    }
    return crc;
}

#else

uint32_t frocc__crc32(uint32_t crc, const void *bytes, size_t size) {
    (void)crc, (void)bytes, (void)size;
    return 0;
}

struct frocc__inflate {
    int unused;
};

frocc_status frocc__inflate_new(const char *name, bool gzip, frocc__pull pull, void *context,
                                frocc__inflate **inflate) {
    (void)gzip, (void)pull, (void)context, (void)inflate;
    return frocc__fail(FROCC_ERR_UNSUPPORTED,
                       "%s: is compressed, and this frocc was built without zlib; unpack it first",
                       name);
}
frocc_status frocc__inflate_read(frocc__inflate *i, void *bytes, size_t size, size_t *got) {
    (void)i, (void)bytes, (void)size, (void)got;
    return FROCC_ERR_UNSUPPORTED;
}
frocc_status frocc__inflate_ready(frocc__inflate *i, void *bytes, size_t size, size_t *got) {
    return frocc__inflate_read(i, bytes, size, got);
}
frocc_status frocc__inflate_restart(frocc__inflate *i) {
    (void)i;
    return FROCC_ERR_UNSUPPORTED;
}
void frocc__inflate_free(frocc__inflate *i) {
    (void)i;
}

#endif
