/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/symtab.h"

#include <string.h>

#include "base/search.h"
#include "base/xalloc.h"
#include "elf/eh_ranges.h"
#include "elf/elf_file.h"
#include "elf/go_table.h"
#include "elf/plt.h"
#include "elf/symbol_index.h"
#include "names/debug_files/symbol_files.h"

/* Limit for a lookup through nested functions: a file that has more is hostile. */
enum { MOST_NESTED = 256 };

/* A section of code, by address. */
struct code {
	uint64_t start, end;
	uint32_t name;
};

/*
 * Where to begin a search. The functions' address range is cut into about as many equal slices as
 * there are functions; `before` has the number of functions that begin before each slice. A search
 * reads one entry and then the few functions of a slice, instead of a cache line for each of
 * fifteen halvings.
 */
struct slices {
	uint64_t base; /* start of the first function */
	unsigned shift;
	uint64_t count;
	uint32_t *before; /* owned; count + 1 of them */
};

struct symtab {
	struct symbol_index functions; /* settled */
	struct slices slices;
	VEC(struct code) code;
	bool complete;
	bool named; /* has symbols, not only PLT slots */
};

static void read_code(struct symtab *symtab, const struct elf_file *file)
{
	const struct elf_section *section;

	for (size_t i = 0; (section = elf_file_code(file, i)); i++) {
		*vec_push(&symtab->code) = (struct code){
			.start = section->address,
			.end = section->address + section->size,
			.name = symbol_index_add_name(&symtab->functions, section->name),
		};
	}
}

static void slice(struct slices *slices, const struct symbol_index *functions)
{
	const struct symbol_entry *items = functions->list.items;
	size_t count = functions->list.count;
	uint64_t span;
	size_t at = 0;

	if (count == 0)
		return;
	slices->base = items[0].start;
	span = items[count - 1].start - slices->base;
	while (span >> slices->shift >= count)
		slices->shift++;
	slices->count = (span >> slices->shift) + 1;
	slices->before = xmalloc((slices->count + 1) * sizeof(*slices->before));
	for (uint64_t i = 0; i <= slices->count; i++) {
		while (at < count && (items[at].start - slices->base) >> slices->shift < i)
			at++;
		slices->before[i] = (uint32_t)at;
	}
}

static void read_symbols(struct symtab *symtab, const struct elf_file *file,
			 const struct symbol_files *sources)
{
	symtab->complete = symbol_index_read(&symtab->functions, file);
	for (size_t i = 0; sources && i < sources->count; i++)
		symtab->complete |= symbol_index_read_static(&symtab->functions, sources->files[i]);
	if (!symtab->complete)
		go_table_read(file, &symtab->functions, &symtab->complete);
	symtab->named = symtab->functions.list.count > 0;
}

int symtab_new(struct elf_file *file, const struct symbol_files *sources,
	       struct symtab **ret_symtab, struct err *err)
{
	struct symtab *symtab;
	int rc = elf_file_read_sections(file, err);

	if (rc < 0)
		return rc;
	symtab = xcalloc(1, sizeof(*symtab));
	read_symbols(symtab, file, sources);
	plt_read(file, &symtab->functions);
	symbol_index_settle(&symtab->functions, file, symtab->complete);
	symbol_index_compact(&symtab->functions, symtab->complete);
	read_code(symtab, file);
	slice(&symtab->slices, &symtab->functions);
	*ret_symtab = symtab;
	return 0;
}

void symtab_free(struct symtab *symtab)
{
	if (!symtab)
		return;
	symbol_index_done(&symtab->functions);
	free(symtab->slices.before);
	vec_free(&symtab->code);
	free(symtab);
}

bool symtab_is_complete(const struct symtab *symtab)
{
	return symtab->complete;
}

size_t symtab_count(const struct symtab *symtab)
{
	return symtab->functions.list.count;
}

size_t symtab_bytes(const struct symtab *symtab)
{
	return sizeof(*symtab) + symtab->functions.list.capacity * sizeof(struct symbol_entry) +
	       symtab->functions.names_size + symtab->slices.count * sizeof(uint32_t) +
	       symtab->code.capacity * sizeof(struct code);
}

static uint64_t end_of(const struct symbol_entry *function)
{
	return function->start + function->size;
}

static void add_name(const struct symtab *symtab, const struct symbol_entry *function,
		     struct buf *name)
{
	const char *text = symbol_index_name(&symtab->functions, function->name);

