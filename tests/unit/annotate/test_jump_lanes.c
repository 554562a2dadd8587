/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/jump_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(struct jump *jumps, size_t count, size_t rows, const char *wanted)
{
	struct jump_lanes *lanes = jump_lanes_new(jumps, count);
	struct buf text = { 0 };

	for (size_t i = 0; i < rows; i++) {
		jump_lanes_draw(lanes, i, &text);
		buf_add_char(&text, '\n');
	}
	assert_string_equal(buf_text(&text), wanted);
	jump_lanes_free(lanes);
	buf_done(&text);
}

static void test_drawing(void **state)
{
	struct jump down[] = { { 0, 2 } }, up[] = { { 2, 0 } }, self[] = { { 1, 1 } };
	struct jump nested[] = { { 0, 4 }, { 3, 1 } };
	struct jump beside[] = { { 0, 1 }, { 2, 3 } };
	struct jump one_target[] = { { 0, 3 }, { 1, 3 } };

	(void)state;
	expect(NULL, 0, 2, "\n\n");
	expect(down, 1, 3, "/- \n|  \n\\> \n");
	expect(up, 1, 3, "/> \n|  \n\\- \n");
	expect(self, 1, 3, "   \no> \n   \n");
	expect(nested, 2, 5, "/-- \n|/> \n||  \n|\\- \n\\-> \n");
	expect(beside, 2, 4, "/- \n\\> \n/- \n\\> \n");
	expect(one_target, 2, 4, "/-- \n|/- \n||  \n\\+> \n");
}

/* Jumps that find no lane are left out, the longest ones. */
static void test_too_many(void **state)
{
	struct jump jumps[JUMP_LANES_MOST + 3];
	struct jump_lanes *lanes;
	struct buf text = { 0 };

	(void)state;
	for (size_t i = 0; i < JUMP_LANES_MOST + 3; i++)
		jumps[i] = (struct jump){ 20 - i, 21 + i };
	lanes = jump_lanes_new(jumps, JUMP_LANES_MOST + 3);
	jump_lanes_draw(lanes, 20 - JUMP_LANES_MOST, &text);
	assert_string_equal(buf_text(&text), "        ");
	buf_clear(&text);
	jump_lanes_draw(lanes, 21, &text);
	assert_string_equal(buf_text(&text), "|||||\\> ");
	jump_lanes_free(lanes);
	buf_done(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drawing),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
