/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice among labels at one address follows objdump, in this order:
 *   - in the section being shown
 *   - not like a file's name
 *   - not a section's name
 *   - functions, then objects, then others
 *   - global before local
 *   - the larger one
 *   - no leading dot
 *   - by name
 */
#include "code/code_labels.h"

#include <elf.h>
#include <string.h>

#include "base/compare.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "elf/plt.h"
#include "elf/symbol_index.h"
#include "elf/symbol_versions.h"

enum { MAX_NAME_LENGTH = 16 * 1024 }; /* longer ones are truncated; templates reach some thousand */

/* A mapping symbol: code or data begins here. */
struct data_mark {
	uint64_t value;
	uint16_t section;
	bool data;
};

struct code_labels {
	struct symbol_index symbols;
	VEC(struct data_mark) marks;	  /* by value */
	struct symbol_versions *versions; /* of .dynsym; NULL: none */
	struct plt_words *words;
	bool is_64;
};

static const char *name_of(const struct code_labels *labels, const struct symbol_entry *label)
{
	return symbol_index_name(&labels->symbols, label->name);
}

static bool is_object(const struct symbol_entry *label)
{
	unsigned type = ELF64_ST_TYPE(label->info);

	return type == STT_OBJECT || type == STT_COMMON;
}

static bool has_binding(const struct symbol_entry *label, unsigned binding)
{
	return label->source != ENTRY_SECTION && ELF64_ST_BIND(label->info) == binding;
}

/* True for names of object files and archives. */
static bool names_a_file(const char *name)
{
	size_t length = strnlen(name, MAX_NAME_LENGTH);

	return length > 2 && name[length - 2] == '.' &&
	       (name[length - 1] == 'o' || name[length - 1] == 'a');
}

/* -1 or 1: only one of the two is true, and it comes first; 0: both are equal. */
static int first_if(bool a, bool b)
{
	return (int)b - (int)a;
}

static int compare_names(const char *a, const char *b)
{
	return first_if(a[0] != '.', b[0] != '.') ?: strncmp(a, b, MAX_NAME_LENGTH);
}

static int compare_labels(const void *left, const void *right, void *context)
{
	const struct symbol_entry *a = left, *b = right;
	const char *a_name = name_of(context, a), *b_name = name_of(context, b);

	return first_if(!names_a_file(a_name), !names_a_file(b_name)) ?:
	       first_if(a->source != ENTRY_SECTION, b->source != ENTRY_SECTION) ?:
	       first_if(ELF64_ST_TYPE(a->info) == STT_FUNC, ELF64_ST_TYPE(b->info) == STT_FUNC) ?:
	       first_if(is_object(a), is_object(b)) ?:
	       first_if(has_binding(a, STB_GLOBAL), has_binding(b, STB_GLOBAL)) ?:
	       first_if(!has_binding(a, STB_LOCAL), !has_binding(b, STB_LOCAL)) ?:
	       COMPARE(b->size, a->size) ?:
	       compare_names(a_name, b_name) ?:
	       /* labels that differ only in version keep the file's order */
	       COMPARE(a->index, b->index);
}

DEFINE_ORDER(compare_marks, struct data_mark,
	     COMPARE(a->value, b->value) ?: COMPARE(a->data, b->data))

/* "$x" or "$d", with or without a dot and more text. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && (name[1] == 'x' || name[1] == 'd') &&
	       (name[2] == '\0' || name[2] == '.');
}

/* Moves the mapping symbols from the labels to the marks. */
static void take_marks(struct code_labels *labels)
{
	struct symbol_entry *items = labels->symbols.list.items;
	size_t kept = 0;

	for (size_t i = 0; i < labels->symbols.list.count; i++) {
		const char *name = name_of(labels, &items[i]);

		if (is_mapping_symbol(name))
			*vec_push(&labels->marks) =
				(struct data_mark){ items[i].start, items[i].section,
						    name[1] == 'd' };
		else
			items[kept++] = items[i];
	}
	labels->symbols.list.count = kept;
	if (labels->marks.count > 0)
		qsort(labels->marks.items, labels->marks.count, sizeof(struct data_mark),
		      compare_marks);
}

struct code_labels *code_labels_new(const struct elf_file *file)
{
	struct code_labels *labels = xcalloc(1, sizeof(*labels));

	labels->is_64 = elf_file_is_64(file);
	labels->versions = symbol_versions_new(file);
	labels->words = plt_words_new(file);
	symbol_index_read_labels(&labels->symbols, file);
	if (elf_file_machine(file) == EM_AARCH64)
		take_marks(labels);
	/* static programs have slots, but no symbols for them */
	if (symbol_index_dynamic_count(&labels->symbols) > 1)
		plt_read_as_objdump(file, labels->words, &labels->symbols);
	symbol_index_sort(&labels->symbols, compare_labels, labels);
	return labels;
}

void code_labels_free(struct code_labels *labels)
{
	if (!labels)
		return;
	symbol_index_done(&labels->symbols);
	vec_free(&labels->marks);
	symbol_versions_free(labels->versions);
	plt_words_free(labels->words);
	free(labels);
}

/* The number of labels with a value up to @address. */
static size_t count_up_to(const struct code_labels *labels, uint64_t address)
{
	return search_before(labels->symbols.list.items, labels->symbols.list.count, item,
			     item->start <= address);
}

/* Among labels with the same value as the one before @end, returns the first in the section; NULL:
 * none. *ret_first: index of the first of them in any section. */
