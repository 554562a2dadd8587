/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proc/proc_scan.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/vec.h"

/* What was seen of one process. */
struct seen {
	int32_t wanted;
	size_t processes; /* of any pid */
	bool kthreadd;	  /* pid 2, in a namespace that has it */
	struct proc_info info;
	VEC(int32_t) tids;
	char thread_comm[64]; /* of the last thread that is not the main one */
	VEC(struct proc_map) maps;
	char *exe_path; /* of the mapping that holds our own code */
};

static void see_process(void *context, const struct proc_info *info)
{
	struct seen *seen = context;

	seen->processes++;
	if (info->pid == 2)
		seen->kthreadd = info->kernel_thread && strcmp(info->comm, "kthreadd") == 0;
	if (info->pid == seen->wanted)
		seen->info = *info;
}

static void see_thread(void *context, int32_t pid, int32_t tid, const char *comm)
{
	struct seen *seen = context;

	if (pid != seen->wanted)
		return;
	*vec_push(&seen->tids) = tid;
	if (tid != pid)
		strncpy(seen->thread_comm, comm, sizeof(seen->thread_comm) - 1);
}

static void see_map(void *context, int32_t pid, const struct proc_map *map)
{
	struct seen *seen = context;
	uint64_t here = (uint64_t)(uintptr_t)see_map;

	if (pid != seen->wanted)
		return;
	*vec_push(&seen->maps) = *map;
	if (map->start <= here && here < map->end && !seen->exe_path)
		seen->exe_path = strdup(map->path);
}

static struct proc_visitor visitor_of(struct seen *seen)
{
	return (struct proc_visitor){
		.process = see_process, .thread = see_thread, .map = see_map, .context = seen
	};
}

static void seen_done(struct seen *seen)
{
	vec_free(&seen->tids);
	vec_free(&seen->maps);
	free(seen->exe_path);
}

/* The dynamic linker's own list of executable segments is in what was seen. */
static int check_segments(struct dl_phdr_info *info, size_t size, void *context)
{
	const struct seen *seen = context;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		bool found = false;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X))
			continue;
		for (size_t j = 0; j < seen->maps.count; j++)
			found |= seen->maps.items[j].start <= start &&
				 start + info->dlpi_phdr[i].p_filesz <= seen->maps.items[j].end;
		assert_true(found);
	}
	return 0;
}

static void test_scan_finds_us(void **state)
{
	struct seen seen = { .wanted = getpid() };
	struct proc_visitor visitor = visitor_of(&seen);
	char exe[4096] = "";

	(void)state;
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_int_equal(proc_scan_all(&visitor, NULL), 0);
	assert_int_equal(seen.info.pid, getpid());
	assert_int_equal(seen.info.parent_pid, getppid());
	assert_int_equal(seen.info.uid, geteuid());
	assert_string_equal(seen.info.executable, exe);
	assert_string_equal(seen.info.script, "");
	assert_string_equal(seen.info.link, "");
	assert_string_equal(seen.exe_path, exe);
	assert_false(seen.info.kernel_thread);
	assert_true(seen.processes > 1);
	assert_true(seen.maps.count > 2);
	dl_iterate_phdr(check_segments, &seen);
	seen_done(&seen);
}

static void test_kernel_threads(void **state)
{
	struct seen seen = { 0 };
	struct proc_visitor visitor = visitor_of(&seen);

	(void)state;
	if (access("/proc/2/exe", F_OK) == 0 || proc_scan_one(2, &visitor, NULL) != 0) {
		print_message("pid 2 is no kernel thread here (a PID namespace)\n");
		skip();
	}
	assert_true(seen.kthreadd);
	seen_done(&seen);
}

struct gate {
	int in[2], out[2];
};

static void *named_thread(void *argument)
{
	struct gate *gate = argument;
	char byte;

	prctl(PR_SET_NAME, "a) (b\nc\n");
	if (write(gate->out[1], "r", 1) != 1 || read(gate->in[0], &byte, 1) != 1)
		abort();
	return NULL;
}

static void test_threads_and_their_names(void **state)
{
	struct seen seen = { .wanted = getpid() };
	struct proc_visitor visitor = visitor_of(&seen);
	struct buf tids = { 0 };
	struct gate gate;
	pthread_t thread;
	char byte;

	(void)state;
	assert_int_equal(pipe(gate.in), 0);
	assert_int_equal(pipe(gate.out), 0);
	assert_int_equal(pthread_create(&thread, NULL, named_thread, &gate), 0);
	assert_int_equal(read(gate.out[0], &byte, 1), 1);
	assert_int_equal(proc_scan_one(getpid(), &visitor, NULL), 0);
	assert_int_equal(proc_scan_tids(getpid(), &tids), 0);
	assert_int_equal(write(gate.in[1], "g", 1), 1);
	pthread_join(thread, NULL);
	assert_int_equal(seen.processes, 1);
	assert_int_equal(seen.tids.count, 2);
	assert_int_equal(seen.tids.items[0], getpid());
	assert_string_equal(seen.thread_comm, "a) (b\nc\n");
	assert_int_equal(tids.size, 2 * sizeof(int32_t));
	assert_memory_equal(tids.bytes, seen.tids.items, tids.size);
	buf_done(&tids);
	seen_done(&seen);
}

