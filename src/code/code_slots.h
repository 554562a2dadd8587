/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of the PLT under objdump's names: "puts@plt", from the relocation of the word a slot
 * jumps through, or "*ABS*+0x1234@plt", with the resolver's address, if the relocation has no
 * symbol (an indirect function). elf/plt.h names these slots after the function, for people.
 */
#ifndef CODE_CODE_SLOTS_H
#define CODE_CODE_SLOTS_H

#include <stdint.h>

#include "code/got_words.h"
#include "elf/elf_file.h"

struct code_slot {
	uint64_t start;
	uint16_t section;
	const char *name; /* borrowed for the call */
};

/* Visits every slot that can be identified. The file's sections must have been read. */
void code_slots_read(const struct elf_file *file, const struct got_words *words,
		     void (*visit)(void *context, const struct code_slot *slot), void *context);

#endif
