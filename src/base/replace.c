/* SPDX-License-Identifier: BSD-3-Clause */
/* One way to write a file: buffered, to a temporary name, flushed, renamed. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/os.h"
#include "base/pack.h"
#include "base/status.h"

#define BUFFER_SIZE ((size_t)1 << 18)

struct frocc__out {
    char *path, *target, *temporary; /* as given, what it leads to, what is written */
    int file;
    bool standard;     /* the output goes to the standard output in the end */
    bool special;      /* or to a device or pipe, which cannot be replaced by a rename */
    bool direct;       /* and does so at once */
    frocc__pack *pack; /* NULL unless it is gzip */
    bool named;        /* temporary is a file that must be renamed or removed */
    size_t used;
    char buffer[BUFFER_SIZE];
};

static frocc_status failure(const frocc__out *o, const char *what) {
    const frocc__where where = {.file = o->standard ? "standard output" : o->path};
    return frocc__fail_at(FROCC_ERR_IO, &where, "cannot %s: %s", what, strerror(errno));
}

static frocc_status write_whole(const frocc__out *o, int file, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t put = write(file, bytes, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return failure(o, "write");
        bytes += put;
        size -= (size_t)put;
    }
    return FROCC_OK;
}

static frocc_status open_spool(frocc__out *o) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/frocc-XXXXXX",
             folder != NULL && *folder != '\0' ? folder : "/tmp");
    o->file = mkstemp(path);
    if (o->file < 0)
        return failure(o, "make a temporary file for");
    unlink(path);
    return FROCC_OK;
}

/* A file that is replaced keeps its permissions and, where that is allowed, its owner and group;
 * what its group might do, another one may not. */
static void take_after(const frocc__out *o) {
    struct stat old;
    if (stat(o->target, &old) != 0)
        return;
    mode_t mode = old.st_mode & 0777;
    if (fchown(o->file, old.st_uid, old.st_gid) != 0 && fchown(o->file, (uid_t)-1, old.st_gid) != 0)
        mode &= ~(mode_t)070;
    (void)fchmod(o->file, mode);
}

/* So that nobody may read it in between who might not read what it replaces. */
static mode_t mode_to_create(const frocc__out *o) {
    struct stat old;
    return stat(o->target, &old) == 0 ? old.st_mode & 0777 : 0666;
}

/* The folder that a path lies in; one of too long a name is none that can be opened. */
#define FOLDER_SIZE 4096
static const char *folder_of(const char *path, char name[FOLDER_SIZE]) {
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : FROCC_MAX((size_t)(slash - path), (size_t)1);
    if (length >= FOLDER_SIZE)
        return "";
    memcpy(name, path, length);
    name[length] = '\0';
    return slash == NULL ? "." : name;
}

/* Names may have 255 bytes, of which the ending of a temporary one takes some. */
#define LONGEST_STEM 200
#define ENDING_SIZE 64

/* A name beside the target that make, which gets it, finds free. */
static bool take_name(frocc__out *o, bool (*make)(frocc__out *o)) {
    const char *slash = strrchr(o->target, '/');
    const size_t folder = slash == NULL ? 0 : (size_t)(slash - o->target) + 1;
    const size_t stem = FROCC_MIN(strlen(o->target + folder), (size_t)LONGEST_STEM);
    for (unsigned attempt = 0; attempt < 1000 && !o->named; attempt++) {
        memcpy(o->temporary, o->target, folder + stem);
        snprintf(o->temporary + folder + stem, ENDING_SIZE, ".tmp-%ld-%u", (long)getpid(), attempt);
        o->named = make(o);
        if (!o->named && errno != EEXIST)
            break;
    }
    return o->named;
}

static bool create_named(frocc__out *o) {
    o->file = open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_to_create(o));
    return o->file >= 0;
}

/* Where that is possible the file has no name before it is finished: whatever ends the process,
 * nothing is left behind. */
