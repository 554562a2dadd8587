/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is written comes back the same; SQLite without our code is the second witness. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "store/fixture.h"

static void same_text(const struct profile *a, str_id a_text, const struct profile *b,
		      str_id b_text)
{
	assert_string_equal(profile_text(a, a_text), profile_text(b, b_text));
}

static void same_events(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->event_count, b->event_count);
	for (size_t i = 0; i < a->event_count; i++) {
		const struct event *left = &a->events[i], *right = &b->events[i];

		same_text(a, left->name, b, right->name);
		same_text(a, left->unit, b, right->unit);
		assert_int_equal(left->clock, right->clock);
		assert_true(left->rate_hz == right->rate_hz);
		assert_int_equal(left->period, right->period);
		assert_int_equal(left->samples, right->samples);
		assert_int_equal(left->user_samples, right->user_samples);
		assert_int_equal(left->kernel_samples, right->kernel_samples);
		assert_int_equal(left->weight, right->weight);
		assert_memory_equal(left->loss, right->loss, sizeof(left->loss));
	}
}

static void same_images(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->images.count, b->images.count);
	for (size_t i = 0; i < a->images.count; i++) {
		const struct image *left = &a->images.items[i], *right = &b->images.items[i];

		assert_int_equal(left->kind, right->kind);
		assert_int_equal(left->state, right->state);
		same_text(a, left->path, b, right->path);
		assert_int_equal(left->build_id_size, right->build_id_size);
		assert_memory_equal(left->build_id, right->build_id, BUILD_ID_MAX);
		assert_int_equal(left->dev, right->dev);
		assert_int_equal(left->inode, right->inode);
		assert_int_equal(left->size, right->size);
		assert_int_equal(left->mtime_ns, right->mtime_ns);
	}
}

static void same_processes(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->processes.count, b->processes.count);
	for (size_t i = 0; i < a->processes.count; i++) {
		const struct process *left = &a->processes.items[i];
		const struct process *right = &b->processes.items[i];

		assert_int_equal(left->pid, right->pid);
		assert_int_equal(left->exec_count, right->exec_count);
		assert_int_equal(left->start_ns, right->start_ns);
		assert_int_equal(left->end_ns, right->end_ns);
		assert_int_equal(left->parent, right->parent);
		assert_int_equal(left->uid, right->uid);
		same_text(a, left->program, b, right->program);
		same_text(a, left->exe, b, right->exe);
		assert_int_equal(left->instance, right->instance);
		same_text(a, left->cgroup, b, right->cgroup);
		same_text(a, left->container, b, right->container);
		assert_int_equal(left->kernel_thread, right->kernel_thread);
		assert_int_equal(left->in_command, right->in_command);
	}
}

static void same_tasks(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->tasks.count, b->tasks.count);
	for (size_t i = 0; i < a->tasks.count; i++) {
		assert_int_equal(a->tasks.items[i].process, b->tasks.items[i].process);
		assert_int_equal(a->tasks.items[i].tid, b->tasks.items[i].tid);
		same_text(a, a->tasks.items[i].comm, b, b->tasks.items[i].comm);
	}
}

static void same_symbols(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->symbols.count, b->symbols.count);
	for (size_t i = 0; i < a->symbols.count; i++) {
		const struct symbol *left = &a->symbols.items[i], *right = &b->symbols.items[i];

		assert_int_equal(left->image, right->image);
		same_text(a, left->name, b, right->name);
		assert_int_equal(left->start, right->start);
		assert_int_equal(left->size, right->size);
		assert_int_equal(left->kind, right->kind);
	}
}

static void same_frames(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->frames.count, b->frames.count);
	for (size_t i = 0; i < a->frames.count; i++) {
		const struct frame *left = &a->frames.items[i], *right = &b->frames.items[i];

		assert_int_equal(left->image, right->image);
		assert_int_equal(left->offset, right->offset);
		assert_int_equal(left->address, right->address);
		assert_int_equal(left->address_known, right->address_known);
		assert_int_equal(left->kind, right->kind);
		assert_int_equal(left->symbol, right->symbol);
	}
	assert_int_equal(a->stacks.count, b->stacks.count);
	for (size_t i = 0; i < a->stacks.count; i++) {
		assert_int_equal(a->stacks.items[i].parent, b->stacks.items[i].parent);
		assert_int_equal(a->stacks.items[i].frame, b->stacks.items[i].frame);
		assert_int_equal(a->stacks.items[i].depth, b->stacks.items[i].depth);
	}
}

static void same_codes(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->codes.count, b->codes.count);
	for (size_t i = 1; i < a->codes.count; i++) {
		const struct kept_code *x = &a->codes.items[i], *y = &b->codes.items[i];

		assert_int_equal(x->image, y->image);
		assert_int_equal(x->start, y->start);
		assert_int_equal(x->address, y->address);
		assert_int_equal(x->machine, y->machine);
		assert_int_equal(x->is_64, y->is_64);
		assert_int_equal(x->size, y->size);
		assert_memory_equal(x->bytes, y->bytes, x->size);
	}
}