static const struct symbol_entry *best_of(const struct code_labels *labels, size_t end,
					  size_t section, size_t *ret_first)
{
	const struct symbol_entry *items = labels->symbols.list.items, *best = NULL;
	size_t first = end;

	do {
		first--;
		if (items[first].section == section)
			best = &items[first];
	} while (first > 0 && items[first - 1].start == items[end - 1].start);
	*ret_first = first;
	return best;
}

struct code_region code_labels_region(const struct code_labels *labels,
				      const struct code_section *place, uint64_t address)
{
	struct code_region region = { place->start, place->stop, false };
	size_t up_to = count_up_to(labels, address);
	const struct symbol_entry *label = NULL;

	for (size_t i = up_to; i < labels->symbols.list.count; i++) {
		const struct symbol_entry *next = &labels->symbols.list.items[i];

		if (next->start >= place->stop)
			break;
		if (next->section != place->section)
			continue;
		region.stop = next->start;
		break;
	}
	for (size_t end = up_to; end > 0 && !label;) {
		if (labels->symbols.list.items[end - 1].start < place->start)
			break;
		label = best_of(labels, end, place->section, &end);
	}
	if (label) {
		region.start = label->start;
		region.data = is_object(label);
	}
	return region;
}

/* The label that an address is printed with: the nearest one before it, otherwise the first of all.
 * NULL: no labels. */
static const struct symbol_entry *find_label(const struct code_labels *labels, size_t section,
					     uint64_t address)
{
	size_t end = count_up_to(labels, address), first;
	const struct symbol_entry *label;

	if (labels->symbols.list.count == 0)
		return NULL;
	if (end == 0)
		return &labels->symbols.list.items[0];
	label = best_of(labels, end, section, &first);
	return label ? label : &labels->symbols.list.items[first];
}

static void print_distance(uint64_t address, uint64_t label, struct buf *text)
{
	if (label < address)
		buf_printf(text, "+0x%lx", address - label);
	else if (label > address)
		buf_printf(text, "-0x%lx", label - address);
}

/* Appends the version of an entry of .dynsym as objdump prints it. */
static void print_version(const struct code_labels *labels, uint32_t number, bool defined,
			  struct buf *text)
{
	if (labels->versions)
		symbol_versions_print(labels->versions,
				      symbol_versions_of(labels->versions, number), defined, text);
}

/* Prints a word that the dynamic linker fills as the symbol whose address it receives, even if the
 * distance to that symbol means nothing. As in objdump, only if the nearest label is in another
 * section than the instruction. */
static bool print_word(const struct code_labels *labels, uint64_t address, struct buf *text)
{
	const struct plt_word *word = plt_words_find(labels->words, address);
	struct elf_symbol symbol;

	if (!word || word->symbol == 0)
		return false;
	if (!symbol_index_dynamic(&labels->symbols, word->symbol, &symbol))
		return true;
	buf_add_str(text, symbol_index_name(&labels->symbols, symbol.name));
	print_version(labels, word->symbol, symbol.section != SHN_UNDEF, text);
	if (symbol.section != SHN_UNDEF)
		print_distance(address, symbol.value, text);
	return true;
}

static void print_label(const struct code_labels *labels, const struct symbol_entry *label,
			struct buf *text)
{
	const char *name = name_of(labels, label);

	buf_add(text, name, strnlen(name, MAX_NAME_LENGTH));
	if (label->source == ENTRY_SLOT)
		buf_add_str(text, "@plt");
	if (label->source == ENTRY_DYNSYM)
		print_version(labels, label->index, true, text);
}

void code_labels_print(const struct code_labels *labels, const struct code_section *place,
		       uint64_t address, struct buf *text)
{
	const struct symbol_entry *label;

	if (!labels->is_64)
		address &= UINT32_MAX;
	label = find_label(labels, place->section, address);
	if (!label) {
		buf_printf(text, "0x%lx", address);
		return;
	}
	buf_printf(text, "%lx <", address);
	if (label->section == place->section || label->source == ENTRY_SLOT ||
	    !print_word(labels, address, text)) {
		print_label(labels, label, text);
		print_distance(address, label->start, text);
	}
	buf_add_char(text, '>');
}

/* The number of marks with a value up to @address. */
static size_t marks_up_to(const struct code_labels *labels, uint64_t address)
{
	return search_before(labels->marks.items, labels->marks.count, item,
			     item->value <= address);
}

/* Bytes up to the next word boundary, mark or label. */
static uint32_t literal_size(const struct code_labels *labels, size_t next_mark, uint64_t address)
{
	size_t next_label = count_up_to(labels, address);
	uint64_t size = 4 - (address & 3);

	if (next_mark < labels->marks.count &&
	    labels->marks.items[next_mark].value - address < size)
		size = labels->marks.items[next_mark].value - address;
	if (next_label < labels->symbols.list.count &&
	    labels->symbols.list.items[next_label].start - address < size)
		size = labels->symbols.list.items[next_label].start - address;
	if (size == 3)
		size = address & 1 ? 1 : 2;
	return (uint32_t)size;
}

bool code_labels_literal(const struct code_labels *labels, const struct code_section *place,
			 uint64_t address, uint32_t *ret_size)
{
	size_t next = marks_up_to(labels, address);

	for (size_t i = next; i > 0; i--) {
		const struct data_mark *mark = &labels->marks.items[i - 1];

		if (mark->section != place->section)
			continue;
		if (mark->data)
			*ret_size = literal_size(labels, next, address);
		return mark->data;
	}
	return false;
}
