/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/kernel/kernel_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/search.h"
#include "base/xalloc.h"

#define PADDING "__pfx_"

enum { APPEND_ALIGN = 16 };

enum kernel_rank kernel_table_rank(char type)
{
	if (type == 'W' || type == 'w')
		return KERNEL_RANK_WEAK;
	return type >= 'A' && type <= 'Z' ? KERNEL_RANK_GLOBAL : KERNEL_RANK_LOCAL;
}

const char *kernel_table_name(const struct kernel_table *table,
			      const struct kernel_function *function)
{
	return table->names.bytes + function->name;
}

/* True if the last name is "__pfx_" and @name. */
static bool is_padded_name(const struct kernel_table *table, const char *name)
{
	const char *last = buf_text(&table->names);
	size_t length = strlen(PADDING);

	if (table->names.size)
		last += table->last_name;
	return last[0] == PADDING[0] && strncmp(last, PADDING, length) == 0 &&
	       strcmp(last + length, name) == 0;
}

bool kernel_table_add(struct kernel_table *table, uint32_t start, uint32_t size, const char *name,
		      enum kernel_rank rank)
{
	struct kernel_function function = { .start = start, .size = size, .rank = (uint8_t)rank };

	if (is_padded_name(table, name)) {
		function.name = table->last_name + (uint32_t)strlen(PADDING);
	} else {
		size_t length = strlen(name) + 1;

		if (table->names.size + length > KERNEL_TABLE_NAMES_MAX)
			return false;
		function.name = (uint32_t)table->names.size;
		table->last_name = function.name;
		buf_add(&table->names, name, length);
	}
	*vec_push(&table->list) = function;
	return true;
}

/* --- order --- */

DEFINE_ORDER(by_start, struct kernel_function, COMPARE(a->start, b->start))

static int by_start_and_name(const void *a, const void *b, void *context)
{
	const struct kernel_table *table = context;

	return by_start(a, b) ?: strcmp(kernel_table_name(table, a), kernel_table_name(table, b));
}

/* kallsyms lists the kernel proper in order, and a check is much cheaper than a sort. */
static void sort(struct kernel_table *table)
{
	for (size_t i = 1; i < table->list.count; i++) {
		if (table->list.items[i - 1].start > table->list.items[i].start) {
			qsort(table->list.items, table->list.count, sizeof(*table->list.items),
			      by_start);
			return;
		}
	}
}

/* --- aliases --- */

