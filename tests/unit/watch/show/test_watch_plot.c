/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/show/watch_plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void add_value(void *context, double value, struct buf *text)
{
	(void)context;
	buf_printf(text, "%.1f", value);
}

static const struct watch_plot_look ascii = {
	.columns = 24, .lines = 8, .ascii = true, .title = "entries (#/s)", .value = add_value
};

static void draw(const struct watch_plot *plot, const struct watch_plot_look *look,
		 const char *expected)
{
	struct buf text = { 0 };

	watch_plot_draw(plot, 0, look, &text);
	assert_string_equal(buf_text(&text), expected);
	buf_done(&text);
}

static void test_ramp(void **state)
{
	struct watch_plot *plot = watch_plot_new();

	(void)state;
	for (int i = 0; i <= 4; i++) {
		watch_plot_step(plot, i);
		watch_plot_set(plot, 0, 7, "up", i);
		watch_plot_set(plot, 0, 9, "flat", 0);
		watch_plot_set(plot, 1, 7, "other chart", 100);
	}
	draw(plot, &ascii,
	     "entries (#/s)\n"
	     "       4.0 |          aa\n"
	     "           |       aaa\n"
	     "           |     aa\n"
	     "           |  aaa\n"
	     "       0.0 |bbbbbbbbbbbb\n"
	     "            0.0    4.0 s\n"
	     "a up  b flat\n");
	watch_plot_free(plot);
}

static void test_braille(void **state)
{
	struct watch_plot_look look = ascii;
	struct watch_plot *plot = watch_plot_new();

	(void)state;
	look.ascii = false;
	for (int i = 0; i <= 1; i++) {
		watch_plot_step(plot, i);
		watch_plot_set(plot, 0, 0, "flat", 1);
	}
	draw(plot, &look,
	     "entries (#/s)\n"
	     "       1.0 │⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉\n"
	     "           │\n"
	     "           │\n"
	     "           │\n"
	     "       0.0 │\n"
	     "            0.0    1.0 s\n"
	     "- flat\n");
	watch_plot_free(plot);
}

/* Gaps are gaps, and nothing is no reason to fail. */
static void test_gaps(void **state)
{
	struct watch_plot *plot = watch_plot_new();
	struct buf text = { 0 };

	(void)state;
	watch_plot_draw(plot, 0, &ascii, &text);
	for (int i = 0; i < 3 * WATCH_PLOT_POINTS; i++) {
		watch_plot_step(plot, i);
		for (size_t key = 0; key < 2 * WATCH_PLOT_SERIES && i % 3; key++)
			watch_plot_set(plot, 0, key, "s", i % 2 ? NAN : (double)key);
	}
	watch_plot_draw(plot, 0, &ascii, &text);
	assert_non_null(strstr(buf_text(&text), "      15.0 |"));
	assert_non_null(strstr(buf_text(&text), "+"));
	buf_done(&text);
	watch_plot_free(plot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ramp),
		cmocka_unit_test(test_braille),
		cmocka_unit_test(test_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
