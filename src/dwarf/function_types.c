/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/function_types.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "dwarf/dwarf_ranges.h"
#include "dwarf/dwarf_split.h"
#include "dwarf/dwarf_unit.h"

enum {
	/* From a function to its declaration takes two steps; from a typedef to its type rarely
	 * more. */
	MOST_STEPS = 32,
	MOST_FUNCTIONS = 1 << 22, /* in a file; functions beyond this have no known type */
	/* Above this, what was read of the file is freed after a unit. */
	MOST_HELD_BYTES = 48 << 20,
};

/* Where a function's code begins, and what the function returns. */
struct typed_place {
	uint64_t address;
	struct probe_return returns;
};

/* The functions of a unit. */
struct typed_unit {
	bool walked;
	VEC(struct typed_place) places; /* by address */
};

struct function_types {
	VEC(struct typed_unit) units; /* by index in the file, once needed */
	size_t count;		      /* places in all units */
};

/* The attributes of a function or a type. */
struct entry {
	uint16_t tag;
	struct dwarf_value type, origin; /* CLASS_NONE: none */
	struct dwarf_extent extent;
	uint64_t bytes, encoding, language;
};

struct function_types *function_types_new(void)
{
	return xcalloc(1, sizeof(struct function_types));
}

void function_types_free(struct function_types *types)
{
	if (!types)
		return;
	for (size_t i = 0; i < types->units.count; i++)
		vec_free(&types->units.items[i].places);
	vec_free(&types->units);
	free(types);
}

/* ---- entries ---- */

static void take_attribute(void *context, uint16_t name, struct dwarf_value value)
{
	struct entry *entry = context;

	switch (name) {
	case AT_TYPE:
		entry->type = value;
		break;
	case AT_BYTE_SIZE:
		entry->bytes = value.number;
		break;
	case AT_ENCODING:
		entry->encoding = value.number;
		break;
	case AT_LANGUAGE:
		entry->language = value.number;
		break;
	default:
		if (!dwarf_unit_take_extent(&entry->extent, name, value))
			dwarf_unit_take_origin(&entry->origin, name, value);
		break;
	}
}

/* Reads the entry at @reader. Its tag is 0 at the end of a list of siblings. False: damaged. */
static bool read_entry(struct dwarf_unit *unit, struct reader *reader, struct entry *ret_entry)
{
	*ret_entry = (struct entry){ .tag = 0 };
	return dwarf_unit_read_entry(unit, reader, take_attribute, ret_entry, &ret_entry->tag);
}

static bool read_entry_at(struct dwarf_unit *unit, uint64_t offset, struct entry *ret_entry)
{
	*ret_entry = (struct entry){ .tag = 0 };
	ret_entry->tag = dwarf_unit_entry_at(unit, offset, take_attribute, ret_entry);
	return ret_entry->tag != 0;
}

/* ---- types ---- */

static struct probe_return unknown(void)
{
	return (struct probe_return){ .kind = PROBE_RETURN_UNKNOWN };
}

static struct probe_return base_type(const struct entry *entry)
{
	switch (entry->encoding) {
	case ATE_SIGNED:
	case ATE_SIGNED_CHAR:
		return probe_return_number(true, entry->bytes);
	case ATE_BOOLEAN:
	case ATE_UNSIGNED:
	case ATE_UNSIGNED_CHAR:
	case ATE_UTF:
		return probe_return_number(false, entry->bytes);
	default:
		return (struct probe_return){ .kind = PROBE_RETURN_NOTHING };
	}
}

/* True if the entry stands for the type it refers to. An enumeration stands for its underlying
 * type. */
static bool is_other_name(const struct entry *entry)
{
	switch (entry->tag) {
	case TAG_TYPEDEF:
	case TAG_CONST_TYPE:
	case TAG_VOLATILE_TYPE:
	case TAG_RESTRICT_TYPE:
	case TAG_ATOMIC_TYPE:
		return true;
	default:
		return entry->tag == TAG_ENUMERATION_TYPE && entry->type.class != CLASS_NONE;
	}
}

/* An enumeration without an underlying type or encoding may have negative values: unknown. */
static struct probe_return type_itself(const struct entry *entry)
{
	switch (entry->tag) {
	case TAG_BASE_TYPE:
		return base_type(entry);
	case TAG_ENUMERATION_TYPE:
		return entry->encoding ? base_type(entry) : unknown();
	case TAG_POINTER_TYPE:
		return (struct probe_return){ .kind = PROBE_RETURN_POINTER, .bits = 64 };
	case TAG_REFERENCE_TYPE:
	case TAG_RVALUE_REFERENCE_TYPE:
		return probe_return_number(false, sizeof(uint64_t));
	case TAG_STRUCTURE_TYPE:
	case TAG_CLASS_TYPE:
	case TAG_UNION_TYPE:
	case TAG_ARRAY_TYPE:
		return (struct probe_return){ .kind = PROBE_RETURN_NOTHING };
	default:
		return unknown();
	}
}

/* 32-bit programs return pointers in half a register and 64-bit numbers in two. */
static struct probe_return as_returned(const struct dwarf_unit *unit, struct probe_return type)
{
	return unit->sizes.address < sizeof(uint64_t) && type.bits == 64 ? unknown() : type;
}

/* The meaning of an entry's DW_AT_type; none means void. */
static struct probe_return type_of(const struct dwarf_unit *unit, struct dwarf_value type)
{
	for (int i = 0; i < MOST_STEPS && type.class != CLASS_NONE; i++) {
		struct entry entry;
		uint64_t offset;
		struct dwarf_unit *owner = dwarf_unit_referred(unit, type, &offset);

		if (!owner || !read_entry_at(owner, offset, &entry))
			return unknown();
		if (!is_other_name(&entry))
			return as_returned(owner, type_itself(&entry));
		unit = owner;
		type = entry.type;
	}
	if (type.class != CLASS_NONE)
		return unknown();
	return (struct probe_return){ .kind = PROBE_RETURN_NOTHING };
}

