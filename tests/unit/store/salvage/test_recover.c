/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile damaged in every place: each page in turn lost in several ways, the file cut off at
 * each page. What is recovered is in the original, and with what is missing it adds up to it. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "store/fixture.h"
#include "store/salvage/recover.h"

/* AddressSanitizer's quarantine of freed memory would take longer than the hundreds of recoveries
 * that fill it. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=8";
}

enum {
	PAGE = 4096,
	SECTOR = 512,
	SAMPLES = 4000,
	ROWS = 450, /* more of each kind than one page holds, for trees of two levels */
	SUMS = 600, /* so many that the sums of samples take several pages, too */
};

/* ---- the original ---- */

struct original {
	uint8_t *bytes;
	size_t size;
	struct sample *samples; /* in order of time */
	size_t count;
	struct profile *profile;
	char path[128], damaged[128], saved[128];
	int64_t rows[32]; /* of each thing that is counted, by SQLite; valid if rows_known */
	bool rows_known;
};

static int by_time(const void *a, const void *b)
{
	const struct sample *one = a, *other = b;

	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns ? -1 : 1;
	return one->cpu - other->cpu;
}

static void add_rows(struct profile *profile)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		char name[64];
		struct symbol symbol = { .image = 1 + i % 3, .start = 1 << 20 | i * 16 };
		struct frame frame = { .image = symbol.image, .offset = 1 << 20 | i * 16 };
		struct process process = { .pid = (int32_t)(1000 + i),
					   .parent = i % 50,
					   .instance = i + 1,
					   .start_ns = i };
		struct task task = { .tid = (int32_t)(1000 + i) };

		snprintf(name, sizeof(name), "a_function_of_some_length_%u", i);
		symbol.name = fixture_text(profile, name);
		frame.symbol = profile_symbol(profile, &symbol);
		profile_stack(profile, i / 3, profile_frame(profile, &frame));
		process.program = fixture_text(profile, "worker");
		process.cgroup = fixture_text(profile, i % 2 ? "/a.slice" : "/b.slice");
		task.process = profile_add_process(profile, &process);
		task.comm = process.program;
		profile_task(profile, &task);
	}
}

static struct sample sample_at(const struct profile *profile, uint64_t index)
{
	struct sample sample = fixture_sample(index), like = fixture_sample(index % SUMS);

	sample.stack = (uint32_t)(1 + index % SUMS * 11 % (profile->stacks.count - 1));
	sample.task = (uint32_t)(1 + index % SUMS * 3 % (profile->tasks.count - 1));
	sample.event = like.event;
	sample.mode = like.mode;
	sample.context = like.context;
	return sample;
}

static void write_original(struct original *original)
{
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(original->path, profile);

	add_rows(profile);
	profile->events[1].weight = 0;
	for (uint64_t i = 0; i < SAMPLES; i++) {
		struct sample sample = sample_at(profile, i);
		struct event *event = &profile->events[sample.event];

		event->samples++;
		event->weight += sample.weight;
		assert_true(store_add(writer, &sample));
		original->samples[i] = sample;
		if (i % 500 == 499)
			fixture_flush(writer);
	}
	profile->run.end_ns = (FIXTURE_START_S + 10) * NS_PER_S;
	fixture_flush(writer);
	store_writer_free(writer);
	original->profile = profile;
	original->count = SAMPLES;
	qsort(original->samples, SAMPLES, sizeof(*original->samples), by_time);
}

static void read_bytes(const char *path, uint8_t **ret_bytes, size_t *ret_size)
{
	struct stat status;
	int fd = open(path, O_RDONLY);

	assert_int_equal(fstat(fd, &status), 0);
	*ret_size = (size_t)status.st_size;
	*ret_bytes = malloc(*ret_size);
	assert_int_equal(read(fd, *ret_bytes, *ret_size), *ret_size);
	close(fd);
}

