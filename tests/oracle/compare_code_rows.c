/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind rows that were made from instructions, against those of the compiler's descriptions.
 *
 *   compare_code_rows [-v] DESCRIBED UNDESCRIBED
 *
 * UNDESCRIBED: the same x86-64 file, without .eh_frame. Prints how many bytes of code were compared;
 * exit status 1 if a rule differs. -v: every place that differs.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_file.h"
#include "unwind/row_table.h"

struct counts {
	uint64_t described, equal, other_base, frame_pointer, none, different;
};

static struct elf_file *open_file(const char *path)
{
	struct elf_file *file = NULL;
	struct err err = { "" };
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || elf_file_open(fd, &file, &err) < 0 ||
	    elf_file_read_sections(file, &err) < 0) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		exit(2);
	}
	return file;
}

static struct row_table *rows_of(const struct elf_file *file, const char *path)
{
	struct row_table *table = NULL;
	struct err err = { "" };

	if (row_table_compile(file, NULL, &table, &err) < 0) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		exit(2);
	}
	return table;
}

/* How the rules differ; NULL: they do not. */
static const char *compare(const struct unwind_rule *said, const struct unwind_rule *found,
			   struct counts *counts)
{
	if (!found) {
		counts->none++;
		return NULL;
	}
	if (said->ra == UNWIND_SAVED_UNDEFINED && found->ra == UNWIND_SAVED_UNDEFINED) {
		counts->equal++;
		return NULL;
	}
	if (said->cfa != found->cfa && said->cfa != UNWIND_CFA_SP) {
		counts->other_base++;
		return NULL;
	}
	if (said->cfa != found->cfa || said->cfa_offset != found->cfa_offset ||
	    said->ra != found->ra || said->ra_offset != found->ra_offset) {
		counts->different++;
		return "CFA";
	}
	if (said->fp == found->fp && said->fp_offset == found->fp_offset) {
		counts->equal++;
		return NULL;
	}
	/* where it was saved it is as well, before and after */
	if (found->fp == UNWIND_SAVED_UNDEFINED ||
	    (said->fp == UNWIND_SAVED_CFA && found->fp == UNWIND_SAVED_SAME) ||
	    (said->fp == UNWIND_SAVED_SAME && found->fp == UNWIND_SAVED_CFA)) {
		counts->frame_pointer++;
		return NULL;
	}
	counts->different++;
	return "frame pointer";
}

int main(int argc, char **argv)
{
	bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
	const struct unwind_table *said, *found;
	struct counts counts = { 0 };
	_cleanup_(elf_file_freep) struct elf_file *file = NULL, *other = NULL;
	_cleanup_(row_table_freep) struct row_table *described = NULL, *undescribed = NULL;
	const struct elf_section *section;

	if (argc < 3 + verbose)
		return 2;
	file = open_file(argv[1 + verbose]);
	other = open_file(argv[2 + verbose]);
	described = rows_of(file, argv[1 + verbose]);
	undescribed = rows_of(other, argv[2 + verbose]);
	said = row_table_rows(described);
	found = row_table_rows(undescribed);
	for (size_t i = 0; (section = elf_file_code(file, i)); i++) {
		for (uint64_t at = 0; at < section->size; at++) {
			uint64_t address = section->address + at;
			const struct unwind_rule *rule = row_table_find(said, address);
			const char *how;

			if (!rule)
				continue;
			counts.described++;
			how = compare(rule, row_table_find(found, address), &counts);
			if (how && verbose)
				printf("%s at %#" PRIx64 "\n", how, address);
		}
	}
	printf("%" PRIu64 " bytes described: %" PRIu64 " equal, %" PRIu64 " other base, %" PRIu64
	       " other frame pointer, %" PRIu64 " without a rule, %" PRIu64 " different\n",
	       counts.described, counts.equal, counts.other_base, counts.frame_pointer, counts.none,
	       counts.different);
	return counts.different != 0;
}
