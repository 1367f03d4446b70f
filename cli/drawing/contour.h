/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a surface reaches a level, as an outline. */
#ifndef CLI_CONTOUR_H
#define CLI_CONTOUR_H

#include "base/page.h"

/*
 * Writes the data of an SVG path around all points of a square where values, side x side of them
 * row by row from the top, interpolated, are at least level: closed loops, none where there are
 * none. The square is size wide and high; each value stands in the middle of its cell. O(side^2).
 */
void contour_write(cli_page *page, const double *values, size_t side, double level, double size);

#endif