static void write_bytes(const char *path, const uint8_t *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void make_original(const struct folder *folder, struct original *original)
{
	snprintf(original->path, sizeof(original->path), "%s", folder->path);
	snprintf(original->damaged, sizeof(original->damaged), "%s/damaged", folder->name);
	snprintf(original->saved, sizeof(original->saved), "%s/saved", folder->name);
	original->samples = calloc(SAMPLES, sizeof(*original->samples));
	write_original(original);
	read_bytes(original->path, &original->bytes, &original->size);
	assert_int_equal(original->size % PAGE, 0);
}

static void original_done(struct original *original)
{
	profile_free(original->profile);
	free(original->samples);
	free(original->bytes);
}

/* ---- what is recovered ---- */

struct outcome {
	struct recover_count counts[32];
	struct recover_state state;
};

static int store_samples(void *context, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_true(store_add(context, &samples[i]));
	return 0;
}

/* Returns what recovery_open did. */
static int recover(const char *from, const char *journal, const char *to,
		   struct outcome *ret_outcome)
{
	struct recovery *recovery = NULL;
	struct store_writer *writer;
	int fd = open(from, O_RDONLY), beside = journal ? open(journal, O_RDONLY) : -1;
	struct err err = { "" };
	int rc = recovery_open(fd, beside, from, &recovery, &err);

	if (rc == 0) {
		unlink(to);
		writer = fixture_create(to, recovery_profile(recovery));
		rc = recovery_each_batch(recovery, store_samples, writer, &err);
		assert_int_equal(rc, 0);
		fixture_flush(writer);
		store_writer_free(writer);
		ret_outcome->state = recovery_state(recovery);
		memcpy(ret_outcome->counts, ret_outcome->state.counts,
		       ret_outcome->state.count * sizeof(struct recover_count));
		recovery_free(recovery);
	} else if (!strstr(err.text, from)) {
		fail_msg("%d: %s", rc, err.text);
	}
	close(fd);
	if (beside >= 0)
		close(beside);
	return rc;
}

static const struct recover_count *count_of(const struct outcome *outcome, const char *name)
{
	for (size_t i = 0; i < outcome->state.count; i++) {
		if (strcmp(outcome->counts[i].name, name) == 0)
			return &outcome->counts[i];
	}
	fail_msg("there is no count of %s", name);
	return NULL;
}

/* Rows of the new file that the original lacks, and that do not say so themselves. */
static const char *const strange_rows[] = {
	"SELECT path FROM image WHERE path NOT IN ('[damaged]', '[cut:damaged]') EXCEPT SELECT "
	"path "
	"FROM old.image",
	"SELECT id, kind, state, path, build_id, dev, inode, size, mtime_ns FROM image WHERE path "
	"NOT "
	"IN ('[damaged]', '[cut:damaged]') EXCEPT SELECT id, kind, state, path, build_id, dev, "
	"inode, "
	"size, mtime_ns FROM old.image",
	"SELECT id, pid, exec_count, start_ns, end_ns, uid, program, instance, kernel_thread, "
	"in_command FROM process WHERE program <> '[damaged]' EXCEPT SELECT id, pid, exec_count, "
	"start_ns, end_ns, uid, program, instance, kernel_thread, in_command FROM old.process",
	"SELECT p.id, p.parent FROM process p JOIN process q ON q.id = p.parent WHERE p.program <> "
	"'[damaged]' AND q.program <> '[damaged]' EXCEPT SELECT id, parent FROM old.process",
	"SELECT p.id, t.text FROM process p JOIN text t ON t.id = p.cgroup WHERE p.program <> "
	"'[damaged]' AND t.text <> '[damaged]' EXCEPT SELECT p.id, t.text FROM old.process p JOIN "
	"old.text t ON t.id = p.cgroup",
	"SELECT t.id, t.process, tid, comm FROM task t JOIN process p ON p.id = t.process WHERE "
	"comm "
	"<> '[damaged]' AND p.program <> '[damaged]' EXCEPT SELECT id, process, tid, comm FROM "
	"old.task",
	"SELECT s.id, s.image, s.name, s.start, s.size, s.kind FROM symbol s JOIN image i ON i.id "
	"= "
	"s.image WHERE s.name <> '[damaged]' AND i.path <> '[damaged]' EXCEPT SELECT id, image, "
	"name, "
	"start, size, kind FROM old.symbol",
	"SELECT f.id, f.offset, f.address, f.address_known, f.kind FROM frame f JOIN image i ON "
	"i.id = "
	"f.image WHERE i.path NOT IN ('[damaged]', '[cut:damaged]') EXCEPT SELECT id, offset, "
	"address, "
	"address_known, kind FROM old.frame",
	"SELECT f.id, f.symbol FROM frame f JOIN symbol s ON s.id = f.symbol JOIN image i ON i.id "
	"= "
	"f.image WHERE s.name <> '[damaged]' AND i.path NOT IN ('[damaged]', '[cut:damaged]') "
	"EXCEPT "
	"SELECT id, symbol FROM old.frame",
	"SELECT s.id, s.parent FROM stack s JOIN frame f ON f.id = s.frame JOIN image i ON i.id = "
	"f.image WHERE i.path NOT IN ('[damaged]', '[cut:damaged]') EXCEPT SELECT id, parent FROM "
	"old.stack",
	"SELECT s.id, s.frame FROM stack s JOIN frame f ON f.id = s.frame JOIN image i ON i.id = "
	"f.image WHERE i.path NOT IN ('[damaged]', '[cut:damaged]') EXCEPT SELECT id, frame FROM "
	"old.stack",
	"SELECT start, address, machine, is_64, bytes FROM code EXCEPT SELECT start, address, "
	"machine, "
	"is_64, bytes FROM old.code",
	"SELECT start, size, line FROM line EXCEPT SELECT start, size, line FROM old.line",
	"SELECT time_ns, text FROM mark EXCEPT SELECT time_ns, text FROM old.mark",
	"SELECT from_ns, to_ns, capacity_ns, idle_ns, iowait_ns, steal_ns, lost_ns FROM cpu_time "
	"EXCEPT SELECT from_ns, to_ns, capacity_ns, idle_ns, iowait_ns, steal_ns, lost_ns FROM "
	"old.cpu_time",
	"SELECT name, unit, clock, rate_hz, period FROM event WHERE name <> '[damaged]' EXCEPT "
	"SELECT "
	"name, unit, clock, rate_hz, period FROM old.event",
	"SELECT event, reason, count, weight FROM loss WHERE reason <> 'damaged' EXCEPT SELECT "
	"event, "
	"reason, count, weight FROM old.loss",
	/* Facts that are lost are 0 or empty. */
	"SELECT name, value FROM header WHERE name <> 'not_visible' AND value <> 0 AND value <> '' "
	"EXCEPT SELECT name, value FROM old.header",
};

static int64_t number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	int64_t value;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

static void check_rows(const struct original *original, const char *what)
{
	sqlite3 *db;
	char *attach = sqlite3_mprintf("ATTACH %Q AS old", original->path);

	assert_int_equal(sqlite3_open_v2(original->saved, &db, SQLITE_OPEN_READWRITE, NULL), 0);
	assert_int_equal(sqlite3_exec(db, attach, NULL, NULL, NULL), 0);
	assert_int_equal(number(db, "SELECT count(*) FROM pragma_integrity_check WHERE "
				    "integrity_check = 'ok'"),
			 1);
	for (size_t i = 0; i < sizeof(strange_rows) / sizeof(strange_rows[0]); i++) {
		char *sql = sqlite3_mprintf("SELECT count(*) FROM (%s)", strange_rows[i]);

		if (number(db, sql) != 0)
			fail_msg("%s: there are strange rows: %s", what, strange_rows[i]);
		sqlite3_free(sql);
	}
	sqlite3_free(attach);
	sqlite3_close(db);
}

/* A sample is that of the original, but for what could not be named. */
struct visit {
	const struct original *original;
	const struct profile *profile;
	size_t count, misplaced;
};

static bool is_damaged_stack(const struct profile *profile, uint32_t stack)
{
	uint32_t frame = profile->stacks.items[stack].frame;
	uint32_t image = profile->frames.items[frame].image;

	return strcmp(profile_text(profile, profile->images.items[image].path), "[damaged]") == 0;
}

static bool is_damaged_task(const struct profile *profile, uint32_t task)
{
	return strcmp(profile_text(profile, profile->tasks.items[task].comm), "[damaged]") == 0;
}

static int check_sample(void *context, const struct sample *sample)
{
	struct visit *visit = context;
	const struct sample *was = bsearch(sample, visit->original->samples, visit->original->count,
					   sizeof(*was), by_time);

	assert_non_null(was);
	assert_int_equal(sample->event, was->event);
	assert_int_equal(sample->weight, was->weight);
	assert_int_equal(sample->mode, was->mode);
	assert_int_equal(sample->context, was->context);
	if (sample->stack != was->stack)
		assert_true(is_damaged_stack(visit->profile, sample->stack));
	if (sample->task != was->task)
		assert_true(is_damaged_task(visit->profile, sample->task));
	visit->count++;
	return 0;
}

/* What the program itself reads of the new file. */
static void check_samples(const struct original *original, const struct outcome *outcome)
{
	struct store_reader *reader = fixture_open(original->saved);
	struct profile *profile = fixture_load(reader);
	struct visit visit = { .original = original, .profile = profile };
	struct totals totals;
	struct err err;
	uint64_t lost = 0, kept = 0;

	if (fixture_each_sample(reader, 0, UINT64_MAX, check_sample, &visit, &err) ||
	    store_load_totals(reader, &totals, &err))
		fail_msg("%s", err.text);
	vec_free(&totals.rows);
	for (size_t i = 0; i < profile->event_count; i++) {
		lost += profile->events[i].loss[LOSS_DAMAGED].count;
		kept += profile->events[i].samples;
	}
	assert_int_equal(visit.count, count_of(outcome, "samples")->saved);
	assert_int_equal(kept, visit.count);
	assert_int_equal(lost, count_of(outcome, "samples")->missing);
	assert_int_equal(kept + lost, original->count);
	profile_free(profile);
	store_close(reader);
}

/* The original stays as it is while its copies are damaged. */
static void count_rows(struct original *original, const struct outcome *outcome)
{
	for (size_t i = 2; i < outcome->state.count && !original->rows_known; i++) {
		char *sql = sqlite3_mprintf("SELECT count(*) FROM %s", outcome->counts[i].name);

		original->rows[i] = fixture_sql_number(original->path, sql);
		sqlite3_free(sql);
	}
	original->rows_known = true;
}

static void check_sums(struct original *original, const struct outcome *outcome, const char *what)
{
	count_rows(original, outcome);
	for (size_t i = 2; i < outcome->state.count; i++) {
		const struct recover_count *count = &outcome->counts[i];

		/* What a damaged checksum was of is not verified, and what it says it is of is
		 * missing. */
		if (labs(original->rows[i] - (int64_t)(count->saved + count->missing)) >
		    (int64_t)count->unverified)
			fail_msg("%s: %s: %ld of %ld saved, %ld missing", what, count->name,
				 (long)count->saved, (long)original->rows[i], (long)count->missing);
	}
}

static bool check_damaged(struct original *original, const uint8_t *bytes, size_t size,
			  const char *what)
{
	struct outcome outcome;
	int rc;

	write_bytes(original->damaged, bytes, size);
	rc = recover(original->damaged, NULL, original->saved, &outcome);
	if (rc)
		return false;
	check_rows(original, what);
	check_samples(original, &outcome);
	check_sums(original, &outcome, what);
	return true;
}

/* ---- tests ---- */

typedef void (*damage_part)(uint8_t *at, size_t size, uint64_t *random);

static void make_zero(uint8_t *at, size_t size, uint64_t *random)
{
	memset(at, 0, size);
}

static void make_garbage(uint8_t *at, size_t size, uint64_t *random)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)fixture_random(random);
}

