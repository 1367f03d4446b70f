/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The damage sweep: 100,000 mutants of models of some 100 kB, each loaded as it is and with its
 * checksum repaired. As they are, none may load. Repaired, one loads only as what the file says: it
 * saves as the same bytes. Each load takes less than 64 MB and a second, and what is refused leaves
 * nothing behind.
 */
#include "load_cost.h"

/* ---- Models of about 100 kB, with all sections between them ---------------------------------- */

typedef struct victim {
    const char *name;
    frocc_score score;
    bool is_default, is_sealed;
    size_t n, d, m;
} victim;

static const victim victims[] = {
    {"default", FROCC_SCORE_CLOSENESS, true, false, 500, 12, 256},
    {"sealed", FROCC_SCORE_CLOSENESS, true, true, 500, 12, 256},
    {"paper", FROCC_SCORE_AGREEMENT, false, false, 300, 8, 1500},
    {"plain closeness", FROCC_SCORE_CLOSENESS, false, false, 600, 6, 2000},
};
#define VICTIMS (sizeof victims / sizeof *victims)

static blob victim_bytes(const victim *v) {
    rng r = rng_seed(1900 + v->n);
    data x = data_new(&r, v->n, v->d, SHAPE_CLUSTERS, false);
    frocc_params params;
    frocc_model *sealed = NULL;
    if (v->is_default) {
        frocc_params_init(&params);
        params.n_trees = 4;
        params.calibration_rows = 100;
    } else {
        frocc_params_init_paper(&params);
        params.score = v->score;
        params.epsilon = 0.02f;
    }
    params.n_directions = v->m;
    frocc_model *model = fit(&params, &x);
    if (v->is_sealed) {
        check_ok(frocc_model_seal(model, &sealed));
        frocc_model_free(model);
        model = sealed;
    }
    blob b = blob_of(model);
    printf("# %s: %zu bytes\n", v->name, b.size);
    check(b.size > 50000 && b.size < 200000, "%s has %zu bytes", v->name, b.size);
    frocc_model_free(model);
    data_free(&x);
    return b;
}

/* ---- Mutants --------------------------------------------------------------------------------- */

/* Where damage does most: the head of the file, that of a section, or anywhere. */
static size_t place(rng *r, const blob *b) {
    size_t at = MODEL_HEAD, count = rng_below(r, 7);
    const size_t how = rng_below(r, 4);
    if (how == 0)
        return rng_below(r, b->size);
    if (how == 1)
        return rng_below(r, 300);
    while (count-- > 0) {
        const size_t next = at + 12 + (size_t)model_u64((unsigned char *)b->bytes + at + 4);
        if (next + MODEL_TAIL >= b->size)
            break;
        at = next;
    }
    return at + rng_below(r, 64);
}

static void change(rng *r, unsigned char *at, size_t room) {
    static const uint64_t words[] = {
        0, ~(uint64_t)0, 0x7fc00000, 0x7f800000,         0x80000000,        0x7fffffff,
        1, 1 << 20,      1 << 24,    0x7ff8000000000000, 0x8000000000000000};
    switch (rng_below(r, 4)) {
    case 0: /* a bit */
        *at ^= (unsigned char)(1u << rng_below(r, 8));
        break;
    case 1: /* a byte */
        *at = (unsigned char)rng_below(r, 256);
        break;
    case 2: /* a word that means something */
        model_put(at, words[rng_below(r, sizeof words / sizeof *words)], room >= 8 ? 8 : 1);
        break;
    default: /* a number that is a little more or less */
        *at = (unsigned char)(*at + (rng_chance(r, 2) ? 1 : -1));
        break;
    }
}

/* The size of the mutant, which is not the file that was. */
static size_t mutate(rng *r, const blob *b, unsigned char *copy) {
    size_t size = b->size;
    memcpy(copy, b->bytes, b->size);
    if (rng_chance(r, 10)) {
        size = rng_below(r, b->size);
    } else if (rng_chance(r, 10)) { /* a piece that stands elsewhere too */
        const size_t length = 1 + rng_below(r, 4000), from = rng_below(r, b->size - length);
        memmove(copy + rng_below(r, b->size - length), copy + from, length);
    } else {
        for (size_t k = 1 + rng_below(r, 3); k > 0; k--) {
            size_t at = place(r, b);
            at = at < b->size ? at : b->size - 1;
            change(r, copy + at, b->size - at);
        }
    }
    return size;
}

typedef struct totals {
    size_t loads, accepted;
} totals;

static void try_mutant(unsigned char *copy, size_t size, const blob *b, totals *t) {
    frocc_model *model;
    if (size == b->size && memcmp(copy, b->bytes, size) == 0)
        return; /* the changes were none */
    model = load_lightly(copy, size, "a mutant");
    check(model == NULL, "a damaged file was accepted");
    model_reseal(copy, size);
    if (size == b->size && memcmp(copy, b->bytes, size) == 0)
        return; /* only the checksum was another */
    model = load_lightly(copy, size, "a resealed mutant");
    t->loads += 2;
    if (model == NULL)
        return;
    blob again = blob_of(model);
    check(again.size == size && memcmp(again.bytes, copy, size) == 0,
          "a file loads and saves as another one");
    blob_free(&again);
    frocc_model_free(model);
    t->accepted++;
}

static void damage_is_refused(void) {
    const size_t mutants = (size_t)check_share(100000, 2000, 60) / VICTIMS;
    totals t = {0, 0};
    for (size_t v = 0; v < VICTIMS; v++) {
        blob b = victim_bytes(&victims[v]);
        unsigned char *copy = NEW(unsigned char, b.size);
        for (size_t i = 0; i < mutants; i++) {
            rng r = rng_seed(v << 32 | i);
            const size_t size = mutate(&r, &b, copy);
            try_mutant(copy, size, &b, &t);
        }
        free(copy);
        blob_free(&b);
    }
    printf("# %zu loads, %zu of resealed mutants that are models too; at most %.1f MB and %.3f s\n",
           t.loads, t.accepted, (double)cost.worst / 1e6, cost.worst_seconds);
}

int main(void) {
    count_memory();
    RUN(damage_is_refused);
    return check_end();
}
