/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/diff/rebuilt_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"

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

void rebuilt_name_of_line(const char *line, struct buf *buf)
{
	buf_add_str(buf, *line == '[' ? line : file_base(line));
}
