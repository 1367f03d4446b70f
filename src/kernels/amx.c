/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coarse projections on AMX, whose registers, called tiles, are not the tiles of kernels.h: here a
 * register is always called one. A step of 16 directions is a register of 16 rows of 32 bfloat16; a
 * step of 16 rows of data is one of 16 pairs of features, each with its two numbers of 16 rows.
 * Their product is one of sums, direction by direction with lanes across rows.
 */
#define _DEFAULT_SOURCE /* syscall */
#include "kernels/kernels.h"

#if defined(FROCC_AMX)
#include <immintrin.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpu.h"
#include "kernels/coarse.h"

#define TARGET                                                                                     \
    __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx512bf16,amx-tile,amx-bf16,"       \
                          "avx2,fma")))
#define ALWAYS_INLINE inline __attribute__((always_inline))

#define SUBPANELS (FROCC_PANEL / FROCC_SUBPANEL)
#include "kernels/project_some.h"

#define REGISTER_NUMBERS 512 /* bfloat16 */
#define REGISTER_SUMS 256
#define REGISTER_STRIDE 64 /* bytes */

/* Linux saves no registers for processes that did not ask for it. Asking again changes nothing. */
static bool may_be_used_amx(void) {
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    const bool granted = syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
    if (!granted)
        frocc__cpu_no_tiles();
    return granted;
}

/* ---- Rounding ------------------------------------------------------------------------------- */

/* Two features of 16 rows: the numbers of a row lie beside each other. */
TARGET static ALWAYS_INLINE __m512i round_pair(__m512 even, __m512 odd) {
    const __m512i beside =
        _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                         21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return _mm512_permutexvar_epi16(beside, (__m512i)_mm512_cvtne2ps_pbh(odd, even));
}

TARGET static ALWAYS_INLINE void add_squares(__m512 value, __m512 rounded, __m512 *length,
                                             __m512 *lost) {
    __m512 gone = _mm512_sub_ps(value, rounded);
    *length = _mm512_fmadd_ps(rounded, rounded, *length);
    *lost = _mm512_fmadd_ps(gone, gone, *lost);
}

TARGET static void take_panel_amx(const float *x, size_t n_features, frocc__coarse_panel coarse) {
    const __m512 least = _mm512_set1_ps(frocc__coarse_least(n_features));
    const size_t padded = frocc__coarse_size(n_features);
    for (size_t s = 0; s < SUBPANELS; s++) {
        __m512 kept[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
        __m512 gone[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
        for (size_t j = 0; j < padded; j += 2) {
            const float *rows = x + j * FROCC_PANEL + s * FROCC_SUBPANEL;
            __m512 even = _mm512_setzero_ps(), odd = _mm512_setzero_ps();
            if (j < n_features)
                even = _mm512_load_ps(rows);
            if (j + 1 < n_features)
                odd = _mm512_load_ps(rows + FROCC_PANEL);
            __m512i both = round_pair(even, odd);
            _mm512_storeu_si512(coarse.x + (s * padded + j) * FROCC_SUBPANEL, both);
            add_squares(even, (__m512)_mm512_slli_epi32(both, 16), &kept[0], &gone[0]);
            add_squares(odd, (__m512)_mm512_and_si512(both, _mm512_set1_epi32((int)0xffff0000u)),
                        &kept[1], &gone[1]);
        }
        __m512 sum = _mm512_add_ps(kept[0], kept[1]);
        _mm512_storeu_ps(coarse.length + s * FROCC_SUBPANEL,
                         _mm512_add_ps(_mm512_sqrt_ps(sum), least));
        sum = _mm512_add_ps(gone[0], gone[1]);
        _mm512_storeu_ps(coarse.lost + s * FROCC_SUBPANEL,
                         _mm512_add_ps(_mm512_sqrt_ps(sum), least));
    }
}

/* Feature first and the 15 after it of one direction; zeros beyond the last feature. */
TARGET static ALWAYS_INLINE __m512 gather_direction(const float *w, size_t first,
                                                    size_t n_features) {
    const __m512i at =
        _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                           _mm512_set1_epi32(FROCC_BLOCK));
    if (first >= n_features)
        return _mm512_setzero_ps();
    size_t count = FROCC_MIN(n_features - first, (size_t)16);
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), (__mmask16)((1u << count) - 1), at,
                                    w + first * FROCC_BLOCK, sizeof(float));
}

