/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times the library on one shape. Prints a JSON object a line.
 *
 *   speed --n N --d D --m M --epsilon E [OPTION...] --rounds R MEASURE...
 *       all measures in turn, R times over; then for each the median and the quartiles
 *   speed --n N --d D --m M --epsilon E [OPTION...]
 *       reads names of measures from the standard input, a line each, and answers each at once, so
 *       that another program can time itself in between
 *
 * Options: --kind gaussian|clusters|sparse, --density P, --rows FILE --queries FILE (raw float32 in
 * place of a kind), --family NAME, --threads T, --save PREFIX (rows, queries, directions and scores
 * as files PREFIX.rows and so on). measure.c has the measures. Ends with 3 when the library does
 * not have the family.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

#define MOST_MEASURES 16
#define MOST_ROUNDS 101

enum { NO_SUCH_FAMILY = 3 };

typedef struct options {
    shape what;
    frocc_params params;
    int threads, rounds;
    const char *save, *family;
    const char *names[MOST_MEASURES];
    size_t n_names;
} options;

static bool read_option(options *to, const char *name, const char *value) {
    if (strcmp(name, "--n") == 0)
        to->what.n = strtoull(value, NULL, 10);
    else if (strcmp(name, "--d") == 0)
        to->what.d = strtoull(value, NULL, 10);
    else if (strcmp(name, "--m") == 0)
        to->params.n_directions = strtoull(value, NULL, 10);
    else if (strcmp(name, "--epsilon") == 0)
        to->params.epsilon = strtof(value, NULL);
    else if (strcmp(name, "--kind") == 0)
        to->what.kind = value;
    else if (strcmp(name, "--density") == 0)
        to->what.density = strtod(value, NULL);
    else if (strcmp(name, "--rows") == 0)
        to->what.rows = value;
    else if (strcmp(name, "--queries") == 0)
        to->what.queries = value;
    else if (strcmp(name, "--family") == 0)
        to->family = value;
    else if (strcmp(name, "--threads") == 0)
        to->threads = (int)strtol(value, NULL, 10);
    else if (strcmp(name, "--rounds") == 0)
        to->rounds = (int)strtol(value, NULL, 10);
    else if (strcmp(name, "--save") == 0)
        to->save = value;
    else
        return false;
    return true;
}

static bool read_options(options *to, int argc, char **argv) {
    *to = (options){.what = {.kind = "gaussian", .density = 0.01}, .threads = 2, .rounds = 1};
    to->family = "gaussian";
    frocc_params_init_paper(&to->params);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0 && to->n_names < MOST_MEASURES)
            to->names[to->n_names++] = argv[i];
        else if (i + 1 >= argc || !read_option(to, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return to->what.n > 0 && to->what.d > 0 && to->rounds > 0 && to->rounds <= MOST_ROUNDS &&
           (to->what.rows == NULL) == (to->what.queries == NULL);
}

/* ---- Answering one by one -------------------------------------------------------------------- */

static bool answer(bench *of, const char *name) {
    sample got;
    if (!bench_measure(of, name, &got))
        return false;
    printf("{\"measure\": \"%s\", \"calls\": %d, \"wall_s\": %.9f, \"cpu_s\": %.9f", name,
           got.calls, got.wall, got.cpu);
    bench_print_more(of, name);
    printf("}\n");
    return fflush(stdout) == 0;
}

static bool answer_all(bench *of) {
    char line[64];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (!answer(of, line))
            return false;
    }
    return true;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_spread(const char *name, double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    printf(", \"%s_s\": %.9f, \"%s_quartiles_s\": [%.9f, %.9f]", name, values[count / 2], name,
           values[count / 4], values[(3 * count) / 4]);
}

static bool run_rounds(bench *of, const options *how) {
    static double wall[MOST_MEASURES][MOST_ROUNDS], cpu[MOST_MEASURES][MOST_ROUNDS];
    for (int round = 0; round < how->rounds; round++)
        for (size_t i = 0; i < how->n_names; i++) {
            sample got;
            if (!bench_measure(of, how->names[i], &got))
                return false;
            wall[i][round] = got.wall;
            cpu[i][round] = got.cpu;
        }
    for (size_t i = 0; i < how->n_names; i++) {
        printf("{\"measure\": \"%s\", \"rounds\": %d", how->names[i], how->rounds);
        print_spread("wall", wall[i], how->rounds);
        print_spread("cpu", cpu[i], how->rounds);
        bench_print_more(of, how->names[i]);
        printf("}\n");
    }
    return true;
}

int main(int argc, char **argv) {
    options how;
    if (!read_options(&how, argc, argv)) {
        fprintf(stderr, "usage: speed --n N --d D --m M --epsilon E [--kind KIND] [--density P] "
                        "[--rows FILE --queries FILE] [--family NAME] [--threads T] "
                        "[--save PREFIX] [--rounds R MEASURE...]\n");
        return 2;
    }
    if (!family_named(how.family, &how.params.family)) {
        fprintf(stderr, "speed: the library has no family '%s'\n", how.family);
        return NO_SUCH_FAMILY;
    }
    bench *made = bench_new(&how.what, &how.params, how.threads);
    bool good = made != NULL && (how.save == NULL || bench_save(made, how.save));
    if (good)
        good = how.n_names > 0 ? run_rounds(made, &how) : answer_all(made);
    bench_free(made);
    return good ? 0 : 1;
}
