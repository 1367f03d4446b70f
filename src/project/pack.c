/* SPDX-License-Identifier: BSD-3-Clause */
/* From rows to panels: prepared row by row, turned to lanes sixteen rows at a time. */
#include "project/pack.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "frame/single_row.h"
#include "frame/whole_rows.h"

/* ---- Memory --------------------------------------------------------------------------------- */

static size_t projections_size(const frocc_frame *frame) {
    return frame->n_blocks * FROCC_TILE;
}

/* Room for a row's projections: whole cache lines, so that no vector lies in two, and an odd number
 * of them, so that the rows of a subpanel do not compete for the same lines of the cache. */
static size_t line_size(const frocc_frame *frame) {
    const size_t cache_line = FROCC_LINE / sizeof(float);
    return ((frame->n_blocks * FROCC_BLOCK + cache_line - 1) / cache_line | 1) * cache_line;
}

/* A panel of this many features leaves room for blocks in a first-level cache. */
#define CHUNK 128

static bool has_chunks(const frocc_frame *frame) {
    return frame->n_features > CHUNK && !frocc__takes_whole_rows(frame) &&
           !frocc__keeps_rows(frame);
}

/* As few chunks as possible, of about the same length. */
static size_t chunk_features(const frocc_frame *frame) {
    size_t n_chunks = has_chunks(frame) ? (frame->n_features + CHUNK - 1) / CHUNK : 1;
    return (frame->n_features + n_chunks - 1) / n_chunks;
}

/* As many panels of so many floats as fit in bytes; not very many, since the sketch reserves room
 * for all rows that are packed. */
static size_t panels_in(size_t bytes, size_t panel) {
    const size_t most = 128;
    return FROCC_MIN(FROCC_MAX(bytes / (panel * sizeof(float)), (size_t)1), most);
}

static size_t projected_panels(const frocc_frame *frame) {
    return panels_in((size_t)1 << 21, projections_size(frame));
}

/* Blocks of long rows come from far away, and are worth the more the more panels use them; but
 * panels that the second-level cache does not hold come from far away too. So a few panels may be
 * more than it holds, if they are not very long. */
static size_t long_panels(size_t panel) {
    const size_t few = 8, held = panels_in((size_t)1 << 21, panel);
    return FROCC_MAX(held, FROCC_MIN(panels_in((size_t)1 << 23, panel), few));
}

/*
 * As many panels as threads want to have between two waits, and as a second-level cache holds
 * beside other things.
 */
size_t frocc__packed_most(const frocc_frame *frame, const frocc_rows *rows) {
    const size_t panel = frame->n_features * FROCC_PANEL;
    if (frame->bundles.size > 0)
        return FROCC_PANEL * projected_panels(frame);
    if (frocc__has_lists(frame)) /* the more rows use a table or histogram at once the better */
        return FROCC_PANEL * panels_in((size_t)1 << 20, panel);
    size_t panels = has_chunks(frame) ? long_panels(panel) : panels_in((size_t)1 << 19, panel);
    if (rows != NULL && frocc__can_skip_zeros(frame, rows))
        panels = FROCC_MIN(panels, projected_panels(frame));
    return FROCC_PANEL * panels;
}

static frocc_status make_projections(const frocc_frame *frame, frocc__packed *packed) {
    if (packed->projections == NULL)
        packed->projections =
            frocc__alloc(projected_panels(frame), projections_size(frame) * sizeof(float));
    return packed->projections != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
}

frocc_status frocc__packed_new(const frocc_frame *frame, frocc__packed *packed) {
    size_t rows = frocc__packed_most(frame, NULL);
    size_t chunk = chunk_features(frame);
    *packed = (frocc__packed){
        .chunk = chunk,
        .last_chunk = (frame->n_features - 1) / chunk * chunk,
        .norms =
            frocc__alloc(frame->transform.kernel == FROCC_KERNEL_RBF ? rows : 0, sizeof(double)),
    };
    frocc_status status = packed->norms != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    if (status == FROCC_OK && frame->bundles.size > 0) {
        status = make_projections(frame, packed);
    } else if (status == FROCC_OK) {
        packed->x = frocc__alloc_raw(rows, frame->n_features * sizeof(float));
        status = packed->x != NULL ? FROCC_OK : FROCC_ERR_MEMORY;
    }
    if (status != FROCC_OK)
        frocc__packed_free(packed);
    return status;
}

frocc_status frocc__packed_expect(const frocc_frame *frame, const frocc_rows *rows,
                                  frocc__packed *packed) {
    return frocc__can_skip_zeros(frame, rows) ? make_projections(frame, packed) : FROCC_OK;
}

void frocc__packed_free(frocc__packed *packed) {
    frocc__free(packed->x);
    frocc__free(packed->projections);
    frocc__free(packed->norms);
    *packed = (frocc__packed){0};
}

/* Sums wait in tiles, chunk by chunk; or there is only one. */
static size_t n_tiles(const frocc_frame *frame) {
    if (frocc__has_lists(frame))
        return FROCC_LIST_BLOCKS;
    return has_chunks(frame) ? (size_t)FROCC_MACRO_PANELS * FROCC_MACRO_BLOCKS : 1;
}