TARGET static void take_pair_amx(const float *first, const float *second, size_t n_features,
                                 uint16_t *coarse) {
    const size_t padded = frocc__coarse_size(n_features);
    for (size_t j = 0; j < padded; j += FROCC_COARSE_STEP)
        for (size_t c = 0; c < 2 * FROCC_BLOCK; c++, coarse += FROCC_COARSE_STEP) {
            const float *block = c < FROCC_BLOCK ? first : second;
            __m512 low = _mm512_setzero_ps(), high = _mm512_setzero_ps();
            if (block != NULL) {
                low = gather_direction(block + c % FROCC_BLOCK, j, n_features);
                high = gather_direction(block + c % FROCC_BLOCK, j + 16, n_features);
            }
            _mm512_storeu_si512(coarse, (__m512i)_mm512_cvtne2ps_pbh(high, low));
        }
}

/* ---- Tiles ---------------------------------------------------------------------------------- */

typedef struct register_configuration {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t n_rows[16];
} register_configuration;

TARGET static void begin_registers(void) {
    register_configuration all = {.palette = 1};
    for (int t = 0; t < 8; t++) {
        all.row_bytes[t] = REGISTER_STRIDE;
        all.n_rows[t] = 16;
    }
    __asm__ volatile("" : : "m"(all)); /* GCC's header says that only part of it is read */
    _tile_loadconfig(&all);
}

/*
 * Two subpanels of rows by two pairs of blocks: the fewest loads for eight registers. The sums of
 * subpanel s and pair p come to register 2 p + s.
 */
TARGET static ALWAYS_INLINE void multiply(const uint16_t *const x[2], const uint16_t *const w[2],
                                          size_t size) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (size_t at = 0; at < size; at += REGISTER_NUMBERS) {
        _tile_loadd(4, w[0] + at, REGISTER_STRIDE);
        _tile_loadd(6, x[0] + at, REGISTER_STRIDE);
        _tile_dpbf16ps(0, 4, 6);
        _tile_loadd(7, x[1] + at, REGISTER_STRIDE);
        _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(5, w[1] + at, REGISTER_STRIDE);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
}

TARGET static ALWAYS_INLINE void store_sums(float *sums) {
    _tile_stored(0, sums, REGISTER_STRIDE);
    _tile_stored(1, sums + REGISTER_SUMS, REGISTER_STRIDE);
    _tile_stored(2, sums + 2 * REGISTER_SUMS, REGISTER_STRIDE);
    _tile_stored(3, sums + 3 * REGISTER_SUMS, REGISTER_STRIDE);
}

/*
 * The bounds of a block: a sum is inside where |scale * sum + shift| + per_lost * lost + per_length
 * * length is at most limit, which leaves room for the rounding of all this.
 */
typedef struct bounds {
    float scale[FROCC_BLOCK], shift[FROCC_BLOCK];
    float per_lost, per_length, limit;
} bounds;

TARGET static ALWAYS_INLINE float largest_of(__m256 v) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

/* Where bounds are out of the usual, nothing of the block is sure; but nothing is outside where a
 * direction has none. */
