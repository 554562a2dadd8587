/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an ELF file says of its functions: symbols, versions, the PLT, words of the GOT, labels,
 * Go's table, tables of frames, links to debug files, an embedded symbol table. An input is the file in
 * another order, as in fuzz_relocations: how many bytes the headers of its sections are, two bytes,
 * least significant first; these headers; then all before them.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "elf/debug_link.h"
#include "elf/eh_ranges.h"
#include "elf/elf_file.h"
#include "elf/go_table.h"
#include "elf/plt.h"
#include "elf/symbol_versions.h"
#include "names/symtab.h"
#include "target.h"
#include "unwind/special_code.h"

enum { MOST_ASKED = 64, MOST_GO = 256 };

static volatile uint64_t sink;

/* Moves the section headers to the end and sets their place in the file's header. */
static uint8_t *join(const uint8_t *bytes, size_t size)
{
	size_t count = bytes[0] | (size_t)bytes[1] << 8, rest;
	uint8_t *file;

	size -= 2;
	count = count < size ? count : size;
	rest = size - count;
	file = malloc(size ? size : 1);
	if (!file)
		abort();
	memcpy(file, bytes + 2 + count, rest);
	memcpy(file + rest, bytes + 2, count);
	if (rest >= sizeof(Elf64_Ehdr) && file[EI_CLASS] == ELFCLASS64)
		((Elf64_Ehdr *)file)->e_shoff = rest;
	else if (rest >= sizeof(Elf32_Ehdr))
		((Elf32_Ehdr *)file)->e_shoff = (Elf32_Off)rest;
	return file;
}

static void ask(const struct symtab *symtab, const struct eh_ranges *ranges, uint64_t address)
{
	struct buf name = { 0 };
	struct symtab_hit hit;

	symtab_lookup(symtab, ranges, address, &name, &hit);
	sink += strlen(buf_text(&name)) + hit.start;
	buf_done(&name);
}

static void ask_everywhere(const struct elf_file *file, const struct symtab *symtab,
			   const struct eh_ranges *ranges)
{
	for (size_t i = 0; i < elf_file_section_count(file) && i < MOST_ASKED; i++) {
		const struct elf_section *section = elf_file_section(file, i);

		for (uint64_t at = 0; at < section->size && at < MOST_ASKED; at += 7)
			ask(symtab, ranges, section->address + at);
		ask(symtab, ranges, section->address + section->size);
	}
	ask(symtab, ranges, 0);
	ask(symtab, ranges, UINT64_MAX);
}

static void read_labels(const struct elf_file *file)
{
	struct plt_words *words = plt_words_new(file);
	struct symbol_index labels = { 0 };
	struct elf_symbol symbol;

	symbol_index_read_labels(&labels, file);
	plt_read_as_objdump(file, words, &labels);
	symbol_index_sort(&labels, symbol_index_compare, &labels);
	for (size_t i = 0; i < labels.list.count && i < MOST_ASKED; i++)
		sink += strlen(symbol_index_name(&labels, labels.list.items[i].name));
	for (uint32_t i = 0; i < MOST_ASKED; i++) {
		if (symbol_index_dynamic(&labels, i, &symbol))
			sink += strlen(symbol_index_name(&labels, symbol.name));
	}
	for (size_t i = 0; i < elf_file_section_count(file) && i < MOST_ASKED; i++)
		sink += plt_words_find(words, elf_file_section(file, i)->address) != NULL;
	symbol_index_done(&labels);
	plt_words_free(words);
}

static void read_versions(const struct elf_file *file)
{
	struct symbol_versions *versions = symbol_versions_new(file);
	struct buf text = { 0 };

	for (size_t i = 0; versions && i < MOST_ASKED; i++)
		symbol_versions_print(versions, symbol_versions_of(versions, i), i & 1, &text);
	sink += text.size;
	buf_done(&text);
	symbol_versions_free(versions);
}

static void read_go(const struct elf_file *file)
{
	struct go_table *table = go_table_open(file);
	struct go_function function;

	for (uint64_t i = 0; table && i < go_table_count(table) && i < MOST_GO; i++) {
		if (!go_table_function(table, i, &function))
			break;
		sink += function.name;
	}
	go_table_free(table);
}

static void read_links(const struct elf_file *file)
{
	struct debug_link link;
	struct special_trampoline found[SPECIAL_CODE_TRAMPOLINES];
	uint8_t *bytes;
	size_t size;

	if (debug_link_read(file, &link))
		sink += strlen(link.name);
	if (debug_link_embedded(file, &bytes, &size, NULL) == 0) {
		for (size_t i = 0; i < size; i++)
			sink += bytes[i];
		free(bytes);
	}
	sink += special_code_trampolines(file, found);
}

static void read_symbols(struct elf_file *file)
{
	struct eh_ranges *ranges = NULL;
	struct symtab *symtab;

	if (symtab_new(file, NULL, &symtab, NULL) < 0)
		return;
	if (eh_ranges_read(file, &ranges, NULL) < 0)
		ranges = NULL;
	ask_everywhere(file, symtab, ranges);
	eh_ranges_free(ranges);
	symtab_free(symtab);
	read_labels(file);
	read_versions(file);
	read_go(file);
	read_links(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct elf_file *file;
	uint8_t *memory;

	if (size < 2)
		return 0;
	memory = join(bytes, size);
	if (elf_file_open_memory(memory, size - 2, &file, NULL) == 0) {
		if (elf_file_read_sections(file, NULL) == 0)
			read_symbols(file);
		elf_file_free(file);
	}
	free(memory);
	return 0;
}
