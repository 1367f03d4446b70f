/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coarse projections may be unsure, but never wrong: a row that they call sure is inside, whatever
 * the rows, the directions and the bounds; and models, scores and decisions are those without them.
 */
#include "base/memory.h"
#include "cases.h"
#include "frame/frame.h"
#include "kernels/coarse.h"

/* Rows and directions to project, and bounds for the directions. */
typedef struct setting {
    const frocc__kernels *kernels;
    size_t d, n_panels, n_blocks; /* blocks are those of all directions */
    float *x, *w, *lower, *upper;
    float *exact; /* tiles, panel by panel */
    uint16_t *coarse_x;
    float *lengths;
    frocc__coarse coarse;
} setting;

static const frocc__kernels *coarse_kernels(void) {
    const frocc__kernels *kernels = frocc__kernels_best();
    if (kernels->coarse == NULL || !kernels->coarse->may_be_used())
        check_skip("there are no coarse projections here");
    return kernels;
}

/* Directions of any length, now and then with ties or zeros. */
static float draw_weight(rng *r, size_t kind, double size) {
    double value = kind == 0 ? rng_normal(r) : kind == 1 ? (double)rng_below(r, 3) - 1 : 0.0;
    if (kind == 2)
        value = ldexp(rng_normal(r), (int)rng_below(r, 40) - 20);
    return (float)(value * size);
}

static frocc__coarse_panel coarse_panel(const setting *m, size_t panel) {
    float *lengths = m->lengths + 2 * panel * FROCC_PANEL;
    return (frocc__coarse_panel){.x = m->coarse_x + panel * FROCC_PANEL * frocc__coarse_size(m->d),
                                 .length = lengths,
                                 .lost = lengths + FROCC_PANEL};
}

/* Projects what x and w hold, exactly, and makes both coarse. */
static void remake(setting *m) {
    const size_t d = m->d;
    for (size_t p = 0; p < m->n_panels; p++) {
        for (size_t b = 0; b < m->n_blocks; b++)
            m->kernels->project_panel(m->x + p * FROCC_PANEL * d, m->w + b * FROCC_BLOCK * d, d,
                                      false, m->exact + (p * m->n_blocks + b) * FROCC_TILE);
        m->kernels->coarse->take_panel(m->x + p * FROCC_PANEL * d, d, coarse_panel(m, p));
    }
    frocc__coarse_free(&m->coarse);
    check_ok(frocc__coarse_new(m->kernels, m->w, d, m->n_blocks, 1, &m->coarse));
}

static void fill_setting(rng *r, setting *m, shape rows, const frocc__kernels *kernels) {
    const size_t d = m->d, size = frocc__coarse_size(d);
    const size_t kind = rng_below(r, 3);
    const double scale = rng_chance(r, 3) ? ldexp(1, (int)rng_below(r, 60) - 30) : 0.1;
    const float row_scale = rng_chance(r, 3) ? ldexpf(1, (int)rng_below(r, 160) - 100) : 1.0f;
    data x = data_new(r, m->n_panels * FROCC_PANEL, d, rows, true);
    m->kernels = kernels;
    m->x = frocc__alloc(m->n_panels * FROCC_PANEL, d * sizeof(float));
    m->w = frocc__alloc(m->n_blocks * FROCC_BLOCK, d * sizeof(float));
    m->exact = frocc__alloc(m->n_panels * m->n_blocks, FROCC_TILE * sizeof(float));
    m->coarse_x = frocc__alloc(m->n_panels * FROCC_PANEL, size * sizeof(uint16_t));
    m->lengths = frocc__alloc(m->n_panels * FROCC_PANEL, 2 * sizeof(float));
    m->lower = NEW(float, m->n_blocks *FROCC_BLOCK);
    m->upper = NEW(float, m->n_blocks *FROCC_BLOCK);
    for (size_t i = 0; i < x.n; i++)
        for (size_t j = 0; j < d; j++)
            m->x[(i / FROCC_PANEL * d + j) * FROCC_PANEL + i % FROCC_PANEL] =
                row_scale * x.f32[i * d + j];
    for (size_t i = 0; i < m->n_blocks * FROCC_BLOCK * d; i++)
        m->w[i] = draw_weight(r, kind, scale);
    remake(m);
    data_free(&x);
}

static void free_setting(setting *m) {
    frocc__free(m->x);
    frocc__free(m->w);
    frocc__free(m->exact);
    frocc__free(m->coarse_x);
    frocc__free(m->lengths);
    free(m->lower);
    free(m->upper);
    frocc__coarse_free(&m->coarse);
}

