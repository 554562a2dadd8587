/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything that needs memory or the password database happens before the fork; the child only
 * makes system calls.
 */
#include "proc/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "foreign/door.h"

enum {
	EXEC_MS = 5000, /* the longest wait for an exec */
	LOOK_MS = 50,
};

static const char default_path[] = "/usr/local/bin:/usr/bin:/bin";
static const char shell[] = "/bin/sh";

/* What the child needs, prepared by the parent. Texts are borrowed except the owned ones. */
struct child {
	char *path;		   /* owned */
	char *const *argv;	   /* the user's */
	VEC(char *) shell_argv;	   /* for a script without "#!" */
	VEC(char *) environment;   /* NULL-terminated */
	VEC(char *) owned_entries; /* entries of environment that we allocated */
	VEC(gid_t) groups;
	uid_t uid; /* (uid_t)-1: do not change */
	gid_t gid;
};

/* The child's report that it could not become the command. */
struct failure {
	int error;	/* errno */
	bool user_drop; /* the failure was in switching to the user */
};

static void child_done(struct child *child)
{
	for (size_t i = 0; i < child->owned_entries.count; i++)
		free(child->owned_entries.items[i]);
	free(child->path);
	vec_free(&child->shell_argv);
	vec_free(&child->environment);
	vec_free(&child->owned_entries);
	vec_free(&child->groups);
}

/* 0 if @path is a file that we may execute. */
static int check_executable(struct foreign *foreign, const char *path)
{
	struct stat status;
	int rc = door_stat(foreign, path, &status);

	if (rc < 0)
		return rc;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : -errno;
}

/* Searches PATH as shells do. An empty part is the current folder. A file that may not be executed
 * is skipped but remembered for the error; a folder that may not be searched is ignored. */
static int search_path(struct foreign *foreign, const char *name, char **ret_path)
{
	const char *at = getenv("PATH");
	int rc = -ENOENT;

	if (!at)
		at = default_path;
	for (;;) {
		size_t length = strcspn(at, ":");
		_cleanup_free_ char *path = length ? xasprintf("%.*s/%s", (int)length, at, name)
						   : xasprintf("./%s", name);
		int found = check_executable(foreign, path);

		if (found == 0) {
			*ret_path = steal_ptr(path);
			return 0;
		}
		if (found == -EACCES && faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) == 0)
			rc = -EACCES;
		if (!at[length])
			return rc;
		at += length + 1;
	}
}

static int find_command(struct foreign *foreign, const char *name, char **ret_path, struct err *err)
{
	bool with_path = strchr(name, '/');
	int rc;

	if (!*name)
		return err_set(err, -ENOENT, "the command is empty");
	if (!with_path) {
		rc = search_path(foreign, name, ret_path);
	} else {
		rc = check_executable(foreign, name);
		if (rc == 0)
			*ret_path = xstrdup(name);
	}
	switch (rc) {
	case 0:
		return 0;
	case -ENOENT:
		return err_set(err, rc,
			       with_path ? "cannot run '%s': no such file"
					 : "cannot run '%s': command not found in PATH",
			       name);
	case -EISDIR:
		return err_set(err, -EACCES, "cannot run '%s': it is a directory", name);
	case -EACCES:
		return err_set(err, rc, "cannot run '%s': permission denied (is it executable?)",
			       name);
	case -ETIMEDOUT:
		return err_set(err, rc, "cannot run '%s': its file system does not answer", name);
	default:
		return err_set(err, rc, "cannot run '%s': %s", name, strerror(-rc));
	}
}

static void set_variable(struct child *child, const char *name, const char *value)
{
	size_t length = strlen(name);
	char *entry = xasprintf("%s=%s", name, value);

	*vec_push(&child->owned_entries) = entry;
	for (size_t i = 0; i < child->environment.count; i++) {
		char *old = child->environment.items[i];

		if (strncmp(old, name, length) == 0 && old[length] == '=') {
			child->environment.items[i] = entry;
			return;
		}
	}
	*vec_push(&child->environment) = entry;
}

