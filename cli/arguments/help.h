/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything that is written from the tables of commands and options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "arguments/options.h"

void help_print(const cli_command *command);
void help_print_overview(void);
void help_print_man(void);
void help_print_completion(void);

#endif
