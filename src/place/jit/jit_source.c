/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/jit_source.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/xalloc.h"
#include "place/jit/perf_map.h"

enum {
	CHUNK_BYTES = 256 * 1024,
	MAX_CODE_BYTES = 1 << 20, /* of one piece, at most */
};

void jit_source_init(struct jit_source *source, uint64_t origin, bool apart)
{
	*source = (struct jit_source){ .file = { .fd = -1 }, .origin = origin, .apart = apart };
}

void jit_source_done(struct jit_source *source)
{
	jit_file_close(&source->file);
	code_map_free(source->map);
	source->map = NULL;
}

static void announce(struct jit_source *source, const struct code_piece *piece, const char *name,
		     size_t name_length)
{
	static const char nameless[] = "[no name]";

	if (!source->map)
		source->map = code_map_new(source->origin, source->apart);
	if (!name_length)
		code_map_add(source->map, piece, nameless, sizeof(nameless) - 1);
	else
		code_map_add(source->map, piece, name, name_length);
	source->changes++;
}

static bool has_news(struct jit_source *source)
{
	return source->file.fd >= 0 && !source->broken && jit_file_look(&source->file);
}

/* ---- perf maps ---- */

struct map_reading {
	struct jit_source *source;
	uint64_t since_ns;
};

static void take_line(void *context, const struct perf_map_line *line)
{
	struct map_reading *reading = context;
	struct code_piece piece = { .start = line->start,
				    .size = line->size,
				    .since_ns = reading->since_ns };

	announce(reading->source, &piece, line->name, line->name_length);
}

/* New lines were written between the last look and now, the last of them at the file's last write.
 * (A piece that is the only one at its address is found whatever its time.) */
static uint64_t time_of_lines(const struct jit_source *source, uint64_t now_ns)
{
	uint64_t real_ns = clock_read(CLOCK_REALTIME), mono_ns = clock_ns();
	uint64_t age_ns = 0;

	/* Ages come from clocks that are read together: on a busy machine @now_ns is long ago. 0
	 * means that the lines hold for all times. */
	if (now_ns && now_ns < mono_ns)
		now_ns = mono_ns;
	if (source->file.mtime_ns > 0 && (uint64_t)source->file.mtime_ns < real_ns)
		age_ns = real_ns - (uint64_t)source->file.mtime_ns;
	return age_ns < now_ns - source->looked_ns ? now_ns - age_ns : source->looked_ns;
}

/* Reads one chunk; returns the number of bytes used. */
static size_t read_lines(struct map_reading *reading, char *chunk, bool whole)
{
	struct jit_file *file = &reading->source->file;
	size_t got = jit_file_read(file, file->done, chunk, CHUNK_BYTES);
	size_t used = perf_map_parse(chunk, got, whole && got < CHUNK_BYTES, take_line, reading);

	if (used == 0 && got == CHUNK_BYTES)
		used = got; /* too long for a line */
	jit_file_advance(file, chunk, used);
	return used;
}

void jit_source_follow_map(struct jit_source *source, uint64_t now_ns, bool whole)
{
	struct map_reading reading = { .source = source };
	_cleanup_free_ char *chunk = NULL;

	if (source->file.fd < 0 || (!has_news(source) && !whole))
		return;
	reading.since_ns = time_of_lines(source, now_ns);
	chunk = xmalloc(CHUNK_BYTES);
	while (read_lines(&reading, chunk, whole) > 0)
		;
	source->looked_ns = now_ns;
}

/* ---- the clock of some jitdumps ---- */

