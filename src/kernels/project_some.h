/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact projections of the rows that coarse ones leave open: single rows, or some of a panel. */

/* Pairs of one block, where features of a row lie together: as many loads as rows, and one. */
TARGET static ALWAYS_INLINE void add_one_block(const float *const x[FROCC_PAIRS], const float *w,
                                               size_t n_features, __m256 sum[FROCC_PAIRS]) {
    for (size_t j = 0; j < n_features; j++) {
        const __m256 directions = _mm256_load_ps(w + j * FROCC_BLOCK);
#pragma GCC unroll 8
        for (size_t i = 0; i < FROCC_PAIRS; i++)
            sum[i] = _mm256_fmadd_ps(_mm256_set1_ps(x[i][j]), directions, sum[i]);
    }
}

TARGET static ALWAYS_INLINE void add_blocks(const float *const x[FROCC_PAIRS],
                                            const float *const w[FROCC_PAIRS], size_t stride,
                                            size_t n_features, __m256 sum[FROCC_PAIRS]) {
    for (size_t j = 0; j < n_features; j++) {
#pragma GCC unroll 8
        for (size_t i = 0; i < FROCC_PAIRS; i++)
            sum[i] = _mm256_fmadd_ps(_mm256_set1_ps(x[i][j * stride]),
                                     _mm256_load_ps(w[i] + j * FROCC_BLOCK), sum[i]);
    }
}

/* Lanes are directions. Several pairs at a time keep the multiply-add units busy while each chain
 * waits for its own previous sum; a shorter list repeats its last. */
TARGET static void project_pairs_amx(const frocc__pair *pairs, size_t count, size_t stride,
                                     size_t n_features, bool goes_on) {
    float lanes[FROCC_PAIRS][FROCC_BLOCK] = {{0}};
    const float *x[FROCC_PAIRS], *w[FROCC_PAIRS];
    __m256 sum[FROCC_PAIRS];
    bool is_one_block = true;
#pragma GCC unroll 8
    for (size_t i = 0; i < FROCC_PAIRS; i++) {
        const frocc__pair *pair = &pairs[FROCC_MIN(i, count - 1)];
        x[i] = pair->row;
        w[i] = pair->w;
        is_one_block &= w[i] == w[0];
        for (size_t c = 0; goes_on && c < FROCC_BLOCK; c++)
            lanes[i][c] = pair->sums[c * FROCC_PANEL];
        sum[i] = _mm256_loadu_ps(lanes[i]);
    }
    if (is_one_block && stride == 1)
        add_one_block(x, w[0], n_features, sum);
    else
        add_blocks(x, w, stride, n_features, sum);
#pragma GCC unroll 8
    for (size_t i = 0; i < FROCC_PAIRS; i++)
        _mm256_storeu_ps(lanes[i], sum[i]);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < FROCC_BLOCK; c++)
            pairs[i].sums[c * FROCC_PANEL] = lanes[i][c];
}

/* Up to 16 rows of a panel in the lanes of one vector. */
typedef struct selection {
    __m512i from_first_two, from_last; /* of two subpanels, then of those and the third */
    __m512i back[SUBPANELS];           /* the lane of each row of a subpanel */
    __mmask16 rows[SUBPANELS];
} selection;

TARGET static ALWAYS_INLINE selection select_rows(frocc__row_mask rows) {
    _Alignas(64) int32_t first_two[16] = {0}, last[16], back[FROCC_PANEL] = {0};
    selection made;
    for (int32_t i = 0; i < 16; i++)
        last[i] = i;
    int32_t lane = 0;
    for (frocc__row_mask left = rows; left != 0; left &= left - 1, lane++) {
        const int32_t r = (int32_t)__builtin_ctzll(left);
        if (r < 2 * FROCC_SUBPANEL)
            first_two[lane] = r;
        else
            last[lane] = r - FROCC_SUBPANEL; /* there they come after the 16 chosen so far */
        back[r] = lane;
    }
    made.from_first_two = _mm512_load_si512(first_two);
    made.from_last = _mm512_load_si512(last);
#pragma GCC unroll 3
    for (int s = 0; s < SUBPANELS; s++) {
        made.back[s] = _mm512_load_si512(back + s * FROCC_SUBPANEL);
        made.rows[s] = (__mmask16)(rows >> s * FROCC_SUBPANEL);
    }
    return made;
}

TARGET static ALWAYS_INLINE __m512 pick_lanes(const selection *of, const float *values) {
    const __m512 two = _mm512_permutex2var_ps(_mm512_load_ps(values), of->from_first_two,
                                              _mm512_load_ps(values + FROCC_SUBPANEL));
    return _mm512_permutex2var_ps(two, of->from_last, _mm512_load_ps(values + 2 * FROCC_SUBPANEL));
}

TARGET static void project_rows_amx(const float *x, frocc__row_mask rows, const float *w,
                                    size_t n_features, bool goes_on, float *tile) {
    const selection chosen = select_rows(rows);
    __m512 sum[FROCC_BLOCK];
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++)
        sum[c] = goes_on ? pick_lanes(&chosen, tile + c * FROCC_PANEL) : _mm512_setzero_ps();
    for (size_t j = 0; j < n_features; j++) {
        const __m512 value = pick_lanes(&chosen, x + j * FROCC_PANEL);
#pragma GCC unroll 8
        for (int c = 0; c < FROCC_BLOCK; c++)
            sum[c] = _mm512_fmadd_ps(value, _mm512_set1_ps(w[j * FROCC_BLOCK + (size_t)c]), sum[c]);
    }
#pragma GCC unroll 8
    for (int c = 0; c < FROCC_BLOCK; c++)
#pragma GCC unroll 3
        for (int s = 0; s < SUBPANELS; s++)
            _mm512_mask_store_ps(tile + c * FROCC_PANEL + s * FROCC_SUBPANEL, chosen.rows[s],
                                 _mm512_permutexvar_ps(chosen.back[s], sum[c]));
}
