/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/jit_lines_mend.h"

#include <string.h>

#include "place/jit/jit_lines.h"

enum {
	LINE_BYTES = 16, /* of a line, before the name of its file */
	LINE_AT = 8,	 /* line number */
	LOST_BYTES = 16, /* overwritten by the allocator in freed memory */
};

struct mending {
	const char *name;   /* of the piece */
	size_t path_end;    /* end of the path in it */
	uint64_t low, high; /* of addresses */
	char *lines;
	size_t size;
};

/* True if a line can begin there. */
static bool is_line(const struct mending *mending, size_t at)
{
	uint64_t address;

	if (mending->size < LINE_BYTES || at > mending->size - LINE_BYTES)
		return false;
	memcpy(&address, mending->lines + at, sizeof(address));
	return address >= mending->low && address <= mending->high;
}

/* The start of the line after the one whose name is at @name_at. */
static size_t next_line(const struct mending *mending, size_t name_at)
{
	size_t at = name_at + 1;

	while (at < mending->size && (mending->lines[at - 1] != '\0' || !is_line(mending, at)))
		at++;
	return at;
}

/* True if [@at, @end) is exactly a name of that length and its NUL. The last name may have padding
 * after it. */
static bool has_length(const struct mending *mending, size_t at, size_t end, bool last,
		       size_t length)
{
	size_t taken = at + length + 1;

	return taken == end ||
	       (last && taken < end && jit_lines_is_padding(mending->lines + taken, end - taken));
}

/* Both the path and the text before it may contain blanks: the length says where the path
 * begins. */
static bool put_path(const struct mending *mending, size_t at, size_t end, bool last)
{
	char *file = mending->lines + at;

	for (size_t length = end - at - 1;
	     length > LOST_BYTES && has_length(mending, at, end, last, length); length--) {
		const char *path;

		if (length >= mending->path_end)
			continue;
		path = mending->name + mending->path_end - length;
		if (path[-1] != ' ' || file[length] ||
		    memcmp(file + LOST_BYTES, path + LOST_BYTES, length - LOST_BYTES) != 0)
			continue;
		memcpy(file, path, length);
		return true;
	}
	return false;
}

static bool is_sound(const struct mending *mending, size_t at, size_t end, bool last)
{
	const char *file = mending->lines + at;
	size_t length = strnlen(file, end - at);

	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)file[i] < ' ' || file[i] == 0x7f)
			return false;
	}
	return length < end - at && has_length(mending, at, end, last, length);
}

/* The name is lost: fills it with '?' and sets the line number to 0. */
static void give_up(const struct mending *mending, size_t at, size_t end)
{
	memset(mending->lines + at - LINE_BYTES + LINE_AT, 0, sizeof(uint32_t));
	memset(mending->lines + at, '?', end - at - 1);
	mending->lines[end - 1] = '\0';
}

/* The start of ":LINE:COLUMN" at the end of a name; 0: there is none. */
static size_t end_of_path(const char *name)
{
	static const char digits[] = "0123456789";
	size_t end = strlen(name);

	for (int i = 0; i < 2; i++) {
		size_t at = end;

		while (at > 0 && strchr(digits, name[at - 1]))
			at--;
		if (at == 0 || at == end || name[at - 1] != ':')
			return 0;
		end = at - 1;
	}
	return end;
}

bool jit_lines_mend(const struct jitdump_header *header, const struct jitdump_record *record,
		    const char *name, uint64_t code_size, char *lines)
{
	struct mending mending = { .name = name,
				   .path_end = end_of_path(name),
				   .low = record->start + jit_lines_header_size(header),
				   .size = record->lines_size };
	size_t at = 0;

	mending.lines = lines;
	mending.high = mending.low + code_size;
	if (header->swapped || !mending.path_end)
		return false;
	for (uint64_t i = 0; i < record->line_count; i++) {
		bool last = i + 1 == record->line_count;
		size_t name_at = at + LINE_BYTES;

		if (!is_line(&mending, at) || name_at >= mending.size)
			return false;
		at = last ? mending.size : next_line(&mending, name_at);
		if (!is_sound(&mending, name_at, at, last) &&
		    !put_path(&mending, name_at, at, last))
			give_up(&mending, name_at, at);
	}
	return true;
}
