/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every allocation of every operation made to fail in turn: FROCC_ERR_MEMORY and a sentence each
 * time, nothing leaked, nothing half-written, no result touched, and the operation works the next
 * time.
 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <sys/resource.h>

#include "alloc_failure.h"
#include "files.h"
#include "frocc_io.h"
#include "laws.h"

/* ---- What the operations work on ------------------------------------------------------------- */

static struct {
    setup s;
    data x;
    frocc_rows rows;
    char *folder, *path;
} at;

static frocc_model *base; /* of all rows, made once per setup */

/* Frees a model that was made, and insists that one that was not is untouched. */
static frocc_status made(frocc_status status, frocc_model *const *model) {
    disarm();
    if (status == FROCC_OK)
        frocc_model_free(*model);
    else
        check(*model == UNTOUCHED, "a failure changed the result");
    return status;
}

/* The same for a model that must be the one of all rows. */
static frocc_status made_base(frocc_status status, frocc_model *const *model) {
    disarm();
    if (status == FROCC_OK)
        check_same(base, *model, "made under a failing allocator");
    return made(status, model);
}

/* ---- Fitting --------------------------------------------------------------------------------- */

static frocc_status op_fit(void) {
    frocc_model *model = UNTOUCHED;
    arm();
    return made_base(frocc_fit(&at.s.params, &at.rows, &model), &model);
}

typedef struct source_state {
    size_t at;
} source_state;

static frocc_status next_block(void *context, frocc_rows *block) {
    source_state *s = context;
    size_t count = at.x.n - s->at < 70 ? at.x.n - s->at : 70;

    *block = data_part(&at.x, s->at, count);
    s->at += count;
    return FROCC_OK;
}

static frocc_status first_block(void *context) {
    ((source_state *)context)->at = 0;
    return FROCC_OK;
}

static frocc_status op_fit_source(void) {
    source_state state = {0};
    frocc_source source = {next_block, first_block, &state};
    frocc_model *model = UNTOUCHED;
    arm();
    return made_base(frocc_fit_source(&at.s.params, &source, &model), &model);
}

static frocc_status op_sample(void) {
    frocc_sample *a = NULL, *b = NULL;
    frocc_frame *frame = UNTOUCHED;
    frocc_rows half = data_part(&at.x, 0, at.x.n / 2);
    frocc_status status;
    size_t size = 0;

    arm();
    status = frocc_sample_new(&at.s.params, at.x.d, &a);
    if (status == FROCC_OK)
        status = frocc_sample_new(&at.s.params, at.x.d, &b);
    if (status == FROCC_OK)
        status = frocc_sample_add(a, &at.rows);
    if (status == FROCC_OK)
        status = frocc_sample_add(b, &half);
    if (status == FROCC_OK)
        status = frocc_sample_merge(a, b);
    if (status == FROCC_OK)
        status = frocc_sample_size(a, &size);
    if (status == FROCC_OK)
        status = frocc_frame_new(&at.s.params, at.x.d, a, &frame);
    disarm();
    check(status == FROCC_OK || frame == UNTOUCHED, "a failure changed the result");
    if (status == FROCC_OK)
        frocc_frame_free(frame);
    frocc_sample_free(a);
    frocc_sample_free(b);
    return status;
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
    for (size_t done = 0, count; done < at.x.n && status == FROCC_OK; done += count) {
        count = done == 0 ? at.x.n / 3 : at.x.n - done;
        frocc_rows part = data_part(&at.x, done, count);
        status = frocc_fitter_add(fitter, &part);
    }
    if (status == FROCC_OK)
        status = frocc_fitter_finish(fitter, &model);
    status = made_base(status, &model);
    size_t held = (size_t)frocc_fitter_rows(fitter);
    check(held <= at.x.n, "the fitter counts more rows than it was given");
    if (held < at.x.n)
        fitter_take(fitter, &at.x, held, at.x.n - held);
    model = finish(fitter);
    check_same(base, model, "a fitter that went on after running out of memory");
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
    check_same(base, after, "a merge that failed and was tried again");
    frocc_model_free(after);
    frocc_fitter_free(a);
    frocc_fitter_free(b);
    frocc_frame_free(frame);
    return status;
}

