/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files whose sections are each what a fit writes, and are not of one model: a mark of a held row
 * where there are no extremes, rows that calibrate but are not held, intervals of other rows. The
 * checksum is right. None may load, however little of the model scoring would need.
 */
#include "kinds.h"
#include "laws.h"
#include "reseal.h"
#include "use_all.h"

#define SECTION_HEAD ((size_t)12)
#define A_ROW (sizeof(uint64_t) * 2) /* of HELD: hash and copies, before the values */

/* More directions than columns keep rows as they are, fewer keep projections with marks. */
static blob calibrated(frocc_scaling scaling, size_t n_rows, size_t m, bool is_sealed) {
    rng r = rng_seed(860000 + m);
    data x = data_new(&r, n_rows, 4, SHAPE_CLUSTERS, false);
    frocc_params params;
    frocc_params_init(&params);
    params.n_directions = m;
    params.n_trees = 0;
    params.density = 0;
    params.family = FROCC_FAMILY_GAUSSIAN;
    params.scaling = scaling;
    params.fpr = 0.05;
    params.calibration_rows = 50;
    frocc_model *model = fit(&params, &x);
    if (is_sealed) {
        frocc_model *sealed = NULL;
        check_ok(frocc_model_seal(model, &sealed));
        frocc_model_free(model);
        model = sealed;
    }
    blob b = blob_of(model);
    frocc_model_free(model);
    data_free(&x);
    return b;
}

/* The file with other bytes in a section, or without it where there are none. */
static blob with_section(const blob *b, const char *tag, const void *payload, size_t length) {
    uint64_t old = 0;
    unsigned char *from = b->bytes, *found = model_section(from, b->size, tag, &old);
    check(found != NULL, "there is no section %s", tag);
    const size_t head = (size_t)(found - from) - SECTION_HEAD;
    const size_t rest = head + SECTION_HEAD + (size_t)old;
    const size_t own = payload != NULL ? SECTION_HEAD + length : 0;
    blob made = {NEW(unsigned char, b->size + own), head + own + b->size - rest};
    unsigned char *to = made.bytes;
    memcpy(to, from, head);
    if (payload != NULL) {
        memcpy(to + head, from + head, 4);
        model_put(to + head + 4, length, 8);
        memcpy(to + head + SECTION_HEAD, payload, length);
    }
    memcpy(to + head + own, from + rest, b->size - rest);
    model_reseal(to, made.size);
    return made;
}

static void refuse(blob made, const char *what) {
    frocc_model *model = NULL;
    const frocc_status status = frocc_model_from_bytes(made.bytes, made.size, NULL, &model);
    check(status == FROCC_ERR_FORMAT && model == NULL, "%s: loading gave %s", what,
          frocc_status_name(status));
    frocc_model_free(model);
    free(made.bytes);
}

/* The file with another number in a section. */
static void refuse_number(const blob *b, const char *tag, size_t at, uint64_t value, int size,
                          const char *what) {
    uint64_t length = 0;
    const unsigned char *found = model_section(b->bytes, b->size, tag, &length);
    check(found != NULL && at + (size_t)size <= length, "%s has no byte %zu", tag, at);
    unsigned char *payload = NEW(unsigned char, (size_t)length);
    memcpy(payload, found, (size_t)length);
    check(memcmp(payload + at, &value, (size_t)size) != 0, "%s: it was so", what);
    model_put(payload + at, value, size);
    refuse(with_section(b, tag, payload, (size_t)length), what);
    free(payload);
}

/* The last held row gets one mark more, which are the last bytes. */
static void refuse_mark(const blob *b, uint32_t feature, float value, const char *what) {
    uint64_t length = 0;
    const unsigned char *found = model_section(b->bytes, b->size, "HELD", &length);
    unsigned char *payload = NEW(unsigned char, (size_t)length + 8);
    uint32_t bits;
    check(found != NULL && model_u64(found + length - 8) >> 32 == 0, "the last row has marks");
    memcpy(payload, found, (size_t)length);
    memcpy(&bits, &value, sizeof bits);
    payload[length - 4] = 1;
    model_put(payload + length, feature, 4);
    model_put(payload + length + 4, bits, 4);
    refuse(with_section(b, "HELD", payload, (size_t)length + 8), what);
    free(payload);
}

