/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Golden files: models of every released format version, which load forever and score fixed rows
 * as they did, and files that must be refused. Beside NAME.frocc lies NAME.expected, a text with
 * what the model says of itself and the accepting directions of each fixed row.
 *
 * test_golden --write FOLDER makes candidates there. A file that was released is never replaced.
 */
#define _POSIX_C_SOURCE 200809L
#include "files.h"
#include "reseal.h"

#ifndef FROCC_TESTS_DIR
#define FROCC_TESTS_DIR "tests"
#endif

#define QUERIES 40
#define MAX_TEXT 8192

static char *golden; /* the folder */
static float context = 0.5f;

/* ---- Fixed rows: from integers alone, so that they are the same everywhere ------------------- */

static data fixed_rows(uint64_t seed, size_t n, size_t d) {
    rng r = rng_seed(seed);
    data x = {n, d, NEW(double, n *d), NEW(float, n *d)};

    for (size_t i = 0; i < n * d; i++) {
        x.f64[i] = ((double)rng_below(&r, 4096) - 2048) * 0x1p-9 + (double)(i / d % 3) * 12;
        x.f32[i] = (float)x.f64[i];
    }
    return x;
}

/* ---- What is kept ---------------------------------------------------------------------------- */

typedef struct kind {
    const char *name;
    frocc_kernel kernel;
    frocc_scaling scaling;
    frocc_family family;
    float epsilon;
    size_t rows;
    frocc_score score;
    size_t calibration; /* rows */
    bool sealed;
    size_t trees;
    double contamination;
} kind;

#define GAUSSIAN FROCC_FAMILY_GAUSSIAN
#define GIVEN FROCC_FAMILY_GIVEN
#define MIXED FROCC_FAMILY_MIXED
#define HADAMARD FROCC_FAMILY_HADAMARD
#define SPARSE FROCC_FAMILY_SPARSE

#define PAPER FROCC_SCORE_AGREEMENT, 0, false, 0, 0
#define CLOSE(calibration, trees) FROCC_SCORE_CLOSENESS, calibration, false, trees, 0
#define SHARE(calibration, trees) FROCC_SCORE_CLOSENESS, calibration, false, trees, 0.125
#define SEALED(calibration, trees) FROCC_SCORE_CLOSENESS, calibration, true, trees, 0

