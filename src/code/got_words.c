/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/got_words.h"

#include <elf.h>
#include <string.h>

#include "base/reader.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "elf/elf_symbols.h"
#include "elf/symbol_versions.h"

enum {
	MAX_WORDS = 1 << 23,	     /* in one file */
	MAX_NAME_LENGTH = 16 * 1024, /* longer names are ignored */
};

struct got_words {
	VEC(struct got_word) list; /* by place */
	struct got_symbol *symbols;
	size_t symbol_count;
	char *names;
	struct symbol_versions *versions; /* NULL: none */
};

static const struct {
	uint16_t machine;
	uint32_t irelative;
} machines[] = {
	{ EM_X86_64, R_X86_64_IRELATIVE },
	{ EM_386, R_386_IRELATIVE },
	{ EM_AARCH64, R_AARCH64_IRELATIVE },
};

static bool is_indirect(uint16_t machine, uint64_t type)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine)
			return machines[i].irelative == type;
	return false;
}

/* elf_file_read leaves room for the terminator, so names always end. */
static size_t read_names(struct got_words *words, const struct elf_file *file,
			 const struct elf_section *section)
{
	uint8_t *bytes;

	if (!section || elf_file_read(file, section, &bytes, NULL) < 0)
		return 0;
	bytes[section->size] = '\0';
	words->names = (char *)bytes;
	return section->size;
}

static void read_symbols(struct got_words *words, const struct elf_file *file)
{
	size_t entry = elf_file_is_64(file) ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym), names_size;
	const struct elf_section *section = elf_file_find(file, ".dynsym");
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader reader;

	if (!section || section->type != SHT_DYNSYM ||
	    elf_file_read(file, section, &bytes, NULL) < 0)
		return;
	names_size = read_names(words, file, elf_file_section(file, section->link));
	words->symbol_count = section->size / entry;
	words->symbols = xcalloc(words->symbol_count + 1, sizeof(*words->symbols));
	reader = elf_file_reader(file, bytes, section->size);
	for (size_t i = 0; i < words->symbol_count; i++) {
		struct elf_symbol symbol = elf_symbol_next(file, &reader);

		words->symbols[i] = (struct got_symbol){
			.name = symbol.name < names_size ? words->names + symbol.name : "",
			.value = symbol.value,
			.defined = symbol.section != SHN_UNDEF,
		};
	}
}

static void read_section(struct got_words *words, const struct elf_file *file,
			 const struct elf_section *section)
{
	bool is_64 = elf_file_is_64(file), has_addend = section->type == SHT_RELA;
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader reader;

	if (elf_file_read(file, section, &bytes, NULL) < 0)
		return;
	reader = elf_file_reader(file, bytes, section->size);
	for (;;) {
		struct got_word word = { .place = elf_file_word(file, &reader) };
		uint64_t info = elf_file_word(file, &reader);
		uint64_t type = is_64 ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info);

		word.addend = has_addend ? elf_file_word(file, &reader) : 0;
		word.symbol = (uint32_t)(is_64 ? ELF64_R_SYM(info) : ELF32_R_SYM(info));
		if (reader.bad || words->list.count >= MAX_WORDS)
			return;
		if (word.symbol || is_indirect(elf_file_machine(file), type))
			*vec_push(&words->list) = word;
	}
}

static int by_place(const void *left, const void *right)
{
	const struct got_word *a = left, *b = right;

	return a->place < b->place ? -1 : a->place > b->place;
}

struct got_words *got_words_new(const struct elf_file *file)
{
	struct got_words *words = xcalloc(1, sizeof(*words));

	read_symbols(words, file);
	words->versions = symbol_versions_new(file);
	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		const struct elf_section *section = elf_file_section(file, i);

		if ((section->type == SHT_RELA || section->type == SHT_REL) &&
		    section->flags & SHF_ALLOC)
			read_section(words, file, section);
	}
	if (words->list.count > 0)
		qsort(words->list.items, words->list.count, sizeof(struct got_word), by_place);
	return words;
}

void got_words_free(struct got_words *words)
{
	if (!words)
		return;
	vec_free(&words->list);
	free(words->symbols);
	free(words->names);
	symbol_versions_free(words->versions);
	free(words);
}

bool got_words_has_symbols(const struct got_words *words)
{
	return words->symbol_count > 1; /* entry 0 is not a symbol */
}

const struct got_word *got_words_find(const struct got_words *words, uint64_t place)
{
	const struct got_word key = { .place = place };

	if (words->list.count == 0)
		return NULL;
	return bsearch(&key, words->list.items, words->list.count, sizeof(key), by_place);
}

struct got_symbol got_words_symbol(const struct got_words *words, uint32_t symbol)
{
	return symbol < words->symbol_count ? words->symbols[symbol]
					    : (struct got_symbol){ .name = "" };
}

void got_words_print(const struct got_words *words, uint32_t symbol, struct buf *text)
{
	struct got_symbol found = got_words_symbol(words, symbol);

	buf_add_str(text, found.name);
	if (words->versions)
		symbol_versions_print(words->versions, symbol_versions_of(words->versions, symbol),
				      found.defined, text);
}
