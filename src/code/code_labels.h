/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The labels of an ELF file as objdump -d uses them: every defined symbol of .symtab (of .dynsym
 * where there is no .symtab), data too, and the slots of the PLT. They tell where decoding starts
 * anew, what in a code section is data, and how the address an instruction refers to is written.
 *
 * They are not the functions of names/symtab.h: those say which function an address belongs to,
 * whatever it is called by objdump; these have to agree with objdump letter by letter, aliases,
 * symbol versions and labels of assembler code included.
 */
#ifndef CODE_CODE_LABELS_H
#define CODE_CODE_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "elf/elf_file.h"

struct code_labels;

/* A label's reach in a code section, up to the next label. */
struct code_region {
	uint64_t start, stop; /* [start, stop): ELF virtual addresses */
	bool data;	      /* the label is an object's: its bytes are no instructions */
};

/* Reads the labels; the file's sections have been read, and it is not needed afterwards. A file
 * without symbols is no error, and a table that is damaged is left out. */
void code_labels_new(const struct elf_file *file, struct code_labels **ret_labels);
void code_labels_free(struct code_labels *labels); /* NULL is fine */
DEFINE_CLEANUP(struct code_labels *, code_labels_free);

size_t code_labels_count(const struct code_labels *labels);

/* The region of the section number @section, which is [section_start, section_stop), that holds the
 * address. */
struct code_region code_labels_region(const struct code_labels *labels, size_t section,
				      uint64_t section_start, uint64_t section_stop,
				      uint64_t address);

/* Appends how an address is written in an instruction of that section: "1234 <name+0x4>", or
 * "0x1234" when the file has no labels. */
void code_labels_print(const struct code_labels *labels, size_t section, uint64_t address,
		       struct buf *text);

/* Literals between the code, as the mapping symbols of the Arm ABI mark them ("$d", "$x": ELF for
 * the Arm 64-bit Architecture, "Mapping symbols"). False: the address is code. Else *ret_size is
 * how many bytes (1, 2 or 4) the value there has. */
bool code_labels_literal(const struct code_labels *labels, size_t section, uint64_t address,
			 uint32_t *ret_size);

#endif
