/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The labels of an ELF file as objdump -d uses them: every defined symbol of .symtab (.dynsym if
 * there is no .symtab), data too, and the slots of the PLT. They determine where decoding starts
 * anew, which parts of a code section are data, and how addresses in instructions are printed.
 *
 * They differ from the functions of names/symtab.h, which say what function an address belongs to.
 * Labels have to agree with objdump letter by letter: aliases, symbol versions and labels of
 * assembler code included.
 */
#ifndef CODE_CODE_LABELS_H
#define CODE_CODE_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "elf/elf_file.h"

struct code_labels;

/* A section of executable code. */
struct code_section {
	size_t section;	      /* section number, as in symbols */
	uint64_t start, stop; /* [start, stop): its ELF virtual addresses */
};

/* The part of a code section from one label to the next. */
struct code_region {
	uint64_t start, stop; /* [start, stop): ELF virtual addresses */
	bool data;	      /* the label is an object's: the bytes are not instructions */
};

/* Reads the labels. The file's sections must have been read; the file is not needed afterwards. A
 * file without symbols is not an error; a damaged table is skipped. */
struct code_labels *code_labels_new(const struct elf_file *file);
void code_labels_free(struct code_labels *labels); /* NULL is fine */
DEFINE_CLEANUP(struct code_labels *, code_labels_free);

/* The region that contains an address of the section. */
struct code_region code_labels_region(const struct code_labels *labels,
				      const struct code_section *place, uint64_t address);

/* Appends an address as an instruction of that section prints it: "1234 <name+0x4>", or "0x1234" if
 * the file has no labels. */
void code_labels_print(const struct code_labels *labels, const struct code_section *place,
		       uint64_t address, struct buf *text);

/* Finds literals between the code, by the mapping symbols of the Arm ABI ("$d", "$x": ELF for the
 * Arm 64-bit Architecture, "Mapping symbols"). False: the address is code. Otherwise *ret_size is
 * the number of bytes (1, 2 or 4) of the literal there. */
bool code_labels_literal(const struct code_labels *labels, const struct code_section *place,
			 uint64_t address, uint32_t *ret_size);

#endif
