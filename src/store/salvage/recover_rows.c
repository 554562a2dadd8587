/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/salvage/salvage.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/sql.h"

static bool is_read(const struct recover_rows *rows, enum table_id table, uint64_t id)
{
	const struct recover_ids *ids = &rows->ids[table];

	return id < ids->known && ids->read.items[id];
}

static str_id damaged_text(const struct recover_rows *rows)
{
	return strpool_intern(&rows->profile->strings, RECOVER_NAME);
}

/* ---- replacements of rows ---- */

static uint32_t damaged_image(struct recover_rows *rows)
{
	if (!rows->image)
		rows->image = profile_bucket(rows->profile, RECOVER_NAME);
	return rows->image;
}

static uint32_t damaged_symbol(struct recover_rows *rows)
{
	const struct symbol symbol = { .image = damaged_image(rows),
				       .name = damaged_text(rows),
				       .kind = SYMBOL_NONE };

	if (!rows->symbol)
		rows->symbol = profile_symbol(rows->profile, &symbol);
	return rows->symbol;
}

static uint32_t damaged_frame(struct recover_rows *rows)
{
	struct frame frame = { .image = damaged_image(rows) };

	if (!rows->frame) {
		rows->frame = profile_frame(rows->profile, &frame);
		rows->profile->frames.items[rows->frame].symbol = damaged_symbol(rows);
	}
	return rows->frame;
}

static struct process gone_process(struct recover_rows *rows)
{
	return (struct process){ .program = damaged_text(rows),
				 .uid = UINT32_MAX,
				 .instance = ++rows->gone };
}

static uint32_t damaged_process(struct recover_rows *rows)
{
	struct process process;

	if (!rows->process) {
		process = gone_process(rows);
		rows->process = profile_add_process(rows->profile, &process);
	}
	return rows->process;
}

static uint32_t damaged_task(struct recover_rows *rows)
{
	const struct task task = { .process = damaged_process(rows), .comm = damaged_text(rows) };

	if (!rows->task)
		rows->task = profile_task(rows->profile, &task);
	return rows->task;
}

static uint32_t damaged_stack(struct recover_rows *rows)
{
	struct profile *profile = rows->profile;
	uint32_t root;

	if (!rows->stack) {
		root = profile_stack(profile, 0, profile_cut(profile, STACK_DAMAGED));
		rows->stack = profile_stack(profile, root, damaged_frame(rows));
	}
	return rows->stack;
}

static struct event damaged_event(const struct recover_rows *rows)
{
	return (struct event){ .name = damaged_text(rows),
			       .unit = strpool_intern(&rows->profile->strings, "count"),
			       .clock = CLOCK_SOFTWARE };
}

/* ---- missing rows between others ---- */

static void fill_event(struct recover_rows *rows, size_t id)
{
	rows->profile->events[id] = damaged_event(rows);
}

static void fill_image(struct recover_rows *rows, size_t id)
{
	rows->profile->images.items[id] = (struct image){ .kind = IMAGE_BUCKET,
							  .state = IMAGE_STATE_READ,
							  .path = damaged_text(rows) };
}

static void fill_process(struct recover_rows *rows, size_t id)
{
	str_id exe = rows->profile->processes.items[id].exe; /* from another table */

	rows->profile->processes.items[id] = gone_process(rows);
	rows->profile->processes.items[id].exe = exe;
}

static void fill_task(struct recover_rows *rows, size_t id)
{
	uint32_t process = damaged_process(rows);

	rows->profile->tasks.items[id] =
		(struct task){ .process = process, .comm = damaged_text(rows) };
}

static void fill_symbol(struct recover_rows *rows, size_t id)
{
	uint32_t image = damaged_image(rows);

	rows->profile->symbols.items[id] =
		(struct symbol){ .image = image, .name = damaged_text(rows), .kind = SYMBOL_NONE };
}

static void fill_frame(struct recover_rows *rows, size_t id)
{
	uint32_t symbol = damaged_symbol(rows);

	rows->profile->frames.items[id] =
		(struct frame){ .image = damaged_image(rows), .symbol = symbol };
}

/* Its callers are not known. */
static void fill_stack(struct recover_rows *rows, size_t id)
{
	uint32_t frame = profile_cut(rows->profile, STACK_DAMAGED);

	rows->profile->stacks.items[id] = (struct stack_node){ .frame = frame };
}

static void (*const fillers[TABLE_COUNT])(struct recover_rows *rows, size_t id) = {
	[TABLE_EVENT] = fill_event, [TABLE_IMAGE] = fill_image,	  [TABLE_PROCESS] = fill_process,
	[TABLE_TASK] = fill_task,   [TABLE_SYMBOL] = fill_symbol, [TABLE_FRAME] = fill_frame,
	[TABLE_STACK] = fill_stack,
};

