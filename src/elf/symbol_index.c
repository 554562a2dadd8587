/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/symbol_index.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/radix.h"
#include "base/xalloc.h"
#include "elf/code_extents.h"

/* Offsets into the names have 32 bits. */
static const size_t MAX_NAME_BYTES = 1UL << 31;

/* Longer names are truncated. Template names reach a few thousand characters, not this many. */
enum { MAX_NAME_LENGTH = 16 * 1024 };

/* How well a symbol names its address; greater is better. */
enum rank {
	RANK_LOCAL = 0,
	RANK_WEAK = 1,
	RANK_GLOBAL = 2,
	RANK_TYPED = 4, /* STT_FUNC or STT_GNU_IFUNC, not STT_NOTYPE */
	RANK_SIZED = 8,
};

/* What of a symbol table becomes an entry. */
enum kept { KEPT_NOTHING, KEPT_FUNCTIONS, KEPT_LABELS };

/* A symbol table being read. */
struct table {
	const struct elf_file *file;
	struct symbol_index *index;
	enum kept kept;
	enum entry_source source;
	uint32_t names_base, names_size;
};

/* ---- names ---- */

static char *grow_names(struct symbol_index *index, size_t more)
{
	char *place;

	index->names = xrealloc(index->names, index->names_size + more + 1);
	place = index->names + index->names_size;
	index->names_size += more + 1;
	place[more] = '\0';
	return place;
}

int symbol_index_read_names(struct symbol_index *index, const struct elf_file *file,
			    const struct elf_section *section, uint32_t *ret_base, struct err *err)
{
	uint32_t base = (uint32_t)index->names_size;
	int rc = elf_file_check(file, section, err);
	char *place;

	if (rc < 0)
		return rc;
	if (section->size > MAX_NAME_BYTES - index->names_size)
		return err_set(err, -EFBIG, "the names are larger than %zu bytes", MAX_NAME_BYTES);
	place = grow_names(index, section->size);
	rc = elf_file_read_into(file, section, place, err);
	if (rc < 0) {
		index->names_size = base;
		return rc;
	}
	*ret_base = base;
	return 0;
}

uint32_t symbol_index_add_name(struct symbol_index *index, const char *name)
{
	uint32_t base = (uint32_t)index->names_size;
	size_t length = strlen(name);

	memcpy(grow_names(index, length), name, length);
	return base;
}

const char *symbol_index_name(const struct symbol_index *index, uint32_t name)
{
	return name < index->names_size ? index->names + name : "";
}

size_t symbol_index_name_length(const char *name)
{
	size_t length = strnlen(name, MAX_NAME_LENGTH);
	const char *version = length > 1 ? memchr(name + 1, '@', length - 1) : NULL;

	return version ? (size_t)(version - name) : length;
}

/* ---- reading ---- */

struct elf_symbol symbol_index_next(bool is_64, struct reader *reader)
{
	struct elf_symbol symbol = { .name = reader_u32(reader) };

	if (!is_64) {
		symbol.value = reader_u32(reader);
		symbol.size = reader_u32(reader);
	}
	symbol.info = reader_u8(reader);
	reader_u8(reader); /* visibility */
	symbol.section = reader_u16(reader);
	if (is_64) {
		symbol.value = reader_u64(reader);
		symbol.size = reader_u64(reader);
	}
	return symbol;
}

bool symbol_index_address(const struct elf_file *file, const struct elf_symbol *symbol,
			  uint64_t *ret_address)
{
	const struct elf_section *section = elf_file_section(file, symbol->section);

	if (symbol->section == SHN_UNDEF || symbol->section == SHN_ABS ||
	    symbol->section == SHN_COMMON)
		return false;
	*ret_address = symbol->value;
	if (!elf_file_is_relocatable(file))
		return true;
	if (!section || symbol->section >= SHN_LORESERVE)
		return false;
	*ret_address += section->address;
	return true;
}

