/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A schema learnt from the data. Its columns come from the first file. A pass over the data tells
 * what cells they have, and by that what they are. Everything learnt is independent of the order of
 * the rows.
 *
 * The pass reads rows and keeps them as long as all cells are numbers, as they mostly are to the
 * end; behind that it only looks.
 *
 * A first column that only counts the rows, as an index does, says nothing of them: where it has no
 * name it is left out, else its user is to be told.
 */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "input/read_reader.h"

/* A pass over all the files, kept rows aside, that fills in the surveys. */
static frocc_status survey_files(frocc_reader *r, frocc__survey *surveys) {
    frocc__reader_start_again(r);
    for (; r->file < r->n_paths; r->file++) {
        if (!frocc__reader_has_rows_in(r, r->file))
            continue;
        FROCC_TRY(frocc__reader_open_file(r));
        if (r->input->sparse != r->schema->sparse)
            return frocc__fail(FROCC_ERR_SHAPE, "%s: sparse and dense files cannot be mixed here",
                               r->input->name);
        if (!frocc__reader_has_rows_in(r, r->file)) { /* it cannot be cut, as is known by now */
            frocc__reader_close_file(r);
            continue;
        }
        FROCC_TRY(frocc__reader_plan(r, FROCC__LEARN));
        frocc__job job = {.plan = &r->plan,
                          .buffer = &r->fresh.buffer,
                          .surveys = surveys,
                          .file = r->file,
                          .threads = r->threads,
                          .numbers_only = r->options.all_numeric != 0};
        do {
            FROCC_TRY(frocc__reader_next_of_input(r, &job));
        } while (r->fresh.buffer.n_rows > 0);
        frocc__reader_close_file(r);
    }
    return frocc__surveys_merge(surveys, r->threads);
}

/* Whether a column's numbers may be times. */
static bool may_have_epochs(const frocc_reader *r) {
    for (size_t i = 0; r->schema->columns != NULL && i < r->schema->n_columns; i++)
        if (r->schema->columns[i].may_be_epochs && r->schema->columns[i].role == FROCC__FEATURE &&
            !r->options.all_numeric)
            return true;
    return false;
}

static frocc_status survey(frocc_reader *r, size_t n_columns,
                           frocc_status (*use)(frocc_reader *, frocc__survey *)) {
    const bool values = frocc__fills_missing(r->schema->missing);
    frocc__survey *surveys = NULL;
    FROCC_TRY(frocc__surveys_new(n_columns, r->threads, values && n_columns > 0, &surveys));
    for (int t = 0; t < r->threads; t++)
        surveys[t].counting.is_open = r->kept.counting.is_open;
    for (int t = 0; t < r->threads; t++)
        surveys[t].epochs = may_have_epochs(r);
    frocc_status status = survey_files(r, surveys);
    if (status == FROCC_OK)
        status = use(r, &surveys[0]);
    frocc__surveys_free(surveys, r->threads);
    frocc__reader_close_file(r);
    return status;
}

/* What was found about a column, and that the cells of rows that were kept are numbers, as are all
 * others that are nothing else. */
static frocc_status learn_column(const frocc_reader *r, size_t i, frocc__survey *found) {
    struct frocc__column *c = &r->schema->columns[i];
    frocc__tally *t = &c->tally;
    const bool is_text = c->asked || c->typed;
    const bool is_epochs = c->may_be_epochs && !is_text && !r->options.all_numeric;
    const uint64_t n_rows = frocc__kept_rows(&r->kept) + found->n_rows;
    *t = found->columns[i].tally;
    if (!is_epochs)
        frocc__tally_no_epochs(t);
    const uint64_t others = t->n_missing + t->n_dashes + t->n_times + t->n_commas + t->n_marks;
    *(is_text ? &t->n_marks : &t->n_numbers) = n_rows - others;
    if (found->values && !is_text) {
        c->sum = frocc__alloc(1, sizeof *c->sum);
        if (c->sum == NULL)
            return FROCC_ERR_MEMORY;
        *c->sum = found->sums[i];
    }
    return frocc__known_merge(&c->known, &found->columns[i].known);
}

