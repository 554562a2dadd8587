/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/go_table.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "elf/section_data.h"

enum {
	HEADER_MOST = 8 + 8 * 8,
	MOST_START_BYTES = 1024,	 /* _start and the code around it take 200 to 500 */
	FORGET_EVERY = 4096,		 /* functions between calls that release what was read */
	MAX_RELOCATION_BYTES = 64 << 20, /* searched at most, in all sections together */
};

static const uint32_t MAGIC_2 = 0xfffffffb, MAGIC_16 = 0xfffffffa, MAGIC_18 = 0xfffffff0,
		      MAGIC_20 = 0xfffffff1;

/* All offsets are from the beginning. */
struct go_table {
	const struct elf_file *file;
	struct elf_section section; /* the table, or the part of a section that it begins */
	struct section_data *data;
	bool relative;	/* addresses are 32-bit distances from the text */
	unsigned word;	/* bytes of a pointer */
	uint64_t count; /* functions */
	uint64_t text;	/* see relative */
	uint64_t list;	/* address and description offset of each function, by address */
	uint64_t names, names_size;
	uint64_t described_from; /* base of the description offsets */
	unsigned flags_at;	 /* in a description; 0: none */
};

static uint64_t read_word(const struct go_table *table, struct reader *reader)
{
	return table->word == 8 ? reader_u64(reader) : reader_u32(reader);
}

/* In a position-independent program a relocation says which address the runtime puts at @place;
 * some linkers write the address nowhere else. 0: no relocation for @place. */
static uint64_t relocated(const struct elf_file *file, uint64_t place)
{
	const struct elf_section *section;
	uint64_t address = 0, left = MAX_RELOCATION_BYTES;

	for (size_t i = 0; !address && (section = elf_file_section(file, i)); i++) {
		_cleanup_free_ uint8_t *bytes = NULL;
		struct reader reader;

		if (section->type != SHT_RELA || section->size > left ||
		    elf_file_read(file, section, &bytes, NULL) < 0)
			continue;
		left -= section->size;
		reader = elf_file_reader(file, bytes, section->size);
		while (!address && reader_left(&reader) > 0 && !reader.bad) {
			struct elf_relocation found = elf_file_relocation(file, &reader, true);

			address = found.place == place ? found.addend : 0;
		}
	}
	return address;
}

static uint64_t text_of(const struct go_table *table, uint64_t told, uint64_t told_at)
{
	const struct elf_section *text;

	if (!told)
		told = relocated(table->file, table->section.address + told_at);
	if (told)
		return told;
	text = elf_file_find(table->file, ".text");
	return text ? text->address : 0;
}

/* Go 1.16 and later: where the parts of the table are. */
static void read_parts(struct go_table *table, struct reader *header)
{
	read_word(table, header); /* number of files */
	if (table->relative)
		table->text = text_of(table, read_word(table, header), 8 + 2ULL * table->word);
	table->names = read_word(table, header);
	table->names_size = read_word(table, header) - table->names; /* compile units follow */
	read_word(table, header);				     /* files */
	read_word(table, header);				     /* values by address */
	table->list = table->described_from = read_word(table, header);
}

/* The flags come after the address, the name, seven more numbers and the FuncID; Go 1.20 added one
 * number. */
static unsigned flags_place(const struct go_table *table, uint32_t magic)
{
	enum { NUMBERS = 8, NUMBER = 4 };

	if (magic == MAGIC_2)
		return 0;
	return (table->relative ? NUMBER : table->word) + (NUMBERS + (magic == MAGIC_20)) * NUMBER +
	       1;
}

static bool read_header(struct go_table *table)
{
	uint64_t size = section_data_size(table->data);
	struct reader header = section_data_tail(table->data, 0, HEADER_MOST);
	uint32_t magic = reader_u32(&header);
	uint16_t zero = reader_u16(&header);

	reader_u8(&header); /* smallest instruction size */
	table->word = reader_u8(&header);
	if (zero || (table->word != 4 && table->word != 8))
		return false;
	table->relative = magic == MAGIC_18 || magic == MAGIC_20;
	table->flags_at = flags_place(table, magic);
	table->count = read_word(table, &header);
	if (table->relative || magic == MAGIC_16) {
		read_parts(table, &header);
	} else if (magic == MAGIC_2) {
		table->list = 8 + table->word;
		table->names_size = size;
	} else {
		return false;
	}
	return !header.bad && table->count <= GO_TABLE_MAX && table->names <= size &&
	       table->names_size <= size - table->names && table->list <= size;
}

/* Reads an address of the table and makes it an ELF virtual address. */
static uint64_t read_address(const struct go_table *table, struct reader *reader)
{
	return table->relative ? table->text + reader_u32(reader) : read_word(table, reader);
}

/* A description begins with the function's address, the offset of its name, and six to eight 32-bit
 * numbers. */
static bool read_description(const struct go_table *table, uint64_t described,
			     struct go_function *function)
{
	uint64_t at = table->described_from + described;
	struct reader name =
		section_data_reader(table->data, at + (table->relative ? 4 : table->word), 4);

	function->name = reader_u32(&name);
	function->special = false;
	function->flags = 0;
	if (table->flags_at) {
		struct reader bytes = section_data_reader(table->data, at + table->flags_at - 1, 2);

		function->special = reader_u8(&bytes) != 0;
		function->flags = reader_u8(&bytes);
	}
	return !name.bad && function->name < table->names_size;
}

