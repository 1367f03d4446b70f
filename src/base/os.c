/* SPDX-License-Identifier: BSD-3-Clause */
/* The operating system behind one small file (POSIX). */
#define _POSIX_C_SOURCE 200809L
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"

static frocc_status io_failure(const char *what, const char *path) {
    return frocc__fail_at(FROCC_ERR_IO, &(frocc__where){.file = path}, "cannot %s: %s", what,
                          strerror(errno));
}

/* Reads size bytes, or fewer where the file ends sooner. */
static ssize_t read_all(int file, char *bytes, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(file, bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static int write_all(int file, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t put = write(file, bytes, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        bytes += put;
        size -= (size_t)put;
    }
    return 0;
}

static frocc_status read_open_file(int file, const char *path, void **bytes, size_t *size) {
    struct stat about;
    if (fstat(file, &about) != 0)
        return io_failure("read", path);
    if (!S_ISREG(about.st_mode))
        return frocc__fail_at(FROCC_ERR_IO, &(frocc__where){.file = path}, "is not a regular file");
    size_t length = (size_t)about.st_size;
    char *content = frocc__alloc(length, 1);
    if (content == NULL)
        return FROCC_ERR_MEMORY;
    ssize_t got = read_all(file, content, length);
    if (got < 0) {
        frocc__free(content);
        return io_failure("read", path);
    }
    *bytes = content;
    *size = (size_t)got;
    return FROCC_OK;
}

frocc_status frocc__file_read(const char *path, void **bytes, size_t *size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return io_failure("open", path);
    frocc_status status = read_open_file(file, path, bytes, size);
    close(file);
    return status;
}

/* The rename itself must reach the disk too, or a crash could bring the old name back. Some file
 * systems cannot flush a folder; then there is nothing more to do. */
static void flush_folder(const char *path, char *scratch) {
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    if (slash == NULL)
        strcpy(scratch, ".");
    else
        memcpy(scratch, path, length == 0 ? 1 : length), scratch[length == 0 ? 1 : length] = '\0';
    int folder = open(scratch, O_RDONLY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder);
        close(folder);
    }
}

/* A file of a name nobody has yet, with the mode a plain new file would get. */
static int create_temporary(const char *path, char *name, size_t name_size) {
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(name, name_size, "%s.tmp-%ld-%u", path, (long)getpid(), attempt);
        int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

static int write_and_rename(int file, const char *temporary, const char *path, const void *bytes,
                            size_t size) {
    int failed = write_all(file, bytes, size) != 0 || fsync(file) != 0;
    int reason = errno;
    if (close(file) != 0 && !failed) {
        failed = 1;
        reason = errno;
    }
    if (!failed && rename(temporary, path) != 0) {
        failed = 1;
        reason = errno;
    }
    if (failed)
        unlink(temporary);
    errno = reason;
    return failed ? -1 : 0;
}

bool frocc__path_is_special(const char *path) {
    struct stat about;
    char target[16] = "";
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return true;
    if (readlink(path, target, sizeof target - 1) < 0)
        target[0] = '\0';
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(target, "/proc/", 6) == 0;
}

char *frocc__path_follow(const char *path) {
    char target[4097] = "";
    struct stat about;
    bool link = lstat(path, &about) == 0 && S_ISLNK(about.st_mode) && stat(path, &about) == 0;
    ssize_t length = link ? readlink(path, target, sizeof target - 1) : 0;
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *copy = frocc__alloc(strlen(path) + strlen(target) + 1, 1);
    if (copy == NULL)
        return NULL;
    if (length <= 0 || (size_t)length == sizeof target - 1)
        return strcpy(copy, path);
    /* A relative link begins in the folder that it lies in. */
    memcpy(copy, path, target[0] == '/' ? 0 : folder);
    strcpy(copy + (target[0] == '/' ? 0 : folder), target);
    char *further = frocc__path_follow(copy);
    frocc__free(copy);
    return further;
}

/* Bytes to a device or pipe. */
static frocc_status write_special(const char *path, const void *bytes, size_t size) {
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0)
        return io_failure("open", path);
    int failed = write_all(file, bytes, size) != 0, reason = errno;
    failed = close(file) != 0 || failed;
    errno = reason;
    return failed ? io_failure("write", path) : FROCC_OK;
}

static frocc_status replace_file(const char *path, const void *bytes, size_t size) {
    size_t name_size = strlen(path) + 64;
    char *temporary = frocc__alloc(name_size, 1);
    if (temporary == NULL)
        return FROCC_ERR_MEMORY;
    int file = create_temporary(path, temporary, name_size);
    frocc_status status = FROCC_OK;
    if (file < 0)
        status = io_failure("create a file beside it", path);
    else if (write_and_rename(file, temporary, path, bytes, size) != 0)
        status = io_failure("write", path);
    else
        flush_folder(path, temporary);
    frocc__free(temporary);
    return status;
}

frocc_status frocc__file_replace(const char *path, const void *bytes, size_t size) {
    if (frocc__path_is_special(path))
        return write_special(path, bytes, size);
    char *target = frocc__path_follow(path);
    frocc_status status = target == NULL ? FROCC_ERR_MEMORY : replace_file(target, bytes, size);
    frocc__free(target);
    return status;
}
