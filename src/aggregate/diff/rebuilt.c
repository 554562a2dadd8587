/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/rebuilt.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

/* ---- names across rebuilds ---- */

/* What follows the name of a part. */
enum tail {
	TAIL_NONE,   /* nothing, or a number */
	TAIL_NUMBER, /* a number; without one it is an ordinary name */
	TAIL_HASH,   /* digits, also hexadecimal */
};

struct part {
	const char *name;
	enum tail tail;
};

/* The parts and clones that compilers make of functions. */
static const struct part parts[] = {
	{ ".cold", TAIL_NONE },		 { ".hot", TAIL_NONE },	      { ".unlikely", TAIL_NONE },
	{ ".isra", TAIL_NONE },		 { ".constprop", TAIL_NONE }, { ".part", TAIL_NONE },
	{ ".clone", TAIL_NUMBER },	 { ".lto_priv", TAIL_NONE },  { ".localalias", TAIL_NONE },
	{ ".specialized", TAIL_NUMBER }, { ".argprom", TAIL_NONE },   { ".llvm", TAIL_HASH },
	{ ".__uniq", TAIL_HASH },	 { ".extracted", TAIL_NONE },
};

/* The text before a number that counts unnamed things. */
static const char *const counted[] = {
	"{lambda(", "{closure#", "{unnamed type#", "{shim:", "{unnamed#",
	"'lambda",  "._omp_fn.", ".omp_outlined.", "$_",
};

static bool ends_part(char byte)
{
	return !byte || byte == '.' || byte == ']' || byte == ';' || byte == '@' || byte == ' ' ||
	       byte == '-';
}

static size_t digits(const char *text, enum tail tail)
{
	size_t length = strspn(text, "0123456789");
	size_t hex = strspn(text, "0123456789abcdef");

	return tail == TAIL_HASH && hex >= 8 ? hex : length;
}

/* The length of the part and its number at @text; 0: none. */
static size_t part_length(const char *text)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t length = strlen(parts[i].name), number;

		if (strncmp(text, parts[i].name, length) != 0 || !ends_part(text[length]))
			continue;
		number = text[length] == '.' ? digits(text + length + 1, parts[i].tail) : 0;
		if (number && ends_part(text[length + 1 + number]))
			return length + 1 + number;
		if (parts[i].tail == TAIL_NONE)
			return length;
	}
	return 0;
}

/* " [clone .isra.0]", one or more, as demanglers write it. */
static size_t clone_length(const char *text)
{
	static const char begin[] = " [clone ";
	size_t at = strlen(begin);

	if (strncmp(text, begin, at) != 0)
		return 0;
	while (text[at] != ']') {
		size_t part = part_length(text + at);

		if (!part && text[at] == '.' && isdigit((unsigned char)text[at + 1]))
			part = 1 + strspn(text + at + 1, "0123456789");
		if (!part)
			return 0;
		at += part;
	}
	return at + 1;
}

/* 17h0123456789abcdefE in a mangled Rust name, ::h0123456789abcdef in a demangled one. */
static size_t rust_length(const char *text)
{
	static const char mangled[] = "17h", readable[] = "::h";
	bool is_mangled = strncmp(text, mangled, 3) == 0;
	size_t end = 3;

	if (!is_mangled && strncmp(text, readable, 3) != 0)
		return 0;
	end += strspn(text + 3, "0123456789abcdef");
	if (end != 3 + 16)
		return 0;
	if (is_mangled)
		return text[end] == 'E' && ends_part(text[end + 1]) ? end : 0;
	return ends_part(text[end]) ? end : 0;
}

/* "[0123456789abcdef]" after the name of a Rust crate. */
static size_t crate_length(const char *text)
{
	size_t hex = *text == '[' ? strspn(text + 1, "0123456789abcdef") : 0;

	return hex >= 8 && hex <= 16 && text[1 + hex] == ']' ? hex + 2 : 0;
}

