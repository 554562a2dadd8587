/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/dispatch.h"
#include "cmd/options/options.h"

enum { MAX_WORDS = 16 };

struct values {
	int64_t level;
	bool all;
};

static const struct option_spec run_options[] = {
	{ "verbosity", 'V', OPTION_INTEGER, offsetof(struct values, level), .argument = "LEVEL",
	  .help = "how much" },
	{ "all", 'a', OPTION_FLAG, offsetof(struct values, all), .help = "everything" },
	{ 0 },
};
static const struct option_spec no_options[] = { { 0 } };

static const struct command run = { .name = "run", .options = run_options };
static const struct command report = { .name = "report", .options = no_options };
static const struct command help = { .name = "help", .options = no_options };
static const struct command *const table[] = { &run, &report, &help, NULL };

static int make_file(const char *name, mode_t mode)
{
	FILE *file = fopen(name, "w");

	return file && fclose(file) == 0 ? chmod(name, mode) : -1;
}

/* A folder that is the whole PATH: two programs, a file that cannot be run, a folder in it. */
static int make_path(void **state)
{
	char *folder = test_malloc(64);

	strcpy(folder, "/tmp/test_dispatch.XXXXXX");
	*state = folder;
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	return make_file("ls", 0755) | make_file("rum", 0755) | make_file("repart", 0644) |
	       mkdir("helm", 0755) | setenv("PATH", folder, 1);
}

static int remove_path(void **state)
{
	char *folder = *state;
	int rc = unlink("ls") | unlink("rum") | unlink("repart") | rmdir("helm") | chdir("/") |
		 rmdir(folder);

	test_free(folder);
	return rc;
}

struct found {
	struct dispatch dispatch;
	struct err err;
	int rc;
	char *argv[MAX_WORDS + 1];
	char text[256];
};

static void find(struct found *found, const char *line)
{
	char *rest = found->text;
	int argc = 1;

	memset(found, 0, sizeof(*found));
	strcpy(found->text, line);
	found->argv[0] = (char *)"prospect";
	for (char *word; (word = strsep(&rest, " "));)
		found->argv[argc++] = word;
	found->rc = dispatch_find(table, argc, found->argv, &found->dispatch, &found->err);
}

struct dispatch_case {
	const char *line;
	const struct command *command;
	const char *argv; /* what the command finds */
};

static void expect(const struct dispatch_case *expected)
{
	struct found found;
	char argv[256] = "";

	find(&found, expected->line);
	assert_int_equal(found.rc, 0);
	assert_ptr_equal(found.dispatch.command, expected->command);
	for (int i = 0; i < found.dispatch.argc; i++) {
		strcat(argv, i ? " " : "");
		strcat(argv, found.dispatch.argv[i]);
	}
	assert_string_equal(argv, expected->argv);
	assert_null(found.dispatch.argv[found.dispatch.argc]);
}

static void the_first_word(void **state)
{
	static const struct dispatch_case cases[] = {
		{ "ls -l", &run, "run ls -l" },
		{ "-V4 ls report", &run, "run -V4 ls report" },
		{ "-V 4 ./report", &run, "run -V 4 ./report" },
		{ "report x", &report, "report x" },
		{ "run report", &run, "run report" },
		{ "run -- report", &run, "run -- report" },
		{ "-- report", &run, "run -- report" },
		{ "-aV4 -- report", &run, "run -aV4 -- report" },
		{ "-V 4 -a run -a ls", &run, "run -V 4 -a -a ls" },
		{ "rum", &run, "run rum" },	      /* near a subcommand, but it exists */
		{ "./reprot", &run, "run ./reprot" }, /* a slash: not on PATH anyway */
		{ "nonsense", &run, "run nonsense" }, /* near nothing: run says it is not there */
		{ "-V4", &run, "run -V4" },	      /* run says what is missing */
		{ "--", &run, "run --" },
		{ "-h", &help, "help" },
		{ "-V4 --help ls", &help, "help" },
		{ "--version", &help, "help --version" },
		{ "report --help", &report, "report --help" },
		{ "ls --help", &run, "run ls --help" },
		/* perf's subcommands are programs if that is said */
		{ "run stat x", &run, "run stat x" },
		{ "-- stat", &run, "run -- stat" },
		{ "./stat", &run, "run ./stat" },
		{ "stats", &run, "run stats" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect(&cases[i]);
}

static void wrong_lines(void **state)
{
	static const struct {
		const char *line;
		int rc;
		const char *text;
	} cases[] = {
		{ "reprot", -ENOENT, "'reprot' is not a command: did you mean 'prospect report'?" },
		{ "repart", -ENOENT, "'repart' is not a command: did you mean 'prospect report'?" },
		{ "helm", -ENOENT, "'helm' is not a command: did you mean 'prospect help'?" },
		{ "-V4 reprot", -ENOENT,
		  "'reprot' is not a command: did you mean 'prospect report'?" },
		{ "stat x", -EINVAL,
		  "'stat' is a subcommand of perf: use 'prospect count COMMAND'; to profile the "
		  "program stat: 'prospect run -- stat'" },
		{ "-V4 buildid-list", -EINVAL,
		  "'buildid-list' is a subcommand of perf: use 'prospect query \"SELECT path, "
		  "hex(build_id) FROM image\"'; to profile the program buildid-list: 'prospect run "
		  "-- buildid-list'" },
		{ "--al ls -V", 0, NULL },
		{ "-v4 ls", -EINVAL, "unknown option '-v': did you mean '-V'?" },
		{ "-a report x", -EINVAL,
		  "options of 'report' go after its name: prospect report -a ..." },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct found found;

		find(&found, cases[i].line);
		assert_int_equal(found.rc, cases[i].rc);
		if (cases[i].text)
			assert_string_equal(found.err.text, cases[i].text);
	}
}

/* None of perf's subcommands is a program to profile, with options before it or without. */
static void verbs_of_perf(void **state)
{
	static const char *const verbs[] = {
		"bench",  "buildid-cache", "buildid-list", "c2c",    "config",	 "daemon", "data",
		"evlist", "ftrace",	   "inject",	   "iostat", "kallsyms", "kmem",   "kvm",
		"kwork",  "lock",	   "mem",	   "probe",  "sched",	 "script", "stat",
		"test",	  "timechart",	   "top",	   "trace",  "version",
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		for (int with_option = 0; with_option < 2; with_option++) {
			char line[64], advice[64];
			struct found found;

			snprintf(line, sizeof(line), "%s%s x", with_option ? "-V4 " : "", verbs[i]);
			snprintf(advice, sizeof(advice), ": 'prospect run -- %s'", verbs[i]);
			find(&found, line);
			assert_int_equal(found.rc, -EINVAL);
			assert_non_null(strstr(found.err.text, advice));
		}
	}
}

static void nearest_names(void **state)
{
	assert_ptr_equal(dispatch_nearest(table, "repo"), &report);
	assert_null(dispatch_nearest(table, "annotate"));
	assert_ptr_equal(dispatch_by_name(table, "run"), &run);
	assert_null(dispatch_by_name(table, "ru"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_word),
		cmocka_unit_test(wrong_lines),
		cmocka_unit_test(verbs_of_perf),
		cmocka_unit_test(nearest_names),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
