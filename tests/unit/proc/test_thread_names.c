/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of threads that rename themselves at each step: the truth is what they chose. */
#include "proc/thread_names.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"

enum {
	THREADS = 2,
	MANY = 2000, /* names: more than a page has room for */
};

struct worker {
	pthread_t thread;
	pid_t tid;
	sem_t go, done;
	const char *name; /* to take on; NULL: it ends */
	int times;
	pid_t other; /* thread to rename instead; 0: itself */
};

struct world {
	struct worker workers[THREADS];
	struct thread_names *names;
};

static void give(pid_t tid, const char *name)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)tid);
	file = fopen(path, "w");
	if (file) {
		fputs(name, file);
		fclose(file);
	}
}

static void *work(void *context)
{
	struct worker *worker = context;

	prctl(PR_SET_NAME, "at-birth");
	worker->tid = gettid();
	sem_post(&worker->done);
	for (;;) {
		sem_wait(&worker->go);
		if (!worker->name)
			return NULL;
		for (int i = 1; i < worker->times; i++)
			prctl(PR_SET_NAME, "passing");
		if (worker->other)
			give(worker->other, worker->name);
		else
			prctl(PR_SET_NAME, worker->name);
		sem_post(&worker->done);
	}
}

static void rename_it(struct worker *worker, const char *name, int times)
{
	worker->name = name;
	worker->times = times;
	sem_post(&worker->go);
	sem_wait(&worker->done);
}

/* When it is over the kernel does not know the thread any more. */
static void end_it(struct worker *worker)
{
	if (!worker->thread)
		return;
	worker->name = NULL;
	sem_post(&worker->go);
	pthread_join(worker->thread, NULL);
	worker->thread = 0;
}

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	pid_t tids[THREADS], pids[THREADS];

	for (int i = 0; i < THREADS; i++) {
		struct worker *worker = &world->workers[i];

		sem_init(&worker->go, 0, 0);
		sem_init(&worker->done, 0, 0);
		if (pthread_create(&worker->thread, NULL, work, worker))
			return -1;
		sem_wait(&worker->done);
		tids[i] = worker->tid;
		pids[i] = getpid();
	}
	world->names = thread_names_new(NULL, tids, pids, THREADS);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	for (int i = 0; i < THREADS; i++)
		end_it(&world->workers[i]);
	thread_names_free(world->names);
	free(world);
	return 0;
}

static void assert_names(const struct world *world, const char *first, const char *second)
{
	thread_names_refresh(world->names);
	assert_string_equal(thread_names_comm(world->names, 0), first);
	assert_string_equal(thread_names_comm(world->names, 1), second);
}

/* True if the kernel reports events of the threads of this process. */
static bool may_ask(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	int level = 4;

	if (file && fscanf(file, "%d", &level) != 1)
		level = 4;
	if (file)
		fclose(file);
	return geteuid() == 0 || level <= 2;
}

/* pthread_join returns when the thread's memory is free, which is before its entry in /proc goes:
 * the names are the same before and after. */
static void a_name_from_birth_to_after_the_end(void **state)
{
	struct world *world = *state;

	if (!may_ask()) {
		print_message("needs perf events, kernel.perf_event_paranoid <= 2\n");
		skip();
	}
	assert_names(world, "at-birth", "at-birth");
	rename_it(&world->workers[0], "later", 1);
	assert_names(world, "later", "at-birth");
	rename_it(&world->workers[0], "last", 1);
	end_it(&world->workers[0]);
	end_it(&world->workers[1]);
	while (thread_facts_number(world->workers[0].tid, "Tgid"))
		usleep(1000);
	assert_names(world, "last", "at-birth");
	assert_names(world, "last", "at-birth");
}

/* More names than there is room for: a thread that still runs is asked for its own. */
static void a_name_after_many(void **state)
{
	struct world *world = *state;

	rename_it(&world->workers[0], "of-many", MANY);
	rename_it(&world->workers[1], "of-one", 1);
	assert_names(world, "of-many", "of-one");
}

/* The kernel reports the event for the thread that renames, not for the renamed one; and a thread
 * that has ended cannot be asked. */
static void a_name_that_another_gives(void **state)
{
	struct world *world = *state;
	struct worker *giver = &world->workers[0];

	giver->other = world->workers[1].tid;
	rename_it(giver, "given", 1);
	end_it(giver);
	while (thread_facts_number(giver->tid, "Tgid"))
		usleep(1000);
	assert_names(world, "at-birth", "given");
}

static pid_t run(const char *program)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		execl(program, program, "1000", NULL);
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 0); /* closed by exec */
	close(ready[0]);
	return pid;
}

/* Each process has its own; it is known after the end, too. */
static void programs(void **state)
{
	char folder[] = "/tmp/prospect-test-XXXXXX", link[64], own[4096];
	struct thread_names *names;
	pid_t pids[3];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(link, sizeof(link), "%s/sleep", folder);
	assert_int_equal(symlink("/bin/sleep", link), 0);
	pids[0] = run("/bin/sleep");
	pids[1] = getpid();
	pids[2] = run(link);
	names = thread_names_new(NULL, pids, pids, 3);
	for (int i = 0; i < 3; i += 2) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	thread_names_refresh(names);
	assert_true(thread_facts_program(NULL, getpid(), own, sizeof(own)));
	assert_string_equal(thread_names_program(names, 0), "/bin/sleep");
	assert_string_equal(thread_names_program(names, 1), own);
	assert_string_equal(thread_names_program(names, 2), link);
	thread_names_free(names);
	names = thread_names_new(NULL, pids, pids, 1);
	assert_string_equal(thread_names_program(names, 0), THREAD_FACTS_NOT_KNOWN);
	assert_string_equal(thread_names_comm(names, 0), THREAD_FACTS_NOT_KNOWN);
	thread_names_free(names);
	unlink(link);
	rmdir(folder);
}

int main(void)
{
#define WITH_THREADS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		WITH_THREADS(a_name_from_birth_to_after_the_end),
		WITH_THREADS(a_name_after_many),
		WITH_THREADS(a_name_that_another_gives),
		cmocka_unit_test(programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
