/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/plt.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	MAX_WORDS = 1 << 23,	  /* in one file */
	MAX_SLOTS = 1 << 20,	  /* in one file */
	MAX_MADE_NAME = 1024,	  /* longer ones lose what follows */
	MAX_MADE_BYTES = 1 << 28, /* of all names, when one more is made */
	X86_SLOT_BYTES = 16,
	X86_MOST_PREFIXES = 4,
	ARM64_MOST_WORDS = 6, /* adrp, ldr, add, br, and sometimes autia1716 */
	NO_JUMP = -1,
};

/* ---- words ---- */

struct plt_words {
	VEC(struct plt_word) list; /* by place */
};

static const struct {
	uint16_t machine;
	uint32_t irelative;
} machines[] = {
	{ EM_X86_64, R_X86_64_IRELATIVE },
	{ EM_386, R_386_IRELATIVE },
	{ EM_AARCH64, R_AARCH64_IRELATIVE },
};

static bool is_indirect(uint16_t machine, uint32_t type)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine)
			return machines[i].irelative == type;
	return false;
}

static bool fills_words(const struct elf_section *section)
{
	return (section->type == SHT_RELA || section->type == SHT_REL) &&
	       section->flags & SHF_ALLOC;
}

/* @bytes: of the section. */
static void add_words(struct plt_words *words, const struct elf_file *file,
		      const struct elf_section *section, const uint8_t *bytes)
{
	struct reader reader = elf_file_reader(file, bytes, section->size);

	while (words->list.count < MAX_WORDS) {
		struct elf_relocation found =
			elf_file_relocation(file, &reader, section->type == SHT_RELA);

		if (reader.bad)
			return;
		if (found.symbol || is_indirect(elf_file_machine(file), found.type))
			*vec_push(&words->list) =
				(struct plt_word){ found.place, found.addend, found.symbol };
	}
}

DEFINE_ORDER(by_place, struct plt_word, COMPARE(a->place, b->place))

static void sort_words(struct plt_words *words)
{
	if (words->list.count > 0)
		qsort(words->list.items, words->list.count, sizeof(struct plt_word), by_place);
}

struct plt_words *plt_words_new(const struct elf_file *file)
{
	struct plt_words *words = xcalloc(1, sizeof(*words));

	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		const struct elf_section *section = elf_file_section(file, i);
		_cleanup_free_ uint8_t *bytes = NULL;

		if (fills_words(section) && elf_file_read(file, section, &bytes, NULL) == 0)
			add_words(words, file, section, bytes);
	}
	sort_words(words);
	return words;
}

void plt_words_free(struct plt_words *words)
{
	if (!words)
		return;
	vec_free(&words->list);
	free(words);
}

const struct plt_word *plt_words_find(const struct plt_words *words, uint64_t place)
{
	const struct plt_word key = { .place = place };

	if (words->list.count == 0)
		return NULL;
	return bsearch(&key, words->list.items, words->list.count, sizeof(key), by_place);
}

/* ---- slots, from their machine code ---- */

struct slot {
	uint64_t start;
	uint64_t place; /* address of the GOT word; 0: see jump */
	uint32_t size;	/* bytes */
	uint16_t section;
	int64_t jump; /* lazy slots: index of the .rela.plt entry; others: NO_JUMP */
};

typedef VEC(struct slot) slot_list;

/* x86-64: optional endbr64, bnd and "mov $index,%r11d", then "jmp *place(%rip)" (a slot) or "push
 * $index" (the lazy half of a slot whose other half is in .plt.sec). */
static bool decode_x86_64(struct reader reader, struct slot *slot)
{
	size_t size = reader_left(&reader);

	for (int i = 0; i < X86_MOST_PREFIXES; i++) {
		switch (reader_u8(&reader)) {
		case 0xf2: /* bnd */
			break;
		case 0xf3: /* endbr64 */
			if (!reader_bytes(&reader, 3))
				return false;
			break;
		case 0x41: /* mov $imm32,%r11d */
			if (reader_u8(&reader) != 0xbb || !reader_bytes(&reader, 4))
				return false;
			break;
		case 0x68: /* push $imm32 */
			slot->jump = reader_u32(&reader);
			return !reader.bad;
		case 0xff: /* jmp *disp32(%rip) */
			if (reader_u8(&reader) != 0x25)
				return false;
			slot->place = (uint64_t)(int64_t)(int32_t)reader_u32(&reader);
			slot->place += slot->start + size - reader_left(&reader);
			return !reader.bad;
		default:
			return false;
		}
	}
	return false;
}