static const kind kinds[] = {
    {"v2-linear-none", FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, GAUSSIAN, 0.1f, 120, PAPER},
    {"v2-linear-fine", FROCC_KERNEL_LINEAR, FROCC_SCALING_GIVEN, GAUSSIAN, 0.01f, 120, PAPER},
    {"v2-linear-one", FROCC_KERNEL_LINEAR, FROCC_SCALING_STANDARD, GIVEN, 1.0f, 120, PAPER},
    {"v2-rbf-standard", FROCC_KERNEL_RBF, FROCC_SCALING_STANDARD, GAUSSIAN, 0.1f, 120, PAPER},
    {"v2-poly-minmax", FROCC_KERNEL_POLY, FROCC_SCALING_MINMAX, GAUSSIAN, 0.05f, 120, PAPER},
    {"v2-sigmoid-given", FROCC_KERNEL_SIGMOID, FROCC_SCALING_GIVEN, GIVEN, 0.03f, 120, PAPER},
    {"v2-custom", FROCC_KERNEL_CUSTOM, FROCC_SCALING_STANDARD, GAUSSIAN, 0.1f, 120, PAPER},
    {"v2-linear-asinh", FROCC_KERNEL_LINEAR, FROCC_SCALING_ASINH, GAUSSIAN, 0.02f, 120, PAPER},
    {"v2-linear-whiten", FROCC_KERNEL_LINEAR, FROCC_SCALING_WHITEN, GAUSSIAN, 0.02f, 120, PAPER},
    {"v2-rbf-mixed", FROCC_KERNEL_RBF, FROCC_SCALING_ASINH, MIXED, 0.02f, 120, PAPER},
    {"v2-one-row", FROCC_KERNEL_RBF, FROCC_SCALING_STANDARD, GAUSSIAN, 0.1f, 1, PAPER},
    {"v2-poly-hadamard", FROCC_KERNEL_POLY, FROCC_SCALING_NONE, HADAMARD, 0.05f, 120, PAPER},
    {"v2-linear-sparse", FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, SPARSE, 0.05f, 120, PAPER},
    {"v2-close-default", FROCC_KERNEL_LINEAR, FROCC_SCALING_ASINH, MIXED, 0x1p-14f, 120,
     CLOSE(30, 6)},
    {"v2-close-plain", FROCC_KERNEL_RBF, FROCC_SCALING_STANDARD, GAUSSIAN, 0.02f, 120, CLOSE(0, 0)},
    {"v2-close-one-row", FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, GAUSSIAN, 0.1f, 1, CLOSE(0, 2)},
    {"v2-close-custom", FROCC_KERNEL_CUSTOM, FROCC_SCALING_MINMAX, GIVEN, 0.25f, 120, CLOSE(12, 3)},
    {"v2-close-sealed", FROCC_KERNEL_LINEAR, FROCC_SCALING_ASINH, MIXED, 0x1p-14f, 120,
     SEALED(30, 6)},
    {"v2-close-share", FROCC_KERNEL_LINEAR, FROCC_SCALING_ASINH, MIXED, 0.01f, 120, SHARE(30, 6)},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static frocc_model *model_of(const kind *k, uint64_t seed) {
    enum { D = 5, M = 24 };
    data x = fixed_rows(seed, k->rows, D);
    double shift[D], scale[D];
    float directions[M * D];
    frocc_params p;
    frocc_model *model, *sealed = NULL;

    frocc_params_init_paper(&p);
    p.seed = seed;
    p.n_directions = M;
    p.epsilon = k->epsilon;
    p.threshold = 0.875;
    p.calibration_rows = k->calibration;
    p.n_trees = k->trees;
    p.contamination = k->contamination;
    p.fpr = k->calibration ? 0.125 : 0;
    p.score = k->score;
    p.kernel = k->kernel;
    p.gamma = 0.0625;
    p.coef0 = 0.25;
    p.kernel_fn = city_block;
    p.kernel_context = &context;
    p.kernel_name = "city block";
    p.scaling = k->scaling;
    p.shift = shift;
    p.scale = scale;
    p.family = k->family;
    p.directions = directions;
    for (int j = 0; j < D; j++) {
        shift[j] = j - 2;
        scale[j] = 1.5 + j;
    }
    for (int i = 0; i < M * D; i++)
        directions[i] = (float)(i * 37 % 64 - 32) * 0x1p-5f;
    model = fit(&p, &x);
    if (k->sealed) {
        check_ok(frocc_model_seal(model, &sealed));
        frocc_model_free(model);
        model = sealed;
    }
    data_free(&x);
    return model;
}

/* What a model says of itself and of the fixed rows, as text. */
static void describe_as_text(const frocc_model *model, char *text) {
    frocc_model_info i = describe(model);
    data q = fixed_rows(4711, QUERIES, i.n_features);
    frocc_rows rows = data_rows(&q);
    uint32_t counts[QUERIES] = {0};
    uint8_t normal[QUERIES];
    double scores[QUERIES];
    frocc_scorer *scorer = NULL;
    size_t at;

    check_ok(frocc_scorer_new(model, 1, &scorer));
    if (i.score == FROCC_SCORE_AGREEMENT)
        check_ok(frocc_scorer_count(scorer, &rows, counts));
    check_ok(frocc_scorer_decide(scorer, &rows, FROCC_OWN_THRESHOLD, normal));
    check_ok(frocc_scorer_score(scorer, &rows, scores));
    at = (size_t)snprintf(
        text, MAX_TEXT,
        "features %zu\ndirections %zu\nepsilon %.9g\nthreshold %.17g\nkernel %d\ngamma %.9g\n"
        "coef0 %.9g\n"
        "degree %d\nscaling %d\nfamily %d\nsealed %d\nscore %d\nfpr %.17g\ncalibration %llu\n"
        "contamination %.17g\ntrees %zu\nrows %llu\nintervals %llu\nframe %016llx\n",
        i.n_features, i.n_directions, (double)i.epsilon, i.threshold, (int)i.kernel, i.gamma,
        i.coef0, i.degree, (int)i.scaling, (int)i.family, i.is_sealed, (int)i.score, i.fpr,
        (unsigned long long)i.calibration_rows, i.contamination, i.n_trees,
        (unsigned long long)i.n_rows, (unsigned long long)frocc_model_count_intervals(model),
        (unsigned long long)i.frame_checksum);
    for (int r = 0; r < QUERIES; r++)
        at +=
            (size_t)snprintf(text + at, MAX_TEXT - at, "row %d accepted %u normal %d score %.17g\n",
                             r, counts[r], normal[r], scores[r]);
    frocc_scorer_free(scorer);
    data_free(&q);
}

/* ---- Files that must be refused -------------------------------------------------------------- */

#define THRESHOLD SIZE_MAX /* where the threshold stands */

typedef struct spoil {
    const char *name;
    const char *tag; /* of the section to change; NULL: by other means */
    size_t offset;
    uint64_t value;
    int size;
} spoil;

static const spoil spoils[] = {
    {"bad-cut", NULL, 0, 0, 0},
    {"bad-flipped", NULL, 1, 0, 0},
    {"bad-longer", NULL, 2, 0, 0},
    {"bad-later-version", NULL, 3, 0, 0},
    {"bad-text", NULL, 4, 0, 0},
    {"bad-unknown-section", NULL, 5, 0, 0},
    {"bad-earlier-version", NULL, 6, 0, 0},
    {"bad-no-features", "FRAM", 0, 0, 8},
    {"bad-more-directions", "FRAM", 8, 25, 8},
    {"bad-kernel", "FRAM", 32, 17, 4},
    {"bad-epsilon", "SKET", 0, 0x40000000, 4},
    {"bad-no-rows", "SKET", 4, 0, 8},
    {"bad-count", "SKET", 12, 0xfffffff0, 4},
    {"bad-interval-nan", "SKET", 108, 0x7fc00000, 4},
    {"bad-interval-falls", "SKET", 108, 0x7f000000, 4},
    {"bad-threshold", "DECI", 4, 0x4000000000000000, 8},
};
#define SPOILS (sizeof spoils / sizeof *spoils)

static void write_spoilt(const char *path, const spoil *s, const blob *good) {
    unsigned char *bytes = NEW(unsigned char, good->size + 8);
    uint64_t length = 0;
    size_t size = good->size;

    memcpy(bytes, good->bytes, good->size);
    if (s->tag != NULL) {
        unsigned char *payload = model_section(bytes, size, s->tag, &length);
        check(payload != NULL, "%s", s->name);
        size_t at = s->offset == THRESHOLD ? model_find_f64(payload, length, 0.875) : s->offset;
        check(at + (size_t)s->size <= length, "%s", s->name);
        model_put(payload + at, s->value, s->size);
        model_reseal(bytes, size);
    } else if (s->offset == 0) {
        size -= 100;
    } else if (s->offset == 1) {
        bytes[size / 2] ^= 4;
    } else if (s->offset == 2) {
        size += 5;
    } else if (s->offset == 3 || s->offset == 6) {
        model_put(bytes + 8, s->offset == 3 ? 1000 : 1, 4);
        model_reseal(bytes, size);
    } else if (s->offset == 4) {
        size = (size_t)snprintf((char *)bytes, size, "1.5,2.5,3.5\n2.5,3.5,4.5\n");
    } else {
        memcpy(bytes + MODEL_HEAD, "XXXX", 4);
        model_reseal(bytes, size);
    }
    file_write(path, bytes, size);
    free(bytes);
}

/* ---- Writing candidates ---------------------------------------------------------------------- */

static char *named(const char *name, const char *suffix) {
    char full[256];

    snprintf(full, sizeof full, "%s%s", name, suffix);
    return path_in(golden, full);
}

static void write_candidates(void) {
    for (size_t i = 0; i < KINDS; i++) {
        frocc_model *model = model_of(&kinds[i], 100 + i);
        char text[MAX_TEXT], *path = named(kinds[i].name, ".frocc");
        check_ok(frocc_model_save(model, path));
        free(path);
        path = named(kinds[i].name, ".expected");
        describe_as_text(model, text);
        file_write(path, text, strlen(text));
        free(path);
        frocc_model_free(model);
    }
    frocc_model *model = model_of(&kinds[3], 103);
    blob good = blob_of(model);
    for (size_t i = 0; i < SPOILS; i++) {
        char *path = named(spoils[i].name, ".frocc");
        write_spoilt(path, &spoils[i], &good);
        free(path);
    }
    blob_free(&good);
    frocc_model_free(model);
}

/* ---- Checking -------------------------------------------------------------------------------- */

static void check_good(const char *path) {
    frocc_load_options options = {sizeof options, city_block, &context, 0};
    frocc_model *model = NULL;
    char text[MAX_TEXT], *expected_path = NEW(char, strlen(path) + 16);
    blob file = file_read(path), expected, bytes;

    strcpy(expected_path, path);
    strcpy(strrchr(expected_path, '.'), ".expected");
    expected = file_read(expected_path);
    check_ok(frocc_model_load(path, &options, &model));
    describe_as_text(model, text);
    check(expected.size == strlen(text) && memcmp(expected.bytes, text, expected.size) == 0,
          "%s says\n%s", path, text);
    bytes = blob_of(model);
    check(blob_equal(&bytes, &file), "%s saves as another file", path);
    frocc_model_free(model);
    blob_free(&bytes);
    free(file.bytes);
    free(expected.bytes);
    free(expected_path);
}

static void check_bad(const char *path) {
    frocc_load_options options = {sizeof options, city_block, &context, 0};
    frocc_model *model = NULL;
    frocc_status status = frocc_model_load(path, &options, &model);

    check(status == FROCC_ERR_FORMAT || status == FROCC_ERR_VERSION, "%s gave %s", path,
          frocc_status_name(status));
    check(strstr(frocc_last_error(), path) != NULL, "\"%s\" does not name %s", frocc_last_error(),
          path);
    check(model == NULL, "a failed load changed the result");
}

static size_t each_file(const char *prefix, void (*look)(const char *path)) {
    DIR *folder = opendir(golden);
    struct dirent *entry;
    size_t count = 0;

    check(folder != NULL,
          "%s cannot be listed: run in the root of the sources or set "
          "FROCC_TESTS_DIR",
          golden);
    while ((entry = readdir(folder)) != NULL) {
        size_t length = strlen(entry->d_name);
        bool is_model = length > 6 && strcmp(entry->d_name + length - 6, ".frocc") == 0;
        if (!is_model || strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        char *path = path_in(golden, entry->d_name);
        look(path);
        free(path);
        count++;
    }
    closedir(folder);
    return count;
}

static void golden_models_load_and_score(void) {
    size_t count = each_file("v", check_good);
    check(count >= KINDS, "only %zu golden models", count);
    printf("# %zu golden models\n", count);
}

static void bad_files_are_refused(void) {
    size_t count = each_file("bad-", check_bad);
    check(count >= SPOILS, "only %zu bad files", count);
    printf("# %zu bad files\n", count);
}

/* A fit made today gives the bytes of the golden file: the method itself has not moved. */
static void fits_give_the_golden_bytes(void) {
    for (size_t i = 0; i < KINDS; i++) {
        frocc_model *model = model_of(&kinds[i], 100 + i);
        char *path = named(kinds[i].name, ".frocc");
        blob file = file_read(path), bytes = blob_of(model);
        check(blob_equal(&bytes, &file), "a fit of today differs from %s", path);
        free(file.bytes);
        free(path);
        blob_free(&bytes);
        frocc_model_free(model);
    }
}

int main(int argc, char **argv) {
    const char *tests = getenv("FROCC_TESTS_DIR");

    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        golden = argv[2];
        RUN(write_candidates);
        return check_end();
    }
    golden = path_in(tests && *tests ? tests : FROCC_TESTS_DIR, "golden");
    RUN(golden_models_load_and_score);
    RUN(bad_files_are_refused);
    RUN(fits_give_the_golden_bytes);
    free(golden);
    return check_end();
}
