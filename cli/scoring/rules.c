/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "scoring/rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/message.h"

enum { MOST_WORDS = 64, LONGEST_LINE = 4096, MOST_CONDITIONS = 8 };

typedef struct condition {
    bool is_reason;
    char *column, *text; /* text: NULL for a range */
    double low, high;
    size_t slot;
} condition;

typedef struct rule {
    size_t line, n_conditions;
    condition conditions[MOST_CONDITIONS];
    bool is_over; /* its last day is */
    char *words;  /* as they stand in the file */
    uint64_t n_rows;
} rule;

struct cli_rules {
    const char *path;
    rule *rules;
    size_t n_rules;
    const char **columns;
    size_t n_columns;
};

/* ---- Reading --------------------------------------------------------------------------------- */

static _Noreturn void die_of_rule(const cli_rules *r, size_t line, const char *what) {
    die(EXIT_MISUSE,
        "%s: line %zu: %s; a rule is COLUMN = TEXT, COLUMN < NUMBER, COLUMN > NUMBER, COLUMN "
        "NUMBER "
        "to NUMBER or reason COLUMN, more of them after 'and', and at the end perhaps until "
        "2026-12-31",
        r->path, line, what);
}

/* Takes the line apart at blanks, outside of quotes, which go away. */
static size_t take_words(const cli_rules *r, size_t line, char *text, char *words[MOST_WORDS]) {
    size_t count = 0;
    for (char *c = text + strspn(text, " \t\r\n"); *c; c += strspn(c, " \t\r\n")) {
        const bool is_quoted = *c == '"';
        if (count == MOST_WORDS) {
            die_of_rule(r, line, "has too many words");
        }
        words[count++] = c += is_quoted;
        c += strcspn(c, is_quoted ? "\"" : " \t\r\n");
        if (is_quoted && !*c) {
            die_of_rule(r, line, "a quote is not closed");
        }
        if (*c) {
            *c++ = 0;
        }
    }
    return count;
}

static bool is_number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end > text && !*end && isfinite(*value);
}

/* The words of a condition; how many it took. */
static size_t take_condition(const cli_rules *r, size_t line, char **words, size_t count,
                             condition *c) {
    double value;
    *c = (condition){.low = -INFINITY, .high = INFINITY};
    if (count >= 2 && !strcmp(words[0], "reason")) {
        c->is_reason = true;
        c->column = must_copy(words[1]);
        return 2;
    }
    c->column = must_copy(count ? words[0] : "");
    if (count >= 3 && !strcmp(words[1], "=")) {
        c->text = must_copy(words[2]);
        return 3;
    }
    if (count >= 3 && (!strcmp(words[1], "<") || !strcmp(words[1], ">")) &&
        is_number(words[2], &value)) {
        c->low = *words[1] == '>' ? nextafter(value, INFINITY) : c->low;
        c->high = *words[1] == '<' ? nextafter(value, -INFINITY) : c->high;
        return 3;
    }
    if (count >= 4 && is_number(words[1], &c->low) && !strcmp(words[2], "to") &&
        is_number(words[3], &c->high)) {
        return 4;
    }
    die_of_rule(r, line, "no condition begins here");
}

/* Digits, and after the year and the month a dash. */
static bool is_day(const char *day) {
    static const char pattern[] = "0000-00-00";
    bool fits = strlen(day) == sizeof pattern - 1;
    for (size_t i = 0; fits && pattern[i]; i++) {
        fits = pattern[i] == '0' ? day[i] >= '0' && day[i] <= '9' : day[i] == pattern[i];
    }
    return fits && strncmp(day + 5, "01", 2) >= 0 && strncmp(day + 5, "12", 2) <= 0 &&
           strncmp(day + 8, "01", 2) >= 0 && strncmp(day + 8, "31", 2) <= 0;
}

/* A day such as 2026-12-31, the last one on which the rule holds. */
static bool is_past(const cli_rules *r, size_t line, const char *day) {
    char today[16];
    const time_t now = time(NULL);
    struct tm local;
    if (!is_day(day)) {
        die_of_rule(r, line, "no day follows 'until'");
    }
    localtime_r(&now, &local);
    strftime(today, sizeof today, "%Y-%m-%d", &local);
    return strcmp(day, today) < 0;
}

static void take_rule(cli_rules *r, size_t line, char *text) {
    char *words[MOST_WORDS];
    rule fresh = {.line = line, .words = must_copy(text)};
    fresh.words[strcspn(fresh.words, "\r\n")] = 0;
    const size_t count = take_words(r, line, text, words);
    for (size_t at = 0; at < count;) {
        if (!strcmp(words[at], "until") && at + 2 == count && fresh.n_conditions) {
            fresh.is_over = is_past(r, line, words[at + 1]);
            break;
        }
        if (fresh.n_conditions && strcmp(words[at], "and") != 0) {
            die_of_rule(r, line, "'and' is missing between two conditions");
        }
        at += fresh.n_conditions > 0;
        if (fresh.n_conditions == MOST_CONDITIONS) {
            die_of_rule(r, line, "has too many conditions");
        }
        at +=
            take_condition(r, line, words + at, count - at, &fresh.conditions[fresh.n_conditions]);
        fresh.n_conditions++;
    }
    r->rules = must_resize(r->rules, r->n_rules + 1, sizeof *r->rules);
    r->rules[r->n_rules++] = fresh;
}

