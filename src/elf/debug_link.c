/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/debug_link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/stream.h"

enum {
	MOST_LINK_BYTES = DEBUG_LINK_MAX + 8,
	/* The symbols of the largest programs take a tenth of this. */
	MOST_EMBEDDED_BYTES = 256 << 20,
};

bool debug_link_read(const struct elf_file *file, struct debug_link *ret_link)
{
	const struct elf_section *section = elf_file_find(file, ".gnu_debuglink");
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader reader;
	const char *name;

	if (!section || section->size > MOST_LINK_BYTES ||
	    elf_file_read(file, section, &bytes, NULL) < 0)
		return false;
	reader = elf_file_reader(file, bytes, section->size);
	name = reader_cstr(&reader);
	reader_bytes(&reader, -(strlen(name) + 1) & 3); /* the checksum is aligned */
	ret_link->checksum = reader_u32(&reader);
	if (reader.bad || !*name || strchr(name, '/') || strlen(name) >= DEBUG_LINK_MAX)
		return false;
	snprintf(ret_link->name, sizeof(ret_link->name), "%s", name);
	return true;
}

/* Compressed input in one piece. */
struct packed {
	const void *bytes;
	size_t size;
};

static int give_in(void *context, const void **ret_bytes, size_t *ret_size)
{
	struct packed *packed = context;

	*ret_bytes = packed->bytes;
	*ret_size = packed->size;
	packed->size = 0;
	return 0;
}

static int take_out(void *context, const void *bytes, size_t size)
{
	buf_add(context, bytes, size);
	return 0;
}

int debug_link_embedded(const struct elf_file *file, uint8_t **ret_bytes, size_t *ret_size,
			struct err *err)
{
	const struct elf_section *section = elf_file_find(file, ".gnu_debugdata");
	_cleanup_free_ uint8_t *bytes = NULL;
	struct buf plain = { 0 };
	struct packed packed;
	struct stream_inflate inflate = { .method = STREAM_XZ,
					  .source = give_in,
					  .source_context = &packed,
					  .sink = take_out,
					  .sink_context = &plain,
					  .most_bytes = MOST_EMBEDDED_BYTES };
	int rc;

	if (!section)
		return err_set(err, -ENODATA, "no embedded symbols");
	rc = elf_file_read(file, section, &bytes, err);
	if (rc < 0)
		return rc;
	packed = (struct packed){ bytes, section->size };
	rc = stream_inflate(&inflate, err);
	if (rc < 0) {
		buf_done(&plain);
		return rc;
	}
	*ret_bytes = (uint8_t *)plain.bytes;
	*ret_size = plain.size;
	return 0;
}
