/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From addresses as a profile has them of the kernel (from _text on) and of modules (from .text on)
 * to the ELF virtual addresses of a file with their debug information. The kernel lays the sections
 * of a module out as it likes; where they were is told by the functions that the profile names.
 */
#ifndef NAMES_LINES_CODE_PLACES_H
#define NAMES_LINES_CODE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "elf/elf_file.h"
#include "model/profile.h"

/* What is at [start, end) of the profile's addresses is from @address on in the file. */
struct code_place {
	uint64_t start, end, address;
};

struct code_places {
	VEC(struct code_place) list;
};

/* Places of the kernel's or a module's image in a file whose sections have been read; none: they
 * cannot be told. */
void code_places_read(const struct elf_file *elf, const struct profile *profile, uint32_t image,
		      struct code_places *ret_places);
void code_places_done(struct code_places *places);

/* From one to the other. False: it is nowhere. */
bool code_places_to_file(const struct code_places *places, uint64_t address, uint64_t *ret_address);
bool code_places_from_file(const struct code_places *places, uint64_t address,
			   uint64_t *ret_address);

#endif