/* _GLOBAL__N_1 and other names of an anonymous namespace. */
static size_t namespace_length(const char *text)
{
	static const char *const ways[] = { "(anonymous namespace)", "{anonymous}",
					    "`anonymous namespace'", "_GLOBAL__N_1",
					    "_GLOBAL__N_" };

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		size_t length = strlen(ways[i]);

		if (strncmp(text, ways[i], length) == 0)
			return length;
	}
	return 0;
}

static size_t removed_length(const char *text)
{
	size_t length = *text == '.' ? part_length(text) : 0;

	if (!length && *text == ' ')
		length = clone_length(text);
	if (!length && (*text == '1' || *text == ':'))
		length = rust_length(text);
	if (!length && *text == '[')
		length = crate_length(text);
	return length;
}

/* True if the number after @text[0..at) counts unnamed things, such as lambdas or closures. */
static bool is_counted(const char *text, size_t at)
{
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		size_t length = strlen(counted[i]);

		if (at >= length && strncmp(text + at - length, counted[i], length) == 0)
			return true;
	}
	return false;
}

/* Go numbers the functions in a function: main.serve.func2.1. */
static size_t go_number(const char *text, size_t at)
{
	static const char word[] = ".func";
	size_t length = strlen(word), end;

	if (at <= length || strncmp(text + at - length, word, length) != 0)
		return 0;
	end = strspn(text + at, "0123456789.");
	return ends_part(text[at + end]) ? end : 0;
}

/* The length of the number at @at if it is not part of the name, else 0. */
static size_t number_length(const char *text, size_t at)
{
	size_t length = strspn(text + at, "0123456789");

	if (text[at] == '#' && isdigit((unsigned char)text[at + 1])) {
		length = 1 + strspn(text + at + 1, "0123456789");
		return text[at + length] == '}' ? length : 0;
	}
	if (!length)
		return 0;
	return is_counted(text, at) ? length : go_number(text, at);
}

void rebuilt_name_of_function(const char *name, struct buf *buf)
{
	size_t at = 0;

	while (name[at]) {
		size_t length = namespace_length(name + at);

		if (length) {
			buf_add_str(buf, "(anonymous namespace)");
			at += length;
			continue;
		}
		/* A name cannot begin with a removable part. */
		length = at ? removed_length(name + at) : 0;
		if (!length && at)
			length = number_length(name, at);
		if (!length)
			buf_add_char(buf, name[at]);
		at += length ? length : 1;
	}
}

void rebuilt_name_of_stack(const char *names, struct buf *buf)
{
	struct buf name = { 0 };

	for (;;) {
		size_t length = strcspn(names, ";");

		buf_clear(&name);
		buf_add(&name, names, length);
		rebuilt_name_of_function(buf_text(&name), buf);
		names += length;
		if (!*names)
			break;
		buf_add_char(buf, *names++);
	}
	buf_done(&name);
}

/* The length of the version at @text, such as "-1.2", ".3" or "3.11"; 0: none. */
static size_t version_length(const char *text)
{
	size_t separators = strspn(text, "-._"), end = separators;

	if (separators > 1 || !isdigit((unsigned char)text[end]))
		return 0;
	while (isdigit((unsigned char)text[end]) ||
	       (text[end] && strchr("._-", text[end]) && isdigit((unsigned char)text[end + 1])))
		end++;
	/* A number directly after a letter may be part of the name: bzip2, but python3.11. */
	if (!separators && !memchr(text, '.', end))
		return 0;
	return !text[end] || strchr(".-_", text[end]) ? end : 0;
}

void rebuilt_name_of_image(const char *path, struct buf *buf)
{
	const char *base = *path == '[' ? path : file_base(path);

	for (size_t at = 0; base[at];) {
		size_t length = *base != '[' && at ? version_length(base + at) : 0;

		if (!length)
			buf_add_char(buf, base[at]);
		at += length ? length : 1;
	}
}

void rebuilt_base_name(const char *path, struct buf *buf)
{
	buf_add_str(buf, *path == '[' ? path : file_base(path));
}

/* ---- matches ---- */

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
	{ "image", rebuilt_name_of_image, rebuilt_base_name, false },
	{ "program", rebuilt_name_of_image, NULL, false },
	{ "exe", rebuilt_name_of_image, rebuilt_base_name, false },
	{ "line", rebuilt_base_name, NULL, false },
	{ "source", rebuilt_base_name, NULL, false },
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