static void same_lines(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->lines.count, b->lines.count);
	for (size_t i = 1; i < a->lines.count; i++) {
		const struct source_line *x = &a->lines.items[i], *y = &b->lines.items[i];

		assert_int_equal(x->image, y->image);
		assert_int_equal(x->start, y->start);
		assert_int_equal(x->size, y->size);
		same_text(a, x->file, b, y->file);
		assert_int_equal(x->line, y->line);
	}
}

static void same_marks(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->marks.count, b->marks.count);
	for (size_t i = 0; i < a->marks.count; i++) {
		assert_int_equal(a->marks.items[i].time_ns, b->marks.items[i].time_ns);
		same_text(a, a->marks.items[i].text, b, b->marks.items[i].text);
	}
}

static void same_cpu_times(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->cpu_times.count, b->cpu_times.count);
	assert_memory_equal(a->cpu_times.items, b->cpu_times.items,
			    a->cpu_times.count * sizeof(struct cpu_time));
}

static void same_profile(const struct profile *a, const struct profile *b)
{
	same_events(a, b);
	same_images(a, b);
	same_processes(a, b);
	same_tasks(a, b);
	same_symbols(a, b);
	same_frames(a, b);
	same_codes(a, b);
	same_lines(a, b);
	same_marks(a, b);
	same_cpu_times(a, b);
#define SAME_TEXT(name)		assert_string_equal(a->run.name ? a->run.name : "", b->run.name);
#define SAME_NUMBER(name)	assert_int_equal(a->run.name, b->run.name);
#define SAME(type, name, merge) SAME_##type(name)
	RUN_FACTS(SAME)
#undef SAME
}

static void expect_in_file(const char *path, const struct profile *profile)
{
	struct store_reader *reader = fixture_open(path);
	struct profile *back = fixture_load(reader);

	same_profile(profile, back);
	profile_free(back);
	store_close(reader);
}

