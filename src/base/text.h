/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions about words. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

/* Edit distance for "did you mean": letters inserted, lost, wrong, or two neighbours swapped
 * (Damerau-Levenshtein, optimal string alignment). What is above @limit is told as @limit + 1;
 * words of more than 63 letters are near to nothing but themselves. */
unsigned text_distance(const char *a, const char *b, unsigned limit);

#endif