str_id rebuilt_match_add_place(struct rebuilt_match *match, const struct rebuilt_place *place,
			       enum diff_side side)
{
	struct rebuilt_placed placed = { intern(match, place->text), intern(match, place->between),
					 0 };
	struct buf text = { 0 };
	str_id id;

	/* No text of a profile has line ends. */
	buf_printf(&text, "build\n%s", place->build);
	if (*place->build)
		placed.build = rebuilt_match_add(match, buf_text(&text), side);
	buf_clear(&text);
	buf_printf(&text, "%s\n%s\n%s", place->text, place->between, place->build);
	id = rebuilt_match_add(match, buf_text(&text), side);
	buf_done(&text);
	while (match->place_of.count <= id)
		*vec_push(&match->place_of) = 0;
	if (!match->place_of.items[id]) {
		*vec_push(&match->places) = placed;
		match->place_of.items[id] = (uint32_t)match->places.count;
	}
	return id;
}

static const struct rebuilt_placed *place_of(const struct rebuilt_match *match, str_id text)
{
	uint32_t place = text < match->place_of.count ? match->place_of.items[text] : 0;

	return place ? &match->places.items[place - 1] : NULL;
}

void rebuilt_match_command(struct rebuilt_match *match, const char *text, enum diff_side side)
{
	match->command[side] = intern(match, text);
}

void rebuilt_match_executable(struct rebuilt_match *match, const char *text, const char *executable,
			      enum diff_side side)
{
	str_id id = intern(match, text);

	while (match->executables.count <= id)
		*vec_push(&match->executables) = 0;
	match->executables.items[id] = intern(match, executable);
	match->has_executables[side] = true;
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

/* The name of the executable of a program that one side has, if the other side names a program by
 * it; 0: none. */
static str_id named_by_executable(const struct rebuilt_match *match, str_id text)
{
	str_id name = text < match->executables.count ? match->executables.items[text] : 0;
	uint8_t here = match->sides.items[text], there = BOTH_SIDES & ~here;
	enum diff_side other = there == 1 << DIFF_OLD ? DIFF_OLD : DIFF_NEW;

	if (match->exact || !name || name == text || !here || here == BOTH_SIDES ||
	    !(match->sides.items[name] & there))
		return 0;
	return match->sides.items[name] == there || !match->has_executables[other] ? name : 0;
}

/* True if the text is the command of the old side only, and the new command is only on the new
 * side. */
static bool is_old_command(const struct rebuilt_match *match, str_id text)
{
	const str_id *command = match->command;

	return !match->exact && text && text == command[DIFF_OLD] && command[DIFF_NEW] &&
	       match->sides.items[text] == 1 << DIFF_OLD &&
	       match->sides.items[command[DIFF_NEW]] == 1 << DIFF_NEW &&
	       named_by_executable(match, command[DIFF_NEW]) != text;
}

/* True if the place means itself. */
static bool is_same_place(const struct rebuilt_match *match, str_id text,
			  const struct rebuilt_placed *place)
{
	return match->exact || is_on_both_sides(match, text) ||
	       (place->build && is_on_both_sides(match, place->build));
}

static str_id find_meaning(struct rebuilt_match *match, const struct way *way,
			   const uint8_t *moved_sides, str_id text)
{
	str_id name = named_by_executable(match, text);
	const struct rebuilt_placed *place = place_of(match, text);

	if (place)
		return is_same_place(match, text, place)
			       ? text
			       : made_of(match, place->between, way->rebuilt);
	if (is_old_command(match, text))
		return find_meaning(match, way, moved_sides, match->command[DIFF_NEW]);
	if (name)
		text = name;
	if (is_plain(match, way, text))
		return text;
	if (way->moved && moved_sides) {
		str_id moved = made_of(match, text, way->moved);

		if (moved_sides[moved] == BOTH_SIDES)
			return moved;
	}
	return made_of(match, text, way->rebuilt);
}

/* ---- what is shown ---- */

static const char place_mark[] = "+0x";

/* The length of the file's name in the text of a place; 0: it is not of one function. */
static size_t file_length(const char *text)
{
	const char *mark = strstr(text, place_mark);

	for (const char *next = mark; next; next = strstr(next + 1, place_mark))
		mark = next;
	return mark && !strchr(text, ';') ? (size_t)(mark - text) : 0;
}

static uint64_t start_of(const char *text, size_t file)
{
	return strtoull(text + file + strlen(place_mark), NULL, 16);
}

/* The places of one meaning. */
struct range {
	str_id text; /* of the first; 0: none */
	enum diff_side side;
	size_t file;
	uint64_t low, high;
	bool others; /* also in other files, or places that are no functions */
};

static void add_to_range(const struct rebuilt_match *match, struct range *range, str_id text,
			 enum diff_side side)
{
	const char *name = strpool_get(&match->texts, text);
	size_t file = file_length(name);
	uint64_t start = file ? start_of(name, file) : 0;

