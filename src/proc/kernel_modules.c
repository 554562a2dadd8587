/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/kernel_modules.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/file.h"
#include "base/reader.h"

enum { MODULES_MAX_BYTES = 4 << 20, NOTES_MAX_BYTES = 64 << 10 };

/* "name size references users state address taints", proc(5). */
static bool parse_line(const char *line, struct kernel_module *ret_module)
{
	return sscanf(line, "%63s %" SCNu64 " %*s %*s %*s %" SCNx64, ret_module->name,
		      &ret_module->size, &ret_module->base) == 3 &&
	       ret_module->base != 0;
}

DEFINE_ORDER(by_base, struct kernel_module, COMPARE(a->base, b->base))

int kernel_modules_read(const char *path, struct kernel_modules *ret_modules)
{
	struct kernel_modules modules = { 0 };
	struct buf buf = { 0 };
	int rc = file_read(path, MODULES_MAX_BYTES, &buf);
	char *rest = buf.bytes, *line;

	while (rc == 0 && rest && (line = strsep(&rest, "\n"))) {
		struct kernel_module module;

		if (parse_line(line, &module))
			*vec_push(&modules.list) = module;
	}
	buf_done(&buf);
	if (rc < 0 && rc != -ENOENT)
		return rc;
	if (modules.list.count)
		qsort(modules.list.items, modules.list.count, sizeof(*modules.list.items), by_base);
	*ret_modules = modules;
	return 0;
}

void kernel_modules_done(struct kernel_modules *modules)
{
	vec_free(&modules->list);
}

static size_t padded(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

/* ELF gABI "Note Section"; the build id is the GNU note of type NT_GNU_BUILD_ID. */
void kernel_modules_parse_notes(const void *bytes, size_t size, struct elf_build_id *ret_id)
{
	struct reader reader = reader_make(bytes, size);

	ret_id->size = 0;
	while (reader_left(&reader) && !reader.bad) {
		uint32_t name_size = reader_u32(&reader);
		uint32_t data_size = reader_u32(&reader);
		uint32_t type = reader_u32(&reader);
		const char *name = reader_bytes(&reader, padded(name_size));
		const uint8_t *data = reader_bytes(&reader, padded(data_size));

		if (!data || !name || type != NT_GNU_BUILD_ID || name_size != 4 ||
		    memcmp(name, "GNU", 4) != 0 || !data_size || data_size > BUILD_ID_MAX)
			continue;
		memcpy(ret_id->bytes, data, data_size);
		ret_id->size = (uint8_t)data_size;
		return;
	}
}

void kernel_modules_build_id(const char *sys, const char *module, struct elf_build_id *ret_id)
{
	struct buf notes = { 0 };
	char path[PATH_MAX];

	ret_id->size = 0;
	if (module)
		snprintf(path, sizeof(path), "%s/module/%s/notes/.note.gnu.build-id", sys, module);
	else
		snprintf(path, sizeof(path), "%s/kernel/notes", sys);
	if (file_read(path, NOTES_MAX_BYTES, &notes) == 0)
		kernel_modules_parse_notes(notes.bytes, notes.size, ret_id);
	buf_done(&notes);
}

uint64_t kernel_modules_text(const char *sys, const char *module)
{
	struct buf text = { 0 };
	char path[PATH_MAX];
	uint64_t address = 0;

	snprintf(path, sizeof(path), "%s/module/%s/sections/.text", sys, module);
	if (file_read(path, NOTES_MAX_BYTES, &text) == 0)
		address = strtoull(buf_text(&text), NULL, 16);
	buf_done(&text);
	return address;
}
