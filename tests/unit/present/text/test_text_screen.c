/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines that are there and how many; tests/golden has whole screens letter by letter. */
#include "present/printed.h"

#include "aggregate/account/off_cpu_account.h"
#include "present/text/text_parts.h"

static const char *print(struct printed *printed, size_t lines, size_t columns)
{
	printed_begin(printed, VIEW_SCREEN);
	printed->view.screen.lines = lines;
	printed->view.screen.columns = columns;
	text_screen_print(&printed->view, printed->out);
	return printed_end(printed);
}

static size_t lines_of(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void assert_narrow(const char *text, size_t columns)
{
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		if (length > columns)
			fail_msg("%zu columns: %.*s", length, (int)length, text);
	}
}

static void the_answer_comes_first(void **state)
{
	struct printed printed;
	const char *text, *functions;

	printed_world(&printed);
	text = print(&printed, 24, 80);
	assert_int_equal(strncmp(text, "./netperf4.sh: 10.00 s, CPU 1.00 s", 34), 0);
	functions = strstr(text, "50.0 %  50.0 %  tcp_sendmsg");
	assert_non_null(functions);
	assert_true(strstr(text, "\nPrograms     netperf 65 %, cpuspin 25 %, [idle] 10 %\n") >
		    functions);
	assert_true(strstr(text, "\nQuality      ") > functions);
	assert_has(text, "\nNext         prospect flame  |  prospect graph");
	assert_lacks(text, "NAME");
	/* Older versions and imports do not know whether the command waited. */
	assert_lacks(text, "wait");
	printed_done(&printed);
}

/* More functions than there is room for. */
static void it_fits(void **state)
{
	static const size_t sizes[][2] = { { 24, 80 }, { 50, 200 }, { 24, 200 }, { 50, 80 } };

	for (size_t size = 0; size < 4; size++) {
		struct printed printed;
		const char *text;

		printed_world(&printed);
		for (uint64_t i = 0; i < 300; i++) {
			uint32_t process =
				fixture_process(&printed.fixture, "cc1", 20000 + (int32_t)i);
			uint32_t stack = fixture_stack(&printed.fixture, "/usr/bin/cc1", "parse",
						       0x1000 + 32 * i, SYMBOL_NAMED);

			fixture_hit(&printed.fixture,
				    fixture_task(&printed.fixture, process, "cc1"), stack,
				    MODE_USER, CONTEXT_TASK, 1);
		}
		text = print(&printed, sizes[size][0], sizes[size][1]);
		assert_true(lines_of(text) < sizes[size][0]);
		assert_true(lines_of(text) > 12);
		assert_narrow(text, sizes[size][1]);
		assert_has(text, "cc1 23 % (300 runs)");
		printed_done(&printed);
	}
}

static void few_samples_compare_nothing(void **state)
{
	struct printed printed = { 0 };
	struct fixture *fixture = &printed.fixture;
	const char *text;
	uint32_t task;

	fixture_init(fixture);
	profile_set_text(&fixture->profile->run.command, "true");
	assert_has(print(&printed, 0, 0), "Functions    no samples: it hardly used the CPU\n");
	printed_done(&printed);
	printed = (struct printed){ 0 };
	fixture_init(fixture);
	task = fixture_task(fixture, fixture_process(fixture, "true", 7), "true");
	fixture_hit(fixture, task, fixture_stack(fixture, "/bin/true", "main", 16, SYMBOL_NAMED),
		    MODE_USER, CONTEXT_TASK, 19);
	text = print(&printed, 0, 0);
	assert_has(text, "Functions    only 19 samples: too few to compare functions\n");
	assert_lacks(text, "main");
	printed_done(&printed);
}

/* A wait is no sample of what ran. */
static void waits_take_no_cpu(void **state)
{
	struct printed printed = { 0 };
	struct fixture *fixture = &printed.fixture;
	struct total total;
	uint32_t stack, task;
	uint8_t waits;
	const char *text;

	fixture_init(fixture);
	waits = fixture_event(fixture, "off-cpu", "ns");
	fixture->profile->events[waits].clock = CLOCK_SCHEDULER;
	profile_set_text(&fixture->profile->run.command, "sleep 1");
	task = fixture_task(fixture, fixture_process(fixture, "sleep", 7), "sleep");
	stack = fixture_stack(fixture, "/bin/sleep", "nap", 16, SYMBOL_NAMED);
	total = fixture_total(task, stack, MODE_KERNEL, CONTEXT_TASK, 30);
	total.event = waits;
	fixture_add(fixture, &total);
	text = print(&printed, 0, 0);
	assert_has(text, "Functions    no samples: it hardly used the CPU\n");
	assert_lacks(text, "CPU 0");
	assert_lacks(text, "nap");
	assert_lacks(text, "Programs");
	printed_done(&printed);
}

