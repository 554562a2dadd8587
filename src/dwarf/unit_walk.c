/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/unit_walk.h"

#include <stdlib.h>

#include "base/hashidx.h"
#include "dwarf/dwarf_ranges.h"
#include "dwarf/dwarf_split.h"
#include "dwarf/dwarf_unit.h"
#include "dwarf/line_program.h"

#define NOTHING UINT32_MAX

enum {
	/* nested blocks; compilers have lower limits */
	MOST_DEPTH = 1 << 14,
	MOST_FILES = 1 << 20, /* with a remembered path */
};

/* ---- names of functions ---- */

/* The name of an entry's function is the linkage name if the entry, or the one it is an instance
 * of, has one; otherwise its name. eu-addr2line(1) and addr2line(1) choose in the same way. */

/* Two steps suffice: from an inlined instance to the abstract one to the declaration. */
enum { MOST_STEPS = 16 };

/* An entry's attributes about its function; CLASS_NONE where missing. */
struct function_facts {
	struct dwarf_value name, linkage_name;
	struct dwarf_value origin; /* DW_AT_abstract_origin, else DW_AT_specification */
	uint64_t declared;	   /* a line; 0: unknown */
};

struct named_function {
	struct dwarf_file *file;
	uint64_t offset;
	str_id name;
	uint32_t declared;
	bool is_linkage_name;
};

/* Remembers what it found, because many entries are instances of one function. */
struct function_names {
	struct strpool *texts; /* borrowed */
	VEC(struct named_function) known;
	struct hashidx index;
};

static void take_fact(void *context, uint16_t name, struct dwarf_value value)
{
	struct function_facts *facts = context;

	switch (name) {
	case AT_NAME:
		facts->name = value;
		break;
	case AT_LINKAGE_NAME:
	case AT_MIPS_LINKAGE_NAME:
		facts->linkage_name = value;
		break;
	case AT_DECL_LINE:
		facts->declared = value.number;
		break;
	default:
		dwarf_unit_take_origin(&facts->origin, name, value);
		break;
	}
}

DEFINE_EQUAL(is_known, struct function_names, known.items, struct named_function,
	     a->offset == b->offset && a->file == b->file)

/* Fills in what @function lacks from an entry's attributes. */
static void merge(struct function_names *names, const struct dwarf_unit *unit,
		  const struct function_facts *facts, struct named_function *function)
{
	const char *linkage = dwarf_unit_string(unit, facts->linkage_name);
	const char *name = function->name ? "" : dwarf_unit_string(unit, facts->name);

	if (*linkage && !function->is_linkage_name) {
		function->name = strpool_intern(names->texts, linkage);
		function->is_linkage_name = true;
	} else if (*name) {
		function->name = strpool_intern(names->texts, name);
	}
	if (!function->declared && facts->declared <= UINT32_MAX)
		function->declared = (uint32_t)facts->declared;
}

/* Follows references until @function has a linkage name and a line. */
static void follow(struct function_names *names, const struct dwarf_unit *unit,
		   struct dwarf_value origin, struct named_function *function)
{
	for (int i = 0; i < MOST_STEPS && origin.class != CLASS_NONE; i++) {
		struct function_facts facts = { .declared = 0 };
		uint64_t offset;
		struct dwarf_unit *owner = dwarf_unit_referred(unit, origin, &offset);

		if (!owner || !dwarf_unit_entry_at(owner, offset, take_fact, &facts))
			return;
		merge(names, owner, &facts, function);
		if (function->is_linkage_name && function->declared)
			return;
		unit = owner;
		origin = facts.origin;
	}
}

/* The name of the entry that @origin refers to, looked up once. */
static struct named_function origin_of(struct function_names *names, const struct dwarf_unit *unit,
				       struct dwarf_value origin)
{
	struct named_function function = { .file = NULL };
	struct dwarf_unit *owner = dwarf_unit_referred(unit, origin, &function.offset);
	uint64_t hash;
	uint32_t id;

	if (!owner)
		return function;
	function.file = owner->file;
	hash = hash_combine(hash_u64((uintptr_t)owner->file), function.offset);
	if (hashidx_find(&names->index, hash, is_known, names, &function, &id))
		return names->known.items[id];
	follow(names, unit, origin, &function);
	hashidx_add(&names->index, hash, (uint32_t)names->known.count);
	*vec_push(&names->known) = function;
	return function;
}

/* *ret_declared: the line the function begins at; 0: unknown. */
static str_id find_name(struct function_names *names, const struct dwarf_unit *unit,
			const struct function_facts *facts, uint32_t *ret_declared)
{
	struct named_function own = { .name = 0 }, origin = { .name = 0 };

	merge(names, unit, facts, &own);
	if (facts->origin.class != CLASS_NONE && (!own.is_linkage_name || !own.declared))
		origin = origin_of(names, unit, facts->origin);
	*ret_declared = own.declared ? own.declared : origin.declared;
	if (own.is_linkage_name || (own.name && !origin.is_linkage_name))
		return own.name;
	return origin.name;
}

