/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/blame.h"

#include <stdlib.h>

#include "base/message.h"
#include "data/data.h"

void blame_begin(const frocc_model *model, frocc_scorer *scorer, cli_blame *blame) {
    frocc_model_info info = {.struct_size = sizeof info};
    check(frocc_model_describe(model, &info), NULL);
    *blame = (cli_blame){.model = model,
                         .gained_by = model,
                         .scorer = scorer,
                         .n_features = info.n_features,
                         .n_directions = info.n_directions};
    blame->found = must_allocate(info.n_directions, sizeof *blame->found);
    blame->distances = must_allocate(info.n_directions, sizeof *blame->distances);
    blame->gains = must_allocate(info.n_features, sizeof *blame->gains);
    blame->better = must_allocate(info.n_features, sizeof *blame->better);
}

void blame_end(cli_blame *blame) {
    free(blame->found);
    free(blame->distances);
    free(blame->gains);
    free(blame->better);
}

size_t blame_row(cli_blame *blame, const double *row) {
    frocc_rows rows = frocc_rows_f64(row, 1, blame->n_features);
    check(frocc_scorer_distances(blame->scorer, &rows, blame->found), NULL);
    check(frocc_model_explain(blame->gained_by, &rows, blame->gains, blame->better), NULL);
    size_t rejecting = 0;
    for (size_t i = 0; i < blame->n_directions; i++) {
        blame->distances[i] = (double)blame->found[i];
        rejecting += blame->distances[i] > 0;
    }
    return rejecting;
}

/* ---- The largest values ---------------------------------------------------------------------- */

static size_t keep_largest(double value, size_t index, double *kept, size_t *indices, size_t count,
                           size_t wanted) {
    if (!(value > 0) || (count == wanted && value <= kept[count - 1])) {
        return count;
    }
    size_t at = count < wanted ? count++ : count - 1;
    for (; at > 0 && kept[at - 1] < value; at--) {
        kept[at] = kept[at - 1];
        indices[at] = indices[at - 1];
    }
    kept[at] = value;
    indices[at] = index;
    return count;
}

size_t largest(const double *values, size_t count, size_t *indices, size_t wanted) {
    double *kept = must_allocate(wanted, sizeof *kept);
    size_t found = 0;
    for (size_t i = 0; i < count && wanted; i++) {
        found = keep_largest(values[i], i, kept, indices, found, wanted);
    }
    free(kept);
    return found;
}

size_t leading_features(const cli_blame *blame, size_t *features, size_t wanted) {
    size_t count = largest(blame->gains, blame->n_features, features, wanted);
    while (count > 0 && blame->gains[features[count - 1]] * 20 < blame->gains[features[0]]) {
        count--;
    }
    return count;
}

/* ---- The lowest scores ----------------------------------------------------------------------- */

void worst_begin(worst_rows *worst, size_t capacity, size_t n_features) {
    *worst = (worst_rows){.capacity = capacity, .n_features = n_features};
    worst->rows = must_allocate(capacity, sizeof *worst->rows);
}

void worst_add(worst_rows *worst, const frocc_rows *rows, size_t row, uint64_t number, double score,
               const char *id) {
    if (!worst->capacity ||
        (worst->count == worst->capacity && score >= worst->rows[worst->count - 1].score)) {
        return;
    }
    worst_row fresh = {number, score, id ? must_copy(id) : NULL, NULL};
    if (worst->count == worst->capacity) {
        worst_row *last = &worst->rows[--worst->count];
        free(last->id);
        fresh.values = last->values;
    } else {
        fresh.values = must_allocate(worst->n_features, sizeof(double));
    }
    row_copy(rows, row, fresh.values);
    size_t at = worst->count++;
    for (; at > 0 && worst->rows[at - 1].score > score; at--) {
        worst->rows[at] = worst->rows[at - 1];
    }
    worst->rows[at] = fresh;
}

void worst_end(worst_rows *worst) {
    for (size_t i = 0; i < worst->count; i++) {
        free(worst->rows[i].id);
        free(worst->rows[i].values);
    }
    free(worst->rows);
}