frocc_status frocc__workspace_new(const frocc_frame *frame, frocc__workspace *workspace) {
    bool whole = frocc__takes_whole_rows(frame);
    *workspace = (frocc__workspace){
        .rows = frocc__alloc(FROCC_SUBPANEL, frame->n_features * sizeof(float)),
        .scratch = frocc__alloc(whole ? frocc__whole_row_work(frame) : 0, sizeof(float)),
        /* The padding of a line stays as it is, and it is looked at. */
        .lines = frocc__alloc(FROCC_SUBPANEL, line_size(frame) * sizeof(float)),
        /* Custom kernels leave the padding of the one tile as it is, and it is looked at. */
        .tiles = (n_tiles(frame) > 1 ? frocc__alloc_raw : frocc__alloc)(n_tiles(frame),
                                                                        FROCC_TILE * sizeof(float)),
    };
    if (workspace->rows != NULL && workspace->scratch != NULL && workspace->lines != NULL &&
        workspace->tiles != NULL)
        return FROCC_OK;
    frocc__workspace_free(workspace);
    return FROCC_ERR_MEMORY;
}

void frocc__workspace_free(frocc__workspace *workspace) {
    frocc__free(workspace->rows);
    frocc__free(workspace->scratch);
    frocc__free(workspace->lines);
    frocc__free(workspace->tiles);
    *workspace = (frocc__workspace){0};
}

/* ---- Kernel functions ----------------------------------------------------------------------- */

void frocc__packed_transform(const frocc_frame *frame, const frocc__packed *packed, size_t panel,
                             size_t block, float *tile) {
    if (frame->transform.kernel != FROCC_KERNEL_RBF) {
        frame->kernels->transform(&frame->transform, NULL, tile, FROCC_TILE);
        return;
    }
    const double *row_norms = packed->norms + panel * FROCC_PANEL;
    for (size_t c = 0; c < FROCC_BLOCK; c++) {
        double norms[FROCC_PANEL];
        for (size_t r = 0; r < FROCC_PANEL; r++)
            norms[r] = row_norms[r] + frame->w_norms[block * FROCC_BLOCK + c];
        frame->kernels->transform(&frame->transform, norms, tile + c * FROCC_PANEL, FROCC_PANEL);
    }
}

/* ---- Packing -------------------------------------------------------------------------------- */

/* Whether a run of sparse rows names so few entries that skipping the zeros wins: an entry by
 * itself costs as much as some twenty of a panel. */
static bool is_sparse_run(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                          size_t count) {
    if (!frocc__can_skip_zeros(frame, rows))
        return false;
    uint64_t entries = (uint64_t)(rows->row_start[first + count] - rows->row_start[first]);
    return entries < (uint64_t)count * frame->n_features / 20;
}

/* Whether packing turns the rows of a run to lanes, and nothing else. */
static bool is_taken_as_given(const frocc_frame *frame, const frocc_rows *rows,
                              const frocc__packed *packed) {
    return !packed->projected && rows->row_start == NULL && rows->dtype == FROCC_F32 &&
           frame->shift == NULL && frame->columns.n_codes == 0 &&
           frame->transform.kernel != FROCC_KERNEL_RBF && !frocc__keeps_rows(frame);
}

frocc_status frocc__packed_begin(const frocc_frame *frame, const frocc_rows *rows, size_t first,
                                 size_t n_rows, frocc__packed *packed) {
    packed->first_row = first;
    packed->n_rows = n_rows;
    bool sparse = is_sparse_run(frame, rows, first, n_rows);
    packed->projected = sparse || frame->bundles.size > 0;
    packed->given = NULL;
    packed->given_stride = rows->row_stride;
    if (is_taken_as_given(frame, rows, packed))
        packed->given = (const float *)rows->values + first * rows->row_stride;
    return packed->projected ? make_projections(frame, packed) : FROCC_OK;
}

/* Long rows take so little of the time to pack that it is not worth the room in the caches; rows
 * far apart would bring much else. */
frocc__fetching frocc__packed_fetching(const frocc_frame *frame, const frocc__packed *packed,
                                       const frocc_rows *rows, size_t first) {
    if (first >= rows->n_rows || rows->row_start != NULL || has_chunks(frame) ||
        frocc__takes_whole_rows(frame) || rows->row_stride > 2 * rows->n_features)
        return (frocc__fetching){0};
    const size_t row = rows->row_stride * frocc__value_size(rows);
    const size_t bytes = FROCC_MIN(packed->n_rows, rows->n_rows - first) * row;
    const size_t n_tiles = frocc__panels_of(packed) * frame->n_blocks;
    const uintptr_t start = (uintptr_t)rows->values + first * row;
    return (frocc__fetching){start, start + bytes, bytes / FROCC_LINE / (n_tiles + 1) + 1};
}

/* Where row r is prepared. */
static float *prepared_row(const frocc_frame *frame, frocc__packed *packed, size_t r,
                           frocc__workspace *workspace) {
    if (frocc__keeps_rows(frame))
        return packed->x + r * frame->n_features;
    return workspace->rows + r % FROCC_SUBPANEL * frame->n_features;
}

