/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list_code FILE: all executable sections of an ELF file, disassembled by resolve/disassembler, in
 * the form "ADDRESS:\tTEXT" that objdump -d --no-show-raw-insn has.
 * list_code FILE -: the functions whose "START SIZE" (hexadecimal) stand in the lines of stdin.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "code/disassembler.h"
#include "elf/elf_file.h"

static int open_file(void *context, uint32_t image, struct err *err)
{
	const int *fd = context;

	(void)image;
	(void)err;
	return *fd;
}

static bool print_line(void *context, const struct code_line *line)
{
	uint64_t *expected = context;

	if (line->address != *expected)
		printf("a gap at %" PRIx64 "\n", line->address);
	*expected = line->address + line->length;
	if (strcmp(line->text, "...") == 0)
		printf("\t...\n");
	else
		printf("%" PRIx64 ":\t%s\n", line->address, line->text);
	return true;
}

static int list(struct disassembler *disassembler, uint64_t start, uint64_t end)
{
	uint64_t expected = start;
	struct err err;
	int rc = disassembler_function(disassembler, 1, start, end, print_line, &expected, &err);

	if (rc < 0)
		fprintf(stderr, "%" PRIx64 ": %s\n", start, err.text);
	else if (expected < end)
		printf("ended at %" PRIx64 ", not %" PRIx64 "\n", expected, end);
	return rc;
}

static int list_sections(struct disassembler *disassembler, int fd)
{
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	const struct elf_section *section;
	struct err err;

	if (elf_file_open(fd, &file, &err) < 0 || elf_file_read_sections(file, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return -ENOEXEC;
	}
	for (size_t i = 0; (section = elf_file_section(file, i)) != NULL; i++)
		if (section->flags & SHF_EXECINSTR &&
		    list(disassembler, section->address, section->address + section->size) < 0)
			return -EIO;
	return 0;
}

static int list_functions(struct disassembler *disassembler)
{
	uint64_t start, size;

	while (scanf("%" SCNx64 " %" SCNx64, &start, &size) == 2)
		if (list(disassembler, start, start + size) < 0)
			return -EIO;
	return 0;
}

int main(int argc, char **argv)
{
	int fd = argc < 2 ? -1 : open(argv[1], O_RDONLY | O_CLOEXEC);
	struct disassembler_options options = { .open_image = open_file, .context = &fd };
	_cleanup_(disassembler_freep) struct disassembler *disassembler =
		disassembler_new(&options);
	int rc;

	if (fd < 0) {
		fprintf(stderr, "usage: list_code FILE [-]\n");
		return 2;
	}
	rc = argc > 2 ? list_functions(disassembler) : list_sections(disassembler, fd);
	close(fd);
	return rc < 0;
}