static const float *values_of(const setting *m, size_t panel, size_t slot) {
    return m->exact + (panel * m->n_blocks + slot / FROCC_BLOCK) * FROCC_TILE +
           slot % FROCC_BLOCK * FROCC_PANEL;
}

/* Bounds that just hold all values, or leave one out by the smallest step, on either side; or none,
 * or such that nothing is inside. */
static void choose_bounds(rng *r, setting *m, size_t slot) {
    float low = INFINITY, high = -INFINITY;
    for (size_t p = 0; p < m->n_panels; p++)
        for (size_t i = 0; i < FROCC_PANEL; i++) {
            low = fminf(low, values_of(m, p, slot)[i]);
            high = fmaxf(high, values_of(m, p, slot)[i]);
        }
    float one = values_of(m, rng_below(r, m->n_panels), slot)[rng_below(r, FROCC_PANEL)];
    float widths[] = {0.0f, 1e-3f * (high - low), high - low};
    float room = widths[rng_below(r, 3)];
    m->lower[slot] = low - room;
    m->upper[slot] = high + room;
    switch (rng_below(r, 6)) {
    case 0:
        m->lower[slot] = nextafterf(one, INFINITY);
        break;
    case 1:
        m->upper[slot] = nextafterf(one, -INFINITY);
        break;
    case 2:
        m->lower[slot] = one;
        break;
    case 3:
        if (rng_chance(r, 10))
            m->lower[slot] = INFINITY, m->upper[slot] = -INFINITY;
        else if (rng_chance(r, 5))
            m->lower[slot] = -INFINITY, m->upper[slot] = INFINITY;
        break;
    default:
        break;
    }
}

/* Searches some blocks, checks what is called sure, and returns how many rows of tiles are. */
static size_t check_search(const setting *m, size_t first, size_t count) {
    frocc__coarse_panel panels[FROCC_MACRO_PANELS];
    frocc__row_mask unsure[FROCC_MACRO_PANELS][FROCC_MACRO_BLOCKS] = {{0}};
    size_t n_sure = 0;
    for (size_t p = 0; p < m->n_panels; p++) {
        panels[p] = coarse_panel(m, p);
        panels[p].unsure = unsure[p];
    }
    m->kernels->coarse->find_unsure(&m->coarse, first, count, m->lower, m->upper, panels,
                                    m->n_panels, &(frocc__fetching){0});
    for (size_t p = 0; p < m->n_panels; p++)
        for (size_t b = 0; b < count; b++)
            for (size_t i = 0; i < FROCC_TILE; i++) {
                size_t slot = (first + b) * FROCC_BLOCK + i / FROCC_PANEL, row = i % FROCC_PANEL;
                float value = values_of(m, p, slot)[row];
                bool sure = (unsure[p][b] >> row & 1) == 0;
                check(!sure || (value >= m->lower[slot] && value <= m->upper[slot]),
                      "d %zu, panel %zu, row %zu, direction %zu: %a is not in [%a, %a]", m->d, p,
                      row, slot, (double)value, (double)m->lower[slot], (double)m->upper[slot]);
                n_sure += sure && slot % FROCC_BLOCK == 0;
            }
    return n_sure;
}

static void sure_rows_are_inside(void) {
    const frocc__kernels *kernels = coarse_kernels();
    for (int i = 0; i < check_cases(1500, 100); i++) {
        rng r = rng_seed((uint64_t)i);
        setting m = {.d = rng_size(&r, 1, i % 10 == 0 ? 2000 : 150),
                     .n_panels = rng_size(&r, 1, 4),
                     .n_blocks = rng_size(&r, 1, FROCC_MACRO_BLOCKS + 3)};
        fill_setting(&r, &m, (shape)rng_below(&r, SHAPE_COUNT), kernels);
        for (size_t slot = 0; slot < m.n_blocks * FROCC_BLOCK; slot++)
            choose_bounds(&r, &m, slot);
        size_t first = rng_below(&r, m.n_blocks);
        size_t count = 1 + rng_below(&r, m.n_blocks - first);
        check_search(&m, first, count < FROCC_MACRO_BLOCKS ? count : FROCC_MACRO_BLOCKS);
        free_setting(&m);
    }
}

