/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads everything relative to one descriptor of /proc/PID, which belongs to that process only: if
 * it ends and its pid is reused, reads fail instead of describing the new process.
 */
#include "proc/proc_scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/capability.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/scan.h"
#include "foreign/door.h"
#include "foreign/live_task.h"
#include "proc/links.h"

enum {
	SMALL_FILE_BYTES = 4096,      /* stat, comm, cgroup, and the like */
	COMMAND_LINE_BYTES = 4 << 20, /* the kernel allows 3/4 of 8 MB */
	MAPS_LIMIT_BYTES = 256 << 20, /* 2 million mappings */
};

/* State that one scan keeps between processes. */
struct proc_walk {
	const struct proc_visitor *visitor;
	/* CLOCK_BOOTTIME, which /proc shows shifted as we read it, less clock_ns() */
	int64_t distance_ns;
	uint64_t ns_per_tick;
	struct proc_info info;
	int live; /* /proc/TID of a task by which the process is read: foreign/live_task.h */
	struct buf text;
};

static struct proc_walk scan_make(const struct proc_visitor *visitor)
{
	uint64_t now_ns = clock_ns();

	return (struct proc_walk){
		.visitor = visitor,
		.distance_ns = (int64_t)(clock_read(CLOCK_BOOTTIME) - now_ns),
		.ns_per_tick = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK),
	};
}

/* Reads the start of a file that the kernel generates in one piece: at most @size - 1 bytes,
 * NUL-terminated. Returns the number of bytes, or -errno. */
static ssize_t read_start(int dir, const char *name, char *ret_text, size_t size)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, ret_text, size - 1);

	if (got < 0)
		return -errno;
	ret_text[got] = '\0';
	return got;
}

/* The process or thread id that is the whole of a directory name; 0 for any other name. */
static int32_t id_of(const char *name)
{
	uint64_t value;

	return scan_whole_number(name, 10, &value) && value <= INT32_MAX ? (int32_t)value : 0;
}

static int open_process(int32_t pid)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static DIR *open_directory(int dir, const char *name)
{
	_cleanup_close_ int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (directory)
		(void)steal_fd(fd);
	return directory;
}

static void read_executable(int dir, struct proc_info *info)
{
	ssize_t length = readlinkat(dir, "exe", info->executable, sizeof(info->executable) - 1);

	info->executable[length > 0 ? length : 0] = '\0';
	proc_parse_deleted(info->executable);
}

/* Reads into scan->text a file that needs the lock of the process's memory, which the process may
 * hold while it waits for a file. If it has ended, the path may belong to another process; the
 * directory @dir shows that. */
static bool read_memory_file(struct proc_walk *scan, int dir, const char *name, size_t limit)
{
	int32_t pid = scan->info.pid;
	char stat[SMALL_FILE_BYTES];
	int rc;

	buf_clear(&scan->text);
	if (!scan->visitor->foreign) {
		/* If reading fails midway (the process ends), the part read so far is useful. */
		(void)file_read_at(scan->live, name, limit, &scan->text);
		return scan->text.size > 0;
	}
	rc = door_read_proc(scan->visitor->foreign, pid, name, limit, &scan->text);
	if (rc == -ETIMEDOUT && scan->visitor->late)
		scan->visitor->late(scan->visitor->context, pid);
	return rc == 0 && scan->text.size > 0 && read_start(dir, "stat", stat, sizeof(stat)) > 0;
}

static bool take_link(struct proc_info *info, const struct link_end *end, const char *argument,
		      const char *name, bool is_cut)
{
	const char *const paths[] = { info->executable, argument, NULL };
	_cleanup_free_ char *found = links_find(end, paths, name, is_cut);
	size_t length = found ? strlen(found) : 0;

	if (!found || length >= sizeof(info->link))
		return false;
	memcpy(info->link, found, length + 1);
	return true;
}

/* A process can change its comm and its arguments, so both only count if they name a link to what
 * it executes. comm is what the kernel took from the path that was executed, argv[0] is any word;
 * login(1) puts "-" before it. */
static void read_link(const struct proc_walk *scan, struct proc_info *info, const char *argument)
{
	struct link_end end = { .foreign = scan->visitor->foreign, .pid = info->pid };
	const char *name = file_base(argument + (*argument == '-'));
	char exe[32];
	struct stat st;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", live_task(info->pid));
	if (door_stat_magic(end.foreign, exe, info->pid, &st) < 0)
		return;
	end.dev = st.st_dev;
	end.inode = st.st_ino;
	if (!take_link(info, &end, argument, info->comm, strlen(info->comm) >= PROC_COMM_CUT) &&
	    strcmp(name, file_base(info->executable)) != 0)
		take_link(info, &end, argument, name, false);
}

static void read_other_name(struct proc_walk *scan, int dir, struct proc_info *info)
{
	if (!proc_parse_may_be_script(info->comm, info->executable) ||
	    !read_memory_file(scan, dir, "cmdline", COMMAND_LINE_BYTES))
		return;
	/* with the NUL of the text, which ends a truncated last word */
	(void)buf_text(&scan->text);
	proc_parse_script(scan->text.bytes, scan->text.size + 1, info->comm, info->executable,
			  info->script, sizeof(info->script));
	if (!info->script[0])
		read_link(scan, info, scan->text.bytes);
}

static void read_cgroup(int dir, struct proc_info *info)
{
	char text[SMALL_FILE_BYTES];

	info->cgroup[0] = '\0';
	if (read_start(dir, "cgroup", text, sizeof(text)) > 0)
		proc_parse_cgroup(text, info->cgroup, sizeof(info->cgroup));
}

/* The directory's owner is the effective user, even of a process that is not dumpable: the kernel
 * exempts this inode from that rule. */
