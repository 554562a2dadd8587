/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a killed recorder and a full disk leave behind: everything up to the last flush. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/fixture.h"

enum {
	FLUSH = 300, /* samples */
	KILLS = 80, /* with ALL_CASES in the environment; otherwise a fifth */
	FLUSHES_MOST = 400,
	RARELY = 7, /* every so many flushes bring the sums up to date */
};

/* Flushes until it is killed; one byte to @report after each. */
static void record_for_ever(const char *path, int report)
{
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(path, profile);

	for (uint64_t i = 0; i < FLUSHES_MOST; i++) {
		fixture_add(writer, i * FLUSH, FLUSH);
		for (uint32_t at = 0; at < 50; at++)
			profile_stack(profile, (uint32_t)profile->stacks.count - 1,
				      1 + (at + (uint32_t)i) % FIXTURE_STACKS);
		profile->processes.items[1].end_ns = i + 1;
		profile->processes.items[1].dirty = true;
		profile->run.end_ns = i % RARELY == RARELY - 1;
		fixture_flush(writer);
		if (write(report, "f", 1) != 1)
			break;
	}
}

/* Waits for so many flushes, then a little into the next, and kills. Returns how many flushes the
 * child reported. */
static uint64_t record_and_kill(const char *path, uint64_t flushes, uint64_t delay_us)
{
	int pipes[2];
	uint64_t told = 0;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		record_for_ever(path, pipes[1]);
		_exit(0);
	}
	close(pipes[1]);
	for (; told < flushes && read(pipes[0], &byte, 1) == 1; told++)
		;
	for (uint64_t until = clock_ns() + delay_us * 1000; clock_ns() < until;)
		;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (; read(pipes[0], &byte, 1) == 1; told++)
		;
	close(pipes[0]);
	return told;
}

/* A journal that begins with a zero, or with nothing, had not begun to matter. */
static bool journal_is_hot(const char *path)
{
	char journal[128], first = 0;
	int fd;

	snprintf(journal, sizeof(journal), "%s-journal", path);
	fd = open(journal, O_RDONLY);
	if (fd < 0)
		return false;
	if (read(fd, &first, 1) != 1)
		first = 0;
	close(fd);
	return first != 0;
}

/* The kernel keeps what was written, so every flush that was reported is there, and one more if the
 * kill came between its end and its byte. */
static void killed_anywhere(void **state)
{
	const struct folder *folder = *state;
	bool all = getenv("ALL_CASES") != NULL;
	int kills = all ? KILLS : KILLS / 5, interrupted = 0;
	uint64_t random = 42;

	for (int i = 0; i < kills; i++) {
		uint64_t flushes = 1 + fixture_random(&random) % 12;
		uint64_t told =
			record_and_kill(folder->path, flushes, fixture_random(&random) % 4000);
		uint64_t samples;

		interrupted += journal_is_hot(folder->path);
		samples = fixture_layers_agree(folder->path);
		assert_int_equal(samples % FLUSH, 0);
		assert_in_range(samples / FLUSH, told, told + 1);
		assert_int_equal(fixture_sql_number(folder->path,
						    "SELECT integrity_check = 'ok' FROM "
						    "pragma_integrity_check"),
				 1);
		assert_int_equal(
			fixture_sql_number(folder->path, "SELECT end_ns FROM process WHERE id = 1"),
			samples / FLUSH);
		unlink(folder->path);
	}
	print_message("%d of %d kills came in the middle of a flush\n", interrupted, kills);
	if (all) /* a few may all come between two flushes */
		assert_true(interrupted > 0);
}

/* Killed while the tables are laid out, or before the first flush: no profile yet, or an empty one.
 */
static void killed_at_birth(void **state)
{
	const struct folder *folder = *state;
	bool all = getenv("ALL_CASES") != NULL;
	int opened = 0, refused = 0;

	for (uint64_t i = 0; i < 60; i += all ? 1 : 5) {
		uint64_t told = record_and_kill(folder->path, 0, i * 300);
		struct store_reader *reader = NULL;
		struct err err = { "" };
		int rc = store_open(folder->path, &reader, &err);

		store_close(reader);
		if (rc == 0) {
			assert_in_range(fixture_layers_agree(folder->path) / FLUSH, told, told + 1);
			opened++;
		} else {
			assert_true(rc == -ENOENT || rc == -EINVAL);
			assert_true(strstr(err.text, "No such file") ||
				    strstr(err.text, "is empty"));
			assert_int_equal(told, 0);
			refused++;
		}
		unlink(folder->path);
	}
	print_message("%d opened, %d were no profile yet\n", opened, refused);
}

/* Leaves the file with an interrupted write. */
static void interrupt(const char *path)
{
	for (uint64_t i = 0; i < 1000 && !journal_is_hot(path); i++) {
		unlink(path);
		record_and_kill(path, 3, i * 37 % 4000);
	}
	assert_true(journal_is_hot(path));
}

/* Must fail with the sentence, never open to half a flush. */
static int open_without_permission(const char *path)
{
	struct store_reader *reader;
	struct err err = { "" };

	if (setgid(65534) < 0 || setuid(65534) < 0)
		return 10;
	if (store_open(path, &reader, &err) >= 0)
		return 1;
	return strstr(err.text, path) && strstr(err.text, "open it once as its owner") ? 0 : 2;
}

