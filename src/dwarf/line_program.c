/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/line_program.h"

#include "dwarf/dwarf_unit.h"

enum {
	LENGTH_64 = 0xffffffff,
	LONGEST_LENGTH = 12,
	MOST_FORMATS = 16, /* of an entry, in version 5 */
	MOST_PATH = 16384, /* characters */
};

struct entry_format {
	uint16_t content; /* enum dwarf_line_content */
	struct dwarf_attribute_spec spec;
};

static bool is_absolute(const char *path)
{
	return path[0] == '/';
}

/* Versions 2 to 4: a list of names, ended by an empty one. */
static void read_old_tables(struct line_program *program, struct reader *reader)
{
	const char *name;

	*vec_push(&program->folders) = (struct line_entry){ .name = program->comp_dir };
	while (*(name = reader_cstr(reader)))
		*vec_push(&program->folders) = (struct line_entry){ .name = name };
	*vec_push(&program->files) = (struct line_entry){ .name = "" }; /* files count from 1 */
	while (*(name = reader_cstr(reader))) {
		*vec_push(&program->files) =
			(struct line_entry){ .name = name, .folder = reader_uleb(reader) };
		reader_uleb(reader); /* time */
		reader_uleb(reader); /* size */
	}
}

static struct line_entry read_entry(const struct dwarf_unit *unit, struct reader *reader,
				    const struct entry_format *formats, unsigned count,
				    struct dwarf_sizes sizes)
{
	struct line_entry entry = { .name = "" };

	for (unsigned i = 0; i < count; i++) {
		const uint8_t *start = reader->at;
		struct dwarf_value value = dwarf_forms_read(reader, formats[i].spec, sizes, start);

		if (formats[i].content == LNCT_PATH && value.class == CLASS_INLINE_STRING)
			entry.name = (const char *)start;
		else if (formats[i].content == LNCT_PATH)
			entry.name = dwarf_unit_string(unit, value);
		else if (formats[i].content == LNCT_DIRECTORY_INDEX)
			entry.folder = value.number;
	}
	return entry;
}

/* Version 5: the format of the entries, their number, the entries. */
static void read_new_table(const struct dwarf_unit *unit, struct reader *reader,
			   struct dwarf_sizes sizes, line_entry_list *entries)
{
	struct entry_format formats[MOST_FORMATS] = { { 0 } };
	unsigned count = reader_u8(reader);
	uint64_t left;

	for (unsigned i = 0; i < count; i++) {
		uint64_t content = reader_uleb(reader);
		uint64_t form = reader_uleb(reader);

		if (i >= MOST_FORMATS || content > UINT16_MAX || form > UINT16_MAX)
			reader->bad = true;
		else
			formats[i] = (struct entry_format){ (uint16_t)content,
							    { 0, (uint16_t)form, 0 } };
	}
	left = reader_uleb(reader);
	/* zero-length entries could go on forever */
	while (left-- > 0 && count > 0 && !reader->bad) {
		const uint8_t *start = reader->at;
		struct line_entry entry = read_entry(unit, reader, formats, count, sizes);

		if (reader->bad || reader->at == start)
			break;
		*vec_push(entries) = entry;
	}
}

/* Reads the header between its length and its tables. */
static bool read_header(struct line_program *program, struct reader *reader)
{
	program->instruction_bytes = reader_u8(reader);
	program->most_operations = program->version >= 4 ? reader_u8(reader) : 1;
	program->default_is_statement = reader_u8(reader);
	program->line_base = (int8_t)reader_u8(reader);
	program->line_range = reader_u8(reader);
	program->opcode_base = reader_u8(reader);
	if (program->opcode_base == 0 || program->most_operations == 0)
		return false;
	program->opcode_lengths = reader_bytes(reader, program->opcode_base - 1U);
	return !reader->bad;
}

/* The bytes of the whole program after its length. Sets sizes->offset. */
static struct reader find_program(struct section_data *section, uint64_t offset,
				  struct dwarf_sizes *sizes)
{
	struct reader reader = section_data_tail(section, offset, LONGEST_LENGTH);
	const uint8_t *start = reader.at;
	uint64_t length = reader_u32(&reader);

	sizes->offset = 4;
	if (length == LENGTH_64) {
		sizes->offset = 8;
		length = reader_u64(&reader);
	}
	if (reader.bad)
		return reader;
	return section_data_reader(section, offset + (uint64_t)(reader.at - start), length);
}

bool line_program_open(const struct dwarf_unit *unit, struct line_program *ret_program)
{
	const struct dwarf_unit *owner = unit->skeleton ? unit->skeleton : unit;
	struct line_program program = { .address_bytes = unit->sizes.address };
	struct dwarf_sizes sizes = unit->sizes;
	struct reader reader, header;

	if (owner->root.stmt_list.class != CLASS_NUMBER)
		return false;
	program.comp_dir = dwarf_unit_string(owner, owner->root.comp_dir);
	reader = find_program(owner->file->sections[DWARF_LINE], owner->root.stmt_list.number,
			      &sizes);
	program.version = reader_u16(&reader);
	if (program.version >= 5) {
		program.address_bytes = reader_u8(&reader);
		reader_u8(&reader); /* segment selector size: not used */
	}
	header = reader_sub(&reader, dwarf_forms_fixed(&reader, sizes.offset));
	if (program.version < 2 || program.version > 5 || !read_header(&program, &header))
		return false;
	if (program.version >= 5) {
		read_new_table(owner, &header, sizes, &program.folders);
		read_new_table(owner, &header, sizes, &program.files);
	} else {
		read_old_tables(&program, &header);
	}
	program.program = reader;
	*ret_program = program;
	return true;
}

