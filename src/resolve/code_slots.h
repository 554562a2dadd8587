/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of the PLT under the names objdump gives them: "puts@plt" by the relocation of the word
 * a slot jumps through, "*ABS*+0x1234@plt" where that has no symbol (an indirect function, by its
 * resolver). resolve/plt.h, for people, names those by the function.
 */
#ifndef RESOLVE_CODE_SLOTS_H
#define RESOLVE_CODE_SLOTS_H

#include <stdint.h>

#include "elf/elf_file.h"
#include "resolve/got_words.h"

struct code_slot {
	uint64_t start;
	uint16_t section;
	const char *name; /* borrowed for the call */
};

/* Visits every slot that can be told; the file's sections have been read. */
void code_slots_read(const struct elf_file *file, const struct got_words *words,
		     void (*visit)(void *context, const struct code_slot *slot), void *context);

#endif