/* ---- the walk of a unit ---- */

struct walk {
	const struct dwarf_file *main; /* not split */
	struct dwarf_unit *unit;
	struct line_unit_builder builder;
	struct function_names names;
	struct line_program program;
	bool has_program;
	VEC(uint32_t) nodes; /* by depth: the enclosing function */
	VEC(str_id) files;   /* by file index in the line program; 0: not looked up yet */
	struct buf path;
	bool damaged;
};

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
		sink->is_code = dwarf_file_is_code(sink->walk->main, row->address);
	sink->in_sequence = !row->end;
	return !sink->is_code || line_unit_add_row(&sink->walk->builder,
						   &(struct line_unit_built_row){
							   .address = row->address,
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
		if (!dwarf_unit_take_extent(&entry->extent, name, value))
			take_fact(&entry->facts, name, value);
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

	node.name = find_name(&walk->names, walk->unit, &entry->facts, &node.declared);
	if (parent != NOTHING) {
		node.call_file = file_text(walk, entry->call_file);
		node.call_line = entry->call_line <= UINT32_MAX ? (uint32_t)entry->call_line : 0;
	}
	return line_unit_add_node(&walk->builder, &node);
}

static bool take_range(void *context, uint64_t start, uint64_t end)
{
	struct range_sink *sink = context;

	if (!dwarf_file_is_code(sink->walk->main, start))
		return true;
	if (sink->node == NOTHING)
		sink->node = make_node(sink->walk, sink->entry, sink->parent);
	return line_unit_add_range(&sink->walk->builder, sink->node, start, end);
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
	vec_free(&walk->names.known);
	hashidx_done(&walk->names.index);
	if (walk->has_program)
		line_program_done(&walk->program);
	vec_free(&walk->nodes);
	vec_free(&walk->files);
	buf_done(&walk->path);
	line_unit_builder_done(&walk->builder);
}

struct line_unit *unit_walk(struct dwarf_unit *unit, bool *ret_complete)
{
	struct walk walk = { .main = unit->file, .unit = unit };
	struct line_unit *made;
	bool is_missing = false;

	line_unit_builder_init(&walk.builder);
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
	made = line_unit_finish(&walk.builder);
	*ret_complete = !is_missing && !walk.damaged;
	walk_done(&walk);
	return made;
}

/* ---- which unit covers an address ---- */

enum {
	MOST_RANGES = 1 << 24, /* of a file */
	/* Bytes that may be held before what was read is freed: the first entries of many units are
	 * far apart. */
	MOST_HELD_BYTES = 64 << 20,
	FORGET_INTERVAL = 256, /* units */
};

struct mapping {
	const struct dwarf_file *file;
	struct interval_map *map;
	uint32_t unit;
	bool any; /* the unit has a range */
	uint64_t sequence;
	bool in_sequence;
};

static bool map_range(void *context, uint64_t start, uint64_t end)
{
	struct mapping *mapping = context;

	mapping->any = true;
	if (dwarf_file_is_code(mapping->file, start))
		interval_map_add(mapping->map, start, end, mapping->unit);
	return mapping->map->intervals.count < MOST_RANGES;
}

/* Takes the extent of each sequence of lines. */
static bool map_row(void *context, const struct line_row *row)
{
	struct mapping *mapping = context;

	if (!mapping->in_sequence)
		mapping->sequence = row->address;
	mapping->in_sequence = !row->end;
	return !row->end || map_range(mapping, mapping->sequence, row->address);
}

/* For units that do not give their addresses. */
static void map_by_lines(struct mapping *mapping, const struct dwarf_unit *unit)
{
	struct line_program program;

	if (!line_program_open(unit, &program))
		return;
	line_program_run(&program, map_row, mapping);
	line_program_done(&program);
}

static void map_unit(struct mapping *mapping, struct dwarf_unit *unit)
{
	mapping->any = mapping->in_sequence = false;
	dwarf_ranges_each(unit, &unit->root.extent, map_range, mapping);
	if (!mapping->any)
		map_by_lines(mapping, unit);
}

void unit_walk_map(struct dwarf_file *file, struct interval_map *ret_map)
{
	struct mapping mapping = { .file = file, .map = ret_map };

	*ret_map = (struct interval_map){ 0 };
	for (size_t i = 0; i < file->units.count; i++) {
		struct dwarf_unit *unit = file->units.items[i];

		mapping.unit = (uint32_t)i;
		if (dwarf_unit_root(unit) &&
		    (unit->root.tag == TAG_COMPILE_UNIT || unit->root.tag == TAG_SKELETON_UNIT))
			map_unit(&mapping, unit);
		if (i % FORGET_INTERVAL == 0 && dwarf_file_held(file) > MOST_HELD_BYTES)
			dwarf_file_forget(file);
	}
	interval_map_flatten(ret_map);
}
