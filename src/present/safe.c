/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/safe.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "base/text_width.h"

static const char dots[] = "...";

enum {
	DOTS = sizeof(dots) - 1,
	LEAST_FOLDERS = 6, /* of a path, or they are not worth the dots */
	MOST_GROUPS = 32,  /* pairs of brackets of a name that are looked at */
};

/* Doubles each @quote. Most names consist only of printable ASCII, and are copied at once. */
static void add(struct buf *buf, const char *text, char quote)
{
	while (*text) {
		size_t length = 0;
		uint32_t point;

		while (text[length] >= 0x20 && text[length] < 0x7f && text[length] != quote)
			length++;
		buf_add(buf, text, length);
		text += length;
		if (!*text)
			return;
		length = text_decode(text, &point);
		if (!length || text_commands_terminal(point))
			text_escape_bytes(buf, text, length ? length : 1);
		else
			buf_add(buf, text, length);
		if (*text == quote)
			buf_add_char(buf, quote);
		text += length ? length : 1;
	}
}

void safe_text(struct buf *buf, const char *text)
{
	add(buf, text, '\0');
}

/* The character at a safe text, which is UTF-8: its bytes and the columns it takes. */
static size_t step(const char *text, size_t *ret_width)
{
	uint32_t point = 0;
	size_t length = text_decode(text, &point);

	*ret_width = text_width(point);
	return length ? length : 1;
}

/* The bytes of the longest beginning that has at most @width columns. */
static size_t beginning(const char *text, size_t width)
{
	size_t at = 0, used = 0, next;

	while (text[at]) {
		size_t length = step(text + at, &next);

		used += next;
		if (used > width)
			break;
		at += length;
	}
	return at;
}

/* Where the longest end begins that has at most @width columns. */
static size_t ending(const char *text, size_t width)
{
	size_t at = 0, left = safe_width(text), next;

	while (left > width) {
		at += step(text + at, &next);
		left -= next;
	}
	/* Not with what joins the character before it. */
	while (text[at]) {
		size_t length = step(text + at, &next);

		if (next)
			break;
		at += length;
	}
	return at;
}

void safe_text_cut(struct buf *buf, const char *text, size_t width)
{
	size_t start = buf->size;

	safe_text(buf, text);
	if (safe_width(buf_text(buf) + start) <= width)
		return;
	buf->size = start + beginning(buf->bytes + start, width - DOTS);
	buf_add_str(buf, dots);
}

/* ---- texts without their middle ---- */

/* A pair of brackets of a name that is in no other. */
struct group {
	size_t open, close; /* offsets */
};

/* The length of the word at @text if it is an operator: its brackets are none. */
static size_t operator_length(const char *text)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	if (strncmp(text, word, length) != 0)
		return 0;
	if (strncmp(text + length, "()", 2) == 0)
		return length + 2;
	return length + strspn(text + length, "<>=-+*/%^&|~!,[]");
}

static bool begins_word(const char *text, size_t at)
{
	return !at || (!isalnum((unsigned char)text[at - 1]) && text[at - 1] != '_');
}

/* Returns the number of groups, 0 if brackets do not match. *ret_last: where the last "::" outside
 * of them is; the end if there is none. */
static size_t find_groups(const char *text, struct group *ret_groups, size_t *ret_last)
{
	size_t depth = 0, count = 0, open = 0, skip;

	*ret_last = strlen(text);

	for (size_t i = 0; text[i]; i += skip ? skip : 1) {
		skip = begins_word(text, i) ? operator_length(text + i) : 0;
		if (skip)
			continue;
		if (!depth && strncmp(text + i, "::", 2) == 0)
			*ret_last = i;
		if (strchr("(<[{", text[i]) && depth++ == 0)
			open = i;
		if (!strchr(")>]}", text[i]) || (i && strncmp(text + i - 1, "->", 2) == 0))
			continue;
		if (!depth)
			return 0;
		if (--depth == 0 && count < MOST_GROUPS)
			ret_groups[count++] = (struct group){ open, i };
	}
	return depth ? 0 : count;
}

/* The columns between the brackets. */
static size_t inside(const char *text, const struct group *group)
{
	size_t width = 0, next;

	for (size_t at = group->open + 1; at < group->close; width += next)
		at += step(text + at, &next);
	return width;
}

