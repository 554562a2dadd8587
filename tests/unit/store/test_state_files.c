/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "store/state_files.h"
#include "store/store.h"

struct place {
	char home[64];
	struct owner owner;
};

static int set_up(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	strcpy(place->home, "/tmp/prospect-test-XXXXXX");
	if (!mkdtemp(place->home))
		return -1;
	setenv("XDG_STATE_HOME", place->home, 1);
	unsetenv("SUDO_UID");
	owner_find(&place->owner);
	*state = place;
	return 0;
}

static int tear_down(void **state)
{
	struct place *place = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", place->home);
	free(place);
	return system(command);
}

static void add_sample(struct profile *profile, struct store_writer *writer)
{
	const struct sample sample = { .time_ns = 5000000000, .weight = 1 };

	profile->events[profile->event_count++] =
		(struct event){ .name = strpool_intern(&profile->strings, "cpu-clock"),
				.unit = strpool_intern(&profile->strings, "ns") };
	assert_true(store_add(writer, &sample));
}

/* A profile with one flush, told apart by its command; its recording has not ended. */
static struct store_writer *begin_profile(const char *path, const char *command, bool has_sample)
{
	struct profile *profile = profile_new();
	struct store_writer *writer;

	assert_int_equal(store_create(path, profile, &writer, NULL), 0);
	profile_set_text(&profile->run.command, command);
	if (has_sample)
		add_sample(profile, writer);
	assert_int_equal(store_flush(writer, NULL), 0);
	profile_free(profile);
	return writer;
}

static void make_profile(const char *path, const char *command)
{
	store_writer_free(begin_profile(path, command, true));
}

static void assert_command(const char *path, const char *command)
{
	struct store_reader *reader;
	struct profile *profile;

	assert_int_equal(store_open(path, &reader, NULL), 0);
	assert_int_equal(store_load_profile(reader, &profile, NULL), 0);
	assert_string_equal(profile->run.command, command);
	profile_free(profile);
	store_close(reader);
}

static void record(struct place *place, const char *command)
{
	char path[STATE_PATH_MAX];
	struct store_writer *writer;

	assert_int_equal(state_begin(&place->owner, path, sizeof(path), NULL), 0);
	writer = begin_profile(path, command, true);
	assert_int_equal(state_commit(&place->owner, writer, path, sizeof(path), NULL), 0);
	assert_command(path, command);
}

static void nothing_yet_is_said_plainly(void **state)
{
	char path[STATE_PATH_MAX];
	struct err err;

	assert_true(state_last_profile(path, sizeof(path), &err) < 0);
	assert_non_null(strstr(err.text, "prospect COMMAND"));
}

static void the_last_becomes_the_previous(void **state)
{
	char path[STATE_PATH_MAX];

	record(*state, "first");
	record(*state, "second");
	record(*state, "third");
	assert_int_equal(state_last_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "third");
	assert_int_equal(state_previous_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "second");
}

/* The pid of a process that has certainly ended. */
static pid_t dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void a_killed_recording_becomes_the_last(void **state)
{
	struct place *place = *state;
	char path[STATE_PATH_MAX];

	record(place, "whole");
	snprintf(path, sizeof(path), "%s/prospect/recording-%d.prof", place->home, (int)dead_pid());
	make_profile(path, "killed");
	assert_int_equal(state_last_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "killed");
	assert_int_equal(state_previous_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "whole");
}

static void a_killed_recording_without_samples_replaces_nothing(void **state)
{
	struct place *place = *state;
	char path[STATE_PATH_MAX], killed[STATE_PATH_MAX];

	record(place, "whole");
	snprintf(killed, sizeof(killed), "%s/prospect/recording-%d.prof", place->home,
		 (int)dead_pid());
	store_writer_free(begin_profile(killed, "killed", false));
	assert_int_equal(state_last_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "whole");
	assert_int_equal(state_previous_profile(path, sizeof(path), NULL), -ENOENT);
	assert_int_equal(access(killed, F_OK), -1);
}

/* A recording that ended without a sample counts, even if killed before its file was moved. */
static void an_ended_recording_without_samples_becomes_the_last(void **state)
{
	struct place *place = *state;
	char path[STATE_PATH_MAX];
	struct profile *profile = profile_new();
	struct store_writer *writer;

	record(place, "whole");
	snprintf(path, sizeof(path), "%s/prospect/recording-%d.prof", place->home, (int)dead_pid());
	assert_int_equal(store_create(path, profile, &writer, NULL), 0);
	profile_set_text(&profile->run.command, "ended");
	profile->run.end_ns = 6000000000;
	assert_int_equal(store_flush(writer, NULL), 0);
	store_writer_free(writer);
	profile_free(profile);
	assert_int_equal(state_last_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "ended");
	assert_int_equal(state_previous_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "whole");
}

