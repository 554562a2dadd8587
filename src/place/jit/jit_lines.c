/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/jit_lines.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/compare.h"
#include "base/search.h"
#include "base/text.h"

enum {
	PROOFS = 8,	     /* this many settle it */
	LEAST_AS_HEADER = 3, /* records needed if there is no proof */
	ALIGNMENT = 8,	     /* of records */
};

/* A line as recorded, before it is in the list. */
struct recorded {
	struct jit_line line;
	uint32_t order; /* of several at one address the last counts */
};

struct reading {
	uint64_t start;	    /* of the piece */
	uint64_t low, high; /* lowest and highest offset */
	uint64_t shift;	    /* added to all offsets */
	bool broken;	    /* the bytes are not lines */
	bool wanted;	    /* the lines, not just their bounds */
	VEC(struct recorded) lines;
};

/* The size of an ELF header for the code's machine. */
static uint64_t header_size(const struct jitdump_header *header)
{
	return header->machine == EM_386 || header->machine == EM_ARM ? sizeof(Elf32_Ehdr)
								      : sizeof(Elf64_Ehdr);
}

/* True if these bytes may follow the last line. Records are padded with zeroes to eight bytes, if
 * at all (v8:src/diagnostics/perf-jit.cc, linux:tools/perf/jvmti/jvmti_agent.c). */
static bool is_padding(const void *bytes, size_t size)
{
	static const char zeroes[ALIGNMENT];

	return size < ALIGNMENT && (!size || memcmp(bytes, zeroes, size) == 0);
}

