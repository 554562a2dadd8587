/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attribute values as an entry stores them (DWARF 5 section 7.5.5), read and skipped according to
 * the table of forms in dwarf_words.h. */
#ifndef DWARF_DWARF_FORMS_H
#define DWARF_DWARF_FORMS_H

#include <stdint.h>

#include "base/reader.h"
#include "dwarf/dwarf_abbrevs.h"
#include "dwarf/dwarf_words.h"

/* The stored value. Its meaning depends on the unit (dwarf_unit.h). */
struct dwarf_value {
	enum dwarf_class class; /* CLASS_NONE: there is no value */
	uint16_t form;
	uint64_t number; /* sign-extended if signed */
};

/* Size of a form in bytes, or enum dwarf_form_size. */
unsigned dwarf_forms_size(uint16_t form, struct dwarf_sizes sizes);

/* Reads an attribute's value. @base is the start of the section that @reader reads; the number of a
 * CLASS_INLINE_STRING is an offset from there. An unknown form sets reader->bad, because the end of
 * the value cannot be found. */
struct dwarf_value dwarf_forms_read(struct reader *reader, struct dwarf_attribute_spec spec,
				    struct dwarf_sizes sizes, const uint8_t *base);
/* Like dwarf_forms_read, but skips the value. */
void dwarf_forms_skip(struct reader *reader, struct dwarf_attribute_spec spec,
		      struct dwarf_sizes sizes);
/* An unsigned number of 1, 2, 3, 4 or 8 bytes; 0 for other sizes. */
uint64_t dwarf_forms_fixed(struct reader *reader, unsigned size);

#endif
