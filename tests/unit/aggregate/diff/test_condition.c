/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "aggregate/fixture.h"

#include "aggregate/diff/condition.h"

static struct conditions parsed(const char *text)
{
	struct conditions conditions;
	struct err err;

	if (condition_parse(text, &conditions, &err) < 0)
		fail_msg("%s", err.text);
	return conditions;
}

static void changes_and_levels(void **state)
{
	static const struct {
		const char *text;
		enum condition_what what;
		enum condition_of of;
		double value;
	} cases[] = {
		{ "share(parse) > +2%", CONDITION_SHARE, CONDITION_DIFFERENCE, 0.02 },
		{ "share(parse)>-2.5 points", CONDITION_SHARE, CONDITION_DIFFERENCE, -0.025 },
		{ "share(parse) > 30%", CONDITION_SHARE, CONDITION_LEVEL, 0.3 },
		{ "share(parse) > 1.1x", CONDITION_SHARE, CONDITION_RATIO, 1.1 },
		{ "time(parse) > +5%", CONDITION_TIME, CONDITION_RATIO, 1.05 },
		{ "total > +5%", CONDITION_TIME, CONDITION_RATIO, 1.05 },
		{ "time(parse) > +0.5s", CONDITION_TIME, CONDITION_DIFFERENCE, 5e8 },
		{ "time > 20 ms", CONDITION_TIME, CONDITION_LEVEL, 2e7 },
		{ "time > 2min", CONDITION_TIME, CONDITION_LEVEL, 1.2e11 },
		{ "weight > 1e6", CONDITION_TIME, CONDITION_LEVEL, 1e6 },
		{ "rate(x) > 500us", CONDITION_RATE, CONDITION_LEVEL, 5e5 },
		{ "samples > 1000", CONDITION_SAMPLES, CONDITION_LEVEL, 1000 },
		{ "samples(x) > +100", CONDITION_SAMPLES, CONDITION_DIFFERENCE, 100 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct conditions conditions = parsed(cases[i].text);
		const struct condition *condition = conditions.items.items;

		assert_int_equal(condition->what, cases[i].what);
		assert_int_equal(condition->of, cases[i].of);
		assert_float_equal(condition->value / cases[i].value, 1, 1e-12);
		assert_string_equal(condition->text, cases[i].text);
		condition_done(&conditions);
	}
}

static void names_have_parentheses(void **state)
{
	struct conditions conditions = parsed(
		"share( a::f(int, std::map<int, g()>) const ) >= +2% and time(image=lib*)<1s");
	const struct condition *items = conditions.items.items;

	assert_int_equal(conditions.items.count, 2);
	assert_string_equal(items[0].names, "a::f(int, std::map<int, g()>) const");
	assert_true(items[0].or_equal && !items[0].less && !items[0].selects);
	assert_string_equal(items[1].names, "image=lib*");
	assert_true(items[1].less && !items[1].or_equal && items[1].selects);
	condition_done(&conditions);
	conditions = parsed("share(operator==) > 1%&&any surely share(operator!=(int)) > +1%");
	items = conditions.items.items;
	assert_false(items[0].selects || items[1].selects);
	assert_true(items[1].any && items[1].certainty == CONDITION_SURELY);
	condition_done(&conditions);
}

static void wrong_ones(void **state)
{
	static const char *const texts[] = {
		"",
		"share",
		"share(a)",
		"share(a) >",
		"share(a) > x",
		"share(a) > 2",
		"share(a > 2%",
		"share(a) == 2%",
		"share(a) > 2%%",
		"share(a) > +2% share(b) > +2%",
		"share(a) > +2% and",
		"size(a) > 2%",
		"time(a) > 5%",
		"share(a) > 2s",
		"share(a) > +2x",
		"share(a) > 0x",
		"time > inf",
		"time > nan",
		"time > +",
		"any share(image=a) > 2%",
		"shares(a) > 2%",
		"share(a) > 0x10",
		"time > 5sec",
		"samples > 5m",
		"samples > +2 s",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct conditions conditions;
		struct err err = { "" };

		if (condition_parse(texts[i], &conditions, &err) >= 0)
			fail_msg("'%s' was understood", texts[i]);
		assert_true(strncmp(err.text, "invalid --fail-if '", 19) == 0);
	}
}

static void ways_to_write_a_name(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} cases[] = {
		{ "parse", "parse", true },
		{ "parse", "parse.isra.0", true },
		{ "parse", "parse(int, char*)", true },
		{ "parse", "parse(int) [clone .cold]", true },
		{ "parse", "parser", false },
		{ "parse*", "parser", true },
		{ "json::parse", "json::parse(std::function<void (int)>) const", true },
		{ "parse", "json::parse(int)", false },
		{ "*::parse", "json::parse(int)", true },
		{ "parse(int)", "parse(int)", true },
		{ "parse(char)", "parse(int)", false },
		{ "operator()", "operator()", true },
		{ "operator[]", "operator[](int)", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct condition condition = { .names = (char *)cases[i].pattern };

		if (condition_names(&condition, cases[i].name) != cases[i].matches)
			fail_msg("%s and %s", cases[i].pattern, cases[i].name);
	}
	assert_true(condition_names(&(struct condition){ 0 }, "anything"));
}

/* A row of 100 samples of 1,000 that became @after of 1,000. */
static struct diff_row row_of(double after)
{
	struct measured old = { 0.1, 1000 }, new = { after / 1000, 1000 };
	struct measured old_ns = { 1e8, 1e-6 }, new_ns = { after * 1e6, 1e-6 };
	struct diff_row row = { .samples = { 100, (uint64_t)after } };
	struct seen_variance unseen = { 0 };

	row.by[DIFF_SHARE] = change_of(MEASURED_SHARE, &old, &new, &unseen);
	row.by[DIFF_TIME] = change_of(MEASURED_AMOUNT, &old_ns, &new_ns, &unseen);
	row.by[DIFF_RATE] = row.by[DIFF_TIME];
	return row;
}

static bool judged_within(const char *text, double after, double limit)
{
	struct diff diff = { .limit = limit };
	struct conditions conditions = parsed(text);
	struct diff_row row = row_of(after);
	struct condition_result result = condition_judge(conditions.items.items, &diff, &row);

	condition_done(&conditions);
	return result.holds;
}

static bool judged(const char *text, double after)
{
	return judged_within(text, after, 0.05);
}

/* What the table takes for chance is chance for a condition, too. */
static void one_limit(void **state)
{
	assert_true(judged_within("share(x) > +2%", 132, 0.05));
	assert_false(judged_within("share(x) > +2%", 132, 0.01));
	assert_false(judged_within("surely share(x) > +0.1%", 132, 0.01));
	assert_true(judged_within("share(x) > +2%", 150, 0.01));
	assert_true(judged_within("share(x) > 10%", 132, 0.01));
}

static void judgements(void **state)
{
	/* 10 % became 11.5 %: more than a point, but that may be chance. */
	assert_true(judged("point share(x) > +1%", 115));
	assert_false(judged("share(x) > +1%", 115));
	/* 15 %: surely more, perhaps by less than 4 points, surely by more than 1. */
	assert_true(judged("share(x) > +4%", 150));
	assert_false(judged("surely share(x) > +4%", 150));
	assert_true(judged("surely share(x) > +1%", 150));
	assert_false(judged("share(x) > +6%", 150));
	assert_true(judged("time(x) > 1.4x", 150));
	assert_false(judged("surely time(x) > +40%", 150));
	assert_true(judged("time(x) > +40ms", 150));
	/* What the new side has: the whole interval must be beyond. */
	assert_true(judged("share(x) > 12%", 150));
	assert_false(judged("share(x) > 14%", 150));
	assert_true(judged("point share(x) > 14%", 150));
	assert_true(judged("rate(x) < 200ms", 150));
	/* Less. */
	assert_true(judged("share(x) < -2%", 60));
	assert_false(judged("share(x) < -1%", 88));
	/* It should have become at least 5 points less: no proof that it did not is needed. */
	assert_true(judged("share(x) > -5%", 98));
	assert_true(judged("samples(x) < 100", 60));
	assert_true(judged("samples(x) <= 60", 60));
	assert_false(judged("samples(x) < 60", 60));
	assert_true(judged("samples(x) > +50%", 151));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_and_levels), cmocka_unit_test(names_have_parentheses),
		cmocka_unit_test(wrong_ones),	      cmocka_unit_test(ways_to_write_a_name),
		cmocka_unit_test(judgements),	      cmocka_unit_test(one_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
