/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/toy.h"

#include <math.h>

#include "base/random.h"

const char *const toy_names[N_TOY_KINDS] = {"gaussians", "moons", "ring", "uniform"};

enum { N_MODES = 3 };
#define MODE_RADIUS 4.0
#define MODE_NOISE 0.6
#define SHAPE_NOISE 0.08 /* of moons and ring */
#define MOST_DRAWS 1000

/* sin of a number of turns, exact in its quarters: Taylor's series within an eighth of a turn. */
static double sin_turn(double turns) {
    turns -= floor(turns);
    double sign = turns < 0.5 ? 1 : -1;
    turns -= turns < 0.5 ? 0 : 0.5;
    turns = turns > 0.25 ? 0.5 - turns : turns;
    double x = turns * 6.283185307179586;
    double square = x * x;
    double sum = 0;
    for (int k = 19; k >= 3; k -= 2) {
        sum = (1 + sum) * -square / (k * (k - 1));
    }
    return sign * x * (1 + sum);
}

static double cos_turn(double turns) {
    return sin_turn(turns + 0.25);
}

/* Six decimals, so that the text and the number say exactly the same. */
static double rounded(double value) {
    return floor(value * 1e6 + 0.5) / 1e6;
}

/* The modes stand on a circle in every pair of features, in turns of alternating sense. */
static double mode_centre(size_t mode, size_t feature) {
    double step = (double)mode / N_MODES;
    double turns = (feature / 2 % 2 ? -step : step) + 0.06;
    return MODE_RADIUS * (feature % 2 ? sin_turn(turns) : cos_turn(turns));
}

/* Two half circles that reach into each other; t runs from 0 to 1 along each. */
static void moon_point(unsigned moon, double t, double *x, double *y) {
    *x = moon ? 1 - cos_turn(t / 2) : cos_turn(t / 2);
    *y = moon ? 0.5 - sin_turn(t / 2) : sin_turn(t / 2);
}

/* ---- Normal rows ----------------------------------------------------------------------------- */

/* The first two features carry the shape of moons and ring, the others only noise. */
static void shape_row(const cli_toy *toy, random_stream *random, double *values) {
    double x, y;
    if (toy->kind == TOY_MOONS) {
        unsigned moon = (unsigned)(random_bits(random) >> 63);
        moon_point(moon, random_uniform(random), &x, &y);
    } else {
        double turns = random_uniform(random);
        x = cos_turn(turns);
        y = sin_turn(turns);
    }
    for (size_t j = 0; j < toy->n_features; j++) {
        double centre = j == 0 ? x : j == 1 ? y : 0;
        values[j] = rounded(centre + SHAPE_NOISE * random_normal(random));
    }
}

static void normal_row(const cli_toy *toy, random_stream *random, double *values) {
    if (toy->kind == TOY_GAUSSIANS) {
        size_t mode = random_below(random, N_MODES);
        for (size_t j = 0; j < toy->n_features; j++) {
            values[j] = rounded(mode_centre(mode, j) + MODE_NOISE * random_normal(random));
        }
    } else if (toy->kind == TOY_UNIFORM) {
        for (size_t j = 0; j < toy->n_features; j++) {
            values[j] = rounded(random_uniform(random));
        }
    } else {
        shape_row(toy, random, values);
    }
}

/* ---- Outliers: uniform over the box, except where normal rows live --------------------------- */

void toy_box(const cli_toy *toy, size_t feature, double *low, double *high) {
    static const double moons[2][2] = {{-1.6, 2.6}, {-1.1, 1.6}};
    double half = 5 * SHAPE_NOISE;
    switch (toy->kind) {
    case TOY_GAUSSIANS:
        half = MODE_RADIUS + 4 * MODE_NOISE;
        break;
    case TOY_RING:
        half = feature < 2 ? 1.6 : half;
        break;
    case TOY_MOONS:
        if (feature < 2) {
            *low = moons[feature][0];
            *high = moons[feature][1];
            return;
        }
        break;
    default:
        *low = -0.5;
        *high = 1.5;
        return;
    }
    *low = -half;
    *high = half;
}

static double squared_distance_to_mode(const cli_toy *toy, const double *values, size_t mode) {
    double sum = 0;
    for (size_t j = 0; j < toy->n_features; j++) {
        double difference = values[j] - mode_centre(mode, j);
        sum += difference * difference;
    }
    return sum;
}

/* The distance to the nearer moon; beyond the ends of its arc, to the nearer end. */
static double squared_distance_to_moons(double x, double y) {
    double nearest = HUGE_VAL;
    for (unsigned moon = 0; moon < 2; moon++) {
        double along = moon ? 1 - x : x;
        double up = moon ? 0.5 - y : y;
        double across = sqrt(along * along + up * up) - 1;
        double to_end = (fabs(along) - 1) * (fabs(along) - 1) + up * up;
        double square = up >= 0 ? across * across : to_end;
        nearest = square < nearest ? square : nearest;
    }
    return nearest;
}

/* How far from the set's middle line normal rows lie: a few noise widths, more in more features. */
static bool is_near_normal(const cli_toy *toy, const double *values) {
    double reach = 2 + sqrt((double)toy->n_features);
    double square = 0;
    if (toy->kind == TOY_UNIFORM) {
        bool inside = true;
        for (size_t j = 0; j < toy->n_features; j++) {
            inside = inside && values[j] >= 0 && values[j] <= 1;
        }
        return inside;
    }
    if (toy->kind == TOY_GAUSSIANS) {
        square = HUGE_VAL;
        for (size_t mode = 0; mode < N_MODES; mode++) {
            double candidate = squared_distance_to_mode(toy, values, mode);
            square = candidate < square ? candidate : square;
        }
        return square < reach * reach * MODE_NOISE * MODE_NOISE;
    }
    double across = sqrt(values[0] * values[0] + values[1] * values[1]) - 1;
    square =
        toy->kind == TOY_RING ? across * across : squared_distance_to_moons(values[0], values[1]);
    for (size_t j = 2; j < toy->n_features; j++) {
        square += values[j] * values[j];
    }
    return square < reach * reach * SHAPE_NOISE * SHAPE_NOISE;
}

static void outlier_row(const cli_toy *toy, random_stream *random, double *values) {
    for (int draw = 0; draw < MOST_DRAWS; draw++) {
        for (size_t j = 0; j < toy->n_features; j++) {
            double low, high;
            toy_box(toy, j, &low, &high);
            values[j] = rounded(low + (high - low) * random_uniform(random));
        }
        if (!is_near_normal(toy, values)) {
            return;
        }
    }
}

/* ---- The set --------------------------------------------------------------------------------- */

bool toy_row(const cli_toy *toy, uint64_t row, double *values) {
    random_stream random = random_begin(toy->seed, row);
    bool outlier = random_uniform(&random) < toy->outliers;
    if (outlier) {
        outlier_row(toy, &random, values);
    } else {
        normal_row(toy, &random, values);
    }
    return outlier;
}

size_t toy_min_features(toy_kind kind) {
    return kind == TOY_MOONS || kind == TOY_RING ? 2 : 1;
}
