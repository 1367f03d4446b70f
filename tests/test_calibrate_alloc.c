/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calibrated models with every allocation made to fail in turn: FROCC_ERR_MEMORY and a sentence
 * each time, nothing leaked, no result touched, and what was counted is still there.
 */
#include "alloc_failure.h"
#include "laws.h"

static struct {
    setup s;
    data x;
    frocc_model *base; /* of all rows */
} at;

/* Compares a model that was made, and insists that one that was not is untouched. */
static frocc_status made(frocc_status status, frocc_model *const *model, bool is_base) {
    disarm();
    if (status != FROCC_OK) {
        check(*model == UNTOUCHED, "a failure changed the result");
        return status;
    }
    if (is_base)
        check_same(at.base, *model, "made under a failing allocator");
    frocc_model_free(*model);
    return status;
}

static frocc_status op_fit(void) {
    frocc_model *model = UNTOUCHED;
    frocc_rows rows = data_rows(&at.x);

    arm();
    return made(frocc_fit(&at.s.params, &rows, &model), &model, true);
}

/* A fitter whose add failed holds what it counts, and with the rest added the model is right. */
static frocc_status op_stream(void) {
    frocc_frame *frame = frame_of(&at.s.params, &at.x);
    frocc_fitter *fitter = UNTOUCHED;
    frocc_model *model = UNTOUCHED;
    frocc_status status;

    arm();
    status = frocc_fitter_new(frame, &at.s.params, &fitter);
    if (status != FROCC_OK) {
        check(fitter == UNTOUCHED, "a failure changed the result");
        frocc_frame_free(frame);
        return status;
    }
    for (size_t done = 0; done < at.x.n && status == FROCC_OK; done += 60) {
        frocc_rows part = data_part(&at.x, done, at.x.n - done < 60 ? at.x.n - done : 60);
        status = frocc_fitter_add(fitter, &part);
    }
    if (status == FROCC_OK)
        status = frocc_fitter_finish(fitter, &model);
    status = made(status, &model, true);
    size_t held = (size_t)frocc_fitter_rows(fitter);
    check(held <= at.x.n, "the fitter counts more rows than it was given");
    if (held < at.x.n)
        fitter_take(fitter, &at.x, held, at.x.n - held);
    model = finish(fitter);
    check_same(at.base, model, "a fitter that went on after running out of memory");
    frocc_model_free(model);
    frocc_fitter_free(fitter);
    frocc_frame_free(frame);
    return status;
}

/* A merge that fails leaves the fitter as it was: the same merge then works. */
static frocc_status op_fitter_merge(void) {
    frocc_frame *frame = frame_of(&at.s.params, &at.x);
    frocc_fitter *a = fitter_of(frame, &at.s.params), *b = fitter_of(frame, &at.s.params);
    size_t half = at.x.n / 2;
    frocc_status status;

    fitter_take(a, &at.x, 0, half);
    fitter_take(b, &at.x, half, at.x.n - half);
    arm();
    status = frocc_fitter_merge(a, b);
    disarm();
    if (status != FROCC_OK) {
        check(frocc_fitter_rows(a) == half, "a failed merge took rows");
        check_ok(frocc_fitter_merge(a, b));
    }
    frocc_model *after = finish(a);
    check_same(at.base, after, "a merge that failed and was tried again");
    frocc_model_free(after);
    frocc_fitter_free(a);
    frocc_fitter_free(b);
    frocc_frame_free(frame);
    return status;
}

static frocc_status op_model_merge(void) {
    frocc_frame *frame = frame_of(&at.s.params, &at.x);
    frocc_fitter *a = fitter_of(frame, &at.s.params), *b = fitter_of(frame, &at.s.params);
    frocc_model *model = UNTOUCHED;

    fitter_take(a, &at.x, 0, at.x.n / 3);
    fitter_take(b, &at.x, at.x.n / 3, at.x.n - at.x.n / 3);
    frocc_model *one = finish(a), *two = finish(b);
    const frocc_model *models[] = {one, two};
    arm();
    frocc_status status = made(frocc_model_merge(models, 2, &model), &model, true);
    frocc_model_free(one);
    frocc_model_free(two);
    frocc_fitter_free(a);
    frocc_fitter_free(b);
    frocc_frame_free(frame);
    return status;
}