	buf_add_str(name, *text ? "" : "[unnamed]");
	buf_add(name, text, symbol_index_name_length(text));
	if (function->source == ENTRY_SLOT)
		buf_add_str(name, "@plt");
}

/* The number of functions that begin at or before the address. */
static uint32_t begun(const struct symtab *symtab, uint64_t address)
{
	const struct symbol_entry *items = symtab->functions.list.items;
	const struct slices *slices = &symtab->slices;
	uint64_t slice = (address - slices->base) >> slices->shift;
	uint32_t low, high;

	if (slices->count == 0 || address < slices->base)
		return 0;
	if (slice >= slices->count)
		return slices->before[slices->count];
	low = slices->before[slice];
	high = slices->before[slice + 1];
	return low + (uint32_t)search_before(&items[low], high - low, item, item->start <= address);
}

/* The innermost function that covers the address. Else NULL, and *ret_before is the last one that
 * ended before it (NULL: none). */
static const struct symbol_entry *covering(const struct symbol_index *functions, uint32_t after,
					   uint64_t address, const struct symbol_entry **ret_before)
{
	uint32_t at = after ? after - 1 : SYMBOL_INDEX_NONE;

	*ret_before = NULL;
	for (int i = 0; i < MOST_NESTED && at != SYMBOL_INDEX_NONE; i++) {
		const struct symbol_entry *function = &functions->list.items[at];

		if (address < end_of(function))
			return function;
		*ret_before = function;
		at = function->outer;
	}
	return NULL;
}

/* Of functions that begin at one address, the innermost comes last. */
static const struct symbol_entry *next_function(const struct symbol_index *functions,
						uint32_t after)
{
	const struct symbol_entry *items = functions->list.items;
	uint32_t count = (uint32_t)functions->list.count;

	if (after == count)
		return NULL;
	for (int i = 0; i < MOST_NESTED && after + 1 < count; i++, after++) {
		if (items[after + 1].start != items[after].start)
			break;
	}
	return &items[after];
}

static const struct code *find_code(const struct symtab *symtab, uint64_t address)
{
	size_t before =
		search_before(symtab->code.items, symtab->code.count, item, item->start <= address);

	if (before == 0 || address >= symtab->code.items[before - 1].end)
		return NULL;
	return &symtab->code.items[before - 1];
}

/* Names the gap between two functions. Either or both may be NULL. */
static enum symbol_kind name_gap(const struct symtab *symtab, const struct code *code,
				 const struct symbol_entry *before,
				 const struct symbol_entry *after, struct buf *name)
{
	if (!before && !after) {
		buf_printf(name, "[%s]",
			   symtab->named ? symbol_index_name(&symtab->functions, code->name)
					 : "unknown");
		return SYMBOL_NONE;
	}
	if (before)
		add_name(symtab, before, name);
	buf_add_str(name, "->");
	if (after)
		add_name(symtab, after, name);
	return SYMBOL_BRACKET;
}

static void look_between(const struct symtab *symtab, const struct eh_ranges *ranges,
			 uint64_t address, const struct symbol_entry *before,
			 const struct symbol_entry *after, struct buf *name, struct symtab_hit *hit)
{
	const struct code *code = find_code(symtab, address);
	uint64_t start, end;

	if (!code) {
		buf_add_str(name, "[unknown]");
		*hit = (struct symtab_hit){ .kind = SYMBOL_NONE };
		return;
	}
	if (before && before->start < code->start)
		before = NULL;
	if (after && after->start >= code->end)
		after = NULL;
	start = before ? end_of(before) : code->start;
	end = after ? after->start : code->end;
	hit->kind = name_gap(symtab, code, before, after, name);
	if (ranges)
		eh_ranges_narrow(ranges, address, &start, &end);
	hit->start = start;
	hit->size = end - start;
}

void symtab_lookup(const struct symtab *symtab, const struct eh_ranges *ranges, uint64_t address,
		   struct buf *name, struct symtab_hit *ret_hit)
{
	const struct symbol_index *functions = &symtab->functions;
	uint32_t after = begun(symtab, address);
	const struct symbol_entry *before;
	const struct symbol_entry *function = covering(functions, after, address, &before);

	buf_clear(name);
	if (!function) {
		look_between(symtab, ranges, address, before, next_function(functions, after), name,
			     ret_hit);
		return;
	}
	add_name(symtab, function, name);
	*ret_hit = (struct symtab_hit){
		.kind = function->source < ENTRY_SLOT ? SYMBOL_NAMED : SYMBOL_PLT,
		.start = function->start,
		.size = function->size,
	};
}
