/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/columns.h"

#include <string.h>

#include "store/schema.h"

/* profile_new makes row 0 of each dictionary; reading replaces it. */
#define DEFINE_LIST(word, list)                                                    \
	static size_t word##_count(const struct profile *profile)                  \
	{                                                                          \
		return profile->list.count;                                        \
	}                                                                          \
	static void *word##_row(struct profile *profile, size_t id)                \
	{                                                                          \
		return &profile->list.items[id];                                   \
	}                                                                          \
	static void word##_append(struct profile *profile)                         \
	{                                                                          \
		memset(vec_push(&profile->list), 0, sizeof(*profile->list.items)); \
	}

DEFINE_LIST(image, images)
DEFINE_LIST(process, processes)
DEFINE_LIST(task, tasks)
DEFINE_LIST(symbol, symbols)
DEFINE_LIST(frame, frames)
DEFINE_LIST(stack_node, stacks)
DEFINE_LIST(kept_code, codes)
DEFINE_LIST(source_line, lines)
DEFINE_LIST(mark, marks)
DEFINE_LIST(cpu_time, cpu_times)

static size_t event_count(const struct profile *profile)
{
	return profile->event_count;
}

static void *event_row(struct profile *profile, size_t id)
{
	return &profile->events[id];
}

static void event_append(struct profile *profile)
{
	profile->events[profile->event_count++] = (struct event){ 0 };
}

#define COLUMN(row, field, kind, ...)                               \
	{                                                           \
#field, COLUMN_##kind, offsetof(struct row, field), \
		{                                                   \
			__VA_ARGS__                                 \
		}                                                   \
	}
#define WORDS(list)   .words = WORDLIST_##list
#define TARGET(table) .target = TABLE_##table

static const struct column event_columns[] = {
	COLUMN(event, name, TEXT),
	COLUMN(event, unit, TEXT),
	COLUMN(event, clock, WORD, WORDS(CLOCK_KIND)),
	COLUMN(event, rate_hz, DOUBLE),
	COLUMN(event, period, U64),
	COLUMN(event, samples, U64),
	COLUMN(event, user_samples, U64),
	COLUMN(event, kernel_samples, U64),
	COLUMN(event, weight, U64),
};

static const struct column image_columns[] = {
	COLUMN(image, kind, WORD, WORDS(IMAGE_KIND)),
	COLUMN(image, state, WORD, WORDS(IMAGE_STATE)),
	COLUMN(image, path, TEXT),
	COLUMN(image, build_id, BUILD_ID),
	COLUMN(image, dev, U64),
	COLUMN(image, inode, U64),
	COLUMN(image, size, U64),
	COLUMN(image, mtime_ns, U64),
};

static const struct column process_columns[] = {
	COLUMN(process, pid, I32),
	COLUMN(process, exec_count, U32),
	COLUMN(process, start_ns, U64),
	COLUMN(process, end_ns, U64),
	COLUMN(process, parent, REFERENCE, TARGET(PROCESS)),
	COLUMN(process, uid, U32),
	COLUMN(process, program, TEXT),
	COLUMN(process, instance, U32),
	COLUMN(process, cgroup, SHARED),
	COLUMN(process, container, SHARED),
	COLUMN(process, kernel_thread, BOOL),
	COLUMN(process, in_command, BOOL),
};

/* A table of its own, which older files do not have: of each process, by its id. */
static const struct column executable_columns[] = {
	COLUMN(process, exe, SHARED),
};

static const struct column task_columns[] = {
	COLUMN(task, process, REFERENCE, TARGET(PROCESS)),
	COLUMN(task, tid, I32),
	COLUMN(task, comm, TEXT),
};

static const struct column symbol_columns[] = {
	COLUMN(symbol, image, REFERENCE, TARGET(IMAGE)),
	COLUMN(symbol, name, TEXT),
	COLUMN(symbol, start, U64),
	COLUMN(symbol, size, U64),
	COLUMN(symbol, kind, NUMBER, WORDS(SYMBOL_KIND)),
};

