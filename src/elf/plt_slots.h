/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slots of a PLT section, from its machine code: where each slot is and which GOT word it jumps
 * to. */
#ifndef ELF_PLT_SLOTS_H
#define ELF_PLT_SLOTS_H

#include <stdint.h>

#include "base/vec.h"
#include "elf/elf_file.h"

enum { PLT_NO_JUMP = -1 };

struct plt_slot {
	uint64_t start;
	uint64_t place; /* address of the GOT word; 0: see jump */
	uint32_t size;	/* bytes */
	int64_t jump;	/* lazy slots: index of the .rela.plt entry; others: PLT_NO_JUMP */
	/* for plt.c */
	uint32_t name;
	uint64_t resolver;
};

struct plt_slots {
	VEC(struct plt_slot) list;
};

/* Appends the slots of a section with the contents @bytes. Only x86-64 and arm64 are decoded; for
 * other machines nothing is appended. */
void plt_slots_decode(const struct elf_file *file, const struct elf_section *section,
		      const uint8_t *bytes, struct plt_slots *slots);

#endif