/* What few samples say of a function is chance. */
static void functions_need_samples(void **state)
{
	struct printed printed = { 0 };
	const char *text;
	uint32_t task;

	fixture_init(&printed.fixture);
	task = fixture_task(&printed.fixture, fixture_process(&printed.fixture, "top", 7), "top");
	for (uint64_t i = 0; i < 30; i++)
		fixture_hit(
			&printed.fixture, task,
			fixture_stack(&printed.fixture, "/bin/top", "seldom", 16 * i, SYMBOL_NAMED),
			MODE_USER, CONTEXT_TASK, i == 7 ? 4 : 1);
	text = print(&printed, 0, 0);
	assert_has(text, "Functions    only 33 samples, at most 4 in one function: too few to "
			 "compare\n             functions\n");
	assert_lacks(text, "seldom");
	printed_done(&printed);
	printed_world(&printed);
	task = fixture_task(&printed.fixture, fixture_process(&printed.fixture, "top", 7), "top");
	fixture_hit(&printed.fixture, task,
		    fixture_stack(&printed.fixture, "/bin/top", "seldom", 16, SYMBOL_NAMED),
		    MODE_USER, CONTEXT_TASK, 4);
	fixture_hit(&printed.fixture, task,
		    fixture_stack(&printed.fixture, "/bin/top", "often", 32, SYMBOL_NAMED),
		    MODE_USER, CONTEXT_TASK, 5);
	text = print(&printed, 0, 0);
	assert_has(text, "often");
	assert_lacks(text, "seldom");
	printed_done(&printed);
}

/* What others take is one line, and only if the whole machine was recorded. */
static void the_machine_is_one_line(void **state)
{
	struct printed printed;

	printed_world(&printed);
	printed.fixture.profile->run.idle_ns = 10 * NS_PER_S;
	assert_has(print(&printed, 24, 80), "\nMachine      2 CPUs, 50 % busy\n");
	printed_done(&printed);
	printed_world(&printed);
	printed.fixture.profile->run.idle_ns = 10 * NS_PER_S * 2 * 97 / 100;
	assert_has(print(&printed, 24, 80), "\nMachine      2 CPUs, idle: 3 % busy\n");
	printed_done(&printed);
	printed_world(&printed);
	profile_set_text(&printed.fixture.profile->run.scope, "command");
	assert_lacks(print(&printed, 24, 80), "Machine");
	printed_done(&printed);
}

