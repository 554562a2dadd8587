/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that the process executes are profiled as well, also if it gives them another environment.
 * Which ones cannot be is known from their files, and reported: the loader ignores us in programs that
 * are linked statically or gain rights (ld.so(8)). The calls may come from a child of vfork, which shares
 * its parent's memory.
 */
#include "preload/preload.h"
#include "preload/preload_elf.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char preload_name[] = "LD_PRELOAD=";
static const char memory_name[] = PRELOAD_VARIABLE "=";
static const char file_name[] = "libprospect-preload.so";

/* As this program was given them. */
static char own_path[PATH_MAX];				     /* of this library */
static char memory_variable[sizeof(memory_name) + PATH_MAX]; /* NAME=VALUE */

static bool is_separator(char c)
{
	return c == ':' || c == ' ';
}

/* This library's entry in the value of LD_PRELOAD, as a path. NULL: none. */
static const char *find_entry(const char *value, size_t *ret_size)
{
	while (*value) {
		size_t size = 0, name = sizeof(file_name) - 1;

		while (value[size] && !is_separator(value[size]))
			size++;
		if (size >= name && raw_equal(value + size - name, file_name, name)) {
			*ret_size = size;
			return value;
		}
		value += size;
		value += *value != '\0';
	}
	return NULL;
}

void preload_keep_environment(char *const *environment)
{
	for (; environment && *environment; environment++) {
		const char *text = *environment, *entry;
		size_t size = raw_length(text);

		if (raw_begins(text, memory_name) && size < sizeof(memory_variable)) {
			raw_copy(memory_variable, text, size + 1);
		} else if (raw_begins(text, preload_name)) {
			entry = find_entry(text + sizeof(preload_name) - 1, &size);
			if (entry && size < sizeof(own_path)) {
				raw_copy(own_path, entry, size);
				own_path[size] = '\0';
			}
		}
	}
}

/* ---- which programs cannot be profiled ---- */

static bool is_privileged(const struct stat *file, const char *path)
{
	uid_t uid = (uid_t)RAW(geteuid);
	gid_t gid = (gid_t)RAW(getegid);
	char capability[64];

	if (preload_gains_ids(file, uid, gid))
		return true;
	return uid != 0 &&
	       RAW(getxattr, path, "security.capability", capability, sizeof(capability)) > 0;
}

static enum preload_refusal judge(const char *path)
{
	enum preload_refusal refusal = PRELOAD_REFUSAL_NONE;
	_Alignas(8) char bytes[PRELOAD_ELF_BYTES];
	struct stat file;
	long fd, size;

	if (RAW(faccessat, AT_FDCWD, own_path, R_OK, 0) < 0)
		return PRELOAD_REFUSAL_HIDDEN;
	fd = RAW(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (fd < 0)
		return refusal; /* may be executable all the same */
	size = RAW(read, fd, bytes, sizeof(bytes));
	if (size > 0)
		refusal = preload_judge_elf(bytes, (size_t)size);
	if (refusal == PRELOAD_REFUSAL_NONE && RAW(fstat, fd, &file) == 0 &&
	    is_privileged(&file, path))
		refusal = PRELOAD_REFUSAL_PRIVILEGED;
	RAW(close, fd);
	return refusal;
}

/* @path is in @folder, or in none. */
static void put_exec(int32_t pid, const char *folder, const char *path,
		     enum preload_refusal refusal, uint64_t time_ns)
{
	struct preload_slot *slot;
	struct preload_exec *record;
	size_t folder_size = folder ? raw_length(folder) + 1 : 0; /* and a slash */
	size_t path_size = raw_length(path) + 1;
	size_t size = (sizeof(*record) + folder_size + path_size + 7) / 8 * 8;