/* Names that the linker script gives to boundaries of sections; functions may begin there too. */
static bool is_boundary(const char *name)
{
	static const char *const whole[] = { "_text",	   "_stext",	 "_etext",
					     "_sinittext", "_einittext", "__init_begin",
					     "__pi__text" };
	static const char *const endings[] = { "text_start", "text_end" };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		if (strcmp(name, whole[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t part = strlen(endings[i]);

		if (length > part && strcmp(name + length - part, endings[i]) == 0)
			return true;
	}
	return false;
}

/* True if @a is the better name. */
static bool is_better(const struct kernel_table *table, const struct kernel_function *a,
		      const struct kernel_function *b)
{
	const char *x = kernel_table_name(table, a), *y = kernel_table_name(table, b);
	size_t x_lines = strspn(x, "_"), y_lines = strspn(y, "_");

	if (!a->size != !b->size)
		return a->size != 0;
	if (is_boundary(x) != is_boundary(y))
		return is_boundary(y);
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (x_lines != y_lines)
		return x_lines < y_lines;
	if (strlen(x) != strlen(y))
		return strlen(x) < strlen(y);
	return strcmp(x, y) < 0;
}

static void keep_best_names(struct kernel_table *table)
{
	struct kernel_function *list = table->list.items;
	size_t kept = 0;

	for (size_t i = 0; i < table->list.count; i++) {
		if (kept && list[kept - 1].start == list[i].start) {
			if (is_better(table, &list[i], &list[kept - 1]))
				list[kept - 1] = list[i];
		} else {
			list[kept++] = list[i];
		}
	}
	table->list.count = kept;
}

/* --- extents --- */

/* The end of the segment that holds the offset; 0: none. */
static uint32_t segment_end(const struct kernel_segment *segments, size_t count, uint32_t offset)
{
	for (size_t i = 0; i < count; i++) {
		if (offset >= segments[i].start && offset < segments[i].end)
			return segments[i].end;
	}
	return 0;
}

static void keep_code(struct kernel_table *table, const struct kernel_segment *segments,
		      size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->list.count; i++) {
		if (segment_end(segments, count, table->list.items[i].start))
			table->list.items[kept++] = table->list.items[i];
	}
	table->list.count = kept;
}

static void drop_inner_labels(struct kernel_table *table)
{
	struct kernel_function *list = table->list.items;
	uint64_t covered = 0; /* by sized functions so far */
	size_t kept = 0;

	for (size_t i = 0; i < table->list.count; i++) {
		uint64_t end = (uint64_t)list[i].start + list[i].size;

		if (!list[i].size && list[i].start < covered)
			continue;
		covered = end > covered ? end : covered;
		list[kept++] = list[i];
	}
	table->list.count = kept;
}

static void set_sizes(struct kernel_table *table, const struct kernel_segment *segments,
		      size_t count)
{
	struct kernel_function *list = table->list.items;

	for (size_t i = 0; i < table->list.count; i++) {
		uint32_t end = segment_end(segments, count, list[i].start);
		uint32_t room = end - list[i].start;

		if (list[i].size && list[i].size <= room)
			continue;
		if (i + 1 < table->list.count && list[i + 1].start < end)
			room = list[i + 1].start - list[i].start;
		list[i].size = room;
	}
}

static void give_back_room(struct kernel_table *table)
{
	if (!table->list.count)
		return;
	table->list.capacity = table->list.count;
	table->list.items =
		xrealloc(table->list.items, table->list.count * sizeof(*table->list.items));
	table->names.capacity = table->names.size + 1;
	table->names.bytes = xrealloc(table->names.bytes, table->names.capacity);
}

void kernel_table_settle(struct kernel_table *table, const struct kernel_segment *segments,
			 size_t count)
{
	keep_code(table, segments, count);
	sort(table);
	keep_best_names(table);
	drop_inner_labels(table);
	set_sizes(table, segments, count);
	give_back_room(table);
}

const struct kernel_function *kernel_table_before(const struct kernel_table *table, uint32_t offset)
{
	size_t before =
		search_before(table->list.items, table->list.count, item, item->start <= offset);

	return before ? &table->list.items[before - 1] : NULL;
}

static const struct kernel_function *find_equal(const struct kernel_table *table, const char *name,
						uint32_t size)
{
	for (size_t i = 0; i < table->list.count; i++) {
		const struct kernel_function *function = &table->list.items[i];

		if (function->size == size && strcmp(kernel_table_name(table, function), name) == 0)
			return function;
	}
	return NULL;
}

const struct kernel_function *kernel_table_append(struct kernel_table *table, const char *name,
						  uint32_t size, enum kernel_rank rank)
{
	const struct kernel_function *equal = find_equal(table, name, size);
	const struct kernel_function *last;
	uint64_t start = 0;

	if (equal)
		return equal;
	if (table->list.count) {
		last = &table->list.items[table->list.count - 1];
		start = ((uint64_t)last->start + last->size + APPEND_ALIGN - 1) &
			~(uint64_t)(APPEND_ALIGN - 1);
	}
	if (start + size > UINT32_MAX ||
	    !kernel_table_add(table, (uint32_t)start, size, name, rank))
		return NULL;
	return &table->list.items[table->list.count - 1];
}

static void sort_with_names(struct kernel_table *table)
{
	if (table->list.count)
		qsort_r(table->list.items, table->list.count, sizeof(*table->list.items),
			by_start_and_name, table);
}

static int compare_across(const struct kernel_table *table, const struct kernel_function *a,
			  const struct kernel_table *other, const struct kernel_function *b)
{
	return by_start(a, b) ?: strcmp(kernel_table_name(table, a), kernel_table_name(other, b));
}

size_t kernel_table_missing(struct kernel_table *wanted, struct kernel_table *other)
{
	size_t missing = 0, at = 0;

	sort_with_names(wanted);
	sort_with_names(other);
	for (size_t i = 0; i < wanted->list.count; i++) {
		const struct kernel_function *function = &wanted->list.items[i];
		int order = 1;

		while (at < other->list.count &&
		       (order = compare_across(wanted, function, other, &other->list.items[at])) >
			       0)
			at++;
		missing += at == other->list.count || order != 0;
	}
	return missing;
}

void kernel_table_done(struct kernel_table *table)
{
	vec_free(&table->list);
	buf_done(&table->names);
	*table = (struct kernel_table){ 0 };
}

/* --- the tables of all images --- */

struct kernel_image *kernel_tables_find(const struct kernel_tables *tables, uint32_t image)
{
	for (size_t i = 0; i < tables->list.count; i++) {
		if (tables->list.items[i].image == image)
			return &tables->list.items[i];
	}
	return NULL;
}

struct kernel_image *kernel_tables_get(struct kernel_tables *tables,
				       const struct kernel_identity *identity)
{
	struct profile *profile = tables->profile;
	struct image key = { .kind = identity->kind,
			     .state = IMAGE_STATE_READ,
			     .path = strpool_intern(&profile->strings, identity->name),
			     .build_id_size = identity->build_id.size,
			     .size = identity->size };
	struct kernel_image *image;
	uint32_t id;

	memcpy(key.build_id, identity->build_id.bytes, identity->build_id.size);
	id = profile_image(profile, &key);
	image = kernel_tables_find(tables, id);
	if (image)
		return image;
	image = vec_push(&tables->list);
	*image = (struct kernel_image){ .image = id };
	return image;
}

/* "a->b": no function covers the offset, only the neighbours of the gap are known. If the end of
 * "a" is guessed, "b" is left out. */
static void bracket(const struct kernel_tables *tables, const struct kernel_table *table,
		    const struct kernel_function *before, struct symbol *ret_symbol)
{
	const struct kernel_function *end = table->list.items + table->list.count;
	const struct kernel_function *after = before ? before + 1 : table->list.items;
	bool guessed = before && before->rank == KERNEL_RANK_GUESSED;
	struct buf name = { 0 };

	if (before)
		buf_add_str(&name, kernel_table_name(table, before));
	buf_add_str(&name, "->");
	if (after < end && !guessed)
		buf_add_str(&name, kernel_table_name(table, after));
	ret_symbol->kind = SYMBOL_BRACKET;
	ret_symbol->name = strpool_intern(&tables->profile->strings, buf_text(&name));
	if (before)
		ret_symbol->start = before->start + (guessed ? 0 : before->size);
	if (guessed)
		ret_symbol->size = before->size;
	else if (after < end)
		ret_symbol->size = after->start - ret_symbol->start;
	buf_done(&name);
}

static void look_up(const struct kernel_tables *tables, const struct kernel_table *table,
		    uint32_t offset, struct symbol *ret_symbol)
{
	const struct kernel_function *function = kernel_table_before(table, offset);

	if (!function || offset - function->start >= function->size ||
	    function->rank == KERNEL_RANK_GUESSED) {
		bracket(tables, table, function, ret_symbol);
		return;
	}
	ret_symbol->kind = SYMBOL_NAMED;
	ret_symbol->name =
		strpool_intern(&tables->profile->strings, kernel_table_name(table, function));
	ret_symbol->start = function->start;
	ret_symbol->size = function->size;
}

void kernel_tables_lookup(const struct kernel_tables *tables, uint32_t image, uint64_t offset,
			  struct symbol *ret_symbol)
{
	const struct kernel_image *known = kernel_tables_find(tables, image);

	*ret_symbol = (struct symbol){ .image = image,
				       .name = tables->profile->images.items[image].path,
				       .kind = SYMBOL_NONE };
	if (known && known->table.list.count && offset <= UINT32_MAX)
		look_up(tables, &known->table, (uint32_t)offset, ret_symbol);
}

void kernel_tables_done(struct kernel_tables *tables)
{
	for (size_t i = 0; i < tables->list.count; i++)
		kernel_table_done(&tables->list.items[i].table);
	vec_free(&tables->list);
}
