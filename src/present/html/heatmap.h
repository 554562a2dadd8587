/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A heat map of time as one HTML file: the page of a flame graph, with the samples of each time
 * bucket, so it can draw the flame graph of any range of time. web/heatmap has the scripts.
 */
#ifndef PRESENT_HTML_HEATMAP_H
#define PRESENT_HTML_HEATMAP_H

#include "aggregate/trees/heat.h"
#include "present/html/flame.h"

/* @heat refers to nodes of @flame's tree. Its origin is @origin_s after the start of the recording.
 * Otherwise as flame_print. */
void heatmap_print(const struct view *view, const struct flame *flame, const struct heat *heat,
		   double origin_s, FILE *out);

#endif
