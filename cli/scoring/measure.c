/* SPDX-License-Identifier: BSD-3-Clause */
#include "scoring/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/random.h"

/* ---- Tallies --------------------------------------------------------------------------------- */

enum { MOST_SCORES = 1 << 16, MOST_NEW = 1 << 14 };

static int by_score(const void *a, const void *b) {
    double x = ((const tally_entry *)a)->score, y = ((const tally_entry *)b)->score;
    return (x > y) - (x < y);
}

static void join_equal_scores(cli_tally *tally) {
    qsort(tally->entries, tally->used, sizeof *tally->entries, by_score);
    size_t kept = 0;
    for (size_t i = 0; i < tally->used; i++) {
        tally_entry entry = tally->entries[i];
        if (kept && tally->entries[kept - 1].score == entry.score) {
            tally->entries[kept - 1].normal += entry.normal;
            tally->entries[kept - 1].outliers += entry.outliers;
        } else {
            tally->entries[kept++] = entry;
        }
    }
    tally->count = tally->used = kept;
}

static double on_grid(const cli_tally *tally, double score) {
    return tally->step > 0 ? tally->step * floor(score / tally->step + 0.5) : score;
}

void tally_settle(cli_tally *tally) {
    join_equal_scores(tally);
    while (tally->count > MOST_SCORES) {
        /* Half as many scores as there may be, so that this is rare. A power of two keeps the
         * scores 0 and 1 where they are. */
        double range = tally->entries[tally->count - 1].score - tally->entries[0].score;
        double step = ldexp(1, (int)ceil(log2(range / (MOST_SCORES / 2.0))));
        tally->step = step > 2 * tally->step ? step : 2 * tally->step;
        for (size_t i = 0; i < tally->count; i++) {
            tally->entries[i].score = on_grid(tally, tally->entries[i].score);
        }
        join_equal_scores(tally);
    }
}

void tally_add(cli_tally *tally, double score, double normal, double outliers) {
    if (tally->used == tally->capacity) {
        if (tally->used - tally->count >= MOST_NEW) {
            tally_settle(tally);
        }
        if (tally->capacity - tally->used < MOST_NEW) {
            tally->capacity = tally->used + MOST_NEW;
            tally->entries = must_resize(tally->entries, tally->capacity, sizeof *tally->entries);
        }
    }
    tally->entries[tally->used++] = (tally_entry){on_grid(tally, score), normal, outliers};
}

void tally_swap(cli_tally *tally) {
    for (size_t i = 0; i < tally->count; i++) {
        tally_entry *entry = &tally->entries[i];
        *entry = (tally_entry){entry->score, entry->outliers, entry->normal};
    }
}

void tally_free(cli_tally *tally) {
    free(tally->entries);
    *tally = (cli_tally){0};
}

/* ---- Measures -------------------------------------------------------------------------------- */

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : NAN;
}

/* The scores of a group of equal ones are taken together, so that no order of ties matters. */
measures measure(const cli_tally *tally, double threshold) {
    measures result = {0};
    for (size_t i = 0; i < tally->count; i++) {
        result.n_normal += tally->entries[i].normal;
        result.n_outliers += tally->entries[i].outliers;
    }
    double n = result.n_outliers, all = n + result.n_normal;
    double seen = 0, found = 0, found_in_n = 0, won = 0, precisions = 0;
    double flagged = 0, hits = 0;
    for (size_t i = 0; i < tally->count; i++) {
        const tally_entry *entry = &tally->entries[i];
        double here = entry->normal + entry->outliers;
        if (here <= 0) {
            continue;
        }
        double within_n = n - seen < here ? n - seen : here;
        found_in_n += within_n > 0 ? entry->outliers * within_n / here : 0;
        won += entry->normal * (found + entry->outliers / 2);
        seen += here;
        found += entry->outliers;
        precisions += entry->outliers * (found / seen);
        if (entry->score < threshold) {
            flagged = seen;
            hits = found;
        }
    }
    result.roc_auc = ratio(won, n * result.n_normal);
    result.average_precision = ratio(precisions, n);
    result.precision_at_n = ratio(found_in_n, n);
    result.adjusted_precision = ratio(result.precision_at_n - ratio(n, all), 1 - ratio(n, all));
    result.precision = ratio(hits, flagged);
    result.recall = ratio(hits, n);
    result.f1 = ratio(2 * hits, flagged + n);
    return result;
}

/* ---- The bootstrap --------------------------------------------------------------------------- */

/* How often a group of equal rows is drawn: each row Poisson(1) times, so Poisson(count). */
static double draw_count(random_stream *random, double count) {
    if (count > 30) {
        double drawn = floor(count + sqrt(count) * random_normal(random) + 0.5);
        return drawn > 0 ? drawn : 0;
    }
    double drawn = 0;
    /* The number of exponential steps that fit into a time of count. */
    double time = -random_log(1 - random_uniform(random));
    while (time < count) {
        time -= random_log(1 - random_uniform(random));
        drawn++;
    }
    return drawn;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The measures as an array of numbers, to treat all of them alike. */
enum { N_MEASURES = sizeof(measures) / sizeof(double) };

static void middle_of(double *values, size_t count, double *low, double *high) {
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(values[i])) {
            values[known++] = values[i];
        }
    }
    qsort(values, known, sizeof *values, by_value);
    *low = known ? values[(size_t)(0.025 * (double)(known - 1) + 0.5)] : NAN;
    *high = known ? values[(size_t)(0.975 * (double)(known - 1) + 0.5)] : NAN;
}

measure_range measure_bootstrap(const cli_tally *rows, double threshold, size_t replicates,
                                uint64_t seed) {
    cli_tally drawn = {.entries = must_allocate(rows->count, sizeof *drawn.entries),
                       .count = rows->count};
    double *values = must_allocate(replicates * N_MEASURES, sizeof *values);
    for (size_t r = 0; r < replicates; r++) {
        random_stream random = random_begin(seed, r);
        for (size_t i = 0; i < rows->count; i++) {
            drawn.entries[i] =
                (tally_entry){rows->entries[i].score, draw_count(&random, rows->entries[i].normal),
                              draw_count(&random, rows->entries[i].outliers)};
        }
        measures result = measure(&drawn, threshold);
        double numbers[N_MEASURES];
        memcpy(numbers, &result, sizeof numbers);
        for (size_t k = 0; k < N_MEASURES; k++) {
            values[k * replicates + r] = numbers[k];
        }
    }
    double low[N_MEASURES], high[N_MEASURES];
    for (size_t k = 0; k < N_MEASURES; k++) {
        middle_of(values + k * replicates, replicates, &low[k], &high[k]);
    }
    measure_range range;
    memcpy(&range.low, low, sizeof low);
    memcpy(&range.high, high, sizeof high);
    free(values);
    tally_free(&drawn);
    return range;
}
