/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include <errno.h>

#include "aggregate/select.h"

/* Four samples: a and b are nginx in user mode, c is nginx in the kernel, d is a kworker. */
struct world {
	struct fixture fixture;
	struct point a, b, c, d;
};

static struct point at(struct total total, uint16_t cpu, uint64_t second)
{
	return (struct point){ .total = total, .cpu = cpu, .time_ns = (100 + second) * NS_PER_S };
}

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct fixture *fixture = &world->fixture;
	uint32_t first, second, kworker, libc, list, kernel;

	fixture_init(fixture);
	first = fixture_task(fixture, fixture_process(fixture, "nginx", 4711), "Web Content");
	second = fixture_task(fixture, fixture_process(fixture, "nginx", 4712), "io,wait");
	kworker = fixture_task(fixture, fixture_process(fixture, "kworker/0:1", 40), "[k,w]");
	/* As systemd escapes a minus. */
	fixture->profile->processes.items[3].cgroup = fixture_text(fixture, "/a\\x2db");
	libc = fixture_stack(fixture, "/usr/lib/libc.so.6", "memcpy", 0x1230, SYMBOL_NAMED);
	list = fixture_stack(fixture, "/usr/sbin/nginx", "map<int, long>::find", 0x200,
			     SYMBOL_NAMED);
	kernel = fixture_stack(fixture, "[kernel]", "do_softirq", 0x400, SYMBOL_NAMED);
	world->a = at(fixture_total(first, libc, MODE_USER, CONTEXT_TASK, 1), 0, 0);
	world->b = at(fixture_total(second, list, MODE_USER, CONTEXT_TASK, 1), 1, 2);
	world->c = at(fixture_total(second, kernel, MODE_KERNEL, CONTEXT_SOFTIRQ, 1), 2, 5);
	world->d = at(fixture_total(kworker, kernel, MODE_KERNEL, CONTEXT_TASK, 1), 3, 9);
	fixture_labels(fixture);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	fixture_done(&world->fixture);
	free(world);
	return 0;
}

