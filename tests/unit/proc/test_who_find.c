/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child of the test with a name of its own is looked for in the real /proc. */
#include "proc/who_find.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct child {
	pid_t pid;
	char name[16];
};

static int begin_child(void **state)
{
	static struct child child;
	int ready[2];
	char byte;

	snprintf(child.name, sizeof(child.name), "whofind%d", (int)getpid() % 100000);
	if (pipe(ready) < 0)
		return -1;
	child.pid = fork();
	if (child.pid == 0) {
		prctl(PR_SET_NAME, child.name);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)!write(ready[1], "", 1);
		for (;;)
			pause();
	}
	*state = &child;
	return read(ready[0], &byte, 1) == 1 ? close(ready[0]) | close(ready[1]) : -1;
}

static int end_child(void **state)
{
	const struct child *child = *state;

	kill(child->pid, SIGKILL);
	return waitpid(child->pid, NULL, 0) == child->pid ? 0 : -1;
}

/* Returns what who_find returns; *ret_pids is the caller's. */
static int find(const char *words, bool wait, struct pids *ret_pids, struct err *err)
{
	struct who who = { .wait = wait };
	int rc;

	*ret_pids = (struct pids){ 0 };
	assert_int_equal(who_add(&who, WHO_PROCESS, words, err), 0);
	rc = who_find(&who, NULL, ret_pids, err);
	who_done(&who);
	return rc;
}

static void expect_child(const struct child *child, const char *words)
{
	struct pids pids;
	struct err err;

	assert_int_equal(find(words, false, &pids, &err), 0);
	assert_int_equal(pids.count, 1);
	assert_int_equal(pids.items[0], child->pid);
	vec_free(&pids);
}

static void found(void **state)
{
	const struct child *child = *state;
	char words[64];

	expect_child(child, child->name);
	snprintf(words, sizeof(words), "%d", (int)child->pid);
	expect_child(child, words);
	snprintf(words, sizeof(words), "%s,%d", child->name, (int)child->pid);
	expect_child(child, words); /* once */
	snprintf(words, sizeof(words), "%.*s?", (int)strlen(child->name) - 1, child->name);
	expect_child(child, words);
}

static void threads_found(void **state)
{
	const struct child *child = *state;
	struct who who = { 0 };
	struct pids pids = { 0 };
	struct err err;
	char word[32];

	snprintf(word, sizeof(word), "%d", (int)child->pid);
	assert_int_equal(who_add(&who, WHO_THREAD, word, &err), 0);
	who_find_threads(&who);
	assert_int_equal(who.words.items[0].pid, child->pid);
	assert_int_equal(who_find(&who, NULL, &pids, &err), 0);
	assert_int_equal(pids.count, 1);
	assert_int_equal(pids.items[0], child->pid);
	assert_int_equal(who_add(&who, WHO_THREAD, "4194304", &err), 0);
	who_find_threads(&who);
	assert_int_equal(who_find(&who, NULL, &pids, &err), -ESRCH);
	assert_string_equal(err.text, "thread 4194304: no such thread");
	vec_free(&pids);
	who_done(&who);
}

static void expect_failure(const char *words, int rc, const char *text)
{
	struct pids pids;
	struct err err;

	assert_int_equal(find(words, false, &pids, &err), rc);
	if (!strstr(err.text, text))
		fail_msg("'%s' is not in '%s'", text, err.text);
	vec_free(&pids);
}

static void not_found(void **state)
{
	const struct child *child = *state;
	char words[64], said[64];
	struct pids pids;
	struct err err;

	expect_failure("no such name", -EINVAL, "no process is named 'no such name' (-p): --wait");
	snprintf(words, sizeof(words), "%s", child->name);
	words[0] = 'x';
	snprintf(said, sizeof(said), "did you mean '%s'?", child->name);
	expect_failure(words, -EINVAL, said);
	words[0] = child->name[0];
	words[strlen(words) - 1] = '\0';
	expect_failure(words, -EINVAL, said);
	expect_failure("4194304", -ESRCH, "process 4194304: no such process");
	assert_int_equal(find("no such name", true, &pids, &err), 0);
	assert_int_equal(pids.count, 0);
	assert_int_equal(find("4194304", true, &pids, &err), -ESRCH);
	vec_free(&pids);
}

static void *look_for_own_thread(void *context)
{
	char words[32], said[64];

	(void)context;
	snprintf(words, sizeof(words), "%d", (int)syscall(SYS_gettid));
	snprintf(said, sizeof(said), "thread of process %d", (int)getpid());
	expect_failure(words, -ESRCH, said);
	return NULL;
}

static void id_of_a_thread(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, look_for_own_thread, NULL), 0);
	pthread_join(thread, NULL);
}

/* Prospect is not profiled because it has the name of its own program. */
static void not_itself(void **state)
{
	struct proc_info info = { .pid = getpid(), .comm = "me" };
	char container[WHO_FIND_CONTAINER];
	struct who_facts facts;

	(void)state;
	assert_false(who_find_facts(&info, container, &facts));
	info.pid = 1;
	assert_true(who_find_facts(&info, container, &facts));
}

/* A script is called by its own name, and so is a link. */
static void names(void **state)
{
	struct proc_info info = { .pid = 1, .comm = "sh", .executable = "/usr/bin/dash" };
	char container[WHO_FIND_CONTAINER];
	struct who_facts facts;

	(void)state;
	who_find_facts(&info, container, &facts);
	assert_string_equal(facts.names[0], "sh");
	assert_string_equal(facts.names[1], "dash");
	strcpy(info.link, "sh");
	who_find_facts(&info, container, &facts);
	assert_string_equal(facts.names[1], "sh");
	strcpy(info.comm, "backup-of-every");
	strcpy(info.script, "backup-of-everything.sh");
	who_find_facts(&info, container, &facts);
	assert_string_equal(facts.names[1], "backup-of-everything.sh");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found),	  cmocka_unit_test(not_found),
		cmocka_unit_test(id_of_a_thread), cmocka_unit_test(not_itself),
		cmocka_unit_test(names),	  cmocka_unit_test(threads_found),
	};

	return cmocka_run_group_tests(tests, begin_child, end_child);
}