/* Projects packed row r, or for NULL padding; a whole subpanel of them is turned to lanes. */
static void store_projected(const frocc_frame *frame, frocc__packed *packed, size_t r,
                            const frocc__prepared *row, frocc__workspace *workspace) {
    const size_t m = frame->n_blocks * FROCC_BLOCK, stride = line_size(frame);
    float *line = workspace->lines + r % FROCC_SUBPANEL * stride;
    if (row == NULL)
        memset(line, 0, m * sizeof(float));
    else
        frocc__project_one(frame, row, 0, frame->n_blocks, workspace->scratch, line);
    if (r % FROCC_SUBPANEL == FROCC_SUBPANEL - 1)
        (void)frame->kernels->transpose(workspace->lines, stride, m,
                                        packed->projections +
                                            r / FROCC_PANEL * projections_size(frame) +
                                            r % FROCC_PANEL / FROCC_SUBPANEL * FROCC_SUBPANEL);
}

static void store_row(const frocc_frame *frame, frocc__packed *packed, size_t r, bool is_row,
                      frocc__workspace *workspace) {
    const size_t d = frame->n_features, panel = r / FROCC_PANEL, lane = r % FROCC_PANEL;
    float *values = prepared_row(frame, packed, r, workspace);
    bool is_rbf = frame->transform.kernel == FROCC_KERNEL_RBF;
    if (packed->projected) {
        frocc__prepared row = {values, NULL, d,
                               is_rbf && is_row ? frocc__square_norm(values, d) : 0.0};
        store_projected(frame, packed, r, is_row ? &row : NULL, workspace);
        return;
    }
    if (!is_row)
        memset(values, 0, d * sizeof(float));
    if (is_rbf)
        packed->norms[r] = frocc__square_norm(values, d);
    if (frocc__keeps_rows(frame) || r % FROCC_SUBPANEL != FROCC_SUBPANEL - 1)
        return;
    float *x = packed->x + panel * FROCC_PANEL * d;
    (void)frame->kernels->transpose(values - (FROCC_SUBPANEL - 1) * d, d, d,
                                    x + lane / FROCC_SUBPANEL * FROCC_SUBPANEL);
}

static size_t pack_projected(const frocc_frame *frame, const frocc_rows *rows,
                             frocc__packed *packed, size_t panel, frocc__workspace *workspace) {
    for (size_t r = panel * FROCC_PANEL; r < (panel + 1) * FROCC_PANEL; r++) {
        frocc__prepared row;
        bool is_row = r < packed->n_rows;
        if (is_row &&
            !frocc__prepare_one(frame, rows, packed->first_row + r, workspace->rows, &row))
            return packed->first_row + r;
        store_projected(frame, packed, r, is_row ? &row : NULL, workspace);
    }
    return SIZE_MAX;
}

/* A whole subpanel of rows that the frame does nothing to but turning them to lanes. False when it
 * is not one, or when there is an unusable value in it. */
static bool pack_as_given(const frocc_frame *frame, frocc__packed *packed, size_t first) {
    const size_t panel = first / FROCC_PANEL, lane = first % FROCC_PANEL;
    return packed->given != NULL && first + FROCC_SUBPANEL <= packed->n_rows &&
           frame->kernels->transpose(packed->given + first * packed->given_stride,
                                     packed->given_stride, frame->n_features,
                                     packed->x + panel * FROCC_PANEL * frame->n_features + lane);
}

/* Prepares a subpanel of rows one by one. Returns the first unusable one, or SIZE_MAX. */
static size_t pack_prepared(const frocc_frame *frame, const frocc_rows *rows, frocc__packed *packed,
                            size_t first, frocc__workspace *workspace) {
    for (size_t r = first; r < first + FROCC_SUBPANEL; r++) {
        bool is_row = r < packed->n_rows;
        if (is_row && !frocc__frame_prepare(frame, rows, packed->first_row + r,
                                            prepared_row(frame, packed, r, workspace)))
            return packed->first_row + r;
        store_row(frame, packed, r, is_row, workspace);
    }
    return SIZE_MAX;
}

const float *frocc__packed_panel(const frocc_frame *frame, const frocc__packed *packed,
                                 size_t panel, size_t feature) {
    return packed->x + (panel * frame->n_features + feature) * FROCC_PANEL;
}

const float *frocc__packed_projections(const frocc_frame *frame, const frocc__packed *packed,
                                       size_t panel) {
    return packed->projections + panel * projections_size(frame);
}

size_t frocc__pack_panel(const frocc_frame *frame, const frocc_rows *rows, frocc__packed *packed,
                         size_t panel, frocc__workspace *workspace) {
    if (packed->projected)
        return pack_projected(frame, rows, packed, panel, workspace);
    size_t bad = SIZE_MAX, end = (panel + 1) * FROCC_PANEL;
    for (size_t r = panel * FROCC_PANEL; r < end && bad == SIZE_MAX; r += FROCC_SUBPANEL)
        if (!pack_as_given(frame, packed, r))
            bad = pack_prepared(frame, rows, packed, r, workspace);
    return bad;
}
