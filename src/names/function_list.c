/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/function_list.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "elf/elf_symbols.h"
#include "elf/functions.h"
#include "elf/symbol_versions.h"
#include "names/debug_files/symbol_files.h"

struct function_list {
	VEC(struct listed_function) list;
	VEC(uint32_t) imports; /* names */
	struct buf names;      /* NUL-terminated, "" is at 0 */
	bool complete;
};

/* One symbol table being read. */
struct table {
	struct function_list *list;
	const struct elf_file *code;	  /* its sections say what is code */
	const struct elf_file *file;	  /* that has the table */
	struct symbol_versions *versions; /* of .dynsym; NULL: none */
	const char *strings;		  /* its names, NUL-terminated */
	size_t strings_size;
};

static uint32_t add_name(struct function_list *list, const char *name, size_t length)
{
	uint32_t at = (uint32_t)list->names.size;

	buf_add(&list->names, name, length);
	buf_add_char(&list->names, '\0');
	return at;
}

static bool is_function(const struct elf_symbol *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->info);

	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* The version: "@VERSION" in the name, as in .symtab, or from the version tables. */
static void take_version(struct table *table, const char *name, size_t length, size_t index,
			 struct listed_function *function)
{
	struct buf text = { 0 };
	const char *version = name + length;

	if (table->versions) {
		symbol_versions_print(table->versions, symbol_versions_of(table->versions, index),
				      true, &text);
		version = buf_text(&text);
	}
	if (*version == '@') {
		function->old_version = version[1] != '@';
		version += strspn(version, "@");
		function->version = add_name(table->list, version, strlen(version));
	}
	buf_done(&text);
}

static void add_function(struct table *table, const struct elf_symbol *symbol, const char *name,
			 size_t index)
{
	struct listed_function function = {
		.start = symbol->value,
		.size = symbol->size,
		.indirect = ELF64_ST_TYPE(symbol->info) == STT_GNU_IFUNC,
		.global = ELF64_ST_BIND(symbol->info) != STB_LOCAL,
		.weak = ELF64_ST_BIND(symbol->info) == STB_WEAK,
	};
	size_t length = functions_name_length(name);

	/* the lowest bit of an ARM function's address is its instruction set */
	if (elf_file_machine(table->code) == EM_ARM)
		function.start &= ~1ULL;
	if (!elf_file_code_section(table->code, function.start))
		return;
	function.name = add_name(table->list, name, length);
	take_version(table, name, length, index, &function);
	*vec_push(&table->list->list) = function;
}

static void take_symbol(struct table *table, const struct elf_symbol *symbol, size_t index)
{
	const char *name;

	if (!is_function(symbol) && ELF64_ST_TYPE(symbol->info) != STT_NOTYPE)
		return;
	if (symbol->name == 0 || symbol->name >= table->strings_size)
		return;
	name = table->strings + symbol->name;
	if (symbol->section == SHN_UNDEF)
		*vec_push(&table->list->imports) =
			add_name(table->list, name, functions_name_length(name));
	else if (symbol->section != SHN_ABS && symbol->section != SHN_COMMON &&
		 (is_function(symbol) || ELF64_ST_BIND(symbol->info) != STB_LOCAL))
		add_function(table, symbol, name, index);
}

static int read_strings(const struct elf_file *file, const struct elf_section *section,
			char **ret_strings, size_t *ret_size)
{
	const struct elf_section *names = elf_file_section(file, section->link);
	uint8_t *bytes;

	if (!names || names->type != SHT_STRTAB || names->size == 0 ||
	    elf_file_read(file, names, &bytes, NULL) < 0)
		return -EINVAL;
	bytes[names->size - 1] = '\0';
	*ret_strings = (char *)bytes;
	*ret_size = names->size;
	return 0;
}

static void read_table(struct table *table, const struct elf_section *section)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	_cleanup_free_ char *strings = NULL;
	struct reader reader;

	if (elf_file_read(table->file, section, &bytes, NULL) < 0 ||
	    read_strings(table->file, section, &strings, &table->strings_size) < 0)
		return;
	table->strings = strings;
	reader = elf_file_reader(table->file, bytes, section->size);
	for (size_t index = 0;; index++) {
		struct elf_symbol symbol = elf_symbol_next(table->file, &reader);

		if (reader.bad)
			break;
		take_symbol(table, &symbol, index);
	}
	table->strings = NULL;
}

static void read_file(struct function_list *list, const struct elf_file *code,
		      const struct elf_file *file)
{
	_cleanup_(symbol_versions_freep) struct symbol_versions *versions =
		symbol_versions_new(file);

	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		const struct elf_section *section = elf_file_section(file, i);
		struct table table = { .list = list, .code = code, .file = file };

		if (section->type == SHT_DYNSYM)
			table.versions = versions;
		else if (section->type != SHT_SYMTAB)
			continue;
		read_table(&table, section);
		list->complete |= section->type == SHT_SYMTAB;
	}
}

/* ---- order ---- */

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Best name of an address first: global, not weak, fewer leading underscores, then alphabetical. */
static int compare(const void *a, const void *b, void *context)
{
	const struct listed_function *left = a, *right = b;
	const struct function_list *list = context;
	const char *one, *other;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->global != right->global)
		return left->global ? -1 : 1;
	if (left->weak != right->weak)
		return right->weak ? -1 : 1;
	one = function_list_name(list, left->name);
	other = function_list_name(list, right->name);
	if (underscores(one) != underscores(other))
		return underscores(one) < underscores(other) ? -1 : 1;
	return strcmp(one, other);
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

/* Extends functions without a size to the next one, within their section. */
static void end_unsized(struct function_list *list, const struct elf_file *file)
{
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
		items[i].size = end - items[i].start;
	}
}

struct function_list *function_list_new(const struct elf_file *file,
					struct debug_files *debug_files, const char *path)
{
	struct function_list *list = xcalloc(1, sizeof(*list));
	struct symbol_files sources = { .fd = -1 };

	buf_add_char(&list->names, '\0');
	read_file(list, file, file);
	if (debug_files)
		symbol_files_find(debug_files, file, path, NULL, &sources);
	for (size_t i = 0; i < sources.count; i++)
		read_file(list, file, sources.files[i]);
	symbol_files_done(&sources);
	if (list->list.count)
		qsort_r(list->list.items, list->list.count, sizeof(*list->list.items), compare,
			list);
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