static void flip_one(uint8_t *at, size_t size, uint64_t *random)
{
	at[fixture_random(random) % size] ^= (uint8_t)(1 + fixture_random(random) % 255);
}

/* Each page, or a part of it; all of these can be recovered. */
static void damage_each(const struct folder *folder, damage_part damage, size_t size)
{
	struct original original = { .bytes = NULL };
	size_t step = PAGE * fixture_damage_step();
	uint64_t random = 3;
	uint8_t *copy;

	make_original(folder, &original);
	copy = malloc(original.size);
	for (size_t at = 0; at < original.size; at += step) {
		size_t from = at + fixture_random(&random) % (PAGE / size) * size;
		char what[64];

		memcpy(copy, original.bytes, original.size);
		damage(copy + from, size, &random);
		snprintf(what, sizeof(what), "page %zu of %zu, byte %zu", at / PAGE + 1,
			 original.size / PAGE, from);
		if (!check_damaged(&original, copy, original.size, what) && at)
			fail_msg("%s: not recovered", what);
	}
	free(copy);
	original_done(&original);
}

static void pages_of_zeroes(void **state)
{
	damage_each(*state, make_zero, PAGE);
}

static void pages_of_garbage(void **state)
{
	damage_each(*state, make_garbage, PAGE);
}

