/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Abbreviations (DWARF 5 section 7.5.3): the layout of each kind of entry of a unit. They are read
 * only as far as they are needed, because most units are read only in part. */
#ifndef DWARF_DWARF_ABBREVS_H
#define DWARF_DWARF_ABBREVS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "elf/section_data.h"

struct dwarf_attribute_spec {
	uint16_t name, form; /* enum dwarf_attribute, dwarf_form; 0xffff: unknown */
	int64_t constant;    /* of FORM_IMPLICIT_CONST */
};

struct dwarf_abbrev {
	uint16_t tag;
	bool has_children;
	bool is_fixed; /* all entries are `size` bytes long */
	uint32_t size;
	uint32_t first, count; /* in the table's attributes */
};

/* Sizes that differ between units. */
struct dwarf_sizes {
	uint8_t address, offset;
	uint8_t reference; /* FORM_REF_ADDR */
};

struct dwarf_abbrevs {
	struct section_data *section; /* borrowed */
	uint64_t offset;	      /* where the table begins */
	struct dwarf_sizes sizes;
	/* Private. */
	uint64_t at; /* offset of the next unread declaration */
	bool ended;
	VEC(struct dwarf_abbrev) list;
	VEC(uint64_t) codes;
	VEC(struct dwarf_attribute_spec) attributes;
	struct hashidx by_code; /* those whose code is not list index + 1 */
};

/* Reads nothing yet. */
struct dwarf_abbrevs *dwarf_abbrevs_new(struct section_data *section, uint64_t offset,
					struct dwarf_sizes sizes);
void dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs); /* NULL is fine */

/* The abbreviation with this code, valid until the next call. NULL: none. */
const struct dwarf_abbrev *dwarf_abbrevs_find(struct dwarf_abbrevs *abbrevs, uint64_t code);
/* Its abbrev->count attributes (NULL if 0), valid until the next call of dwarf_abbrevs_find. */
const struct dwarf_attribute_spec *dwarf_abbrevs_attributes(const struct dwarf_abbrevs *abbrevs,
							    const struct dwarf_abbrev *abbrev);
size_t dwarf_abbrevs_bytes(const struct dwarf_abbrevs *abbrevs);

#endif
