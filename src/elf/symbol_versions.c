/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/symbol_versions.h"

#include <elf.h>
#include <string.h>

#include "base/compare.h"
#include "base/reader.h"
#include "base/search.h"
#include "base/vec.h"
#include "base/xalloc.h"

enum {
	VERSION_HIDDEN = 0x8000, /* not the default one */
	VERSION_NUMBER = 0x7fff,
	MAX_VERSION_NAME = 1024,
	MAX_ENTRIES = 0x10000, /* in both sections: twice the highest version number */
};

struct version {
	uint16_t number;
	bool base;	  /* the file itself, not a version */
	bool needed;	  /* from another file */
	const char *name; /* borrowed from the string tables */
};

struct symbol_versions {
	uint16_t *of_symbol;
	size_t symbol_count;
	VEC(struct version) list;
	uint8_t *defined_names, *needed_names; /* the string tables */
	size_t entries;			       /* read so far, good or bad */
};

/* The bytes of a section from an offset on; a bad reader if there are none. */
static struct reader reader_from(const struct elf_file *file, const uint8_t *bytes, size_t size,
				 size_t offset)
{
	struct reader reader = elf_file_reader(file, bytes, size);

	reader_bytes(&reader, offset);
	return reader;
}

static void add_version(struct symbol_versions *versions, struct version version,
			const uint8_t *names, size_t names_size, uint32_t name)
{
	struct reader reader = reader_make(names, names_size);

	reader_bytes(&reader, name);
	version.name = reader_cstr(&reader);
	if (!reader.bad && strlen(version.name) <= MAX_VERSION_NAME)
		*vec_push(&versions->list) = version;
}

/* A section of versions and its names. */
struct version_section {
	const struct elf_file *file;
	struct symbol_versions *versions;
	const uint8_t *bytes, *names;
	size_t size, names_size;
};

static void read_defined(const struct version_section *section)
{
	size_t at = 0;

	for (;;) {
		struct reader reader =
			reader_from(section->file, section->bytes, section->size, at);
		uint16_t flags, number;
		uint32_t auxiliary, next;

		reader_u16(&reader); /* vd_version */
		flags = reader_u16(&reader);
		number = reader_u16(&reader);
		reader_u16(&reader); /* the first is the name, others are its parents */
		reader_u32(&reader); /* vd_hash */
		auxiliary = reader_u32(&reader);
		next = reader_u32(&reader);
		if (reader.bad || ++section->versions->entries > MAX_ENTRIES)
			return;
		reader = reader_from(section->file, section->bytes, section->size, at + auxiliary);
		add_version(section->versions,
			    (struct version){ .number = number & VERSION_NUMBER,
					      .base = flags & VER_FLG_BASE },
			    section->names, section->names_size, reader_u32(&reader));
		if (next == 0)
			return;
		at += next;
	}
}

/* Reads the versions of one needed file, a list that begins at offset @at. */
static void read_needed_file(const struct version_section *section, size_t at)
{
	for (;;) {
		struct reader reader =
			reader_from(section->file, section->bytes, section->size, at);
		uint32_t name, next;
		uint16_t number;

		reader_u32(&reader); /* vna_hash */
		reader_u16(&reader); /* vna_flags */
		number = reader_u16(&reader);
		name = reader_u32(&reader);
		next = reader_u32(&reader);
		if (reader.bad || ++section->versions->entries > MAX_ENTRIES)
			return;
		add_version(section->versions,
			    (struct version){ .number = number & VERSION_NUMBER, .needed = true },
			    section->names, section->names_size, name);
		if (next == 0)
			return;
		at += next;
	}
}

static void read_needed(const struct version_section *section)
{
	size_t at = 0;

	for (;;) {
		struct reader reader =
			reader_from(section->file, section->bytes, section->size, at);
		uint32_t auxiliary, next;

		reader_u16(&reader); /* vn_version */
		reader_u16(&reader); /* vn_cnt */
		reader_u32(&reader); /* vn_file */
		auxiliary = reader_u32(&reader);
		next = reader_u32(&reader);
		if (reader.bad || section->versions->entries > MAX_ENTRIES)
			return;
		read_needed_file(section, at + auxiliary);
		if (next == 0)
			return;
		at += next;
	}
}