/* No process here has its pid: it may be of another namespace. */
static void a_recording_that_runs_is_left_alone(void **state)
{
	struct place *place = *state;
	char path[STATE_PATH_MAX], running[STATE_PATH_MAX];
	struct store_writer *writer;

	record(place, "whole");
	snprintf(running, sizeof(running), "%s/prospect/recording-%d.prof", place->home,
		 (int)dead_pid());
	writer = begin_profile(running, "runs", true);
	assert_int_equal(state_last_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "whole");
	assert_command(running, "runs");
	record(place, "another");
	assert_command(running, "runs");
	store_writer_free(writer);
}

static void the_same_pid_elsewhere_is_left_alone(void **state)
{
	struct place *place = *state;
	char running[STATE_PATH_MAX], path[STATE_PATH_MAX];
	struct store_writer *writer;

	assert_int_equal(state_begin(&place->owner, running, sizeof(running), NULL), 0);
	writer = begin_profile(running, "runs", true);
	assert_int_equal(state_begin(&place->owner, path, sizeof(path), NULL), 0);
	assert_string_not_equal(path, running);
	assert_command(running, "runs");
	store_writer_free(writer);
}

/* Somebody else got the pid of the one that was killed. */
static void a_recycled_pid_keeps_nothing_alive(void **state)
{
	struct place *place = *state;
	char path[STATE_PATH_MAX];

	record(place, "whole");
	snprintf(path, sizeof(path), "%s/prospect/recording-%d.prof", place->home, (int)getppid());
	make_profile(path, "killed");
	assert_int_equal(state_last_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "killed");
}

static void put_bytes(const char *path, off_t at, const char *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_int_equal(pwrite(fd, bytes, size, at), size);
	close(fd);
}

/* A profile that cannot be read, now or by this version, is not removed. */
static void what_cannot_be_opened_stays(void **state)
{
	struct place *place = *state;
	char newer[STATE_PATH_MAX], damaged[STATE_PATH_MAX], path[STATE_PATH_MAX];

	record(place, "whole");
	snprintf(newer, sizeof(newer), "%s/prospect/recording-%d.prof", place->home,
		 (int)dead_pid());
	make_profile(newer, "newer");
	put_bytes(newer, 60, "\0\0\1\0", 4); /* user_version */
	snprintf(damaged, sizeof(damaged), "%s/prospect/recording-%d.prof", place->home,
		 (int)dead_pid());
	make_profile(damaged, "damaged");
	assert_int_equal(truncate(damaged, 4096), 0);
	assert_int_equal(state_last_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "whole");
	assert_int_equal(access(newer, F_OK), 0);
	assert_int_equal(access(damaged, F_OK), 0);
}

static void rubbish_of_the_dead_is_removed(void **state)
{
	struct place *place = *state;
	char path[STATE_PATH_MAX], rubbish[STATE_PATH_MAX];
	struct stat st;
	FILE *file;

	record(place, "whole");
	snprintf(rubbish, sizeof(rubbish), "%s/prospect/recording-%d.prof", place->home,
		 (int)dead_pid());
	file = fopen(rubbish, "w");
	fputs("no profile", file);
	fclose(file);
	assert_int_equal(state_last_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "whole");
	assert_true(stat(rubbish, &st) < 0);
}

/* "recording-5.prof-journal" is of a recording that may run, and a copy is the user's. */
static void other_names_are_left_alone(void **state)
{
	static const char *const names[] = { "recording-5.prof-journal", "recording-5.prof.old",
					     "recording-0.prof", "recording-.prof",
					     "my-recording-5.prof" };
	struct place *place = *state;
	char path[STATE_PATH_MAX];

	record(place, "whole");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/prospect/%s", place->home, names[i]);
		make_profile(path, "other");
	}
	assert_int_equal(state_last_profile(path, sizeof(path), NULL), 0);
	assert_command(path, "whole");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/prospect/%s", place->home, names[i]);
		assert_command(path, "other");
	}
}

