/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prospect debug WHAT: shows the data that prospect works with. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/scan.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "present/safe.h"
#include "unwind/row_cache.h"
#include "unwind/row_table.h"

enum { STATUS_FAILED = 1, STATUS_WRONG_COMMAND_LINE = 2 };

static const struct option_spec debug_specs[] = {
	{ 0 },
};

/* ---- unwind rows as text ---- */

enum { OTHER_NAME = 16, LISTED_RULE = 48 };

/* A range of code with one rule, across page boundaries. */
struct listed_row {
	uint64_t start, end; /* ELF virtual addresses, as in objdump */
	char cfa[LISTED_RULE];
	char fp[LISTED_RULE];
	char ra[LISTED_RULE];
	bool signal; /* the caller was interrupted, and made no call */
};

/* The position of the next row. */
struct place {
	uint32_t page;
	uint32_t row;
};

struct names {
	uint16_t machine;
	const char *machine_name, *sp, *fp;
};

struct listing {
	struct row_table *table;
	const struct unwind_table *rows;
	const struct names *names;
	struct place next;
};

static const struct names *names_of(uint16_t machine)
{
	static const struct names known[] = {
		{ EM_X86_64, "x86-64", "rsp", "rbp" },
		{ EM_AARCH64, "arm64", "sp", "x29" },
	};

	return machine == known[0].machine ? &known[0] : &known[1];
}

/* "[vdso]" is the vdso of the running kernel. Without a cache: a cached table would not show what
 * the compiler does now. */
static int read_table(const char *path, struct row_table **ret_table, struct err *err)
{
	struct row_cache *cache = row_cache_new(NULL);
	_cleanup_close_ int fd = -1;
	int rc;

	if (strcmp(path, "[vdso]") == 0) {
		rc = row_cache_get_vdso(cache, ret_table, err);
	} else {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		rc = fd < 0 ? err_set(err, -errno, "cannot open it: %s", strerror(errno))
			    : row_cache_get(cache, fd, ret_table, err);
	}
	row_cache_free(cache);
	return rc < 0 ? err_prefix(err, rc, "%s", path) : 0;
}

static int open_rows(const char *path, struct listing *ret_listing, struct err *err)
{
	struct row_table *table = NULL;
	int rc = read_table(path, &table, err);

	if (rc < 0)
		return rc;
	*ret_listing = (struct listing){ .table = table, .rows = row_table_rows(table) };
	ret_listing->names = names_of(ret_listing->rows->machine);
	return 0;
}

/* Names the DWARF register a row is based on if it is neither sp nor fp. */
static void name_register(const struct names *names, unsigned reg, char text[OTHER_NAME])
{
	static const char *const x86_64[] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"
	};

	if (names->machine == EM_X86_64 && reg < sizeof(x86_64) / sizeof(x86_64[0]))
		snprintf(text, OTHER_NAME, "%s", x86_64[reg]);
	else
		snprintf(text, OTHER_NAME, "%c%u", names->machine == EM_X86_64 ? 'r' : 'x', reg);
}

static void describe_cfa(const struct names *names, const struct unwind_rule *rule, char *text)
{
	const char *base = names->sp;
	char other[OTHER_NAME];

	if (rule->cfa == UNWIND_CFA_FP || rule->cfa == UNWIND_CFA_FP_DEREF)
		base = names->fp;
	switch (rule->cfa) {
	case UNWIND_CFA_SP:
	case UNWIND_CFA_FP:
		snprintf(text, LISTED_RULE, "%s%+d", base, rule->cfa_offset);
		break;
	case UNWIND_CFA_REGISTER:
		name_register(names, rule->reg, other);
		snprintf(text, LISTED_RULE, "%s%+d", other, rule->cfa_offset);
		break;
	case UNWIND_CFA_PLT:
		snprintf(text, LISTED_RULE, "%s+8|+16 at %d", base, rule->cfa_offset);
		break;
	default:
		snprintf(text, LISTED_RULE, "*(%s%+d)%+d", base, rule->cfa_offset, rule->add);
	}
}

static void describe_saved(const struct names *names, uint8_t saved, int32_t offset, char *text)
{
	const char *const bases[] = { [UNWIND_SAVED_CFA] = "CFA",
				      [UNWIND_SAVED_SP] = names->sp,
				      [UNWIND_SAVED_FP] = names->fp };

	if (saved == UNWIND_SAVED_SAME)
		snprintf(text, LISTED_RULE, "same");
	else if (saved == UNWIND_SAVED_UNDEFINED)
		snprintf(text, LISTED_RULE, "undefined");
	else if (saved == UNWIND_SAVED_REGISTER)
		snprintf(text, LISTED_RULE, "register");
	else if (saved == UNWIND_SAVED_LINK || saved == UNWIND_SAVED_MAYBE_LINK)
		snprintf(text, LISTED_RULE, "*(CFA%+d)|same", offset);
	else
		snprintf(text, LISTED_RULE, "*(%s%+d)", bases[saved], offset);
}

static void describe(const struct listing *listing, const struct unwind_rule *rule,
		     struct listed_row *row)
{
	describe_cfa(listing->names, rule, row->cfa);
	describe_saved(listing->names, rule->fp, rule->fp_offset, row->fp);
	describe_saved(listing->names, rule->ra, rule->ra_offset, row->ra);
	/* without a return address the CFA does not matter */
	if (rule->ra == UNWIND_SAVED_UNDEFINED)
		snprintf(row->cfa, LISTED_RULE, "-");
	if (rule->cfa >= UNWIND_CFA_SWITCHED)
		snprintf(row->cfa, LISTED_RULE, "%s",
			 rule->cfa == UNWIND_CFA_SWITCHED ? "other stack" : "goroutine");
	row->signal = rule->flags & (UNWIND_RULE_SIGNAL | UNWIND_RULE_INJECTED);
}

