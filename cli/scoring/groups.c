/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/message.h"

enum { MOST_GROUPS = 1000, MOST_SHOWN = 10 };

void groups_add(cli_groups *g, const char *text) {
    size_t i = 0;
    while (i < g->count && strcmp(g->groups[i].text, text) != 0) {
        i++;
    }
    if (i == MOST_GROUPS) {
        g->n_others++;
        return;
    }
    if (i == g->count) {
        g->groups = must_resize(g->groups, ++g->count, sizeof *g->groups);
        g->groups[i] = (struct cli_group){must_copy(text), 0};
    }
    g->groups[i].n_rows++;
}

void groups_free(cli_groups *g) {
    for (size_t i = 0; i < g->count; i++) {
        free(g->groups[i].text);
    }
    free(g->groups);
}

static int compare(const void *left, const void *right) {
    const struct cli_group *a = left, *b = right;
    return a->n_rows != b->n_rows ? (a->n_rows < b->n_rows ? 1 : -1) : strcmp(a->text, b->text);
}

/* Sorts, and leaves the first to be shown; returns how many rows the others have. */
static uint64_t sort(cli_groups *g, size_t *shown) {
    uint64_t rest = g->n_others;
    if (g->count) {
        qsort(g->groups, g->count, sizeof *g->groups, compare);
    }
    *shown = g->count < MOST_SHOWN ? g->count : MOST_SHOWN;
    for (size_t i = *shown; i < g->count; i++) {
        rest += g->groups[i].n_rows;
    }
    return rest;
}

void groups_note(cli_groups *g) {
    size_t shown;
    const uint64_t rest = sort(g, &shown);
    for (size_t i = 0; i < shown; i++) {
        const uint64_t n_rows = g->groups[i].n_rows;
        note("%llu outlier%s: %s", (unsigned long long)n_rows, n_rows == 1 ? "" : "s",
             g->groups[i].text);
    }
    if (rest) {
        note("%llu outliers for other reasons", (unsigned long long)rest);
    }
}

void groups_print_json(cli_groups *g, FILE *file) {
    size_t shown;
    const uint64_t rest = sort(g, &shown);
    fputs(",\"groups\":[", file);
    for (size_t i = 0; i < shown; i++) {
        fprintf(file, "%s{\"rows\":%llu,\"reason\":\"", i ? "," : "",
                (unsigned long long)g->groups[i].n_rows);
        write_json(file, g->groups[i].text);
        fputs("\"}", file);
    }
    fprintf(file, "],\"other_groups\":%llu", (unsigned long long)rest);
}
