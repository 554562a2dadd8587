/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/self/maps, as records of the kernel's: the format is that of proc_pid_maps(5). */
#include "preload/preload.h"

#include <fcntl.h>
#include <sys/mman.h>

enum {
	NS_PER_MS = 1000000,
	AGAIN_MS = 10,
	SHARE = 100, /* reading them again takes at most this part of the time */
	MOST_PATH = 4096,
};

struct map_line {
	uint64_t start, end, offset, major, minor, inode;
	bool executable;
	const char *path;
	size_t path_size;
};

static uint64_t read_number(const char **at, const char *end, unsigned base)
{
	uint64_t value = 0;

	for (; *at < end; ++*at) {
		char c = **at;
		unsigned digit = c >= '0' && c <= '9'	? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
							: 16;

		if (digit >= base)
			break;
		value = value * base + digit;
	}
	return value;
}

static void skip(const char **at, const char *end, size_t count)
{
	*at = (size_t)(end - *at) < count ? end : *at + count;
}

static void read_line(const char *at, const char *end, struct map_line *line)
{
	enum { PERMISSIONS = 4 };

	line->start = read_number(&at, end, 16);
	skip(&at, end, 1);
	line->end = read_number(&at, end, 16);
	skip(&at, end, 1);
	line->executable = end - at > PERMISSIONS && at[2] == 'x';
	skip(&at, end, PERMISSIONS + 1);
	line->offset = read_number(&at, end, 16);
	skip(&at, end, 1);
	line->major = read_number(&at, end, 16);
	skip(&at, end, 1);
	line->minor = read_number(&at, end, 16);
	skip(&at, end, 1);
	line->inode = read_number(&at, end, 10);
	while (at < end && *at == ' ')
		at++;
	line->path = at;
	line->path_size = (size_t)(end - at);
	if (line->path_size == 0) {
		line->path = "//anon";
		line->path_size = 6;
	}
}

static uint64_t hash_line(const struct map_line *line)
{
	uint64_t hash = line->start ^ line->offset << 1 ^ line->inode << 20;

	for (size_t i = 0; i < line->path_size; i++)
		hash = (hash ^ (uint8_t)line->path[i]) * 0x100000001b3ULL;
	return hash ^ line->end;
}

/* A known range that has some of the line's addresses. NULL: none. */
static const struct preload_range *find_range(const struct preload_state *state,
					      const struct map_line *line)
{
	const struct preload_range *ranges = state->ranges[state->table];

	for (uint32_t i = 0; i < state->range_count[state->table]; i++) {
		if (ranges[i].start < line->end && line->start < ranges[i].end)
			return &ranges[i];
	}
	return NULL;
}

static void put_map(struct preload_state *state, const struct map_line *line, uint64_t time_ns)
{
	size_t path_size = line->path_size < MOST_PATH ? line->path_size : MOST_PATH - 1;
	size_t path_room = (path_size + 8) / 8 * 8; /* with at least one NUL */
	size_t size = sizeof(struct preload_map) + path_room + sizeof(struct preload_trailer);
	struct preload_slot *slot;
	struct preload_map *record = preload_begin(state, size, &slot);

	if (!record) {
		preload_lose_record();
		return;
	}
	*record = (struct preload_map){
		.header = { .type = PERF_RECORD_MMAP2,
			    .misc = PERF_RECORD_MISC_USER,
			    .size = (uint16_t)size },
		.pid = state->pid,
		.tid = state->pid,
		.start = line->start,
		.size = line->end - line->start,
		.offset = line->offset,
		.major = (uint32_t)line->major,
		.minor = (uint32_t)line->minor,
		.inode = line->inode,
		.protection = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};
	*(uint64_t *)&record->path[path_room - 8] = 0;
	raw_copy(record->path, line->path, path_size);
	preload_trail((struct preload_trailer *)&record->path[path_room], state->pid, time_ns);
	preload_end(slot, size);
}

/* The times that new mappings get. */
struct map_times {
	uint64_t since_ns; /* of those in free room: they may have been there since then */
	uint64_t
		replaced_ns; /* of those where another one was: they were not before that was unloaded */
};

