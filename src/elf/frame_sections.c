/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/frame_sections.h"

#include <errno.h>

#include "base/xalloc.h"
#include "elf/section_data.h"

/* Pointer encodings: the low nibble is the format; the next three bits say what the value is
 * relative to. */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SIGNED = 0x08,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_PCREL = 0x10,
	PE_ALIGNED = 0x50,
	PE_RELATIVE = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};

enum {
	KNOWN_CIES = 64, /* a power of two */
	MAX_FRAME_BYTES = 512 * 1024 * 1024,
};

struct known_cie {
	uint64_t offset; /* UINT64_MAX: none */
	bool readable;
	struct frame_cie cie;
};

struct frame_sections {
	const struct elf_file *file;
	enum frame_source source;
	struct section_data *data; /* owned */
	const uint8_t *bytes;	   /* the whole section */
	size_t size;
	uint64_t address;
	uint64_t next; /* offset of the next entry to read */
	uint32_t unreadable;
	struct known_cie known[KNOWN_CIES]; /* by offset */
};

/* An entry of the section. */
struct entry {
	uint64_t offset;
	uint64_t end; /* offset after it */
	uint64_t cie; /* offset of its CIE */
	bool is_cie;
	struct reader body; /* after the id */
};

static uint64_t offset_of(const struct frame_sections *sections, const struct reader *reader)
{
	return (uint64_t)(reader->at - sections->bytes);
}

static uint64_t read_format(const struct frame_sections *sections, struct reader *reader,
			    uint8_t encoding)
{
	switch (encoding & PE_FORMAT) {
	case PE_ABSPTR:
	case PE_SIGNED:
		return elf_file_word(sections->file, reader);
	case PE_ULEB128:
		return reader_uleb(reader);
	case PE_SLEB128:
		return (uint64_t)reader_sleb(reader);
	case PE_UDATA2:
		return reader_u16(reader);
	case PE_UDATA4:
		return reader_u32(reader);
	case PE_SDATA2:
		return (uint64_t)(int64_t)(int16_t)reader_u16(reader);
	case PE_SDATA4:
		return (uint64_t)(int64_t)(int32_t)reader_u32(reader);
	case PE_UDATA8:
	case PE_SDATA8:
		return reader_u64(reader);
	default:
		reader->bad = true;
		return 0;
	}
}

static void align(const struct frame_sections *sections, struct reader *reader)
{
	uint64_t here = sections->address + offset_of(sections, reader);

	reader_bytes(reader, -here & (elf_file_is_64(sections->file) ? 7 : 3));
}

/* Reads an encoded value without its base, for sizes and for values that are skipped. */
static uint64_t read_value(const struct frame_sections *sections, struct reader *reader,
			   uint8_t encoding)
{
	if (encoding == PE_OMIT)
		return 0;
	if (encoding == PE_ALIGNED)
		align(sections, reader);
	return read_format(sections, reader, encoding);
}

static uint64_t read_address(const struct frame_sections *sections, struct reader *reader,
			     uint8_t encoding)
{
	uint64_t here = sections->address + offset_of(sections, reader);
	uint64_t value = read_value(sections, reader, encoding);

	if ((encoding & (PE_RELATIVE | PE_INDIRECT)) == PE_PCREL)
		value += here;
	else if (encoding != PE_ALIGNED && (encoding & (PE_RELATIVE | PE_INDIRECT)))
		reader->bad = true;
	return elf_file_is_64(sections->file) ? value : (uint32_t)value;
}

uint64_t frame_sections_address(const struct frame_sections *sections, const struct frame_cie *cie,
				struct reader *reader)
{
	return read_address(sections, reader, cie->encoding);
}

/* Reads the augmentation data, one item per letter after 'z'. The data of an unknown letter has no
 * known size, and the pointer encoding may come after it. */
static bool read_augmentation(const struct frame_sections *sections, struct reader *reader,
			      const char *letters, struct frame_cie *cie)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = reader_u8(reader);
			break;
		case 'P': {
			uint8_t encoding = reader_u8(reader);

			read_value(sections, reader, encoding);
			break;
		}
		case 'L':
			reader_u8(reader);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* return addresses are signed with arm64's B key */
		case 'G': /* the stack has memory tags */
			break;
		default:
			return false;
		}
	}
	return !reader->bad && cie->encoding != PE_OMIT;
}

/* DWARF 4 and later, .debug_frame only: the sizes of addresses and of segment selectors. */
static bool right_sizes(const struct frame_sections *sections, struct reader *reader)
{
	uint8_t address_size = reader_u8(reader);

	return reader_u8(reader) == 0 && address_size == (elf_file_is_64(sections->file) ? 8 : 4);
}

/* @reader is positioned after the CIE's id. */
static bool read_cie(const struct frame_sections *sections, struct reader reader,
		     struct frame_cie *ret_cie)
{
	struct frame_cie cie = { .encoding = PE_ABSPTR };
	uint8_t version = reader_u8(&reader);
	const char *augmentation = reader_cstr(&reader);
	struct reader data;

	if (version != 1 && version != 3 && version != 4)
		return false;
	if (augmentation[0] == 'e' && augmentation[1] == 'h') {
		elf_file_word(sections->file, &reader); /* written by gcc 2 */
		augmentation += 2;
	}
	if (version == 4 && !right_sizes(sections, &reader))
		return false;
	cie.code_alignment = reader_uleb(&reader);
	cie.data_alignment = reader_sleb(&reader);
	cie.return_register = version == 1 ? reader_u8(&reader) : reader_uleb(&reader);
	cie.sized = *augmentation == 'z';
	/* without a size, only letters that have no data can be read */
	data = reader_sub(&reader, cie.sized ? reader_uleb(&reader) : 0);
	if (!read_augmentation(sections, &data, augmentation + cie.sized, &cie))
		return false;
	cie.program = reader;
	*ret_cie = cie;
	return !reader.bad;
}

