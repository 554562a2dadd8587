/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_call_sites.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "code/got_words.h"
#include "elf/elf_symbols.h"
#include "elf/functions.h"
#include "elf/plt.h"

enum {
	MOST_CODE_BYTES = 256 << 20, /* of a section to search */
	MOST_SITES = 65536,	     /* per image */
};

/* The search in one image. */
struct search {
	struct watch_image *image;
	const watch_callees *callees;
	VEC(uint64_t) addresses; /* of direct callees, sorted */
	struct got_words *words;
	struct buf *offsets;
	size_t count;
};

static bool is_name(const struct search *search, const char *name, size_t length)
{
	for (size_t i = 0; i < search->callees->count; i++) {
		const char *callee = search->callees->items[i].name;

		if (strncmp(callee, name, length) == 0 && !callee[length])
			return true;
	}
	return false;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

void watch_call_sites_slots(const struct watch_image *image,
			    void (*give)(void *context, uint64_t address, const char *name),
			    void *context)
{
	struct functions functions = { .names = NULL };
	const struct elf_file *elf = watch_image_elf(image);
	struct buf plain = { 0 };
	bool has_symtab;

	elf_symbols_read(elf, &functions, &has_symtab);
	plt_read(elf, &functions);
	for (size_t i = 0; i < functions.list.count; i++) {
		const struct function *slot = &functions.list.items[i];
		const char *name = functions_name(&functions, slot->name);

		if (slot->kind != FUNCTION_SLOT)
			continue;
		buf_clear(&plain);
		buf_add(&plain, name, functions_name_length(name));
		give(context, slot->start, buf_text(&plain));
	}
	buf_done(&plain);
	functions_done(&functions);
}

static void take_slot(void *context, uint64_t address, const char *name)
{
	struct search *search = context;

	if (is_name(search, name, strlen(name)))
		*vec_push(&search->addresses) = address;
}

static void find_addresses(struct search *search)
{
	for (size_t i = 0; i < search->callees->count; i++) {
		if (search->callees->items[i].image == search->image)
			*vec_push(&search->addresses) = search->callees->items[i].address;
	}
	watch_call_sites_slots(search->image, take_slot, search);
	if (search->addresses.count)
		qsort(search->addresses.items, search->addresses.count, sizeof(uint64_t), by_value);
}

static bool is_callee(const struct search *search, uint64_t address)
{
	size_t before = search_before(search->addresses.items, search->addresses.count, item,
				      *item < address);

	return before < search->addresses.count && search->addresses.items[before] == address;
}

static bool is_callee_word(const struct search *search, uint64_t place)
{
	const struct got_word *word = got_words_find(search->words, place);
	struct got_symbol symbol;

	if (!word || !word->symbol)
		return false;
	symbol = got_words_symbol(search->words, word->symbol);
	return *symbol.name && is_name(search, symbol.name, functions_name_length(symbol.name));
}

static void take(struct search *search, uint64_t address)
{
	uint64_t offset;

	if (search->count >= MOST_SITES || !watch_image_may_return_to(search->image, address) ||
	    !watch_image_offset(search->image, address, &offset))
		return;
	search->count++;
	buf_add(search->offsets, &offset, sizeof(offset));
}

/* Intel SDM, "CALL": E8 and a distance; FF 15 and the distance of a word with the address. */
static void look_through_x86(struct search *search, const struct elf_section *section,
			     const uint8_t *bytes)
{
	enum { NEAR_BYTES = 5, WORD_BYTES = 6 };

	for (uint64_t i = 0; i + WORD_BYTES <= section->size; i++) {
		bool near = bytes[i] == 0xe8;
		uint64_t behind = section->address + i + (near ? NEAR_BYTES : WORD_BYTES);
		int32_t distance;

		if (!near && (bytes[i] != 0xff || bytes[i + 1] != 0x15))
			continue;
		memcpy(&distance, bytes + i + (near ? 1 : 2), sizeof(distance));
		if (near ? is_callee(search, behind + (uint64_t)(int64_t)distance)
			 : is_callee_word(search, behind + (uint64_t)(int64_t)distance))
			take(search, behind);
	}
}

/* Arm ARM, "BL": 100101 with a distance of 26 bits, in words. */
static void look_through_arm64(struct search *search, const struct elf_section *section,
			       const uint8_t *bytes)
{
	enum { WORD_BYTES = 4, LINK = 0x25, DISTANCE_BITS = 26 };

	for (uint64_t i = 0; i + WORD_BYTES <= section->size; i += WORD_BYTES) {
		uint32_t word;
		int32_t distance;

		memcpy(&word, bytes + i, sizeof(word));
		if (word >> DISTANCE_BITS != LINK)
			continue;
		distance = (int32_t)(word << (32 - DISTANCE_BITS)) >> (32 - DISTANCE_BITS);
		if (is_callee(search, section->address + i + (uint64_t)(int64_t)distance * 4))
			take(search, section->address + i + WORD_BYTES);
	}
}

static void look_through(struct search *search, const struct elf_section *section)
{
	const struct elf_file *elf = watch_image_elf(search->image);
	_cleanup_free_ uint8_t *bytes = NULL;
	uint16_t machine = elf_file_machine(elf);

	if (section->size > MOST_CODE_BYTES || elf_file_read(elf, section, &bytes, NULL) < 0)
		return;
	if (machine == EM_X86_64)
		look_through_x86(search, section, bytes);
	else if (machine == EM_AARCH64)
		look_through_arm64(search, section, bytes);
}

void watch_call_sites_find(struct watch_image *image, const watch_callees *callees,
			   struct buf *offsets)
{
	struct search search = { .image = image, .callees = callees, .offsets = offsets };
	const struct elf_section *section;

	find_addresses(&search);
	search.words = got_words_new(watch_image_elf(image));
	for (size_t i = 0; (section = elf_file_code(watch_image_elf(image), i)); i++)
		look_through(&search, section);
	got_words_free(search.words);
	vec_free(&search.addresses);
}
