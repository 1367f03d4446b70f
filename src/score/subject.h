/* SPDX-License-Identifier: BSD-3-Clause */
/* A row to be explained: what each direction takes from its score, and would if features moved. */
#ifndef FROCC_SUBJECT_H
#define FROCC_SUBJECT_H

#include "model/model.h"

/* The middle of a direction's widest interval, and what is just inside of the nearest one. */
typedef struct frocc__target_value {
    float middle, inside;
} frocc__target_value;

/* The row to be explained. Arrays of m values, by direction. */
typedef struct frocc__subject {
    const frocc_model *model;
    float *w;         /* the directions, one after another */
    float *weight[2]; /* what they give to one feature, and to another; see frocc__subject_weigh */
    float *row;       /* prepared */
    double norm;
    float *dots;                  /* <w, x> */
    uint32_t *costs;              /* what each direction takes from the score */
    frocc__target_value *targets; /* where each that takes anything would take less */
    float *trial;                 /* scratch */
    double *norms;
    double *own;              /* the row in the units of the data */
    uint32_t *ranks;          /* scratch, a column of codes each */
    frocc__extremes extremes; /* of no features where they are not known */
} frocc__subject;

frocc_status frocc__subject_new(const frocc_model *model, frocc__subject *subject);
void frocc__subject_free(frocc__subject *subject);

/* Finds the costs of the row, which is prepared, and all that they are computed from. */
frocc_status frocc__subject_begin(frocc__subject *subject);

/* Takes feature j out of all directions, which lie far apart: many values of it will be tried. */
void frocc__subject_weigh(const frocc__subject *subject, int k, size_t j);

/* A prepared feature that was weighed, as number 0 or 1, and by how much it is moved. */
typedef struct frocc__move {
    size_t feature;
    float step;
} frocc__move;

/* What all directions together would take less if one or two prepared features were moved. */
double frocc__gain_of(const frocc__subject *subject, const frocc__move *moves, size_t n_moves);

/* Directions that propose values, the costliest ones of a feature. */
#define FROCC__PROPOSERS 24

/* The value of feature j, in the units of the data, that would gain most, and what it would. */
double frocc__best_value(const frocc__subject *subject, size_t j, size_t n_proposers,
                         double *value);

/* Whether all training rows had one value of feature j, which is then the one to try, whatever it
 * is hoped to gain: intervals of no width are missed by what was rounded. */
bool frocc__is_constant(const frocc__subject *subject, size_t j);

/* A prepared value of feature j to be given to a row: as it is shown, within what training rows
 * had, and whole where theirs are. */
double frocc__given_value(const frocc__subject *subject, size_t j, float value);

/* A value as it is prepared, nearly. */
double frocc__prepared(const frocc_frame *frame, size_t j, double value);

/* A prepared value of feature j in the units it came in, in as many decimal digits as are certain,
 * and whole where it may have been. */
double frocc__shown_value(const frocc_frame *frame, size_t j, float value);

#endif
