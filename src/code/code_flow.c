/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/code_flow.h"

#include <stddef.h>
#include <string.h>

#include "code/jump_target.h"

/* Compared with the whole mnemonic. */
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
	{ ".ascii", CODE_FLOW_DATA },
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
		if (is_word(text, length, rows[i].mnemonic))
			return rows[i].kind;
	}
	return CODE_FLOW_NEXT;
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

	if (flow.kind == CODE_FLOW_NEXT) {
		if (jump_target(text, &flow.target))
			flow.kind = CODE_FLOW_BRANCH;
	} else if (flow.kind == CODE_FLOW_JUMP && !jump_target(text, &flow.target)) {
		flow.kind = CODE_FLOW_COMPUTED;
	}
	if (flow.kind == CODE_FLOW_COMPUTED)
		flow.table = is_scaled(bare) || strncmp(skip_blanks(text), "notrack", 7) == 0;
	return flow;
}
