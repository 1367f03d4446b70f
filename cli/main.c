/* SPDX-License-Identifier: BSD-3-Clause */
/* The frocc command: finds the subcommand, reads its options, runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "arguments/help.h"
#include "base/interrupt.h"
#include "base/message.h"

const cli_command *const commands[] = {
    &command_fit,    &command_score, &command_predict, &command_eval, &command_explain,
    &command_tune,   &command_merge, &command_seal,    &command_info, &command_convert,
    &command_report, &command_gen,   &command_demo,    &command_help, &command_version,
};
const size_t n_commands = sizeof commands / sizeof *commands;

const cli_command *command_find(const char *name) {
    for (size_t i = 0; i < n_commands; i++) {
        if (!strcmp(commands[i]->name, name)) {
            return commands[i];
        }
    }
    return NULL;
}

static _Noreturn void die_unknown_command(const char *name) {
    const char *names[32];
    for (size_t i = 0; i < n_commands; i++) {
        names[i] = commands[i]->name;
    }
    const char *closest = closest_word(name, names, n_commands);
    if (closest) {
        die(EXIT_MISUSE, "there is no command '%s'; did you mean '%s'?", name, closest);
    }
    die(EXIT_MISUSE, "there is no command '%s'; 'frocc help' lists them", name);
}

/* ---- help and version --------------------------------------------------------------------------
 */

static int run_help(const cli_arguments *arguments) {
    if (argument_given(arguments, "man")) {
        help_print_man();
    } else if (argument_given(arguments, "completion")) {
        help_print_completion();
    } else if (arguments->n_operands) {
        const cli_command *command = command_find(arguments->operands[0]);
        if (!command) {
            die_unknown_command(arguments->operands[0]);
        }
        help_print(command);
    } else {
        help_print_overview();
    }
    return EXIT_FINE;
}

static const cli_option help_table[] = {
    {"man", 0, NULL, "Print the manual page, for man"},
    {"completion", 0, NULL, "Print the completion script, for bash"},
    {0},
};
static const cli_option_group help_options = {"Options", help_table};

const cli_command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "Say what the commands do",
    .example = "frocc help gen\nfrocc help --completion > /etc/bash_completion.d/frocc",
    .groups = {&help_options, &common_options},
    .max_operands = 1,
    .run = run_help,
};

static int run_version(const cli_arguments *arguments) {
    const char *format =
        arguments->json ? "{\"version\":\"%s\",\"cpu_level\":\"%s\"}\n" : "frocc %s (%s kernels)\n";
    printf(format, frocc_version(), frocc_cpu_level());
    return EXIT_FINE;
}

const cli_command command_version = {
    .name = "version",
    .operands = "",
    .summary = "Print the version and the kernel level of this CPU",
    .example = "frocc version",
    .groups = {&common_options},
    .run = run_version,
};

/* ---- main --------------------------------------------------------------------------------------
 */

/* --version and --help are what people try first. */
static const char *command_name(int count, char **words) {
    if (count < 2 || !strcmp(words[1], "--help") || !strcmp(words[1], "-h")) {
        return "help";
    }
    return strcmp(words[1], "--version") ? words[1] : "version";
}

int main(int count, char **words) {
    guard_signals();
    const char *name = command_name(count, words);
    const cli_command *command = command_find(name);
    if (!command) {
        die_unknown_command(name);
    }
    cli_arguments arguments;
    arguments_parse(command, count > 2 ? count - 2 : 0, words + 2, &arguments);
    int code = command->run(&arguments);
    arguments_free(&arguments);
    if (fflush(stdout) || ferror(stdout)) {
        die(EXIT_FAILED, "standard output could not be written; is the disk full?");
    }
    return count < 2 ? EXIT_MISUSE : code;
}
