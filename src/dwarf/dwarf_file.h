/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug information of one ELF file: its sections and units, and the files it refers to, which
 * are the supplementary file that dwz makes and split files (.dwo, .dwp). All input is untrusted.
 */
#ifndef DWARF_DWARF_FILE_H
#define DWARF_DWARF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "dwarf/dwarf_words.h"
#include "elf/elf_file.h"
#include "elf/section_data.h"

struct dwarf_file;
struct dwarf_unit;
struct dwarf_abbrevs;

/* Finds other files. Each function returns a descriptor, which the caller then owns, or a negative
 * errno. */
struct dwarf_finder {
	/* The supplementary file (.gnu_debugaltlink): @name as the file has it, and its build id.
	 */
	int (*supplementary)(void *context, const char *name, const struct elf_build_id *build_id);
	/* A .dwo file: DW_AT_comp_dir and DW_AT_dwo_name. */
	int (*split)(void *context, const char *folder, const char *name);
	/* The package of all .dwo files; -ENOENT: none. */
	int (*package)(void *context);
	void *context; /* borrowed until dwarf_file_free */
};

struct dwarf_file {
	int fd; /* owned */
	struct elf_file *elf;
	struct section_data *sections[DWARF_SECTION_COUNT]; /* NULL: no such section */
	const struct dwarf_finder *finder;		    /* borrowed; NULL: only this file */
	VEC(struct dwarf_unit *) units;			    /* by offset */
	/* Private to dwarf_file.c and dwarf_split.c. */
	struct dwarf_file *supplementary;
	struct dwarf_file *package;
	VEC(struct dwarf_file *) splits;
	bool asked_supplementary, asked_package;
	bool is_split; /* section names end in .dwo */
	VEC(struct dwarf_abbrevs *) abbrevs;
	struct hashidx abbrev_index;
};

/* Takes ownership of @fd. -ENODATA: the file has no debug information. */
int dwarf_file_open(int fd, const struct dwarf_finder *finder, struct dwarf_file **ret_file,
		    struct err *err);
/* Like dwarf_file_open, for a .dwo or .dwp file. */
int dwarf_file_open_split(int fd, struct dwarf_file **ret_file, struct err *err);
void dwarf_file_free(struct dwarf_file *file); /* NULL is fine */
DEFINE_CLEANUP(struct dwarf_file *, dwarf_file_free);

/* True if an ELF file, whose sections have been read, has debug information. */
bool dwarf_file_is_there(const struct elf_file *elf);

/* True if a file that is not split has code at an address. False for functions that the linker
 * dropped: their debug information remains, with address 0 or similar. */
bool dwarf_file_is_code(const struct dwarf_file *file, uint64_t address);

/* The unit that contains an offset of .debug_info; NULL: none. */
struct dwarf_unit *dwarf_file_unit(const struct dwarf_file *file, uint64_t offset);
/* The supplementary file; NULL: none, or not found. */
struct dwarf_file *dwarf_file_supplementary(struct dwarf_file *file);
/* The abbreviations of a unit, read when first needed; never NULL. */
struct dwarf_abbrevs *dwarf_file_abbrevs(struct dwarf_unit *unit);

/* Frees memory whose contents can be read again, here and in the files this one refers to.
 * Everything borrowed from their contents becomes invalid. Returns the bytes still held. */
size_t dwarf_file_forget(struct dwarf_file *file);
/* Bytes held by sections, abbreviations and units. */
size_t dwarf_file_held(const struct dwarf_file *file);

#endif