static bool create_unnamed(frocc__out *o) {
#if defined(O_TMPFILE)
    char folder[FOLDER_SIZE];
    if (access("/proc/self/fd", X_OK) == 0) /* by which it gets a name */
        o->file =
            open(folder_of(o->target, folder), O_TMPFILE | O_RDWR | O_CLOEXEC, mode_to_create(o));
#endif
    return o->file >= 0;
}

static frocc_status open_beside(frocc__out *o) {
    o->target = frocc__path_follow(o->path);
    size_t size = o->target == NULL ? 0 : strlen(o->target) + ENDING_SIZE;
    o->temporary = size == 0 ? NULL : frocc__alloc(size, 1);
    if (o->temporary == NULL)
        return FROCC_ERR_MEMORY;
    struct stat about;
    if (lstat(o->target, &about) == 0 && S_ISLNK(about.st_mode)) {
        errno = ELOOP;
        return failure(o, "write");
    }
    if (!(strlen(o->target) < FOLDER_SIZE && create_unnamed(o)) && !take_name(o, create_named))
        return failure(o, "create a file beside it");
    take_after(o);
    return FROCC_OK;
}

static frocc_status open_special(frocc__out *o) {
    o->file = open(o->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    o->direct = true;
    return o->file >= 0 ? FROCC_OK : failure(o, "open");
}

frocc_status frocc__out_open(const char *path, bool patched, frocc__out **out) {
    frocc__out *o = frocc__alloc(1, sizeof *o);
    frocc_status status = FROCC_ERR_MEMORY;
    if (o == NULL)
        return status;
    o->file = -1;
    o->standard = path == NULL;
    o->path = frocc__alloc(path == NULL ? 1 : strlen(path) + 1, 1);
    if (o->path != NULL) {
        strcpy(o->path, path == NULL ? "" : path);
        o->direct = o->standard && !patched;
        if (o->direct)
            o->file = STDOUT_FILENO;
        o->special = !o->standard && frocc__path_is_special(path);
        status = o->direct                                ? FROCC_OK
                 : o->standard || (o->special && patched) ? open_spool(o)
                 : o->special                             ? open_special(o)
                                                          : open_beside(o);
    }
    if (status != FROCC_OK)
        frocc__out_free(o);
    else
        *out = o;
    return status;
}

static frocc_status put_packed(void *context, const void *bytes, size_t size) {
    const frocc__out *o = context;
    return write_whole(o, o->file, bytes, size);
}

frocc_status frocc__out_pack(frocc__out *o) {
    return frocc__pack_new(o->standard ? "standard output" : o->path, put_packed, o, &o->pack);
}

static frocc_status put(frocc__out *o, const void *bytes, size_t size) {
    return o->pack != NULL ? frocc__pack_add(o->pack, bytes, size)
                           : write_whole(o, o->file, bytes, size);
}

static frocc_status flush(frocc__out *o) {
    size_t used = o->used;
    o->used = 0;
    return put(o, o->buffer, used);
}

/* Whether the file begins with these bytes. */
static bool begins_with(const frocc__out *o, const char *bytes, size_t size) {
    char there[4096];
    for (size_t done = 0; done < size;) {
        const size_t part = FROCC_MIN(size - done, sizeof there);
        const ssize_t got = pread(o->file, there, part, (off_t)done);
        if (got <= 0 || memcmp(there, bytes + done, (size_t)got) != 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* Where the last whole line of the file ends. */
static off_t end_of_lines(const frocc__out *o, off_t size) {
    char there[4096];
    while (size > 0) {
        const size_t part = FROCC_MIN((size_t)size, sizeof there);
        const ssize_t got = pread(o->file, there, part, size - (off_t)part);
        if (got != (ssize_t)part)
            break;
        for (size_t i = part; i > 0; i--)
            if (there[i - 1] == '\n')
                return size - (off_t)(part - i);
        size -= (off_t)part;
    }
    return 0;
}

frocc_status frocc__out_in_place(frocc__out *o, bool goes_on) {
    const frocc__where where = {.file = o->path};
    struct stat about;
    if (o->special || o->standard)
        return FROCC_OK;
    const int file = open(o->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return failure(o, "open");
    close(o->file);
    o->file = file;
    if (o->named)
        unlink(o->temporary);
    o->named = false;
    o->direct = true;
    if (!goes_on && ftruncate(file, 0) != 0)
        return failure(o, "shorten");
    if (fstat(file, &about) != 0)
        return failure(o, "read");
    if (about.st_size == 0)
        return FROCC_OK;
    if (!begins_with(o, o->buffer, o->used))
        return frocc__fail_at(FROCC_ERR_IO, &where,
                              "is there and does not begin with the names of these columns, so its "
                              "rows would not go on; move it away, or give another name");
    const off_t end = end_of_lines(o, about.st_size);
    if (end < about.st_size && ftruncate(file, end) != 0)
        return failure(o, "shorten");
    o->used = end > 0 ? 0 : o->used;
    return FROCC_OK;
}

frocc_status frocc__out_write(frocc__out *o, const void *bytes, size_t size) {
    if (size > BUFFER_SIZE - o->used)
        FROCC_TRY(flush(o));
    if (size > BUFFER_SIZE)
        return put(o, bytes, size);
    if (size > 0) /* of nothing, bytes may be NULL */
        memcpy(o->buffer + o->used, bytes, size);
    o->used += size;
    return FROCC_OK;
}

frocc_status frocc__out_room(frocc__out *o, char **room) {
    if (BUFFER_SIZE - o->used < FROCC__OUT_ROOM)
        FROCC_TRY(flush(o));
    *room = o->buffer + o->used;
    return FROCC_OK;
}

void frocc__out_used(frocc__out *o, size_t size) {
    o->used += size;
}

frocc_status frocc__out_patch(frocc__out *o, uint64_t offset, const void *bytes, size_t size) {
    FROCC_TRY(flush(o));
    while (size > 0) {
        ssize_t put = pwrite(o->file, bytes, size, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return failure(o, "write");
        bytes = (const char *)bytes + put;
        offset += (uint64_t)put;
        size -= (size_t)put;
    }
    return FROCC_OK;
}

frocc_status frocc__out_flush(frocc__out *o) {
    if (!o->direct)
        return FROCC_OK;
    FROCC_TRY(flush(o));
    return o->pack != NULL ? frocc__pack_flush(o->pack) : FROCC_OK;
}

/* What was spooled, to where it should go. */
static frocc_status copy_file(frocc__out *o, int from, int to) {
    ssize_t got;
    if (lseek(from, 0, SEEK_SET) != 0)
        return failure(o, "copy");
    while ((got = read(from, o->buffer, BUFFER_SIZE)) > 0)
        FROCC_TRY(write_whole(o, to, o->buffer, (size_t)got));
    return got == 0 ? FROCC_OK : failure(o, "copy");
}

static frocc_status copy_to_special(frocc__out *o) {
    int to = open(o->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (to < 0)
        return failure(o, "open");
    frocc_status status = copy_file(o, o->file, to);
    close(to);
    return status;
}

/* The rename itself must reach the disk too, or a crash could bring the old name back. Some file
 * systems cannot flush a folder; then there is nothing more to do. */
static void flush_folder(const char *path) {
    char name[FOLDER_SIZE];
    int folder = open(folder_of(path, name), O_RDONLY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder);
        close(folder);
    }
}

static bool link_to(const frocc__out *o, const char *name) {
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", o->file);
    return linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

static bool link_named(frocc__out *o) {
    return link_to(o, o->temporary);
}

/* For file systems that have files without a name, but give them none. */
static frocc_status copy_to_named(frocc__out *o) {
    const int unnamed = o->file;
    o->file = -1;
    frocc_status status =
        take_name(o, create_named) ? FROCC_OK : failure(o, "create a file beside it");
    if (status == FROCC_OK) {
        take_after(o);
        status = copy_file(o, unnamed, o->file);
    }
    if (status == FROCC_OK && fsync(o->file) != 0 && errno != EINVAL)
        status = failure(o, "write");
    close(unnamed);
    return status;
}

static frocc_status replace_target(frocc__out *o) {
    if (!o->named && !take_name(o, link_named))
        FROCC_TRY(copy_to_named(o));
    const bool is_renamed = rename(o->temporary, o->target) == 0;
    frocc_status status = is_renamed ? FROCC_OK : failure(o, "replace");
    if (!is_renamed) /* at once: until now nobody may have heard of this name */
        unlink(o->temporary);
    o->named = false;
    return status;
}

/* A file without a name takes a new one at once. To replace an older file it needs another first;
 * no signal comes between the two. */
static frocc_status take_place(frocc__out *o) {
    if (!o->named && link_to(o, o->target))
        return FROCC_OK;
    sigset_t all, before;
    sigfillset(&all);
    const bool is_blocked = pthread_sigmask(SIG_BLOCK, &all, &before) == 0;
    frocc_status status = replace_target(o);
    if (is_blocked)
        (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

frocc_status frocc__out_finish(frocc__out *o) {
    FROCC_TRY(flush(o));
    if (o->pack != NULL)
        FROCC_TRY(frocc__pack_end(o->pack));
    if (o->direct)
        return FROCC_OK;
    if (o->standard)
        return copy_file(o, o->file, STDOUT_FILENO);
    if (o->special)
        return copy_to_special(o);
    if (fsync(o->file) != 0 && errno != EINVAL)
        return failure(o, "write");
    FROCC_TRY(take_place(o));
    flush_folder(o->target);
    return FROCC_OK;
}

const char *frocc__out_temporary(const frocc__out *o) {
    return o->named ? o->temporary : NULL;
}

void frocc__out_free(frocc__out *o) {
    if (o == NULL)
        return;
    if (o->file >= 0 && o->file != STDOUT_FILENO)
        close(o->file);
    if (o->named && o->temporary != NULL)
        unlink(o->temporary);
    frocc__pack_free(o->pack);
    frocc__free(o->temporary);
    frocc__free(o->target);
    frocc__free(o->path);
    frocc__free(o);
}

frocc_status frocc__file_replace(const char *path, const void *bytes, size_t size) {
    frocc__out *out = NULL;
    FROCC_TRY(frocc__out_open(path, false, &out));
    frocc_status status = frocc__out_write(out, bytes, size);
    if (status == FROCC_OK)
        status = frocc__out_finish(out);
    frocc__out_free(out);
    return status;
}

/* ---- The public functions ------------------------------------------------------------------- */

frocc_status frocc_file_replace(const char *path, const void *bytes, size_t size) {
    FROCC_REQUIRE(path);
    if (size > 0)
        FROCC_REQUIRE(bytes);
    return frocc__file_replace(strcmp(path, "-") == 0 ? NULL : path, bytes, size);
}

frocc_status frocc_file_check(const char *path) {
    FROCC_REQUIRE(path);
    const frocc__where where = {.file = path};
    char folder[FOLDER_SIZE];
    struct stat about;
    if (path[0] == '\0')
        return frocc__fail(FROCC_ERR_IO, "a file to write has no name; give the name of a file");
    if (strcmp(path, "-") == 0)
        return FROCC_OK;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return frocc__fail_at(FROCC_ERR_IO, &where,
                              "cannot be written: it is a folder; give the name of a file");
    if (!frocc__path_is_special(path) && access(folder_of(path, folder), W_OK) != 0)
        return frocc__fail_at(FROCC_ERR_IO, &where,
                              "cannot be written: %s; is its folder there and writable?",
                              strerror(errno));
    return FROCC_OK;
}
