/* SPDX-License-Identifier: BSD-3-Clause */
/* frocc help and frocc version. */
#include "arguments/help.h"

#include <stdio.h>

#include "arguments/commands.h"
#include "frocc.h"

static int run_help(const cli_arguments *arguments) {
    if (argument_given(arguments, "man")) {
        help_print_man();
    } else if (argument_given(arguments, "completion")) {
        help_print_completion();
    } else if (arguments->n_operands) {
        help_print(command_find(arguments->operands[0]));
    } else {
        help_print_overview();
    }
    return 0;
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
    return 0;
}

const cli_command command_version = {
    .name = "version",
    .operands = "",
    .summary = "Print the version and the kernel level of this CPU",
    .example = "frocc version",
    .groups = {&common_options},
    .run = run_version,
};
