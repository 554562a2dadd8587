/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/spelling/short_names.h"

#include <stdbool.h>
#include <string.h>

#include "base/scan.h"
#include "base/vec.h"

enum { MAX_DEPTH = 2 }; /* of template arguments shown */

/* Internal namespaces of implementations, which no one writes. */
static const char *const hidden[] = { "__cxx11::", "__1::", "__2::" };

/* Arguments that usually have their defaults, after other arguments. */
static const char *const defaults[] = {
	"std::allocator<", "std::char_traits<",	 "std::less<",		 "std::hash<",
	"std::equal_to<",  "std::regex_traits<", "std::default_delete<",
};

/* Templates with these arguments, in the short form, that have their own name. */
static const struct {
	const char *template, *name;
} aliases[] = {
	{ "std::basic_string<char>", "std::string" },
	{ "std::basic_string<wchar_t>", "std::wstring" },
	{ "std::basic_string_view<char>", "std::string_view" },
	{ "std::basic_ostream<char>", "std::ostream" },
	{ "std::basic_istream<char>", "std::istream" },
	{ "std::basic_iostream<char>", "std::iostream" },
	{ "std::basic_ios<char>", "std::ios" },
	{ "std::basic_streambuf<char>", "std::streambuf" },
	{ "std::basic_filebuf<char>", "std::filebuf" },
	{ "std::basic_ofstream<char>", "std::ofstream" },
	{ "std::basic_ifstream<char>", "std::ifstream" },
	{ "std::basic_stringstream<char>", "std::stringstream" },
	{ "std::basic_ostringstream<char>", "std::ostringstream" },
	{ "std::basic_istringstream<char>", "std::istringstream" },
	{ "std::basic_regex<char>", "std::regex" },
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The number of an operator's letters that follow "operator" at @at: its signs are not brackets. */
static size_t operator_signs(const char *begin, const char *at)
{
	static const char *const signs[] = { "<=>", "<<=", ">>=", "->*", "<<", ">>",
					     "<=",  ">=",  "->",  "()",	 "<",  ">" };
	const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	if ((size_t)(at - begin) < length || memcmp(at - length, word, length) != 0)
		return 0;
	if ((size_t)(at - begin) > length && scan_is_word(at[-(ptrdiff_t)length - 1]))
		return 0;
	for (size_t i = 0; i < COUNT(signs); i++) {
		if (starts_with(at, signs[i]))
			return strlen(signs[i]);
	}
	return 0;
}

/* The arrow of a return type closes no bracket. */
static bool is_arrow(const char *begin, const char *at)
{
	return *at == '>' && at > begin && at[-1] == '-';
}

/* The bounds of a list of arguments and the end of each. find_list: @at is after the '<'; false: no
 * such list. */
struct list {
	const char *begin, *end;
	VEC(const char *) ends; /* of the arguments */
};

static bool find_list(const char *begin, const char *at, struct list *list)
{
	int depth = 0;

	list->begin = at;
	list->ends.count = 0;
	for (; *at; at++) {
		size_t signs = operator_signs(begin, at);

		if (signs) {
			at += signs - 1;
		} else if (is_arrow(begin, at)) {
			continue;
		} else if (strchr("<([{", *at)) {
			depth++;
		} else if (*at == ',' && depth == 0) {
			*vec_push(&list->ends) = at;
		} else if (*at == '>' && depth == 0) {
			*vec_push(&list->ends) = at;
			list->end = at;
			return true;
		} else if (strchr(">)]}", *at) && --depth < 0) {
			return false;
		}
	}
	return false;
}

struct shortening {
	const char *name; /* the whole name, to look back */
	struct buf *text;
	bool failed;
};

static void add_part(struct shortening *shortening, const char *at, const char *end, int depth);

static bool is_default(const char *argument)
{
	for (size_t i = 0; i < COUNT(defaults); i++) {
		if (starts_with(argument, defaults[i]))
			return true;
	}
	return false;
}

static void trim(struct buf *text, size_t begin)
{
	while (text->size > begin && text->bytes[text->size - 1] == ' ')
		text->bytes[--text->size] = '\0';
}

static void add_argument(struct shortening *shortening, const char *at, const char *end, int depth,
			 bool first)
{
	struct buf *text = shortening->text;
	size_t before = text->size, begin;

	while (at < end && *at == ' ')
		at++;
	buf_add_str(text, first ? "" : ", ");
	begin = text->size;
	add_part(shortening, at, end, depth);
	trim(text, begin);
	if (!first && is_default(buf_text(text) + begin)) {
		text->size = before;
		text->bytes[before] = '\0';
	}
}

/* Replaces the template that was just written, if it has its own name. */
static void use_alias(struct buf *text, size_t bracket)
{
	size_t begin = bracket;

	while (begin > 0 && (scan_is_word(text->bytes[begin - 1]) || text->bytes[begin - 1] == ':'))
		begin--;
	for (size_t i = 0; i < COUNT(aliases); i++) {
		if (strcmp(text->bytes + begin, aliases[i].template) != 0)
			continue;
		text->size = begin;
		buf_add_str(text, aliases[i].name);
		return;
	}
}

static void add_arguments(struct shortening *shortening, const struct list *list, int depth)
{
	struct buf *text = shortening->text;
	size_t bracket = text->size;
	const char *at = list->begin;

	buf_add_char(text, '<');
	for (size_t i = 0; i < list->ends.count && !shortening->failed; i++) {
		add_argument(shortening, at, list->ends.items[i], depth, i == 0);
		at = list->ends.items[i] + 1;
	}
	buf_add_char(text, '>');
	use_alias(text, bracket);
	/* Too deep to read, unless it got its own name. */
	if (depth > MAX_DEPTH && text->size > bracket && text->bytes[bracket] == '<') {
		text->size = bracket;
		buf_add_str(text, "<...>");
	}
}

/* The number of letters at @at that belong to a hidden namespace. */
static size_t hidden_letters(const struct shortening *shortening, const char *at)
{
	if (at == shortening->name || at[-1] != ':')
		return 0;
	for (size_t i = 0; i < COUNT(hidden); i++) {
		if (starts_with(at, hidden[i]))
			return strlen(hidden[i]);
	}
	return 0;
}

/* @depth: nesting of the argument lists around. */
static void add_part(struct shortening *shortening, const char *at, const char *end, int depth)
{
	struct list list = { 0 };

	while (at < end && !shortening->failed) {
		size_t signs = operator_signs(shortening->name, at);

		if (signs) {
			buf_add(shortening->text, at, signs);
			at += signs;
		} else if (*at == '<' && depth > MAX_DEPTH + 1) {
			shortening->failed = !find_list(shortening->name, at + 1, &list);
			buf_add_str(shortening->text, "<...>");
			at = shortening->failed ? end : list.end + 1;
		} else if (*at == '<') {
			shortening->failed = !find_list(shortening->name, at + 1, &list);
			if (!shortening->failed) {
				add_arguments(shortening, &list, depth + 1);
				at = list.end + 1;
			}
		} else if (hidden_letters(shortening, at)) {
			at += hidden_letters(shortening, at);
		} else {
			buf_add_char(shortening->text, *at++);
		}
	}
	vec_free(&list.ends);
}

void short_names_add(const char *name, struct buf *text)
{
	struct shortening shortening = { .name = name, .text = text };
	size_t before = text->size;

	add_part(&shortening, name, name + strlen(name), 0);
	if (shortening.failed) {
		text->size = before;
		buf_add_str(text, name);
	}
}
