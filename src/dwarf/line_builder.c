/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/line_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define NOTHING UINT32_MAX

enum {
	MOST_ROWS = 1 << 24,
	MOST_RANGES = 1 << 23,
};

void line_builder_init(struct line_builder *builder)
{
	*builder = (struct line_builder){ .is_sorted = true };
	strpool_intern(&builder->texts, "");
}

void line_builder_done(struct line_builder *builder)
{
	strpool_done(&builder->texts);
	vec_free(&builder->nodes);
	vec_free(&builder->rows);
	interval_map_done(&builder->map);
}

uint32_t line_builder_add_node(struct line_builder *builder, const struct line_unit_node *node)
{
	*vec_push(&builder->nodes) = *node;
	return (uint32_t)builder->nodes.count - 1;
}

bool line_builder_add_range(struct line_builder *builder, uint32_t node, uint64_t start,
			    uint64_t end)
{
	if (builder->map.intervals.count >= MOST_RANGES)
		return false;
	interval_map_add(&builder->map, start, end, node);
	return true;
}

static bool says_the_same(const struct built_row *a, const struct built_row *b)
{
	return !a->end && !b->end && a->file == b->file && a->line == b->line;
}

bool line_builder_add_row(struct line_builder *builder, const struct built_row *row)
{
	size_t count = builder->rows.count;
	struct built_row *last = count ? &builder->rows.items[count - 1] : NULL;

	if (last && row->address < last->address)
		builder->is_sorted = false;
	else if (last && says_the_same(last, row))
		return true;
	/* of several rows at one address in one sequence, the last one counts */
	if (last && last->address == row->address && !last->end)
		*last = *row;
	else
		*vec_push(&builder->rows) = *row;
	builder->rows.items[builder->rows.count - 1].order = (uint32_t)count;
	return count < MOST_ROWS;
}

/* By address. At one address, the end of one sequence precedes the beginning of the next. */
static int by_address(const void *left, const void *right)
{
	const struct built_row *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->end != b->end)
		return a->end ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* The offset of each text when all are stored one after the other. */
static uint32_t *lay_out_texts(const struct line_builder *builder, struct line_unit_parts *parts,
			       char **ret_text)
{
	size_t count = strpool_count(&builder->texts), size = 0;
	uint32_t *places = xmalloc(count * sizeof(*places));

	for (size_t i = 0; i < count; i++) {
		places[i] = (uint32_t)size;
		size += strlen(strpool_get(&builder->texts, (str_id)i)) + 1;
	}
	*ret_text = xmalloc(size);
	for (size_t i = 0; i < count; i++)
		memcpy(*ret_text + places[i], strpool_get(&builder->texts, (str_id)i),
		       (i + 1 < count ? places[i + 1] : size) - places[i]);
	parts->text = *ret_text;
	parts->text_size = size;
	return places;
}

static uint64_t first_address(const struct line_builder *builder)
{
	uint64_t first = UINT64_MAX;

	if (builder->map.pieces.count > 0)
		first = builder->map.pieces.items[0].start;
	if (builder->rows.count > 0 && builder->rows.items[0].address < first)
		first = builder->rows.items[0].address;
	return first;
}

static struct line_unit_row *lay_out_rows(const struct line_builder *builder, const uint32_t *texts,
					  struct line_unit_parts *parts)
{
	struct line_unit_row *rows = xcalloc(builder->rows.count + 1, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < builder->rows.count; i++) {
		const struct built_row *row = &builder->rows.items[i];
		uint64_t offset = row->address - parts->base;

		if (offset >= NOTHING)
			break;
		/* a row replaces an earlier one at the same address */
		if (count > 0 && rows[count - 1].offset == offset)
			count--;
		rows[count++] = (struct line_unit_row){ (uint32_t)offset,
							row->end ? NOTHING : texts[row->file],
							row->end ? 0 : row->line };
	}
	parts->rows = rows;
	parts->row_count = count;
	return rows;
}

static struct line_unit_piece *lay_out_pieces(const struct line_builder *builder,
					      struct line_unit_parts *parts)
{
	const struct interval_map *map = &builder->map;
	struct line_unit_piece *pieces = xcalloc(map->pieces.count + 1, sizeof(*pieces));
	size_t count = 0;

	for (size_t i = 0; i < map->pieces.count; i++) {
		uint64_t offset = map->pieces.items[i].start - parts->base;

		if (offset >= NOTHING)
			break;
		pieces[count++] =
			(struct line_unit_piece){ (uint32_t)offset, map->pieces.items[i].value };
	}
	parts->pieces = pieces;
	parts->piece_count = count;
	return pieces;
}

struct line_unit *line_builder_finish(struct line_builder *builder)
{
	struct line_unit_parts parts = { 0 };
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ uint32_t *texts = lay_out_texts(builder, &parts, &text);
	_cleanup_free_ struct line_unit_row *rows = NULL;
	_cleanup_free_ struct line_unit_piece *pieces = NULL;

	interval_map_flatten(&builder->map);
	if (!builder->is_sorted)
		qsort(builder->rows.items, builder->rows.count, sizeof(struct built_row),
		      by_address);
	parts.base = first_address(builder);
	rows = lay_out_rows(builder, texts, &parts);
	pieces = lay_out_pieces(builder, &parts);
	for (size_t i = 0; i < builder->nodes.count; i++) {
		struct line_unit_node *node = &builder->nodes.items[i];

		node->name = texts[node->name];
		node->call_file = texts[node->call_file];
	}
	parts.nodes = builder->nodes.items;
	parts.node_count = builder->nodes.count;
	return line_unit_new(&parts);
}
