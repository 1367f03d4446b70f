/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes of a file or pipe: unzipped where they are gzip, read again from the start where the
 * caller wants a second pass. What a pipe has delivered is gone, so it is copied, as it is read, to
 * a temporary file that has no name any more and vanishes with the process.
 *
 * The copy has a limit, and ends before the disk is full, which others write to, too.
 *
 * A pipe or a terminal that is read once is live: whoever writes to it may wait for the answer to a
 * line before the next one. What is there is then taken as it is, a lot where a lot is there.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read.h"

struct frocc__stream {
    char *name;
    int file;
    bool owned;   /* we opened it */
    bool regular; /* can be read at any position */
    bool keep;
    bool ended;        /* a pipe has said so; a terminal would have to say it again */
    int64_t start;     /* where the bytes begin: a standard input may be half read */
    uint64_t position; /* of the next raw byte */
    uint64_t taken;    /* bytes read from the file, in whatever order, since the start */
    int spool;         /* the copy of a pipe, or -1 */
    uint64_t spooled, most_spooled; /* most_spooled: 0 for as much as the disk has room for */
    char magic[2]; /* the first bytes of a pipe that is not kept, to be read once more */
    size_t magic_size;
    int (*wait)(void *context, int file);
    void *wait_context;
    bool beyond;             /* more was read than was looked at */
    frocc__inflate *inflate; /* NULL unless the bytes are gzip */
    int random;              /* what read_at reads, or -1 */
    int64_t random_start;
    uint64_t random_size;
    char *ahead; /* bytes that were looked at, from ahead_begin to ahead_end */
    size_t ahead_begin, ahead_end, ahead_size;
};

static frocc_status failure(const frocc__stream *s, const char *what) {
    return frocc__fail(FROCC_ERR_IO, "%s: cannot %s: %s", s->name, what, strerror(errno));
}

/* A file without a name in TMPDIR. */
static frocc_status open_temporary(const frocc__stream *s, int *file) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    if (folder == NULL || *folder == '\0')
        folder = "/tmp";
    if (snprintf(path, sizeof path, "%s/frocc-XXXXXX", folder) >= (int)sizeof path)
        return frocc__fail(FROCC_ERR_IO, "TMPDIR is too long a path");
    *file = mkstemp(path);
    if (*file < 0)
        return frocc__fail(FROCC_ERR_IO,
                           "%s: must be read twice, and a temporary copy cannot be made in %s: %s; "
                           "set TMPDIR to a folder with room",
                           s->name, folder, strerror(errno));
    unlink(path);
    return FROCC_OK;
}

static frocc_status write_whole(const frocc__stream *s, int file, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t put = write(file, bytes, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return frocc__fail(FROCC_ERR_IO,
                               "%s: its temporary copy cannot be written: %s; set TMPDIR to a "
                               "folder with room",
                               s->name, strerror(errno));
        bytes += put;
        size -= (size_t)put;
    }
    return FROCC_OK;
}

#define DISK_STEP ((uint64_t)1 << 24) /* bytes between two looks at the disk */
#define DISK_SHARE 20                 /* of it, one in so many stays free */

/* What fits into a temporary copy that has so many bytes by now, and how much room is left to
 * others. */
static frocc_status check_room(const frocc__stream *s, int file, uint64_t used, size_t size) {
    const char *folder = getenv("TMPDIR");
    struct statvfs disk;
    folder = folder == NULL || *folder == '\0' ? "/tmp" : folder;
    if (s->most_spooled > 0 && used + size > s->most_spooled)
        return frocc__fail(FROCC_ERR_IO,
                           "%s: must be read twice, and its temporary copy in %s would be larger "
                           "than %llu bytes; give a file, or allow a larger max_spool",
                           s->name, folder, (unsigned long long)s->most_spooled);
    if (used / DISK_STEP == (used + size) / DISK_STEP && used > 0)
        return FROCC_OK;
    if (fstatvfs(file, &disk) != 0 || disk.f_blocks == 0 ||
        disk.f_bavail >= disk.f_blocks / DISK_SHARE + DISK_STEP / disk.f_frsize)
        return FROCC_OK;
    return frocc__fail(FROCC_ERR_IO,
                       "%s: must be read twice, and its temporary copy would fill the disk of %s, "
                       "of which a twentieth is left free; set TMPDIR to a folder with room, or "
                       "give a file",
                       s->name, folder);
}

