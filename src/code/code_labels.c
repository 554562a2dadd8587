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

#include "base/reader.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "code/code_slots.h"
#include "code/got_words.h"
#include "elf/elf_symbols.h"
#include "elf/symbol_versions.h"

enum {
	MAX_LABELS = 1 << 23,	     /* in one file; a browser has a million */
	MAX_NAME_BYTES = 1 << 29,    /* of all names */
	MAX_NAME_LENGTH = 16 * 1024, /* longer ones are truncated; templates reach some thousand */
};

enum label_flags {
	LABEL_FUNCTION = 1,
	LABEL_OBJECT = 2,
	LABEL_GLOBAL = 4,
	LABEL_LOCAL = 8,
	LABEL_SLOT = 16,
	LABEL_SECTION = 32,
};

struct label {
	uint64_t value;
	uint64_t size;
	uint32_t name;	/* offset into names */
	uint32_t index; /* in the symbol table */
	uint16_t version;
	uint16_t section;
	uint8_t flags; /* enum label_flags, or-ed */
};

/* A mapping symbol: code or data begins here. */
struct mark {
	uint64_t value;
	uint16_t section;
	bool data;
};

struct code_labels {
	VEC(struct label) list;
	VEC(struct mark) marks;		  /* by value */
	struct buf names;		  /* NUL-terminated, one after the other */
	struct symbol_versions *versions; /* NULL: all versions are 0 */
	struct got_words *words;
	bool is_64, has_marks;
};

static const char *text_at(const struct code_labels *labels, uint32_t offset)
{
	return labels->names.bytes + offset;
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
	int order = first_if(a[0] != '.', b[0] != '.');

	return order ? order : strncmp(a, b, MAX_NAME_LENGTH);
}

