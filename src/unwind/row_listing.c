/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/row_listing.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "unwind/row_cache.h"

enum { OTHER_NAME = 16 };

/* The position of the next row. */
struct place {
	uint32_t page;
	uint32_t row;
};

struct names {
	uint16_t machine;
	const char *machine_name, *sp, *fp;
};

struct row_listing {
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

/* Without a cache: a cached table would not show what the compiler does now. */
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

int row_listing_open(const char *path, struct row_listing **ret_listing, struct err *err)
{
	struct row_listing *listing;
	struct row_table *table = NULL;
	int rc = read_table(path, &table, err);

	if (rc < 0)
		return rc;
	listing = xcalloc(1, sizeof(*listing));
	listing->table = table;
	listing->rows = row_table_rows(table);
	listing->names = names_of(listing->rows->machine);
	*ret_listing = listing;
	return 0;
}

void row_listing_free(struct row_listing *listing)
{
	if (!listing)
		return;
	row_table_free(listing->table);
	free(listing);
}

struct listed_facts row_listing_facts(const struct row_listing *listing)
{
	const struct unwind_table *rows = listing->rows;

	return (struct listed_facts){
		.machine = listing->names->machine_name,
		.fp_name = listing->names->fp,
		.rows = rows->row_count,
		.rules = rows->rule_count,
		.pages = rows->page_count,
		.bytes = sizeof(rows->rows[0]) * rows->row_count +
			 sizeof(rows->rules[0]) * rows->rule_count +
			 sizeof(rows->pages[0]) * (rows->page_count + 1),
		.unreadable = row_table_unreadable(listing->table),
	};
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
	else
		snprintf(text, LISTED_RULE, "*(%s%+d)", bases[saved], offset);
}

static void describe(const struct row_listing *listing, const struct unwind_rule *rule,
		     struct listed_row *row)
{
	describe_cfa(listing->names, rule, row->cfa);
	describe_saved(listing->names, rule->fp, rule->fp_offset, row->fp);
	describe_saved(listing->names, rule->ra, rule->ra_offset, row->ra);
	/* without a return address the CFA does not matter */
	if (rule->ra == UNWIND_SAVED_UNDEFINED)
		snprintf(row->cfa, LISTED_RULE, "-");
	if (rule->cfa == UNWIND_CFA_SWITCHED)
		snprintf(row->cfa, LISTED_RULE, "other stack");
	row->signal = rule->flags & UNWIND_RULE_SIGNAL;
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

bool row_listing_next(struct row_listing *listing, struct listed_row *ret_row)
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

bool row_listing_at(const struct row_listing *listing, uint64_t address, struct listed_row *ret_row)
{
	struct row_listing all = *listing;
	struct listed_row row;

	if (!row_table_find(listing->rows, address))
		return false;
	all.next = (struct place){ 0, 0 };
	while (row_listing_next(&all, &row)) {
		if (address >= row.start && address < row.end) {
			*ret_row = row;
			return true;
		}
	}
	return false;
}
