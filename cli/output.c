/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

#define BUFFER_SIZE ((size_t)1 << 16)
#define MAX_UNFINISHED 8

struct cli_output {
    char *path;      /* NULL for standard output */
    char *temporary; /* NULL where the path is written directly */
    int file;
    size_t guard;
    size_t used;
    size_t capacity;
    char *buffer;
};

/* The names to remove when the program ends early: a signal handler can only see globals. */
static const char *volatile unfinished[MAX_UNFINISHED];

static void remove_unfinished(void) {
    for (size_t i = 0; i < MAX_UNFINISHED; i++) {
        if (unfinished[i]) {
            unlink(unfinished[i]);
        }
    }
}

/* The default action follows, so that the caller's shell sees how the program ended. */
static void on_signal(int signal_number) {
    remove_unfinished();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void output_guard_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_handler = on_signal};
        struct sigaction before;
        /* What the caller chose to ignore (nohup) stays ignored. */
        if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
    atexit(remove_unfinished);
}

size_t output_guard_file(const char *name) {
    size_t guard = 0;
    while (guard < MAX_UNFINISHED && unfinished[guard]) {
        guard++;
    }
    if (guard < MAX_UNFINISHED) {
        unfinished[guard] = name;
    }
    return guard;
}

void output_release_file(size_t guard) {
    if (guard < MAX_UNFINISHED) {
        unfinished[guard] = NULL;
    }
}

/* What must be written to as it is: a device, a pipe, another name of an open file (/dev/stdout).
 */
static bool is_special(const char *path) {
    struct stat status;
    char target[16] = "";
    if (!stat(path, &status) && !S_ISREG(status.st_mode)) {
        return true;
    }
    if (readlink(path, target, sizeof target - 1) < 0) {
        target[0] = 0;
    }
    return !strncmp(path, "/proc/", 6) || !strncmp(path, "/dev/fd/", 8) ||
           !strncmp(target, "/proc/", 6);
}

/* A link stays a link: the file it leads to is the one that is replaced. */
static char *follow_links(const char *path) {
    struct stat status;
    bool link = !lstat(path, &status) && S_ISLNK(status.st_mode);
    char *real = link ? realpath(path, NULL) : NULL;
    char *copy = must_copy(real ? real : path);
    free(real);
    return copy;
}

static void name_temporary(cli_output *output) {
    size_t size = strlen(output->path) + 16;
    output->temporary = must_allocate(size, 1);
    snprintf(output->temporary, size, "%s.XXXXXX", output->path);
    output->file = mkstemp(output->temporary);
    if (output->file < 0) {
        die(EXIT_FAILED, "cannot write '%s': %s; is its folder there and writable?", output->path,
            strerror(errno));
    }
    output->guard = output_guard_file(output->temporary);
    mode_t mask = umask(0);
    umask(mask);
    fchmod(output->file, 0666 & ~mask);
}

void output_check(const char *path) {
    struct stat status;
    if (!path || !strcmp(path, "-")) {
        return;
    }
    if (!*path || (!stat(path, &status) && S_ISDIR(status.st_mode))) {
        die(EXIT_FAILED, "cannot write '%s': %s; give the name of a file", path,
            *path ? "it is a folder" : "it has no name");
    }
    char *folder = must_copy(path);
    char *slash = strrchr(folder, '/');
    if (slash) {
        slash[slash == folder] = 0; /* "/" alone stays */
    }
    if (!is_special(path) && access(slash ? folder : ".", W_OK)) {
        die(EXIT_FAILED, "cannot write '%s': %s; is its folder there and writable?", path,
            strerror(errno));
    }
    free(folder);
}

cli_output *output_open(const char *path) {
    cli_output *output = must_allocate(1, sizeof *output);
    output->capacity = BUFFER_SIZE;
    output->buffer = must_allocate(BUFFER_SIZE, 1);
    output->file = STDOUT_FILENO;
    if (!path || !strcmp(path, "-")) {
        return output;
    }
    output_check(path);
    if (is_special(path)) {
        output->path = must_copy(path);
        output->file = open(path, O_WRONLY | O_APPEND);
        if (output->file < 0) {
            die(EXIT_FAILED, "cannot write '%s': %s", path, strerror(errno));
        }
    } else {
        output->path = follow_links(path);
        name_temporary(output);
    }
    return output;
}

const char *output_name(const cli_output *output) {
    return output->path ? output->path : "standard output";
}

bool output_is_stdout(const cli_output *output) {
    return !output->path;
}

static _Noreturn void die_of_writing(const cli_output *output) {
    if (errno == EPIPE) {
        exit(EXIT_FAILED); /* the reader has seen enough */
    }
    die(EXIT_FAILED, "cannot write to '%s': %s", output_name(output), strerror(errno));
}

static void flush(cli_output *output) {
    size_t done = 0;
    while (done < output->used) {
        ssize_t wrote = write(output->file, output->buffer + done, output->used - done);
        if (wrote < 0 && errno != EINTR) {
            die_of_writing(output);
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    output->used = 0;
}

char *output_room(cli_output *output, size_t count) {
    if (output->capacity - output->used < count) {
        flush(output);
        if (output->capacity < count) {
            output->buffer = must_resize(output->buffer, count, 1);
            output->capacity = count;
        }
    }
    return output->buffer + output->used;
}

void output_filled(cli_output *output, size_t count) {
    output->used += count;
}

void output_write(cli_output *output, const void *bytes, size_t count) {
    if (count) {
        memcpy(output_room(output, count), bytes, count);
        output->used += count;
    }
}

void output_text(cli_output *output, const char *text) {
    output_write(output, text, strlen(text));
}

void output_format(cli_output *output, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int length = vsnprintf(NULL, 0, format, values);
    va_end(values);
    if (length < 0) {
        die(EXIT_FAILED, "cannot format text for '%s'", output_name(output));
    }
    char *room = output_room(output, (size_t)length + 1);
    va_start(values, format);
    vsnprintf(room, (size_t)length + 1, format, values);
    va_end(values);
    output->used += (size_t)length;
}

bool output_can_patch(const cli_output *output) {
    return output->temporary != NULL;
}

void output_patch(cli_output *output, size_t offset, const void *bytes, size_t count) {
    flush(output);
    if (pwrite(output->file, bytes, count, (off_t)offset) != (ssize_t)count) {
        die_of_writing(output);
    }
}

void output_finish(cli_output *output) {
    flush(output);
    if (output->temporary) {
        if (fsync(output->file) || close(output->file) || rename(output->temporary, output->path)) {
            die_of_writing(output);
        }
        output_release_file(output->guard);
    } else if (output->path && close(output->file)) {
        die_of_writing(output);
    }
    free(output->temporary);
    free(output->path);
    free(output->buffer);
    free(output);
}