static bool is_function_type(uint8_t info)
{
	unsigned type = ELF64_ST_TYPE(info);

	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* Mapping symbols of the ARM and RISC-V ABIs mark code and data, and name nothing. */
static bool is_mapping_symbol(const struct elf_file *file, const char *name)
{
	uint16_t machine = elf_file_machine(file);

	if (machine != EM_ARM && machine != EM_AARCH64 && machine != EM_RISCV)
		return false;
	return name[0] == '$' && name[1] && strchr("adtx", name[1]);
}

/* True for labels that assemblers and plugins leave: ".L...", ".annobin...", mapping symbols.
 * Called only for symbols without a type: looking at every name would cost more than all other work
 * here. */
static bool is_left_label(const struct table *table, uint32_t name)
{
	const char *text = symbol_index_name(table->index, table->names_base + name);

	return text[0] == '.' || text[0] == '\0' || is_mapping_symbol(table->file, text);
}

static bool is_function(const struct table *table, struct elf_symbol *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->info);

	if ((type != STT_NOTYPE && !is_function_type(symbol->info)) ||
	    !symbol_index_address(table->file, symbol, &symbol->value) || symbol->name == 0 ||
	    symbol->name >= table->names_size)
		return false;
	/* bit 0 of an ARM function's value selects the instruction set */
	if (elf_file_machine(table->file) == EM_ARM && is_function_type(symbol->info))
		symbol->value &= ~1ULL;
	return elf_file_code_section(table->file, symbol->value) &&
	       (type != STT_NOTYPE || !is_left_label(table, symbol->name));
}

static bool is_label(const struct table *table, const struct elf_symbol *symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->info);

	return type != STT_SECTION && type != STT_FILE && symbol->section != SHN_UNDEF &&
	       symbol->section != SHN_COMMON && symbol->name < table->names_size &&
	       *symbol_index_name(table->index, table->names_base + symbol->name);
}

/* A PLT or GOT section is a label under its own name. */
static void add_section(const struct table *table, const struct elf_symbol *symbol)
{
	static const char *const kept[] = { ".plt", ".got", ".plt.got" };
	const struct elf_section *section = elf_file_section(table->file, symbol->section);

	for (size_t i = 0; section && i < sizeof(kept) / sizeof(kept[0]); i++) {
		if (strcmp(section->name, kept[i]) == 0)
			*vec_push(&table->index->list) = (struct symbol_entry){
				.start = symbol->value,
				.name = symbol_index_add_name(table->index, kept[i]),
				.section = symbol->section,
				.source = ENTRY_SECTION,
			};
	}
}

static void add_symbol(const struct table *table, struct elf_symbol *symbol, size_t number)
{
	if (table->kept == KEPT_LABELS && ELF64_ST_TYPE(symbol->info) == STT_SECTION)
		add_section(table, symbol);
	if (table->kept == KEPT_LABELS ? !is_label(table, symbol) : !is_function(table, symbol))
		return;
	*vec_push(&table->index->list) = (struct symbol_entry){
		.start = symbol->value,
		.size = symbol->size < UINT32_MAX ? (uint32_t)symbol->size : UINT32_MAX,
		.name = table->names_base + symbol->name,
		.index = (uint32_t)number,
		.section = symbol->section,
		.info = symbol->info,
		.source = (uint8_t)table->source,
	};
}

static void add_symbols(const struct table *table, struct reader reader)
{
	for (size_t number = 0;; number++) {
		struct elf_symbol symbol = symbol_index_next(elf_file_is_64(table->file), &reader);

		if (reader.bad)
			return;
		add_symbol(table, &symbol, number);
	}
}

