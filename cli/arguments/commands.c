/* SPDX-License-Identifier: BSD-3-Clause */
/* From the words of the command line to the end: finds the subcommand, reads its options, runs it.
 */
#include "arguments/commands.h"

#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/message.h"

const cli_command *command_find(const char *name) {
    const char *names[32];
    for (size_t i = 0; i < n_commands; i++) {
        names[i] = commands[i]->name;
        if (!strcmp(names[i], name)) {
            return commands[i];
        }
    }
    const char *closest = closest_word(name, names, n_commands);
    if (closest) {
        die(EXIT_MISUSE, "there is no command '%s'; did you mean '%s'?", name, closest);
    }
    die(EXIT_MISUSE, "there is no command '%s'; 'frocc help' lists them", name);
}

/* --version and --help are what people try first. */
static const char *command_name(int count, char **words) {
    if (count < 2 || !strcmp(words[1], "--help") || !strcmp(words[1], "-h")) {
        return "help";
    }
    return strcmp(words[1], "--version") ? words[1] : "version";
}

int command_run(int count, char **words) {
    guard_signals();
    const cli_command *command = command_find(command_name(count, words));
    cli_arguments arguments;
    arguments_parse(command, count > 2 ? count - 2 : 0, words + 2, &arguments);
    int code = command->run(&arguments);
    arguments_free(&arguments);
    if (fflush(stdout) || ferror(stdout)) {
        die(EXIT_FAILED, "standard output could not be written; is the disk full?");
    }
    return count < 2 ? EXIT_MISUSE : code;
}