/* Directions so short that their numbers, or their products with rows of any size, vanish. */
static void tiny_directions_are_not_sure(void) {
    const frocc__kernels *kernels = coarse_kernels();
    for (int i = 0; i < check_cases(300, 30); i++) {
        rng r = rng_seed((uint64_t)i);
        setting m = {.d = rng_size(&r, 16, 600), .n_panels = 1, .n_blocks = rng_size(&r, 1, 4)};
        fill_setting(&r, &m, SHAPE_BLOB, kernels);
        const float w_scale = ldexpf(1, -30 - (int)rng_below(&r, 110));
        const float x_scale = ldexpf(1, (int)rng_below(&r, 120) - 60);
        for (size_t k = 0; k < m.n_blocks * FROCC_BLOCK * m.d; k++)
            m.w[k] = w_scale * (float)rng_normal(&r);
        for (size_t k = 0; k < FROCC_PANEL * m.d; k++)
            m.x[k] = x_scale * (float)rng_normal(&r);
        remake(&m);
        for (size_t slot = 0; slot < m.n_blocks * FROCC_BLOCK; slot++)
            choose_bounds(&r, &m, slot);
        check_search(&m, 0, m.n_blocks);
        free_setting(&m);
    }
}

/* Where there is room, as between the ends of a wide interval, rows are sure. */
static void most_rows_are_sure(void) {
    const frocc__kernels *kernels = coarse_kernels();
    for (size_t d = 16; d <= 1024; d *= 4) {
        rng r = rng_seed(d);
        setting m = {.d = d, .n_panels = 3, .n_blocks = 5};
        fill_setting(&r, &m, SHAPE_BLOB, kernels);
        for (size_t slot = 0; slot < m.n_blocks * FROCC_BLOCK; slot++) {
            double length = 0.0;
            for (size_t j = 0; j < d; j++) {
                float weight = m.w[(slot / FROCC_BLOCK * d + j) * FROCC_BLOCK + slot % FROCC_BLOCK];
                length += (double)weight * (double)weight;
            }
            m.lower[slot] = (float)(-6 * sqrt(length));
            m.upper[slot] = (float)(6 * sqrt(length));
        }
        check(check_search(&m, 0, m.n_blocks) == m.n_panels * FROCC_PANEL * m.n_blocks,
              "d %zu: some rows are unsure six deviations from the ends", d);
        free_setting(&m);
    }
}

/* Makes all numbers of one size and all that rounding loses of one sign, so that the bound is
 * reached: row r lies along direction r, and that is where it is outside by the smallest step. */
static void make_worst(setting *m, float size) {
    for (size_t j = 0; j < m->d; j++)
        for (size_t c = 0; c < FROCC_BLOCK; c++) {
            float value = m->w[j * FROCC_BLOCK + c] < 0.0f ? -size : size;
            m->w[j * FROCC_BLOCK + c] = value;
            for (size_t r = c; r < FROCC_PANEL; r += FROCC_BLOCK)
                m->x[j * FROCC_PANEL + r] = value;
        }
    remake(m);
    for (size_t c = 0; c < FROCC_BLOCK; c++) {
        m->lower[c] = -values_of(m, 0, c)[c];
        m->upper[c] = nextafterf(values_of(m, 0, c)[c], -INFINITY);
    }
}

static void the_worst_rows_are_not_sure(void) {
    const frocc__kernels *kernels = coarse_kernels();
    const float losing[] = {1.0f + 0x1p-8f, 1.0f + 0x1p-8f + 0x1p-20f, 1.0f + 0x1p-8f - 0x1p-20f,
                            1.5f + 0x1p-8f};
    for (size_t d = 1; d <= 1024; d = d * 3 / 2 + 1)
        for (size_t i = 0; i < sizeof losing / sizeof *losing; i++) {
            rng r = rng_seed(d);
            setting m = {.d = d, .n_panels = 1, .n_blocks = 1};
            fill_setting(&r, &m, SHAPE_BLOB, kernels);
            make_worst(&m, losing[i]);
            check_search(&m, 0, 1);
            free_setting(&m);
        }
}

