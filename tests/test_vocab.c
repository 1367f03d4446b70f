/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distinct texts, numbered as they came; and nobody who does not
 * know the number that texts are hashed under, which each run chooses anew, can make texts that
 * share a slot. The test includes the source file to know it.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "schema/vocab.c" /* NOLINT(bugprone-suspicious-include): for its number */

#define N_TEXTS 4096
#define SLOT_BITS 16 /* more than the table has */

static const char *own_path;

static void test_numbers(void) {
    static const char *const texts[] = {"red", "", "green", "a longer text", "red", "redd", "re"};
    static const size_t number[] = {0, 1, 2, 3, 0, 4, 5};
    frocc__vocab v = {0};
    check(frocc__vocab_find(&v, "red", 3) == FROCC__NOT_FOUND, "found in nothing");
    for (size_t i = 0; i < 7; i++)
        check_ok(frocc__vocab_add(&v, texts[i], strlen(texts[i])));
    check(v.count == 6, "%zu texts", v.count);
    for (size_t i = 0; i < 7; i++)
        check(frocc__vocab_find(&v, texts[i], strlen(texts[i])) == number[i], "text %zu", i);
    check(frocc__vocab_find(&v, "r", 1) == FROCC__NOT_FOUND, "the beginning of a text");
    frocc__vocab_clear(&v);
}

static uint64_t unmix(uint64_t x) {
    uint64_t inverse = 1; /* of the odd factor: each step doubles the bits that are right */
    for (int i = 0; i < 6; i++)
        inverse *= 2 - 0xD6E8FEB86659FD93u * inverse;
    x = (x ^ x >> 32) * inverse;
    x = (x ^ x >> 32) * inverse;
    return x ^ x >> 32;
}

/* How far behind their slots texts lie, on average, that share one slot under the number. */
static double displacement(uint64_t under) {
    frocc__vocab v = {0};
    for (uint64_t i = 1; v.count < N_TEXTS; i++) {
        const uint64_t word = unmix(unmix(i << SLOT_BITS)) ^ under ^ 8;
        char text[8];
        memcpy(text, &word, 8);
        if (memchr(text, '\0', 8) == NULL)
            check_ok(frocc__vocab_add(&v, text, 8));
    }
    double sum = 0;
    check(v.n_slots <= (size_t)1 << SLOT_BITS, "%zu slots", v.n_slots);
    for (size_t i = 0; i < v.n_slots; i++) {
        if (v.slots[i] == 0)
            continue;
        const size_t home = hash(frocc__vocab_text(&v, v.slots[i] - 1), 8);
        sum += (double)((i - home) & (v.n_slots - 1));
    }
    frocc__vocab_clear(&v);
    return sum / N_TEXTS;
}

static void test_hostile_texts(void) {
    check(displacement(seed()) > N_TEXTS / 4.0,
          "who knows the number makes texts that share a slot");
    for (int bit = 0; bit < 64; bit++) {
        const double found = displacement(seed() ^ (uint64_t)1 << bit);
        check(found < 4, "who is wrong in bit %d puts texts %.1f behind their slots", bit, found);
    }
}

/* The number of another run. */
static void run_again(char out[64]) {
    char command[4096];
    snprintf(command, sizeof command, "'%s' print", own_path);
    FILE *run = popen(command, "r");
    check(run != NULL && fgets(out, 64, run) != NULL, "%s does not print", command);
    pclose(run);
}

static void test_runs_differ(void) {
    char first[64], second[64];
    run_again(first);
    run_again(second);
    check(strlen(first) > 1 && strcmp(first, second) != 0, "two runs chose %s", first);
}

int main(int argc, char **argv) {
    own_path = argv[0];
    if (argc > 1) {
        printf("%llx\n", (unsigned long long)seed());
        return 0;
    }
    RUN(test_numbers);
    RUN(test_hostile_texts);
    RUN(test_runs_differ);
    return check_end();
}