static void read_section(struct table *table, const struct elf_section *section)
{
	const struct elf_section *names = elf_file_section(table->file, section->link);
	struct symbol_index *index = table->index;
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader reader;

	if (!names || names->type != SHT_STRTAB ||
	    elf_file_read(table->file, section, &bytes, NULL) < 0 ||
	    symbol_index_read_names(index, table->file, names, &table->names_base, NULL) < 0)
		return;
	table->names_size = (uint32_t)names->size;
	reader = elf_file_reader(table->file, bytes, section->size);
	if (table->kept != KEPT_NOTHING) {
		vec_reserve(&index->list, index->list.count + section->size / sizeof(Elf64_Sym));
		add_symbols(table, reader);
	}
	if (table->source == ENTRY_DYNSYM) {
		free(index->dynamic);
		index->dynamic = steal_ptr(bytes);
		index->dynamic_size = section->size;
		index->dynamic_names = table->names_base;
		index->dynamic_names_size = table->names_size;
		index->is_64 = elf_file_is_64(table->file);
		index->swap = reader.swap;
	}
}

/* True if the table gave entries. */
static bool read_table(struct symbol_index *index, const struct elf_file *file, uint32_t type,
		       enum kept kept)
{
	struct table table = { .file = file,
			       .index = index,
			       .kept = kept,
			       .source = type == SHT_DYNSYM ? ENTRY_DYNSYM : ENTRY_SYMTAB };
	size_t before = index->list.count;

	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		if (elf_file_section(file, i)->type != type)
			continue;
		read_section(&table, elf_file_section(file, i));
		break; /* the gABI allows one section of each type */
	}
	return index->list.count > before;
}

bool symbol_index_read(struct symbol_index *index, const struct elf_file *file)
{
	bool has_symtab = symbol_index_read_static(index, file);

	read_table(index, file, SHT_DYNSYM, KEPT_FUNCTIONS);
	return has_symtab;
}

bool symbol_index_read_static(struct symbol_index *index, const struct elf_file *file)
{
	return read_table(index, file, SHT_SYMTAB, KEPT_FUNCTIONS);
}

void symbol_index_read_labels(struct symbol_index *index, const struct elf_file *file)
{
	bool has_symtab = read_table(index, file, SHT_SYMTAB, KEPT_LABELS);

	read_table(index, file, SHT_DYNSYM, has_symtab ? KEPT_NOTHING : KEPT_LABELS);
}