static uint64_t counter(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

struct jit_clock jit_source_clock(void)
{
	uint64_t ns = clock_ns();

	return (struct jit_clock){ .ticks = counter(), .ns = ns };
}

/* The time of @ticks, computed from how far both clocks advanced since @first (at least a few
 * milliseconds ago: the error is about a millionth of the distance for each). 0: this processor's
 * counter is not supported. */
static uint64_t clock_time(const struct jit_clock *first, uint64_t ticks)
{
	struct jit_clock now = jit_source_clock();
	double rate, ns;

	if (now.ticks <= first->ticks || now.ns <= first->ns)
		return 0;
	rate = (double)(now.ns - first->ns) / (double)(now.ticks - first->ticks);
	ns = (double)first->ns + ((double)ticks - (double)first->ticks) * rate;
	return ns > 0 ? (uint64_t)ns : 0;
}

/* ---- jitdumps ---- */

struct dump_reading {
	struct jit_source *source;
	const struct jit_clock *clock;
	uint64_t now_ns;
	char *chunk;
	uint64_t chunk_at; /* its offset in the file */
	size_t chunk_size;
};

/* A time in the future comes from another clock: uses now instead. */
static uint64_t time_of_record(const struct dump_reading *reading, uint64_t time)
{
	uint64_t ns = reading->source->header.processor_clock
			      ? clock_time(reading->clock, time)
			      : time - (uint64_t)reading->source->shift_ns;

	return ns && ns <= reading->now_ns ? ns : reading->now_ns;
}

/* Reads the line record at a file offset into *ret_bytes, owned by the caller. */
static bool read_line_record(const struct jit_source *source, uint64_t at, char **ret_bytes,
			     struct jitdump_record *ret_record)
{
	uint64_t left = source->file.size > at ? source->file.size - at : 0;
	char prefix[JITDUMP_PREFIX_BYTES];
	_cleanup_free_ char *bytes = NULL;
	struct jitdump_record record;

	if (jit_file_read(&source->file, at, prefix, sizeof(prefix)) < sizeof(prefix) ||
	    jitdump_record(&source->header, prefix, sizeof(prefix), left, &record) < 0 ||
	    record.size > JIT_LINES_MAX_RECORD)
		return false;
	bytes = xmalloc(record.size);
	if (jit_file_read(&source->file, at, bytes, record.size) < record.size ||
	    jitdump_record(&source->header, bytes, record.size, left, ret_record) < 0)
		return false;
	*ret_bytes = steal_ptr(bytes);
	return ret_record->kind == JITDUMP_LINES;
}

static void weigh_lines(struct jit_source *source, const struct code_piece *piece)
{
	_cleanup_free_ char *bytes = NULL;
	struct jitdump_record record;

	if (!jit_lines_settled(&source->lines_evidence) &&
	    read_line_record(source, piece->lines_at, &bytes, &record))
		jit_lines_weigh(&source->header, &record, piece->size, &source->lines_evidence);
}

static void take_lines(struct dump_reading *reading, const struct jitdump_record *record)
{
	reading->source->lines_at = reading->source->file.done;
	reading->source->lines_start = record->start;
}

static void take_load(struct dump_reading *reading, const struct jitdump_record *record)
{
	struct jit_source *source = reading->source;
	uint64_t at = source->file.done;
	struct code_piece piece = { .start = record->start,
				    .size = record->code_size,
				    .since_ns = time_of_record(reading, record->time),
				    .bytes_at = record->code_at ? at + record->code_at : 0 };

	if (source->lines_at && source->lines_start == piece.start) {
		piece.lines_at = source->lines_at;
		weigh_lines(source, &piece);
	}
	source->lines_at = 0;
	announce(reading->source, &piece, record->name, record->name_length);
}

/* The same code under the same name moved to another address. */
static void take_move(struct dump_reading *reading, const struct jitdump_record *record)
{
	struct code_map *map = reading->source->map;
	const struct code_piece *old = map ? code_map_newest(map, record->old_start) : NULL;
	_cleanup_free_ char *name = NULL;
	struct code_piece piece;

	if (!old)
		return;
	name = xstrdup(code_map_name(map, old));
	piece = *old;
	piece.start = record->start;
	piece.size = record->code_size ? record->code_size : old->size;
	piece.since_ns = time_of_record(reading, record->time);
	if (piece.size > old->size)
		piece.bytes_at = piece.lines_at = 0;
	announce(reading->source, &piece, name, strlen(name));
}

/* Parses the next record of the file, in reading->chunk. */
static int next_record(struct dump_reading *reading, struct jitdump_record *record)
{
	const struct jit_file *file = &reading->source->file;
	uint64_t skipped = file->done - reading->chunk_at;

	if (file->done >= file->size)
		return -ENODATA;
	if (skipped + JITDUMP_HEAD_BYTES > reading->chunk_size) {
		reading->chunk_at = file->done;
		reading->chunk_size = jit_file_read(file, file->done, reading->chunk, CHUNK_BYTES);
		skipped = 0;
	}
	return jitdump_record(&reading->source->header, reading->chunk + skipped,
			      reading->chunk_size - skipped, file->size - file->done, record);
}

static void read_records(struct dump_reading *reading)
{
	struct jit_source *source = reading->source;
	struct jitdump_record record;
	int rc;

	while ((rc = next_record(reading, &record)) == 0 && record.kind != JITDUMP_CLOSE) {
		if (record.kind == JITDUMP_LOAD)
			take_load(reading, &record);
		else if (record.kind == JITDUMP_MOVE)
			take_move(reading, &record);
		else if (record.kind == JITDUMP_LINES)
			take_lines(reading, &record);
		jit_file_advance(&source->file, NULL, record.size);
	}
	source->broken = rc == -EBADMSG;
}

/* If the file was rewritten, its old content is no longer in it. */
static void begin_dump(struct jit_source *source)
{
	if (source->map)
		code_map_lose_file(source->map);
	source->lines_at = 0;
	source->lines_evidence = (struct jit_lines_evidence){ 0 };
	source->begun++;
}

static bool read_header(struct jit_source *source)
{
	char bytes[JITDUMP_HEADER_BYTES];
	size_t got = jit_file_read(&source->file, 0, bytes, sizeof(bytes));
	struct err err;
	int rc = jitdump_header(bytes, got, &source->header, &err);

	source->broken = rc == -EBADMSG;
	begin_dump(source);
	if (rc == 0)
		jit_file_advance(&source->file, NULL, source->header.size);
	return rc == 0;
}

void jit_source_follow_dump(struct jit_source *source, const struct jit_clock *clock,
			    uint64_t now_ns)
{
	struct dump_reading reading = { .source = source, .clock = clock, .now_ns = now_ns };
	_cleanup_free_ char *chunk = NULL;

	if (!has_news(source) || (source->file.done == 0 && !read_header(source)))
		return;
	reading.chunk = chunk = xmalloc(CHUNK_BYTES);
	read_records(&reading);
	jit_file_remember(&source->file);
	source->looked_ns = now_ns;
}

bool jit_source_code(const struct jit_source *source, const struct code_piece *piece,
		     struct buf *code)
{
	_cleanup_free_ char *bytes = NULL;

	if (source->file.fd < 0 || !piece->bytes_at || piece->size > MAX_CODE_BYTES)
		return false;
	bytes = xmalloc(piece->size);
	if (jit_file_read(&source->file, piece->bytes_at, bytes, piece->size) < piece->size)
		return false;
	buf_add(code, bytes, piece->size);
	return true;
}

bool jit_source_lines(const struct jit_source *source, const struct code_piece *piece,
		      char **ret_bytes, size_t *ret_size, jit_line_list *list)
{
	enum jit_lines_origin origin = jit_lines_origin(&source->lines_evidence);
	struct jitdump_record record;
	char *lines;

	*ret_size = 0;
	if (source->file.fd < 0 || !piece->lines_at || origin == JIT_LINES_UNKNOWN ||
	    !read_line_record(source, piece->lines_at, ret_bytes, &record))
		return false;
	*ret_size = record.size;
	if (jit_lines_read(&source->header, &record, piece->size, origin, list))
		return true;
	lines = *ret_bytes + ((const char *)record.lines - *ret_bytes);
	return origin == JIT_LINES_FROM_HEADER &&
	       jit_lines_repair(&source->header, &record, code_map_name(source->map, piece),
				piece->size, lines) &&
	       jit_lines_read(&source->header, &record, piece->size, origin, list);
}