static void expect_sentence(const char *path)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(open_without_permission(path));
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_true(journal_is_hot(path));
}

static void interrupted_and_not_writable(void **state)
{
	const struct folder *folder = *state;
	char journal[128];

	if (geteuid() != 0) {
		print_message("needs root, to become somebody else\n");
		skip();
	}
	snprintf(journal, sizeof(journal), "%s-journal", folder->path);
	interrupt(folder->path);
	assert_int_equal(chmod(folder->name, 0755), 0);
	/* Neither file nor folder; the file but not the journal; both but not the folder. */
	assert_int_equal(chmod(folder->path, 0644), 0);
	expect_sentence(folder->path);
	assert_int_equal(chmod(folder->path, 0666), 0);
	expect_sentence(folder->path);
	assert_int_equal(chmod(journal, 0644), 0);
	expect_sentence(folder->path);
	/* Who may write undoes it. */
	assert_int_equal(fixture_layers_agree(folder->path) % FLUSH, 0);
	assert_false(journal_is_hot(folder->path));
}

static void read_only_file_system(void **state)
{
	const struct folder *folder = *state;
	struct store_reader *reader;
	struct err err;

	interrupt(folder->path);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(folder->name, folder->name, NULL, MS_BIND, NULL) < 0 ||
	    mount(NULL, folder->name, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) < 0) {
		print_message("needs the right to mount\n");
		skip();
	}
	assert_true(store_open(folder->path, &reader, &err) < 0);
	assert_non_null(strstr(err.text, "open it once as its owner"));
	assert_int_equal(umount2(folder->name, MNT_DETACH), 0);
	fixture_layers_agree(folder->path);
	assert_int_equal(mount(folder->name, folder->name, NULL, MS_BIND, NULL), 0);
	assert_int_equal(mount(NULL, folder->name, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL),
			 0);
	fixture_layers_agree(folder->path);
	assert_int_equal(umount2(folder->name, MNT_DETACH), 0);
}

/* Flushes until one fails. Returns how many did not. */
static uint64_t flush_until_failure(struct store_writer *writer, int rc, const char *words,
				    const char *path)
{
	struct err err;

	for (uint64_t i = 0; i < 1000; i++) {
		int got;

		fixture_add(writer, i * FLUSH, FLUSH);
		got = store_flush(writer, &err);
		if (got == 0)
			continue;
		assert_int_equal(got, rc);
		if (!strstr(err.text, words) || !strstr(err.text, path))
			fail_msg("%s", err.text);
		return i;
	}
	fail_msg("no flush failed");
	return 0;
}

static void fill_disk(const char *name)
{
	static const char zeros[4096];
	int fd = open(name, O_WRONLY | O_CREAT, 0600);

	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	close(fd);
}

static void disk_full(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile;
	struct store_writer *writer;
	struct err err;
	char ballast[128];
	uint64_t flushes;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", folder->name, "tmpfs", 0, "size=512k") < 0) {
		print_message("needs the right to mount\n");
		skip();
	}
	profile = fixture_profile();
	writer = fixture_create(folder->path, profile);
	flushes = flush_until_failure(writer, -ENOSPC, "free some space", folder->path);
	assert_true(flushes > 0);
	/* The reader gets all up to then, though not even an inode could be made. */
	snprintf(ballast, sizeof(ballast), "%s/ballast", folder->name);
	fill_disk(ballast);
	assert_int_equal(store_flush(writer, &err), -ENOSPC);
	assert_int_equal(fixture_layers_agree(folder->path), flushes * FLUSH);
	/* With room again nothing is missing. */
	unlink(ballast);
	assert_int_equal(mount(NULL, folder->name, NULL, MS_REMOUNT, "size=4m"), 0);
	profile->run.end_ns = 1;
	fixture_flush(writer);
	store_writer_free(writer);
	profile_free(profile);
	assert_int_equal(fixture_layers_agree(folder->path), (flushes + 1) * FLUSH);
	assert_int_equal(fixture_sql_number(folder->path, "SELECT sum(samples) FROM total"),
			 (flushes + 1) * FLUSH);
	assert_int_equal(umount2(folder->name, MNT_DETACH), 0);
}

static void file_size_limit(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();
	struct store_writer *writer = fixture_create(folder->path, profile);
	struct rlimit old, limit;
	uint64_t flushes;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){ .rlim_cur = 200000, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	flushes = flush_until_failure(writer, -EFBIG, "ulimit -f", folder->path);
	assert_true(flushes > 0);
	assert_int_equal(fixture_layers_agree(folder->path), flushes * FLUSH);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	fixture_flush(writer);
	store_writer_free(writer);
	profile_free(profile);
	assert_int_equal(fixture_layers_agree(folder->path), (flushes + 1) * FLUSH);
}

static void nothing_flushed_yet(void **state)
{
	const struct folder *folder = *state;
	struct profile *profile = fixture_profile();

	store_writer_free(fixture_create(folder->path, profile));
	assert_int_equal(fixture_layers_agree(folder->path), 0);
	profile_free(profile);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(killed_anywhere),
		TEST(killed_at_birth),
		TEST(interrupted_and_not_writable),
		TEST(file_size_limit),
		TEST(nothing_flushed_yet),
		TEST(read_only_file_system),
		TEST(disk_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