/* The letters of the samples that the clauses select. */
static void assert_selects(struct world *world, const char *text, const char *expected)
{
	_cleanup_(select_freep) struct select *select = select_new();
	const struct point *points[] = { &world->a, &world->b, &world->c, &world->d };
	char selected[5] = "", letter[2] = "a";
	struct err err = { "" };

	if (select_add(select, text, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	select_bind(select, &world->fixture.labels);
	for (int i = 0; i < 4; i++, letter[0]++) {
		if (select_match(select, points[i]))
			strcat(selected, letter);
		/* What was found out about a value holds the second time too. */
		assert_int_equal(select_match(select, points[i]),
				 strchr(selected, *letter) != NULL);
	}
	if (strcmp(selected, expected) != 0)
		fail_msg("%s selects '%s', not '%s'", text, selected, expected);
}

static void single_keys(void **state)
{
	static const char *const cases[][2] = {
		{ "process=nginx", "abc" },
		{ "process=nginx#2", "bc" },
		{ "process=ngin?#1", "a" },
		{ "program=nginx", "abc" },
		{ "process=nginx#1,kworker*", "ad" },
		{ "process!=nginx", "d" },
		{ "process!=nginx#2,kworker*", "a" },
		{ "image=libc*", "a" },
		{ "image=/usr/lib/*", "a" },
		{ "image=[kernel]", "cd" },
		{ "image!=[kernel]", "ab" },
		{ "symbol=*softirq", "cd" },
		{ "symbol=mem[a-z]py", "a" },
		{ "mode=kernel", "cd" },
		{ "mode=user,kernel", "abcd" },
		{ "mode=k*", "cd" },
		{ "context=softirq,hardirq", "c" },
		{ "thread=Web Content", "a" },
		{ "thread=io\\,wait", "b"
				      "c" },
		{ "symbol=map<int\\, long>::find", "b" },
		{ "event=cpu-clock", "abcd" },
		{ "thread=[k\\,w]", "d" },
		{ "cgroup=/a\\x2db", "d" },
		{ "cgroup=*\\\\x2d*", "d" },
		{ "user=4", "abc" },
		{ "function=memcpy", "a" },
		{ "container=x", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_selects(*state, cases[i][0], cases[i][1]);
}

/* Code without a name is selected by the spelling of people and by that of symbol tables, whichever is
 * printed. */
static void places_have_two_names(void **state)
{
	struct world *world = *state;
	struct fixture *fixture = &world->fixture;

	world->b.total.stack =
		fixture_stack(fixture, "/usr/sbin/nginx", "_f->_g", 0x500, SYMBOL_BRACKET);
	fixture_labels(fixture);
	for (int i = 0; i < 2; i++) {
		fixture->labels.by_start = i;
		assert_selects(world, "symbol=_f->_g", "b");
		assert_selects(world, "symbol=nginx+0x500", "b");
		assert_selects(world, "function=_f->_g", "b");
		assert_selects(world, "function=nginx+0x500", "b");
		assert_selects(world, "stack=*_g", "b");
		assert_selects(world, "symbol=memcpy", "a");
	}
	assert_selects(world, "stack=nginx+0x500", "b");
}

static void numbers_and_ranges(void **state)
{
	static const char *const cases[][2] = {
		{ "pid=4711", "a" },
		{ "pid=4711-4712", "abc" },
		{ "pid!=4711", "bcd" },
		{ "pid=1-50,4712", "bcd" },
		{ "cpu=1-2", "bc" },
		{ "cpu=0,3", "ad" },
		{ "time=0-2", "ab" },
		{ "time=5", "c" },
		{ "time=5.0-9", "c" },
		{ "time=5.0-9.1", "cd" },
		{ "time=1.5-5", "b" }, /* up to 5 s, where c begins */
		{ "time=5-9", "cd" },  /* whole seconds */
		{ "time=2.0", "b" },
		{ "time=2.000000000", "b" },
		{ "time=2.1", "" },
		{ "time=1.9-2.0", "" },
		{ "time=1.9-2.1", "b" },
		{ "time=1-1.9", "" },
		{ "tid=40", "d" },
		{ "address=0x1234", "a" },
		{ "address=0x200-0x2ff", "b" },
		{ "cpu=10", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_selects(*state, cases[i][0], cases[i][1]);
}

static void clauses_all_hold(void **state)
{
	assert_selects(*state, "process=nginx mode=kernel", "c");
	assert_selects(*state, "  mode=user   cpu=1 ", "b");
	assert_selects(*state, "thread=Web Content mode=user", "a");
	assert_selects(*state, "thread=Web Content mode=kernel", "");
	assert_selects(*state, "process=nginx process!=nginx#1", "bc");
}

static void assert_refused(const char *text, const char *because)
{
	_cleanup_(select_freep) struct select *select = select_new();
	struct err err = { "" };

	assert_int_equal(select_add(select, text, &err), -EINVAL);
	if (!strstr(err.text, because))
		fail_msg("%s: '%s' lacks '%s'", text, err.text, because);
}

static void wrong_clauses(void **state)
{
	assert_refused("", "empty --select");
	assert_refused("  ", "empty --select");
	assert_refused("nginx", "expected KEY=VALUE");
	assert_refused("process=", "empty");
	assert_refused("process=a,,b", "empty");
	assert_refused("process=a,", "empty");
	assert_refused("process!=", "empty");
	assert_refused("proces=nginx", "did you mean 'process'");
	assert_refused("mode=kernel proces=nginx", "did you mean 'process'");
	assert_refused("mode=kernal", "one of user, kernel");
	assert_refused("context=irq", "one of task, softirq, hardirq");
	assert_refused("pid=nginx", "expected a number");
	assert_refused("pid=12x", "expected a number");
	assert_refused("pid=12.5", "expected a number");
	assert_refused("time=1.", "expected a number");
	assert_refused("time=2-1.5", "expected a number");
	assert_refused("time=2.0-2", "expected a number");
	assert_refused("time=0.0-0", "expected a number");
	assert_refused("time=99999999999", "expected a number");
	assert_refused("pid=-3", "expected a number");
	assert_refused("pid=9-3", "expected a number");
	assert_refused("pid=99999999999999999999", "expected a number");
	assert_refused("=x", "expected KEY=VALUE");
}

static void assert_explains(struct world *world, const char *text, const char *expected)
{
	_cleanup_(select_freep) struct select *select = select_new();
	struct err err = { "" };

	assert_int_equal(select_add(select, text, &err), 0);
	select_bind(select, &world->fixture.labels);
	select_match(select, &world->a);
	select_match(select, &world->b);
	select_match(select, &world->c);
	select_match(select, &world->d);
	assert_int_equal(select_explain(select, &err), *expected ? -ENODATA : 0);
	if (!strstr(err.text, expected))
		fail_msg("%s: '%s' lacks '%s'", text, err.text, expected);
}

/* What select_explain says of a selection that leaves nothing of a, b and c; d is not viewed. */
static void assert_suggests(struct world *world, const char *text, const char *expected)
{
	_cleanup_(select_freep) struct select *select = select_new();
	const struct point *points[] = { &world->a, &world->b, &world->c };
	struct err err = { "" };

	assert_int_equal(select_add(select, text, &err), 0);
	select_bind(select, &world->fixture.labels);
	for (size_t i = 0; i < 3; i++)
		assert_false(select_match(select, points[i]));
	for (size_t i = 0; i < 3; i++)
		select_look_again(select, points[i], true);
	select_look_again(select, &world->d, false);
	assert_int_equal(select_explain(select, &err), -ENODATA);
	if (!strstr(err.text, expected))
		fail_msg("%s: '%s' lacks '%s'", text, err.text, expected);
}

static void what_would_match(void **state)
{
	static const char *const cases[][2] = {
		{ "process=ngin", ": did you mean 'nginx', 'nginx#1' or 'nginx#2'?" },
		{ "program=ngnix", ": did you mean 'nginx'?" },
		{ "thread=web", ": did you mean 'Web Content'?" },
		{ "thread=wait", ": did you mean 'io\\,wait'?" },
		{ "image=libc", ": did you mean 'libc.so.6' or '/usr/lib/libc.so.6'?" },
		{ "symbol=memcopy", ": did you mean 'memcpy'?" },
		{ "function=softirq", ": did you mean 'do_softirq'?" },
		{ "pid=4700", ": did you mean '4711' or '4712'?" },
		{ "cpu=7-9", ": did you mean '2', '1' or '0'?" },
		{ "time=7", ": did you mean '5', '2' or '0'?" },
		{ "address=0x1235", ": did you mean '0x1234'" },
		{ "event=cpu", ": did you mean 'cpu-clock'?" },
		{ "context=hardirq", ": the only values are 'task' and 'softirq'" },
		{ "user=root", ": the only value is '4'" },
		{ "process=nginx mode=user symbol=mem", ": did you mean 'memcpy'?" },
		{ "mode=kernel symbol=memcpy", ": the only value is 'do_softirq'" },
		{ "process=kworker*",
		  "no samples of the command match --select 'process=kworker*', "
		  "but 1 others do: add --machine" },
		{ "process=kwoker",
		  ": did you mean 'kworker/0:1' or 'kworker/0:1#1'? It is outside "
		  "the command: add --machine" },
		{ "mode!=user,kernel",
		  "match --select 'mode!=user,kernel' (3 before this filter)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_suggests(*state, cases[i][0], cases[i][1]);
}

static void what_emptied_it(void **state)
{
	assert_explains(*state, "process=nginx", "");
	assert_explains(*state, "process=apache",
			"no samples match --select 'process=apache' (4 before");
	assert_explains(*state, "process=nginx pid=40 mode=user",
			"no samples match --select 'pid=40' (3 before this filter)");
}

static void layer_one_is_asked_for(void **state)
{
	_cleanup_(select_freep) struct select *select = select_new();

	assert_int_equal(select_add(select, "mode=user", NULL), 0);
	assert_int_equal(select_uses(select), SAMPLE_MODE);
	assert_int_equal(select_add(select, "cpu=0", NULL), 0);
	assert_int_equal(select_uses(select), SAMPLE_MODE | SAMPLE_CPU);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(single_keys, set_up, tear_down),
		cmocka_unit_test_setup_teardown(places_have_two_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(numbers_and_ranges, set_up, tear_down),
		cmocka_unit_test_setup_teardown(clauses_all_hold, set_up, tear_down),
		cmocka_unit_test(wrong_clauses),
		cmocka_unit_test_setup_teardown(what_emptied_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_would_match, set_up, tear_down),
		cmocka_unit_test(layer_one_is_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
