/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What readelf says of a file, as an oracle for the symbol tables. */
#ifndef TESTS_UNIT_RESOLVE_READELF_H
#define TESTS_UNIT_RESOLVE_READELF_H

#include <inttypes.h>
#include <stdbool.h>

#include "base/vec.h"
#include "tools.h"

struct readelf_symbol {
	uint64_t start, size;
	char *name; /* without its version */
};

struct readelf_section {
	uint64_t start, end;
	char name[64];
};

struct readelf {
	VEC(struct readelf_symbol) symbols;   /* of code, by start */
	VEC(struct readelf_section) sections; /* of code */
};

static inline void readelf_done(struct readelf *elf)
{
	for (size_t i = 0; i < elf->symbols.count; i++)
		free(elf->symbols.items[i].name);
	vec_free(&elf->symbols);
	vec_free(&elf->sections);
}

static inline const struct readelf_section *readelf_section_of(const struct readelf *elf,
							       uint64_t address)
{
	for (size_t i = 0; i < elf->sections.count; i++) {
		if (address >= elf->sections.items[i].start && address < elf->sections.items[i].end)
			return &elf->sections.items[i];
	}
	return NULL;
}

static inline void readelf_read_sections(struct readelf *elf, const char *path)
{
	struct buf out = { 0 };
	char *text, *line;

	assert_int_equal(tools_run(&out, "readelf -SW '%s' | sed 's/^ *\\[ *[0-9]*\\]//'", path),
			 0);
	text = out.bytes;
	while ((line = strsep(&text, "\n"))) {
		struct readelf_section section;
		uint64_t size;
		char flags[16];

		if (sscanf(line, "%63s %*s %" SCNx64 " %*x %" SCNx64 " %*x %15s", section.name,
			   &section.start, &size, flags) != 4 ||
		    !strchr(flags, 'A') || !strchr(flags, 'X'))
			continue;
		section.end = section.start + size;
		*vec_push(&elf->sections) = section;
	}
	buf_done(&out);
}

static inline void readelf_read_symbols(struct readelf *elf, const char *path)
{
	struct buf out = { 0 };
	char *text, *line;

	assert_int_equal(tools_run(&out, "readelf -sW '%s'", path), 0);
	text = out.bytes;
	while ((line = strsep(&text, "\n"))) {
		struct readelf_symbol symbol = { 0 };
		char type[32], size[32], where[32], name[8192];

		if (sscanf(line, " %*d: %" SCNx64 " %31s %31s %*s %*s %31s %8191s", &symbol.start,
			   size, type, where, name) != 5 ||
		    (strcmp(type, "FUNC") && strcmp(type, "IFUNC") && strcmp(type, "NOTYPE")) ||
		    strcmp(where, "UND") == 0 || strcmp(where, "ABS") == 0 ||
		    !readelf_section_of(elf, symbol.start))
			continue;
		symbol.size = strtoull(size, NULL, 0);
		name[strcspn(name, "@")] = '\0';
		symbol.name = strdup(name);
		*vec_push(&elf->symbols) = symbol;
	}
	buf_done(&out);
}

static inline int readelf_by_start(const void *left, const void *right)
{
	const struct readelf_symbol *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static inline struct readelf readelf_read(const char *path)
{
	struct readelf elf = { 0 };

	readelf_read_sections(&elf, path);
	readelf_read_symbols(&elf, path);
	if (elf.symbols.count)
		qsort(elf.symbols.items, elf.symbols.count, sizeof(*elf.symbols.items),
		      readelf_by_start);
	return elf;
}

/* The index of the first symbol at or after an address, or the count. */
static inline size_t readelf_at_or_after(const struct readelf *elf, uint64_t address)
{
	size_t low = 0, high = elf->symbols.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (elf->symbols.items[middle].start < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Does readelf list @name (@length characters of it) at @address? */
static inline bool readelf_lists(const struct readelf *elf, uint64_t address, const char *name,
				 size_t length)
{
	for (size_t i = readelf_at_or_after(elf, address);
	     i < elf->symbols.count && elf->symbols.items[i].start == address; i++) {
		if (strlen(elf->symbols.items[i].name) == length &&
		    memcmp(elf->symbols.items[i].name, name, length) == 0)
			return true;
	}
	return false;
}

#endif
