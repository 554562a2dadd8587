/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/line_unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/search.h"
#include "base/xalloc.h"

#define NOTHING UINT32_MAX

enum {
	MOST_ROWS = 1 << 24,
	MOST_RANGES = 1 << 23,
};

struct row {
	uint32_t offset; /* from the unit's base */
	uint32_t file;	 /* text; UINT32_MAX: after a sequence, nothing is known */
	uint32_t line;
};

struct piece {
	uint32_t offset;
	uint32_t node; /* UINT32_MAX: none */
};

/* The header of the block; the arrays follow in the order of their counts. */
struct line_unit {
	uint64_t base;
	uint32_t rows, nodes, pieces, text_size;
	uint32_t reserved[2];
};

_Static_assert(sizeof(struct line_unit) == 32, "the block is a file's format");
_Static_assert(sizeof(struct row) == 12, "the block is a file's format");
_Static_assert(sizeof(struct line_unit_node) == 20, "the block is a file's format");
_Static_assert(sizeof(struct piece) == 8, "the block is a file's format");

static const struct row *rows_of(const struct line_unit *unit)
{
	return (const struct row *)(unit + 1);
}

static const struct line_unit_node *nodes_of(const struct line_unit *unit)
{
	return (const struct line_unit_node *)(rows_of(unit) + unit->rows);
}

static const struct piece *pieces_of(const struct line_unit *unit)
{
	return (const struct piece *)(nodes_of(unit) + unit->nodes);
}

static const char *text_of(const struct line_unit *unit)
{
	return (const char *)(pieces_of(unit) + unit->pieces);
}

static size_t size_of(const struct line_unit *unit)
{
	return sizeof(*unit) + unit->rows * sizeof(struct row) +
	       unit->nodes * sizeof(struct line_unit_node) + unit->pieces * sizeof(struct piece) +
	       unit->text_size;
}

/* ---- how a unit is made ---- */

void line_unit_builder_init(struct line_unit_builder *builder)
{
	*builder = (struct line_unit_builder){ .is_sorted = true };
	strpool_intern(&builder->texts, "");
}

void line_unit_builder_done(struct line_unit_builder *builder)
{
	strpool_done(&builder->texts);
	vec_free(&builder->nodes);
	vec_free(&builder->rows);
	interval_map_done(&builder->map);
}

uint32_t line_unit_add_node(struct line_unit_builder *builder, const struct line_unit_node *node)
{
	*vec_push(&builder->nodes) = *node;
	return (uint32_t)builder->nodes.count - 1;
}

bool line_unit_add_range(struct line_unit_builder *builder, uint32_t node, uint64_t start,
			 uint64_t end)
{
	if (builder->map.intervals.count >= MOST_RANGES)
		return false;
	interval_map_add(&builder->map, start, end, node);
	return true;
}

static bool says_the_same(const struct line_unit_built_row *a, const struct line_unit_built_row *b)
{
	return !a->end && !b->end && a->file == b->file && a->line == b->line;
}