TARGET static void make_bounds(const frocc__coarse *w, size_t block, const float *lower,
                               const float *upper, bounds *out) {
    const __m256 zero = _mm256_setzero_ps();
    const __m256 low = _mm256_loadu_ps(lower + block * FROCC_BLOCK);
    const __m256 high = _mm256_loadu_ps(upper + block * FROCC_BLOCK);
    const __m256 low_half = _mm256_mul_ps(low, _mm256_set1_ps(0.5f));
    const __m256 high_half = _mm256_mul_ps(high, _mm256_set1_ps(0.5f));
    const __m256 half = _mm256_sub_ps(high_half, low_half);
    const __m256 middle = _mm256_add_ps(high_half, low_half);
    __mmask8 usual = _mm256_cmp_ps_mask(half, _mm256_set1_ps(0x1p-100f), _CMP_GE_OQ);
    usual = _mm256_mask_cmp_ps_mask(usual, half, _mm256_set1_ps(0x1p100f), _CMP_LE_OQ);
    __mmask8 unbounded = _mm256_cmp_ps_mask(half, _mm256_set1_ps(INFINITY), _CMP_EQ_OQ);
    const __m256 scale = _mm256_maskz_div_ps(usual, _mm256_set1_ps(1.0f), half);
    const __m256 shift = _mm256_maskz_fnmadd_ps(usual, middle, scale, zero);
    _mm256_storeu_ps(out->scale, scale);
    _mm256_storeu_ps(out->shift, shift);
    const float largest = largest_of(scale);
    const float furthest = largest_of(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), shift));
    out->limit = 1.0f - (0x1p-20f + 0x1p-19f * furthest);
    if ((usual | unbounded) != 0xff)
        out->limit = -INFINITY;
    out->per_lost = w->of_lost[block] * largest;
    out->per_length = w->of_length[block] * largest;
}

/* Which rows of two subpanels are not sure to be inside. A sum that is no number is overlooked
 * here, but the length of a row with one is infinity. */
TARGET static ALWAYS_INLINE void look_at_block(const bounds *of, const float *const sums[2],
                                               const float *const length[2],
                                               const float *const lost[2], __mmask16 unsure[2]) {
    enum { larger_size = 0x0b };
    const __m512 limit = _mm512_set1_ps(of->limit);
    __m512 most[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++) {
        __m512 scale = _mm512_set1_ps(of->scale[c]), shift = _mm512_set1_ps(of->shift[c]);
#pragma GCC unroll 2
        for (int s = 0; s < 2; s++) {
            __m512 at = _mm512_fmadd_ps(_mm512_load_ps(sums[s] + 16 * c), scale, shift);
            most[s] = _mm512_range_ps(most[s], at, larger_size);
        }
    }
#pragma GCC unroll 2
    for (int s = 0; s < 2; s++) {
        most[s] = _mm512_fmadd_ps(_mm512_loadu_ps(lost[s]), _mm512_set1_ps(of->per_lost), most[s]);
        most[s] =
            _mm512_fmadd_ps(_mm512_loadu_ps(length[s]), _mm512_set1_ps(of->per_length), most[s]);
        unsure[s] = _mm512_cmp_ps_mask(most[s], limit, _CMP_NLE_UQ);
    }
}

/* ---- Searching ------------------------------------------------------------------------------ */

/* Blocks whose sums are in registers at once, and subpanels. */
#define BLOCKS_AT_ONCE 4
#define SUBPANELS_AT_ONCE 2
#define TILES_AT_ONCE 3 /* of FROCC_PANEL rows, nearly */

/* What is in registers at once. Where there is only one subpanel or one pair left, it is there
 * twice.
 */
typedef struct unit {
    size_t subpanel[SUBPANELS_AT_ONCE];
    size_t first, end; /* blocks */
} unit;

typedef struct search {
    const frocc__coarse *w;
    size_t size; /* numbers of 16 rows or directions */
    const frocc__coarse_panel *panels;
    size_t first, end; /* blocks */
    bounds bounds[FROCC_MACRO_BLOCKS];
} search;

TARGET static ALWAYS_INLINE void multiply_unit(const search *of, const unit *u) {
    const size_t pair_size = of->size, subpanel_size = of->size;
    const uint16_t *first = of->w->w + u->first / 2 * pair_size;
    const uint16_t *const w[2] = {first, u->first + 2 < u->end ? first + pair_size : first};
    const uint16_t *const x[2] = {
        of->panels[u->subpanel[0] / SUBPANELS].x + u->subpanel[0] % SUBPANELS * subpanel_size,
        of->panels[u->subpanel[1] / SUBPANELS].x + u->subpanel[1] % SUBPANELS * subpanel_size};
    multiply(x, w, of->size);
}

