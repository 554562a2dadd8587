/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_forms.h"

/* DW_FORM_indirect names another form; longer chains do not occur in valid files. */
enum { MOST_INDIRECT = 2 };

struct form {
	uint8_t size, class;
};

enum { STANDARD_FORMS = 0x40, GNU_FORMS = 0x1f00, GNU_FORM_COUNT = 0x40 };

static const struct form standard[STANDARD_FORMS] = {
#define ROW(id, code, length, class) [code] = { length, CLASS_##class },
	DWARF_STANDARD_FORMS(ROW)
#undef ROW
};

static const struct form gnu[GNU_FORM_COUNT] = {
#define ROW(id, code, length, class) [(code)-GNU_FORMS] = { length, CLASS_##class },
	DWARF_GNU_FORMS(ROW)
#undef ROW
};

static struct form find_form(uint16_t code)
{
	struct form form = { .class = CLASS_NONE };

	if (code < STANDARD_FORMS)
		form = standard[code];
	else if (code >= GNU_FORMS && code < GNU_FORMS + GNU_FORM_COUNT)
		form = gnu[code - GNU_FORMS];
	if (form.class == CLASS_NONE)
		form.size = SIZE_UNKNOWN;
	return form;
}

static unsigned size_of(struct form form, struct dwarf_sizes sizes)
{
	switch (form.size) {
	case SIZE_ADDRESS:
		return sizes.address;
	case SIZE_OFFSET:
		return sizes.offset;
	case SIZE_REFERENCE:
		return sizes.reference;
	case SIZE_CONSTANT:
		return 0;
	default:
		return form.size;
	}
}

unsigned dwarf_forms_size(uint16_t form, struct dwarf_sizes sizes)
{
	return size_of(find_form(form), sizes);
}

uint64_t dwarf_forms_fixed(struct reader *reader, unsigned size)
{
	uint64_t low;

	switch (size) {
	case 1:
		return reader_u8(reader);
	case 2:
		return reader_u16(reader);
	case 3:
		low = reader_u16(reader);
		return reader->swap ? low << 8 | reader_u8(reader)
				    : low | (uint64_t)reader_u8(reader) << 16;
	case 4:
		return reader_u32(reader);
	case 8:
		return reader_u64(reader);
	default:
		reader_bytes(reader, size);
		return 0;
	}
}

/* Reads a value whose form has no fixed size. */
static uint64_t read_variable(struct reader *reader, unsigned size)
{
	switch (size) {
	case SIZE_ULEB:
		return reader_uleb(reader);
	case SIZE_SLEB:
		return (uint64_t)reader_sleb(reader);
	case SIZE_STRING:
		reader_cstr(reader);
		return 0;
	case SIZE_BLOCK:
		reader_bytes(reader, reader_uleb(reader));
		return 0;
	case SIZE_BLOCK1:
		reader_bytes(reader, reader_u8(reader));
		return 0;
	case SIZE_BLOCK2:
		reader_bytes(reader, reader_u16(reader));
		return 0;
	case SIZE_BLOCK4:
		reader_bytes(reader, reader_u32(reader));
		return 0;
	default:
		reader->bad = true;
		return 0;
	}
}

/* Reads the form that precedes the value. */
static uint16_t follow_indirect(struct reader *reader, uint16_t code)
{
	for (int i = 0; i < MOST_INDIRECT && code == FORM_INDIRECT; i++) {
		uint64_t next = reader_uleb(reader);

		code = next < UINT16_MAX ? (uint16_t)next : UINT16_MAX;
	}
	return code;
}

struct dwarf_value dwarf_forms_read(struct reader *reader, struct dwarf_attribute_spec spec,
				    struct dwarf_sizes sizes, const uint8_t *base)
{
	uint16_t code = follow_indirect(reader, spec.form);
	struct form form = find_form(code);
	struct dwarf_value value = { .class = (enum dwarf_class)form.class, .form = code };
	const uint8_t *start = reader->at;

	if (form.size == SIZE_CONSTANT)
		value.number = (uint64_t)spec.constant;
	else if (code == FORM_FLAG_PRESENT)
		value.number = 1;
	else if (size_of(form, sizes) < SIZE_UNKNOWN)
		value.number = dwarf_forms_fixed(reader, size_of(form, sizes));
	else
		value.number = read_variable(reader, form.size);
	if (value.class == CLASS_INLINE_STRING)
		value.number = (uint64_t)(start - base);
	if (reader->bad)
		value.class = CLASS_NONE;
	return value;
}

void dwarf_forms_skip(struct reader *reader, struct dwarf_attribute_spec spec,
		      struct dwarf_sizes sizes)
{
	struct form form = find_form(follow_indirect(reader, spec.form));
	unsigned size = size_of(form, sizes);

	if (size < SIZE_UNKNOWN)
		reader_bytes(reader, size);
	else
		read_variable(reader, size);
}