static void marks_need_extremes(void) {
    blob plain = calibrated(FROCC_SCALING_NONE, 100, 3, false);
    refuse_mark(&plain, 0, 0.5f, "a mark where there are no extremes");
    blob_free(&plain);
    blob scaled = calibrated(FROCC_SCALING_ASINH, 200, 3, false);
    refuse_mark(&scaled, 0, 0.001f, "a mark of what is not an extreme");
    refuse_mark(&scaled, 3, 1e30f, "a mark beyond the extremes");
    blob_free(&scaled);
}

static void held_rows_are_within_extremes(void) {
    blob b = calibrated(FROCC_SCALING_ASINH, 200, 40, false);
    uint64_t length = 0;
    const unsigned char *held = model_section(b.bytes, b.size, "HELD", &length);
    const size_t n_held = (size_t)model_u64(held + 8);
    refuse_number(&b, "HELD", 16 + n_held * A_ROW, 0x7149f2ca, 4, "a held row that is 1e30");
    blob_free(&b);
}

static void calibration_is_by_held_rows(void) {
    for (size_t m = 3; m < 100; m += 37) {
        blob b = calibrated(FROCC_SCALING_ASINH, 200, m, false);
        uint64_t length = 0;
        const unsigned char *cali = model_section(b.bytes, b.size, "CALI", &length);
        const uint64_t n_rows = model_u64(cali + length - 8);
        refuse(with_section(&b, "HELD", NULL, 0), "a calibration by rows that are not held");
        refuse(with_section(&b, "CALI", NULL, 0), "held rows that do not calibrate");
        refuse(with_section(&b, "CALI", cali, 0), "a calibration by none of the held rows");
        refuse(with_section(&b, "CALI", cali, (size_t)length - 16),
               "a row that does not calibrate");
        refuse_number(&b, "CALI", (size_t)length - 8, n_rows + 1, 8, "one row more in CALI");
        refuse_number(&b, "HELD", 24, 2, 8, "one row more in HELD");
        refuse_number(&b, "HELD", 24, UINT64_MAX, 8, "more copies than can be counted");
        refuse_number(&b, "DECI", 28, 20, 8, "fewer rows than are held");
        blob_free(&b);
    }
}

static void sealed_models_hold_nothing(void) {
    blob b = calibrated(FROCC_SCALING_ASINH, 200, 40, true);
    refuse(with_section(&b, "CALI", NULL, 0), "a rate without a calibration");
    refuse_number(&b, "DECI", 28, 20, 8, "fewer rows than calibrated it");
    blob_free(&b);
}

static void intervals_are_of_the_decision(void) {
    rng r = rng_seed(860100);
    data x = data_new(&r, 60, 3, SHAPE_CLUSTERS, false);
    frocc_params params;
    frocc_params_init_paper(&params);
    params.n_directions = 5;
    frocc_model *model = fit(&params, &x);
    blob b = blob_of(model);
    refuse_number(&b, "DECI", 28, 61, 8, "intervals of fewer rows");
    refuse_number(&b, "DECI", 36, 0x3f000000, 4, "intervals at another epsilon");
    blob_free(&b);
    frocc_model_free(model);
    data_free(&x);
}

/* ---- Sections of two models ------------------------------------------------------------------ */

/* Where the sections of a file begin, and at last where they end. */
static size_t find_sections(const blob *b, size_t starts[9]) {
    size_t count = 0, at = MODEL_HEAD;
    for (; count < 8 && at + MODEL_TAIL < b->size; count++) {
        starts[count] = at;
        at += SECTION_HEAD + (size_t)model_u64((unsigned char *)b->bytes + at + 4);
    }
    starts[count] = at;
    return count;
}

static blob blob_with(const blob *b, size_t more) {
    blob made = {NEW(unsigned char, b->size + more), MODEL_HEAD};
    memcpy(made.bytes, b->bytes, MODEL_HEAD);
    return made;
}

static void append(blob *to, const blob *from, size_t begin, size_t end) {
    memcpy((unsigned char *)to->bytes + to->size, (unsigned char *)from->bytes + begin,
           end - begin);
    to->size += end - begin;
}