/* In a panel, or with its features together. */
static void pairs_are_projected_as_panels_are(void) {
    const frocc__kernels *kernels = coarse_kernels();
    for (int i = 0; i < check_cases(500, 50); i++) {
        rng r = rng_seed((uint64_t)i);
        setting m = {.d = rng_size(&r, 1, 200), .n_panels = 1, .n_blocks = 4};
        fill_setting(&r, &m, (shape)rng_below(&r, SHAPE_COUNT), kernels);
        size_t count = 1 + rng_below(&r, FROCC_PAIRS), half = rng_below(&r, m.d + 1);
        frocc__pair pairs[FROCC_PAIRS];
        float sums[FROCC_PAIRS][FROCC_TILE];
        float alone[FROCC_PAIRS][200];
        size_t rows[FROCC_PAIRS], blocks[FROCC_PAIRS];
        const size_t stride = i % 2 == 0 ? FROCC_PANEL : 1;
        for (size_t k = 0; k < count; k++) {
            rows[k] = rng_below(&r, FROCC_PANEL);
            blocks[k] = rng_below(&r, m.n_blocks);
            for (size_t j = 0; j < m.d; j++)
                alone[k][j] = m.x[j * FROCC_PANEL + rows[k]];
            pairs[k] = (frocc__pair){stride == 1 ? alone[k] : m.x + rows[k],
                                     m.w + blocks[k] * FROCC_BLOCK * m.d, sums[k]};
        }
        kernels->coarse->project_pairs(pairs, count, stride, half, false);
        for (size_t k = 0; k < count; k++) {
            pairs[k].row += half * stride;
            pairs[k].w += half * FROCC_BLOCK;
        }
        kernels->coarse->project_pairs(pairs, count, stride, m.d - half, true);
        for (size_t k = 0; k < count; k++)
            for (size_t c = 0; c < FROCC_BLOCK; c++) {
                float expected = values_of(&m, 0, blocks[k] * FROCC_BLOCK + c)[rows[k]];
                check(memcmp(&sums[k][c * FROCC_PANEL], &expected, sizeof expected) == 0,
                      "d %zu: %a, not %a", m.d, (double)sums[k][c * FROCC_PANEL], (double)expected);
            }
        free_setting(&m);
    }
}

/* Some rows of a panel, in two parts: their values are the panel's, and no other is touched. */
static void rows_are_projected_as_panels_are(void) {
    const frocc__kernels *kernels = coarse_kernels();
    for (int i = 0; i < check_cases(500, 50); i++) {
        rng r = rng_seed((uint64_t)i);
        setting m = {.d = rng_size(&r, 1, 200), .n_panels = 1, .n_blocks = 1};
        fill_setting(&r, &m, (shape)rng_below(&r, SHAPE_COUNT), kernels);
        const size_t count = 1 + rng_below(&r, FROCC_SUBPANEL), half = rng_below(&r, m.d + 1);
        frocc__row_mask rows = 0;
        while ((size_t)__builtin_popcountll(rows) < count)
            rows |= (frocc__row_mask)1 << rng_below(&r, FROCC_PANEL);
        _Alignas(64) float tile[FROCC_TILE];
        for (size_t k = 0; k < FROCC_TILE; k++)
            tile[k] = 7.0f;
        kernels->coarse->project_rows(m.x, rows, m.w, half, false, tile);
        kernels->coarse->project_rows(m.x + half * FROCC_PANEL, rows, m.w + half * FROCC_BLOCK,
                                      m.d - half, true, tile);
        for (size_t k = 0; k < FROCC_TILE; k++) {
            const bool is_one = rows >> k % FROCC_PANEL & 1;
            const float expected =
                is_one ? values_of(&m, 0, k / FROCC_PANEL)[k % FROCC_PANEL] : 7.0f;
            check(memcmp(&tile[k], &expected, sizeof expected) == 0, "d %zu, value %zu: %a, not %a",
                  m.d, k, (double)tile[k], (double)expected);
        }
        free_setting(&m);
    }
}

/* ---- The whole ------------------------------------------------------------------------------- */

static frocc_model *fit_in(frocc_frame *frame, const frocc_params *params, frocc_rows rows) {
    frocc_fitter *fitter = NULL;
    frocc_model *model = NULL;
    check_ok(frocc_fitter_new(frame, params, &fitter));
    check_ok(frocc_fitter_add(fitter, &rows));
    check_ok(frocc_fitter_finish(fitter, &model));
    frocc_fitter_free(fitter);
    return model;
}

/* Of two models to the same queries in two forms. */
static void check_same_answers(const frocc_model *const models[2], const frocc_rows queries[2],
                               int threads) {
    const size_t n = queries[0].n_rows;
    double *scores[2];
    uint8_t *normal[2];
    for (int i = 0; i < 2; i++) {
        frocc_scorer *scorer = NULL;
        scores[i] = NEW(double, n);
        normal[i] = NEW(uint8_t, n);
        check_ok(frocc_scorer_new(models[i], threads, &scorer));
        check_ok(frocc_scorer_score(scorer, &queries[i], scores[i]));
        check_ok(frocc_scorer_decide(scorer, &queries[i], FROCC_OWN_THRESHOLD, normal[i]));
        frocc_scorer_free(scorer);
    }
    check(memcmp(scores[0], scores[1], n * sizeof(double)) == 0, "scores differ");
    check(memcmp(normal[0], normal[1], n) == 0, "decisions differ");
    for (int i = 0; i < 2; i++) {
        free(scores[i]);
        free(normal[i]);
    }
}

