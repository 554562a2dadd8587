/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/line_unit.h"

#include <string.h>

#include "base/search.h"
#include "base/xalloc.h"

#define NOTHING UINT32_MAX

/* The header of the block; the arrays follow in the order of their counts. */
struct line_unit {
	uint64_t base;
	uint32_t rows, nodes, pieces, text_size;
	uint32_t reserved[2];
};

_Static_assert(sizeof(struct line_unit) == 32, "the block is a file's format");
_Static_assert(sizeof(struct line_unit_row) == 12, "the block is a file's format");
_Static_assert(sizeof(struct line_unit_node) == 20, "the block is a file's format");
_Static_assert(sizeof(struct line_unit_piece) == 8, "the block is a file's format");

static const struct line_unit_row *rows_of(const struct line_unit *unit)
{
	return (const struct line_unit_row *)(unit + 1);
}

static const struct line_unit_node *nodes_of(const struct line_unit *unit)
{
	return (const struct line_unit_node *)(rows_of(unit) + unit->rows);
}

static const struct line_unit_piece *pieces_of(const struct line_unit *unit)
{
	return (const struct line_unit_piece *)(nodes_of(unit) + unit->nodes);
}

static const char *text_of(const struct line_unit *unit)
{
	return (const char *)(pieces_of(unit) + unit->pieces);
}

static size_t size_of(const struct line_unit *unit)
{
	return sizeof(*unit) + unit->rows * sizeof(struct line_unit_row) +
	       unit->nodes * sizeof(struct line_unit_node) +
	       unit->pieces * sizeof(struct line_unit_piece) + unit->text_size;
}

static char *put(char *at, const void *items, size_t size)
{
	if (size)
		memcpy(at, items, size);
	return at + size;
}

struct line_unit *line_unit_new(const struct line_unit_parts *parts)
{
	const struct line_unit head = { .base = parts->base,
					.rows = (uint32_t)parts->row_count,
					.nodes = (uint32_t)parts->node_count,
					.pieces = (uint32_t)parts->piece_count,
					.text_size = (uint32_t)parts->text_size };
	struct line_unit *unit = xmalloc(size_of(&head));
	char *at = put((char *)unit, &head, sizeof(head));

	at = put(at, parts->rows, parts->row_count * sizeof(*parts->rows));
	at = put(at, parts->nodes, parts->node_count * sizeof(*parts->nodes));
	at = put(at, parts->pieces, parts->piece_count * sizeof(*parts->pieces));
	put(at, parts->text, parts->text_size);
	return unit;
}

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
	const struct line_unit_row *rows = rows_of(unit);

	for (uint32_t i = 0; i < unit->rows; i++) {
		if (rows[i].file != NOTHING && rows[i].file >= unit->text_size)
			return false;
	}
	return true;
}

static bool are_pieces_sound(const struct line_unit *unit)
{
	const struct line_unit_piece *pieces = pieces_of(unit);

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
static const struct line_unit_row *find_row(const struct line_unit *unit, uint32_t offset)
{
	const struct line_unit_row *rows = rows_of(unit);
	size_t before = search_before(rows, unit->rows, item, item->offset <= offset);

	return before && rows[before - 1].file != NOTHING ? &rows[before - 1] : NULL;
}

/* The innermost function at the offset; NOTHING: none. */
static uint32_t find_node(const struct line_unit *unit, uint32_t offset)
{
	const struct line_unit_piece *pieces = pieces_of(unit);
	size_t before = search_before(pieces, unit->pieces, item, item->offset <= offset);

	return before ? pieces[before - 1].node : NOTHING;
}

size_t line_unit_find(const struct line_unit *unit, uint64_t address, struct line_place *places,
		      size_t most)
{
	uint64_t offset = address - unit->base;
	const char *text = text_of(unit);
	const struct line_unit_row *row;
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
	const struct line_unit_row *rows = rows_of(unit);

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
	const struct line_unit_piece *pieces = pieces_of(unit);
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
