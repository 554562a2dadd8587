/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/go_layout.h"

#include <string.h>

#include "dwarf/dwarf_unit.h"

enum { MOST_OFFSET = 1 << 16 }; /* of a member; g has about 450 bytes */

/* A member to look for. */
struct member {
	const char *structure, *name;
	bool found;
	uint64_t offset;
};

enum { STACK, STACK_HI, GOID, MEMBERS };

struct entry {
	uint16_t tag;
	uint64_t language;
	struct dwarf_value name, location;
};

static void take_attribute(void *context, uint16_t name, struct dwarf_value value)
{
	struct entry *entry = context;

	if (name == AT_NAME)
		entry->name = value;
	else if (name == AT_DATA_MEMBER_LOCATION)
		entry->location = value;
	else if (name == AT_LANGUAGE)
		entry->language = value.number;
}

static bool read_entry(struct dwarf_unit *unit, struct reader *reader, struct entry *ret_entry)
{
	*ret_entry = (struct entry){ .tag = 0 };
	return dwarf_unit_read_entry(unit, reader, take_attribute, ret_entry, &ret_entry->tag);
}

/* The linker puts the types of the whole program into this package's unit. */
static bool is_runtime(struct dwarf_unit *unit)
{
	struct entry root = { .tag = 0 };

	if (!dwarf_unit_root(unit) ||
	    !dwarf_unit_entry_at(unit, unit->entries, take_attribute, &root))
		return false;
	return root.language == LANG_GO &&
	       strcmp(dwarf_unit_string(unit, root.name), "runtime") == 0;
}

static void take_member(const struct dwarf_unit *unit, const struct entry *entry,
			const char *structure, struct member *members)
{
	const char *name = dwarf_unit_string(unit, entry->name);

	if (entry->location.class != CLASS_NUMBER || entry->location.number > MOST_OFFSET)
		return;
	for (int i = 0; i < MEMBERS; i++) {
		if (members[i].structure == structure && strcmp(members[i].name, name) == 0) {
			members[i].found = true;
			members[i].offset = entry->location.number;
		}
	}
}

/* The structure's name as the table of members has it; NULL: not in the table. */
static const char *wanted(const struct dwarf_unit *unit, const struct entry *entry,
			  const struct member *members)
{
	const char *name = dwarf_unit_string(unit, entry->name);

	for (int i = 0; i < MEMBERS; i++) {
		if (strcmp(members[i].structure, name) == 0)
			return members[i].structure;
	}
	return NULL;
}

static bool all_found(const struct member *members)
{
	for (int i = 0; i < MEMBERS; i++) {
		if (!members[i].found)
			return false;
	}
	return true;
}

/* The members of a structure follow it. */
static void walk(struct dwarf_unit *unit, struct member *members)
{
	struct reader reader = dwarf_unit_entries(unit, unit->entries, unit->end - unit->entries);
	const char *structure = NULL;
	struct entry entry;

	while (reader_left(&reader) > 0 && !all_found(members) &&
	       read_entry(unit, &reader, &entry)) {
		if (entry.tag == TAG_STRUCTURE_TYPE)
			structure = wanted(unit, &entry, members);
		else if (entry.tag != TAG_MEMBER)
			structure = NULL;
		else if (structure)
			take_member(unit, &entry, structure, members);
	}
}

bool go_layout_read(const struct dwarf_file *file, struct go_runtime *runtime)
{
	static const char g[] = "runtime.g", stack[] = "runtime.stack";
	struct member members[MEMBERS] = {
		[STACK] = { .structure = g, .name = "stack" },
		[STACK_HI] = { .structure = stack, .name = "hi" },
		[GOID] = { .structure = g, .name = "goid" },
	};

	for (size_t i = 0; i < file->units.count && !all_found(members); i++) {
		if (is_runtime(file->units.items[i]))
			walk(file->units.items[i], members);
	}
	if (!all_found(members))
		return false;
	runtime->has_stack_hi = runtime->has_goid = true;
	runtime->stack_hi = (uint32_t)(members[STACK].offset + members[STACK_HI].offset);
	runtime->goid = (uint32_t)members[GOID].offset;
	return true;
}