static int find_groups(struct child *child, const char *user, struct err *err)
{
	int count = 64;

	vec_reserve(&child->groups, (size_t)count);
	/* If they do not fit, the call sets @count to the number of groups. */
	while (getgrouplist(user, child->gid, child->groups.items, &count) < 0) {
		if (count < 0 || count > NGROUPS_MAX)
			return err_set(err, -E2BIG, "user %s is in too many groups", user);
		vec_reserve(&child->groups, (size_t)count);
	}
	child->groups.count = (size_t)count;
	return 0;
}

static int prepare_user(struct child *child, const struct launch_options *options, struct err *err)
{
	const struct passwd *entry = getpwuid(options->uid);
	const char *user = options->user ? options->user : entry ? entry->pw_name : NULL;

	if (!user)
		return err_set(err, -ESRCH, "no user has the id %u", options->uid);
	set_variable(child, "USER", user);
	set_variable(child, "LOGNAME", user);
	set_variable(child, "HOME", entry ? entry->pw_dir : "/");
	return find_groups(child, user, err);
}

static int prepare_child(const struct launch_options *options, struct child *child, struct err *err)
{
	int rc = find_command(options->foreign, options->argv[0], &child->path, err);

	if (rc)
		return rc;
	child->argv = options->argv;
	child->uid = options->uid;
	child->gid = options->gid;
	*vec_push(&child->shell_argv) = (char *)shell;
	*vec_push(&child->shell_argv) = child->path;
	for (size_t i = 1; options->argv[i]; i++)
		*vec_push(&child->shell_argv) = options->argv[i];
	*vec_push(&child->shell_argv) = NULL;
	for (char **entry = environ; entry && *entry; entry++)
		*vec_push(&child->environment) = *entry;
	if (options->uid != (uid_t)-1)
		rc = prepare_user(child, options, err);
	*vec_push(&child->environment) = NULL;
	return rc;
}

static int drop_to_user(const struct child *child)
{
	if (setgroups(child->groups.count, child->groups.items) != 0 ||
	    setresgid(child->gid, child->gid, child->gid) != 0 ||
	    setresuid(child->uid, child->uid, child->uid) != 0)
		return -1;
	return 0;
}

/* Waits for the byte that opens the gate. False if the parent died or gave up. */
static bool wait_at_gate(int gate)
{
	char byte;
	ssize_t got;

	do {
		got = read(gate, &byte, 1);
	} while (got < 0 && errno == EINTR);
	return got == 1;
}

static void run_child(const struct child *child, int gate, int outcome) __attribute__((noreturn));
static void run_child(const struct child *child, int gate, int outcome)
{
	struct failure failure = { 0 };
	ssize_t written;

	if (!wait_at_gate(gate))
		_exit(1);
	if (child->uid != (uid_t)-1 && drop_to_user(child) != 0) {
		failure.user_drop = true;
	} else {
		execve(child->path, child->argv, child->environment.items);
		if (errno == ENOEXEC)
			execve(shell, child->shell_argv.items, child->environment.items);
	}
	failure.error = errno;
	written = write(outcome, &failure, sizeof(failure));
	_exit(written == sizeof(failure) ? 127 : 126);
}

static int fork_child(const struct child *child, struct launch *ret_launch, struct err *err)
{
	/* A socket: writing to a pipe whose reader was killed would raise SIGPIPE in us. */
	int gate[2], outcome[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) != 0)
		return err_set(err, -errno, "cannot make a socket pair: %s", strerror(errno));
	_cleanup_close_ int ours = gate[0], theirs = gate[1];
	if (pipe2(outcome, O_CLOEXEC) != 0)
		return err_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	_cleanup_close_ int outcome_read = outcome[0], outcome_write = outcome[1];
	pid = fork();
	if (pid < 0)
		return err_set(err, -errno, "cannot start a process: %s", strerror(errno));
	if (pid == 0) {
		close(ours); /* else the child would hold the other end of its own gate */
		run_child(child, theirs, outcome_write);
	}
	*ret_launch = (struct launch){
		.pid = pid,
		.gate = steal_fd(ours),
		.outcome = steal_fd(outcome_read),
		.command = child->argv[0],
	};
	return 0;
}

