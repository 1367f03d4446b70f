/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Training rows scored as if each had not been there: as the oracle scores them, as models do that
 * were really fitted without them, copies counted, and the same bytes however they are asked for;
 * and what is refused.
 */
#include "calibrated.h"
#include "closeness.h"

static double *left_out(const frocc_model *model, const frocc_rows *rows, int threads) {
    double *scores = NEW(double, rows->n_rows);
    frocc_scorer *scorer = NULL;

    check_ok(frocc_scorer_new(model, threads, &scorer));
    check_ok(frocc_scorer_score_left_out(scorer, rows, scores));
    frocc_scorer_free(scorer);
    return scores;
}

/* ---- By definition, and as refitted ---------------------------------------------------------- */

/* Every row has the score that the definition gives it without itself. */
static void law_by_definition(rng *r, setup *s, const data *x) {
    calibrated(r, s);
    if (x->n < 2)
        return;
    frocc_model *model = fit(&s->params, x);
    frocc_rows rows = data_rows(x);
    oracle_rows learnt = oracle_rows_of(model, x);
    oracle_queries asked = oracle_queries_of(model, x);
    double *scores = left_out(model, &rows, 1);

    for (size_t k = 0; k < x->n; k++) {
        oracle_row row = oracle_query(&asked, k);
        double expected = oracle_closeness(&learnt, k, &row);
        check(scores[k] == expected, "row %zu has %.17g, not %.17g", k, scores[k], expected);
    }
    free(scores);
    oracle_queries_free(&asked);
    oracle_rows_free(&learnt);
    frocc_model_free(model);
}

static void by_definition(void) {
    law_sizes full = {150, 12, 16, 2, SHAPE_BLOB, 0}, quick = {30, 6, 6, 1, SHAPE_BLOB, 0};
    law_everywhere(law_by_definition, 1260000, check_quick() ? quick : full);
}

/* The score of a row by a model of all others, in the same frame. */
static double score_without(frocc_frame *frame, const frocc_params *params, const data *x,
                            size_t number) {
    frocc_fitter *fitter = fitter_of(frame, params);
    frocc_rows own = data_part(x, number, 1);
    frocc_scorer *scorer = NULL;
    double score = NAN;

    if (number > 0)
        fitter_take(fitter, x, 0, number);
    if (number + 1 < x->n)
        fitter_take(fitter, x, number + 1, x->n - number - 1);
    frocc_model *model = finish(fitter);
    check_ok(frocc_scorer_new(model, 1, &scorer));
    check_ok(frocc_scorer_score(scorer, &own, &score));
    frocc_scorer_free(scorer);
    frocc_model_free(model);
    frocc_fitter_free(fitter);
    return score;
}

/* Whether values without one of them are counted in narrower cells although so many others share
 * its cell: then what is left is told by the wider cells. */
static bool narrows(const float *values, size_t n, size_t without, double n_cells, size_t others) {
    float low = INFINITY, high = -INFINITY;
    size_t sharing = 0;

    for (size_t r = 0; r < n; r++)
        if (r != without) {
            low = fminf(low, values[r]);
            high = fmaxf(high, values[r]);
        }
    if (low > high)
        return false;
    double width =
        oracle_cell_width(fminf(low, values[without]), fmaxf(high, values[without]), n_cells);
    for (size_t r = 0; r < n; r++)
        sharing += r != without &&
                   floor((double)values[r] / width) == floor((double)values[without] / width);
    return sharing >= others && oracle_cell_width(low, high, n_cells) < width;
}

/* The same for the values of a leaf in a direction. */
static bool leaf_narrows(const oracle_rows *rows, size_t tree, size_t direction, size_t without,
                         size_t others) {
    const uint32_t *leaves = rows->leaves + tree * rows->n_rows;
    float *values = NEW(float, rows->n_rows);
    size_t count = 0, at = 0;

    for (size_t r = 0; r < rows->n_rows; r++)
        if (leaves[r] == leaves[without]) {
            at = r == without ? count : at;
            values[count++] = rows->values[direction * rows->n_rows + r];
        }
    bool found = narrows(values, count, at, 32, others);
    free(values);
    return found;
}

static bool row_narrows(const oracle_rows *rows, size_t without, size_t others) {
    const frocc__trees *trees = &rows->frame->trees;
    bool found = false;

    for (size_t i = 0; i < rows->n_directions; i++)
        found |= narrows(rows->values + i * rows->n_rows, rows->n_rows, without,
                         oracle_cells(rows->epsilon), others);
    for (size_t t = 0; t < trees->n_trees; t++)
        for (size_t q = 0; q < FROCC_LEAF_DIRECTIONS; q++) {
            size_t leaf = rows->leaves[t * rows->n_rows + without];
            found |= leaf_narrows(rows, t, trees->leaf_directions[leaf * FROCC_LEAF_DIRECTIONS + q],
                                  without, others);
        }
    return found;
}