/* The type may be on the declaration, or on the abstract instance. */
static struct probe_return returned_by(const struct dwarf_unit *unit, const struct entry *function)
{
	struct entry entry = *function;

	for (int i = 0; i < MOST_STEPS && entry.type.class == CLASS_NONE; i++) {
		uint64_t offset;
		struct dwarf_unit *owner;

		if (entry.origin.class == CLASS_NONE)
			return (struct probe_return){ .kind = PROBE_RETURN_NOTHING };
		owner = dwarf_unit_referred(unit, entry.origin, &offset);
		if (!owner || !read_entry_at(owner, offset, &entry))
			return unknown();
		unit = owner;
	}
	if (entry.type.class == CLASS_NONE)
		return unknown();
	return type_of(unit, entry.type);
}

/* ---- functions ---- */

struct place_sink {
	struct function_types *types;
	struct typed_unit *unit;
	struct probe_return returns;
};

static bool is_full(const struct function_types *types)
{
	return types->count >= MOST_FUNCTIONS;
}

static bool take_range(void *context, uint64_t start, uint64_t end)
{
	struct place_sink *sink = context;

	(void)end;
	if (is_full(sink->types))
		return false;
	*vec_push(&sink->unit->places) =
		(struct typed_place){ .address = start, .returns = sink->returns };
	sink->types->count++;
	return true;
}

static void add_function(struct place_sink *sink, const struct dwarf_unit *unit,
			 const struct entry *entry)
{
	/* most entries are declarations */
	if (entry->extent.low_pc.class == CLASS_NONE && entry->extent.ranges.class == CLASS_NONE)
		return;
	sink->returns = returned_by(unit, entry);
	dwarf_ranges_each(unit, &entry->extent, take_range, sink);
}

DEFINE_ORDER(by_address, struct typed_place, COMPARE(a->address, b->address))

/* True if in this language a function has DW_AT_type exactly when it returns something. */
static bool is_understood(struct dwarf_unit *unit)
{
	static const uint16_t languages[] = {
		LANG_C89,
		LANG_C,
		LANG_C99,
		LANG_C11,
		LANG_C17,
		LANG_C23,
		LANG_C_PLUS_PLUS_23,
		LANG_C_PLUS_PLUS,
		LANG_C_PLUS_PLUS_03,
		LANG_C_PLUS_PLUS_11,
		LANG_C_PLUS_PLUS_14,
		LANG_C_PLUS_PLUS_17,
		LANG_C_PLUS_PLUS_20,
		LANG_OBJC,
		LANG_OBJC_PLUS_PLUS,
		LANG_RUST,
	};
	struct entry root;

	if (!read_entry_at(unit, unit->entries, &root))
		return false;
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++) {
		if (root.language == languages[i])
			return true;
	}
	return false;
}

/* Visits all entries, because functions lie in namespaces and in one another. */
static void walk(struct place_sink *sink, struct dwarf_unit *unit)
{
	struct reader reader = dwarf_unit_entries(unit, unit->entries, unit->end - unit->entries);
	struct entry entry;

	while (reader_left(&reader) > 0 && !is_full(sink->types) &&
	       read_entry(unit, &reader, &entry)) {
		if (entry.tag == TAG_SUBPROGRAM)
			add_function(sink, unit, &entry);
	}
	if (sink->unit->places.count)
		qsort(sink->unit->places.items, sink->unit->places.count,
		      sizeof(*sink->unit->places.items), by_address);
}

static void walk_once(struct function_types *types, struct typed_unit *typed,
		      struct dwarf_unit *unit)
{
	struct place_sink sink = { .types = types, .unit = typed };
	struct dwarf_unit *whole = unit;

	if (typed->walked)
		return;
	typed->walked = true;
	if (!dwarf_unit_root(unit))
		return;
	if (dwarf_split_is_skeleton(unit))
		whole = dwarf_split_unit(unit);
	if (whole && dwarf_unit_root(whole) && is_understood(whole))
		walk(&sink, whole);
	if (dwarf_file_held(unit->file) > MOST_HELD_BYTES) {
		dwarf_split_forget(unit->file);
		dwarf_file_forget(unit->file);
	}
}

static int by_offset(const void *offset, const void *unit)
{
	uint64_t wanted = *(const uint64_t *)offset;
	const struct dwarf_unit *const *at = unit;

	return COMPARE(wanted, (*at)->offset);
}

/* The index stays the same when the file is closed and opened again. */
static struct typed_unit *typed_unit_of(struct function_types *types, const struct dwarf_unit *unit)
{
	struct dwarf_unit **units = unit->file->units.items, **found;
	size_t count = unit->file->units.count;

	found = bsearch(&unit->offset, units, count, sizeof(struct dwarf_unit *), by_offset);
	if (!found)
		return NULL;
	while (types->units.count < count)
		*vec_push(&types->units) = (struct typed_unit){ .walked = false };
	return &types->units.items[found - units];
}

struct probe_return function_types_returned(struct function_types *types, struct dwarf_unit *unit,
					    uint64_t address)
{
	const struct typed_place wanted = { .address = address };
	struct typed_unit *typed = typed_unit_of(types, unit);
	const struct typed_place *found = NULL;

	if (typed)
		walk_once(types, typed, unit);
	if (typed && typed->places.count)
		found = bsearch(&wanted, typed->places.items, typed->places.count, sizeof(wanted),
				by_address);
	return found ? found->returns : unknown();
}