/* The sections of a that the mask does not name, and those of b that it does. */
static blob spliced(const blob *a, const blob *b, unsigned mask) {
    size_t of_a[9], of_b[9];
    const size_t n_a = find_sections(a, of_a), n_b = find_sections(b, of_b);
    blob made = blob_with(a, b->size);
    for (size_t i = 0; i < n_a; i++)
        if ((mask >> i & 1) == 0)
            append(&made, a, of_a[i], of_a[i + 1]);
    for (size_t i = 0; i < n_b; i++)
        if ((mask >> i & 1) != 0)
            append(&made, b, of_b[i], of_b[i + 1]);
    made.size += MODEL_TAIL;
    model_reseal(made.bytes, made.size);
    return made;
}

static const frocc_load_options options = {
    .struct_size = sizeof options, .kernel_fn = first_difference, .max_memory = SIZE_MAX};

/* Refused, or a model that can do what models can. */
static bool is_used(const blob *b, unsigned first, unsigned second, unsigned mask) {
    frocc_model *model = NULL;
    const frocc_status status = frocc_model_from_bytes(b->bytes, b->size, &options, &model);
    check(status == FROCC_OK || status == FROCC_ERR_FORMAT, "%u and %u by %x: loading gave %s",
          first, second, mask, frocc_status_name(status));
    if (status != FROCC_OK)
        return false;
    const char *wrong = use_model(model, &options);
    check(wrong == NULL, "%u and %u by %x: %s: %s", first, second, mask, wrong, frocc_last_error());
    frocc_model_free(model);
    return true;
}

static bool is_fitter_used(const blob *b, unsigned first, unsigned second, unsigned mask) {
    frocc_fitter *fitter = NULL;
    used_rows u;
    use_rows(&u, KIND_FEATURES);
    const frocc_status status = frocc_fitter_from_bytes(b->bytes, b->size, &options, 1, &fitter);
    check(status == FROCC_OK || status == FROCC_ERR_FORMAT, "%u and %u by %x: loading gave %s",
          first, second, mask, frocc_status_name(status));
    if (status != FROCC_OK)
        return false;
    const char *wrong = use_fitter(fitter, NULL, &options, &u.rows);
    check(wrong == NULL, "fitters %u and %u by %x: %s: %s", first, second, mask, wrong,
          frocc_last_error());
    frocc_fitter_free(fitter);
    return true;
}

static void splice_all(bool is_fitter) {
    const unsigned n_kinds = (unsigned)check_share(KINDS, 48, 24);
    blob kinds[KINDS];
    size_t files = 0, used = 0;
    for (unsigned k = 0; k < n_kinds; k++) {
        check_ok(kind_bytes(k, is_fitter, &kinds[k].bytes, &kinds[k].size));
        check(is_fitter ? is_fitter_used(&kinds[k], k, k, 0) : is_used(&kinds[k], k, k, 0),
              "kind %u does not load: %s", k, frocc_last_error());
    }
    for (unsigned a = 0; a < n_kinds; a++)
        for (unsigned b = 0; b < n_kinds; b++)
            for (unsigned mask = 1; a != b && mask < 31; mask++, files++) {
                blob made = spliced(&kinds[a], &kinds[b], mask);
                used += is_fitter ? is_fitter_used(&made, a, b, mask) : is_used(&made, a, b, mask);
                free(made.bytes);
            }
    for (unsigned k = 0; k < n_kinds; k++)
        blob_free(&kinds[k]);
    printf("# %zu files of the sections of two, %zu load\n", files, used);
    check(used > files / 1000, "%zu of %zu files load", used, files);
}

static void models_are_spliced(void) {
    splice_all(false);
}

static void fitters_are_spliced(void) {
    splice_all(true);
}

int main(void) {
    RUN(models_are_spliced);
    RUN(fitters_are_spliced);
    RUN(marks_need_extremes);
    RUN(held_rows_are_within_extremes);
    RUN(calibration_is_by_held_rows);
    RUN(sealed_models_hold_nothing);
    RUN(intervals_are_of_the_decision);
    return check_end();
}
