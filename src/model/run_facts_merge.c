/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/run_facts_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static uint64_t merge_number(enum fact_merge rule, uint64_t a, uint64_t b)
{
	switch (rule) {
	case FACT_SUM:
		return a + b;
	case FACT_LEAST:
		return a < b ? a : b;
	case FACT_MOST:
		return a > b ? a : b;
	case FACT_SAME:
		return a == b ? a : 0;
	default:
		return a;
	}
}

static bool has_part(const char *text, const char *part, size_t length, const char *separator)
{
	size_t width = strlen(separator);

	for (const char *at = text, *end; at; at = end ? end + width : NULL) {
		end = strstr(at, separator);
		if ((end ? (size_t)(end - at) : strlen(at)) == length &&
		    strncmp(at, part, length) == 0)
			return true;
	}
	return false;
}

/* Appends the parts of @more that @text lacks. */
static void add_parts(char **text, const char *more, const char *separator)
{
	while (*more) {
		const char *end = strstr(more, separator);
		size_t length = end ? (size_t)(end - more) : strlen(more);
		char *before = *text;

		if (!has_part(before, more, length, separator)) {
			*text = xasprintf("%s%s%.*s", before, *before ? separator : "", (int)length,
					  more);
			free(before);
		}
		more += length + (end ? strlen(separator) : 0);
	}
}

static void merge_text(enum fact_merge rule, char **text, const char *more)
{
	if (!*text)
		*text = xstrdup("");
	if (rule == FACT_LIST)
		add_parts(text, more, ", ");
	else if (rule == FACT_LINES)
		add_parts(text, more, "\n");
	else if (rule == FACT_SAME && strcmp(*text, more) != 0)
		profile_set_text(text, "mixed");
}

void run_facts_merge(struct run_facts *run, const struct run_facts *more, bool first)
{
#define MERGE_TEXT(name, rule)                            \
	if (first && (rule) != FACT_OWN)                  \
		profile_set_text(&run->name, more->name); \
	else                                              \
		merge_text(rule, &run->name, more->name ? more->name : "");
#define MERGE_NUMBER(name, rule)         \
	if (first && (rule) != FACT_OWN) \
		run->name = more->name;  \
	else                             \
		run->name = merge_number(rule, run->name, more->name);
#define MERGE_FACT(type, name, rule) MERGE_##type(name, FACT_##rule)
	RUN_FACTS(MERGE_FACT)
#undef MERGE_FACT
#undef MERGE_NUMBER
#undef MERGE_TEXT
}
