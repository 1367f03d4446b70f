/* SPDX-License-Identifier: BSD-3-Clause */
#include "arguments/options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/help.h"
#include "base/message.h"

static const cli_option common_table[] = {
    {"quiet", 'q', NULL, "Say nothing but errors"},
    {"verbose", 'v', NULL, "Say more about what is done"},
    {"json", 0, NULL, "Print summaries as JSON"},
    {"help", 'h', NULL, "Print this help"},
    {0},
};
const cli_option_group common_options = {"Common options", common_table};

/* ---- Words that almost fit ------------------------------------------------------------------- */

#define LONGEST_WORD 32

/* Levenshtein's distance, by one row of its table. */
static size_t edit_distance(const char *a, const char *b) {
    size_t row[LONGEST_WORD + 1];
    size_t b_length = strlen(b);
    if (b_length > LONGEST_WORD) {
        return b_length;
    }
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b_length; j++) {
            size_t best = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            best = best < diagonal + 1 ? best : diagonal + 1;
            row[j + 1] = best < row[j] + 1 ? best : row[j] + 1;
        }
    }
    return row[b_length];
}

const char *closest_word(const char *word, const char *const *words, size_t n_words) {
    const char *closest = NULL;
    size_t closest_distance = 3; /* more than two slips is another word */
    for (size_t i = 0; i < n_words; i++) {
        size_t distance = edit_distance(word, words[i]);
        if (distance < closest_distance) {
            closest_distance = distance;
            closest = words[i];
        }
    }
    return closest;
}

/* ---- Looking up ------------------------------------------------------------------------------ */

typedef bool (*option_test)(const cli_option *option, const void *wanted);

static const cli_option *find_option(const cli_command *command, option_test test,
                                     const void *wanted) {
    for (size_t g = 0; g < MAX_GROUPS && command->groups[g]; g++) {
        for (const cli_option *option = command->groups[g]->options; option->name; option++) {
            if (test(option, wanted)) {
                return option;
            }
        }
    }
    return NULL;
}

typedef struct name_span {
    const char *text;
    size_t length;
} name_span;

static bool has_name(const cli_option *option, const void *wanted) {
    const name_span *span = wanted;
    return strlen(option->name) == span->length && !memcmp(option->name, span->text, span->length);
}

static bool has_letter(const cli_option *option, const void *wanted) {
    return option->letter && option->letter == *(const char *)wanted;
}