/* Writes down which rows of a unit are unsure. */
TARGET static ALWAYS_INLINE void look_at_unit(const search *of, const unit *u, const float *sums) {
    const size_t *subpanel = u->subpanel;
    const frocc__coarse_panel *panel[2] = {&of->panels[subpanel[0] / SUBPANELS],
                                           &of->panels[subpanel[1] / SUBPANELS]};
    const size_t row[2] = {subpanel[0] % SUBPANELS * FROCC_SUBPANEL,
                           subpanel[1] % SUBPANELS * FROCC_SUBPANEL};
    const float *const length[2] = {panel[0]->length + row[0], panel[1]->length + row[1]};
    const float *const lost[2] = {panel[0]->lost + row[0], panel[1]->lost + row[1]};
    for (size_t b = FROCC_MAX(u->first, of->first); b < u->end; b++) {
        size_t i = b - u->first, to = b - of->first;
        const float *first = sums + (i / 2 * 4 + i % 2) * (REGISTER_SUMS / 2);
        __mmask16 unsure[2];
        look_at_block(&of->bounds[to], (const float *const[2]){first, first + REGISTER_SUMS},
                      length, lost, unsure);
        for (int s = 0; s < SUBPANELS_AT_ONCE; s++)
            panel[s]->unsure[to] |= (frocc__row_mask)unsure[s] << row[s];
    }
}

/* The sums of one unit are looked at while the next ones are multiplied: AMX and vectors work
 * side by side, and no load has to wait for a store. */
#define AHEAD 2
TARGET static void search_all(const search *of, size_t n_subpanels, frocc__fetching *next) {
    _Alignas(64) float sums[AHEAD + 1][SUBPANELS_AT_ONCE * 2 * REGISTER_SUMS];
    unit units[AHEAD + 1] = {{{0}, 0, 0}};
    size_t turn = 0;
    for (size_t s = 0; s < n_subpanels; s += SUBPANELS_AT_ONCE)
        for (size_t b = of->first / 2 * 2; b < of->end; b += BLOCKS_AT_ONCE) {
            size_t oldest = turn == AHEAD ? 0 : turn + 1;
            units[turn] = (unit){
                {s, FROCC_MIN(s + 1, n_subpanels - 1)}, b, FROCC_MIN(b + BLOCKS_AT_ONCE, of->end)};
            multiply_unit(of, &units[turn]);
            frocc__fetch(next, TILES_AT_ONCE);
            look_at_unit(of, &units[oldest], sums[oldest]); /* at first, at nothing */
            store_sums(sums[turn]);
            turn = oldest;
        }
    for (int i = 0; i < AHEAD; i++) {
        turn = turn == AHEAD ? 0 : turn + 1;
        look_at_unit(of, &units[turn], sums[turn]);
    }
}

TARGET static void find_unsure_amx(const frocc__coarse *w, size_t first_block, size_t n_blocks,
                                   const float *lower, const float *upper,
                                   const frocc__coarse_panel *panels, size_t n_panels,
                                   frocc__fetching *next) {
    search of = {.w = w,
                 .size = frocc__coarse_size(w->n_features) * FROCC_SUBPANEL,
                 .panels = panels,
                 .first = first_block,
                 .end = first_block + n_blocks};
    for (size_t b = 0; b < n_blocks; b++)
        make_bounds(w, first_block + b, lower, upper, &of.bounds[b]);
    for (size_t p = 0; p < n_panels; p++)
        memset(panels[p].unsure, 0, n_blocks * sizeof *panels[p].unsure);
    begin_registers();
    search_all(&of, n_panels * SUBPANELS, next);
    _tile_release();
}

const frocc__coarse_kernels frocc__coarse_kernels_amx = {
    .may_be_used = may_be_used_amx,
    .take_panel = take_panel_amx,
    .take_pair = take_pair_amx,
    .find_unsure = find_unsure_amx,
    .project_pairs = project_pairs_amx,
    .project_rows = project_rows_amx,
};
#else
typedef int frocc__no_amx; /* a translation unit may not be empty */
#endif