int launch_prepare(const struct launch_options *options, struct launch *ret_launch, struct err *err)
{
	struct child child = { 0 };
	int rc = prepare_child(options, &child, err);

	if (rc == 0)
		rc = fork_child(&child, ret_launch, err);
	child_done(&child);
	return rc;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int tell_failure(const struct launch *launch, const struct failure *failure, struct err *err)
{
	int rc = -failure->error;

	if (failure->user_drop)
		return err_set(err, rc, "cannot run '%s' as another user: %s", launch->command,
			       strerror(failure->error));
	if (failure->error == ENOENT)
		return err_set(err, rc,
			       "cannot run '%s': its interpreter or dynamic loader is missing",
			       launch->command);
	return err_set(err, rc, "cannot run '%s': %s", launch->command, strerror(failure->error));
}

/* True if a signal to end is pending that our caller keeps blocked. */
static bool is_asked_to_end(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
	       sigismember(&pending, SIGHUP);
}

/* False if exec takes too long or a signal to end is pending. */
static bool wait_for_exec(int outcome)
{
	uint64_t last_ns = clock_ns() + EXEC_MS * NS_PER_MS;
	struct pollfd fd = { .fd = outcome, .events = POLLIN };

	while (poll(&fd, 1, LOOK_MS) <= 0) {
		if (is_asked_to_end() || clock_ns() > last_ns)
			return false;
	}
	return true;
}

int launch_go(struct launch *launch, struct err *err)
{
	struct failure failure;
	ssize_t got;

	/* If sending fails, the child was killed; then its end of the outcome is closed as well. */
	(void)send(launch->gate, "", 1, MSG_NOSIGNAL);
	close_fd(&launch->gate);
	if (!wait_for_exec(launch->outcome))
		return 0;
	do {
		got = read(launch->outcome, &failure, sizeof(failure));
	} while (got < 0 && errno == EINTR);
	close_fd(&launch->outcome);
	if (got != sizeof(failure))
		return 0;
	reap(launch->pid);
	return tell_failure(launch, &failure, err);
}

void launch_abandon(struct launch *launch)
{
	bool waiting = launch->gate >= 0;

	close_fd(&launch->gate);
	close_fd(&launch->outcome);
	if (waiting) {
		kill(launch->pid, SIGKILL);
		reap(launch->pid);
	}
}

/* Errors of execve(2) for a file that exists but cannot be executed. */
static const int not_executable[] = {
	EACCES, ETIMEDOUT, EISDIR, ENOEXEC, ETXTBSY, E2BIG, ELIBBAD, ENAMETOOLONG, ELOOP, EINVAL,
};

int launch_exit_status(int rc)
{
	if (rc == -ENOENT || rc == -ENOTDIR)
		return 127;
	for (size_t i = 0; i < sizeof(not_executable) / sizeof(not_executable[0]); i++)
		if (rc == -not_executable[i])
			return 126;
	return 1;
}

enum { SIGNAL_BASE = 128 }; /* as shells count */

/* Exit status of a command that ran and ended. */
static int commands_own(const struct command_outcome *outcome)
{
	if (WIFSIGNALED(outcome->status))
		return SIGNAL_BASE + WTERMSIG(outcome->status);
	return WEXITSTATUS(outcome->status);
}

int command_outcome_exit_status(const struct command_outcome *outcome, int rc)
{
	bool ended = outcome->launched && outcome->ended;
	int status = ended ? commands_own(outcome) : 0;

	if (rc < 0 && outcome->launch_failed)
		return launch_exit_status(rc);
	if (rc < 0)
		return status ? status : 1;
	if (outcome->launched && !ended)
		return SIGNAL_BASE + outcome->stop_signal;
	return status;
}
