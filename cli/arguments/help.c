/* SPDX-License-Identifier: BSD-3-Clause */
#include "arguments/help.h"

#include <stdio.h>
#include <string.h>

#include "arguments/commands.h"
#include "frocc.h"

#define WIDTH 80
#define OPTION_COLUMN 30

static const char introduction[] =
    "Learn what normal rows look like, then say how normal new rows are.";

/* ---- --help ---------------------------------------------------------------------------------- */

/* Breaks text at spaces so that no line passes WIDTH; the first line starts at column. */
static void print_wrapped(const char *text, size_t indent, size_t column) {
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (column > indent && column + 1 + length > WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)length, text);
        column += length;
        text += length;
        if (*text == '\n') {
            printf("\n%*s", (int)indent, "");
            column = indent;
        }
        text += *text != 0;
    }
    putchar('\n');
}

static void print_option(const cli_option *option) {
    char left[64];
    char letter[8] = "    ";
    if (option->letter) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    int length = snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name,
                          option->value ? " " : "", option->value ? option->value : "");
    printf("%s", left);
    if (length + 2 > OPTION_COLUMN) {
        putchar('\n');
        length = 0;
    }
    printf("%*s", OPTION_COLUMN - length, "");
    print_wrapped(option->help, OPTION_COLUMN, OPTION_COLUMN);
}

static void print_example(const char *example) {
    while (*example) {
        size_t length = strcspn(example, "\n");
        printf("  %.*s\n", (int)length, example);
        example += length + (example[length] != 0);
    }
}

void help_print(const cli_command *command) {
    printf("Usage: frocc %s [OPTION]... %s\n%s.\n", command->name, command->operands,
           command->summary);
    if (command->details) {
        putchar('\n');
        print_wrapped(command->details, 0, 0);
    }
    for (size_t g = 0; g < MAX_GROUPS && command->groups[g]; g++) {
        printf("\n%s:\n", command->groups[g]->title);
        for (const cli_option *option = command->groups[g]->options; option->name; option++) {
            print_option(option);
        }
    }
    printf("\nExample:\n");
    print_example(command->example);
}

void help_print_overview(void) {
    printf("Usage: frocc COMMAND [OPTION]...\n%s\n\nCommands:\n", introduction);
    for (size_t i = 0; i < n_commands; i++) {
        printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    printf("\n'frocc COMMAND --help' has the options of a command, and an example.\n");
}

/* ---- The manual page ------------------------------------------------------------------------- */

/* Text for troff: a dash and a backslash must be escaped, and so must a dot that starts a line. */
static void man_text(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if ((text[i] == '.' || text[i] == '\'') && (i == 0 || text[i - 1] == '\n')) {
            printf("\\&");
        }
        switch (text[i]) {
        case '-':
            printf("\\-");
            break;
        case '\\':
            printf("\\e");
            break;
        default:
            putchar(text[i]);
        }
    }
}

static void man_line(const char *macro, const char *text) {
    printf("%s", macro);
    man_text(text, strlen(text));
    putchar('\n');
}

static void man_option(const cli_option *option) {
    printf(".TP\n");
    if (option->letter) {
        printf("\\fB\\-%c\\fR, ", option->letter);
    }
    printf("\\fB\\-\\-");
    man_text(option->name, strlen(option->name));
    printf("\\fR");
    if (option->value) {
        printf(" \\fI");
        man_text(option->value, strlen(option->value));
        printf("\\fR");
    }
    putchar('\n');
    man_line("", option->help);
}

/* Groups that several commands have are printed once, after the commands. */
static bool is_shared(const cli_option_group *group) {
    size_t users = 0;
    for (size_t i = 0; i < n_commands; i++) {
        for (size_t g = 0; g < MAX_GROUPS && commands[i]->groups[g]; g++) {
            users += commands[i]->groups[g] == group;
        }
    }
    return users > 1;
}

static void man_group(const cli_option_group *group) {
    for (const cli_option *option = group->options; option->name; option++) {
        man_option(option);
    }
}

static void man_command(const cli_command *command) {
    printf(".SS frocc %s [OPTION]... %s\n", command->name, command->operands);
    man_text(command->summary, strlen(command->summary));
    printf(".\n");
    if (command->details) {
        man_line(".PP\n", command->details);
    }
    for (size_t g = 0; g < MAX_GROUPS && command->groups[g]; g++) {
        if (!is_shared(command->groups[g])) {
            man_group(command->groups[g]);
        }
    }
    for (size_t g = 0; g < MAX_GROUPS && command->groups[g]; g++) {
        if (is_shared(command->groups[g]) && command->groups[g] != &common_options) {
            printf(".PP\nSee also the options under \\fI%s\\fR.\n", command->groups[g]->title);
        }
    }
    printf(".PP\nExample:\n.PP\n.nf\n.RS\n");
    man_line("", command->example);
    printf(".RE\n.fi\n");
}

