/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Model files that are not what they were: cut at every length, every bit flipped, lengthened,
 * empty, not there, not writable. Then files that lie with a correct checksum, which only a loader
 * that trusts nothing survives.
 */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "reseal.h"

#define UNTOUCHED ((void *)(uintptr_t)0x5a5a)

typedef enum sort { AGREEMENT, CLOSENESS, CALIBRATED, SEALED, SORTS } sort;

/* Small; all sorts together have every section that a model can have. */
static frocc_model *small_model(uint64_t seed, sort what, frocc_family family) {
    rng r = rng_seed(seed);
    data x = data_new(&r, 30, 2, SHAPE_CLUSTERS, true);
    setup s;
    setup_init(&r, &s, FROCC_KERNEL_RBF, FROCC_SCALING_STANDARD, family, 2, 2);
    if (what != AGREEMENT)
        setup_closeness(&r, &s);
    s.params.epsilon = what == AGREEMENT ? 0.2f : 0.02f;
    s.params.calibration_rows = what == CALIBRATED || what == SEALED ? 4 : 0;
    frocc_model *model = fit(&s.params, &x), *sealed = NULL;
    if (what == SEALED) {
        check_ok(frocc_model_seal(model, &sealed));
        frocc_model_free(model);
        model = sealed;
    }
    setup_free(&s);
    data_free(&x);
    return model;
}

static bool is_refusal(frocc_status status) {
    return status == FROCC_ERR_FORMAT || status == FROCC_ERR_VERSION;
}

static void refused(const void *bytes, size_t size, const char *what, size_t where) {
    frocc_model *model = UNTOUCHED;
    frocc_status status = frocc_model_from_bytes(bytes, size, NULL, &model);

    check(is_refusal(status), "%s %zu: loading gave %s", what, where, frocc_status_name(status));
    check(strlen(frocc_last_error()) > 10, "%s %zu: no sentence", what, where);
    check(model == UNTOUCHED, "%s %zu: a failed load changed the result", what, where);
}

static void each_small_model(void (*test)(const blob *b)) {
    for (int i = 0; i < 2 * SORTS; i++) {
        frocc_model *model = small_model(800000 + (uint64_t)i, (sort)(i % SORTS),
                                         i < SORTS ? FROCC_FAMILY_GIVEN : FROCC_FAMILY_GAUSSIAN);
        blob b = blob_of(model);
        test(&b);
        blob_free(&b);
        frocc_model_free(model);
    }
}

/* The copy ends where the memory ends, so that a read past the end is seen by the sanitizers. */
static void cut_everywhere(const blob *b) {
    for (size_t size = 0; size < b->size; size++) {
        void *copy = malloc(size ? size : 1);
        check(copy != NULL, "memory");
        memcpy(copy, b->bytes, size);
        refused(copy, size, "cut to", size);
        free(copy);
    }
}

static void every_length_is_refused(void) {
    each_small_model(cut_everywhere);
}