/* A CIE's id is 0 in .eh_frame and all ones in .debug_frame. An FDE has a CIE pointer instead: the
 * distance back to its CIE, or the CIE's offset in .debug_frame. */
static void read_id(const struct frame_sections *sections, bool wide, struct entry *entry)
{
	uint64_t at = offset_of(sections, &entry->body);
	uint64_t id;

	if (sections->source == FRAME_EH) {
		id = reader_u32(&entry->body);
		entry->is_cie = id == 0;
		entry->cie = at - id;
		return;
	}
	id = wide ? reader_u64(&entry->body) : reader_u32(&entry->body);
	entry->is_cie = id == (wide ? UINT64_MAX : UINT32_MAX);
	entry->cie = id;
}

/* False: no entry. A length of zero ends the part of each linked file; more parts may follow. */
static bool read_entry(const struct frame_sections *sections, uint64_t offset, struct entry *entry)
{
	struct reader all = elf_file_reader(sections->file, sections->bytes, sections->size);
	uint64_t length;
	bool wide;

	if (offset >= sections->size)
		return false;
	reader_bytes(&all, offset);
	entry->offset = offset;
	length = reader_u32(&all);
	wide = length == UINT32_MAX;
	if (wide)
		length = reader_u64(&all);
	if (all.bad || length > reader_left(&all))
		return false;
	entry->body = reader_sub(&all, length);
	entry->end = offset_of(sections, &entry->body) + length;
	entry->is_cie = true;
	if (length > 0)
		read_id(sections, wide, entry);
	return true;
}

static const struct frame_cie *cie_at(struct frame_sections *sections, uint64_t offset)
{
	struct known_cie *known = &sections->known[offset / 4 % KNOWN_CIES];
	struct entry entry;

	if (known->offset != offset) {
		known->offset = offset;
		known->readable = read_entry(sections, offset, &entry) && entry.is_cie &&
				  read_cie(sections, entry.body, &known->cie);
	}
	return known->readable ? &known->cie : NULL;
}

static bool read_fde(struct frame_sections *sections, struct entry *entry,
		     struct frame_fde *ret_fde)
{
	const struct frame_cie *cie = cie_at(sections, entry->cie);
	struct reader *body = &entry->body;

	if (!cie)
		return false;
	ret_fde->offset = entry->offset;
	ret_fde->cie = *cie;
	ret_fde->start = read_address(sections, body, cie->encoding);
	ret_fde->size = read_format(sections, body, cie->encoding);
	if (!elf_file_is_64(sections->file))
		ret_fde->size = (uint32_t)ret_fde->size;
	if (cie->sized)
		reader_bytes(body, reader_uleb(body));
	ret_fde->program = *body;
	return !body->bad && ret_fde->start + ret_fde->size >= ret_fde->start;
}

bool frame_sections_next(struct frame_sections *sections, struct frame_fde *ret_fde)
{
	struct entry entry;

	while (read_entry(sections, sections->next, &entry)) {
		sections->next = entry.end;
		if (entry.is_cie)
			continue;
		if (read_fde(sections, &entry, ret_fde))
			return true;
		sections->unreadable++;
	}
	if (sections->next < sections->size) {
		sections->next = sections->size;
		sections->unreadable++;
	}
	return false;
}

bool frame_sections_at(struct frame_sections *sections, uint64_t offset, struct frame_fde *ret_fde)
{
	struct entry entry;

	return read_entry(sections, offset, &entry) && !entry.is_cie &&
	       read_fde(sections, &entry, ret_fde);
}

uint32_t frame_sections_unreadable(const struct frame_sections *sections)
{
	return sections->unreadable;
}

static int open_data(const struct elf_file *file, const struct elf_section *section,
		     struct section_data **ret_data, struct err *err)
{
	_cleanup_(section_data_freep) struct section_data *data = NULL;
	int rc = section_data_open(file, section, &data, err);

	if (rc < 0)
		return rc;
	if (section_data_size(data) > MAX_FRAME_BYTES)
		return err_set(err, -EFBIG, "section %s is larger than %d bytes", section->name,
			       MAX_FRAME_BYTES);
	if (!section_data_bytes(data, 0, section_data_size(data)))
		return err_set(err, -EIO, "section %s cannot be read", section->name);
	*ret_data = steal_ptr(data);
	return 0;
}

int frame_sections_open(const struct elf_file *file, enum frame_source source,
			struct frame_sections **ret_sections, struct err *err)
{
	const char *name = source == FRAME_EH ? ".eh_frame" : ".debug_frame";
	const struct elf_section *section = elf_file_find(file, name);
	struct frame_sections *sections;
	struct section_data *data = NULL;
	int rc;

	if (!section || section->size == 0)
		return err_set(err, -ENODATA, "no section %s", name);
	rc = open_data(file, section, &data, err);
	if (rc < 0)
		return rc;
	sections = xcalloc(1, sizeof(*sections));
	*sections = (struct frame_sections){ .file = file,
					     .source = source,
					     .data = data,
					     .size = section_data_size(data),
					     .address = section->address };
	sections->bytes = section_data_bytes(data, 0, sections->size);
	for (int i = 0; i < KNOWN_CIES; i++)
		sections->known[i].offset = UINT64_MAX;
	*ret_sections = sections;
	return 0;
}

void frame_sections_free(struct frame_sections *sections)
{
	if (!sections)
		return;
	section_data_free(sections->data);
	free(sections);
}
