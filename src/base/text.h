/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparing words. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

/* Edit distance for "did you mean": letters inserted, omitted or replaced, or two neighbours
 * swapped (Damerau-Levenshtein, optimal string alignment). A distance above @limit is returned as
 * @limit + 1. Words longer than 63 letters match only themselves. */
unsigned text_distance(const char *a, const char *b, unsigned limit);

#endif