static uint64_t address_of(const struct unwind_table *rows, struct place place)
{
	uint64_t page = rows->base + ((uint64_t)place.page << UNWIND_PAGE_BITS);

	return place.row < rows->row_count ? page + UNWIND_ROW_OFFSET(rows->rows[place.row]) : page;
}

static struct place after(const struct unwind_table *rows, struct place place)
{
	place.row++;
	if (place.row == rows->pages[place.page + 1])
		place.page++;
	return place;
}

static uint32_t rule_at(const struct unwind_table *rows, struct place place)
{
	return UNWIND_ROW_RULE(rows->rows[place.row]);
}

/* The next row that has a rule, by address. False: no more. */
static bool next_row(struct listing *listing, struct listed_row *ret_row)
{
	const struct unwind_table *rows = listing->rows;
	struct place place = listing->next, end;

	while (place.row < rows->row_count &&
	       rows->rules[rule_at(rows, place)].cfa == UNWIND_CFA_NONE)
		place = after(rows, place);
	listing->next = place;
	if (place.row == rows->row_count)
		return false;
	end = place;
	while (end.row < rows->row_count && rule_at(rows, end) == rule_at(rows, place))
		end = after(rows, end);
	ret_row->start = address_of(rows, place);
	ret_row->end = address_of(rows, end);
	describe(listing, &rows->rules[rule_at(rows, place)], ret_row);
	listing->next = end;
	return true;
}

/* The row that contains an address. False: none. */
static bool find_row(const struct listing *listing, uint64_t address, struct listed_row *ret_row)
{
	struct listing all = *listing;
	struct listed_row row;

	if (!row_table_find(listing->rows, address))
		return false;
	all.next = (struct place){ 0, 0 };
	while (next_row(&all, &row)) {
		if (address >= row.start && address < row.end) {
			*ret_row = row;
			return true;
		}
	}
	return false;
}

/* ---- prospect debug rows ---- */

static void print_row(const struct listed_row *row)
{
	printf("%12" PRIx64 " %12" PRIx64 "  %-16s %-12s %s%s\n", row->start, row->end, row->cfa,
	       row->fp, row->ra, row->signal ? "  signal" : "");
}

static void print_titles(const struct listing *listing)
{
	printf("%12s %12s  %-16s %-12s %s\n", "from", "to", "CFA", listing->names->fp,
	       "return address");
}

static int print_all(const char *path, struct listing *listing)
{
	const struct unwind_table *rows = listing->rows;
	uint64_t bytes = sizeof(rows->rows[0]) * rows->row_count +
			 sizeof(rows->rules[0]) * rows->rule_count +
			 sizeof(rows->pages[0]) * (rows->page_count + 1);
	uint32_t unreadable = row_table_unreadable(listing->table);
	_cleanup_(buf_done) struct buf name = { 0 };
	struct listed_row row;

	safe_text(&name, path);
	printf("%s: %s, %" PRIu32 " rows, %" PRIu32 " rules, %" PRIu32 " pages, %" PRIu64 " bytes",
	       buf_text(&name), listing->names->machine_name, rows->row_count, rows->rule_count,
	       rows->page_count, bytes);
	if (unreadable > 0)
		printf("; %" PRIu32 " descriptions were omitted", unreadable);
	puts("\n");
	print_titles(listing);
	while (next_row(listing, &row))
		print_row(&row);
	return 0;
}

static int print_one(const char *path, const struct listing *listing, uint64_t address)
{
	struct listed_row row;
	struct err err;

	if (!find_row(listing, address, &row)) {
		err_set(&err, -ENOENT, "%s: no row covers 0x%" PRIx64, path, address);
		return options_fail(&command_debug, &err, STATUS_FAILED);
	}
	print_titles(listing);
	print_row(&row);
	return 0;
}

/* Reads hexadecimal as objdump prints it, with or without 0x. */
static int parse_address(const char *text, uint64_t *ret_address, struct err *err)
{
	if (!scan_whole_number(text, 16, ret_address))
		return err_set(err, -EINVAL, "invalid address '%s': expected a hexadecimal number",
			       text);
	return 0;
}

static int debug_rows(int argc, char **argv)
{
	struct listing listing;
	uint64_t address = 0;
	struct err err;
	int status;

	if (argc < 2)
		err_set(&err, -EINVAL, "rows needs a FILE or [vdso]");
	else if (argc > 3)
		err_set(&err, -EINVAL, "unexpected argument '%s'", argv[3]);
	if (argc < 2 || argc > 3 || (argc == 3 && parse_address(argv[2], &address, &err) < 0))
		return options_fail(&command_debug, &err, STATUS_WRONG_COMMAND_LINE);
	if (open_rows(argv[1], &listing, &err) < 0)
		return options_fail(&command_debug, &err, STATUS_FAILED);
	status = argc == 3 ? print_one(argv[1], &listing, address) : print_all(argv[1], &listing);
	row_table_free(listing.table);
	return status;
}

/* ---- the command ---- */

/* A thing to show; argv[0] is its name. Returns the exit status. */
struct subject {
	const char *name;
	const char *usage;
	int (*run)(int argc, char **argv);
};

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
	struct err err;
	int status, first = options_begin(&command_debug, argc, argv, NULL, &status);

	if (first < 0)
		return status;
	if (first == argc)
		err_set(&err, -EINVAL, "missing subject: expected %s", subjects[0].usage);
	else
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