static void flip_everywhere(const blob *b) {
    unsigned char *copy = NEW(unsigned char, b->size);

    memcpy(copy, b->bytes, b->size);
    for (size_t bit = 0; bit < b->size * 8; bit++) {
        copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
        refused(copy, b->size, "flipped bit", bit);
        copy[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free(copy);
}

static void every_flipped_bit_is_refused(void) {
    each_small_model(flip_everywhere);
}

static void lengthen(const blob *b) {
    for (size_t more = 1; more < 20; more++) {
        unsigned char *copy = NEW(unsigned char, b->size + more);
        memcpy(copy, b->bytes, b->size);
        refused(copy, b->size + more, "longer by", more);
        free(copy);
    }
}

static void lengthened_files_are_refused(void) {
    each_small_model(lengthen);
}

/* ---- Files on disk --------------------------------------------------------------------------- */

static void damaged_files_on_disk(void) {
    char *folder = folder_new(), *path = path_in(folder, "model.frocc");
    frocc_model *model = small_model(810000, AGREEMENT, FROCC_FAMILY_GAUSSIAN), *loaded = UNTOUCHED;
    blob file;

    check_ok(frocc_model_save(model, path));
    file = file_read(path);
    for (size_t size = 0; size < file.size; size += 7) {
        file_write(path, file.bytes, size);
        frocc_status status = frocc_model_load(path, NULL, &loaded);
        check(is_refusal(status), "cut to %zu: %s", size, frocc_status_name(status));
        check(loaded == UNTOUCHED, "a failed load changed the result");
    }
    check_ok(frocc_model_save(model, path)); /* over the damaged file */
    check_ok(frocc_model_load(path, NULL, &loaded));
    check_same(model, loaded, "saved over a damaged file");
    check(folder_entries(folder) == 1, "something was left beside the model file");
    free(file.bytes);
    free(path);
    folder_free(folder);
    frocc_model_free(model);
    frocc_model_free(loaded);
}

static void not_models_at_all(void) {
    static const char *texts[] = {
        "",      "x",     "hello, world\n", "PK\003\004", "\177ELF\002\001\001",
        "frocc", "FROCC", "{\"a\": 1}"};
    unsigned char *zeros = NEW(unsigned char, 100000);

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refused(texts[i], strlen(texts[i]), "text", i);
    refused(zeros, 100000, "zeros", 0);
    memset(zeros, 0xff, 100000);
    refused(zeros, 100000, "ones", 0);
    free(zeros);
}

static void paths_that_cannot_be_used(void) {
    char *folder = folder_new(), *missing = path_in(folder, "no/such/file");
    char *long_name = NEW(char, 6000);
    frocc_model *model = small_model(820000, AGREEMENT, FROCC_FAMILY_GAUSSIAN), *loaded = UNTOUCHED;

    memset(long_name, 'a', 5999);
    check_is(frocc_model_load(missing, NULL, &loaded), FROCC_ERR_IO);
    check(strstr(frocc_last_error(), missing) != NULL, "\"%s\" does not name the file",
          frocc_last_error());
    check_is(frocc_model_load(folder, NULL, &loaded), FROCC_ERR_IO);
    check_is(frocc_model_load("", NULL, &loaded), FROCC_ERR_IO);
    check_is(frocc_model_load(long_name, NULL, &loaded), FROCC_ERR_IO);
    check_is(frocc_model_save(model, missing), FROCC_ERR_IO);
    check(strstr(frocc_last_error(), missing) != NULL, "\"%s\" does not name the file",
          frocc_last_error());
    check_is(frocc_model_save(model, folder), FROCC_ERR_IO);
    check_is(frocc_model_save(model, ""), FROCC_ERR_IO);
    check_is(frocc_model_save(model, long_name), FROCC_ERR_IO);
    check(loaded == UNTOUCHED, "a failed load changed the result");
    check(folder_entries(folder) == 0, "a failed save left something behind");
    free(missing);
    free(long_name);
    folder_free(folder);
    frocc_model_free(model);
}

/* A custom kernel cannot be kept in a file: the loader needs it, and says which one. */
static void custom_kernels_must_be_given(void) {
    rng r = rng_seed(830000);
    data x = data_new(&r, 30, 2, SHAPE_BLOB, true);
    setup s;
    setup_init(&r, &s, FROCC_KERNEL_CUSTOM, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 3, 2);
    frocc_load_options options = setup_load_options(&s), empty = {.struct_size = sizeof empty};
    frocc_load_options stale = {.struct_size = 1, .kernel_fn = city_block};
    frocc_model *model = fit(&s.params, &x), *loaded = UNTOUCHED;
    blob b = blob_of(model);

    check_is(frocc_model_from_bytes(b.bytes, b.size, NULL, &loaded), FROCC_ERR_UNSUPPORTED);
    check(strstr(frocc_last_error(), "city block") != NULL, "\"%s\" does not name the kernel",
          frocc_last_error());
    check_is(frocc_model_from_bytes(b.bytes, b.size, &empty, &loaded), FROCC_ERR_UNSUPPORTED);
    check_is(frocc_model_from_bytes(b.bytes, b.size, &stale, &loaded), FROCC_ERR_ARGUMENT);
    check(loaded == UNTOUCHED, "a failed load changed the result");
    check_ok(frocc_model_from_bytes(b.bytes, b.size, &options, &loaded));
    check_same(model, loaded, "a custom kernel that was given");
    blob_free(&b);
    frocc_model_free(model);
    frocc_model_free(loaded);
    setup_free(&s);
    data_free(&x);
}

/* ---- Files that lie under a correct checksum ------------------------------------------------- */

/* What only models made of this one need is looked at when it is needed. */
static void use_further(const frocc_model *model) {
    const frocc_model *both[] = {model, model};
    frocc_model *made = UNTOUCHED;
    frocc_status status = frocc_model_merge(both, 2, &made);

    check(status == FROCC_OK || status == FROCC_ERR_FORMAT || status == FROCC_ERR_UNSUPPORTED ||
              status == FROCC_ERR_ARGUMENT, /* 2^64 rows */
          "%s: %s", frocc_status_name(status), frocc_last_error());
    check(status == FROCC_OK || made == UNTOUCHED, "a failure changed the result");
    if (status == FROCC_OK)
        frocc_model_free(made);
}

static void use(const frocc_model *model) {
    frocc_model_info info = describe(model);
    frocc_scorer *scorer = NULL;
    double *zeros = NEW(double, info.n_features), score = -1;
    frocc_rows rows = frocc_rows_f64(zeros, 1, info.n_features);

    check_ok(frocc_scorer_new(model, 1, &scorer));
    frocc_status status = frocc_scorer_score(scorer, &rows, &score);
    bool from_0 = score >= 0 || info.score == FROCC_SCORE_CLOSENESS;
    check(status == FROCC_ERR_DATA || (from_0 && score <= 1), "score %g", score);
    float *distances = NEW(float, info.n_directions);
    frocc_status measured = frocc_scorer_distances(scorer, &rows, distances);
    check(measured == status, "scored with %s, measured with %s", frocc_status_name(status),
          frocc_status_name(measured));
    frocc_scorer_free(scorer);
    free(distances);
    free(zeros);
    use_further(model);
}

/* Refused, or loaded as exactly what the file says: then it can be used, and saves as it was. */
static bool survives(unsigned char *bytes, size_t size, size_t where) {
    frocc_model *model = UNTOUCHED;
    blob again = {NULL, 0};

    /* Little memory, so that a row of what it claims is soon scored. */
    const frocc_load_options little = {.struct_size = sizeof little, .max_memory = 1 << 22};
    model_reseal(bytes, size);
    frocc_status status = frocc_model_from_bytes(bytes, size, &little, &model);
    if (status != FROCC_OK) {
        check(model == UNTOUCHED, "byte %zu: a failed load changed the result", where);
        check(is_refusal(status) || status == FROCC_ERR_UNSUPPORTED || status == FROCC_ERR_MEMORY,
              "byte %zu: %s: %s", where, frocc_status_name(status), frocc_last_error());
        return false;
    }
    use(model);
    check_ok(frocc_model_to_bytes(model, &again.bytes, &again.size));
    check(again.size == size && memcmp(again.bytes, bytes, size) == 0,
          "byte %zu: a file that was changed there loads and saves as another file", where);
    blob_free(&again);
    frocc_model_free(model);
    return true;
}

static void lie_everywhere(const blob *b) {
    static const unsigned char masks[] = {1, 2, 4, 8, 16, 32, 64, 128, 255, 0x7f};
    unsigned char *copy = NEW(unsigned char, b->size);
    size_t loaded = 0;

    for (size_t at = 0; at + MODEL_TAIL < b->size; at++)
        for (size_t k = 0; k < sizeof masks; k++) {
            memcpy(copy, b->bytes, b->size);
            copy[at] ^= masks[k];
            loaded += survives(copy, b->size, at);
        }
    check(loaded > 0, "no lie was believed: is the checksum right?");
    free(copy);
}

static void one_byte_lies(void) {
    each_small_model(lie_everywhere);
}

/* Several bytes at once, and words that mean something: 0, -1, NaN, infinity, the largest. */
static void lie_at_random(const blob *b) {
    static const uint64_t words[] = {0,          ~(uint64_t)0,       0x7fc00000,
                                     0x7f800000, 0x80000000,         0x7fffffff,
                                     1,          0x7ff8000000000000, 0x8000000000000000};
    unsigned char *copy = NEW(unsigned char, b->size);
    rng r = rng_seed(840000 + b->size);

    for (int i = 0; i < check_cases(8000, 400); i++) {
        size_t changes = 1 + rng_below(&r, 3), size = b->size;
        memcpy(copy, b->bytes, b->size);
        for (size_t k = 0; k < changes; k++) {
            size_t at = rng_below(&r, b->size - MODEL_TAIL);
            int wide = b->size - MODEL_TAIL - at >= 8 ? 8 : 1;
            wide = wide == 8 && rng_chance(&r, 2) ? 4 : wide;
            model_put(copy + at, words[rng_below(&r, sizeof words / sizeof *words)], wide);
        }
        if (rng_chance(&r, 8))
            size -= rng_below(&r, 40);
        survives(copy, size, (size_t)i);
    }
    free(copy);
}

static void random_lies(void) {
    each_small_model(lie_at_random);
}

/* Lies with a purpose, each one a thing that no fit produces. */
static void lie_on_purpose(const blob *b, const char *tag, size_t offset, uint64_t value, int size,
                           bool accepted) {
    unsigned char *copy = NEW(unsigned char, b->size);
    uint64_t length = 0;
    unsigned char *payload;

    memcpy(copy, b->bytes, b->size);
    payload = model_section(copy, b->size, tag, &length);
    check(payload != NULL && offset + (size_t)size <= length, "%s has no byte %zu", tag, offset);
    model_put(payload + offset, value, size);
    check(survives(copy, b->size, offset) == accepted, "%s, byte %zu: %llx is %s", tag, offset,
          (unsigned long long)value, accepted ? "refused" : "accepted");
    free(copy);
}

/* A double that the model holds becomes another one. */
static void lie_about(const blob *b, const char *tag, double truth, uint64_t lie, bool accepted) {
    uint64_t length = 0;
    unsigned char *payload = model_section(b->bytes, b->size, tag, &length);

    check(payload != NULL, "there is no section %s", tag);
    lie_on_purpose(b, tag, model_find_f64(payload, length, truth), lie, 8, accepted);
}

static void lies_with_a_purpose(void) {
    frocc_model *model = small_model(850001, AGREEMENT, FROCC_FAMILY_GAUSSIAN);
    frocc_frame *frame = frocc_model_frame(model);
    blob b = blob_of(model);
    size_t ends = 4 + 8 + 2 * 4; /* behind epsilon, rows and two counts */
    double shift[2], scale[2], threshold = describe(model).threshold;

    frocc_frame_copy_scaling(frame, shift, scale);
    frocc_frame_free(frame);
    lie_on_purpose(&b, "FRAM", 16, 12345, 8, true); /* another seed is another model */
    lie_on_purpose(&b, "FRAM", 0, 0, 8, false);
    lie_on_purpose(&b, "FRAM", 0, 3, 8, false);
    lie_on_purpose(&b, "FRAM", 8, 0, 8, false);
    lie_on_purpose(&b, "FRAM", 8, 3, 8, false);
    lie_on_purpose(&b, "FRAM", 24, 5, 4, false);
    lie_on_purpose(&b, "FRAM", 28, 6, 4, false);
    lie_on_purpose(&b, "FRAM", 28, 0, 4, false); /* no scaling, and yet its numbers */
    lie_on_purpose(&b, "FRAM", 32, 5, 4, false);
    lie_on_purpose(&b, "FRAM", 36, 1, 4, false);
    lie_on_purpose(&b, "FRAM", 40, 0x7fc00000, 4, false);
    lie_on_purpose(&b, "FRAM", 40, 0xbf800000, 4, false);
    lie_on_purpose(&b, "FRAM", 48, 'x', 1, false);
    lie_about(&b, "FRAM", shift[1], 0x7ff8000000000000, false);
    lie_about(&b, "FRAM", scale[0], 0x7ff0000000000000, false);
    lie_about(&b, "FRAM", scale[1], 0, false);
    lie_on_purpose(&b, "SKET", 0, 0x3f800001, 4, false);
    lie_on_purpose(&b, "SKET", 0, 0, 4, false);
    lie_on_purpose(&b, "SKET", 0, 0x7fc00000, 4, false);
    lie_on_purpose(&b, "SKET", 4, 0, 8, false);
    lie_on_purpose(&b, "SKET", 12, 0, 4, false);
    lie_on_purpose(&b, "SKET", 12, 0xffffffff, 4, false);
    lie_on_purpose(&b, "SKET", ends, 0x7fc00000, 4, false);
    lie_on_purpose(&b, "SKET", ends, 0xff800000, 4, false);
    lie_on_purpose(&b, "SKET", ends, 0x7f7fffff, 4, false);
    lie_about(&b, "DECI", threshold, 0x7ff8000000000000, false);
    lie_about(&b, "DECI", threshold, 0x4000000000000000, false);
    lie_about(&b, "DECI", threshold, 0xbfe0000000000000, false);
    lie_about(&b, "DECI", threshold, 0x3fe0000000000000, true);
    blob_free(&b);
    frocc_model_free(model);
}

/* Intervals that touch, overlap or end at infinity, in models of two intervals and of one. */
static void lies_about_intervals(void) {
    double values[] = {0, 1, 10, 11};
    float direction = 1;
    frocc_rows rows = frocc_rows_f64(values, 4, 1);
    frocc_params p;
    size_t ends = 4 + 8 + 4; /* behind epsilon, rows and the count */

    frocc_params_init_paper(&p);
    p.n_directions = 1;
    p.family = FROCC_FAMILY_GIVEN;
    p.directions = &direction;
    for (int one = 0; one < 2; one++) {
        frocc_model *model = NULL;
        p.epsilon = one ? 1.0f : 0.2f;
        check_ok(frocc_fit(&p, &rows, &model));
        check(frocc_model_count_intervals(model) == (one ? 1 : 2), "its intervals");
        blob b = blob_of(model);
        size_t last = ends + (one ? 4 : 12);
        lie_on_purpose(&b, "SKET", ends, 0xff800000, 4, false); /* from -infinity */
        lie_on_purpose(&b, "SKET", ends, 0x7fc00000, 4, false); /* from NaN */
        lie_on_purpose(&b, "SKET", last, 0x7f800000, 4, false); /* to infinity */
        lie_on_purpose(&b, "SKET", ends, 0x80000000, 4, false); /* from -0 */
        lie_on_purpose(&b, "SKET", ends, 0xbf800000, 4, true);  /* from -1: why not */
        if (!one) {
            lie_on_purpose(&b, "SKET", ends + 8, 0x3f800000, 4, false); /* touches */
            lie_on_purpose(&b, "SKET", ends + 8, 0x3f000000, 4, false); /* overlaps */
            lie_on_purpose(&b, "SKET", ends + 8, 0x40000000, 4, false); /* is too near */
            lie_on_purpose(&b, "SKET", ends + 8, 0x41000000, 4, true);  /* is far enough */
        }
        blob_free(&b);
        frocc_model_free(model);
    }
}

/* Another version is refused by its number, with a status of its own. */
static void other_versions(void) {
    frocc_model *model = small_model(850002, AGREEMENT, FROCC_FAMILY_GAUSSIAN), *loaded = UNTOUCHED;
    blob b = blob_of(model);
    unsigned char *bytes = b.bytes;

    check(bytes[8] == 2, "this is version %d", bytes[8]);
    char here[64]; /* who reads what */
    snprintf(here, sizeof here, "frocc %s reads version 2", frocc_version());
    for (unsigned version = 0; version < 5; version++) {
        if (version == 2)
            continue;
        model_put(bytes + 8, version, 4);
        model_reseal(bytes, b.size);
        check_is(frocc_model_from_bytes(bytes, b.size, NULL, &loaded), FROCC_ERR_VERSION);
        char its[32]; /* which version it has, and what to do */
        snprintf(its, sizeof its, "version %u", version);
        check(strstr(frocc_last_error(), its) != NULL && strstr(frocc_last_error(), here) != NULL &&
                  strstr(frocc_last_error(), version > 2 ? "newer one" : "again") != NULL,
              "%s", frocc_last_error());
    }
    check(loaded == UNTOUCHED, "a failed load changed the result");
    blob_free(&b);
    frocc_model_free(model);
}

int main(void) {
    RUN(every_length_is_refused);
    RUN(every_flipped_bit_is_refused);
    RUN(lengthened_files_are_refused);
    RUN(damaged_files_on_disk);
    RUN(not_models_at_all);
    RUN(paths_that_cannot_be_used);
    RUN(custom_kernels_must_be_given);
    RUN(one_byte_lies);
    RUN(random_lies);
    RUN(lies_with_a_purpose);
    RUN(lies_about_intervals);
    RUN(other_versions);
    return check_end();
}