static frocc_status op_coarsen(void) {
    frocc_model *model = UNTOUCHED;
    arm();
    return made(frocc_model_coarsen(at.base, 0.7f, &model), &model, false);
}

static frocc_status op_truncate(void) {
    frocc_model *model = UNTOUCHED;
    arm();
    return made(frocc_model_truncate(at.base, 5, &model), &model, false);
}

static frocc_status op_load(void) {
    frocc_load_options options = setup_load_options(&at.s);
    void *bytes = UNTOUCHED;
    size_t size = 77;
    frocc_model *model = UNTOUCHED;
    frocc_status status;

    arm();
    status = frocc_model_to_bytes(at.base, &bytes, &size);
    if (status != FROCC_OK) {
        disarm();
        check(bytes == UNTOUCHED && size == 77, "a failure changed the result");
        return status;
    }
    status = frocc_model_from_bytes(bytes, size, &options, &model);
    disarm();
    frocc_bytes_free(bytes);
    return made(status, &model, true);
}

static frocc_status op_p_values(void) {
    double scores[3] = {0.2, 0.7, 1}, p[3], threshold;

    arm();
    frocc_status status = frocc_model_p_values(at.base, scores, 3, p);
    if (status == FROCC_OK)
        status = frocc_model_threshold(at.base, 0.2, &threshold);
    disarm();
    return status;
}

static frocc_status op_explain(void) {
    double gain[5] = {7, 7, 7, 7, 7}, better[5] = {7, 7, 7, 7, 7}, row[5] = {0};
    frocc_rows one = frocc_rows_f64(row, 1, 5);

    for (size_t j = 0; j < 5; j++) /* away from all rows, so that there is something to gain */
        row[j] = at.x.f64[j] + 3 * (at.x.f64[5 + j] - at.x.f64[j]);
    arm();
    frocc_status status = frocc_model_explain(at.base, &one, gain, better);
    disarm();
    for (size_t j = 0; j < 5 && status != FROCC_OK; j++)
        check(gain[j] == 7 && better[j] == 7, "a failure changed the result");
    return status;
}

static void with_setups(const char *name, operation op) {
    static const size_t most[] = {6, 25, 1024};
    long worst = 0;

    for (int i = 0; i < check_cases(12, 4); i++) {
        rng r = rng_seed(1295000 + (uint64_t)i);
        at.x = data_new(&r, 180, 5, i % 4 == 3 ? SHAPE_DUPLICATES : SHAPE_CLUSTERS, true);
        setup_init(&r, &at.s, (frocc_kernel)(i % KERNELS), (frocc_scaling)(i % SCALINGS),
                   i % 2 ? FROCC_FAMILY_MIXED : FROCC_FAMILY_GAUSSIAN, 20, 5);
        at.s.params.epsilon = 0.02f;
        at.s.params.sample_rows = 40;
        at.s.params.calibration_rows = most[i % 3];
        at.s.params.score = i % 2 ? FROCC_SCORE_CLOSENESS : FROCC_SCORE_AGREEMENT;
        at.s.params.threads = 1 + i % 3;
        at.base = fit(&at.s.params, &at.x);
        long count = fail_each(name, op);
        worst = count > worst ? count : worst;
        frocc_model_free(at.base);
        setup_free(&at.s);
        data_free(&at.x);
    }
    printf("# %s: up to %ld allocations failed in turn\n", name, worst);
}

#define OPERATION(name)                                                                            \
    static void name##_out_of_memory(void) {                                                       \
        with_setups(#name, op_##name);                                                             \
    }

OPERATION(fit)
OPERATION(stream)
OPERATION(fitter_merge)
OPERATION(model_merge)
OPERATION(coarsen)
OPERATION(truncate)
OPERATION(load)
OPERATION(p_values)
OPERATION(explain)

int main(void) {
    count_allocations();
    RUN(fit_out_of_memory);
    RUN(stream_out_of_memory);
    RUN(fitter_merge_out_of_memory);
    RUN(model_merge_out_of_memory);
    RUN(coarsen_out_of_memory);
    RUN(truncate_out_of_memory);
    RUN(load_out_of_memory);
    RUN(p_values_out_of_memory);
    RUN(explain_out_of_memory);
    return check_end();
}
