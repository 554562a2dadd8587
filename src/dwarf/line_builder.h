/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects rows, functions and ranges of a unit in the order they come, and makes a line_unit of
 * them. */
#ifndef DWARF_LINE_BUILDER_H
#define DWARF_LINE_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strpool.h"
#include "dwarf/interval_map.h"
#include "dwarf/line_unit.h"

struct built_row {
	uint64_t address;
	str_id file;
	uint32_t line;
	bool end;
	uint32_t order; /* private */
};

struct line_builder {
	struct strpool texts;
	VEC(struct line_unit_node) nodes; /* texts are still str_id */
	VEC(struct built_row) rows;
	struct interval_map map;
	bool is_sorted; /* rows came in ascending order */
};

void line_builder_init(struct line_builder *builder);
void line_builder_done(struct line_builder *builder);

/* Returns the index of the node; its texts are ids of builder->texts. */
uint32_t line_builder_add_node(struct line_builder *builder, const struct line_unit_node *node);
/* False: more than any valid unit has; stop adding. */
bool line_builder_add_range(struct line_builder *builder, uint32_t node, uint64_t start,
			    uint64_t end);
bool line_builder_add_row(struct line_builder *builder, const struct built_row *row);
/* Makes a unit of everything collected. The builder cannot be used again. */
struct line_unit *line_builder_finish(struct line_builder *builder);

#endif