/* Each shared group where the first command that has it stands. */
static void man_shared_groups(void) {
    for (size_t i = 0; i < n_commands; i++) {
        for (size_t g = 0; g < MAX_GROUPS && commands[i]->groups[g]; g++) {
            const cli_option_group *group = commands[i]->groups[g];
            bool before = false;
            for (size_t j = 0; j < i; j++) {
                for (size_t h = 0; h < MAX_GROUPS && commands[j]->groups[h]; h++) {
                    before = before || commands[j]->groups[h] == group;
                }
            }
            if (is_shared(group) && !before) {
                printf(".SS %s\n", group->title);
                man_group(group);
            }
        }
    }
}

static const char man_codes[] = ".SH EXIT STATUS\n"
                                ".TP\n0\nAll went well.\n"
                                ".TP\n1\nThe data or the machine were not as needed.\n"
                                ".TP\n2\nThe command line does not make sense.\n"
                                ".TP\n3\n\\fBpredict \\-\\-exit\\-code\\fR found an outlier, or "
                                "\\fB\\-\\-alarm\\-above\\fR too many.\n"
                                ".TP\n4\nThe data have a header and no rows.\n";

static const char man_environment[] =
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBFROCC_CPU\\fR\n"
    "Forces a kernel level: ref, avx2, avx512 or neon. It changes the speed, never a result.\n"
    ".TP\n\\fBOMP_NUM_THREADS\\fR\n"
    "The number of threads where \\fB\\-\\-threads\\fR is not given.\n";

void help_print_man(void) {
    printf(".\\\" SPDX-License-Identifier: BSD-3-Clause\n"
           ".\\\" Written by 'frocc help --man' from the tables in cli/.\n"
           ".TH FROCC 1 \"\" \"frocc %s\" \"User Commands\"\n",
           frocc_version());
    printf(".SH NAME\nfrocc \\- fast random projection\\-based one\\-class classification\n"
           ".SH SYNOPSIS\n.B frocc\n\\fICOMMAND\\fR [\\fIOPTION\\fR]...\n");
    man_line(".SH DESCRIPTION\n", introduction);
    printf("Results go to standard output or to the file named by \\fB\\-o\\fR, everything else "
           "to standard error.\nA score is higher for more normal rows.\n.SH COMMANDS\n");
    for (size_t i = 0; i < n_commands; i++) {
        man_command(commands[i]);
    }
    printf(".SH SHARED OPTIONS\n");
    man_shared_groups();
    printf("%s%s", man_codes, man_environment);
}

/* ---- Completion for bash --------------------------------------------------------------------- */

/* One a line, so that changes to several do not meet in one line. */
static void completion_words(const cli_command *command) {
    printf("    %s) words='", command->name);
    for (size_t g = 0; g < MAX_GROUPS && command->groups[g]; g++) {
        for (const cli_option *option = command->groups[g]->options; option->name; option++) {
            printf("\n        --%s", option->name);
        }
    }
    printf("' ;;\n");
}

/* The values of each choice; an option of one name has the same choices wherever it appears. */
static void completion_choices(const cli_command *command) {
    for (size_t g = 0; g < MAX_GROUPS && command->groups[g]; g++) {
        for (const cli_option *option = command->groups[g]->options; option->name; option++) {
            if (!option->value || !strchr(option->value, '|')) {
                continue;
            }
            printf("    %s:--%s) words='", command->name, option->name);
            for (const char *c = option->value; *c; c++) {
                putchar(*c == '|' ? ' ' : *c);
            }
            printf("' ;;\n");
        }
    }
}

void help_print_completion(void) {
    printf("# SPDX-License-Identifier: BSD-3-Clause\n"
           "# Written by 'frocc help --completion' from the tables in cli/.\n"
           "_frocc() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
           "words=\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        words='");
    for (size_t i = 0; i < n_commands; i++) {
        printf("\n            %s", commands[i]->name);
    }
    printf("'\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]}:$before in\n");
    for (size_t i = 0; i < n_commands; i++) {
        completion_choices(commands[i]);
    }
    printf("    esac\n"
           "    [ -n \"$words\" ] || case $current in -*) case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < n_commands; i++) {
        completion_words(commands[i]);
    }
    printf("    esac ;; esac\n"
           "    if [ -n \"$words\" ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F _frocc frocc\n");
}