static size_t refitted, narrowed;

/* Without contamination, whose windows are as wide as the number of rows says. */
static void law_as_refitted(rng *r, setup *s, const data *x) {
    calibrated(r, s);
    s->params.contamination = 0;
    if (x->n < 2)
        return;
    frocc_model *model = fit(&s->params, x);
    frocc_frame *frame = frocc_model_frame(model);
    frocc_rows rows = data_rows(x);
    oracle_rows learnt = oracle_rows_of(model, x);
    double *scores = left_out(model, &rows, 1);

    for (size_t k = 0; k < x->n; k++) {
        if (row_narrows(&learnt, k, 1)) {
            narrowed++;
            continue;
        }
        double expected = score_without(frame, &s->params, x, k);
        check(scores[k] == expected, "row %zu has %.17g, and %.17g where it was not learnt", k,
              scores[k], expected);
        refitted++;
    }
    free(scores);
    oracle_rows_free(&learnt);
    frocc_frame_free(frame);
    frocc_model_free(model);
}

static void as_refitted(void) {
    law_sizes full = {60, 8, 8, 2, SHAPE_BLOB, 0}, quick = {16, 4, 4, 1, SHAPE_BLOB, 0};
    law_everywhere(law_as_refitted, 1265000, check_quick() ? quick : full);
    check(refitted > 2 * narrowed && refitted > 300, "%zu rows as refitted, %zu in narrower cells",
          refitted, narrowed);
}

/* The default, and the rows of a table in which one is odd, alone or twice. */
static void copies_speak_for_each_other(void) {
    rng r = rng_seed(1270000);
    data x = data_new(&r, 200, 3, SHAPE_BLOB, true);
    frocc_params p = label_free(32, 64);
    frocc_rows rows = data_rows(&x);

    for (size_t j = 0; j < x.d; j++)
        x.f64[17 * x.d + j] = 50;
    frocc_model *model = fit(&p, &x);
    double *once = left_out(model, &rows, 1), *plain = scores_of(model, &x);
    for (size_t k = 0; k < x.n; k++)
        check(k == 17 || once[k] > once[17], "row %zu is odder than the odd one", k);
    check(plain[17] > once[17], "a row that was learnt is not known");
    frocc_model_free(model);
    memcpy(x.f64 + 90 * x.d, x.f64 + 17 * x.d, x.d * sizeof(double));
    model = fit(&p, &x);
    double *twice = left_out(model, &rows, 1);
    check(twice[17] == twice[90], "copies have %.17g and %.17g", twice[17], twice[90]);
    check(twice[17] > once[17], "both copies are left out: %.17g, alone %.17g", twice[17],
          once[17]);
    free(once);
    free(twice);
    free(plain);
    frocc_model_free(model);
    data_free(&x);
}

/* ---- The same bytes however they are asked for ----------------------------------------------- */

static void check_scores(const double *expected, const double *scores, size_t n, const char *what) {
    check(memcmp(expected, scores, n * sizeof *scores) == 0, "other scores: %s", what);
}

static void check_in_batches(rng *r, const frocc_model *model, const data *x,
                             const double *expected) {
    double *scores = NEW(double, x->n);
    size_t batch = rng_size(r, 1, x->n);
    frocc_scorer *scorer = NULL;

    check_ok(frocc_scorer_new(model, 2, &scorer));
    for (size_t first = 0; first < x->n; first += batch) {
        frocc_rows part = data_part(x, first, batch < x->n - first ? batch : x->n - first);
        check_ok(frocc_scorer_score_left_out(scorer, &part, scores + first));
    }
    check_scores(expected, scores, x->n, "in batches");
    frocc_scorer_free(scorer);
    free(scores);
}

static void check_reordered(rng *r, const frocc_model *model, const data *x,
                            const double *expected) {
    size_t *order = NEW(size_t, x->n);

    rng_shuffle(r, order, x->n);
    data y = data_reordered(x, order);
    frocc_rows rows = data_rows(&y);
    double *scores = left_out(model, &rows, 3);
    for (size_t k = 0; k < x->n; k++)
        check(scores[k] == expected[order[k]], "row %zu scores otherwise in another order", k);
    free(scores);
    free(order);
    data_free(&y);
}