/* Two frames of the same parameters; one of them forgets its coarse directions. */
static void answers_are_the_same_without(void) {
    (void)coarse_kernels();
    for (int i = 0; i < check_share(150, 50, 8); i++) {
        rng r = rng_seed((uint64_t)i);
        const size_t d = rng_size(&r, 16, i % 8 == 0 ? 700 : 60), m = rng_size(&r, 32, 300);
        const shape kind = (shape)rng_below(&r, SHAPE_COUNT);
        setup s;
        setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE,
                   i % 4 == 0 ? FROCC_FAMILY_GIVEN : FROCC_FAMILY_GAUSSIAN, m, d);
        s.params.threads = 1 + (int)rng_below(&r, 2);
        s.params.epsilon = fminf(s.params.epsilon, 0.5f);
        if (rng_chance(&r, 3))
            setup_closeness(&r, &s);
        data x = data_new(&r, rng_size(&r, 100, 4000), d, kind, false);
        data queries = data_new(&r, rng_size(&r, 1, 1500), d, kind, false);
        frocc_frame *with = frame_of(&s.params, &x), *without = frame_of(&s.params, &x);
        check(with->coarse.w != NULL, "%zu directions of %zu features are not coarse", m, d);
        frocc__coarse_free(&without->coarse);
        frocc_model *models[2] = {fit_in(with, &s.params, data_rows(&x)),
                                  fit_in(without, &s.params, data_rows(&x))};
        check_same(models[0], models[1], "with and without coarse projections");
        check_same_answers((const frocc_model *const *)models,
                           (frocc_rows[2]){data_rows(&queries), data_rows(&queries)},
                           s.params.threads);
        frocc_model_free(models[0]);
        frocc_model_free(models[1]);
        frocc_frame_free(with);
        frocc_frame_free(without);
        data_free(&x);
        data_free(&queries);
        setup_free(&s);
    }
}

/* Floats are read where they were given, and doubles where they were prepared; the first rows are
 * unlike the others, so that there is something to learn from all. */
static void rows_are_read_where_they_lie(void) {
    (void)coarse_kernels();
    for (int i = 0; i < check_share(60, 12, 4); i++) {
        rng r = rng_seed((uint64_t)i);
        const bool is_long = i % 3 == 0; /* longer than a chunk */
        const size_t d = is_long ? rng_size(&r, 200, 400) : rng_size(&r, 16, 60);
        const size_t m = rng_size(&r, 32, 300);
        setup s;
        setup_init(&r, &s, FROCC_KERNEL_LINEAR, FROCC_SCALING_NONE, FROCC_FAMILY_GAUSSIAN, m, d);
        s.params.threads = 1 + (int)rng_below(&r, 2);
        s.params.epsilon = (float)rng_between(&r, 0.02, 0.1);
        data x = data_new(&r, rng_size(&r, 1500, 4000), d, SHAPE_BLOB, true);
        for (size_t k = 0; k < FROCC_PANEL * d; k++)
            x.f64[k] = (double)(x.f32[k] += 40.0f);
        const size_t stride = d + rng_below(&r, 20);
        float *floats = data_apart(&x, stride);
        frocc_rows forms[2] = {frocc_rows_f32(floats, x.n, d), data_rows(&x)};
        forms[0].row_stride = stride;
        frocc_frame *with = frame_of(&s.params, &x), *without = frame_of(&s.params, &x);
        frocc__coarse_free(&without->coarse);
        frocc_model *expected = fit_in(without, &s.params, forms[1]);
        for (int form = 0; form < 2; form++) {
            frocc_model *model = fit_in(with, &s.params, forms[form]);
            check_same(expected, model, form == 0 ? "of floats" : "of doubles");
            check_same_answers((const frocc_model *const[2]){expected, model},
                               (const frocc_rows[2]){forms[1], forms[form]}, s.params.threads);
            frocc_model_free(model);
        }
        frocc_model_free(expected);
        frocc_frame_free(with);
        frocc_frame_free(without);
        free(floats);
        data_free(&x);
        setup_free(&s);
    }
}

int main(void) {
    RUN(sure_rows_are_inside);
    RUN(the_worst_rows_are_not_sure);
    RUN(tiny_directions_are_not_sure);
    RUN(most_rows_are_sure);
    RUN(pairs_are_projected_as_panels_are);
    RUN(rows_are_projected_as_panels_are);
    RUN(answers_are_the_same_without);
    RUN(rows_are_read_where_they_lie);
    return check_end();
}
