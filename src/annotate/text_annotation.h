/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An annotated function or file as text. */
#ifndef ANNOTATE_TEXT_ANNOTATION_H
#define ANNOTATE_TEXT_ANNOTATION_H

#include <stdio.h>

#include "annotate/annotation.h"
#include "present/view.h"

/* Prints a head (the total of the function), the rows, a foot (the total of the file) and the
 * notes. For one event a row has share, hits and weight; for several, share and hits of each. */
void text_annotation_print(const struct view *view, const struct annotation *annotation, FILE *out);

/* For a file of its own: each row is the line of its number, and all else follows the last row. */
void text_annotation_print_file(const struct view *view, const struct annotation *annotation,
				FILE *out);

#endif
