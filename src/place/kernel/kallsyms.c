/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/xalloc.h"

/* Names of the kernel have at most 511 characters (KSYM_NAME_LEN), names of modules 55. */
enum { LINE_MAX_BYTES = 1024, CHUNK_BYTES = 64 * 1024 };

static int digit(char character)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	if (character >= 'a' && character <= 'f')
		return character - 'a' + 10;
	return -1;
}

/* Much faster than strtoull, for 120,000 lines. Returns the text after the digits, or NULL if there
 * are none or too many. */
static char *parse_address(char *text, uint64_t *ret_address)
{
	uint64_t address = 0;
	int count = 0;

	for (; count <= 16 && digit(text[count]) >= 0; count++)
		address = address << 4 | (uint64_t)digit(text[count]);
	if (count == 0 || count > 16)
		return NULL;
	*ret_address = address;
	return text + count;
}

/* Splits "[module]" from the name and returns it; "": there is none. */
static const char *split_module(char *name)
{
	char *tab = strchr(name, '\t');
	char *open = tab ? strchr(tab, '[') : NULL;
	char *close = open ? strchr(open, ']') : NULL;

	if (!tab)
		return "";
	*tab = '\0';
	if (!close)
		return "";
	*close = '\0';
	return open + 1;
}

int kallsyms_parse(char *line, struct kallsyms_line *ret_line)
{
	struct kallsyms_line parsed;
	char *at = parse_address(line, &parsed.address);

	if (!at || at[0] != ' ' || at[1] <= ' ' || at[2] != ' ' || at[3] <= ' ')
		return -EINVAL;
	parsed.type = at[1];
	parsed.name = at + 3;
	parsed.module = split_module(at + 3);
	*ret_line = parsed;
	return 0;
}

bool kallsyms_is_code(const struct kallsyms_line *line)
{
	char kind = line->type | 0x20;

	return (kind == 't' || kind == 'w' || kind == 'i') && line->name[0] != '$' &&
	       !(line->name[0] == '.' && line->name[1] == 'L');
}

/* A file being read, line by line. */
struct lines {
	int fd;
	size_t at, size; /* the part of bytes not yet returned */
	char bytes[CHUNK_BYTES + 1];
};

/* Moves the rest to the front and reads more after it. Returns as read(2) does, or -errno. */
static ssize_t refill(struct lines *lines)
{
	ssize_t got;

	memmove(lines->bytes, lines->bytes + lines->at, lines->size - lines->at);
	lines->size -= lines->at;
	lines->at = 0;
	do
		got = read(lines->fd, lines->bytes + lines->size, CHUNK_BYTES - lines->size);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	lines->size += (size_t)got;
	return got;
}

/* The next line, NUL-terminated, borrowed until the next call. 1, 0 at the end, or -errno. */
static int next_line(struct lines *lines, char **ret_line)
{
	char *start = lines->bytes + lines->at;
	char *newline = memchr(start, '\n', lines->size - lines->at);
	ssize_t got;

	while (!newline) {
		if (lines->size - lines->at > LINE_MAX_BYTES)
			return -EINVAL;
		got = refill(lines);
		if (got < 0)
			return (int)got;
		start = lines->bytes;
		newline = memchr(start, '\n', lines->size);
		if (got == 0 && !newline) {
			if (!lines->size)
				return 0;
			newline = lines->bytes + lines->size++;
		}
	}
	*newline = '\0';
	lines->at = (size_t)(newline + 1 - lines->bytes);
	*ret_line = start;
	return 1;
}

int kallsyms_read(const char *path, void (*visit)(void *context, const struct kallsyms_line *line),
		  void *context, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_free_ struct lines *lines = NULL;
	struct kallsyms_line parsed;
	char *line;
	int rc;

	if (fd < 0)
		return err_set(err, -errno, "%s: cannot open: %s", path, strerror(errno));
	lines = xmalloc(sizeof(*lines));
	lines->fd = fd;
	lines->at = lines->size = 0;
	while ((rc = next_line(lines, &line)) > 0) {
		rc = kallsyms_parse(line, &parsed);
		if (rc < 0)
			break;
		visit(context, &parsed);
	}
	if (rc == -EINVAL)
		return err_set(err, rc, "%s: not a list of kernel symbols", path);
	if (rc < 0)
		return err_set(err, rc, "%s: cannot read: %s", path, strerror(-rc));
	return 0;
}
