/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What recovery says is missing, of files that SQL has damaged in one place that is known. */
#include <fcntl.h>

#include "store/fixture.h"

#include "store/salvage/recover.h"

enum {
	SAMPLES = 3000,
	CLAIMED = 500, /* that there never were */
};

static void write_profile(const char *path)
{
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(path, profile);

	profile->events[0].loss[LOSS_LATE] = (struct loss){ 3, 3000 };
	profile->events[1].weight = 0;
	for (uint64_t i = 0; i < SAMPLES; i++) {
		struct sample sample = fixture_sample(i);
		struct event *event = &profile->events[sample.event];

		event->samples++;
		event->weight += sample.weight;
		event->user_samples += sample.mode == MODE_USER;
		event->kernel_samples += sample.mode == MODE_KERNEL;
		assert_true(store_add(writer, &sample));
		if (i % 500 == 499)
			fixture_flush(writer);
	}
	profile->run.end_ns = (FIXTURE_START_S + 10) * NS_PER_S;
	fixture_flush(writer);
	store_writer_free(writer);
	profile_free(profile);
}

struct outcome {
	char saved[128];
	struct recover_count counts[32];
	struct recover_state state;
};

static int store_samples(void *context, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_true(store_add(context, &samples[i]));
	return 0;
}

static void recover(const char *path, struct outcome *outcome)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct recovery *recovery;
	struct store_writer *writer;
	struct err err = { "" };

	assert_true(fd >= 0);
	if (recovery_open(fd, -1, path, &recovery, &err) < 0)
		fail_msg("%s", err.text);
	writer = fixture_create(outcome->saved, recovery_profile(recovery));
	assert_int_equal(recovery_each_batch(recovery, store_samples, writer, &err), 0);
	fixture_flush(writer);
	store_writer_free(writer);
	outcome->state = recovery_state(recovery);
	memcpy(outcome->counts, outcome->state.counts,
	       outcome->state.count * sizeof(struct recover_count));
	recovery_free(recovery);
	close(fd);
}

/* Writes a profile, keeps it as it is for of_whole(), and damages it. */
static void prepare(const struct folder *folder, const char *sql)
{
	char command[256];

	unlink(folder->path);
	write_profile(folder->path);
	snprintf(command, sizeof(command), "cp %s %s/whole", folder->path, folder->name);
	assert_int_equal(system(command), 0);
	if (*sql)
		fixture_sql(folder->path, sql);
}

static void damage(const struct folder *folder, const char *sql, struct outcome *outcome)
{
	static int number;

	prepare(folder, sql);
	snprintf(outcome->saved, sizeof(outcome->saved), "%s/saved-%d", folder->name, ++number);
	recover(folder->path, outcome);
}

