/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/options/options.h"

enum { MAX_WORDS = 200, MAX_LINE = 2048 };

struct values {
	int64_t level, rate, images;
	double percent, seconds;
	const char *file;
	struct option_texts selected;
	bool all, quiet, follow;
	const char *only, *keys, *other;
};

#define AT(member) .offset = offsetof(struct values, member)

static const struct option_spec specs[] = {
	{ "verbosity", 'V', OPTION_INTEGER, AT(level), "LEVEL", "how much", .least = 1, .most = 4 },
	{ "rate", 'H', OPTION_INTEGER, AT(rate), "HZ", "how often", .least = 1, .most = 1e6 },
	{ NULL, 'F', OPTION_INTEGER, AT(rate), "HZ", "as -H", .least = 1, .most = 1e6 },
	{ "file", 'f', OPTION_TEXT, AT(file), "FILE", "where" },
	{ "least", 'k', OPTION_NUMBER, AT(percent), "PCT", "share", .least = 0, .most = 100 },
	{ "duration", 0, OPTION_SECONDS, AT(seconds), "S", "how long" },
	{ "count", 'c', OPTION_INTEGER, AT(level), "N", "any number" },
	{ "select", 0, OPTION_TEXTS, AT(selected), "K=V", "what" },
	{ "all", 'a', OPTION_FLAG, AT(all), .help = "everything" },
	{ "quiet", 'q', OPTION_FLAG, AT(quiet), .help = "nothing" },
	{ "follow", 0, OPTION_FLAG, AT(follow), .help = "children" },
	{ NULL, 'g', OPTION_INTEGER, AT(images), "N", "images", .least = 1, .most = 64,
	  .hint = "stacks are on by default" },
	{ "old", 'O', OPTION_REFUSED, .help = "is now --file" },
	{ "only", 0, OPTION_OPTIONAL, AT(only), "GLOB", "which" },
	{ "keys", 0, OPTION_TEXT, AT(keys), "KEYS", "by what" },
	{ NULL, 'o', OPTION_TEXT, AT(other), "KEY", "another", .hint = "leave one out" },
	{ "secret", 0, OPTION_FLAG, AT(quiet) },
	{ 0 },
};

/* A parsed line: @line's words are argv[1..]. */
struct parsed {
	struct values values;
	struct err err;
	int rc;
	bool help;
	int argc;
	char *argv[MAX_WORDS + 1];
	char text[MAX_LINE];
};

static void parse_into(struct parsed *parsed, const char *line, bool stop_at_word)
{
	char *rest = parsed->text;

	assert_true(strlen(line) < sizeof(parsed->text));
	memset(parsed, 0, sizeof(*parsed));
	strcpy(parsed->text, line);
	parsed->argv[parsed->argc++] = (char *)"command";
	for (char *word; (word = strsep(&rest, " "));) {
		if (*word)
			parsed->argv[parsed->argc++] = word;
	}
	parsed->help = true; /* parsing clears it */
	parsed->rc = options_parse(specs, parsed->argc, parsed->argv, stop_at_word, &parsed->values,
				   &parsed->help, &parsed->err);
}

/* For numbers and messages: texts among the values do not outlive the call. */
static struct parsed parse(const char *line)
{
	struct parsed parsed;

	parse_into(&parsed, line, false);
	return parsed;
}

/* Every way to write one value. */
static void spellings(void **state)
{
	static const char *const lines[] = { "-V3",	      "-V 3",	  "--verbosity 3",
					     "--verbosity=3", "--verb 3", "--v=3",
					     "-aV3",	      "-qaV 3",	  "-V1 -V3" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct parsed parsed = parse(lines[i]);

		assert_int_equal(parsed.rc, parsed.argc);
		assert_int_equal(parsed.values.level, 3);
		assert_false(parsed.help);
	}
	assert_int_equal(parse("-F 99").values.rate, 99);
	assert_int_equal(parse("-F 99 -H 88").values.rate, 88);
	assert_true(parse("--file a -f a --only --only=x").rc > 0);
	assert_true(parse("-aq").values.all && parse("-aq").values.quiet);
	assert_false(parse("-a").values.quiet);
	assert_true(parse("-a -a").rc > 0 && parse("-a -a").values.all);
}

static void the_papers_own_line(void **state)
{
	struct parsed parsed;

	parse_into(&parsed, "-V4 -H1000 -f prospect.out ./netperf4.sh -a -V9", true);
	assert_int_equal(parsed.values.level, 4);
	assert_int_equal(parsed.values.rate, 1000);
	assert_string_equal(parsed.values.file, "prospect.out");
	assert_false(parsed.values.all);
	assert_int_equal(parsed.rc, 5);
	assert_string_equal(parsed.argv[5], "./netperf4.sh");
	assert_string_equal(parsed.argv[7], "-V9");
}