static void check_of_sparse(rng *r, const frocc_model *model, const data *x,
                            const double *expected) {
    csr sparse = csr_new(r, x);
    frocc_rows rows =
        frocc_rows_csr(FROCC_F64, sparse.f64, sparse.row_start, sparse.columns, x->n, x->d);
    double *scores = left_out(model, &rows, 1);

    check_scores(expected, scores, x->n, "of sparse rows");
    free(scores);
    csr_free(&sparse);
}

static void check_loaded(setup *s, const frocc_model *model, const data *x,
                         const double *expected) {
    frocc_load_options options = setup_load_options(s);
    blob bytes = blob_of(model);
    frocc_model *loaded = NULL;
    frocc_rows rows = data_rows(x);

    check_ok(frocc_model_from_bytes(bytes.bytes, bytes.size, &options, &loaded));
    double *scores = left_out(loaded, &rows, 1);
    check_scores(expected, scores, x->n, "of a loaded model");
    free(scores);
    frocc_model_free(loaded);
    blob_free(&bytes);
}

static void law_same_scores(rng *r, setup *s, const data *x) {
    calibrated(r, s);
    if (x->n < 2)
        return;
    frocc_model *model = fit(&s->params, x);
    frocc_rows rows = data_rows(x);
    double *expected = left_out(model, &rows, 1);

    for (int threads = 2; threads <= 4; threads++) {
        double *scores = left_out(model, &rows, threads);
        check_scores(expected, scores, x->n, "other threads");
        free(scores);
    }
    check_in_batches(r, model, x, expected);
    check_reordered(r, model, x, expected);
    check_of_sparse(r, model, x, expected);
    check_loaded(s, model, x, expected);
    free(expected);
    frocc_model_free(model);
}

static void same_scores_however_asked(void) {
    law_everywhere(law_same_scores, 1275000, law_usual());
}

/* So many that threads share them out. */
static void same_scores_of_many_rows(void) {
    law_everywhere(law_same_scores, 1280000, law_many());
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void refused(const frocc_model *model, const data *x, frocc_status status, int64_t row) {
    double *scores = NEW(double, x->n);
    frocc_rows rows = data_rows(x);
    frocc_scorer *scorer = NULL;
    frocc_error_place place = {.struct_size = sizeof place};

    for (int threads = 1; threads < 4; threads++) {
        check_ok(frocc_scorer_new(model, threads, &scorer));
        check_is(frocc_scorer_score_left_out(scorer, &rows, scores), status);
        frocc_last_error_place(&place);
        check(place.row == row, "row %lld is named, not %lld", (long long)place.row,
              (long long)row);
        frocc_scorer_free(scorer);
    }
    free(scores);
}

static void models_without_counts(void) {
    rng r = rng_seed(1290000);
    data x = data_new(&r, 30, 3, SHAPE_BLOB, true);
    frocc_params closeness = label_free(8, 16), paper;
    frocc_model *model = fit(&closeness, &x), *sealed = NULL;

    check_ok(frocc_model_seal(model, &sealed));
    refused(sealed, &x, FROCC_ERR_UNSUPPORTED, -1);
    frocc_model_free(sealed);
    frocc_model_free(model);
    frocc_params_init_paper(&paper);
    paper.n_directions = 8;
    model = fit(&paper, &x);
    refused(model, &x, FROCC_ERR_UNSUPPORTED, -1);
    frocc_model_free(model);
    data_free(&x);
}

static void nothing_is_left(void) {
    rng r = rng_seed(1291000);
    data x = data_new(&r, 1, 3, SHAPE_BLOB, true);
    frocc_params p = label_free(8, 16);
    frocc_model *model = fit(&p, &x);

    refused(model, &x, FROCC_ERR_EMPTY, -1);
    frocc_model_free(model);
    data_free(&x);
}

/* Without trees, only what lies outside is known not to have been learnt. */
static void rows_that_were_not_learnt(void) {
    for (int trees = 0; trees < 2; trees++) {
        rng r = rng_seed(1292000);
        data x = data_new(&r, 3000, 3, SHAPE_BLOB, true);
        frocc_params p = label_free(16, 16);
        if (trees == 0)
            p.n_trees = 0;
        frocc_model *model = fit(&p, &x);
        for (size_t j = 0; j < x.d; j++) {
            x.f64[2000 * x.d + j] += 1000;
            x.f64[2500 * x.d + j] -= 1000;
        }
        refused(model, &x, FROCC_ERR_DATA, 2000);
        frocc_model_free(model);
        data_free(&x);
    }
}

int main(void) {
    RUN(by_definition);
    RUN(as_refitted);
    RUN(copies_speak_for_each_other);
    RUN(same_scores_however_asked);
    RUN(same_scores_of_many_rows);
    RUN(models_without_counts);
    RUN(nothing_is_left);
    RUN(rows_that_were_not_learnt);
    return check_end();
}