/* A column without a value has no mean, but may have one in another part. */
static frocc_status check_means(const frocc_reader *r) {
    for (size_t i = 0; r->schema->missing == FROCC_MISSING_MEAN && r->options.n_parts <= 1 &&
                       i < r->schema->n_columns;
         i++) {
        const struct frocc__column *c = &r->schema->columns[i];
        if (c->role == FROCC__FEATURE && c->tally.n_numbers + c->tally.n_times == 0 && !c->text)
            return frocc__fail_at(
                FROCC_ERR_DATA,
                &(frocc__where){.file = r->paths[0], .column = i + 1, .column_name = c->name},
                "it has no value at all, so it has no mean; leave it out, or use missing = keep");
    }
    return FROCC_OK;
}

/* Whether the first column is one that might only count: a number that the caller has not asked
 * for by name. A part shows some of the numbers only: it tells where the column does not count. */
static bool may_count(const frocc_reader *r) {
    const frocc_reader_options *o = &r->options;
    const struct frocc__column *first = &r->schema->columns[0];
    return r->input->text && !r->input->knows_kinds && !o->all_numeric &&
           (o->n_parts <= 1 || first->is_unnamed) && o->n_use == 0 &&
           first->role == FROCC__FEATURE && !first->text && !first->asked_seconds;
}

static size_t count_features(const frocc_schema *schema) {
    size_t count = 0;
    for (size_t i = 0; i < schema->n_columns; i++)
        count += schema->columns[i].role == FROCC__FEATURE;
    return count;
}

/* The first column, once all rows have been seen. */
static void learn_counting(frocc_reader *r, const frocc__counting *counting) {
    struct frocc__column *first = &r->schema->columns[0];
    if (first->text || first->time || count_features(r->schema) == 1)
        return;
    first->may_count = r->options.n_parts > 1 && counting->is_open && counting->count > 0;
    if (r->options.n_parts > 1 || !frocc__counting_holds(counting))
        return;
    first->counts = true;
    if (!first->is_unnamed)
        return;
    first->role = FROCC__SKIPPED;
    first->tells_state = false;
    first->filler = 0.0;
    memset(&first->tally, 0, sizeof first->tally);
    frocc__free(first->sum);
    first->sum = NULL;
    frocc__known_clear(&first->known);
    frocc__kept_clear(&r->kept); /* they have it */
}

static frocc_status learn_columns(frocc_reader *r, frocc__survey *found) {
    for (size_t i = 0; i < r->schema->n_columns; i++)
        if (r->schema->columns[i].role == FROCC__FEATURE)
            FROCC_TRY(learn_column(r, i, found));
    r->schema->is_tallied = true;
    FROCC_TRY(frocc__schema_decide(r->schema));
    FROCC_TRY(check_means(r));
    frocc__counting_merge(&found->counting, &r->kept.counting);
    learn_counting(r, &found->counting);
    for (size_t i = 0; i < r->schema->n_columns; i++)
        if (r->schema->columns[i].text || r->schema->columns[i].time)
            frocc__kept_clear(&r->kept); /* they were read as numbers */
    return FROCC_OK;
}

static frocc_status learn_indices(frocc_reader *r, frocc__survey *found) {
    const frocc_reader_options *o = &r->options;
    if (found->zero_index && o->index_base == 1)
        return frocc__fail(FROCC_ERR_DATA,
                           "%s: an entry has the index 0, and indices were said to count from 1",
                           r->paths[0]);
    r->schema->index_base = o->index_base >= 0 ? o->index_base : !found->zero_index;
    size_t largest = (size_t)found->max_index + (r->schema->index_base == 0);
    r->schema->n_columns = o->n_columns > 0 ? o->n_columns : largest;
    if (r->schema->n_columns == 0)
        return frocc__fail(FROCC_ERR_EMPTY, "%s: has no entry in any row", r->paths[0]);
    return o->n_columns > 0 ? FROCC_OK : frocc__check_columns(r->paths[0], largest, o);
}

