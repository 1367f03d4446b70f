/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any words after any command: they are understood, or the command ends with a sentence. What it
 * would do is not done. Words are separated by line ends; the first byte chooses the command. In
 * place of cli/base/message.c and exit there is a way back here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arguments/commands.h"
#include "arguments/method.h"
#include "base/message.h"
#include "bounded.h"

static jmp_buf ended;
static bool is_parsing;
static int ending; /* the exit status */

/* ---- What the parser ends by, and its memory ------------------------------------------------- */

static void *blocks[4096];
static size_t n_blocks;

void *must_allocate(size_t count, size_t size) {
    HOLDS(n_blocks < sizeof blocks / sizeof *blocks);
    void *block = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
    HOLDS(block != NULL);
    return blocks[n_blocks++] = block;
}

static void release_all(void) {
    while (n_blocks > 0)
        free(blocks[--n_blocks]);
}

static void check_sentence(const char *format, va_list values) {
    char sentence[16384];
    vsnprintf(sentence, sizeof sentence, format, values);
    HOLDS(strlen(sentence) > 10);
}

void die(int code, const char *format, ...) {
    va_list values;
    va_start(values, format);
    check_sentence(format, values);
    va_end(values);
    ending = code;
    longjmp(ended, 1);
}

_Noreturn void __real_exit(int code);
_Noreturn void __wrap_exit(int code);

_Noreturn void __wrap_exit(int code) {
    if (!is_parsing)
        __real_exit(code);
    ending = code;
    longjmp(ended, 1);
}

/* ---- Commands, without what they do ---------------------------------------------------------- */

static int do_nothing(const cli_arguments *arguments) {
    (void)arguments;
    return EXIT_FINE;
}

static const cli_option table[] = {
    {"output", 'o', "FILE", "A file"},
    {"rows", 0, "LIST", "Numbers"},
    {"header", 0, "auto|yes|no", "One"},
    {"count", 'n', "N", "A number"},
    {"threads", 0, "N", "A number"},
    {"flag", 'f', NULL, "A flag"},
    {0},
};
static const cli_option_group some_options = {"Options", table};

static const cli_command some[] = {
    {.name = "fit",
     .operands = "DATA...",
     .summary = "Fit",
     .details = "Rows in.\n\nA model out.",
     .example = "frocc fit rows.csv",
     .groups = {&some_options, &method_options, &common_options},
     .min_operands = 1,
     .max_operands = SIZE_MAX,
     .run = do_nothing},
    {.name = "two",
     .operands = "A B",
     .summary = "Two",
     .example = "frocc two a b",
     .groups = {&some_options, &common_options},
     .min_operands = 2,
     .max_operands = 2,
     .run = do_nothing},
    {.name = "none",
     .operands = "",
     .summary = "Nothing",
     .example = "frocc none",
     .groups = {&common_options},
     .run = do_nothing},
};
const cli_command *const commands[] = {&some[0], &some[1], &some[2]};
const size_t n_commands = sizeof commands / sizeof *commands;

/* ---- The words ------------------------------------------------------------------------------- */

/* Each way in which a command may ask for a value. */
static void ask(const cli_arguments *arguments, unsigned how) {
    double *numbers = NULL;
    frocc_params params;
    switch (how % 6) {
    case 0:
        if (arguments->command == &some[0]) {
            method_params(arguments, &params);
            /* What the options allow, the library allows, or says why not. */
            if (frocc_params_check(&params, 5) != FROCC_OK)
                HOLDS(frocc_last_error()[0] != '\0');
        }
        break;
    case 1: {
        const size_t count = argument_numbers(arguments, "rows", "1,2", 1, 9e15, &numbers);
        for (size_t i = 0; i < count; i++)
            HOLDS(numbers[i] >= 1 && numbers[i] <= 9e15);
        break;
    }
    case 2: {
        const uint64_t count = argument_count(arguments, "count", 7, 3, 1000);
        HOLDS(count >= 3 && count <= 1000);
        break;
    }
    case 3: {
        const double number = argument_number(arguments, "count", 0, -1, 1e300);
        HOLDS(number >= -1 && number <= 1e300);
        break;
    }
    case 4:
        if (arguments->command != &some[2])
            HOLDS(argument_choice(arguments, "header", 0) < 3);
        break;
    default:
        (void)summary_stream(arguments);
        break;
    }
}

#define MAX_WORDS 64

static void try_input(const uint8_t *data, size_t size) {
    static char text[4096];
    char *words[MAX_WORDS];
    int count = 0;
    if (size < 2 || size - 2 >= sizeof text)
        return;
    memcpy(text, data + 2, size - 2);
    text[size - 2] = '\0';
    for (char *word = text; word != NULL && count < MAX_WORDS;) {
        words[count++] = word;
        word = strchr(word, '\n');
        if (word != NULL)
            *word++ = '\0';
    }
    cli_arguments arguments;
    ending = EXIT_FINE;
    is_parsing = true;
    if (setjmp(ended) == 0) {
        arguments_parse(commands[data[0] % n_commands], count, words, &arguments);
        HOLDS(arguments.n_operands <= (size_t)count);
        ask(&arguments, data[1]);
    }
    is_parsing = false;
    HOLDS(ending == EXIT_FINE || ending == EXIT_MISUSE);
    release_all();
}