/* ---- What one fit answers -------------------------------------------------------------------- */

/* The second model has a frame of its own that is equal to the first one's. */
static frocc_status op_model_merge(void) {
    frocc_model *twin = fit(&at.s.params, &at.x), *model = UNTOUCHED;
    const frocc_model *models[] = {base, twin, base};
    frocc_status status;

    arm();
    status = made(frocc_model_merge(models, 3, &model), &model);
    frocc_model_free(twin);
    return status;
}

static frocc_status op_coarsen(void) {
    frocc_model *model = UNTOUCHED;
    arm();
    return made(frocc_model_coarsen(base, largest_epsilon(&at.s.params), &model), &model);
}

static frocc_status op_truncate(void) {
    frocc_model *model = UNTOUCHED;
    arm();
    return made(frocc_model_truncate(base, at.s.params.n_directions / 2, &model), &model);
}

static frocc_status op_decontaminate(void) {
    frocc_model *model = UNTOUCHED;
    arm();
    if (at.s.params.score == FROCC_SCORE_AGREEMENT) /* which cannot */
        return made(frocc_model_coarsen(base, 1.0f, &model), &model);
    return made(frocc_model_decontaminate(base, 0.2, &model), &model);
}

static frocc_status op_seal(void) {
    frocc_model *model = UNTOUCHED;
    arm();
    return made(frocc_model_seal(base, &model), &model);
}

static frocc_status op_look(void) {
    frocc_model_info info = {.struct_size = sizeof info};
    frocc_frame *frame = frocc_model_frame(base);
    float *out = NEW(float, at.x.n *at.s.params.n_directions);
    size_t count = 0;
    frocc_status status;

    arm();
    status = frocc_model_describe(base, &info);
    if (status == FROCC_OK)
        status = frocc_model_intervals(base, 0, NULL, NULL, 0, &count);
    if (status == FROCC_OK)
        status = frocc_frame_project(frame, &at.rows, out);
    disarm();
    free(out);
    frocc_frame_free(frame);
    return status;
}

static frocc_status op_measure(void) {
    double mu[3];
    frocc_rows points = data_part(&at.x, 0, 3);
    frocc_status status;

    arm();
    status = frocc_theory_discriminating_measure(&at.s.params, &at.rows, &points, mu);
    disarm();
    return status;
}

/* ---- Scoring --------------------------------------------------------------------------------- */

static frocc_status meet_elsewhere(const frocc_scorer *scorer, double *learnt) {
    frocc_scorer *other = NULL;
    size_t count = 0;
    frocc_status status = frocc_scorer_copy_met(scorer, NULL, 0, &count);
    uint64_t *met = NEW(uint64_t, count);

    if (status == FROCC_OK)
        status = frocc_scorer_copy_met(scorer, met, count, &count);
    if (status == FROCC_OK)
        status = frocc_scorer_new(base, 1, &other);
    if (status == FROCC_OK)
        status = frocc_scorer_add_met(other, met, count, learnt);
    frocc_scorer_free(other);
    free(met);
    return status;
}

static frocc_status score_all(frocc_scorer *scorer, void *out) {
    static const float epsilons[] = {0.5f, 0.9f};
    uint32_t ms[] = {2, (uint32_t)at.s.params.n_directions};
    bool counts = at.s.params.score == FROCC_SCORE_AGREEMENT; /* directions that accept */
    frocc_status status = frocc_scorer_score(scorer, &at.rows, out);

    if (status == FROCC_OK)
        status = frocc_scorer_decide(scorer, &at.rows, 0.9, out);
    if (status == FROCC_OK)
        status = frocc_scorer_distances(scorer, &at.rows, out);
    if (status == FROCC_OK && !counts)
        status = frocc_scorer_score_left_out(scorer, &at.rows, out);
    if (status == FROCC_OK)
        status = frocc_scorer_meet(scorer, &at.rows, out);
    if (status == FROCC_OK)
        status = meet_elsewhere(scorer, out);
    if (status == FROCC_OK && counts)
        status = frocc_scorer_count(scorer, &at.rows, out);
    if (status == FROCC_OK && counts)
        status = frocc_scorer_grid(scorer, &at.rows, epsilons, 2, ms, 2, out);
    return status;
}

