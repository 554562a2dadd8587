/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/unit_walk.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "dwarf/dwarf_ranges.h"
#include "dwarf/dwarf_split.h"
#include "dwarf/function_names.h"
#include "dwarf/line_builder.h"
#include "dwarf/line_program.h"

#define NOTHING UINT32_MAX

enum {
	/* nested blocks; compilers have lower limits */
	MOST_DEPTH = 1 << 14,
	MOST_FILES = 1 << 20, /* with a remembered path */
};

struct walk {
	const struct unit_code *code;
	struct dwarf_unit *unit;
	struct line_builder builder;
	struct function_names names;
	struct line_program program;
	bool has_program;
	VEC(uint32_t) nodes; /* by depth: the enclosing function */
	VEC(str_id) files;   /* by file index in the line program; 0: not looked up yet */
	struct buf path;
	bool damaged;
};

bool unit_code_holds(const struct unit_code *code, uint64_t address)
{
	if (!elf_file_code(code->elf, 0))
		return address != 0;
	return elf_file_code_section(code->elf, address);
}

/* The path of a file of the line program. */
static str_id file_text(struct walk *walk, uint64_t file)
{
	str_id *known;

	if (!walk->has_program || file >= MOST_FILES || file >= walk->program.files.count)
		return LINE_UNIT_NO_TEXT;
	while (walk->files.count <= file)
		*vec_push(&walk->files) = 0;
	known = &walk->files.items[file];
	if (!*known) {
		buf_clear(&walk->path);
		line_program_path(&walk->program, file, &walk->path);
		*known = strpool_intern(&walk->builder.texts, buf_text(&walk->path));
	}
	return *known;
}

/* Leaves out sequences that do not begin in code. */
struct row_sink {
	struct walk *walk;
	bool in_sequence, is_code;
};

static bool take_row(void *context, const struct line_row *row)
{
	struct row_sink *sink = context;

	if (!sink->in_sequence)
		sink->is_code = unit_code_holds(sink->walk->code, row->address);
	sink->in_sequence = !row->end;
	return !sink->is_code ||
	       line_builder_add_row(&sink->walk->builder,
				    &(struct built_row){ .address = row->address,
							 .file = file_text(sink->walk, row->file),
							 .line = row->line,
							 .end = row->end });
}

static void read_rows(struct walk *walk)
{
	struct row_sink sink = { .walk = walk };

	walk->has_program = line_program_open(walk->unit, &walk->program);
	if (walk->has_program)
		line_program_run(&walk->program, take_row, &sink);
}

/* The attributes of a function or of an inlined instance. */
struct function_entry {
	struct function_facts facts;
	struct dwarf_extent extent;
	uint64_t call_file, call_line;
};

static void take_attribute(struct function_entry *entry, uint16_t name, struct dwarf_value value)
{
	switch (name) {
	case AT_CALL_FILE:
		entry->call_file = value.number;
		break;
	case AT_CALL_LINE:
		entry->call_line = value.number;
		break;
	default:
		if (!dwarf_extent_take(&entry->extent, name, value))
			function_names_take(&entry->facts, name, value);
		break;
	}
}

/* Makes the node at the first range: most entries have none. */
struct range_sink {
	struct walk *walk;
	const struct function_entry *entry;
	uint32_t parent; /* of the node */
	uint32_t node;	 /* NOTHING: not made yet */
};

static uint32_t make_node(struct walk *walk, const struct function_entry *entry, uint32_t parent)
{
	struct line_unit_node node = { .parent = parent };

	node.name = function_names_find(&walk->names, walk->unit, &entry->facts, &node.declared);
	if (parent != NOTHING) {
		node.call_file = file_text(walk, entry->call_file);
		node.call_line = entry->call_line <= UINT32_MAX ? (uint32_t)entry->call_line : 0;
	}
	return line_builder_add_node(&walk->builder, &node);
}

static bool take_range(void *context, uint64_t start, uint64_t end)
{
	struct range_sink *sink = context;

	if (!unit_code_holds(sink->walk->code, start))
		return true;
	if (sink->node == NOTHING)
		sink->node = make_node(sink->walk, sink->entry, sink->parent);
	return line_builder_add_range(&sink->walk->builder, sink->node, start, end);
}

