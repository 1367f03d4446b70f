/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small model files with a correct checksum that claim to be large: they are refused before what
 * they claim is made. Memory is counted by an allocator, time by the CPU's clock.
 */
#include <stdatomic.h>
#include <time.h>

#include "laws.h"
#include "reseal.h"

/* ---- What a load takes ----------------------------------------------------------------------- */

static atomic_size_t live, most;

static void *count_allocate(void *context, size_t bytes) {
    (void)context;
    size_t *block = malloc(bytes + 16);
    if (block == NULL)
        return NULL;
    *block = bytes;
    const size_t now = atomic_fetch_add(&live, bytes) + bytes;
    if (now > atomic_load(&most))
        atomic_store(&most, now);
    return (char *)block + 16;
}

static void count_release(void *context, void *memory) {
    (void)context;
    size_t *block = (size_t *)(void *)((char *)memory - 16);
    atomic_fetch_sub(&live, *block);
    free(block);
}

static float weight = 1;

#define MEMORY_OF_A_LOAD ((size_t)64 * 1000 * 1000)
#define SECONDS_OF_A_LOAD 1.0
#define SECONDS_UNDER_A_TOOL 50.0 /* valgrind takes that many times as long */

static frocc_status load(unsigned char *bytes, size_t size, size_t max_memory,
                         frocc_model **model) {
    const frocc_load_options options = {sizeof options, city_block, &weight, max_memory};
    model_reseal(bytes, size);
    atomic_store(&most, atomic_load(&live));
    return frocc_model_from_bytes(bytes, size, &options, model);
}

/* Loads, or not, within a moment and 64 MB. */
static bool loads_lightly(unsigned char *bytes, size_t size, const char *what) {
    frocc_model *model = NULL;
    const clock_t start = clock();
    frocc_status status = load(bytes, size, 0, &model);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    check(atomic_load(&most) < MEMORY_OF_A_LOAD, "%s: took %zu bytes", what, atomic_load(&most));
    const double limit = check_quick() ? SECONDS_UNDER_A_TOOL : SECONDS_OF_A_LOAD;
    check(seconds < limit, "%s: took %g seconds", what, seconds);
    check(status == FROCC_OK || status == FROCC_ERR_FORMAT || status == FROCC_ERR_VERSION ||
              status == FROCC_ERR_MEMORY || status == FROCC_ERR_UNSUPPORTED,
          "%s: %s", what, frocc_last_error());
    frocc_model_free(model);
    return status == FROCC_OK;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Fits few rows without a scaling, so that only the head of the frame tells how large it is. */
static blob tiny(frocc_family family, frocc_kernel kernel, frocc_score score, size_t m) {
    static const float directions[] = {1, 0, 0, 1, 0.5f, 0.5f, -1, 1};
    const float values[] = {0.5f, 1, -1, 0.25f, 0, 0, 3, -3};
    const frocc_rows rows = frocc_rows_f32(values, 4, 2);
    frocc_params params;
    frocc_model *model = NULL;
    frocc_params_init_paper(&params);
    params.n_directions = m;
    params.family = family;
    params.kernel = kernel;
    params.kernel_fn = city_block;
    params.kernel_context = &weight;
    params.directions = family == FROCC_FAMILY_GIVEN ? directions : NULL;
    params.density = family == FROCC_FAMILY_SPARSE ? 0.5 : 0;
    params.score = score;
    if (score == FROCC_SCORE_CLOSENESS)
        params.epsilon = FROCC_CLOSENESS_MIN_EPSILON;
    check_ok(frocc_fit(&params, &rows, &model));
    blob b = blob_of(model);
    frocc_model_free(model);
    return b;
}

static void claim(blob *b, uint64_t d, uint64_t m) {
    uint64_t length = 0;
    unsigned char *frame = model_section(b->bytes, b->size, "FRAM", &length);
    model_put(frame, d, 8);
    model_put(frame + 8, m, 8);
}

static void huge_claims_are_cheap(void) {
    static const uint64_t ds[] = {2, 1024, 1 << 20, 1 << 27}, ms[] = {4, 1 << 20, 1 << 24};
    for (int k = 0; k < FAMILIES * 3 * 2; k++) {
        const frocc_family family = (frocc_family)(k % FAMILIES);
        static const frocc_kernel kernels[] = {FROCC_KERNEL_LINEAR, FROCC_KERNEL_RBF,
                                               FROCC_KERNEL_CUSTOM};
        const frocc_score score = (frocc_score)(k / FAMILIES / 3);
        if (family == FROCC_FAMILY_MIXED) /* is learnt: next */
            continue;
        blob b = tiny(family, kernels[k / FAMILIES % 3], score, 4);
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 3; j++) {
                char what[80];
                snprintf(what, sizeof what, "case %d, d 2^%zu, m 2^%zu", k, i, j);
                claim(&b, ds[i], ms[j]);
                const bool loaded = loads_lightly(b.bytes, b.size, what);
                check(!loaded || ms[j] == 4, "%s: it loaded", what);
            }
        blob_free(&b);
    }
}

