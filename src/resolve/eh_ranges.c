/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/eh_ranges.h"

#include <errno.h>
#include <string.h>

#include "base/vec.h"
#include "base/xalloc.h"

/* Pointer encodings: the low nibble is the format, the next three bits what it is relative to. */
enum {
	PE_ABSPTR = 0x00,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_PCREL = 0x10,
	PE_RELATIVE = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};

/* Addresses are kept as distances from the lowest section of code. */
struct range {
	uint32_t start, size;
};

struct eh_ranges {
	uint64_t base;
	VEC(struct range) list; /* by start */
};

/* The section being read, and the encoding of the CIE read last: FDEs mostly share one. */
struct frames {
	const struct elf_file *file;
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
	uint64_t cie;	  /* offset of the CIE known, UINT64_MAX: none */
	uint8_t encoding; /* of its FDEs' pointers; PE_OMIT: not understood */
	struct eh_ranges *ranges;
};

static uint64_t read_format(const struct frames *frames, struct reader *reader, uint8_t encoding)
{
	switch (encoding & PE_FORMAT) {
	case PE_ABSPTR:
		return elf_file_word(frames->file, reader);
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

static uint64_t read_pointer(const struct frames *frames, struct reader *reader, uint8_t encoding)
{
	uint64_t here = frames->address + (uint64_t)(reader->at - frames->bytes);
	uint64_t value = read_format(frames, reader, encoding);

	if ((encoding & PE_RELATIVE) == PE_PCREL)
		value += here;
	else if (encoding & (PE_RELATIVE | PE_INDIRECT))
		reader->bad = true;
	return elf_file_is_64(frames->file) ? value : (uint32_t)value;
}

/* What follows the augmentation string, up to the letter that tells the encoding. */
static uint8_t augmented_encoding(const struct frames *frames, struct reader *reader,
				  const char *letters)
{
	uint8_t encoding;

	for (; *letters && !reader->bad; letters++) {
		switch (*letters) {
		case 'R':
			encoding = reader_u8(reader);
			return reader->bad ? PE_OMIT : encoding;
		case 'P':
			encoding = reader_u8(reader);
			read_format(frames, reader, encoding);
			break;
		case 'L':
			reader_u8(reader);
			break;
		case 'S':
		case 'B':
			break;
		default:
			return PE_OMIT;
		}
	}
	return PE_ABSPTR;
}

/* @reader stands behind the CIE's id. */
static uint8_t cie_encoding(const struct frames *frames, struct reader reader)
{
	uint8_t version = reader_u8(&reader);
	const char *augmentation = reader_cstr(&reader);

	if (version != 1 && version != 3)
		return PE_OMIT;
	if (!*augmentation)
		return PE_ABSPTR;
	if (*augmentation != 'z')
		return PE_OMIT;
	reader_uleb(&reader); /* code alignment */
	reader_sleb(&reader); /* data alignment */
	if (version == 1)
		reader_u8(&reader); /* return address register */
	else
		reader_uleb(&reader);
	reader_uleb(&reader); /* size of the augmentation data */
	return reader.bad ? PE_OMIT : augmented_encoding(frames, &reader, augmentation + 1);
}

/* The next entry's length; its end is as far as *reader goes then. False at the end. */
static bool next_entry(struct reader *all, struct reader *ret_entry)
{
	uint64_t length = reader_u32(all);

	if (length == UINT32_MAX)
		length = reader_u64(all);
	if (all->bad || length == 0 || length > reader_left(all))
		return false;
	*ret_entry = reader_sub(all, length);
	return true;
}

static uint8_t encoding_at(struct frames *frames, uint64_t offset)
{
	struct reader all, entry;

	if (offset == frames->cie)
		return frames->encoding;
	frames->cie = offset;
	frames->encoding = PE_OMIT;
	all = elf_file_reader(frames->file, frames->bytes, frames->size);
	if (offset < frames->size && reader_bytes(&all, offset) && next_entry(&all, &entry) &&
	    reader_u32(&entry) == 0)
		frames->encoding = cie_encoding(frames, entry);
	return frames->encoding;
}

static void add_range(struct eh_ranges *ranges, uint64_t start, uint64_t size)
{
	uint64_t distance = start - ranges->base;

	if (start < ranges->base || distance > UINT32_MAX || size == 0 || size > UINT32_MAX)
		return;
	*vec_push(&ranges->list) =
		(struct range){ .start = (uint32_t)distance, .size = (uint32_t)size };
}

static void read_fde(struct frames *frames, struct reader *entry, uint64_t cie)
{
	uint8_t encoding = encoding_at(frames, cie);
	uint64_t start, size;

	if (encoding == PE_OMIT)
		return;
	start = read_pointer(frames, entry, encoding);
	size = read_format(frames, entry, encoding);
	if (!elf_file_is_64(frames->file))
		size = (uint32_t)size;
	if (!entry->bad)
		add_range(frames->ranges, start, size);
}

static void read_entries(struct frames *frames)
{
	struct reader all = elf_file_reader(frames->file, frames->bytes, frames->size);
	struct reader entry;

	while (next_entry(&all, &entry)) {
		uint64_t at = (uint64_t)(entry.at - frames->bytes);
		uint32_t id = reader_u32(&entry);

		/* an FDE's id is the distance back to its CIE; a CIE's is 0 */
		if (id != 0 && id <= at)
			read_fde(frames, &entry, at - id);
	}
}

static int by_start(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Linkers mostly write them in order. */
static void sort(struct eh_ranges *ranges)
{
	for (size_t i = 1; i < ranges->list.count; i++) {
		if (ranges->list.items[i].start < ranges->list.items[i - 1].start) {
			qsort(ranges->list.items, ranges->list.count, sizeof(struct range),
			      by_start);
			return;
		}
	}
}

int eh_ranges_read(const struct elf_file *file, struct eh_ranges **ret_ranges, struct err *err)
{
	const struct elf_section *section = elf_file_find(file, ".eh_frame");
	struct frames frames = { .file = file, .cie = UINT64_MAX };
	_cleanup_free_ uint8_t *bytes = NULL;
	int rc;

	if (!section || !elf_file_code(file, 0))
		return err_set(err, -ENODATA, "there is no .eh_frame section, or no code");
	rc = elf_file_read(file, section, &bytes, err);
	if (rc < 0)
		return rc;
	frames.bytes = bytes;
	frames.size = section->size;
	frames.address = section->address;
	frames.ranges = xcalloc(1, sizeof(*frames.ranges));
	frames.ranges->base = elf_file_code(file, 0)->address;
	read_entries(&frames);
	sort(frames.ranges);
	*ret_ranges = frames.ranges;
	return 0;
}

void eh_ranges_free(struct eh_ranges *ranges)
{
	if (!ranges)
		return;
	vec_free(&ranges->list);
	free(ranges);
}

size_t eh_ranges_count(const struct eh_ranges *ranges)
{
	return ranges->list.count;
}

size_t eh_ranges_bytes(const struct eh_ranges *ranges)
{
	return sizeof(*ranges) + ranges->list.capacity * sizeof(struct range);
}

/* How many ranges begin at or before the distance. */
static size_t begun(const struct eh_ranges *ranges, uint64_t distance)
{
	size_t low = 0, high = ranges->list.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->list.items[middle].start <= distance)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool eh_ranges_narrow(const struct eh_ranges *ranges, uint64_t address, uint64_t *start,
		      uint64_t *end)
{
	size_t after = begun(ranges, address - ranges->base);
	bool covered = false;
	uint64_t edge;

	if (address < ranges->base)
		return false;
	if (after > 0) {
		const struct range *range = &ranges->list.items[after - 1];

		edge = ranges->base + range->start;
		covered = address - edge < range->size;
		if (!covered)
			edge += range->size;
		else if (edge + range->size < *end)
			*end = edge + range->size;
		*start = edge > *start ? edge : *start;
	}
	if (after < ranges->list.count) {
		edge = ranges->base + ranges->list.items[after].start;
		*end = edge < *end ? edge : *end;
	}
	return covered;
}