/* "jmp *place" and "jmp *offset(%ebx)" with %ebx at the GOT, optionally after endbr32. */
static bool decode_i386(struct reader reader, uint64_t got, struct slot *slot)
{
	static const uint32_t ENDBR32 = 0xfb1e0ff3;
	enum { JMP_ABSOLUTE = 0x25ff, JMP_EBX = 0xa3ff };
	struct reader after = reader;
	uint16_t code;

	if (reader_u32(&after) == ENDBR32)
		reader = after;
	code = reader_u16(&reader);
	slot->place = (reader_u32(&reader) + (code == JMP_EBX ? got : 0)) & UINT32_MAX;
	return !reader.bad && (code == JMP_ABSOLUTE || code == JMP_EBX);
}

static void decode_x86_section(const struct elf_file *file, const struct elf_section *section,
			       struct reader reader, struct slot slot, slot_list *slots)
{
	bool is_64 = elf_file_machine(file) == EM_X86_64;
	const struct elf_section *got = elf_file_find(file, ".got.plt");

	if (!got)
		got = elf_file_find(file, ".got");
	slot.size = section->entry_size == 8 ? 8 : X86_SLOT_BYTES;
	for (; reader_left(&reader) >= slot.size; slot.start += slot.size) {
		struct reader code = reader_sub(&reader, slot.size);
		struct slot found = slot;

		if (slots->count < MAX_SLOTS &&
		    (is_64 ? decode_x86_64(code, &found)
			   : decode_i386(code, got ? got->address : 0, &found)))
			*vec_push(slots) = found;
	}
}

/* Arm Architecture Reference Manual, A64 encodings. */
static bool is_adrp_x16(uint32_t word)
{
	return (word & 0x9f00001f) == 0x90000010;
}

static bool is_ldr_x17_x16(uint32_t word)
{
	return (word & 0xffc003ff) == 0xf9400211;
}

static const uint32_t ARM64_BR_X17 = 0xd61f0220;
static const uint32_t ARM64_BTI_C = 0xd503245f;

/* The address that "adrp x16, page; ldr x17, [x16, #low]" loads from. */
static uint64_t arm64_place(uint64_t address, uint32_t adrp, uint32_t ldr)
{
	uint64_t pages = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	uint64_t low = (uint64_t)(ldr >> 10 & 0xfff) * 8;
	uint64_t sign = 1ULL << 20;

	pages = (pages ^ sign) - sign;
	return (address & ~0xfffULL) + pages * 4096 + low;
}

/* Number of words from adrp through "br x17"; 0: no "br x17" follows. */
static uint32_t arm64_length(struct reader reader)
{
	for (uint32_t words = 1; words <= ARM64_MOST_WORDS; words++) {
		if (reader_u32(&reader) == ARM64_BR_X17)
			return words;
	}
	return 0;
}

static void decode_arm64_section(struct reader reader, struct slot slot, slot_list *slots)
{
	uint64_t address = slot.start;
	uint32_t before = 0;

	for (; reader_left(&reader) >= 8; address += 4) {
		struct reader slot_reader = reader;
		uint32_t word = reader_u32(&reader);
		struct reader next = reader;
		uint32_t load = reader_u32(&next);
		uint32_t lead = before == ARM64_BTI_C ? 4 : 0;

		if (slots->count < MAX_SLOTS && is_adrp_x16(word) && is_ldr_x17_x16(load) &&
		    arm64_length(slot_reader) > 0) {
			slot.start = address - lead;
			slot.place = arm64_place(address, word, load);
			slot.size = lead + 4 * arm64_length(slot_reader);
			*vec_push(slots) = slot;
		}
		before = word;
	}
}

/* Appends the slots of section number @number; none on machines without a decoder. False: it cannot
 * be read. */
static bool decode_section(const struct elf_file *file, size_t number, slot_list *slots)
{
	const struct elf_section *section = elf_file_section(file, number);
	const struct slot slot = { .start = section->address,
				   .section = (uint16_t)number,
				   .jump = NO_JUMP };
	uint16_t machine = elf_file_machine(file);
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader reader;

	if (elf_file_read(file, section, &bytes, NULL) < 0)
		return false;
	reader = elf_file_reader(file, bytes, section->size);
	if (machine == EM_X86_64 || machine == EM_386)
		decode_x86_section(file, section, reader, slot, slots);
	else if (machine == EM_AARCH64)
		decode_arm64_section(reader, slot, slots);
	return true;
}

