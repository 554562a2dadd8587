/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/printed.h"

#include "present/hit_instructions.h"
#include "present/rows/table_rows.h"
#include "present/text/text_report.h"

/* "insn N" for frame N; the last frame of the fixture has none. */
static bool tell(void *context, uint32_t frame, struct buf *text)
{
	const struct profile *profile = context;
	bool known = frame + 1 < profile->frames.count;

	if (known)
		buf_printf(text, "insn %u, \033%%r", frame);
	else
		buf_add_str(text, "(no code: gone)");
	return known;
}

static const char *note(void *context)
{
	return "all is lost";
}

/* A function "work" at 0x100 with hits 1 to 7 at 0x100 to 0x118; 10 in "[unknown]". */
static void begin(struct printed *printed, struct instructions_view *instructions, int level)
{
	struct fixture *fixture = &printed->fixture;
	struct profile *profile;
	uint32_t task, process, none;

	*printed = (struct printed){ 0 };
	fixture_init(fixture);
	profile = fixture->profile;
	process = fixture_process(fixture, "prog", 9);
	profile->processes.items[process].in_command = true;
	task = fixture_task(fixture, process, "prog");
	for (uint64_t i = 0; i < 7; i++) {
		uint32_t stack = fixture_stack(fixture, "/bin/prog", NULL, 0xfc + 4 * i, 0);
		uint32_t frame = profile->stacks.items[stack].frame;
		struct symbol work = { .image = profile->frames.items[frame].image,
				       .name = fixture_text(fixture, "work"),
				       .start = 0x100,
				       .size = 64 };

		profile->frames.items[frame].symbol = profile_symbol(profile, &work);
		fixture_hit(fixture, task, stack, MODE_USER, CONTEXT_TASK, 1 + i);
	}
	none = fixture_stack(fixture, "/bin/prog", "[unknown]", 0x900, SYMBOL_NONE);
	fixture_hit(fixture, task, none, MODE_USER, CONTEXT_TASK, 10);
	*instructions = (struct instructions_view){ tell, note, profile };
	printed_begin(printed, level);
	printed->view.instructions = instructions;
}

static void all_in_order_of_address(void **state)
{
	struct instructions_view instructions;
	struct printed printed;
	const char *text;

	begin(&printed, &instructions, VIEW_COMMAND);
	text_report_print(&printed.view, printed.out);
	text = printed_end(&printed);
	assert_has(text, "  work            28  73.68  /bin/prog\n"
			 "           1    3.57  <work>: insn 1, \\x1b%r\n"
			 "           2    7.14  <work+0x4>: insn 2, \\x1b%r\n"
			 "           3   10.71  <work+0x8>: insn 3, \\x1b%r\n"
			 "           4   14.29  <work+0xc>: insn 4, \\x1b%r\n"
			 "           5   17.86  <work+0x10>: insn 5, \\x1b%r\n"
			 "           6   21.43  <work+0x14>: insn 6, \\x1b%r\n"
			 "           7   25.00  <work+0x18>: insn 7, \\x1b%r\n"
			 "  [unknown]       10  26.32  /bin/prog\n"
			 "          10  100.00  0x904: (no code: gone)\n");
	assert_has(text, "\nNote: all is lost\n");
	printed_done(&printed);
}

/* On the screen the five heaviest, still in order of address, and the sum of the others. */
static void the_heaviest_on_a_screen(void **state)
{
	struct instructions_view instructions;
	struct printed printed;
	const char *text;

	begin(&printed, &instructions, VIEW_SCREEN);
	text_report_print(&printed.view, printed.out);
	text = printed_end(&printed);
	assert_lacks(text, "insn 1,");
	assert_lacks(text, "insn 2,");
	assert_has(text, "  work                          prog\n"
			 "         3   10.71  <work+0x8>: insn 3, \\x1b%r\n"
			 "         4   14.29  <work+0xc>: insn 4, \\x1b%r\n"
			 "         5   17.86  <work+0x10>: insn 5, \\x1b%r\n"
			 "         6   21.43  <work+0x14>: insn 6, \\x1b%r\n"
			 "         7   25.00  <work+0x18>: insn 7, \\x1b%r\n"
			 "         3   10.71  at 2 other addresses\n");
	assert_has(text, "\nNote: all is lost\n");
	printed_done(&printed);
}

static void none_without_being_asked(void **state)
{
	struct instructions_view instructions;
	struct printed printed;
	const char *text;

	begin(&printed, &instructions, VIEW_COMMAND);
	printed.view.instructions = NULL;
	text_report_print(&printed.view, printed.out);
	text = printed_end(&printed);
	assert_lacks(text, "insn");
	assert_lacks(text, "Note");
	printed_done(&printed);
}

static void a_column_of_a_table(void **state)
{
	struct instructions_view instructions;
	struct printed printed;
	struct table *table;
	const char *text;

	begin(&printed, &instructions, VIEW_SCREEN);
	table = printed_table(&printed, "symbol,address");
	text_report_table(&printed.view, table, printed.out);
	text = printed_end(&printed);
	assert_has(text, "Hits    Time  symbol     address  instruction\n");
	assert_has(text, "   7  0.0070  work         0x118  insn 7, \\x1b%r\n");
	assert_has(text, "  10  0.0100  [unknown]    0x904  (no code: gone)\n");
	table_free(table);
	printed_done(&printed);
}

static void a_field_of_a_row(void **state)
{
	struct instructions_view instructions;
	struct printed printed;
	struct table *table;
	const char *text;

	begin(&printed, &instructions, VIEW_SCREEN);
	table = printed_table(&printed, "address");
	table_rows_json(&printed.view, table, printed.out);
	text = printed_end(&printed);
	assert_has(text, "\"no_instructions\": \"all is lost\"");
	assert_has(text, ",\"instruction\":\"insn 7, \\u001b%r\"}");
	assert_has(text, ",\"instruction\":null,\"no_instruction\":\"(no code: gone)\"}");
	table_free(table);
	printed_done(&printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_in_order_of_address),
		cmocka_unit_test(the_heaviest_on_a_screen),
		cmocka_unit_test(none_without_being_asked),
		cmocka_unit_test(a_column_of_a_table),
		cmocka_unit_test(a_field_of_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