static int64_t of_whole(const struct folder *folder, const char *sql)
{
	char whole[128];

	snprintf(whole, sizeof(whole), "%s/whole", folder->name);
	return fixture_sql_number(whole, sql);
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

/* What there is now and what is said to be lost make up what there was, of each event. */
static void assert_sums(const struct folder *folder, const struct outcome *outcome)
{
	static const char *const columns[] = { "samples", "weight" };
	static const char *const losses[] = { "count", "weight" };

	for (int i = 0; i < 4; i++) {
		char was[128], lost[128];

		snprintf(was, sizeof(was), "SELECT %s FROM event WHERE id = %d", columns[i % 2],
			 i / 2);
		snprintf(lost, sizeof(lost),
			 "SELECT total(%s) FROM loss WHERE event = %d AND reason = 'damaged'",
			 losses[i % 2], i / 2);
		assert_int_equal(fixture_sql_number(outcome->saved, was) +
					 fixture_sql_number(outcome->saved, lost),
				 of_whole(folder, was));
	}
}

static int64_t lost_of(const struct outcome *outcome, int event)
{
	char sql[128];

	snprintf(sql, sizeof(sql),
		 "SELECT total(count) FROM loss WHERE event = %d AND reason = 'damaged'", event);
	return fixture_sql_number(outcome->saved, sql);
}

/* ---- samples ---- */

static void nothing_is_damaged(void **state)
{
	static const char *const sums[] = { "SELECT sum(kernel_samples) FROM event",
					    "SELECT sum(user_samples) FROM event",
					    "SELECT kernel_samples FROM event WHERE id = 1",
					    "SELECT sum(id * samples) FROM event" };
	struct outcome outcome;

	damage(*state, "", &outcome);
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		assert_int_equal(fixture_sql_number(outcome.saved, sums[i]),
				 of_whole(*state, sums[i]));
	assert_sums(*state, &outcome);
}

/* Its checksum says how many samples it had; the events, whose they were. */
static void a_block_that_is_gone(void **state)
{
	struct outcome outcome;
	int64_t missing;

	damage(*state, "DELETE FROM block WHERE id = (SELECT max(id) FROM block)", &outcome);
	missing = of_whole(*state, "SELECT samples FROM block ORDER BY id DESC LIMIT 1");
	assert_int_equal(count_of(&outcome, "blocks")->missing, 1);
	assert_int_equal(count_of(&outcome, "samples")->missing, missing);
	assert_int_equal(count_of(&outcome, "samples")->saved, SAMPLES - missing);
	assert_sums(*state, &outcome);
}

/* Nothing else says how many there were. */
static void only_checksums_know(void **state)
{
	struct outcome outcome;

	damage(*state,
	       "DELETE FROM block WHERE id = (SELECT max(id) FROM block); DELETE FROM layer;"
	       "UPDATE event SET samples = 0",
	       &outcome);
	assert_int_equal(count_of(&outcome, "samples")->missing,
			 of_whole(*state, "SELECT samples FROM block ORDER BY id DESC LIMIT 1"));
}

/* Whose they were is not known: the first event's. */
static void of_events_that_are_not_known(void **state)
{
	struct outcome outcome;
	int64_t missing;

	damage(*state,
	       "DELETE FROM block WHERE id = (SELECT max(id) FROM block);"
	       "UPDATE event SET samples = 0",
	       &outcome);
	missing = of_whole(*state, "SELECT samples FROM block ORDER BY id DESC LIMIT 1");
	assert_int_equal(count_of(&outcome, "event")->missing, 2);
	assert_int_equal(lost_of(&outcome, 0) + lost_of(&outcome, 1), missing);
	assert_int_equal(lost_of(&outcome, 0), missing);
}

/* Where SQLite keeps the list of the pages that it does not use. */
enum { FREE_LIST = 32, FREE_LIST_BYTES = 8 };

static const char long_ago[] =
	"PRAGMA secure_delete = OFF; CREATE TEMP TABLE kept AS SELECT * FROM block;"
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) "
	"INSERT INTO block(id, samples, data) "
	"SELECT id + (100 * i << 20), samples, data FROM block, n;"
	"DELETE FROM block;" /* all at once: pages are let go as they are */
	"INSERT INTO block(id, samples, data) SELECT id, samples, data FROM kept";

/* Without checksums only the list of free pages distinguishes them. */
static void blocks_in_free_pages(void **state)
{
	struct outcome outcome;
	char sql[1024];

	snprintf(sql, sizeof(sql), "%s; PRAGMA secure_delete = ON; DROP TABLE checksum", long_ago);
	damage(*state, sql, &outcome);
	assert_int_equal(count_of(&outcome, "samples")->saved, SAMPLES);
	assert_int_equal(count_of(&outcome, "samples")->missing, 0);
}

/* Blocks without a checksum in pages that the file no longer uses are old ones, even if the list of
 * these pages is damaged. */
static void blocks_of_long_ago(void **state)
{
	static const uint8_t nothing[FREE_LIST_BYTES];
	const struct folder *folder = *state;
	struct outcome outcome;
	int fd;

	prepare(folder, long_ago);
	fd = open(folder->path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, nothing, sizeof(nothing), FREE_LIST), sizeof(nothing));
	close(fd);
	snprintf(outcome.saved, sizeof(outcome.saved), "%s/saved", folder->name);
	recover(folder->path, &outcome);
	assert_int_equal(count_of(&outcome, "samples")->saved, SAMPLES);
	assert_int_equal(count_of(&outcome, "samples")->missing, 0);
	assert_int_equal(count_of(&outcome, "blocks")->unverified, 0);
}

/* Without checksums samples are missing only if both that count them agree. */
static void claims_must_agree(void **state)
{
	struct outcome outcome;

	damage(*state, "DROP TABLE checksum; UPDATE layer SET samples = samples + 500", &outcome);
	assert_int_equal(count_of(&outcome, "samples")->missing, 0);
	damage(*state, "DROP TABLE checksum; UPDATE event SET samples = samples + 500", &outcome);
	assert_int_equal(count_of(&outcome, "samples")->missing, 0);
	damage(*state,
	       "DROP TABLE checksum; UPDATE layer SET samples = samples + 600;"
	       "UPDATE event SET samples = samples + 500 WHERE id = 1",
	       &outcome);
	assert_int_equal(count_of(&outcome, "samples")->missing, CLAIMED);
	assert_int_equal(lost_of(&outcome, 0), 0);
	assert_int_equal(lost_of(&outcome, 1), CLAIMED);
}