static size_t entry_bytes(const struct symbol_index *index)
{
	return index->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

size_t symbol_index_dynamic_count(const struct symbol_index *index)
{
	return index->dynamic_size / entry_bytes(index);
}

bool symbol_index_dynamic(const struct symbol_index *index, uint32_t number,
			  struct elf_symbol *ret_symbol)
{
	struct elf_symbol symbol;
	struct reader reader;

	if (!index->dynamic || number == 0)
		return false;
	reader = reader_make(index->dynamic, index->dynamic_size);
	reader.swap = index->swap;
	reader_bytes(&reader, entry_bytes(index) * number);
	symbol = symbol_index_next(index->is_64, &reader);
	if (reader.bad || symbol.name == 0 || symbol.name >= index->dynamic_names_size)
		return false;
	symbol.name += index->dynamic_names;
	*ret_symbol = symbol;
	return true;
}

/* ---- order ---- */

static unsigned rank_of(const struct symbol_entry *entry)
{
	unsigned binding = ELF64_ST_BIND(entry->info);
	unsigned rank = binding == STB_LOCAL  ? RANK_LOCAL
			: binding == STB_WEAK ? RANK_WEAK
					      : RANK_GLOBAL;

	return rank | (is_function_type(entry->info) ? RANK_TYPED : 0) |
	       (entry->size > 0 ? RANK_SIZED : 0);
}

int symbol_index_compare(const void *left, const void *right, void *context)
{
	const struct symbol_entry *a = left, *b = right;
	const char *a_name = symbol_index_name(context, a->name);
	const char *b_name = symbol_index_name(context, b->name);
	int rank_order = COMPARE(rank_of(b), rank_of(a));
	int order = rank_order ?: COMPARE(strspn(a_name, "_"), strspn(b_name, "_"));
	size_t a_length, b_length;

	if (order)
		return order;
	a_length = symbol_index_name_length(a_name);
	b_length = symbol_index_name_length(b_name);
	return COMPARE(a_length, b_length) ?: strncmp(a_name, b_name, a_length);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Without comparing, because sorting takes most of the time to the first symbol of a large library.
 * Counting from the lowest start saves passes: three for 34,000 functions. */
static void sort_by_start(struct symbol_index *index)
{
	size_t count = index->list.count;
	struct symbol_entry *items = index->list.items;
	_cleanup_free_ struct radix_item *order = xmalloc((count + 1) * sizeof(*order));
	uint64_t base = UINT64_MAX;

	for (size_t i = 0; i < count; i++)
		base = least(base, items[i].start);
	for (size_t i = 0; i < count; i++)
		order[i] = (struct radix_item){ items[i].start - base, (uint32_t)i };
	radix_sort(order, count);
	radix_arrange(order, count, items, sizeof(*items));
}

static void swap(struct symbol_entry *a, struct symbol_entry *b)
{
	struct symbol_entry kept = *a;

	*a = *b;
	*b = kept;
}

/* The end of the entries that begin where the first one does. */
static size_t aliases_end(const struct symbol_index *index, size_t first)
{
	size_t end = first + 1;

	while (end < index->list.count &&
	       index->list.items[end].start == index->list.items[first].start)
		end++;
	return end;
}

void symbol_index_sort(struct symbol_index *index,
		       int (*compare)(const void *a, const void *b, void *context), void *context)
{
	struct symbol_entry *items;

	sort_by_start(index);
	items = index->list.items;
	for (size_t first = 0, end; first < index->list.count; first = end) {
		end = aliases_end(index, first);
		if (end - first == 2 && compare(items + first, items + first + 1, context) > 0)
			swap(items + first, items + first + 1);
		if (end - first > 2)
			qsort_r(items + first, end - first, sizeof(*items), compare, context);
	}
}

static uint64_t end_of(const struct symbol_entry *function)
{
	return function->start + function->size;
}

/* Functions [first, end) begin at one address, the best first. Keeps it, and each worse one that
 * reaches further than all better ones. Writes them to @out, outermost first. */
static size_t settle_aliases(struct symbol_index *index, size_t first, size_t end, size_t out)
{
	struct symbol_entry *items = index->list.items;
	size_t kept = 1;

	for (size_t i = first + 1; i < end; i++) {
		if (items[i].size > items[first + kept - 1].size)
			items[first + kept++] = items[i];
	}
	for (size_t i = 0; i < kept / 2; i++)
		swap(items + first + i, items + first + kept - 1 - i);
	memmove(items + out, items + first, kept * sizeof(*items));
	return kept;
}

static void drop_aliases(struct symbol_index *index)
{
	size_t out = 0;

	for (size_t first = 0, end; first < index->list.count; first = end) {
		end = aliases_end(index, first);
		out += settle_aliases(index, first, end, out);
	}
	index->list.count = out;
}

/* Drops labels without type and size inside a sized function: they are places in it. */
static void drop_labels(struct symbol_index *index)
{
	uint64_t covered = 0;
	size_t out = 0;

	for (size_t i = 0; i < index->list.count; i++) {
		struct symbol_entry function = index->list.items[i];

		if (!(rank_of(&function) & (RANK_SIZED | RANK_TYPED)) && function.start < covered)
			continue;
		covered = end_of(&function) > covered ? end_of(&function) : covered;
		index->list.items[out++] = function;
	}
	index->list.count = out;
}

static uint64_t section_end(const struct elf_file *file, uint64_t address)
{
	const struct elf_section *section = elf_file_code_section(file, address);

	return section ? section->address + section->size : UINT64_MAX;
}

/* True for a function without any code, as of C++ that ends in __builtin_unreachable(). A mangled name (Itanium
 * C++ ABI) is a compiler's, and those write the size of what is not empty. */
static bool is_empty(const struct symbol_index *index, const struct symbol_entry *function)
{
	return strncmp(symbol_index_name(index, function->name), "_Z", 2) == 0;
}

/* Functions without a size reach to the next one, or to the end of the function or section around
 * them. @extents says which end before that; NULL: none do, and none is empty. */
static void reach(struct symbol_index *index, const struct elf_file *file,
		  struct code_extents *extents)
{
	uint64_t covered = 0;

	for (size_t i = 0; i < index->list.count; i++) {
		struct symbol_entry *function = &index->list.items[i];
		uint64_t room = section_end(file, function->start) - function->start;

		if (function->size == 0 && !(extents && is_empty(index, function))) {
			if (i + 1 < index->list.count)
				room = least(room, function[1].start - function->start);
			if (function->start < covered)
				room = least(room, covered - function->start);
			if (extents)
				room = code_extents_end(extents, function->start,
							function->start + room) -
				       function->start;
			function->size = (uint32_t)least(room, UINT32_MAX);
		}
		function->size = (uint32_t)least(room, function->size);
		covered = end_of(function) > covered ? end_of(function) : covered;
	}
}

/* Walks outwards from each function's predecessor. A function that ends earlier cannot cover a
 * later one, so each step is taken only once. */
static void nest(struct symbol_index *index)
{
	struct symbol_entry *items = index->list.items;

	for (uint32_t i = 0; i < index->list.count; i++) {
		uint32_t outer = i ? i - 1 : SYMBOL_INDEX_NONE;

		while (outer != SYMBOL_INDEX_NONE && end_of(&items[outer]) <= end_of(&items[i]))
			outer = items[outer].outer;
		items[i].outer = outer;
	}
}

void symbol_index_settle(struct symbol_index *index, const struct elf_file *file, bool complete)
{
	_cleanup_(code_extents_freep) struct code_extents *extents =
		complete ? NULL : code_extents_new(file);

	symbol_index_sort(index, symbol_index_compare, index);
	drop_aliases(index);
	drop_labels(index);
	reach(index, file, extents);
	nest(index);
}

/* ---- memory ---- */

static size_t listed_length(const struct symbol_index *index, size_t i)
{
	return symbol_index_name_length(symbol_index_name(index, index->list.items[i].name));
}

/* Bytes that the names of all entries need, terminators included. */
static size_t listed_bytes(const struct symbol_index *index)
{
	size_t bytes = 0;

	for (size_t i = 0; i < index->list.count; i++)
		bytes += listed_length(index, i) + 1;
	return bytes;
}

static void compact_names(struct symbol_index *index, size_t bytes)
{
	char *names = xmalloc(bytes + 1);
	size_t used = 0;

	for (size_t i = 0; i < index->list.count; i++) {
		struct symbol_entry *entry = &index->list.items[i];
		size_t length = listed_length(index, i);

		memcpy(names + used, symbol_index_name(index, entry->name), length);
		names[used + length] = '\0';
		entry->name = (uint32_t)used;
		used += length + 1;
	}
	free(index->names);
	index->names = names;
	index->names_size = used;
}

static void drop_dynamic(struct symbol_index *index)
{
	free(index->dynamic);
	index->dynamic = NULL;
	index->dynamic_size = 0;
}

void symbol_index_compact(struct symbol_index *index, bool names)
{
	size_t count = index->list.count;
	size_t bytes = names ? listed_bytes(index) : index->names_size;

	drop_dynamic(index);
	if (bytes < index->names_size / 4 * 3)
		compact_names(index, bytes);
	if (count == 0)
		return;
	index->list.items = xrealloc(index->list.items, count * sizeof(struct symbol_entry));
	index->list.capacity = count;
}

void symbol_index_done(struct symbol_index *index)
{
	drop_dynamic(index);
	vec_free(&index->list);
	free(index->names);
	*index = (struct symbol_index){ 0 };
}
