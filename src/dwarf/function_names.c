/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/function_names.h"

#include "dwarf/dwarf_entry.h"
#include "dwarf/dwarf_value.h"

/* Two steps suffice: from an inlined instance to the abstract one to the declaration. */
enum { MOST_STEPS = 16 };

void function_names_done(struct function_names *names)
{
	vec_free(&names->known);
	hashidx_done(&names->index);
}

void function_names_take(struct function_facts *facts, uint16_t attribute, struct dwarf_value value)
{
	switch (attribute) {
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
		dwarf_entry_take_origin(&facts->origin, attribute, value);
		break;
	}
}

static void take_fact(void *context, uint16_t name, struct dwarf_value value)
{
	function_names_take(context, name, value);
}

static bool is_known(const void *owner, uint32_t id, const void *key)
{
	const struct named_function *function =
		&((const struct function_names *)owner)->known.items[id];
	const struct named_function *wanted = key;

	return function->offset == wanted->offset && function->file == wanted->file;
}

/* Fills in what @function lacks from an entry's attributes. */
static void merge(struct function_names *names, const struct dwarf_unit *unit,
		  const struct function_facts *facts, struct named_function *function)
{
	const char *linkage = dwarf_value_string(unit, facts->linkage_name);
	const char *name = function->name ? "" : dwarf_value_string(unit, facts->name);

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
		struct dwarf_unit *owner = dwarf_value_entry(unit, origin, &offset);

		if (!owner || !dwarf_entry_at(owner, offset, take_fact, &facts))
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
	struct dwarf_unit *owner = dwarf_value_entry(unit, origin, &function.offset);
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

str_id function_names_find(struct function_names *names, const struct dwarf_unit *unit,
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
