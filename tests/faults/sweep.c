/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sweep LIBRARY STEP NAME OUTPUT COMMAND...: runs a command once as it is, to see its results and
 * how many calls of each kind it makes; then once for every STEP-th call of each kind, which fails
 * (see faults.c). In the folder in which it is started there must be nothing. Each time OUTPUT is
 * there before, as another file. What must hold afterwards: the command has ended with 0 and the
 * results are as ever, or with 1 or 2, one sentence, and the old file; nothing is beside it.
 *
 * FAULT_KINDS: the only kinds of calls that fail; FAULT_INPUT: the file that is standard input.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OLD "what was there before\n"
#define COUNTS "../counts"
#define SAID "../said"
#define PRINTED "../printed"
#define SECONDS_OF_A_RUN 60 /* of CPU; it may wait ten times as long */

static const char *library, *name, *output; /* output "-": only what is printed */
static char **command;
static int failed;

static void complain(const char *fault, const char *format, ...) {
    va_list values;
    printf("FAIL %s, %s: ", name, fault);
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    printf("\n");
    failed++;
}

static _Noreturn void give_up(const char *what) {
    printf("FAIL %s: the test cannot %s\n", name, what);
    exit(1);
}

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct text {
    char *bytes;
    size_t size;
} text;

/* Empty where there is no file; a zero stands behind it. */
static text read_file(const char *path) {
    struct stat about;
    text t = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (file != NULL && fstat(fileno(file), &about) == 0)
        t.size = (size_t)about.st_size;
    t.bytes = calloc(t.size + 1, 1);
    if (t.bytes == NULL || (file != NULL && fread(t.bytes, 1, t.size, file) != t.size))
        give_up("read a file");
    if (file != NULL)
        fclose(file);
    return t;
}

static bool is_same(const text *a, const text *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void put_old(void) {
    FILE *file = strcmp(output, "-") == 0 ? NULL : fopen(output, "wb");
    if (file != NULL && (fputs(OLD, file) < 0 || fclose(file) != 0))
        give_up("write a file");
}

/* How many there are beside the output, which are removed; the last one's bytes go to found. */
static int others(text *found) {
    DIR *folder = opendir(".");
    struct dirent *entry;
    int count = 0;
    if (folder == NULL)
        give_up("list its folder");
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, output) != 0) {
            if (found != NULL) {
                free(found->bytes);
                *found = read_file(entry->d_name);
            }
            unlink(entry->d_name);
            count++;
        }
    closedir(folder);
    return count;
}

/* ---- One run --------------------------------------------------------------------------------- */

static int redirect(const char *path, int flags, int to) {
    const int file = open(path, flags, 0600);
    return file < 0 ? -1 : dup2(file, to);
}

static bool redirect_all(void) {
    const char *input = getenv("FAULT_INPUT");
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    return (input == NULL || redirect(input, O_RDONLY, STDIN_FILENO) >= 0) &&
           redirect(PRINTED, flags, STDOUT_FILENO) >= 0 &&
           redirect(SAID, flags, STDERR_FILENO) >= 0;
}

static int run(const char *fault) {
    int status = -1;
    put_old();
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0}, seconds = {SECONDS_OF_A_RUN, SECONDS_OF_A_RUN};
        setenv("FROCC_FAULT", fault, 1);
        setenv("LD_PRELOAD", library, 1);
        setrlimit(RLIMIT_CORE, &none);
        setrlimit(RLIMIT_CPU, &seconds);
        alarm(10 * SECONDS_OF_A_RUN);
        if (redirect_all())
            execv(command[0], command);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        give_up("start the command");
    return status;
}

/* ---- What it must be like -------------------------------------------------------------------- */

static text as_ever, printed_as_ever; /* the results of the run without a fault */

static bool is_one_sentence(const text *said) {
    const char *end = memchr(said->bytes, '\n', said->size);
    return said->size > 20 && strncmp(said->bytes, "frocc: ", 7) == 0 &&
           end == said->bytes + said->size - 1;
}

static void check_results(const char *fault, bool is_done) {
    const text old = {(char *)(uintptr_t)OLD, strlen(OLD)};
    text now = read_file(output), printed = read_file(PRINTED);
    const bool has_output = strcmp(output, "-") != 0;
    if (has_output && !is_same(&now, is_done ? &as_ever : &old))
        complain(fault, is_done ? "it says that all went well, and the results are others"
                                : "the old file is damaged");
    if (is_done && !is_same(&printed, &printed_as_ever))
        complain(fault, "it prints something else");
    free(now.bytes);
    free(printed.bytes);
}

