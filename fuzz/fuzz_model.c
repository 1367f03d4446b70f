/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as a model file: as they are, and again with the checksum repaired. What loads is
 * scored, derived from, and saved: the bytes must come back as they were. Ends the program when
 * something does not hold.
 */
#include "kinds.h"
#include "resealed.h"
#include "use_all.h"

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

/* Beside what all can do: there is an interval, and nothing is made of a sealed model. */
static void derive(const frocc_model *model, const frocc_model_info *info) {
    const frocc_model *both[] = {model, model};
    frocc_model *made = NULL;
    size_t count = 0;

    HOLDS(frocc_model_intervals(model, 0, NULL, NULL, 0, &count) == FROCC_OK);
    HOLDS(count > 0 || info->score == FROCC_SCORE_CLOSENESS); /* where all places may cost */
    HOLDS(!info->is_sealed || frocc_model_merge(both, 2, &made) == FROCC_ERR_UNSUPPORTED);
    HOLDS(made == NULL);
}

static void load_all(const unsigned char *bytes, size_t size) {
    /* A model may be wide, but not so large that an input takes long. */
    frocc_load_options options = {sizeof options, first_difference, NULL, 1 << 22};
    const frocc_load_options all = {sizeof all, first_difference, NULL, SIZE_MAX};
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
    derive(model, &info);
    const char *wrong = use_model(model, &all);
    HOLDS_SO(wrong == NULL, wrong);
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