/* Reads a function's entry. Returns its node, or the enclosing function's. */
static uint32_t read_function(struct walk *walk, struct reader *reader,
			      const struct dwarf_abbrevs *abbrevs,
			      const struct dwarf_abbrev *abbrev, uint32_t around)
{
	const struct dwarf_attribute_spec *specs = dwarf_abbrevs_attributes(abbrevs, abbrev);
	const uint8_t *base = section_data_bytes(walk->unit->file->sections[DWARF_INFO], 0, 0);
	struct function_entry entry = { .call_file = 0 };
	struct range_sink sink = { .walk = walk, .entry = &entry, .node = NOTHING };

	for (uint32_t i = 0; i < abbrev->count && !reader->bad; i++)
		take_attribute(&entry, specs[i].name,
			       dwarf_forms_read(reader, specs[i], walk->unit->sizes, base));
	/* a nested function is not inlined into the outer one */
	sink.parent = abbrev->tag == TAG_INLINED_SUBROUTINE ? around : NOTHING;
	if (!reader->bad)
		dwarf_ranges_each(walk->unit, &entry.extent, take_range, &sink);
	return sink.node != NOTHING ? sink.node : sink.parent;
}

static void skip_entry(const struct walk *walk, struct reader *reader,
		       const struct dwarf_abbrevs *abbrevs, const struct dwarf_abbrev *abbrev)
{
	const struct dwarf_attribute_spec *specs = dwarf_abbrevs_attributes(abbrevs, abbrev);

	if (abbrev->is_fixed) {
		reader_bytes(reader, abbrev->size);
		return;
	}
	for (uint32_t i = 0; i < abbrev->count && !reader->bad; i++)
		dwarf_forms_skip(reader, specs[i], walk->unit->sizes);
}

/* Reads one entry. False: the walk ends, normally or because of damage. */
static bool step(struct walk *walk, struct reader *reader, struct dwarf_abbrevs *abbrevs)
{
	uint64_t code = reader_uleb(reader);
	const struct dwarf_abbrev *abbrev;
	uint32_t around = walk->nodes.items[walk->nodes.count - 1];

	if (code == 0) {
		walk->nodes.count--;
		return walk->nodes.count > 0;
	}
	abbrev = dwarf_abbrevs_find(abbrevs, code);
	if (!abbrev || reader->bad) {
		walk->damaged = true;
		return false;
	}
	if (abbrev->tag == TAG_SUBPROGRAM || abbrev->tag == TAG_INLINED_SUBROUTINE) {
		/* reading names may read more abbreviations, which moves them */
		struct dwarf_abbrev copy = *abbrev;

		around = read_function(walk, reader, abbrevs, &copy, around);
		if (copy.has_children)
			*vec_push(&walk->nodes) = around;
	} else {
		skip_entry(walk, reader, abbrevs, abbrev);
		if (abbrev->has_children)
			*vec_push(&walk->nodes) = around;
	}
	return walk->nodes.count < MOST_DEPTH;
}

static void read_entries(struct walk *walk)
{
	struct dwarf_unit *unit = walk->unit;
	struct dwarf_abbrevs *abbrevs = dwarf_file_abbrevs(unit);
	struct reader reader = dwarf_unit_entries(unit, unit->entries, unit->end - unit->entries);

	*vec_push(&walk->nodes) = NOTHING;
	while (reader_left(&reader) > 0 && step(walk, &reader, abbrevs))
		continue;
	walk->damaged |= reader.bad;
}

static void walk_done(struct walk *walk)
{
	function_names_done(&walk->names);
	if (walk->has_program)
		line_program_done(&walk->program);
	vec_free(&walk->nodes);
	vec_free(&walk->files);
	buf_done(&walk->path);
	line_builder_done(&walk->builder);
}

struct line_unit *unit_walk(struct dwarf_unit *unit, const struct unit_code *code,
			    bool *ret_complete)
{
	struct walk walk = { .code = code, .unit = unit };
	struct line_unit *made;
	bool is_missing = false;

	line_builder_init(&walk.builder);
	walk.names.texts = &walk.builder.texts;
	if (dwarf_unit_root(unit)) {
		if (dwarf_split_is_skeleton(unit)) {
			struct dwarf_unit *split = dwarf_split_unit(unit);

			is_missing = !split;
			walk.unit = split ? split : unit;
		}
		read_rows(&walk);
		read_entries(&walk);
	}
	made = line_builder_finish(&walk.builder);
	*ret_complete = !is_missing && !walk.damaged;
	walk_done(&walk);
	return made;
}
