/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/printed.h"

#include "present/rows/table_rows.h"

static void keys_then_figures(void **state)
{
	struct printed printed;
	struct table *table;
	const char *text;

	printed_world(&printed);
	printed_begin(&printed, 1);
	table = printed_table(&printed, "process,mode");
	table_rows_csv(table, NULL, true, printed.out);
	text = printed_end(&printed);
	assert_string_equal(text,
			    "process,mode,event,samples,weight,percent,low,high\n"
			    "netperf#1,kernel,cpu-clock,550,550000000,55.0000,51.9033,58.0585\n"
			    "cpuspin#1,user,cpu-clock,240,240000000,24.0000,21.4557,26.7433\n"
			    "netperf#1,user,cpu-clock,100,100000000,10.0000,8.2909,12.0152\n"
			    "[idle]#1,kernel,cpu-clock,100,100000000,10.0000,8.2909,12.0152\n"
			    "cpuspin#1,kernel,cpu-clock,10,10000000,1.0000,0.5441,1.8309\n");
	table_free(table);
	printed_done(&printed);
}

static void names_stay_on_their_line(void **state)
{
	struct printed printed;
	struct table *table;
	const char *text;
	uint32_t task, stack;

	printed_world(&printed);
	task = fixture_task(&printed.fixture, fixture_process(&printed.fixture, "a,\n\"b\"", 9),
			    "t");
	stack = fixture_stack(&printed.fixture, "/bin/x", "f(int, long)", 0x10, SYMBOL_NAMED);
	fixture_hit(&printed.fixture, task, stack, MODE_USER, CONTEXT_TASK, 5000);
	printed_begin(&printed, 1);
	table = printed_table(&printed, "program,symbol,pid");
	table_rows_csv(table, NULL, true, printed.out);
	text = printed_end(&printed);
	assert_has(text, "\n\"a,\\x0a\"\"b\"\"\",\"f(int, long)\",9,cpu-clock,5000,");
	table_free(table);
	printed_done(&printed);
}

static bool tell(void *context, uint32_t frame, struct buf *text)
{
	buf_add_str(text, "mov %eax,%ebx");
	return true;
}

static void instructions_come_last(void **state)
{
	const struct instructions_view instructions = { .text = tell };
	struct printed printed;
	struct table *table;
	const char *text;

	printed_world(&printed);
	printed_begin(&printed, 1);
	table = printed_table(&printed, "mode,address");
	table_rows_csv(table, &instructions, true, printed.out);
	text = printed_end(&printed);
	assert_has(text, "mode,address,event,samples,weight,percent,low,high,instruction\n");
	assert_has(text, "\nkernel,0x204,cpu-clock,500,500000000,50.0000,46.9070,53.0930,"
			 "\"mov %eax,%ebx\"\n");
	table_free(table);
	printed_done(&printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_come_last),
		cmocka_unit_test(keys_then_figures),
		cmocka_unit_test(names_stay_on_their_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
