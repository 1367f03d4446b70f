/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a model file: as they are, and again with the checksum repaired. What loads is
 * scored, derived from, and saved: the bytes must come back as they were. Ends the program when
 * something does not hold.
 */
#include "resealed.h"

/* Readers take sections in any order, writers have one. */
static bool is_in_order(const unsigned char *bytes, size_t size) {
    static const char order[] = "FRAM DECI SKET SEAL COUN CALI HELD";
    const char *last = order;
    for (size_t at = MODEL_HEAD; at + MODEL_TAIL < size;
         at += 12 + (size_t)model_u64(bytes + at + 4)) {
        const char tag[5] = {(char)bytes[at], (char)bytes[at + 1], (char)bytes[at + 2],
                             (char)bytes[at + 3], '\0'};
        last = strstr(last, tag); /* it has loaded: there is no other tag, and none twice */
        if (last == NULL)
            return false;
    }
    return true;
}

static void score(const frocc_model *model, const frocc_model_info *info) {
    size_t d = info->n_features, m = info->n_directions, n = d > 4096 || m > 4096 ? 1 : 9;
    float *rows_memory = calloc(n * d, sizeof *rows_memory);
    double *scores = calloc(n, sizeof *scores);
    float *distances = calloc(n * m, sizeof *distances);
    frocc_rows rows = frocc_rows_f32(rows_memory, n, d);
    frocc_scorer *scorer = NULL;

    HOLDS(rows_memory != NULL && scores != NULL && distances != NULL);
    for (size_t i = 0; i < n * d; i++)
        rows_memory[i] = (float)(i * 7 % 23) - 11;
    HOLDS(frocc_scorer_new(model, 1, &scorer) == FROCC_OK);
    if (frocc_scorer_score(scorer, &rows, scores) == FROCC_OK)
        for (size_t i = 0; i < n; i++)
            HOLDS(scores[i] <= 1 && (scores[i] >= 0 || info->score == FROCC_SCORE_CLOSENESS));
    frocc_status status = frocc_scorer_distances(scorer, &rows, distances);
    HOLDS(status == FROCC_OK || status == FROCC_ERR_DATA || status == FROCC_ERR_UNSUPPORTED);
    frocc_scorer_free(scorer);
    free(rows_memory);
    free(scores);
    free(distances);
}

/* What only derived models need is not looked at before, so that it can be damaged. */
static void may_be_damaged(frocc_status status, frocc_model *made, const frocc_model_info *info) {
    HOLDS(status == FROCC_OK || (info->score == FROCC_SCORE_CLOSENESS &&
                                 (status == FROCC_ERR_FORMAT || status == FROCC_ERR_UNSUPPORTED)));
    HOLDS((made != NULL) == (status == FROCC_OK));
    HOLDS(!info->is_sealed || status == FROCC_ERR_UNSUPPORTED);
    frocc_model_free(made);
}

static void derive(const frocc_model *model, const frocc_model_info *info) {
    const float most = info->score == FROCC_SCORE_CLOSENESS ? FROCC_CLOSENESS_MAX_EPSILON : 1.0f;
    const frocc_model *both[] = {model, model};
    frocc_model *made = NULL;
    size_t count = 0;
    frocc_status status;

    HOLDS(frocc_model_intervals(model, 0, NULL, NULL, 0, &count) == FROCC_OK);
    HOLDS(count > 0 || info->score == FROCC_SCORE_CLOSENESS); /* where all places may cost */
    HOLDS(frocc_model_seal(model, &made) == FROCC_OK);
    frocc_model_free(made);
    made = NULL;
    status = frocc_model_truncate(model, (info->n_directions + 1) / 2, &made);
    if (info->n_trees == 0)
        may_be_damaged(status, made, info);
    else /* which look at all directions */
        HOLDS(status == FROCC_ERR_UNSUPPORTED && made == NULL);
    made = NULL;
    status = frocc_model_coarsen(model, most, &made);
    may_be_damaged(status, made, info);
    made = NULL;
    status = frocc_model_decontaminate(model, 0.25, &made);
    HOLDS(status == FROCC_ERR_UNSUPPORTED || info->score == FROCC_SCORE_CLOSENESS);
    if (info->score == FROCC_SCORE_CLOSENESS)
        may_be_damaged(status, made, info);
    made = NULL;
    if (info->n_rows >= UINT64_MAX / 2)
        return; /* twice as many cannot be counted */
    status = frocc_model_merge(both, 2, &made);
    may_be_damaged(status, made, info);
}

static void load_all(const unsigned char *bytes, size_t size) {
    /* A model may be wide, but not so large that an input takes long. */
    frocc_load_options options = {sizeof options, first_difference, NULL, 1 << 22};
    frocc_model_info info = {.struct_size = sizeof info};
    frocc_model *model = NULL, *again = NULL;
    void *saved = NULL, *twice = NULL;
    size_t saved_size = 0, twice_size = 0;

    frocc_status status = frocc_model_from_bytes(bytes, size, &options, &model);
    if (status != FROCC_OK) {
        HOLDS(status == FROCC_ERR_FORMAT || status == FROCC_ERR_VERSION ||
              status == FROCC_ERR_MEMORY);
        HOLDS(model == NULL && frocc_last_error()[0] != '\0');
        return;
    }
    HOLDS(frocc_model_describe(model, &info) == FROCC_OK);
    score(model, &info);
    derive(model, &info);
    HOLDS(frocc_model_to_bytes(model, &saved, &saved_size) == FROCC_OK);
    HOLDS(saved_size == size);
    HOLDS(!is_in_order(bytes, size) || memcmp(saved, bytes, size) == 0);
    HOLDS(frocc_model_from_bytes(saved, saved_size, &options, &again) == FROCC_OK);
    HOLDS(frocc_model_to_bytes(again, &twice, &twice_size) == FROCC_OK);
    HOLDS(twice_size == saved_size && memcmp(twice, saved, saved_size) == 0);
    frocc_bytes_free(saved);
    frocc_bytes_free(twice);
    frocc_model_free(model);
    frocc_model_free(again);
}