static void fill_missing(struct recover_rows *rows)
{
	for (int table = 0; table < TABLE_COUNT; table++) {
		size_t first = table == TABLE_EVENT ? 0 : 1;

		for (size_t id = first; fillers[table] && id < rows->ids[table].known; id++) {
			if (!rows->ids[table].read.items[id])
				fillers[table](rows, id);
		}
	}
}

/* ---- references ---- */

/* If a frame's symbol is missing, its image is still known. */
static void fix_frames(struct recover_rows *rows)
{
	struct profile *profile = rows->profile;

	for (size_t id = 1; id < rows->ids[TABLE_FRAME].known; id++) {
		struct frame frame = profile->frames.items[id];

		if (frame.image >= rows->ids[TABLE_IMAGE].known && is_read(rows, TABLE_FRAME, id))
			frame.image = damaged_image(rows);
		if (frame.symbol >= rows->ids[TABLE_SYMBOL].known && is_read(rows, TABLE_FRAME, id))
			frame.symbol = damaged_symbol(rows);
		else if (frame.symbol && frame.symbol < rows->ids[TABLE_SYMBOL].known &&
			 !is_read(rows, TABLE_SYMBOL, frame.symbol))
			profile->symbols.items[frame.symbol].image = frame.image;
		profile->frames.items[id] = frame;
	}
}

static void fix_symbols(struct recover_rows *rows)
{
	struct profile *profile = rows->profile;

	for (size_t id = 1; id < rows->ids[TABLE_SYMBOL].known; id++) {
		uint32_t image = profile->symbols.items[id].image;

		if (is_read(rows, TABLE_SYMBOL, id) && image >= rows->ids[TABLE_IMAGE].known)
			profile->symbols.items[id].image = damaged_image(rows);
	}
}

static void fix_tasks(struct recover_rows *rows)
{
	struct profile *profile = rows->profile;

	for (size_t id = 1; id < rows->ids[TABLE_TASK].known; id++) {
		uint32_t process = profile->tasks.items[id].process;

		if (is_read(rows, TABLE_TASK, id) && process >= rows->ids[TABLE_PROCESS].known)
			profile->tasks.items[id].process = damaged_process(rows);
	}
}

/* Walks up from each process to one that was already visited. If this walk visited it, there is a
 * cycle, which is cut. */
static void cut_circles(struct recover_rows *rows, size_t known)
{
	struct process *processes = rows->profile->processes.items;
	uint32_t *visited = xcalloc(rows->profile->processes.count, sizeof(*visited));

	for (uint32_t id = 1; id < known; id++) {
		uint32_t at = id, last = id;

		for (; at && !visited[at]; at = processes[at].parent) {
			visited[at] = id;
			last = at;
		}
		if (at && visited[at] == id) {
			rows->circles++;
			processes[last].parent = rows->process;
		}
	}
	free(visited);
}

static void fix_processes(struct recover_rows *rows)
{
	struct profile *profile = rows->profile;
	size_t known = rows->ids[TABLE_PROCESS].known;

	for (size_t id = 1; id < known; id++) {
		uint32_t parent = profile->processes.items[id].parent;

		if (is_read(rows, TABLE_PROCESS, id) && parent >= known) {
			parent = damaged_process(rows);
			profile->processes.items[id].parent = parent;
		}
	}
	cut_circles(rows, known);
}

/* Parents have smaller ids than their children: reading a row checked that. */
static void fix_stacks(struct recover_rows *rows)
{
	struct profile *profile = rows->profile;

	for (size_t id = 1; id < rows->ids[TABLE_STACK].known; id++) {
		struct stack_node node = profile->stacks.items[id];

		if (is_read(rows, TABLE_STACK, id) && node.frame >= rows->ids[TABLE_FRAME].known)
			node.frame = damaged_frame(rows);
		node.depth = profile->stacks.items[node.parent].depth + 1;
		if (node.depth > SCHEMA_MAX_DEPTH) {
			node.parent = 0;
			node.depth = 1;
		}
		profile->stacks.items[id] = node;
	}
}

static bool keeps(struct recover_rows *rows, enum table_id table, size_t id, uint32_t image)
{
	if (!is_read(rows, table, id))
		return false;
	rows->ids[table].wrong += image >= rows->ids[TABLE_IMAGE].known;
	return image < rows->ids[TABLE_IMAGE].known;
}

/* Keeps those of @list, rows of @table, that were read. */
#define KEEP_READ(rows, table, list)                                            \
	do {                                                                    \
		size_t kept_rows = 0;                                           \
                                                                                \
		for (size_t id = 0; id < (rows)->ids[table].known; id++) {      \
			if (is_read(rows, table, id))                           \
				(list)->items[kept_rows++] = (list)->items[id]; \
		}                                                               \
		(list)->count = kept_rows;                                      \
	} while (0)