static void a_profile_comes_back(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	struct stat status;

	assert_int_equal(stat(folder->path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	fixture_flush(writer);
	expect_in_file(folder->path, profile);
	store_writer_free(writer);
	profile_free(profile);
}

/* A file from before there were lines has no table of them; one that is something else is wrong. */
static void a_table_may_be_missing(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	struct store_reader *reader;
	struct err err;
	sqlite3 *db;

	fixture_flush(writer);
	store_writer_free(writer);
	assert_int_equal(sqlite3_open(folder->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "DROP TABLE line", NULL, NULL, NULL), SQLITE_OK);
	vec_free(&profile->lines);
	*vec_push(&profile->lines) = (struct source_line){ 0 };
	expect_in_file(folder->path, profile);
	assert_int_equal(
		sqlite3_exec(db, "CREATE VIEW line AS SELECT * FROM code", NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(store_open(folder->path, &reader, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "missing column image in table line"));
	profile_free(profile);
}

/* A mark that is longer than any that is written, or has no text, is refused. */
static void marks_are_limited(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	char longest[MARK_MAX_BYTES + 2];
	struct store_reader *reader;
	struct err err;

	memset(longest, 'x', sizeof(longest));
	longest[MARK_MAX_BYTES + 1] = '\0';
	assert_false(profile_add_mark(profile, 7, ""));
	assert_false(profile_add_mark(profile, 7, longest));
	longest[MARK_MAX_BYTES] = '\0';
	assert_true(profile_add_mark(profile, 7, longest));
	fixture_flush(writer);
	store_writer_free(writer);
	expect_in_file(folder->path, profile);
	profile_free(profile);
	fixture_sql(folder->path, "UPDATE mark SET text = text || 'x' WHERE id = 2");
	reader = fixture_open(folder->path);
	assert_int_equal(store_load_profile(reader, &profile, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "invalid text in row 2 of table mark"));
	store_close(reader);
}

/* Rows that came or changed after the first flush are in the file after the next. */
static void changes_are_written(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	struct process late = { .pid = 77, .parent = 2, .program = fixture_text(profile, "late") };

	fixture_flush(writer);
	profile_add_process(profile, &late);
	profile_stack(profile, 3, 4);
	profile_add_mark(profile, 8, "later");
	profile->images.items[1].state = IMAGE_STATE_REPLACED;
	profile->images.items[1].dirty = true;
	profile->processes.items[1].end_ns = 99;
	profile->processes.items[1].dirty = true;
	profile->frames.items[5].symbol = 9;
	profile->frames.items[5].dirty = true;
	profile->events[1].samples = 12;
	profile->events[0].loss[LOSS_RING_FULL].count++;
	profile->run.flushes = 2;
	profile_set_text(&profile->run.hostname, "here");
	fixture_flush(writer);
	assert_false(profile->images.items[1].dirty || profile->processes.items[1].dirty ||
		     profile->frames.items[5].dirty);
	expect_in_file(folder->path, profile);
	store_writer_free(writer);
	profile_free(profile);
}

/* The key of a total as an index, the fixture being small. */
static size_t key_of(const struct sample *sample)
{
	return (((size_t)sample->stack * 3 + sample->task) * 2 + sample->event) * 6 +
	       (size_t)sample->mode * 3 + sample->context;
}

enum { KEYS = (FIXTURE_STACKS + 1) * 3 * 2 * 6 };

static void totals_are_the_sums(void **state)
{
	const struct folder *folder = *state;
	struct total *expected = calloc(KEYS, sizeof(*expected));
	struct store_reader *reader;
	struct profile *profile;
	struct totals totals;
	struct err err;

	for (uint64_t i = 0; i < 7000; i++) {
		struct sample sample = fixture_sample(i);
		struct total *total = &expected[key_of(&sample)];

		total->samples++;
		total->weight += sample.weight;
		total->weight_squared += (double)sample.weight * (double)sample.weight;
	}
	fixture_write(folder->path, 7000);
	reader = fixture_open(folder->path);
	profile = fixture_load(reader);
	assert_int_equal(store_load_totals(reader, &totals, &err), 0);
	for (size_t i = 0; i < totals.rows.count; i++) {
		const struct total *total = &totals.rows.items[i];
		struct sample key = { .stack = total->stack,
				      .task = total->task,
				      .event = total->event,
				      .mode = total->mode,
				      .context = total->context };
		struct total *wanted = &expected[key_of(&key)];

		assert_int_equal(total->samples, wanted->samples);
		assert_int_equal(total->weight, wanted->weight);
		assert_true(total->weight_squared == wanted->weight_squared);
		wanted->samples = 0;
	}
	for (size_t i = 0; i < KEYS; i++)
		assert_int_equal(expected[i].samples, 0);
	vec_free(&totals.rows);
	profile_free(profile);
	store_close(reader);
	free(expected);
}

static void sqlite_agrees(void **state)
{
	const struct folder *folder = *state;
	uint64_t weight = 0;

	for (uint64_t i = 0; i < 7000; i++)
		weight += fixture_sample(i).weight;
	fixture_write(folder->path, 7000);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT integrity_check = 'ok' FROM "
							  "pragma_integrity_check"),
			 1);
	assert_int_equal(fixture_sql_number(folder->path, "PRAGMA application_id"), 0x50525350);
	assert_int_equal(fixture_sql_number(folder->path, "PRAGMA user_version"), 1);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM block"), 7000);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM total"), 7000);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM second"), 7000);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(weight) FROM total"), weight);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(weight) FROM second"),
			 weight);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM second WHERE "
							  "cpu = 1"),
			 2333);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT count(*) FROM second WHERE "
							  "second < 5000 OR second > 5002"),
			 0);
}

/* A sample that came long after its second still is in its second, and in the sums. */
static void a_late_sample_is_kept(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	struct store_reader *reader;

	fixture_add(writer, 6000, 10);
	profile->run.end_ns = 1;
	fixture_flush(writer);
	profile->run.end_ns = 0;
	fixture_add(writer, 0, 4);
	fixture_flush(writer);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM total"), 10);
	assert_int_equal(fixture_layers_agree(folder->path), 14);
	reader = fixture_open(folder->path);
	profile_free(fixture_load(reader));
	assert_int_equal(fixture_count_between(reader, 0, (FIXTURE_START_S + 1) * NS_PER_S), 4);
	store_close(reader);
	store_writer_free(writer);
	profile_free(profile);
}

static void too_many_pending_are_counted(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	struct sample sample = fixture_sample(0);

	for (uint64_t i = 0; i < STORE_MAX_PENDING; i++)
		assert_true(store_add(writer, &sample));
	assert_false(store_add(writer, &sample));
	assert_false(store_add(writer, &sample));
	assert_int_equal(profile->events[sample.event].loss[LOSS_NOT_STORED].count, 2);
	assert_int_equal(profile->events[sample.event].loss[LOSS_NOT_STORED].weight,
			 2 * sample.weight);
	fixture_flush(writer);
	assert_true(store_add(writer, &sample));
	store_writer_free(writer);
	profile_free(profile);
	/* One second, more samples than a block takes. */
	assert_int_equal(fixture_layers_agree(folder->path), STORE_MAX_PENDING);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT count(*) FROM block"), 4);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_profile_comes_back),	    TEST(changes_are_written),
		TEST(totals_are_the_sums),	    TEST(sqlite_agrees),
		TEST(a_table_may_be_missing),	    TEST(a_late_sample_is_kept),
		TEST(too_many_pending_are_counted), TEST(marks_are_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
