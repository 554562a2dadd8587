/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name of an entry's function: the linkage name if the entry, or the one it is an instance of,
 * has one; otherwise its name. eu-addr2line(1) and addr2line(1) choose in the same way.
 */
#ifndef DWARF_FUNCTION_NAMES_H
#define DWARF_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/strpool.h"
#include "base/vec.h"
#include "dwarf/dwarf_unit.h"

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

void function_names_done(struct function_names *names);

/* Notes an attribute, if it is one of those above. */
void function_names_take(struct function_facts *facts, uint16_t attribute,
			 struct dwarf_value value);
/* The name of an entry's function, interned in names->texts. *ret_declared: the line the function
 * begins at; 0: unknown. */
str_id function_names_find(struct function_names *names, const struct dwarf_unit *unit,
			   const struct function_facts *facts, uint32_t *ret_declared);

#endif