/* Reads the first section of its type; *names receives its string table. */
static void read_section(const struct elf_file *file, struct symbol_versions *versions,
			 const struct elf_section *header, uint8_t **names,
			 void (*read)(const struct version_section *section))
{
	const struct elf_section *table = elf_file_section(file, header->link);
	struct version_section section = { .file = file, .versions = versions };
	_cleanup_free_ uint8_t *bytes = NULL;

	if (!table || *names || elf_file_read(file, header, &bytes, NULL) < 0 ||
	    elf_file_read(file, table, names, NULL) < 0)
		return;
	section.bytes = bytes;
	section.size = header->size;
	section.names = *names;
	section.names_size = table->size;
	read(&section);
}

static void read_numbers(const struct elf_file *file, struct symbol_versions *versions,
			 const struct elf_section *section)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct reader reader;

	if (versions->of_symbol || elf_file_read(file, section, &bytes, NULL) < 0)
		return;
	reader = elf_file_reader(file, bytes, section->size);
	versions->symbol_count = section->size / sizeof(uint16_t);
	versions->of_symbol = xcalloc(versions->symbol_count + 1, sizeof(uint16_t));
	for (size_t i = 0; i < versions->symbol_count; i++)
		versions->of_symbol[i] = reader_u16(&reader);
}

DEFINE_ORDER(by_number, struct version,
	     COMPARE(a->number, b->number) ?: COMPARE(a->needed, b->needed))

struct symbol_versions *symbol_versions_new(const struct elf_file *file)
{
	_cleanup_(symbol_versions_freep) struct symbol_versions *versions =
		xcalloc(1, sizeof(*versions));

	for (size_t i = 0; i < elf_file_section_count(file); i++) {
		const struct elf_section *section = elf_file_section(file, i);

		if (section->type == SHT_GNU_versym)
			read_numbers(file, versions, section);
		else if (section->type == SHT_GNU_verdef)
			read_section(file, versions, section, &versions->defined_names,
				     read_defined);
		else if (section->type == SHT_GNU_verneed)
			read_section(file, versions, section, &versions->needed_names, read_needed);
	}
	if (!versions->of_symbol || versions->list.count == 0)
		return NULL;
	qsort(versions->list.items, versions->list.count, sizeof(struct version), by_number);
	return steal_ptr(versions);
}

void symbol_versions_free(struct symbol_versions *versions)
{
	if (!versions)
		return;
	free(versions->defined_names);
	free(versions->needed_names);
	vec_free(&versions->list);
	free(versions->of_symbol);
	free(versions);
}

static const struct version *find_version(const struct symbol_versions *versions, uint16_t number)
{
	size_t before = search_before(versions->list.items, versions->list.count, item,
				      item->number < number);

	if (before == versions->list.count || versions->list.items[before].number != number)
		return NULL;
	return &versions->list.items[before];
}

uint16_t symbol_versions_of(const struct symbol_versions *versions, size_t index)
{
	uint16_t number = index < versions->symbol_count ? versions->of_symbol[index] : 0;

	return (number & VERSION_NUMBER) == VER_NDX_LOCAL ? 0 : number;
}

void symbol_versions_print(const struct symbol_versions *versions, uint16_t version, bool defined,
			   struct buf *text)
{
	const struct version *found;

	if (version == 0)
		return;
	found = find_version(versions, version & VERSION_NUMBER);
	if (!found && (version & VERSION_NUMBER) != VER_NDX_GLOBAL)
		return;
	buf_add_str(text,
		    !defined || version & VERSION_HIDDEN || (found && found->needed) ? "@" : "@@");
	buf_add_str(text, !found || found->base ? "Base" : found->name);
}
