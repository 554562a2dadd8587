/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What objdump -d says of a file, and what resolve/disassembler says of the same, line by line. */
#ifndef TESTS_UNIT_RESOLVE_LISTING_H
#define TESTS_UNIT_RESOLVE_LISTING_H

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "code/disassembler.h"
#include "elf/elf_file.h"
#include "tools.h"

/* The context of open_image: files by image number. */
struct listing_files {
	const char *paths[16];
	int fd; /* the one opened last, borrowed by the disassembler until the next call */
	size_t opened;
};

static inline int listing_open(void *context, uint32_t image, struct err *err)
{
	struct listing_files *files = context;

	if (files->fd >= 0)
		close(files->fd);
	files->opened++;
	files->fd = open(files->paths[image], O_RDONLY | O_CLOEXEC);
	return files->fd < 0 ? err_set(err, -errno, "no %s", files->paths[image]) : files->fd;
}

static inline bool listing_take(void *context, const struct code_line *line)
{
	struct buf *out = context;

	if (strcmp(line->text, "...") == 0)
		buf_add_str(out, "...\n");
	else
		buf_printf(out, "%" PRIx64 ":\t%s\n", line->address, line->text);
	return true;
}

/* Appends all executable sections of image 0. */
static inline int listing_sections(struct disassembler *disassembler, const char *path,
				   struct buf *out, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(elf_file_freep) struct elf_file *file = NULL;
	const struct elf_section *section;
	int rc = elf_file_open(fd, &file, err);

	if (rc == 0)
		rc = elf_file_read_sections(file, err);
	for (size_t i = 0; rc == 0 && (section = elf_file_section(file, i)); i++)
		if (section->flags & SHF_EXECINSTR && section->size > 0)
			rc = disassembler_function(disassembler, 0, section->address,
						   section->address + section->size, listing_take,
						   out, err);
	return rc;
}

/* "ADDRESS:\tTEXT" and "..." lines of objdump, its columns removed. */
static inline void listing_objdump(const char *path, bool intel, struct buf *out)
{
	tools_run(out,
		  "objdump -d %s --no-show-raw-insn '%s' |"
		  " sed -nE 's/^ *([0-9a-f]+:\\t)/\\1/p; s/^\\t\\.\\.\\./.../p'",
		  intel ? "-M intel" : "", path);
}

/* Fails at the first line that differs. Returns how many lines are equal. */
static inline size_t listing_compare_syntax(const char *path, bool intel)
{
	struct listing_files files = { .paths = { path }, .fd = -1 };
	struct disassembler_options options = { .intel = intel,
						.open_image = listing_open,
						.context = &files };
	_cleanup_(disassembler_freep) struct disassembler *disassembler =
		disassembler_new(&options);
	struct buf ours = { 0 }, theirs = { 0 };
	char *our_text, *their_text, *line;
	size_t lines = 0;
	struct err err;

	listing_objdump(path, intel, &theirs);
	if (listing_sections(disassembler, path, &ours, &err) < 0)
		fail_msg("%s: %s", path, err.text);
	our_text = ours.bytes;
	their_text = theirs.bytes;
	while (their_text && (line = tools_line(&their_text))) {
		assert_string_equal(our_text ? strsep(&our_text, "\n") : "nothing", line);
		lines++;
	}
	assert_true(our_text && *our_text == '\0');
	close(files.fd);
	buf_done(&ours);
	buf_done(&theirs);
	return lines;
}

static inline size_t listing_compare(const char *path)
{
	return listing_compare_syntax(path, false);
}

#endif
