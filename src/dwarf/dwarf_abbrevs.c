/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_abbrevs.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "dwarf/dwarf_forms.h"
#include "dwarf/dwarf_words.h"

enum {
	WINDOW_BYTES = 4096,
	/* No declaration is longer: no language has that many attributes. */
	MOST_DECLARATION_BYTES = 1 << 20,
	MOST_ABBREVS = 1 << 20,
	BEYOND = 0xffff,
};

struct dwarf_abbrevs *dwarf_abbrevs_new(struct section_data *section, uint64_t offset,
					struct dwarf_sizes sizes)
{
	struct dwarf_abbrevs *abbrevs = xcalloc(1, sizeof(*abbrevs));

	abbrevs->section = section;
	abbrevs->offset = abbrevs->at = offset;
	abbrevs->sizes = sizes;
	return abbrevs;
}

void dwarf_abbrevs_free(struct dwarf_abbrevs *abbrevs)
{
	if (!abbrevs)
		return;
	vec_free(&abbrevs->list);
	vec_free(&abbrevs->codes);
	vec_free(&abbrevs->attributes);
	hashidx_done(&abbrevs->by_code);
	free(abbrevs);
}

size_t dwarf_abbrevs_bytes(const struct dwarf_abbrevs *abbrevs)
{
	return sizeof(*abbrevs) + abbrevs->list.capacity * sizeof(struct dwarf_abbrev) +
	       abbrevs->codes.capacity * sizeof(uint64_t) +
	       abbrevs->attributes.capacity * sizeof(struct dwarf_attribute_spec);
}

static uint16_t clip(uint64_t number)
{
	return number < BEYOND ? (uint16_t)number : BEYOND;
}

static void add_attribute(struct dwarf_abbrevs *abbrevs, struct dwarf_abbrev *abbrev,
			  struct dwarf_attribute_spec spec)
{
	unsigned size = dwarf_forms_size(spec.form, abbrevs->sizes);

	*vec_push(&abbrevs->attributes) = spec;
	abbrev->count++;
	if (size >= SIZE_UNKNOWN)
		abbrev->is_fixed = false;
	else
		abbrev->size += size;
}

/* Reads one declaration. False: it is incomplete, or the table ends here. */
static bool read_declaration(struct dwarf_abbrevs *abbrevs, struct reader *reader,
			     struct dwarf_abbrev *abbrev, uint64_t *ret_code)
{
	*ret_code = reader_uleb(reader);
	*abbrev = (struct dwarf_abbrev){ .tag = clip(reader_uleb(reader)),
					 .has_children = reader_u8(reader),
					 .is_fixed = true,
					 .first = (uint32_t)abbrevs->attributes.count };
	while (!reader->bad && *ret_code) {
		uint64_t name = reader_uleb(reader);
		uint64_t form = reader_uleb(reader);
		struct dwarf_attribute_spec spec = { clip(name), clip(form), 0 };

		if (form == FORM_IMPLICIT_CONST)
			spec.constant = reader_sleb(reader);
		if (!reader->bad && !name && !form)
			return true;
		add_attribute(abbrevs, abbrev, spec);
	}
	return false;
}

/* Reads the next declaration into the list. */
static bool read_next(struct dwarf_abbrevs *abbrevs)
{
	struct dwarf_abbrev abbrev;
	uint64_t code = 0;

	for (uint64_t most = WINDOW_BYTES; most <= MOST_DECLARATION_BYTES; most <<= 4) {
		size_t attributes = abbrevs->attributes.count;
		struct reader reader = section_data_tail(abbrevs->section, abbrevs->at, most);
		const uint8_t *start = reader.at;

		if (read_declaration(abbrevs, &reader, &abbrev, &code)) {
			abbrevs->at += (uint64_t)(reader.at - start);
			*vec_push(&abbrevs->list) = abbrev;
			*vec_push(&abbrevs->codes) = code;
			return abbrevs->list.count < MOST_ABBREVS;
		}
		abbrevs->attributes.count = attributes;
		if (!reader.bad || code == 0)
			break;
	}
	abbrevs->ended = true;
	return false;
}

DEFINE_EQUAL(has_code, struct dwarf_abbrevs, codes.items, uint64_t, *a == *b)

const struct dwarf_abbrev *dwarf_abbrevs_find(struct dwarf_abbrevs *abbrevs, uint64_t code)
{
	uint32_t id;

	for (;;) {
		size_t last = abbrevs->list.count - 1;

		/* compilers number them 1, 2, 3 ... */
		if (code - 1 < abbrevs->list.count && abbrevs->codes.items[code - 1] == code)
			return &abbrevs->list.items[code - 1];
		if (hashidx_find(&abbrevs->by_code, hash_u64(code), has_code, abbrevs, &code, &id))
			return &abbrevs->list.items[id];
		if (abbrevs->ended || !read_next(abbrevs))
			return NULL;
		last++;
		if (abbrevs->codes.items[last] != last + 1)
			hashidx_add(&abbrevs->by_code, hash_u64(abbrevs->codes.items[last]),
				    (uint32_t)last);
	}
}

const struct dwarf_attribute_spec *dwarf_abbrevs_attributes(const struct dwarf_abbrevs *abbrevs,
							    const struct dwarf_abbrev *abbrev)
{
	return abbrev->count ? abbrevs->attributes.items + abbrev->first : NULL;
}
