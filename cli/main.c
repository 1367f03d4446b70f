/* SPDX-License-Identifier: BSD-3-Clause */
/* The frocc command. */
#include "arguments/commands.h"
#include "data/data.h"

const cli_command *const commands[] = {
    &command_fit,     &command_score,   &command_predict, &command_outliers, &command_eval,
    &command_explain, &command_tune,    &command_frame,   &command_merge,    &command_seal,
    &command_info,    &command_convert, &command_report,  &command_gen,      &command_demo,
    &command_help,    &command_version,
};
const size_t n_commands = sizeof commands / sizeof *commands;

int main(int count, char **words) {
    return command_run(count, words);
}

/* For a program that can open files in formats of its own, such as Python with pyarrow. */
FROCC_API int frocc_command_main(int count, char **words, const frocc_table_opener *opener);

int frocc_command_main(int count, char **words, const frocc_table_opener *opener) {
    data_opener = opener;
    return command_run(count, words);
}