/* When the last profile cannot be moved out of the way, it stays, and so does the new one. */
static void a_profile_that_cannot_be_kept_is_an_error(void **state)
{
	struct place *place = *state;
	char path[STATE_PATH_MAX], last[STATE_PATH_MAX];
	struct store_writer *writer;
	struct err err;
	struct stat st;

	record(place, "whole");
	snprintf(last, sizeof(last), "%s/prospect/last.prof", place->home);
	assert_int_equal(unlink(last), 0);
	assert_int_equal(mkdir(last, 0700), 0);
	assert_int_equal(state_begin(&place->owner, path, sizeof(path), NULL), 0);
	writer = begin_profile(path, "new", true);
	assert_int_equal(state_commit(&place->owner, writer, path, sizeof(path), &err), -EBUSY);
	assert_non_null(strstr(err.text, "cannot keep the profile as"));
	assert_command(path, "new");
	assert_int_equal(stat(last, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
}

static void assert_kept(unsigned age, const char *command)
{
	char path[STATE_PATH_MAX];

	assert_int_equal(state_profile(age, path, sizeof(path), NULL), 0);
	assert_command(path, command);
}

static void record_many(struct place *place, int count)
{
	char command[16];

	for (int i = 1; i <= count; i++) {
		snprintf(command, sizeof(command), "%d", i);
		record(place, command);
	}
}

static void the_last_ten_are_kept(void **state)
{
	char path[STATE_PATH_MAX];
	struct err err;

	record_many(*state, 9);
	assert_kept(0, "9");
	assert_kept(8, "1");
	assert_int_equal(state_profile(9, path, sizeof(path), &err), -ENOENT);
	assert_non_null(strstr(err.text, "there is no profile @10"));
	record_many(*state, 12);
	assert_kept(0, "12");
	assert_kept(1, "11");
	assert_kept(9, "3");
}

/* What was renamed stays, and leaves a place for another. */
static void a_renamed_one_is_not_removed(void **state)
{
	struct place *place = *state;
	char from[STATE_PATH_MAX], to[STATE_PATH_MAX];

	record_many(place, 10);
	snprintf(from, sizeof(from), "%s/prospect/last-4.prof", place->home);
	snprintf(to, sizeof(to), "%s/prospect/mine.prof", place->home);
	assert_int_equal(rename(from, to), 0);
	record(place, "11");
	assert_command(to, "6");
	assert_kept(0, "11");
	assert_kept(4, "7");
	assert_kept(9, "1"); /* nothing had to go */
	record(place, "12");
	assert_command(to, "6");
	assert_kept(9, "2");
}

/* Somebody records into it with -o. */
static void one_that_is_being_written_stays(void **state)
{
	struct place *place = *state;
	char path[STATE_PATH_MAX];
	struct store_writer *writer;

	record_many(place, 10);
	snprintf(path, sizeof(path), "%s/prospect/last-9.prof", place->home);
	assert_int_equal(unlink(path), 0);
	writer = begin_profile(path, "runs", true);
	record(place, "11");
	assert_command(path, "runs");
	assert_kept(0, "11");
	assert_kept(8, "3");
	store_writer_free(writer);
}

static void words_for_ages(void **state)
{
	static const char *const others[] = { "@", "@0", "@11", "@1x",	 "@01",
					      "2", "",	 "@-1", "last-1" };
	unsigned age;

	struct place *place = *state;
	char path[STATE_PATH_MAX];
	const char *word = "@2";
	struct err err;

	record_many(place, 2);
	assert_int_equal(state_find(&word, path, sizeof(path), &err), 0);
	assert_ptr_equal(word, path);
	assert_command(path, "1");
	word = "@8";
	assert_int_equal(state_find(&word, path, sizeof(path), &err), -ENOENT);
	word = "any.prof";
	assert_int_equal(state_find(&word, path, sizeof(path), &err), 0);
	assert_string_equal(word, "any.prof");
	assert_int_equal(chdir(place->home), 0);
	make_profile("@2", "a file");
	assert_false(state_is_age("@2", &age));
	assert_int_equal(unlink("@2"), 0);
	assert_int_equal(chdir("/"), 0);
	assert_true(state_is_age("@2", &age));
	assert_int_equal(age, 1);
	assert_true(state_is_age("@10", &age));
	assert_int_equal(age, 9);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(state_is_age(others[i], &age));
}

static void the_folder_is_private(void **state)
{
	struct place *place = *state;
	char path[STATE_PATH_MAX];
	struct stat st;

	record(place, "whole");
	snprintf(path, sizeof(path), "%s/prospect", place->home);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

/* Folders below the home folder are made, the home folder itself is not. */
static void a_home_that_is_not_there_is_not_made(void **state)
{
	struct place *place = *state;
	char none[80], path[STATE_PATH_MAX];
	struct err err;

	unsetenv("XDG_STATE_HOME");
	snprintf(none, sizeof(none), "%s/none", place->home);
	setenv("HOME", none, 1);
	owner_find(&place->owner);
	assert_int_equal(state_begin(&place->owner, path, sizeof(path), &err), -ENOENT);
	assert_non_null(strstr(err.text, "none does not exist"));
	assert_int_equal(access(none, F_OK), -1);
	assert_int_equal(mkdir(none, 0700), 0);
	assert_int_equal(state_make_folder(&place->owner, NULL), 0);
	snprintf(path, sizeof(path), "%s/.local/state/prospect", none);
	assert_int_equal(access(path, F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_yet_is_said_plainly, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_last_becomes_the_previous, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_killed_recording_becomes_the_last, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_killed_recording_without_samples_replaces_nothing,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_ended_recording_without_samples_becomes_the_last,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_recording_that_runs_is_left_alone, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_same_pid_elsewhere_is_left_alone, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_recycled_pid_keeps_nothing_alive, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_opened_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(rubbish_of_the_dead_is_removed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_names_are_left_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_profile_that_cannot_be_kept_is_an_error, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_last_ten_are_kept, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_renamed_one_is_not_removed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_is_being_written_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(words_for_ages, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_folder_is_private, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_home_that_is_not_there_is_not_made, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