static void report_line(struct preload_state *state, const struct map_line *line, uint64_t hash,
			const struct map_times *times)
{
	const struct preload_range *known = find_range(state, line);

	if (!known)
		put_map(state, line, times->since_ns);
	else if (known->start != line->start || known->hash != hash)
		put_map(state, line, times->replaced_ns);
}

static void take_line(struct preload_state *state, const char *at, const char *end,
		      const struct map_times *times)
{
	static const char stack_name[] = "[stack]";
	uint32_t new_table = !state->table;
	struct map_line line;
	uint64_t hash;

	read_line(at, end, &line);
	if (line.path_size == sizeof(stack_name) - 1 &&
	    raw_equal(line.path, stack_name, line.path_size))
		state->main_stack_end = line.end;
	if (!line.executable)
		return;
	hash = hash_line(&line);
	report_line(state, &line, hash, times);
	if (state->range_count[new_table] < PRELOAD_RANGES)
		state->ranges[new_table][state->range_count[new_table]++] =
			(struct preload_range){ line.start, line.end, hash };
}

/* Takes all whole lines of @text. Returns the bytes of the rest, which it moves to the beginning. */
static size_t take_lines(struct preload_state *state, size_t size, const struct map_times *times)
{
	char *text = state->text;
	size_t begin = 0, rest;

	for (size_t i = 0; i < size; i++) {
		if (text[i] != '\n')
			continue;
		take_line(state, text + begin, text + i, times);
		begin = i + 1;
	}
	rest = size - begin;
	if (rest == PRELOAD_TEXT)
		return 0; /* no such line */
	raw_copy(text, text + begin, rest);
	return rest;
}

static void read_all(struct preload_state *state, const struct map_times *times)
{
	long fd = RAW(openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), got;
	size_t rest = 0;

	state->range_count[!state->table] = 0;
	if (fd < 0)
		return;
	while ((got = RAW(read, fd, state->text + rest, PRELOAD_TEXT - rest)) > 0)
		rest = take_lines(state, rest + (size_t)got, times);
	RAW(close, fd);
	state->table = !state->table;
}

void preload_read_maps(struct preload_state *state, uint64_t now_ns)
{
	struct map_times times;
	uint64_t began;

	if (__atomic_exchange_n(&state->mapping, 1, __ATOMIC_ACQUIRE))
		return;
	began = preload_now();
	times.replaced_ns = __atomic_exchange_n(&state->unloaded_ns, 0, __ATOMIC_ACQ_REL);
	if (times.replaced_ns <= state->mapped_ns)
		times.replaced_ns = now_ns;
	times.since_ns = state->mapped_ns ? state->mapped_ns + 1 : now_ns;
	read_all(state, &times);
	state->mapped_ns = began;
	state->map_took_ns = preload_now() - began;
	state->unmapped_samples = false;
	__atomic_store_n(&state->mapping, 0, __ATOMIC_RELEASE);
}

static bool has_code(const struct preload_state *state, uint64_t pc)
{
	const struct preload_range *ranges = state->ranges[state->table];

	for (uint32_t i = 0; i < state->range_count[state->table]; i++) {
		if (pc >= ranges[i].start && pc < ranges[i].end)
			return true;
	}
	return false;
}

void preload_follow_maps(struct preload_state *state, uint64_t now_ns, uint64_t pc)
{
	uint64_t passed_ns = now_ns - state->mapped_ns;
	bool is_unknown = !has_code(state, pc) && passed_ns > (uint64_t)AGAIN_MS * NS_PER_MS &&
			  passed_ns > state->map_took_ns * SHARE;

	state->unmapped_samples = true;
	if (is_unknown || __atomic_load_n(&state->unloaded_ns, __ATOMIC_RELAXED))
		preload_read_maps(state, now_ns);
}

/* ---- dlclose(3) ---- */

/* It may lie in stacks of samples, and have been loaded since the last look. Another library may take its place,
 * where the code then seems known. */
PRELOAD_EXPORT int dlclose(void *library);
PRELOAD_EXPORT int dlclose(void *library)
{
	int (*next)(void *) = PRELOAD_NEXT(dlclose);
	struct preload_state *state = preload_own();
	int rc;

	if (state && state->unmapped_samples)
		preload_read_maps(state, preload_now());
	rc = next(library);
	if (state)
		__atomic_store_n(&state->unloaded_ns, preload_now(), __ATOMIC_RELEASE);
	return rc;
}
