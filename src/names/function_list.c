/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/function_list.h"

#include <elf.h>
#include <string.h>

#include "base/buf.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "elf/code_extents.h"
#include "elf/symbol_index.h"
#include "elf/symbol_versions.h"
#include "names/debug_files/symbol_files.h"

struct function_list {
	VEC(struct listed_function) list;
	VEC(uint32_t) imports; /* names */
	struct buf names;      /* NUL-terminated, "" is at 0 */
	bool complete;
};

static uint32_t add_name(struct function_list *list, const char *name, size_t length)
{
	uint32_t at = (uint32_t)list->names.size;

	buf_add(&list->names, name, length);
	buf_add_char(&list->names, '\0');
	return at;
}

static bool is_function(uint8_t info)
{
	unsigned type = ELF64_ST_TYPE(info);

	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* @version: "@VERSION", from the name, as in .symtab, or from the version tables. */
static void take_version(struct function_list *list, const char *version,
			 struct listed_function *function)
{
	if (*version != '@')
		return;
	function->old_version = version[1] != '@';
	version += strspn(version, "@");
	function->version = add_name(list, version, strlen(version));
}

/* @versions: of .dynsym; NULL: none. */
static void add_function(struct function_list *list, const struct symbol_index *symbols,
			 const struct symbol_versions *versions, const struct symbol_entry *entry)
{
	struct listed_function function = {
		.start = entry->start,
		.size = entry->size,
		.indirect = ELF64_ST_TYPE(entry->info) == STT_GNU_IFUNC,
		.global = ELF64_ST_BIND(entry->info) != STB_LOCAL,
	};
	const char *name = symbol_index_name(symbols, entry->name);
	size_t length = symbol_index_name_length(name);

	if (!function.global && !is_function(entry->info))
		return;
	function.name = add_name(list, name, length);
	if (entry->source == ENTRY_DYNSYM && versions) {
		struct buf text = { 0 };

		symbol_versions_print(versions, symbol_versions_of(versions, entry->index), true,
				      &text);
		take_version(list, buf_text(&text), &function);
		buf_done(&text);
	} else {
		take_version(list, name + length, &function);
	}
	*vec_push(&list->list) = function;
}

static void read_imports(struct function_list *list, const struct symbol_index *symbols)
{
	struct elf_symbol symbol;

	for (uint32_t i = 1; i < symbol_index_dynamic_count(symbols); i++) {
		const char *name;

		if (!symbol_index_dynamic(symbols, i, &symbol) || symbol.section != SHN_UNDEF ||
		    (!is_function(symbol.info) && ELF64_ST_TYPE(symbol.info) != STT_NOTYPE))
			continue;
		name = symbol_index_name(symbols, symbol.name);
		*vec_push(&list->imports) = add_name(list, name, symbol_index_name_length(name));
	}
}

/* True for the same symbol from another table; one of them may lack the version. */
static bool is_same(const struct function_list *list, const struct listed_function *a,
		    const struct listed_function *b)
{
	return a->start == b->start &&
	       strcmp(function_list_name(list, a->name), function_list_name(list, b->name)) == 0 &&
	       (!a->version || !b->version ||
		strcmp(function_list_name(list, a->version),
		       function_list_name(list, b->version)) == 0);
}

static void merge(struct function_list *list)
{
	struct listed_function *items = list->list.items;
	size_t kept = 0;

	for (size_t i = 0; i < list->list.count; i++) {
		if (kept && is_same(list, &items[kept - 1], &items[i])) {
			struct listed_function *last = &items[kept - 1];

			last->size = last->size ? last->size : items[i].size;
			last->indirect |= items[i].indirect;
			if (!last->version && items[i].version) {
				last->version = items[i].version;
				last->old_version = items[i].old_version;
			}
		} else {
			items[kept++] = items[i];
		}
	}
	list->list.count = kept;
}

/* Extends functions without a size to the next one, within their section, or to their end before that. */
static void end_unsized(struct function_list *list, const struct elf_file *file)
{
	_cleanup_(code_extents_freep) struct code_extents *extents =
		list->complete ? NULL : code_extents_new(file);
	struct listed_function *items = list->list.items;

	for (size_t i = 0; i < list->list.count; i++) {
		const struct elf_section *section = elf_file_code_section(file, items[i].start);
		uint64_t end = section->address + section->size;
		size_t next = i + 1;

		if (items[i].size)
			continue;
		while (next < list->list.count && items[next].start == items[i].start)
			next++;
		if (next < list->list.count && items[next].start < end)
			end = items[next].start;
		if (extents)
			end = code_extents_end(extents, items[i].start, end);
		items[i].size = end - items[i].start;
	}
}

struct function_list *function_list_new(const struct elf_file *file,
					struct debug_files *debug_files, const char *path)
{
	_cleanup_(symbol_versions_freep) struct symbol_versions *versions =
		symbol_versions_new(file);
	struct function_list *list = xcalloc(1, sizeof(*list));
	struct symbol_files sources = { .fd = -1 };
	struct symbol_index symbols = { 0 };

	buf_add_char(&list->names, '\0');
	list->complete = symbol_index_read(&symbols, file);
	if (debug_files)
		symbol_files_find(debug_files, file, path, NULL, 0, &sources);
	for (size_t i = 0; i < sources.count; i++)
		list->complete |= symbol_index_read_static(&symbols, sources.files[i]);
	symbol_files_done(&sources);
	symbol_index_sort(&symbols, symbol_index_compare, &symbols);
	for (size_t i = 0; i < symbols.list.count; i++) {
		if (elf_file_code_section(file, symbols.list.items[i].start))
			add_function(list, &symbols, versions, &symbols.list.items[i]);
	}
	read_imports(list, &symbols);
	symbol_index_done(&symbols);
	merge(list);
	end_unsized(list, file);
	return list;
}

void function_list_free(struct function_list *list)
{
	if (!list)
		return;
	vec_free(&list->list);
	vec_free(&list->imports);
	buf_done(&list->names);
	free(list);
}

/* ---- questions ---- */

size_t function_list_count(const struct function_list *list)
{
	return list->list.count;
}

const struct listed_function *function_list_at(const struct function_list *list, size_t index)
{
	return &list->list.items[index];
}

/* The index of the first that begins at or after an address. */
static size_t lower_bound(const struct function_list *list, uint64_t address)
{
	return search_before(list->list.items, list->list.count, item, item->start < address);
}

size_t function_list_find(const struct function_list *list, uint64_t address)
{
	size_t at = lower_bound(list, address);

	return at < list->list.count && list->list.items[at].start == address ? at
									      : list->list.count;
}

const struct listed_function *function_list_around(const struct function_list *list,
						   uint64_t address)
{
	size_t at = lower_bound(list, address + 1);
	const struct listed_function *found;

	if (at == 0)
		return NULL;
	found = &list->list.items[lower_bound(list, list->list.items[at - 1].start)];
	return address - found->start < found->size ? found : NULL;
}

const char *function_list_name(const struct function_list *list, uint32_t name)
{
	return list->names.bytes + name;
}

bool function_list_is_complete(const struct function_list *list)
{
	return list->complete;
}

bool function_list_imports(const struct function_list *list, const char *name)
{
	for (size_t i = 0; i < list->imports.count; i++) {
		if (strcmp(function_list_name(list, list->imports.items[i]), name) == 0)
			return true;
	}
	return false;
}