bool go_table_function(struct go_table *table, uint64_t index, struct go_function *ret_function)
{
	unsigned width = table->relative ? 4 : table->word;
	struct reader reader =
		section_data_reader(table->data, table->list + index * 2 * width, 3ULL * width);
	uint64_t described;

	ret_function->start = read_address(table, &reader);
	described = width == 4 ? reader_u32(&reader) : reader_u64(&reader);
	ret_function->end = read_address(table, &reader);
	if (reader.bad || ret_function->end < ret_function->start ||
	    !read_description(table, described, ret_function) ||
	    !elf_file_code_section(table->file, ret_function->start))
		return false;
	if (index % FORGET_EVERY == FORGET_EVERY - 1)
		section_data_forget(table->data);
	return true;
}

bool go_table_is_named(struct go_table *table, const struct go_function *function, const char *name)
{
	return strcmp(section_data_string(table->data, table->names + function->name), name) == 0;
}

uint64_t go_table_count(const struct go_table *table)
{
	return table->count;
}

/* Bytes that every table of Go 1.16 and later begins with on 64-bit x86 and arm64, but for the
 * first. */
static bool is_start(const uint8_t *bytes)
{
	static const uint8_t rest[] = { 0xff, 0xff, 0xff, 0, 0 };
	bool x86 = bytes[6] == 1, arm64 = bytes[6] == 4;

	return (bytes[0] == (uint8_t)MAGIC_16 || bytes[0] == (uint8_t)MAGIC_18 ||
		bytes[0] == (uint8_t)MAGIC_20) &&
	       memcmp(bytes + 1, rest, sizeof(rest)) == 0 && (x86 || arm64) && bytes[7] == 8;
}

/* Searches a section for the table, which begins at a multiple of its alignment. */
static bool find_start(const struct elf_file *file, const struct elf_section *section,
		       uint64_t *ret_offset)
{
	enum { ALIGNMENT = 32, START = 8, PIECE = 1 << 16, MOST = 1 << 28 };
	_cleanup_(section_data_freep) struct section_data *data = NULL;
	uint64_t offset = -section->address & (ALIGNMENT - 1);

	if (section->flags & SHF_COMPRESSED || section_data_open(file, section, &data, NULL) < 0)
		return false;
	for (; offset + START <= section_data_size(data) && offset < MOST; offset += ALIGNMENT) {
		const uint8_t *bytes = section_data_bytes(data, offset, START);

		if (!bytes)
			return false;
		if (is_start(bytes)) {
			*ret_offset = offset;
			return true;
		}
		if (offset % PIECE < ALIGNMENT)
			section_data_forget(data);
	}
	return false;
}

/* The C linker puts the table of a position-independent program with C code among other data. */
static bool find_among_data(const struct elf_file *file, struct elf_section *ret_section)
{
	const struct elf_section *section = elf_file_find(file, ".data.rel.ro");
	uint64_t offset = 0;

	if (!section || !elf_file_find(file, ".go.buildinfo") ||
	    !find_start(file, section, &offset))
		return false;
	*ret_section = *section;
	ret_section->address += offset;
	ret_section->offset += offset;
	ret_section->size -= offset;
	return true;
}

static bool find_section(const struct elf_file *file, struct elf_section *ret_section)
{
	const struct elf_section *section = elf_file_find(file, ".gopclntab");

	if (!section)
		section = elf_file_find(file, ".data.rel.ro.gopclntab");
	if (!section)
		return find_among_data(file, ret_section);
	*ret_section = *section;
	return true;
}

void go_table_free(struct go_table *table)
{
	if (!table)
		return;
	section_data_free(table->data);
	free(table);
}

struct go_table *go_table_open(const struct elf_file *file)
{
	struct elf_section section;
	struct go_table *table;

	if (!find_section(file, &section) || section.flags & SHF_COMPRESSED)
		return NULL;
	table = xcalloc(1, sizeof(*table));
	*table = (struct go_table){ .file = file, .section = section };
	if (section_data_open(file, &table->section, &table->data, NULL) == 0 && read_header(table))
		return table;
	go_table_free(table);
	return NULL;
}

static void add_function(const struct go_function *function, uint32_t name,
			 struct symbol_index *index)
{
	uint64_t size = function->end - function->start;

	if (size > 0 && *symbol_index_name(index, name))
		*vec_push(&index->list) = (struct symbol_entry){
			.start = function->start,
			.size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
			.name = name,
			.info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
			.source = ENTRY_GO,
		};
}

/* Bytes of the first function's section that no function in the table covers. */
static uint64_t bytes_outside(const struct elf_file *file, const struct symbol_entry *first,
			      uint64_t end)
{
	const struct elf_section *code = elf_file_code_section(file, first->start);
	uint64_t bytes = end - first->start;

	return code && bytes < code->size ? code->size - bytes : 0;
}

bool go_table_read(const struct elf_file *file, struct symbol_index *index, bool *ret_all)
{
	_cleanup_(go_table_freep) struct go_table *table = go_table_open(file);
	size_t before = index->list.count;
	struct go_function function = { 0 };
	struct elf_section names = { .name = "", .type = SHT_PROGBITS };
	uint32_t first;

	if (!table)
		return false;
	names.offset = table->section.offset + table->names;
	names.size = table->names_size;
	if (symbol_index_read_names(index, file, &names, &first, NULL) < 0)
		return false;
	for (uint64_t i = 0; i < go_table_count(table); i++) {
		if (!go_table_function(table, i, &function))
			break;
		add_function(&function, first + function.name, index);
	}
	if (index->list.count == before)
		return false;
	*ret_all =
		bytes_outside(file, &index->list.items[before], function.end) <= MOST_START_BYTES;
	return true;
}
