/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a model is made of merges, so a fit by many is: one schema, one sample, one frame; then each
 * fits its rows, and the fitters merge. The model is that of one process, byte for byte.
 *
 * Per direction, what is handed over does not depend on the number of rows.
 */
#include "fit.h"

#include <stdlib.h>
#include <string.h>

#include "arguments/method.h"
#include "base/message.h"
#include "team.h"

/* The library's bytes become ours, so that free() releases them. */
static team_bytes own_copy(void *bytes, size_t size) {
    team_bytes copy = {must_allocate(size, 1), size};
    memcpy(copy.bytes, bytes, size);
    frocc_bytes_free(bytes);
    return copy;
}

/* ---- Texts and schemas ----------------------------------------------------------------------- */

/* Every process lists those of the first, then those of the second, and so on. */
static size_t share_texts(char **texts, size_t count, size_t most) {
    team_bytes own = {NULL, 0};
    size_t *places = must_allocate((size_t)team_size() + 1, sizeof *places), n_all = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(texts[i]) + 1;
        own.bytes = must_resize(own.bytes, own.size + length, 1);
        memcpy((char *)own.bytes + own.size, texts[i], length);
        own.size += length;
        free(texts[i]);
    }
    team_bytes all = team_gather(&own, places);
    for (size_t at = 0; at < all.size && n_all < most; at += strlen((char *)all.bytes + at) + 1) {
        const char *text = (char *)all.bytes + at;
        size_t i = 0;
        while (i < n_all && strcmp(texts[i], text) != 0) {
            i++;
        }
        if (i == n_all) {
            texts[n_all++] = must_copy(text);
        }
    }
    free(own.bytes);
    free(all.bytes);
    free(places);
    return n_all;
}

static team_bytes schema_bytes(const frocc_schema *schema) {
    void *bytes;
    size_t size;
    if (!schema) {
        return (team_bytes){NULL, 0};
    }
    check(frocc_schema_to_bytes(schema, &bytes, &size), NULL);
    return own_copy(bytes, size);
}

/* What the columns of all parts are together, the same in every process; a packed file's rows are
 * all in one part, so that others may have none. */
static frocc_schema *join_schemas(const team_bytes *own) {
    const size_t n = (size_t)team_size();
    size_t *places = must_allocate(n + 1, sizeof *places), count = 0;
    frocc_schema **parts = must_allocate(n, sizeof *parts), *joined = NULL;
    team_bytes all = team_gather(own, places);
    for (size_t r = 0; r < n; r++) {
        if (places[r + 1] > places[r]) {
            check(frocc_schema_from_bytes((char *)all.bytes + places[r], places[r + 1] - places[r],
                                          &parts[count++]),
                  NULL);
        }
    }
    if (count > 0) {
        check(frocc_schema_join((const frocc_schema *const *)parts, count, &joined), NULL);
    }
    for (size_t r = 0; r < count; r++) {
        frocc_schema_free(parts[r]);
    }
    free(parts);
    free(places);
    free(all.bytes);
    return joined;
}

/* Whether the first column may be one without a name that only counts rows, which is left out and
 * which a part does not show: it is called by its number, and is one of numbers. */
static bool may_count(const frocc_schema *schema) {
    frocc_column_info first = {.struct_size = sizeof first};
    if (frocc_schema_columns(schema) == 0) {
        return false;
    }
    check(frocc_schema_column(schema, 0, &first), NULL);
    return first.name && !strcmp(first.name, "1") && first.is_feature &&
           first.kind == FROCC_COLUMN_NUMBER;
}

/* The columns as all files have them; one process reads these for it. */
static team_bytes learn_schema(const cli_arguments *arguments) {
    cli_arguments all_rows = *arguments;
    all_rows.given = must_allocate(arguments->n_given, sizeof *arguments->given);
    all_rows.n_given = 0;
    for (size_t i = 0; i < arguments->n_given; i++) {
        if (strcmp(arguments->given[i].option->name, "part") != 0) {
            all_rows.given[all_rows.n_given++] = arguments->given[i];
        }
    }
    cli_data data;
    data_open(&all_rows, arguments->operands, arguments->n_operands, NULL, 2, LABEL_IF_GIVEN,
              &data);
    team_bytes learnt = schema_bytes(data.schema);
    data_close(&data);
    free(all_rows.given);
    return learnt;
}

/* The same in every process, which has it to free. */
static frocc_schema *share_schema(const cli_arguments *arguments) {
    team_bytes learnt = {NULL, 0};
    frocc_schema *schema = NULL;
    if (team_rank() == 0) {
        learnt = learn_schema(arguments);
    }
    team_share(&learnt);
    check(frocc_schema_from_bytes(learnt.bytes, learnt.size, &schema), NULL);
    free(learnt.bytes);
    return schema;
}