static _Noreturn void die_unknown(const cli_command *command, const char *word) {
    const char *names[128];
    size_t n_names = 0;
    for (size_t g = 0; g < MAX_GROUPS && command->groups[g]; g++) {
        for (const cli_option *option = command->groups[g]->options; option->name && n_names < 128;
             option++) {
            names[n_names++] = option->name;
        }
    }
    char name[LONGEST_WORD];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *closest = word[1] == '-' ? closest_word(name, names, n_names) : NULL;
    if (closest) {
        die(EXIT_MISUSE, "'frocc %s' has no option '%s'; did you mean --%s?", command->name, word,
            closest);
    }
    die(EXIT_MISUSE, "'frocc %s' has no option '%s'; 'frocc %s --help' lists what it has",
        command->name, word, command->name);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

static void keep(cli_arguments *arguments, const cli_option *option, const char *text) {
    arguments->given[arguments->n_given++] = (option_value){option, text};
}

/* --name, --name=value or --name value; returns how many words it took. */
static int parse_long(cli_arguments *arguments, int count, char **words) {
    const char *name = words[0] + 2;
    const char *equals = strchr(name, '=');
    name_span span = {name, equals ? (size_t)(equals - name) : strlen(name)};
    const cli_option *option = find_option(arguments->command, has_name, &span);
    if (!option) {
        die_unknown(arguments->command, words[0]);
    }
    if (!option->value) {
        if (equals) {
            die(EXIT_MISUSE, "--%s takes no value, but '%s' was given", option->name, equals + 1);
        }
        keep(arguments, option, "");
        return 1;
    }
    if (!equals && count < 2) {
        die(EXIT_MISUSE, "--%s needs a value: --%s %s", option->name, option->name, option->value);
    }
    keep(arguments, option, equals ? equals + 1 : words[1]);
    return equals ? 1 : 2;
}

/* -abc for flags, -xVALUE or -x VALUE; returns how many words it took. */
static int parse_short(cli_arguments *arguments, int count, char **words) {
    for (const char *letter = words[0] + 1; *letter; letter++) {
        const cli_option *option = find_option(arguments->command, has_letter, letter);
        if (!option) {
            char word[] = {'-', *letter, 0};
            die_unknown(arguments->command, word);
        }
        if (!option->value) {
            keep(arguments, option, "");
            continue;
        }
        if (letter[1]) {
            keep(arguments, option, letter + 1);
            return 1;
        }
        if (count < 2) {
            die(EXIT_MISUSE, "-%c needs a value: -%c %s", *letter, *letter, option->value);
        }
        keep(arguments, option, words[1]);
        return 2;
    }
    return 1;
}

static void check_operands(const cli_arguments *arguments) {
    const cli_command *command = arguments->command;
    if (arguments->n_operands < command->min_operands) {
        die(EXIT_MISUSE, "something is missing: frocc %s %s; 'frocc %s --help' has an example",
            command->name, command->operands, command->name);
    }
    if (arguments->n_operands > command->max_operands) {
        die(EXIT_MISUSE, "'%s' is one word too many: frocc %s %s",
            arguments->operands[command->max_operands], command->name, command->operands);
    }
}

void arguments_parse(const cli_command *command, int count, char **words,
                     cli_arguments *arguments) {
    *arguments = (cli_arguments){.command = command};
    size_t characters = 1; /* no word holds more options than characters */
    for (int i = 0; i < count; i++) {
        characters += strlen(words[i]);
    }
    arguments->given = must_allocate(characters, sizeof *arguments->given);
    arguments->operands = must_allocate((size_t)count + 1, sizeof *arguments->operands);
    bool only_operands = false;
    for (int i = 0; i < count;) {
        const char *word = words[i];
        if (only_operands || word[0] != '-' || !word[1]) {
            arguments->operands[arguments->n_operands++] = word;
            i++;
        } else if (!strcmp(word, "--")) {
            only_operands = true;
            i++;
        } else if (word[1] == '-') {
            i += parse_long(arguments, count - i, words + i);
        } else {
            i += parse_short(arguments, count - i, words + i);
        }
    }
    if (argument_given(arguments, "help")) {
        help_print(command);
        exit(fflush(stdout) ? EXIT_FAILED : EXIT_FINE);
    }
    check_operands(arguments);
    arguments->json = argument_given(arguments, "json");
    arguments->verbosity = argument_given(arguments, "quiet")     ? -1
                           : argument_given(arguments, "verbose") ? 1
                                                                  : 0;
}

void arguments_free(cli_arguments *arguments) {
    free(arguments->given);
    free(arguments->operands);
}

/* ---- Values ---------------------------------------------------------------------------------- */

const char *argument_text(const cli_arguments *arguments, const char *name) {
    for (size_t i = arguments->n_given; i-- > 0;) {
        if (!strcmp(arguments->given[i].option->name, name)) {
            return arguments->given[i].text;
        }
    }
    return NULL;
}

bool argument_given(const cli_arguments *arguments, const char *name) {
    return argument_text(arguments, name) != NULL;
}

static double parse_number(const char *name, const char *text, size_t length, double low,
                           double high) {
    char copy[64];
    char *end = copy;
    double value = NAN;
    if (length && length < sizeof copy && !strchr(" \t\n", text[0])) {
        memcpy(copy, text, length);
        copy[length] = 0;
        value = strtod(copy, &end);
    }
    if (end == copy || *end || !(value >= low && value <= high)) {
        if (high >= 1e300) {
            die(EXIT_MISUSE, "--%s %.*s: expected a number of at least %g", name, (int)length, text,
                low);
        }
        die(EXIT_MISUSE, "--%s %.*s: expected a number from %g to %g", name, (int)length, text, low,
            high);
    }
    return value;
}

double argument_number(const cli_arguments *arguments, const char *name, double fallback,
                       double low, double high) {
    const char *text = argument_text(arguments, name);
    return text ? parse_number(name, text, strlen(text), low, high) : fallback;
}

uint64_t argument_count(const cli_arguments *arguments, const char *name, uint64_t fallback,
                        uint64_t low, uint64_t high) {
    const char *text = argument_text(arguments, name);
    if (!text) {
        return fallback;
    }
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value < low || value > high) {
        die(EXIT_MISUSE, "--%s %s: expected a whole number from %llu to %llu", name, text,
            (unsigned long long)low, (unsigned long long)high);
    }
    return value;
}

int choice_index(const char *choices, const char *word, size_t length) {
    for (int index = 0;; index++) {
        size_t here = strcspn(choices, "|");
        if (here == length && !memcmp(choices, word, length)) {
            return index;
        }
        if (!choices[here]) {
            return -1;
        }
        choices += here + 1;
    }
}

size_t argument_choice(const cli_arguments *arguments, const char *name, size_t fallback) {
    const char *text = argument_text(arguments, name);
    if (!text) {
        return fallback;
    }
    name_span span = {name, strlen(name)};
    const char *choices = find_option(arguments->command, has_name, &span)->value;
    int index = choice_index(choices, text, strlen(text));
    if (index < 0) {
        die(EXIT_MISUSE, "--%s %s: expected one of %s", name, text, choices);
    }
    return (size_t)index;
}

size_t argument_numbers(const cli_arguments *arguments, const char *name, const char *fallback,
                        double low, double high, double **numbers) {
    const char *text = argument_text(arguments, name);
    text = text ? text : fallback;
    size_t count = 1;
    for (const char *c = text; *c; c++) {
        count += *c == ',';
    }
    *numbers = must_allocate(count, sizeof **numbers);
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(text, ",");
        (*numbers)[i] = parse_number(name, text, length, low, high);
        text += length + 1;
    }
    return count;
}

FILE *summary_stream(const cli_arguments *arguments) {
    const char *path = argument_text(arguments, "output");
    return path && strcmp(path, "-") != 0 ? stdout : stderr;
}
