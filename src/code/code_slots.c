/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/code_slots.h"

#include <elf.h>
#include <string.h>

#include "base/buf.h"
#include "base/reader.h"
#include "base/vec.h"
#include "elf/plt_slots.h"

static const char *const plt_sections[] = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd" };

struct slots {
	const struct elf_file *file;
	const struct got_words *words;
	void (*visit)(void *context, const struct code_slot *slot);
	void *context;
};

static void visit_slot(const struct slots *slots, uint64_t start, size_t section, uint32_t symbol,
		       uint64_t addend)
{
	const char *name = symbol ? got_words_symbol(slots->words, symbol).name : "*ABS*";
	struct buf text = { 0 };

	if (!*name)
		return;
	buf_add_str(&text, name);
	if (addend)
		buf_printf(&text, "+0x%lx", addend);
	buf_add_str(&text, "@plt");
	slots->visit(slots->context,
		     &(struct code_slot){ start, (uint16_t)section, buf_text(&text) });
	buf_done(&text);
}

/* "jmp *place" and "jmp *offset(%ebx)" with %ebx at the GOT, optionally after endbr32. */
static bool decode_i386(struct reader reader, uint64_t got, struct plt_slot *slot)
{
	static const uint32_t ENDBR32 = 0xfb1e0ff3;
	enum { JMP_ABSOLUTE = 0x25ff, JMP_EBX = 0xa3ff };
	struct reader behind = reader;
	uint16_t code;

	if (reader_u32(&behind) == ENDBR32)
		reader = behind;
	code = reader_u16(&reader);
	slot->place = (reader_u32(&reader) + (code == JMP_EBX ? got : 0)) & UINT32_MAX;
	return !reader.bad && (code == JMP_ABSOLUTE || code == JMP_EBX);
}

/* plt_slots.h covers only machines that can be profiled; 32-bit files can only be shown. */
static void decode_i386_section(const struct elf_file *file, const struct elf_section *section,
				const uint8_t *bytes, struct plt_slots *slots)
{
	const uint32_t step = section->entry_size == 8 ? 8 : 16;
	const struct elf_section *got = elf_file_find(file, ".got.plt");
	struct reader reader = elf_file_reader(file, bytes, section->size);
	uint64_t address = section->address;

	if (!got)
		got = elf_file_find(file, ".got");
	for (; reader_left(&reader) >= step; address += step) {
		struct plt_slot slot = { .start = address, .size = step, .jump = PLT_NO_JUMP };

		if (decode_i386(reader_sub(&reader, step), got ? got->address : 0, &slot))
			*vec_push(&slots->list) = slot;
	}
}

static void visit_decoded(const struct slots *slots, const struct plt_slots *found, size_t section)
{
	for (size_t i = 0; i < found->list.count; i++) {
		const struct plt_slot *slot = &found->list.items[i];
		const struct got_word *word = got_words_find(slots->words, slot->place);

		/* the lazy half of a slot has no place; the other half has the name */
		if (word)
			visit_slot(slots, slot->start, section, word->symbol, word->addend);
	}
}

/* Where the slots of an arm64 PLT begin: after a header, which may look like a slot. */
static uint64_t arm64_first_slot(const struct elf_section *plt)
{
	enum { HEADER_BYTES = 32 };

	return plt->address + HEADER_BYTES;
}

/* Slots with branch protection are longer. */
static uint64_t arm64_slot_bytes(const struct plt_slots *found, uint64_t first)
{
	enum { SLOT_BYTES = 16, LONG_SLOT_BYTES = 24 };

	for (size_t i = found->list.count; i > 0; i--)
		if (found->list.items[i - 1].start >= first)
			return found->list.items[i - 1].size > SLOT_BYTES ? LONG_SLOT_BYTES
									  : SLOT_BYTES;
	return SLOT_BYTES;
}

/* On arm64 objdump counts: entry n of .rela.plt belongs to slot n. Entries without a slot (TLS
 * descriptors) name whatever comes after the last slot. */
static void visit_counted(const struct slots *slots, const struct plt_slots *found,
			  const struct elf_section *plt, size_t section)
{
	const struct elf_section *table = elf_file_find(slots->file, ".rela.plt");
	uint64_t start = arm64_first_slot(plt), step = arm64_slot_bytes(found, start);
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader reader;

	if (!table || table->type != SHT_RELA ||
	    elf_file_read(slots->file, table, &bytes, NULL) < 0)
		return;
	reader = elf_file_reader(slots->file, bytes, table->size);
	for (;; start += step) {
		uint64_t info, addend;

		reader_u64(&reader); /* r_offset */
		info = reader_u64(&reader);
		addend = reader_u64(&reader);
		if (reader.bad)
			return;
		visit_slot(slots, start, section, (uint32_t)ELF64_R_SYM(info), addend);
	}
}

static void visit_section(const struct slots *slots, const struct elf_section *section,
			  size_t number)
{
	uint16_t machine = elf_file_machine(slots->file);
	_cleanup_free_ uint8_t *bytes = NULL;
	struct plt_slots found = { 0 };

	if (elf_file_read(slots->file, section, &bytes, NULL) < 0)
		return;
	if (machine == EM_386)
		decode_i386_section(slots->file, section, bytes, &found);
	else
		plt_slots_decode(slots->file, section, bytes, &found);
	if (machine == EM_AARCH64)
		visit_counted(slots, &found, section, number);
	else
		visit_decoded(slots, &found, number);
	vec_free(&found.list);
}

static bool is_plt(const struct elf_section *section)
{
	for (size_t i = 0; i < sizeof(plt_sections) / sizeof(plt_sections[0]); i++)
		if (strcmp(section->name, plt_sections[i]) == 0)
			return section->type == SHT_PROGBITS;
	return false;
}

void code_slots_read(const struct elf_file *file, const struct got_words *words,
		     void (*visit)(void *context, const struct code_slot *slot), void *context)
{
	const struct slots slots = { file, words, visit, context };

	for (size_t i = 0; i < elf_file_section_count(file); i++)
		if (is_plt(elf_file_section(file, i)))
			visit_section(&slots, elf_file_section(file, i), i);
}
