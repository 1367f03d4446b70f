/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands, in the order in which help lists them. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "arguments/options.h"

extern const cli_command *const commands[];
extern const size_t n_commands;

/* Dies of misuse where there is none of this name. */
const cli_command *command_find(const char *name);

/* Runs the command that main's words ask for; returns the exit code. */
int command_run(int count, char **words);

extern const cli_command command_fit;
extern const cli_command command_score;
extern const cli_command command_predict;
extern const cli_command command_outliers;
extern const cli_command command_eval;
extern const cli_command command_explain;
extern const cli_command command_tune;
extern const cli_command command_frame;
extern const cli_command command_merge;
extern const cli_command command_seal;
extern const cli_command command_info;
extern const cli_command command_convert;
extern const cli_command command_report;
extern const cli_command command_gen;
extern const cli_command command_demo;
extern const cli_command command_help;
extern const cli_command command_version;

#endif