/* Directions that the file does hold values of, over more columns than it says anything about. */
static void many_wide_directions_are_cheap(void) {
    for (int family = 0; family < FAMILIES; family++) {
        if (family == FROCC_FAMILY_MIXED || family == FROCC_FAMILY_GIVEN)
            continue;
        blob b = tiny((frocc_family)family, FROCC_KERNEL_RBF, FROCC_SCORE_AGREEMENT, 2000);
        for (uint64_t d = 1024; d <= 1 << 27; d *= 32) {
            char what[80];
            snprintf(what, sizeof what, "family %d, %u columns", family, (unsigned)d);
            claim(&b, d, 2000);
            loads_lightly(b.bytes, b.size, what);
        }
        blob_free(&b);
    }
}

/* A few bytes of a histogram are 65,536 cells. */
static void cells_are_counted(void) {
    blob b = tiny(FROCC_FAMILY_GAUSSIAN, FROCC_KERNEL_LINEAR, FROCC_SCORE_CLOSENESS, 2000);
    frocc_model *model = NULL;
    check(b.size < 100000, "%zu bytes are not few", b.size);
    check(!loads_lightly(b.bytes, b.size, "many cells"), "it loaded");
    check_is(load(b.bytes, b.size, 0, &model), FROCC_ERR_MEMORY);
    check(strstr(frocc_last_error(), "max_memory") != NULL, "no advice: %s", frocc_last_error());
    check_ok(load(b.bytes, b.size, SIZE_MAX, &model));
    frocc_model_free(model);
    blob_free(&b);
}

static void a_limit_is_kept_to(void) {
    blob b = tiny(FROCC_FAMILY_GAUSSIAN, FROCC_KERNEL_LINEAR, FROCC_SCORE_AGREEMENT, 100);
    const size_t limits[] = {1 << 16, 1 << 18, 1 << 20, 1 << 22};
    for (size_t i = 0; i < 4; i++)
        for (uint64_t d = 2; d < 100000; d = d * 3 / 2 + 1) {
            frocc_model *model = NULL;
            claim(&b, d, 100);
            frocc_status status = load(b.bytes, b.size, limits[i], &model);
            check(status == FROCC_OK || status == FROCC_ERR_MEMORY, "%s", frocc_last_error());
            check(status != FROCC_OK || atomic_load(&most) < limits[i] + (1 << 18),
                  "%u columns took %zu of %zu bytes", (unsigned)d, atomic_load(&most), limits[i]);
            frocc_model_free(model);
        }
    blob_free(&b);
}

/* Mutants of a usual model of some 100 kB. */
static void mutants_are_cheap(void) {
    rng r = rng_seed(18);
    data x = data_new(&r, 500, 12, SHAPE_CLUSTERS, false);
    frocc_params params;
    frocc_params_init(&params);
    params.n_trees = 4;
    params.calibration_rows = 100;
    frocc_model *model = fit(&params, &x);
    blob b = blob_of(model);
    unsigned char *copy = NEW(unsigned char, b.size);
    for (int i = 0; i < check_cases(2000, 100); i++) {
        memcpy(copy, b.bytes, b.size);
        /* Mostly in the head, where the numbers are that say how large things are. */
        for (uint64_t k = rng_below(&r, 3) + 1; k > 0; k--)
            copy[rng_below(&r, rng_chance(&r, 4) ? b.size : 300)] ^=
                (unsigned char)(1 + rng_below(&r, 255));
        loads_lightly(copy, b.size, "a mutant");
    }
    free(copy);
    blob_free(&b);
    frocc_model_free(model);
    data_free(&x);
}

int main(void) {
    static const frocc_allocator counting = {count_allocate, count_release, NULL};
    frocc_set_allocator(&counting);
    RUN(huge_claims_are_cheap);
    RUN(many_wide_directions_are_cheap);
    RUN(cells_are_counted);
    RUN(a_limit_is_kept_to);
    RUN(mutants_are_cheap);
    return check_end();
}
