/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/spelling/name_pattern.h"

#include <fnmatch.h>
#include <string.h>

#include "base/scan.h"

static const char operator_word[] = "operator";
static const char anonymous[] = "(anonymous namespace)";

/* The length of "operator" and the signs after it, at @at; 0: there is none. */
static size_t operator_length(const char *name, const char *at)
{
	size_t length = sizeof(operator_word) - 1;

	if (strncmp(at, operator_word, length) != 0 || scan_is_word(at[length]) ||
	    (at > name && scan_is_word(at[-1])))
		return 0;
	if (strncmp(at + length, "()", 2) == 0 || strncmp(at + length, "[]", 2) == 0)
		return length + 2;
	if (at[length] == ' ') /* operator new, operator bool */
		return length + 1;
	return length + strspn(at + length, "<>=!+-*/%^&|~,");
}

/* A walk over a readable name that tracks the depth of brackets. */
struct walk {
	const char *name, *at;
	int angles, rounds;
};

/* The length of the next piece; the depth afterwards is the one after it. */
static size_t next_piece(struct walk *walk)
{
	size_t length = operator_length(walk->name, walk->at);

	if (length)
		return length;
	if (strncmp(walk->at, anonymous, sizeof(anonymous) - 1) == 0)
		return sizeof(anonymous) - 1;
	walk->angles += *walk->at == '<';
	walk->rounds += *walk->at == '(';
	if (*walk->at == '>' && walk->angles > 0 && !(walk->at > walk->name && walk->at[-1] == '-'))
		walk->angles--;
	walk->rounds -= *walk->at == ')' && walk->rounds > 0;
	return 1;
}

static bool is_outside(const struct walk *walk)
{
	return walk->angles == 0 && walk->rounds == 0;
}

/* The bounds of the name itself: after the return type, before the parameters. */
static void find_bare(const char *readable, const char **ret_start, const char **ret_end)
{
	struct walk walk = { .name = readable, .at = readable };
	const char *start = readable;

	while (*walk.at) {
		bool outside = is_outside(&walk);
		char first = *walk.at;
		size_t length = next_piece(&walk);

		if (outside && length == 1 && first == '(' && walk.at > start)
			break;
		if (outside && strncmp(walk.at, " [clone", 7) == 0)
			break;
		if (outside && length == 1 && first == ' ')
			start = walk.at + 1;
		walk.at += length;
	}
	*ret_start = start;
	*ret_end = walk.at;
}

void name_pattern_bare(const char *readable, bool templates, struct buf *name)
{
	const char *start, *end;
	struct walk walk;

	find_bare(readable, &start, &end);
	if (templates) {
		buf_add(name, start, (size_t)(end - start));
		return;
	}
	walk = (struct walk){ .name = start, .at = start };
	while (walk.at < end) {
		bool inside = walk.angles > 0;
		size_t length = next_piece(&walk);

		if (!inside && walk.angles == 0)
			buf_add(name, walk.at, length);
		walk.at += length;
	}
}

/* True if the star at @at is all of a template argument, or its beginning. No type begins with one,
 * except Rust's "*const T" and "*mut T". */
static bool begins_argument(const char *pattern, const char *at)
{
	if (strncmp(at + 1, "const ", 6) == 0 || strncmp(at + 1, "mut ", 4) == 0)
		return false;
	while (at > pattern && at[-1] == ' ')
		at--;
	return at > pattern && (at[-1] == '<' || at[-1] == ',');
}

bool name_pattern_is_glob(const char *pattern)
{
	struct walk walk = { .name = pattern, .at = pattern };

	while (*walk.at) {
		size_t length = next_piece(&walk);

		/* "char*" among parameters is not a glob; "*(int)" is */
		if (length == 1 && is_outside(&walk) && strchr("*?[", *walk.at))
			return true;
		if (walk.angles && *walk.at == '*' && begins_argument(pattern, walk.at))
			return true;
		walk.at += length;
	}
	return false;
}

bool name_pattern_is_part(const char *symbol)
{
	const char *dot = strstr(symbol, ".cold");

	return dot && dot > symbol;
}

/* Suffixes of compiler-made copies: gcc's and clang's. */
static const char *const clones[] = { ".isra", ".constprop", ".part", ".llvm", ".lto_priv" };

static bool is_clone(const char *pattern, const char *symbol)
{
	size_t length = strlen(pattern);

	if (strncmp(pattern, symbol, length) != 0)
		return false;
	for (size_t i = 0; i < sizeof(clones) / sizeof(*clones); i++) {
		if (strncmp(symbol + length, clones[i], strlen(clones[i])) == 0)
			return true;
	}
	return false;
}