static void words_and_options_mix(void **state)
{
	struct parsed parsed;
	const char *order[] = { "command", "-a", "-f", "-x", "--", "one", "-", "two", "-q" };

	parse_into(&parsed, "one -a - -f -x two -- -q", false);
	assert_int_equal(parsed.rc, 5);
	assert_string_equal(parsed.values.file, "-x");
	assert_false(parsed.values.quiet);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		assert_string_equal(parsed.argv[i], order[i]);
	assert_null(parsed.argv[parsed.argc]);
}

static void two_dashes_end_options(void **state)
{
	struct parsed parsed;

	parse_into(&parsed, "-a -- -q", true);
	assert_int_equal(parsed.rc, 3);
	assert_false(parsed.values.quiet);
	parse_into(&parsed, "-f -- x", true);
	assert_int_equal(parsed.rc, -EINVAL);
	parse_into(&parsed, "", true);
	assert_int_equal(parsed.rc, 1);
}

static void numbers_and_times(void **state)
{
	static const struct {
		const char *line;
		double percent, seconds;
	} cases[] = {
		{ "-k 5%", 5, 0 },
		{ "-k.5", .5, 0 },
		{ "-k 1e1", 10, 0 },
		{ "--duration 10", 0, 10 },
		{ "--duration 1.5", 0, 1.5 },
		{ "--duration 250ms", 0, .25 },
		{ "--duration 10s", 0, 10 },
		{ "--duration 2m", 0, 120 },
		{ "--duration 1h", 0, 3600 },
		{ "--duration 0", 0, 0 },
		{ "--duration 1 -k 3 --duration 2s -k 4", 4, 2 }, /* the last ones */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct parsed parsed = parse(cases[i].line);

		assert_true(parsed.rc > 0);
		assert_float_equal(parsed.values.percent, cases[i].percent, 1e-9);
		assert_float_equal(parsed.values.seconds, cases[i].seconds, 1e-9);
	}
}

static void wrong_lines_are_reported(void **state)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{ "--verbositi 3", "unknown option '--verbositi': did you mean '--verbosity'?" },
		{ "--vreb=3", "unknown option '--vreb': --help lists all options" },
		{ "--qiuet", "unknown option '--qiuet': did you mean '--quiet'?" },
		{ "-verbosty", "unknown option '-verbosty': did you mean '--verbosity'?" },
		{ "-v", "unknown option '-v': did you mean '-V'?" },
		{ "-all", "unknown option '-all': did you mean '--all'?" },
		{ "-aZ", "unknown option '-Z': --help lists all options" },
		{ "--rxtx 3", "unknown option '--rxtx': did you mean '--rate'?" },
		{ "--secrte", "unknown option '--secrte': --help lists all options" },
		{ "-c 99999999999999999999",
		  "invalid -c '99999999999999999999': expected a whole number" },
		{ "--duration 1e999",
		  "invalid --duration '1e999': expected a time (10, 1.5, 250ms, 10s, 2m, 1h)" },
		{ "--=3", "unknown option '--': --help lists all options" },
		{ "--f x", "ambiguous option --f: --file or --follow" },
		{ "--all=yes", "--all takes no value" },
		{ "-V", "-V needs a whole number: -V LEVEL" },
		{ "--file", "--file needs a value: --file FILE" },
		{ "-V 5", "invalid -V '5': expected a whole number from 1 to 4" },
		{ "--verb 0", "invalid --verbosity '0': expected a whole number from 1 to 4" },
		{ "-V 2x", "invalid -V '2x': expected a whole number from 1 to 4" },
		{ "-V ./x", "invalid -V './x': expected a whole number from 1 to 4" },
		{ "-V=3", "invalid -V '=3': expected a whole number from 1 to 4" },
		{ "-H 99999999999999999999",
		  "invalid -H '99999999999999999999': expected a whole number from 1 to 1000000" },
		{ "-k -1", "invalid -k '-1': expected a number from 0 to 100" },
		{ "-k nan", "invalid -k 'nan': expected a number from 0 to 100" },
		{ "-k 0x10", "invalid -k '0x10': expected a number from 0 to 100" },
		{ "-k 5%%", "invalid -k '5%%': expected a number from 0 to 100" },
		{ "--duration 5y",
		  "invalid --duration '5y': expected a time (10, 1.5, 250ms, 10s, 2m, 1h)" },
		{ "--duration -5",
		  "invalid --duration '-5': expected a time (10, 1.5, 250ms, 10s, 2m, 1h)" },
		{ "--duration inf",
		  "invalid --duration 'inf': expected a time (10, 1.5, 250ms, 10s, 2m, 1h)" },
		{ "-g", "-g: stacks are on by default" },
		{ "-g ./x", "-g: stacks are on by default" },
		{ "-f a --file b", "-f 'a' and --file 'b' cannot be used together" },
		{ "--file a --file=b", "--file is given twice, 'a' and 'b': give it once" },
		{ "--keys a -o x --keys b",
		  "--keys is given twice, 'a' and 'b': give it once, as a,b" },
		{ "-o x --keys a -o y", "-o is given twice, 'x' and 'y': leave one out" },
		{ "--only=a --only=b", "--only is given twice, 'a' and 'b': give it once" },
		{ "-O", "-O: is now --file" },
		{ "--old=3", "--old: is now --file" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct parsed parsed = parse(cases[i].line);

		assert_int_equal(parsed.rc, -EINVAL);
		assert_string_equal(parsed.err.text, cases[i].text);
	}
}

