/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/jump_target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MNEMONIC = 16 };

/* Compared with the start of the mnemonic; the first match counts. */
static const struct {
	const char *begin;
	bool whole; /* compare the whole mnemonic */
} mnemonics[] = {
	{ "j", false },	  { "loop", false }, { "xbegin", true }, { "b", true },	  { "b.", false },
	{ "bc.", false }, { "cbz", true },   { "cbnz", true },	 { "tbz", true }, { "tbnz", true },
};

/* Prefixes of a mnemonic. */
static const char *const prefixes[] = { "bnd", "notrack", "cs", "ds", "data16", "addr32" };

static size_t letters(const char *text)
{
	return strcspn(text, " \t,");
}

static bool is_prefix(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (strlen(prefixes[i]) == length && memcmp(prefixes[i], text, length) == 0)
			return true;
	}
	return false;
}

static bool is_branch(const char *text, size_t length)
{
	if (length == 0 || length > MAX_MNEMONIC)
		return false;
	for (size_t i = 0; i < sizeof(mnemonics) / sizeof(*mnemonics); i++) {
		size_t begin = strlen(mnemonics[i].begin);

		if (length < begin || (mnemonics[i].whole && length != begin) ||
		    memcmp(text, mnemonics[i].begin, begin) != 0)
			continue;
		return true;
	}
	return false;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

bool jump_target(const char *text, uint64_t *ret_target)
{
	size_t length = letters(text);
	const char *operand;
	char *end;

	while (is_prefix(text, length)) {
		text = skip_blanks(text + length);
		length = letters(text);
	}
	if (!is_branch(text, length))
		return false;
	/* x86 may append a hint (",pt"); arm64's address is the last operand */
	operand = skip_blanks(text + strcspn(text, " \t"));
	for (const char *comma; (comma = strchr(operand, ','));)
		operand = skip_blanks(comma + 1);
	if (!isxdigit((unsigned char)*operand))
		return false;
	*ret_target = strtoull(operand, &end, 16);
	return *end == '\0' || *end == ' ';
}
