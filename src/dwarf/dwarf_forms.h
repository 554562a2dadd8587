/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of attributes, as they stand in an entry (DWARF 5 section 7.5.5): read and skipped by
 * the table of forms in dwarf_words.h. */
#ifndef DWARF_DWARF_FORMS_H
#define DWARF_DWARF_FORMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reader.h"
#include "dwarf/dwarf_abbrevs.h"
#include "dwarf/dwarf_words.h"

/* What stands there; what it means is a matter of its unit (dwarf_value.h). */
struct dwarf_value {
	enum dwarf_class class; /* CLASS_NONE: there is no value */
	uint16_t form;
	uint64_t number; /* signed ones are sign-extended */
};

/* Bytes of a form, or enum dwarf_form_size. */
unsigned dwarf_forms_size(uint16_t form, struct dwarf_sizes sizes);

/* Reads the value of an attribute. @base is where the section begins that @reader reads: the number
 * of a CLASS_INLINE_STRING is an offset from there. An unknown form makes the reader bad, for what
 * follows it cannot be found. */
struct dwarf_value dwarf_forms_read(struct reader *reader, struct dwarf_attribute_spec spec,
				    struct dwarf_sizes sizes, const uint8_t *base);
/* The same, without looking at it. */
void dwarf_forms_skip(struct reader *reader, struct dwarf_attribute_spec spec,
		      struct dwarf_sizes sizes);
/* An unsigned number of 1, 2, 3, 4 or 8 bytes; 0 for other sizes. */
uint64_t dwarf_forms_fixed(struct reader *reader, unsigned size);

#endif
