/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/lines/line_search.h"

#include <string.h>

#include "base/compare.h"
#include "dwarf/dwarf_file.h"
#include "dwarf/dwarf_unit.h"
#include "dwarf/line_program.h"
#include "dwarf/unit_walk.h"

/* A line of a header may be in many units; more ranges than this help no one. */
enum { MOST_ADDRESSES = 4096, MOST_HELD = 48 << 20 };

struct unit_search {
	struct line_search *search;
	const struct dwarf_file *file;
	const struct line_program *program;
	VEC(bool) fits; /* by file of the program */
	uint32_t line;
	bool in_sequence, is_code;
	bool was_line;	       /* the previous row is of the line */
	uint64_t last_address; /* of a row that was taken and may turn out to be empty */
	bool has_last;
};

/* True if @name is @file, or its end after a slash. */
static bool is_file(const char *name, const char *file)
{
	size_t wanted = strlen(name), length = strlen(file);

	if (wanted == 0 || wanted > length || strcmp(file + length - wanted, name) != 0)
		return false;
	return wanted == length || file[length - wanted - 1] == '/';
}

/* Finds the matching files of the program. False: none. */
static bool find_files(struct unit_search *unit, const char *name)
{
	struct buf path = { 0 };
	bool any = false;

	for (size_t i = 0; i < unit->program->files.count; i++) {
		bool fits;

		buf_clear(&path);
		line_program_path(unit->program, i, &path);
		fits = is_file(name, buf_text(&path));
		*vec_push(&unit->fits) = fits;
		if (fits)
			strpool_intern(&unit->search->files, buf_text(&path));
		any |= fits;
	}
	buf_done(&path);
	return any;
}

static void note_later(struct line_search *search, uint32_t line, uint32_t wanted)
{
	if (line > wanted && (search->next == 0 || line < search->next))
		search->next = line;
}

static void take_last(struct unit_search *unit)
{
	if (unit->has_last && unit->search->addresses.count < MOST_ADDRESSES)
		*vec_push(&unit->search->addresses) = unit->last_address;
	unit->has_last = false;
}

static bool take_row(void *context, const struct line_row *row)
{
	struct unit_search *unit = context;
	bool fits = row->file < unit->fits.count && unit->fits.items[row->file] && !row->end;
	bool is_line = fits && row->line == unit->line;

	if (!unit->in_sequence)
		unit->is_code = dwarf_file_is_code(unit->file, row->address);
	unit->in_sequence = !row->end;
	/* The previous row ends here: it is empty if this one begins at the same address. */
	if (unit->has_last && (row->address > unit->last_address || is_line))
		take_last(unit);
	unit->has_last = false;
	if (unit->is_code && fits && row->statement)
		note_later(unit->search, row->line, unit->line);
	if (unit->is_code && is_line && row->statement && !unit->was_line) {
		unit->has_last = true;
		unit->last_address = row->address;
	}
	unit->was_line = is_line && (unit->was_line || row->statement);
	return true;
}

static void search_unit(struct dwarf_unit *dwarf, const char *name, uint32_t line,
			struct line_search *search)
{
	struct line_program program;
	struct unit_search unit = {
		.search = search, .file = dwarf->file, .program = &program, .line = line
	};

	if (!dwarf_unit_root(dwarf) || !line_program_open(dwarf, &program))
		return;
	if (find_files(&unit, name))
		line_program_run(&program, take_row, &unit);
	vec_free(&unit.fits);
	line_program_done(&program);
}

DEFINE_ORDER(by_value, uint64_t, COMPARE(*a, *b))

static void sort_once(struct line_search *search)
{
	uint64_t *items = search->addresses.items;
	size_t kept = 0;

	if (search->addresses.count == 0)
		return;
	qsort(items, search->addresses.count, sizeof(*items), by_value);
	for (size_t i = 0; i < search->addresses.count; i++) {
		if (kept == 0 || items[kept - 1] != items[i])
			items[kept++] = items[i];
	}
	search->addresses.count = kept;
}

void line_search_find(struct line_file *file, const char *name, uint32_t line,
		      struct line_search *ret_search)
{
	struct dwarf_file *debug = line_file_debug(file);

	*ret_search = (struct line_search){ .no_debug = !debug };
	strpool_intern(&ret_search->files, "");
	if (!debug)
		return;
	for (size_t i = 0; i < debug->units.count; i++) {
		search_unit(debug->units.items[i], name, line, ret_search);
		if (dwarf_file_held(debug) > MOST_HELD)
			dwarf_file_forget(debug);
	}
	sort_once(ret_search);
}

void line_search_done(struct line_search *search)
{
	vec_free(&search->addresses);
	strpool_done(&search->files);
}

bool line_search_inlined(struct line_file *file,
			 void (*give)(void *context, const struct line_unit_inlined *inlined),
			 void *context)
{
	struct dwarf_file *debug = line_file_debug(file);

	for (size_t i = 0; debug && i < debug->units.count; i++) {
		bool complete;
		struct line_unit *unit = unit_walk(debug->units.items[i], &complete);

		line_unit_each_inlined(unit, give, context);
		line_unit_free(unit);
		if (dwarf_file_held(debug) > MOST_HELD)
			dwarf_file_forget(debug);
	}
	return debug;
}
