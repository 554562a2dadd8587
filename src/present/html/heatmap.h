/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A heat map of time as one HTML file: the page of a flame graph with what was hit when, so that it
 * can draw the flame graph of any part of the time by itself. web/heatmap has what runs in it.
 */
#ifndef PRESENT_HTML_HEATMAP_H
#define PRESENT_HTML_HEATMAP_H

#include "aggregate/trees/heat.h"
#include "present/html/flame.h"

/* @heat has nodes of @flame's tree. Its origin is @origin_s behind the start of the recording.
 * Otherwise as flame_print. */
void heatmap_print(const struct view *view, const struct flame *flame, const struct heat *heat,
		   double origin_s, FILE *out);

#endif