/* True for a section with slots. objdump does not look into .iplt. */
static bool is_plt(const struct elf_section *section, bool as_objdump)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };
	size_t count = sizeof(names) / sizeof(names[0]) - as_objdump;

	for (size_t i = 0; i < count; i++)
		if (strcmp(section->name, names[i]) == 0)
			return section->type == SHT_PROGBITS;
	return false;
}

/* ---- names for people ---- */

/* A lazy slot gives the index of a .rela.plt entry, which has the place. */
static void place_lazy(const struct elf_file *file, const struct elf_section *table,
		       const uint8_t *bytes, slot_list *slots)
{
	bool has_addend = table->type == SHT_RELA;
	size_t entry = (elf_file_is_64(file) ? 8 : 4) * (has_addend ? 3U : 2U);

	for (size_t i = 0; i < slots->count; i++) {
		struct slot *slot = &slots->items[i];
		struct reader reader = elf_file_reader(file, bytes, table->size);

		if (slot->jump == NO_JUMP || !reader_bytes(&reader, entry * (size_t)slot->jump))
			continue;
		slot->place = elf_file_relocation(file, &reader, has_addend).place;
	}
}

static bool has_all_words(const struct plt_words *words, const slot_list *slots)
{
	for (size_t i = 0; i < slots->count; i++)
		if (!plt_words_find(words, slots->items[i].place))
			return false;
	return true;
}

/* The words of the slots. Mostly .rela.plt has them all; other tables can be large. */
static struct plt_words *words_of(const struct elf_file *file, slot_list *slots)
{
	const struct elf_section *table = elf_file_find(file, ".rela.plt");
	_cleanup_free_ uint8_t *bytes = NULL;
	struct plt_words *words;

	if (!table)
		table = elf_file_find(file, ".rel.plt");
	if (!table || !fills_words(table) || elf_file_read(file, table, &bytes, NULL) < 0)
		return plt_words_new(file);
	place_lazy(file, table, bytes, slots);
	words = xcalloc(1, sizeof(*words));
	add_words(words, file, table, bytes);
	sort_words(words);
	if (has_all_words(words, slots))
		return words;
	plt_words_free(words);
	return plt_words_new(file);
}

static void add_slot(struct symbol_index *index, const struct slot *slot, uint32_t name)
{
	*vec_push(&index->list) = (struct symbol_entry){
		.start = slot->start,
		.size = slot->size,
		.name = name,
		.section = slot->section,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.source = ENTRY_SLOT,
	};
}

/* A slot of an indirect function, and the best symbol at its resolver. */
struct resolved {
	uint64_t resolver;
	const struct slot *slot;
	uint32_t best; /* index of the entry; SYMBOL_INDEX_NONE: none */
};

typedef VEC(struct resolved) resolved_list;

DEFINE_ORDER(by_resolver, struct resolved, COMPARE(a->resolver, b->resolver))

/* Slots may share a resolver; the one that is found has its best symbol. */
static struct resolved *find_resolved(const resolved_list *list, uint64_t address)
{
	const struct resolved key = { .resolver = address };

	return bsearch(&key, list->items, list->count, sizeof(key), by_resolver);
}

static void add_resolved(struct symbol_index *index, resolved_list *list)
{
	if (list->count == 0)
		return;
	qsort(list->items, list->count, sizeof(*list->items), by_resolver);
	for (uint32_t i = 0; i < index->list.count; i++) {
		const struct symbol_entry *entry = &index->list.items[i];
		struct resolved *found = find_resolved(list, entry->start);

		if (found && entry->source < ENTRY_SLOT &&
		    (found->best == SYMBOL_INDEX_NONE ||
		     symbol_index_compare(&index->list.items[found->best], entry, index) > 0))
			found->best = i;
	}
	for (size_t i = 0; i < list->count; i++) {
		uint32_t best = find_resolved(list, list->items[i].resolver)->best;

		if (best != SYMBOL_INDEX_NONE)
			add_slot(index, list->items[i].slot, index->list.items[best].name);
	}
}