/* Runs `main_part` in a child, scans it while it waits, and ends it. */
static void scan_child(void (*main_part)(void), struct seen *seen)
{
	struct proc_visitor visitor = visitor_of(seen);
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		main_part();
		if (write(ready[1], "r", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	seen->wanted = pid;
	assert_int_equal(proc_scan_one(pid, &visitor, NULL), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
}

static void take_hostile_name(void)
{
	prctl(PR_SET_NAME, "x) R 1 1 (\n");
}

static void test_hostile_name_and_start(void **state)
{
	uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t before_ns = clock_ns();
	struct seen seen = { 0 };

	(void)state;
	scan_child(take_hostile_name, &seen);
	assert_string_equal(seen.info.comm, "x) R 1 1 (\n");
	assert_int_equal(seen.info.parent_pid, getpid());
	assert_in_range(seen.info.start_ns, before_ns - tick_ns, clock_ns());
	seen_done(&seen);
}

static void become_nobody(void)
{
	if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0)
		_exit(1);
	/* Root owns its files in /proc now, but it is still a process of the user nobody. */
	prctl(PR_SET_DUMPABLE, 0);
}

static void test_user_of_an_undumpable_process(void **state)
{
	struct seen seen = { 0 };

	(void)state;
	if (geteuid() != 0) {
		print_message("needs root to become another user\n");
		skip();
	}
	scan_child(become_nobody, &seen);
	assert_int_equal(seen.info.uid, 65534);
	seen_done(&seen);
}

/* The whole way: a script in a real file, run by its "#!" line. */
static void test_script_by_its_name(void **state)
{
	static const char text[] = "#!/bin/sh -e\necho ready\nread line\n";
	char dir[] = "/tmp/test_proc_scan.XXXXXX", path[128], word[8] = "";
	struct seen seen = { 0 };
	struct proc_visitor visitor = visitor_of(&seen);
	int in[2], out[2];
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a-script-with-a-long-name", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fchmod(fileno(file), 0700);
	fclose(file);
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	seen.wanted = fork();
	if (seen.wanted == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(path, path, (char *)NULL);
		_exit(1);
	}
	assert_int_equal(read(out[0], word, sizeof(word)), 6);
	assert_int_equal(proc_scan_one(seen.wanted, &visitor, NULL), 0);
	kill(seen.wanted, SIGKILL);
	waitpid(seen.wanted, NULL, 0);
	unlink(path);
	rmdir(dir);
	assert_string_equal(seen.info.script, "a-script-with-a-long-name");
	assert_string_equal(seen.info.link, "");
	assert_string_equal(seen.info.comm, "a-script-with-a");
	seen_done(&seen);
}

/* Scans a process that executed @path, which leads to cat, with this argv[0]. */
static void scan_executed(const char *path, const char *argument, struct proc_info *ret_info)
{
	struct seen seen = { 0 };
	struct proc_visitor visitor = visitor_of(&seen);
	int in[2], out[2];
	char echo;

	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	seen.wanted = fork();
	if (seen.wanted == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(path, argument, (char *)NULL);
		_exit(1);
	}
	assert_int_equal(write(in[1], "x", 1), 1);
	assert_int_equal(read(out[0], &echo, 1), 1); /* it runs */
	assert_int_equal(proc_scan_one(seen.wanted, &visitor, NULL), 0);
	kill(seen.wanted, SIGKILL);
	waitpid(seen.wanted, NULL, 0);
	for (int i = 0; i < 2; i++) {
		close(in[i]);
		close(out[i]);
	}
	*ret_info = seen.info;
	seen_done(&seen);
}

/* What a process says of itself counts only if it names a link to what it executes. */
static void test_links_by_their_names(void **state)
{
	char dir[] = "/tmp/test_proc_scan.XXXXXX", link[128], other[128];
	struct proc_info info;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(link, sizeof(link), "%s/nickname", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	assert_int_equal(symlink("/bin/cat", link), 0);
	assert_int_equal(symlink("/bin/true", other), 0);
	scan_executed(link, link, &info); /* comm and argv[0] */
	assert_string_equal(info.link, "nickname");
	scan_executed("/bin/cat", link, &info); /* comm is right, argv[0] is not */
	assert_string_equal(info.link, "");
	scan_executed(link, "-forged", &info); /* nothing proves comm */
	assert_string_equal(info.link, "");
	scan_executed(link, other, &info); /* comm is of a link beside */
	assert_string_equal(info.link, "nickname");
	unlink(link);
	unlink(other);
	rmdir(dir);
}

static void test_no_such_process(void **state)
{
	struct proc_visitor visitor = { 0 };
	struct buf tids = { 0 };
	struct err err;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_int_equal(proc_scan_one(pid, &visitor, &err), -ESRCH);
	assert_non_null(strstr(err.text, "does not exist"));
	assert_int_equal(proc_scan_tids(pid, &tids), -ESRCH);
	assert_int_equal(proc_scan_one(-1, &visitor, &err), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan_finds_us),
		cmocka_unit_test(test_kernel_threads),
		cmocka_unit_test(test_threads_and_their_names),
		cmocka_unit_test(test_hostile_name_and_start),
		cmocka_unit_test(test_user_of_an_undumpable_process),
		cmocka_unit_test(test_script_by_its_name),
		cmocka_unit_test(test_links_by_their_names),
		cmocka_unit_test(test_no_such_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
