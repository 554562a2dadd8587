/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "place/jit/jit_process.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/xalloc.h"
#include "foreign/door.h"
#include "foreign/live_task.h"
#include "place/files/image_files.h"

enum {
	STATUS_LIMIT = 64 * 1024,
	NAME_BYTES = 64,
};

/* How often to look for a missing map, or whether an open one was replaced. */
#define TRY_EVERY_NS (1000 * NS_PER_MS)
/* /proc has start times in ticks, and file systems use the time of the last tick. */
#define AGE_TOLERANCE_NS (1000 * NS_PER_MS)

/* ---- where the process keeps its files ---- */

/* Opens a file or folder as a process sees it: no link leads out of its root. */
static int open_within(int root, const char *path, uint64_t flags)
{
	struct open_how how = { .flags = flags | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	while (*path == '/')
		path++;
	if (fd < 0 && errno == ENOSYS)
		fd = openat(root, path, (int)flags | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* Opens a folder as the process sees it, for a file @name in it; for a past process, as we see
 * it. */
static int open_folder(struct jit_process *process, const char *path, const char *name)
{
	_cleanup_close_ int root = -1;
	int folder;

	if (!process->past_root) {
		folder = door_open_folder_of(process->foreign, process->pid, path, name);
		process->far |= folder == -EREMOTE;
		return folder;
	}
	root = open(process->past_root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -errno : open_within(root, path, O_PATH | O_DIRECTORY);
}

/* The last number in the NSpid line of /proc/PID/status: the pid in the innermost namespace. */
static int32_t inner_pid_of(int32_t pid)
{
	_cleanup_(buf_done) struct buf status = { 0 };
	char path[NAME_BYTES];
	char *line, *end;
	long inner = pid;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);
	if (file_read(path, STATUS_LIMIT, &status) < 0 ||
	    !(line = strstr(buf_text(&status), "\nNSpid:")))
		return pid;
	for (line += strlen("\nNSpid:"); *line && *line != '\n'; line = end) {
		long number = strtol(line, &end, 10);

		if (end == line)
			break;
		inner = number;
	}
	return inner > 0 && inner <= INT32_MAX ? (int32_t)inner : pid;
}

static uid_t owner_of_proc(int32_t pid)
{
	char path[NAME_BYTES];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%" PRId32, pid);
	return stat(path, &st) == 0 ? st.st_uid : 0;
}

/* Whose files to trust. For a past process, neither its user nor its start in clock time is
 * known. */
static struct jit_file_owner owner_of(const struct process *run, bool past)
{
	struct jit_file_owner owner = { .uids = { geteuid(), geteuid() } };

	if (past)
		return owner;
	owner.uids[0] = run->uid;
	owner.uids[1] = owner_of_proc(run->pid);
	owner.not_before_ns = (int64_t)(clock_read(CLOCK_REALTIME) - clock_ns() + run->start_ns -
					AGE_TOLERANCE_NS);
	return owner;
}

struct jit_process *jit_process_new(const struct profile *profile, uint32_t row, uint32_t number,
				    bool apart, const struct jit_place_of *place)
{
	const struct process *run = &profile->processes.items[row];
	struct jit_process *process = xcalloc(1, sizeof(*process));
	uint64_t origin = CODE_MAP_PLACES + 2 * CODE_MAP_ROOM * number;
	const char *past_root = place->past_root;

	process->past_root = past_root ? xstrdup(past_root) : NULL;
	process->foreign = place->foreign;
	process->row = row;
	process->pid = run->pid;
	process->inner_pid = past_root ? run->pid : inner_pid_of(run->pid);
	process->folder = open_folder(process, "/tmp", "perf.map");
	process->owner = owner_of(run, past_root != NULL);
	jit_source_init(&process->dump, origin, apart);
	jit_source_init(&process->map, origin + CODE_MAP_ROOM, apart);
	return process;
}

static void close_folder(struct jit_process *process)
{
	if (process->folder >= 0)
		close(process->folder);
	process->folder = -1;
}

void jit_process_free(struct jit_process *process)
{
	if (!process)
		return;
	close_folder(process);
	jit_source_done(&process->dump);
	jit_source_done(&process->map);
	free(process->past_root);
	free(process);
}

/* ---- jitdumps ---- */

/* "jit-1234.dump" */
bool jit_process_is_dump(const char *path)
{
	const char *name = file_base(path);

	if (strncmp(name, "jit-", 4) != 0 || !isdigit((unsigned char)name[4]))
		return false;
	return strcmp(name + 4 + strspn(name + 4, "0123456789"), ".dump") == 0;
}

static bool is_mapped_file(int fd, const struct mapped_file *file)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (!file->inode || st.st_ino == file->inode);
}

bool jit_process_mapped(struct jit_process *process, const struct mapped_file *file)
{
	_cleanup_close_ int folder = -1;
	_cleanup_free_ char *path = xstrdup(file->path);
	char *name = strrchr(path, '/');
	struct jit_file found;
	bool was_read = process->past_root && process->dump.begun;

	if (!name || process->dump.file.fd >= 0 || was_read)
		return false;
	*name++ = '\0';
	folder = open_folder(process, *path ? path : "/", name);
	if (folder < 0 || jit_file_open(folder, name, &process->owner, &found) < 0)
		return false;
	if (!is_mapped_file(found.fd, file)) {
		jit_file_close(&found);
		return false;
	}
	process->dump.file = found;
	if (!process->past_root)
		process->dump.shift_ns = clock_shift_of(live_task(process->pid));
	return true;
}

/* ---- maps ---- */

/* The process's /tmp may have a new file of that name since the last look: opens it then. */
static void open_map(struct jit_process *process)
{
	char name[NAME_BYTES];
	struct jit_file found;

	if (process->folder < 0)
		return;
	snprintf(name, sizeof(name), "perf-%" PRId32 ".map", process->inner_pid);
	if (process->map.file.fd >= 0 &&
	    !jit_file_was_replaced(process->folder, name, &process->map.file))
		return;
	if (jit_file_open(process->folder, name, &process->owner, &found) < 0)
		return;
	jit_file_close(&process->map.file);
	process->map.file = found;
}

static void follow(struct jit_process *process, const struct jit_clock *clock, uint64_t now_ns,
		   bool whole)
{
	if (whole || now_ns >= process->next_try_ns) {
		process->next_try_ns = now_ns + TRY_EVERY_NS;
		open_map(process);
	}
	jit_source_follow_dump(&process->dump, clock, now_ns);
	jit_source_follow_map(&process->map, now_ns, whole);
}

void jit_process_follow(struct jit_process *process, const struct jit_clock *clock, uint64_t now_ns)
{
	if (!process->ended)
		follow(process, clock, now_ns, false);
}

void jit_process_finish(struct jit_process *process, const struct jit_clock *clock, uint64_t now_ns)
{
	if (process->ended)
		return;
	follow(process, clock, now_ns, true);
	process->ended = true;
	close_folder(process);
	jit_file_close(&process->map.file);
}

/* Lines of a map have no time: they hold for the whole recording. */
void jit_process_read_map(struct jit_process *process)
{
	open_map(process);
	jit_source_follow_map(&process->map, 0, true);
	process->ended = true;
	close_folder(process);
	jit_file_close(&process->map.file);
}

void jit_process_read_dump(struct jit_process *process, const struct jit_clock *clock, bool keep)
{
	jit_source_follow_dump(&process->dump, clock, UINT64_MAX);
	if (!keep)
		jit_file_close(&process->dump.file);
}

void jit_process_forget(struct jit_process *process)
{
	jit_source_done(&process->dump);
	jit_source_done(&process->map);
}

uint64_t jit_process_changes(const struct jit_process *process)
{
	return process->dump.changes + process->map.changes;
}
