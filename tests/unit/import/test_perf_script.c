/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "import/perf_script.h"

static uint64_t read_with(const char *text, const struct perf_script_visitor *visitor)
{
	struct perf_data_input input;
	uint64_t odd;
	int fd = memfd_create("script", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	lseek(fd, 0, SEEK_SET);
	perf_data_input_begin(&input, fd);
	assert_int_equal(perf_script_read(&input, visitor, &odd), 0);
	perf_data_input_done(&input);
	return odd;
}

struct event_case {
	const char *line, *comm;
	int32_t pid, tid;
	int cpu;
	uint64_t time_ns;
	uint64_t period; /* 0: none */
	const char *event;
};

static int check_event(void *context, const struct perf_script_sample *sample)
{
	const struct event_case **wanted = context;

	assert_string_equal(sample->comm, (*wanted)->comm);
	assert_int_equal(sample->pid, (*wanted)->pid);
	assert_int_equal(sample->tid, (*wanted)->tid);
	assert_int_equal(sample->cpu, (*wanted)->cpu);
	assert_int_equal(sample->time_ns, (*wanted)->time_ns);
	assert_int_equal(sample->has_period, (*wanted)->period != 0);
	assert_int_equal(sample->period, (*wanted)->period);
	assert_string_equal(sample->event, (*wanted)->event);
	*wanted = NULL;
	return 0;
}

static void events_with_and_without_fields(void **state)
{
	static const struct event_case cases[] = {
		{ "perf  6299 [001] 15387.467467:          1 page-faults: ", "perf", 6299, 6299, 1,
		  15387467467000, 1, "page-faults" },
		{ "         swapper     0 [003] 12.000001: cycles: ", "swapper", 0, 0, 3,
		  12000001000, 0, "cycles" },
		{ "java 43287/43869 [025] 51499.133872: 4 cycles:ppp:", "java", 43287, 43869, 25,
		  51499133872000, 4, "cycles:ppp" },
		{ "func_ab 15294 cpu-clock: ", "func_ab", 15294, 15294, PERF_SCRIPT_NO_CPU, 0, 0,
		  "cpu-clock" },
		{ "func_ab 15294      100000 cpu-clock: ", "func_ab", 15294, 15294,
		  PERF_SCRIPT_NO_CPU, 0, 100000, "cpu-clock" },
		{ "Web Content 77 [000] 1.5: 10 cycles:u: 7f00", "Web Content", 77, 77, 0,
		  1500000000, 10, "cycles:u" },
		{ "kworker/0:1-eve 12 [000] 1.000000: sched:sched_switch: prev_comm=a",
		  "kworker/0:1-eve", 12, 12, 0, 1000000000, 0, "sched:sched_switch" },
		{ "Thread 1 1234/1235 [000] 1.000000001: 5 cycles:", "Thread 1", 1234, 1235, 0,
		  1000000001, 5, "cycles" },
		{ "a 1 [000] K 1.000000: 5 cycles:", "a", 1, 1, 0, 1000000000, 5, "cycles" },
		{ "a -1 [000] 1.000000: 5 cycles:", "a", -1, -1, 0, 1000000000, 5, "cycles" },
		{ ":123 123 2.000000: 7 instructions:", ":123", 123, 123, PERF_SCRIPT_NO_CPU,
		  2000000000, 7, "instructions" },
		{ "a 9 [010] 3.000000: ", "a", 9, 9, 10, 3000000000, 0, "" },
		{ "a 9 [010] 3.000000:     100 raw 0x1a8: ", "a", 9, 9, 10, 3000000000, 100,
		  "raw 0x1a8" },
		{ "a 9 3.000000: cycles: \r", "a", 9, 9, PERF_SCRIPT_NO_CPU, 3000000000, 0,
		  "cycles" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct event_case *wanted = &cases[i];

		read_with(cases[i].line,
			  &(struct perf_script_visitor){ &wanted, check_event, NULL });
		if (wanted)
			fail_msg("not understood: %s", wanted->line);
	}
}

/* As perf 6.1 prints them ("%16s %5d ", then "%12s: ", "%10u ") for threads with these names; and
 * perf 6.6 ("%7d"). */
static void names_that_look_like_other_fields(void **state)
{
	static const char *const names[] = {
		"DOM Worker 3", "",	      "123",	    "[001]", "3 [001]",
		"a: b",		"x y z:",     "1.5:",	    "12/13", "Worker 1/2",
		"f(int) [k]",	"a;b",	      "77 cycles:", "-1",    "7 3.5: 9",
		"# no",		"deadbeef12", "K",	    "raw",   "cycles: 1"
	};
	static const struct {
		int comm_columns, pid_columns;
		const char *rest;
		int cpu;
		uint64_t time_ns, period;
	} forms[] = {
		{ 16, 5, "[003] 11064.148406:          1 cycles:u:      5632799d51d8 run", 3,
		  11064148406000, 1 },
		{ 16, 5, "11064.148406:    1000000 cycles:u: ", -1, 11064148406000, 1000000 },
		{ 16, 7, "[003] cycles:u:      5632799d51d8 run", 3, 0, 0 },
		{ 16, 5, "         1 cycles:u:      5632799d51d8 run (/bin/a)", -1, 0, 1 },
		{ 16, 7, "cycles:u: ", -1, 0, 0 },
		{ 0, 7, "1234567890 cycles:u: ", -1, 0, 1234567890 },
		{ 0, 5, "[003] U     11064.148406: cycles:u: ", 3, 11064148406000, 0 },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		for (size_t j = 0; j < sizeof(forms) / sizeof(forms[0]); j++) {
			struct event_case told = { NULL,
						   names[i],
						   5040,
						   5040,
						   forms[j].cpu,
						   forms[j].time_ns,
						   forms[j].period,
						   "cycles:u" };
			const struct event_case *wanted = &told;
			char line[256];

			snprintf(line, sizeof(line), "%*s %*d %s", forms[j].comm_columns, names[i],
				 forms[j].pid_columns, 5040, forms[j].rest);
			told.line = line;
			assert_true(perf_script_is(line, strlen(line)));
			read_with(line,
				  &(struct perf_script_visitor){ &wanted, check_event, NULL });
			if (wanted)
				fail_msg("not understood: %s", line);
		}
	}
}

static int count_sample(void *context, const struct perf_script_sample *sample)
{
	++*(size_t *)context;
	return 0;
}

static void other_lines_are_no_events(void **state)
{
	static const char *const lines[] = { "",
					     "word",
					     "# comment",
					     "int main(void)",
					     "root:x:0:0:root:/root:/bin/bash",
					     "The year 1999 was: long",
					     "1 2 3",
					     "a b c: d" };
	size_t count = 0;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		read_with(lines[i], &(struct perf_script_visitor){ &count, count_sample, NULL });
		if (count)
			fail_msg("taken for an event: %s", lines[i]);
	}
}

struct frame_case {
	const char *line;
	uint64_t address;
	const char *symbol;
	uint64_t offset;
	const char *image;
};

static int check_frame(void *context, const struct perf_script_sample *sample)
{
	const struct frame_case *wanted = context;
	const struct perf_script_frame *frame = sample->frames;

	if (sample->frame_count != 1)
		fail_msg("not understood: %s", wanted->line);
	assert_int_equal(frame->address, wanted->address);
	assert_int_equal(frame->has_address, wanted->address != 0);
	assert_string_equal(frame->symbol, wanted->symbol);
	assert_int_equal(frame->offset, wanted->offset);
	assert_string_equal(frame->image, wanted->image);
	return 0;
}

static void frames_of_all_shapes(void **state)
{
	static const struct frame_case cases[] = {
		{ "\t          400577 func_b (/root/lang/func_ab)", 0x400577, "func_b", 0,
		  "/root/lang/func_ab" },
		{ "\tffffffff81000010 do_x+0x1f ([kernel.kallsyms])", 0xffffffff81000010, "do_x",
		  0x1f, "[kernel.kallsyms]" },
		{ "\t 98d1c [unknown] (/usr/bin/perf)", 0x98d1c, "[unknown]", 0, "/usr/bin/perf" },
		{ "\t 1 std::map<int, A (*)(int)>::at(int const&)+0x2 (/x y/lib (1).so)", 1,
		  "std::map<int, A (*)(int)>::at(int const&)", 2, "/x y/lib (1).so" },
		{ "\t 2 operator()", 2, "operator()", 0, "" },
		{ "\t 2 f(int) const (inlined)", 2, "f(int) const", 0, "inlined" },
		{ "\t 3 gone (/tmp/x (deleted))", 3, "gone", 0, "/tmp/x (deleted)" },
		{ "\tmain+0x3 (/bin/x)", 0, "main", 3, "/bin/x" },
		{ "\tadd (/bin/x)", 0, "add", 0, "/bin/x" },
		{ "\t7f12 (/bin/x)", 0x7f12, "", 0, "/bin/x" },
		{ "\t7f12 a+b+0x1", 0x7f12, "a+b", 1, "" },
		{ "\t7f12 weird+0xzz (/x)", 0x7f12, "weird+0xzz", 0, "/x" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct perf_script_visitor visitor = { (void *)&cases[i], check_frame, NULL };
		char text[512];

		snprintf(text, sizeof(text), "a 1 [000] 1.000000: 1 cycles:\n%s\n", cases[i].line);
		assert_int_equal(read_with(text, &visitor), 0);
	}
}

struct seen {
	size_t samples, frames, chains;
	char events[256], heads[256];
};

static int take_sample(void *context, const struct perf_script_sample *sample)
{
	struct seen *seen = context;

	seen->samples++;
	seen->frames += sample->frame_count;
	seen->chains += sample->has_chain;
	strncat(seen->events, sample->event, 32);
	strcat(seen->events, " ");
	return 0;
}

static void take_head(void *context, const char *name, const char *value)
{
	struct seen *seen = context;

	snprintf(seen->heads, sizeof(seen->heads), "%s=%s", name, value);
}

static uint64_t read_text(const char *text, struct seen *seen)
{
	return read_with(text, &(struct perf_script_visitor){ seen, take_sample, take_head });
}

static void a_whole_text(void **state)
{
	static const char text[] = "# ========\n# hostname : somewhere\n#\n"
				   "   a 1 [000] 1.000000: 1 cycles:\n"
				   "\t 10 f+0x1 (/bin/a)\n  file.c:12\n\t 20 main (/bin/a)\n"
				   "\n"
				   "b 2 [001] 2.000000: PERF_RECORD_MMAP2 2/2: x\n"
				   "b 2 [001] 2.000000: 7 faults:  99 g (/bin/b)\n"
				   "b 2 [001] 3.000000: 7 faults:  99 g (/bin/b)\n"
				   "what is this\n"
				   "\n"
				   "c 3 [001] 4.000000: 1 cycles:\n"
				   "        ffff h ([kernel.kallsyms])\n";
	struct seen seen = { .samples = 0 };

	assert_true(perf_script_is(text, sizeof(text) - 1));
	assert_int_equal(read_text(text, &seen), 1);
	assert_int_equal(seen.samples, 4);
	assert_int_equal(seen.frames, 5);
	assert_int_equal(seen.chains, 2);
	assert_string_equal(seen.events, "cycles faults faults cycles ");
	assert_string_equal(seen.heads, "hostname=somewhere");
}

/* Neither times nor processors, nor empty lines between samples: -F comm,tid,event,ip,sym -G. */
static void samples_of_one_line(void **state)
{
	static const char lines[] = "   a 1 cycles:      7f4ad0436838 operator new (/bin/a)\n"
				    "   b c 2/3 cycles:  12 [unknown] (/bin/b)\n"
				    "   d 4 faults: \n"
				    "   e 5 7 cycles:  5d6503db22 main (/bin/e)\n";
	static const char chains[] = "   a 1 cycles: \n"
				     "\t7f4ad0436838 call 1 f: (/bin/a)\n"
				     "\t 12 main (/bin/a)\n";
	struct seen seen = { .samples = 0 }, chained = { .samples = 0 };

	assert_int_equal(read_text(lines, &seen), 0);
	assert_int_equal(seen.samples, 4);
	assert_int_equal(seen.frames, 3);
	assert_int_equal(seen.chains, 0);
	assert_string_equal(seen.events, "cycles cycles faults cycles ");
	assert_int_equal(read_text(chains, &chained), 0);
	assert_int_equal(chained.samples, 1);
	assert_int_equal(chained.frames, 2);
}

/* Samples of one line each: the next one must not be taken for a frame of the last. */
static void names_of_digits_are_no_addresses(void **state)
{
	static const char text[] =
		"      deadbeef12  5061          1 faults:      5632799d51d8 run (/a)\n"
		"      deadbeef12  5061          1 faults:      5632799d51d8 run (/a)\n"
		"             123  5062 faults:      5632799d51d8 run (/a)\n";
	struct seen seen = { .samples = 0 };

	assert_int_equal(read_text(text, &seen), 0);
	assert_int_equal(seen.samples, 3);
	assert_int_equal(seen.frames, 3);
	assert_int_equal(seen.chains, 0);
}

/* Warnings go where standard output goes. */
static void warnings_anywhere(void **state)
{
	static const char text[] = "Warning:\nProcessed 5 events and lost 1 chunks!\n\n"
				   "[perf 12] cannot read 3 of 4: x\n"
				   "a 1 [000] 1.000000: 1 cycles:\n"
				   "\t          401136 f+0x1 (/bin/a)\n"
				   "addr2line: 'x': No such file\n"
				   "\t          401200 main (/bin/a)\n"
				   "\tsomething else\n"
				   "\n"
				   "b 2 [00x] 2.00000x: 1 cycles:\n"
				   "\t          401136 lost+0x1 (/bin/b)\n"
				   "\n"
				   "c 3 [000] 3.000000: 1 cycles:\n"
				   "\t          401136 f+0x1 (/bin/c)\n";
	static const char unanchored[] = "Warning: 5 things: x\n"
					 "DOM Worker 3  4983 cycles: \n\t            11d8 run\n";
	struct seen seen = { .samples = 0 }, second = { .samples = 0 };

	assert_true(perf_script_is(text, sizeof(text) - 1));
	assert_int_equal(read_text(text, &seen), 6);
	assert_int_equal(seen.samples, 2);
	assert_int_equal(seen.frames, 3);
	assert_true(perf_script_is(unanchored, sizeof(unanchored) - 1));
	assert_int_equal(read_text(unanchored, &second), 1);
	assert_int_equal(second.samples, 1);
	assert_int_equal(second.frames, 1);
}

static int check_only_frame(void *context, const struct perf_script_sample *sample)
{
	assert_int_equal(sample->frame_count, 1);
	assert_int_equal(sample->frames[0].address, 0x401136);
	assert_string_equal(sample->frames[0].symbol, "add");
	assert_string_equal(sample->frames[0].image, "/bin/a b");
	++*(size_t *)context;
	return 0;
}

/* -F addr, data_src, weight, flags, phys_addr, iregs, insn, brstack, metric and without an event. */
static void other_fields_are_no_frames(void **state)
{
	static const char *const texts[] = {
		"a 1 [000] 1.000000: 1 cycles:           401136 add (/bin/a b)\n",
		"a 1 [000] 1.000000: 1 cycles:     7f71fdbf0000           401136 add (/bin/a b)\n",
		"a 1 [000] 1.000000: 1 cycles:     7f71fdbf0000 x (/lib/x)           401136 add "
		"(/bin/a b)\n",
		"a 1 [000] 1.000000: 1 cycles:   call                       401136 add (/bin/a "
		"b)\n",
		"a 1 [000] 1.000000: 1 cycles:           401136 add (/bin/a b) ABI:2    AX:0x0\n",
		"a 1 [000] 1.000000: 1 cycles:           401136 add (/bin/a b) insn: 48 89\n",
		"a 1 [000] 1.000000: 1 cycles:           401136 add (/bin/a b)  "
		"0x4011/0x4022/P/-/-/0\n",
		"a 1 [000] 1.000000:           401136 add (/bin/a b)\n",
		"a 1 [000]           401136 add (/bin/a b)\n",
		"a 1 [000] 1.000000: 1 cycles:     7f71fdbf0000\n\t          401136 add (/bin/a "
		"b)\n"
		" ABI:2    AX:0x0\n               0\n  a.c:12\n"
		"a 1 [000] 1.000000: \tmetric:    0.5 insn per cycle\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t count = 0;

		assert_int_equal(
			read_with(texts[i],
				  &(struct perf_script_visitor){ &count, check_only_frame, NULL }),
			0);
		assert_int_equal(count, 1);
	}
}

static int check_name(void *context, const struct perf_script_sample *sample)
{
	static const char *const names[] = { "a", "DOM Worker 3", "", "b" };

	assert_false(sample->has_task);
	assert_int_equal(sample->tid, -1);
	assert_string_equal(sample->comm, names[(*(size_t *)context)++]);
	return 0;
}

/* -F comm,time,event,ip: a number before the time is a part of the name then. */
static void events_without_tasks(void **state)
{
	static const char text[] = "               a 1.000000: faults:      5632799d51d8 run\n"
				   "    DOM Worker 3 1.000001: faults:      5632799d51d8 run\n"
				   "                 1.000002: faults:      5632799d51d8 run\n"
				   "               b 1.000003: faults:      5632799d51d8 run\n";
	size_t count = 0;

	assert_true(perf_script_is(text, sizeof(text) - 1));
	assert_int_equal(read_with(text, &(struct perf_script_visitor){ &count, check_name, NULL }),
			 0);
	assert_int_equal(count, 4);
}

static void other_texts_are_not_taken_for_it(void **state)
{
	assert_false(perf_script_is("", 0));
	assert_false(perf_script_is("hello world\nthis is text\n", 25));
	assert_false(perf_script_is("a 1 [000] 1.0: cycles:\0binary", 30));
	assert_false(perf_script_is("# only\n# remarks\n", 17));
	assert_false(perf_script_is("/* C */\nint x;\n", 15));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_with_and_without_fields),
		cmocka_unit_test(names_that_look_like_other_fields),
		cmocka_unit_test(names_of_digits_are_no_addresses),
		cmocka_unit_test(warnings_anywhere),
		cmocka_unit_test(other_fields_are_no_frames),
		cmocka_unit_test(events_without_tasks),
		cmocka_unit_test(other_lines_are_no_events),
		cmocka_unit_test(frames_of_all_shapes),
		cmocka_unit_test(a_whole_text),
		cmocka_unit_test(samples_of_one_line),
		cmocka_unit_test(other_texts_are_not_taken_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