	if (!range->text || side != range->side) {
		*range = (struct range){ text, side, file, start, start, false };
		return;
	}
	if (!file || file != range->file ||
	    strncmp(name, strpool_get(&match->texts, range->text), file) != 0) {
		range->others = true;
		return;
	}
	range->low = start < range->low ? start : range->low;
	range->high = start > range->high ? start : range->high;
}

static str_id range_text(struct rebuilt_match *match, const struct range *range)
{
	const char *first = strpool_get(&match->texts, range->text);
	struct buf text = { 0 };
	str_id id = range->text;

	if (range->low < range->high)
		buf_printf(&text, "%.*s%s%" PRIx64 "..0x%" PRIx64, (int)range->file, first,
			   place_mark, range->low, range->high);
	else
		buf_add_str(&text, first);
	if (range->others)
		buf_add_str(&text, ", ...");
	id = intern(match, buf_text(&text));
	buf_done(&text);
	return id;
}

/* A place shows its own text, and the meaning of several shows those of the new side. */
static void show_places(struct rebuilt_match *match)
{
	size_t count = match->meaning.count, meant;
	VEC(struct range) ranges = { 0 };

	for (str_id text = 0; text < match->sides.count; text++) {
		const struct rebuilt_placed *place = place_of(match, text);

		*vec_push(&match->shown) = place ? place->text : text;
		*vec_push(&ranges) = (struct range){ 0 };
	}
	meant = ranges.count;
	for (int side = DIFF_OLD; side < DIFF_SIDES; side++) {
		for (str_id text = 0; text < count; text++) {
			const struct rebuilt_placed *place = place_of(match, text);

			if (place && match->meaning.items[text] != text &&
			    match->sides.items[text] & 1 << side)
				add_to_range(match, &ranges.items[match->meaning.items[text]],
					     place->text, (enum diff_side)side);
		}
	}
	for (str_id text = 0; text < meant; text++) {
		/* Code that is known only by its file keeps that text. */
		if (ranges.items[text].text && !match->sides.items[text])
			match->shown.items[text] = range_text(match, &ranges.items[text]);
	}
	vec_free(&ranges);
}

const char *rebuilt_match_shown(const struct rebuilt_match *match, str_id text)
{
	return strpool_get(&match->texts,
			   text < match->shown.count ? match->shown.items[text] : text);
}

const char *rebuilt_match_between(const struct rebuilt_match *match, str_id text)
{
	const struct rebuilt_placed *place = place_of(match, text);

	return strpool_get(&match->texts, place ? place->between : text);
}

void rebuilt_match_settle(struct rebuilt_match *match)
{
	const struct way *way = way_of(match);
	size_t count = match->sides.count;
	_cleanup_free_ uint8_t *moved_sides =
		way && way->moved ? sides_of_moved(match, way, count) : NULL;

	for (str_id text = 0; text < count; text++)
		*vec_push(&match->meaning) = find_meaning(match, way, moved_sides, text);
	show_places(match);
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
	vec_free(&match->executables);
	vec_free(&match->places);
	vec_free(&match->place_of);
	vec_free(&match->shown);
}