/* Nothing refers to rows of code, line, mark and cpu_time, so missing ones need no replacement. */
static void close_gaps(struct recover_rows *rows)
{
	struct profile *profile = rows->profile;
	size_t kept = 1;

	for (size_t id = 1; id < rows->ids[TABLE_CODE].known; id++) {
		struct kept_code code = profile->codes.items[id];

		if (keeps(rows, TABLE_CODE, id, code.image))
			profile->codes.items[kept++] = code;
		else
			free(code.bytes);
	}
	profile->codes.count = kept;
	kept = 1;
	for (size_t id = 1; id < rows->ids[TABLE_LINE].known; id++) {
		struct source_line line = profile->lines.items[id];

		if (keeps(rows, TABLE_LINE, id, line.image))
			profile->lines.items[kept++] = line;
	}
	profile->lines.count = kept;
	KEEP_READ(rows, TABLE_MARK, &profile->marks);
	KEEP_READ(rows, TABLE_CPU_TIME, &profile->cpu_times);
}

/* ---- reading ---- */

/* Missing shared texts are called "[damaged]" too. */
static int add_texts(sqlite3 *db)
{
	_cleanup_(buf_done) struct buf text = { 0 };

	buf_add_str(&text, "DELETE FROM text WHERE id < 0 OR id > 4294967295;");
	for (int i = 0; i < TABLE_COUNT; i++) {
		const struct table *table = &columns_tables[i];

		for (size_t at = 0; at < table->column_count; at++) {
			if (table->columns[at].type == COLUMN_SHARED)
				buf_printf(&text,
					   "INSERT OR IGNORE INTO text SELECT DISTINCT %s, "
					   "iif(%s, '" RECOVER_NAME
					   "', '') FROM %s WHERE %s BETWEEN 0 AND 4294967295;",
					   table->columns[at].name, table->columns[at].name,
					   table->name, table->columns[at].name);
		}
	}
	return sql_exec(db, buf_text(&text));
}

static void on_row(void *context, enum table_id table, uint64_t id, bool right)
{
	struct recover_rows *rows = context;
	struct recover_ids *ids = &rows->ids[table];

	if (!right) {
		ids->wrong++;
		return;
	}
	while (ids->read.count <= id)
		*vec_push(&ids->read) = 0;
	ids->read.items[id] = 1;
}

/* Row 0 of a dictionary means none, whatever the file has there. */
static void reset_first(struct profile *profile)
{
	profile->images.items[0] = (struct image){ .kind = IMAGE_BUCKET };
	profile->processes.items[0] = (struct process){ 0 };
	profile->tasks.items[0] = (struct task){ 0 };
	profile->symbols.items[0] = (struct symbol){ .kind = SYMBOL_NONE };
	profile->frames.items[0] = (struct frame){ 0 };
	profile->stacks.items[0] = (struct stack_node){ 0 };
	free(profile->codes.items[0].bytes);
	profile->codes.items[0] = (struct kept_code){ 0 };
	profile->lines.items[0] = (struct source_line){ 0 };
}

static void note_known(struct recover_rows *rows)
{
	for (int i = 0; i < TABLE_COUNT; i++) {
		struct recover_ids *ids = &rows->ids[i];

		ids->known = columns_tables[i].count(rows->profile);
		while (ids->read.count < ids->known)
			*vec_push(&ids->read) = 0;
	}
}

int recover_rows_read(struct recover_rows *rows, sqlite3 *db, const struct wordlist_map *words,
		      struct profile *profile, uint64_t most_rows)
{
	const struct row_scan scan = { .met = on_row, .context = rows, .most_rows = most_rows };
	int rc = add_texts(db);

	*rows = (struct recover_rows){ .profile = profile };
	if (!rc)
		rc = row_reader_scan(db, words, profile, &scan);
	note_known(rows);
	reset_first(profile);
	if (rc)
		return rc;
	fill_missing(rows);
	fix_symbols(rows);
	fix_frames(rows);
	fix_processes(rows);
	fix_tasks(rows);
	fix_stacks(rows);
	close_gaps(rows);
	return 0;
}

void recover_rows_done(struct recover_rows *rows)
{
	for (int i = 0; i < TABLE_COUNT; i++)
		vec_free(&rows->ids[i].read);
}

/* ---- samples ---- */

uint32_t recover_rows_stack(struct recover_rows *rows, uint32_t id)
{
	return !id || is_read(rows, TABLE_STACK, id) ? id : damaged_stack(rows);
}

uint32_t recover_rows_task(struct recover_rows *rows, uint32_t id)
{
	if (id < rows->ids[TABLE_TASK].known)
		return id;
	return damaged_task(rows);
}

bool recover_rows_event(struct recover_rows *rows, uint8_t id)
{
	struct profile *profile = rows->profile;

	if (id >= PROFILE_MAX_EVENTS)
		return false;
	while (profile->event_count <= id)
		profile->events[profile->event_count++] = damaged_event(rows);
	return true;
}
