/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile with something in every table, samples to go with it, and a folder to write to. */
#ifndef TEST_STORE_FIXTURE_H
#define TEST_STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/clock.h"
#include "model/profile.h"
#include "store/store.h"

enum {
	FIXTURE_STACKS = 40,
	FIXTURE_CPUS = 3,
	FIXTURE_START_S = 5000,
};

/* A folder of its own with the path of a profile in it; both go with fixture_folder_remove. */
struct folder {
	char name[64];
	char path[96];
};

static inline int fixture_setup(void **state)
{
	struct folder *folder = calloc(1, sizeof(*folder));

	snprintf(folder->name, sizeof(folder->name), "/tmp/test-store-XXXXXX");
	if (!mkdtemp(folder->name))
		return -1;
	snprintf(folder->path, sizeof(folder->path), "%s/a.prof", folder->name);
	*state = folder;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct folder *folder = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder->name);
	free(folder);
	return system(command) == 0 ? 0 : -1;
}

/* Tests damage one in so many places of a profile: each if ALL_CASES is in the environment. */
static inline size_t fixture_damage_step(void)
{
	return getenv("ALL_CASES") ? 1 : 20;
}

/* Numbers that look random and are the same in every run. */
static inline uint64_t fixture_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return hash_u64(*state);
}

static inline str_id fixture_text(struct profile *profile, const char *text)
{
	return strpool_intern(&profile->strings, text);
}

static inline void fixture_events(struct profile *profile)
{
	profile->events[0] = (struct event){ .name = fixture_text(profile, "cpu-clock"),
					     .unit = fixture_text(profile, "ns"),
					     .clock = CLOCK_TIMER,
					     .rate_hz = 997.5 };
	profile->events[1] = (struct event){ .name = fixture_text(profile, "cycles"),
					     .unit = fixture_text(profile, "count"),
					     .clock = CLOCK_PMU_NMI,
					     .period = 2000003,
					     .weight = UINT64_MAX - 5 };
	profile->events[0].loss[LOSS_RING_FULL] = (struct loss){ 7, 7000000 };
	profile->events[1].loss[LOSS_THROTTLED] = (struct loss){ 0, 123456 };
	profile->event_count = 2;
}

static inline void fixture_images(struct profile *profile)
{
	struct image file = { .kind = IMAGE_FILE,
			      .state = IMAGE_STATE_STRIPPED,
			      .path = fixture_text(profile, "/usr/lib/libc.so.6"),
			      .build_id = { 0xde, 0xad, 0x00, 0xff },
			      .build_id_size = 20,
			      .dev = 0xfe01,
			      .inode = 1ULL << 40,
			      .size = 2000000,
			      .mtime_ns = -1 };
	struct image odd = { .kind = IMAGE_ANON, .path = fixture_text(profile, "caf\xe9 \xff") };

	profile_image(profile, &file);
	profile_image(profile, &odd);
	profile_bucket(profile, "[unmapped]");
}

static inline void fixture_processes(struct profile *profile)
{
	struct process init = { .pid = 1,
				.start_ns = 5,
				.program = fixture_text(profile, "init"),
				.instance = 1,
				.uid = UINT32_MAX,
				.kernel_thread = true };
	struct process child = { .pid = 4194304,
				 .exec_count = 3,
				 .start_ns = FIXTURE_START_S * NS_PER_S,
				 .end_ns = (FIXTURE_START_S + 9) * NS_PER_S,
				 .parent = 1,
				 .program = fixture_text(profile, "cc1"),
				 .instance = 2,
				 .cgroup = fixture_text(profile, "/user.slice"),
				 .container = fixture_text(profile, "box"),
				 .exe = fixture_text(profile, "/usr/libexec/cc1"),
				 .in_command = true };
	struct task task = { .process = 1, .tid = 1, .comm = init.program };

	profile_add_process(profile, &init);
	profile_add_process(profile, &child);
	profile_task(profile, &task);
	task = (struct task){ .process = 2, .tid = -7, .comm = child.program };
	profile_task(profile, &task);
}

