/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/plt_slots.h"

#include <elf.h>

enum {
	X86_SLOT_BYTES = 16,
	X86_MOST_PREFIXES = 4,
	ARM64_MOST_WORDS = 6, /* adrp, ldr, add, br, and sometimes autia1716 */
};

/* x86-64: optional endbr64, bnd and "mov $index,%r11d", then "jmp *place(%rip)" (a slot) or "push
 * $index" (the lazy half of a slot whose other half is in .plt.sec). */
static bool decode_x86(struct reader reader, uint64_t address, struct plt_slot *slot)
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
			slot->place += address + size - reader_left(&reader);
			return !reader.bad;
		default:
			return false;
		}
	}
	return false;
}

static void decode_x86_section(const struct elf_section *section, struct reader reader,
			       struct plt_slots *slots)
{
	uint32_t step = section->entry_size == 8 ? 8 : X86_SLOT_BYTES;
	uint64_t address = section->address;

	for (; reader_left(&reader) >= step; address += step) {
		struct plt_slot slot = { .start = address, .size = step, .jump = PLT_NO_JUMP };

		if (decode_x86(reader_sub(&reader, step), address, &slot))
			*vec_push(&slots->list) = slot;
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

static void decode_arm64_section(const struct elf_section *section, struct reader reader,
				 struct plt_slots *slots)
{
	uint64_t address = section->address;
	uint32_t before = 0;

	for (; reader_left(&reader) >= 8; address += 4) {
		struct reader slot_reader = reader;
		uint32_t word = reader_u32(&reader);
		struct reader next = reader;
		uint32_t load = reader_u32(&next);
		uint32_t lead = before == ARM64_BTI_C ? 4 : 0;

		if (is_adrp_x16(word) && is_ldr_x17_x16(load) && arm64_length(slot_reader) > 0) {
			*vec_push(&slots->list) = (struct plt_slot){
				.start = address - lead,
				.place = arm64_place(address, word, load),
				.size = lead + 4 * arm64_length(slot_reader),
				.jump = PLT_NO_JUMP,
			};
		}
		before = word;
	}
}

void plt_slots_decode(const struct elf_file *file, const struct elf_section *section,
		      const uint8_t *bytes, struct plt_slots *slots)
{
	struct reader reader = elf_file_reader(file, bytes, section->size);

	if (elf_file_machine(file) == EM_X86_64)
		decode_x86_section(section, reader, slots);
	else if (elf_file_machine(file) == EM_AARCH64)
		decode_arm64_section(section, reader, slots);
}