static bool is_file_name(const char *text)
{
	size_t length = 0;

	for (; text[length]; length++) {
		if (length == JIT_LINES_MAX_FILE || text_is_control((unsigned char)text[length]))
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
		*vec_push(&reading->lines) = (struct recorded){
			.line = { .start = (uint32_t)(offset - reading->shift),
				  .line = line->line,
				  .file = line->file },
			.order = (uint32_t)reading->lines.count,
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
	reading->broken |= left < 0 || !is_padding(end - left, (size_t)left);
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
	from_header = fits(&reading, header_size(header), code_size);
	if (from_code && !from_header)
		evidence->from_code++;
	else if (from_header && !from_code)
		evidence->from_header++;
	else if (from_code && reading.low == header_size(header))
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

DEFINE_ORDER(by_start, struct recorded,
	     COMPARE(a->line.start, b->line.start) ?: COMPARE(a->order, b->order))

static bool is_same_line(const struct jit_line *a, const struct jit_line *b)
{
	return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Each line ends where the next one begins, and the last one at the end of the code. */
static void lay_out(const struct reading *reading, uint32_t code_size, jit_line_list *list)
{
	size_t first = list->count;

	for (size_t i = 0; i < reading->lines.count; i++) {
		struct jit_line line = reading->lines.items[i].line;
		bool last = i + 1 == reading->lines.count;
		uint32_t end = last ? code_size : reading->lines.items[i + 1].line.start;

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
		reading.shift = header_size(header);
	read_all(header, record, &reading);
	good = fits(&reading, reading.shift, code_size);
	if (good && reading.lines.count) {
		qsort(reading.lines.items, reading.lines.count, sizeof(*reading.lines.items),
		      by_start);
		lay_out(&reading, (uint32_t)code_size, list);
	}
	vec_free(&reading.lines);
	return good;
}

const struct jit_line *jit_lines_find(const jit_line_list *list, uint64_t offset)
{
	size_t before = search_before(list->items, list->count, line, line->start <= offset);
	const struct jit_line *found = before ? &list->items[before - 1] : NULL;

	return found && offset - found->start < found->size ? found : NULL;
}

/* --- records of Node 20 --- */

enum {
	LINE_BYTES = 16, /* of a line, before the name of its file */
	LINE_AT = 8,	 /* line number */
	LOST_BYTES = 16, /* overwritten by the allocator in freed memory */
};

struct repair {
	const char *name;   /* of the piece */
	size_t path_end;    /* end of the path in it */
	uint64_t low, high; /* of addresses */
	char *lines;
	size_t size;
};

/* True if a line can begin there. */
static bool is_line(const struct repair *repair, size_t at)
{
	uint64_t address;

	if (repair->size < LINE_BYTES || at > repair->size - LINE_BYTES)
		return false;
	memcpy(&address, repair->lines + at, sizeof(address));
	return address >= repair->low && address <= repair->high;
}

/* The start of the line after the one whose name is at @name_at. */
static size_t next_line(const struct repair *repair, size_t name_at)
{
	size_t at = name_at + 1;

	while (at < repair->size && (repair->lines[at - 1] != '\0' || !is_line(repair, at)))
		at++;
	return at;
}

/* True if [@at, @end) is exactly a name of that length and its NUL. The last name may have padding
 * after it. */
static bool has_length(const struct repair *repair, size_t at, size_t end, bool last, size_t length)
{
	size_t taken = at + length + 1;

	return taken == end ||
	       (last && taken < end && is_padding(repair->lines + taken, end - taken));
}

/* Both the path and the text before it may contain blanks: the length says where the path
 * begins. */
static bool put_path(const struct repair *repair, size_t at, size_t end, bool last)
{
	char *file = repair->lines + at;

	for (size_t length = end - at - 1;
	     length > LOST_BYTES && has_length(repair, at, end, last, length); length--) {
		const char *path;

		if (length >= repair->path_end)
			continue;
		path = repair->name + repair->path_end - length;
		if (path[-1] != ' ' || file[length] ||
		    memcmp(file + LOST_BYTES, path + LOST_BYTES, length - LOST_BYTES) != 0)
			continue;
		memcpy(file, path, length);
		return true;
	}
	return false;
}

static bool is_sound(const struct repair *repair, size_t at, size_t end, bool last)
{
	const char *file = repair->lines + at;
	size_t length = strnlen(file, end - at);

	for (size_t i = 0; i < length; i++) {
		if (text_is_control((unsigned char)file[i]))
			return false;
	}
	return length < end - at && has_length(repair, at, end, last, length);
}

/* The name is lost: fills it with '?' and sets the line number to 0. */
static void give_up(const struct repair *repair, size_t at, size_t end)
{
	memset(repair->lines + at - LINE_BYTES + LINE_AT, 0, sizeof(uint32_t));
	memset(repair->lines + at, '?', end - at - 1);
	repair->lines[end - 1] = '\0';
}

/* The start of ":LINE:COLUMN" at the end of a name; 0: there is none. */
static size_t end_of_path(const char *name)
{
	static const char digits[] = "0123456789";
	size_t end = strlen(name);

	for (int i = 0; i < 2; i++) {
		size_t at = end;

		while (at > 0 && strchr(digits, name[at - 1]))
			at--;
		if (at == 0 || at == end || name[at - 1] != ':')
			return 0;
		end = at - 1;
	}
	return end;
}

bool jit_lines_repair(const struct jitdump_header *header, const struct jitdump_record *record,
		      const char *name, uint64_t code_size, char *lines)
{
	struct repair repair = { .name = name,
				 .path_end = end_of_path(name),
				 .low = record->start + header_size(header),
				 .size = record->lines_size };
	size_t at = 0;

	repair.lines = lines;
	repair.high = repair.low + code_size;
	if (header->swapped || !repair.path_end)
		return false;
	for (uint64_t i = 0; i < record->line_count; i++) {
		bool last = i + 1 == record->line_count;
		size_t name_at = at + LINE_BYTES;

		if (!is_line(&repair, at) || name_at >= repair.size)
			return false;
		at = last ? repair.size : next_line(&repair, name_at);
		if (!is_sound(&repair, name_at, at, last) && !put_path(&repair, name_at, at, last))
			give_up(&repair, name_at, at);
	}
	return true;
}

/* --- names of files --- */

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* The decoded byte; 0: not a valid code, or a zero byte, which no path can have. */
static char encoded(const char *text)
{
	if (text[0] != '%' || !isxdigit((unsigned char)text[1]) ||
	    !isxdigit((unsigned char)text[2]))
		return '\0';
	return (char)(digit(text[1]) << 4 | digit(text[2]));
}

str_id jit_lines_file(struct strpool *strings, const char *file)
{
	static const char scheme[] = "file://";
	const char *path = file + sizeof(scheme) - 1;
	_cleanup_(buf_done) struct buf decoded = { 0 };

	if (strncmp(file, scheme, sizeof(scheme) - 1) != 0 || *path != '/')
		return strpool_intern(strings, file);
	while (*path) {
		char byte = encoded(path);

		buf_add_char(&decoded, byte ? byte : *path);
		path += byte ? 3 : 1;
	}
	return strpool_intern(strings, buf_text(&decoded));
}
