/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debug information of one ELF file: its sections and its units, with the files it refers to:
 * the supplementary one that dwz makes, and split ones (.dwo, .dwp). Everything is hostile until
 * proven otherwise.
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

/* How other files are found: each gives a descriptor, the caller's, or a negative errno. */
struct dwarf_finder {
	/* The supplementary file (.gnu_debugaltlink): its name as the file has it, its build id. */
	int (*supplementary)(void *context, const char *name, const struct elf_build_id *build_id);
	/* A .dwo file: DW_AT_comp_dir and DW_AT_dwo_name. */
	int (*split)(void *context, const char *folder, const char *name);
	/* The package of all .dwo files, or -ENOENT. */
	int (*package)(void *context);
	void *context; /* borrowed for the file's life */
};

struct dwarf_file {
	int fd; /* owned */
	struct elf_file *elf;
	struct section_data *sections[DWARF_SECTION_COUNT]; /* NULL: there is none */
	const struct dwarf_finder *finder;		    /* borrowed; NULL: only this file */
	VEC(struct dwarf_unit *) units;			    /* by offset */
	/* Private to dwarf_file.c and dwarf_split.c. */
	struct dwarf_file *supplementary;
	struct dwarf_file *package;
	VEC(struct dwarf_file *) splits;
	bool asked_supplementary, asked_package;
	bool is_split; /* its sections end in .dwo */
	VEC(struct dwarf_abbrevs *) abbrevs;
	struct hashidx abbrev_index;
};

/* Takes @fd. -ENODATA: there is no debug information in it. */
int dwarf_file_open(int fd, const struct dwarf_finder *finder, struct dwarf_file **ret_file,
		    struct err *err);
/* The same of a .dwo or .dwp file. */
int dwarf_file_open_split(int fd, struct dwarf_file **ret_file, struct err *err);
void dwarf_file_free(struct dwarf_file *file); /* NULL is fine */
DEFINE_CLEANUP(struct dwarf_file *, dwarf_file_free);

/* Does an ELF file, whose sections have been read, have debug information? */
bool dwarf_file_is_there(const struct elf_file *elf);

/* The unit that holds an offset of .debug_info; NULL: none. */
struct dwarf_unit *dwarf_file_unit(const struct dwarf_file *file, uint64_t offset);
/* The supplementary file; NULL: none, or not to be found. */
struct dwarf_file *dwarf_file_supplementary(struct dwarf_file *file);
/* The abbreviations of a unit, read on first need; never NULL. */
struct dwarf_abbrevs *dwarf_file_abbrevs(struct dwarf_unit *unit);

/* Gives memory back that can be read again, here and in the files it refers to; what was borrowed
 * from them is gone. Returns what is held nevertheless. */
size_t dwarf_file_forget(struct dwarf_file *file);
/* Memory held by sections, abbreviations and units. */
size_t dwarf_file_held(const struct dwarf_file *file);

#endif