static frocc_status learn_sparse(frocc_reader *r) {
    const frocc_reader_options *o = &r->options;
    FROCC_TRY(frocc__schema_new(o->n_columns, false, &r->schema));
    r->schema->sparse = true;
    r->schema->missing = o->missing;
    if (o->n_columns > 0 && o->index_base >= 0)
        r->schema->index_base = o->index_base;
    else
        FROCC_TRY(survey(r, 0, learn_indices));
    if (o->n_use > 0 || o->n_drop > 0) {
        frocc__input columns = {.name = r->paths[0], .n_columns = r->schema->n_columns};
        FROCC_TRY(frocc__schema_select(&columns, o, r->schema));
    }
    return frocc__schema_finish(r->schema);
}

/* Whether a feature of a table may hold texts or times. */
static bool may_have_texts_or_times(const frocc_reader *r) {
    for (size_t i = 0; i < r->schema->n_columns; i++)
        if (r->schema->columns[i].role == FROCC__FEATURE &&
            (r->schema->columns[i].text || r->schema->columns[i].may_be_epochs ||
             frocc__table_may_hold_times(r->input, i)))
            return true;
    return false;
}

/* Whether a pass over the data can find out anything. */
static bool needs_pass(const frocc_reader *r) {
    const frocc_reader_options *o = &r->options;
    if (frocc__fills_missing(o->missing) || o->n_categorical > 0)
        return true;
    return r->input->text && !o->all_numeric &&
           (!r->input->knows_kinds || may_have_texts_or_times(r));
}

/* What cells there are. */
static frocc_status look_at_rows(frocc_reader *r) {
    const frocc_reader_options *o = &r->options;
    const size_t n = r->schema->n_columns;
    const bool counts = may_count(r);
    r->kept.counting.is_open = counts;
    if (r->input->text && !r->input->knows_kinds && !frocc__fills_missing(o->missing) &&
        o->n_categorical == 0 && !may_have_epochs(r))
        FROCC_TRY(frocc__reader_keep(r));
    if (r->kept.dropped > 0) { /* rows that were not counted */
        frocc__kept_clear(&r->kept);
        r->kept.counting.is_open = counts;
    }
    return survey(r, n, learn_columns);
}

/* A part may have no rows, or only some in which a cell is missing. */
static bool says_nothing(const frocc_reader *r, const frocc__tally *tally) {
    return r->options.n_parts > 1 && tally->n_numbers + tally->n_times + tally->n_marks == 0;
}

/* Columns whose time itself was asked for have one. */
static frocc_status check_times(const frocc_reader *r) {
    for (size_t i = 0; r->schema->columns != NULL && i < r->schema->n_columns; i++) {
        const struct frocc__column *column = &r->schema->columns[i];
        char shown[FROCC__COLUMN_SIZE];
        if (column->asked_seconds && (!column->time || column->clock) &&
            !says_nothing(r, &column->tally))
            return frocc__fail(FROCC_ERR_ARGUMENT,
                               "%s: %s is not of time stamps only, such as 2026-11-18T07:01:02, "
                               "though it is named in time; leave it out there",
                               r->paths[0], frocc__show_column(column->name, i, shown));
    }
    return FROCC_OK;
}

frocc_status frocc__reader_learn(frocc_reader *r) {
    const frocc_reader_options *o = &r->options;
    FROCC_TRY(frocc__reader_open_file(r));
    if (r->input->sparse)
        return learn_sparse(r);
    FROCC_TRY(frocc__reader_name_columns(r));
    FROCC_TRY(frocc__schema_start(r->input, o, &r->schema));
    if (needs_pass(r))
        FROCC_TRY(look_at_rows(r));
    FROCC_TRY(check_times(r));
    FROCC_TRY(frocc__schema_finish(r->schema));
    if (r->schema->n_features == 0)
        return frocc__fail(FROCC_ERR_DATA,
                           "%s: no feature is left: texts that nearly all differ name rows, and "
                           "times tell something where they span a day, dates where they span two "
                           "weeks; name columns in categorical, or parts of times in time_parts",
                           r->paths[0]);
    return FROCC_OK;
}