static int compare_labels(const void *left, const void *right, void *context)
{
	const struct label *a = left, *b = right;
	const struct code_labels *labels = context;
	const char *a_name = text_at(labels, a->name), *b_name = text_at(labels, b->name);
	int order = 0;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	order = first_if(!names_a_file(a_name), !names_a_file(b_name));
	if (order == 0)
		order = first_if(!(a->flags & LABEL_SECTION), !(b->flags & LABEL_SECTION));
	for (unsigned flag = LABEL_FUNCTION; order == 0 && flag <= LABEL_OBJECT; flag <<= 1)
		order = first_if(a->flags & flag, b->flags & flag);
	if (order == 0)
		order = first_if(a->flags & LABEL_GLOBAL, b->flags & LABEL_GLOBAL);
	if (order == 0)
		order = first_if(!(a->flags & LABEL_LOCAL), !(b->flags & LABEL_LOCAL));
	if (order == 0 && a->size != b->size)
		return a->size > b->size ? -1 : 1;
	if (order == 0)
		order = compare_names(a_name, b_name);
	/* labels that differ only in version keep the file's order */
	return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int compare_marks(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (int)a->data - (int)b->data;
}

/* A symbol table from which labels are read. */
struct table {
	struct code_labels *labels;
	const struct elf_file *file;
	uint32_t names_base, names_size;
};

/* "$x" or "$d", with or without a dot and more text. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && (name[1] == 'x' || name[1] == 'd') &&
	       (name[2] == '\0' || name[2] == '.');
}

static uint8_t flags_of(uint8_t info)
{
	unsigned type = ELF64_ST_TYPE(info), binding = ELF64_ST_BIND(info);
	uint8_t flags = 0;

	if (type == STT_FUNC)
		flags |= LABEL_FUNCTION;
	if (type == STT_OBJECT || type == STT_COMMON)
		flags |= LABEL_OBJECT;
	if (binding == STB_GLOBAL)
		flags |= LABEL_GLOBAL;
	if (binding == STB_LOCAL)
		flags |= LABEL_LOCAL;
	return flags;
}

/* A PLT or GOT section is a label under its own name. */
static void add_section(struct table *table, const struct elf_symbol *symbol)
{
	static const char *const kept[] = { ".plt", ".got", ".plt.got" };
	const struct elf_section *section = elf_file_section(table->file, symbol->section);
	struct code_labels *labels = table->labels;
	uint32_t name = (uint32_t)labels->names.size;

	for (size_t i = 0; section && i < sizeof(kept) / sizeof(kept[0]); i++) {
		if (strcmp(section->name, kept[i]) != 0)
			continue;
		buf_add(&labels->names, kept[i], strlen(kept[i]) + 1);
		*vec_push(&labels->list) = (struct label){ .value = symbol->value,
							   .name = name,
							   .section = symbol->section,
							   .flags = LABEL_SECTION };
	}
}

static void add_symbol(struct table *table, const struct elf_symbol *symbol, size_t index)
{
	struct code_labels *labels = table->labels;
	unsigned type = ELF64_ST_TYPE(symbol->info);
	uint32_t name = table->names_base + symbol->name;

	if (type == STT_SECTION)
		add_section(table, symbol);
	if (type == STT_SECTION || type == STT_FILE || symbol->section == SHN_UNDEF ||
	    symbol->section == SHN_COMMON || symbol->name >= table->names_size ||
	    !*text_at(labels, name))
		return;
	if (labels->has_marks && is_mapping_symbol(text_at(labels, name))) {
		*vec_push(&labels->marks) =
			(struct mark){ .value = symbol->value,
				       .section = symbol->section,
				       .data = text_at(labels, name)[1] == 'd' };
		return;
	}
	*vec_push(&labels->list) = (struct label){
		.value = symbol->value,
		.size = symbol->size,
		.name = name,
		.version = labels->versions ? symbol_versions_of(labels->versions, index) : 0,
		.section = symbol->section,
		.flags = flags_of(symbol->info)
	};
}

static bool add_names(struct table *table, const struct elf_section *names)
{
	_cleanup_free_ uint8_t *bytes = NULL;

	if (!names || names->type != SHT_STRTAB || names->size > MAX_NAME_BYTES ||
	    elf_file_read(table->file, names, &bytes, NULL) < 0)
		return false;
	table->names_base = (uint32_t)table->labels->names.size;
	table->names_size = (uint32_t)names->size;
	buf_add(&table->labels->names, bytes, names->size);
	buf_add_char(&table->labels->names, '\0');
	return true;
}

static void read_table(struct code_labels *labels, const struct elf_file *file,
		       const struct elf_section *section)
{
	struct table table = { .labels = labels, .file = file };
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader reader;

	if (elf_file_read(file, section, &bytes, NULL) < 0 ||
	    !add_names(&table, elf_file_section(file, section->link)))
		return;
	if (section->type == SHT_DYNSYM)
		labels->versions = symbol_versions_new(file);
	reader = elf_file_reader(file, bytes, section->size);
	for (size_t index = 0;; index++) {
		struct elf_symbol symbol = elf_symbol_next(file, &reader);

		if (reader.bad || labels->list.count + labels->marks.count >= MAX_LABELS)
			return;
		add_symbol(&table, &symbol, index);
	}
}

static void read_first_table(struct code_labels *labels, const struct elf_file *file, uint32_t type)
{
	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		const struct elf_section *section = elf_file_section(file, i);

		if (section->type != type)
			continue;
		read_table(labels, file, section);
		return; /* the gABI allows one section of each type */
	}
}

static void add_slot(void *context, const struct code_slot *slot)
{
	struct code_labels *labels = context;
	uint32_t name = (uint32_t)labels->names.size;
	size_t length = strlen(slot->name);

	if (labels->list.count >= MAX_LABELS || length > MAX_NAME_LENGTH || name > MAX_NAME_BYTES)
		return;
	buf_add(&labels->names, slot->name, length + 1);
	*vec_push(&labels->list) =
		(struct label){ .value = slot->start,
				.name = name,
				.section = slot->section,
				.flags = LABEL_FUNCTION | LABEL_GLOBAL | LABEL_SLOT };
}

void code_labels_new(const struct elf_file *file, struct code_labels **ret_labels)
{
	struct code_labels *labels = xcalloc(1, sizeof(*labels));

	labels->is_64 = elf_file_is_64(file);
	labels->has_marks = elf_file_machine(file) == EM_AARCH64;
	read_first_table(labels, file, SHT_SYMTAB);
	if (labels->list.count == 0)
		read_first_table(labels, file, SHT_DYNSYM);
	labels->words = got_words_new(file);
	if (got_words_has_symbols(labels->words))
		code_slots_read(file, labels->words, add_slot, labels);
	if (labels->list.count > 0)
		qsort_r(labels->list.items, labels->list.count, sizeof(struct label),
			compare_labels, labels);
	if (labels->marks.count > 0)
		qsort(labels->marks.items, labels->marks.count, sizeof(struct mark), compare_marks);
	*ret_labels = labels;
}

void code_labels_free(struct code_labels *labels)
{
	if (!labels)
		return;
	vec_free(&labels->list);
	vec_free(&labels->marks);
	buf_done(&labels->names);
	symbol_versions_free(labels->versions);
	got_words_free(labels->words);
	free(labels);
}

