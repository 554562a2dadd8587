/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/code_flow.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The first match counts. "*": compared with the start of the mnemonic only. */
static const struct {
	const char *mnemonic;
	enum code_flow_kind kind;
} rows[] = {
	{ "jmp", CODE_FLOW_JUMP },	 { "b", CODE_FLOW_JUMP },
	{ "br", CODE_FLOW_COMPUTED },	 { "braa", CODE_FLOW_COMPUTED },
	{ "braaz", CODE_FLOW_COMPUTED }, { "brab", CODE_FLOW_COMPUTED },
	{ "brabz", CODE_FLOW_COMPUTED }, { "ret", CODE_FLOW_RETURN },
	{ "retq", CODE_FLOW_RETURN },	 { "retl", CODE_FLOW_RETURN },
	{ "lret", CODE_FLOW_RETURN },	 { "retf", CODE_FLOW_RETURN },
	{ "iret", CODE_FLOW_RETURN },	 { "iretq", CODE_FLOW_RETURN },
	{ "sysret", CODE_FLOW_RETURN },	 { "sysretq", CODE_FLOW_RETURN },
	{ "sysexit", CODE_FLOW_RETURN }, { "retaa", CODE_FLOW_RETURN },
	{ "retab", CODE_FLOW_RETURN },	 { "eret", CODE_FLOW_RETURN },
	{ "ud0", CODE_FLOW_STOP },	 { "ud1", CODE_FLOW_STOP },
	{ "ud2", CODE_FLOW_STOP },	 { "hlt", CODE_FLOW_STOP },
	{ "brk", CODE_FLOW_STOP },	 { "udf", CODE_FLOW_STOP },
	{ "(bad)", CODE_FLOW_DATA },	 { "...", CODE_FLOW_DATA },
	{ ".inst", CODE_FLOW_DATA },	 { ".word", CODE_FLOW_DATA },
	{ ".byte", CODE_FLOW_DATA },	 { ".short", CODE_FLOW_DATA },
	{ ".ascii", CODE_FLOW_DATA },	 { "xbegin", CODE_FLOW_BRANCH },
	{ "cbz", CODE_FLOW_BRANCH },	 { "cbnz", CODE_FLOW_BRANCH },
	{ "tbz", CODE_FLOW_BRANCH },	 { "tbnz", CODE_FLOW_BRANCH },
	{ "j*", CODE_FLOW_BRANCH },	 { "loop*", CODE_FLOW_BRANCH },
	{ "b.*", CODE_FLOW_BRANCH },	 { "bc.*", CODE_FLOW_BRANCH },
};

static const char *const prefixes[] = { "bnd", "notrack", "repz",   "rep",    "repnz",
					"cs",  "ds",	  "data16", "addr32", "rex.W" };

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool is_prefix(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (is_word(text, length, prefixes[i]))
			return true;
	}
	return false;
}

static const char *skip_prefixes(const char *text)
{
	size_t length;

	text = skip_blanks(text);
	while (is_prefix(text, length = strcspn(text, " \t")) && text[length])
		text = skip_blanks(text + length);
	return text;
}

static enum code_flow_kind find_kind(const char *text)
{
	size_t length = strcspn(text, " \t,");

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t begin = strcspn(rows[i].mnemonic, "*");

		if (begin <= length && memcmp(text, rows[i].mnemonic, begin) == 0 &&
		    (rows[i].mnemonic[begin] || begin == length))
			return rows[i].kind;
	}
	return CODE_FLOW_NEXT;
}

static bool is_to_target(enum code_flow_kind kind)
{
	return kind == CODE_FLOW_BRANCH || kind == CODE_FLOW_JUMP;
}

/* The target of a branch or jump without prefixes. */
static bool find_target(const char *bare, uint64_t *ret_target)
{
	/* x86 may append a hint (",pt"); arm64's address is the last operand */
	const char *operand = skip_blanks(bare + strcspn(bare, " \t"));
	uint64_t target;
	char *end;

	for (const char *comma; (comma = strchr(operand, ','));)
		operand = skip_blanks(comma + 1);
	if (!isxdigit((unsigned char)*operand))
		return false;
	target = strtoull(operand, &end, 16);
	if (*end != '\0' && *end != ' ')
		return false;
	*ret_target = target;
	return true;
}

bool code_flow_target(const char *text, uint64_t *ret_target)
{
	const char *bare = skip_prefixes(text);

	return is_to_target(find_kind(bare)) && find_target(bare, ret_target);
}

/* "jmp *0x4010(,%rax,8)" */
static bool is_scaled(const char *text)
{
	const char *close = strchr(text, ')');

	return close && close > text + 1 && close[-2] == ',' && strchr("248", close[-1]);
}

struct code_flow code_flow_of(const char *text)
{
	const char *bare = skip_prefixes(text);
	struct code_flow flow = { .kind = find_kind(bare) };

	if (is_to_target(flow.kind) && !find_target(bare, &flow.target))
		flow.kind = flow.kind == CODE_FLOW_JUMP ? CODE_FLOW_COMPUTED : CODE_FLOW_NEXT;
	if (flow.kind == CODE_FLOW_COMPUTED)
		flow.table = is_scaled(bare) || strncmp(skip_blanks(text), "notrack", 7) == 0;
	return flow;
}