static void check_run(const char *fault, int status) {
    text said = read_file(SAID);
    if (!WIFEXITED(status))
        complain(fault, "ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) > 2)
        complain(fault, "ended with status %d: %s", WEXITSTATUS(status), said.bytes);
    else if (WEXITSTATUS(status) > 0 && !is_one_sentence(&said))
        complain(fault, "not one sentence: %s", said.bytes);
    check_results(fault, status == 0);
    if (others(NULL) > 0)
        complain(fault, "something is left behind");
    free(said.bytes);
}

/* A signal may come when all is done; else it ends the command, and nothing has happened. Nothing
 * can be removed at SIGKILL: then the new file may be there under another name too, whole. */
static void check_signal(const char *fault, int sent, int status) {
    const text old = {(char *)(uintptr_t)OLD, strlen(OLD)};
    text left = {NULL, 0}, now = read_file(output);
    const int count = others(&left);
    if (WIFEXITED(status) ? WEXITSTATUS(status) != 0 : WTERMSIG(status) != sent)
        complain(fault, "ended with %#x", status);
    if (strcmp(output, "-") != 0 && !is_same(&now, &old) && !is_same(&now, &as_ever))
        complain(fault, "the file is damaged");
    if (count > 0 && (sent != SIGKILL || count > 1 || !is_same(&left, &as_ever)))
        complain(fault, "%d files are left behind", count);
    free(left.bytes);
    free(now.bytes);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void run_as_ever(void) {
    unlink(COUNTS);
    setenv("FROCC_FAULT_COUNTS", COUNTS, 1);
    const int status = run("none 0");
    unsetenv("FROCC_FAULT_COUNTS");
    as_ever = read_file(output);
    printed_as_ever = read_file(PRINTED);
    if (status != 0 || others(NULL) > 0) {
        text said = read_file(SAID);
        printf("FAIL %s: it does not work without faults: %s\n", name, said.bytes);
        exit(1);
    }
}

static long sweep_signals(long calls, long step) {
    static const int signals[] = {SIGINT, SIGTERM, SIGPIPE, SIGKILL, SIGXFSZ, SIGHUP};
    long runs = 0;
    for (long n = 1; n <= calls; n++)
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
            char fault[64];
            if ((n * 6 + (long)i) % step != 0)
                continue;
            snprintf(fault, sizeof fault, "signal %ld %d", n, signals[i]);
            check_signal(fault, signals[i], run(fault));
            runs++;
        }
    return runs;
}

static long sweep_kind(const char *kind, long calls, long step) {
    long runs = 0;
    if (strcmp(kind, "signal") == 0)
        return sweep_signals(calls, step);
    /* Of few calls all are tried. */
    for (long n = 1; n <= calls; n += calls <= 12 ? 1 : step) {
        char fault[64];
        snprintf(fault, sizeof fault, "%s %ld", kind, n);
        check_run(fault, run(fault));
        runs++;
    }
    return runs;
}

/* Short reads and writes are no faults: the results are as ever. */
static long sweep_short(long step) {
    long runs = 0;
    for (long seed = 0; seed * step < 20; seed++, runs++) {
        char fault[64];
        snprintf(fault, sizeof fault, "short %ld", seed);
        const int status = run(fault);
        if (status != 0)
            complain(fault, "ended with %#x", status);
        check_run(fault, status);
    }
    return runs;
}

int main(int count, char **words) {
    if (count < 6) {
        fprintf(stderr, "usage: sweep LIBRARY STEP NAME OUTPUT COMMAND...\n");
        return 2;
    }
    library = words[1];
    const long step = atol(words[2]) > 0 ? atol(words[2]) : 1;
    name = words[3];
    output = words[4];
    command = words + 5;
    run_as_ever();
    FILE *counts = fopen(COUNTS, "r");
    const char *only = getenv("FAULT_KINDS");
    char kind[16], summary[400] = "";
    long calls, total = 0;
    while (counts != NULL && fscanf(counts, "%15s %ld", kind, &calls) == 2) {
        if (only != NULL && strstr(only, kind) == NULL)
            continue;
        const long runs = sweep_kind(kind, calls, step);
        const size_t used = strlen(summary);
        snprintf(summary + used, sizeof summary - used, ", %s %ld of %ld", kind, runs,
                 strcmp(kind, "signal") == 0 ? calls * 6 : calls);
        total += runs;
    }
    total += sweep_short(step);
    printf("# %s: %ld faults%s\n", name, total, summary);
    if (!failed)
        printf("ok %s\n", name);
    return failed > 0;
}