/* ---- rows ---- */

/* A row that has a checksum of its own takes no other with it. */
static void one_row_of_many(void **state)
{
	struct outcome outcome;

	damage(*state,
	       "UPDATE loss SET count = 99 WHERE event = 0 AND reason = 'ring_full';"
	       "UPDATE header SET value = 'another' WHERE name = 'command'",
	       &outcome);
	assert_int_equal(count_of(&outcome, "loss")->missing, 1);
	assert_int_equal(count_of(&outcome, "loss")->saved,
			 of_whole(*state, "SELECT count(*) FROM loss") - 1);
	assert_int_equal(
		fixture_sql_number(outcome.saved, "SELECT count FROM loss WHERE reason = 'late'"),
		3);
	assert_int_equal(count_of(&outcome, "header")->missing, 1);
	assert_int_equal(fixture_sql_number(outcome.saved, "SELECT count(*) FROM header WHERE "
							   "value = 'another'"),
			 0);
}

/* What numbers mean is what the file said, or what its checksums show that it said, and only
 * without them what this program would say. */
static void words_of_the_file(void **state)
{
	struct outcome outcome;

	damage(*state, "DELETE FROM word", &outcome);
	assert_int_equal(outcome.state.words, 0);
	assert_int_equal(count_of(&outcome, "samples")->saved, SAMPLES);
	damage(*state, "DROP TABLE checksum; DELETE FROM word", &outcome);
	assert_int_equal(outcome.state.words, of_whole(*state, "SELECT count(*) FROM word"));
	assert_int_equal(count_of(&outcome, "samples")->saved, SAMPLES);
	damage(*state,
	       "DELETE FROM word; DELETE FROM checksum WHERE name = 'word' AND part <> "
	       "(SELECT min(part) FROM checksum WHERE name = 'word')",
	       &outcome);
	assert_int_equal(outcome.state.words, 0);
	assert_int_equal(count_of(&outcome, "samples")->saved, 0);
}

/* A word that is another than the one the checksum is of is not ours. */
static void words_of_another_version(void **state)
{
	struct outcome outcome;

	damage(*state,
	       "DELETE FROM word WHERE list = 'mode';"
	       "UPDATE checksum SET crc = crc + 1 WHERE name = 'word'",
	       &outcome);
	assert_int_equal(outcome.state.words, 0);
	assert_int_equal(count_of(&outcome, "samples")->saved, 0);
}

/* References to the first row that is not there lead nowhere, as SQLite sees it. */
static void references_just_beyond(void **state)
{
	static const char *const damages[] = {
		"UPDATE frame SET image = (SELECT max(id) + 1 FROM image) WHERE id = 8",
		"UPDATE frame SET symbol = (SELECT max(id) + 1 FROM symbol) WHERE id = 8",
		"UPDATE symbol SET image = (SELECT max(id) + 1 FROM image) WHERE id = 8",
		"UPDATE task SET process = (SELECT max(id) + 1 FROM process) WHERE id = 2",
		"UPDATE process SET parent = (SELECT max(id) + 1 FROM process) WHERE id = 2",
		"UPDATE stack SET frame = (SELECT max(id) + 1 FROM frame) WHERE id = 9",
		"UPDATE code SET image = (SELECT max(id) + 1 FROM image) WHERE id = 1",
		"UPDATE line SET image = (SELECT max(id) + 1 FROM image) WHERE id = 1",
		"DELETE FROM text",
		"DELETE FROM event WHERE id = 1",
	};

	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		struct outcome outcome;
		char sql[256];

		snprintf(sql, sizeof(sql), "DROP TABLE checksum; %s", damages[i]);
		damage(*state, sql, &outcome);
		if (fixture_sql_number(outcome.saved,
				       "SELECT count(*) FROM pragma_foreign_key_check"))
			fail_msg("it leads nowhere: %s", damages[i]);
		assert_int_equal(count_of(&outcome, "samples")->saved, SAMPLES);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_damaged),     TEST(a_block_that_is_gone),
		TEST(only_checksums_know),    TEST(of_events_that_are_not_known),
		TEST(blocks_in_free_pages),   TEST(blocks_of_long_ago),
		TEST(claims_must_agree),      TEST(one_row_of_many),
		TEST(words_of_the_file),      TEST(words_of_another_version),
		TEST(references_just_beyond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
