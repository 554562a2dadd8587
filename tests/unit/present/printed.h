/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is printed of a fixture, as a text. */
#ifndef UNIT_PRESENT_PRINTED_H
#define UNIT_PRESENT_PRINTED_H

#include "aggregate/fixture.h"

#include "aggregate/tables/table.h"
#include "aggregate/trees/children.h"
#include "present/view.h"

struct printed {
	struct fixture fixture;
	struct summary summary;
	struct table *functions;
	const struct completeness *completeness; /* borrowed; NULL: not known */
	struct view view;
	FILE *out;
	char *text;
	size_t size;
};

/* The world of most tests: two processes, interrupts, brackets, an unresolved address. */
static inline void printed_world(struct printed *printed)
{
	struct fixture *fixture = &printed->fixture;
	struct run_facts *run;
	uint32_t net, spin, idle, libc, send, rx, loop, none;

	*printed = (struct printed){ 0 };
	fixture_init(fixture);
	run = &fixture->profile->run;
	profile_set_text(&run->command, "./netperf4.sh");
	run->idle_ns = 19 * NS_PER_S;
	net = fixture_process(fixture, "netperf", 11000);
	fixture->profile->processes.items[net].in_command = true;
	spin = fixture_process(fixture, "cpuspin", 12000);
	idle = fixture_process(fixture, "[idle]", 0);
	libc = fixture_stack(fixture, "/lib/libc.so.6", "recv->recvfrom", 0x100, SYMBOL_BRACKET);
	send = fixture_stack(fixture, "[kernel]", "tcp_sendmsg", 0x200, SYMBOL_NAMED);
	rx = fixture_stack(fixture, "[kernel]", "net_rx_action", 0x300, SYMBOL_NAMED);
	loop = fixture_stack(fixture, "/bin/cpuspin", "loop", 0x400, SYMBOL_NAMED);
	none = fixture_stack(fixture, "/bin/cpuspin", NULL, 0x500, SYMBOL_NONE);
	net = fixture_task(fixture, net, "netperf");
	spin = fixture_task(fixture, spin, "cpuspin");
	idle = fixture_task(fixture, idle, "swapper");
	fixture_hit(fixture, net, libc, MODE_USER, CONTEXT_TASK, 100);
	fixture_hit(fixture, net, send, MODE_KERNEL, CONTEXT_TASK, 500);
	fixture_hit(fixture, net, rx, MODE_KERNEL, CONTEXT_SOFTIRQ, 50);
	fixture_hit(fixture, spin, loop, MODE_USER, CONTEXT_TASK, 200);
	fixture_hit(fixture, spin, none, MODE_USER, CONTEXT_TASK, 40);
	fixture_hit(fixture, spin, rx, MODE_KERNEL, CONTEXT_HARDIRQ, 10);
	fixture_hit(fixture, idle, rx, MODE_KERNEL, CONTEXT_SOFTIRQ, 100);
}

/* Not finished, so that it may be summed up by children_new. */
static inline struct table *printed_sums(struct printed *printed, const struct key_list *keys)
{
	const struct tally *totals = &printed->fixture.totals;
	struct table *table = table_new(&printed->fixture.labels, keys);

	for (size_t i = 0; i < totals->rows.count; i++)
		table_add_all(table, &(struct point){ .total = totals->rows.items[i] }, 1);
	return table;
}

/* Of the first screen. */
static inline struct table *printed_functions(struct printed *printed)
{
	struct key_list keys, of_stacks;
	struct table *stacks, *functions;

	assert_int_equal(keys_parse("function,image", &keys, NULL), 0);
	of_stacks = children_stack_keys(&keys);
	stacks = printed_sums(printed, &of_stacks);
	functions = children_new(stacks, &keys);
	functions->by_self = true;
	table_finish(functions, 0, 0);
	table_free(stacks);
	return functions;
}

/* Begins to print: everything of the fixture is final. */
static inline FILE *printed_begin(struct printed *printed, int level)
{
	const struct tally *totals = &printed->fixture.totals;
	const struct profile *profile = printed->fixture.profile;

	summary_make(profile, totals->rows.items, totals->rows.count, 0, &printed->summary);
	printed->view = (struct view){
		.labels = fixture_labels(&printed->fixture),
		.account = account_of(profile),
		.naming = naming_of(profile, totals->rows.items, totals->rows.count, 0),
		.completeness = printed->completeness,
		.to_ns = UINT64_MAX,
		.summary = &printed->summary,
		.level = level,
		.detail_percent = 1,
	};
	printed->view.functions = printed->functions = printed_functions(printed);
	printed->out = open_memstream(&printed->text, &printed->size);
	return printed->out;
}

static inline const char *printed_end(struct printed *printed)
{
	fclose(printed->out);
	assert_non_null(printed->text);
	return printed->text;
}

static inline struct table *printed_table(struct printed *printed, const char *by)
{
	struct key_list keys;
	struct table *table;

	assert_int_equal(keys_parse(by, &keys, NULL), 0);
	table = printed_sums(printed, &keys);
	table_finish(table, 0, 0);
	return table;
}

static inline void printed_done(struct printed *printed)
{
	summary_done(&printed->summary);
	table_free(printed->functions);
	fixture_done(&printed->fixture);
	free(printed->text);
}

static inline void assert_has(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text ? text : "");
}

static inline void assert_lacks(const char *text, const char *part)
{
	if (!text || strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text ? text : "");
}

#endif
