/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as what travels between processes: a sample, a frame, a fitter; as they are, and again
 * with the checksum repaired. What loads saves as it was, takes rows, merges with itself, and leads
 * to a model that loads.
 */
#include <stdbool.h>

#include "kinds.h"
#include "resealed.h"
#include "use_all.h"

#define MOST_MEMORY ((size_t)1 << 22) /* so that no input takes long */

static frocc_load_options options(void) {
    return (frocc_load_options){.struct_size = sizeof(frocc_load_options),
                                .kernel_fn = first_difference,
                                .max_memory = MOST_MEMORY};
}

static void refused(frocc_status status) {
    HOLDS(status == FROCC_ERR_FORMAT || status == FROCC_ERR_VERSION || status == FROCC_ERR_MEMORY);
    HOLDS(frocc_last_error()[0] != '\0');
}

static void same(void *saved, size_t saved_size, const unsigned char *bytes, size_t size) {
    HOLDS(saved_size == size && memcmp(saved, bytes, size) == 0);
    frocc_bytes_free(saved);
}

static const frocc_load_options all = {
    .struct_size = sizeof all, .kernel_fn = first_difference, .max_memory = SIZE_MAX};

/* The fitter takes rows and what it was itself, and finishes, or says what it cannot. */
static void go_on(frocc_fitter *fitter, const frocc_rows *rows) {
    const char *wrong = use_fitter(fitter, NULL, &all, rows);
    HOLDS_SO(wrong == NULL, wrong);
}

/* ---- The three ------------------------------------------------------------------------------- */

static void use_frame(const frocc_frame *frame) {
    used_rows u;
    use_rows(&u, frocc_frame_features(frame));
    frocc_params params;
    frocc_fitter *fitter = NULL;
    float *projections = calloc(USED_ROWS * frocc_frame_directions(frame), sizeof(float));
    HOLDS(projections != NULL);
    (void)frocc_frame_project(frame, &u.rows, projections);
    free(projections);
    frocc_params_init_paper(&params);
    params.threads = 1;
    params.kernel_fn = first_difference; /* of the frame's kernel, whatever it is */
    HOLDS(frocc_fitter_new(frame, &params, &fitter) == FROCC_OK);
    go_on(fitter, &u.rows);
    frocc_fitter_free(fitter);
}

static void load_frame(const unsigned char *bytes, size_t size) {
    const frocc_load_options o = options();
    frocc_frame *frame = NULL;
    void *saved = NULL;
    size_t saved_size = 0;
    const frocc_status status = frocc_frame_from_bytes(bytes, size, &o, &frame);
    if (status != FROCC_OK) {
        HOLDS(frame == NULL);
        refused(status);
        return;
    }
    HOLDS(frocc_frame_to_bytes(frame, &saved, &saved_size) == FROCC_OK);
    same(saved, saved_size, bytes, size);
    use_frame(frame);
    frocc_frame_free(frame);
}

/* Readers take sections in any order, writers have one. */
static bool has_order(const unsigned char *bytes, size_t size, const char *first) {
    return size > MODEL_HEAD + 4 && memcmp(bytes + MODEL_HEAD, first, 4) == 0;
}

static void learn_frame(const frocc_sample *sample) {
    frocc_params params;
    frocc_frame *frame = NULL;
    frocc_params_init(&params);
    params.n_directions = 8;
    params.n_trees = 2;
    const size_t d = frocc_sample_features(sample);
    if (d <= 64 && frocc_frame_new(&params, d, sample, &frame) == FROCC_OK)
        use_frame(frame);
    frocc_frame_free(frame);
}

/* Bytes may claim nearly 2^64 rows, to which no more are added. */
static bool is_added(frocc_status status) {
    return status == FROCC_OK || status == FROCC_ERR_ARGUMENT;
}

static void load_sample(const unsigned char *bytes, size_t size) {
    frocc_sample *sample = NULL, *other = NULL;
    void *saved = NULL;
    size_t saved_size = 0, n_rows = 0;
    used_rows u;
    const frocc_status status = frocc_sample_from_bytes(bytes, size, &sample);
    if (status != FROCC_OK) {
        HOLDS(sample == NULL);
        refused(status);
        return;
    }
    HOLDS(frocc_sample_to_bytes(sample, &saved, &saved_size) == FROCC_OK);
    HOLDS(saved_size == size);
    HOLDS(!has_order(bytes, size, "SAMP") || memcmp(saved, bytes, size) == 0);
    HOLDS(frocc_sample_from_bytes(saved, saved_size, &other) == FROCC_OK);
    frocc_bytes_free(saved);
    use_rows(&u, frocc_sample_features(sample));
    HOLDS(is_added(frocc_sample_add(other, &u.rows)));
    HOLDS(is_added(frocc_sample_merge(sample, other)));
    HOLDS(frocc_sample_size(sample, &n_rows) == FROCC_OK && n_rows > 0);
    learn_frame(sample);
    frocc_sample_free(sample);
    frocc_sample_free(other);
}

static void load_fitter(const unsigned char *bytes, size_t size) {
    const frocc_load_options o = options();
    frocc_fitter *fitter = NULL, *other = NULL;
    void *saved = NULL, *twice = NULL;
    size_t saved_size = 0, twice_size = 0;
    used_rows u;
    const frocc_status status = frocc_fitter_from_bytes(bytes, size, &o, 1, &fitter);
    if (status != FROCC_OK) {
        HOLDS(fitter == NULL);
        refused(status);
        return;
    }
    /* Counts coded by other orders than the best are read as well; what is saved has the best. */
    HOLDS(frocc_fitter_to_bytes(fitter, &saved, &saved_size) == FROCC_OK);
    HOLDS(frocc_fitter_from_bytes(saved, saved_size, &o, 2, &other) == FROCC_OK);
    HOLDS(frocc_fitter_to_bytes(other, &twice, &twice_size) == FROCC_OK);
    same(twice, twice_size, saved, saved_size);
    frocc_bytes_free(saved);
    frocc_frame *frame = frocc_fitter_frame(fitter);
    use_rows(&u, frocc_frame_features(frame));
    frocc_frame_free(frame);
    go_on(fitter, &u.rows);
    frocc_fitter_free(fitter);
    frocc_fitter_free(other);
}

static void load_all(const unsigned char *bytes, size_t size) {
    load_sample(bytes, size);
    load_frame(bytes, size);
    load_fitter(bytes, size);
}