static void list_columns(cli_rules *r) {
    for (size_t i = 0; i < r->n_rules; i++) {
        for (size_t k = 0; k < r->rules[i].n_conditions; k++) {
            const condition *c = &r->rules[i].conditions[k];
            bool is_known = c->is_reason;
            for (size_t n = 0; n < r->n_columns; n++) {
                is_known = is_known || !strcmp(r->columns[n], c->column);
            }
            if (!is_known) {
                r->columns = must_resize(r->columns, r->n_columns + 1, sizeof *r->columns);
                r->columns[r->n_columns++] = c->column;
            }
        }
    }
}

cli_rules *rules_read(const cli_arguments *arguments) {
    const char *path = argument_text(arguments, "except");
    char line[LONGEST_LINE];
    if (!path) {
        return NULL;
    }
    FILE *file = fopen(path, "r");
    if (!file) {
        die(EXIT_FAILED, "the rules of --except cannot be read: %s", path);
    }
    cli_rules *r = must_allocate(1, sizeof *r);
    r->path = path;
    for (size_t number = 1; fgets(line, sizeof line, file); number++) {
        if (strlen(line) == sizeof line - 1 || strlen(line) == 0) {
            die_of_rule(r, number, "the line is too long, or no text");
        }
        const char *first = line + strspn(line, " \t\r\n");
        if (*first && *first != '#') {
            take_rule(r, number, line);
        }
    }
    if (ferror(file)) {
        die(EXIT_FAILED, "the rules of --except cannot be read: %s", path);
    }
    fclose(file);
    list_columns(r);
    return r;
}

void rules_free(cli_rules *r) {
    for (size_t i = 0; r && i < r->n_rules; i++) {
        for (size_t k = 0; k < r->rules[i].n_conditions; k++) {
            free(r->rules[i].conditions[k].column);
            free(r->rules[i].conditions[k].text);
        }
        free(r->rules[i].words);
    }
    if (r) {
        free(r->rules);
        free(r->columns);
    }
    free(r);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

size_t rules_columns(const cli_rules *r, const char *const **names) {
    *names = r ? r->columns : NULL;
    return r ? r->n_columns : 0;
}

void rules_place(cli_rules *r, const char *name, size_t slot) {
    for (size_t i = 0; r && i < r->n_rules; i++) {
        for (size_t k = 0; k < r->rules[i].n_conditions; k++) {
            condition *c = &r->rules[i].conditions[k];
            if (!c->is_reason && !strcmp(c->column, name)) {
                c->slot = slot;
            }
        }
    }
}

bool rules_want_reason(const cli_rules *r) {
    bool wanted = false;
    for (size_t i = 0; r && i < r->n_rules; i++) {
        for (size_t k = 0; k < r->rules[i].n_conditions; k++) {
            wanted = wanted || r->rules[i].conditions[k].is_reason;
        }
    }
    return wanted;
}

/* A cell may be a value of JSON, and then a text has quotes. */
static bool is_text(const char *cell, const char *text) {
    const size_t length = strlen(text);
    return !strcmp(cell, text) ||
           (*cell == '"' && strlen(cell) == length + 2 && !memcmp(cell + 1, text, length));
}

static bool holds(const condition *c, const char *const *cells, const char *leading) {
    double value;
    if (c->is_reason) {
        return !strcmp(c->column, leading);
    }
    if (c->text) {
        return is_text(cells[c->slot], c->text);
    }
    return is_number(cells[c->slot], &value) && value >= c->low && value <= c->high;
}

size_t rules_find(cli_rules *r, const char *const *cells, const char *leading) {
    for (size_t i = 0; r && i < r->n_rules; i++) {
        rule *one = &r->rules[i];
        bool all = !one->is_over;
        for (size_t k = 0; all && k < one->n_conditions; k++) {
            all = holds(&one->conditions[k], cells, leading);
        }
        if (all) {
            one->n_rows++;
            return one->line;
        }
    }
    return 0;
}

uint64_t rules_count(const cli_rules *r) {
    uint64_t count = 0;
    for (size_t i = 0; r && i < r->n_rules; i++) {
        count += r->rules[i].n_rows;
    }
    return count;
}

void rules_note(const cli_rules *r) {
    for (size_t i = 0; r && i < r->n_rules; i++) {
        const rule *one = &r->rules[i];
        if (one->is_over) {
            note("%s: line %zu: its last day is over, so it silences nothing: %s", r->path,
                 one->line, one->words);
        } else if (one->n_rows) {
            note("%s: line %zu: silenced %llu outlier%s: %s", r->path, one->line,
                 (unsigned long long)one->n_rows, one->n_rows == 1 ? "" : "s", one->words);
        }
    }
}