bool line_unit_add_row(struct line_unit_builder *builder, const struct line_unit_built_row *row)
{
	size_t count = builder->rows.count;
	struct line_unit_built_row *last = count ? &builder->rows.items[count - 1] : NULL;

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
DEFINE_ORDER(by_address, struct line_unit_built_row,
	     COMPARE(a->address, b->address) ?: COMPARE(b->end, a->end) ?:
	     COMPARE(a->order, b->order))

/* The offset of each text when all are stored one after the other. */
static uint32_t *place_texts(const struct strpool *texts, uint32_t *ret_size)
{
	size_t count = strpool_count(texts), size = 0;
	uint32_t *places = xmalloc(count * sizeof(*places));

	for (size_t i = 0; i < count; i++) {
		places[i] = (uint32_t)size;
		size += strlen(strpool_get(texts, (str_id)i)) + 1;
	}
	*ret_size = (uint32_t)size;
	return places;
}

static uint64_t first_address(const struct line_unit_builder *builder)
{
	uint64_t first = UINT64_MAX;

	if (builder->map.pieces.count > 0)
		first = builder->map.pieces.items[0].start;
	if (builder->rows.count > 0 && builder->rows.items[0].address < first)
		first = builder->rows.items[0].address;
	return first;
}

static void put_rows(const struct line_unit_builder *builder, const uint32_t *texts,
		     struct line_unit *unit)
{
	struct row *rows = (struct row *)(unit + 1);

	for (size_t i = 0; i < builder->rows.count; i++) {
		const struct line_unit_built_row *row = &builder->rows.items[i];
		uint64_t offset = row->address - unit->base;

		if (offset >= NOTHING)
			break;
		/* a row replaces an earlier one at the same address */
		if (unit->rows > 0 && rows[unit->rows - 1].offset == offset)
			unit->rows--;
		rows[unit->rows++] =
			(struct row){ (uint32_t)offset, row->end ? NOTHING : texts[row->file],
				      row->end ? 0 : row->line };
	}
}

static void put_nodes(const struct line_unit_builder *builder, const uint32_t *texts,
		      struct line_unit *unit)
{
	struct line_unit_node *nodes = (struct line_unit_node *)nodes_of(unit);

	for (size_t i = 0; i < builder->nodes.count; i++) {
		nodes[i] = builder->nodes.items[i];
		nodes[i].name = texts[nodes[i].name];
		nodes[i].call_file = texts[nodes[i].call_file];
	}
	unit->nodes = (uint32_t)builder->nodes.count;
}

static void put_pieces(const struct line_unit_builder *builder, struct line_unit *unit)
{
	struct piece *pieces = (struct piece *)pieces_of(unit);

	for (size_t i = 0; i < builder->map.pieces.count; i++) {
		uint64_t offset = builder->map.pieces.items[i].start - unit->base;

		if (offset >= NOTHING)
			break;
		pieces[unit->pieces++] =
			(struct piece){ (uint32_t)offset, builder->map.pieces.items[i].value };
	}
}

static void put_texts(const struct strpool *texts, const uint32_t *places, struct line_unit *unit)
{
	char *text = (char *)text_of(unit);

	for (size_t i = 0; i < strpool_count(texts); i++) {
		const char *from = strpool_get(texts, (str_id)i);

		memcpy(text + places[i], from, strlen(from) + 1);
	}
}

struct line_unit *line_unit_finish(struct line_unit_builder *builder)
{
	struct line_unit most = { .nodes = (uint32_t)builder->nodes.count };
	_cleanup_free_ uint32_t *texts = place_texts(&builder->texts, &most.text_size);
	struct line_unit *unit;

	interval_map_flatten(&builder->map);
	if (!builder->is_sorted)
		qsort(builder->rows.items, builder->rows.count, sizeof(struct line_unit_built_row),
		      by_address);
	most.rows = (uint32_t)builder->rows.count;
	most.pieces = (uint32_t)builder->map.pieces.count;
	unit = xcalloc(1, size_of(&most));
	unit->base = first_address(builder);
	unit->text_size = most.text_size;
	put_rows(builder, texts, unit);
	put_nodes(builder, texts, unit);
	put_pieces(builder, unit);
	put_texts(&builder->texts, texts, unit);
	return xrealloc(unit, size_of(unit));
}

/* ---- a unit ---- */

void line_unit_free(struct line_unit *unit)
{
	free(unit);
}

const void *line_unit_block(const struct line_unit *unit, size_t *ret_size)
{
	*ret_size = size_of(unit);
	return unit;
}

static bool are_nodes_sound(const struct line_unit *unit)
{
	const struct line_unit_node *nodes = nodes_of(unit);

	for (uint32_t i = 0; i < unit->nodes; i++) {
		const struct line_unit_node *node = &nodes[i];

		if ((node->parent != NOTHING && node->parent >= i) ||
		    node->name >= unit->text_size || node->call_file >= unit->text_size)
			return false;
	}
	return true;
}

static bool are_rows_sound(const struct line_unit *unit)
{
	const struct row *rows = rows_of(unit);

	for (uint32_t i = 0; i < unit->rows; i++) {
		if (rows[i].file != NOTHING && rows[i].file >= unit->text_size)
			return false;
	}
	return true;
}

static bool are_pieces_sound(const struct line_unit *unit)
{
	const struct piece *pieces = pieces_of(unit);

	for (uint32_t i = 0; i < unit->pieces; i++) {
		if (pieces[i].node != NOTHING && pieces[i].node >= unit->nodes)
			return false;
	}
	return true;
}

struct line_unit *line_unit_adopt(void *block, size_t size)
{
	struct line_unit *unit = block;

	if (size < sizeof(*unit) || size_of(unit) != size || unit->text_size == 0 ||
	    text_of(unit)[unit->text_size - 1] != '\0')
		return NULL;
	return are_nodes_sound(unit) && are_rows_sound(unit) && are_pieces_sound(unit) ? unit
										       : NULL;
}

/* The last row that begins at or before the offset; NULL: none, or the end of a sequence. */
static const struct row *find_row(const struct line_unit *unit, uint32_t offset)
{
	const struct row *rows = rows_of(unit);
	size_t before = search_before(rows, unit->rows, item, item->offset <= offset);

	return before && rows[before - 1].file != NOTHING ? &rows[before - 1] : NULL;
}

/* The innermost function at the offset; NOTHING: none. */
static uint32_t find_node(const struct line_unit *unit, uint32_t offset)
{
	const struct piece *pieces = pieces_of(unit);
	size_t before = search_before(pieces, unit->pieces, item, item->offset <= offset);

	return before ? pieces[before - 1].node : NOTHING;
}

size_t line_unit_find(const struct line_unit *unit, uint64_t address, struct line_place *places,
		      size_t most)
{
	uint64_t offset = address - unit->base;
	const char *text = text_of(unit);
	const struct row *row;
	struct line_place place = { "", "", 0, 0 };
	uint32_t at;
	size_t count = 0;

	if (address < unit->base || offset >= NOTHING || most == 0)
		return 0;
	row = find_row(unit, (uint32_t)offset);
	at = find_node(unit, (uint32_t)offset);
	if (!row && at == NOTHING)
		return 0;
	if (row) {
		place.file = text + row->file;
		place.line = row->line;
	}
	places[count++] = place;
	while (at != NOTHING) {
		const struct line_unit_node *node = &nodes_of(unit)[at];

		places[count - 1].function = text + node->name;
		places[count - 1].declared = node->declared;
		at = node->parent;
		if (at == NOTHING || count == most)
			break;
		places[count++] =
			(struct line_place){ "", text + node->call_file, node->call_line, 0 };
	}
	return count;
}

void line_unit_each_line(const struct line_unit *unit,
			 void (*give)(void *context, uint64_t start, uint64_t end, const char *file,
				      uint32_t line),
			 void *context)
{
	const struct row *rows = rows_of(unit);

	for (uint32_t i = 0; i + 1 < unit->rows; i++) {
		if (rows[i].file != NOTHING)
			give(context, unit->base + rows[i].offset, unit->base + rows[i + 1].offset,
			     text_of(unit) + rows[i].file, rows[i].line);
	}
}

static void give_inlined(const struct line_unit *unit, uint32_t at, uint64_t address,
			 void (*give)(void *context, const struct line_unit_inlined *inlined),
			 void *context)
{
	const struct line_unit_node *nodes = nodes_of(unit), *node = &nodes[at];
	uint32_t outermost = at;

	while (nodes[outermost].parent != NOTHING)
		outermost = nodes[outermost].parent;
	give(context, &(struct line_unit_inlined){ .address = address,
						   .function = text_of(unit) + node->name,
						   .around = text_of(unit) + nodes[outermost].name,
						   .call_file = text_of(unit) + node->call_file,
						   .call_line = node->call_line });
}

void line_unit_each_inlined(const struct line_unit *unit,
			    void (*give)(void *context, const struct line_unit_inlined *inlined),
			    void *context)
{
	const struct piece *pieces = pieces_of(unit);
	const struct line_unit_node *nodes = nodes_of(unit);
	bool *given = xcalloc(unit->nodes ? unit->nodes : 1, sizeof(*given));

	for (uint32_t i = 0; i < unit->pieces; i++) {
		for (uint32_t at = pieces[i].node; at != NOTHING && !given[at];
		     at = nodes[at].parent) {
			given[at] = true;
			if (nodes[at].parent != NOTHING)
				give_inlined(unit, at, unit->base + pieces[i].offset, give,
					     context);
		}
	}
	free(given);
}
