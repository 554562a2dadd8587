/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/loss.h"
#include "model/words.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Every word of a list: its name leads back to it, and what is no name to the list's end. */
#define CHECK_WORDS(word, COUNT)                                           \
	do {                                                               \
		for (int i = 0; i < (COUNT); i++) {                        \
			const char *name = word##_name((enum word)i);      \
                                                                           \
			assert_true(strlen(name) > 0);                     \
			assert_int_equal(word##_by_name(name), i);         \
		}                                                          \
		assert_int_equal(word##_by_name("no such word"), (COUNT)); \
		assert_int_equal(word##_by_name(""), (COUNT));             \
	} while (0)

static void test_names_lead_back(void **state)
{
	(void)state;
	CHECK_WORDS(mode, MODE_COUNT);
	CHECK_WORDS(context, CONTEXT_COUNT);
	CHECK_WORDS(frame_kind, FRAME_KIND_COUNT);
	CHECK_WORDS(stack_end, STACK_END_COUNT);
	CHECK_WORDS(image_kind, IMAGE_KIND_COUNT);
	CHECK_WORDS(image_state, IMAGE_STATE_COUNT);
	CHECK_WORDS(symbol_kind, SYMBOL_KIND_COUNT);
	CHECK_WORDS(clock_kind, CLOCK_KIND_COUNT);
}

/* What other programs rely on: design's words of --by context, mode and the clocks of the header.
 */
static void test_words_of_the_contract(void **state)
{
	(void)state;
	assert_string_equal(mode_name(MODE_USER), "user");
	assert_string_equal(mode_name(MODE_KERNEL), "kernel");
	assert_string_equal(context_name(CONTEXT_TASK), "task");
	assert_string_equal(context_name(CONTEXT_SOFTIRQ), "softirq");
	assert_string_equal(context_name(CONTEXT_HARDIRQ), "hardirq");
	assert_string_equal(clock_kind_name(CLOCK_PMU_NMI), "pmu-nmi");
	assert_string_equal(clock_kind_name(CLOCK_TIMER), "timer");
}

static void test_texts(void **state)
{
	(void)state;
	for (int i = 0; i < IMAGE_STATE_COUNT; i++)
		assert_true(strlen(image_state_text((enum image_state)i)) > 0);
	for (int i = 0; i < STACK_END_COUNT; i++)
		assert_true(strlen(stack_end_text((enum stack_end)i)) > 0);
	assert_string_equal(image_state_text(IMAGE_STATE_GONE),
			    "the file was deleted before it could be opened");
}

static void test_losses(void **state)
{
	(void)state;
	for (int i = 0; i < LOSS_COUNT; i++) {
		assert_true(strlen(loss_text((enum loss_reason)i)) > 0);
		assert_int_equal(loss_by_name(loss_name((enum loss_reason)i)), i);
	}
	assert_int_equal(loss_by_name("nothing"), LOSS_COUNT);
	assert_string_equal(loss_name(LOSS_MISSED_TICKS), "missed_ticks");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_lead_back),
		cmocka_unit_test(test_words_of_the_contract),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