static void sectors_of_zeroes(void **state)
{
	damage_each(*state, make_zero, SECTOR);
}

static void flipped_bytes(void **state)
{
	damage_each(*state, flip_one, PAGE);
}

static void cut_at_each_page(void **state)
{
	struct original original = { .bytes = NULL };
	size_t step = PAGE * fixture_damage_step();

	make_original(*state, &original);
	for (size_t size = 0; size < original.size; size += step) {
		struct outcome outcome;
		char what[64];

		snprintf(what, sizeof(what), "cut to %zu", size);
		write_bytes(original.damaged, original.bytes, size);
		if (recover(original.damaged, NULL, original.saved, &outcome))
			continue;
		check_rows(&original, what);
	}
	original_done(&original);
}

/* Nothing is lost of a file that is not damaged, and everything is verified. */
static void whole_file(void **state)
{
	struct original original = { .bytes = NULL };
	struct outcome outcome;

	make_original(*state, &original);
	assert_int_equal(recover(original.path, NULL, original.saved, &outcome), 0);
	for (size_t i = 0; i < outcome.state.count; i++) {
		if (outcome.counts[i].missing || outcome.counts[i].unverified)
			fail_msg("%s: %ld missing, %ld not verified", outcome.counts[i].name,
				 (long)outcome.counts[i].missing,
				 (long)outcome.counts[i].unverified);
	}
	assert_int_equal(count_of(&outcome, "samples")->saved, SAMPLES);
	check_rows(&original, "whole");
	check_samples(&original, &outcome);
	check_sums(&original, &outcome, "whole");
	assert_int_equal(fixture_sql_number(original.saved, "SELECT count(*) FROM stack"),
			 original.profile->stacks.count);
	original_done(&original);
}

