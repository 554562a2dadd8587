/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect debug WHAT: shows the data that prospect works with. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "present/safe.h"
#include "unwind/row_listing.h"

enum { STATUS_FAILED = 1, STATUS_WRONG_COMMAND_LINE = 2 };

static const struct option_spec debug_specs[] = {
	{ 0 },
};

/* A thing to show; argv[0] is its name. Returns the exit status. */
struct subject {
	const char *name;
	const char *usage;
	int (*run)(int argc, char **argv);
};

static void print_row(const struct listed_row *row)
{
	printf("%12" PRIx64 " %12" PRIx64 "  %-16s %-12s %s%s\n", row->start, row->end, row->cfa,
	       row->fp, row->ra, row->signal ? "  signal" : "");
}

static void print_titles(const struct listed_facts *facts)
{
	printf("%12s %12s  %-16s %-12s %s\n", "from", "to", "CFA", facts->fp_name,
	       "return address");
}

static int print_all(const char *path, struct row_listing *listing)
{
	struct listed_facts facts = row_listing_facts(listing);
	_cleanup_(buf_done) struct buf name = { 0 };
	struct listed_row row;

	safe_text(&name, path);
	printf("%s: %s, %" PRIu32 " rows, %" PRIu32 " rules, %" PRIu32 " pages, %" PRIu64 " bytes",
	       buf_text(&name), facts.machine, facts.rows, facts.rules, facts.pages, facts.bytes);
	if (facts.unreadable > 0)
		printf("; %" PRIu32 " descriptions were omitted", facts.unreadable);
	puts("\n");
	print_titles(&facts);
	while (row_listing_next(listing, &row))
		print_row(&row);
	return 0;
}

static int print_one(const char *path, struct row_listing *listing, uint64_t address)
{
	struct listed_facts facts = row_listing_facts(listing);
	struct listed_row row;
	struct err err;

	if (!row_listing_at(listing, address, &row)) {
		err_set(&err, -ENOENT, "%s: no row covers 0x%" PRIx64, path, address);
		return options_fail(&command_debug, &err, STATUS_FAILED);
	}
	print_titles(&facts);
	print_row(&row);
	return 0;
}

/* Reads hexadecimal as objdump prints it, with or without 0x. */
static int parse_address(const char *text, uint64_t *ret_address, struct err *err)
{
	char *end;

	errno = 0;
	*ret_address = strtoull(text, &end, 16);
	if (errno != 0 || end == text || *end || strchr(text, '-') || strchr(text, '+'))
		return err_set(err, -EINVAL, "invalid address '%s': expected a hexadecimal number",
			       text);
	return 0;
}

static int debug_rows(int argc, char **argv)
{
	_cleanup_(row_listing_freep) struct row_listing *listing = NULL;
	uint64_t address = 0;
	struct err err;

	if (argc < 2)
		err_set(&err, -EINVAL, "rows needs a FILE or [vdso]");
	else if (argc > 3)
		err_set(&err, -EINVAL, "unexpected argument '%s'", argv[3]);
	if (argc < 2 || argc > 3 || (argc == 3 && parse_address(argv[2], &address, &err) < 0))
		return options_fail(&command_debug, &err, STATUS_WRONG_COMMAND_LINE);
	if (row_listing_open(argv[1], &listing, &err) < 0)
		return options_fail(&command_debug, &err, STATUS_FAILED);
	return argc == 3 ? print_one(argv[1], listing, address) : print_all(argv[1], listing);
}

static const struct subject subjects[] = {
	{ "rows", "rows FILE [ADDRESS]", debug_rows },
};

enum { SUBJECTS = sizeof(subjects) / sizeof(subjects[0]), MISTYPED_LETTERS = 2 };

/* NULL: unknown; @err names the nearest one. */
static const struct subject *find_subject(const char *name, struct err *err)
{
	for (size_t i = 0; i < SUBJECTS; i++) {
		if (strcmp(subjects[i].name, name) == 0)
			return &subjects[i];
	}
	for (size_t i = 0; i < SUBJECTS; i++) {
		if (text_distance(name, subjects[i].name, MISTYPED_LETTERS) <= MISTYPED_LETTERS) {
			err_set(err, -EINVAL, "unknown subject '%s': did you mean '%s'?", name,
				subjects[i].name);
			return NULL;
		}
	}
	err_set(err, -EINVAL, "unknown subject '%s': expected %s", name, subjects[0].usage);
	return NULL;
}

static int run_debug(int argc, char **argv)
{
	const struct subject *subject = NULL;
	bool help = false;
	struct err err;
	int first = options_parse(debug_specs, argc, argv, false, NULL, &help, &err);

	if (help) {
		options_print_help(&command_debug);
		return 0;
	}
	if (first == argc)
		err_set(&err, -EINVAL, "missing subject: expected %s", subjects[0].usage);
	else if (first >= 0)
		subject = find_subject(argv[first], &err);
	if (!subject)
		return options_fail(&command_debug, &err, STATUS_WRONG_COMMAND_LINE);
	return subject->run(argc - first, argv + first);
}

const struct command command_debug = {
	.name = "debug",
	.summary = "show the unwind rows of a file",
	.usage = "rows FILE [ADDRESS]",
	.options = debug_specs,
	.run = run_debug,
};