static const struct column frame_columns[] = {
	COLUMN(frame, image, REFERENCE, TARGET(IMAGE)),
	COLUMN(frame, offset, U64),
	COLUMN(frame, address, U64),
	COLUMN(frame, address_known, BOOL),
	COLUMN(frame, kind, NUMBER, WORDS(FRAME_KIND)),
	COLUMN(frame, symbol, REFERENCE, TARGET(SYMBOL)),
};

static const struct column stack_columns[] = {
	{ "up", COLUMN_UP, offsetof(struct stack_node, parent), { 0 } },
	COLUMN(stack_node, frame, REFERENCE, TARGET(FRAME)),
};

static const struct column code_columns[] = {
	COLUMN(kept_code, image, REFERENCE, TARGET(IMAGE)),
	COLUMN(kept_code, start, U64),
	COLUMN(kept_code, address, U64),
	COLUMN(kept_code, machine, U32),
	COLUMN(kept_code, is_64, BOOL),
	COLUMN(kept_code, bytes, CODE),
};

static const struct column line_columns[] = {
	COLUMN(source_line, image, REFERENCE, TARGET(IMAGE)),
	COLUMN(source_line, start, U64),
	COLUMN(source_line, size, U64),
	COLUMN(source_line, file, SHARED),
	COLUMN(source_line, line, U32),
};

static const struct column mark_columns[] = {
	COLUMN(mark, time_ns, U64),
	COLUMN(mark, text, TEXT, .most_bytes = MARK_MAX_BYTES),
};

static const struct column cpu_time_columns[] = {
	COLUMN(cpu_time, from_ns, U64),	    COLUMN(cpu_time, to_ns, U64),
	COLUMN(cpu_time, capacity_ns, U64), COLUMN(cpu_time, idle_ns, U64),
	COLUMN(cpu_time, iowait_ns, U64),   COLUMN(cpu_time, steal_ns, U64),
	COLUMN(cpu_time, lost_ns, U64),
};

#define OPTIONAL true
#define TABLE(word, row, limit, dirty, ...)                                                       \
	{                                                                                         \
#word, word##_columns, sizeof(word##_columns) / sizeof(word##_columns[0]), limit, \
			dirty, row##_count, row##_row, row##_append, __VA_ARGS__                  \
	}

const struct table columns_tables[TABLE_COUNT] = {
	[TABLE_EVENT] = TABLE(event, event, PROFILE_MAX_EVENTS, TABLE_ALWAYS_DIRTY),
	[TABLE_IMAGE] = TABLE(image, image, SCHEMA_MAX_IMAGES, offsetof(struct image, dirty)),
	[TABLE_PROCESS] =
		TABLE(process, process, SCHEMA_MAX_PROCESSES, offsetof(struct process, dirty)),
	[TABLE_EXECUTABLE] = TABLE(executable, process, SCHEMA_MAX_PROCESSES,
				   offsetof(struct process, dirty), OPTIONAL),
	[TABLE_TASK] = TABLE(task, task, SCHEMA_MAX_TASKS, TABLE_NEVER_DIRTY),
	[TABLE_SYMBOL] = TABLE(symbol, symbol, SCHEMA_MAX_SYMBOLS, TABLE_NEVER_DIRTY),
	[TABLE_FRAME] = TABLE(frame, frame, SCHEMA_MAX_FRAMES, offsetof(struct frame, dirty)),
	[TABLE_STACK] = TABLE(stack, stack_node, SCHEMA_MAX_STACKS, TABLE_NEVER_DIRTY),
	[TABLE_CODE] = TABLE(code, kept_code, SCHEMA_MAX_CODES, TABLE_NEVER_DIRTY),
	[TABLE_LINE] = TABLE(line, source_line, SCHEMA_MAX_LINES, TABLE_NEVER_DIRTY, OPTIONAL),
	[TABLE_MARK] = TABLE(mark, mark, MARKS_MAX, TABLE_NEVER_DIRTY, OPTIONAL),
	[TABLE_CPU_TIME] = TABLE(cpu_time, cpu_time, CPU_TIMES_MAX, TABLE_NEVER_DIRTY, OPTIONAL),
};