/* Each process learns the columns of its rows, and reads them through those of all rows: where a
 * first column may only count these, one process reads all for it. */
static void open_rows(const cli_arguments *arguments, normal_rows *rows, frocc_params *params) {
    const int passes = frocc_params_learn(params) ? 2 : 1;
    normal_rows_open(arguments, arguments->operands, arguments->n_operands, NULL, passes,
                     LABEL_IF_GIVEN, rows);
    team_bytes own = schema_bytes(rows->data.schema);
    frocc_schema *schema = join_schemas(&own);
    if (may_count(schema)) {
        frocc_schema_free(schema);
        schema = share_schema(arguments);
    }
    normal_rows_close(rows);
    normal_rows_open(arguments, arguments->operands, arguments->n_operands, schema, passes,
                     LABEL_IF_GIVEN, rows);
    free(own.bytes);
    frocc_schema_free(schema);
    params->schema = rows->data.schema;
}

/* ---- The sample and the frame ---------------------------------------------------------------- */

static team_bytes pack_sample(void *context) {
    void *bytes;
    size_t size;
    check(frocc_sample_to_bytes(context, &bytes, &size), NULL);
    return own_copy(bytes, size);
}

static void take_sample(void *context, const team_bytes *bytes) {
    frocc_sample *other = NULL;
    check(frocc_sample_from_bytes(bytes->bytes, bytes->size, &other), NULL);
    check(frocc_sample_merge(context, other), NULL);
    frocc_sample_free(other);
}

/* Of all rows, in the first process. */
static frocc_sample *take_samples(normal_rows *rows, const frocc_params *params, size_t d) {
    frocc_sample *sample = NULL;
    frocc_rows run;
    check(frocc_sample_new(params, d, &sample), NULL);
    while (normal_rows_next(rows, &run)) {
        normal_rows_check(rows, frocc_sample_add(sample, &run));
    }
    normal_rows_count_all(rows);
    team_merge(sample, pack_sample, take_sample);
    return sample;
}

/* A fitter of no rows, the same in all processes. */
static frocc_fitter *begin_fitter(normal_rows *rows, const frocc_params *params) {
    size_t d = rows->data.n_features;
    frocc_sample *sample = frocc_params_learn(params) ? take_samples(rows, params, d) : NULL;
    team_bytes start = {NULL, 0};
    if (team_rank() == 0) {
        void *bytes;
        size_t size;
        frocc_frame *frame = NULL;
        frocc_fitter *fitter = NULL;
        frocc_status status = frocc_frame_new(params, d, sample, &frame);
        normal_rows_refuse_none(rows, status, "; --missing keep learns the former");
        check(status, NULL);
        check(frocc_fitter_new(frame, params, &fitter), NULL);
        check(frocc_fitter_to_bytes(fitter, &bytes, &size), NULL);
        start = own_copy(bytes, size);
        frocc_fitter_free(fitter);
        frocc_frame_free(frame);
    }
    frocc_sample_free(sample);
    normal_rows_rewind(rows);
    team_share(&start);
    frocc_load_options options = {.struct_size = sizeof options, .max_memory = SIZE_MAX};
    frocc_fitter *fitter = NULL;
    check(frocc_fitter_from_bytes(start.bytes, start.size, &options, params->threads, &fitter),
          NULL);
    free(start.bytes);
    return fitter;
}

/* ---- The fit --------------------------------------------------------------------------------- */

static team_bytes pack_fitter(void *context) {
    void *bytes;
    size_t size;
    check(frocc_fitter_to_bytes(context, &bytes, &size), NULL);
    return own_copy(bytes, size);
}

static void take_fitter(void *context, const team_bytes *bytes) {
    frocc_load_options options = {.struct_size = sizeof options, .max_memory = SIZE_MAX};
    frocc_fitter *other = NULL;
    check(frocc_fitter_from_bytes(bytes->bytes, bytes->size, &options, 1, &other), NULL);
    check(frocc_fitter_merge(context, other), NULL);
    frocc_fitter_free(other);
}

static void merge(normal_rows *rows, frocc_fitter *fitter) {
    team_merge(fitter, pack_fitter, take_fitter);
    if (team_rank() > 0) {
        team_agree(); /* the model is written */
        frocc_fitter_free(fitter);
        normal_rows_close(rows);
        team_end(EXIT_FINE);
    }
    if (rows->data.verbosity > 0) {
        note("merged what %d processes have learnt in %.3f s", team_size(), team_merge_seconds());
    }
}

static frocc_model *fit(const cli_arguments *arguments, normal_rows *rows, frocc_params *params) {
    open_rows(arguments, rows, params);
    frocc_fitter *fitter = begin_fitter(rows, params);
    frocc_model *model = normal_rows_fit_by(rows, fitter);
    frocc_fitter_free(fitter);
    return model;
}

const normal_rows_team fit_team = {share_texts, team_sum, fit, merge};