static void texts_come_in_numbers(void **state)
{
	struct parsed parsed;
	char line[MAX_LINE] = "";

	parse_into(&parsed, "--select a=1 x --select=b=2 --sel c=3", false);
	assert_int_equal(parsed.values.selected.count, 3);
	assert_string_equal(parsed.values.selected.items[0], "a=1");
	assert_string_equal(parsed.values.selected.items[1], "b=2");
	assert_string_equal(parsed.values.selected.items[2], "c=3");
	for (int i = 0; i < OPTION_MAX_TEXTS; i++)
		strcat(line, "--select x ");
	assert_true(parse(line).rc > 0);
	strcat(line, "--select x ");
	assert_int_equal(parse(line).rc, -EINVAL);
}

static void help_stops_everything(void **state)
{
	struct parsed parsed;

	parse_into(&parsed, "-a --help --nonsense", false);
	assert_true(parsed.rc > 0 && parsed.help);
	parse_into(&parsed, "-ah", false);
	assert_true(parsed.help && parsed.values.all);
	parse_into(&parsed, "word --help", true);
	assert_false(parsed.help);
	parse_into(&parsed, "word --help", false);
	assert_true(parsed.help);
}

/* Without values everything is checked all the same. */
static void a_dry_run(void **state)
{
	char *good[] = { (char *)"c",	(char *)"-aV4",	    (char *)"-k5%", (char *)"--select=x=y",
			 (char *)"-fx", (char *)"--dur=3s", (char *)"word", NULL };
	char *bad[] = { (char *)"c", (char *)"-V7", NULL };
	bool help;

	assert_int_equal(options_parse(specs, 7, good, true, NULL, &help, NULL), 6);
	assert_int_equal(options_parse(specs, 2, bad, true, NULL, &help, NULL), -EINVAL);
}

static void names_longer_than_any_buffer(void **state)
{
	char line[1500] = "--";
	struct parsed parsed;

	memset(line + 2, 'x', 1000);
	parsed = parse(line);
	assert_int_equal(parsed.rc, -EINVAL);
	line[1] = 'x';
	parsed = parse(line);
	assert_int_equal(parsed.rc, -EINVAL);
}

/* A value only where it sticks to the name. */
static void optional_values(void **state)
{
	char name[] = "prospect", alone[] = "--only", valued[] = "--only=g*", all[] = "-a";
	char *without[] = { name, alone, all, NULL }, *with[] = { name, valued, NULL };
	struct values values = { .only = NULL };
	bool help;

	assert_int_equal(options_parse(specs, 3, without, true, &values, &help, NULL), 3);
	assert_string_equal(values.only, "");
	assert_true(values.all);
	assert_int_equal(options_parse(specs, 2, with, true, &values, &help, NULL), 2);
	assert_string_equal(values.only, "g*");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(optional_values),
		cmocka_unit_test(spellings),
		cmocka_unit_test(the_papers_own_line),
		cmocka_unit_test(words_and_options_mix),
		cmocka_unit_test(two_dashes_end_options),
		cmocka_unit_test(numbers_and_times),
		cmocka_unit_test(wrong_lines_are_reported),
		cmocka_unit_test(texts_come_in_numbers),
		cmocka_unit_test(help_stops_everything),
		cmocka_unit_test(a_dry_run),
		cmocka_unit_test(names_longer_than_any_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
