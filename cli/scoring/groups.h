/* SPDX-License-Identifier: BSD-3-Clause */
/* Outliers that are alike, counted: by what leads their reasons, without the value. */
#ifndef CLI_GROUPS_H
#define CLI_GROUPS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cli_groups {
    struct cli_group {
        char *text;
        uint64_t n_rows;
    } * groups;
    size_t count;
    uint64_t n_others; /* in groups beyond the most that are told apart */
} cli_groups;

void groups_add(cli_groups *groups, const char *text);
void groups_free(cli_groups *groups);

/* The largest first: as notes, or as a member of JSON with a comma in front. */
void groups_note(cli_groups *groups);
void groups_print_json(cli_groups *groups, FILE *file);

#endif