	record = preload_begin(preload_state, size, &slot);
	if (!record) {
		preload_lose_record();
		return;
	}
	*record = (struct preload_exec){
		.header = { .type = PRELOAD_RECORD_EXEC, .size = (uint16_t)size },
		.pid = pid,
		.tid = pid,
		.time_ns = time_ns,
		.refusal = refusal,
	};
	*(uint64_t *)(void *)((char *)record + size - 8) = 0;
	if (folder) {
		raw_copy(record->path, folder, folder_size - 1);
		record->path[folder_size - 1] = '/';
	}
	raw_copy(record->path + folder_size, path, path_size);
	preload_end(slot, size);
}

static void report(int32_t pid, const char *path, enum preload_refusal refusal, uint64_t time_ns)
{
	char folder[PATH_MAX];
	bool is_relative = *path != '/' && RAW(getcwd, folder, sizeof(folder)) > 0;

	if (raw_length(path) < PATH_MAX)
		put_exec(pid, is_relative ? folder : NULL, path, refusal, time_ns);
}

void preload_report_end(enum preload_refusal why)
{
	enum { SHOWN = 256 };
	char path[SHOWN];
	long size = RAW(readlinkat, AT_FDCWD, "/proc/self/exe", path, SHOWN - 1);
	int32_t pid = (int32_t)RAW(getpid);

	path[size > 0 ? size : 0] = '\0';
	put_exec(pid, NULL, size > 0 ? path : "?", why, preload_now());
}

/* ---- the environment of programs that are executed ---- */

/* The variables that a program is to have, instead of the same ones of @given. */
struct wanted {
	char *const *given;
	bool hidden;	    /* without ours */
	const char *others; /* the value of LD_PRELOAD in @given; NULL: none */
	size_t count;	    /* of @given */
	bool changes;
};

static struct wanted want(char *const *given, bool hidden)
{
	struct wanted wanted = { .given = given, .hidden = hidden };
	bool has_library = false, has_memory = false;
	size_t size;