static inline void fixture_stacks(struct profile *profile)
{
	for (uint32_t i = 0; i < FIXTURE_STACKS; i++) {
		char name[32];
		struct symbol symbol = { .image = 1 + i % 3, .start = i * 64, .size = i };
		struct frame frame = { .image = symbol.image,
				       .offset = i % 3 == 2 ? ~0ULL - i : i * 64 + 3,
				       .address = 0x1000 + i,
				       .address_known = i % 2,
				       .kind = i % FRAME_KIND_COUNT };

		snprintf(name, sizeof(name), "function_%u", i / 2);
		symbol.name = fixture_text(profile, name);
		symbol.kind = i % SYMBOL_KIND_COUNT;
		frame.symbol = profile_symbol(profile, &symbol);
		profile_stack(profile, i < 2 ? 0 : i / 2, profile_frame(profile, &frame));
	}
}

static inline void fixture_codes(struct profile *profile)
{
	static uint8_t bytes[] = { 0x90, 0x00, 0xc3 };
	struct kept_code code = { .image = 1,
				  .start = UINT64_MAX - 7,
				  .address = 0x401000,
				  .machine = 62,
				  .is_64 = true,
				  .bytes = bytes,
				  .size = sizeof(bytes) };

	profile_add_code(profile, &code);
	code.size = 1;
	code.is_64 = false;
	profile_add_code(profile, &code);
}

static inline void fixture_lines(struct profile *profile)
{
	struct source_line line = { .image = 2,
				    .start = 1ULL << 63 | 5,
				    .size = 12,
				    .file = fixture_text(profile, "/src/a b.js"),
				    .line = UINT32_MAX };

	profile_line(profile, &line);
	line.start = 7;
	profile_line(profile, &line);
}

static inline void fixture_marks(struct profile *profile)
{
	profile_add_mark(profile, (FIXTURE_START_S + 1) * NS_PER_S + 5, "before 'deploy' \xff");
	profile_add_mark(profile, FIXTURE_START_S * NS_PER_S, "an earlier one");
}

static inline void fixture_cpu_times(struct profile *profile)
{
	const uint64_t start_ns = FIXTURE_START_S * NS_PER_S;

	for (uint64_t i = 0; i < 3; i++)
		profile_add_cpu_time(profile, &(struct cpu_time){ start_ns + i, start_ns + i + 1,
								  100 + i, 50, 4, 3, 2 });
}

static inline struct profile *fixture_profile(void)
{
	struct profile *profile = profile_new();

	fixture_events(profile);
	fixture_images(profile);
	fixture_processes(profile);
	fixture_stacks(profile);
	fixture_codes(profile);
	fixture_lines(profile);
	fixture_marks(profile);
	fixture_cpu_times(profile);
	profile_set_text(&profile->run.command, "make -j2 'all'");
	profile->run.cpus = FIXTURE_CPUS;
	profile->run.start_ns = FIXTURE_START_S * NS_PER_S;
	profile->run.start_realtime_ns = UINT64_MAX;
	return profile;
}

/* The @index-th sample: about a thousand a second on each processor, in order of time on each. */
static inline struct sample fixture_sample(uint64_t index)
{
	uint64_t state = index;
	uint64_t noise = fixture_random(&state);

	return (struct sample){
		.time_ns = FIXTURE_START_S * NS_PER_S + index / FIXTURE_CPUS * NS_PER_MS +
			   noise % 20000,
		.weight = NS_PER_MS + index / 100 % 7,
		.task = 1 + noise / 7 % 2,
		.stack = (uint32_t)(1 + noise / 100 % FIXTURE_STACKS),
		.cpu = (uint16_t)(index % FIXTURE_CPUS),
		.event = noise / 11 % 10 == 0,
		.mode = noise / 13 % 4 == 0,
		.context = (uint8_t)(noise / 17 % 20 < CONTEXT_COUNT ? noise / 17 % 20 : 0),
	};
}

