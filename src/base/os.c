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

static frocc_status read_open_file(int file, const char *path, frocc__head_check check,
                                   void *context, void **bytes, size_t *size) {
    struct stat about;
    char head[FROCC__HEAD_SIZE];
    if (fstat(file, &about) != 0)
        return io_failure("read", path);
    if (!S_ISREG(about.st_mode))
        return frocc__fail_at(FROCC_ERR_IO, &(frocc__where){.file = path},
                              "is not a regular file%s",
                              S_ISDIR(about.st_mode) ? "" : "; copy what it gives to one");
    ssize_t got = read_all(file, head, sizeof head);
    if (got < 0)
        return io_failure("read", path);
    FROCC_TRY(check(context, head, (size_t)got, (uint64_t)about.st_size));
    size_t length = FROCC_MAX((size_t)about.st_size, (size_t)got);
    char *content = frocc__alloc_raw(length, 1);
    if (content == NULL)
        return FROCC_ERR_MEMORY;
    memcpy(content, head, (size_t)got);
    ssize_t more =
        (size_t)got < sizeof head ? 0 : read_all(file, content + got, length - (size_t)got);
    got = more < 0 ? more : got + more;
    if (got < 0) {
        frocc__free(content);
        return io_failure("read", path);
    }
    *bytes = content;
    *size = (size_t)got;
    return FROCC_OK;
}

frocc_status frocc__file_read(const char *path, frocc__head_check check, void *context,
                              void **bytes, size_t *size) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return io_failure("open", path);
    frocc_status status = read_open_file(file, path, check, context, bytes, size);
    close(file);
    return status;
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

/* What the link leads to, in fresh memory. A relative one begins in the folder that it lies in. */
static char *follow_once(const char *path, const char *target) {
    const char *slash = strrchr(path, '/');
    const size_t folder = slash == NULL || target[0] == '/' ? 0 : (size_t)(slash - path) + 1;
    char *joined = frocc__alloc(folder + strlen(target) + 1, 1);
    if (joined != NULL) {
        memcpy(joined, path, folder);
        strcpy(joined + folder, target);
    }
    return joined;
}

char *frocc__path_follow(const char *path) {
    enum { MOST_LINKS = 40 }; /* as the system follows; more are a circle */
    char *reached = follow_once("", path);
    for (int i = 0; i < MOST_LINKS && reached != NULL; i++) {
        char target[4097];
        const ssize_t length = readlink(reached, target, sizeof target);
        if (length <= 0 || (size_t)length == sizeof target)
            break;
        target[length] = '\0';
        char *further = follow_once(reached, target);
        frocc__free(reached);
        reached = further;
    }
    return reached;
}