static frocc_status op_score(void) {
    frocc_scorer *scorer = UNTOUCHED;
    void *out = NEW(double, at.x.n *(at.s.params.n_directions + 8));
    frocc_status status;

    arm();
    status = frocc_scorer_new(base, at.s.params.threads, &scorer);
    if (status != FROCC_OK) {
        disarm();
        check(scorer == UNTOUCHED, "a failure changed the result");
        free(out);
        return status;
    }
    status = score_all(scorer, out);
    disarm();
    if (status != FROCC_OK) /* and the scorer still works */
        check_ok(score_all(scorer, out));
    frocc_scorer_free(scorer);
    free(out);
    return status;
}

static frocc_status op_explain(void) {
    double gain[5] = {7, 7, 7, 7, 7}, better[5] = {7, 7, 7, 7, 7}, row[5] = {0};
    frocc_rows one = frocc_rows_f64(row, 1, 5);

    for (size_t j = 0; j < 5; j++) /* away from all rows, so that there is something to gain */
        row[j] = at.x.f64[j] + 3 * (at.x.f64[5 + j] - at.x.f64[j]);
    arm();
    frocc_status status = frocc_model_explain(base, &one, gain, better);
    frocc_reason reason = {.struct_size = sizeof reason, .low = NAN, .high = NAN};
    if (status == FROCC_OK)
        return frocc_model_reason(base, &one, better, &reason);
    disarm();
    for (size_t j = 0; j < 5 && status != FROCC_OK; j++)
        check(gain[j] == 7 && better[j] == 7, "a failure changed the result");
    return status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* The old file or the new one, and nothing beside it. */
static frocc_status op_save(void) {
    static const char old[] = "the old file";
    frocc_status status;
    blob file, bytes = blob_of(base);

    file_write(at.path, old, sizeof old);
    arm();
    status = frocc_model_save(base, at.path);
    disarm();
    file = file_read(at.path);
    if (status == FROCC_OK)
        check(blob_equal(&file, &bytes), "the new file is not the model");
    else
        check(file.size == sizeof old && memcmp(file.bytes, old, sizeof old) == 0,
              "the old file is gone");
    check(folder_entries(at.folder) == 1, "a temporary file is left");
    free(file.bytes);
    blob_free(&bytes);
    return status;
}

static frocc_status op_load(void) {
    frocc_load_options options = setup_load_options(&at.s);
    frocc_model *model = UNTOUCHED;

    check_ok(frocc_model_save(base, at.path));
    arm();
    return made_base(frocc_model_load(at.path, &options, &model), &model);
}

static frocc_status op_bytes(void) {
    frocc_load_options options = setup_load_options(&at.s);
    void *bytes = UNTOUCHED;
    size_t size = 77;
    frocc_model *model = UNTOUCHED;
    frocc_status status;

    arm();
    status = frocc_model_to_bytes(base, &bytes, &size);
    if (status != FROCC_OK) {
        disarm();
        check(bytes == UNTOUCHED && size == 77, "a failure changed the result");
        return status;
    }
    status = frocc_model_from_bytes(bytes, size, &options, &model);
    disarm();
    frocc_bytes_free(bytes);
    return made_base(status, &model);
}

/* What travels: to bytes, back, and merged with what it came from. */
static frocc_status op_send_sample(void) {
    frocc_sample *sample = NULL, *arrived = UNTOUCHED;
    void *bytes = UNTOUCHED;
    size_t size = 77;
    check_ok(frocc_sample_new(&at.s.params, at.x.d, &sample));
    check_ok(frocc_sample_add(sample, &at.rows));
    arm();
    frocc_status status = frocc_sample_to_bytes(sample, &bytes, &size);
    if (status != FROCC_OK)
        check(bytes == UNTOUCHED && size == 77, "a failure changed the result");
    else
        status = frocc_sample_from_bytes(bytes, size, &arrived);
    disarm();
    if (size != 77)
        frocc_bytes_free(bytes);
    check(status == FROCC_OK || arrived == UNTOUCHED, "a failure changed the result");
    if (status == FROCC_OK)
        frocc_sample_free(arrived);
    frocc_sample_free(sample);
    return status;
}

static frocc_status op_send_frame(void) {
    const frocc_load_options options = setup_load_options(&at.s);
    frocc_frame *frame = frame_of(&at.s.params, &at.x), *arrived = UNTOUCHED;
    void *bytes = UNTOUCHED;
    size_t size = 77;
    arm();
    frocc_status status = frocc_frame_to_bytes(frame, &bytes, &size);
    if (status != FROCC_OK)
        check(bytes == UNTOUCHED && size == 77, "a failure changed the result");
    else
        status = frocc_frame_from_bytes(bytes, size, &options, &arrived);
    disarm();
    if (size != 77)
        frocc_bytes_free(bytes);
    check(status == FROCC_OK || arrived == UNTOUCHED, "a failure changed the result");
    if (status == FROCC_OK)
        frocc_frame_free(arrived);
    frocc_frame_free(frame);
    return status;
}

/* Half of the rows are sent and half stay; what fails leaves both as they were. */
static frocc_status op_send_fitter(void) {
    const frocc_load_options options = setup_load_options(&at.s);
    frocc_frame *frame = frame_of(&at.s.params, &at.x);
    frocc_fitter *a = fitter_of(frame, &at.s.params), *b = fitter_of(frame, &at.s.params);
    frocc_fitter *arrived = UNTOUCHED;
    const size_t half = at.x.n / 2;
    void *bytes = UNTOUCHED;
    size_t size = 77;
    fitter_take(a, &at.x, 0, half);
    fitter_take(b, &at.x, half, at.x.n - half);
    arm();
    frocc_status status = frocc_fitter_to_bytes(a, &bytes, &size);
    if (status == FROCC_OK)
        status = frocc_fitter_from_bytes(bytes, size, &options, 1, &arrived);
    if (status == FROCC_OK)
        status = frocc_fitter_merge(arrived, b);
    disarm();
    if (size == 77) {
        check(bytes == UNTOUCHED, "a failure changed the result");
        check_ok(frocc_fitter_to_bytes(a, &bytes, &size));
    }
    if (arrived == UNTOUCHED)
        check_ok(frocc_fitter_from_bytes(bytes, size, &options, 1, &arrived));
    if (frocc_fitter_rows(arrived) == half)
        check_ok(frocc_fitter_merge(arrived, b));
    frocc_model *after = finish(arrived);
    check_same(base, after, "a fitter that was sent and merged in the end");
    frocc_model_free(after);
    frocc_bytes_free(bytes);
    frocc_fitter_free(arrived);
    frocc_fitter_free(a);
    frocc_fitter_free(b);
    frocc_frame_free(frame);
    return status;
}

/* A file of ours, and the columns that it has together with others. */
static frocc_status op_load_bytes(void) {
    static const unsigned char texts[] = {2, 0, 0,   0,   0, 0, 1, 3, 1, 0, 0, 0, 0, 0, 0, 0,  1, 0,
                                          0, 0, 0,   0,   0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,  0, 1,
                                          0, 0, 0,   'k', 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,  1, 0,
                                          0, 0, 'a', 2,   0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 'b'};
    frocc_schema *schema = NULL, *joined = UNTOUCHED;
    void *bytes = UNTOUCHED;
    size_t size = 77;
    check_ok(frocc_schema_from_bytes(texts, sizeof texts, &schema));
    check_ok(frocc_model_save(base, at.path));
    const frocc_schema *both[] = {schema, schema};
    arm();
    frocc_status status = frocc_bytes_load(at.path, NULL, &bytes, &size);
    if (status == FROCC_OK)
        status = frocc_schema_join(both, 2, &joined);
    disarm();
    if (size == 77)
        check(bytes == UNTOUCHED, "a failure changed the result");
    else
        frocc_bytes_free(bytes);
    check(status == FROCC_OK || joined == UNTOUCHED, "a failure changed the result");
    if (status == FROCC_OK)
        frocc_schema_free(joined);
    frocc_schema_free(schema);
    return status;
}

/* ---- All of them with every setup ------------------------------------------------------------ */

/* Tries an operation on rows and parameters that are there; how many allocations failed. */
static long with_setup(const char *name, operation op, long step) {
    at.rows = data_rows(&at.x);
    at.folder = folder_new();
    at.path = path_in(at.folder, "model.frocc");
    base = fit(&at.s.params, &at.x);
    long count = fail_each(name, op, step);
    frocc_model_free(base);
    free(at.path);
    folder_free(at.folder);
    setup_free(&at.s);
    data_free(&at.x);
    return count;
}

static void with_setups(const char *name, operation op) {
    static const size_t held[] = {0, 6, 25, 1024};
    long most = 0;

    for (int kernel = 0; kernel < KERNELS; kernel++)
        for (int scaling = 0; scaling < SCALINGS; scaling++) {
            rng r = rng_seed(840000 + (uint64_t)(kernel * 10 + scaling));
            int number = kernel * SCALINGS + scaling;
            at.x = data_new(&r, 180, 5,
                            scaling == 3   ? SHAPE_DUPLICATES
                            : scaling != 0 ? SHAPE_CLUSTERS
                                           : SHAPE_BLOB,
                            true);
            frocc_family family = (frocc_family)((kernel + scaling) % FAMILIES);
            if (!is_possible((frocc_scaling)scaling, family))
                family = FROCC_FAMILY_GAUSSIAN;
            setup_init(&r, &at.s, (frocc_kernel)kernel, (frocc_scaling)scaling, family, 20, 5);
            if ((kernel + scaling) % 2 != 0) {
                setup_closeness(&r, &at.s);
                at.s.params.calibration_rows = held[number / 2 % 4];
            }
            if (op == op_truncate) /* trees look at all directions */
                at.s.params.n_trees = 0;
            at.s.params.epsilon = 0.02f;
            at.s.params.sample_rows = 40;
            at.s.params.threads = 1 + (kernel + scaling) % 3;
            long count = with_setup(name, op, 1);
            most = count > most ? count : most;
        }
    printf("# %s: up to %ld allocations failed in turn\n", name, most);
    check(most > 0, "%s never allocated through the allocator", name);
}

/* So many rows that threads have a share each, which are merged; too many to fail each allocation
 * every time. A step that shares no factor with a team's three threads meets all of them. */
static void team_out_of_memory(void) {
    const long step = check_share(1, 5, 23);

    for (uint64_t i = 0; i < 4; i++) {
        rng r = rng_seed(860000 + i);
        at.x = data_new(&r, 9000, 5, SHAPE_CLUSTERS, true);
        setup_init(&r, &at.s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, 60,
                   5);
        if (i % 2 != 0) {
            setup_closeness(&r, &at.s);
            at.s.params.calibration_rows = i == 1 ? 0 : 30;
        }
        at.s.params.epsilon = 0.02f;
        at.s.params.threads = 3;
        long count = with_setup("team", i < 2 ? op_fit : op_stream, step);
        check(count > 10, "only %ld allocations", count);
    }
}

#define OPERATION(name)                                                                            \
    static void name##_out_of_memory(void) {                                                       \
        with_setups(#name, op_##name);                                                             \
    }

OPERATION(fit)
OPERATION(fit_source)
OPERATION(sample)
OPERATION(stream)
OPERATION(fitter_merge)
OPERATION(model_merge)
OPERATION(coarsen)
OPERATION(truncate)
OPERATION(decontaminate)
OPERATION(seal)
OPERATION(look)
OPERATION(measure)
OPERATION(score)
OPERATION(explain)
OPERATION(save)
OPERATION(load)
OPERATION(bytes)
OPERATION(send_sample)
OPERATION(send_frame)
OPERATION(send_fitter)
OPERATION(load_bytes)

/* A disk that fills up while the file is written: a limit on the size of files stands for it. */
static void save_to_a_full_disk(void) {
    static const char old[] = "the old file";
    struct rlimit usual, tight;
    rng r = rng_seed(850000);
    char *folder = folder_new(), *path = path_in(folder, "model.frocc");
    data x = data_new(&r, 300, 5, SHAPE_BLOB, true);
    setup s;

    setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GIVEN, 50, 5);
    frocc_model *model = fit(&s.params, &x);
    file_write(path, old, sizeof old);
    check(getrlimit(RLIMIT_FSIZE, &usual) == 0, "getrlimit");
    tight = usual;
    tight.rlim_cur = 500;
    signal(SIGXFSZ, SIG_IGN);
    fflush(stdout); /* stdout may be a file, too */
    check(setrlimit(RLIMIT_FSIZE, &tight) == 0, "setrlimit");
    frocc_status status = frocc_model_save(model, path);
    setrlimit(RLIMIT_FSIZE, &usual);
    check(status == FROCC_ERR_IO, "saving to a full disk gave %s", frocc_status_name(status));
    check(strlen(frocc_last_error()) > 10, "no sentence");
    blob file = file_read(path);
    check(file.size == sizeof old && memcmp(file.bytes, old, sizeof old) == 0,
          "the old file is gone");
    check(folder_entries(folder) == 1, "a temporary file is left");
    free(file.bytes);
    frocc_model_free(model);
    setup_free(&s);
    data_free(&x);
    free(path);
    folder_free(folder);
}

