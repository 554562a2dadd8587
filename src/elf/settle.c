/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/settle.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum {
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
};

static uint64_t end_of(const struct function *function)
{
	return function->start + function->size;
}

/* One pass of a radix sort: stable, by one digit of (start - base). */
static void sort_digit(const struct function *from, struct function *to, size_t count,
		       uint64_t base, unsigned shift)
{
	size_t places[DIGITS + 1] = { 0 };

	for (size_t i = 0; i < count; i++)
		places[((from[i].start - base) >> shift & (DIGITS - 1)) + 1]++;
	for (size_t i = 1; i < DIGITS; i++)
		places[i] += places[i - 1];
	for (size_t i = 0; i < count; i++)
		to[places[(from[i].start - base) >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sorts by start. A radix sort, because sorting takes most of the time to the first symbol of a
 * large library: 34,000 functions take three passes. */
static void sort_by_start(struct functions *functions)
{
	size_t count = functions->list.count;
	struct function *other = xmalloc((count + 1) * sizeof(*other));
	uint64_t base = UINT64_MAX, most = 0;

	for (size_t i = 0; i < count; i++) {
		const struct function *function = &functions->list.items[i];

		base = function->start < base ? function->start : base;
		most = function->start > most ? function->start : most;
	}
	for (unsigned shift = 0; count > 0 && shift < 64 && (most - base) >> shift;) {
		struct function *from = functions->list.items;

		sort_digit(from, other, count, base, shift);
		functions->list.items = other;
		other = from;
		shift += DIGIT_BITS;
	}
	functions->list.capacity = count; /* at least: the arrays may be swapped */
	free(other);
}

static int best_first(const void *left, const void *right, void *context)
{
	return functions_compare(context, left, right);
}

static void swap(struct function *a, struct function *b)
{
	struct function kept = *a;

	*a = *b;
	*b = kept;
}

/* Functions [first, end) begin at one address. Keeps the best, and each worse one that reaches
 * further than all better ones. Writes them to @out, outermost first. */
static size_t settle_aliases(struct functions *functions, size_t first, size_t end, size_t out)
{
	struct function *items = functions->list.items;
	size_t kept = 1;

	if (end - first == 2 && functions_compare(functions, items + first, items + first + 1) > 0)
		swap(items + first, items + first + 1);
	if (end - first > 2)
		qsort_r(items + first, end - first, sizeof(*items), best_first, functions);
	for (size_t i = first + 1; i < end; i++) {
		if (items[i].size > items[first + kept - 1].size)
			items[first + kept++] = items[i];
	}
	for (size_t i = 0; i < kept / 2; i++)
		swap(items + first + i, items + first + kept - 1 - i);
	memmove(items + out, items + first, kept * sizeof(*items));
	return kept;
}

static void drop_aliases(struct functions *functions)
{
	size_t out = 0, end;

	for (size_t first = 0; first < functions->list.count; first = end) {
		const struct function *items = functions->list.items;

		for (end = first + 1; end < functions->list.count; end++) {
			if (items[end].start != items[first].start)
				break;
		}
		out += settle_aliases(functions, first, end, out);
	}
	functions->list.count = out;
}

/* Drops labels without type and size inside a sized function: they are places in it. */
static void drop_labels(struct functions *functions)
{
	uint64_t covered = 0;
	size_t out = 0;

	for (size_t i = 0; i < functions->list.count; i++) {
		struct function function = functions->list.items[i];

		if (!(function.rank & (FUNCTION_SIZED | FUNCTION_TYPED)) &&
		    function.start < covered)
			continue;
		covered = end_of(&function) > covered ? end_of(&function) : covered;
		functions->list.items[out++] = function;
	}
	functions->list.count = out;
}

static uint64_t section_end(const struct elf_file *file, uint64_t address)
{
	const struct elf_section *section = elf_file_code_section(file, address);

	return section ? section->address + section->size : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Functions without a size reach to the next one, or to the end of the function or section around
 * them. */
static void reach(struct functions *functions, const struct elf_file *file)
{
	uint64_t covered = 0;

	for (size_t i = 0; i < functions->list.count; i++) {
		struct function *function = &functions->list.items[i];
		uint64_t room = section_end(file, function->start) - function->start;

		if (function->size == 0) {
			if (i + 1 < functions->list.count)
				room = least(room, function[1].start - function->start);
			if (function->start < covered)
				room = least(room, covered - function->start);
			function->size = (uint32_t)least(room, UINT32_MAX);
		}
		function->size = (uint32_t)least(room, function->size);
		covered = end_of(function) > covered ? end_of(function) : covered;
	}
}

/* Walks outwards from each function's predecessor. A function that ends earlier cannot cover a
 * later one, so each step is taken only once. */
static void nest(struct functions *functions)
{
	struct function *items = functions->list.items;

	for (uint32_t i = 0; i < functions->list.count; i++) {
		uint32_t outer = i ? i - 1 : SETTLE_NONE;

		while (outer != SETTLE_NONE && end_of(&items[outer]) <= end_of(&items[i]))
			outer = items[outer].outer;
		items[i].outer = outer;
	}
}

void settle_functions(struct functions *functions, const struct elf_file *file)
{
	sort_by_start(functions);
	drop_aliases(functions);
	drop_labels(functions);
	reach(functions, file);
	nest(functions);
}
