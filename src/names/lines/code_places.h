/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts a profile's addresses of the kernel (from _text) and of modules (from .text) to ELF
 * virtual addresses of a file with their debug information. The kernel may arrange the sections of
 * a module in any way; the functions that the profile names show where they were.
 */
#ifndef NAMES_LINES_CODE_PLACES_H
#define NAMES_LINES_CODE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "elf/elf_file.h"
#include "model/profile.h"

/* The profile's addresses [start, end) are at @address in the file. */
struct code_place {
	uint64_t start, end, address;
};

struct code_places {
	VEC(struct code_place) list;
};

/* Reads the places of the kernel's or a module's image in a file whose sections have been read. An
 * empty list: they could not be determined. */
void code_places_read(const struct elf_file *elf, const struct profile *profile, uint32_t image,
		      struct code_places *ret_places);
void code_places_done(struct code_places *places);

/* Converts an address from one to the other. False: it has no counterpart. */
bool code_places_to_file(const struct code_places *places, uint64_t address, uint64_t *ret_address);
bool code_places_from_file(const struct code_places *places, uint64_t address,
			   uint64_t *ret_address);

#endif