static void without_checksums(void **state)
{
	struct original original = { .bytes = NULL };
	struct outcome outcome;

	make_original(*state, &original);
	fixture_sql(original.path, "DROP TABLE checksum");
	assert_int_equal(recover(original.path, NULL, original.saved, &outcome), 0);
	assert_false(outcome.state.verified);
	assert_int_equal(count_of(&outcome, "samples")->saved, SAMPLES);
	assert_int_equal(count_of(&outcome, "samples")->unverified, SAMPLES);
	check_samples(&original, &outcome);
	check_rows(&original, "without checksums");
	original_done(&original);
}

/* References that lead nowhere, and round in circles, of a file without checksums. */
static void bad_references(void **state)
{
	struct original original = { .bytes = NULL };
	struct outcome outcome;

	make_original(*state, &original);
	fixture_sql(original.path,
		    "DROP TABLE checksum; UPDATE process SET parent = id + 1 WHERE id < 20;"
		    "UPDATE process SET parent = 5 WHERE id = 20;"
		    "UPDATE process SET parent = 4000000000 WHERE id = 30;"
		    "UPDATE task SET process = 123456 WHERE id = 7;"
		    "UPDATE frame SET image = 99999, symbol = 99999 WHERE id = 8;"
		    "UPDATE stack SET frame = 77777 WHERE id = 9;"
		    "UPDATE stack SET up = -5 WHERE id = 10;"
		    "DELETE FROM stack WHERE id = 11; DELETE FROM symbol WHERE id = 12;"
		    "DELETE FROM process WHERE id = 40; DELETE FROM event WHERE id = 1;"
		    "INSERT INTO stack(id, up, frame) VALUES(2000000000, 1, 1)");
	assert_int_equal(recover(original.path, NULL, original.saved, &outcome), 0);
	assert_int_equal(outcome.state.circles, 1);
	assert_int_equal(
		fixture_sql_number(original.saved,
				   "SELECT count(*) FROM process WHERE id = 40 AND program "
				   "= '[damaged]'"),
		1);
	assert_int_equal(fixture_sql_number(original.saved, "SELECT count(*) FROM stack"),
			 original.profile->stacks.count + 2);
	check_samples(&original, &outcome);
	original_done(&original);
}

/* What a writer that was killed in the middle of a transaction leaves: SQLite makes it. */
static void take_journal(struct original *original, const char *sql, char *journal, size_t size)
{
	char *command = sqlite3_mprintf("cp %s %s; cp %s-journal %s-journal", original->path,
					original->damaged, original->path, original->damaged);
	sqlite3 *db;

	assert_int_equal(sqlite3_open_v2(original->path, &db, SQLITE_OPEN_READWRITE, NULL), 0);
	assert_int_equal(sqlite3_exec(db, "PRAGMA cache_size = 1; PRAGMA synchronous = OFF; BEGIN",
				      NULL, NULL, NULL),
			 0);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), 0);
	sqlite3_db_cacheflush(db);
	assert_int_equal(system(command), 0);
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(db);
	sqlite3_free(command);
	snprintf(journal, size, "%s-journal", original->damaged);
}

static const char changes[] = "UPDATE symbol SET name = 'written over, and not finished';"
			      "UPDATE frame SET offset = 1; PRAGMA cache_spill = 1;"
			      "DELETE FROM block; INSERT INTO block(id, samples, data) "
			      "VALUES(1, 1, zeroblob(100000))";

