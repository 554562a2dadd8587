/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/count.h"
#include "present/printed.h"

typedef void (*print_form)(const struct count_view *view, FILE *out);

/* Page faults of a program that ran so often: 1,200 and 1,800 of them, so that Student's interval
 * is wider than the mean. */
static struct count_table *make_table(size_t repeats)
{
	static const uint64_t faults[] = { 1200, 1800 };
	struct counts runs[2] = { 0 };
	struct count_table *table;

	for (size_t i = 0; i < repeats; i++) {
		struct count_row *row;

		runs[i].event_count = 1;
		runs[i].complete = true;
		runs[i].wall_ns = NS_PER_S / 2;
		runs[i].events[0].user = runs[i].events[0].kernel = true;
		snprintf(runs[i].events[0].name, COUNTS_NAME, "page-faults");
		snprintf(runs[i].events[0].plain, COUNTS_NAME, "page-faults");
		row = counts_add_row(&runs[i]);
		snprintf(row->key.program, COUNTS_PATH, "./work");
		row->values[0] = (struct count_value){ faults[i], NS_PER_S, NS_PER_S };
	}
	table = count_table_new(runs, repeats);
	for (size_t i = 0; i < repeats; i++)
		counts_done(&runs[i]);
	return table;
}

/* The text is the caller's. */
static char *print(size_t repeats, enum count_digits digits, bool programs, print_form form)
{
	struct count_table *table = make_table(repeats);
	const struct count_view view = { .table = table,
					 .keys = { .program = programs },
					 .digits = digits,
					 .command = "./work" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	form(&view, out);
	fclose(out);
	count_table_free(table);
	return text;
}

static void print_csv(const struct count_view *view, FILE *out)
{
	count_view_csv(view, true, out);
}

/* Every form that has words for it says how far off the mean of several runs may be. */
static void intervals_of_several_runs(void **state)
{
	/* 12.7062 (t of one degree of freedom) * 300 / 1500 */
	static const char half[] = "+- 254.12%";
	const struct {
		bool programs;
		print_form form;
	} forms[] = {
		{ false, count_view_text },
		{ true, count_view_text },
		{ true, count_view_follow },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		char *several = print(2, COUNT_DIGITS_US, forms[i].programs, forms[i].form);
		char *one = print(1, COUNT_DIGITS_US, forms[i].programs, forms[i].form);

		assert_has(several, "1,500");
		assert_has(several, half);
		assert_has(one, "1,200");
		assert_lacks(one, "+-");
		free(several);
		free(one);
	}
}

static void nothing_is_less_than_nothing(void **state)
{
	char *csv = print(2, COUNT_DIGITS_US, false, print_csv);
	char *json = print(2, COUNT_DIGITS_US, false, count_view_json);

	assert_has(csv, "page-faults,1500,0,5311.8");
	assert_has(json, "\"low\": 0.0");
	free(csv);
	free(json);
}

/* There is no time on a CPU to share by: so often a second. */
static void ratios_are_grouped_as_counts(void **state)
{
	char *us = print(1, COUNT_DIGITS_US, false, count_view_text);
	char *eu = print(1, COUNT_DIGITS_EU, false, count_view_text);
	char *hex = print(1, COUNT_DIGITS_HEX, false, count_view_text);

	assert_has(us, "2,400");
	assert_has(eu, "2.400");
	assert_has(hex, "2,400");
	free(us);
	free(eu);
	free(hex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_of_several_runs),
		cmocka_unit_test(nothing_is_less_than_nothing),
		cmocka_unit_test(ratios_are_grouped_as_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