/* What cannot be typed again is not proposed. */
static void what_is_next_can_be_typed(void **state)
{
	static const struct {
		const char *command, *file, *next;
	} cases[] = {
		{ "make -j2", NULL,
		  "prospect flame  |  prospect graph  |  prospect --off-cpu make -j2" },
		{ "sh -c 'a; b'", NULL, "|  prospect --off-cpu sh -c 'a; b'\n" },
		{ "sh -c a; b", NULL, "|  the same with --off-cpu\n" },
		{ "sh -c '\033[2J'", NULL, "|  the same with --off-cpu\n" },
		{ "c++ -O2 -I include -I /usr/local/include -o x x.cc", NULL,
		  "|  the same with --off-cpu\n" },
		{ "make", "a.prof", "prospect flame a.prof  |  prospect graph a.prof  |" },
		{ "make", "my file", "prospect flame 'my file'  |  prospect graph 'my file'  |" },
		{ "make", "\033[2J", "prospect flame or graph in place of report  |" },
		{ "make", "/home/ann/a/folder/that/is/far/down/in/others/a.prof",
		  "prospect flame or graph in place of report  |" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct off_cpu_account no_waits = { 0 };
		struct printed printed;

		printed_world(&printed);
		profile_set_text(&printed.fixture.profile->run.command, cases[i].command);
		printed_begin(&printed, VIEW_SCREEN);
		printed.view.scope = SCOPE_COMMAND;
		printed.view.off_cpu = &no_waits;
		printed.view.file = cases[i].file;
		printed.view.screen.columns = 200;
		text_screen_print(&printed.view, printed.out);
		assert_has(printed_end(&printed), cases[i].next);
		printed_done(&printed);
	}
}

/* More samples only where a higher rate would give enough of them, and once. */
static void a_higher_rate_must_help(void **state)
{
	static const struct {
		uint64_t samples; /* of each function */
		uint64_t functions;
		double rate_hz;
		bool waits;
		const char *next;
	} cases[] = {
		{ 10, 1, 1000, false,
		  "Next         prospect --off-cpu true  |  prospect -F 10000 true\n" },
		{ 9, 1, 1000, false, "Next         prospect --off-cpu true\n" },
		{ 10, 1, 10000, false, "Next         prospect --off-cpu true\n" },
		{ 4, 40, 9999, false, "true  |  prospect -F 10000 true\n" },
		{ 4, 40, 10000, false, "Next         prospect --off-cpu true\n" },
		{ 9, 1, 1000, true, "Next         prospect flame  |  prospect graph\n" },
		{ 10, 1, 1000, true, "graph  |  prospect -F 10000 true\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct off_cpu_account waits = { .known = cases[i].waits };
		struct printed printed = { 0 };
		struct fixture *fixture = &printed.fixture;
		uint32_t task;

		fixture_init(fixture);
		profile_set_text(&fixture->profile->run.command, "true");
		fixture->profile->events[0].rate_hz = cases[i].rate_hz;
		task = fixture_task(fixture, fixture_process(fixture, "true", 7), "true");
		for (uint64_t j = 0; j < cases[i].functions; j++) {
			char name[16];

			snprintf(name, sizeof(name), "f%u", (unsigned)j);
			fixture_hit(fixture, task,
				    fixture_stack(fixture, "/bin/true", name, 16 * j, SYMBOL_NAMED),
				    MODE_USER, CONTEXT_TASK, cases[i].samples);
		}
		printed_begin(&printed, VIEW_SCREEN);
		printed.view.scope = SCOPE_COMMAND;
		printed.view.off_cpu = &waits;
		text_screen_print(&printed.view, printed.out);
		assert_has(printed_end(&printed), cases[i].next);
		printed_done(&printed);
	}
}

static void set_group(struct printed *printed, uint32_t process, const char *cgroup,
		      const char *container)
{
	struct profile *profile = printed->fixture.profile;

	profile->processes.items[process].cgroup = strpool_intern(&profile->strings, cgroup);
	if (container)
		profile->processes.items[process].container =
			strpool_intern(&profile->strings, container);
}

/* Of what was not launched, where there are several. */
static void units_are_one_line(void **state)
{
	struct printed printed;

	printed_world(&printed);
	set_group(&printed, 1, "/system.slice/net.service/worker", NULL);
	set_group(&printed, 2, "/user.slice/user-1000.slice/session-2.scope", NULL);
	set_group(&printed, 3, "/", NULL);
	assert_lacks(print(&printed, 24, 80), "Units");
	printed_done(&printed);
	printed_world(&printed);
	profile_set_text(&printed.fixture.profile->run.command, "");
	set_group(&printed, 1, "/system.slice/net.service/worker", NULL);
	set_group(&printed, 2, "/user.slice/user-1000.slice/session-2.scope", NULL);
	set_group(&printed, 3, "/", NULL);
	assert_has(print(&printed, 24, 80),
		   "\nUnits        net.service 65 %, session-2.scope 25 %, no unit 10 %\n");
	printed_done(&printed);
	printed_world(&printed);
	profile_set_text(&printed.fixture.profile->run.command, "");
	set_group(&printed, 1, "/docker/8a1f", "web");
	set_group(&printed, 2, "/docker/8a1f", "web");
	assert_lacks(print(&printed, 24, 80), "Units");
	printed_done(&printed);
}

static void names_do_not_command_the_terminal(void **state)
{
	struct printed printed;
	uint32_t task;

	printed_world(&printed);
	profile_set_text(&printed.fixture.profile->run.command, "\033[2J");
	task = fixture_task(&printed.fixture, fixture_process(&printed.fixture, "\033]0;evil\a", 9),
			    "\033c");
	fixture_hit(&printed.fixture, task,
		    fixture_stack(&printed.fixture, "/bin/\033[1m", "f\nake", 0x10, SYMBOL_NAMED),
		    MODE_USER, CONTEXT_TASK, 5000);
	assert_null(strchr(print(&printed, 24, 80), '\033'));
	assert_has(printed.text, "f\\x0aake");
	printed_done(&printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_answer_comes_first),
		cmocka_unit_test(it_fits),
		cmocka_unit_test(few_samples_compare_nothing),
		cmocka_unit_test(waits_take_no_cpu),
		cmocka_unit_test(functions_need_samples),
		cmocka_unit_test(the_machine_is_one_line),
		cmocka_unit_test(what_is_next_can_be_typed),
		cmocka_unit_test(a_higher_rate_must_help),
		cmocka_unit_test(units_are_one_line),
		cmocka_unit_test(names_do_not_command_the_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