static inline void fixture_add(struct store_writer *writer, uint64_t first, uint64_t count)
{
	for (uint64_t i = first; i < first + count; i++) {
		struct sample sample = fixture_sample(i);

		assert_true(store_add(writer, &sample));
	}
}

static inline struct store_writer *fixture_create(const char *path, struct profile *profile)
{
	struct store_writer *writer;
	struct err err;

	if (store_create(path, profile, &writer, &err) < 0)
		fail_msg("%s", err.text);
	return writer;
}

static inline void fixture_flush(struct store_writer *writer)
{
	struct err err;

	if (store_flush(writer, &err) < 0)
		fail_msg("%s", err.text);
}

static inline struct store_reader *fixture_open(const char *path)
{
	struct store_reader *reader;
	struct err err;

	if (store_open(path, &reader, &err) < 0)
		fail_msg("%s", err.text);
	return reader;
}

static inline struct profile *fixture_load(struct store_reader *reader)
{
	struct profile *profile;
	struct err err;

	if (store_load_profile(reader, &profile, &err) < 0)
		fail_msg("%s", err.text);
	return profile;
}

/* A finished profile with so many samples, in flushes of a hundred. */
static inline void fixture_write(const char *path, uint64_t samples)
{
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(path, profile);

	for (uint64_t i = 0; i < samples; i += 100) {
		fixture_add(writer, i, samples - i < 100 ? samples - i : 100);
		fixture_flush(writer);
	}
	profile->run.end_ns = (FIXTURE_START_S + 10) * NS_PER_S;
	fixture_flush(writer);
	store_writer_free(writer);
	profile_free(profile);
}

/* What SQLite itself, without any code of ours, answers: a whole number. */
static inline int64_t fixture_sql_number(const char *path, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *stmt;
	int64_t number;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	number = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return number;
}

/* Changes a file by SQL, as a damager or a stranger would. */
static inline void fixture_sql(const char *path, const char *sql)
{
	sqlite3 *db;
	char *message = NULL;

	assert_int_equal(
		sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL),
		SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
	sqlite3_close(db);
}

static inline int fixture_count(void *context, const struct sample *sample)
{
	(void)sample;
	(*(uint64_t *)context)++;
	return 0;
}

/* Where fixture_each_sample sends samples. */
struct fixture_visit {
	int (*visit)(void *context, const struct sample *sample);
	void *context;
};

static inline int fixture_visit_singly(void *context, const struct sample *samples, size_t count)
{
	const struct fixture_visit *single = context;
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++)
		rc = single->visit(single->context, &samples[i]);
	return rc;
}

/* Visits the samples one by one, with all fields. */
static inline int fixture_each_sample(struct store_reader *reader, uint64_t from_ns, uint64_t to_ns,
				      int (*visit)(void *context, const struct sample *sample),
				      void *context, struct err *err)
{
	const struct sample_wish wish = { from_ns, to_ns, SAMPLE_ALL, { 0 } };
	struct fixture_visit single = { visit, context };

	return store_each_batch(reader, &wish, fixture_visit_singly, &single, err);
}

/* How many samples have from_ns <= time < to_ns. */
static inline uint64_t fixture_count_between(struct store_reader *reader, uint64_t from_ns,
					     uint64_t to_ns)
{
	uint64_t count = 0;
	struct err err;

	assert_int_equal(fixture_each_sample(reader, from_ns, to_ns, fixture_count, &count, &err),
			 0);
	return count;
}

/* Opens the file and compares its layers: returns how many samples both have. */
static inline uint64_t fixture_layers_agree(const char *path)
{
	struct store_reader *reader = fixture_open(path);
	struct profile *profile = fixture_load(reader);
	struct totals totals;
	uint64_t visited = 0, summed = 0;
	struct err err;

	if (fixture_each_sample(reader, 0, UINT64_MAX, fixture_count, &visited, &err) < 0 ||
	    store_load_totals(reader, &totals, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < totals.rows.count; i++)
		summed += totals.rows.items[i].samples;
	assert_int_equal(visited, summed);
	vec_free(&totals.rows);
	profile_free(profile);
	store_close(reader);
	return visited;
}

#endif
