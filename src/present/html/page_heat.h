/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples by time in the data of a page. */
#ifndef PRESENT_HTML_PAGE_HEAT_H
#define PRESENT_HTML_PAGE_HEAT_H

#include "aggregate/trees/heat.h"
#include "base/buf.h"

/* Appends the member "heat" of an event. Its first column is @origin_s after the start of the
 * recording. @of_node: for each node of the tree its number in the page's columns; for a hidden
 * node that of the node that replaces it. */
void page_heat_add(const struct heat *heat, double origin_s, const uint32_t *of_node,
		   struct buf *json);

#endif
