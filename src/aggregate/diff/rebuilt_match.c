/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/rebuilt_match.h"

#include <string.h>

#include "aggregate/diff/rebuilt_name.h"
#include "base/cleanup.h"
#include "base/file.h"

enum { BOTH_SIDES = 1 << DIFF_OLD | 1 << DIFF_NEW };

/* How texts of a key are compared across rebuilds. */
struct way {
	const char *key;
	/* Appends the text to compare. */
	void (*rebuilt)(const char *text, struct buf *buf);
	/* Appends a text to compare first; it counts if both sides have it. NULL: none. */
	void (*moved)(const char *text, struct buf *buf);
	bool always; /* also texts on both sides without an address: they may be parts */
};

static const char address_mark[] = "@0x";

static void moved_image(const char *path, struct buf *buf)
{
	buf_add_str(buf, *path == '[' ? path : file_base(path));
}

/* Drops the address that distinguishes functions of one name: it changes with each build. */
static void rebuilt_function(const char *text, struct buf *buf)
{
	const char *mark = strstr(text, address_mark);
	struct buf plain = { 0 };

	for (const char *next = mark; next; next = strstr(next + 1, address_mark))
		mark = next;
	buf_add(&plain, text, mark ? (size_t)(mark - text) : strlen(text));
	rebuilt_name_of_function(buf_text(&plain), buf);
	buf_done(&plain);
}

static const struct way ways[] = {
	{ "symbol", rebuilt_function, NULL, true },
	{ "function", rebuilt_function, NULL, true },
	{ "inline", rebuilt_function, NULL, true },
	{ "stack", rebuilt_name_of_stack, NULL, true },
	{ "image", rebuilt_name_of_image, moved_image, false },
	{ "program", rebuilt_name_of_image, NULL, false },
	{ "line", rebuilt_name_of_line, NULL, false },
	{ "source", rebuilt_name_of_line, NULL, false },
};

static const struct way *way_of(const struct rebuilt_match *match)
{
	for (size_t i = 0; !match->exact && i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(ways[i].key, match->key->name) == 0)
			return &ways[i];
	}
	return NULL;
}

static str_id intern(struct rebuilt_match *match, const char *text)
{
	str_id id = strpool_intern(&match->texts, text);

	while (match->sides.count <= id)
		*vec_push(&match->sides) = 0;
	return id;
}

str_id rebuilt_match_add(struct rebuilt_match *match, const char *text, enum diff_side side)
{
	str_id id = intern(match, text);

	match->sides.items[id] |= (uint8_t)(1 << side);
	return id;
}

void rebuilt_match_command(struct rebuilt_match *match, const char *text, enum diff_side side)
{
	match->command[side] = intern(match, text);
}

static str_id made_of(struct rebuilt_match *match, str_id text,
		      void (*make)(const char *text, struct buf *buf))
{
	struct buf made = { 0 };
	str_id id;

	make(strpool_get(&match->texts, text), &made);
	id = intern(match, buf_text(&made));
	buf_done(&made);
	return id;
}

static bool is_on_both_sides(const struct rebuilt_match *match, str_id text)
{
	return match->sides.items[text] == BOTH_SIDES;
}

/* True if a text means itself. */
static bool is_plain(const struct rebuilt_match *match, const struct way *way, str_id text)
{
	if (!way)
		return true;
	if (!is_on_both_sides(match, text))
		return false;
	return !way->always || strstr(strpool_get(&match->texts, text), address_mark);
}

/* By moved text: the sides that have it. Only of texts that do not mean themselves. */
static uint8_t *sides_of_moved(struct rebuilt_match *match, const struct way *way, size_t count)
{
	VEC(uint8_t) sides = { 0 };

	*vec_push(&sides) = 0;
	for (str_id text = 0; text < count; text++) {
		str_id moved;

		if (is_plain(match, way, text))
			continue;
		moved = made_of(match, text, way->moved);
		while (sides.count < match->sides.count)
			*vec_push(&sides) = 0;
		sides.items[moved] |= match->sides.items[text];
	}
	return sides.items;
}

/* True if the text is the command of the old side only, and the new command is only on the new
 * side. */
static bool is_old_command(const struct rebuilt_match *match, str_id text)
{
	const str_id *command = match->command;

	return !match->exact && text && text == command[DIFF_OLD] && command[DIFF_NEW] &&
	       match->sides.items[text] == 1 << DIFF_OLD &&
	       match->sides.items[command[DIFF_NEW]] == 1 << DIFF_NEW;
}

static str_id find_meaning(struct rebuilt_match *match, const struct way *way,
			   const uint8_t *moved_sides, str_id text)
{
	if (is_old_command(match, text))
		return find_meaning(match, way, moved_sides, match->command[DIFF_NEW]);
	if (is_plain(match, way, text))
		return text;
	if (way->moved && moved_sides) {
		str_id moved = made_of(match, text, way->moved);

		if (moved_sides[moved] == BOTH_SIDES)
			return moved;
	}
	return made_of(match, text, way->rebuilt);
}

void rebuilt_match_settle(struct rebuilt_match *match)
{
	const struct way *way = way_of(match);
	size_t count = match->sides.count;
	_cleanup_free_ uint8_t *moved_sides =
		way && way->moved ? sides_of_moved(match, way, count) : NULL;

	for (str_id text = 0; text < count; text++)
		*vec_push(&match->meaning) = find_meaning(match, way, moved_sides, text);
}

str_id rebuilt_match_meaning(const struct rebuilt_match *match, str_id text)
{
	return match->meaning.items[text];
}

void rebuilt_match_done(struct rebuilt_match *match)
{
	strpool_done(&match->texts);
	vec_free(&match->sides);
	vec_free(&match->meaning);
}
