/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch/targets/watch_locks.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "foreign/door.h"
#include "proc/proc_scan.h"

struct lock_search {
	const struct probe_options *probes;
	const char *library; /* among targets and places; NULL: none */
	int32_t pid;	     /* whose memory lock is held; 0: none yet */
	const char *file;    /* that the process may have mapped */
	char comm[64];
};

/* The first file of the targets and places for which @fits is true; NULL: none. */
static const char *find_file(const struct probe_options *probes,
			     bool (*fits)(const char *path, const char *wanted), const char *wanted)
{
	for (size_t i = 0; i < probes->target_count; i++) {
		if (probes->targets[i].user && fits(probes->targets[i].path, wanted))
			return probes->targets[i].path;
	}
	for (size_t i = 0; i < probes->place_count; i++) {
		if (fits(probes->places[i].path, wanted))
			return probes->places[i].path;
	}
	return NULL;
}

/* Not only processes that execute it may have mapped it. A path in map_files may be any file. */
static bool is_library(const char *path, const char *wanted)
{
	(void)wanted;
	return strstr(file_base(path), ".so") || strstr(path, "/map_files/");
}

static bool is_program(const char *path, const char *wanted)
{
	return strcmp(file_base(path), file_base(wanted)) == 0;
}

/* The arguments are in the process's memory, so reading them needs its lock. */
static bool is_locked(struct foreign *foreign, int32_t pid)
{
	struct buf text = { 0 };
	int rc = door_read_proc(foreign, pid, "cmdline", 1, &text);

	buf_done(&text);
	return rc == -ETIMEDOUT;
}

static void look_at(void *context, const struct proc_info *info)
{
	struct lock_search *search = context;
	const char *file = search->library;

	if (search->pid || info->kernel_thread)
		return;
	if (!file && *info->executable)
		file = find_file(search->probes, is_program, info->executable);
	if (!file || !is_locked(search->probes->foreign, info->pid))
		return;
	search->pid = info->pid;
	search->file = file;
	memcpy(search->comm, info->comm, sizeof(search->comm));
}

int watch_locks_check(const struct probe_options *probes, struct err *err)
{
	struct lock_search search = { .probes = probes,
				      .library = find_file(probes, is_library, NULL) };
	const struct proc_visitor visitor = { .process = look_at,
					      .context = &search,
					      .foreign = probes->foreign };

	if (probes->foreign)
		(void)proc_scan_all(&visitor, NULL);
	if (!search.pid)
		return 0;
	return err_set(err, -EBUSY,
		       "process %" PRId32
		       " (%s) holds its memory lock while it waits for a file system that does not "
		       "answer, and a probe of %s would hang the machine: end that process first, "
		       "or watch other files",
		       search.pid, search.comm, search.file);
}
