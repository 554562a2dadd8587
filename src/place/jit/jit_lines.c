/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/jit_lines.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

enum {
	PROOFS = 8,	     /* this many settle it */
	LEAST_AS_HEADER = 3, /* records needed if there is no proof */
	ALIGNMENT = 8,	     /* of records */
};

/* A line as recorded, before it is in the list. */
struct told {
	struct jit_line line;
	uint32_t order; /* of several at one address the last counts */
};

struct reading {
	uint64_t start;	    /* of the piece */
	uint64_t low, high; /* lowest and highest offset */
	uint64_t shift;	    /* added to all offsets */
	bool broken;	    /* the bytes are not lines */
	bool wanted;	    /* the lines, not just their bounds */
	VEC(struct told) told;
};

uint64_t jit_lines_header_size(const struct jitdump_header *header)
{
	return header->machine == EM_386 || header->machine == EM_ARM ? sizeof(Elf32_Ehdr)
								      : sizeof(Elf64_Ehdr);
}

bool jit_lines_is_padding(const void *bytes, size_t size)
{
	static const char zeroes[ALIGNMENT];

	return size < ALIGNMENT && (!size || memcmp(bytes, zeroes, size) == 0);
}

static bool is_file_name(const char *text)
{
	size_t length = 0;

	for (; text[length]; length++) {
		if (length == JIT_LINES_MAX_FILE || (unsigned char)text[length] < ' ' ||
		    text[length] == 0x7f)
			return false;
	}
	return true;
}

static void take(void *context, const struct jitdump_line *line)
{
	struct reading *reading = context;
	uint64_t offset = line->address - reading->start;

	reading->low = offset < reading->low ? offset : reading->low;
	reading->high = offset > reading->high ? offset : reading->high;
	reading->broken |= !is_file_name(line->file);
	if (reading->wanted)
		*vec_push(&reading->told) = (struct told){
			.line = { .start = (uint32_t)(offset - reading->shift),
				  .line = line->line,
				  .file = line->file },
			.order = (uint32_t)reading->told.count,
		};
}

static void read_all(const struct jitdump_header *header, const struct jitdump_record *record,
		     struct reading *reading)
{
	const char *end = (const char *)record->lines + record->lines_size;
	ssize_t left;

	reading->start = record->start;
	reading->low = UINT64_MAX;
	left = jitdump_lines(header, record, take, reading);
	reading->broken |= left < 0 || !jit_lines_is_padding(end - left, (size_t)left);
}

static bool fits(const struct reading *reading, uint64_t shift, uint64_t code_size)
{
	return !reading->broken && reading->low >= shift && reading->high - shift <= code_size;
}

void jit_lines_weigh(const struct jitdump_header *header, const struct jitdump_record *record,
		     uint64_t code_size, struct jit_lines_evidence *evidence)
{
	struct reading reading = { 0 };
	bool from_code, from_header;

	if (!record->line_count)
		return;
	read_all(header, record, &reading);
	from_code = fits(&reading, 0, code_size);
	from_header = fits(&reading, jit_lines_header_size(header), code_size);
	if (from_code && !from_header)
		evidence->from_code++;
	else if (from_header && !from_code)
		evidence->from_header++;
	else if (from_code && reading.low == jit_lines_header_size(header))
		evidence->as_header++;
}

bool jit_lines_settled(const struct jit_lines_evidence *evidence)
{
	return evidence->from_code + evidence->from_header >= PROOFS;
}

enum jit_lines_origin jit_lines_origin(const struct jit_lines_evidence *evidence)
{
	if (evidence->from_code && evidence->from_header)
		return JIT_LINES_UNKNOWN;
	if (evidence->from_code)
		return JIT_LINES_FROM_CODE;
	if (evidence->from_header || evidence->as_header >= LEAST_AS_HEADER)
		return JIT_LINES_FROM_HEADER;
	return JIT_LINES_UNKNOWN;
}

static int by_start(const void *left, const void *right)
{
	const struct told *a = left, *b = right;

	if (a->line.start != b->line.start)
		return a->line.start < b->line.start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool is_same_line(const struct jit_line *a, const struct jit_line *b)
{
	return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Each line ends where the next one begins, and the last one at the end of the code. */
static void lay_out(const struct reading *reading, uint32_t code_size, jit_line_list *list)
{
	size_t first = list->count;

	for (size_t i = 0; i < reading->told.count; i++) {
		struct jit_line line = reading->told.items[i].line;
		bool last = i + 1 == reading->told.count;
		uint32_t end = last ? code_size : reading->told.items[i + 1].line.start;

		line.size = end - line.start;
		if (!line.size)
			continue;
		if (list->count > first && is_same_line(&list->items[list->count - 1], &line))
			list->items[list->count - 1].size += line.size;
		else
			*vec_push(list) = line;
	}
}

bool jit_lines_read(const struct jitdump_header *header, const struct jitdump_record *record,
		    uint64_t code_size, enum jit_lines_origin origin, jit_line_list *list)
{
	struct reading reading = { .wanted = true };
	bool good;

	if (origin == JIT_LINES_UNKNOWN || code_size > UINT32_MAX)
		return false;
	if (origin == JIT_LINES_FROM_HEADER)
		reading.shift = jit_lines_header_size(header);
	read_all(header, record, &reading);
	good = fits(&reading, reading.shift, code_size);
	if (good && reading.told.count) {
		qsort(reading.told.items, reading.told.count, sizeof(*reading.told.items),
		      by_start);
		lay_out(&reading, (uint32_t)code_size, list);
	}
	vec_free(&reading.told);
	return good;
}

const struct jit_line *jit_lines_find(const jit_line_list *list, uint64_t offset)
{
	size_t before = search_before(list->items, list->count, line, line->start <= offset);
	const struct jit_line *found = before ? &list->items[before - 1] : NULL;

	return found && offset - found->start < found->size ? found : NULL;
}
