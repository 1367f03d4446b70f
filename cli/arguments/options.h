/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options by table. A command names its groups of options once; parsing, --help, the man page and
 * the shell completion all read the same tables.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cli_option {
    const char *name;  /* without the dashes; NULL ends a table */
    char letter;       /* 0 where there is no short form */
    const char *value; /* NULL for a flag, "a|b|c" for a choice, else what it stands for */
    const char *help;
} cli_option;

typedef struct cli_option_group {
    const char *title;
    const cli_option *options;
} cli_option_group;

#define MAX_GROUPS 6

typedef struct cli_arguments cli_arguments;

typedef struct cli_command {
    const char *name;
    const char *operands; /* as in the usage line */
    const char *summary;  /* one line */
    const char *details;  /* paragraphs for --help and the man page */
    const char *example;  /* lines for --help and the man page */
    const cli_option_group *groups[MAX_GROUPS];
    size_t min_operands;
    size_t max_operands;
    int (*run)(const cli_arguments *arguments);
} cli_command;

typedef struct option_value {
    const cli_option *option;
    const char *text; /* "" for a flag */
} option_value;

struct cli_arguments {
    const cli_command *command;
    option_value *given; /* in the order of the command line; the last one counts */
    size_t n_given;
    const char **operands;
    size_t n_operands;
    int verbosity; /* -1 with -q, 1 with -v, else 0 */
    bool json;
};

/* The options every command has: --help, -q, -v, --json. */
extern const cli_option_group common_options;

/* Ends the program with EXIT_MISUSE when the words do not fit the command. */
void arguments_parse(const cli_command *command, int count, char **words, cli_arguments *arguments);
void arguments_free(cli_arguments *arguments);

/* The text of an option, or NULL (fallback) where it was not given. */
const char *argument_text(const cli_arguments *arguments, const char *name);
bool argument_given(const cli_arguments *arguments, const char *name);

/* Numbers, checked against both ends. */
double argument_number(const cli_arguments *arguments, const char *name, double fallback,
                       double low, double high);
uint64_t argument_count(const cli_arguments *arguments, const char *name, uint64_t fallback,
                        uint64_t low, uint64_t high);

/* Which of the choices "a|b|c" of its table was given, from 0. */
size_t argument_choice(const cli_arguments *arguments, const char *name, size_t fallback);

/* The index of a word in "a|b|c", or -1. */
int choice_index(const char *choices, const char *word, size_t length);

/* A comma-separated list of numbers; returns how many. The caller frees. */
size_t argument_numbers(const cli_arguments *arguments, const char *name, const char *fallback,
                        double low, double high, double **numbers);

/* The word of the list closest to a mistyped one, or NULL where none is close. */
const char *closest_word(const char *word, const char *const *words, size_t n_words);

/* Where a summary goes when --json asks for one: standard output, unless the results go there. */
FILE *summary_stream(const cli_arguments *arguments);

#endif
