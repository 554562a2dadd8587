/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/go_functions.h"

#include <elf.h>

#include "elf/section_data.h"

enum {
	HEADER_MOST = 8 + 8 * 8,
	FORGET_EVERY = 4096,		 /* functions; what was read of the table is not kept */
	MAX_RELOCATION_BYTES = 64 << 20, /* that are looked through, of all sections together */
};

static const uint32_t MAGIC_2 = 0xfffffffb, MAGIC_16 = 0xfffffffa, MAGIC_18 = 0xfffffff0,
		      MAGIC_20 = 0xfffffff1;

/* The table. All offsets are from its beginning. */
struct go_table {
	const struct elf_file *file;
	const struct elf_section *section;
	struct section_data *data;
	bool relative;	/* addresses are distances from the text, of 32 bits */
	unsigned word;	/* bytes of a pointer */
	uint64_t count; /* functions */
	uint64_t text;	/* see relative */
	uint64_t list;	/* where address and description of each are told, by address */
	uint64_t names, names_size;
	uint64_t described_from; /* what the offsets of descriptions count from */
};

static uint64_t read_word(const struct go_table *table, struct reader *reader)
{
	return table->word == 8 ? reader_u64(reader) : reader_u32(reader);
}

/* Where the run time is to put an address at @place, a program that may lie anywhere says by a
 * relocation; some linkers write it nowhere else. 0: it does not. */
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
			uint64_t at = elf_file_word(file, &reader);

			elf_file_word(file, &reader); /* type */
			address = at == place ? elf_file_word(file, &reader) : 0;
			if (at != place)
				elf_file_word(file, &reader);
		}
	}
	return address;
}

static uint64_t text_of(const struct go_table *table, uint64_t told, uint64_t told_at)
{
	const struct elf_section *text;

	if (!told)
		told = relocated(table->file, table->section->address + told_at);
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

static bool read_header(struct go_table *table)
{
	uint64_t size = section_data_size(table->data);
	struct reader header = section_data_tail(table->data, 0, HEADER_MOST);
	uint32_t magic = reader_u32(&header);
	uint16_t zero = reader_u16(&header);

	reader_u8(&header); /* least size of an instruction */
	table->word = reader_u8(&header);
	if (zero || (table->word != 4 && table->word != 8))
		return false;
	table->relative = magic == MAGIC_18 || magic == MAGIC_20;
	table->count = read_word(table, &header);
	if (table->relative || magic == MAGIC_16) {
		read_parts(table, &header);
	} else if (magic == MAGIC_2) {
		table->list = 8 + table->word;
		table->names_size = size;
	} else {
		return false;
	}
	return !header.bad && table->count <= GO_FUNCTIONS_MAX && table->names <= size &&
	       table->names_size <= size - table->names && table->list <= size;
}

/* An address as the table has it, as one of the file. */
static uint64_t read_address(const struct go_table *table, struct reader *reader)
{
	return table->relative ? table->text + reader_u32(reader) : read_word(table, reader);
}

/* Where the name of a function is among the names; they are behind the address in what describes
 * it. */
static bool read_name(const struct go_table *table, uint64_t described, uint32_t *ret_name)
{
	unsigned skipped = table->relative ? 4 : table->word;
	struct reader reader =
		section_data_reader(table->data, table->described_from + described + skipped, 4);

	*ret_name = reader_u32(&reader);
	return !reader.bad && *ret_name < table->names_size;
}

/* False: it is damaged from here on, or its addresses are not those of the file. */
static bool add_function(const struct go_table *table, uint64_t index, uint32_t names,
			 struct functions *functions)
{
	unsigned width = table->relative ? 4 : table->word;
	struct reader reader =
		section_data_reader(table->data, table->list + index * 2 * width, 3ULL * width);
	uint64_t start = read_address(table, &reader);
	uint64_t described = width == 4 ? reader_u32(&reader) : reader_u64(&reader);
	uint64_t end = read_address(table, &reader);
	uint32_t name;

	if (reader.bad || end < start || !read_name(table, described, &name) ||
	    !elf_file_code_section(table->file, start))
		return false;
	if (end > start && *functions_name(functions, names + name))
		*vec_push(&functions->list) = (struct function){
			.start = start,
			.size = end - start < UINT32_MAX ? (uint32_t)(end - start) : UINT32_MAX,
			.name = names + name,
			.rank = FUNCTION_LOCAL | FUNCTION_TYPED | FUNCTION_SIZED,
			.kind = FUNCTION_SYMBOL,
		};
	return true;
}

static bool add_functions(struct go_table *table, struct functions *functions)
{
	const struct elf_section where = { .name = "",
					   .type = SHT_PROGBITS,
					   .offset = table->section->offset + table->names,
					   .size = table->names_size };
	size_t before = functions->list.count;
	uint32_t names;

	if (functions_read_names(functions, table->file, &where, &names, NULL) < 0)
		return false;
	for (uint64_t i = 0; i < table->count; i++) {
		if (!add_function(table, i, names, functions))
			break;
		if (i % FORGET_EVERY == FORGET_EVERY - 1)
			section_data_forget(table->data);
	}
	return functions->list.count > before;
}

static const struct elf_section *find_table(const struct elf_file *file)
{
	const struct elf_section *section = elf_file_find(file, ".gopclntab");

	return section ? section : elf_file_find(file, ".data.rel.ro.gopclntab");
}

bool go_functions_read(const struct elf_file *file, struct functions *functions)
{
	struct go_table table = { .file = file, .section = find_table(file) };
	_cleanup_(section_data_freep) struct section_data *data = NULL;

	if (!table.section || table.section->flags & SHF_COMPRESSED ||
	    section_data_open(file, table.section, &data, NULL) < 0)
		return false;
	table.data = data;
	return read_header(&table) && add_functions(&table, functions);
}