/* The arguments of a function, or the widest other group; NULL: all are short. */
static const struct group *choose(const char *text, const struct group *groups, size_t count)
{
	const struct group *widest = NULL;
	size_t most = DOTS;

	for (size_t i = count; i-- > 0;) {
		size_t width = inside(text, &groups[i]);
		bool arguments = text[groups[i].open] == '(' &&
				 strncmp(text + groups[i].close + 1, "::", 2) != 0;

		if (arguments && width > DOTS)
			return &groups[i];
		if (width > most) {
			most = width;
			widest = &groups[i];
		}
	}
	return widest;
}

/* Puts dots in place of the bytes from @from to @to, which are at least as many. */
static void put_dots(struct buf *buf, size_t from, size_t to)
{
	size_t rest = buf->size - to;

	memcpy(buf->bytes + from, dots, DOTS);
	memmove(buf->bytes + from + DOTS, buf->bytes + to, rest + 1);
	buf->size = from + DOTS + rest;
}

/* Takes up to @over columns out of a group of the text from @start on. False: none can give any. */
static bool shorten_group(struct buf *buf, size_t start, size_t over)
{
	struct group groups[MOST_GROUPS];
	const char *text = buf->bytes + start;
	size_t width, kept, last;
	const struct group *group = choose(text, groups, find_groups(text, groups, &last));

	if (!group)
		return false;
	width = inside(text, group);
	kept = width > over + DOTS ? width - over - DOTS : 0;
	put_dots(buf, start + group->open + 1 + beginning(text + group->open + 1, kept),
		 start + group->close);
	return true;
}

const char *safe_file_name(const char *text)
{
	const char *slash = *text == '/' ? strrchr(text, '/') : NULL;

	return slash && slash[1] ? slash + 1 : text;
}

/* Where the part of a name begins that says most: the file of a path, the function of a class. */
static const char *last_part(const char *text)
{
	struct group groups[MOST_GROUPS];
	const char *file = safe_file_name(text);
	size_t last;

	if (file != text)
		return file - 1;
	find_groups(text, groups, &last);
	return text + last;
}

/* The columns that the end of a text has, of @room for beginning and end. */
static size_t room_of_end(const char *text, size_t room)
{
	size_t part = safe_width(last_part(text));

	return part > room / 2 && part <= room ? part : room / 2;
}

static void cut_middle(struct buf *buf, size_t start, size_t width)
{
	const char *text = buf->bytes + start;
	size_t room = width > DOTS ? width - DOTS : 0;
	size_t end = room_of_end(text, room);

	put_dots(buf, start + beginning(text, room - end), start + ending(text, end));
}

/* Only the file of a path, unless some of its folders can stay. */
static void shorten_path(struct buf *buf, size_t start, size_t width)
{
	const char *name = safe_file_name(buf->bytes + start);
	size_t length = strlen(name);

	if (safe_width(name) + DOTS + LEAST_FOLDERS > width) {
		memmove(buf->bytes + start, name, length + 1);
		buf->size = start + length;
	}
	if (safe_width(buf->bytes + start) > width)
		cut_middle(buf, start, width);
}

void safe_text_middle(struct buf *buf, const char *text, size_t width)
{
	size_t start = buf->size, has;
	size_t tries = MOST_GROUPS;

	safe_text(buf, text);
	if (*text == '/' && safe_width(buf->bytes + start) > width) {
		shorten_path(buf, start, width);
		return;
	}
	do {
		has = safe_width(buf_text(buf) + start);
	} while (has > width && tries-- && shorten_group(buf, start, has - width));
	if (has > width)
		cut_middle(buf, start, width);
}

void safe_csv(struct buf *buf, const char *text)
{
	bool quote = strpbrk(text, ",\"") != NULL;

	if (quote)
		buf_add_char(buf, '"');
	add(buf, text, '"');
	if (quote)
		buf_add_char(buf, '"');
}

size_t safe_width(const char *text)
{
	size_t width = 0, at = 0, next;

	/* Most texts are ASCII. */
	while (text[at] && (unsigned char)text[at] < 0x80)
		at++;
	width = at;
	for (; text[at]; width += next)
		at += step(text + at, &next);
	return width;
}