/* True if @pattern is the rest of @name after a "::". */
static bool is_last(const char *pattern, const char *name)
{
	size_t length = strlen(name), wanted = strlen(pattern);

	return wanted && length > wanted + 2 && strcmp(name + length - wanted, pattern) == 0 &&
	       strncmp(name + length - wanted - 2, "::", 2) == 0;
}

/* True if @pattern is the readable name, apart from "[clone ...]" or a trailing "const". */
static bool is_whole(const char *pattern, const char *readable)
{
	size_t length = strlen(pattern);

	return strncmp(pattern, readable, length) == 0 &&
	       (!readable[length] || strncmp(readable + length, " [clone", 7) == 0 ||
		strcmp(readable + length, " const") == 0);
}

/* Appends a bare name without its last template arguments: "Box<int>::as" for
 * "Box<int>::as<char>". */
static void add_without_last_arguments(const char *bare, struct buf *name)
{
	struct walk walk = { .name = bare, .at = bare };
	const size_t whole = strlen(bare);
	size_t opened = whole;

	while (*walk.at) {
		bool outside = walk.angles == 0;
		size_t length = next_piece(&walk);

		if (outside && walk.angles > 0)
			opened = (size_t)(walk.at - bare);
		else if (outside)
			opened = whole;
		walk.at += length;
	}
	buf_add(name, bare, opened);
}

static enum name_fit fit_without_last_arguments(const char *pattern, const char *bare)
{
	struct buf name = { 0 };
	enum name_fit fit = NAME_FIT_NONE;

	add_without_last_arguments(bare, &name);
	if (strcmp(pattern, buf_text(&name)) == 0)
		fit = NAME_FIT_BARE;
	else if (is_last(pattern, buf_text(&name)))
		fit = NAME_FIT_LAST;
	buf_done(&name);
	return fit;
}

static enum name_fit fit_forms(const char *pattern, const char *readable, const char *bare,
			       const char *plain)
{
	enum name_fit shorter;
	const char *start, *end;

	if (is_whole(pattern, readable) || strcmp(pattern, bare) == 0)
		return NAME_FIT_WHOLE;
	shorter = fit_without_last_arguments(pattern, bare);
	if (strcmp(pattern, plain) == 0 || shorter == NAME_FIT_BARE)
		return NAME_FIT_BARE;
	if (is_last(pattern, bare) || is_last(pattern, plain) || shorter == NAME_FIT_LAST)
		return NAME_FIT_LAST;
	find_bare(readable, &start, &end);
	/* "Cache::get(int)": its last parts, with the parameters */
	for (const char *at = start; (at = strstr(at, "::")) && at < end; at += 2) {
		if (is_whole(pattern, at + 2))
			return NAME_FIT_LAST;
	}
	return start > readable && is_whole(pattern, start) ? NAME_FIT_WHOLE : NAME_FIT_NONE;
}

static bool fits_glob(const char *pattern, const char *readable, const char *bare)
{
	return name_pattern_is_glob(pattern) &&
	       (fnmatch(pattern, readable, 0) == 0 || fnmatch(pattern, bare, 0) == 0);
}

static enum name_fit fit_readable(const char *pattern, const char *readable)
{
	struct buf bare = { 0 }, plain = { 0 };
	enum name_fit fit;

	name_pattern_bare(readable, true, &bare);
	name_pattern_bare(readable, false, &plain);
	/* a name copied from a list is meant literally, whatever characters it has */
	if (fits_glob(pattern, readable, buf_text(&bare)))
		fit = NAME_FIT_WHOLE;
	else
		fit = fit_forms(pattern, readable, buf_text(&bare), buf_text(&plain));
	buf_done(&bare);
	buf_done(&plain);
	return fit;
}

enum name_fit name_pattern_fit(const char *pattern, const char *symbol, const char *readable)
{
	if (strcmp(pattern, symbol) == 0)
		return NAME_FIT_WHOLE;
	if (name_pattern_is_glob(pattern) && fnmatch(pattern, symbol, 0) == 0)
		return NAME_FIT_WHOLE;
	if (strcmp(symbol, readable) != 0)
		return fit_readable(pattern, readable);
	return is_clone(pattern, symbol) && !name_pattern_is_part(symbol) ? NAME_FIT_CLONE
									  : NAME_FIT_NONE;
}