static void add_slots(const struct elf_file *file, struct symbol_index *index, slot_list *slots)
{
	_cleanup_(plt_words_freep) struct plt_words *words = words_of(file, slots);
	resolved_list resolved = { 0 };

	for (size_t i = 0; i < slots->count; i++) {
		const struct slot *slot = &slots->items[i];
		const struct plt_word *word = plt_words_find(words, slot->place);
		struct elf_symbol symbol;

		if (word && word->symbol == 0 && word->addend)
			*vec_push(&resolved) =
				(struct resolved){ word->addend, slot, SYMBOL_INDEX_NONE };
		else if (word && symbol_index_dynamic(index, word->symbol, &symbol))
			add_slot(index, slot, symbol.name);
	}
	add_resolved(index, &resolved);
	vec_free(&resolved);
}

void plt_read(const struct elf_file *file, struct symbol_index *index)
{
	slot_list slots = { 0 };

	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		const struct elf_section *section = elf_file_section(file, i);

		if (!is_plt(section, false) || !decode_section(file, i, &slots))
			continue;
		*vec_push(&index->list) = (struct symbol_entry){
			.start = section->address,
			.size = (uint32_t)section->size,
			.name = symbol_index_add_name(index, section->name),
			.section = (uint16_t)i,
			.info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
			.source = ENTRY_SECTION,
		};
	}
	if (slots.count > 0)
		add_slots(file, index, &slots);
	vec_free(&slots);
}

/* ---- names as objdump's ---- */

static void add_objdump_slot(struct symbol_index *index, const struct slot *slot, uint32_t number,
			     uint64_t addend)
{
	struct elf_symbol symbol = { .name = 0 };
	char name[MAX_MADE_NAME];
	struct slot named = *slot;

	if (number && !symbol_index_dynamic(index, number, &symbol))
		return;
	named.size = 0;
	if (number && !addend) {
		add_slot(index, &named, symbol.name);
		return;
	}
	if (index->names_size > MAX_MADE_BYTES)
		return;
	snprintf(name, sizeof(name), addend ? "%s+0x%lx" : "%s",
		 number ? symbol_index_name(index, symbol.name) : "*ABS*", addend);
	add_slot(index, &named, symbol_index_add_name(index, name));
}

/* Slots with branch protection are longer. */
static uint64_t arm64_slot_bytes(const slot_list *slots, uint64_t first)
{
	enum { SLOT_BYTES = 16, LONG_SLOT_BYTES = 24 };

	for (size_t i = slots->count; i > 0; i--)
		if (slots->items[i - 1].start >= first)
			return slots->items[i - 1].size > SLOT_BYTES ? LONG_SLOT_BYTES : SLOT_BYTES;
	return SLOT_BYTES;
}

/* On arm64 objdump counts: entry n of .rela.plt belongs to slot n after the header, which may look
 * like a slot. Entries without a slot (TLS descriptors) name whatever comes after the last slot. */
static void add_counted(const struct elf_file *file, size_t section, const slot_list *slots,
			struct symbol_index *index)
{
	enum { HEADER_BYTES = 32 };
	const struct elf_section *table = elf_file_find(file, ".rela.plt");
	struct slot slot = { .start = elf_file_section(file, section)->address + HEADER_BYTES,
			     .section = (uint16_t)section };
	uint64_t step = arm64_slot_bytes(slots, slot.start);
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader reader;

	if (!table || table->type != SHT_RELA || elf_file_read(file, table, &bytes, NULL) < 0)
		return;
	reader = elf_file_reader(file, bytes, table->size);
	for (size_t i = 0; i < MAX_SLOTS; i++, slot.start += step) {
		struct elf_relocation found = elf_file_relocation(file, &reader, true);

		if (reader.bad)
			return;
		add_objdump_slot(index, &slot, found.symbol, found.addend);
	}
}

static void add_decoded(const struct plt_words *words, const slot_list *slots,
			struct symbol_index *index)
{
	for (size_t i = 0; i < slots->count; i++) {
		const struct plt_word *word = plt_words_find(words, slots->items[i].place);

		/* the lazy half of a slot has no place; the other half has the name */
		if (word)
			add_objdump_slot(index, &slots->items[i], word->symbol, word->addend);
	}
}

void plt_read_as_objdump(const struct elf_file *file, const struct plt_words *words,
			 struct symbol_index *index)
{
	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		slot_list slots = { 0 };

		if (!is_plt(elf_file_section(file, i), true) || !decode_section(file, i, &slots))
			continue;
		if (elf_file_machine(file) == EM_AARCH64)
			add_counted(file, i, &slots, index);
		else
			add_decoded(words, &slots, index);
		vec_free(&slots);
	}
}