/* Up to size bytes from the offset on. */
static frocc_status read_some(const frocc__stream *s, int file, int64_t offset, void *bytes,
                              size_t size, size_t *got) {
    size_t done = 0;
    while (done < size) {
        ssize_t count = pread(file, (char *)bytes + done, size - done, offset + (int64_t)done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return failure(s, "read");
        if (count == 0)
            break;
        done += (size_t)count;
    }
    *got = done;
    return FROCC_OK;
}

/* What a pipe has, at least a byte; none at its end. */
static frocc_status read_pipe(frocc__stream *s, void *bytes, size_t size, size_t *got) {
    ssize_t count = 0;
    if (s->wait != NULL && size > 0 && !s->ended && s->wait(s->wait_context, s->file) != 0)
        return FROCC__PAUSED;
    while (size > 0 && !s->ended && (count = read(s->file, bytes, size)) < 0)
        if (errno != EINTR)
            return failure(s, "read");
    s->ended = s->ended || (size > 0 && count == 0);
    *got = (size_t)count;
    return FROCC_OK;
}

/* The bytes as they lie in the file; of a pipe, as many as are there. */
static frocc_status read_raw(void *context, void *bytes, size_t size, size_t *got) {
    frocc__stream *s = context;
    size_t count = 0;
    if (s->regular) {
        FROCC_TRY(read_some(s, s->file, s->start + (int64_t)s->position, bytes, size, &count));
    } else if (s->position < s->magic_size) {
        count = FROCC_MIN(size, s->magic_size - (size_t)s->position);
        memcpy(bytes, s->magic + s->position, count);
    } else if (s->position < s->spooled) {
        size = (size_t)FROCC_MIN((uint64_t)size, s->spooled - s->position);
        FROCC_TRY(read_some(s, s->spool, (int64_t)s->position, bytes, size, &count));
        if (count < size)
            return frocc__fail(FROCC_ERR_IO, "%s: its temporary copy has become shorter", s->name);
    } else {
        FROCC_TRY(read_pipe(s, bytes, size, &count));
        if (s->keep) {
            FROCC_TRY(check_room(s, s->spool, s->spooled, count));
            FROCC_TRY(write_whole(s, s->spool, bytes, count));
            s->spooled += count;
        }
    }
    s->position += count;
    s->taken += count;
    *got = count;
    return FROCC_OK;
}

/* read_raw stops where the spool or what is in the pipe ends; this goes on. */
static frocc_status read_plain(frocc__stream *s, char *bytes, size_t size, size_t *got) {
    size_t done = 0, count = 1;
    while (done < size && count > 0) {
        if (s->inflate != NULL)
            FROCC_TRY(frocc__inflate_read(s->inflate, bytes + done, size - done, &count));
        else
            FROCC_TRY(read_raw(s, bytes + done, size - done, &count));
        done += count;
    }
    *got = done;
    return FROCC_OK;
}

/* Whether a read would not have to wait. */
static bool is_ready(const frocc__stream *s) {
    struct pollfd pipe = {.fd = s->file, .events = POLLIN};
    return poll(&pipe, 1, 0) > 0;
}

/* What a live stream has, at least a byte; none at its end. */
static frocc_status read_ready(frocc__stream *s, char *bytes, size_t size, size_t *got) {
    size_t done = 0, count = 0;
    do {
        frocc_status status =
            s->inflate != NULL ? frocc__inflate_ready(s->inflate, bytes + done, size - done, &count)
                               : read_raw(s, bytes + done, size - done, &count);
        if (status == FROCC__PAUSED && done > 0)
            break; /* it will be asked again */
        FROCC_TRY(status);
        done += count;
    } while (count > 0 && done < size && is_ready(s));
    *got = done;
    return FROCC_OK;
}

static frocc_status open_file(frocc__stream *s, const char *path) {
    struct stat about;
    if (strcmp(path, "-") == 0) {
        s->file = STDIN_FILENO;
    } else {
        s->file = open(path, O_RDONLY | O_CLOEXEC);
        if (s->file < 0)
            return failure(s, "open");
        s->owned = true;
    }
    if (fstat(s->file, &about) != 0)
        return failure(s, "read");
    if (S_ISDIR(about.st_mode))
        return frocc__fail(FROCC_ERR_IO, "%s: is a folder; name the files in it, such as %s/*.csv",
                           s->name, s->name);
    s->regular = S_ISREG(about.st_mode);
    if (s->regular && !s->owned) {
        s->start = (int64_t)lseek(s->file, 0, SEEK_CUR);
        if (s->start < 0)
            return failure(s, "find the place in");
    }
    if (!s->regular && s->keep)
        FROCC_TRY(open_temporary(s, &s->spool));
    return FROCC_OK;
}

/* gzip shows itself by its first two bytes. */
static frocc_status find_gzip(frocc__stream *s) {
    const char *bytes;
    size_t got;
    FROCC_TRY(frocc__stream_peek(s, 2, &bytes, &got));
    if (got < 2 || (unsigned char)bytes[0] != 0x1f || (unsigned char)bytes[1] != 0x8b)
        return FROCC_OK;
    /* The inflater must see the two bytes again. */
    if (!s->regular && !s->keep) {
        memcpy(s->magic, bytes, 2);
        s->magic_size = 2;
    }
    s->position = 0;
    s->ahead_begin = s->ahead_end = 0;
    return frocc__inflate_new(s->name, true, read_raw, s, &s->inflate);
}

static frocc_status new_stream(const char *name, frocc__stream **stream) {
    frocc__stream *s = frocc__alloc(1, sizeof *s);
    if (s == NULL)
        return FROCC_ERR_MEMORY;
    s->file = s->spool = s->random = -1;
    s->name = frocc__alloc(strlen(name) + 1, 1);
    if (s->name == NULL) {
        frocc__free(s);
        return FROCC_ERR_MEMORY;
    }
    strcpy(s->name, name);
    *stream = s;
    return FROCC_OK;
}

frocc_status frocc__stream_open(const char *path, bool keep, frocc__stream **stream) {
    frocc__stream *s = NULL;
    FROCC_TRY(new_stream(strcmp(path, "-") == 0 ? "standard input" : path, &s));
    s->keep = keep;
    frocc_status status = open_file(s, path);
    if (status == FROCC_OK)
        status = find_gzip(s);
    if (status != FROCC_OK)
        frocc__stream_close(s);
    else
        *stream = s;
    return status;
}

void frocc__stream_close(frocc__stream *s) {
    if (s == NULL)
        return;
    if (s->random >= 0 && s->random != s->file)
        close(s->random);
    if (s->spool >= 0)
        close(s->spool);
    if (s->owned)
        close(s->file);
    frocc__inflate_free(s->inflate);
    frocc__free(s->ahead);
    frocc__free(s->name);
    frocc__free(s);
}

const char *frocc__stream_name(const frocc__stream *s) {
    return s->name;
}

uint64_t frocc__stream_taken(const frocc__stream *s) {
    return s->taken;
}

bool frocc__path_size(const char *path, uint64_t *size) {
    struct stat about;
    bool standard = strcmp(path, "-") == 0;
    if ((standard ? fstat(STDIN_FILENO, &about) : stat(path, &about)) != 0 ||
        !S_ISREG(about.st_mode))
        return false;
    int64_t start = standard ? (int64_t)lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    *size = start >= 0 && about.st_size > start ? (uint64_t)(about.st_size - start) : 0;
    return true;
}

bool frocc__stream_is_pipe(const frocc__stream *s) {
    return !s->regular || !s->owned;
}

bool frocc__stream_is_packed(const frocc__stream *s) {
    return s->inflate != NULL;
}

void frocc__stream_limit(frocc__stream *s, uint64_t most_spooled) {
    s->most_spooled = most_spooled;
}

void frocc__stream_ask(frocc__stream *s, int (*wait)(void *context, int file), void *context) {
    s->wait = wait;
    s->wait_context = context;
}

bool frocc__stream_is_live(const frocc__stream *s) {
    return !s->regular && !s->keep;
}

frocc_status frocc__stream_rewind(frocc__stream *s) {
    if (!s->regular && !s->keep) {
        if (s->beyond)
            return frocc__fail(FROCC_ERR_UNSUPPORTED,
                               "%s: is a pipe that was opened for one pass only", s->name);
        s->ahead_begin = 0;
        return FROCC_OK;
    }
    s->position = s->taken = 0;
    s->ahead_begin = s->ahead_end = 0;
    return s->inflate != NULL ? frocc__inflate_restart(s->inflate) : FROCC_OK;
}

frocc_status frocc__stream_read(frocc__stream *s, void *bytes, size_t size, size_t *got) {
    size_t ahead = FROCC_MIN(size, s->ahead_end - s->ahead_begin), count = 0;
    if (ahead > 0)
        memcpy(bytes, s->ahead + s->ahead_begin, ahead);
    s->ahead_begin += ahead;
    s->beyond = s->beyond || ahead < size;
    if (ahead < size)
        FROCC_TRY(read_plain(s, (char *)bytes + ahead, size - ahead, &count));
    *got = ahead + count;
    return FROCC_OK;
}

frocc_status frocc__stream_read_ready(frocc__stream *s, void *bytes, size_t size, size_t *got) {
    size_t ahead = FROCC_MIN(size, s->ahead_end - s->ahead_begin), count = 0;
    if (!frocc__stream_is_live(s))
        return frocc__stream_read(s, bytes, size, got);
    if (ahead > 0)
        FROCC_TRY(frocc__stream_read(s, bytes, ahead, &ahead));
    if (ahead < size && (ahead == 0 || is_ready(s))) {
        s->beyond = true;
        FROCC_TRY(read_ready(s, (char *)bytes + ahead, size - ahead, &count));
    }
    *got = ahead + count;
    return FROCC_OK;
}

frocc_status frocc__stream_skip(frocc__stream *s, uint64_t size) {
    uint64_t ahead = FROCC_MIN(size, (uint64_t)(s->ahead_end - s->ahead_begin));
    char bytes[4096];
    size_t got = sizeof bytes;
    s->ahead_begin += (size_t)ahead;
    size -= ahead;
    if (s->inflate == NULL && (s->regular || s->position + size <= s->spooled)) {
        s->position += size;
        s->taken += size;
        size = 0;
    }
    for (; size > 0 && got == sizeof bytes; size -= got)
        FROCC_TRY(frocc__stream_read(s, bytes, (size_t)FROCC_MIN(size, sizeof bytes), &got));
    return FROCC_OK;
}

frocc_status frocc__stream_peek(frocc__stream *s, size_t size, const char **bytes, size_t *got) {
    return frocc__stream_peek_ready(s, size, size, bytes, got);
}

frocc_status frocc__stream_peek_ready(frocc__stream *s, size_t least, size_t size,
                                      const char **bytes, size_t *got) {
    bool live = frocc__stream_is_live(s);
    size_t have = s->ahead_end - s->ahead_begin, count = 1;
    least = live ? FROCC_MIN(least, size) : size;
    if (have < least) {
        if (s->ahead_begin + size > s->ahead_size) {
            char *grown = frocc__grow(s->ahead, s->ahead_end, s->ahead_begin + size, 1);
            if (grown == NULL)
                return FROCC_ERR_MEMORY;
            s->ahead = grown;
            s->ahead_size = s->ahead_begin + size;
        }
    }
    while (have < least && count > 0) {
        FROCC_TRY(
            (live ? read_ready : read_plain)(s, s->ahead + s->ahead_end, size - have, &count));
        s->ahead_end += count;
        have += count;
        count = live ? count : 0;
    }
    *bytes = s->ahead == NULL ? "" : s->ahead + s->ahead_begin;
    *got = FROCC_MIN(have, size);
    return FROCC_OK;
}

#define COPY_SIZE ((size_t)1 << 18)

/* What pull delivers becomes the file that read_at reads. */
static frocc_status copy_to_temporary(frocc__stream *s, frocc__pull pull, void *context) {
    size_t got = COPY_SIZE;
    FROCC_TRY(open_temporary(s, &s->random));
    char *buffer = frocc__alloc(COPY_SIZE, 1);
    frocc_status status = buffer == NULL ? FROCC_ERR_MEMORY : FROCC_OK;
    while (status == FROCC_OK && got == COPY_SIZE) {
        status = pull(context, buffer, COPY_SIZE, &got);
        if (status == FROCC_OK)
            status = check_room(s, s->random, s->random_size, got);
        if (status == FROCC_OK)
            status = write_whole(s, s->random, buffer, got);
        s->random_size += got;
    }
    frocc__free(buffer);
    return status;
}

static frocc_status pull_stream(void *context, void *bytes, size_t size, size_t *got) {
    return frocc__stream_read(context, bytes, size, got);
}

/* From now on the copy is the file. */
static void become_copy(frocc__stream *s) {
    if (s->owned)
        close(s->file);
    s->file = s->random;
    s->owned = s->regular = true;
    s->start = 0;
    s->position = 0;
    s->ahead_begin = s->ahead_end = 0;
    frocc__inflate_free(s->inflate);
    s->inflate = NULL;
}

frocc_status frocc__stream_copy(const char *name, frocc__pull pull, void *context,
                                frocc__stream **stream) {
    frocc__stream *s = NULL;
    FROCC_TRY(new_stream(name, &s));
    frocc_status status = copy_to_temporary(s, pull, context);
    if (status != FROCC_OK) {
        frocc__stream_close(s);
        return status;
    }
    become_copy(s);
    *stream = s;
    return FROCC_OK;
}

frocc_status frocc__stream_random(frocc__stream *s, uint64_t *size) {
    if (s->random < 0 && s->regular && s->inflate == NULL) {
        struct stat about;
        if (fstat(s->file, &about) != 0)
            return failure(s, "read");
        s->random = s->file;
        s->random_start = s->start;
        s->random_size = about.st_size > s->start ? (uint64_t)(about.st_size - s->start) : 0;
    } else if (s->random < 0) {
        FROCC_TRY(frocc__stream_rewind(s));
        FROCC_TRY(copy_to_temporary(s, pull_stream, s));
        become_copy(s);
    }
    *size = s->random_size;
    return FROCC_OK;
}

frocc_status frocc__stream_read_at(frocc__stream *s, uint64_t offset, void *bytes, size_t size) {
    size_t got = 0;
    if (offset > s->random_size || size > s->random_size - offset)
        return frocc__fail(FROCC_ERR_DATA, "%s: ends too soon, at byte %llu; it may be cut off",
                           s->name, (unsigned long long)s->random_size);
    FROCC_TRY(read_some(s, s->random, s->random_start + (int64_t)offset, bytes, size, &got));
    s->taken += size;
    if (got < size)
        return frocc__fail(FROCC_ERR_IO, "%s: has become shorter while it was read", s->name);
    return FROCC_OK;
}
