/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The damage sweep: a million mutants of models and fitters, small ones of every kind and some of
 * 100 kB, each loaded as it is and with its checksum repaired. As they are, none may load.
 * Repaired, one loads only as what the file says: a model saves as the same bytes. Each load takes
 * less than 64 MB and a second, and what is refused leaves nothing behind. What loads does all that
 * models and fitters can do, within 400 MB and five seconds.
 */
#include "kinds.h"
#include "load_cost.h"
#include "use_all.h"

#define MEMORY_OF_A_USE (((size_t)8 << 20) * 48) /* eight times what a small file may take */
#define SECONDS_OF_A_USE 5.0

/* ---- Models of about 100 kB, with all sections between them ---------------------------------- */

typedef struct victim {
    const char *name;
    frocc_score score;
    bool is_default, is_sealed, is_fitter;
    size_t n, d, m;
} victim;

static const victim victims[] = {
    {"default", FROCC_SCORE_CLOSENESS, true, false, false, 500, 12, 256},
    {"fitter", FROCC_SCORE_CLOSENESS, true, false, true, 500, 12, 256},
    {"sealed", FROCC_SCORE_CLOSENESS, true, true, false, 500, 12, 256},
    {"paper", FROCC_SCORE_AGREEMENT, false, false, false, 300, 8, 1500},
    {"plain closeness", FROCC_SCORE_CLOSENESS, false, false, false, 600, 6, 2000},
};
#define VICTIMS (sizeof victims / sizeof *victims)

static blob fitter_bytes(const frocc_model *model, const data *x) {
    blob b = {NULL, 0};
    frocc_fitter *fitter = NULL;
    check_ok(frocc_fitter_like(model, 1, &fitter));
    fitter_take(fitter, x, 0, x->n);
    check_ok(frocc_fitter_to_bytes(fitter, &b.bytes, &b.size));
    frocc_fitter_free(fitter);
    return b;
}

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
    blob b = v->is_fitter ? fitter_bytes(model, &x) : blob_of(model);
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
        const size_t most = b->size / 2 < 4000 ? b->size / 2 : 4000;
        const size_t length = 1 + rng_below(r, most), from = rng_below(r, b->size - length);
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

/* ---- What becomes of them -------------------------------------------------------------------- */

typedef struct totals {
    size_t loads, accepted, used;
} totals;

static const frocc_load_options all_memory = {
    .struct_size = sizeof all_memory, .kernel_fn = first_difference, .max_memory = SIZE_MAX};

static void check_use(cost_mark mark, const char *wrong) {
    check(wrong == NULL, "of a mutant: %s: %s", wrong, frocc_last_error());
    cost_end(mark, MEMORY_OF_A_USE, SECONDS_OF_A_USE, "the use of a mutant");
}

static bool try_model(unsigned char *copy, size_t size, bool is_used) {
    frocc_model *model = load_lightly(copy, size, "a mutant");
    if (model == NULL)
        return false;
    blob again = blob_of(model);
    check(again.size == size && memcmp(again.bytes, copy, size) == 0,
          "a file loads and saves as another one");
    blob_free(&again);
    const cost_mark mark = cost_begin();
    if (is_used)
        check_use(mark, use_model(model, &all_memory));
    frocc_model_free(model);
    return true;
}

static bool try_fitter(unsigned char *copy, size_t size, bool is_used) {
    frocc_fitter *fitter = load_fitter_lightly(copy, size, "a mutant");
    if (fitter == NULL)
        return false;
    used_rows u;
    frocc_frame *frame = frocc_fitter_frame(fitter);
    use_rows(&u, frocc_frame_features(frame));
    frocc_frame_free(frame);
    const cost_mark mark = cost_begin();
    if (is_used)
        check_use(mark, use_fitter(fitter, NULL, &all_memory, &u.rows));
    frocc_fitter_free(fitter);
    return true;
}

static void try_mutant(rng *r, const blob *b, unsigned char *copy, bool is_fitter, unsigned one_in,
                       totals *t) {
    bool (*attempt)(unsigned char *, size_t, bool) = is_fitter ? try_fitter : try_model;
    const size_t size = mutate(r, b, copy);
    const bool is_used = rng_chance(r, one_in);
    if (size == b->size && memcmp(copy, b->bytes, size) == 0)
        return; /* the changes were none */
    check(!attempt(copy, size, false), "a damaged file was accepted");
    model_reseal(copy, size);
    if (size == b->size && memcmp(copy, b->bytes, size) == 0)
        return; /* only the checksum was another */
    t->loads += 2;
    if (!attempt(copy, size, is_used))
        return;
    t->accepted++;
    t->used += is_used;
}

static void try_mutants(const blob *b, uint64_t seed, size_t mutants, bool is_fitter,
                        unsigned one_in, totals *t) {
    unsigned char *copy = NEW(unsigned char, b->size);
    for (size_t i = 0; i < mutants; i++) {
        rng r = rng_seed(seed << 32 | i);
        try_mutant(&r, b, copy, is_fitter, one_in, t);
    }
    free(copy);
}

static void report(const totals *t) {
    printf("# %zu loads, %zu of resealed mutants that load, %zu of these used; at most %.1f MB and "
           "%.3f s\n",
           t->loads, t->accepted, t->used, (double)cost.worst / 1e6, cost.worst_seconds);
}

static void damage_is_refused(void) {
    const size_t mutants = (size_t)check_share(100000, 2000, 60) / VICTIMS;
    totals t = {0};
    for (size_t v = 0; v < VICTIMS; v++) {
        blob b = victim_bytes(&victims[v]);
        try_mutants(&b, v, mutants, victims[v].is_fitter, 8, &t);
        blob_free(&b);
    }
    report(&t);
}

static void every_kind_is_damaged(void) {
    const size_t mutants = (size_t)check_share(900000, 60000, 2000) / (2 * KINDS);
    totals t = {0};
    for (unsigned k = 0; k < 2 * KINDS; k++) {
        blob b = {NULL, 0};
        check_ok(kind_bytes(k / 2, k % 2 != 0, &b.bytes, &b.size));
        try_mutants(&b, 100 + k, mutants, k % 2 != 0, 1, &t);
        blob_free(&b);
    }
    report(&t);
}

int main(void) {
    count_memory();
    RUN(damage_is_refused);
    RUN(every_kind_is_damaged);
    return check_end();
}