size_t code_labels_count(const struct code_labels *labels)
{
	return labels->list.count;
}

/* The number of labels with a value up to @address. */
static size_t count_up_to(const struct code_labels *labels, uint64_t address)
{
	return search_before(labels->list.items, labels->list.count, item, item->value <= address);
}

/* Among labels with the same value as the one before @end, returns the first in the section; NULL:
 * none. *ret_first: index of the first of them in any section. */
static const struct label *best_of(const struct code_labels *labels, size_t end, size_t section,
				   size_t *ret_first)
{
	const struct label *items = labels->list.items, *best = NULL;
	size_t first = end;

	do {
		first--;
		if (items[first].section == section)
			best = &items[first];
	} while (first > 0 && items[first - 1].value == items[end - 1].value);
	*ret_first = first;
	return best;
}

struct code_region code_labels_region(const struct code_labels *labels, size_t section,
				      uint64_t section_start, uint64_t section_stop,
				      uint64_t address)
{
	struct code_region region = { section_start, section_stop, false };
	size_t place = count_up_to(labels, address);
	const struct label *label = NULL;

	for (size_t i = place; i < labels->list.count; i++) {
		const struct label *next = &labels->list.items[i];

		if (next->value >= section_stop)
			break;
		if (next->section != section)
			continue;
		region.stop = next->value;
		break;
	}
	for (size_t end = place; end > 0 && !label;) {
		if (labels->list.items[end - 1].value < section_start)
			break;
		label = best_of(labels, end, section, &end);
	}
	if (label) {
		region.start = label->value;
		region.data = (label->flags & (LABEL_OBJECT | LABEL_FUNCTION)) == LABEL_OBJECT;
	}
	return region;
}

/* The label that an address is printed with: the nearest one before it, otherwise the first of all.
 * NULL: no labels. */
static const struct label *find_label(const struct code_labels *labels, size_t section,
				      uint64_t address)
{
	size_t end = count_up_to(labels, address), first;
	const struct label *label;

	if (labels->list.count == 0)
		return NULL;
	if (end == 0)
		return &labels->list.items[0];
	label = best_of(labels, end, section, &first);
	return label ? label : &labels->list.items[first];
}

static void print_distance(uint64_t address, uint64_t label, struct buf *text)
{
	if (label < address)
		buf_printf(text, "+0x%lx", address - label);
	else if (label > address)
		buf_printf(text, "-0x%lx", label - address);
}

/* Prints a word that the dynamic linker fills as the symbol whose address it receives, even if the
 * distance to that symbol means nothing. As in objdump, only if the nearest label is in another
 * section than the instruction. */
static bool print_word(const struct code_labels *labels, uint64_t address, struct buf *text)
{
	const struct got_word *word = got_words_find(labels->words, address);
	struct got_symbol symbol;

	if (!word || word->symbol == 0)
		return false;
	symbol = got_words_symbol(labels->words, word->symbol);
	got_words_print(labels->words, word->symbol, text);
	if (symbol.defined)
		print_distance(address, symbol.value, text);
	return true;
}

void code_labels_print(const struct code_labels *labels, size_t section, uint64_t address,
		       struct buf *text)
{
	const struct label *label;

	if (!labels->is_64)
		address &= UINT32_MAX;
	label = find_label(labels, section, address);
	if (!label) {
		buf_printf(text, "0x%lx", address);
		return;
	}
	buf_printf(text, "%lx <", address);
	if (label->section == section || label->flags & LABEL_SLOT ||
	    !print_word(labels, address, text)) {
		buf_add(text, text_at(labels, label->name),
			strnlen(text_at(labels, label->name), MAX_NAME_LENGTH));
		symbol_versions_print(labels->versions, label->version, true, text);
		print_distance(address, label->value, text);
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
	if (next_label < labels->list.count &&
	    labels->list.items[next_label].value - address < size)
		size = labels->list.items[next_label].value - address;
	if (size == 3)
		size = address & 1 ? 1 : 2;
	return (uint32_t)size;
}

bool code_labels_literal(const struct code_labels *labels, size_t section, uint64_t address,
			 uint32_t *ret_size)
{
	size_t next = marks_up_to(labels, address);

	for (size_t i = next; i > 0; i--) {
		const struct mark *mark = &labels->marks.items[i - 1];

		if (mark->section != section)
			continue;
		if (mark->data)
			*ret_size = literal_size(labels, next, address);
		return mark->data;
	}
	return false;
}
