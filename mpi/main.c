/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frocc-mpi: fit, score and eval of the frocc command by several processes, on one machine or many,
 * with the same options and, to the byte, the same results. Each process reads a part of the files,
 * which all of them must see.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "base/message.h"
#include "fit.h"
#include "score.h"
#include "team.h"

const cli_command *const commands[] = {
    &command_fit, &command_score, &command_eval, &command_help, &command_version,
};
const size_t n_commands = sizeof commands / sizeof *commands;

static bool is_shared(const char *name) {
    return !strcmp(name, "fit") || !strcmp(name, "score") || !strcmp(name, "eval");
}

/* The words of the command line, with the part that is this process's. */
static char **add_part(int count, char **words, char part[64]) {
    char **more = must_allocate((size_t)count + 3, sizeof *more);
    for (int i = 0; i < count; i++) {
        if (!strncmp(words[i], "--part", 6)) {
            die(EXIT_MISUSE, "frocc-mpi shares the rows out by itself; leave out --part");
        }
        more[i + (i > 1 ? 2 : 0)] = words[i];
    }
    snprintf(part, 64, "%d/%d", team_rank() + 1, team_size());
    more[2] = "--part";
    more[3] = part;
    return more;
}

/* What the first process says is enough. */
static void run_beside(int count, char **words) {
    cli_arguments arguments;
    const cli_command *command = command_find(words[1]);
    arguments_parse(command, count - 2, words + 2, &arguments);
    arguments.verbosity = -1;
    arguments.json = false;
    if (command == &command_fit) {
        command->run(&arguments); /* ends within, where the model is handed over */
    } else {
        score_for_the_first(&arguments, command == &command_score);
    }
    arguments_free(&arguments);
}

/* Help is said by one. */
static bool asks_for_help(int count, char **words) {
    for (int i = 2; i < count; i++) {
        if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h")) {
            return true;
        }
    }
    return false;
}

int main(int count, char **words) {
    char part[64];
    int code = EXIT_FINE;
    team_begin(&count, &words);
    if (team_size() == 1 || count < 2 || !is_shared(words[1]) || asks_for_help(count, words)) {
        die_together = NULL; /* nobody waits to hear of a failure */
        code = team_rank() == 0 ? command_run(count, words) : EXIT_FINE;
        team_end(code);
    }
    words = add_part(count, words, part);
    normal_rows_together = &fit_team;
    data_is_learnt_together = true;
    if (team_rank() == 0) {
        scoring_next_elsewhere = score_next_elsewhere;
        code = command_run(count + 2, words);
        if (!strcmp(words[1], "fit")) {
            team_agree();
        }
    } else {
        run_beside(count + 2, words);
    }
    free(words);
    team_end(code);
}