/* Parts, keys and blocks that have no checksum yet. */
static const char additions[] =
	"INSERT INTO symbol SELECT id + 64000, image, 'not finished', start + 1, size, kind "
	"FROM symbol WHERE id > 0;"
	"INSERT INTO loss VALUES(0, 'malformed', 5, 5) ON CONFLICT DO UPDATE SET count = 5;"
	"INSERT INTO block(id, samples, data) SELECT id + (1000 << 20), samples, data FROM block";

static void unfinished_write(void **state)
{
	struct original original = { .bytes = NULL };
	struct outcome outcome;
	char journal[160];

	make_original(*state, &original);
	take_journal(&original, changes, journal, sizeof(journal));
	assert_int_equal(recover(original.damaged, journal, original.saved, &outcome), 0);
	assert_true(outcome.state.journal_used);
	assert_false(outcome.state.journal_bad);
	assert_int_equal(count_of(&outcome, "samples")->saved, SAMPLES);
	assert_int_equal(count_of(&outcome, "symbol")->missing, 0);
	check_rows(&original, "unfinished write");
	check_samples(&original, &outcome);
	original_done(&original);
}

static void damaged_journal(void **state)
{
	struct original original = { .bytes = NULL };
	struct outcome outcome;
	uint64_t random = 9;
	char journal[160];
	uint8_t *bytes;
	size_t size;

	make_original(*state, &original);
	take_journal(&original, changes, journal, sizeof(journal));
	read_bytes(journal, &bytes, &size);
	for (size_t at = 0; at < size; at += PAGE) {
		uint8_t *copy = malloc(size);

		memcpy(copy, bytes, size);
		make_garbage(copy + at, size - at < PAGE ? size - at : PAGE, &random);
		write_bytes(journal, copy, size);
		if (recover(original.damaged, journal, original.saved, &outcome) == 0)
			check_rows(&original, "damaged journal");
		assert_true(outcome.state.journal_bad);
		free(copy);
	}
	free(bytes);
	original_done(&original);
}

/* What has no checksum may be of the write that was not finished, when that cannot be undone. */
static void additions_that_cannot_be_undone(void **state)
{
	struct original original = { .bytes = NULL };
	struct outcome outcome;
	uint64_t random = 7;
	char journal[160];
	uint8_t *bytes;
	size_t size;

	make_original(*state, &original);
	take_journal(&original, additions, journal, sizeof(journal));
	read_bytes(journal, &bytes, &size);
	make_garbage(bytes, size, &random);
	write_bytes(journal, bytes, size);
	assert_int_equal(recover(original.damaged, journal, original.saved, &outcome), 0);
	assert_true(outcome.state.journal_bad);
	assert_int_equal(count_of(&outcome, "samples")->saved, SAMPLES);
	assert_int_equal(count_of(&outcome, "samples")->unverified, 0);
	check_rows(&original, "additions");
	assert_int_equal(fixture_sql_number(original.saved, "SELECT sum(samples) FROM block"),
			 SAMPLES);
	assert_int_equal(fixture_sql_number(original.saved, "SELECT max(second) FROM block"),
			 fixture_sql_number(original.path, "SELECT max(second) FROM block"));
	free(bytes);
	original_done(&original);
}

static void other_files(void **state)
{
	const struct folder *folder = *state;
	struct outcome outcome;
	uint8_t bytes[3 * PAGE] = { 0 };
	uint64_t random = 5;

	write_bytes(folder->path, bytes, 0);
	assert_int_equal(recover(folder->path, NULL, folder->path, &outcome), -EINVAL);
	write_bytes(folder->path, bytes, sizeof(bytes));
	assert_int_equal(recover(folder->path, NULL, folder->path, &outcome), -ENODATA);
	make_garbage(bytes, sizeof(bytes), &random);
	write_bytes(folder->path, bytes, sizeof(bytes));
	assert_int_equal(recover(folder->path, NULL, folder->path, &outcome), -ENODATA);
	unlink(folder->path);
	fixture_sql(folder->path, "CREATE TABLE event(a)");
	assert_int_equal(recover(folder->path, NULL, folder->path, &outcome), -EINVAL);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(whole_file),
		TEST(pages_of_zeroes),
		TEST(pages_of_garbage),
		TEST(sectors_of_zeroes),
		TEST(flipped_bytes),
		TEST(cut_at_each_page),
		TEST(without_checksums),
		TEST(bad_references),
		TEST(unfinished_write),
		TEST(damaged_journal),
		TEST(additions_that_cannot_be_undone),
		TEST(other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
