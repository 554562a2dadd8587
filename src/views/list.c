/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "views/views.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json_add.h"
#include "load/output.h"
#include "present/columns.h"
#include "present/figures.h"
#include "present/safe.h"
#include "store/state_files.h"
#include "store/store.h"

enum { COMMAND_CAP = 40 };

/* A profile that is kept. */
struct entry {
	unsigned age;
	char path[STATE_PATH_MAX];
	uint64_t bytes;
	struct profile *profile; /* its run alone; NULL: it cannot be read */
	struct err err;		 /* why */
};

static void read_entry(struct entry *entry)
{
	struct store_reader *reader;
	struct stat st;

	entry->bytes = stat(entry->path, &st) == 0 ? (uint64_t)st.st_size : 0;
	if (store_open(entry->path, &reader, &entry->err) < 0)
		return;
	(void)store_load_run(reader, &entry->profile, &entry->err);
	store_close(reader);
}

static const struct run_facts *run_of(const struct entry *entry)
{
	return entry->profile ? &entry->profile->run : NULL;
}

/* 0: not known, as of a recording that was killed. */
static uint64_t duration_ns(const struct entry *entry)
{
	const struct run_facts *run = run_of(entry);

	return run && run->end_ns > run->start_ns ? run->end_ns - run->start_ns : 0;
}

static const char *command_of(const struct entry *entry)
{
	const struct run_facts *run = run_of(entry);

	return run && run->command ? run->command : "";
}

/* What was recorded, for people. */
static const char *subject_of(const struct entry *entry)
{
	const struct run_facts *run = run_of(entry);

	if (!run)
		return entry->err.text;
	if (*command_of(entry))
		return run->command;
	if (run->scope && strcmp(run->scope, "threads") == 0)
		return "(chosen threads)";
	return run->scope && strcmp(run->scope, "processes") == 0 ? "(chosen processes)"
								  : "(the whole machine)";
}

/* Local time, or for programs UTC; "" if it is not known. */
static void add_time(struct buf *buf, const struct entry *entry, bool utc)
{
	const struct run_facts *run = run_of(entry);
	time_t seconds = run ? (time_t)(run->start_realtime_ns / NS_PER_S) : 0;
	char text[64] = "";
	struct tm tm;

	if (seconds && !utc)
		figures_time(buf, run->start_realtime_ns);
	if (!seconds || !utc || !gmtime_r(&seconds, &tm))
		return;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	buf_add_str(buf, text);
}

/* The word by which a view finds it. */
static void add_name(struct buf *buf, const struct entry *entry)
{
	buf_printf(buf, "@%u", entry->age + 1);
}

/* ---- forms ---- */

static void add_row(struct columns *columns, const struct entry *entry)
{
	struct buf *cell;

	add_name(columns_cell(columns), entry);
	columns_end_cell(columns);
	add_time(columns_cell(columns), entry, false);
	columns_end_cell(columns);
	if (duration_ns(entry))
		figures_seconds(columns_cell(columns), duration_ns(entry));
	columns_end_cell(columns);
	cell = columns_cell(columns);
	figures_si(cell, (double)entry->bytes);
	buf_add_char(cell, 'B');
	columns_end_cell(columns);
	columns_add(columns, subject_of(entry));
}

static void print_text(const struct entry *entries, size_t count, const struct screen *screen,
		       FILE *out)
{
	static const struct column titles[] = {
		{ "profile", false, 0 }, { "recorded", false, 0 },	    { "duration", true, 0 },
		{ "size", true, 0 },	 { "command", false, COMMAND_CAP },
	};
	struct columns *columns = columns_for(screen, titles, sizeof(titles) / sizeof(titles[0]));

	for (size_t i = 0; i < count; i++)
		add_row(columns, &entries[i]);
	columns_print(columns, 0, out);
	columns_free(columns);
}

static void add_seconds(struct buf *buf, const struct entry *entry)
{
	uint64_t ns = duration_ns(entry);

	if (ns)
		buf_add_fixed(buf, (double)ns / NS_PER_S, 3);
}

static void print_csv(const struct entry *entries, size_t count, FILE *out)
{
	fputs("number,recorded,duration_s,command,bytes,file\n", out);
	for (size_t i = 0; i < count; i++) {
		struct buf line = { 0 };

		buf_printf(&line, "%u,", entries[i].age + 1);
		add_time(&line, &entries[i], true);
		buf_add_char(&line, ',');
		add_seconds(&line, &entries[i]);
		buf_add_char(&line, ',');
		safe_csv(&line, command_of(&entries[i]));
		buf_printf(&line, ",%" PRIu64 ",", entries[i].bytes);
		safe_csv(&line, entries[i].path);
		fprintf(out, "%s\n", buf_text(&line));
		buf_done(&line);
	}
}

static void add_object(struct buf *json, const struct entry *entry)
{
	struct buf time = { 0 };

	json_add_begin(json, NULL, '{');
	json_add_number(json, "number", entry->age + 1);
	add_time(&time, entry, true);
	json_add_text_or_null(json, "recorded", buf_text(&time));
	if (duration_ns(entry))
		json_add_fixed(json, "duration_s", (double)duration_ns(entry) / NS_PER_S, 3);
	else
		json_add_null(json, "duration_s");
	json_add_text_or_null(json, "command", command_of(entry));
	json_add_number(json, "bytes", entry->bytes);
	json_add_text(json, "file", entry->path);
	json_add_text_or_null(json, "error", entry->profile ? NULL : entry->err.text);
	json_add_end(json, '}');
	buf_done(&time);
}

static void print_json(const struct entry *entries, size_t count, FILE *out)
{
	struct buf json = { 0 };

	json_add_begin(&json, NULL, '[');
	for (size_t i = 0; i < count; i++)
		add_object(&json, &entries[i]);
	json_add_end(&json, ']');
	json_add_print(&json, 1, out);
}

int list_check(const struct list_options *options, struct err *err)
{
	enum format format;

	return output_format(options->format, &format, err);
}

int list_print(const struct list_options *options, FILE *out, size_t *ret_count, struct err *err)
{
	struct entry entries[STATE_KEPT];
	enum format format;
	size_t count = 0;
	int rc = output_format(options->format, &format, err);

	if (rc < 0)
		return rc;
	for (unsigned age = 0; age < STATE_KEPT; age++) {
		struct entry *entry = &entries[count];

		*entry = (struct entry){ .age = age };
		if (state_profile(age, entry->path, sizeof(entry->path), NULL) == 0) {
			read_entry(entry);
			count++;
		}
	}
	if (format == FORMAT_CSV)
		print_csv(entries, count, out);
	else if (format == FORMAT_JSON)
		print_json(entries, count, out);
	else if (count)
		print_text(entries, count, &options->screen, out);
	for (size_t i = 0; i < count; i++)
		profile_free(entries[i].profile);
	*ret_count = count;
	return output_end(out, err);
}
