/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Little languages of the command line: selections, conditions, moments, names of functions.
 * Scripts and services hand on what others typed. The first byte says which (KINDS).
 */
#include <stdlib.h>
#include <string.h>

#include "aggregate/diff/condition.h"
#include "aggregate/moment.h"
#include "aggregate/select.h"
#include "base/buf.h"
#include "names/spelling/name_pattern.h"
#include "target.h"
#include "watch/probes/probe_condition.h"
#include "watch/targets/watch_word.h"

static void try_select(const char *text)
{
	struct select *select = select_new();
	struct err err;

	if (select_add(select, text, &err) == 0)
		select_uses(select);
	else if (!err.text[0])
		abort();
	select_free(select);
}

static void try_condition(const char *text)
{
	struct conditions conditions;
	struct err err;

	if (condition_parse(text, &conditions, &err) < 0) {
		if (!err.text[0])
			abort();
		return;
	}
	for (size_t i = 0; i < conditions.items.count; i++)
		condition_names(&conditions.items.items[i], "app::Cache<int>::get(int)");
	condition_done(&conditions);
}

static void try_moment(const char *text)
{
	struct moment_base base = { .start_ns = 5000000000,
				    .end_ns = 9000000000,
				    .start_real_ns = 1795226400000000000 };
	struct moment moment;
	struct err err;
	uint64_t ns;

	if (moment_parse(text, &moment, &err) == 0) {
		moment_ns(&moment, &base, &ns, &err);
		base.now_ns = 10000000000;
		moment_ns(&moment, &base, &ns, &err);
	}
	moment_parse_span(text, &ns);
}

static void try_probe(const char *text)
{
	struct probe_condition whole, entry, last;
	struct err err;

	if (probe_condition_parse("--if", text, &whole, &err) < 0)
		return;
	if (whole.count > PROBE_CONDITION_STEPS)
		abort();
	probe_condition_uses_arguments(&whole);
	probe_condition_split(&whole, &entry, &last);
}

static void try_watch(const char *text)
{
	struct watch_word word;
	uint64_t displacement;
	uint32_t line;
	struct err err;
	char *file;

	if (watch_word_parse(NULL, text, &word, &err) == 0)
		watch_word_done(&word);
	watch_word_displacement(text, &displacement, &err);
	if (watch_word_line(text, &file, &line, &err) == 0)
		free(file);
}

/* A pattern, a line, a name of a symbol table. */
static void try_name(const char *text)
{
	const char *end = strchr(text, '\n');
	char *pattern = strndup(text, end ? (size_t)(end - text) : strlen(text));
	const char *name = end ? end + 1 : "main";
	struct buf bare = { 0 };

	name_pattern_is_glob(pattern);
	name_pattern_fit(pattern, name, name);
	name_pattern_bare(name, false, &bare);
	name_pattern_bare(name, true, &bare);
	name_pattern_is_part(name);
	buf_done(&bare);
	free(pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static void (*const kinds[])(const char *text) = {
		['s'] = try_select, ['c'] = try_condition, ['m'] = try_moment,
		['p'] = try_probe,  ['w'] = try_watch,	   ['n'] = try_name,
	};
	char *text;

	if (size == 0 || bytes[0] >= sizeof(kinds) / sizeof(*kinds) || !kinds[bytes[0]])
		return 0;
	text = strndup((const char *)bytes + 1, size - 1);
	if (!text)
		abort();
	kinds[bytes[0]](text);
	free(text);
	return 0;
}