	for (size_t i = 0; given && given[i]; i++) {
		wanted.count++;
		if (raw_begins(given[i], preload_name)) {
			wanted.others = given[i] + sizeof(preload_name) - 1;
			has_library = find_entry(wanted.others, &size) != NULL;
		}
		has_memory |= raw_begins(given[i], memory_name);
	}
	wanted.changes = hidden ? has_library || has_memory : !has_library || !has_memory;
	return wanted;
}

/* Room for two more variables, and the text of one. */
static size_t list_bytes(const struct wanted *wanted)
{
	return (wanted->count + 3) * sizeof(char *) + sizeof(preload_name) + sizeof(own_path) + 1 +
	       (wanted->others ? raw_length(wanted->others) : 0);
}

/* LD_PRELOAD with this library before others, or with only those. */
static char *write_preload(const struct wanted *wanted, char *text)
{
	size_t entry_size = 0, at = sizeof(preload_name) - 1;
	const char *others = wanted->others ? wanted->others : "", *entry;

	raw_copy(text, preload_name, at);
	if (!wanted->hidden) {
		raw_copy(text + at, own_path, raw_length(own_path));
		at += raw_length(own_path);
		if (*others)
			text[at++] = ':';
	}
	entry = find_entry(others, &entry_size);
	if (entry) {
		size_t before = (size_t)(entry - others);

		raw_copy(text + at, others, before);
		at += before;
		others = entry + entry_size;
		others += *others != '\0';
	}
	raw_copy(text + at, others, raw_length(others) + 1);
	return text;
}

static char **make_list(const struct wanted *wanted, void *room)
{
	char **list = room, *text = (char *)(list + wanted->count + 3);
	size_t count = 0;

	for (size_t i = 0; i < wanted->count; i++) {
		if (!raw_begins(wanted->given[i], preload_name) &&
		    !raw_begins(wanted->given[i], memory_name))
			list[count++] = wanted->given[i];
	}
	write_preload(wanted, text);
	if (text[sizeof(preload_name) - 1])
		list[count++] = text;
	if (!wanted->hidden)
		list[count++] = memory_variable;
	list[count] = NULL;
	return list;
}

enum { MOST_ON_STACK = 16384 };

/* Makes @list the environment that a program is to have, out of @given, in memory of this function's
 * caller or, where that is much, in pages. */
#define ENVIRONMENT(list, given, hidden)                                              \
	struct wanted list##_wanted = want(given, hidden);                            \
	size_t list##_bytes = list##_wanted.changes ? list_bytes(&list##_wanted) : 0; \
	void *list##_room = list##_bytes <= MOST_ON_STACK ? alloca(list##_bytes + 8)  \
							  : take_pages(list##_bytes); \
	char *const *list = list##_wanted.changes && list##_room                      \
				    ? make_list(&list##_wanted, list##_room)          \
				    : (given)
#define ENVIRONMENT_DONE(list)            \
	if (list##_bytes > MOST_ON_STACK) \
	give_pages(list##_room, list##_bytes)

static void *take_pages(size_t bytes)
{
	long memory =
		RAW(mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory < 0 && memory > -4096 ? NULL : (void *)memory;
}

static void give_pages(void *pages, size_t bytes)
{
	if (pages)
		RAW(munmap, pages, bytes);
}

/* ---- before a program is executed, or the process ends ---- */

void preload_finish(void)
{
	struct preload_state *state = preload_own();

	if (!state)
		return;
	if (state->unmapped_samples)
		preload_read_maps(state, preload_now());
	preload_leave_chunks(state);
}

static bool is_active(void)
{
	return preload_head && own_path[0] && memory_variable[0];
}

/* The announced program was not executed, and the process goes on as it was. */
static void end_failed_exec(void)
{
	put_exec((int32_t)RAW(getpid), NULL, "", PRELOAD_REFUSAL_NONE, preload_now());
	preload_hide_signal(true);
}

/* Returns whether the program must not see the library. */
static bool announce(int32_t pid, const char *path)
{
	enum preload_refusal refusal = judge(path);
	struct preload_state *state;

	report(pid, path, refusal, preload_now());
	state = preload_own();
	if (state)
		preload_leave_chunks(state);
	return refusal == PRELOAD_REFUSAL_MACHINE || refusal == PRELOAD_REFUSAL_HIDDEN;
}

/* What a name without a slash leads to on PATH; the name itself if that is not found. */
static const char *look_up(const char *name, char *const *environment, char *room)
{
	static const char path_name[] = "PATH=";
	const char *at = "/bin:/usr/bin";
	size_t name_size = raw_length(name) + 1;

	for (size_t i = 0; name[i]; i++) {
		if (name[i] == '/')
			return name;
	}
	for (; environment && *environment; environment++) {
		if (raw_begins(*environment, path_name))
			at = *environment + sizeof(path_name) - 1;
	}
	while (*at) {
		size_t size = 0;

		while (at[size] && at[size] != ':')
			size++;
		if (size && size + 1 + name_size <= PATH_MAX) {
			raw_copy(room, at, size);
			room[size] = '/';
			raw_copy(room + size + 1, name, name_size);
			if (RAW(faccessat, AT_FDCWD, room, X_OK, 0) == 0)
				return room;
		}
		at += size;
		at += *at == ':';
	}
	return name;
}

/* ---- execve(2), exec(3), posix_spawn(3) ---- */

extern char **environ __attribute__((weak));

static char *const *own_environment(void)
{
	return &environ ? environ : NULL;
}

static int call_execve(const char *path, char *const *arguments, char *const *environment)
{
	int (*next)(const char *, char *const *, char *const *) = PRELOAD_NEXT(execve);

	return next(path, arguments, environment);
}

static int execute(const char *path, char *const *arguments, char *const *given)
{
	int rc;

	if (!is_active())
		return call_execve(path, arguments, given);
	preload_finish();
	ENVIRONMENT(environment, given, announce((int32_t)RAW(getpid), path));
	preload_show_signal(true);
	rc = call_execve(path, arguments, environment);
	end_failed_exec();
	ENVIRONMENT_DONE(environment);
	return rc;
}

static int execute_on_path(const char *name, char *const *arguments, char *const *given)
{
	int (*next)(const char *, char *const *, char *const *) = PRELOAD_NEXT(execvpe);
	char room[PATH_MAX];
	int rc;

	if (!is_active())
		return next(name, arguments, given);
	preload_finish();
	ENVIRONMENT(environment, given,
		    announce((int32_t)RAW(getpid), look_up(name, own_environment(), room)));
	preload_show_signal(true);
	rc = next(name, arguments, environment);
	end_failed_exec();
	ENVIRONMENT_DONE(environment);
	return rc;
}

PRELOAD_EXPORT int execve(const char *path, char *const *arguments, char *const *environment)
{
	return execute(path, arguments, environment);
}

PRELOAD_EXPORT int execv(const char *path, char *const *arguments)
{
	return execute(path, arguments, own_environment());
}

PRELOAD_EXPORT int execvp(const char *name, char *const *arguments)
{
	return execute_on_path(name, arguments, own_environment());
}

PRELOAD_EXPORT int execvpe(const char *name, char *const *arguments, char *const *environment)
{
	return execute_on_path(name, arguments, environment);
}

PRELOAD_EXPORT int fexecve(int fd, char *const *arguments, char *const *given)
{
	int (*next)(int, char *const *, char *const *) = PRELOAD_NEXT(fexecve);
	int rc;

	if (!is_active())
		return next(fd, arguments, given);
	preload_finish();
	ENVIRONMENT(environment, given, false);
	preload_show_signal(true);
	rc = next(fd, arguments, environment);
	preload_hide_signal(true);
	ENVIRONMENT_DONE(environment);
	return rc;
}

/* Makes @list of the arguments from @first on, up to NULL; @rest then has what follows them. */
#define ARGUMENTS(list, first, rest)                                       \
	va_list rest;                                                      \
	size_t list##_count = 1;                                           \
	char **list;                                                       \
	va_start(rest, first);                                             \
	while (va_arg(rest, char *))                                       \
		list##_count++;                                            \
	va_end(rest);                                                      \
	list = alloca((list##_count + 1) * sizeof(char *));                \
	list[0] = (char *)(uintptr_t)first;                                \
	va_start(rest, first);                                             \
	for (size_t list##_at = 1; list##_at <= list##_count; list##_at++) \
	list[list##_at] = va_arg(rest, char *)

PRELOAD_EXPORT int execl(const char *path, const char *first, ...)
{
	ARGUMENTS(arguments, first, rest);
	va_end(rest);
	return execute(path, arguments, own_environment());
}

PRELOAD_EXPORT int execlp(const char *name, const char *first, ...)
{
	ARGUMENTS(arguments, first, rest);
	va_end(rest);
	return execute_on_path(name, arguments, own_environment());
}

PRELOAD_EXPORT int execle(const char *path, const char *first, ...)
{
	char *const *environment;

	ARGUMENTS(arguments, first, rest);
	environment = va_arg(rest, char *const *);
	va_end(rest);
	return execute(path, arguments, environment);
}

typedef int (*spawner)(pid_t *, const char *, const posix_spawn_file_actions_t *,
		       const posix_spawnattr_t *, char *const *, char *const *);

static int spawn(spawner next, pid_t *ret_pid, const char *name, const char *path,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		 char *const *arguments, char *const *given)
{
	enum preload_refusal refusal = judge(path);
	uint64_t time_ns = preload_now();
	pid_t pid = 0;
	int rc;

	ENVIRONMENT(environment, given,
		    refusal == PRELOAD_REFUSAL_MACHINE || refusal == PRELOAD_REFUSAL_HIDDEN);
	preload_show_signal(false);
	rc = next(&pid, name, actions, attributes, arguments, environment);
	preload_hide_signal(false);
	ENVIRONMENT_DONE(environment);
	if (rc == 0)
		report(pid, path, refusal, time_ns);
	if (rc == 0 && ret_pid)
		*ret_pid = pid;
	return rc;
}

PRELOAD_EXPORT int posix_spawn(pid_t *ret_pid, const char *path,
			       const posix_spawn_file_actions_t *actions,
			       const posix_spawnattr_t *attributes, char *const *arguments,
			       char *const *environment)
{
	spawner next = PRELOAD_NEXT(posix_spawn);

	if (!is_active())
		return next(ret_pid, path, actions, attributes, arguments, environment);
	return spawn(next, ret_pid, path, path, actions, attributes, arguments, environment);
}

PRELOAD_EXPORT int posix_spawnp(pid_t *ret_pid, const char *name,
				const posix_spawn_file_actions_t *actions,
				const posix_spawnattr_t *attributes, char *const *arguments,
				char *const *environment)
{
	spawner next = PRELOAD_NEXT(posix_spawnp);
	char room[PATH_MAX];

	if (!is_active())
		return next(ret_pid, name, actions, attributes, arguments, environment);
	return spawn(next, ret_pid, name, look_up(name, own_environment(), room), actions,
		     attributes, arguments, environment);
}

/* ---- ends that run no destructors ---- */

PRELOAD_EXPORT void _exit(int status)
{
	preload_finish();
	for (;;)
		RAW(exit_group, status);
}

PRELOAD_EXPORT void _Exit(int status)
{
	_exit(status);
}

PRELOAD_EXPORT void quick_exit(int status)
{
	void (*next)(int) = PRELOAD_NEXT(quick_exit);

	preload_finish();
	next(status);
	__builtin_unreachable();
}