/* What a service may ask with every answer: it needs no memory, so that it cannot fail. */
static void describing_takes_no_memory(void) {
    rng r = rng_seed(860000);
    data x = data_new(&r, 300, 5, SHAPE_BLOB, true);
    const frocc_rows rows = data_rows(&x);
    frocc_model *model = NULL;
    frocc_params params;
    frocc_params_init(&params);
    check_ok(frocc_fit(&params, &rows, &model));
    arm();
    atomic_store(&memory.fail_at, 1);
    frocc_model_info info = {.struct_size = sizeof info};
    const frocc_status status = frocc_model_describe(model, &info);
    const uint64_t n_intervals = frocc_model_count_intervals(model);
    disarm();
    check_ok(status);
    check(atomic_load(&memory.calls) == 0, "%ld allocations", atomic_load(&memory.calls));
    check(info.n_features == 5 && info.n_rows == 300 && n_intervals > 0, "what it says");
    check(frocc_model_count_intervals(NULL) == 0, "intervals of no model");
    frocc_model_free(model);
    data_free(&x);
}

int main(void) {
    count_allocations();
    RUN(fit_out_of_memory);
    RUN(fit_source_out_of_memory);
    RUN(sample_out_of_memory);
    RUN(stream_out_of_memory);
    RUN(fitter_merge_out_of_memory);
    RUN(model_merge_out_of_memory);
    RUN(coarsen_out_of_memory);
    RUN(truncate_out_of_memory);
    RUN(decontaminate_out_of_memory);
    RUN(seal_out_of_memory);
    RUN(look_out_of_memory);
    RUN(measure_out_of_memory);
    RUN(score_out_of_memory);
    RUN(explain_out_of_memory);
    RUN(save_out_of_memory);
    RUN(load_out_of_memory);
    RUN(bytes_out_of_memory);
    RUN(send_sample_out_of_memory);
    RUN(send_frame_out_of_memory);
    RUN(send_fitter_out_of_memory);
    RUN(load_bytes_out_of_memory);
    RUN(team_out_of_memory);
    RUN(save_to_a_full_disk);
    RUN(describing_takes_no_memory);
    return check_end();
}