static uint32_t owner(int dir)
{
	struct stat status;

	return fstat(dir, &status) == 0 ? status.st_uid : 0;
}

static void visit_process(struct proc_walk *scan, int dir, const struct proc_stat *stat)
{
	struct proc_info *info = &scan->info;
	int64_t start_ns = (int64_t)(stat->start_ticks * scan->ns_per_tick) - scan->distance_ns;

	info->pid = stat->pid;
	if (!scan->visitor->process)
		return;
	info->parent_pid = stat->parent_pid;
	info->start_ns = start_ns > 0 ? (uint64_t)start_ns : 0;
	info->uid = owner(dir);
	info->kernel_thread = stat->kernel_thread;
	memcpy(info->comm, stat->comm, sizeof(info->comm));
	info->executable[0] = info->script[0] = info->link[0] = '\0';
	if (!stat->kernel_thread) {
		read_executable(scan->live, info);
		read_other_name(scan, dir, info);
	}
	read_cgroup(scan->live, info);
	scan->visitor->process(scan->visitor->context, info);
}

static void visit_thread(struct proc_walk *scan, int task_dir, int32_t pid, const char *name)
{
	int32_t tid = id_of(name);
	char path[32], comm[64 + 1];
	ssize_t length;

	if (tid == 0)
		return;
	snprintf(path, sizeof(path), "%d/comm", tid);
	length = read_start(task_dir, path, comm, sizeof(comm));
	if (length <= 0)
		return;
	/* Remove only the kernel's own newline; the name may contain others. */
	if (comm[length - 1] == '\n')
		comm[length - 1] = '\0';
	scan->visitor->thread(scan->visitor->context, pid, tid, comm);
}

static void visit_threads(struct proc_walk *scan, int dir, const struct proc_stat *stat)
{
	_cleanup_closedir_ DIR *tasks = NULL;
	struct dirent *entry;

	if (!scan->visitor->thread)
		return;
	if (stat->thread_count <= 1) {
		scan->visitor->thread(scan->visitor->context, stat->pid, stat->pid, stat->comm);
		return;
	}
	tasks = open_directory(dir, "task");
	while (tasks && (entry = readdir(tasks)) != NULL)
		visit_thread(scan, dirfd(tasks), stat->pid, entry->d_name);
}

static void visit_maps(struct proc_walk *scan, int dir, const struct proc_stat *stat)
{
	char *line, *rest;

	if (!scan->visitor->map || stat->kernel_thread)
		return;
	rest = read_memory_file(scan, dir, "maps", MAPS_LIMIT_BYTES) ? scan->text.bytes : NULL;
	while ((line = strsep(&rest, "\n")) != NULL) {
		struct proc_map map;

		if (proc_parse_map(line, &map) == 0)
			scan->visitor->map(scan->visitor->context, stat->pid, &map);
	}
}

static int scan_process(struct proc_walk *scan, int32_t pid)
{
	_cleanup_close_ int dir = open_process(pid);
	int32_t task = live_task(pid);
	_cleanup_close_ int other = task == pid ? -1 : open_process(task);
	char text[SMALL_FILE_BYTES];
	struct proc_stat stat;
	ssize_t size;
	int rc;

	if (dir < 0)
		return dir;
	size = read_start(dir, "stat", text, sizeof(text));
	if (size < 0)
		return (int)size;
	rc = proc_parse_stat(text, &stat);
	if (rc)
		return rc;
	scan->live = other < 0 ? dir : other;
	visit_process(scan, dir, &stat);
	visit_threads(scan, dir, &stat);
	visit_maps(scan, dir, &stat);
	return 0;
}

int proc_scan_all(const struct proc_visitor *visitor, struct err *err)
{
	_cleanup_closedir_ DIR *proc = opendir("/proc");
	struct proc_walk scan = scan_make(visitor);
	struct dirent *entry;

	if (!proc)
		return err_set(err, -errno, "cannot list processes in /proc: %s", strerror(errno));
	while ((entry = readdir(proc)) != NULL)
		if (id_of(entry->d_name) > 0)
			(void)scan_process(&scan, id_of(entry->d_name));
	buf_done(&scan.text);
	return 0;
}

int proc_scan_one(int32_t pid, const struct proc_visitor *visitor, struct err *err)
{
	struct proc_walk scan = scan_make(visitor);
	int rc = scan_process(&scan, pid);

	buf_done(&scan.text);
	if (rc == -ENOENT || rc == -ESRCH)
		return err_set(err, -ESRCH, "process %d does not exist", pid);
	return rc ? err_set(err, rc, "cannot read /proc/%d: %s", pid, strerror(-rc)) : 0;
}

int proc_scan_tids(int32_t pid, struct buf *tids)
{
	_cleanup_close_ int dir = open_process(pid);
	_cleanup_closedir_ DIR *tasks = dir < 0 ? NULL : open_directory(dir, "task");
	struct dirent *entry;

	if (!tasks)
		return -ESRCH;
	while ((entry = readdir(tasks)) != NULL) {
		int32_t tid = id_of(entry->d_name);

		if (tid > 0)
			buf_add(tids, &tid, sizeof(tid));
	}
	return 0;
}

/* The first namespace has the inode number PROC_PID_INIT_INO of include/linux/proc_ns.h. */
bool proc_scan_sees_all_pids(void)
{
	const ino_t first = 0xeffffffc;
	struct stat st;

	return stat("/proc/self/ns/pid", &st) < 0 || st.st_ino == first;
}

bool proc_scan_sees_other_users(void)
{
	char target[64];

	return geteuid() == 0 || capability_held(CAP_SYS_PTRACE) ||
	       readlink("/proc/1/exe", target, sizeof(target)) >= 0 ||
	       (errno != EACCES && errno != EPERM);
}
