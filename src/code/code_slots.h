/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of the PLT under the names objdump gives them: "puts@plt" by the relocation of the word
 * a slot jumps through, "*ABS*+0x1234@plt" where that has no symbol (an indirect function, by its
 * resolver). elf/plt.h, for people, names those by the function.
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

/* Visits every slot that can be told; the file's sections have been read. */
void code_slots_read(const struct elf_file *file, const struct got_words *words,
		     void (*visit)(void *context, const struct code_slot *slot), void *context);

#endif