void line_program_done(struct line_program *program)
{
	vec_free(&program->folders);
	vec_free(&program->files);
}

/* The registers of the line number machine (section 6.2.2) that rows need. */
struct machine {
	struct line_program *program;
	struct line_row row;
	uint64_t line; /* may have any value between rows, and wraps around */
	uint64_t operation;
	bool in_sequence; /* the sequence has rows already */
	bool more;
	line_program_sink sink;
	void *context;
};

static void reset(struct machine *machine)
{
	machine->row =
		(struct line_row){ .file = 1, .statement = machine->program->default_is_statement };
	machine->line = 1;
	machine->operation = 0;
	machine->in_sequence = false;
}

static void give(struct machine *machine, bool end)
{
	machine->row.line = machine->line <= UINT32_MAX ? (uint32_t)machine->line : 0;
	machine->row.end = end;
	if (!end || machine->in_sequence)
		machine->more = machine->sink(machine->context, &machine->row);
	machine->in_sequence = true;
}

static void advance(struct machine *machine, uint64_t operations)
{
	const struct line_program *program = machine->program;
	uint64_t sum = machine->operation + operations;

	if (program->most_operations == 1) {
		machine->row.address += operations * program->instruction_bytes;
		return;
	}
	machine->row.address += sum / program->most_operations * program->instruction_bytes;
	machine->operation = sum % program->most_operations;
}

static void run_special(struct machine *machine, uint8_t opcode)
{
	const struct line_program *program = machine->program;
	uint8_t adjusted = (uint8_t)(opcode - program->opcode_base);

	if (program->line_range == 0) {
		machine->more = false;
		return;
	}
	advance(machine, adjusted / program->line_range);
	machine->line += (uint64_t)(program->line_base + adjusted % program->line_range);
	give(machine, false);
}

static void define_file(struct machine *machine, struct reader *reader)
{
	const char *name = reader_cstr(reader);
	uint64_t folder = reader_uleb(reader);

	if (!reader->bad)
		*vec_push(&machine->program->files) = (struct line_entry){ name, folder };
}

static void run_extended(struct machine *machine, struct reader *reader)
{
	uint64_t length = reader_uleb(reader);
	struct reader operands = reader_sub(reader, length);

	switch (length ? reader_u8(&operands) : 0) {
	case LNE_END_SEQUENCE:
		give(machine, true);
		reset(machine);
		break;
	case LNE_SET_ADDRESS:
		machine->row.address =
			dwarf_forms_fixed(&operands, (unsigned)reader_left(&operands) & 0xf);
		machine->operation = 0;
		break;
	case LNE_DEFINE_FILE:
		define_file(machine, &operands);
		break;
	default:
		break;
	}
}

static void skip_operands(const struct line_program *program, uint8_t opcode, struct reader *reader)
{
	for (uint8_t i = program->opcode_lengths[opcode - 1]; i > 0; i--)
		reader_uleb(reader);
}

static void run_standard(struct machine *machine, uint8_t opcode, struct reader *reader)
{
	const struct line_program *program = machine->program;

	switch (opcode) {
	case LNS_COPY:
		give(machine, false);
		break;
	case LNS_ADVANCE_PC:
		advance(machine, reader_uleb(reader));
		break;
	case LNS_ADVANCE_LINE:
		machine->line += (uint64_t)reader_sleb(reader);
		break;
	case LNS_SET_FILE:
		machine->row.file = reader_uleb(reader);
		break;
	case LNS_NEGATE_STMT:
		machine->row.statement = !machine->row.statement;
		break;
	case LNS_CONST_ADD_PC:
		if (program->line_range)
			advance(machine, (255U - program->opcode_base) / program->line_range);
		break;
	case LNS_FIXED_ADVANCE_PC:
		machine->row.address += reader_u16(reader);
		machine->operation = 0;
		break;
	default:
		skip_operands(program, opcode, reader);
		break;
	}
}

void line_program_run(struct line_program *program, line_program_sink sink, void *context)
{
	struct machine machine = {
		.program = program, .more = true, .sink = sink, .context = context
	};
	struct reader reader = program->program;

	reset(&machine);
	while (machine.more && reader_left(&reader) > 0 && !reader.bad) {
		uint8_t opcode = reader_u8(&reader);

		if (opcode >= program->opcode_base)
			run_special(&machine, opcode);
		else if (opcode == 0)
			run_extended(&machine, &reader);
		else
			run_standard(&machine, opcode, &reader);
	}
}

static void add_part(struct buf *path, const char *part)
{
	if (path->size > 0 && path->bytes[path->size - 1] != '/')
		buf_add_char(path, '/');
	buf_add_str(path, part);
}

void line_program_path(const struct line_program *program, uint64_t file, struct buf *path)
{
	const struct line_entry *entry;
	const char *folder = "";

	if (file >= program->files.count || !*program->files.items[file].name)
		return;
	entry = &program->files.items[file];
	if (!is_absolute(entry->name)) {
		if (entry->folder < program->folders.count)
			folder = program->folders.items[entry->folder].name;
		if (!is_absolute(folder) && entry->folder != 0)
			buf_add_str(path, program->comp_dir);
		if (*folder)
			add_part(path, folder);
	}
	if (*entry->name)
		add_part(path, entry->name);
	if (path->size > MOST_PATH)
		buf_clear(path);
}
