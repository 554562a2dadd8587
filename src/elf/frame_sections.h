/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame descriptions (FDEs) of an ELF file: the code each one covers, and the program that says
 * how to unwind it. .eh_frame is defined in Linux Standard Base Core, "Exception Frames";
 * .debug_frame and the words CIE, FDE and program in DWARF 5 section 6.4.
 */
#ifndef ELF_FRAME_SECTIONS_H
#define ELF_FRAME_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/reader.h"
#include "elf/elf_file.h"

enum frame_source { FRAME_DEBUG, FRAME_EH, FRAME_SOURCES };

/* What several descriptions share. */
struct frame_cie {
	uint64_t code_alignment; /* advances are multiplied by this */
	int64_t data_alignment;	 /* offsets are multiplied by this */
	uint64_t return_register;
	uint8_t encoding;      /* of addresses: frame_sections_address */
	bool sized;	       /* augmentation data has a size */
	bool signal;	       /* augmentation "S": signal frames */
	struct reader program; /* runs before each description's own */
};

struct frame_fde {
	uint64_t start, size; /* of the code, in bytes from an ELF virtual address; size may be 0 */
	uint64_t offset;      /* of the description in its section */
	struct frame_cie cie;
	struct reader program; /* borrowed from the sections, like the CIE's */
};

struct frame_sections;

/* Reads one of the sections. The file's section headers must have been read, and the file must
 * outlive the result. -ENODATA: no such section. */
int frame_sections_open(const struct elf_file *file, enum frame_source source,
			struct frame_sections **ret_sections, struct err *err);
void frame_sections_free(struct frame_sections *sections); /* NULL is fine */
DEFINE_CLEANUP(struct frame_sections *, frame_sections_free);

/* The next description that can be read, in the section's order. False: no more. */
bool frame_sections_next(struct frame_sections *sections, struct frame_fde *ret_fde);
/* Rereads a description at an offset that frame_sections_next returned. */
bool frame_sections_at(struct frame_sections *sections, uint64_t offset, struct frame_fde *ret_fde);
/* How many descriptions could not be read so far. */
uint32_t frame_sections_unreadable(const struct frame_sections *sections);

/* Reads an address operand of a program, in the encoding of its CIE. Sets reader->bad if the
 * address cannot be determined. */
uint64_t frame_sections_address(const struct frame_sections *sections, const struct frame_cie *cie,
				struct reader *reader);

#endif
